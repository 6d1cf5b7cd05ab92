/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The machine of a run: a card, memory, and what a test asked of them before
 * it opened the driver.
 */
#include "autograder/judge/session.h"

/* With weak order a store may become visible by itself at this age.  Host
 * fetches within a few microseconds: what was not published is caught. */
#define EVICT_MIN	(50 * US)
#define EVICT_MAX	(400 * US)
/* Longer than Host needs for a small segment. */
#define SLOW_WRITE	3000
/* Longer than a copy takes to begin. */
#define SLOW_FLUSH	100000
/* A time-out of many milliseconds is then some thousand reads. */
#define SLOW_READ	20000
/* Longer than a line stays in the write path [§4.4]. */
#define INTERRUPTED	25000
/* … of the GPU, which then looks at memory as often: ns. */
#define PACE		10000

void use_chip(struct scenario *s, enum card_chip chip)
{
	if (s->options->chip >= CARD_CHIPS)
		s->chip = chip;
}

void use_real_memory(struct scenario *s)
{
	s->weak = true;
}

void use_slow_cpu(struct scenario *s)
{
	s->slow = true;
}

void session_machine(struct scenario *s)
{
	struct visibility_config memory = {
		.cpu = s->link.arena, .size = WIRE_ARENA_SIZE,
		.order = s->weak ? VISIBILITY_WEAK : VISIBILITY_AT_ONCE,
		.seed = s->options->seed,
		.evict_min = EVICT_MIN, .evict_max = EVICT_MAX,
		.cpu_is_zero = true,
	};
	struct card_config config = {
		.chip = s->chip, .seed = s->options->seed,
		.no_additions = s->documented,
	};

	card_costs_default(&config.costs);
	if (s->slow)
		config.costs.write_cpu = SLOW_WRITE;
	if (s->fast) {
		config.costs.read = config.costs.write_arrive = 20;
		config.costs.write_jitter = config.costs.interrupt = 0;
	}
	if (s->vas.slow_reads)
		config.costs.read = SLOW_READ;
	if (s->vas.interrupted) {
		config.costs.write_cpu = INTERRUPTED;
		config.costs.tlb_flush = PACE;
	}
	if (s->vas.slow_invalidation)
		config.costs.tlb_flush = SLOW_FLUSH;
	if (s->vas.dirty)
		config.vram_fill = s->options->seed | 1;
	if (s->method_cost)
		config.costs.method = s->method_cost;
	s->read_cost = config.costs.read;
	if (!config.costs.cstate_exit)
		s->write_cost = config.costs.write_cpu;
	arena_init(&s->arena, s->chip == CARD_M40 ? 40 : 47,
		   s->options->seed);
	s->visibility = visibility_new(&memory);
	s->card = card_new(&config, &session_host_ops, s);
	if (!s->visibility || !s->card)
		session_error(s, "no memory for the card");
	s->record.card = s->card;
}
