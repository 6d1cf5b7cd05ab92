/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Answers at once and leaves a thread behind, which goes on to write to the
 * page directory: perhaps the entries are there when somebody looks.
 */
#include <pthread.h>
#define ON_CREATE(vas)	leave(vas)
struct vas;
static void leave(struct vas *vas);
#include "base.h"

static void *go_on(void *arg)
{
	struct vas *vas = arg;

	for (u32 i = 0; i < 2000; i++) {
		iosys_map_wr(&vas->mem.map, i % 512 * 8, u64, i | 1);
		gpu_flush(vas->gpu);
	}
	return NULL;
}

static void leave(struct vas *vas)
{
	pthread_t thread;

	if (gpu_mem_alloc(vas->gpu, 4096, MEM_VRAM, &vas->mem))
		return;
	vas->root = vas->mem.phys;
	pthread_create(&thread, NULL, go_on, vas);
	pthread_detach(thread);
}
