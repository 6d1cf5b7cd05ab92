/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the debugging program's two sides share. */
#ifndef DEBUG_INSIDE_H
#define DEBUG_INSIDE_H

#include "autograder/judge/session.h"

/* The one run there is; NULL before it starts. */
extern struct scenario *debug_run;

/* The judge answers the request that lies in the wire. */
void debug_ask(void);
/* What the driver stored since the last time is shown to the card. */
void debug_show_stores(void);
/* Leave the driver in the middle: the run is decided. */
void debug_leave(void) __attribute__((noreturn));
/* The agent's side: all that the judge told it to run. */
void debug_run_batch(void);

#endif
