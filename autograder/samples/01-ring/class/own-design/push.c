/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * push.c - words for Host.  The numbers are those of the manual's tables:
 * headers [§9.3], entries [§9.1], control entries [§9.2].
 */
#include "push.h"

enum form { INC = 1, NON_INC = 3, IMMEDIATE = 4, ONE_INC = 5 };

#define COUNT_MAX	0x1fffu		/* bits 28:16 */
#define METHOD_MAX	0x3ffcu		/* bits 11:0, in words */
#define SUBCHANNEL_MAX	7u		/* bits 15:13 */
#define LENGTH_MAX	0x1fffffu	/* bits 30:10 of an entry's word 1 */
#define SPACE		(1ull << 40)	/* of addresses in an entry */

void push_init(struct push *push, u32 *words, u32 capacity)
{
	*push = (struct push){ .words = words, .capacity = capacity };
}

static bool header_ok(u32 subchannel, u32 method, u32 count)
{
	return subchannel <= SUBCHANNEL_MAX && method <= METHOD_MAX &&
	       method % 4 == 0 && count <= COUNT_MAX;
}

static u32 header(enum form form, u32 subchannel, u32 method, u32 count)
{
	return (u32)form << 29 | count << 16 | subchannel << 13 | method >> 2;
}

static int append(struct push *push, enum form form, u32 subchannel,
		  u32 method, const u32 *data, u32 count)
{
	u32 *to;

	if (!count || !header_ok(subchannel, method, count))
		return -EINVAL;
	if (push->count + 1 + count > push->capacity)
		return -ENOSPC;

	to = push->words + push->count;
	*to++ = header(form, subchannel, method, count);
	for (u32 i = 0; i < count; i++)
		to[i] = data[i];
	push->count += 1 + count;
	return 0;
}

int push_inc(struct push *push, u32 subchannel, u32 method, const u32 *data,
	     u32 count)
{
	return append(push, INC, subchannel, method, data, count);
}

int push_non_inc(struct push *push, u32 subchannel, u32 method,
		 const u32 *data, u32 count)
{
	return append(push, NON_INC, subchannel, method, data, count);
}

int push_one_inc(struct push *push, u32 subchannel, u32 method,
		 const u32 *data, u32 count)
{
	return append(push, ONE_INC, subchannel, method, data, count);
}

int push_immediate(struct push *push, u32 subchannel, u32 method, u32 data)
{
	if (!header_ok(subchannel, method, data))
		return -EINVAL;
	if (push->count >= push->capacity)
		return -ENOSPC;
	push->words[push->count++] = header(IMMEDIATE, subchannel, method,
					    data);
	return 0;
}

int gp_entry_segment(u64 va, u32 words, u32 flags, u64 *entry)
{
	u64 low, high;

	if (!words || words > LENGTH_MAX || va % 4 || va >= SPACE)
		return -EINVAL;
	/* the address behind the segment must be below 2^40 too */
	if (va + 4ull * words >= SPACE)
		return -EINVAL;
	if (flags & ~(GP_SYNC_WAIT | GP_SUBROUTINE))
		return -EINVAL;

	low = va & 0xfffffffcu;
	high = va >> 32 | (u64)words << 10;
	if (flags & GP_SUBROUTINE)
		high |= 1u << 9;
	if (flags & GP_SYNC_WAIT)
		high |= 1u << 31;
	*entry = high << 32 | low;
	return 0;
}

int gp_entry_control(u32 opcode, u32 operand, u64 *entry)
{
	/* 1 is ILLEGAL, and there are no others */
	if (opcode != 0 && opcode != 2 && opcode != 3)
		return -EINVAL;
	*entry = (u64)opcode << 32 | operand;
	return 0;
}
