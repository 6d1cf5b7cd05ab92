/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Work that may sleep, put off from where sleeping is not allowed. */
#ifndef PORT_WORK_H
#define PORT_WORK_H

#include "list.h"

struct work_struct;
typedef void (*work_func_t)(struct work_struct *work);

struct work_struct {
	work_func_t func;
	struct list_head entry;		/* in the queue, or empty	*/
};

#define INIT_WORK(work, fn) \
	do { (work)->func = (fn); INIT_LIST_HEAD(&(work)->entry); } while (0)

/* Any context.  false: it was waiting to run already. */
bool schedule_work(struct work_struct *work);
/* Neither waiting nor running at return; it may be scheduled again, also by
 * itself meanwhile, and is then cancelled too.  Sleeps. */
bool port_cancel_work(struct work_struct *work, const char *where);
#define cancel_work_sync(work)	port_cancel_work(work, __func__)
/* Until it has run, if it was scheduled.  Sleeps. */
bool port_flush_work(struct work_struct *work, const char *where);
#define flush_work(work)	port_flush_work(work, __func__)

#endif
