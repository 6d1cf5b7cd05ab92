/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The inside of a card: what the files of vm/model share [§2.1].
 *
 * card.h is the outside.  Here: time and timers, memory as the card reaches
 * it, registers and the blocks behind them, interrupts, reports and traces.
 * The second half lists what Host and the copy engines supply.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "vm/model/card.h"
#include "vm/model/chip.h"
#include "vm/model/mem.h"
#include "vm/spec/reg.h"

#define CARD_NO_CHANNEL	(~0u)
#define CARD_NEVER	UINT64_MAX
#define CARD_PAGE	4096u

#define array_size(a)	(sizeof(a) / sizeof((a)[0]))

enum {
	CARD_TIMERS = 256,	/* that may be armed at one time	*/
	CARD_BLOCKS = 48,
	CARD_POSTED = 1024,	/* writes on their way; a power of two	*/
	CARD_LINES = 64,	/* of the BAR1 write path		*/
	CARD_LINE = 64,		/* bytes				*/
	CARD_USERD = 512,	/* bytes of a channel's USERD		*/
	CARD_SLOTS = 16,	/* TLB invalidations that may wait	*/
	CARD_FLUSHES = 5,	/* registers of UFLUSH			*/
};

/* Time ---------------------------------------------------------------- */

/*
 * A timer lies in the structure that it wakes; arming one allocates nothing.
 * Timers that are due at the same time fire in the order they were armed.
 */
struct card_timer {
	uint64_t when, sequence;
	uint32_t slot;			/* place in the heap + 1; 0: idle */
	void (*fn)(struct card *card, void *arg);
	void *arg;
};

void card_timer_init(struct card_timer *timer,
		     void (*fn)(struct card *card, void *arg), void *arg);
/* Arm, or move; a time that has passed means now. */
void card_timer_set(struct card *card, struct card_timer *timer,
		    uint64_t when);
void card_timer_cancel(struct card *card, struct card_timer *timer);

static inline bool card_timer_armed(const struct card_timer *timer)
{
	return timer->slot != 0;
}

/* Registers ------------------------------------------------------------ */

/* A line of the tables, expanded for the chip at hand. */
struct card_reg {
	const struct reg_desc *desc;	/* desc->offset names the register */
	uint32_t fields;		/* bits that any field covers; ~0
					   where no field is given	*/
	const struct card_block *block;	/* that serves it, or NULL	*/
};

/*
 * A block of the register space.  Before a hook runs, the size, the access
 * kind and reserved bits have been checked, the unit is known to be enabled
 * and the plain meaning of the access (store, clear, set) has been applied to
 * the stored word.  A block whose registers are plain has no hooks.
 */
struct card_block {
	const char *name;
	uint32_t first, last;		/* byte offsets, both inside	*/
	uint32_t enable;		/* PMC_ENABLE bits it needs; 0: none */
	/* Finer than that; NULL: the bits decide. */
	bool (*enabled)(struct card *card, uint32_t offset);
	/* `stored` is what would be read; the hook returns the value. */
	uint32_t (*read)(struct card *card, const struct reg_desc *reg,
			 unsigned int index, uint32_t stored);
	/* `value` as the CPU wrote it, `old` the stored word before. */
	void (*write)(struct card *card, const struct reg_desc *reg,
		      unsigned int index, uint32_t value, uint32_t old);
	/* A bit of `enable` changed; `bits` are those that did.  Registers
	 * are at reset values when `on`. */
	void (*reset)(struct card *card, uint32_t bits, bool on);
};

/* The block must live as long as the card; 0 or -ENOSPC. */
int card_block_add(struct card *card, const struct card_block *block);
/* The stored word of a register; NULL where the chip has none. */
uint32_t *card_reg(struct card *card, uint32_t offset);
/* All registers of a range back to their reset values. */
void card_regs_reset(struct card *card, uint32_t first, uint32_t last);

/* Interrupts ----------------------------------------------------------- */

enum { INTR_STALL, INTR_NONSTALL, INTR_TREES };
/* The level of one PMC_INTR bit in one tree. */
void card_intr(struct card *card, unsigned int tree, unsigned int bit,
	       bool level);

/* Reports, traces, chance ---------------------------------------------- */

/*
 * One format for both halves, parted by '|': "below %u|%u" says what was
 * expected and what was seen.
 */
void card_report(struct card *card, enum card_rule rule, uint32_t channel,
		 const char *format, ...)
	__attribute__((format(printf, 4, 5)));

void card_trace_out(struct card *card, enum card_event_kind kind,
		    uint32_t channel, uint64_t a0, uint64_t a1, uint64_t a2,
		    uint64_t a3);

/* Does anybody listen to events of this kind? */
#define card_hears(card, kind) \
	((card)->ops.event && (card)->heard >> (kind) & 1)

/* Nothing is evaluated when no one listens. */
#define card_trace(card, kind, channel, a0, a1, a2, a3) \
	do { \
		if (card_hears(card, kind)) \
			card_trace_out(card, kind, channel, a0, a1, a2, a3); \
	} while (0)

/* 0 to bound, both included. */
uint32_t card_random(struct card *card, uint32_t bound);
/* The same for the n-th of a series of its own, drawn in no order. */
uint32_t card_random_of(const struct card *card, uint64_t n, uint32_t bound);

/* The card ------------------------------------------------------------- */

struct posted {
	uint64_t when, sequence;
	uint64_t offset, value;
	uint8_t region, size;
	bool burst;
};

struct reg_page;
struct vram_page;
struct host;
struct mmu;

struct line {
	uint64_t addr;			/* in video memory		*/
	uint64_t due;			/* when it drains by itself	*/
	uint64_t mask;			/* bytes that are new		*/
	uint8_t data[CARD_LINE];
};

struct bar_window {
	struct card_timer bind;
	struct mem_space space;
	uint64_t inst;
	uint32_t block, next;		/* register now and when bound	*/
	bool virtual;
};

struct card {
	struct card_host_ops ops;
	void *host_machine;		/* the ops' first argument	*/
	uint64_t heard;			/* kinds of events, a bit each	*/
	const struct chip *chip;
	struct card_config config;
	struct card_costs costs;
	bool additions, unplugged, frozen, held;
	int error;			/* of initialisation		*/

	/* time */
	uint64_t now;
	uint64_t limit;			/* how far the run in progress goes */
	uint64_t last_event;
	uint64_t sequence;
	struct card_timer *heap[CARD_TIMERS];
	uint32_t timers;
	uint64_t random[4];

	/* posted writes, in order */
	struct posted *posted;
	uint32_t posted_head, posted_tail;
	uint64_t posted_last;		/* when the youngest arrives	*/
	uint8_t (*burst)[CARD_LINE];	/* one line per posted slot	*/
	uint64_t cpu_last;		/* the CPU's last access	*/

	/* registers */
	struct reg_page **pages;	/* 4096, by offset >> 12	*/
	struct card_reg *regs;		/* one per line of the tables	*/
	const struct card_block *blocks[CARD_BLOCKS];
	uint32_t block_count;
	uint8_t config_space[4096];

	/* interrupts */
	uint32_t intr[INTR_TREES];
	bool intr_out, msi_armed, intx_level;
	uint64_t intr_since, intr_read;	/* it went up; INTR was read	*/
	uint64_t msi_since;		/* the last message left	*/
	struct card_timer msi;

	/* memory */
	struct vram_page ***vram;	/* sparse, two levels		*/
	struct vram_page *vram_last;	/* last one written, or NULL	*/
	uint64_t vram_last_number;
	bool vram_usable;		/* trained, clocked, reachable	*/
	uint64_t vram_fill;		/* what was never written reads as */
	uint64_t tables;		/* counts changes of page tables */
	uint64_t freed_told;		/* that count + 1, of the last report */
	struct mmu *mmu;
	uint64_t walk_time;		/* of walks, not yet paid for, ns */
	struct line *line;		/* the BAR1 write path, a FIFO	*/
	uint32_t line_head, lines;
	bool draining;			/* a line reaches memory now	*/
	struct card_timer line_timer;
	struct bar_window bar1, bar2;
	uint64_t snoop_base, snoop_size;	/* of USERD, in BAR1; or 0 */
	struct card_timer flush[CARD_FLUSHES];
	struct card_timer invalidate;	/* the oldest one is done	*/
	struct tlb_forget invalidate_what[CARD_SLOTS];
	uint32_t invalidate_head, invalidates;
	bool invalidate_frozen;
	bool pdb_named;			/* … and not triggered yet	*/
	uint64_t mmu_dice;		/* invalidations that drew a delay */

	/* units */
	int64_t ptimer_offset;
	struct card_timer alarm, countdown;
	uint64_t sensor_since;		/* GM200: sensor set up, or never */
	int32_t millidegrees;

	struct ctx *ctx;		/* GR_CTX_SWITCH, or NULL	*/
	struct host *host;		/* Host's and the engines' state */
};

/*
 * May whoever runs at card->now go on at `when` at once, because nothing else
 * is due before?  Then time moves there.  Spares the heap in hot loops.
 */
static inline bool card_go_on(struct card *card, uint64_t when)
{
	uint64_t next = card->limit;

	if (card->timers && card->heap[0]->when <= next)
		next = card->heap[0]->when - 1;
	if (card->posted_head != card->posted_tail) {
		const struct posted *first =
			&card->posted[card->posted_head & (CARD_POSTED - 1)];

		if (first->when <= next)
			next = first->when - 1;
	}
	if (when > next)
		return false;
	card->now = when;
	return true;
}

/*
 * Changes when any translation may have changed: whoever keeps one in hand
 * asks again.  The TLB answers, stale or not.
 */
static inline uint64_t card_mmu_generation(const struct card *card)
{
	return card->tables;
}

/*
 * The time that walks took since somebody asked last, ns: whoever made the
 * card walk adds it to his own.
 */
static inline uint64_t card_walk_time(struct card *card)
{
	uint64_t time = card->walk_time;

	if (time)
		card->walk_time = 0;
	return time;
}

/* Is DMA possible at all: plugged in, bus master on. */
bool card_may_dma(const struct card *card);

/*
 * Supplied by Host [§7] -----------------------------------------------
 */

/* Adds its blocks, allocates card->host.  0 or -errno. */
int host_init(struct card *card);
void host_fini(struct card *card);
/* Bus reset: forget all. */
void host_reset(struct card *card);
/*
 * A CPU write through BAR1 arrived inside the snooped window: offset is
 * relative to the window, the word lies at addr, and is in memory already.
 */
void host_userd_write(struct card *card, uint64_t offset,
		      enum mem_aperture aperture, uint64_t addr,
		      uint32_t value);
/* A CPU write through BAR1 to video memory arrived, not inside the window. */
void host_vram_write(struct card *card, uint64_t addr, size_t len);
/* … to what may be an instance block, by any window. */
void host_instance_write(struct card *card, uint64_t addr, size_t len);
/* An MMU client other than Host met a fault (BAR1 4, BAR2 5). */
void host_mmu_fault(struct card *card, unsigned int mmu_engine,
		    uint64_t inst, const struct mem_fault *fault);
/* card.h, of the same meaning. */
void host_cpu_store(struct card *card, uint64_t addr, size_t len);
bool host_channel(const struct card *card, uint32_t channel,
		  struct card_channel_state *state);
/* A space with this page directory that is in use by a bound channel. */
const struct mem_space *host_space_of(const struct card *card, uint64_t root,
				      enum mem_aperture aperture);
/* The address space of a channel that was loaded once; false: none. */
bool host_channel_space(const struct card *card, uint32_t channel,
			struct mem_space *space);
void host_freeze(struct card *card, bool frozen);
/* The card left the bus: stop. */
void host_unplug(struct card *card);
void host_audit(struct card *card);

/*
 * Supplied by the copy engines [§10]; called by host_init() and friends.
 */
int ce_init(struct card *card);
void ce_fini(struct card *card);
void ce_reset(struct card *card, unsigned int instance);

#include "vm/model/parts.h"

#endif
