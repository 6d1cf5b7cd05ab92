/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The interrupt: a tree of status bits, from PMC down to the units [§5.2].
 *
 * Each level is a table of leaves: which bits, who serves them, what counts
 * them.  A handler's run goes over the tables in two passes:
 *
 *   serve   read what is pending, take out of the registers what will not
 *           stay there, and acknowledge exactly what was read.
 *   look    one read of the card: by PCI's order every acknowledgement has
 *           been made when it returns [§2.2].  Only then are words looked at,
 *           and is work sent to look: what comes from here on sets the bit
 *           anew.
 *
 * A unit that met an error is not acknowledged but masked.  It stands still,
 * on purpose, until work has taken its channel off [§7.4].  Here too the mask
 * has to have arrived first: the work runs on another CPU, and what it writes
 * may overtake what we wrote.
 */
#include "irq_state.h"
#include "kmd.h"
#include "vm/spec/reg.h"

/* Configuration space, as BAR0 shows it [§3.1]. */
#define XVE_MIRROR	0x088000

#define HOST(name)	((u32)REG_FIELD_MASK(NV_PFIFO_INTR_0_##name))
/* Runlists are polled for: their event would only disturb. */
#define HOST_ENABLE	(~HOST(RUNLIST_EVENT))
/* What is cleared elsewhere [§7.4]. */
#define HOST_ELSEWHERE	(HOST(MMU_FAULT) | HOST(PBDMA_INTR) | \
			 HOST(RUNLIST_EVENT))
#define LAUNCH_ERROR	((u32)REG_FIELD_MASK(NV_PCE_INTR_LAUNCHERR))

/* Registers --------------------------------------------------------------- */

/* What is pending there.  All ones is the answer of a lost card [§2.5]. */
static u32 status(struct gpu *gpu, u32 offset)
{
	u32 bits = gpu_rd32(gpu, offset);

	return bits == 0xffffffff ? 0 : bits;
}

/* The bits of NV_PMC_INTR(0) that are ours. */
static u32 pmc_bits(const struct gpu *gpu)
{
	return (u32)REG_FIELD_MASK(NV_PMC_INTR_PFIFO) |
		1u << gpu_copy_intr(gpu);
}

static void pmc_close(struct gpu *gpu)
{
	if (gpu_is_pascal(gpu))
		gpu_wr32(gpu, REG_AT(NV_PMC_INTR_EN_CLEAR, 0), pmc_bits(gpu));
	else
		gpu_wr32(gpu, REG_AT(NV_PMC_INTR_EN, 0),
			 NV_PMC_INTR_EN_INTA_DISABLED);
}

static void pmc_open(struct gpu *gpu)
{
	if (gpu_is_pascal(gpu))
		gpu_wr32(gpu, REG_AT(NV_PMC_INTR_EN_SET, 0), pmc_bits(gpu));
	else
		gpu_wr32(gpu, REG_AT(NV_PMC_INTR_EN, 0),
			 NV_PMC_INTR_EN_INTA_HARDWARE);
}

/* Without this, no further message [§3.3]. */
static void msi_rearm(struct gpu *gpu)
{
	char __iomem *mirror = (char __iomem *)gpu_registers(gpu) + XVE_MIRROR;

	if (gpu_is_pascal(gpu))
		writel(0, mirror + NV_XVE_CYA_2);
	else
		writeb(0xff, mirror + NV_XVE_MSI_CTRL);
}

/* The copy engine's registers [§10.2]. */
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

/* Leaves ------------------------------------------------------------------ */

/* Bits of one level of the tree. */
struct leaf {
	u32 bits;
	int counter;			/* or COUNTS: none		*/
	/* What is there besides counting them; NULL: nothing. */
	void (*serve)(struct gpu_irq *irq, u32 bits);
};

static void leaves_serve(struct gpu_irq *irq, const struct leaf *leaf,
			 size_t count, u32 pending)
{
	for (; count; count--, leaf++) {
		u32 bits = pending & leaf->bits;

		if (!bits)
			continue;
		if (leaf->counter != COUNTS)
			atomic64_inc(&irq->count[leaf->counter]);
		if (leaf->serve)
			leaf->serve(irq, bits);
	}
}

/* The registers first: acknowledged, they may be filled anew. */
static void fault_serve(struct gpu_irq *irq, u32 bits)
{
	struct gpu *gpu = irq->gpu;
	u32 engines = status(gpu, NV_PFIFO_INTR_MMU_FAULT_ID);

	for (u32 i = 0; i < 32; i++) {
		u64 inst, addr;
		struct chan *chan;

		if (!(engines & 1u << i))
			continue;
		inst = REG_GET(NV_PFIFO_FAULT_INST_PTR, status(gpu,
			       REG_AT(NV_PFIFO_FAULT_INST, i))) << 12;
		addr = (u64)gpu_rd32(gpu, REG_AT(NV_PFIFO_FAULT_VAHI, i)) << 32;
		addr |= gpu_rd32(gpu, REG_AT(NV_PFIFO_FAULT_VALO, i));
		pr_err("MMU engine %u: fault at 0x%llx, info 0x%x\n", i,
		       (unsigned long long)addr,
		       gpu_rd32(gpu, REG_AT(NV_PFIFO_FAULT_INFO, i)));
		chan = gpu_find_chan_inst(gpu, inst);
		if (chan)
			chan_kill(chan);
		else
			irq->faults = true;
	}
	gpu_wr32(gpu, NV_PFIFO_INTR_MMU_FAULT_ID, engines);
	(void)bits;
}

/* A fault whose registers were taken: some channel has FAULTED bits. */
static void dropped_serve(struct gpu_irq *irq, u32 bits)
{
	irq->faults = true;
	(void)bits;
}

/* The buffer is full, and says so once until it is told that we know. */
static void overflow_serve(struct gpu_irq *irq, u32 bits)
{
	pr_err("fault buffer: overflow\n");
	if (gpu_is_pascal(irq->gpu))
		gpu_wr32(irq->gpu, NV_PFIFO_REPLAYABLE_FAULT_BUFFER_INFO,
			 (u32)REG_FIELD_MASK(
			 NV_PFIFO_REPLAYABLE_FAULT_BUFFER_INFO_OVERFLOW));
	(void)bits;
}

/*
 * It stands still, and shall.  What is not a channel's (any more) is nobody's
 * to end, and acknowledged.
 */
static void pbdma_stop(struct gpu_irq *irq, u32 i)
{
	struct gpu *gpu = irq->gpu;
	u32 intr_0 = status(gpu, REG_AT(NV_PPBDMA_INTR_0, i));
	u32 intr_1 = status(gpu, REG_AT(NV_PPBDMA_INTR_1, i));
	u32 enable_0 = gpu_rd32(gpu, REG_AT(NV_PPBDMA_INTR_EN_0, i));
	u32 enable_1 = gpu_rd32(gpu, REG_AT(NV_PPBDMA_INTR_EN_1, i));
	struct chan *chan = NULL;
	u32 loaded;

	gpu_wr32(gpu, REG_AT(NV_PPBDMA_INTR_EN_0, i), 0);
	gpu_wr32(gpu, REG_AT(NV_PPBDMA_INTR_EN_1, i), 0);
	loaded = status(gpu, REG_AT(NV_PPBDMA_CHANNEL, i));
	if (REG_GET(NV_PPBDMA_CHANNEL_VALID, loaded))
		chan = gpu_find_chan(gpu, REG_GET(NV_PPBDMA_CHANNEL_CHID,
						  loaded));
	pr_err("PBDMA %u: error, 0x%08x 0x%08x\n", i, intr_0, intr_1);
	if (chan) {
		chan_kill(chan);
		return;
	}
	gpu_wr32(gpu, REG_AT(NV_PPBDMA_INTR_0, i), intr_0);
	gpu_wr32(gpu, REG_AT(NV_PPBDMA_INTR_1, i), intr_1);
	gpu_wr32(gpu, REG_AT(NV_PPBDMA_INTR_EN_0, i), enable_0);
	gpu_wr32(gpu, REG_AT(NV_PPBDMA_INTR_EN_1, i), enable_1);
}

static void pbdma_serve(struct gpu_irq *irq, u32 bits)
{
	u32 pbdmas = status(irq->gpu, NV_PFIFO_INTR_PBDMA_ID);

	for (u32 i = 0; i < NV_PPBDMA_INTR_0__SIZE_1; i++) {
		if (pbdmas & 1u << i)
			pbdma_stop(irq, i);
	}
	(void)bits;
}

static void errors_serve(struct gpu_irq *irq, u32 bits)
{
	gpu_log_errors(irq->gpu, bits);
}

static const struct leaf host_leaves[] = {
	{ HOST(CHANNEL_INTR), NONSTALL, NULL },
	{ HOST(MMU_FAULT), FAULTS, fault_serve },
	{ HOST(DROPPED_MMU_FAULT), FAULTS, dropped_serve },
	{ HOST(PBDMA_INTR), PBDMA, pbdma_serve },
	{ HOST(REPLAYABLE_FAULT_ERROR), COUNTS, overflow_serve },
	{ HOST(BIND_ERROR) | HOST(SCHED_ERROR) | HOST(CHSW_ERROR), COUNTS,
	  errors_serve },
};

static void host_serve(struct gpu_irq *irq)
{
	u32 pending = status(irq->gpu, NV_PFIFO_INTR_0) & HOST_ENABLE;

	leaves_serve(irq, host_leaves, ARRAY_SIZE(host_leaves), pending);
	gpu_wr32(irq->gpu, NV_PFIFO_INTR_0, pending & ~HOST_ELSEWHERE);
}

static struct chan *copy_chan(struct gpu *gpu)
{
	u32 engine = status(gpu, REG_AT(NV_PFIFO_ENGINE_STATUS,
					gpu_copy_engine(gpu)));

	if (!REG_GET(NV_PFIFO_ENGINE_STATUS_CTX_STATUS, engine))
		return NULL;
	return gpu_find_chan(gpu, REG_GET(NV_PFIFO_ENGINE_STATUS_ID, engine));
}

/* A launch error is as a PBDMA's; launches that are done are not. */
static void copy_serve(struct gpu_irq *irq)
{
	struct gpu *gpu = irq->gpu;
	u32 pending = status(gpu, copy_intr(gpu));
	struct chan *chan;

	if (pending)
		atomic64_inc(&irq->count[COPY]);
	if (pending & LAUNCH_ERROR) {
		pr_err("copy engine: launch error\n");
		gpu_wr32(gpu, copy_intr_en(gpu), ~LAUNCH_ERROR);
		chan = copy_chan(gpu);
		if (chan) {
			chan_kill(chan);
			pending &= ~LAUNCH_ERROR;
		}
	}
	gpu_wr32(gpu, copy_intr(gpu), pending);
	if (pending & LAUNCH_ERROR)
		gpu_wr32(gpu, copy_intr_en(gpu), 0xffffffff);
}

/* The handler ------------------------------------------------------------- */

/* All acknowledgements have been made when the read returns; now look. */
static void look(struct gpu_irq *irq)
{
	bool faults = irq->faults;

	irq->faults = false;
	gpu_rd32(irq->gpu, NV_PFIFO_INTR_0);
	if (faults)
		gpu_find_faults(irq->gpu);
	events_check(irq);
}

static void count_run(struct gpu_irq *irq, u64 begin, bool found)
{
	s64 spent = (s64)(ktime_get_ns() - begin);

	if (spent > atomic64_read(&irq->count[LONGEST]))
		atomic64_set(&irq->count[LONGEST], spent);
	if (!found)
		atomic64_inc(&irq->count[SPURIOUS]);
}

/*
 * Mask, read, serve, look, re-arm, unmask [§3.3].  What is pending when the
 * last write arrives sends the next message.
 */
static irqreturn_t gpu_irq_handler(int vector, void *dev)
{
	struct gpu_irq *irq = dev;
	struct gpu *gpu = irq->gpu;
	u64 begin = ktime_get_ns();
	u32 pending;

	(void)vector;
	atomic64_inc(&irq->count[INTERRUPTS]);
	pmc_close(gpu);
	pending = status(gpu, REG_AT(NV_PMC_INTR, 0)) & pmc_bits(gpu);
	if (REG_GET(NV_PMC_INTR_PFIFO, pending))
		host_serve(irq);
	if (pending & 1u << gpu_copy_intr(gpu))
		copy_serve(irq);
	if (pending)
		look(irq);
	msi_rearm(gpu);
	pmc_open(gpu);
	count_run(irq, begin, pending);
	return pending ? IRQ_HANDLED : IRQ_NONE;
}

/* Start and end ----------------------------------------------------------- */

/*
 * What the units let through.  The PBDMAs' are the core's [§7.1].  The
 * non-stalling tree stays empty: bit 31 comes by the other.
 */
static void units_enable(struct gpu *gpu, bool on)
{
	gpu_wr32(gpu, copy_intr_en(gpu), on ? 0xffffffff : 0);
	gpu_wr32(gpu, NV_PFIFO_INTR_EN_1, 0);
	gpu_wr32(gpu, NV_PFIFO_INTR_EN_0, on ? HOST_ENABLE : 0);
}

static void tree_open(struct gpu *gpu)
{
	units_enable(gpu, true);
	if (!gpu_is_pascal(gpu))
		gpu_wr32(gpu, REG_AT(NV_PMC_INTR_MSK, 0), pmc_bits(gpu));
	msi_rearm(gpu);
	pmc_open(gpu);
}

/* Closed when it returns, unless a handler that is running opens it again. */
static void tree_close(struct gpu *gpu)
{
	pmc_close(gpu);
	units_enable(gpu, false);
	gpu_rd32(gpu, REG_AT(NV_PMC_INTR, 0));
}

static struct gpu_irq *irq_alloc(struct gpu *gpu)
{
	struct gpu_irq *irq = kzalloc(sizeof(*irq), GFP_KERNEL);

	if (!irq)
		return NULL;
	irq->gpu = gpu;
	irq->users = 1;
	spin_lock_init(&irq->lock);
	INIT_LIST_HEAD(&irq->events);
	return irq;
}

/* See irq.h.  The handler is in place before anything can call it. */
int gpu_irq_init(struct gpu *gpu)
{
	struct gpu_irq *irq;
	int vector, err;

	if (gpu_irq_get(gpu))
		return -EBUSY;
	irq = irq_alloc(gpu);
	if (!irq)
		return -ENOMEM;
	vector = gpu_bus_irq(gpu_bus(gpu));
	if (vector < 0) {
		err = vector;
		goto put_irq;
	}
	err = request_irq((unsigned int)vector, gpu_irq_handler,
			  IRQF_NO_THREAD, "gpu", irq);
	if (err)
		goto release_vector;
	irq->vector = (unsigned int)vector;
	irq_publish(gpu, irq, irq->vector);
	tree_open(gpu);
	if (gpu_is_lost(gpu)) {
		gpu_irq_fini(gpu);
		return -ENODEV;
	}
	return 0;

release_vector:
	gpu_bus_irq_release(gpu_bus(gpu));
put_irq:
	irq_put(irq);
	return err;
}

/* See irq.h.  Twice: the handler that free_irq() waits for may open it. */
void gpu_irq_fini(struct gpu *gpu)
{
	struct gpu_irq *irq = gpu_irq_get(gpu);

	if (!irq)
		return;
	tree_close(gpu);
	free_irq(irq->vector, irq);
	tree_close(gpu);
	irq_publish(gpu, NULL, 0);
	gpu_bus_irq_release(gpu_bus(gpu));
	irq_put(irq);
}
