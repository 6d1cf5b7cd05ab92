/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Openers, and objects of theirs. */
#include <check.h>

#include "test_calls_rig.h"

void calls_open(struct calls_rig *rig)
{
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(tesla_open(rig->tesla, &rig->file[i]), 0);
}

void calls_close(struct calls_rig *rig)
{
	for (int i = 0; i < 2; i++)
		tesla_close(rig->file[i]);
}

void calls_up(struct calls_rig *rig, enum card_chip chip)
{
	struct card_config config = { .chip = chip, .seed = 11 };

	memset(rig, 0, sizeof(*rig));
	ck_assert_int_eq(bus_direct_open(&config, &rig->bus), 0);
	ck_assert_int_eq(tesla_probe(rig->bus, &rig->tesla), 0);
	calls_open(rig);
}

void calls_down(struct calls_rig *rig)
{
	calls_close(rig);
	tesla_remove(rig->tesla);
	for (int i = 0; i < PORT_MISUSES; i++)
		ck_assert_uint_eq(port_reports(i), 0);
	ck_assert_int_eq(port_live_allocs(), 0);
	ck_assert_uint_eq(bus_direct_violations_all(rig->bus), 0);
	gpu_bus_close(rig->bus);
}

void calls_look(struct calls_rig *rig, struct calls_state *state)
{
	state->allocs = port_live_allocs();
	for (int i = 0; i < 2; i++) {
		state->objects[i] = tesla_objects(rig->file[i]);
		state->tables[i] = vas_table_bytes(rig->file[i]->own.vas);
	}
}

bool calls_same(struct calls_rig *rig, const struct calls_state *state)
{
	struct calls_state now;

	calls_look(rig, &now);
	return now.allocs == state->allocs &&
		!memcmp(now.objects, state->objects, sizeof(now.objects)) &&
		!memcmp(now.tables, state->tables, sizeof(now.tables));
}

u32 make_mem(struct tesla_file *file, u64 size, u32 kind, u64 *va)
{
	struct tesla_mem_alloc arg = { .size = size, .kind = kind };

	ck_assert_int_eq(ASK(file, mem_alloc, &arg), 0);
	ck_assert_uint_ne(arg.handle, 0);
	ck_assert_uint_eq(arg.size, ALIGN(size, PAGE));
	if (va)
		*va = arg.va;
	return arg.handle;
}

u32 make_space(struct tesla_file *file)
{
	struct tesla_space_create arg = { .base = M, .limit = 1ULL << 40 };

	ck_assert_int_eq(ASK(file, space_create, &arg), 0);
	return arg.handle;
}

u32 make_chan(struct tesla_file *file, u64 gp_va)
{
	struct tesla_chan_create arg = {
		.id = TESLA_CHAN_ANY, .gp_va = gp_va, .gp_entries = 64,
	};

	ck_assert_int_eq(ASK(file, chan_create, &arg), 0);
	return arg.handle;
}

u32 make_event(struct tesla_file *file, u32 chan, u32 mem, int eventfd)
{
	struct tesla_event_add arg = {
		.chan = chan, .mem = mem, .value = 1, .eventfd = eventfd,
	};

	ck_assert_int_eq(ASK(file, event_add, &arg), 0);
	return arg.handle;
}
