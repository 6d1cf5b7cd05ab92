/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the card tells of itself [§2.4], [§11]: events and broken rules, and
 * how they read as text.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "vm/model/memory.h"

static const struct {
	const char *name, *section, *text;
} rules[CARD_RULES] = {
#define RULE(name, section, text)	[name] = { #name, section, text },
#include "vm/spec/rules.def"
#undef RULE
};

static const struct {
	const char *name, *format;
} events[CARD_EVENTS] = {
#define EVENT(name, format)	[name] = { #name, format },
#include "vm/spec/events.def"
#undef EVENT
};

const char *card_rule_name(enum card_rule rule)
{
	return rules[rule].name;
}

const char *card_rule_section(enum card_rule rule)
{
	return rules[rule].section;
}

const char *card_rule_text(enum card_rule rule)
{
	return rules[rule].text;
}

const char *mem_why_name(enum card_dma_why why)
{
	static const char *const names[] = {
		[CARD_DMA_GP_ENTRY] = "a GP entry",
		[CARD_DMA_PUSHBUFFER] = "a push-buffer segment",
		[CARD_DMA_SEMAPHORE] = "a semaphore",
		[CARD_DMA_COPY] = "data of a copy",
		[CARD_DMA_INSTANCE] = "an instance block, a runlist or USERD",
		[CARD_DMA_PAGE_TABLE] = "a page table",
	};

	return names[why];
}

void card_report(struct card *card, enum card_rule rule, uint32_t channel,
		 const char *format, ...)
{
	char text[512], *split;
	struct card_violation violation = {
		.time = card->now, .rule = rule, .channel = channel,
		.expected = text,
	};
	va_list args;

	if (!card->ops.violation)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	split = strchr(text, '|');
	if (split) {
		*split = '\0';
		violation.actual = split + 1;
	} else {
		violation.actual = "";
	}
	card->ops.violation(card->host_machine, &violation);
}

void card_trace_out(struct card *card, enum card_event_kind kind,
		    uint32_t channel, uint64_t a0, uint64_t a1, uint64_t a2,
		    uint64_t a3)
{
	struct card_event event = {
		.time = card->now, .kind = kind, .channel = channel,
		.arg = { a0, a1, a2, a3 },
	};

	card->ops.event(card->host_machine, &event);
}

void card_listen(struct card *card, uint64_t kinds)
{
	card->heard = kinds;
}

static const char *region_name(uint64_t region)
{
	static const char *const names[CARD_REGIONS] = {
		[CARD_CONFIG] = "config", [CARD_BAR0] = "BAR0",
		[CARD_BAR1] = "BAR1", [CARD_BAR3] = "BAR3",
	};

	return region < CARD_REGIONS ? names[region] : "?";
}

/* The words of USERD, seen through the snooped window [§8.3]. */
static const char *userd_name(const struct card *card, uint64_t offset)
{
	static const struct { uint32_t offset; const char *name; } words[] = {
#define REG(name, offset, access, reset, chips, doc, source) \
		{ offset, #name },
#define FIELD(reg, name, range, doc)
#include "vm/spec/userd.def"
#undef REG
#undef FIELD
	};

	if (offset - card->snoop_base >= card->snoop_size)
		return NULL;
	for (unsigned int i = 0; i < array_size(words); i++) {
		if (words[i].offset == offset % CARD_USERD)
			return words[i].name;
	}
	return NULL;
}

/* The name of what an access touched, where what it touched has one. */
static const char *name_at(const struct card *card,
			   const struct card_event *event, uint64_t offset)
{
	bool access = event->kind == EV_READ || event->kind == EV_WRITE;
	const char *name = NULL;

	if (!access || event->arg[0] == CARD_BAR0)
		name = card_register_name(card, offset);
	else if (event->arg[0] == CARD_CONFIG)
		name = card_register_name(card, 0x88000 + offset);
	else if (event->arg[0] == CARD_BAR1)
		name = userd_name(card, offset);
	return name ? name : "-";
}

/* One directive of an event's format: %x1, %d2, %r0, %s0, %w2, or %3. */
static int print_arg(const struct card *card, const struct card_event *event,
		     const char **format, char *buf, size_t len)
{
	const char *at = *format + 1;
	char form = 'h';
	uint64_t value;

	if (strchr("xdrsw", *at))
		form = *at++;
	value = event->arg[(*at - '0') & 3];
	*format = at + 1;
	switch (form) {
	case 'x':
		return snprintf(buf, len, "0x%" PRIx64, value);
	case 'd':
		return snprintf(buf, len, "%" PRIu64, value);
	case 'r':
		return snprintf(buf, len, "%s", name_at(card, event, value));
	case 's':
		return snprintf(buf, len, "%s", region_name(value));
	case 'w':
		return snprintf(buf, len, "%s", mem_why_name(value));
	}
	return snprintf(buf, len, "%" PRIx64, value);
}

int card_event_print(const struct card *card, const struct card_event *event,
		     char *buf, size_t len)
{
	const char *format = events[event->kind].format;
	size_t at = 0;

	if (event->channel != CARD_NO_CHANNEL)
		at += snprintf(buf, len, "ch%u ", event->channel);
	while (*format) {
		char *to = at < len ? buf + at : NULL;
		size_t left = at < len ? len - at : 0;

		if (*format == '%')
			at += print_arg(card, event, &format, to, left);
		else
			at += snprintf(to, left, "%c", *format++);
	}
	return at;
}
