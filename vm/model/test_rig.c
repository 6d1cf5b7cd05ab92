/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* See test_rig.h. */
#include "vm/model/test_rig.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void event(struct machine *machine, const struct card_event *e)
{
	struct rig *rig = (struct rig *)machine;

	if (rig->events < RIG_EVENTS)
		rig->event[rig->events++] = *e;
}

/* Accesses -------------------------------------------------------------- */

uint32_t rig_rd(struct rig *rig, uint32_t offset)
{
	return card_read(rig->card, CARD_BAR0, offset, 4);
}

void rig_wr(struct rig *rig, uint32_t offset, uint32_t value)
{
	card_write(rig->card, CARD_BAR0, offset, 4, value);
}

void rig_vram_wr(struct rig *rig, uint64_t addr, uint32_t value)
{
	rig_wr(rig, 0x1700, addr >> 16);
	rig_wr(rig, 0x700000 + (addr & 0xffff), value);
}

uint32_t rig_vram_rd(struct rig *rig, uint64_t addr)
{
	rig_wr(rig, 0x1700, addr >> 16);
	return rig_rd(rig, 0x700000 + (addr & 0xffff));
}

static void vram_wr64(struct rig *rig, uint64_t addr, uint64_t value)
{
	rig_vram_wr(rig, addr, value);
	rig_vram_wr(rig, addr + 4, value >> 32);
}

uint32_t *rig_word(struct rig *rig, uint32_t offset)
{
	return (uint32_t *)(rig->machine.memory + offset);
}

uint64_t *rig_quad(struct rig *rig, uint32_t offset)
{
	return (uint64_t *)(rig->machine.memory + offset);
}

/* Page tables: one megabyte of system memory, one of video memory ------- */

static void tables_2(struct rig *rig)
{
	uint64_t pd3 = RIG_TABLES, pd2 = pd3 + 0x1000, pd1 = pd3 + 0x2000;
	uint64_t pd0 = pd3 + 0x3000, sys = pd3 + 0x4000, vid = pd3 + 0x5000;
	unsigned int i;

	vram_wr64(rig, pd3, pd2 >> 12 << 8 | 1 << 1);
	vram_wr64(rig, pd2, pd1 >> 12 << 8 | 1 << 1);
	vram_wr64(rig, pd1 + 8 * (RIG_VA >> 29), pd0 >> 12 << 8 | 1 << 1);
	vram_wr64(rig, pd0 + 16 * (RIG_VA >> 21 & 0xff) + 8,
		  sys >> 12 << 8 | 1 << 1);
	vram_wr64(rig, pd0 + 16 * (RIG_VRAM_VA >> 21 & 0xff) + 8,
		  vid >> 12 << 8 | 1 << 1);
	for (i = 0; i < RIG_MEMORY / 4096; i++) {
		vram_wr64(rig, sys + 8 * i,
			  (RIG_DMA / 4096 + i) << 8 | 2 << 1 | 1);
		vram_wr64(rig, vid + 8 * i, (RIG_VRAM / 4096 + i) << 8 | 1);
	}
}

static void tables_1(struct rig *rig)
{
	uint64_t pd = RIG_TABLES, sys = pd + 0x20000, vid = pd + 0x80000;
	unsigned int i;

	vram_wr64(rig, pd + 8 * (RIG_VA >> 27), sys >> 12 << 36 | 1ull << 32);
	vram_wr64(rig, pd + 8 * (RIG_VRAM_VA >> 27),
		  vid >> 12 << 36 | 1ull << 32);
	for (i = 0; i < RIG_MEMORY / 4096; i++) {
		vram_wr64(rig, sys + 8 * i, 2ull << 33 |
			  (RIG_DMA / 4096 + i) << 4 | 1);
		vram_wr64(rig, vid + 8 * i, (RIG_VRAM / 4096 + i) << 4 | 1);
	}
}

/* Start ----------------------------------------------------------------- */

static void enable_host(struct rig *rig)
{
	unsigned int i, pbdmas;

	rig_wr(rig, NV_PMC_ENABLE, 0xffffffff);
	pbdmas = rig_rd(rig, NV_PFIFO_CFG0);
	rig_wr(rig, NV_PMC_ENABLE_PB, (1u << pbdmas) - 1);
	for (i = 0; i < pbdmas; i++) {
		rig_wr(rig, REG_AT(NV_PPBDMA_INTR_0, i), ~0u);
		rig_wr(rig, REG_AT(NV_PPBDMA_INTR_EN_0, i), 0xfffffeff);
		rig_wr(rig, REG_AT(NV_PPBDMA_INTR_1, i), ~0u);
		rig_wr(rig, REG_AT(NV_PPBDMA_INTR_EN_1, i), ~0u);
	}
	rig_wr(rig, NV_PFIFO_BAR1_BASE,
	       REG_VAL(NV_PFIFO_BAR1_BASE_VALID, 1) | RIG_USERD >> 12);
	rig_wr(rig, NV_PFIFO_INTR_0, ~0u);
	rig_wr(rig, NV_PFIFO_INTR_EN_0, 0x7fffffff);
}

void rig_start(struct rig *rig, enum card_chip chip,
	       const struct card_config *config)
{
	struct card_config c = { .chip = chip, .seed = 1 };

	if (config)
		c = *config;
	c.chip = chip;
	*rig = (struct rig){
		.machine = { .dma = RIG_DMA, .peek = true, .event = event },
	};
	rig->chip = chip;
	rig->runlist = 1;	/* of a copy engine, on all three */
	rig->entries = RIG_ENTRIES;
	rig->event = calloc(RIG_EVENTS, sizeof(*rig->event));
	ck_assert_ptr_nonnull(rig->event);
	machine_start(&rig->machine, &c);
	rig->card = rig->machine.card;

	/* Memory decoding and bus mastering. */
	card_write(rig->card, CARD_CONFIG, 4, 2, 0x6);
	enable_host(rig);
	if (chip == CARD_M40)
		tables_1(rig);
	else
		tables_2(rig);
}

void rig_stop(struct rig *rig)
{
	machine_stop(&rig->machine);
	free(rig->event);
}

/* Channels -------------------------------------------------------------- */

static uint64_t inst(unsigned int channel)
{
	return RIG_INST + channel * 0x1000ull;
}

static void inst_wr(struct rig *rig, unsigned int channel, uint32_t offset,
		    uint32_t value)
{
	rig_vram_wr(rig, inst(channel) + offset, value);
}

void rig_instance(struct rig *rig, unsigned int channel)
{
	uint64_t userd = RIG_USERD + channel * NV_RAMUSERD_CHAN_SIZE;
	uint64_t ring = RIG_VA + RIG_RING(channel);
	unsigned int limit2 = 0, i;

	while (1u << limit2 < rig->entries)
		limit2++;
	for (i = 0; i < 0x210; i += 4)
		inst_wr(rig, channel, i, 0);
	inst_wr(rig, channel, NV_RAMFC_USERD, userd);
	inst_wr(rig, channel, NV_RAMFC_USERD_HI, userd >> 32);
	inst_wr(rig, channel, NV_RAMFC_SIGNATURE, 0xface);
	inst_wr(rig, channel, NV_RAMFC_ACQUIRE, 0xfffff902);
	inst_wr(rig, channel, NV_RAMFC_GP_BASE, ring);
	inst_wr(rig, channel, NV_RAMFC_GP_BASE_HI,
		ring >> 32 | limit2 << 16);
	inst_wr(rig, channel, NV_RAMFC_PB_HEADER, 0x20400000);
	inst_wr(rig, channel, NV_RAMFC_SUBDEVICE, 0x30000001);
	inst_wr(rig, channel, NV_RAMFC_FORMATS, 0x100);
	inst_wr(rig, channel, NV_RAMFC_TARGET, 0x1f);
	inst_wr(rig, channel, NV_RAMFC_UNKNOWN_B8, 0xf8000000);
	inst_wr(rig, channel, NV_RAMFC_HCE_CTRL, rig->privileged ? 0x20 : 0);
	inst_wr(rig, channel, NV_RAMFC_CHID, channel);
	inst_wr(rig, channel, NV_RAMFC_CONFIG, rig->privileged ? 0x100 : 0);
	inst_wr(rig, channel, NV_RAMFC_RUNLIST_TIMESLICE, 0x10003080);
	inst_wr(rig, channel, NV_RAMFC_PB_TIMESLICE, 0x10000010);
	inst_wr(rig, channel, NV_RAMIN_PAGE_DIR_BASE_LO, RIG_TABLES |
		(rig->chip == CARD_M40 ? 0 : 1 << 10 | 1 << 11));
	inst_wr(rig, channel, NV_RAMIN_PAGE_DIR_BASE_HI, RIG_TABLES >> 32);
	inst_wr(rig, channel, NV_RAMIN_ADR_LIMIT_LO, 0xfffff000);
	inst_wr(rig, channel, NV_RAMIN_ADR_LIMIT_HI, 0xff);
	for (i = 0; i < NV_RAMUSERD_CHAN_SIZE; i += 4)
		rig_vram_wr(rig, userd + i, 0);
	rig->put[channel] = 0;
}

void rig_bind(struct rig *rig, unsigned int channel)
{
	rig_wr(rig, REG_AT(NV_PCCSR_CHANNEL, channel),
	       REG_SET(NV_PCCSR_CHANNEL_RUNLIST, rig->runlist));
	rig_wr(rig, REG_AT(NV_PCCSR_CHANNEL_INST, channel),
	       REG_VAL(NV_PCCSR_CHANNEL_INST_BIND, 1) | inst(channel) >> 12);
}

void rig_enable(struct rig *rig, unsigned int channel, bool on)
{
	rig_wr(rig, REG_AT(NV_PCCSR_CHANNEL, channel),
	       REG_SET(NV_PCCSR_CHANNEL_RUNLIST, rig->runlist) |
	       (on ? REG_VAL(NV_PCCSR_CHANNEL_ENABLE_SET, 1) :
		     REG_VAL(NV_PCCSR_CHANNEL_ENABLE_CLR, 1)));
}

void rig_submit_runlist(struct rig *rig, unsigned int n, bool tsgs)
{
	uint64_t at = RIG_RUNLIST;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (tsgs) {
			vram_wr64(rig, at, 1u << 26 | 128u << 18 | 3u << 14 |
				  1u << 13 | i);
			at += 8;
		}
		vram_wr64(rig, at, inst(i) >> 12 << 32 | i);
		at += 8;
	}
	rig_wr(rig, NV_PFIFO_RUNLIST_BASE, RIG_RUNLIST >> 12);
	rig_wr(rig, NV_PFIFO_RUNLIST,
	       REG_SET(NV_PFIFO_RUNLIST_ID, rig->runlist) |
	       (at - RIG_RUNLIST) / 8);
	while (REG_GET(NV_PFIFO_ENG_RUNLIST_PENDING,
		       rig_rd(rig, REG_AT(NV_PFIFO_ENG_RUNLIST,
					  rig->runlist))))
		card_advance(rig->card, 100);
	rig_rd(rig, NV_PFIFO_INTR_RUNLIST);
	rig_wr(rig, NV_PFIFO_INTR_RUNLIST, ~0u);
}

void rig_preempt(struct rig *rig, unsigned int channel)
{
	unsigned int i;

	rig_wr(rig, NV_PFIFO_PREEMPT, channel);
	for (i = 0; i < 10000; i++) {
		if (!REG_GET(NV_PFIFO_PREEMPT_PENDING,
			     rig_rd(rig, NV_PFIFO_PREEMPT)))
			return;
		card_advance(rig->card, 1000);
	}
	ck_abort_msg("a preemption does not end");
}

void rig_channels(struct rig *rig, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		rig_instance(rig, i);
		rig_bind(rig, i);
		rig_enable(rig, i, true);
	}
	rig_submit_runlist(rig, n, rig->chip != CARD_M40);
	rig_settle(rig);
}

/* Work ------------------------------------------------------------------ */

void rig_entry(struct rig *rig, unsigned int channel, uint64_t entry)
{
	*rig_quad(rig, RIG_RING(channel) + 8 * rig->put[channel]) = entry;
	rig->put[channel] = (rig->put[channel] + 1) % rig->entries;
}

void rig_segment(struct rig *rig, unsigned int channel, const uint32_t *words,
		 unsigned int n)
{
	uint32_t at = RIG_PB(channel) + rig->pb_used[channel];

	ck_assert_uint_le(rig->pb_used[channel] + 4 * n, 0x10000);
	memcpy(rig->machine.memory + at, words, 4 * n);
	rig->pb_used[channel] += 4 * n;
	rig_entry(rig, channel, (RIG_VA + at) | (uint64_t)n << 42);
}

void rig_ring(struct rig *rig, unsigned int channel)
{
	card_write(rig->card, CARD_BAR1, RIG_USERD +
		   channel * NV_RAMUSERD_CHAN_SIZE + NV_RAMUSERD_GP_PUT, 4,
		   rig->put[channel]);
}

uint32_t rig_userd(struct rig *rig, unsigned int channel, uint32_t word)
{
	return card_read(rig->card, CARD_BAR1, RIG_USERD +
			 channel * NV_RAMUSERD_CHAN_SIZE + word, 4);
}

void rig_settle(struct rig *rig)
{
	uint64_t deadline = card_now(rig->card) + 1000000000;

	while (card_step(rig->card, deadline))
		;
	ck_assert_msg(card_next_event(rig->card) == UINT64_MAX,
		      "the card is still busy after a second");
}

/* What the card said ---------------------------------------------------- */

unsigned int rig_count(const struct rig *rig, enum card_event_kind kind)
{
	unsigned int i, n = 0;

	for (i = 0; i < rig->events; i++)
		n += rig->event[i].kind == kind;
	return n;
}

const struct card_event *rig_event(const struct rig *rig,
				   enum card_event_kind kind, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < rig->events; i++)
		if (rig->event[i].kind == kind && !n--)
			return &rig->event[i];
	return NULL;
}

void rig_no_violation(const struct rig *rig)
{
	ck_assert_msg(!rig->machine.violations, "%s", rig->machine.last);
}

void rig_violated(const struct rig *rig, enum card_rule rule, unsigned int n)
{
	ck_assert_msg(rig->machine.rules[rule] == n &&
		      rig->machine.violations == n,
		      "%s broken %u times, %u violations, last: %s",
		      card_rule_name(rule), rig->machine.rules[rule],
		      rig->machine.violations, rig->machine.last);
}
