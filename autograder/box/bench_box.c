/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What each layer of the box costs: the median time from box_spawn() to the
 * end of a program that does nothing, layer added to layer.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "autograder/box/box.h"

#define ROUNDS 201

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int measure(const struct box_probe *probe, enum box_profile profile,
		   unsigned int layers, const char *victim)
{
	const char *argv[] = { victim, "nothing", NULL };
	const int none[BOX_FDS] = { -1, -1, -1, -1 };
	const char *read[] = { victim, "/usr", "/lib", "/lib64",
			       "/etc/ld.so.cache", NULL };
	struct box_spec spec = { .profile = profile, .layers = layers,
				 .read = read };
	static uint64_t took[ROUNDS];
	struct box *box;
	int err;

	box_limits_default(profile, &spec.limits);
	err = box_open(probe, &spec, &box);
	if (err)
		return err;
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t start = now_ns();
		pid_t pid = box_spawn(box, argv, none);

		if (pid < 0) {
			box_close(box);
			return pid;
		}
		waitpid(pid, NULL, 0);
		took[i] = now_ns() - start;
	}
	box_close(box);
	qsort(took, ROUNDS, sizeof(took[0]), by_value);
	printf("  %6.2f ms", took[ROUNDS / 2] / 1e6);
	return 0;
}

int main(int argc, char **argv)
{
	struct box_probe probe;
	unsigned int layers = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: bench-box VICTIM\n");
		return 2;
	}
	box_probe(&probe);
	printf("layers up to     agent       compile\n");
	for (int i = 0; i < BOX_LAYERS; i++) {
		layers |= 1u << i;
		printf("%-12s", box_layer_name(i));
		if (!(probe.have & 1u << i))
			printf("  (missing)");
		else if (measure(&probe, BOX_AGENT, layers, argv[1]) ||
			 measure(&probe, BOX_COMPILE, layers, argv[1]))
			printf("  failed");
		printf("\n");
	}
	return 0;
}
