/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Misuse of the environment, found at run time: what lockdep and might_sleep()
 * find in the kernel [§4.6].  Each report names the offender.
 */
#ifndef PORT_REPORT_H
#define PORT_REPORT_H

#include "compiler.h"

enum port_misuse {
	PORT_SLEEP,	/* may sleep, in hard interrupt or under a spinlock */
	PORT_LOCK,	/* a handler's spinlock, taken with interrupts on  */
	PORT_IRQ_TIME,	/* a handler over its time budget		   */
	PORT_MISUSES
};

/*
 * Logs and counts.  Its file, report.c, is one that a judge replaces by its
 * own: there a report ends the run.
 */
void port_report(enum port_misuse kind, const char *format, ...)
	__printf(2, 3);
/* Reports so far, for tests. */
unsigned int port_reports(enum port_misuse kind);

#endif
