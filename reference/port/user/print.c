/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The log: stderr, one line a call.  PORT_LOG in the environment is quiet,
 * info or debug; without it errors are printed.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print.h"

static int log_limit(void)
{
	const char *wish = getenv("PORT_LOG");

	if (!wish)
		return PORT_LOG_ERR;
	if (!strcmp(wish, "debug"))
		return PORT_LOG_DEBUG;
	if (!strcmp(wish, "info"))
		return PORT_LOG_INFO;
	return strcmp(wish, "quiet") ? PORT_LOG_ERR : -1;
}

void port_log(enum port_log_level level, const char *format, ...)
{
	va_list args;

	if ((int)level > log_limit())
		return;
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
}
