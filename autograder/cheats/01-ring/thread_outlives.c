/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A thread that goes on after its call has returned. */
#include <pthread.h>
#define ON_CREATE() attack()
static void attack(void);
#include "base.h"

static void *go_on(void *arg)
{
	volatile int *p = arg;

	for (;;)
		*p = *p + 1;
	return NULL;
}

static void attack(void)
{
	static int counter;
	pthread_t thread;

	pthread_create(&thread, NULL, go_on, &counter);
	pthread_detach(thread);
}
