/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* See test_vas_rig.h. */
#include "test_vas_rig.h"

#include <check.h>

void vas_rig_open(struct vas_rig *rig, int chip,
		  void (*event)(void *context,
				const struct card_event *event))
{
	struct card_config config = {
		.chip = chip, .seed = 1 + chip, .vram_fill = 77,
	};

	*rig = (struct vas_rig){ NULL, NULL };
	ck_assert_int_eq(bus_direct_open_traced(&config, event, NULL,
						&rig->bus), 0);
	ck_assert_int_eq(gpu_open(rig->bus, &rig->gpu), 0);
}

void vas_rig_close(struct vas_rig *rig)
{
	gpu_close(rig->gpu);
	gpu_bus_close(rig->bus);
	ck_assert_int_eq(port_live_allocs(), 0);
}

const struct vas_piece some_memory = {
	MMU_SYS_COHERENT, 0x7fc0000000, 16 * M
};

int map_some(struct vas *vas, u64 va, u64 size, u32 flags, u32 shift)
{
	struct vas_mapping mapping = {
		.va = va, .size = size, .piece = &some_memory, .pieces = 1,
		.flags = flags, .page_shift = shift,
	};

	return vas_map(vas, &mapping);
}

int vas_rig_walk(struct vas_rig *rig, const struct vas *vas, u64 va,
		 struct card_place *place)
{
	bool format2 = gpu_mmu_format(rig->gpu) == 2;
	struct card *card = bus_direct_lock(rig->bus);
	int err = card_translate(card, vas_root(vas), 0, format2, 16, va,
				 place);

	bus_direct_unlock(rig->bus);
	return err;
}

bool vas_rig_finds(struct vas_rig *rig, const struct vas *vas, u64 va,
		   u64 addr)
{
	struct card_place place;

	return !vas_rig_walk(rig, vas, va, &place) && place.addr == addr;
}
