/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The smallest judge: see test_peer.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "autograder/runtime/test_names.h"
#include "autograder/runtime/test_peer.h"

static void keep_posts(struct peer *peer, struct wire *wire)
{
	uint32_t count = atomic_load(&wire->posted);

	for (uint32_t i = 0; i < count && i < WIRE_POSTS; i++) {
		if (peer->posts < PEER_POSTS)
			peer->post[peer->posts++] = wire->post[i];
	}
	atomic_store(&wire->posted, 0);
}

static void keep_text(struct peer *peer, const struct wire *wire)
{
	snprintf(peer->text, sizeof(peer->text), "%.*s",
		 (int)wire->request.payload, (const char *)wire->payload);
}

static uint64_t next_interrupt(const struct peer *peer)
{
	uint64_t at = peer->interrupts < PEER_INTERRUPTS ?
		peer->interrupt_at[peer->interrupts] : 0;

	return at ? at : UINT64_MAX;
}

static void count_interrupts(struct peer *peer)
{
	while (next_interrupt(peer) <= peer->now)
		peer->interrupts++;
}

static void sleep_until(struct peer *peer, uint64_t deadline,
			struct wire_reply *reply)
{
	if (next_interrupt(peer) < deadline)
		deadline = next_interrupt(peer);
	if (deadline == UINT64_MAX)
		reply->result = -EDEADLK;
	else if (peer->now < deadline)
		peer->now = deadline;
	reply->a = peer->now;
}

static struct wire_reply answer(struct peer *peer, struct wire *wire)
{
	const struct wire_request *request = &wire->request;
	struct wire_reply reply = { 0 };

	if (request->kind < 32)
		peer->asked[request->kind]++;
	switch (request->kind) {
	case WIRE_LOAD:
		peer->now += 2;
		memcpy((char *)wire + WIRE_ARENA_OFFSET + 64,
		       &peer->card_word, 4);
		break;
	case WIRE_READ:
		peer->now += 1000;
		reply.a = 0x1234;
		break;
	case WIRE_NOW:
		peer->now += 20;
		reply.a = peer->now;
		break;
	case WIRE_RELAX:
		peer->now += 50;
		break;
	case WIRE_SLEEP:
		sleep_until(peer, request->a, &reply);
		break;
	case WIRE_CRASH:
		peer->crash_signal = request->a;
		peer->crash_addr = request->b;
		peer->crash_region = request->d;
		keep_text(peer, wire);
		break;
	case WIRE_REPORT:
		peer->report = request->a;
		keep_text(peer, wire);
		break;
	case WIRE_DEADLOCK:
		keep_text(peer, wire);
		break;
	}
	count_interrupts(peer);
	reply.now = peer->now;
	reply.interrupts = peer->interrupts;
	reply.quiet = peer->tells.quiet;
	reply.write_cost = peer->tells.write_cost;
	if (request->kind == WIRE_READ)
		reply.steady = peer->tells.steady;
	return reply;
}

static void serve(struct peer *peer, struct wire *wire, pid_t agent)
{
	const struct timespec slice = { .tv_nsec = 500000 };

	for (;;) {
		syscall(SYS_futex, &wire->turn, FUTEX_WAIT, WIRE_AGENT,
			&slice, NULL, 0);
		if (atomic_load(&wire->turn) == WIRE_JUDGE) {
			keep_posts(peer, wire);
			wire->reply = answer(peer, wire);
			atomic_store(&wire->turn, WIRE_AGENT);
			syscall(SYS_futex, &wire->turn, FUTEX_WAKE, 1, NULL,
				NULL, 0);
			continue;
		}
		if (waitpid(agent, &peer->status, WNOHANG) == agent)
			return;
	}
}

void peer_run(struct peer *peer, void (*body)(void *arg), void *arg)
{
	int fd = memfd_create("peer", 0);
	struct peer_tells tells = peer->tells;
	uint64_t interrupt_at[PEER_INTERRUPTS];
	struct wire *wire;
	pid_t agent;

	memcpy(interrupt_at, peer->interrupt_at, sizeof(interrupt_at));
	memset(peer, 0, sizeof(*peer));
	memcpy(peer->interrupt_at, interrupt_at, sizeof(interrupt_at));
	peer->tells = tells;
	if (fd < 0 || ftruncate(fd, WIRE_SIZE) < 0)
		exit(2);
	agent = fork();
	if (!agent) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		alarm(20);
		if (rt_start(fd))
			_exit(3);
		body(arg);
		rt_ask(WIRE_NEXT, 0, 0, 0);
		rt_stop();
	}
	wire = mmap(NULL, WIRE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    0);
	close(fd);
	if (agent < 0 || wire == MAP_FAILED)
		exit(2);
	atomic_store(&wire->asleep[WIRE_JUDGE], 1);	/* always wake us */
	serve(peer, wire, agent);
	munmap(wire, WIRE_SIZE);
}

void peer_result(unsigned int index, int64_t value)
{
	rt_post(WIRE_RESULT, 0, index, 8, value);
}

int64_t peer_value(const struct peer *peer, unsigned int index)
{
	for (unsigned int i = 0; i < peer->posts; i++) {
		if (peer->post[i].kind == WIRE_RESULT &&
		    peer->post[i].addr == index)
			return peer->post[i].value;
	}
	return INT64_MIN;
}

uint64_t peer_trace(const struct peer *peer)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (unsigned int i = 0; i < peer->posts; i++) {
		const struct wire_post *post = &peer->post[i];

		hash = (hash ^ post->kind ^ post->thread << 8) *
			0x100000001b3ull;
		hash = (hash ^ post->value ^ post->addr << 32) *
			0x100000001b3ull;
	}
	return hash;
}

unsigned int peer_count(const struct peer *peer, enum wire_post_kind kind)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < peer->posts; i++)
		count += peer->post[i].kind == kind;
	return count;
}

const struct wire_post *peer_post(const struct peer *peer,
				  enum wire_post_kind kind, unsigned int n)
{
	for (unsigned int i = 0; i < peer->posts; i++) {
		if (peer->post[i].kind == kind && n-- == 0)
			return &peer->post[i];
	}
	return NULL;
}

/* x = x + 1, as the instrumented code does it. */
void peer_increment(int *x)
{
	int value;

	__tsan_read4(x);
	value = *x;
	__tsan_write4(x);
	*x = value + 1;
}

void peer_threads(enum wire_schedule policy, uint64_t seed,
			unsigned int threads,
			void (*body)(void *arg, unsigned int thread))
{
	const struct wire_ops ops = {
		.threads = threads, .schedule = policy, .pct_depth = 3,
		.seed = seed, .call_budget = 100000,
		.step_budget = 400000,
	};

	if (rt_run(&ops, body, NULL))
		abort();
}
