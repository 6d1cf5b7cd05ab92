/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Making the card forget translations [§6.5].
 *
 * The card remembers pages, and the way to them: entries of directories.  An
 * invalidation names a page directory, or all of them, and by default covers
 * every level; to limit it to page entries is an optimisation for who is sure
 * that no table has gone, and on Pascal nobody should be [§6.5].
 *
 * There is one set of registers.  A request is three writes, so two threads
 * would send a mixture of theirs; and a request that finds the queue full is
 * lost without a word.  A channel can do the same by methods, in the order of
 * its own work, without registers and without waiting.
 */
#include "kmd.h"
#include "tlb.h"
#include "vm/spec/reg.h"

/* LAB 02: name the page directory: its address >> 12, upper half apart. */
static void write_root(struct gpu *gpu, u64 root)
{
	gpu_wr32(gpu, NV_PFB_PRI_MMU_INVALIDATE_PDB,
		 REG_SET(NV_PFB_PRI_MMU_INVALIDATE_PDB_ADDR, root >> 12));
	if (gpu_has_wide_pdb(gpu))
		gpu_wr32(gpu, NV_PFB_PRI_MMU_INVALIDATE_UPPER_PDB,
			 upper_32_bits(root >> 12 << REG_FIELD_LO(
				NV_PFB_PRI_MMU_INVALIDATE_PDB_ADDR)));
}

/*
 * LAB 02: one request, with the registers ours [§6.5]: wait for a place in
 * the queue, name the directory, trigger, wait until the queue has run dry.
 */
static int invalidate(struct gpu *gpu, u64 root)
{
	u32 request = REG_VAL(NV_PFB_PRI_MMU_INVALIDATE_ALL_VA, 1) |
		REG_VAL(NV_PFB_PRI_MMU_INVALIDATE_CACHE_LEVEL, 0) |
		REG_VAL(NV_PFB_PRI_MMU_INVALIDATE_TRIGGER, 1);
	int err;

	err = gpu_poll_set(gpu, NV_PFB_PRI_MMU_CTRL,
			   REG_FIELD_MASK(NV_PFB_PRI_MMU_CTRL_PRI_FIFO_SPACE),
			   "TLB queue");
	if (err)
		return err;
	if (root == TLB_ALL)
		request |= REG_VAL(NV_PFB_PRI_MMU_INVALIDATE_ALL_PDB, 1);
	else
		write_root(gpu, root);
	gpu_wr32(gpu, NV_PFB_PRI_MMU_INVALIDATE, request);
	return gpu_poll_set(gpu, NV_PFB_PRI_MMU_CTRL,
			    REG_FIELD_MASK(NV_PFB_PRI_MMU_CTRL_PRI_FIFO_EMPTY),
			    "TLB invalidation");
}

/* LAB 02: see tlb.h. */
int tlb_invalidate(struct gpu *gpu, u64 root)
{
	int err;

	gpu_tlb_lock(gpu);
	err = invalidate(gpu, root);
	gpu_tlb_unlock(gpu);
	return err;
}

/*
 * LAB 02: see tlb.h.  MEM_OP_D starts it, so it comes last; Maxwell has no
 * MEM_OP_A and B.
 */
int tlb_push_invalidate(struct gpu *gpu, struct push *push, u64 root)
{
	bool all = root == TLB_ALL;
	u32 data[4] = { 0 };

	data[2] = REG_SET(NVC06F_MEM_OP_C_TLB_INVALIDATE_PDB, all);
	data[3] = REG_VAL(NVC06F_MEM_OP_D_OPERATION,
			  NVC06F_MEM_OP_D_OPERATION_MMU_TLB_INVALIDATE);
	if (!all) {
		data[2] |= REG_SET(NVC06F_MEM_OP_C_TLB_INVALIDATE_PDB_ADDR_LO,
				   root >> 12);
		data[3] |= REG_SET(NVC06F_MEM_OP_D_TLB_INVALIDATE_PDB_ADDR_HI,
				   upper_32_bits(root));
	}
	if (gpu_mmu_format(gpu) == 1)
		return push_inc(push, 0, NVC06F_MEM_OP_C, data + 2, 2);
	return push_inc(push, 0, NVC06F_MEM_OP_A, data, 4);
}
