/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What a driver does with the unit of GR_CTX_SWITCH, held against what is
 * mapped [§12.3], and where ATS says a page of the process is [§12.4].
 *
 * A piece of work has an outcome that the mappings decide: it writes page
 * after page up to the first that is not there for writing.  What it wrote is
 * noted in the memories at once; it need not be there before it was cleaned.
 */
#include <string.h>

#include "autograder/judge/session.h"
#include "autograder/runtime/internal.h"
#include "vm/spec/reg.h"

/* The memory's bytes behind an address of a space; NULL: not for writing. */
static uint8_t *word_at(struct scenario *s, unsigned int space, uint64_t va)
{
	const struct space_part *part =
		space_map_next(&s->vas.space[space].map, va);
	const struct session_memory *memory;
	unsigned int n;

	if (!part || part->va > va ||
	    part->flags & (MAP_READ_ONLY | MAP_PRIVILEGED))
		return NULL;
	n = part->memory;
	if (s->vas.unit.alias[n])
		n = s->vas.unit.alias[n] - 1;
	memory = &s->vas.memory[n];
	return memory->bytes ?
		memory->bytes + part->offset + (va - part->va) : NULL;
}

/* Note what it writes; 0 or -EFAULT. */
static int64_t note(struct scenario *s, const struct unit_work *work)
{
	uint32_t i;

	for (i = 0; i < work->pages; i++) {
		uint8_t *at = word_at(s, work->space, work->va + i * PAGE);

		if (!at)
			return -EFAULT;
		memcpy(at, &work->data, sizeof(work->data));
	}
	return 0;
}

static bool is_work(const struct scenario *s, const struct unit_work *work)
{
	return work->space < SPACES && s->vas.space[work->space].open &&
		work->va % PAGE == 0 && work->pages &&
		work->pages <= UNIT_PAGES;
}

static int64_t wanted_of(struct scenario *s, const struct unit_work *work,
			 unsigned int count)
{
	int64_t wanted = 0;
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (!is_work(s, &work[i]))
			return -EINVAL;
	}
	if (s->unplugged)
		return -ENODEV;
	for (i = 0; i < count && !wanted; i++)
		wanted = note(s, &work[i]);
	return wanted;
}

static void take_result(struct scenario *s, const struct session_op *op,
			int64_t wanted, int64_t result)
{
	char a[64], b[64], text[CALL_TEXT];

	if (result != wanted)
		session_fail(s, "ANSWER", "§12.3",
			     "a call returns what its contract says",
			     session_number(wanted, a, sizeof(a)), "%s = %s",
			     session_call_text(s, op, text, sizeof(text)),
			     session_number(result, b, sizeof(b)));
}

void session_unit_result(struct scenario *s, struct session_op *op,
			 int64_t result)
{
	const uint64_t *a = op->op.args;
	const struct unit_work one = {
		.space = a[0], .va = a[1], .pages = a[2], .data = a[3],
	};

	if (op->op.call == CALL_ctx_work)
		take_result(s, op, wanted_of(s, &one, 1), result);
	else if (op->op.call == CALL_ctx_batch)
		take_result(s, op, !a[0] ? -EINVAL :
			    wanted_of(s, s->vas.unit.batch, a[0]), result);
}

void session_unit_event(struct scenario *s, const struct card_event *event)
{
	struct session_unit *unit = &s->vas.unit;

	if (event->kind == EV_CTX_DONE)
		unit->walks += event->arg[2];
	else if (event->kind == EV_ATS)
		unit->requests++;
	if (event->kind != EV_WRITE || event->arg[0] != CARD_BAR0 ||
	    event->arg[1] < GR_CTX_SWITCH_PDB_LO ||
	    event->arg[1] > GR_CTX_SWITCH_FAULT_HI)
		return;
	unit->writes++;
	unit->batches += event->arg[1] == GR_CTX_SWITCH_BATCH;
}

int session_ats(void *host, uint64_t page, uint64_t *dma)
{
	struct scenario *s = host;
	uint64_t offset = page - RT_WIRE_BASE - WIRE_ARENA_OFFSET;
	const struct arena_piece *piece;

	if (offset >= WIRE_ARENA_SIZE)
		return -EFAULT;
	piece = arena_find(&s->arena, offset, PAGE);
	if (!piece || !piece->live)
		return -EFAULT;
	*dma = piece->dma + (offset - piece->offset);
	return 0;
}
