/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What was seen on the bus: every method the card executed, the last lines
 * for a failure report, every line for a trace.
 */
#ifndef JUDGE_RECORD_H
#define JUDGE_RECORD_H

#include "autograder/judge/judge.h"
#include "autograder/judge/wire.h"

#define RECORD_LINES	64u	/* more than a verdict shows	*/
#define RECORD_CHANNELS	16u

/* A method that the card executed. */
struct record_method {
	uint64_t time;
	uint32_t channel, data;
	uint16_t subchannel, method;
	uint32_t entry;		/* how many entries had begun	*/
};

/* What one channel did since it was last asked about. */
struct record_channel {
	uint32_t id;
	uint32_t put_writes;	/* of GP_PUT, by the driver	*/
	uint32_t put_written;	/* … its last value		*/
	uint32_t put;		/* GP_PUT that Host saw last	*/
	uint64_t begun, ended;	/* GP entries			*/
	uint32_t crc_checks;	/* of segments			*/
	uint64_t last_end;	/* virtual ns			*/
};

struct record_line {
	uint64_t time;
	enum { LINE_EVENT, LINE_POST, LINE_TEXT } kind;
	union {
		struct card_event event;
		struct wire_post post;
		char text[192];
	};
};

struct record {
	const struct card *card;	/* prints its own events	*/
	struct record_method *method;
	size_t methods, room;
	bool no_memory;
	struct record_channel channel[RECORD_CHANNELS];
	unsigned int channels;
	uint64_t userd;			/* of channel 0, in BAR1	*/
	bool userd_known;
	struct record_line line[RECORD_LINES];
	uint64_t lines;			/* ever				*/
	void (*trace)(void *arg, const struct card_event *event,
		      const char *line);
	void *trace_arg;
};

void record_fini(struct record *record);

void record_event(struct record *record, const struct card_event *event);
/* A posted write; true if it was one of GP_PUT [§8.3]. */
bool record_write(struct record *record, const struct wire_post *post);
void record_post(struct record *record, uint64_t time,
		 const struct wire_post *post);
void record_text(struct record *record, uint64_t time, const char *format,
		 ...) __attribute__((format(printf, 3, 4)));

/* The channel's counters; made when it is first seen.  NULL: too many. */
struct record_channel *record_channel(struct record *record, uint32_t id);

/* The last lines, oldest first. */
void record_last(const struct record *record, struct judge_verdict *verdict);

#endif
