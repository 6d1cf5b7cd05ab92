/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Qualifying a driver, layer 1: a long campaign under push-buffer CRC.
 *
 * A worker is a process with a card of its own on the direct link.  It sends
 * commands, 64-byte segments each followed by its PB_CRC entry, through the
 * driver, one leg after the other: a leg is a fresh card, ring and kind of
 * memory.  What counts is what the card says it did: segments it consumed,
 * CRCs it checked, and the number that each segment carries.
 */
#ifndef QUALIFY_QUALIFY_H
#define QUALIFY_QUALIFY_H

#include <stdbool.h>
#include <stdint.h>

#define QUALIFY_WORDS	16u	/* of a command: a header and its data	*/
#define QUALIFY_PRODUCERS 4u
/* A command's number: who sent it, and how many it sent before. */
#define QUALIFY_SHIFT	29u
#define QUALIFY_MASK	((1u << QUALIFY_SHIFT) - 1)

/* What the card did; all counts are the card's unless they say otherwise. */
struct tally {
	uint64_t executed;	/* segments that Host consumed		*/
	uint64_t checked;	/* PB_CRC entries it compared		*/
	uint64_t crc_failures;
	uint64_t lost;		/* numbers that did not come		*/
	uint64_t reordered;	/* … came late, or again		*/
	uint64_t stray;		/* … that nobody had sent		*/
	uint64_t violations;	/* rules broken, but for CRCs counted	*/
	uint64_t card_ns;	/* virtual time				*/
	uint64_t accepted;	/* submissions to which the driver said 0 */
	uint64_t errors;	/* … to which it said something else	*/
	uint64_t injected;	/* words that we damaged		*/
	uint64_t legs;
	uint64_t crashes;	/* of workers				*/
	bool failed;		/* the worker could not go on		*/
} __attribute__((aligned(128)));

struct qualify {
	uint64_t commands;	/* of all workers			*/
	unsigned int jobs;	/* workers				*/
	uint64_t seed;
	uint64_t hz;		/* commands a second of virtual time	*/
	uint64_t damage;	/* damage one command in so many; 0: none */
	bool progress;		/* on stderr				*/
};

/* All workers, to the end.  0, or -errno: it could not be done. */
int qualify_run(const struct qualify *q, struct tally *sum);
/* Anything wrong at all? */
bool qualify_clean(const struct tally *tally);
/* One worker's share, in this process. */
void qualify_work(const struct qualify *q, unsigned int worker,
		  uint64_t commands, struct tally *tally);

/* sequence.c: a command's number from its CRC. */
struct sequence {
	uint32_t base;
	uint32_t inverse[4][256];
};

/* The words of command number; the header stays as it is. */
void sequence_fill(uint32_t words[QUALIFY_WORDS], uint32_t number);
/* -EINVAL: with this header the CRC does not tell. */
int sequence_init(struct sequence *sequence, uint32_t header);

static inline uint32_t sequence_number(const struct sequence *sequence,
				       uint32_t crc)
{
	uint32_t x = crc ^ sequence->base;

	return sequence->inverse[0][x & 0xff] ^
		sequence->inverse[1][x >> 8 & 0xff] ^
		sequence->inverse[2][x >> 16 & 0xff] ^
		sequence->inverse[3][x >> 24];
}

/* observer.c: what one leg's card does. */
struct observer {
	struct tally *tally;
	struct sequence sequence;
	unsigned int producers;
	uint64_t limit[QUALIFY_PRODUCERS];	/* commands to come	*/
	uint64_t next[QUALIFY_PRODUCERS];	/* the number due	*/
	uint64_t ends, checks;
	unsigned int skip;	/* commands in front, not numbered	*/
	/* damage: where the push buffer is for us, or NULL: do none */
	uint32_t *words;
	uint64_t va, damage, since;
};

struct card_event;

void observer_hear(void *observer, const struct card_event *event);
/* The kinds of events it must hear, for card_listen(). */
uint64_t observer_kinds(const struct observer *observer);
/* The leg is over: account for what did not come. */
void observer_close(struct observer *observer);

#endif
