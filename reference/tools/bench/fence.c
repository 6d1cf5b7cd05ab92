/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * From a fence's signal to the waiter awake, against what the kernel can do.
 *
 * The clock starts where the interrupt handler has acknowledged and looks at
 * the words: gpu_event_check() is that look.  It stops where the waiter runs
 * again.  So the card, and how long it takes, is not in it.  The peers are one
 * write to an eventfd with a thread in epoll_wait() behind it, and a futex.
 * The waiter sleeps before each signal, on a processor of its own; the
 * contestants take turns, so that all meet the same machine, and what counts
 * is the median.
 *
 * The second part is the campaign of layer 3: waits a second with 100 threads,
 * card and all, against one thread.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "autograder/qualify/fences.h"
#include "bench.h"
#include "bus/direct/direct.h"
#include "fence.h"
#include "queue.h"

#define ROUNDS		400
#define ASLEEP_NS	60000	/* after that the waiter sleeps */
#define SECOND		1000000000ull

static struct {
	struct gpu_bus *bus;
	struct gpu *gpu;
	struct queue queue;
	struct gpu_mem sem;
	struct timeline *timeline;
	struct fence fence;		/* the next			*/
	int eventfd, epoll, fence_fd, fence_epoll;
	uint32_t futex;
	/* between the two threads */
	unsigned int ready;
	uint64_t awake;
} b;

static void check(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "bench-fence: %s: error %d\n", what, -err);
	exit(1);
}

/* A timeline that the bench itself moves: nothing is in the ring. */
static void open_all(void)
{
	struct card_config card = { .chip = CARD_P40, .seed = 1 };
	struct queue_config queue = {
		.id = CHAN_ANY, .gp_entries = 64, .pb_words = 1024,
	};
	struct timeline_config timeline = { .mem = &b.sem };

	check(bus_direct_open(&card, &b.bus), "bus_direct_open");
	check(gpu_open(b.bus, &b.gpu), "gpu_open");
	check(gpu_irq_init(b.gpu), "gpu_irq_init");
	check(queue_open(b.gpu, &queue, &b.queue), "queue_open");
	check(gpu_mem_alloc(b.gpu, 4096, MEM_COHERENT, &b.sem), "memory");
	timeline.gpu = b.gpu;
	timeline.chan = b.queue.chan;
	timeline.ring = b.queue.ring;
	check(timeline_create(&timeline, &b.timeline), "timeline_create");
	b.fence.timeline = b.timeline;
	b.eventfd = eventfd(0, EFD_NONBLOCK);
	b.epoll = epoll_create1(0);
	b.fence_epoll = epoll_create1(0);
	check(epoll_ctl(b.epoll, EPOLL_CTL_ADD, b.eventfd,
			&(struct epoll_event){ .events = EPOLLIN }), "epoll");
}

static void close_all(void)
{
	close(b.fence_epoll);
	close(b.epoll);
	close(b.eventfd);
	timeline_destroy(b.timeline);
	gpu_mem_free(b.gpu, &b.sem);
	queue_close(&b.queue, SECOND);
	gpu_irq_fini(b.gpu);
	gpu_close(b.gpu);
	gpu_bus_close(b.bus);
}

/* A contestant: get ready, sleep, and what wakes the sleeper. */
struct way {
	const char *name;
	void (*prepare)(void);
	void (*sleep)(void);
	void (*signal)(void);
	void (*done)(void);
};

static void nothing(void)
{
}

static void fence_prepare(void)
{
	b.fence.value++;
}

static void fence_signal(void)
{
	iosys_map_wr(&b.sem.map, 0, u32, b.fence.value);
	gpu_event_check(b.gpu);
}

static void fd_prepare(void)
{
	struct epoll_event event = { .events = EPOLLIN };

	fence_prepare();
	b.fence_fd = fence_fd(&b.fence);
	check(b.fence_fd < 0 ? b.fence_fd : 0, "fence_fd");
	check(epoll_ctl(b.fence_epoll, EPOLL_CTL_ADD, b.fence_fd, &event),
	      "epoll_ctl");
}

static void fd_sleep(void)
{
	struct epoll_event event;

	check(epoll_wait(b.fence_epoll, &event, 1, 10000) - 1, "epoll_wait");
}

static void fd_done(void)
{
	fence_close_fd(&b.fence, b.fence_fd);
}

static void wait_event_sleep(void)
{
	check(fence_wait(&b.fence, FENCE_WAIT_EVENT, 10 * SECOND), "wait");
}

static void wait_cond_sleep(void)
{
	check(fence_wait(&b.fence, FENCE_WAIT_COND, 10 * SECOND), "wait");
}

static void bare_sleep(void)
{
	struct epoll_event event;

	check(epoll_wait(b.epoll, &event, 1, 10000) - 1, "epoll_wait");
}

static void bare_signal(void)
{
	uint64_t one = 1;

	if (write(b.eventfd, &one, sizeof(one)) != sizeof(one))
		check(-EIO, "write");
}

static void bare_done(void)
{
	uint64_t count;

	if (read(b.eventfd, &count, sizeof(count)) != sizeof(count))
		check(-EIO, "read");
}

static void futex_sleep(void)
{
	while (!__atomic_load_n(&b.futex, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, &b.futex, FUTEX_WAIT_PRIVATE, 0, NULL);
}

static void futex_signal(void)
{
	__atomic_store_n(&b.futex, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &b.futex, FUTEX_WAKE_PRIVATE, 1);
}

static void futex_done(void)
{
	b.futex = 0;
}

enum { BARE, FUTEX, FENCE_FD, FENCE_EVENT, FENCE_COND, WAYS };

static const struct way ways[WAYS] = {
	[BARE] = { "eventfd_epoll", nothing, bare_sleep, bare_signal,
		   bare_done },
	[FUTEX] = { "futex", nothing, futex_sleep, futex_signal, futex_done },
	[FENCE_FD] = { "fence_wake_epoll", fd_prepare, fd_sleep, fence_signal,
		       fd_done },
	[FENCE_EVENT] = { "fence_wake_wait", fence_prepare, wait_event_sleep,
			  fence_signal, nothing },
	[FENCE_COND] = { "fence_wake_cond", fence_prepare, wait_cond_sleep,
			 fence_signal, nothing },
};

static void set_ready(unsigned int state)
{
	__atomic_store_n(&b.ready, state, __ATOMIC_RELEASE);
}

static void until_ready(unsigned int state)
{
	while (__atomic_load_n(&b.ready, __ATOMIC_ACQUIRE) != state)
		usleep(10);
}

static void *waiter(void *arg)
{
	(void)arg;
	bench_pin(1);
	for (unsigned int i = 0; i < ROUNDS * WAYS; i++) {
		const struct way *way = &ways[i % WAYS];

		way->prepare();
		set_ready(1);
		way->sleep();
		b.awake = bench_now();
		way->done();
		set_ready(2);
		until_ready(0);
	}
	return NULL;
}

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, c = *(const double *)right;

	return (a > c) - (a < c);
}

static void measure(double median[WAYS])
{
	static double us[WAYS][ROUNDS];
	pthread_t thread;

	check(-pthread_create(&thread, NULL, waiter, NULL), "thread");
	for (unsigned int i = 0; i < ROUNDS * WAYS; i++) {
		uint64_t signaled;

		until_ready(1);
		usleep(ASLEEP_NS / 1000);
		signaled = bench_now();
		ways[i % WAYS].signal();
		until_ready(2);
		us[i % WAYS][i / WAYS] = (b.awake - signaled) / 1e3;
		set_ready(0);
	}
	pthread_join(thread, NULL);
	for (unsigned int i = 0; i < WAYS; i++) {
		qsort(us[i], ROUNDS, sizeof(us[i][0]), compare);
		median[i] = us[i][ROUNDS / 2];
	}
}

static double waits_per_second(unsigned int threads)
{
	struct fences f = {
		.threads = threads, .waits = 40000, .channels = 8, .seed = 1,
	};

	check(fences_run(&f), "campaign");
	check(fences_clean(&f) ? 0 : -EIO, "the campaign was not clean");
	return f.done / f.seconds;
}

int main(void)
{
	double median[WAYS], one, many;

	one = waits_per_second(1);
	many = waits_per_second(100);
	bench_pin(0);
	open_all();
	measure(median);
	close_all();
	for (unsigned int i = FENCE_FD; i < WAYS; i++) {
		bench_print(ways[i].name, median[i], "us", ways[BARE].name,
			    median[BARE], BENCH_LESS);
		bench_print(ways[i].name, median[i], "us", ways[FUTEX].name,
			    median[FUTEX], BENCH_LESS);
	}
	bench_print("fence_waits_100_threads", many / 1e3, "k/s", "1_thread",
		    one / 1e3, BENCH_MORE);
	return 0;
}
