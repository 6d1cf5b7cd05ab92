/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Who has which part of an address space, or of a memory.  Lab 02.
 *
 * Ranges do not overlap.  Every operation costs the logarithm of their
 * number, whatever the size of the space; to alloc may cost more for holes
 * that are long enough and not aligned, to free for each range that goes.
 * Not thread safe: the owner locks.
 */
#ifndef RANGE_H
#define RANGE_H

#include "port.h"

struct ranges;

/* A part that is taken. */
struct range {
	u64 at, size;
	u64 tag;		/* the owner's			*/
};

/* An empty set over [base, limit).  0; -EINVAL: base is not below limit;
 * -ENOMEM. */
int ranges_create(u64 base, u64 limit, struct ranges **ranges);
void ranges_destroy(struct ranges *ranges);

/* Take the lowest place.  0; -EINVAL: size is 0, or align is no power of two;
 * -ENOSPC: no hole is long enough, however large size may be; -ENOMEM. */
int ranges_alloc(struct ranges *ranges, u64 size, u64 align, u64 tag, u64 *at);
/* Take this one.  0; -EINVAL: size is 0, or not all of it is inside; -EEXIST:
 * some of it is taken; -ENOMEM. */
int ranges_reserve(struct ranges *ranges, u64 at, u64 size, u64 tag);
/* Give back what is taken in [at, at + size): parts of ranges, several, or
 * none; a rest on each side stays taken.  0, -EINVAL; -ENOMEM when a range
 * would have to be split, and then nothing was given back. */
int ranges_free(struct ranges *ranges, u64 at, u64 size);
/* The first range that ends after at; false: none. */
bool ranges_find(const struct ranges *ranges, u64 at, struct range *range);
/* Bytes taken. */
u64 ranges_taken(const struct ranges *ranges);

#endif
