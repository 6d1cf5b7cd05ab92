/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The agent's runtime, in the judge's process and without instrumentation.
 *
 * Operations are those of autograder/agent/ops.c.  Threads run one after the
 * other: what comes of their mixing is the judge's link to find.  Stores are
 * shown to the card at the next access: missing barriers are the judge's to
 * find, too.  What is left is what a debugger is for.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <poll.h>
#include <unistd.h>

#include "autograder/agent/agent.h"
#include "autograder/runtime/posix.h"
#include "inside.h"
#include "slab.h"

static uint8_t payload[WIRE_PAYLOAD] __attribute__((aligned(8)));
static unsigned int current;	/* thread */

void debug_run_batch(void)
{
	struct wire *wire = debug_run->link.wire;
	struct batch batch = {
		.payload = payload, .len = wire->reply.payload,
	};

	memcpy(payload, wire->payload, sizeof(payload));
	memcpy(&batch.ops, payload, sizeof(batch.ops));
	batch.op = (const struct wire_op *)(payload + sizeof(batch.ops));
	for (current = 0; current < batch.ops.threads; current++) {
		for (uint32_t i = 0; i < batch.ops.count; i++) {
			if (batch.op[i].thread != current)
				continue;
			for (uint32_t n = 0; n < batch.op[i].repeat; n++)
				rt_post(WIRE_RESULT, 0, i, 8,
					agent_call(&batch, i, n));
		}
	}
	current = 0;
}

/* Words of one piece that differ between the CPU's view and the card's. */
static void show_piece(const struct arena_piece *piece)
{
	const uint8_t *cpu = debug_run->link.arena + piece->offset;
	const uint8_t *card = visibility_card(debug_run->visibility) +
		piece->offset;

	if (!memcmp(cpu, card, piece->size))
		return;
	for (uint64_t at = 0; at < piece->size; at += 4) {
		if (!memcmp(cpu + at, card + at, 4))
			continue;
		visibility_card_write(debug_run->visibility,
				      piece->offset + at, cpu + at, 4);
		card_cpu_store(debug_run->card, piece->dma + at, 4);
	}
}

void debug_show_stores(void)
{
	const struct arena *arena = &debug_run->arena;

	for (unsigned int i = 0; i < arena->pieces; i++) {
		if (arena->piece[i].live)
			show_piece(&arena->piece[i]);
	}
}

/* rt.h, as far as operations and bus call it. */

struct wire *rt_wire(void)
{
	return debug_run->link.wire;
}

void *rt_arena(uint64_t offset)
{
	return debug_run->link.arena + offset;
}

uint64_t rt_arena_offset(const void *addr)
{
	uint64_t offset = (uintptr_t)addr -
		(uintptr_t)debug_run->link.arena;

	return offset < WIRE_ARENA_SIZE ? offset : UINT64_MAX;
}

static void post(struct wire_post one)
{
	struct wire *wire = debug_run->link.wire;

	debug_show_stores();
	one.thread = current;
	wire->post[0] = one;
	atomic_store(&wire->posted, 1);
	session_posts(debug_run);
	if (debug_run->stop)
		debug_leave();
}

void rt_post(enum wire_post_kind kind, unsigned int region, uint64_t addr,
	     unsigned int size, uint64_t value)
{
	post((struct wire_post){ .kind = kind, .region = region,
				 .size = size, .addr = addr, .value = value });
}

void rt_post_burst(unsigned int region, uint64_t addr, const void *data,
		   size_t len)
{
	const uint8_t *bytes = data;
	unsigned int size;

	for (; len; addr += size, bytes += size, len -= size) {
		uint64_t value = 0;

		size = len >= 8 && addr % 8 == 0 ? 8 :
			len >= 4 && addr % 4 == 0 ? 4 : 1;
		memcpy(&value, bytes, size);
		post((struct wire_post){
			.kind = WIRE_BURST, .region = region, .size = size,
			.pad = len - size, .addr = addr, .value = value,
		});
	}
}

struct wire_reply rt_ask(enum wire_request_kind kind, uint64_t a, uint64_t b,
			 uint64_t c)
{
	struct wire *wire = debug_run->link.wire;

	debug_show_stores();
	wire->request = (struct wire_request){
		.kind = kind, .thread = current, .a = a, .b = b, .c = c,
	};
	debug_ask();
	return wire->reply;
}

void rt_crash(int signal, const void *addr, const void *pc,
	      const char *format, ...)
{
	va_list args;

	(void)signal;
	(void)addr;
	(void)pc;
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

void rt_report(enum wire_report kind, uint64_t a, const char *format, ...)
{
	va_list args;

	(void)kind;
	(void)a;
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

/* Descriptors are the host's own here. */
int rt_poll(struct pollfd *fds, nfds_t count, int timeout)
{
	return poll(fds, count, timeout);
}

int rt_epoll_create1(int flags)
{
	return epoll_create1(flags);
}

int rt_epoll_ctl(int epfd, int operation, int fd, struct epoll_event *event)
{
	return epoll_ctl(epfd, operation, fd, event);
}

int rt_epoll_wait(int epfd, struct epoll_event *events, int max, int timeout)
{
	return epoll_wait(epfd, events, max, timeout);
}

int rt_close(int fd)
{
	return close(fd);
}

void rt_bar_range(unsigned int region, const void *base, uint64_t size)
{
	(void)region;
	(void)base;
	(void)size;
}

void rt_point(void)
{
}

uint64_t rt_relax(void)
{
	uint64_t before = rt_now();

	rt_ask(WIRE_RELAX, 0, 0, 0);
	return rt_now() - before;
}

/* Nobody is interrupted here: for labs that wait for it course.mk takes the
 * direct link. */
bool rt_irq_wait(void)
{
	return false;
}

void rt_irq_stop(void)
{
}

uint64_t rt_now(void)
{
	return rt_ask(WIRE_NOW, 0, 0, 0).a;
}

void rt_sleep(uint64_t ns)
{
	rt_ask(WIRE_SLEEP, rt_now() + ns, 0, 0);
}

/* An endless loop is for the debugger to stop in. */
void rt_call(void)
{
}

void rt_fail_alloc(uint64_t n)
{
	port_fail_alloc(n);
}

bool rt_alloc_fails(void)
{
	return !port_alloc_begin();
}
