/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A driver at work on one card: what lab-vfio's steps share. */
#ifndef VFIO_LAB_H
#define VFIO_LAB_H

#include "fence.h"
#include "kmd.h"
#include "queue.h"
#include "vas.h"
#include "vm/spec/reg.h"

#define LAB_WAIT	(10 * NSEC_PER_SEC)
#define LAB_BYTES	(256u << 10)

/* A channel with its ring and its timeline. */
struct lab_line {
	struct queue queue;
	struct gpu_mem sem;
	struct timeline *timeline;
};

struct lab {
	struct gpu_bus *bus;
	struct gpu *gpu;
	struct lab_line line;
	struct gpu_mem from, to, video;
	const char *why;	/* the last failure, in words	*/
};

/* Up and down, in order; on failure nothing is left.  0, -errno. */
int lab_up(struct lab *lab);
void lab_down(struct lab *lab);

/* vas: NULL for the driver's own.  The memory must be at the same addresses
 * in the vas: lab_show(). */
int lab_line_up(struct lab *lab, struct vas *vas, struct lab_line *line);
void lab_line_down(struct lab *lab, struct lab_line *line);
int lab_show(struct vas *vas, const struct gpu_mem *mem);

/* The steps: 0, -errno, and then lab->why. */
int lab_ring(struct lab *lab);
int lab_fences(struct lab *lab);
int lab_copy(struct lab *lab);
int lab_space(struct lab *lab);
int lab_fault(struct lab *lab);

#endif
