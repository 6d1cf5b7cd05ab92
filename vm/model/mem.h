/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Memory as the card reaches it: physical, and through the MMU [§6.4]. */
#ifndef MODEL_MEM_H
#define MODEL_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vm/model/card.h"

/* Memory -------------------------------------------------------------- */

/* As instance blocks, PTEs and most registers code it. */
enum mem_aperture {
	MEM_VRAM = 0,
	MEM_PEER = 1,
	MEM_SYS_COHERENT = 2,
	MEM_SYS_NONCOHERENT = 3,
};

/* On whose behalf the card touches memory; for monitors and reports. */
struct mem_who {
	enum card_dma_why why;
	uint32_t channel;		/* or CARD_NO_CHANNEL */
};

/*
 * Physical memory.  0, or -EFAULT: reads then leave zeroes.  System memory
 * obeys bus mastering and the DMA mask; a refusal has been reported.
 */
int card_mem_read(struct card *card, struct mem_who who,
		  enum mem_aperture aperture, uint64_t addr, void *buf,
		  size_t len);
int card_mem_write(struct card *card, struct mem_who who,
		   enum mem_aperture aperture, uint64_t addr,
		   const void *buf, size_t len);
/*
 * len bytes in place, valid until the next call into the machine or write by
 * the card; NULL when there is no such pointer: then use card_mem_read().
 */
const void *card_mem_peek(struct card *card, struct mem_who who,
			  enum mem_aperture aperture, uint64_t addr,
			  size_t len);
/* One little-endian word; 0 where memory does not answer. */
uint32_t card_mem_rd32(struct card *card, struct mem_who who,
		       enum mem_aperture aperture, uint64_t addr);
uint64_t card_mem_rd64(struct card *card, struct mem_who who,
		       enum mem_aperture aperture, uint64_t addr);
int card_mem_wr32(struct card *card, struct mem_who who,
		  enum mem_aperture aperture, uint64_t addr, uint32_t value);
/* Nobody hears of it: for judges and monitors. */
int card_mem_look(const struct card *card, enum mem_aperture aperture,
		  uint64_t addr, void *buf, size_t len);

/* Video memory without monitors: sparse, reads zero where never written. */
void vram_read(const struct card *card, uint64_t addr, void *buf, size_t len);
void vram_write(struct card *card, uint64_t addr, const void *buf,
		size_t len);
/* Instance blocks of channels lie there, or did: a hint for monitors. */
void vram_mark_instance(struct card *card, uint64_t addr);
bool vram_is_instance(const struct card *card, uint64_t addr);

/* MMU ----------------------------------------------------------------- */

/* An address space, as words 128 to 131 of an instance block say [§8.1]. */
struct mem_space {
	uint64_t root;			/* page directory		*/
	uint64_t limit;			/* last valid address		*/
	enum mem_aperture aperture;	/* of the page directory	*/
	bool valid;
	bool privileged;		/* whoever uses it now is	*/
	bool format2;			/* five levels, else two	*/
	uint8_t big_shift;		/* 16 or 17: format 1		*/
};

/* The codes of the fault registers [§6.4]. */
enum mem_fault_type {
	FAULT_PDE = 0,
	FAULT_PDE_SIZE = 1,
	FAULT_PTE = 2,
	FAULT_VA_LIMIT = 3,
	FAULT_UNBOUND_INST = 4,
	FAULT_PRIVILEGE = 5,
	FAULT_READ_ONLY = 6,
	FAULT_WRITE_ONLY = 7,
	FAULT_APERTURE = 0xa,
	FAULT_KIND = 0xc,
	FAULT_BOTH_PTES = 0xe,		/* format 1 of GM200		*/
};

struct mem_fault {
	uint64_t va;
	enum mem_fault_type type;
	bool write;
};

/* Where a virtual address leads. */
struct mem_place {
	uint64_t addr;
	uint64_t left;		/* bytes from here to the page's end	*/
	uint64_t entry;		/* that says so, or its table, in video
				 * memory; ~0: not all tables were there */
	enum mem_aperture aperture;
	bool read_only, write_only, privileged, is_volatile;
	bool sparse;		/* reads zero, writes vanish		*/
	uint8_t kind;
	uint8_t shift;		/* log2 of the page's size		*/
};

/* Read an instance block's address space; 0, or -EFAULT (reported). */
int card_space_load(struct card *card, struct mem_who who,
		    enum mem_aperture aperture, uint64_t inst,
		    struct mem_space *space);

/* The same from words 128 to 131. */
void card_space_decode(const struct card *card, const uint32_t word[4],
		       struct mem_space *space);

/*
 * 0, or -EFAULT with *fault filled in.  The caller decides what a fault does
 * (host_mmu_fault()) and reports it.
 */
int card_va_translate(struct card *card, struct mem_who who,
		      const struct mem_space *space, uint64_t va, bool write,
		      struct mem_place *place, struct mem_fault *fault);
int card_va_read(struct card *card, struct mem_who who,
		 const struct mem_space *space, uint64_t va, void *buf,
		 size_t len, struct mem_fault *fault);
int card_va_write(struct card *card, struct mem_who who,
		  const struct mem_space *space, uint64_t va,
		  const void *buf, size_t len, struct mem_fault *fault);
/* NULL: a fault, a page boundary in between, or memory without pointers. */
const void *card_va_peek(struct card *card, struct mem_who who,
			 const struct mem_space *space, uint64_t va,
			 size_t len);
/* The same walk, but no TLB, no monitors, no trace, no rights. */
int card_va_look(struct card *card, const struct mem_space *space,
		 uint64_t va, struct mem_place *place);

/* What to forget [§6.5]. */
struct tlb_forget {
	uint64_t root;		/* of this page directory, or ~0: all	*/
	bool in_sysmem;		/* where that directory lies		*/
	bool one_page;
	uint64_t va;		/* … its address			*/
	uint8_t level;		/* 0 all, 1 pages, n directories to n - 2 */
};
void card_tlb_forget(struct card *card, const struct tlb_forget *what);
/* All levels of one page directory in video memory, or of all (~0). */
void card_tlb_invalidate(struct card *card, uint64_t root);
#endif
