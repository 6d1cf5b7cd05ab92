/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What user mode and kernel say to each other: the arguments of the calls of
 * calls.def [§4.7].
 *
 * Every argument is one of the structures below.  They hold no pointer and no
 * hidden padding, so they are the same for 32- and 64-bit programs, and grow
 * at the end: an argument that is shorter than the kernel's is read as if
 * zeros followed, one that is longer is refused if what the kernel does not
 * know of is not 0.  Nobody need know the other's version.
 *
 * What is marked "out" is written when the call succeeds.  Flags that are not
 * named and pads are 0.
 *
 * A handle names an object of one opener, the one that it was given to.  It
 * is not 0, and is not given again soon after the object has gone.
 *
 * In Linux a card may go while it is open, by a hot unplug for one.  Then every
 * call is -ENODEV, poll() of the node says POLLERR and POLLHUP, the eventfds
 * of events are readable, and an access to what mmap() has shown is SIGBUS.
 */
#ifndef TESLA_H
#define TESLA_H

#include <linux/types.h>
#include <linux/ioctl.h>

#define TESLA_VERSION	1
/* No argument is larger: a page. */
#define TESLA_ARG_MAX	4096

/* get_info */
struct tesla_get_info {
	__u32 version;		/* out: TESLA_VERSION			*/
	__u32 copy_class;	/* out: 0xb0b5, 0xc0b5, 0xc1b5		*/
	char chip[16];		/* out: "GP102", with a final 0		*/
	__u64 vram_bytes;	/* out: video memory			*/
	__u64 page_shifts;	/* out: bit n: pages of 2^n bytes	*/
	__u32 mmu_format;	/* out: 1, 2				*/
	__u32 additions;	/* out: as NV_ADDITION_FEATURES		*/
};

/* mem_alloc: where it lives */
#define TESLA_MEM_COHERENT	0	/* system memory, cached	*/
#define TESLA_MEM_WC		1	/* … write-combining		*/
#define TESLA_MEM_VRAM		2	/* video memory, behind BAR1	*/

/*
 * The memory is mapped in the opener's own space, at va; and for the CPU by
 * mmap() at map_offset, from there at most size bytes.
 */
struct tesla_mem_alloc {
	__u64 size;		/* in; out: whole pages			*/
	__u32 kind;
	__u32 flags;		/* 0					*/
	__u32 handle;		/* out					*/
	__u32 pad;
	__u64 va;		/* out: below 2^40			*/
	__u64 map_offset;	/* out					*/
};

/* The calls that name an object and nothing else. */
struct tesla_handle {
	__u32 handle;
	__u32 pad;
};
#define tesla_mem_free		tesla_handle
#define tesla_space_destroy	tesla_handle
#define tesla_chan_destroy	tesla_handle
#define tesla_chan_stop		tesla_handle
#define tesla_chan_error	tesla_handle
#define tesla_event_remove	tesla_handle

struct tesla_space_create {
	__u64 base;		/* both multiples of 4 KiB		*/
	__u64 limit;
	__u32 flags;		/* 0					*/
	__u32 handle;		/* out					*/
};

/* space_map: flags; TESLA_MAP_PRIVILEGED is refused */
#define TESLA_MAP_READ_ONLY	1
#define TESLA_MAP_VOLATILE	2
#define TESLA_MAP_PRIVILEGED	4
#define TESLA_MAP_FIXED		8	/* at va, or not at all		*/
#define TESLA_MAP_REPLACE	16	/* with FIXED: whatever is there */

struct tesla_space_map {
	__u32 space;
	__u32 mem;
	__u64 va;		/* in with FIXED; out			*/
	__u64 offset;		/* into the memory			*/
	__u64 size;
	__u32 flags;
	__u32 page_shift;	/* 0: the largest that fit		*/
};

struct tesla_space_unmap {
	__u32 space;
	__u32 pad;
	__u64 va;
	__u64 size;
};

/* chan_create */
#define TESLA_CHAN_PRIVILEGED	1	/* is refused			*/
#define TESLA_CHAN_ANY		0xffffffffu
#define TESLA_USERD_SIZE	512	/* bytes			*/

/*
 * The ring lies in one mapping of the space; its memory is in use until the
 * channel is destroyed.  The page with the channel's USERD is mapped by mmap()
 * at userd_map; its 512 bytes begin at userd_offset in there.
 */
struct tesla_chan_create {
	__u32 space;		/* or 0: the opener's own		*/
	__u32 id;		/* or TESLA_CHAN_ANY; out		*/
	__u64 gp_va;
	__u32 gp_entries;	/* a power of two			*/
	__u32 flags;
	__u32 handle;		/* out					*/
	__u32 userd_offset;	/* out					*/
	__u64 userd_map;	/* out					*/
};

struct tesla_chan_start {
	__u32 handle;
	__u32 gp_first;
};

struct tesla_event_add {
	__u32 chan;
	__u32 mem;		/* where the word lies …		*/
	__u64 offset;		/* … a multiple of 4			*/
	__u32 value;
	__s32 eventfd;
	__u32 handle;		/* out					*/
	__u32 pad;
};

struct tesla_irq_stats {
	__u64 interrupts;	/* out: times the handler ran		*/
	__u64 spurious;		/* out: … and found nothing		*/
	__u64 nonstall;		/* out					*/
	__u64 faults;		/* out					*/
	__u64 pbdma;		/* out					*/
	__u64 copy;		/* out					*/
	__u64 longest_ns;	/* out: longest run			*/
};

/* The numbers: TESLA_CALL_get_info and so on. */
enum tesla_call_number {
#define CALL(number, name, way, text)	TESLA_CALL_##name = number,
#define CALL_ERROR(name, error, text)
#include "calls.def"
#undef CALL
#undef CALL_ERROR
	TESLA_CALLS
};

/* What a call is for ioctl(). */
#define TESLA_IOC_IN(nr, name)		_IOW('T', nr, struct tesla_##name)
#define TESLA_IOC_INOUT(nr, name)	_IOWR('T', nr, struct tesla_##name)
enum tesla_ioctl_number {
#define CALL(number, name, way, text) \
	TESLA_IOCTL_##name = TESLA_IOC_##way(number, name),
#define CALL_ERROR(name, error, text)
#include "calls.def"
#undef CALL
#undef CALL_ERROR
};

#endif
