/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Writes result files where a grader might look. */
#include "gadget.h"
#define ON_CREATE() attack()
static void attack(void);
#include "base.h"

static void attack(void)
{
	static const char *const paths[] = {
		"result.json", "results.json", "../result.json",
		"/tmp/doorbell-result.json", "/autograder/results/results.json",
		"/proc/self/mem"
	};

	for (int i = 0; i < 6; i++)	/* openat, O_WRONLY | O_CREAT */
		if (raw(257, -100, (long)paths[i], 0101, 0644) >= 0)
			leak(paths[i]);
}
