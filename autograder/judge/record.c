/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What was seen on the bus.
 *
 * Lines are kept as they came and are turned into text only when somebody
 * reads them: almost every run passes, and then nobody does.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograder/judge/record.h"
#include "vm/spec/reg.h"

#define NO_CHANNEL	0xffffffffu
#define CRC_OF_SEGMENT	3u	/* kind of EV_CRC	*/

void record_fini(struct record *record)
{
	free(record->method);
	record->method = NULL;
}

struct record_channel *record_channel(struct record *record, uint32_t id)
{
	unsigned int i;

	for (i = 0; i < record->channels; i++) {
		if (record->channel[i].id == id)
			return &record->channel[i];
	}
	if (record->channels == RECORD_CHANNELS)
		return NULL;
	record->channel[i] = (struct record_channel){ .id = id };
	record->channels++;
	return &record->channel[i];
}

static void add_method(struct record *record, const struct card_event *event,
		       uint32_t entry)
{
	struct record_method *grown;

	if (record->methods == record->room) {
		record->room = record->room ? 2 * record->room : 1024;
		grown = realloc(record->method,
				record->room * sizeof(*grown));
		if (!grown) {
			record->room = record->methods;
			record->no_memory = true;
			return;
		}
		record->method = grown;
	}
	record->method[record->methods++] = (struct record_method){
		.time = event->time, .channel = event->channel,
		.subchannel = event->arg[0], .method = event->arg[1],
		.data = event->arg[2], .entry = entry,
	};
}

static void count_event(struct record *record, const struct card_event *event)
{
	struct record_channel *channel;

	if (event->channel == NO_CHANNEL)
		return;
	channel = record_channel(record, event->channel);
	if (!channel)
		return;
	switch (event->kind) {
	case EV_GP_PUT:
		channel->put = event->arg[0];
		break;
	case EV_GP_BEGIN:
		channel->begun++;
		break;
	case EV_GP_END:
		channel->ended++;
		channel->last_end = event->time;
		break;
	case EV_CRC:
		channel->crc_checks += event->arg[2] == CRC_OF_SEGMENT;
		break;
	case EV_METHOD:
		add_method(record, event, channel->begun);
		break;
	default:
		break;
	}
}

/* Where USERD lies, the driver told Host in NV_PFIFO_BAR1_BASE. */
bool record_write(struct record *record, const struct wire_post *post)
{
	struct record_channel *channel;
	uint64_t at;

	if (post->region == CARD_BAR0 && post->addr == NV_PFIFO_BAR1_BASE) {
		record->userd = REG_GET(NV_PFIFO_BAR1_BASE_PTR, post->value)
			<< 12;
		record->userd_known = true;
	}
	if (post->region != CARD_BAR1 || !record->userd_known ||
	    post->addr < record->userd)
		return false;
	at = post->addr - record->userd;
	if (at % NV_RAMUSERD_CHAN_SIZE != NV_RAMUSERD_GP_PUT ||
	    at / NV_RAMUSERD_CHAN_SIZE >= 4096)
		return false;
	channel = record_channel(record, at / NV_RAMUSERD_CHAN_SIZE);
	if (!channel)
		return false;
	channel->put_writes++;
	channel->put_written = post->value;
	return true;
}

static int print_post(const struct wire_post *post, char *buf, size_t len)
{
	static const char *const barrier[] = {
		"dma_rmb", "dma_wmb", "rmb", "wmb", "mb"
	};
	unsigned int thread = post->thread;

	switch (post->kind) {
	case WIRE_STORE:
		if (post->pad)
			return snprintf(buf, len, "thread %u: stores %u bytes "
					"from arena+%" PRIx64, thread,
					post->pad, post->addr);
		return snprintf(buf, len, "thread %u: store arena+%" PRIx64
				" <- %0*" PRIx64, thread, post->addr,
				2 * post->size, post->value);
	case WIRE_BARRIER:
		return snprintf(buf, len, "thread %u: %s()", thread,
				post->value < 5 ? barrier[post->value] : "?");
	case WIRE_WRITE:
		return snprintf(buf, len, "thread %u: posts a write, region "
				"%u+%" PRIx64 " <- %" PRIx64, thread,
				post->region, post->addr, post->value);
	case WIRE_SWITCH:
		return snprintf(buf, len, "thread %u runs", thread);
	default:
		return snprintf(buf, len, "post %u", post->kind);
	}
}

static void print_line(const struct record *record,
		       const struct record_line *line, char *buf, size_t len)
{
	int at = snprintf(buf, len, "%" PRIu64 ".%03u us ", line->time / 1000,
			  (unsigned int)(line->time % 1000));

	if (at < 0 || (size_t)at >= len)
		return;
	if (line->kind == LINE_TEXT)
		snprintf(buf + at, len - at, "%s", line->text);
	else if (line->kind == LINE_POST)
		print_post(&line->post, buf + at, len - at);
	else
		card_event_print(record->card, &line->event, buf + at,
				 len - at);
}

static struct record_line *add_line(struct record *record, uint64_t time)
{
	struct record_line *line =
		&record->line[record->lines++ % RECORD_LINES];

	line->time = time;
	return line;
}

static void trace_line(const struct record *record,
		       const struct record_line *line)
{
	char buf[256];

	if (!record->trace)
		return;
	print_line(record, line, buf, sizeof(buf));
	record->trace(record->trace_arg,
		      line->kind == LINE_EVENT ? &line->event : NULL, buf);
}

void record_event(struct record *record, const struct card_event *event)
{
	struct record_line *line = add_line(record, event->time);

	count_event(record, event);
	line->kind = LINE_EVENT;
	line->event = *event;
	trace_line(record, line);
}

/* Stores one after the other make one line, except in a trace. */
static bool joined(struct record *record, const struct wire_post *post)
{
	struct record_line *line;
	struct wire_post *last;

	if (!record->lines || record->trace || post->kind != WIRE_STORE)
		return false;
	line = &record->line[(record->lines - 1) % RECORD_LINES];
	last = &line->post;
	if (line->kind != LINE_POST || last->kind != WIRE_STORE ||
	    last->thread != post->thread)
		return false;
	if (last->addr + (last->pad ?: last->size) != post->addr)
		return false;
	last->pad = (last->pad ?: last->size) + post->size;
	return true;
}

void record_post(struct record *record, uint64_t time,
		 const struct wire_post *post)
{
	struct record_line *line;

	if (joined(record, post))
		return;
	line = add_line(record, time);
	line->kind = LINE_POST;
	line->post = *post;
	trace_line(record, line);
}

void record_text(struct record *record, uint64_t time, const char *format,
		 ...)
{
	struct record_line *line = add_line(record, time);
	va_list args;

	line->kind = LINE_TEXT;
	va_start(args, format);
	vsnprintf(line->text, sizeof(line->text), format, args);
	va_end(args);
	trace_line(record, line);
}

void record_last(const struct record *record, struct judge_verdict *verdict)
{
	uint64_t count = record->lines < JUDGE_LAST_EVENTS ?
		record->lines : JUDGE_LAST_EVENTS;
	uint64_t i;

	for (i = 0; i < count; i++)
		print_line(record, &record->line[(record->lines - count + i) %
						 RECORD_LINES],
			   verdict->last[i], sizeof(verdict->last[i]));
	verdict->events = count;
}
