/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the files of the core offer each other, one group a file. */
#ifndef MODEL_PARTS_H
#define MODEL_PARTS_H

#include "vm/model/model.h"

int queue_init(struct card *card);
void queue_fini(struct card *card);
void queue_reset(struct card *card);
void queue_work(struct card *card, uint64_t until);

static inline const struct posted *posted_first(const struct card *card)
{
	if (card->posted_head == card->posted_tail)
		return NULL;
	return &card->posted[card->posted_head & (CARD_POSTED - 1)];
}

/* When the next event is due, or CARD_NEVER. */
static inline uint64_t queue_next(const struct card *card)
{
	const struct posted *write = posted_first(card);
	uint64_t next = card->timers ? card->heap[0]->when : CARD_NEVER;

	return write && write->when < next ? write->when : next;
}

/* Run all that is due up to this time; time ends there. */
static inline void queue_run(struct card *card, uint64_t until)
{
	if (queue_next(card) <= until || card->held)
		queue_work(card, until);
	else if (card->now < until)
		card->now = until;
}

int regs_init(struct card *card);
void regs_fini(struct card *card);
uint64_t regs_read(struct card *card, uint32_t offset, unsigned int size);
void regs_write(struct card *card, uint32_t offset, unsigned int size,
		uint64_t value);
void regs_reset(struct card *card);

/* One posted write arrives; a burst has its bytes in data. */
void access_arrive(struct card *card, const struct posted *write,
		   const uint8_t *data);

/* The register ring answers with an error [§2.2]. */
void pbus_error(struct card *card, uint32_t offset, bool write,
		uint32_t value, uint32_t code, unsigned int field);

int memory_init(struct card *card);
void memory_fini(struct card *card);
void memory_reset(struct card *card);

int mmu_init(struct card *card);
void mmu_fini(struct card *card);
void mmu_reset(struct card *card);

/* Bytes are about to change in a part that holds page tables. */
void tables_written(struct card *card, uint64_t addr, const void *bytes,
		    size_t len);
/* They have arrived at the write path, and come later. */
void tables_arriving(struct card *card, uint64_t addr, const void *bytes,
		     size_t len);
/* An invalidation that would cover it waits in the queue [§6.5]. */
bool pfb_forgets_later(const struct card *card, uint64_t root);

int path_init(struct card *card);
void path_fini(struct card *card);
void path_reset(struct card *card);
/* Through the write path into video memory; drain it. */
void path_write(struct card *card, uint64_t addr, const void *buf,
		size_t len);
void path_drain(struct card *card);
/* Video memory as it will be when the path is empty. */
void path_look(const struct card *card, uint64_t addr, void *buf, size_t len);
/* Does the path still hold bytes of this range? */
bool path_holds(const struct card *card, uint64_t addr, size_t len);

int pci_init(struct card *card);
void pci_reset(struct card *card);
uint32_t pci_read(struct card *card, uint32_t offset, unsigned int size);
void pci_write(struct card *card, uint32_t offset, unsigned int size,
	       uint32_t value, bool mirror);
bool pci_memory_enabled(const struct card *card);
bool pci_bus_master(const struct card *card);

int pmc_init(struct card *card);
void pmc_reset(struct card *card);
bool pmc_enabled(const struct card *card, uint32_t bits);
void pmc_msi_rearm(struct card *card);
void pmc_audit(struct card *card);
void pmc_msi_changed(struct card *card);

void ptop_reset(struct card *card);
int ptimer_init(struct card *card);
void ptimer_reset(struct card *card);
uint64_t ptimer_now(const struct card *card);
int therm_init(struct card *card);
/* The die's temperature, in 1/1000 °C. */
void therm_set(struct card *card, int32_t millidegrees);
int pbus_init(struct card *card);
void pbus_reset(struct card *card);
int pfb_init(struct card *card);
void pfb_reset(struct card *card);

/* GR_CTX_SWITCH [§12.3], and ATS [§12.4]. */
int ctx_init(struct card *card);
void ctx_fini(struct card *card);
void ctx_reset(struct card *card);
void ctx_unplug(struct card *card);
bool ats_capability(struct card *card, bool was, bool on);

uint64_t window_read(struct card *card, enum card_region region,
		     uint64_t offset, unsigned int size);
void window_write(struct card *card, enum card_region region,
		  uint64_t offset, const void *buf, size_t len);
uint64_t pramin_read(struct card *card, uint32_t offset, unsigned int size);
void pramin_write(struct card *card, uint32_t offset, unsigned int size,
		  uint64_t value);

#endif
