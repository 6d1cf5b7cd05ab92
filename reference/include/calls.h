/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The kernel half behind the call table [§4.7]: what the operations of an
 * open file call, in Linux and in a process.
 *
 * Functions may be called from any number of threads at once and may sleep.
 */
#ifndef CALLS_H
#define CALLS_H

#include "gpu.h"
#include "uapi/tesla.h"

struct tesla;
struct tesla_file;

/* A card for openers: brought up, its interrupt on.  What gpu_open() and
 * gpu_irq_init() say. */
int tesla_probe(struct gpu_bus *bus, struct tesla **tesla);
/*
 * The card is about to go, or has gone: channels are dead from now on, and
 * eventfds that somebody waits for are written.  Then files can be closed,
 * whoever has them open.
 */
void tesla_unplug(struct tesla *tesla);
/* All files are closed. */
void tesla_remove(struct tesla *tesla);
/* For what is asked of a card and not by an opener. */
struct gpu *tesla_gpu(struct tesla *tesla);

/*
 * An opener: an address space of its own, and no object yet.  0; -ENOMEM,
 * -ETIMEDOUT, -ENODEV.
 */
int tesla_open(struct tesla *tesla, struct tesla_file **file);
/*
 * Everything of its goes, channels first, and nothing of others'.  No other
 * function may be running on it, and all views have been unmapped, as is so
 * when a process has ended, however it did.
 */
void tesla_close(struct tesla_file *file);

/*
 * A call: its number, and its argument of size bytes in user memory.  0, or
 * what calls.def says; -ENOTTY: no such number.
 */
long tesla_call(struct tesla_file *file, u32 number, void __user *arg,
		size_t size);

/* An argument of any call. */
union call_arg {
#define CALL(number, name, way, text)	struct tesla_##name name;
#define CALL_ERROR(name, error, text)
#include "uapi/calls.def"
#undef CALL
#undef CALL_ERROR
};

/*
 * The same in three parts, for who must not keep a card while user memory is
 * waited for: fetch the argument, make the call, store its results.  Only the
 * second needs the card; after an error the rest is left out.
 */
struct tesla_arg {
	u32 number;
	void __user *user;
	size_t size;
	union call_arg any;
};
/* 0, -EFAULT, -EINVAL, -E2BIG.  Waits for user memory. */
int tesla_arg_fetch(struct tesla_arg *arg, u32 number, void __user *user,
		    size_t size);
/* What the call returns.  May sleep. */
int tesla_arg_call(struct tesla_arg *arg, struct tesla_file *file);
/* 0, -EFAULT.  Waits for user memory. */
int tesla_arg_store(const struct tesla_arg *arg);

/*
 * A view of an object for the CPU, for mmap(): the offset that a call has
 * told, and how much of it.  The object stays until tesla_unmap().
 * 0; -EINVAL: no such offset, or size.
 */
int tesla_map(struct tesla_file *file, u64 offset, u64 size,
	      struct iosys_map *map);
void tesla_unmap(struct tesla_file *file, u64 offset);

/* Objects of an opener, for tests. */
unsigned int tesla_objects(struct tesla_file *file);

#endif
