/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Lab 02's figures: what 1000 context switches cost [§12.3].
 *
 * Contexts take turns on the unit of GR_CTX_SWITCH; each turn writes the same
 * few pages of its own.  With a full flush every turn walks the page tables
 * for each page again; with tags nothing is walked after the first round, and
 * with batches the driver does not even write registers.
 *
 * One parameter is calibrated: 15 pages a turn, so that the flushes cost the
 * seed's 42 ms.  That proves nothing.  The rest is the cost table: the time
 * with tags, and how both change with pages, with levels, and with more
 * contexts than there are translations for.
 */
#include <stdio.h>
#include <stdlib.h>

#include "ctx_switch.h"
#include "figures.h"
#include "kmd.h"
#include "vm/model/card.h"

#define SWITCHES	1000u
#define BASE		(1ULL << 32)
#define LIMIT		(1ULL << 36)
#define PAGE		4096ULL
#define CONTEXTS_MAX	128u

/* Calibrated; see above. */
#define PAGES		15u

struct turn {
	const char *name;
	enum card_chip chip;
	u32 contexts, pages;
	bool tags;
	u32 batch;		/* turns in one DMA; 0: one by one	*/
};

struct context {
	struct vas *vas;
	u64 memory, va;
};

static void context_open(struct gpu *gpu, struct context *context, u32 pages)
{
	struct vas_piece piece = { .aperture = MMU_VRAM };
	struct vas_mapping mapping = { .piece = &piece, .pieces = 1 };

	figure_check(vas_create(gpu, BASE, LIMIT, &context->vas),
		     "vas_create");
	piece.size = pages * PAGE;
	mapping.size = piece.size;
	mapping.page_shift = VAS_PAGE_4K;
	figure_check(gpu_vram_alloc(gpu, piece.size, &context->memory),
		     "memory");
	piece.addr = context->memory;
	figure_check(vas_map(context->vas, &mapping), "vas_map");
	context->va = mapping.va;
}

static void take_turns(struct ctx_switch *unit, const struct context *context,
		       const struct turn *turn)
{
	struct ctx_work *work = calloc(turn->batch ? turn->batch : 1,
				       sizeof(*work));
	u32 given = 0;

	figure_check(work ? 0 : -ENOMEM, "memory");
	while (given < SWITCHES) {
		u32 count = 0;

		do {
			const struct context *c =
				&context[given % turn->contexts];

			work[count++] = (struct ctx_work){
				.vas = c->vas, .va = c->va,
				.pages = turn->pages, .data = given++,
			};
		} while (count < turn->batch && given < SWITCHES);
		figure_check(turn->batch ?
			     ctx_switch_batch(unit, work, count) :
			     ctx_switch_work(unit, work), "ctx_switch_work");
	}
	free(work);
}

/* Virtual ns of SWITCHES turns, after one round to get warm. */
static u64 run(const struct turn *turn)
{
	struct card_config config = { .chip = turn->chip, .seed = 1 };
	struct context context[CONTEXTS_MAX];
	struct ctx_switch *unit;
	struct gpu_bus *bus;
	struct gpu *gpu;
	u64 began;

	figure_check(bus_direct_open(&config, &bus), "card");
	figure_check(gpu_open(bus, &gpu), "gpu_open");
	for (u32 i = 0; i < turn->contexts; i++)
		context_open(gpu, &context[i], turn->pages);
	figure_check(ctx_switch_create(gpu, turn->tags ? CTX_SWITCH_TAGS : 0,
				       &unit), "ctx_switch_create");
	take_turns(unit, context, turn);
	began = bus->ops->now(bus);
	take_turns(unit, context, turn);
	began = bus->ops->now(bus) - began;

	ctx_switch_destroy(unit);
	for (u32 i = 0; i < turn->contexts; i++) {
		vas_destroy(context[i].vas);
		gpu_vram_free(gpu, context[i].memory);
	}
	gpu_close(gpu);
	gpu_bus_close(bus);
	return began;
}

static u64 show(struct turn turn, const char *name)
{
	u64 took = run(&turn);

	printf("  %-56s %8.2f\n", name, took / 1e6);
	return took;
}

int figures_switch(void)
{
	const struct turn base = {
		.chip = CARD_P40, .contexts = 8, .pages = PAGES,
	};
	struct turn turn = base;
	u64 flush, tags, batch, half, maxwell, many;
	int bad;

	printf("%u context switches, ms; the seed's text says 42 with a full "
	       "flush,\n1.8 with tags\n", SWITCHES);
	flush = show(turn, "full flush, 15 pages a turn (calibrated)");
	turn.tags = true;
	tags = show(turn, "tags (emergent)");
	turn.batch = 100;
	batch = show(turn, "tags, 100 turns in one DMA (emergent)");

	turn = base;
	turn.pages = PAGES / 2;
	half = show(turn, "full flush, 7 pages a turn");
	turn = base;
	turn.chip = CARD_M40;
	maxwell = show(turn, "full flush, M40: two levels, not five");
	turn = base;
	turn.tags = true;
	turn.contexts = CONTEXTS_MAX;
	many = show(turn, "tags, 128 contexts: more pages than translations");

	bad = tags * 10 > flush || batch * 2 > tags ||
		half > flush * 6 / 10 || maxwell > flush / 2 ||
		many < tags * 5;
	printf("  calibrated: the pages of a turn; emergent: %.1f times "
	       "faster with tags (the seed:\n  23), and the directions%s\n",
	       (double)flush / tags, bad ? ", WHICH DO NOT HOLD" : "");
	return bad;
}
