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
	return 0;
}

/* LAB 03: let our units through at PMC, or not [§5.2]. */
static void pmc_enable(struct gpu *gpu, bool on)
{
}

/* LAB 03: without this, no further message [§3.3]. */
static void msi_rearm(struct gpu *gpu)
{
}

/* LAB 03: the copy engine's interrupt registers [§10.2]. */
static u32 copy_intr(const struct gpu *gpu)
{
	return 0;
}

/* LAB 03: … and what of it reaches PMC. */
static u32 copy_intr_en(const struct gpu *gpu)
{
	return 0;
}

/* Events ------------------------------------------------------------------- */

/* LAB 03: has the word reached the event's value?  Numbers wrap.  A lost card's
 * may have, for nothing [§2.5]: who is told looks. */
static bool event_reached(const struct gpu_event *event)
{
	return false;
}

/* LAB 03: tell those whose time has come, and those whose channel died. */
static void events_check(struct gpu_irq *irq)
{
}

/* LAB 03: see irq.h. */
void gpu_event_check(struct gpu *gpu)
{
}

/* LAB 03: see irq.h.  Into the list first, then look. */
int gpu_event_add(struct gpu *gpu, const struct gpu_event_config *config,
		  struct gpu_event **out)
{
	return -ENOSYS;
}

/* LAB 03: see irq.h.  It is told under the lock, or not at all. */
void gpu_event_remove(struct gpu_event *event)
{
}

/* The handler -------------------------------------------------------------- */

/* LAB 03: MMU faults.  The registers first: acknowledged, they may be filled
 * anew. */
static void fault_service(struct gpu_irq *irq)
{
}

/*
 * LAB 03: a PBDMA met an error and stands still.  Left so, and masked, until
 * its channel has been taken off.
 */
static void pbdma_service(struct gpu_irq *irq)
{
}

/* LAB 03: Host.  Acknowledge what was read; errors; then the words. */
static void pfifo_service(struct gpu_irq *irq)
{
}

/* LAB 03: the copy engine.  A launch error is as a PBDMA's. */
static void copy_service(struct gpu_irq *irq)
{
}

/*
 * LAB 03: mask, read, serve, re-arm, unmask [§3.3].  What is pending when the
 * last write arrives sends the next message.
 */
static irqreturn_t gpu_irq_handler(int vector, void *dev)
{
	return IRQ_NONE;
}

/* Start and end ------------------------------------------------------------ */

/* LAB 03: the units' own enables; the sources first, PMC after them.  Those of
 * the PBDMAs are set when Host is [§7.1]. */
static void units_enable(struct gpu *gpu, bool on)
{
}

/*
 * LAB 03: see irq.h.  The handler is in place before anything can call it;
 * the top of the tree is opened last.  Then nobody waits yet: what is pending
 * from before is served like any interrupt.
 */
int gpu_irq_init(struct gpu *gpu)
{
	return -ENOSYS;
}

/*
 * LAB 03: see irq.h.  In reverse.  The read makes the writes arrive before
 * free_irq() waits for the handler, and the second time a handler that was
 * running has not opened the tree again.
 */
void gpu_irq_fini(struct gpu *gpu)
{
}

/* LAB 03: see irq.h. */
void gpu_irq_stats(struct gpu *gpu, struct gpu_irq_stats *stats)
{
}
