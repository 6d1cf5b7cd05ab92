/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A worker's legs: each a fresh card, a ring of its own shape, and so many
 * commands.
 *
 * Time is the card's.  Producers are paced: after every `pace` commands they
 * sleep until their average is the rate asked for.  With a large pace they
 * outrun Host meanwhile, fill the ring and wait for room; with a small one
 * Host falls idle each time.  Push buffers have odd sizes, so that the wrap
 * comes at every offset.
 */
#include <stdio.h>
#include <string.h>

#include "autograder/qualify/qualify.h"
#include "bus/direct/direct.h"
#include "gpu.h"
#include "queue.h"
#include "vm/spec/reg.h"

#define ROUND	50000000ull	/* commands of one turn through the shapes */
#define WAIT_NS	200000ull	/* for room; then look for interrupts	*/
#define TRIES	5000u		/* so often without progress: stuck	*/
#define SUBCHANNEL 4u

struct shape {
	enum mem_kind gp, pb;
	uint32_t entries, words, producers;
	uint32_t offer, pace;	/* commands			*/
	bool engine;		/* methods for the copy class	*/
	uint32_t share;		/* of 1000			*/
};

static const struct shape shapes[] = {
	{ MEM_COHERENT, MEM_COHERENT, 2048, 16381, 1, 64, 64, false, 400 },
	{ MEM_WC, MEM_WC, 1024, 8191, 1, 64, 4096, false, 272 },
	{ MEM_COHERENT, MEM_WC, 512, 4099, 1, 32, 32, true, 100 },
	{ MEM_WC, MEM_COHERENT, 256, 1031, 1, 16, 1024, false, 100 },
	{ MEM_COHERENT, MEM_COHERENT, 65536, 524287, 1, 64, 20000, false, 80 },
	{ MEM_COHERENT, MEM_COHERENT, 1024, 8191, 2, 64, 64, false, 20 },
	{ MEM_WC, MEM_WC, 512, 1021, 4, 32, 512, false, 10 },
	{ MEM_COHERENT, MEM_COHERENT, 16, 79, 1, 1, 4, false, 8 },
	{ MEM_COHERENT, MEM_COHERENT, 8, 33, 2, 1, 64, false, 2 },
	{ MEM_VRAM, MEM_VRAM, 512, 4093, 1, 32, 32, false, 4 },
	{ MEM_COHERENT, MEM_VRAM, 512, 4093, 1, 32, 256, false, 2 },
	{ MEM_VRAM, MEM_WC, 64, 509, 2, 8, 64, false, 2 },
};
#define SHAPES	(sizeof(shapes) / sizeof(shapes[0]))

struct leg {
	const struct qualify *q;
	const struct shape *shape;
	struct tally *tally;
	struct observer observer;
	uint32_t header;
	u64 start;		/* virtual ns	*/
	pthread_mutex_t lock;	/* over what producers share below	*/

	struct gpu_bus *bus;
	struct gpu *gpu;
	struct queue_config config;
	struct queue queue;
};

struct producer {
	struct leg *leg;
	uint32_t index;
	uint64_t count, accepted, errors;
};

/* What an interrupt handler would do: read what stopped a PBDMA, clear it. */
static void clear_interrupts(struct leg *leg)
{
	char *bar0 = leg->bus->bar[GPU_BAR0];
	u32 ids, id, value;

	pthread_mutex_lock(&leg->lock);
	ids = readl(bar0 + NV_PFIFO_INTR_PBDMA_ID);
	for (id = 0; ids >> id; id++) {
		if (!(ids >> id & 1))
			continue;
		value = readl(bar0 + REG_AT(NV_PPBDMA_INTR_0, id));
		writel(value, bar0 + REG_AT(NV_PPBDMA_INTR_0, id));
	}
	pthread_mutex_unlock(&leg->lock);
}

static uint64_t progress(struct leg *leg)
{
	uint64_t ends;

	bus_direct_lock(leg->bus);
	ends = leg->observer.ends;
	bus_direct_unlock(leg->bus);
	return ends;
}

/* Did Host move since?  So often not: give up. */
static bool stuck(struct leg *leg, uint64_t *seen, unsigned int *tries)
{
	uint64_t now = progress(leg);

	*tries = now == *seen ? *tries + 1 : 0;
	*seen = now;
	clear_interrupts(leg);
	return *tries > TRIES;
}

static int submit(struct leg *leg, const struct push *push, u32 flags)
{
	unsigned int tries = 0;
	uint64_t seen = 0;
	int err;

	for (;;) {
		err = ring_submit(leg->queue.ring, push, flags, WAIT_NS);
		if (err != -ETIMEDOUT || stuck(leg, &seen, &tries))
			return err;
	}
}

static int wait_idle(struct leg *leg)
{
	unsigned int tries = 0;
	uint64_t seen = 0;
	int err;

	for (;;) {
		err = ring_wait_idle(leg->queue.ring, WAIT_NS);
		if (err != -ETIMEDOUT || stuck(leg, &seen, &tries))
			return err;
	}
}

/* Sleep until done commands of this producer are not too many. */
static void pace(struct leg *leg, uint64_t done)
{
	const struct gpu_bus_ops *ops = leg->bus->ops;
	u64 due = leg->start + done * leg->shape->producers *
		(1000000000ull / leg->q->hz);
	u64 now;

	pthread_mutex_lock(&leg->lock);
	now = ops->now(leg->bus);
	if (now < due)
		ops->sleep(leg->bus, due - now);
	pthread_mutex_unlock(&leg->lock);
}

static void *produce(void *arg)
{
	struct producer *producer = arg;
	struct leg *leg = producer->leg;
	const struct shape *shape = leg->shape;
	u32 words[QUALIFY_WORDS] = { leg->header };
	struct push push = { words, QUALIFY_WORDS, QUALIFY_WORDS };
	uint64_t i;

	for (i = 0; i < producer->count; i++) {
		bool last = i + 1 == producer->count;
		bool offer = last || (i + 1) % shape->offer == 0;
		int err;

		sequence_fill(words, producer->index << QUALIFY_SHIFT |
			      (i & QUALIFY_MASK));
		err = submit(leg, &push, offer ? 0 : RING_DEFER);
		producer->accepted += !err;
		producer->errors += !!err;
		if (err)
			break;
		if (last || (i + 1) % shape->pace == 0)
			pace(leg, i + 1);
	}
	return NULL;
}

static void run_producers(struct leg *leg)
{
	struct producer producer[QUALIFY_PRODUCERS];
	pthread_t thread[QUALIFY_PRODUCERS];
	unsigned int n = leg->shape->producers, i, started;

	for (i = 0; i < n; i++)
		producer[i] = (struct producer){
			.leg = leg, .index = i,
			.count = leg->observer.limit[i],
		};
	/* The last one is this thread. */
	for (started = 0; started + 1 < n; started++) {
		if (pthread_create(&thread[started], NULL, produce,
				   &producer[started])) {
			leg->tally->failed = true;
			break;
		}
	}
	if (started + 1 == n)
		produce(&producer[n - 1]);
	for (i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
	for (i = 0; i < n; i++) {
		leg->tally->accepted += producer[i].accepted;
		leg->tally->errors += producer[i].errors;
	}
}

static int open_card(struct leg *leg, uint64_t seed)
{
	struct card_config card = { .chip = seed % CARD_CHIPS, .seed = seed };
	const struct shape *shape = leg->shape;
	int err;

	leg->config = (struct queue_config){
		.id = CHAN_ANY, .gp_entries = shape->entries,
		.pb_words = shape->words, .gp_kind = shape->gp,
		.pb_kind = shape->pb, .crc = true,
		.gp_first = seed / CARD_CHIPS % shape->entries,
	};

	err = bus_direct_open_traced(&card, observer_hear, &leg->observer,
				     &leg->bus);
	if (err)
		return err;
	err = gpu_open(leg->bus, &leg->gpu);
	return err ? err : queue_alloc(leg->gpu, &leg->config, &leg->queue);
}

static int bind_object(struct leg *leg)
{
	u32 words[2], class = gpu_copy_class(leg->gpu);
	struct push push;

	push_init(&push, words, 2);
	return push_inc(&push, SUBCHANNEL, NVC06F_SET_OBJECT, &class, 1) ?:
		submit(leg, &push, 0) ?: wait_idle(leg);
}

static int open_ring(struct leg *leg)
{
	const struct gpu_mem *pb = &leg->queue.pb;
	struct observer *o = &leg->observer;
	int err;

	if (leg->q->damage && !pb->map.is_iomem) {
		o->words = pb->map.vaddr;
		o->va = pb->va;
		o->damage = leg->q->damage;
	}
	card_listen(bus_direct_lock(leg->bus), observer_kinds(o));
	bus_direct_unlock(leg->bus);
	o->skip = leg->shape->engine;
	err = queue_start(&leg->queue, &leg->config);
	if (!err && leg->shape->engine)
		err = bind_object(leg);
	return err;
}

/* In reverse; what was not opened is not closed. */
static void close_all(struct leg *leg)
{
	uint64_t broken;

	if (queue_close(&leg->queue, 1000 * WAIT_NS))
		leg->tally->errors++;
	if (leg->gpu)
		gpu_close(leg->gpu);
	if (!leg->bus)
		return;
	broken = bus_direct_violations_all(leg->bus) -
		bus_direct_violations(leg->bus, RULE_PB_CRC_MISMATCH);
	leg->tally->violations += broken;
	gpu_bus_close(leg->bus);
}

static void run_leg(struct leg *leg, uint64_t commands, uint64_t seed)
{
	struct observer *o = &leg->observer;
	u32 engine = NVC0B5_NOP, host = NVC06F_NOP, zero[QUALIFY_WORDS] = { 0 };
	u32 words[QUALIFY_WORDS];
	struct push push;
	unsigned int i;

	push_init(&push, words, QUALIFY_WORDS);
	push_non_inc(&push, SUBCHANNEL, leg->shape->engine ? engine : host,
		     zero, QUALIFY_WORDS - 1);
	leg->header = words[0];
	o->tally = leg->tally;
	o->producers = leg->shape->producers;
	for (i = 0; i < o->producers; i++)
		o->limit[i] = commands / o->producers +
			(i < commands % o->producers);
	if (sequence_init(&o->sequence, leg->header) ||
	    open_card(leg, seed) || open_ring(leg)) {
		leg->tally->failed = true;
		return;
	}
	leg->start = leg->bus->ops->now(leg->bus);
	run_producers(leg);
	if (wait_idle(leg))
		leg->tally->errors++;
	leg->tally->card_ns += leg->bus->ops->now(leg->bus) - leg->start;
	leg->tally->executed += o->ends - o->checks - leg->shape->engine;
	observer_close(o);
	leg->tally->legs++;
}

void qualify_work(const struct qualify *q, unsigned int worker,
		  uint64_t commands, struct tally *tally)
{
	uint64_t left = commands, seed = q->seed * 1000003 + worker;
	unsigned int i = 0;

	while (left && !tally->failed) {
		const struct shape *shape = &shapes[i++ % SHAPES];
		uint64_t round = commands < ROUND ? commands : ROUND;
		uint64_t count = round * shape->share / 1000;
		struct leg leg = {
			.q = q, .shape = shape, .tally = tally,
			.lock = PTHREAD_MUTEX_INITIALIZER,
		};

		count = count < left ? count : left;
		if (i % SHAPES == 0 && left - count < SHAPES)
			count = left;	/* what rounding left */
		if (!count)
			continue;
		run_leg(&leg, count, seed++);
		close_all(&leg);
		left -= count;
	}
}
