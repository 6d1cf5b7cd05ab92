/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Words for Host: method headers, their data, and GP entries [§9].
 *
 * A push-buffer segment is a list of groups.  A group is one header word that
 * says which method of which subchannel the data words after it are for, and
 * how the method address moves from word to word.  A GP entry is the 64-bit
 * note in the ring that tells Host where a segment lies and how long it is.
 *
 * Every field is checked against its width before anything is written: a
 * value too wide for its field would silently become another command.  The
 * card cannot tell, and neither can a reader of the trace.
 */
#include "push.h"
#include "vm/spec/reg.h"

void push_init(struct push *push, u32 *words, u32 capacity)
{
	push->words = words;
	push->count = 0;
	push->capacity = capacity;
}

/* Does value fit the field? */
static bool fits(u32 field, u64 value)
{
	return value <= REG_FIELD_MAX(field);
}

/*
 * LAB 01: make a method header word [§9.3]: form in SEC_OP, the subchannel,
 * the method's address in words, and in COUNT the number of data words or the
 * immediate data.  -EINVAL if one does not fit, or the method is not a
 * multiple of 4.
 */
static int header_make(u32 form, u32 subchannel, u32 method, u32 count,
		       u32 *header)
{
	return -ENOSYS;
}

/*
 * LAB 01: append a header and its count data words [§9.3].  Check everything
 * first: on failure the push is as it was.  -ENOSPC when they do not fit.
 */
static int push_group(struct push *push, u32 form, u32 subchannel, u32 method,
		      const u32 *data, u32 count)
{
	return -ENOSYS;
}

/* LAB 01: a group whose method address grows with each data word [§9.3]. */
int push_inc(struct push *push, u32 subchannel, u32 method, const u32 *data,
	     u32 count)
{
	return -ENOSYS;
}

/* LAB 01: a group whose data words all go to one method [§9.3]. */
int push_non_inc(struct push *push, u32 subchannel, u32 method,
		 const u32 *data, u32 count)
{
	return -ENOSYS;
}

/* LAB 01: a group whose method address grows once, after word one [§9.3]. */
int push_one_inc(struct push *push, u32 subchannel, u32 method,
		 const u32 *data, u32 count)
{
	return -ENOSYS;
}

/*
 * LAB 01: a header that carries its own data, of 13 bits, where the others
 * have their count [§9.3].
 */
int push_immediate(struct push *push, u32 subchannel, u32 method, u32 data)
{
	return -ENOSYS;
}

/*
 * LAB 01: the GP entry of a segment [§9.1]: address bits 31:2 and 39:32, the
 * length in words, and the flags as SYNC and LEVEL.  What does not fit, an
 * unknown flag, and a segment that does not end before 2^40 are -EINVAL.
 */
int gp_entry_segment(u64 va, u32 words, u32 flags, u64 *entry)
{
	return -ENOSYS;
}

/*
 * LAB 01: a control entry [§9.2]: LENGTH 0, so that bits 7:0 of the high
 * word are an opcode, and the low word is its operand.  Only NOP, GP_CRC and
 * PB_CRC are for drivers; anything else is -EINVAL.
 */
int gp_entry_control(u32 opcode, u32 operand, u64 *entry)
{
	return -ENOSYS;
}
