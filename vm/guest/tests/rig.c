/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Set up and take down, and the few things that tests have channels do.
 *
 * Only functions of the public headers are called: that they are enough, and
 * mean the same over a node as in a process, is what is tested.
 */
#include "rig.h"
#include "irq.h"

#define METHOD_NONE	0x044	/* Host has none there */
#define NOWHERE		0x7000	/* no page is mapped that low */
#define WAIT		(10 * SECOND)

/* Set up ------------------------------------------------------------------- */

static u32 or_else(u32 value, u32 usual)
{
	return value ? value : usual;
}

static void line_mem(struct rig *rig, struct line *line,
		     const struct rig_setup *setup)
{
	CHECK_EQ(gpu_mem_alloc(rig->gpu, or_else(setup->entries, 256) * 8,
			       setup->gp, &line->gp), 0);
	CHECK_EQ(gpu_mem_alloc(rig->gpu, or_else(setup->pb_words, 4096) * 4,
			       setup->pb, &line->pb), 0);
	CHECK_EQ(gpu_mem_alloc(rig->gpu, PAGE, setup->sem, &line->sem), 0);
	CHECK_EQ(gpu_mem_alloc(rig->gpu, PAGE, MEM_COHERENT, &line->hold),
		 0);
}

void line_up(struct rig *rig, struct line *line,
	     const struct rig_setup *setup)
{
	struct chan_config chan = {
		.id = CHAN_ANY, .gp_entries = or_else(setup->entries, 256),
	};
	struct ring_config ring = {
		.gpu = rig->gpu, .gp = &line->gp,
		.gp_entries = chan.gp_entries, .pb = &line->pb,
		.pb_words = or_else(setup->pb_words, 4096),
		.gp_first = setup->gp_first, .crc = setup->crc,
	};
	struct timeline_config timeline = {
		.gpu = rig->gpu, .mem = &line->sem, .start = setup->start,
	};

	line_mem(rig, line, setup);
	chan.gp_va = line->gp.va;
	CHECK_EQ(chan_create(rig->gpu, &chan, &line->chan), 0);
	ring.chan = timeline.chan = line->chan;
	CHECK_EQ(ring_create(&ring, &line->ring), 0);
	timeline.ring = line->ring;
	CHECK_EQ(timeline_create(&timeline, &line->timeline), 0);
}

void line_down(struct rig *rig, struct line *line)
{
	bool dead = chan_is_dead(line->chan);
	int err;

	if (line->timeline)
		timeline_destroy(line->timeline);
	if (line->ring) {
		err = ring_destroy(line->ring, dead ? 0 : WAIT);
		CHECK(dead || err == 0);
	}
	chan_destroy(line->chan);
	gpu_mem_free(rig->gpu, &line->hold);
	gpu_mem_free(rig->gpu, &line->sem);
	gpu_mem_free(rig->gpu, &line->pb);
	gpu_mem_free(rig->gpu, &line->gp);
	memset(line, 0, sizeof(*line));
}

void rig_up(struct rig *rig, const struct rig_setup *setup)
{
	memset(rig, 0, sizeof(*rig));
	CHECK_EQ(guest_open(&rig->bus), 0);
	CHECK_EQ(gpu_open(rig->bus, &rig->gpu), 0);
	CHECK_EQ(gpu_irq_init(rig->gpu), 0);
	rig->lines = or_else(setup->lines, 1);
	for (unsigned int i = 0; i < rig->lines; i++)
		line_up(rig, &rig->line[i], setup);
}

void rig_down(struct rig *rig)
{
	while (rig->lines--)
		line_down(rig, &rig->line[rig->lines]);
	gpu_irq_fini(rig->gpu);
	gpu_close(rig->gpu);
	guest_closed(rig->bus);
}

/* Work --------------------------------------------------------------------- */

static void semaphore(struct push *push, u64 va, u32 value, u32 operation)
{
	const u32 words[] = {
		upper_32_bits(va), lower_32_bits(va), value, operation,
	};

	CHECK_EQ(push_inc(push, 0, NVC06F_SEMAPHOREA, words, 4), 0);
}

void push_release(struct push *push, u64 va, u32 value)
{
	semaphore(push, va, value,
		  REG_VAL(NVC06F_SEMAPHORED_OPERATION,
			  NVC06F_SEMAPHORED_OPERATION_RELEASE) |
		  REG_VAL(NVC06F_SEMAPHORED_RELEASE_WFI,
			  NVC06F_SEMAPHORED_RELEASE_WFI_EN) |
		  REG_VAL(NVC06F_SEMAPHORED_RELEASE_SIZE,
			  NVC06F_SEMAPHORED_RELEASE_SIZE_4BYTE));
}

void push_acquire(struct push *push, u64 va, u32 value)
{
	semaphore(push, va, value,
		  REG_VAL(NVC06F_SEMAPHORED_OPERATION,
			  NVC06F_SEMAPHORED_OPERATION_ACQUIRE) |
		  REG_VAL(NVC06F_SEMAPHORED_ACQUIRE_SWITCH, 1));
}

void push_copy(struct push *push, struct gpu *gpu, u64 from, u64 to,
	       u32 bytes)
{
	const u32 class = gpu_copy_class(gpu);
	const u32 where[] = {
		upper_32_bits(from), lower_32_bits(from),
		upper_32_bits(to), lower_32_bits(to), 0, 0, bytes, 1,
	};
	const u32 launch =
		REG_VAL(NVC0B5_LAUNCH_DMA_DATA_TRANSFER_TYPE,
			NVC0B5_LAUNCH_DMA_DATA_TRANSFER_TYPE_NON_PIPELINED) |
		REG_VAL(NVC0B5_LAUNCH_DMA_FLUSH_ENABLE, 1) |
		REG_VAL(NVC0B5_LAUNCH_DMA_SRC_MEMORY_LAYOUT, 1) |
		REG_VAL(NVC0B5_LAUNCH_DMA_DST_MEMORY_LAYOUT, 1);

	CHECK_EQ(push_inc(push, 4, 0, &class, 1), 0);
	CHECK_EQ(push_inc(push, 4, NVC0B5_OFFSET_IN_UPPER, where, 8), 0);
	CHECK_EQ(push_inc(push, 4, NVC0B5_LAUNCH_DMA, &launch, 1), 0);
}

void push_pad(struct push *push, u32 words)
{
	while (push->count < words)
		CHECK_EQ(push_immediate(push, 0, NVC06F_NOP, 0), 0);
}

void push_nonsense(struct push *push)
{
	const u32 data = 0;

	guest_breaks++;
	CHECK_EQ(push_inc(push, 0, METHOD_NONE, &data, 1), 0);
}

void line_submit(struct line *line, const struct push *push)
{
	CHECK_EQ(ring_submit(line->ring, push, 0, WAIT), 0);
}

void line_hold(struct line *line)
{
	struct push push;
	u32 words[8];

	iosys_map_wr(&line->hold.map, 0, u32, 0);
	push_init(&push, words, ARRAY_SIZE(words));
	push_acquire(&push, line->hold.va, 1);
	line_submit(line, &push);
}

void line_release(struct line *line)
{
	iosys_map_wr(&line->hold.map, 0, u32, 1);
	wmb();
}

void line_fault(struct line *line)
{
	struct push push;
	u32 words[8];

	guest_breaks++;
	push_init(&push, words, ARRAY_SIZE(words));
	push_release(&push, NOWHERE, 1);
	line_submit(line, &push);
}

/* Work without end --------------------------------------------------------- */

static struct rig *worked;
static int work_error;

static int work_once(struct line *line, u32 offset, u32 number)
{
	struct fence fence;
	struct push push;
	u32 words[64];
	int err;

	push_init(&push, words, ARRAY_SIZE(words));
	push_copy(&push, worked->gpu, line->hold.va, line->hold.va + 2048,
		  1024);
	push_release(&push, line->sem.va + offset, number);
	err = ring_submit(line->ring, &push, 0, WAIT);
	if (err || number % 8)
		return err;
	err = fence_emit(line->timeline, WAIT, &fence);
	return err ? err : fence_wait(&fence, number / 8 % 4, WAIT);
}

static void work_thread(unsigned int thread)
{
	struct line *line = &worked->line[thread % worked->lines];
	int err = 0;

	for (u32 i = 1; !err; i++)
		err = work_once(line, WORDS_AT + 16 * thread, i);
	__atomic_store_n(&work_error, err, __ATOMIC_RELAXED);
}

int rig_work_for_ever(struct rig *rig, unsigned int threads)
{
	worked = rig;
	guest_threads(threads, work_thread);
	return work_error;
}

/* Memory ------------------------------------------------------------------- */

void word_wait(const struct line *line, u32 offset, u32 value)
{
	u64 start = ktime_get_ns();

	while (word(line, offset) != value) {
		if (ktime_get_ns() - start > WAIT)
			guest_fail(__FILE__, __LINE__,
				   "the word at %u is %u, and will not be %u",
				   offset, word(line, offset), value);
		cpu_relax();
	}
	dma_rmb();
}

static u64 pattern(unsigned int seed, u64 offset)
{
	return (offset + 1) * 0x9e3779b97f4a7c15ULL ^ seed;
}

#define CHUNK	512

void mem_fill(struct gpu_mem *mem, unsigned int seed)
{
	u64 words[CHUNK / 8];

	for (u64 at = 0; at < mem->size; at += CHUNK) {
		for (u32 i = 0; i < ARRAY_SIZE(words); i++)
			words[i] = pattern(seed, at + i * 8);
		iosys_map_memcpy_to(&mem->map, at, words, CHUNK);
	}
	wmb();
	if (mem->kind == MEM_VRAM)
		iosys_map_rd(&mem->map, mem->size - 4, u32);
}

void mem_clear(struct gpu_mem *mem)
{
	iosys_map_memset(&mem->map, 0, 0, mem->size);
	wmb();
	if (mem->kind == MEM_VRAM)
		iosys_map_rd(&mem->map, mem->size - 4, u32);
}

void mem_check(const struct gpu_mem *mem, u64 offset, unsigned int seed,
	       u64 from, u64 bytes)
{
	u64 words[CHUNK / 8];

	for (u64 at = 0; at < bytes; at += CHUNK) {
		u64 part = min_t(u64, bytes - at, CHUNK);

		iosys_map_memcpy_from(words, &mem->map, offset + at, part);
		for (u64 i = 0; i < part / 8; i++) {
			if (words[i] == pattern(seed, from + at + i * 8))
				continue;
			guest_fail(__FILE__, __LINE__, "at 0x%llx there is "
				   "0x%llx, not what was copied",
				   (unsigned long long)(offset + at + i * 8),
				   (unsigned long long)words[i]);
		}
	}
}
