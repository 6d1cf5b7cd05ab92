/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The language in which tests of GR_CTX_SWITCH and ATS are written
 * [§12.3], [§12.4]; it continues scenario_vas.h.
 *
 * Always on: the answer of each call agrees with what the space maps; what
 * work writes is remembered, and is in memory, there and nowhere else, once
 * it was cleaned.
 */
#ifndef JUDGE_SCENARIO_CTX_H
#define JUDGE_SCENARIO_CTX_H

#include "autograder/judge/scenario_vas.h"

/* As in ctx_switch.h of the driver. */
#define UNIT_TAGS	1u
#define UNIT_PAGES	1023u
#define UNIT_BATCH	64u	/* of a test's	*/

/* Before driver_open(): the documented card and nothing else. */
void use_documented_card(struct scenario *s);

void unit_open(struct scenario *s, uint32_t flags);
int64_t unit_try_open(struct scenario *s, uint32_t flags);
void unit_close(struct scenario *s);

struct unit_work {
	unsigned int space;
	uint64_t va;
	uint32_t pages, data;
};

/* Success is insisted on. */
void unit_work(struct scenario *s, unsigned int space, uint64_t va,
	       uint32_t pages, uint32_t data);
int64_t unit_try_work(struct scenario *s, const struct unit_work *work);
int64_t unit_try_batch(struct scenario *s, const struct unit_work *work,
		       unsigned int count);
void thread_unit_work(struct scenario *s, unsigned int thread,
		      const struct unit_work *work);
/* … and then every memory holds what was written to it. */
void unit_clean(struct scenario *s);
void unit_forget(struct scenario *s, unsigned int space);
/* So many more spaces at once, each used twice, and destroyed. */
int64_t unit_crowd(struct scenario *s, uint32_t n);
/* Since the last time this was asked: pages that the unit had to walk for,
 * batches it was given, writes to its registers. */
uint64_t unit_walks(struct scenario *s);
uint64_t unit_batches(struct scenario *s);
uint64_t unit_writes(struct scenario *s);

/* The same memory under the addresses of the process. */
void memory_of_process(struct scenario *s, unsigned int memory,
		       unsigned int of);
int64_t ats_supported(struct scenario *s);
int64_t ats_enable(struct scenario *s, unsigned int space);
void ats_disable(struct scenario *s);
/* Requests that the IOMMU has answered, since the last time. */
uint64_t ats_requests(struct scenario *s);

#endif
