/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * An opener and its objects: what the files of the call table share.
 *
 * An object is in its opener's table until it is destroyed, and lives until
 * nobody holds it: the table, a call in progress, another object that uses
 * it.  While others use it, it cannot be destroyed.
 */
#ifndef KMD_FILE_H
#define KMD_FILE_H

#include "book.h"
#include "calls.h"
#include "device.h"
#include "irq.h"
#include "vas.h"
#include "uapi/tesla.h"

/*
 * What a file has at most: of all kinds; of channels, a quarter of Host's; and
 * of events, since the interrupt handler looks at each.
 */
#define FILE_OBJECTS_MAX	65535u
#define FILE_CHANS_MAX		1024u
#define FILE_EVENTS_MAX		1024u

enum object_kind {
	OBJECT_MEM,
	OBJECT_SPACE,
	OBJECT_CHAN,
	OBJECT_EVENT,
	OBJECT_KINDS
};

struct object {
	enum object_kind kind;
	u32 handle;
	u32 holds;		/* under the file's lock		*/
	u32 uses;		/* … by other objects and by the CPU	*/
};

struct mem {
	struct object object;
	struct gpu_mem gpu;
	u64 va;			/* in the opener's own space		*/
	struct mem *next;	/* stale				*/
};

struct space {
	struct object object;
	struct mutex lock;	/* over the book, and what it tells of	*/
	struct vas *vas;
	struct book book;	/* which memory is mapped where		*/
};

struct tesla_chan {
	struct object object;
	struct chan *chan;
	struct space *space;	/* in use				*/
	struct mem *ring;	/* in use				*/
};

struct event {
	struct object object;
	struct gpu_event *event;
	struct tesla_chan *chan;	/* in use			*/
	struct mem *mem;		/* in use			*/
};

/* A slot of the table; handles are made of its index and a number that
 * changes with each object.  They have 28 bits: what mmap() is told is then
 * an offset that a 32-bit program can name, too. */
struct slot {
	struct object *object;
	u32 next;		/* free: the next one that is		*/
	u16 round;
};

/* Channels whose USERDs lie in one page: all one opener's. */
#define USERD_PAGE	4096u
#define PAGE_CHANS	(USERD_PAGE / NV_RAMUSERD_CHAN_SIZE)

struct userd_page {
	struct tesla_file *owner;
	u32 used;		/* a bit for each channel		*/
};

struct tesla {
	struct gpu *gpu;
	struct mutex lock;	/* over the pages			*/
	struct userd_page page[HOST_CHANNELS / PAGE_CHANS];
};

struct tesla_file {
	struct tesla *tesla;
	struct gpu *gpu;
	struct task_struct *owner;
	struct mutex lock;	/* over the table, holds and uses	*/
	struct slot *slot;
	u32 slots, objects;
	u32 free, last;		/* free slots: first, last		*/
	u32 count[OBJECT_KINDS];
	struct space own;	/* where its memory lies; handle 0	*/
	struct mem *stale;	/* freed, and the card may not know	*/
};

/* Into the table, with a handle and one hold.  0, -ENOMEM; -EMFILE: of this
 * kind or of all there are too many. */
int object_add(struct tesla_file *file, struct object *object,
	       enum object_kind kind);
/* Held until object_put().  NULL: none such, or of another kind. */
struct object *object_get(struct tesla_file *file, u32 handle,
			  enum object_kind kind);
void object_put(struct tesla_file *file, struct object *object);
/* The same, in use until object_unuse(). */
struct object *object_get_use(struct tesla_file *file, u32 handle,
			      enum object_kind kind);
/* Another object needs it; false: it is about to go, as cannot be if the
 * caller holds it.  And needs it no more. */
bool object_use(struct tesla_file *file, struct object *object);
void object_unuse(struct tesla_file *file, struct object *object);
/* Out of the table.  0, -ENOENT; -EBUSY: it is in use. */
int object_destroy(struct tesla_file *file, u32 handle,
		   enum object_kind kind);

/* Nobody holds it any more; one function a kind.  May sleep. */
void mem_release(struct tesla_file *file, struct object *object);
void space_release(struct tesla_file *file, struct object *object);
void chan_release(struct tesla_file *file, struct object *object);
void event_release(struct tesla_file *file, struct object *object);

/* Memory whose last mapping went without the card's knowing; no channel and
 * no space is left. */
void mem_free_stale(struct tesla_file *file);

/* The space that every file has.  0, and what vas_create() says. */
int space_init(struct tesla_file *file, struct space *space, u64 base,
	       u64 limit);
void space_fini(struct tesla_file *file, struct space *space);

/* Memory in a space: what both the call and the opener's own memory do; the
 * mapping's pieces are this memory.  And out again.  What vas_map() and
 * vas_unmap() say. */
int space_map_mem(struct tesla_file *file, struct space *space,
		  struct mem *mem, struct vas_mapping *mapping);
int space_unmap_range(struct tesla_file *file, struct space *space, u64 va,
		      u64 size);
/* All of a memory out of its opener's own space, which takes no memory.  After
 * 0 and -ENODEV the book has it no more. */
int space_unmap_own(struct tesla_file *file, struct mem *mem);
/* The memory that has all of a range; NULL: none, or several mappings.  In
 * use from now on. */
struct mem *space_use_mem(struct tesla_file *file, struct space *space,
			  u64 va, u64 size);

/* Where a channel's USERD begins in its page. */
u32 chan_userd_offset(const struct chan *chan);
/* The offset of mmap() for an object's view: a handle, on a page of any
 * size. */
#define VIEW_SHIFT	16
static inline u64 view_offset(const struct object *object)
{
	return (u64)object->handle << VIEW_SHIFT;
}

/* The calls: call_NAME(), which see calls.def.  The argument is a copy. */
#define CALL(number, name, way, text) \
	int call_##name(struct tesla_file *file, struct tesla_##name *arg);
#define CALL_ERROR(name, error, text)
#include "uapi/calls.def"
#undef CALL
#undef CALL_ERROR

#endif
