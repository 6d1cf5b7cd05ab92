/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What a ring writes for the card: words and GP entries, in memory of any
 * kind [§4.2].  Who may write where is not known here; see ring_room.h.
 *
 * Coherent memory is the usual case and comes first; memory behind a BAR is
 * reached by way of its map.
 */
#ifndef RING_BUFFERS_H
#define RING_BUFFERS_H

#include "ring.h"
#include "vm/spec/reg.h"

struct ring_buffers {
	u32 *pb_ram;		/* NULL: behind a BAR			*/
	u64 *gp_ram;		/* … as well				*/
	u64 pb_va;
	bool coherent;		/* both, and plain RAM			*/
	struct gpu_mem *pb, *gp;
};

/* What ring.h says about sizes. */
static inline int buffers_check(const struct ring_config *config)
{
	if (!is_power_of_2(config->gp_entries) || config->gp_entries < 4 ||
	    config->gp_entries > 65536 ||
	    config->gp_first >= config->gp_entries || config->pb_words < 16 ||
	    config->pb_words > RING_PB_WORDS_MAX)
		return -EINVAL;
	if (config->gp->size < config->gp_entries * 8ULL ||
	    config->pb->size < config->pb_words * 4ULL)
		return -EINVAL;
	return 0;
}

static inline void *buffer_ram(const struct gpu_mem *mem)
{
	return mem->map.is_iomem ? NULL : mem->map.vaddr;
}

static inline void buffers_init(struct ring_buffers *buffers,
				const struct ring_config *config)
{
	buffers->pb = config->pb;
	buffers->gp = config->gp;
	buffers->pb_ram = buffer_ram(config->pb);
	buffers->gp_ram = buffer_ram(config->gp);
	buffers->pb_va = config->pb->va;
	buffers->coherent = config->gp->kind == MEM_COHERENT &&
		config->pb->kind == MEM_COHERENT;
}

/*
 * In line, since a call of libc's memcpy() costs more than a short segment,
 * and without a loop over what is left: the last piece may overlap the one
 * before it and write some words twice.
 */
static __always_inline void copy_words(u32 *to, const u32 *from, u32 count)
{
	if (likely(count - 8 <= 8)) {
		memcpy(to, from, 32);
		memcpy(to + count - 8, from + count - 8, 32);
	} else if (count < 8) {
		for (u32 i = 0; i < count; i++)
			WRITE_ONCE(to[i], from[i]);
	} else {
		for (u32 i = 0; i < count - 16; i += 16)
			memcpy(to + i, from + i, 64);
		memcpy(to + count - 16, from + count - 16, 64);
	}
}

/* The entry of a segment [§9.1]; its length fits, see RING_PB_WORDS_MAX. */
static __always_inline u64
buffers_entry(const struct ring_buffers *buffers, u32 at, u32 words)
{
	u64 length = words * (REG_SET(NVC06F_GP_ENTRY1_LENGTH, 1) << 32);

	return buffers->pb_va + (u64)at * sizeof(u32) + length;
}

/* A segment's words, at this word of the push buffer. */
static __always_inline void
buffers_write_words(struct ring_buffers *buffers, u32 at,
		    const struct push *push)
{
	if (likely(buffers->pb_ram))
		copy_words(buffers->pb_ram + at, push->words, push->count);
	else
		iosys_map_memcpy_to(&buffers->pb->map,
				    (u64)at * sizeof(u32), push->words,
				    push->count * sizeof(u32));
}

static __always_inline void
buffers_write_entry(struct ring_buffers *buffers, u32 slot, u64 entry)
{
	if (likely(buffers->gp_ram))
		WRITE_ONCE(buffers->gp_ram[slot], entry);
	else
		iosys_map_wr(&buffers->gp->map, slot * NVC06F_GP_ENTRY__SIZE,
			     u64, entry);
}

/* The entry that carries a segment's CRC [§9.2]. */
static noinline void
buffers_write_crc(struct ring_buffers *buffers, u32 slot,
		  const struct push *push)
{
	u64 entry = 0;

	gp_entry_control(NVC06F_GP_ENTRY1_OPCODE_PB_CRC,
			 push_crc32(0, push->words, push->count), &entry);
	buffers_write_entry(buffers, slot, entry);
}

/* What this thread wrote is there before anybody tells the card [§4.3]. */
static inline void buffers_drain(const struct ring_buffers *buffers)
{
	if (likely(buffers->coherent))
		dma_wmb();
	else
		wmb();
}

/* Reads cannot pass the posted writes of words and entries [§4.4]. */
static inline void buffers_read_back(const struct ring_buffers *buffers,
				     u32 last_slot, u32 last_word)
{
	if (buffers->gp->kind == MEM_VRAM)
		iosys_map_rd(&buffers->gp->map,
			     last_slot * NVC06F_GP_ENTRY__SIZE +
			     NVC06F_GP_ENTRY1, u32);
	else if (buffers->pb->kind == MEM_VRAM)
		iosys_map_rd(&buffers->pb->map, last_word * sizeof(u32), u32);
}

#endif
