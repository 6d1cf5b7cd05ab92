/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* MMU faults: fault registers and fault buffer, fault.c [§7.4]. */
#ifndef MODEL_FAULT_H
#define MODEL_FAULT_H

#include "vm/model/model.h"

/* MMU engines of the windows. */
enum { FAULT_ENGINE_BAR1 = 4, FAULT_ENGINE_BAR2 = 5 };

/* Whose address space it was; all 0: nobody's. */
struct fault_at {
	uint64_t inst;
	enum mem_aperture aperture;
};

void fault_raise(struct card *card, unsigned int mmu_engine,
		 const struct fault_at *at, const struct mem_fault *fault);
/* A register was written: one of the buffer's? */
void fault_buffer_written(struct card *card, uint32_t offset, uint32_t value,
			  uint32_t old);
/* The level of its interrupt. */
void fault_buffer_update(struct card *card);

#endif
