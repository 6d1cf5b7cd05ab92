/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The unit whose context a driver switches, a course addition [§12.3]. */
#ifndef MODEL_CTX_H
#define MODEL_CTX_H

#include "vm/model/mmu.h"

enum {
	CTX_TLB = 1024,		/* translations				*/
	CTX_WAYS = 4,		/* … that a page may lie in		*/
	CTX_DIRTY = 1024,	/* pages that may wait to be written	*/
	CTX_QUEUE = 8,		/* commands and work, in order		*/
	CTX_BLOCKS = 1024,	/* of a batch				*/
	CTX_BLOCK_WORDS = 16,
};

/* One block of a batch; registers that are taken one by one have the same
 * order [§12.3]. */
enum ctx_word {
	CTX_PDB_LO, CTX_PDB_HI, CTX_LIMIT_LO, CTX_LIMIT_HI, CTX_TAG,
	CTX_COMMAND, CTX_WORK_LO, CTX_WORK_HI, CTX_WORK_DATA, CTX_WORK_PAGES,
};

struct ctx_item {
	uint32_t word[CTX_BLOCK_WORDS];
	bool is_work;		/* else a command */
};

/* A translation of the unit's own TLB. */
struct ctx_entry {
	bool valid;
	uint16_t tag;
	uint64_t page, root;
	uint64_t table_addr;		/* as the tables have it	*/
	uint64_t checked;		/* card->tables when last seen	*/
	struct mem_place place;		/* where ATS says it is		*/
};

/* A page that was written, and is not in memory yet. */
struct ctx_dirty {
	uint64_t page, root;
	enum mem_aperture aperture;
	uint64_t addr;
	uint32_t data;
};

struct ctx {
	struct mem_space space;		/* the current context's	*/
	uint16_t tag;
	struct card_timer timer;	/* the next step		*/
	struct ctx_item queue[CTX_QUEUE];
	uint32_t head, count;
	bool switching;			/* the first item is being done */
	/* the work in hand */
	uint64_t va;
	uint32_t left, done, walks, data;
	/* a batch */
	uint32_t block[CTX_BLOCKS * CTX_BLOCK_WORDS];
	uint32_t blocks, next;

	struct ctx_entry tlb[CTX_TLB];
	uint32_t victim;
	struct ctx_dirty dirty[CTX_DIRTY];
	uint32_t dirty_count;
	uint32_t ats_state;
};

/* ctx.c: the unit's timer; a command at once; all work dropped. */
void ctx_step(struct card *card, void *arg);
void ctx_command(struct card *card, const struct ctx_item *item);
void ctx_drop(struct card *card);
/* The current context's, while there is something to do; or NULL. */
const struct mem_space *ctx_space_at_work(const struct card *card);

/* ctx_tlb.c: where a page of the current context is, and what that took.
 * 0, or -EFAULT and the fault. */
int ctx_translate(struct card *card, uint64_t va, struct mem_place *place,
		  uint64_t *cost, struct mem_fault *fault);
void ctx_tlb_flush(struct ctx *ctx);
void ctx_tlb_flush_tag(struct ctx *ctx, uint16_t tag);
/* Hold a word back until it is cleaned. */
void ctx_dirty_add(struct card *card, uint64_t va,
		   const struct mem_place *place, uint32_t data);
/* Write back what this page directory has dirty; how many pages. */
uint32_t ctx_clean(struct card *card, uint64_t root);
uint32_t ctx_dirty_of(const struct ctx *ctx, uint64_t root);

/* ats.c */
void ats_ask(struct card *card, bool on);
/* System memory at a process's address; 0 or -EFAULT. */
int ats_translate(struct card *card, uint64_t addr, uint64_t *translated,
		  uint64_t *cost);

#endif
