/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Translations a second in the card: found in its TLB, or by a walk. */
#include "bench.h"
#include "translate.h"
#include "vm/model/mem.h"

double bench_translate(struct card *card, const uint32_t words[4],
		       uint64_t va, uint64_t pages, uint64_t n,
		       double *misses)
{
	static const struct mem_who who = { CARD_DMA_COPY, 0 };
	struct card_tlb_stats before, after;
	struct mem_space space;
	struct mem_place place;
	struct mem_fault fault;
	uint64_t start, ns;

	card_space_decode(card, words, &space);
	card_tlb_stats(card, &before);
	start = bench_now();
	for (uint64_t i = 0; i < n; i++) {
		if (card_va_translate(card, who, &space,
				      va + i % pages * 4096, false, &place,
				      &fault))
			return 0;
	}
	ns = bench_now() - start;
	card_tlb_stats(card, &after);
	*misses = (double)(after.misses - before.misses) / n;
	return n * 1e9 / ns;
}
