/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The command line of tesla-server. */
#ifndef SERVER_OPTIONS_H
#define SERVER_OPTIONS_H

#include "vm/server/server.h"

struct options {
	const char *socket;
	FILE *log;
	struct server_options server;
};

/* 0; 1 when all that was asked for was help; -EINVAL, having said why. */
int options_read(struct options *options, int argc, char **argv);
void options_done(struct options *options);

#endif
