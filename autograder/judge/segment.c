/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Segments as tests describe them: groups of methods, which the agent encodes
 * with the student's own push_*(), and the flat list of what the card should
 * execute for them [§9.3].
 */
#include <stdlib.h>
#include <string.h>

#include "autograder/judge/session.h"

#define MAX_COUNT	8191u	/* data words of a header [§9.3]	*/

/* room counts elements; false: no memory, and nothing was lost. */
static bool room_for(void **list, size_t used, size_t more, size_t size)
{
	void *grown = realloc(*list, (used + more) * size);

	if (!grown)
		return false;
	*list = grown;
	return true;
}

static unsigned int step_of(enum wire_method kind, unsigned int i)
{
	switch (kind) {
	case WIRE_METHOD_INC:
		return 4 * i;
	case WIRE_METHOD_ONE_INC:
		return i ? 4 : 0;
	default:
		return 0;
	}
}

void segment_add(struct segment *segment, enum wire_method kind,
		 unsigned int subchannel, unsigned int method,
		 const uint32_t *data, unsigned int count)
{
	struct segment_method *flat;
	uint32_t *wire;
	unsigned int i;

	if (!room_for((void **)&segment->wire, segment->wires, count + 2,
		      sizeof(*wire)) ||
	    !room_for((void **)&segment->method, segment->methods, count,
		      sizeof(*flat))) {
		session_error(segment->scenario, "no memory for a segment");
		session_check(segment->scenario);
		return;
	}
	wire = segment->wire + segment->wires;
	wire[0] = kind | subchannel << 4 | method << 8;
	wire[1] = count;
	memcpy(wire + 2, data, count * sizeof(*data));
	flat = segment->method + segment->methods;
	for (i = 0; i < count; i++)
		flat[i] = (struct segment_method){
			.subchannel = subchannel,
			.method = method + step_of(kind, i),
			.data = data[i],
		};
	segment->wires += count + 2;
	segment->methods += count;
	segment->groups++;
	segment->words += kind == WIRE_METHOD_IMMEDIATE ? 1 : count + 1;
}

static struct segment *segment_empty(struct scenario *s)
{
	struct segment *segment = NULL;

	if (s->segments < SESSION_SEGMENTS)
		segment = calloc(1, sizeof(*segment));
	if (!segment) {
		session_error(s, "no memory for a segment");
		session_check(s);
		return NULL;
	}
	segment->scenario = s;
	s->segment[s->segments++] = segment;
	return segment;
}

struct segment *segment_new(struct scenario *s)
{
	static const uint32_t tag = WIRE_TAG;
	struct segment *segment = segment_empty(s);

	segment_add(segment, WIRE_METHOD_INC, 0, METHOD_NOP, &tag, 1);
	return segment;
}

/*
 * Every other data word is the tag, so that a word that an older segment left
 * behind is told from ours; the rest say where they stand.
 */
struct segment *segment_words(struct scenario *s, unsigned int words)
{
	struct segment *segment = segment_empty(s);
	uint32_t data[MAX_COUNT];
	unsigned int i, count;

	while (segment->words < words) {
		unsigned int left = words - segment->words;

		if (left == 1) {
			data[0] = 1;
			segment_add(segment, WIRE_METHOD_IMMEDIATE, 0,
				    METHOD_NOP, data, 1);
			break;
		}
		count = left - 1 < MAX_COUNT ? left - 1 : MAX_COUNT;
		for (i = 0; i < count; i++)
			data[i] = i % 2 ? FILLER(segment->words + i) :
				WIRE_TAG;
		segment_add(segment, WIRE_METHOD_NON_INC, 0, METHOD_NOP, data,
			    count);
	}
	return segment;
}

struct segment *segment_bind_copy(struct scenario *s)
{
	struct segment *segment = segment_new(s);
	uint32_t class = copy_class(s);

	segment_add(segment, WIRE_METHOD_INC, COPY_SUBCHANNEL,
		    METHOD_SET_OBJECT, &class, 1);
	return segment;
}
