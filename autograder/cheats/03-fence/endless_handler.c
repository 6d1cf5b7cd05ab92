/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A storm: everything is enabled, nothing acknowledged, and the handler does
 * not end.
 */
#define ENABLE	1
#define ON_INTERRUPT(gpu)	rage(gpu)
#define ON_EMIT(timeline)	provoke(timeline)
struct gpu;
struct timeline;
static void rage(struct gpu *gpu);
static void provoke(struct timeline *timeline);
#include "base.h"

static void rage(struct gpu *gpu)
{
	for (;;) {
		gpu_rd32(gpu, NV_PFIFO_INTR_0);
		cpu_relax();
	}
}

/* An interrupt, by way of the ring. */
static void provoke(struct timeline *timeline)
{
	u32 words[8], zero = 0;
	struct push push;

	push_init(&push, words, 8);
	push_inc(&push, 0, 0x20, &zero, 1);
	ring_submit(timeline->config.ring, &push, 0, 1000000);
}
