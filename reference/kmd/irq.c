/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The interrupt: from a unit's status to whoever waits [§5.2], [§7.4].
 *
 * One message stands for everything that is pending.  The handler goes down
 * the tree as the card comes up it: PMC says which unit, the unit says what,
 * and there it is acknowledged, exactly what was read.  Then the message is
 * re-armed, and whatever came meanwhile is the next one [§3.3].
 *
 * Two orders keep a wake-up from getting lost:
 *
 *   handler   acknowledge, then look at the words.  The other way round, a
 *             release between the two is acknowledged unseen.  The
 *             acknowledgement is a posted write: it has been made when a read
 *             of the same unit returns [§2.2], and not before.
 *   waiter    into the list, then look at the word.  The other way round, an
 *             interrupt between the two finds nobody to tell.
 *
 * Errors end a channel.  What that takes may sleep, so here the unit that met
 * the error is masked, the channel noted (chan_kill()), and its waiters told.
 */
#include "irq.h"
#include "kmd.h"
#include "event.h"
#include "vm/spec/reg.h"

/* Configuration space, as BAR0 shows it [§3.1]. */
#define XVE_MIRROR	0x088000
/* Bits of INTR_0 that are cleared at their sources [§7.4]. */
#define SOURCES (REG_FIELD_MASK(NV_PFIFO_INTR_0_MMU_FAULT) | \
		 REG_FIELD_MASK(NV_PFIFO_INTR_0_PBDMA_INTR) | \
		 REG_FIELD_MASK(NV_PFIFO_INTR_0_RUNLIST_EVENT))
/* Runlists are polled for: their event would only disturb. */
#define PFIFO_ENABLE \
	((u32)~REG_FIELD_MASK(NV_PFIFO_INTR_0_RUNLIST_EVENT))

/* What is counted, as in struct gpu_irq_stats. */
enum { INTERRUPTS, SPURIOUS, NONSTALL, FAULTS, PBDMA, COPY, LONGEST, COUNTS };

struct gpu_irq {
	struct gpu *gpu;
	unsigned int vector;
	atomic64_t count[COUNTS];
	spinlock_t lock;		/* over what follows		*/
	struct list_head events;	/* not told yet			*/
};

/* Registers that have two places ------------------------------------------- */

/* LAB 03: the bits of NV_PMC_INTR(0) that are ours. */
static u32 pmc_bits(const struct gpu *gpu)
{
	return REG_FIELD_MASK(NV_PMC_INTR_PFIFO) | BIT(gpu_copy_intr(gpu));
}

/* LAB 03: let our units through at PMC, or not [§5.2]. */
static void pmc_enable(struct gpu *gpu, bool on)
{
	if (gpu_is_pascal(gpu)) {
		gpu_wr32(gpu, on ? REG_AT(NV_PMC_INTR_EN_SET, 0) :
			 REG_AT(NV_PMC_INTR_EN_CLEAR, 0), pmc_bits(gpu));
		return;
	}
	if (on)
		gpu_wr32(gpu, REG_AT(NV_PMC_INTR_MSK, 0), pmc_bits(gpu));
	gpu_wr32(gpu, REG_AT(NV_PMC_INTR_EN, 0),
		 on ? NV_PMC_INTR_EN_INTA_HARDWARE :
		 NV_PMC_INTR_EN_INTA_DISABLED);
}

/* LAB 03: without this, no further message [§3.3]. */
static void msi_rearm(struct gpu *gpu)
{
	if (gpu_is_pascal(gpu))
		gpu_wr32(gpu, XVE_MIRROR + NV_XVE_CYA_2, 0);
	else
		writeb(0xff, (char __iomem *)gpu_registers(gpu) +
		       XVE_MIRROR + NV_XVE_MSI_CTRL);
}

/* LAB 03: the copy engine's interrupt registers [§10.2]. */
static u32 copy_intr(const struct gpu *gpu)
{
	u32 i = gpu_copy_instance(gpu);

	return gpu_is_pascal(gpu) ? REG_AT(NV_PCE_GP100_INTR, i) :
		REG_AT(NV_PCE_GM200_INTR, i);
}

/* LAB 03: … and what of it reaches PMC. */
static u32 copy_intr_en(const struct gpu *gpu)
{
	u32 i = gpu_copy_instance(gpu);

	return gpu_is_pascal(gpu) ? REG_AT(NV_PCE_GP100_INTR_EN, i) :
		REG_AT(NV_PCE_GM200_INTR_EN, i);
}

/* Events ------------------------------------------------------------------- */

/* LAB 03: has the word reached the event's value?  Numbers wrap.  A lost card's
 * may have, for nothing [§2.5]: who is told looks. */
static bool event_reached(const struct gpu_event *event)
{
	u32 word = iosys_map_rd(&event->config.word, 0, u32);

	return (s32)(word - event->config.value) >= 0;
}

/* LAB 03: tell those whose time has come, and those whose channel died. */
static void events_check(struct gpu_irq *irq)
{
	struct gpu_event *event, *next;
	unsigned long flags;

	spin_lock_irqsave(&irq->lock, flags);
	list_for_each_entry_safe(event, next, &irq->events, link) {
		if (event_reached(event) || chan_is_dead(event->config.chan))
			event_tell(event);
	}
	spin_unlock_irqrestore(&irq->lock, flags);
}

/* LAB 03: see irq.h. */
void gpu_event_check(struct gpu *gpu)
{
	struct gpu_irq *irq = gpu_irq_get(gpu);

	if (irq)
		events_check(irq);
}

/* LAB 03: see irq.h.  Into the list first, then look. */
int gpu_event_add(struct gpu *gpu, const struct gpu_event_config *config,
		  struct gpu_event **out)
{
	struct gpu_irq *irq = gpu_irq_get(gpu);
	struct gpu_event *event;
	unsigned long flags;
	bool dead;
	int err;

	if (!irq)
		return -EINVAL;
	err = event_create(gpu, config, &event);
	if (err)
		return err;

	spin_lock_irqsave(&irq->lock, flags);
	list_add_tail(&event->link, &irq->events);
	/* Asked first: what it did before it died is then in the word. */
	dead = chan_is_dead(config->chan);
	if (event_reached(event))
		event_tell(event);
	else if (dead)
		err = -EIO;
	if (err)
		list_del_init(&event->link);
	spin_unlock_irqrestore(&irq->lock, flags);

	if (err)
		event_free(event);
	else
		*out = event;
	return err;
}

/* LAB 03: see irq.h.  It is told under the lock, or not at all. */
void gpu_event_remove(struct gpu_event *event)
{
	struct gpu_irq *irq = gpu_irq_get(event->gpu);
	unsigned long flags;

	spin_lock_irqsave(&irq->lock, flags);
	list_del_init(&event->link);
	spin_unlock_irqrestore(&irq->lock, flags);
	event_free(event);
}

/* The handler -------------------------------------------------------------- */

/* LAB 03: MMU faults.  The registers first: acknowledged, they may be filled
 * anew. */
static void fault_service(struct gpu_irq *irq)
{
	struct gpu *gpu = irq->gpu;
	u32 faulted = gpu_rd32(gpu, NV_PFIFO_INTR_MMU_FAULT_ID);

	for (u32 i = 0; i < NV_PFIFO_FAULT_INST__SIZE_1; i++) {
		struct chan *chan;
		u64 inst;

		if (!(faulted & BIT(i)))
			continue;
		inst = (u64)REG_GET(NV_PFIFO_FAULT_INST_PTR,
				    gpu_rd32(gpu, REG_AT(NV_PFIFO_FAULT_INST,
							 i))) << 12;
		chan = gpu_find_chan_inst(gpu, inst);
		if (chan)
			chan_kill(chan);
		atomic64_inc(&irq->count[FAULTS]);
	}
	gpu_wr32(gpu, NV_PFIFO_INTR_MMU_FAULT_ID, faulted);
}

/*
 * LAB 03: a PBDMA met an error and stands still.  Left so, and masked, until
 * its channel has been taken off.
 */
static void pbdma_service(struct gpu_irq *irq)
{
	struct gpu *gpu = irq->gpu;
	u32 stopped = gpu_rd32(gpu, NV_PFIFO_INTR_PBDMA_ID) & gpu_pbdmas(gpu);

	for (u32 i = 0; i < NV_PFIFO_PBDMA_MAP__SIZE_1; i++) {
		struct chan *chan;
		u32 holds;

		if (!(stopped & BIT(i)))
			continue;
		gpu_wr32(gpu, REG_AT(NV_PPBDMA_INTR_EN_0, i), 0);
		gpu_wr32(gpu, REG_AT(NV_PPBDMA_INTR_EN_1, i), 0);
		holds = gpu_rd32(gpu, REG_AT(NV_PPBDMA_CHANNEL, i));
		chan = REG_GET(NV_PPBDMA_CHANNEL_VALID, holds) ?
			gpu_find_chan(gpu, REG_GET(NV_PPBDMA_CHANNEL_CHID,
						   holds)) : NULL;
		if (chan)
			chan_kill(chan);
		atomic64_inc(&irq->count[PBDMA]);
	}
}

/* LAB 03: Host.  Acknowledge what was read; errors; then the words. */
static void pfifo_service(struct gpu_irq *irq)
{
	struct gpu *gpu = irq->gpu;
	u32 intr = gpu_rd32(gpu, NV_PFIFO_INTR_0) & PFIFO_ENABLE;

	gpu_log_errors(gpu, intr);
	gpu_wr32(gpu, NV_PFIFO_INTR_0, intr & ~SOURCES);
	if (REG_GET(NV_PFIFO_INTR_0_MMU_FAULT, intr))
		fault_service(irq);
	if (REG_GET(NV_PFIFO_INTR_0_PBDMA_INTR, intr))
		pbdma_service(irq);
	/* Its registers are lost: somebody died and we do not know who. */
	if (REG_GET(NV_PFIFO_INTR_0_DROPPED_MMU_FAULT, intr))
		gpu_find_faults(gpu);
	if (REG_GET(NV_PFIFO_INTR_0_CHANNEL_INTR, intr))
		atomic64_inc(&irq->count[NONSTALL]);

	/* From here on, a new interrupt is a new one. */
	gpu_rd32(gpu, NV_PFIFO_INTR_0);
	events_check(irq);
}

/* LAB 03: the copy engine.  A launch error is as a PBDMA's. */
static void copy_service(struct gpu_irq *irq)
{
	struct gpu *gpu = irq->gpu;
	u32 intr = gpu_rd32(gpu, copy_intr(gpu));
	u32 error = intr & REG_FIELD_MASK(NV_PCE_INTR_LAUNCHERR);

	atomic64_inc(&irq->count[COPY]);
	gpu_wr32(gpu, copy_intr(gpu), intr & ~error);
	if (error) {
		u32 status = gpu_rd32(gpu, REG_AT(NV_PFIFO_ENGINE_STATUS,
						  gpu_copy_engine(gpu)));
		struct chan *chan = gpu_find_chan(gpu,
			REG_GET(NV_PFIFO_ENGINE_STATUS_ID, status));

		gpu_wr32(gpu, copy_intr_en(gpu), 0);
		if (chan)
			chan_kill(chan);
	}
	gpu_rd32(gpu, copy_intr(gpu));
	events_check(irq);
}

/*
 * LAB 03: mask, read, serve, re-arm, unmask [§3.3].  What is pending when the
 * last write arrives sends the next message.
 */
static irqreturn_t gpu_irq_handler(int vector, void *dev)
{
	struct gpu_irq *irq = dev;
	struct gpu *gpu = irq->gpu;
	u64 start = ktime_get_ns(), longest;
	u32 pending;

	(void)vector;
	atomic64_inc(&irq->count[INTERRUPTS]);
	pmc_enable(gpu, false);
	pending = gpu_rd32(gpu, REG_AT(NV_PMC_INTR, 0));
	if (pending == 0xffffffff)	/* lost: nothing to serve [§2.5] */
		return IRQ_NONE;
	pending &= pmc_bits(gpu);
	if (!pending)
		atomic64_inc(&irq->count[SPURIOUS]);
	if (pending & REG_FIELD_MASK(NV_PMC_INTR_PFIFO))
		pfifo_service(irq);
	if (pending & BIT(gpu_copy_intr(gpu)))
		copy_service(irq);
	msi_rearm(gpu);
	pmc_enable(gpu, true);

	longest = atomic64_read(&irq->count[LONGEST]);
	atomic64_set(&irq->count[LONGEST],
		     max(longest, ktime_get_ns() - start));
	return pending ? IRQ_HANDLED : IRQ_NONE;
}

/* Start and end ------------------------------------------------------------ */

/* LAB 03: the units' own enables; the sources first, PMC after them.  Those of
 * the PBDMAs are set when Host is [§7.1]. */
static void units_enable(struct gpu *gpu, bool on)
{
	gpu_wr32(gpu, copy_intr_en(gpu), on ? 0xffffffff : 0);
	gpu_wr32(gpu, NV_PFIFO_INTR_EN_0, on ? PFIFO_ENABLE : 0);
}

/*
 * LAB 03: see irq.h.  The handler is in place before anything can call it;
 * the top of the tree is opened last.  Then nobody waits yet: what is pending
 * from before is served like any interrupt.
 */
int gpu_irq_init(struct gpu *gpu)
{
	struct gpu_irq *irq;
	int vector, err;

	if (gpu_irq_get(gpu))
		return -EBUSY;
	irq = kzalloc(sizeof(*irq), GFP_KERNEL);
	if (!irq)
		return -ENOMEM;
	irq->gpu = gpu;
	spin_lock_init(&irq->lock);
	INIT_LIST_HEAD(&irq->events);

	vector = gpu_bus_irq(gpu_bus(gpu));
	err = vector;
	if (vector < 0)
		goto free_irq;
	irq->vector = vector;
	err = request_irq(vector, gpu_irq_handler, IRQF_NO_THREAD, "gpu", irq);
	if (err)
		goto release_vector;

	gpu_irq_set(gpu, irq, vector);
	units_enable(gpu, true);
	msi_rearm(gpu);		/* the last driver may not have */
	pmc_enable(gpu, true);
	return 0;

release_vector:
	gpu_bus_irq_release(gpu_bus(gpu));
free_irq:
	kfree(irq);
	return err;
}

/*
 * LAB 03: see irq.h.  In reverse.  The read makes the writes arrive before
 * free_irq() waits for the handler, and the second time a handler that was
 * running has not opened the tree again.
 */
void gpu_irq_fini(struct gpu *gpu)
{
	struct gpu_irq *irq = gpu_irq_get(gpu);

	if (!irq)
		return;
	units_enable(gpu, false);
	pmc_enable(gpu, false);
	gpu_rd32(gpu, REG_AT(NV_PMC_INTR, 0));
	free_irq(irq->vector, irq);
	pmc_enable(gpu, false);
	gpu_rd32(gpu, REG_AT(NV_PMC_INTR, 0));
	gpu_irq_set(gpu, NULL, 0);
	gpu_bus_irq_release(gpu_bus(gpu));
	kfree(irq);
}

/* LAB 03: see irq.h. */
void gpu_irq_stats(struct gpu *gpu, struct gpu_irq_stats *stats)
{
	struct gpu_irq *irq = gpu_irq_get(gpu);

	memset(stats, 0, sizeof(*stats));
	if (!irq)
		return;
	stats->interrupts = atomic64_read(&irq->count[INTERRUPTS]);
	stats->spurious = atomic64_read(&irq->count[SPURIOUS]);
	stats->nonstall = atomic64_read(&irq->count[NONSTALL]);
	stats->faults = atomic64_read(&irq->count[FAULTS]);
	stats->pbdma = atomic64_read(&irq->count[PBDMA]);
	stats->copy = atomic64_read(&irq->count[COPY]);
	stats->longest_ns = atomic64_read(&irq->count[LONGEST]);
}
