/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The interrupt of another design: PMC stays open, and the handler goes round
 * until nothing is pending, before it re-arms.
 */
#include "irq.h"
#include "kmd.h"
#include "event.h"
#include "vm/spec/reg.h"

#define MIRROR		0x88000u
#define ROUNDS		8
#define OURS		(REG_FIELD_MASK(NV_PFIFO_INTR_0_BIND_ERROR) | \
			 REG_FIELD_MASK(NV_PFIFO_INTR_0_SCHED_ERROR) | \
			 REG_FIELD_MASK(NV_PFIFO_INTR_0_CHSW_ERROR) | \
			 REG_FIELD_MASK(NV_PFIFO_INTR_0_DROPPED_MMU_FAULT) | \
			 REG_FIELD_MASK(NV_PFIFO_INTR_0_CHANNEL_INTR))
#define ENABLED		((u32)(OURS | \
			 REG_FIELD_MASK(NV_PFIFO_INTR_0_MMU_FAULT) | \
			 REG_FIELD_MASK(NV_PFIFO_INTR_0_PBDMA_INTR)))

struct gpu_irq {
	spinlock_t lock;
	struct list_head events;
	struct gpu_irq_stats stats;
	struct gpu *gpu;
	int vector;
	u32 copy, copy_en, units;
};

static void tree_open(const struct gpu_irq *irq)
{
	if (gpu_is_pascal(irq->gpu)) {
		gpu_wr32(irq->gpu, REG_AT(NV_PMC_INTR_EN_SET, 0), irq->units);
	} else {
		gpu_wr32(irq->gpu, REG_AT(NV_PMC_INTR_MSK, 0), irq->units);
		gpu_wr32(irq->gpu, REG_AT(NV_PMC_INTR_EN, 0),
			 NV_PMC_INTR_EN_INTA_HARDWARE);
	}
}

static void tree_close(const struct gpu_irq *irq)
{
	if (gpu_is_pascal(irq->gpu))
		gpu_wr32(irq->gpu, REG_AT(NV_PMC_INTR_EN_CLEAR, 0),
			 irq->units);
	else
		gpu_wr32(irq->gpu, REG_AT(NV_PMC_INTR_EN, 0),
			 NV_PMC_INTR_EN_INTA_DISABLED);
	gpu_rd32(irq->gpu, REG_AT(NV_PMC_INTR, 0));
}

static void rearm(struct gpu *gpu)
{
	if (gpu_is_pascal(gpu))
		gpu_wr32(gpu, MIRROR + 0x704, 0);
	else
		writeb(0xff, (char __iomem *)gpu_registers(gpu) + MIRROR +
		       0x68);
}

static void tell_all(struct gpu_irq *irq)
{
	struct gpu_event *event, *next;
	unsigned long flags;

	spin_lock_irqsave(&irq->lock, flags);
	list_for_each_entry_safe(event, next, &irq->events, link) {
		u32 word = iosys_map_rd(&event->config.word, 0, u32);

		if (word - event->config.value < 0x80000000u ||
		    chan_error(event->config.chan) == -EIO)
			event_tell(event);
	}
	spin_unlock_irqrestore(&irq->lock, flags);
}

void gpu_event_check(struct gpu *gpu)
{
	if (gpu_irq_get(gpu))
		tell_all(gpu_irq_get(gpu));
}

static void kill(struct chan *chan)
{
	if (chan)
		chan_kill(chan);
}

static void faults(struct gpu_irq *irq)
{
	struct gpu *gpu = irq->gpu;
	u32 which = gpu_rd32(gpu, NV_PFIFO_INTR_MMU_FAULT_ID);

	for (u32 i = 0; i < NV_PFIFO_FAULT_INST__SIZE_1; i++) {
		u32 inst;

		if (!(which >> i & 1))
			continue;
		inst = gpu_rd32(gpu, REG_AT(NV_PFIFO_FAULT_INST, i));
		kill(gpu_find_chan_inst(gpu, (u64)REG_GET(
				NV_PFIFO_FAULT_INST_PTR, inst) << 12));
		irq->stats.faults++;
	}
	gpu_wr32(gpu, NV_PFIFO_INTR_MMU_FAULT_ID, which);
}

static void pbdmas(struct gpu_irq *irq)
{
	struct gpu *gpu = irq->gpu;
	u32 which = gpu_rd32(gpu, NV_PFIFO_INTR_PBDMA_ID) & gpu_pbdmas(gpu);

	for (u32 i = 0; which; i++, which >>= 1) {
		u32 holds;

		if (!(which & 1))
			continue;
		gpu_wr32(gpu, REG_AT(NV_PPBDMA_INTR_EN_0, i), 0);
		gpu_wr32(gpu, REG_AT(NV_PPBDMA_INTR_EN_1, i), 0);
		holds = gpu_rd32(gpu, REG_AT(NV_PPBDMA_CHANNEL, i));
		if (REG_GET(NV_PPBDMA_CHANNEL_VALID, holds))
			kill(gpu_find_chan(gpu, REG_GET(
				NV_PPBDMA_CHANNEL_CHID, holds)));
		irq->stats.pbdma++;
	}
}

static void host(struct gpu_irq *irq)
{
	u32 intr = gpu_rd32(irq->gpu, NV_PFIFO_INTR_0);

	gpu_wr32(irq->gpu, NV_PFIFO_INTR_0, intr & (u32)OURS);
	if (REG_GET(NV_PFIFO_INTR_0_CHANNEL_INTR, intr))
		irq->stats.nonstall++;
	if (REG_GET(NV_PFIFO_INTR_0_MMU_FAULT, intr))
		faults(irq);
	if (REG_GET(NV_PFIFO_INTR_0_PBDMA_INTR, intr))
		pbdmas(irq);
	if (REG_GET(NV_PFIFO_INTR_0_DROPPED_MMU_FAULT, intr))
		gpu_find_faults(irq->gpu);
}

static void copies(struct gpu_irq *irq)
{
	u32 intr = gpu_rd32(irq->gpu, irq->copy);
	u32 error = intr & REG_FIELD_MASK(NV_PCE_INTR_LAUNCHERR);

	gpu_wr32(irq->gpu, irq->copy, intr & ~error);
	irq->stats.copy++;
	if (error) {
		u32 status = gpu_rd32(irq->gpu, REG_AT(NV_PFIFO_ENGINE_STATUS,
			gpu_copy_engine(irq->gpu)));

		gpu_wr32(irq->gpu, irq->copy_en, 0);
		kill(gpu_find_chan(irq->gpu, REG_GET(
			NV_PFIFO_ENGINE_STATUS_ID, status)));
	}
}

static irqreturn_t own_handler(int vector, void *dev)
{
	struct gpu_irq *irq = dev;
	u64 start = ktime_get_ns();
	unsigned int round;
	u32 pending;

	(void)vector;
	irq->stats.interrupts++;
	for (round = 0; round < ROUNDS; round++) {
		pending = gpu_rd32(irq->gpu, REG_AT(NV_PMC_INTR, 0));
		if (pending == 0xffffffff)
			return IRQ_NONE;
		pending &= irq->units;
		if (!pending)
			break;
		if (REG_GET(NV_PMC_INTR_PFIFO, pending))
			host(irq);
		if (pending & ~REG_FIELD_MASK(NV_PMC_INTR_PFIFO))
			copies(irq);
	}
	if (!round)
		irq->stats.spurious++;
	/* PMC was read after the last acknowledgement: it has arrived. */
	tell_all(irq);
	rearm(irq->gpu);
	irq->stats.longest_ns = max(irq->stats.longest_ns,
				    ktime_get_ns() - start);
	return round ? IRQ_HANDLED : IRQ_NONE;
}

int gpu_event_add(struct gpu *gpu, const struct gpu_event_config *config,
		  struct gpu_event **out)
{
	struct gpu_irq *irq = gpu_irq_get(gpu);
	struct gpu_event *event;
	unsigned long flags;
	int err, error;
	u32 word;

	if (!irq)
		return -EINVAL;
	err = event_create(gpu, config, &event);
	if (err)
		return err;
	spin_lock_irqsave(&irq->lock, flags);
	list_add(&event->link, &irq->events);
	/* The word last: then death came first. */
	error = chan_error(config->chan);
	word = iosys_map_rd(&config->word, 0, u32);
	if (word - config->value < 0x80000000u)
		event_tell(event);
	else if (error == -EIO)
		err = -EIO;
	if (err)
		list_del_init(&event->link);
	spin_unlock_irqrestore(&irq->lock, flags);
	if (err) {
		event_free(event);
		return err;
	}
	*out = event;
	return 0;
}

void gpu_event_remove(struct gpu_event *event)
{
	struct gpu_irq *irq = gpu_irq_get(event->gpu);
	unsigned long flags;

	spin_lock_irqsave(&irq->lock, flags);
	list_del_init(&event->link);
	spin_unlock_irqrestore(&irq->lock, flags);
	event_free(event);
}

static void places(struct gpu_irq *irq)
{
	u32 i = gpu_copy_instance(irq->gpu);
	bool pascal = gpu_is_pascal(irq->gpu);

	irq->copy = pascal ? REG_AT(NV_PCE_GP100_INTR, i) :
		REG_AT(NV_PCE_GM200_INTR, i);
	irq->copy_en = pascal ? REG_AT(NV_PCE_GP100_INTR_EN, i) :
		REG_AT(NV_PCE_GM200_INTR_EN, i);
	irq->units = REG_FIELD_MASK(NV_PMC_INTR_PFIFO) |
		BIT(gpu_copy_intr(irq->gpu));
}

int gpu_irq_init(struct gpu *gpu)
{
	struct gpu_irq *irq;
	int err;

	if (gpu_irq_get(gpu))
		return -EBUSY;
	irq = kzalloc(sizeof(*irq), GFP_KERNEL);
	if (!irq)
		return -ENOMEM;
	irq->gpu = gpu;
	places(irq);
	spin_lock_init(&irq->lock);
	INIT_LIST_HEAD(&irq->events);
	err = irq->vector = gpu_bus_irq(gpu_bus(gpu));
	if (err < 0)
		goto free_irq;
	err = request_irq(irq->vector, own_handler, 0, "own", irq);
	if (err)
		goto release;
	gpu_irq_set(gpu, irq, irq->vector);
	gpu_wr32(gpu, irq->copy_en, 0xffffffff);
	gpu_wr32(gpu, NV_PFIFO_INTR_EN_0, ENABLED);
	rearm(gpu);
	tree_open(irq);
	return 0;

release:
	gpu_bus_irq_release(gpu_bus(gpu));
free_irq:
	kfree(irq);
	return err;
}

void gpu_irq_fini(struct gpu *gpu)
{
	struct gpu_irq *irq = gpu_irq_get(gpu);

	if (!irq)
		return;
	gpu_wr32(gpu, NV_PFIFO_INTR_EN_0, 0);
	gpu_wr32(gpu, irq->copy_en, 0);
	tree_close(irq);
	free_irq(irq->vector, irq);
	gpu_irq_set(gpu, NULL, 0);
	gpu_bus_irq_release(gpu_bus(gpu));
	kfree(irq);
}

void gpu_irq_stats(struct gpu *gpu, struct gpu_irq_stats *stats)
{
	*stats = (struct gpu_irq_stats){ 0 };
	if (gpu_irq_get(gpu))
		*stats = gpu_irq_get(gpu)->stats;
}
