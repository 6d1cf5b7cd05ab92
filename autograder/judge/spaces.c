/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Address spaces: what a driver answers about them, and what the card finds.
 *
 * The answers are held against a flat list of what is mapped.  The tables are
 * held against it by walking them as the card does, with no TLB in between,
 * once everything that was posted has arrived: then a page is where it should
 * be, or it is not, whatever the tables look like.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "autograder/judge/session.h"

/* Longer than a posted write takes to arrive [§2.3]. */
#define ARRIVED		(2 * US)
/* … and than it stays in the write path without a flush [§4.4]. */
#define DRAINED		(30 * US)
#define NEAR		64u	/* pages to look at beside each part */
#define ALL_FLAGS	(MAP_READ_ONLY | MAP_VOLATILE | MAP_PRIVILEGED | \
			 MAP_FIXED | MAP_REPLACE)
#define RIGHTS		(MAP_READ_ONLY | MAP_VOLATILE | MAP_PRIVILEGED)

/* --- what the card finds --------------------------------------------- */

static void not_as_it_should(struct scenario *s, uint64_t va,
			     const char *expected, const char *actual)
{
	char text[128];

	snprintf(text, sizeof(text), "what is mapped is what the card finds: "
		 "address 0x%" PRIx64, va);
	session_fail(s, "WALK", "§6.4", text, expected, "%s", actual);
}

static const char *say(char *buf, size_t len, unsigned int aperture,
		       uint64_t addr, uint32_t rights)
{
	static const char *const name[] = {
		"video memory", "peer memory", "coherent memory",
		"non-coherent memory"
	};

	snprintf(buf, len, "%s 0x%" PRIx64 "%s%s%s", name[aperture & 3], addr,
		 rights & MAP_READ_ONLY ? ", read only" : "",
		 rights & MAP_VOLATILE ? ", volatile" : "",
		 rights & MAP_PRIVILEGED ? ", privileged" : "");
	return buf;
}

/* One page of a part. */
static void check_page(struct scenario *s, const struct session_space *space,
		       const struct space_part *part, uint64_t va)
{
	static const unsigned int code[] = { 0, 2, 3 };
	const struct session_piece *piece;
	struct session_place place;
	char expected[96], actual[96];
	uint64_t addr = 0;
	bool mapped;

	piece = memory_at(&s->vas.memory[part->memory],
			  part->offset + (va - part->va), &addr);
	if (!piece)
		return;
	mapped = session_walk(s, space, va, &place);
	if (mapped && place.aperture == code[piece->aperture] &&
	    place.addr == addr && !place.sparse &&
	    place.rights == (part->flags & RIGHTS))
		return;
	say(expected, sizeof(expected), code[piece->aperture],
	    addr, part->flags);
	if (!mapped)
		not_as_it_should(s, va, expected, "nothing mapped");
	else
		not_as_it_should(s, va, expected, place.sparse ?
				 "a sparse page" :
				 say(actual, sizeof(actual), place.aperture,
				     place.addr, place.rights));
}

static void check_hole(struct scenario *s, const struct session_space *space,
		       uint64_t va)
{
	struct session_place place;
	char actual[96];

	if (!session_walk(s, space, va, &place))
		return;
	not_as_it_should(s, va, "nothing mapped", place.sparse ?
			 "a sparse page" :
			 say(actual, sizeof(actual), place.aperture,
			     place.addr, place.rights));
}

/* Between two parts: the pages at both ends, and some in between. */
static void check_gap(struct scenario *s, const struct session_space *space,
		      uint64_t from, uint64_t to, unsigned int near)
{
	uint64_t pages = (to - from) / PAGE, i;

	for (i = 0; i < near && i < pages && !s->failed; i++) {
		check_hole(s, space, from + i * PAGE);
		check_hole(s, space, to - (i + 1) * PAGE);
	}
	for (i = 2 * MIB; i < to - from && i < 64 * GIB && !s->failed; i *= 8)
		check_hole(s, space, from + i);
}

void session_check_space(struct scenario *s, unsigned int n, bool widely)
{
	const struct session_space *space = &s->vas.space[n];
	unsigned int near = widely ? 8 * NEAR : 2;
	uint64_t va = space->base, at;
	const struct space_part *part;

	if (!space->open || s->unplugged)
		return;
	session_advance(s, s->vas.frozen ? DRAINED : ARRIVED);
	for (part = space->map.part;
	     part < space->map.part + space->map.count && !s->failed; part++) {
		check_gap(s, space, va, part->va, near);
		for (at = 0; at < part->size && !s->failed; at += PAGE)
			check_page(s, space, part, part->va + at);
		va = part->va + part->size;
	}
	if (!s->failed)
		check_gap(s, space, va, space->limit, near);
}

/* --- what a driver answers ------------------------------------------- */

struct request {
	const struct session_space *space;
	const struct session_memory *memory;
	uint64_t va, size, offset;
	uint32_t flags;
	unsigned int shift;
};

static struct request request_of(struct scenario *s,
				 const struct session_op *op)
{
	const uint64_t *a = op->op.args;

	return (struct request){
		.space = &s->vas.space[a[0] % SPACES],
		.memory = &s->vas.memory[a[3] % SESSION_MEMORIES],
		.va = a[1], .size = a[2], .offset = a[4], .flags = a[5],
		.shift = a[6],
	};
}

static uint64_t unit_of(const struct request *r)
{
	return r->shift && r->shift < 64 ? 1ull << r->shift : PAGE;
}

static bool shift_exists(const struct scenario *s, unsigned int shift)
{
	return !shift || shift == PAGES_4K || shift == big_shift(s) ||
		(shift == PAGES_2M && has_huge_pages(s));
}

static bool inside(const struct session_space *space, uint64_t va,
		   uint64_t size)
{
	return va >= space->base && va < space->limit &&
		size <= space->limit - va;
}

/* Does what is asked make sense? */
static bool makes_sense(const struct scenario *s, const struct request *r)
{
	uint64_t unit = unit_of(r);
	unsigned int i;

	if (!shift_exists(s, r->shift) || r->flags & ~ALL_FLAGS ||
	    (r->flags & MAP_REPLACE && !(r->flags & MAP_FIXED)))
		return false;
	if (!r->size || r->size % unit || r->offset % unit)
		return false;
	if (r->offset > r->memory->size ||
	    r->size > r->memory->size - r->offset)
		return false;
	for (i = 0; i < r->memory->pieces; i++) {
		if (r->memory->piece[i].addr % unit ||
		    r->memory->piece[i].size % unit)
			return false;
	}
	return !(r->flags & MAP_FIXED) ||
		(r->va % unit == 0 && inside(r->space, r->va, r->size));
}

/* A hole for this much, suitably aligned. */
static bool there_is_room(const struct request *r)
{
	const struct space_map *map = &r->space->map;
	uint64_t va = r->space->base, unit = unit_of(r), end;
	size_t i;

	for (i = 0; i <= map->count; i++) {
		end = i < map->count ? map->part[i].va : r->space->limit;
		va = (va + unit - 1) & ~(unit - 1);
		if (va < end && end - va >= r->size)
			return true;
		if (i < map->count)
			va = map->part[i].va + map->part[i].size;
	}
	return false;
}

static int64_t wanted_of_map(struct scenario *s, const struct request *r)
{
	if (!makes_sense(s, r))
		return -EINVAL;
	if (!(r->flags & MAP_FIXED))
		return there_is_room(r) ? 0 : -ENOSPC;
	if (!(r->flags & MAP_REPLACE) &&
	    !space_map_free(&r->space->map, r->va, r->size))
		return -EEXIST;
	return 0;
}

static void untrue(struct scenario *s, const struct session_op *op,
		   int64_t wanted, int64_t result)
{
	char a[64], b[64], text[CALL_TEXT];

	session_fail(s, "ANSWER", "§6.4",
		     "a call returns what its contract says",
		     session_number(wanted, a, sizeof(a)), "%s = %s",
		     session_call_text(s, op, text, sizeof(text)),
		     session_number(result, b, sizeof(b)));
}

/* An address that the driver chose. */
static bool chosen_well(struct scenario *s, const struct request *r,
			uint64_t va)
{
	if (va % unit_of(r) == 0 && inside(r->space, va, r->size) &&
	    space_map_free(&r->space->map, va, r->size))
		return true;
	session_fail(s, "ANSWER", "§6.4",
		     "an address that is chosen is free, aligned and inside",
		     "such an address", "0x%" PRIx64 " for 0x%" PRIx64
		     " bytes", va, r->size);
	return false;
}

static bool unexcused(const struct scenario *s, int64_t result)
{
	return !(s->failing && result == -ENOMEM) &&
		!(s->unplugged && result == -ENODEV) &&
		!(s->vas.frozen && result == -ETIMEDOUT);
}

/* Nothing is mapped there: unmapped, or a time-out of whatever call. */
static void cleared(struct scenario *s, struct session_space *space,
		    uint64_t va, uint64_t size)
{
	if (!space_map_clear(&space->map, va, size))
		session_error(s, "no memory for a mapping");
}

/* A call that fails leaves its caller's mapping alone. */
static void check_untouched(struct scenario *s, const struct session_op *op)
{
	if (op->outputs && op->output[0] != op->op.args[1])
		session_fail(s, "ANSWER", "§6.4",
			     "a call that fails changes nothing",
			     "mapping->va as it was", "0x%" PRIx64
			     ", which was 0x%" PRIx64, op->output[0],
			     op->op.args[1]);
}

static void map_result(struct scenario *s, struct session_op *op,
		       int64_t result)
{
	struct request r = request_of(s, op);
	struct session_space *space = &s->vas.space[op->op.args[0] % SPACES];
	int64_t wanted = wanted_of_map(s, &r);
	struct space_part part = {
		.va = r.va, .size = r.size, .offset = r.offset,
		.memory = op->op.args[3] % SESSION_MEMORIES,
		.flags = r.flags & RIGHTS,
	};

	if (result != wanted) {
		if (wanted == -EINVAL || unexcused(s, result))
			untrue(s, op, wanted, result);
		else if (result == -ETIMEDOUT && r.flags & MAP_FIXED)
			cleared(s, space, r.va, r.size);
	}
	if (result)
		check_untouched(s, op);
	if (result || wanted)
		return;
	if (!(r.flags & MAP_FIXED)) {
		part.va = op->output[0];
		if (!chosen_well(s, &r, part.va))
			return;
	}
	if (!space_map_set(&space->map, &part))
		session_error(s, "no memory for a mapping");
}

static void unmap_result(struct scenario *s, struct session_op *op,
			 int64_t result)
{
	struct session_space *space = &s->vas.space[op->op.args[0] % SPACES];
	uint64_t va = op->op.args[1], size = op->op.args[2];
	bool sense = size && va % PAGE == 0 && size % PAGE == 0 &&
		inside(space, va, size);

	if (result != (sense ? 0 : -EINVAL)) {
		if (!sense || unexcused(s, result))
			untrue(s, op, sense ? 0 : -EINVAL, result);
		if (result != -ETIMEDOUT)
			return;
	}
	if (sense)
		cleared(s, space, va, size);
}

void session_space_result(struct scenario *s, struct session_op *op,
			  int64_t result)
{
	unsigned int space = op->op.args[0] % SPACES;

	if (op->op.call == CALL_vas_map)
		map_result(s, op, result);
	else if (op->op.call == CALL_vas_unmap)
		unmap_result(s, op, result);
	else
		return;
	if (s->threads == 1 && !s->failed)
		session_check_space(s, space, false);
}

void session_vas_fini(struct scenario *s)
{
	unsigned int i;

	for (i = 0; i < SPACES; i++)
		space_map_fini(&s->vas.space[i].map);
	for (i = 0; i < SESSION_MEMORIES; i++)
		memory_forget(&s->vas.memory[i]);
}
