/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Channels that died, and what an interrupt handler may ask about channels
 * [§7.4].
 *
 * A fault ends one channel; the others go on.  The handler only notes it:
 * taking a channel off Host polls, and takes the lock that a thread may hold
 * which the handler has interrupted.  So the rest is work.  Until it has run,
 * the unit that met the error stands still, with its interrupt masked: what
 * the dead channel had queued behind the error is not executed.
 *
 * The handler finds channels without a lock.  A channel that is destroyed is
 * taken out of the table first, and freed when no handler can know it.
 */
#include "chan.h"
#include "irq.h"

bool gpu_is_pascal(const struct gpu *gpu)
{
	return gpu->chip->chipset >= chip_gp100.chipset;
}

u32 gpu_copy_intr(const struct gpu *gpu)
{
	return gpu->copy.intr_bit;
}

/* Before Pascal the engine's number is part of its type. */
u32 gpu_copy_instance(const struct gpu *gpu)
{
	u32 type = gpu->copy.type;

	return type == NV_PTOP_DEVICE_INFO_TYPE_ENUM_LCE ?
		gpu->copy.instance :
		type - NV_PTOP_DEVICE_INFO_TYPE_ENUM_COPY0;
}

u32 gpu_copy_engine(const struct gpu *gpu)
{
	return gpu->copy.id;
}

u32 gpu_pbdmas(const struct gpu *gpu)
{
	return gpu->pbdmas;
}

struct gpu_irq *gpu_irq_get(struct gpu *gpu)
{
	return smp_load_acquire(&gpu->irq);
}

void gpu_irq_set(struct gpu *gpu, struct gpu_irq *irq, unsigned int vector)
{
	gpu->vector = vector;
	smp_store_release(&gpu->irq, irq);
}

struct chan *gpu_find_chan(struct gpu *gpu, u32 id)
{
	return id < HOST_CHANNELS ? READ_ONCE(gpu->chans[id]) : NULL;
}

struct chan *gpu_find_chan_inst(struct gpu *gpu, u64 inst)
{
	for (u32 i = 0; i < HOST_CHANNELS; i++) {
		struct chan *chan = READ_ONCE(gpu->chans[i]);

		if (chan && chan->inst.addr == inst)
			return chan;
	}
	return NULL;
}

bool chan_is_dead(const struct chan *chan)
{
	return smp_load_acquire(&chan->dead);
}

int chan_error(const struct chan *chan)
{
	if (chan_is_dead(chan))
		return -EIO;
	return gpu_is_lost(chan->gpu) ? -ENODEV : 0;
}

void chan_kill(struct chan *chan)
{
	smp_store_release(&chan->dead, true);
	schedule_work(&chan->gpu->recover);
}

void gpu_find_faults(struct gpu *gpu)
{
	schedule_work(&gpu->recover);
}

static void log_error(const char *name, u32 code)
{
	pr_err("Host: %s, code 0x%x\n", name, code);
}

/* For who reads the log: the codes say what Host was told wrong. */
void gpu_log_errors(struct gpu *gpu, u32 intr)
{
	if (REG_GET(NV_PFIFO_INTR_0_BIND_ERROR, intr))
		log_error("BIND_ERROR", REG_GET(NV_PFIFO_INTR_BIND_ERROR_CODE,
			gpu_rd32(gpu, NV_PFIFO_INTR_BIND_ERROR)));
	if (REG_GET(NV_PFIFO_INTR_0_SCHED_ERROR, intr))
		log_error("SCHED_ERROR", REG_GET(NV_PFIFO_INTR_SCHED_ERROR_CODE,
			gpu_rd32(gpu, NV_PFIFO_INTR_SCHED_ERROR)));
	if (REG_GET(NV_PFIFO_INTR_0_CHSW_ERROR, intr))
		log_error("CHSW_ERROR", REG_GET(NV_PFIFO_INTR_CHSW_ERROR_CODE,
			gpu_rd32(gpu, NV_PFIFO_INTR_CHSW_ERROR)));
}

/* The copy engine's interrupt registers [§10.2]. */
static u32 copy_intr(const struct gpu *gpu)
{
	u32 i = gpu_copy_instance(gpu);

	return gpu_is_pascal(gpu) ? REG_AT(NV_PCE_GP100_INTR, i) :
		REG_AT(NV_PCE_GM200_INTR, i);
}

static u32 copy_intr_en(const struct gpu *gpu)
{
	u32 i = gpu_copy_instance(gpu);

	return gpu_is_pascal(gpu) ? REG_AT(NV_PCE_GP100_INTR_EN, i) :
		REG_AT(NV_PCE_GM200_INTR_EN, i);
}

/* Acknowledge what was read, and let it interrupt again [§10.2]. */
void gpu_copy_clear_errors(struct gpu *gpu)
{
	gpu_wr32(gpu, copy_intr(gpu), gpu_rd32(gpu, copy_intr(gpu)));
	if (gpu->irq)
		gpu_wr32(gpu, copy_intr_en(gpu), 0xffffffff);
}

/* Off and on [§5.1].  No handler may look at it meanwhile; and the channel
 * whose copy it was at need not be the one that shall go. */
void gpu_copy_reset(struct gpu *gpu)
{
	u32 bit = gpu->copy.has_reset ? BIT(gpu->copy.reset_bit) : 0;
	u32 status = gpu_rd32(gpu, REG_AT(NV_PFIFO_ENGINE_STATUS,
					  gpu->copy.id));
	struct chan *chan = gpu_find_chan(gpu,
		REG_GET(NV_PFIFO_ENGINE_STATUS_ID, status));

	pr_err("%s: the copy engine is reset\n", gpu->bus->name);
	if (chan)
		chan_kill(chan);
	gpu_wr32(gpu, copy_intr_en(gpu), 0);
	gpu_rd32(gpu, copy_intr_en(gpu));
	if (gpu->irq)
		synchronize_irq(gpu->vector);
	gpu_mask32(gpu, NV_PMC_ENABLE, bit, 0);
	gpu_rd32(gpu, NV_PMC_ENABLE);	/* off has arrived, now on */
	gpu_mask32(gpu, NV_PMC_ENABLE, 0, bit);
	gpu_copy_clear_errors(gpu);
	gpu_event_check(gpu);
}

/* True if a channel was found dead that nobody had noticed. */
static bool chan_recover(struct chan *chan)
{
	bool news = chan->started && !chan_is_dead(chan) &&
		chan_has_faulted(chan);
	int err;

	if (news)
		smp_store_release(&chan->dead, true);
	if (!chan_is_dead(chan) || chan->retired)
		return news;
	err = chan_retire_locked(chan);
	if (err)
		pr_err("channel %u does not leave Host: %d\n", chan->id, err);
	return news;
}

static void recover(struct work_struct *work)
{
	struct gpu *gpu = container_of(work, struct gpu, recover);
	bool news = false;

	mutex_lock(&gpu->lock);
	for (u32 i = 0; i < HOST_CHANNELS; i++) {
		if (gpu->chans[i] && chan_recover(gpu->chans[i]))
			news = true;
	}
	mutex_unlock(&gpu->lock);
	if (news)
		gpu_event_check(gpu);
}

/* Nobody takes them off Host here: they are about to be destroyed. */
void gpu_kill_all(struct gpu *gpu)
{
	mutex_lock(&gpu->lock);
	for (u32 i = 0; i < HOST_CHANNELS; i++) {
		if (gpu->chans[i])
			smp_store_release(&gpu->chans[i]->dead, true);
	}
	mutex_unlock(&gpu->lock);
	gpu_event_check(gpu);
}

void gpu_recover_init(struct gpu *gpu)
{
	INIT_WORK(&gpu->recover, recover);
}

void gpu_recover_fini(struct gpu *gpu)
{
	cancel_work_sync(&gpu->recover);
}
