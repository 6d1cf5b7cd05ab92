/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * vfio-keep: hold a card open while other programs use it in turn.
 *
 *   vfio-keep --reset-at-close 0000:01:00.0 sh
 *
 * What is started from that shell finds the card open, and the reset comes
 * when the shell has ended.  It must be asked for, as anywhere.
 */
#define _GNU_SOURCE		/* environ */
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vfio.h"

static int wait_for(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return 2;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) :
		128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	struct vfio_config config = { .reset_at_close = true };
	pid_t child;
	int err;

	if (argc < 4 || strcmp(argv[1], "--reset-at-close")) {
		fprintf(stderr, "vfio-keep --reset-at-close ADDRESS COMMAND "
			"[ARGUMENT ...]\n");
		return 2;
	}
	config.address = argv[2];
	if (vfio_keep(&config))
		return 2;
	/* A child, so that ours stay open whatever it does with its own. */
	err = posix_spawnp(&child, argv[3], NULL, NULL, argv + 3, environ);
	if (err) {
		fprintf(stderr, "vfio-keep: %s: %s\n", argv[3], strerror(err));
		return 127;
	}
	return wait_for(child);
}
