/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Switching address translation services on and off [§12.4].
 *
 * Four parties have to hear of it, in one order: the unit that has page
 * tables, its translation, the card's capability, the bus.  The bus is on
 * when a driver runs, so it goes off first.  Off is the same, backwards; a
 * reading back after each write keeps the card's registers and its
 * configuration space in step.
 */
#include "ats.h"
#include "kmd.h"
#include "vm/spec/reg.h"

#define ATS_CAP_ID	0x000fu
#define ATS_CAP_CTRL	4u	/* capability and control, one word */

static u32 capability(struct gpu *gpu)
{
	if (!(gpu_additions(gpu) &
	      REG_FIELD_MASK(NV_ADDITION_FEATURES_ATS)))
		return 0;
	return gpu_find_ext_cap(gpu, 0, ATS_CAP_ID);
}

bool ats_supported(struct gpu *gpu)
{
	return !gpu_is_lost(gpu) && capability(gpu);
}

/* The upper half is status, where ones would clear: write it as 0. */
static void bus_master(struct gpu *gpu, bool on)
{
	u32 bit = REG_VAL(NV_XVE_DEV_CTRL_CMD_BUS_MASTER, 1);
	u32 command = gpu_config_rd32(gpu, NV_XVE_DEV_CTRL) & 0xffff;

	command = on ? command | bit : command & ~bit;
	gpu_config_wr32(gpu, NV_XVE_DEV_CTRL, command);
	gpu_config_rd32(gpu, NV_XVE_DEV_CTRL);
}

static void unit_asks(struct gpu *gpu, bool on)
{
	u32 bit = REG_VAL(FB_TLB_CTRL_ATS, 1);

	gpu_mask32(gpu, FB_TLB_CTRL, bit, on ? bit : 0);
	gpu_rd32(gpu, FB_TLB_CTRL);
}

/* The smallest unit of translation is 0: 4 KiB. */
static void enable(struct gpu *gpu, u32 cap, bool on)
{
	gpu_config_wr32(gpu, cap + ATS_CAP_CTRL,
			REG_SET(NV_XVE_ATS_CTRL_ENABLE, on));
	gpu_config_rd32(gpu, cap + ATS_CAP_CTRL);
}

int ats_enable(struct gpu *gpu, struct ctx_switch *unit, struct vas *vas)
{
	u32 cap = capability(gpu), state;
	int err;

	if (gpu_is_lost(gpu))
		return -ENODEV;
	if (!cap)
		return -EOPNOTSUPP;
	err = ctx_switch_load(unit, vas);
	if (err)
		return err;
	bus_master(gpu, false);
	unit_asks(gpu, true);
	enable(gpu, cap, true);
	bus_master(gpu, true);

	state = REG_GET(FB_TLB_CTRL_ATS_STATE, gpu_rd32(gpu, FB_TLB_CTRL));
	if (gpu_is_lost(gpu))
		return -ENODEV;
	if (state == FB_TLB_CTRL_ATS_STATE_ACTIVE)
		return 0;
	ats_disable(gpu);
	return -EIO;
}

void ats_disable(struct gpu *gpu)
{
	u32 cap = capability(gpu);

	if (!cap)
		return;
	bus_master(gpu, false);
	enable(gpu, cap, false);
	unit_asks(gpu, false);
	bus_master(gpu, true);
}
