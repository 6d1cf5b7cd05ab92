/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The life of a card: made, reset, run, pulled out, freed.
 *
 * A card is a value.  Everything random comes from its own generator, seeded
 * by the configuration; nothing looks at the machine's clock.  So one seed is
 * one run, to the byte of its trace, and a failure found once is found again.
 */
#include <stdlib.h>

#include "vm/model/model.h"

void card_costs_default(struct card_costs *costs)
{
	*costs = (struct card_costs){
		.write_cpu = 40,
		.write_arrive = 250,
		.write_jitter = 200,
		.read = 800,
		.gp_fetch = 600,
		.pb_fetch = 400,
		.pb_word = 1,
		.host_jitter = 300,
		.method = 4,
		.semaphore = 400,
		.interrupt = 2500,
		.cstate_exit = 0,
		.copy_start = 1000,
		.copy_bytes_per_us = 11000,
		.runlist = 5000,
		.preempt = 10000,
		.flush = 1500,
		.walk_level = 500,
		.tlb_flush = 1500,
		.tlb_jitter = 8000,
		.ctx_switch = 200,
		.ctx_page = 10,
		.ats = 700,
	};
}

/* splitmix64, to spread a seed over the state: any seed will do. */
static uint64_t seed_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static void random_init(struct card *card, uint64_t seed)
{
	for (size_t i = 0; i < array_size(card->random); i++)
		card->random[i] = seed_next(&seed);
}

static inline uint64_t rotate(uint64_t x, int by)
{
	return x << by | x >> (64 - by);
}

/* xoshiro256**, and the high half of a product instead of a division. */
uint32_t card_random(struct card *card, uint32_t bound)
{
	uint64_t *s = card->random;
	uint64_t result, t;

	if (!bound)
		return 0;
	result = rotate(s[1] * 5, 7) * 9;
	t = s[1] << 17;
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return (result >> 32) * ((uint64_t)bound + 1) >> 32;
}

uint32_t card_random_of(const struct card *card, uint64_t n, uint32_t bound)
{
	uint64_t state = card->config.seed ^ n << 32;

	return (seed_next(&state) >> 32) * ((uint64_t)bound + 1) >> 32;
}

static bool costs_are_zero(const struct card_costs *costs)
{
	static const struct card_costs zero;

	return !memcmp(costs, &zero, sizeof(zero));
}

/* Each step undoes itself in card_free(), in reverse. */
static const struct {
	int (*init)(struct card *card);
	void (*fini)(struct card *card);
} parts[] = {
	{ queue_init, queue_fini },
	{ memory_init, memory_fini },
	{ path_init, path_fini },
	{ mmu_init, mmu_fini },
	{ regs_init, regs_fini },
	{ pmc_init, NULL },
	{ ptimer_init, NULL },
	{ therm_init, NULL },
	{ pbus_init, NULL },
	{ pfb_init, NULL },
	{ pci_init, NULL },
	{ host_init, host_fini },
	{ ctx_init, ctx_fini },
};

static void card_fini(struct card *card, size_t count)
{
	while (count--) {
		if (parts[count].fini)
			parts[count].fini(card);
	}
	free(card);
}

/* Registers, units and memory as after a bus reset. */
static void card_reset_parts(struct card *card)
{
	regs_reset(card);
	memory_reset(card);
	path_reset(card);
	mmu_reset(card);
	ptop_reset(card);
	pmc_reset(card);
	ptimer_reset(card);
	pbus_reset(card);
	pfb_reset(card);
	ctx_reset(card);
	pci_reset(card);
	host_reset(card);
}

struct card *card_new(const struct card_config *config,
		      const struct card_host_ops *ops, void *host)
{
	struct card *card;
	size_t done;

	if ((unsigned int)config->chip >= CARD_CHIPS || !ops->dma_read ||
	    !ops->dma_write)
		return NULL;
	card = calloc(1, sizeof(*card));
	if (!card)
		return NULL;
	card->ops = *ops;
	card->heard = ~0ull;
	card->host_machine = host;
	card->chip = &chips[config->chip];
	card->config = *config;
	card->costs = config->costs;
	if (costs_are_zero(&card->costs))
		card_costs_default(&card->costs);
	card->additions = !config->no_additions;
	card->vram_fill = config->vram_fill;
	random_init(card, config->seed);

	for (done = 0; done < array_size(parts); done++) {
		if (parts[done].init(card)) {
			card_fini(card, done);
			return NULL;
		}
	}
	card_reset_parts(card);
	if (card->error) {
		card_fini(card, done);
		return NULL;
	}
	return card;
}

void card_free(struct card *card)
{
	if (card)
		card_fini(card, array_size(parts));
}

void card_reset(struct card *card)
{
	queue_reset(card);
	card->frozen = false;
	card_reset_parts(card);
}

uint64_t card_now(const struct card *card)
{
	return card->now;
}

void card_advance(struct card *card, uint64_t ns)
{
	queue_run(card, card->now + ns);
}

uint64_t card_next_event(const struct card *card)
{
	return queue_next(card);
}

uint64_t card_last_event(const struct card *card)
{
	return card->last_event;
}

bool card_step(struct card *card, uint64_t deadline)
{
	uint64_t next = queue_next(card);

	if (next > deadline || next == CARD_NEVER)
		return false;
	queue_run(card, next > card->now ? next : card->now);
	return true;
}

void card_unplug(struct card *card)
{
	if (card->unplugged)
		return;
	card->unplugged = true;
	card_trace(card, EV_UNPLUG, CARD_NO_CHANNEL, 0, 0, 0, 0);
	host_unplug(card);
	ctx_unplug(card);
	queue_reset(card);
	path_reset(card);
}

void card_freeze_host(struct card *card, bool frozen)
{
	card->frozen = frozen;
	host_freeze(card, frozen);
}

void card_hold(struct card *card, bool held)
{
	card->held = held;
}

void card_cpu_store(struct card *card, uint64_t addr, size_t len)
{
	host_cpu_store(card, addr, len);
}

bool card_channel(const struct card *card, uint32_t channel,
		  struct card_channel_state *state)
{
	return host_channel(card, channel, state);
}

int card_peek_va(struct card *card, uint32_t channel, uint64_t va, void *buf,
		 size_t len)
{
	struct mem_space space;
	uint8_t *to = buf;

	if (!host_channel_space(card, channel, &space))
		return -EFAULT;
	while (len) {
		struct mem_place place;
		size_t part;

		if (card_va_look(card, &space, va, &place))
			return -EFAULT;
		part = place.left < len ? place.left : len;
		if (place.sparse)
			memset(to, 0, part);
		else if (card_mem_look(card, place.aperture, place.addr, to,
				       part))
			return -EFAULT;
		va += part;
		to += part;
		len -= part;
	}
	return 0;
}

void card_audit(struct card *card)
{
	host_audit(card);
	pmc_audit(card);
}
