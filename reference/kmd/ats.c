/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Switching address translation services on and off [§12.4].
 *
 * Each step makes the one before it count: the unit latches a page directory
 * that must be there, the capability tells a unit that must have asked, and
 * a function that masters the bus already does not listen.  So bus mastering
 * goes off first, and comes back last.
 */
#include "ats.h"
#include "kmd.h"
#include "vm/spec/reg.h"

#define EXT_CAP_ATS	0x000fu
#define ATS_CTRL	4u		/* from the capability's header	*/

/* LAB 02: see ats.h. */
bool ats_supported(struct gpu *gpu)
{
	return REG_GET(NV_ADDITION_FEATURES_ATS, gpu_additions(gpu)) &&
		gpu_find_ext_cap(gpu, 0, EXT_CAP_ATS) != 0;
}

/* LAB 02: bus mastering on or off, and arrived. */
static void set_bus_master(struct gpu *gpu, bool on)
{
	u32 command = gpu_config_rd32(gpu, NV_XVE_DEV_CTRL) & 0xffff;

	command &= ~REG_FIELD_MASK(NV_XVE_DEV_CTRL_CMD_BUS_MASTER);
	command |= REG_SET(NV_XVE_DEV_CTRL_CMD_BUS_MASTER, on);
	/* The upper half is status, where writing 1 clears: write zeros. */
	gpu_config_wr32(gpu, NV_XVE_DEV_CTRL, command);
	gpu_config_rd32(gpu, NV_XVE_DEV_CTRL);
}

/* LAB 02: the unit asks for ATS, or not. */
static void set_tlb_ctrl(struct gpu *gpu, bool on)
{
	gpu_mask32(gpu, FB_TLB_CTRL, REG_FIELD_MASK(FB_TLB_CTRL_ATS) |
		   REG_FIELD_MASK(FB_TLB_CTRL_ATS_STATE),
		   REG_SET(FB_TLB_CTRL_ATS, on));
}

/* LAB 02: the capability's enable bit; smallest unit 4 KiB. */
static void set_capability(struct gpu *gpu, bool on)
{
	u32 at = gpu_find_ext_cap(gpu, 0, EXT_CAP_ATS);

	gpu_config_wr32(gpu, at + ATS_CTRL,
			REG_SET(NV_XVE_ATS_CTRL_ENABLE, on));
}

/* LAB 02: see ats.h. */
int ats_enable(struct gpu *gpu, struct ctx_switch *unit, struct vas *vas)
{
	u32 state;
	int err;

	if (!ats_supported(gpu))
		return gpu_is_lost(gpu) ? -ENODEV : -EOPNOTSUPP;

	/* Tables first: a context whose page directory is there. */
	err = ctx_switch_load(unit, vas);
	if (err)
		return err;
	set_bus_master(gpu, false);
	set_tlb_ctrl(gpu, true);
	set_capability(gpu, true);
	set_bus_master(gpu, true);

	state = gpu_rd32(gpu, FB_TLB_CTRL);
	if (state == 0xffffffff)
		return -ENODEV;
	if (REG_GET(FB_TLB_CTRL_ATS_STATE, state) ==
	    FB_TLB_CTRL_ATS_STATE_ACTIVE)
		return 0;
	ats_disable(gpu);
	return -EIO;
}

/* LAB 02: see ats.h. */
void ats_disable(struct gpu *gpu)
{
	if (!ats_supported(gpu))
		return;
	set_bus_master(gpu, false);
	set_capability(gpu, false);
	set_tlb_ctrl(gpu, false);
	set_bus_master(gpu, true);
}
