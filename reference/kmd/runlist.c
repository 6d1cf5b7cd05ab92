/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Runlists [§7.2], [§8.2].
 *
 * Host reads a list from memory when it is submitted, and may read it again
 * until the next one is: so there are two, written in turn.  On Pascal every
 * channel is in a time-slice group of its own: a header, and one entry.
 */
#include "device.h"
#include "chan.h"

#define ENTRY_SIZE	NV_RAMRL_ENTRY_SIZE
#define LIST_SIZE	(HOST_CHANNELS * 2 * ENTRY_SIZE)

int gpu_runlist_init(struct gpu *gpu)
{
	struct runlist *runlist = &gpu->runlist;
	int err;

	runlist->next = 0;
	err = instmem_alloc(gpu, LIST_SIZE, &runlist->list[0]);
	if (err)
		return err;
	err = instmem_alloc(gpu, LIST_SIZE, &runlist->list[1]);
	if (err)
		goto free_first;
	return 0;

free_first:
	instmem_free(gpu, &runlist->list[0]);
	return err;
}

void gpu_runlist_fini(struct gpu *gpu)
{
	instmem_free(gpu, &gpu->runlist.list[1]);
	instmem_free(gpu, &gpu->runlist.list[0]);
}

static void entry_write(struct instmem *list, u32 index, u64 entry)
{
	instmem_wr32(list, index * ENTRY_SIZE, lower_32_bits(entry));
	instmem_wr32(list, index * ENTRY_SIZE + 4, upper_32_bits(entry));
}

static u64 group_entry(const struct chan *chan)
{
	return REG_SET(NV_RAMRL_ENTRY_ID, chan->id) |
	       REG_VAL(NV_RAMRL_ENTRY_TYPE, NV_RAMRL_ENTRY_TYPE_TSG) |
	       REG_VAL(NV_RAMRL_ENTRY_TSG_TIMESLICE_SCALE, 3) |
	       REG_VAL(NV_RAMRL_ENTRY_TSG_TIMESLICE_TIMEOUT, 128) |
	       REG_VAL(NV_RAMRL_ENTRY_TSG_LENGTH, 1);
}

static u64 chan_entry(const struct chan *chan)
{
	return REG_SET(NV_RAMRL_ENTRY_ID, chan->id) |
	       REG_SET(NV_RAMRL_ENTRY_CHAN_INST_PTR, chan->inst.addr >> 12);
}

static u32 list_write(struct gpu *gpu, struct instmem *list)
{
	u32 count = 0;

	for (u32 id = 0; id < HOST_CHANNELS; id++) {
		const struct chan *chan = gpu->chans[id];

		if (!chan || !chan->scheduled)
			continue;
		if (gpu->chip->tsg)
			entry_write(list, count++, group_entry(chan));
		entry_write(list, count++, chan_entry(chan));
	}
	return count;
}

int gpu_runlist_update(struct gpu *gpu)
{
	struct runlist *runlist = &gpu->runlist;
	struct instmem *list = &runlist->list[runlist->next];
	u32 id = gpu->copy.runlist;
	u32 count = list_write(gpu, list);
	int err;

	err = gpu_flush(gpu);
	if (err)
		return err;
	gpu_wr32(gpu, NV_PFIFO_RUNLIST_BASE,
		 REG_SET(NV_PFIFO_RUNLIST_BASE_PTR, list->addr >> 12));
	gpu_wr32(gpu, NV_PFIFO_RUNLIST,
		 REG_SET(NV_PFIFO_RUNLIST_LENGTH, count) |
		 REG_SET(NV_PFIFO_RUNLIST_ID, id));
	runlist->next ^= 1;
	return gpu_poll_clear(gpu, REG_AT(NV_PFIFO_ENG_RUNLIST, id),
			      REG_FIELD_MASK(NV_PFIFO_ENG_RUNLIST_PENDING),
			      "runlist");
}
