/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * figures LAB: the seed's figures for a lab, on the emulated card, with what
 * they depend on.  Each says what is calibrated and what emerges from the
 * cost table [§2.3].  Exit status 1 when a direction does not hold.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"

void figure_check(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "figures: %s: %s\n", what, strerror(-err));
	exit(3);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *lab;
		int (*show)(void);
	} labs[] = {
		{ "01", figures_ring },
		{ "02", figures_switch },
		{ "03", figures_fence },
	};

	for (size_t i = 0; i < sizeof(labs) / sizeof(labs[0]); i++) {
		if (argc == 2 && !strcmp(argv[1], labs[i].lab))
			return labs[i].show();
	}
	fprintf(stderr, "figures: there are labs 01 to 03\n");
	return 2;
}
