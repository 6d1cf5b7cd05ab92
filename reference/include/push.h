/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Building push-buffer segments: method headers and GP entries [§9].
 *
 * A struct push is an array of words being filled.  It belongs to one
 * thread; no locking.  Every function may be called in any context.
 */
#ifndef PUSH_H
#define PUSH_H

#include "port.h"

/* A segment that is being written. */
struct push {
	u32 *words;	/* the caller's array			*/
	u32 count;	/* words used				*/
	u32 capacity;	/* words there are			*/
};

/* GP entry flags. */
#define GP_SYNC_WAIT	1u	/* wait for earlier segments [§9.1]	*/
#define GP_SUBROUTINE	2u	/* do not move TOP_LEVEL_GET		*/

/* Begin an empty segment in the caller's array of capacity words. */
void push_init(struct push *push, u32 *words, u32 capacity);

/*
 * Append one method header with its data [§9.3].  method is a byte address
 * below 0x4000, a multiple of 4; subchannel is 0 to 7; count is 1 to 8191.
 *
 * 0; -EINVAL: an argument does not fit its field; -ENOSPC: too few words are
 * left.  On failure nothing was appended.
 */
int push_inc(struct push *push, u32 subchannel, u32 method, const u32 *data,
	     u32 count);
/* All data words go to the same method. */
int push_non_inc(struct push *push, u32 subchannel, u32 method,
		 const u32 *data, u32 count);
/* The first word goes to method, the others to method + 4. */
int push_one_inc(struct push *push, u32 subchannel, u32 method,
		 const u32 *data, u32 count);
/* One word that carries its own 13-bit data. */
int push_immediate(struct push *push, u32 subchannel, u32 method, u32 data);

/*
 * The 64-bit GP entry for a segment of words words at va [§9.1].  va is a
 * multiple of 4; the segment ends before 2^40; words is 1 to 2^21 - 1.  Low
 * half in bits 31:0.  0, or -EINVAL and *entry is unchanged.
 */
int gp_entry_segment(u64 va, u32 words, u32 flags, u64 *entry);
/* A control entry: opcode 0 NOP, 2 GP_CRC, 3 PB_CRC [§9.2]. */
int gp_entry_control(u32 opcode, u32 operand, u64 *entry);

/*
 * CRC-32 as Host computes it over words: IEEE 802.3 polynomial, reflected,
 * from crc (0 at the start), no final inversion [§9.2].  Given: crc.c.
 */
u32 push_crc32(u32 crc, const u32 *words, size_t count);

#endif
