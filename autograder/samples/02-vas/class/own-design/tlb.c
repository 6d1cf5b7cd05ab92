/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Lab 02, a second design: the card forgets, by registers or by methods. */
#include "kmd.h"
#include "tlb.h"

enum {
	PDB = 0x100cb8, UPPER_PDB = 0x100cec, COMMAND = 0x100cbc,
	CONTROL = 0x100c80,
	FREE_SLOTS = 0xff << 16, ALL_DONE = 1 << 15,
	ALL_ADDRESSES = 1 << 0, ALL_ROOTS = 1 << 1,
};

/* One at a time: the next one's root must not become ours. */
int tlb_invalidate(struct gpu *gpu, u64 root)
{
	u32 command = 1u << 31 | ALL_ADDRESSES;
	int err;

	gpu_tlb_lock(gpu);
	err = gpu_poll_set(gpu, CONTROL, FREE_SLOTS, "a slot");
	if (err)
		goto unlock;
	if (root == TLB_ALL) {
		command |= ALL_ROOTS;
	} else {
		gpu_wr32(gpu, PDB, root >> 12 << 4);
		if (gpu_has_wide_pdb(gpu))
			gpu_wr32(gpu, UPPER_PDB, root >> 40);
	}
	gpu_wr32(gpu, COMMAND, command);
	err = gpu_poll_set(gpu, CONTROL, ALL_DONE, "the TLB");
unlock:
	gpu_tlb_unlock(gpu);
	return err;
}

int tlb_push_invalidate(struct gpu *gpu, struct push *push, u64 root)
{
	u32 op[4] = { 0, 0, 1, 9u << 27 };
	u32 skip = gpu_mmu_format(gpu) == 2 ? 0 : 2;

	if (root != TLB_ALL) {
		op[2] = root & 0xfffff000;
		op[3] |= root >> 32;
	}
	return push_inc(push, 0, 0x28 + 4 * skip, op + skip, 4 - skip);
}
