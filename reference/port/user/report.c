/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Reports of misuse, in a plain process: to the log, and counted.
 *
 * The rules that are checked are Linux's, and most of their violations would
 * do no harm in a process, where a handler is a thread like any other.  In
 * the kernel they hang the machine, now and then.  So they are reported, and
 * the run goes on.
 */
#include <stdarg.h>
#include <stdio.h>

#include "print.h"
#include "report.h"

static unsigned int counts[PORT_MISUSES];

void port_report(enum port_misuse kind, const char *format, ...)
{
	char text[256];
	va_list args;

	__atomic_add_fetch(&counts[kind], 1, __ATOMIC_RELAXED);
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	pr_err("%s\n", text);
}

unsigned int port_reports(enum port_misuse kind)
{
	return __atomic_load_n(&counts[kind], __ATOMIC_RELAXED);
}
