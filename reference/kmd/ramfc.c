/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What a channel's instance block says before its first run [§8.1].
 *
 * RAMFC is the state of a PBDMA put aside.  The hardware loads it when the
 * channel comes on, and stores it when the channel goes off; so this is the
 * state of a PBDMA that is about to fetch the first entry of an empty ring.
 * The values without a name below are the ones nouveau writes.
 */
#include "chan.h"

static void write_ring(struct chan *chan)
{
	struct instmem *inst = &chan->inst;
	u64 userd = chan->gpu->userd + (u64)chan->id * NV_RAMUSERD_CHAN_SIZE;

	instmem_wr32(inst, NV_RAMFC_USERD, lower_32_bits(userd));
	instmem_wr32(inst, NV_RAMFC_USERD_HI, upper_32_bits(userd));
	instmem_wr32(inst, NV_RAMFC_GP_BASE, lower_32_bits(chan->gp_va));
	instmem_wr32(inst, NV_RAMFC_GP_BASE_HI,
		     REG_SET(NV_RAMFC_GP_BASE_HI_OFFSET,
			     upper_32_bits(chan->gp_va)) |
		     REG_SET(NV_RAMFC_GP_BASE_HI_LIMIT2,
			     ilog2(chan->gp_entries)));
}

/* Pascal asks two questions where Maxwell asks one [§9.4]. */
static void write_rights(struct chan *chan)
{
	instmem_wr32(&chan->inst, NV_RAMFC_HCE_CTRL,
		     REG_VAL(NV_RAMFC_HCE_CTRL_HCE_PRIV_MODE, 1));
	if (chan->gpu->chip->auth_level)
		instmem_wr32(&chan->inst, NV_RAMFC_CONFIG,
			     REG_VAL(NV_RAMFC_CONFIG_AUTH_LEVEL, 1));
}

void chan_write_ramfc(struct chan *chan)
{
	struct instmem *inst = &chan->inst;

	write_ring(chan);
	instmem_wr32(inst, NV_RAMFC_SIGNATURE,
		     NV_RAMFC_SIGNATURE_HW_VALID);
	instmem_wr32(inst, NV_RAMFC_ACQUIRE, 0xfffff902);
	instmem_wr32(inst, NV_RAMFC_PB_HEADER,
		     REG_VAL(NV_RAMFC_PB_HEADER_FIRST, 1) |
		     REG_VAL(NV_RAMFC_PB_HEADER_TYPE,
			     NVC06F_DMA_SEC_OP_INC_METHOD));
	instmem_wr32(inst, NV_RAMFC_SUBDEVICE,
		     REG_VAL(NV_RAMFC_SUBDEVICE_ID, 1) |
		     REG_VAL(NV_RAMFC_SUBDEVICE_STATUS, 1) |
		     REG_VAL(NV_RAMFC_SUBDEVICE_CHANNEL_DMA, 1));
	instmem_wr32(inst, NV_RAMFC_FORMATS, 0x00000100);
	instmem_wr32(inst, NV_RAMFC_TARGET,
		     REG_VAL(NV_RAMFC_TARGET_ENGINE,
			     NVC06F_SET_OBJECT_ENGINE_SW));
	instmem_wr32(inst, NV_RAMFC_UNKNOWN_B8, 0xf8000000);
	instmem_wr32(inst, NV_RAMFC_CHID,
		     REG_SET(NV_RAMFC_CHID_ID, chan->id));
	instmem_wr32(inst, NV_RAMFC_RUNLIST_TIMESLICE,
		     REG_VAL(NV_RAMFC_RUNLIST_TIMESLICE_TIMEOUT, 128) |
		     REG_VAL(NV_RAMFC_RUNLIST_TIMESLICE_SCALE, 3) |
		     REG_VAL(NV_RAMFC_RUNLIST_TIMESLICE_ENABLE, 1));
	instmem_wr32(inst, NV_RAMFC_PB_TIMESLICE, 0x10000010);
	for (u32 i = 0; i < ARRAY_SIZE(chan->space); i++)
		instmem_wr32(inst, NV_RAMIN_PAGE_DIR_BASE_LO + 4 * i,
			     chan->space[i]);
	if (chan->privileged)
		write_rights(chan);
}
