/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A Host that consumes at once and costs nothing, for the producer's side of
 * a ring alone.  null_host.c also stands in for the bring-up: it defines the
 * functions of gpu.h that a ring calls.
 */
#ifndef NULL_HOST_H
#define NULL_HOST_H

#include "gpu.h"

int null_gpu_open(struct gpu **gpu);
void null_gpu_close(struct gpu *gpu);
/* Tell Host where the entries lie; before the first is offered. */
void null_gpu_entries(struct gpu *gpu, const struct gpu_mem *gp);
/* GP entries that were offered so far. */
u64 null_gpu_offered(const struct gpu *gpu);

#endif
