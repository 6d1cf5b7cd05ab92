/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The link, to the runtime's own files. */
#ifndef RUNTIME_LINK_H
#define RUNTIME_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "../judge/wire.h"

int rt_link_open(int fd);
/* Post what was done without asking. */
void rt_post_own(struct wire_post entry);

/* own.c: answer a request here, and post it; false: the judge must. */
bool rt_own(enum wire_request_kind kind, uint64_t a, uint64_t b, uint64_t c,
	    struct wire_reply *reply);
/* An answer came; something was posted. */
void rt_own_told(const struct wire_reply *reply);
void rt_own_posted(const struct wire_post *post);

/* The span that holds every BAR range. */
extern uintptr_t rt_bar_low, rt_bar_span;
/* The region whose BAR holds addr, plus 1; 0: none. */
unsigned int rt_bar_find(uintptr_t addr);

#endif
