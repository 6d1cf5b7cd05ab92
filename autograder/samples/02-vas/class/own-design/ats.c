/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Lab 02, a second design: ATS as a list of steps, done forwards to switch it
 * on and backwards to switch it off.
 */
#include "ats.h"
#include "kmd.h"
#include "vm/spec/reg.h"

struct step {
	bool config;		/* else a register of BAR0 */
	u32 offset, bit;
};

static u32 capability(struct gpu *gpu)
{
	u32 at = 0x100, head, seen = 0;

	while (at && seen++ < 1024) {
		head = gpu_config_rd32(gpu, at);
		if (!head || head == ~0u)
			break;
		if ((u16)head == 0xf)
			return at;
		at = head >> 20;
	}
	return 0;
}

bool ats_supported(struct gpu *gpu)
{
	return capability(gpu) &&
		gpu_additions(gpu) & REG_FIELD_MASK(NV_ADDITION_FEATURES_ATS);
}

static void turn(struct gpu *gpu, const struct step *step, bool on)
{
	u32 word = step->config ? gpu_config_rd32(gpu, step->offset) :
		gpu_rd32(gpu, step->offset);

	word = on ? word | step->bit : word & ~step->bit;
	if (step->config && step->offset == NV_XVE_DEV_CTRL)
		word &= 0xffff;	/* status above: 1 clears */
	if (!step->config) {
		gpu_wr32(gpu, step->offset,
			 word & ~REG_FIELD_MASK(FB_TLB_CTRL_ATS_STATE));
		gpu_rd32(gpu, step->offset);
		return;
	}
	gpu_config_wr32(gpu, step->offset, word);
	gpu_config_rd32(gpu, step->offset);
}

static void steps(struct gpu *gpu, bool on)
{
	const struct step unit = {
		.offset = FB_TLB_CTRL,
		.bit = REG_FIELD_MASK(FB_TLB_CTRL_ATS),
	};
	const struct step function = {
		.config = true, .offset = capability(gpu) + 4,
		.bit = REG_FIELD_MASK(NV_XVE_ATS_CTRL_ENABLE),
	};
	const struct step bus = {
		.config = true, .offset = NV_XVE_DEV_CTRL,
		.bit = REG_FIELD_MASK(NV_XVE_DEV_CTRL_CMD_BUS_MASTER),
	};

	turn(gpu, &bus, false);
	turn(gpu, on ? &unit : &function, on);
	turn(gpu, on ? &function : &unit, on);
	turn(gpu, &bus, true);
}

int ats_enable(struct gpu *gpu, struct ctx_switch *unit, struct vas *vas)
{
	int err;

	if (gpu_is_lost(gpu))
		return -ENODEV;
	if (!ats_supported(gpu))
		return -EOPNOTSUPP;
	err = ctx_switch_load(unit, vas);
	if (err)
		return err;
	steps(gpu, true);
	if (REG_GET(FB_TLB_CTRL_ATS_STATE, gpu_rd32(gpu, FB_TLB_CTRL)) ==
	    FB_TLB_CTRL_ATS_STATE_ACTIVE)
		return 0;
	steps(gpu, false);
	return gpu_is_lost(gpu) ? -ENODEV : -EIO;
}

void ats_disable(struct gpu *gpu)
{
	if (ats_supported(gpu))
		steps(gpu, false);
}
