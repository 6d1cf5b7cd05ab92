/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The log.  To stderr: errors always, the rest when PORT_LOG is set in the
 * environment. */
#ifndef PORT_PRINT_H
#define PORT_PRINT_H

#include "compiler.h"

enum port_log_level { PORT_LOG_ERR, PORT_LOG_INFO, PORT_LOG_DEBUG };

void port_log(enum port_log_level level, const char *format, ...)
	__printf(2, 3);

#define pr_err(...)	port_log(PORT_LOG_ERR, __VA_ARGS__)
#define pr_info(...)	port_log(PORT_LOG_INFO, __VA_ARGS__)
#define pr_debug(...)	port_log(PORT_LOG_DEBUG, __VA_ARGS__)

#endif
