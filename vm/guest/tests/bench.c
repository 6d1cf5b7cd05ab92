/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * tesla-bench DEVICE [SAMPLES]: what things take, in the guest.
 *
 * A line for each: name, value, unit; the median, and as NAME_p99 the 99th
 * percentile.  What the reader wants to know is where the time goes, so each
 * step of a submission stands alone: an access, a call, the ring, the way to
 * the card, its interrupt, the thread that wakes.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "irq.h"
#include "node.h"
#include "rig.h"
#include "uapi/tesla.h"

#define SAMPLES_MAX	100000u

static struct rig rig;
static struct gpu_mem vram, coherent;
static int fd;
static u64 samples[SAMPLES_MAX];

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* Many at a time where one is too short for the clock. */
static void measure_prepared(const char *name, u32 count, u32 at_once,
			     void (*prepare)(void), void (*run)(void))
{
	count = min(max(count, 1u), SAMPLES_MAX);
	for (u32 i = 0; i < count; i++) {
		u64 start;

		prepare();
		start = ktime_get_ns();

		for (u32 n = 0; n < at_once; n++)
			run();
		samples[i] = (ktime_get_ns() - start) / at_once;
	}
	qsort(samples, count, sizeof(*samples), compare);
	printf("%s %llu ns\n", name, (unsigned long long)samples[count / 2]);
	printf("%s_p99 %llu ns\n", name,
	       (unsigned long long)samples[count * 99 / 100]);
	fflush(stdout);
}

static void nothing(void)
{
}

static void measure(const char *name, u32 count, u32 at_once,
		    void (*run)(void))
{
	measure_prepared(name, count, at_once, nothing, run);
}

static void memory_read(void)
{
	iosys_map_rd(&coherent.map, 0, u32);
}

static void memory_write(void)
{
	iosys_map_wr(&coherent.map, 0, u32, 1);
}

static void vram_read(void)
{
	iosys_map_rd(&vram.map, 0, u32);
}

static void vram_write(void)
{
	iosys_map_wr(&vram.map, 0, u32, 1);
}

static void userd_read(void)
{
	struct iosys_map userd = chan_userd(rig.line[0].chan);

	iosys_map_rd(&userd, NV_RAMUSERD_GP_GET, u32);
}

/* The least that a call takes: there is no such event. */
static void call(void)
{
	struct tesla_event_remove none = { 0 };

	CHECK_EQ(node_call(fd, TESLA_CALL_event_remove, &none, sizeof(none)),
		 -ENOENT);
}

static void get_info(void)
{
	struct tesla_get_info info;

	memset(&info, 0, sizeof(info));
	CHECK_EQ(node_call(fd, TESLA_CALL_get_info, &info, sizeof(info)), 0);
}

/* A doorbell and nothing else: there is room. */
static void submit(void)
{
	struct push push;
	u32 words[16];

	push_init(&push, words, ARRAY_SIZE(words));
	push_pad(&push, 8);
	line_submit(&rig.line[0], &push);
}

static void fence_and_wait(enum fence_wait how)
{
	struct fence fence = { 0 };

	CHECK_EQ(fence_emit(rig.line[0].timeline, 10 * SECOND, &fence), 0);
	CHECK_EQ(fence_wait(&fence, how, 10 * SECOND), 0);
}

static void fence_spin(void)
{
	fence_and_wait(FENCE_WAIT_SPIN);
}

/* With all that it takes to sleep in poll(): an eventfd, an event. */
static void fence_event(void)
{
	fence_and_wait(FENCE_WAIT_EVENT);
}

static void fence_cond(void)
{
	fence_and_wait(FENCE_WAIT_COND);
}

/*
 * From the doorbell to the thread that is woken, and nothing else: the event is
 * there before.
 */
static struct gpu_event *event;
static int wake_fd;
static u32 number;

static void wake_prepare(void)
{
	struct gpu_event_config config = {
		.chan = rig.line[0].chan, .word = rig.line[0].sem.map,
		.value = ++number, .eventfd = wake_fd,
	};

	if (event)
		gpu_event_remove(event);
	iosys_map_incr(&config.word, WORDS_AT);
	CHECK_EQ(gpu_event_add(rig.gpu, &config, &event), 0);
}

static void wake(void)
{
	struct pollfd poll_fd = { .fd = wake_fd, .events = POLLIN };
	struct push push;
	u32 words[16];
	u64 count;

	push_init(&push, words, ARRAY_SIZE(words));
	push_release(&push, rig.line[0].sem.va + WORDS_AT, number);
	CHECK_EQ(push_immediate(&push, 0, NVC06F_NON_STALL_INTERRUPT, 0), 0);
	line_submit(&rig.line[0], &push);
	CHECK_EQ(poll(&poll_fd, 1, 10000), 1);
	CHECK_EQ(read(wake_fd, &count, sizeof(count)), sizeof(count));
}

static void copy_64k(void)
{
	struct push push;
	u32 words[64];

	push_init(&push, words, ARRAY_SIZE(words));
	push_copy(&push, rig.gpu, coherent.va, coherent.va + 64 * K, 64 * K);
	line_submit(&rig.line[0], &push);
	fence_event();
}

static void open_and_close(void)
{
	int other = node_open(rig.bus);

	CHECK(other >= 0);
	CHECK_EQ(node_close(other), 0);
}

static void up(void)
{
	rig_up(&rig, &(struct rig_setup){
		.entries = 65536, .pb_words = 1u << 20,
	});
	CHECK_EQ(gpu_mem_alloc(rig.gpu, PAGE, MEM_VRAM, &vram), 0);
	CHECK_EQ(gpu_mem_alloc(rig.gpu, 128 * K, MEM_COHERENT, &coherent), 0);
	fd = node_open(rig.bus);
	CHECK(fd >= 0);
	wake_fd = eventfd(0, EFD_CLOEXEC);
	CHECK(wake_fd >= 0);
}

static void down(void)
{
	if (event)
		gpu_event_remove(event);
	close(wake_fd);
	node_close(fd);
	gpu_mem_free(rig.gpu, &coherent);
	gpu_mem_free(rig.gpu, &vram);
	rig_down(&rig);
}

int main(int argc, char **argv)
{
	u32 count = 1000;

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "tesla-bench DEVICE [SAMPLES]\n");
		return 2;
	}
	guest.device = argv[1];
	if (argc == 3)
		count = (u32)strtoul(argv[2], NULL, 0);
	up();
	measure("memory_read", count, 1000, memory_read);
	measure("memory_write", count, 1000, memory_write);
	measure("vram_readl", count, 1, vram_read);
	measure("vram_writel", count, 16, vram_write);
	measure("userd_readl", count, 1, userd_read);
	measure("call", count, 1, call);
	measure("call_get_info", count / 10, 1, get_info);
	measure("open_close", count / 10, 1, open_and_close);
	measure("submit", count, 1, submit);
	CHECK_EQ(ring_wait_idle(rig.line[0].ring, 10 * SECOND), 0);
	measure("fence_spin", count, 1, fence_spin);
	measure("fence_event", count, 1, fence_event);
	measure("fence_condition", count, 1, fence_cond);
	measure_prepared("doorbell_to_wakeup", count, 1, wake_prepare, wake);
	measure("copy_64k", count / 10, 1, copy_64k);
	down();
	return 0;
}
