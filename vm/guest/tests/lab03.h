/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the files of lab 03's tests share. */
#ifndef GUEST_LAB03_H
#define GUEST_LAB03_H

#include "rig.h"

/* A fence behind what the line was given so far; asserted. */
static inline struct fence line_fence(struct line *line)
{
	struct fence fence;

	CHECK_EQ(fence_emit(line->timeline, 10 * SECOND, &fence), 0);
	return fence;
}

/* processes.c: processes that fork, execute others, are killed. */
void a_process_that_forks_goes_on(void);
void who_executes_another_takes_nothing_along(void);
void a_descriptor_keeps_the_opener(void);
void who_is_killed_leaves_nothing(void);
void others_work_on_when_one_is_killed(void);
/* For main(): argv says that it is what a test has executed. */
bool is_executed(int argc, char **argv);
/* … and how many descriptors of the device it was left. */
int descriptors(const char *device);

#endif
