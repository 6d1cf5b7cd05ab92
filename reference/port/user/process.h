/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Processes, as far as a driver has to do with them: they open files, map
 * memory, are sent signals, and end, whether they want to or not.
 *
 * All live in this one process.  A thread is in one of them at a time; until
 * it enters another that is the first, which always is.
 */
#ifndef PORT_PROCESS_H
#define PORT_PROCESS_H

#include "task.h"
#include "iosys-map.h"

/* A new process without threads.  NULL: no memory. */
struct task_struct *process_new(const char *name);
/* The calling thread is in this one from now on; NULL: in the first. */
void process_enter(struct task_struct *task);

/*
 * It ends: calls in progress return, its memory is unmapped, then its files
 * are closed, as exit() and SIGKILL do.  What its threads call from then on
 * is -ESRCH.  Not from inside a call.
 */
void process_kill(struct task_struct *task);
/* Kill it, and drop the reference of process_new(). */
void process_end(struct task_struct *task);

/* Signals that were sent to it, and the last one. */
struct process_signal {
	int number, code;
	void *addr;
	short lsb;
};
unsigned int process_signals(struct task_struct *task,
			     struct process_signal *last);

/* For what can be opened: the operations of an open file. */
struct process_file_ops {
	void (*release)(void *file);
	long (*call)(void *file, u32 number, void *arg, size_t size);
	int (*map)(void *file, u64 offset, u64 size, struct iosys_map *map);
	void (*unmap)(void *file, u64 offset);
};

/* Open it in the calling thread's process: a descriptor; -ESRCH, -EMFILE,
 * -ENOMEM, and then it is not released. */
int process_open(const struct process_file_ops *ops, void *file);

#endif
