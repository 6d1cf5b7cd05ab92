/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * An address space on the bench, for tests of walks and of the TLB [§6.4]:
 * tables written straight into video memory, translations asked of the card.
 */
#ifndef TEST_PAGES_H
#define TEST_PAGES_H

#include <check.h>

#include "vm/model/test_bench.h"

#define INST	0x010000ull
#define ROOT	0x100000ull	/* the tables lie one after the other */
#define VRAM_PDE	1ull

static struct bench b;
static struct mem_space space;
static struct mem_fault fault;
static struct mem_place place;

static const struct mem_who who = { CARD_DMA_COPY, 9 };

static void put(uint64_t addr, uint64_t value)
{
	vram_write(b.card, addr, &value, 8);
}

static int translate(uint64_t va, bool write)
{
	return card_va_translate(b.card, who, &space, va, write, &place,
				 &fault);
}

static void load(uint32_t flags, uint64_t limit)
{
	bench_instance(&b, INST, ROOT, flags, limit);
	ck_assert_int_eq(card_space_load(b.card, who, MEM_VRAM, INST, &space),
			 0);
}

/* Format 2, five tables for one address; the page's entry is at PTE. */
#define PTE	(ROOT + 0x4000)

static void format2(uint64_t va, uint64_t pte)
{
	uint64_t next = ROOT + 0x1000;

	load(REG_VAL(NV_RAMIN_USE_VER2_PT_FORMAT, 1) |
	     REG_VAL(NV_RAMIN_BIG_PAGE_SIZE, 1), (1ull << 49) - 1);
	put(ROOT + (va >> 47 & 3) * 8, VRAM_PDE << 1 | next >> 12 << 8);
	put(next + (va >> 38 & 511) * 8,
	    VRAM_PDE << 1 | (next + 0x1000) >> 12 << 8);
	put(next + 0x1000 + (va >> 29 & 511) * 8,
	    VRAM_PDE << 1 | (next + 0x2000) >> 12 << 8);
	put(next + 0x2000 + (va >> 21 & 255) * 16 + 8,
	    VRAM_PDE << 1 | PTE >> 12 << 8);
	put(PTE + (va >> 12 & 511) * 8, pte);
}

#endif
