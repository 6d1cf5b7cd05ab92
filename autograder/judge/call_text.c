/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A call of the driver as a person reads it: ranges_alloc(size 0x1000,
 * align 0x3, tag 7).  Traces and reports have it, and "actual" of a failure:
 * what was wrong with a call is often in its arguments alone.
 *
 * Each call has a format here.  %x0 is argument 0 in hex; d: decimal; c: a
 * number and the noun behind it, which gets its plural; t: a time; k: a kind
 * of memory, a: an aperture; f: the flags of vas_map(); p: how many pieces
 * that memory has; h: the number above bit 8; u: flags of the unit, w: how a
 * fence is waited for, o: which poll; v: a root, or all.  %r is the ring, %b
 * the work of a batch.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "autograder/judge/session.h"

static const char *const formats[WIRE_CALLS] = {
	[CALL_ring_create] = "%r", [CALL_ring_destroy] = "%r",
	[CALL_ring_submit] = "%r", [CALL_ring_submit_batch] = "%r",
	[CALL_ring_kick] = "%r", [CALL_ring_is_idle] = "%r",
	[CALL_ring_wait_idle] = "%r", [CALL_ring_pause] = "%r",
	[CALL_ring_resume] = "%r", [CALL_raw_gp_memory] = "%r",
	[CALL_gp_entry_segment] = "%x0, %c1 word, flags %x2",
	[CALL_gp_entry_control] = "%x0, %x1",
	[CALL_sleep] = "%t0", [CALL_fail_alloc] = "%d0",

	[CALL_vas_create] = "space %d0, base %x1, limit %x2",
	[CALL_vas_destroy] = "space %d0",
	[CALL_mem_create] = "memory %d0, %x1, %a2",
	[CALL_mem_destroy] = "memory %d0",
	[CALL_vas_map] = "space %d0, %x1, %x2, offset %x4, %f5, shift %d6, %p3",
	[CALL_vas_unmap] = "space %d0, %x1, %x2",
	[CALL_vas_table_bytes] = "space %d0",
	[CALL_ring_create_in] = "%r, space %h6, %x7",
	[CALL_tlb_invalidate] = "%v0", [CALL_tlb_push] = "%v0",
	[CALL_ranges_create] = "base %x0, limit %x1",
	[CALL_ranges_alloc] = "size %x0, align %x1, tag %d2",
	[CALL_ranges_reserve] = "at %x0, size %x1, tag %d2",
	[CALL_ranges_free] = "at %x0, size %x1",
	[CALL_ranges_find] = "at %x0",
	[CALL_ctx_create] = "%u0",
	[CALL_ctx_work] = "space %d0, %x1, %c2 page",
	[CALL_ctx_batch] = "%b",
	[CALL_ctx_forget] = "space %d0", [CALL_ctx_crowd] = "%c0 space",
	[CALL_mem_process] = "memory %d0, memory %d1",
	[CALL_ats_enable] = "space %d0",

	[CALL_timeline_create] = "%r, %k0, start %x1, offset %x2",
	[CALL_timeline_destroy] = "%r",
	[CALL_fence_emit] = "%r, fence %d0, %t1",
	[CALL_fence_acquire] = "%r, fence %d0, %t1",
	[CALL_fence_is_signaled] = "fence %d0", [CALL_fence_time] = "fence %d0",
	[CALL_fence_wait] = "fence %d0, %w1, %t2",
	[CALL_fence_wait_all] = "fences from %d0, %d1 of them, %t2",
	[CALL_fence_wait_any] = "fences from %d0, %d1 of them, %t2",
	[CALL_fence_poll] = "fence %d0, %o2, %t1",
	[CALL_chan_error] = "%r",
};

struct text {
	char *buf;
	size_t at, len;
};

static void __attribute__((format(printf, 2, 3)))
add(struct text *text, const char *format, ...)
{
	size_t left = text->len - text->at;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text->buf + text->at, left, format, args);
	va_end(args);
	if (n > 0)
		text->at += (size_t)n < left ? (size_t)n : left - 1;
}

static void add_time(struct text *text, uint64_t ns)
{
	if (!ns)
		add(text, "0");
	else if (ns % MS == 0)
		add(text, "%" PRIu64 " ms", ns / MS);
	else if (ns % US == 0)
		add(text, "%" PRIu64 " us", ns / US);
	else
		add(text, "%" PRIu64 " ns", ns);
}

/* Without their VAS_; bits that have no name in hex. */
static void add_flags(struct text *text, uint64_t flags)
{
	static const char *const name[] = {
		"READ_ONLY", "VOLATILE", "PRIVILEGED", "FIXED", "REPLACE",
	};
	const char *between = "";
	unsigned int i;

	for (i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		if (!(flags >> i & 1))
			continue;
		add(text, "%s%s", between, name[i]);
		between = "|";
	}
	if (flags >> i || !flags)
		add(text, "%s0x%" PRIx64, between, flags >> i << i);
}

static void add_word(struct text *text, const char *const *word,
		     unsigned int words, uint64_t value)
{
	if (value < words)
		add(text, "%s", word[value]);
	else
		add(text, "0x%" PRIx64, value);
}

static void add_batch(struct text *text, const struct scenario *s,
		      uint64_t count)
{
	const struct unit_work *work = s->vas.unit.batch;
	uint64_t i;

	add(text, "%" PRIu64 ": ", count);
	for (i = 0; i < count && i < UNIT_BATCH; i++) {
		if (text->len - text->at < 56) {
			add(text, "; ...");
			return;
		}
		add(text, "%sspace %u, 0x%" PRIx64 ", %u pages", i ? "; " : "",
		    work[i].space, work[i].va, work[i].pages);
	}
}

#define WORDS(...) \
	(const char *const[]){ __VA_ARGS__ }, \
	sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)

static void add_argument(struct text *text, const struct scenario *s,
			 char kind, uint64_t value)
{
	switch (kind) {
	case 'd':
	case 'c':
		add(text, "%" PRIu64, value);
		break;
	case 'h':
		add(text, "%" PRIu64, value >> 8);
		break;
	case 't':
		add_time(text, value);
		break;
	case 'k':
		add_word(text, WORDS("coherent", "combined", "VRAM"), value);
		break;
	case 'a':
		add_word(text, WORDS("VRAM", "coherent", "combined"), value);
		break;
	case 'f':
		add_flags(text, value);
		break;
	case 'p':
		value = value < SESSION_MEMORIES ?
			s->vas.memory[value].pieces : 0;
		add(text, "%" PRIu64 " piece%s", value, value == 1 ? "" : "s");
		break;
	case 'u':
		add_word(text, WORDS("0", "TAGS"), value);
		break;
	case 'w':
		add_word(text, WORDS("SPIN", "EVENT", "COND", "AUTO"), value);
		break;
	case 'o':
		add_word(text, WORDS("poll", "epoll", "epoll, edge"), value);
		break;
	case 'v':
		add(text, value == ALL_SPACES ? "all" : "root 0x%" PRIx64,
		    value);
		break;
	default:
		add(text, "0x%" PRIx64, value);
	}
}

/* One %…; returns what comes behind it. */
static const char *add_next(struct text *text, const struct scenario *s,
			    const struct session_op *op, const char *at)
{
	uint64_t value;

	if (*at == 'r') {
		add(text, "ring %u", op->op.handle);
		return at + 1;
	}
	if (*at == 'b') {
		add_batch(text, s, op->op.args[0]);
		return at + 1;
	}
	value = op->op.args[at[1] - '0'];
	add_argument(text, s, *at, value);
	if (*at != 'c')
		return at + 2;
	for (at += 2; *at && *at != ','; at++)
		add(text, "%c", *at);
	if (value != 1)
		add(text, "s");
	return at;
}

const char *session_call_text(const struct scenario *s,
			      const struct session_op *op, char *buf,
			      size_t len)
{
	const char *at = formats[op->op.call];
	struct text text = { buf, 0, len };

	add(&text, "%s(", session_call_name(op->op.call));
	while (at && *at) {
		if (*at == '%')
			at = add_next(&text, s, op, at + 1);
		else
			add(&text, "%c", *at++);
	}
	add(&text, ")");
	return buf;
}
