/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What differs between the three cards: facts, not code paths.
 *
 * Engines are listed as PTOP lists them.  The first copy engines share the
 * runlist of graphics, as on the real chips: a driver that takes the first
 * copy engine it meets gets a runlist it must not use, since graphics is not
 * initialised [§5.5].  The other engines of the chips (video, security) need
 * signed firmware and are left out.
 */
#include "vm/model/model.h"

#define GIB	(1ULL << 30)

#define ENGINES(list)	.engine = (list), .engines = array_size(list)

enum {
	GRAPHICS = NV_PTOP_DEVICE_INFO_TYPE_ENUM_GRAPHICS,
	COPY0 = NV_PTOP_DEVICE_INFO_TYPE_ENUM_COPY0,
	LCE = NV_PTOP_DEVICE_INFO_TYPE_ENUM_LCE,
};

/* type, instance, engine id, runlist, INTR bit, ENABLE bit, MMU engine, base */
static const struct chip_engine gp100_engines[] = {
	{ GRAPHICS, 0, 0, 0, 12, 12, 0, 0x400 },
	{ LCE, 0, 1, 0, 5, 6, 21, 0x104 },
	{ LCE, 1, 2, 0, 6, 7, 22, 0x104 },
	{ LCE, 2, 3, 1, 7, 21, 27, 0x104 },
	{ LCE, 3, 4, 2, 10, 22, 28, 0x104 },
	{ LCE, 4, 5, 3, 11, 23, 29, 0x104 },
	{ LCE, 5, 6, 4, 2, 24, 30, 0x104 },
};

static const struct chip_engine gp102_engines[] = {
	{ GRAPHICS, 0, 0, 0, 12, 12, 0, 0x400 },
	{ LCE, 0, 1, 0, 5, 6, 21, 0x104 },
	{ LCE, 1, 2, 0, 6, 7, 22, 0x104 },
	{ LCE, 2, 3, 1, 7, 21, 27, 0x104 },
	{ LCE, 3, 4, 2, 10, 22, 28, 0x104 },
};

static const struct chip_engine gm200_engines[] = {
	{ GRAPHICS, 0, 0, 0, 12, 12, 0, 0x400 },
	{ COPY0 + 2, 2, 3, 0, 7, 21, 27, 0x106 },
	{ COPY0, 0, 1, 1, 5, 6, 21, 0x104 },
	{ COPY0 + 1, 1, 2, 2, 6, 7, 22, 0x105 },
};

static const uint16_t gp100_pbdmas[] = { 0x1, 0x1, 0x2, 0x4, 0x8, 0x10 };
static const uint16_t gp102_pbdmas[] = { 0x1, 0x1, 0x2, 0x4 };
static const uint16_t gm200_pbdmas[] = { 0x1, 0x1, 0x2, 0x4 };

const struct chip chips[CARD_CHIPS] = {
	[CARD_P100] = {
		.name = "P100", .card = CARD_P100, .chips = REG_GP100,
		.boot_0 = 0x130000a1,
		.device_id = 0x15f8, .subsystem_id = 0x118f,
		.bar1_size = 16 * GIB, .vram_size = 16 * GIB,
		.dma_bits = 47, .pascal = true,
		.pbdmas = array_size(gp100_pbdmas), .runlists = 5,
		.pbdma_runlists = gp100_pbdmas,
		.copy_engines = 6,
		.copy_class = 0xc0b5, .channel_class = 0xc06f,
		.host_fault_first = 6,
		ENGINES(gp100_engines),
		.gpcs = 6, .tpcs_per_gpc = 5,
		.fbps = 8, .fbpas_per_fbp = 2, .fbpa_mib = 1024,
		.ltcs_per_fbp = 2, .slices_per_ltc = 4,
		.local_memory_range = 16 << 4 | 10,
	},
	/* Check bits are on from factory and take one part in sixteen. */
	[CARD_P40] = {
		.name = "P40", .card = CARD_P40, .chips = REG_GP102,
		.boot_0 = 0x132000a1,
		.device_id = 0x1b38, .subsystem_id = 0x11d9,
		.bar1_size = 32 * GIB, .vram_size = 24 * GIB / 16 * 15,
		.dma_bits = 47, .pascal = true,
		.pbdmas = array_size(gp102_pbdmas), .runlists = 3,
		.pbdma_runlists = gp102_pbdmas,
		.copy_engines = 4,
		.copy_class = 0xc1b5, .channel_class = 0xc06f,
		.host_fault_first = 6,
		ENGINES(gp102_engines),
		.gpcs = 6, .tpcs_per_gpc = 5,
		.fbps = 6, .fbpas_per_fbp = 2, .fbpa_mib = 2048,
		.ltcs_per_fbp = 2, .slices_per_ltc = 4,
		.local_memory_range = 1u << 30 | 24 << 4 | 10,
	},
	[CARD_M40] = {
		.name = "M40", .card = CARD_M40, .chips = REG_GM200,
		.boot_0 = 0x120000a1,
		.device_id = 0x17fd, .subsystem_id = 0x1173,
		.bar1_size = 16 * GIB, .vram_size = 12 * GIB,
		.dma_bits = 40,
		.pbdmas = array_size(gm200_pbdmas), .runlists = 3,
		.pbdma_runlists = gm200_pbdmas,
		.copy_engines = 3,
		.copy_class = 0xb0b5, .channel_class = 0xb06f,
		.host_fault_first = 7,
		ENGINES(gm200_engines),
		.gpcs = 6, .tpcs_per_gpc = 4,
		.fbps = 6, .fbpas_per_fbp = 1, .fbpa_mib = 2048,
		.ltcs_per_fbp = 2, .slices_per_ltc = 4,
	},
};

const struct chip_engine *chip_copy_engine(const struct chip *chip,
					   unsigned int instance)
{
	for (unsigned int i = 0; i < chip->engines; i++) {
		if (chip->engine[i].type != GRAPHICS &&
		    chip->engine[i].instance == instance)
			return &chip->engine[i];
	}
	return NULL;
}
