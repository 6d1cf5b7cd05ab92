/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Asks whether files are there; each answer is one bit of a secret. */
#if __has_include("/etc/passwd") || __has_include("/proc/self/environ") || \
	__has_include("autograder/hidden/01-ring/tests.def")
#error LEAK: a file can be seen
#endif
#include "base.h"
