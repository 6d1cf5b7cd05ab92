/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A run as a trace in Chrome's JSON format: an object with traceEvents, times
 * in microseconds.  What the driver does is one row for each thread, what the
 * card does one row for each channel.  GP entries and copies have a duration,
 * everything else is an instant.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "autograder/judge/chrome.h"

enum { PID_DRIVER = 1, PID_CARD = 2 };

static void put_string(FILE *file, const char *text)
{
	putc('"', file);
	for (; *text; text++) {
		unsigned char c = *text;

		if (c == '"' || c == '\\')
			fprintf(file, "\\%c", c);
		else if (c < 0x20)
			fprintf(file, "\\u%04x", c);
		else
			putc(c, file);
	}
	putc('"', file);
}

static void begin_object(struct chrome *chrome)
{
	fputs(chrome->any ? ",\n" : "\n", chrome->file);
	chrome->any = true;
}

static void name_row(struct chrome *chrome, int pid, const char *name)
{
	begin_object(chrome);
	fprintf(chrome->file, "{\"name\":\"process_name\",\"ph\":\"M\","
		"\"pid\":%d,\"args\":{\"name\":\"%s\"}}", pid, name);
}

void chrome_begin(struct chrome *chrome, FILE *file, const char *title)
{
	*chrome = (struct chrome){ .file = file };
	fputs("{\"otherData\":{\"test\":", file);
	put_string(file, title);
	fputs("},\"displayTimeUnit\":\"ns\",\"traceEvents\":[", file);
	name_row(chrome, PID_DRIVER, "driver");
	name_row(chrome, PID_CARD, "card");
}

/* B opens a bar, E closes it, i is a tick. */
static char phase_of(enum card_event_kind kind)
{
	switch (kind) {
	case EV_GP_BEGIN:
	case EV_COPY_BEGIN:
		return 'B';
	case EV_GP_END:
	case EV_COPY_END:
		return 'E';
	default:
		return 'i';
	}
}

void chrome_line(void *arg, const struct card_event *event, const char *line)
{
	struct chrome *chrome = arg;
	const char *text = strstr(line, " us ");
	unsigned int row = 0;
	char phase = 'i';

	text = text ? text + 4 : line;
	begin_object(chrome);
	fputs("{\"name\":", chrome->file);
	put_string(chrome->file, text);
	if (event) {
		phase = phase_of(event->kind);
		row = event->channel == UINT32_MAX ? 0 : event->channel + 1;
	} else {
		sscanf(text, "thread %u", &row);
	}
	fprintf(chrome->file, ",\"ph\":\"%c\",\"ts\":%.*s,\"pid\":%d,"
		"\"tid\":%u%s}", phase, (int)strcspn(line, " "), line,
		event ? PID_CARD : PID_DRIVER, row,
		phase == 'i' ? ",\"s\":\"t\"" : "");
}

void chrome_end(struct chrome *chrome)
{
	fputs("\n]}\n", chrome->file);
}
