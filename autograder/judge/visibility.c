/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The two views of DMA memory; the rules are in visibility.h [§4.2].
 *
 * Real hardware has store buffers, caches that may or may not be snooped and
 * write-combining buffers.  A driver cannot see them: it sees only that the
 * card may find a store late.  So there is one list of pending stores in the
 * order of their issue.  A store leaves it by a barrier, by its age or
 * because a later store hits the same bytes; leaving means that the bytes
 * are copied into the card's view.
 *
 * The last case keeps the list free of overlaps, so stores may leave in any
 * order and still respect the order per byte.  A bitmap with a bit for each
 * byte answers "is anything pending here?" without a walk.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "autograder/judge/visibility.h"

#define PAGE		4096u
/* More than this cannot be pending: the oldest go first. */
#define PENDING_MAX	16384u

struct visibility {
	struct visibility_config config;
	uint8_t *card;
	uint8_t *pending_bits;	/* one a byte			*/
	uint8_t *kinds;		/* enum visibility_kind, a page	*/
	struct visibility_store *list;	/* in order of issue	*/
	size_t count;
	uint64_t used;		/* nothing was ever mapped beyond this */
	uint64_t next_evict;	/* nothing is due before this	*/
	uint64_t random, seq;
};

static uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Zero pages that cost nothing until they are touched. */
static void *pages(size_t len)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static void pages_free(void *p, size_t len)
{
	if (p)
		munmap(p, len);
}

struct visibility *visibility_new(const struct visibility_config *config)
{
	struct visibility *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->config = *config;
	v->next_evict = UINT64_MAX;
	v->random = config->seed ^ 0x766973u;
	v->card = pages(config->size);
	v->pending_bits = pages(config->size / 8 + 1);
	v->kinds = calloc(config->size / PAGE + 1, 1);
	v->list = pages(PENDING_MAX * sizeof(*v->list));
	if (!v->card || !v->pending_bits || !v->kinds || !v->list) {
		visibility_free(v);
		return NULL;
	}
	return v;
}

void visibility_free(struct visibility *v)
{
	if (!v)
		return;
	pages_free(v->list, PENDING_MAX * sizeof(*v->list));
	free(v->kinds);
	pages_free(v->pending_bits, v->config.size / 8 + 1);
	pages_free(v->card, v->config.size);
	free(v);
}

static bool bit(const struct visibility *v, uint64_t i)
{
	return v->pending_bits[i / 8] >> i % 8 & 1;
}

static bool any_bit(const struct visibility *v, uint64_t offset, size_t len)
{
	uint64_t i = offset, end = offset + len;

	while (i < end) {
		if (i % 8 == 0 && !v->pending_bits[i / 8]) {
			i += 8;
			continue;
		}
		if (bit(v, i))
			return true;
		i++;
	}
	return false;
}

static void set_bits(struct visibility *v, uint64_t offset, size_t len,
		     bool on)
{
	uint64_t i;

	for (i = offset; i < offset + len; i++) {
		if (on)
			v->pending_bits[i / 8] |= 1u << i % 8;
		else
			v->pending_bits[i / 8] &= ~(1u << i % 8);
	}
}

static bool overlaps(const struct visibility_store *s, uint64_t offset,
		     size_t len)
{
	return s->offset < offset + len && offset < s->offset + s->size;
}

/* The bytes arrive at the card; the list is the caller's to mend. */
static void publish(struct visibility *v, const struct visibility_store *s)
{
	memcpy(v->card + s->offset, &s->value, s->size);
	set_bits(v, s->offset, s->size, false);
}

typedef bool (*store_test)(const struct visibility_store *store,
			   const void *arg);

/* Publish what the test picks, in order of issue; keep the rest. */
static void publish_if(struct visibility *v, store_test test, const void *arg)
{
	size_t from, to = 0;

	v->next_evict = UINT64_MAX;
	for (from = 0; from < v->count; from++) {
		struct visibility_store *s = &v->list[from];

		if (test(s, arg)) {
			publish(v, s);
			continue;
		}
		if (s->evict < v->next_evict)
			v->next_evict = s->evict;
		v->list[to++] = *s;
	}
	v->count = to;
}

struct range {
	uint64_t offset;
	size_t len;
	/* With x86 order: all of these threads up to this store, too. */
	uint32_t threads;
	uint64_t until;
};

static bool in_range(const struct visibility_store *s, const void *arg)
{
	const struct range *r = arg;

	if (overlaps(s, r->offset, r->len))
		return true;
	return s->kind == VISIBILITY_COHERENT && s->seq <= r->until &&
		(r->threads >> s->thread & 1);
}

/* A store is about to hit bytes that have stores pending: those go first. */
static void publish_range(struct visibility *v, uint64_t offset, size_t len)
{
	struct range r = { .offset = offset, .len = len };
	size_t i;

	for (i = 0; v->config.order == VISIBILITY_X86 && i < v->count; i++) {
		const struct visibility_store *s = &v->list[i];

		if (!overlaps(s, offset, len))
			continue;
		r.threads |= 1u << s->thread;
		if (s->seq > r.until)
			r.until = s->seq;
	}
	publish_if(v, in_range, &r);
}

void visibility_map(struct visibility *v, uint64_t offset, size_t len,
		    enum visibility_kind kind)
{
	size_t from, to = 0;

	for (from = 0; from < v->count; from++) {
		if (!overlaps(&v->list[from], offset, len))
			v->list[to++] = v->list[from];
	}
	v->count = to;
	if (offset < v->used || !v->config.cpu_is_zero)
		memset(v->config.cpu + offset, 0, len);
	if (offset < v->used) {
		set_bits(v, offset, len, false);
		memset(v->card + offset, 0, len);
	}
	if (v->used < offset + len)
		v->used = offset + len;
	memset(v->kinds + offset / PAGE, kind, (len + PAGE - 1) / PAGE);
}

static uint64_t evict_time(struct visibility *v, uint64_t now)
{
	uint64_t range = v->config.evict_max - v->config.evict_min + 1ull;

	if (!v->config.evict_max)
		return UINT64_MAX;
	return now + v->config.evict_min + random_next(&v->random) % range;
}

static bool is_oldest(const struct visibility_store *s, const void *arg)
{
	return s < (const struct visibility_store *)arg;
}

void visibility_store(struct visibility *v, unsigned int thread,
		      uint64_t offset, unsigned int size, uint64_t value,
		      uint64_t now)
{
	struct visibility_store *s;

	memcpy(v->config.cpu + offset, &value, size);
	if (v->config.order == VISIBILITY_AT_ONCE) {
		memcpy(v->card + offset, &value, size);
		return;
	}
	if (any_bit(v, offset, size))
		publish_range(v, offset, size);
	if (v->count == PENDING_MAX)
		publish_if(v, is_oldest, v->list + PENDING_MAX / 4);
	s = &v->list[v->count++];
	*s = (struct visibility_store){
		.offset = offset, .value = value, .size = size,
		.thread = thread & 31, .issued = now, .seq = ++v->seq,
		.kind = v->kinds[offset / PAGE],
	};
	s->evict = evict_time(v, now);
	if (s->evict < v->next_evict)
		v->next_evict = s->evict;
	set_bits(v, offset, size, true);
}

static bool coherent_store(const struct visibility_store *s, const void *arg)
{
	(void)arg;
	return s->kind == VISIBILITY_COHERENT;
}

static bool coherent_or_of_thread(const struct visibility_store *s,
				  const void *arg)
{
	return s->kind == VISIBILITY_COHERENT ||
		s->thread == *(const unsigned int *)arg;
}

void visibility_barrier(struct visibility *v, unsigned int thread,
			enum wire_barrier barrier)
{
	thread &= 31;
	switch (barrier) {
	case WIRE_BARRIER_DMA_WMB:
		publish_if(v, coherent_store, NULL);
		break;
	case WIRE_BARRIER_WMB:
	case WIRE_BARRIER_MB:
		publish_if(v, coherent_or_of_thread, &thread);
		break;
	case WIRE_BARRIER_DMA_RMB:
	case WIRE_BARRIER_RMB:
		break;
	}
}

static bool coherent_of_thread(const struct visibility_store *s,
			       const void *arg)
{
	return s->kind == VISIBILITY_COHERENT &&
		s->thread == *(const unsigned int *)arg;
}

void visibility_mmio(struct visibility *v, unsigned int thread)
{
	if (v->config.order == VISIBILITY_X86)
		publish_if(v, coherent_of_thread, &thread);
}

struct age {
	const struct visibility *v;
	uint64_t now;
	/* x86: the last store of each thread that is old enough. */
	uint64_t until[32];
};

static bool old_enough(const struct visibility_store *s, const void *arg)
{
	const struct age *age = arg;

	if (s->evict <= age->now)
		return true;
	return age->v->config.order == VISIBILITY_X86 &&
		s->kind == VISIBILITY_COHERENT &&
		s->seq <= age->until[s->thread];
}

void visibility_age(struct visibility *v, uint64_t now)
{
	struct age age = { .v = v, .now = now };
	size_t i;

	if (now < v->next_evict)
		return;
	for (i = 0; v->config.order == VISIBILITY_X86 && i < v->count; i++) {
		const struct visibility_store *s = &v->list[i];

		if (s->kind == VISIBILITY_COHERENT && s->evict <= now)
			age.until[s->thread] = s->seq;
	}
	publish_if(v, old_enough, &age);
}

bool visibility_pending(const struct visibility *v, uint64_t offset,
			size_t len, struct visibility_store *store)
{
	size_t i;

	if (!v->count || !any_bit(v, offset, len))
		return false;
	for (i = 0; i < v->count; i++) {
		if (overlaps(&v->list[i], offset, len)) {
			if (store)
				*store = v->list[i];
			return true;
		}
	}
	return false;
}

size_t visibility_pending_count(const struct visibility *v)
{
	return v->count;
}

const uint8_t *visibility_card(const struct visibility *v)
{
	return v->card;
}

void visibility_card_write(struct visibility *v, uint64_t offset,
			   const void *data, size_t len)
{
	const uint8_t *bytes = data;
	size_t i;

	memcpy(v->card + offset, data, len);
	if (!v->count || !any_bit(v, offset, len)) {
		memcpy(v->config.cpu + offset, data, len);
		return;
	}
	for (i = 0; i < len; i++) {
		if (!bit(v, offset + i))
			v->config.cpu[offset + i] = bytes[i];
	}
}
