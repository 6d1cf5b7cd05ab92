/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A card's memory, with a way back.
 *
 * Blocks come from one range of addresses by size classes, four to an octave;
 * what is given back is kept for its class.  The bookkeeping lies in the
 * range as well.
 *
 * The way back is made of pages.  arena_begin() takes the right to write away
 * from all of them.  The first write to a page faults, the handler keeps a
 * copy of it and gives the right back.  To undo is to copy the pages back.
 * The next begin takes the right away from these pages only: what it costs
 * is a few microseconds for each page that is touched, however large the
 * arena is, and nothing while nobody asks for it.
 *
 * Why all this: a card does what it does in one go, and cannot stop in the
 * middle to wait for memory that only its client can read (trial.c).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "vm/server/arena.h"

#define PAGE		4096ul
#define STEP		(4ul << 20)	/* the range grows by this	*/
#define RANGE		(64ul << 30)	/* more than any card has	*/
#define PAGES		4096		/* that can be undone		*/
#define CLASSES		160
#define ALIGNED		16

struct block {
	uint32_t class;
	struct block *next;		/* in its class, when free	*/
};

/* The head of the range. */
struct head {
	size_t top;			/* the first byte never given out */
	struct block *free[CLASSES];
};

static struct {
	uint8_t *base;			/* NULL: not made yet		*/
	size_t usable;			/* bytes that can be read	*/
	size_t touched;			/* beyond here all is zero	*/
	size_t guarded;			/* bytes that may be protected	*/
	uint8_t *page[PAGES];		/* of these, which are not	*/
	size_t pages;
	uint8_t *copy;			/* what was in them		*/
	bool remembers, overflow;
} arena;

static struct head *head(void)
{
	return (struct head *)arena.base;
}

static int make(void)
{
	uint8_t *base = mmap(NULL, RANGE, PROT_NONE, MAP_PRIVATE |
			     MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (base == MAP_FAILED)
		return -ENOMEM;
	if (mprotect(base, STEP, PROT_READ | PROT_WRITE)) {
		munmap(base, RANGE);
		return -ENOMEM;
	}
	arena.base = base;
	arena.usable = STEP;
	arena.touched = sizeof(struct head);
	head()->top = (sizeof(struct head) + ALIGNED - 1) & ~(ALIGNED - 1ul);
	return 0;
}

/* The class of a size, and what a block of it holds. */
static uint32_t class_of(size_t size, size_t *room)
{
	uint32_t octave, class;
	size_t quarter;

	if (size < 4 * ALIGNED) {
		class = (size + ALIGNED - 1) / ALIGNED;
		*room = class * ALIGNED;
		return class;
	}
	octave = 63 - __builtin_clzl(size - 1);
	quarter = 1ul << (octave - 2);
	class = (size + quarter - 1) / quarter;
	*room = class * quarter;
	return octave * 4 + class - 4;
}

static bool grow(size_t top)
{
	size_t usable = (top + STEP - 1) / STEP * STEP;

	if (top > RANGE)
		return false;
	if (usable <= arena.usable)
		return true;
	if (mprotect(arena.base + arena.usable, usable - arena.usable,
		     PROT_READ | PROT_WRITE))
		return false;
	arena.usable = usable;
	return true;
}

static void *fresh(uint32_t class, size_t room)
{
	size_t at = head()->top, end = at + ALIGNED + room;
	struct block *block;

	if (!grow(end))
		return NULL;
	head()->top = end;
	/* what was undone may have been here, and is not zero */
	if (at < arena.touched)
		memset(arena.base + at, 0,
		       (end < arena.touched ? end : arena.touched) - at);
	if (end > arena.touched)
		arena.touched = end;
	block = (struct block *)(arena.base + at);
	block->class = class;
	return (uint8_t *)block + ALIGNED;
}

/* A block; *zero where it is known to be. */
static void *take(size_t size, size_t *room, bool *zero)
{
	struct block *block;
	uint32_t class;

	*zero = false;
	if (size > RANGE / 2 || (!arena.base && make()))
		return NULL;
	class = class_of(size, room);
	block = head()->free[class];
	if (!block) {
		*zero = true;
		return fresh(class, *room);
	}
	head()->free[class] = block->next;
	return (uint8_t *)block + ALIGNED;
}

void *arena_malloc(size_t size)
{
	size_t room;
	bool zero;

	return take(size, &room, &zero);
}

void *arena_calloc(size_t n, size_t size)
{
	size_t bytes, room;
	bool zero;
	void *block;

	if (__builtin_mul_overflow(n, size, &bytes))
		return NULL;
	block = take(bytes, &room, &zero);
	if (block && !zero)
		memset(block, 0, room);
	return block;
}

void arena_free(void *at)
{
	struct block *block;

	if (!at)
		return;
	block = (struct block *)((uint8_t *)at - ALIGNED);
	block->next = head()->free[block->class];
	head()->free[block->class] = block;
}

/* What a block of a class holds. */
static size_t room_of(uint32_t class)
{
	uint32_t octave = (class - 1) / 4;

	if (class <= 4)
		return class * ALIGNED;
	return (size_t)(class - 4 * octave + 4) << (octave - 2);
}

void *arena_realloc(void *at, size_t size)
{
	size_t old;
	void *new;

	if (!at)
		return arena_malloc(size);
	old = room_of(((struct block *)((uint8_t *)at - ALIGNED))->class);
	if (size <= old)
		return at;
	new = arena_malloc(size);
	if (!new)
		return NULL;
	memcpy(new, at, old);
	arena_free(at);
	return new;
}

/* The way back ------------------------------------------------------------ */

/* Too many pages are written: protect none any more. */
static void give_up(void)
{
	mprotect(arena.base, arena.guarded, PROT_READ | PROT_WRITE);
	arena.guarded = 0;
	arena.overflow = true;
}

/* A page is written for the first time since arena_begin(). */
static void on_fault(int signal, siginfo_t *info, void *context)
{
	uint8_t *at = info->si_addr, *page;
	size_t offset = at - arena.base;

	(void)context;
	if (at < arena.base || offset >= arena.guarded) {
		/* not ours: it happens again, and has its ordinary end */
		sigaction(signal, &(struct sigaction){
				.sa_handler = SIG_DFL }, NULL);
		return;
	}
	if (arena.pages == PAGES) {
		give_up();
		return;
	}
	page = arena.base + offset / PAGE * PAGE;
	if (arena.remembers)
		memcpy(arena.copy + arena.pages * PAGE, page, PAGE);
	arena.page[arena.pages++] = page;
	mprotect(page, PAGE, PROT_READ | PROT_WRITE);
}

static int prepare(void)
{
	struct sigaction action = {
		.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO,
	};
	void *copy;

	sigemptyset(&action.sa_mask);
	copy = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (copy == MAP_FAILED)
		return -ENOMEM;
	if (sigaction(SIGSEGV, &action, NULL)) {
		munmap(copy, PAGES * PAGE);
		return -errno;
	}
	arena.copy = copy;
	return 0;
}

/* Pages beyond the top are new, and whoever needs them clears them. */
static int protect(void)
{
	size_t end = (head()->top + PAGE - 1) / PAGE * PAGE;

	for (size_t i = 0; arena.guarded && i < arena.pages; i++) {
		if (mprotect(arena.page[i], PAGE, PROT_READ))
			return -errno;
	}
	if (end > arena.guarded &&
	    mprotect(arena.base + arena.guarded, end - arena.guarded,
		     PROT_READ))
		return -errno;
	arena.guarded = end;
	return 0;
}

int arena_begin(void)
{
	int err;

	if (!arena.base && make())
		return -ENOMEM;
	if (!arena.copy) {
		err = prepare();
		if (err)
			return err;
	}
	if (protect())
		return -ENOMEM;
	arena.pages = 0;
	arena.overflow = false;
	arena.remembers = true;
	return 0;
}

void arena_keep(void)
{
	arena.remembers = false;
}

int arena_undo(void)
{
	arena.remembers = false;
	if (arena.overflow)
		return -ENOMEM;
	for (size_t i = 0; i < arena.pages; i++)
		memcpy(arena.page[i], arena.copy + i * PAGE, PAGE);
	return 0;
}
