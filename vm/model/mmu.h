/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Between the walker (mmu.c, mmu1.c, mmu2.c), what remembers its results
 * (walkcache.c, tlb.c) and what watches the tables (tables.c) [§6.4], [§6.5].
 *
 * Levels count as CACHE_LEVEL does: PDE0 is the directory whose entries name
 * tables of pages, PDE3 the root of format 2.  Format 1 has PDE0 alone.
 */
#ifndef MODEL_MMU_H
#define MODEL_MMU_H

#include "vm/model/model.h"

enum {
	MMU_LEVELS = 4,		/* directories, PDE0 to PDE3		*/
	MMU_TLB = 1024,		/* entries; a power of two		*/
	MMU_WALKS = 256,	/* of the walk cache, each level; the same */
};

/* What a step of the walk found; otherwise an enum mem_fault_type. */
enum { WALK_MAPPED = -1, WALK_UNMAPPED = -2 };

/* A directory entry that a walk went through. */
struct walk_step {
	uint64_t table;			/* that it lies in		*/
	enum mem_aperture aperture;
	uint64_t entry[2];
	bool seen;
};

struct walk {
	struct card *card;
	struct mem_who who;
	const struct mem_space *space;
	uint64_t va;
	bool quiet;		/* no cache, monitors, trace or marks	*/
	bool in_sysmem;		/* a table was there			*/
	bool unread;		/* memory did not answer: reported	*/
	unsigned int reads;	/* entries from memory			*/
	struct walked *from;	/* the remembered entry it began at	*/
	struct walk_step step[MMU_LEVELS];
	uint64_t leaf;			/* of the last entry it read	*/
	struct mem_place *place;
};

/* A directory entry that is remembered. */
struct walked {
	bool valid, told, in_sysmem, root_in_sysmem, format2;
	uint8_t shift;
	uint64_t root, tag;		/* tag: va >> shift		*/
	uint64_t entry[2];
	uint64_t checked;		/* card->tables when last seen	*/
};

struct tlb_entry {
	bool valid, told, in_sysmem, root_in_sysmem;
	uint8_t shift;
	uint64_t root, tag;		/* tag: va >> shift		*/
	uint64_t checked;		/* card->tables when last seen	*/
	struct mem_place page;		/* its first byte		*/
};

struct mmu {
	struct tlb_entry tlb[MMU_TLB];
	uint32_t shifts;		/* page sizes that tlb may hold	*/
	struct walked walked[MMU_LEVELS][MMU_WALKS];
	struct card_tlb_stats stats;
};

/* How far to the right an entry's index begins. */
unsigned int mmu_shift(const struct mem_space *space, unsigned int level);
/* A directory codes memory as 1, 2, 3 where a page's entry says 0, 2, 3. */
static inline enum mem_aperture mmu_pde_aperture(uint64_t code)
{
	return code == 1 ? MEM_VRAM : (enum mem_aperture)code;
}

static inline bool mmu_in_sysmem(const struct mem_space *space)
{
	return space->aperture != MEM_VRAM;
}

/* mmu.c: for the formats */
uint64_t walk_read(struct walk *w, enum mem_aperture aperture, uint64_t addr);
void walk_page(struct walk *w, uint64_t base, unsigned int shift,
	       uint64_t aperture);
void walk_sparse(struct walk *w, unsigned int shift);
/* The deepest directory entry that is remembered, or the number of levels
 * and none. */
unsigned int walk_begin(struct walk *w, unsigned int levels,
			uint64_t entry[2]);
/* The entry of a level, of one or two words, from the table. */
void walk_directory(struct walk *w, unsigned int level,
		    enum mem_aperture aperture, uint64_t table,
		    unsigned int words, uint64_t entry[2]);
/* The entry names a table: remember it. */
void walk_keep(struct walk *w, unsigned int level, const uint64_t entry[2]);

/* mmu1.c, mmu2.c */
int mmu_walk_1(struct walk *w);
int mmu_walk_2(struct walk *w);

/*
 * Walk.  0, or -EFAULT with *fault's type; rights are not looked at.
 * *in_sysmem: a table lies where the card does not see who changes it.
 */
int mmu_walk(struct card *card, struct mem_who who,
	     const struct mem_space *space, uint64_t va,
	     struct mem_place *place, enum mem_fault_type *type,
	     bool *in_sysmem);
/* Without anybody noticing; the steps are in *w. */
int mmu_look(struct card *card, const struct mem_space *space, uint64_t va,
	     struct walk *w, struct mem_place *place,
	     enum mem_fault_type *type);

/* walkcache.c */
struct walked *walked_find(struct walk *w, unsigned int level);
void walked_keep(struct walk *w, unsigned int level,
		 const uint64_t entry[2]);
void walked_forget(struct card *card, const struct tlb_forget *what);
/* A walk that began at w->from is done: was that still so? */
void walked_check(struct walk *w, int result);

/* tables.c */
/* A walk read an entry of this level (-1: a page's) at addr. */
void tables_mark(struct walk *w, int level, uint64_t table, uint64_t addr);
/* The page directory of a space that is loaded. */
void tables_root(struct card *card, const struct mem_space *space);
/* The first (0) or second (1) table that a directory's entry of one or two
 * words names in video memory. */
#define TABLES_NONE	(~0ULL)
uint64_t tables_named(const struct mem_space *space, unsigned int level,
		      const uint64_t entry[2], unsigned int which);

#endif
