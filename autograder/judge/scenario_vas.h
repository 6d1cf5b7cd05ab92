/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The language in which tests of address spaces are written; it continues
 * scenario.h.
 *
 * Address spaces and memories have numbers.  Every memory is signed: each of
 * its words says which memory it belongs to and where in it it lies, so a
 * page that is not the right one is seen.
 *
 * Always on: the answer of each call agrees with what is mapped; and after
 * each call, failed or not, the card's own walk of the tables finds every
 * page that should be there, with its rights, and none just beside.  Where
 * tables lie, which pages are large, which address is chosen: the driver's
 * business, unless a test asks for a page size.
 */
#ifndef JUDGE_SCENARIO_VAS_H
#define JUDGE_SCENARIO_VAS_H

#include "autograder/judge/scenario.h"

#define SPACES		32u
#define MEMORIES	24u	/* of a test's own		*/

#define KIB		((uint64_t)1024)
#define MIB		(1024 * KIB)
#define GIB		(1024 * MIB)
#define PAGE		((uint64_t)4096)

/* As in gpu.h and vas.h of the driver. */
enum scenario_aperture { APERTURE_VRAM, APERTURE_COHERENT, APERTURE_COMBINED };
#define MAP_READ_ONLY	1u
#define MAP_VOLATILE	2u
#define MAP_PRIVILEGED	4u
#define MAP_FIXED	8u
#define MAP_REPLACE	16u
#define PAGES_4K	12u
#define PAGES_64K	16u
#define PAGES_128K	17u
#define PAGES_2M	21u
#define ALL_SPACES	UINT64_MAX

/* Pages beyond 4 KiB: the shift of big ones, which on the M40 the driver
 * chooses (of space 0), and whether there are some of 2 MiB. */
unsigned int big_shift(const struct scenario *s);
bool has_huge_pages(const struct scenario *s);

/* Before driver_open(): video memory holds what looks like valid entries. */
void use_dirty_memory(struct scenario *s);
/* Before driver_open(): a card that takes long to forget translations. */
void use_slow_invalidation(struct scenario *s);
/* Before driver_open(): reads that take so long that polls are few. */
void use_slow_reads(struct scenario *s);
/* Before driver_open(): a CPU that is interrupted after each write to the
 * card: what was written is in memory [§4.4] before the next write. */
void use_interrupted_cpu(struct scenario *s);
/* Steps of the driver's code that the last call took. */
uint64_t steps(const struct scenario *s);

/* --- memory ---------------------------------------------------------- */

/* In pieces of so many bytes, which do not adjoin; 0: one piece. */
void memory_new(struct scenario *s, unsigned int memory, uint64_t size,
		enum scenario_aperture aperture, uint64_t piece);
void memory_free(struct scenario *s, unsigned int memory);
/* So much of the beginning of video memory is this one's, not signed: what is
 * allocated from now on lies above. */
void memory_fill(struct scenario *s, unsigned int memory, uint64_t size);
/* It holds what it was signed with and what the GPU wrote; else the GPU has
 * written where it should not. */
void expect_intact(struct scenario *s, unsigned int memory);

/* --- address spaces -------------------------------------------------- */

void space_open(struct scenario *s, unsigned int space, uint64_t base,
		uint64_t limit);
int64_t space_try_open(struct scenario *s, unsigned int space, uint64_t base,
		       uint64_t limit);
void space_close(struct scenario *s, unsigned int space);
/* Bytes in tables. */
uint64_t table_bytes(struct scenario *s, unsigned int space);

struct mapping {
	uint64_t va, size;
	unsigned int memory;
	uint64_t offset;
	uint32_t flags, shift;
	bool anywhere;		/* without MAP_FIXED	*/
};

/* MAP(.va = 0x10000, .size = PAGE, .memory = 1) */
#define MAP(...) (&(const struct mapping){ __VA_ARGS__ })

/* Success is insisted on; the address. */
uint64_t space_map(struct scenario *s, unsigned int space,
		   const struct mapping *mapping);
int64_t space_try_map(struct scenario *s, unsigned int space,
		      const struct mapping *mapping);
void space_unmap(struct scenario *s, unsigned int space, uint64_t va,
		 uint64_t size);
int64_t space_try_unmap(struct scenario *s, unsigned int space, uint64_t va,
			uint64_t size);

/* Every page, and every page near one, is what it should be. */
void expect_space(struct scenario *s, unsigned int space);
/* Pages of this size are used there. */
void expect_pages(struct scenario *s, unsigned int space, uint64_t va,
		  uint64_t size, unsigned int shift);

/* --- threads --------------------------------------------------------- */

/* Any call of three arguments; its outputs are lost. */
void thread_call(struct scenario *s, unsigned int thread, enum wire_call what,
		 uint64_t a, uint64_t b, uint64_t c);
void thread_map(struct scenario *s, unsigned int thread, unsigned int space,
		const struct mapping *mapping);
void thread_unmap(struct scenario *s, unsigned int thread,
		  unsigned int space, uint64_t va, uint64_t size);
void thread_copy(struct scenario *s, unsigned int thread, unsigned int ring,
		 uint64_t from, uint64_t to, uint64_t size);
void thread_wait_idle(struct scenario *s, unsigned int thread,
		      unsigned int ring);

/* --- the GPU at work ------------------------------------------------- */

/*
 * A ring whose channel uses the space: its memory lies at va, and behind it,
 * at va + 1 MiB, 64 KiB for accesses to go through.
 */
void ring_open_in(struct scenario *s, unsigned int ring, unsigned int space,
		  uint64_t va, bool privileged);
uint64_t ring_scratch(struct scenario *s, unsigned int ring);

/* The GPU reads all of it, and finds the right pages. */
void gpu_reads(struct scenario *s, unsigned int ring, uint64_t va,
	       uint64_t size);
/*
 * It begins to read so many times, and goes on while the test does: a page
 * anywhere in the size bytes, which do not cross 4 GiB.  Before each the ring,
 * a privileged one, has the card forget everything: it walks anew.
 */
void gpu_walks(struct scenario *s, unsigned int ring, uint64_t va,
	       uint64_t size, unsigned int count);
/* It writes all of it: the right pages have it, and no others. */
void gpu_writes(struct scenario *s, unsigned int ring, uint64_t va,
		uint64_t size);
/* The access does not happen, and ends the channel. */
void gpu_read_faults(struct scenario *s, unsigned int ring, uint64_t va);
void gpu_write_faults(struct scenario *s, unsigned int ring, uint64_t va);
/* What the ring's scratch memory holds is this part of the space. */
void expect_scratch(struct scenario *s, unsigned int ring, unsigned int space,
		    uint64_t va, uint64_t size);

/* --- the TLB --------------------------------------------------------- */

/* Through registers; ALL_SPACES: all. */
void tlb_invalidate(struct scenario *s, unsigned int space);
/* By methods of a privileged channel. */
void gpu_invalidates(struct scenario *s, unsigned int ring,
		     unsigned int space);

#endif
