/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Channels: made, started, stopped, unmade [§7.3], [§8.6].
 *
 * A channel is an instance block, a USERD, and two words in the channel
 * table.  The first start binds the instance block; every start enables the
 * channel and puts it on the runlist; stopping takes it off both, and waits
 * until no PBDMA holds it.  It stays bound until it is destroyed: what it has
 * told the engine, its objects for one, is forgotten with the binding.
 *
 * A channel that was stopped in the middle of a segment goes on there, if it
 * is started at the GP_GET at which it stopped: the words of RAMFC that say
 * where in the segment it was are then left as the hardware stored them.
 */
#include "chan.h"
#include "irq.h"
#include "vas.h"

static u64 chan_userd_vram(const struct chan *chan)
{
	return chan->gpu->userd + (u64)chan->id * NV_RAMUSERD_CHAN_SIZE;
}

static int chan_find_id(struct gpu *gpu, u32 wish, u32 *id)
{
	if (wish != CHAN_ANY) {
		if (wish >= HOST_CHANNELS)
			return -EINVAL;
		if (gpu->chans[wish])
			return -EBUSY;
		*id = wish;
		return 0;
	}
	for (u32 i = 0; i < HOST_CHANNELS; i++) {
		if (!gpu->chans[i]) {
			*id = i;
			return 0;
		}
	}
	return -EBUSY;
}

static int chan_init(struct chan *chan, const struct chan_config *config)
{
	struct gpu *gpu = chan->gpu;
	int err;

	err = chan_find_id(gpu, config->id, &chan->id);
	if (err)
		return err;
	err = instmem_alloc(gpu, MMU_PAGE, &chan->inst);
	if (err)
		return err;

	/* Not through BAR1: Host would take it for news. */
	pramin_clear(gpu, chan_userd_vram(chan), NV_RAMUSERD_CHAN_SIZE);
	chan_write_ramfc(chan);
	err = gpu_flush(gpu);
	if (err)
		goto free_inst;
	gpu->chans[chan->id] = chan;
	return 0;

free_inst:
	instmem_free(gpu, &chan->inst);
	return err;
}

int chan_create(struct gpu *gpu, const struct chan_config *config,
		struct chan **out)
{
	struct chan *chan;
	int err;

	/* One entry is what GP_BASE_HI says of a ring that is not there. */
	if (!is_power_of_2(config->gp_entries) || config->gp_entries < 2 ||
	    config->gp_entries > 1u << 20 || config->gp_va & 7 ||
	    config->gp_va >= 1ULL << 40)
		return -EINVAL;
	chan = kzalloc(sizeof(*chan), GFP_KERNEL);
	if (!chan)
		return -ENOMEM;
	chan->gpu = gpu;
	chan->gp_va = config->gp_va;
	chan->gp_entries = config->gp_entries;
	chan->privileged = config->privileged;
	if (config->vas)
		vas_instance(config->vas, chan->space);
	else
		kspace_instance(&gpu->space, chan->space);

	mutex_lock(&gpu->lock);
	err = chan_init(chan, config);
	mutex_unlock(&gpu->lock);
	if (err) {
		kfree(chan);
		return err;
	}
	*out = chan;
	return 0;
}

u32 chan_id(const struct chan *chan)
{
	return chan->id;
}

struct iosys_map chan_userd(const struct chan *chan)
{
	struct gpu *gpu = chan->gpu;
	u64 at = gpu->userd_bar1 + (u64)chan->id * NV_RAMUSERD_CHAN_SIZE;
	struct iosys_map map = IOSYS_MAP_INIT_VADDR_IOMEM(
		(char __iomem *)gpu->bus->bar[GPU_BAR1] + at);

	return map;
}

/* Set what Host and driver believe of the ring; keep an open segment. */
static int chan_set_position(struct chan *chan, u32 gp)
{
	static const u16 segment_state[] = {
		NV_RAMFC_PB_GET, NV_RAMFC_PB_GET_HI,
		NV_RAMFC_PB_TOP_LEVEL_GET, NV_RAMFC_PB_TOP_LEVEL_GET_HI,
		NV_RAMFC_PB_FETCH, NV_RAMFC_PB_FETCH_HI,
		NV_RAMFC_PB_PUT, NV_RAMFC_PB_PUT_HI, NV_RAMFC_PB_COUNT,
		NV_RAMFC_METHOD0, NV_RAMFC_DATA0,
	};
	struct instmem *inst = &chan->inst;
	u64 userd = chan_userd_vram(chan);
	bool resume = chan->stopped_once &&
		instmem_rd32(inst, NV_RAMFC_GP_GET) == gp;

	for (size_t i = 0; !resume && i < ARRAY_SIZE(segment_state); i++)
		instmem_wr32(inst, segment_state[i], 0);
	instmem_wr32(inst, NV_RAMFC_GP_PUT, gp);
	instmem_wr32(inst, NV_RAMFC_GP_GET, gp);
	instmem_wr32(inst, NV_RAMFC_GP_FETCH, gp);
	pramin_wr32(chan->gpu, userd + NV_RAMUSERD_GP_GET, gp);
	pramin_wr32(chan->gpu, userd + NV_RAMUSERD_GP_PUT, gp);
	return gpu_flush(chan->gpu);
}

/* Write the channel's row: what it belongs to, and bits that act by being
 * written.  Never write back what was read: faults are cleared that way. */
static void chan_command(struct chan *chan, u32 bits)
{
	gpu_wr32(chan->gpu, REG_AT(NV_PCCSR_CHANNEL, chan->id), bits |
		 REG_SET(NV_PCCSR_CHANNEL_RUNLIST, chan->gpu->copy.runlist));
}

static void chan_bind(struct chan *chan)
{
	if (chan->bound)
		return;
	chan->bound = true;
	chan_command(chan, 0);
	gpu_wr32(chan->gpu, REG_AT(NV_PCCSR_CHANNEL_INST, chan->id),
		 REG_VAL(NV_PCCSR_CHANNEL_INST_BIND, 1) |
		 REG_SET(NV_PCCSR_CHANNEL_INST_PTR, chan->inst.addr >> 12));
}

static void chan_unbind(struct chan *chan)
{
	if (!chan->bound)
		return;
	chan->bound = false;
	gpu_wr32(chan->gpu, REG_AT(NV_PCCSR_CHANNEL_INST, chan->id), 0);
}

static void chan_enable(struct chan *chan)
{
	chan_command(chan, REG_VAL(NV_PCCSR_CHANNEL_ENABLE_SET, 1));
}

static void chan_disable(struct chan *chan)
{
	chan_command(chan, REG_VAL(NV_PCCSR_CHANNEL_ENABLE_CLR, 1));
}

static int chan_check_enabled(struct chan *chan)
{
	u32 state = gpu_rd32(chan->gpu, REG_AT(NV_PCCSR_CHANNEL, chan->id));

	if (state == 0xffffffff)
		return -ENODEV;
	return REG_GET(NV_PCCSR_CHANNEL_ENABLE, state) ? 0 : -ETIMEDOUT;
}

static void chan_ask_preempt(struct chan *chan)
{
	u32 type = chan->gpu->chip->tsg ? NV_PFIFO_PREEMPT_TYPE_TSG :
		NV_PFIFO_PREEMPT_TYPE_CHANNEL;

	gpu_wr32(chan->gpu, NV_PFIFO_PREEMPT,
		 REG_SET(NV_PFIFO_PREEMPT_TYPE, type) |
		 REG_SET(NV_PFIFO_PREEMPT_ID, chan->id));
}

/* Off its PBDMA and engine: when this returns 0, Host has let go. */
static int chan_preempt(struct chan *chan)
{
	int err;

	chan_ask_preempt(chan);
	err = gpu_poll_clear(chan->gpu, NV_PFIFO_PREEMPT,
			     REG_FIELD_MASK(NV_PFIFO_PREEMPT_PENDING),
			     "preemption");
	if (err != -ETIMEDOUT || !gpu_host_clear_errors(chan->gpu))
		return err;
	/* A PBDMA that has met an error keeps its channel until then. */
	return gpu_poll_clear(chan->gpu, NV_PFIFO_PREEMPT,
			      REG_FIELD_MASK(NV_PFIFO_PREEMPT_PENDING),
			      "preemption after an error");
}

/* nouveau's order [§8.6]: bind, enable, list, and enable once more. */
static int chan_start_locked(struct chan *chan, u32 gp_first)
{
	struct gpu *gpu = chan->gpu;
	int err;

	if (chan->started || gp_first >= chan->gp_entries)
		return -EINVAL;
	if (chan_is_dead(chan))
		return -EIO;
	err = chan_set_position(chan, gp_first);
	if (err)
		return err;

	chan_bind(chan);
	chan_enable(chan);
	chan->scheduled = true;
	err = gpu_runlist_update(gpu);
	if (err)
		goto take_off;
	chan_enable(chan);
	err = chan_check_enabled(chan);
	if (err)
		goto take_off;
	chan->started = true;
	return 0;

take_off:
	chan->scheduled = false;
	chan_disable(chan);
	gpu_runlist_update(gpu);
	chan_unbind(chan);
	return err;
}

static int chan_stop_locked(struct chan *chan)
{
	struct gpu *gpu = chan->gpu;
	int err;

	if (chan_is_dead(chan))
		return chan_retire_locked(chan);
	if (!chan->started)
		return -EINVAL;
	chan->scheduled = false;
	chan_disable(chan);
	err = chan_preempt(chan);
	if (!err)
		err = gpu_runlist_update(gpu);
	if (err && err != -ENODEV)
		goto put_back;

	chan->started = false;
	chan->stopped_once = true;
	return err;

put_back:
	chan->scheduled = true;
	chan_enable(chan);
	return err;
}

/*
 * In this order [§7.4]: a PBDMA that has been asked to let go when its error
 * is cleared does so, and does not go on with the channel.
 */
int chan_retire_locked(struct chan *chan)
{
	struct gpu *gpu = chan->gpu;
	int err, list_err;

	if (chan->retired)
		return 0;
	chan->retired = true;
	chan->started = chan->scheduled = false;
	chan_disable(chan);
	chan_ask_preempt(chan);
	gpu_host_clear_errors(gpu);
	gpu_copy_clear_errors(gpu);
	err = gpu_poll_clear(gpu, NV_PFIFO_PREEMPT,
			     REG_FIELD_MASK(NV_PFIFO_PREEMPT_PENDING),
			     "preemption of a dead channel");
	if (err == -ETIMEDOUT) {
		gpu_copy_reset(gpu);
		chan_ask_preempt(chan);
		err = gpu_poll_clear(gpu, NV_PFIFO_PREEMPT,
				     REG_FIELD_MASK(NV_PFIFO_PREEMPT_PENDING),
				     "preemption after a reset");
	}
	list_err = gpu_runlist_update(gpu);
	return err ? err : list_err;
}

bool chan_has_faulted(struct chan *chan)
{
	u32 state = gpu_rd32(chan->gpu, REG_AT(NV_PCCSR_CHANNEL, chan->id));

	return state != 0xffffffff &&
		(REG_GET(NV_PCCSR_CHANNEL_PBDMA_FAULTED, state) ||
		 REG_GET(NV_PCCSR_CHANNEL_ENG_FAULTED, state));
}

int chan_start(struct chan *chan, u32 gp_first)
{
	int err;

	mutex_lock(&chan->gpu->lock);
	err = chan_start_locked(chan, gp_first);
	mutex_unlock(&chan->gpu->lock);
	return err;
}

int chan_stop(struct chan *chan)
{
	int err;

	mutex_lock(&chan->gpu->lock);
	err = chan_stop_locked(chan);
	mutex_unlock(&chan->gpu->lock);
	return err;
}

void chan_destroy(struct chan *chan)
{
	struct gpu *gpu = chan->gpu;

	mutex_lock(&gpu->lock);
	/* Its memory is about to go.  Who copies for ever, or has hung the
	 * engine, is not waited for. */
	if (chan->started && chan_stop_locked(chan) == -ETIMEDOUT) {
		smp_store_release(&chan->dead, true);
		chan_retire_locked(chan);
	}
	chan_unbind(chan);
	gpu->chans[chan->id] = NULL;
	instmem_free(gpu, &chan->inst);
	mutex_unlock(&gpu->lock);
	/* A handler may have found it before. */
	if (gpu->irq)
		synchronize_irq(gpu->vector);
	kfree(chan);
}
