/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* See test_machine.h. */
#include "vm/model/test_machine.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *reach(struct machine *machine, uint64_t addr, size_t len)
{
	if (addr < machine->dma || addr + len > machine->dma + MACHINE_MEMORY)
		return NULL;
	return machine->memory + (addr - machine->dma);
}

static int dma_read(void *host, enum card_dma_why why, uint64_t addr,
		    void *buf, size_t len)
{
	const uint8_t *from = reach(host, addr, len);

	(void)why;
	if (!from)
		return -EFAULT;
	memcpy(buf, from, len);
	return 0;
}

static int dma_write(void *host, enum card_dma_why why, uint64_t addr,
		     const void *buf, size_t len)
{
	uint8_t *to = reach(host, addr, len);

	(void)why;
	if (!to)
		return -EFAULT;
	memcpy(to, buf, len);
	return 0;
}

static const void *dma_peek(void *host, enum card_dma_why why, uint64_t addr,
			    size_t len)
{
	struct machine *machine = host;

	(void)why;
	return machine->peek ? reach(machine, addr, len) : NULL;
}

static void interrupt(void *host, bool level)
{
	struct machine *machine = host;

	if (level)
		machine->interrupts++;
	else
		machine->drops++;
	machine->interrupt_at = card_now(machine->card);
}

/* Not of the start: there is no card to speak of. */
static void event(void *host, const struct card_event *e)
{
	struct machine *machine = host;

	if (machine->card)
		machine->event(machine, e);
}

static void violation(void *host, const struct card_violation *v)
{
	struct machine *machine = host;

	machine->violations++;
	machine->rules[v->rule]++;
	snprintf(machine->last, sizeof(machine->last),
		 "%s: expected %s; actual %s", card_rule_name(v->rule),
		 v->expected, v->actual);
}

void machine_start(struct machine *machine, const struct card_config *config)
{
	static const struct card_host_ops ops = {
		.dma_read = dma_read, .dma_write = dma_write,
		.dma_peek = dma_peek, .interrupt = interrupt,
		.event = event, .violation = violation,
	};

	machine->memory = calloc(1, MACHINE_MEMORY);
	ck_assert_ptr_nonnull(machine->memory);
	machine->card = card_new(config, &ops, machine);
	ck_assert_ptr_nonnull(machine->card);
}

void machine_stop(struct machine *machine)
{
	card_free(machine->card);
	free(machine->memory);
}
