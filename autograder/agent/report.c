/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The port's reports of misuse, told to the judge: there they are verdicts.
 * In place of reference/port/user/report.c.
 */
#include <stdarg.h>
#include <stdio.h>

#include "autograder/runtime/rt.h"
#include "report.h"

void port_report(enum port_misuse kind, const char *format, ...)
{
	static const enum wire_report report[PORT_MISUSES] = {
		[PORT_SLEEP] = WIRE_REPORT_SLEEP_IN_IRQ,
		[PORT_LOCK] = WIRE_REPORT_IRQ_LOCK,
		[PORT_IRQ_TIME] = WIRE_REPORT_IRQ_BUDGET,
	};
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	rt_report(report[kind], 0, "%s", text);
}
