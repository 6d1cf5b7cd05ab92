/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What tests and tools may ask of a direct bus; drivers do not. */
#ifndef BUS_DIRECT_H
#define BUS_DIRECT_H

#include "gpu_bus.h"
#include "vm/model/card.h"

/* Rules broken so far: of one kind, and of any. */
unsigned int bus_direct_violations(struct gpu_bus *bus, enum card_rule rule);
unsigned int bus_direct_violations_all(struct gpu_bus *bus);

/* Interrupt messages that left the card. */
unsigned int bus_direct_interrupts(struct gpu_bus *bus);

/* bus_direct_open(), and hear of every event. */
int bus_direct_open_traced(const struct card_config *config,
			   void (*event)(void *context,
					 const struct card_event *event),
			   void *context, struct gpu_bus **bus);

/* Inside, no other thread is in the card: for calls of card_*(). */
struct card *bus_direct_lock(struct gpu_bus *bus);
void bus_direct_unlock(struct gpu_bus *bus);

#endif
