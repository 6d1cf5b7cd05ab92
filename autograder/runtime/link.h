/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The link, to the runtime's own files. */
#ifndef RUNTIME_LINK_H
#define RUNTIME_LINK_H

#include <stdint.h>

int rt_link_open(int fd);

/* The span that holds every BAR range. */
extern uintptr_t rt_bar_low, rt_bar_span;
/* The region whose BAR holds addr, plus 1; 0: none. */
unsigned int rt_bar_find(uintptr_t addr);

#endif
