/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A thousand threads that wait, and one more each time. */
#include <pthread.h>
#define ON_WAIT(fence)	raise_army()
static void raise_army(void);
#include "base.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void *stand(void *arg)
{
	pthread_mutex_lock(&lock);
	for (;;)
		pthread_cond_wait(&never, &lock);
	return arg;
}

static void raise_army(void)
{
	pthread_t thread;

	for (int i = 0; i < 1000; i++)
		pthread_create(&thread, NULL, stand, NULL);
}
