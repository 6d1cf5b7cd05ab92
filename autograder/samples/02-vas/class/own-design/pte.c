/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Lab 02, a second design: entries, put together by hand [§6.4]. */
#include "gpu.h"
#include "vas.h"

u64 entry_of_page(u32 format, enum mmu_aperture aperture, u64 addr,
		  u32 flags);
u64 entry_of_table(u32 format, u64 addr, bool big);

/* Video memory is 0 here, and 1 in a directory. */
u64 entry_of_page(u32 format, enum mmu_aperture aperture, u64 addr, u32 flags)
{
	u64 code = aperture == MMU_VRAM ? 0 :
		aperture == MMU_SYS_COHERENT ? 2 : 3;
	u64 entry = 1;

	if (format == 1) {
		entry |= addr >> 12 << 4 | code << 33;
		entry |= flags & VAS_PRIVILEGED ? 1 << 1 : 0;
		entry |= flags & VAS_READ_ONLY ? 1 << 2 : 0;
		entry |= flags & VAS_VOLATILE ? 1ULL << 32 : 0;
		return entry;
	}
	entry |= addr >> 12 << 8 | code << 1;
	entry |= flags & VAS_VOLATILE ? 1 << 3 : 0;
	entry |= flags & VAS_PRIVILEGED ? 1 << 5 : 0;
	entry |= flags & VAS_READ_ONLY ? 1 << 6 : 0;
	return entry;
}

/*
 * What names a table.  Format 1: both halves of one word.  Format 2: a word
 * of its own, and in it a table of big pages has another shift.
 */
u64 entry_of_table(u32 format, u64 addr, bool big)
{
	if (!addr)
		return 0;
	if (format == 1)
		return big ? addr >> 12 << 4 | 1 :
			addr >> 12 << 36 | 1ULL << 32;
	return (big ? addr >> 8 << 4 : addr >> 12 << 8) | 1 << 1;
}
