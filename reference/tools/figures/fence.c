/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Lab 03's figures: waits, the handler's time, and what polling costs.
 *
 * Waits.  Layer 3's campaign, shorter: 100 threads on 8 channels wait in every
 * way there is.  What is counted must be 0, as in the seed's text.
 *
 * Handler.  The longest of some interrupts, each of which finds one fence and
 * all who wait for it; and the same with a bus that is slower, since the time
 * is made of register reads [§2.3].  Nothing is calibrated.
 *
 * Wake-up.  From the card's release of a fence to the moment at which a waiter
 * can know: when the handler has made its last read and looks at the words; or
 * at the next look of one who polls.  What the host's scheduler adds is left
 * out: that is `make bench`.  The period of 1 ms is the seed's; the rest
 * emerges from the cost table.
 */
#include <poll.h>
#include <stdio.h>

#include "autograder/qualify/fences.h"
#include "figures.h"
#include "queue.h"
#include "reference/bus/direct/direct.h"
#include "reference/kmd/device.h"
#include "reference/umd/timeline.h"
#include "vm/spec/reg.h"

#define WAITS		20000u
#define ROUNDS		200u
#define WAITERS_MAX	100u
#define GP_ENTRIES	64u
#define PB_WORDS	1024u
#define SECOND		NSEC_PER_SEC
#define BUDGET		PORT_IRQ_BUDGET
/* The seed's text: a driver that polls adds milliseconds. */
#define SEED_PERIOD	NSEC_PER_MSEC
/* A turn of a loop that only looks: a cache line that comes from elsewhere. */
#define SPIN_TURN	100

struct rig {
	struct card_config card;
	struct gpu_bus *bus;
	struct gpu *gpu;
	struct queue queue;
	struct gpu_mem sem;
	struct timeline *timeline;
	u64 released, looked;		/* the last of each, ns		*/
};

struct times {
	u64 sum, longest;		/* from release to knowledge	*/
	u64 looks;
	u64 handler;			/* its longest run		*/
};

static void on_event(void *context, const struct card_event *event)
{
	struct rig *rig = context;

	if (event->kind == EV_SEM_RELEASE)
		rig->released = event->time;
	/* the card answers in the middle of a read */
	if (event->kind == EV_READ && event->arg[0] == CARD_BAR0 &&
	    event->arg[1] == NV_PFIFO_INTR_0)
		rig->looked = event->time + rig->card.costs.read / 2;
}

static void rig_open(struct rig *rig, bool interrupts, u32 read)
{
	struct queue_config queue = {
		.id = CHAN_ANY, .gp_entries = GP_ENTRIES, .pb_words = PB_WORDS,
	};
	struct timeline_config timeline = { .mem = &rig->sem };

	rig->card.chip = CARD_P40;
	rig->card.seed = 1;
	card_costs_default(&rig->card.costs);
	if (read)
		rig->card.costs.read = read;
	figure_check(bus_direct_open_traced(&rig->card, on_event, rig,
					    &rig->bus), "card");
	figure_check(gpu_open(rig->bus, &rig->gpu), "gpu_open");
	if (interrupts)
		figure_check(gpu_irq_init(rig->gpu), "gpu_irq_init");
	figure_check(queue_open(rig->gpu, &queue, &rig->queue), "queue_open");
	figure_check(gpu_mem_alloc(rig->gpu, 4096, MEM_COHERENT, &rig->sem),
		     "memory");
	timeline.gpu = rig->gpu;
	timeline.chan = rig->queue.chan;
	timeline.ring = rig->queue.ring;
	figure_check(timeline_create(&timeline, &rig->timeline), "timeline");
}

static void rig_close(struct rig *rig, bool interrupts)
{
	figure_check(queue_stop(&rig->queue, SECOND), "queue_stop");
	timeline_destroy(rig->timeline);
	gpu_mem_free(rig->gpu, &rig->sem);
	queue_free(&rig->queue);
	if (interrupts)
		gpu_irq_fini(rig->gpu);
	gpu_close(rig->gpu);
	gpu_bus_close(rig->bus);
}

static void host_freeze(struct rig *rig, bool frozen)
{
	card_freeze_host(bus_direct_lock(rig->bus), frozen);
	bus_direct_unlock(rig->bus);
}

static void count(struct times *times, u64 took)
{
	times->sum += took;
	times->longest = max(times->longest, took);
}

/*
 * Host stands still until all wait: none of them finds the fence signalled
 * already.  Afterwards nobody but the handler touches the card.
 */
static void wait_once(struct rig *rig, u32 waiters, struct times *times)
{
	struct pollfd poll_fd = { .events = POLLIN };
	int fds[WAITERS_MAX] = { 0 };
	struct fence fence;

	host_freeze(rig, true);
	figure_check(fence_emit(rig->timeline, SECOND, &fence), "fence_emit");
	for (u32 i = 0; i < waiters; i++) {
		fds[i] = fence_fd(&fence);
		figure_check(min(fds[i], 0), "fence_fd");
	}
	host_freeze(rig, false);
	rig->bus->ops->sleep(rig->bus, 1);	/* the card may go on */
	poll_fd.fd = fds[waiters - 1];
	figure_check(poll(&poll_fd, 1, 60000) == 1 ? 0 : -ETIMEDOUT, "poll");
	synchronize_irq(rig->gpu->vector);
	count(times, rig->looked - rig->released);
	for (u32 i = 0; i < waiters; i++)
		fence_close_fd(&fence, fds[i]);
}

static struct times by_interrupt(u32 waiters, u32 read)
{
	struct rig rig = { 0 };
	struct times times = { 0 };
	struct gpu_irq_stats stats;

	rig_open(&rig, true, read);
	for (u32 i = 0; i < ROUNDS; i++)
		wait_once(&rig, waiters, &times);
	gpu_irq_stats(rig.gpu, &stats);
	times.handler = stats.longest_ns;
	rig_close(&rig, true);
	return times;
}

/* Let time pass, and Host go on when its time has come. */
static void pass_until(struct rig *rig, u64 thaw, u64 until)
{
	struct gpu_bus *bus = rig->bus;
	u64 now = bus->ops->now(bus);

	if (now <= thaw && thaw < until) {
		bus->ops->sleep(bus, thaw - now);
		host_freeze(rig, false);
		now = thaw;
	}
	bus->ops->sleep(bus, until - now);
}

/* Looks come at a fixed pace; the release falls somewhere in between. */
static struct times by_looking(u64 period)
{
	struct rig rig = { 0 };
	struct times times = { 0 };
	struct fence fence;

	rig_open(&rig, false, 0);
	for (u64 i = 0; i < ROUNDS; i++) {
		u64 look, thaw;

		host_freeze(&rig, true);
		figure_check(fence_emit(rig.timeline, SECOND, &fence),
			     "fence_emit");
		look = rig.bus->ops->now(rig.bus);
		thaw = look + i * SEED_PERIOD / ROUNDS;
		for (; fence_state(&fence) == 0; times.looks++) {
			look += period;
			pass_until(&rig, thaw, look);
		}
		count(&times, look - rig.released);
	}
	rig_close(&rig, false);
	return times;
}

/* 1: a figure is not what it must be. */
static int waits(void)
{
	struct fences f = {
		.threads = 100, .channels = 8, .waits = WAITS, .seed = 1,
	};

	printf("Waits; the seed's text says 100 threads, 1 000 000 waits: 0 "
	       "spurious, 0 timed out\n");
	figure_check(fences_run(&f), "campaign");
	printf("  %u threads, %llu waits: spurious %llu, timed out %llu, lost "
	       "%llu, failed %llu\n", f.threads, (unsigned long long)f.done,
	       (unsigned long long)f.spurious,
	       (unsigned long long)f.timed_out, (unsigned long long)f.lost,
	       (unsigned long long)f.failed);
	printf("  emergent; all of the seed's waits: make qualify LAYER=3%s\n"
	       "\n", fences_clean(&f) ? "" : "; THEY ARE NOT ALL 0");
	return !fences_clean(&f);
}

static struct times show_handler(const char *name, u32 waiters, u32 read)
{
	struct times times = by_interrupt(waiters, read);

	printf("  %-52s %8.2f\n", name, times.handler / 1e3);
	return times;
}

static int handler(void)
{
	struct times one, crowd, slow;
	int bad;

	printf("The handler's longest run, us; its budget is %.0f\n",
	       BUDGET / 1e3);
	one = show_handler("one waits", 1, 0);
	crowd = show_handler("100 wait for one fence", WAITERS_MAX, 0);
	slow = show_handler("one waits, a bus four times as slow", 1, 3200);
	bad = one.handler > BUDGET || crowd.handler > BUDGET ||
		slow.handler <= one.handler;
	printf("  emergent: three reads, and the writes that they wait "
	       "for; who waits is in memory, which is free here%s\n\n",
	       bad ? "; OVER BUDGET" : "");
	return bad;
}

static void show_times(const char *name, const struct times *times)
{
	printf("  %-46s %8.2f %8.2f %8.1f\n", name, times->sum / 1e3 / ROUNDS,
	       times->longest / 1e3, 1. * times->looks / ROUNDS);
}

static int latency(void)
{
	struct times interrupt = by_interrupt(1, 0);
	struct times polling = by_looking(SEED_PERIOD);
	struct times spin = by_looking(SPIN_TURN);
	int bad;

	printf("From a fence's release to who waits, us: mean, longest; looks "
	       "a wait\n");
	show_times("interrupt, eventfd", &interrupt);
	show_times("looking each 1 ms, as the seed's text has it", &polling);
	show_times("looking all the time", &spin);
	bad = polling.sum < 20 * interrupt.sum || spin.sum > interrupt.sum ||
		spin.looks < 1000 * polling.looks;
	printf("  emergent, but for the period; the host's scheduler is not "
	       "in it%s\n", bad ? "; THE DIRECTIONS DO NOT HOLD" : "");
	return bad;
}

int figures_fence(void)
{
	int bad = waits();

	bad |= handler();
	return latency() | bad;
}
