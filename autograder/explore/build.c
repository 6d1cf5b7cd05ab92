/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* An agent from a folder, for the lab whose tests are explored. */
#include "autograder/compile/compile.h"
#include "autograder/explore/explore.h"

int explore_build(const char *lab, const char *folder, const char *output)
{
	return compile_folder("explore", lab, folder, output, false);
}
