/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The card's own translations; it has other names for memory than a driver. */
#ifndef BENCH_TRANSLATE_H
#define BENCH_TRANSLATE_H

#include <stdint.h>

struct card;

/*
 * n translations over so many pages from va on, in turn, in the space that
 * these words of an instance block describe.  How many a second; *misses: the
 * part of them that walked.  0: one failed.
 */
double bench_translate(struct card *card, const uint32_t words[4],
		       uint64_t va, uint64_t pages, uint64_t n,
		       double *misses);

#endif
