/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A card that is open, with channels, and the work that tests give them. */
#ifndef GUEST_RIG_H
#define GUEST_RIG_H

#include "fence.h"
#include "guest.h"
#include "vm/spec/reg.h"

#define LINES	8	/* channels, at most */

struct line {
	struct chan *chan;
	struct ring *ring;
	struct timeline *timeline;
	struct gpu_mem gp, pb;
	struct gpu_mem sem;	/* a timeline's word, and words for tests */
	struct gpu_mem hold;	/* the work waits for its first word	*/
};

struct rig {
	struct gpu_bus *bus;
	struct gpu *gpu;
	unsigned int lines;
	struct line line[LINES];
};

struct rig_setup {
	unsigned int lines;		/* 0: 1				*/
	u32 entries, pb_words;		/* 0: 256, 4096			*/
	u32 gp_first;
	enum mem_kind gp, pb, sem;
	bool crc;
	u32 start;			/* of the timelines		*/
};

/* What a page of sem is used for: the timeline at 0, words from here on. */
#define WORDS_AT	64

/* All asserted.  rig_down() waits for the work; not for that of a channel
 * that is dead. */
void rig_up(struct rig *rig, const struct rig_setup *setup);
void rig_down(struct rig *rig);
/* One channel with its ring, on a card that is open. */
void line_up(struct rig *rig, struct line *line,
	     const struct rig_setup *setup);
void line_down(struct rig *rig, struct line *line);

/* Work: methods, appended; asserted. */
void push_release(struct push *push, u64 va, u32 value);
void push_acquire(struct push *push, u64 va, u32 value);	/* equal */
/* By the copy engine, and waited for; up to the lines' size. */
void push_copy(struct push *push, struct gpu *gpu, u64 from, u64 to,
	       u32 bytes);
/* NOPs, until the segment has this many words. */
void push_pad(struct push *push, u32 words);
/* A method that does not exist. */
void push_nonsense(struct push *push);

/* Submit it; there is room within ten seconds. */
void line_submit(struct line *line, const struct push *push);
/* What is submitted afterwards waits, until line_release(). */
void line_hold(struct line *line);
void line_release(struct line *line);
/* The channel's work ends with a fault, or an error of Host's. */
void line_fault(struct line *line);

/* Threads that submit copies and wait for fences, on all lines, until a call
 * fails: its error, which is -ENODEV when the card has gone. */
int rig_work_for_ever(struct rig *rig, unsigned int threads);

/* A word of sem's; until it is value: within ten seconds. */
static inline u32 word(const struct line *line, u32 offset)
{
	return iosys_map_rd(&line->sem.map, offset, u32);
}
void word_wait(const struct line *line, u32 offset, u32 value);

/* Fill memory with numbers by a seed, and compare. */
void mem_fill(struct gpu_mem *mem, unsigned int seed);
void mem_clear(struct gpu_mem *mem);
/* So many bytes from offset are as mem_fill() left them at from. */
void mem_check(const struct gpu_mem *mem, u64 offset, unsigned int seed,
	       u64 from, u64 bytes);

#endif
