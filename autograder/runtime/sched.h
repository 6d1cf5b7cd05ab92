/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Between the scheduler and what starts a batch. */
#ifndef RUNTIME_SCHED_H
#define RUNTIME_SCHED_H

#include <stdint.h>

struct wire_ops;

void rt_sched_begin(const struct wire_ops *ops);
void rt_sched_end(void);
/* link.c: tell the judge who runs now. */
void rt_post_switch(unsigned int number);

#endif
