/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A run as a trace that Chrome and Perfetto show [§2.4]. */
#ifndef JUDGE_CHROME_H
#define JUDGE_CHROME_H

#include <stdio.h>

#include "autograder/judge/judge.h"

struct chrome {
	FILE *file;
	bool any;
};

void chrome_begin(struct chrome *chrome, FILE *file, const char *title);
/* For struct judge_options.trace; arg is a struct chrome. */
void chrome_line(void *arg, const struct card_event *event, const char *line);
void chrome_end(struct chrome *chrome);

#endif
