/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * qualify-contexts: layer 2, context switches under stress [§12.3].
 *
 * As many threads as contexts, each with an address space of its own; all map
 * the same addresses, so that any leak hits somebody else's page.  A thread
 * writes a random number of its pages, again and again, in no order with the
 * others.  What counts is what the card says: whenever it does anything, no
 * page of a context that is not current may be dirty, no rule may be broken;
 * and at the end each page holds what its owner wrote last.
 *
 * Exit status 0: so it was; 1: not so; 2: usage; 3: it could not be run.
 */
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ctx_switch.h"
#include "reference/bus/direct/direct.h"
#include "vm/spec/reg.h"

#define PAGES	16u
#define PAGE	4096u
#define BASE	(1ULL << 32)
#define LIMIT	(1ULL << 33)

struct context {
	pthread_t thread;
	struct vas *vas;
	struct gpu_mem memory;
	u64 va;
	u32 number, turns;
	u32 last[PAGES];	/* what it wrote there	*/
	u64 random;
	int err;
};

struct campaign {
	u32 contexts, turns;
	u64 seed;
	u32 flags;		/* of ctx_switch_create() */
	struct gpu_bus *bus;
	struct gpu *gpu;
	struct ctx_switch *unit;
	struct context *context;
	/* told by the card; its link is locked then */
	u64 switches, works, foreign_dirty;
};

static struct campaign campaign;

static const char usage[] =
	"usage: qualify-contexts [--contexts N] [--turns N] [--seed N] "
	"[--no-tags]\n";

static u32 random_below(u64 *state, u32 limit)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*state >> 33) % limit;
}

static void hear(void *context, const struct card_event *event)
{
	struct campaign *c = context;

	c->switches += event->kind == EV_CTX_SWITCH;
	c->works += event->kind == EV_CTX_DONE;
}

/* At any time, between any two accesses: only the current one is dirty. */
static void check_dirty(struct campaign *c)
{
	struct card *card = bus_direct_lock(c->bus);
	u64 root = 0;

	card_current_context(card, &root);
	if (card_dirty_pages(card, ~0ULL) != card_dirty_pages(card, root))
		c->foreign_dirty++;
	bus_direct_unlock(c->bus);
}

static void *own_thread(void *arg)
{
	struct context *x = arg;

	for (u32 i = 0; i < x->turns && !x->err; i++) {
		u32 first = random_below(&x->random, PAGES);
		struct ctx_work work = {
			.vas = x->vas, .va = x->va + first * PAGE,
			.pages = 1 + random_below(&x->random, PAGES - first),
			.data = x->number << 16 | i,
		};

		x->err = ctx_switch_work(campaign.unit, &work);
		for (u32 p = 0; p < work.pages; p++)
			x->last[first + p] = work.data;
		check_dirty(&campaign);
	}
	return NULL;
}

static int context_open(struct campaign *c, struct context *x, u32 number)
{
	struct vas_piece piece = { .aperture = MMU_VRAM };
	struct vas_mapping mapping = {
		.va = BASE + 0x100000, .size = PAGES * PAGE, .piece = &piece,
		.pieces = 1, .flags = VAS_FIXED,
	};
	int err;

	x->number = number;
	x->turns = c->turns;
	x->random = c->seed * 7919 + number;
	err = gpu_mem_alloc(c->gpu, PAGES * PAGE, MEM_VRAM, &x->memory);
	if (err)
		return err;
	piece.addr = x->memory.phys;
	piece.size = x->memory.size;
	err = vas_create(c->gpu, BASE, LIMIT, &x->vas);
	if (err)
		return err;
	x->va = mapping.va;
	return vas_map(x->vas, &mapping);
}

static void context_close(struct campaign *c, struct context *x)
{
	ctx_switch_forget(c->unit, x->vas);
	vas_destroy(x->vas);
	gpu_mem_free(c->gpu, &x->memory);
}

static int open_all(struct campaign *c)
{
	const struct card_config config = {
		.chip = CARD_P40, .seed = c->seed,
	};
	int err;

	err = bus_direct_open_traced(&config, hear, c, &c->bus);
	if (!err)
		err = gpu_open(c->bus, &c->gpu);
	if (!err)
		err = ctx_switch_create(c->gpu, c->flags, &c->unit);
	c->context = calloc(c->contexts, sizeof(*c->context));
	if (!c->context)
		err = -ENOMEM;
	for (u32 i = 0; i < c->contexts && !err; i++)
		err = context_open(c, &c->context[i], i);
	return err;
}

/* Pages that hold what somebody else wrote, or what was written before. */
static u64 wrong_pages(const struct campaign *c)
{
	u64 wrong = 0;

	for (u32 i = 0; i < c->contexts; i++) {
		const struct context *x = &c->context[i];

		for (u32 p = 0; p < PAGES; p++)
			wrong += iosys_map_rd(&x->memory.map, p * PAGE, u32)
				!= x->last[p];
	}
	return wrong;
}

static int run(struct campaign *c)
{
	int err = 0;

	for (u32 i = 0; i < c->contexts && !err; i++)
		err = -pthread_create(&c->context[i].thread, NULL, own_thread,
				      &c->context[i]);
	if (err)
		return err;
	for (u32 i = 0; i < c->contexts; i++) {
		pthread_join(c->context[i].thread, NULL);
		if (c->context[i].err)
			err = c->context[i].err;
	}
	return err ? err : ctx_switch_clean(c->unit);
}

static bool parse(struct campaign *c, int argc, char **argv)
{
	static const struct option option[] = {
		{ "contexts", 1, NULL, 'c' }, { "turns", 1, NULL, 't' },
		{ "seed", 1, NULL, 's' }, { "no-tags", 0, NULL, 'n' },
		{ NULL, 0, NULL, 0 },
	};
	int o;

	while ((o = getopt_long(argc, argv, "", option, NULL)) != -1) {
		switch (o) {
		case 'c':
			c->contexts = strtoul(optarg, NULL, 0);
			break;
		case 't':
			c->turns = strtoul(optarg, NULL, 0);
			break;
		case 's':
			c->seed = strtoull(optarg, NULL, 0);
			break;
		case 'n':
			c->flags = 0;
			break;
		default:
			return false;
		}
	}
	return optind == argc && c->contexts && c->contexts <= 4096 &&
		c->turns && c->turns <= 65536;
}

int main(int argc, char **argv)
{
	struct campaign *c = &campaign;
	struct timespec began, ended;
	unsigned int broken;
	u64 wrong;
	int err;

	*c = (struct campaign){
		.contexts = 1000, .turns = 100, .seed = 1,
		.flags = CTX_SWITCH_TAGS,
	};
	if (!parse(c, argc, argv)) {
		fputs(usage, stderr);
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &began);
	err = open_all(c);
	if (err) {
		fprintf(stderr, "qualify-contexts: %s\n", strerror(-err));
		return 3;
	}
	err = run(c);
	clock_gettime(CLOCK_MONOTONIC, &ended);
	wrong = wrong_pages(c);
	broken = bus_direct_violations_all(c->bus);
	printf("%u contexts on as many threads, %" PRIu64 " pieces of work, "
	       "%" PRIu64 " commands: %" PRIu64 " times another context was "
	       "dirty, %" PRIu64 " of %u pages wrong, %u rules broken, "
	       "%s\n", c->contexts, (uint64_t)c->works,
	       (uint64_t)c->switches, (uint64_t)c->foreign_dirty,
	       (uint64_t)wrong, c->contexts * PAGES, broken,
	       err ? strerror(-err) : "no call failed");
	printf("%.1f ms of card time, %.1f s\n",
	       c->bus->ops->now(c->bus) / 1e6,
	       ended.tv_sec - began.tv_sec +
	       (ended.tv_nsec - began.tv_nsec) / 1e9);
	for (u32 i = 0; i < c->contexts; i++)
		context_close(c, &c->context[i]);
	free(c->context);
	ctx_switch_destroy(c->unit);
	gpu_close(c->gpu);
	gpu_bus_close(c->bus);
	return err || wrong || broken || c->foreign_dirty;
}
