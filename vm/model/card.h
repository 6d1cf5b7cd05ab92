/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The card, as a machine sees it [§2].
 *
 * A card is a value: no globals, no threads, no clock of the host.  The same
 * configuration and the same calls give the same trace to the byte.  A card
 * is not thread safe; whoever owns it serialises the calls.
 */
#ifndef MODEL_CARD_H
#define MODEL_CARD_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct card;

/* The three cards [§1.1]. */
enum card_chip { CARD_P100, CARD_P40, CARD_M40, CARD_CHIPS };

/* Where a CPU access lands.  BAR3 is what the hardware calls BAR2. */
enum card_region {
	CARD_CONFIG,	/* PCI configuration space, 4 KiB	*/
	CARD_BAR0,	/* registers, 16 MiB			*/
	CARD_BAR1,	/* window into GPU memory		*/
	CARD_BAR3,	/* window for instance memory, 32 MiB	*/
	CARD_REGIONS
};

/* Why the card reads or writes system memory; tells monitors what a stale
 * word would mean. */
enum card_dma_why {
	CARD_DMA_GP_ENTRY,	/* Host fetches GP entries		*/
	CARD_DMA_PUSHBUFFER,	/* Host fetches a push-buffer segment	*/
	CARD_DMA_SEMAPHORE,	/* Host or an engine, semaphore		*/
	CARD_DMA_COPY,		/* a copy engine moves data		*/
	CARD_DMA_INSTANCE,	/* instance block, runlist, USERD	*/
	CARD_DMA_PAGE_TABLE,	/* the MMU walks			*/
};

/* Every rule a driver can break: vm/spec/rules.def [§11]. */
enum card_rule {
#define RULE(name, section, text)	name,
#include "../spec/rules.def"
#undef RULE
	CARD_RULES
};

/* What the card does, for traces and verdicts: vm/spec/events.def. */
enum card_event_kind {
#define EVENT(name, format)	name,
#include "../spec/events.def"
#undef EVENT
	CARD_EVENTS
};

/* One thing that the card did or saw. */
struct card_event {
	uint64_t time;		/* virtual ns					*/
	enum card_event_kind kind;
	uint32_t channel;	/* channel id, or ~0 where none applies	*/
	uint64_t arg[4];	/* what the event's format says		*/
};

/* A broken rule.  The strings live until the callback returns. */
struct card_violation {
	uint64_t time;
	enum card_rule rule;
	uint32_t channel;	/* or ~0					*/
	const char *expected, *actual;
};

/*
 * What a card needs of the machine it sits in.  Callbacks run inside card_*
 * calls and must not call back into the same card.
 */
struct card_host_ops {
	/* Bus-master read and write; 0, or -EFAULT where the IOMMU refuses. */
	int (*dma_read)(void *host, enum card_dma_why why, uint64_t addr,
			void *buf, size_t len);
	int (*dma_write)(void *host, enum card_dma_why why, uint64_t addr,
			 const void *buf, size_t len);
	/*
	 * Optional fast path: a pointer to len bytes at addr that stays valid
	 * until the next card_* call, or NULL.
	 */
	const void *(*dma_peek)(void *host, enum card_dma_why why,
				uint64_t addr, size_t len);
	/* An MSI message left the card, or INTx changed level. */
	void (*interrupt)(void *host, bool level);
	/* Optional: where a process's page is, by ATS [§12.4]; 0, -EFAULT. */
	int (*ats)(void *host, uint64_t page, uint64_t *dma);
	/* Optional: every event, every broken rule. */
	void (*event)(void *host, const struct card_event *event);
	void (*violation)(void *host, const struct card_violation *violation);
};

/* Costs of the timing table [§2.3], in ns; card_costs_default() fills in
 * the documented values. */
struct card_costs {
	uint32_t write_cpu;	/* CPU time of a posted write		*/
	uint32_t write_arrive;	/* until it reaches the card		*/
	uint32_t write_jitter;	/* seeded extra delay, 0 to this	*/
	uint32_t read;		/* read round trip			*/
	uint32_t gp_fetch;	/* fetch of a batch of GP entries	*/
	uint32_t pb_fetch;	/* fetch of a segment, fixed part	*/
	uint32_t pb_word;	/* … and per word			*/
	uint32_t host_jitter;	/* seeded delay before Host acts	*/
	uint32_t method;	/* one Host method			*/
	uint32_t semaphore;	/* release or acquire, memory part	*/
	uint32_t interrupt;	/* from cause to the CPU's handler	*/
	uint32_t cstate_exit;	/* added to a write by an idle CPU	*/
	uint32_t copy_start;	/* copy engine, fixed part		*/
	uint32_t copy_bytes_per_us;
	uint32_t runlist;	/* load of a runlist			*/
	uint32_t preempt;	/* channel off its PBDMA		*/
	uint32_t flush;		/* UFLUSH, a memory operation		*/
	uint32_t walk_level;	/* one level of a page-table walk	*/
	uint32_t tlb_flush;	/* TLB invalidation, fixed part		*/
	uint32_t tlb_jitter;	/* … by register: seeded, 0 to this	*/
	uint32_t ctx_switch;	/* GR_CTX_SWITCH, fixed part		*/
	uint32_t ctx_page;	/* … a page written, or cleaned		*/
	uint32_t ats;		/* an ATS request			*/
};

/* What a card is made from; all zero is a P100 with additions. */
struct card_config {
	enum card_chip chip;
	uint64_t seed;		/* of all delays			*/
	bool no_additions;	/* the documented card and nothing else	*/
	bool unposted;		/* devinit has not run			*/
	uint64_t vram_fill;	/* not 0: as card_vram_fill()		*/
	struct card_costs costs;	/* all zero: the defaults	*/
};

/* Fill in the documented costs [§2.3]. */
void card_costs_default(struct card_costs *costs);

/* NULL when memory is short or the configuration impossible. */
struct card *card_new(const struct card_config *config,
		      const struct card_host_ops *ops, void *host);
void card_free(struct card *card);
/* As after a bus reset: registers at reset values, work and memory lost. */
void card_reset(struct card *card);

/* Bytes that a region has on this chip. */
uint64_t card_region_size(const struct card *card, enum card_region region);

/*
 * CPU accesses.  size is 1, 2, 4 or 8, offset a multiple of it; anything
 * else reads all ones, is dropped on write, and is reported.  A write is
 * posted: it costs the CPU write_cpu and arrives later, in order.  A read
 * first lets every earlier posted write arrive, then costs a round trip.
 */
uint64_t card_read(struct card *card, enum card_region region,
		   uint64_t offset, unsigned int size);
void card_write(struct card *card, enum card_region region, uint64_t offset,
		unsigned int size, uint64_t value);
/* The same for a burst (write combining, memcpy_toio): len a multiple of 4,
 * one posted write per 64-byte line. */
void card_write_burst(struct card *card, enum card_region region,
		      uint64_t offset, const void *data, size_t len);

/*
 * Tell the card that a CPU store was issued to system memory at this DMA
 * address, visible or not: for the monitors that watch who overwrites what
 * the card still needs.  Optional.
 */
void card_cpu_store(struct card *card, uint64_t addr, size_t len);
/*
 * Tell the card that system memory at this DMA address is given back: a
 * monitor knows whether Host still needs it.  Optional; call it before the
 * memory goes.
 */
void card_dma_freed(struct card *card, uint64_t addr, size_t len);
/*
 * The same for video memory that was a page table or a page directory: a
 * monitor looks whether anything still leads there or remembers it [§6.5].
 */
void card_table_freed(struct card *card, uint64_t addr, uint64_t size);

/* Virtual time, ns. */
uint64_t card_now(const struct card *card);
/* Run everything due in the next ns nanoseconds. */
void card_advance(struct card *card, uint64_t ns);
/* When the next event is due, or UINT64_MAX if the card is at rest. */
uint64_t card_next_event(const struct card *card);
/* When the last one was. */
uint64_t card_last_event(const struct card *card);
/* Jump to the next event, at most to deadline; false: nothing before it. */
bool card_step(struct card *card, uint64_t deadline);

/* Fault injection: pull the card out, stop Host from moving, and back. */
void card_unplug(struct card *card);
void card_freeze_host(struct card *card, bool frozen);
/* … or invalidations by register from coming to their end [§6.5]. */
void card_freeze_tlb(struct card *card, bool frozen);
/*
 * While it is held, time stands still: accesses take none, CPU writes arrive
 * at once, and nothing happens that the card has planned.  For a machine that
 * cannot answer the card's DMA while it waits for a read of its own.
 */
void card_hold(struct card *card, bool held);

/* What a judge may hold a driver's answers against [§8]. */
struct card_channel_state {
	bool bound, enabled, idle;
	uint32_t gp_get, gp_put, gp_entries;
	uint64_t pb_get;	/* GPU virtual				*/
};
/* False when no such channel is bound. */
bool card_channel(const struct card *card, uint32_t channel,
		  struct card_channel_state *state);
/* The unit of GR_CTX_SWITCH [§12.3]: pages that a page directory has dirty,
 * or all of them (root = ~0); the page directory that is current, or false. */
uint32_t card_dirty_pages(const struct card *card, uint64_t root);
bool card_current_context(const struct card *card, uint64_t *root);
/* GPU virtual memory of a channel, as the card sees it; 0 or -EFAULT. */
int card_peek_va(struct card *card, uint32_t channel, uint64_t va, void *buf,
		 size_t len);

/* Where a page table leads [§6.4]. */
struct card_place {
	uint64_t addr;
	unsigned int aperture;	/* 0 video memory; 2, 3 system memory	*/
	unsigned int page_shift;
	bool read_only, write_only, is_volatile, privileged;
	bool sparse;		/* nothing is there: no address		*/
	unsigned int fault;	/* with -EFAULT: type of [§7.4]		*/
};
/*
 * What a walk finds now, without TLB, costs, monitors or trace.  aperture is
 * that of the page directory; big_shift, 16 or 17, is for format 1.
 * 0 or -EFAULT.
 */
int card_translate(struct card *card, uint64_t root, unsigned int aperture,
		   bool format2, unsigned int big_shift, uint64_t va,
		   struct card_place *place);

/* What the MMU did since the card was made or reset [§6.5]. */
struct card_tlb_stats {
	uint64_t hits, misses;	/* translations; a miss is a walk	*/
	uint64_t entries_read;	/* by walks, from memory		*/
	uint64_t levels_saved;	/* directory entries at hand		*/
	uint64_t invalidations;
};
/* A copy of it. */
void card_tlb_stats(const struct card *card, struct card_tlb_stats *stats);
/*
 * From now on video memory that nobody has written reads as page-table
 * entries that look valid and lead anywhere, instead of zero: as memory of
 * another user's might [§6.4].  The seed decides where to; 0: zero again.
 */
void card_vram_fill(struct card *card, uint64_t seed);

/*
 * Which events ops.event hears, a bit for each kind; all, unless told.  The
 * others cost nothing: for long campaigns that count what the card did.
 */
void card_listen(struct card *card, uint64_t kinds);
/* At the end of a run: report work still pending, memory still in use. */
void card_audit(struct card *card);

/* Names for traces. */
const char *card_rule_name(enum card_rule rule);
const char *card_rule_section(enum card_rule rule);
const char *card_rule_text(enum card_rule rule);
/* The register's name at a BAR0 offset, or NULL. */
const char *card_register_name(const struct card *card, uint64_t offset);
/* One line, as snprintf would. */
int card_event_print(const struct card *card, const struct card_event *event,
		     char *buf, size_t len);

#endif
