/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Between the scheduler, what starts a batch, and its budget. */
#ifndef RUNTIME_SCHED_H
#define RUNTIME_SCHED_H

#include <stdint.h>

struct wire_ops;

void rt_sched_begin(const struct wire_ops *ops);
void rt_sched_end(void);
/* budget.c: a batch begins and ends; a hook, the steps-th of the batch. */
void rt_budget_begin(const struct wire_ops *ops);
void rt_budget_end(void);
void rt_budget_spend(uint64_t steps);
/* link.c: tell the judge who runs now. */
void rt_post_switch(unsigned int number);

#endif
