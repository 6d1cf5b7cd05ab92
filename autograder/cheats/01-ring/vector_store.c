/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Stores wider than any hook, by type. */
#include "base.h"

typedef unsigned long wide __attribute__((vector_size(64)));

void store(wide *to)
{
	*to = (wide){ 1, 2, 3, 4, 5, 6, 7, 8 };
}
