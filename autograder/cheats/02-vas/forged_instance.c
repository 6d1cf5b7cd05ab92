/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * An instance block of all ones: a page directory beyond all memory, in an
 * aperture that there is not, without a limit.
 */
#define INSTANCE(vas, words)	memset(words, 0xff, 16)
#include "base.h"
