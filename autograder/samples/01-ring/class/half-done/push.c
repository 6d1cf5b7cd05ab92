/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Headers and entries; what does not fit is not refused yet. */
#include "push.h"
#include "vm/spec/reg.h"

void push_init(struct push *push, u32 *words, u32 capacity)
{
	push->words = words;
	push->count = 0;
	push->capacity = capacity;
}

static int group(struct push *push, u32 form, u32 subchannel, u32 method,
		 const u32 *data, u32 count)
{
	if (push->count + count + 1 > push->capacity)
		return -ENOSPC;
	push->words[push->count++] = form << 29 | count << 16 |
		subchannel << 13 | method / 4;
	memcpy(push->words + push->count, data, count * 4);
	push->count += count;
	return 0;
}

int push_inc(struct push *push, u32 subchannel, u32 method, const u32 *data,
	     u32 count)
{
	return group(push, 1, subchannel, method, data, count);
}

int push_non_inc(struct push *push, u32 subchannel, u32 method,
		 const u32 *data, u32 count)
{
	return group(push, 3, subchannel, method, data, count);
}

int push_one_inc(struct push *push, u32 subchannel, u32 method,
		 const u32 *data, u32 count)
{
	return group(push, 5, subchannel, method, data, count);
}

int push_immediate(struct push *push, u32 subchannel, u32 method, u32 data)
{
	if (push->count == push->capacity)
		return -ENOSPC;
	push->words[push->count++] = 4u << 29 | data << 16 |
		subchannel << 13 | method / 4;
	return 0;
}

int gp_entry_segment(u64 va, u32 words, u32 flags, u64 *entry)
{
	u64 high = va >> 32 | (u64)words << 10;

	if (flags & GP_SUBROUTINE)
		high |= 1u << 9;
	if (flags & GP_SYNC_WAIT)
		high |= 1u << 31;
	*entry = high << 32 | (u32)va;
	return 0;
}

int gp_entry_control(u32 opcode, u32 operand, u64 *entry)
{
	*entry = (u64)opcode << 32 | operand;
	return 0;
}
