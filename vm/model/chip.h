/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What differs between the chips: chips.c has the facts. */
#ifndef MODEL_CHIP_H
#define MODEL_CHIP_H

#include <stdbool.h>
#include <stdint.h>

#include "vm/model/card.h"
#include "vm/spec/reg.h"

struct chip_engine {
	uint8_t type;			/* PTOP engine type		*/
	uint8_t instance, engine, runlist;
	uint8_t intr, reset;		/* PMC bits			*/
	uint8_t fault;			/* MMU engine id		*/
	uint16_t base;			/* register base >> 12		*/
};

struct chip {
	const char *name;
	enum card_chip card;
	enum reg_chips chips;		/* its bit in the tables	*/
	uint32_t boot_0;
	uint16_t device_id, subsystem_id;
	uint64_t bar1_size, vram_size;
	uint8_t dma_bits;
	bool pascal;
	uint8_t pbdmas, runlists;
	uint8_t copy_engines;
	uint16_t copy_class;
	uint16_t channel_class;
	uint8_t host_fault_first;	/* MMU engine id of PBDMA 0	*/
	const uint16_t *pbdma_runlists;	/* mask, per PBDMA		*/
	const struct chip_engine *engine;
	uint8_t engines;
	uint8_t gpcs, tpcs_per_gpc;
	uint8_t fbps, fbpas_per_fbp, ltcs_per_fbp, slices_per_ltc;
	uint32_t fbpa_mib;
	uint32_t local_memory_range;	/* Pascal; 0: not there		*/
};

extern const struct chip chips[CARD_CHIPS];
/* The copy engine with this instance number, or NULL. */
const struct chip_engine *chip_copy_engine(const struct chip *chip,
					   unsigned int instance);

#endif
