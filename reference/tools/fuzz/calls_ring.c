/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * An opener that works: a channel with a ring, and segments that say something
 * to Host or to the copy engine, most of them nothing good.
 *
 * By chance alone a byte stream hardly ever puts memory, ring, segment, entry
 * and GP_PUT together.  So all that is done here, and the input says what is in
 * the segment.  What it leads to is the kernel half's concern: faults, channels
 * that die, engines that stop or do not come to an end, while other calls use
 * the same channel.
 */
#include "fuzz.h"
#include "push.h"
#include "vm/spec/reg.h"

#define RING_SIZE	(4 * PAGE)
#define ENTRIES		64u
#define SEGMENTS	1024	/* where they begin: eight, of 128 bytes */
#define WORD		3072

static bool ring_make(struct opener *opener, struct fuzz_ring *ring)
{
	struct tesla_mem_alloc mem = { .size = RING_SIZE };
	struct tesla_chan_create chan = {
		.id = TESLA_CHAN_ANY, .gp_entries = ENTRIES,
	};
	struct tesla_chan_start start = { 0 };

	if (fuzz_call(opener, TESLA_CALL_mem_alloc, &mem, sizeof(mem)))
		return false;
	chan.gp_va = ring->va = mem.va;
	if (fuzz_call(opener, TESLA_CALL_chan_create, &chan, sizeof(chan)))
		return false;
	start.handle = chan.handle;
	if (fuzz_call(opener, TESLA_CALL_chan_start, &start, sizeof(start)))
		return false;
	remember_name(opener, OBJECT_MEM, mem.handle);
	remember_name(opener, OBJECT_CHAN, chan.handle);
	remember_address(opener, mem.va);
	if (tesla_map(opener->file, mem.map_offset, RING_SIZE, &ring->memory) ||
	    tesla_map(opener->file, chan.userd_map, PAGE, &ring->userd))
		broken("no view of what was made", 0, 0);
	iosys_map_incr(&ring->userd, chan.userd_offset);
	ring->view[0] = mem.map_offset;
	ring->view[1] = chan.userd_map;
	return true;
}

static void push_semaphore(struct push *push, u64 word, u32 value,
			   u32 operation)
{
	const u32 data[] = {
		upper_32_bits(word) & 0xff, lower_32_bits(word) & ~3u, value,
		operation,
	};

	push_inc(push, 0, NVC06F_SEMAPHOREA, data, 4);
}

/* Lines of a page; now and then so many that it will not end. */
static void push_copy(struct push *push, u64 from, u64 to, u32 lines,
		      u32 launch)
{
	const u32 object[] = { gpu_copy_class(tesla_gpu(fuzz.tesla)) };
	const u32 data[] = {
		upper_32_bits(from) & 0xff, lower_32_bits(from),
		upper_32_bits(to) & 0xff, lower_32_bits(to), 0, 0, PAGE, lines,
	};
	const u32 word[] = { launch };

	push_inc(push, 4, NVC06F_SET_OBJECT, object, 1);
	push_inc(push, 4, NVC0B5_OFFSET_IN_UPPER, data, 8);
	push_inc(push, 4, NVC0B5_LAUNCH_DMA, word, 1);
}

static void fill_segment(struct opener *opener, struct push *push)
{
	struct fuzz_ring *ring = &opener->ring;
	u64 here = ring->va + PAGE;

	switch (get8() % 8) {
	case 0:
		push_semaphore(push, ring->va + WORD, get8(),
			       NVC06F_SEMAPHORED_OPERATION_RELEASE);
		break;
	case 1:
		push_semaphore(push, ring->va + WORD, get8(),
			REG_VAL(NVC06F_SEMAPHORED_OPERATION,
				NVC06F_SEMAPHORED_OPERATION_ACQUIRE) |
			REG_VAL(NVC06F_SEMAPHORED_ACQUIRE_SWITCH, 1));
		break;
	case 2:
		push_semaphore(push, pick_address(opener), 1,
			       NVC06F_SEMAPHORED_OPERATION_RELEASE);
		break;
	case 3:
		push->words[push->count++] = get32();
		push->words[push->count++] = get32();
		break;
	case 4:
		push_copy(push, here, here + PAGE, get8() < 250 ? get8() : ~0u,
			  0x386);
		break;
	case 5:
		push_copy(push, here, pick_address(opener), 1, 0x386);
		break;
	case 6:
		push_copy(push, here, here + PAGE, 1, get32());
		break;
	case 7:
		push_immediate(push, 0, NVC06F_NON_STALL_INTERRUPT, 0);
		break;
	}
}

void fuzz_ring_step(struct opener *opener)
{
	struct fuzz_ring *ring = &opener->ring;
	u32 at = SEGMENTS + ring->put % 8 * 128, words[32];
	struct push push;
	u64 entry;

	if (!ring->up)
		ring->up = ring_make(opener, ring);
	if (!ring->up)
		return;
	push_init(&push, words, ARRAY_SIZE(words));
	fill_segment(opener, &push);
	if (gp_entry_segment(ring->va + at, push.count, 0, &entry))
		return;
	fuzz.wrote = true;
	iosys_map_memcpy_to(&ring->memory, at, words, push.count * 4);
	iosys_map_wr(&ring->memory, ring->put % ENTRIES * 8, u64, entry);
	dma_wmb();
	ring->put++;
	iosys_map_wr(&ring->userd, NV_RAMUSERD_GP_PUT, u32,
		     ring->put % ENTRIES);
	udelay(get8());
}

void fuzz_ring_down(struct opener *opener)
{
	if (!opener->ring.up)
		return;
	for (int i = 0; i < 2; i++)
		tesla_unmap(opener->file, opener->ring.view[i]);
}
