/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A card on a bench, for tests of Host: system memory, a log of what the card
 * says, and channels brought up by plain register writes, as [§7.5] tells a
 * driver to, with none of the driver's code.
 */
#ifndef TEST_RIG_H
#define TEST_RIG_H

#include "vm/model/test_machine.h"
#include "vm/spec/reg.h"

enum {
	RIG_MEMORY = MACHINE_MEMORY,
	RIG_ENTRIES = 16,		/* of a ring			*/
	RIG_CHANNELS = 4,
	RIG_EVENTS = 1 << 16,
};

/* Where things lie.  GPU virtual addresses are the same in every channel. */
#define RIG_DMA		0x1234500000ull	/* system memory, for the card	*/
#define RIG_VA		0x40000000ull	/* … for the GPU		*/
#define RIG_VRAM_VA	0x50000000ull	/* 1 MiB of video memory	*/
#define RIG_VRAM	0x02000000ull	/* … its address		*/
#define RIG_INST	0x01000000ull	/* instance blocks		*/
#define RIG_TABLES	0x01100000ull	/* page tables			*/
#define RIG_USERD	0x01400000ull
#define RIG_RUNLIST	0x01800000ull

/* Inside system memory, by channel. */
#define RIG_RING(c)	((c) * 0x1000u)
#define RIG_PB(c)	(0x10000u + (c) * 0x10000u)
#define RIG_SEM		0x80000u
#define RIG_DATA	0x90000u

struct rig {
	struct machine machine;
	struct card *card;		/* the machine's	*/
	enum card_chip chip;
	unsigned int runlist;
	bool privileged;
	uint32_t entries;
	uint32_t put[RIG_CHANNELS];	/* as last written */
	uint32_t pb_used[RIG_CHANNELS];
	/* what the card did */
	struct card_event *event;
	unsigned int events;
};

/* A card with Host enabled, page tables, BAR1 window set; costs may be NULL. */
void rig_start(struct rig *rig, enum card_chip chip,
	       const struct card_config *config);
void rig_stop(struct rig *rig);

uint32_t rig_rd(struct rig *rig, uint32_t offset);
void rig_wr(struct rig *rig, uint32_t offset, uint32_t value);
void rig_vram_wr(struct rig *rig, uint64_t addr, uint32_t value);
uint32_t rig_vram_rd(struct rig *rig, uint64_t addr);
uint32_t *rig_word(struct rig *rig, uint32_t offset);
uint64_t *rig_quad(struct rig *rig, uint32_t offset);

/* Channels 0 to n - 1, bound, enabled, on the runlist, each in a TSG. */
void rig_channels(struct rig *rig, unsigned int n);
/* The single steps of that. */
void rig_instance(struct rig *rig, unsigned int channel);
void rig_bind(struct rig *rig, unsigned int channel);
void rig_enable(struct rig *rig, unsigned int channel, bool on);
void rig_submit_runlist(struct rig *rig, unsigned int n, bool tsgs);
void rig_preempt(struct rig *rig, unsigned int channel);

/* Write an entry at GP_PUT, unannounced; announce with rig_ring(). */
void rig_entry(struct rig *rig, unsigned int channel, uint64_t entry);
/* Copy words into push-buffer memory and queue them as one segment. */
void rig_segment(struct rig *rig, unsigned int channel, const uint32_t *words,
		 unsigned int n);
void rig_ring(struct rig *rig, unsigned int channel);
uint32_t rig_userd(struct rig *rig, unsigned int channel, uint32_t word);
/* Run until nothing is due; fails the test after a second. */
void rig_settle(struct rig *rig);

/* Events of a kind; the n-th of them, or NULL. */
unsigned int rig_count(const struct rig *rig, enum card_event_kind kind);
const struct card_event *rig_event(const struct rig *rig,
				   enum card_event_kind kind, unsigned int n);
/* Everything was as it should be. */
void rig_no_violation(const struct rig *rig);
/* Exactly this rule was broken, n times. */
void rig_violated(const struct rig *rig, enum card_rule rule, unsigned int n);

/* Headers. */
#define INC(count, subch, method) \
	(1u << 29 | (count) << 16 | (subch) << 13 | (method) >> 2)
#define NON_INC(count, subch, method) \
	(3u << 29 | (count) << 16 | (subch) << 13 | (method) >> 2)
#define ONE_INC(count, subch, method) \
	(5u << 29 | (count) << 16 | (subch) << 13 | (method) >> 2)
#define IMMD(data, subch, method) \
	(4u << 29 | (data) << 16 | (subch) << 13 | (method) >> 2)

#endif
