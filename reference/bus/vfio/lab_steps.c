/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * lab-vfio's steps: what labs 01 to 03 teach, each seen at work on the card.
 *
 * What a step believes is what the card wrote: a word that Host released,
 * bytes that a copy engine moved, a counter of interrupts.
 */
#include "lab.h"
#include "irq.h"

#define SEGMENTS	200u
#define RELEASED_AT	64u		/* in sem; the timeline is at 0	*/
#define SPACE_LIMIT	(1ULL << 40)
#define SPACE_AT	(8ULL << 30)	/* where the step's pages go	*/
#define PAGE		4096u
#define PAGES		8u

static int fail(struct lab *lab, int err, const char *why)
{
	lab->why = why;
	return err;
}

static int release(struct push *push, u64 va, u32 value)
{
	const u32 data[] = {
		upper_32_bits(va), lower_32_bits(va), value,
		REG_VAL(NVC06F_SEMAPHORED_OPERATION,
			NVC06F_SEMAPHORED_OPERATION_RELEASE) |
		REG_VAL(NVC06F_SEMAPHORED_RELEASE_SIZE,
			NVC06F_SEMAPHORED_RELEASE_SIZE_4BYTE),
	};

	return push_inc(push, 0, NVC06F_SEMAPHOREA, data, 4);
}

/* A ring of 16 entries goes round a dozen times. */
int lab_ring(struct lab *lab)
{
	struct lab_line *line = &lab->line;
	u32 words[8];
	int err = 0;

	for (u32 i = 1; i <= SEGMENTS && !err; i++) {
		struct push push;

		push_init(&push, words, ARRAY_SIZE(words));
		err = release(&push, line->sem.va + RELEASED_AT, i);
		if (!err)
			err = ring_submit(line->queue.ring, &push, 0, LAB_WAIT);
	}
	if (err)
		return fail(lab, err, "a segment was not accepted");
	err = ring_wait_idle(line->queue.ring, LAB_WAIT);
	if (err)
		return fail(lab, err, "Host did not consume the ring");
	/* Idle is Host's word, the release is on its way [§9.5]. */
	for (u64 start = ktime_get_ns();; cpu_relax()) {
		if (iosys_map_rd(&line->sem.map, RELEASED_AT, u32) ==
		    SEGMENTS)
			return 0;
		if (ktime_get_ns() - start > LAB_WAIT)
			return fail(lab, -ETIMEDOUT, "the last release did "
				    "not arrive");
	}
}

int lab_fences(struct lab *lab)
{
	struct gpu_irq_stats before, after;
	struct fence fence;
	int err;

	gpu_irq_stats(lab->gpu, &before);
	for (int how = FENCE_WAIT_SPIN; how <= FENCE_WAIT_AUTO; how++) {
		for (int i = 0; i < 10; i++) {
			err = fence_emit(lab->line.timeline, LAB_WAIT,
					 &fence);
			if (err)
				return fail(lab, err, "fence_emit()");
			err = fence_wait(&fence, how, LAB_WAIT);
			if (err)
				return fail(lab, err, "fence_wait()");
		}
	}
	/* The words were there first; the last message may be on its way. */
	for (u64 start = ktime_get_ns();; cpu_relax()) {
		gpu_irq_stats(lab->gpu, &after);
		if (after.nonstall != before.nonstall)
			return 0;
		if (ktime_get_ns() - start > LAB_WAIT)
			return fail(lab, -EIO, "no interrupt has come");
	}
}

static int push_copy(struct lab *lab, struct push *push, u64 from, u64 to,
		     u32 bytes)
{
	u32 class = gpu_copy_class(lab->gpu);
	const u32 data[] = {
		upper_32_bits(from), lower_32_bits(from), upper_32_bits(to),
		lower_32_bits(to), bytes, bytes, bytes, 1,
	};
	u32 launch = REG_VAL(NVC0B5_LAUNCH_DMA_DATA_TRANSFER_TYPE,
		NVC0B5_LAUNCH_DMA_DATA_TRANSFER_TYPE_NON_PIPELINED) |
		REG_VAL(NVC0B5_LAUNCH_DMA_FLUSH_ENABLE, 1) |
		REG_VAL(NVC0B5_LAUNCH_DMA_SRC_MEMORY_LAYOUT, 1) |
		REG_VAL(NVC0B5_LAUNCH_DMA_DST_MEMORY_LAYOUT, 1);
	int err;

	err = push_inc(push, 4, NVC06F_SET_OBJECT, &class, 1);
	if (!err)
		err = push_inc(push, 4, NVC0B5_OFFSET_IN_UPPER, data, 8);
	if (!err)
		err = push_inc(push, 4, NVC0B5_LAUNCH_DMA, &launch, 1);
	return err;
}

static int copy(struct lab *lab, struct lab_line *line, u64 from, u64 to,
		u32 bytes)
{
	struct push push;
	struct fence fence;
	u32 words[32];
	int err;

	push_init(&push, words, ARRAY_SIZE(words));
	err = push_copy(lab, &push, from, to, bytes);
	if (!err)
		err = ring_submit(line->queue.ring, &push, 0, LAB_WAIT);
	if (err)
		return fail(lab, err, "a copy was not accepted");
	err = fence_emit(line->timeline, LAB_WAIT, &fence);
	if (err)
		return fail(lab, err, "fence_emit()");
	err = fence_wait(&fence, FENCE_WAIT_AUTO, LAB_WAIT);
	/* The copy goes on, and its memory is soon freed: wait as one can. */
	if (err == -ENOMEM)
		fence_wait(&fence, FENCE_WAIT_SPIN, LAB_WAIT);
	return err ? fail(lab, err, "a copy did not end") : 0;
}

static u32 pattern(u32 i)
{
	return (i + 1) * 2654435761u;
}

static void fill(struct lab *lab)
{
	for (u32 i = 0; i < LAB_BYTES / 4; i++) {
		iosys_map_wr(&lab->from.map, i * 4, u32, pattern(i));
		iosys_map_wr(&lab->to.map, i * 4, u32, 0);
	}
	wmb();
}

/* To video memory and back by the copy engine; the CPU only compares. */
int lab_copy(struct lab *lab)
{
	struct gpu_mem video;
	int err;

	err = gpu_mem_alloc(lab->gpu, LAB_BYTES, MEM_VRAM, &video);
	if (err)
		return fail(lab, err, "video memory");
	fill(lab);
	err = copy(lab, &lab->line, lab->from.va, video.va, LAB_BYTES);
	if (!err)
		err = copy(lab, &lab->line, video.va, lab->to.va, LAB_BYTES);
	for (u32 i = 0; i < LAB_BYTES / 4 && !err; i++) {
		if (iosys_map_rd(&lab->to.map, i * 4, u32) != pattern(i))
			err = fail(lab, -EIO, "copied data differs");
	}
	gpu_mem_free(lab->gpu, &video);
	return err;
}

/* Pages of from, last first, at addresses that only this space has. */
static int map_reversed(struct lab *lab, struct vas *vas)
{
	struct vas_piece piece[PAGES];
	struct vas_mapping mapping = {
		.va = SPACE_AT, .size = PAGES * PAGE, .piece = piece,
		.pieces = PAGES, .flags = VAS_FIXED | VAS_READ_ONLY,
	};

	for (u32 i = 0; i < PAGES; i++)
		piece[i] = (struct vas_piece){
			MMU_SYS_COHERENT,
			lab->from.phys + (PAGES - 1 - i) * PAGE, PAGE,
		};
	return vas_map(vas, &mapping);
}

static int check_reversed(struct lab *lab)
{
	const u32 words = PAGE / 4;

	for (u32 i = 0; i < PAGES * words; i++) {
		u32 page = PAGES - 1 - i / words;

		if (iosys_map_rd(&lab->to.map, i * 4, u32) !=
		    pattern(page * words + i % words))
			return fail(lab, -EIO, "a page is not where it was "
				    "mapped");
	}
	return 0;
}

static int space_run(struct lab *lab, struct vas *vas)
{
	struct lab_line line = { 0 };
	int err;

	err = lab_line_up(lab, vas, &line);
	if (err)
		return fail(lab, err, "a channel in a space of its own");
	fill(lab);
	err = lab_show(vas, &lab->to);
	if (!err)
		err = map_reversed(lab, vas);
	if (err)
		fail(lab, err, "vas_map()");
	if (!err)
		err = copy(lab, &line, SPACE_AT, lab->to.va, PAGES * PAGE);
	if (!err)
		err = check_reversed(lab);
	if (!err && vas_unmap(vas, SPACE_AT, PAGES * PAGE))
		err = fail(lab, -EIO, "vas_unmap()");
	lab_line_down(lab, &line);
	return err;
}

int lab_space(struct lab *lab)
{
	struct vas *vas;
	int err;

	err = vas_create(lab->gpu, 0, SPACE_LIMIT, &vas);
	if (err)
		return fail(lab, err, "vas_create()");
	err = space_run(lab, vas);
	vas_destroy(vas);
	return err;
}

/* A copy from nowhere ends its channel, and no other. */
int lab_fault(struct lab *lab)
{
	struct lab_line line = { 0 };
	int err;

	err = lab_line_up(lab, NULL, &line);
	if (err)
		return fail(lab, err, "a second channel");
	err = copy(lab, &line, 0x7000, lab->to.va, PAGE);
	err = err == -EIO && chan_error(line.queue.chan) == -EIO ? 0 :
		fail(lab, -EIO, "a fault did not end its channel");
	lab_line_down(lab, &line);
	return err ? err : lab_ring(lab);
}
