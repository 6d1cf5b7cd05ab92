/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * An agent without a driver: a forked child that plays the agent's side of
 * the link and answers each operation as a test of the judge wants.
 */
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "autograder/judge/fake_agent.h"

static void hand_over(struct fake *fake)
{
	atomic_store(&fake->wire->posted, fake->posts);
	fake->posts = 0;
	atomic_store(&fake->wire->turn, WIRE_JUDGE);
	syscall(SYS_futex, &fake->wire->turn, FUTEX_WAKE, 1, NULL, NULL, 0);
	while (atomic_load(&fake->wire->turn) == WIRE_JUDGE)
		syscall(SYS_futex, &fake->wire->turn, FUTEX_WAIT, WIRE_JUDGE,
			NULL, NULL, 0);
}

void fake_post(struct fake *fake, struct wire_post post)
{
	fake->wire->post[fake->posts++] = post;
}

struct wire_reply fake_ask(struct fake *fake, uint32_t kind, uint64_t a,
			   uint64_t b, uint64_t c)
{
	fake->wire->request = (struct wire_request){
		.kind = kind, .a = a, .b = b, .c = c, .payload = 64,
	};
	hand_over(fake);
	return fake->wire->reply;
}

static void run_ops(struct fake *fake, const struct fake_plan *plan)
{
	struct wire_ops ops;
	struct wire_op op;
	uint32_t i, n;

	memcpy(&ops, fake->wire->payload, sizeof(ops));
	for (i = 0; i < ops.count; i++) {
		memcpy(&op, fake->wire->payload + sizeof(ops) +
		       i * sizeof(op), sizeof(op));
		for (n = 0; n < op.repeat; n++)
			fake_post(fake, (struct wire_post){
				.kind = WIRE_RESULT, .addr = i,
				.value = plan->op(fake, &op),
			});
	}
}

static void live(const struct fake_plan *plan, int fd)
{
	struct fake fake = { .posts = 0 };

	fake.wire = mmap(NULL, WIRE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
			 fd, 0);
	if (fake.wire == MAP_FAILED)
		_exit(126);
	atomic_store(&fake.wire->asleep[WIRE_AGENT], 1);	/* always */
	if (plan->start)
		plan->start(&fake);
	fake_ask(&fake, WIRE_HELLO, WIRE_MAGIC, WIRE_VERSION, 0);
	while (fake_ask(&fake, WIRE_NEXT, 0, 0, 0).command == WIRE_DO_OPS)
		run_ops(&fake, plan);
	_exit(0);
}

pid_t fake_spawn(void *context, int fd)
{
	pid_t pid = fork();

	if (pid == 0) {
		setpgid(0, 0);
		live(context, fd);
	}
	return pid;
}
