/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * ring.c - GP entries are parcels on a belt.
 *
 * Everything is counted from 0 in 64 bits and never wraps:
 *
 *	freed <= taken <= told <= ready <= filled
 *
 *   filled	parcels that were put on the belt
 *   ready	... that may be offered (the rest is deferred)
 *   told	... that GP_PUT has offered to Host
 *   taken	... whose processing has begun (GP_GET)
 *   freed	... whose words in the push buffer are free again
 *
 * Parcel n lies in slot (gp_first + n) mod entries, and only there does
 * anything wrap.  The push buffer is kept as "the next word" and "words in
 * use"; a parcel remembers how many words it gives back, those included that
 * were skipped in front of it.
 */
#include "ring.h"

/* USERD [8.3] */
enum { GET = 0x44, GET_HI = 0x60, GP_GET = 0x88, GP_PUT = 0x8c };

struct parcel {
	u32 start, words;	/* where its words lie; 0 words: control */
	u32 gives_back;
};

struct belt {
	u32 next, used;		/* of the push buffer, in words */
};

struct ring {
	struct ring_config cfg;
	void __iomem *userd;
	bool weak, video;	/* what the memories ask for */

	pthread_mutex_t mutex;
	u64 filled, ready, told, taken, freed;
	struct belt belt;
	struct parcel *parcel;	/* by slot */
	bool stopped, dead;
};

static u32 slot(const struct ring *r, u64 n)
{
	return (r->cfg.gp_first + n) & (r->cfg.gp_entries - 1);
}

/* ---- room ------------------------------------------------------------- */

/* Put a parcel of so many words on the belt.  false: it does not fit. */
static bool belt_put(struct belt *belt, u32 size, u32 words,
		     struct parcel *parcel)
{
	bool over;
	u32 skip;

	if (belt->used == 0)
		belt->next = 0;
	over = belt->next + words > size;
	skip = over ? size - belt->next : 0;
	if (belt->used + skip + words > size)
		return false;
	parcel->start = over ? 0 : belt->next;
	parcel->words = words;
	parcel->gives_back = skip + words;
	belt->next = parcel->start + words;
	belt->used += skip + words;
	return true;
}

static u64 slots_for(const struct ring *r, u32 count)
{
	return r->cfg.crc ? 2ull * count : count;
}

static bool fits(const struct ring *r, struct belt belt, u64 free_slots,
		 const struct push *push, u32 count)
{
	struct parcel scratch;

	if (slots_for(r, count) > free_slots)
		return false;
	for (u32 i = 0; i < count; i++)
		if (!belt_put(&belt, r->cfg.pb_words, push[i].count,
			      &scratch))
			return false;
	return true;
}

static bool fits_now(const struct ring *r, const struct push *push, u32 count)
{
	u64 free_slots = r->cfg.gp_entries - 1 - (r->filled - r->taken);

	return fits(r, r->belt, free_slots, push, count);
}

static bool fits_ever(const struct ring *r, const struct push *push,
		      u32 count)
{
	return fits(r, (struct belt){ 0, 0 }, r->cfg.gp_entries - 1, push,
		    count);
}

/* ---- what Host has done ----------------------------------------------- */

static void give_back(struct ring *r)
{
	r->belt.used -= r->parcel[slot(r, r->freed)].gives_back;
	r->freed++;
}

/* Host's GET stands behind the parcel: its words have been read. */
static bool was_read(const struct ring *r, const struct parcel *p)
{
	u64 get;

	if (p->words == 0)
		return true;
	get = readl(r->userd + GET_HI);
	get = get << 32 | readl(r->userd + GET);
	return get == r->cfg.pb->va + 4ull * (p->start + p->words);
}

static int look(struct ring *r)
{
	u32 get, moved;

	if (r->dead)
		return -ENODEV;
	get = readl(r->userd + GP_GET);
	if (get == ~0u) {
		r->dead = true;
		return -ENODEV;
	}
	moved = (get - slot(r, r->taken)) & (r->cfg.gp_entries - 1);
	if (moved > r->told - r->taken)
		return 0;	/* an old value */
	r->taken += moved;

	/* all but the last that has begun are through */
	while (r->freed + 1 < r->taken)
		give_back(r);
	if (r->freed < r->taken &&
	    was_read(r, &r->parcel[slot(r, r->freed)]))
		give_back(r);
	return 0;
}

/* ---- filling and telling ---------------------------------------------- */

static void put_entry(struct ring *r, u64 entry, struct parcel parcel)
{
	u32 at = slot(r, r->filled);

	r->parcel[at] = parcel;
	iosys_map_wr(&r->cfg.gp->map, at * 8, u32, lower_32_bits(entry));
	iosys_map_wr(&r->cfg.gp->map, at * 8 + 4, u32, upper_32_bits(entry));
	r->filled++;
}

static void put_segment(struct ring *r, const struct push *push)
{
	struct parcel parcel = { 0 };
	u64 entry = 0;

	belt_put(&r->belt, r->cfg.pb_words, push->count, &parcel);
	iosys_map_memcpy_to(&r->cfg.pb->map, parcel.start * 4, push->words,
			    push->count * 4);
	gp_entry_segment(r->cfg.pb->va + 4ull * parcel.start, push->count, 0,
			 &entry);
	put_entry(r, entry, parcel);
	if (!r->cfg.crc)
		return;
	gp_entry_control(3, push_crc32(0, push->words, push->count), &entry);
	put_entry(r, entry, (struct parcel){ 0 });
}

/* Stores leave this CPU [4.3]. */
static void send_off(const struct ring *r)
{
	if (r->weak)
		wmb();
	else
		dma_wmb();
}

/* Tell Host about all that is ready. */
static void tell(struct ring *r)
{
	if (r->stopped || r->told == r->ready)
		return;
	/* any read through BAR1 flushes what was written through it [4.4] */
	if (r->video)
		(void)readl(r->userd + GP_GET);
	writel_relaxed(slot(r, r->ready), r->userd + GP_PUT);
	r->told = r->ready;
}

static int attempt(struct ring *r, const struct push *push, u32 count,
		   u32 flags)
{
	if (r->dead)
		return -ENODEV;
	if (!fits_now(r, push, count)) {
		int err = look(r);

		if (err)
			return err;
		if (!fits_now(r, push, count))
			return -EAGAIN;
	}
	for (u32 i = 0; i < count; i++)
		put_segment(r, &push[i]);
	send_off(r);
	if (!(flags & RING_DEFER)) {
		r->ready = r->filled;
		tell(r);
	}
	return 0;
}

/* ---- the interface ------------------------------------------------------ */

int ring_submit_batch(struct ring *r, const struct push *push, u32 count,
		      u32 flags, u64 timeout_ns)
{
	u64 begin = 0;
	int err;

	if (!count || flags & ~RING_DEFER)
		return -EINVAL;
	for (u32 i = 0; i < count; i++)
		if (!push[i].count || push[i].count > r->cfg.pb_words / 2)
			return -EINVAL;
	if (!fits_ever(r, push, count))
		return -EINVAL;

	while (true) {
		pthread_mutex_lock(&r->mutex);
		err = attempt(r, push, count, flags);
		if (err == -EAGAIN && timeout_ns) {
			/* deferred parcels would block the belt for ever */
			r->ready = r->filled;
			tell(r);
		}
		pthread_mutex_unlock(&r->mutex);
		if (err != -EAGAIN || !timeout_ns)
			return err;

		if (!begin)
			begin = ktime_get_ns();
		else if (ktime_get_ns() - begin >= timeout_ns)
			return -ETIMEDOUT;
		cpu_relax();
	}
}

int ring_submit(struct ring *r, const struct push *push, u32 flags,
		u64 timeout_ns)
{
	return ring_submit_batch(r, push, 1, flags, timeout_ns);
}

int ring_kick(struct ring *r)
{
	int err;

	pthread_mutex_lock(&r->mutex);
	err = r->dead ? -ENODEV : 0;
	if (!err) {
		r->ready = r->filled;
		tell(r);
	}
	pthread_mutex_unlock(&r->mutex);
	return err;
}

int ring_is_idle(struct ring *r)
{
	int ret;

	pthread_mutex_lock(&r->mutex);
	ret = look(r);
	if (!ret)
		ret = r->freed == r->told;
	pthread_mutex_unlock(&r->mutex);
	return ret;
}

int ring_wait_idle(struct ring *r, u64 timeout_ns)
{
	u64 begin = ktime_get_ns();
	int idle;

	while ((idle = ring_is_idle(r)) == 0) {
		if (ktime_get_ns() - begin >= timeout_ns)
			return -ETIMEDOUT;
		cpu_relax();
	}
	return idle < 0 ? idle : 0;
}

/* The card is lost as soon as anything says so. */
static int note(struct ring *r, int err)
{
	r->dead |= err == -ENODEV;
	return err;
}

int ring_pause(struct ring *r)
{
	int err;

	pthread_mutex_lock(&r->mutex);
	if (r->dead) {
		err = -ENODEV;
	} else if (r->stopped) {
		err = -EINVAL;
	} else {
		err = note(r, chan_stop(r->cfg.chan));
		r->stopped = !err;
	}
	pthread_mutex_unlock(&r->mutex);
	return err;
}

static int go_on(struct ring *r)
{
	int err = look(r);

	if (!err)
		err = chan_start(r->cfg.chan, slot(r, r->taken));
	if (err)
		return note(r, err);
	/* what had begun when Host stopped is through [8.6] */
	while (r->freed < r->taken)
		give_back(r);
	r->stopped = false;
	r->told = r->taken;
	tell(r);
	return 0;
}

int ring_resume(struct ring *r)
{
	int err;

	pthread_mutex_lock(&r->mutex);
	if (r->dead)
		err = -ENODEV;
	else
		err = r->stopped ? go_on(r) : -EINVAL;
	pthread_mutex_unlock(&r->mutex);
	return err;
}

static bool config_ok(const struct ring_config *c)
{
	return c->gp_entries >= 4 && c->gp_entries <= 65536 &&
	       is_power_of_2(c->gp_entries) &&
	       c->gp_first < c->gp_entries && c->pb_words >= 16 &&
	       c->pb_words <= RING_PB_WORDS_MAX &&
	       c->gp->size >= 8ull * c->gp_entries &&
	       c->pb->size >= 4ull * c->pb_words;
}

int ring_create(const struct ring_config *config, struct ring **ring)
{
	struct ring *r;
	int err = -ENOMEM;

	if (!config_ok(config))
		return -EINVAL;
	r = kzalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return -ENOMEM;
	r->parcel = kcalloc(config->gp_entries, sizeof(*r->parcel),
			    GFP_KERNEL);
	if (!r->parcel)
		goto out;
	r->cfg = *config;
	r->userd = chan_userd(config->chan).vaddr_iomem;
	r->weak = config->gp->kind != MEM_COHERENT ||
		  config->pb->kind != MEM_COHERENT;
	r->video = config->gp->kind == MEM_VRAM ||
		   config->pb->kind == MEM_VRAM;
	err = chan_start(config->chan, config->gp_first);
	if (err)
		goto out;
	pthread_mutex_init(&r->mutex, NULL);
	*ring = r;
	return 0;
out:
	kfree(r->parcel);
	kfree(r);
	return err;
}

int ring_destroy(struct ring *r, u64 timeout_ns)
{
	int err = ring_kick(r), stop = 0;

	if (!err)
		err = ring_wait_idle(r, r->stopped ? 0 : timeout_ns);
	if (!err && r->told != r->filled)
		err = -ETIMEDOUT;	/* stopped with parcels on the belt */
	if (!r->stopped)
		stop = chan_stop(r->cfg.chan);
	pthread_mutex_destroy(&r->mutex);
	kfree(r->parcel);
	kfree(r);
	return err ? err : stop;
}
