/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Making the card forget translations [§6.5].
 *
 * Always all levels of a page directory, and always to the end: a request is
 * three writes to registers that there are once, it is lost when the queue is
 * full, and until it is done the card uses what it remembers.  So the lock is
 * held from the look at the queue until the queue is empty again.
 *
 * A privileged channel can say the same by methods, in the order of its work.
 */
#include "kmd.h"
#include "tlb.h"
#include "vm/spec/reg.h"

/* One request, whole, with the registers ours. */
static int request(struct gpu *gpu, u64 root)
{
	u64 name = REG_SET(NV_PFB_PRI_MMU_INVALIDATE_PDB_APERTURE, 0) |
		   root >> 12 << REG_FIELD_LO(
				NV_PFB_PRI_MMU_INVALIDATE_PDB_ADDR);
	u32 what = REG_VAL(NV_PFB_PRI_MMU_INVALIDATE_ALL_VA, 1) |
		   REG_VAL(NV_PFB_PRI_MMU_INVALIDATE_TRIGGER, 1);
	int err;

	err = gpu_poll_set(gpu, NV_PFB_PRI_MMU_CTRL,
			   REG_FIELD_MASK(NV_PFB_PRI_MMU_CTRL_PRI_FIFO_SPACE),
			   "a place for an invalidation");
	if (err)
		return err;
	if (root == TLB_ALL) {
		what |= REG_VAL(NV_PFB_PRI_MMU_INVALIDATE_ALL_PDB, 1);
	} else {
		gpu_wr32(gpu, NV_PFB_PRI_MMU_INVALIDATE_PDB,
			 lower_32_bits(name));
		if (gpu_has_wide_pdb(gpu))
			gpu_wr32(gpu, NV_PFB_PRI_MMU_INVALIDATE_UPPER_PDB,
				 upper_32_bits(name));
	}
	gpu_wr32(gpu, NV_PFB_PRI_MMU_INVALIDATE, what);
	return gpu_poll_set(gpu, NV_PFB_PRI_MMU_CTRL,
			    REG_FIELD_MASK(NV_PFB_PRI_MMU_CTRL_PRI_FIFO_EMPTY),
			    "the end of an invalidation");
}

int tlb_invalidate(struct gpu *gpu, u64 root)
{
	int err;

	gpu_tlb_lock(gpu);
	err = request(gpu, root);
	gpu_tlb_unlock(gpu);
	return err;
}

int tlb_push_invalidate(struct gpu *gpu, struct push *push, u64 root)
{
	u32 a_to_d[4] = { 0 };
	u64 d = REG_VAL(NVC06F_MEM_OP_D_OPERATION,
			NVC06F_MEM_OP_D_OPERATION_MMU_TLB_INVALIDATE);

	if (root == TLB_ALL) {
		a_to_d[2] = REG_VAL(NVC06F_MEM_OP_C_TLB_INVALIDATE_PDB, 1);
	} else {
		a_to_d[2] = REG_SET(NVC06F_MEM_OP_C_TLB_INVALIDATE_PDB_ADDR_LO,
				    root >> 12);
		d |= REG_SET(NVC06F_MEM_OP_D_TLB_INVALIDATE_PDB_ADDR_HI,
			     root >> 32);
	}
	a_to_d[3] = d;	/* starts it: the last */
	if (gpu_is_pascal(gpu))
		return push_inc(push, 0, NVC06F_MEM_OP_A, a_to_d, 4);
	return push_inc(push, 0, NVC06F_MEM_OP_C, a_to_d + 2, 2);
}
