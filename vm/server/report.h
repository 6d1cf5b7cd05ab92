/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What a server counts, and how long it took: for --report.
 */
#ifndef SERVER_REPORT_H
#define SERVER_REPORT_H

#include "vm/model/card.h"

/* Times in classes an eighth of an octave wide: constant room, 9 % error. */
enum { TIMES_CLASSES = 64 * 8 };

struct times {
	uint64_t count, min, max;
	uint64_t in[TIMES_CLASSES];
};

void times_add(struct times *times, uint64_t ns);
/* The value below which so many hundredths lie; 0 when there are none. */
uint64_t times_percentile(const struct times *times, unsigned int percent);

struct report {
	uint64_t clients, malformed;
	uint64_t reads[CARD_REGIONS], writes[CARD_REGIONS];
	uint64_t resets, maps, unmaps, interrupts;
	uint64_t dma_reads, dma_writes;		/* in shared memory	*/
	uint64_t dma_messages, dma_refused;
	uint64_t violations[CARD_RULES];
	struct times read, write;		/* processor time, ns	*/
	struct times doorbell;			/* … to interrupt, late	*/
};

/*
 * Write it as JSON: whoever reads the path finds the old one or the new one.
 * 0 or -errno.
 */
int report_write(const struct report *report, const char *chip,
		 uint64_t time_lost, const char *path);

#endif
