/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the parts of the call table's fuzz target share. */
#ifndef FUZZ_H
#define FUZZ_H

#include "reference/kmd/file.h"
#include "reference/bus/direct/direct.h"

#define K	1024ULL
#define M	(K * K)
#define PAGE	(4 * K)

#define NAMES	8		/* of a kind, that are remembered	*/
#define FUZZ_BYTES (6 * M)	/* an input's memory, of each kind	*/

struct names {
	u32 name[NAMES];
	u32 count;
};

/* A channel that works; calls_ring.c. */
struct fuzz_ring {
	bool up;
	u64 va, view[2];
	u32 put;
	struct iosys_map memory, userd;
};

struct opener {
	struct tesla_file *file;
	struct names names[OBJECT_KINDS];
	u64 va[NAMES];
	u32 vas;
	/* views for the CPU, by their offsets */
	u64 view[NAMES];
	u32 views;
	struct fuzz_ring ring;
};

extern struct fuzz {
	struct gpu_bus *bus;
	struct tesla *tesla;
	int eventfd;
	long allocs;		/* with no file open			*/
	unsigned int violations[CARD_RULES];
	/* of one input */
	struct opener opener[2];
	u64 bytes;		/* of memory, so far			*/
	bool wrote;		/* into memory that the card reads	*/
} fuzz;

/* Choices, from the input; when it has ended they are all 0. */
u8 get8(void);
u32 get32(void);
u64 pick_number(void);
u64 pick_address(const struct opener *opener);
u32 pick_handle(const struct opener *opener, enum object_kind kind);
void remember_name(struct opener *opener, enum object_kind kind, u32 name);
void remember_address(struct opener *opener, u64 va);

/* An invariant does not hold: the end. */
void broken(const char *what, long a, long b) __attribute__((noreturn));
/* A call, and all that must be true of any. */
long fuzz_call(struct opener *opener, u32 call, void *arg, size_t size);

/* One thing that an opener does. */
void fuzz_step(struct opener *opener);
/* It gives a channel something to do; and its views go. */
void fuzz_ring_step(struct opener *opener);
void fuzz_ring_down(struct opener *opener);
/* An opener of its own does a piece of work, as well as ever. */
void fuzz_work(void);

/* libFuzzer's. */
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

#endif
