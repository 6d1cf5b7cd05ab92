/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Who is told by the interrupt, and who may ask about it [§9.5].
 *
 * An event is in the list before its word is looked at, and the handler looks
 * at the words after it has acknowledged: one of the two sees the number.
 * Both looks are under one lock, so an event is told once or not at all.
 *
 * Events are gone before the interrupt is given back, but others are not: work
 * that has found a dead channel, whoever asks for figures.  They come at any
 * time, so struct gpu_irq is held by a count, and freed by whoever is last.
 */
#include "irq_state.h"
#include "kmd.h"
#include "event.h"

/* Who uses it ------------------------------------------------------------- */

/* Over the pointer that gpu_irq_get() reads, and the users of each. */
static DEFINE_SPINLOCK(users_lock);

struct gpu_irq *irq_hold(struct gpu *gpu)
{
	struct gpu_irq *irq;
	unsigned long flags;

	spin_lock_irqsave(&users_lock, flags);
	irq = gpu_irq_get(gpu);
	if (irq)
		irq->users++;
	spin_unlock_irqrestore(&users_lock, flags);
	return irq;
}

void irq_put(struct gpu_irq *irq)
{
	unsigned long flags;
	bool last;

	spin_lock_irqsave(&users_lock, flags);
	last = !--irq->users;
	spin_unlock_irqrestore(&users_lock, flags);
	if (last)
		kfree(irq);
}

void irq_publish(struct gpu *gpu, struct gpu_irq *irq, unsigned int vector)
{
	unsigned long flags;

	spin_lock_irqsave(&users_lock, flags);
	gpu_irq_set(gpu, irq, vector);
	spin_unlock_irqrestore(&users_lock, flags);
}

/* Events ------------------------------------------------------------------ */

/*
 * A word as it stands.  False: there is none, a lost card answered for its
 * memory.
 */
static bool word_read(struct gpu *gpu, const struct iosys_map *map, u32 *word)
{
	*word = iosys_map_rd(map, 0, u32);
	return !map->is_iomem || *word != 0xffffffff || !gpu_is_lost(gpu);
}

/* Numbers wrap: a distance, not a comparison. */
static bool event_reached(const struct gpu_event *event)
{
	u32 word;

	return word_read(event->gpu, &event->config.word, &word) &&
		(s32)(word - event->config.value) >= 0;
}

/*
 * Tell those whose time has come, and those whose channel died.  Events of
 * one word lie together, and it is read once for all of them: it may lie
 * behind a BAR, where a look is a round trip.
 */
void events_check(struct gpu_irq *irq)
{
	struct gpu_event *event, *next;
	struct iosys_map map = { 0 };
	unsigned long flags;
	bool valid = false;
	u32 word = 0;

	spin_lock_irqsave(&irq->lock, flags);
	list_for_each_entry_safe(event, next, &irq->events, link) {
		if (!iosys_map_is_equal(&map, &event->config.word)) {
			map = event->config.word;
			valid = word_read(irq->gpu, &map, &word);
		}
		if ((valid && (s32)(word - event->config.value) >= 0) ||
		    chan_is_dead(event->config.chan))
			event_tell(event);
	}
	spin_unlock_irqrestore(&irq->lock, flags);
}

/* See irq.h. */
void gpu_event_check(struct gpu *gpu)
{
	struct gpu_irq *irq = irq_hold(gpu);

	if (!irq)
		return;
	events_check(irq);
	irq_put(irq);
}

/* With the lock: beside the others of its word. */
static void event_insert(struct gpu_irq *irq, struct gpu_event *event)
{
	struct gpu_event *kin;

	list_for_each_entry(kin, &irq->events, link) {
		if (!iosys_map_is_equal(&kin->config.word,
					&event->config.word))
			continue;
		list_add(&event->link, &kin->link);
		return;
	}
	list_add_tail(&event->link, &irq->events);
}

/*
 * Into the list, then look at the word: an interrupt from here on finds it.
 * A channel that died may have reached it just before, so the word is asked
 * again after that.
 */
static int event_enlist(struct gpu_irq *irq, struct gpu_event *event)
{
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&irq->lock, flags);
	event_insert(irq, event);
	if (event_reached(event)) {
		event_tell(event);
	} else if (chan_is_dead(event->config.chan)) {
		if (event_reached(event)) {
			event_tell(event);
		} else {
			list_del_init(&event->link);
			err = -EIO;
		}
	}
	spin_unlock_irqrestore(&irq->lock, flags);
	return err;
}

/* See irq.h. */
int gpu_event_add(struct gpu *gpu, const struct gpu_event_config *config,
		  struct gpu_event **out)
{
	struct gpu_irq *irq = irq_hold(gpu);
	struct gpu_event *event;
	int err;

	if (!irq)
		return -EINVAL;
	err = event_create(gpu, config, &event);
	if (err)
		goto put_irq;
	err = event_enlist(irq, event);
	if (err)
		event_free(event);
	else
		*out = event;
put_irq:
	irq_put(irq);
	return err;
}

/* See irq.h.  It is told under the lock, or not at all. */
void gpu_event_remove(struct gpu_event *event)
{
	struct gpu_irq *irq = irq_hold(event->gpu);
	unsigned long flags;

	if (irq) {
		spin_lock_irqsave(&irq->lock, flags);
		list_del_init(&event->link);
		spin_unlock_irqrestore(&irq->lock, flags);
		irq_put(irq);
	}
	event_free(event);
}

/* Figures ----------------------------------------------------------------- */

/* See irq.h. */
void gpu_irq_stats(struct gpu *gpu, struct gpu_irq_stats *stats)
{
	struct gpu_irq *irq = irq_hold(gpu);

	*stats = (struct gpu_irq_stats){ 0 };
	if (!irq)
		return;
	stats->interrupts = (u64)atomic64_read(&irq->count[INTERRUPTS]);
	stats->spurious = (u64)atomic64_read(&irq->count[SPURIOUS]);
	stats->nonstall = (u64)atomic64_read(&irq->count[NONSTALL]);
	stats->faults = (u64)atomic64_read(&irq->count[FAULTS]);
	stats->pbdma = (u64)atomic64_read(&irq->count[PBDMA]);
	stats->copy = (u64)atomic64_read(&irq->count[COPY]);
	stats->longest_ns = (u64)atomic64_read(&irq->count[LONGEST]);
	irq_put(irq);
}
