/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A run of lab 02, from the inside: the address spaces and memories that the
 * driver was told to make, and what they should be.
 */
#ifndef JUDGE_SESSION_VAS_H
#define JUDGE_SESSION_VAS_H

#include "autograder/judge/scenario_ctx.h"
#include "autograder/judge/scenario_vas.h"
#include "autograder/judge/space.h"

#define SESSION_PIECES	20u
/* The test's, then the rings' scratch, then their entries and words. */
#define MEMORY_SCRATCH	MEMORIES
#define MEMORY_RINGS	(MEMORY_SCRATCH + 8)
#define SESSION_MEMORIES (MEMORY_RINGS + 16)

struct session_piece {
	uint64_t addr, size;
	enum scenario_aperture aperture;
};

struct session_memory {
	struct session_piece piece[SESSION_PIECES];
	unsigned int pieces;	/* 0: there is none		*/
	uint64_t size;
	uint8_t *bytes;		/* what it should hold, or NULL: anything */
};

struct session_space {
	bool open;
	uint64_t base, limit, root;
	uint32_t words[4];	/* 128 to 131 of an instance block */
	struct space_map map;
};

/* What became of the accesses of the GPU; counted by host.c. */
struct session_accesses {
	uint64_t copies, faults;
	/* Invalidations that covered the page directory of this root. */
	uint64_t root, forgotten;
	struct card_event fault;	/* the last one	*/
};

/* The unit of GR_CTX_SWITCH: what its driver was asked, what it did. */
struct session_unit {
	struct unit_work batch[UNIT_BATCH];
	uint64_t walks, batches, writes, requests;
	/* A memory that is another's under other addresses: its number + 1. */
	uint8_t alias[SESSION_MEMORIES];
};

struct session_vas {
	struct session_space space[SPACES];
	struct session_memory memory[SESSION_MEMORIES];
	struct {
		unsigned int space;
		uint64_t va;
	} ring[8];
	struct session_accesses done;
	struct session_unit unit;
	bool dirty, slow_invalidation, slow_reads, interrupted;
	bool frozen;		/* invalidations by register	*/
	uint32_t writes;	/* by the GPU, to sign them	*/
};

struct scenario;
struct session_op;

/* memory.c: inside one page, as the card sees it, past all page tables. */
void memory_look(struct scenario *s, const struct session_memory *memory,
		 uint64_t offset, void *buf, size_t len);
void memory_put(struct scenario *s, const struct session_memory *memory,
		uint64_t offset, const void *buf, size_t len);
/* The piece that holds the byte at offset, and its address; or NULL. */
const struct session_piece *memory_at(const struct session_memory *memory,
				      uint64_t offset, uint64_t *addr);
/* Three words of the driver's, aperture, address, size; false: not for a
 * memory like this, with so many bytes to come. */
bool memory_take_piece(struct session_memory *memory, const uint64_t *word,
		       enum scenario_aperture aperture, uint64_t most);
/* Forget one that is gone. */
void memory_forget(struct session_memory *memory);

/* Where an address leads by the tables as they are now. */
struct session_place {
	uint64_t addr;
	unsigned int shift;	/* of the page's size			*/
	unsigned int aperture;	/* as a page-table entry codes it	*/
	uint32_t rights;	/* MAP_READ_ONLY and so on		*/
	bool sparse;
};

/* walk.c; false: nothing is mapped there. */
bool session_walk(struct scenario *s, const struct session_space *space,
		  uint64_t va, struct session_place *place);
unsigned int session_big_shift(const struct scenario *s,
			       const struct session_space *space);
/* Count invalidations that cover this space from now on. */
void session_watch_root(struct scenario *s, unsigned int space);
/* An event of the card. */
void session_access_event(struct scenario *s, const struct card_event *event);

/* contexts.c: a result of the unit's calls; an event of the card; where a
 * page of the process is. */
void session_unit_result(struct scenario *s, struct session_op *op,
			 int64_t result);
void session_unit_event(struct scenario *s, const struct card_event *event);
int session_ats(void *host, uint64_t page, uint64_t *dma);

/* spaces.c: a result came in; hold it against what is mapped. */
void session_space_result(struct scenario *s, struct session_op *op,
			  int64_t result);
/* Let what was posted arrive, and walk. */
void session_check_space(struct scenario *s, unsigned int space, bool widely);
void session_vas_fini(struct scenario *s);

#endif
