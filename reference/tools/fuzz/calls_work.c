/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * After others have done their worst: an opener of its own makes a channel,
 * releases a semaphore through it, and goes.
 */
#include "fuzz.h"
#include "push.h"
#include "vm/spec/reg.h"

#define WORD	3072

static void must(long err, const char *what)
{
	if (err)
		broken(what, err, 0);
}

/* One release at the start of the ring. */
static void submit(struct tesla_file *file, const struct tesla_mem_alloc *mem,
		   const struct tesla_chan_create *chan,
		   struct iosys_map *memory)
{
	const u32 data[] = {
		upper_32_bits(mem->va), lower_32_bits(mem->va) + WORD, 77,
		NVC06F_SEMAPHORED_OPERATION_RELEASE,
	};
	struct iosys_map userd;
	struct push push;
	u32 words[8];
	u64 entry;

	push_init(&push, words, ARRAY_SIZE(words));
	must(push_inc(&push, 0, NVC06F_SEMAPHOREA, data, 4), "push");
	must(gp_entry_segment(mem->va + 2048, push.count, 0, &entry), "entry");
	must(tesla_map(file, chan->userd_map, PAGE, &userd), "USERD");
	iosys_map_memcpy_to(memory, 2048, words, push.count * 4);
	iosys_map_wr(memory, 0, u64, entry);
	dma_wmb();
	iosys_map_incr(&userd, chan->userd_offset);
	iosys_map_wr(&userd, NV_RAMUSERD_GP_PUT, u32, 1);
	tesla_unmap(file, chan->userd_map);
}

void fuzz_work(void)
{
	struct tesla_mem_alloc mem = { .size = PAGE };
	struct tesla_chan_create chan = {
		.id = TESLA_CHAN_ANY, .gp_entries = 64,
	};
	struct tesla_chan_start start = { 0 };
	struct iosys_map memory;
	struct tesla_file *file;

	must(tesla_open(fuzz.tesla, &file), "open");
	must(tesla_call(file, TESLA_CALL_mem_alloc, &mem, sizeof(mem)),
	     "memory");
	chan.gp_va = mem.va;
	must(tesla_call(file, TESLA_CALL_chan_create, &chan, sizeof(chan)),
	     "channel");
	start.handle = chan.handle;
	must(tesla_call(file, TESLA_CALL_chan_start, &start, sizeof(start)),
	     "start");
	must(tesla_map(file, mem.map_offset, PAGE, &memory), "view");
	submit(file, &mem, &chan, &memory);
	for (u64 begin = ktime_get_ns();
	     iosys_map_rd(&memory, WORD, u32) != 77; cpu_relax()) {
		if (ktime_get_ns() - begin > NSEC_PER_SEC)
			broken("the card does no work any more", 0, 0);
	}
	tesla_unmap(file, mem.map_offset);
	tesla_close(file);
}
