/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Thirty lines that become a thousand million. */
#define A(x) x x x x x x x x
#define B(x) A(A(A(A(x))))
#define C(x) B(B(B(x)))
static const char bomb[] = { C(C(1,)) };
#include "base.h"
