/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * DMA by messages.
 *
 * Memory without a descriptor belongs to the client, which reads and writes
 * it when it is asked to.  That has a trap.  QEMU holds its big lock while it
 * waits for an answer from here, and answers nothing itself meanwhile; and it
 * may begin to wait at any moment, also when a message to it is under way.
 * So its accesses must be answered at once, whatever the card is doing; and
 * what the card was doing is an event that cannot stop in the middle.
 *
 * Therefore an event is tried.  At the first transfer whose result is not
 * known, everything is undone (arena.c), the message is sent, and the server
 * goes on serving, with a card that stands just before that event.  The
 * answer is remembered, and the event tried again: it makes the same
 * transfers in the same order, since a card is a value, and comes to the next
 * one, or to its end.  Should an access in between have changed its course,
 * what was remembered from there on is dropped.
 *
 * A write is remembered as done when the client has said so.  Nothing that
 * follows from it, not a register and not an interrupt, can be seen before
 * the memory has changed: as PCI Express orders it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/server/arena.h"
#include "vm/server/server.h"

struct trial_entry {
	bool write, known;
	uint64_t address;
	size_t size;
	int err;
	uint8_t data[];
};

static void drop_from(struct trial *t, unsigned int first)
{
	while (t->entries > first)
		free(t->entry[--t->entries]);
}

void trial_forget(struct server *s)
{
	drop_from(&s->trial, 0);
	if (s->trial.asked)
		s->unanswered++;
	s->trial.asked = false;
	s->trial.lines = 0;
}

/* What the event asked for at this place when it was tried before. */
static struct trial_entry *remembered(struct trial *t, bool write,
				      uint64_t address, const void *buf,
				      size_t size)
{
	struct trial_entry *e;

	if (t->at == t->entries)
		return NULL;
	e = t->entry[t->at];
	if (e->known && e->write == write && e->address == address &&
	    e->size == size && (!write || !memcmp(e->data, buf, size)))
		return e;
	drop_from(t, t->at);
	return NULL;
}

/* Ask for it, and leave. */
static int ask(struct server *s, bool write, uint64_t address,
	       const void *buf, size_t size)
{
	struct trial *t = &s->trial;
	struct trial_entry *e;

	if (t->entries == TRIAL_ENTRIES)
		return -EFAULT;
	e = malloc(sizeof(*e) + size);
	if (!e)
		return -EFAULT;
	*e = (struct trial_entry){
		.write = write, .address = address, .size = size,
	};
	if (write)
		memcpy(e->data, buf, size);
	t->entry[t->entries++] = e;
	siglongjmp(t->escape, 1);
}

static int transfer_part(struct server *s, bool write, uint64_t address,
			 uint8_t *buf, size_t size)
{
	struct trial_entry *e = remembered(&s->trial, write, address, buf,
					   size);

	if (!e)
		return ask(s, write, address, buf, size);
	s->trial.at++;
	if (!write && !e->err)
		memcpy(buf, e->data, size);
	return e->err;
}

int trial_transfer(struct server *s, bool write, uint64_t address,
		   uint8_t *buf, size_t size)
{
	int err = 0;

	while (size && !err) {
		size_t part = size < s->peer.data_max ? size :
			s->peer.data_max;

		err = transfer_part(s, write, address, buf, part);
		address += part;
		buf += part;
		size -= part;
	}
	return err;
}

bool trial_hold_line(struct server *s, enum card_rule rule, const char *text)
{
	struct trial *t = &s->trial;

	if (!t->on)
		return false;
	if (t->lines == TRIAL_LINES)
		return true;
	t->line[t->lines].rule = rule;
	snprintf(t->line[t->lines].text, sizeof(t->line[0].text), "%s", text);
	t->lines++;
	return true;
}

/* The last entry is what is not known yet. */
static void send_question(struct server *s)
{
	struct trial *t = &s->trial;
	const struct trial_entry *e = t->entry[t->entries - 1];
	struct vu_header header = {
		.id = s->client.next_id++,
		.command = e->write ? VU_DMA_WRITE : VU_DMA_READ,
		.size = VU_HEADER_SIZE + 16 + (e->write ? e->size : 0),
	};
	uint8_t part[16];

	vu_put64(part, e->address);
	vu_put64(part + 8, e->size);
	s->report.dma_messages++;
	t->asked = true;
	t->id = header.id;
	t->until = clock_host_ns() + CONNECTION_ANSWER_MS * 1000000ull;
	if (connection_send(&s->client, &header, part, sizeof(part), e->data,
			    e->write ? e->size : 0))
		s->broken = s->client.why;
}

static void tell_lines(struct server *s)
{
	unsigned int lines = s->trial.lines;

	s->trial.lines = 0;
	for (unsigned int i = 0; i < lines; i++)
		server_violation(s, s->trial.line[i].rule,
				 s->trial.line[i].text);
}

/* Apart: what lives across the jump is in memory. */
static __attribute__((noinline)) bool try_once(struct trial *t,
					       void (*step)(void *arg),
					       void *arg)
{
	if (sigsetjmp(t->escape, 0))
		return false;
	step(arg);
	return true;
}

bool trial_run(struct server *s, void (*step)(void *arg), void *arg)
{
	struct server_said said = s->said;
	struct trial *t = &s->trial;
	bool done;

	if (t->asked || s->broken)
		return false;
	if (arena_begin()) {
		s->broken = "no memory to try what needs the client";
		return false;
	}
	t->at = 0;
	t->lines = 0;
	t->on = true;
	done = try_once(t, step, arg);
	t->on = false;
	if (done) {
		arena_keep();
		drop_from(t, 0);
		tell_lines(s);
		return true;
	}
	s->said = said;
	t->lines = 0;
	if (arena_undo())
		s->broken = "too much was done to be undone";
	else
		send_question(s);
	return false;
}

int trial_answer(struct server *s, const char **why)
{
	const struct vu_message *m = &s->client.in.message;
	struct trial *t = &s->trial;
	struct trial_entry *e;

	if (!t->asked || m->header.id != t->id) {
		*why = "an answer to what nobody asked";
		if (!s->unanswered)
			return -EPROTO;
		s->unanswered--;
		return 0;
	}
	t->asked = false;
	e = t->entry[t->entries - 1];
	e->known = true;
	if (m->header.flags & VU_ERROR) {
		e->err = -EFAULT;
		return 0;
	}
	*why = "an answer to another question";
	if ((m->header.command == VU_DMA_WRITE) != e->write)
		return -EPROTO;
	if (m->dma.bare)
		return 0;
	if (m->dma.address != e->address || m->dma.count > e->size)
		return -EPROTO;
	if (m->dma.count < e->size)
		e->err = -EFAULT;
	else if (!e->write)
		memcpy(e->data, m->dma.data, e->size);
	return 0;
}
