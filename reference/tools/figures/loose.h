/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A bus on which the card does not see the driver's stores at once, in one
 * process and fast: the judge's memory model [§4.2] without the judge.
 */
#ifndef FIGURES_LOOSE_H
#define FIGURES_LOOSE_H

#include "autograder/judge/visibility.h"
#include "gpu_bus.h"
#include "vm/model/card.h"

struct loose_config {
	struct card_config card;
	enum visibility_order order;
	uint32_t evict_min, evict_max;	/* ns, of a store's own accord	*/
	bool barriers;			/* false: the driver's do nothing */
	void (*event)(void *context, const struct card_event *event);
	void *context;
};

struct loose;

int loose_open(const struct loose_config *config, struct loose **loose);
void loose_close(struct loose *loose);
struct gpu_bus *loose_bus(struct loose *loose);
/*
 * From now on stores are late; until then all are seen, so that bring-up is
 * not the subject.
 */
void loose_start(struct loose *loose);
/* Broken rules so far. */
unsigned long loose_violations(const struct loose *loose);

#endif
