/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The process that calls, under Linux's names. */
#ifndef PORT_TASK_H
#define PORT_TASK_H

#include "types.h"
#include "uaccess.h"

struct task_struct {
	struct task_struct *group_leader;	/* its process		*/
};

struct task_struct *port_current(void);
#define current port_current()

struct task_struct *get_task_struct(struct task_struct *task);
void put_task_struct(struct task_struct *task);

/* Was it killed, so that nobody will see what the call in progress does?  Here
 * a process ends when its calls have returned. */
#define fatal_signal_pending(task)	((void)sizeof(task), false)

/*
 * SIGBUS for memory that is lost at addr: code is BUS_MCEERR_AR, it was used,
 * or BUS_MCEERR_AO, it was found; lsb: 2^lsb bytes of it.  0, -ESRCH.
 */
int send_sig_mceerr(int code, void __user *addr, short lsb,
		    struct task_struct *task);

#endif
