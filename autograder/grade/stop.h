/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Children, and being told to stop while they run. */
#ifndef GRADE_STOP_H
#define GRADE_STOP_H

#include <sys/resource.h>
#include <sys/types.h>

/* Once, before the first child: from here on signals wait to be seen. */
void stop_prepare(void);
/* In a new child: it ends with its parent, who alone heeds the terminal. */
void stop_in_child(pid_t parent);

/* The signal that told us to stop, or 0. */
int stop_signal(void);
/* A child that has ended; 0 once told to stop; -errno. */
pid_t stop_wait(int *status, struct rusage *usage);
/* Kill these children and wait until nothing of them or theirs is left. */
void stop_children(const pid_t *pid, unsigned int count);

#endif
