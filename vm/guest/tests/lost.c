/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * lost DEVICE [dead]: a program in the middle of its work, when the card is
 * pulled out.  Somebody else does that, once "working" has been printed.  A
 * card that is dead still has its driver, and gives no answers.
 *
 * Threads wait in every way that there is, for work that will never be done:
 * all must hear that the card is lost, and soon.  Afterwards every call says
 * so, and everything can be given back in the usual order.
 */
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "irq.h"
#include "node.h"
#include "rig.h"

#define LONG	(100 * SECOND)
#define SOON_MS	20000
#define PULL_MS	90000

static struct rig r;
static struct fence never;

/* Who waits, and for what. */

static void fill_and_wait(void)
{
	struct push push;
	u32 words[8];
	int err;

	push_init(&push, words, ARRAY_SIZE(words));
	push_pad(&push, 4);
	do
		err = ring_submit(r.line[1].ring, &push, 0, LONG);
	while (!err);
	CHECK_EQ(err, -ENODEV);
}

static void wait_in_some_way(unsigned int number)
{
	u32 index;

	switch (number) {
	case 1:
		CHECK_EQ(ring_wait_idle(r.line[0].ring, LONG), -ENODEV);
		break;
	case 2:
		fill_and_wait();
		break;
	case 3:
		CHECK_EQ(fence_wait_any(&never, 1, LONG, &index), -ENODEV);
		break;
	case 4:
		CHECK_EQ(fence_wait_all(&never, 1, LONG), -ENODEV);
		break;
	default:
		CHECK_EQ(fence_wait(&never, number % 4, LONG), -ENODEV);
	}
}

/* The node itself hangs up. */
static void node_hangs_up(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	CHECK_EQ(poll(&poll_fd, 1, PULL_MS), 1);
	CHECK(poll_fd.revents & (POLLHUP | POLLERR));
}

static u64 pulled;
static int node;

static void wait_or_watch(unsigned int number)
{
	u64 ns;

	if (number || node < 0) {
		wait_in_some_way(number);
		ns = __atomic_load_n(&pulled, __ATOMIC_RELAXED);
		CHECK(!ns || ktime_get_ns() - ns < SOON_MS * MS);
		return;
	}
	node_hangs_up(node);
	__atomic_store_n(&pulled, ktime_get_ns(), __ATOMIC_RELAXED);
}

/* What calls say from then on. */
static void all_calls_say_so(void)
{
	struct fence fence;
	struct gpu_mem mem;
	struct push push;
	u32 words[8];
	int fd;

	push_init(&push, words, ARRAY_SIZE(words));
	push_pad(&push, 4);
	for (unsigned int i = 0; i < r.lines; i++) {
		CHECK_EQ(chan_error(r.line[i].chan), -ENODEV);
		CHECK_EQ(ring_submit(r.line[i].ring, &push, 0, LONG),
			 -ENODEV);
		CHECK_EQ(ring_is_idle(r.line[i].ring), -ENODEV);
		CHECK_EQ(ring_pause(r.line[i].ring), -ENODEV);
		CHECK_EQ(fence_emit(r.line[i].timeline, LONG, &fence),
			 -ENODEV);
	}
	CHECK_EQ(fence_is_signaled(&never), -ENODEV);
	CHECK_EQ(gpu_mem_alloc(r.gpu, PAGE, MEM_COHERENT, &mem), -ENODEV);
	fd = node_open(r.bus);
	CHECK(fd < 0 || !node_close(fd));
}

static void take_down(void)
{
	for (unsigned int i = 0; i < r.lines; i++) {
		struct line *line = &r.line[i];

		timeline_destroy(line->timeline);
		CHECK_EQ(ring_destroy(line->ring, LONG), -ENODEV);
		chan_destroy(line->chan);
		gpu_mem_free(r.gpu, &line->hold);
		gpu_mem_free(r.gpu, &line->sem);
		gpu_mem_free(r.gpu, &line->pb);
		gpu_mem_free(r.gpu, &line->gp);
	}
	gpu_irq_fini(r.gpu);
	gpu_close(r.gpu);
	CHECK(node < 0 || !node_close(node));
	guest_closed(r.bus);
}

int main(int argc, char **argv)
{
	if (argc != 2 && argc != 3) {
		fprintf(stderr, "lost DEVICE [dead]\n");
		return 2;
	}
	guest.device = argv[1];
	rig_up(&r, &(struct rig_setup){ .lines = 2, .entries = 16 });
	node = argc == 2 ? node_open(r.bus) : -1;
	CHECK(node >= 0 || argc == 3);
	line_hold(&r.line[0]);
	line_hold(&r.line[1]);
	CHECK_EQ(fence_emit(r.line[0].timeline, SECOND, &never), 0);
	printf("working\n");
	fflush(stdout);
	guest_threads(14, wait_or_watch);
	all_calls_say_so();
	take_down();
	printf("1 passed, 0 failed\n");
	return 0;
}
