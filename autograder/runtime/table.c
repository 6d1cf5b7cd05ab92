/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The table of locks: a hash of addresses over a fixed pool.
 *
 * Nothing here depends on the order of the hash, so no schedule depends on
 * where the driver's objects lie.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "table.h"

#define BUCKETS	1024u
#define OBJECTS	8192u

static struct rt_object *bucket[BUCKETS];
static struct rt_object pool[OBJECTS];
static struct rt_object *unused;
static unsigned int pool_used;

static struct rt_object **chain(const void *addr)
{
	return &bucket[((uintptr_t)addr >> 3) % BUCKETS];
}

struct rt_object *rt_find(const void *addr)
{
	struct rt_object *object = *chain(addr);

	while (object && object->addr != addr)
		object = object->next;
	return object;
}

static struct rt_object *object_new(void)
{
	struct rt_object *object = unused;

	if (object) {
		unused = object->next;
		return object;
	}
	if (pool_used == OBJECTS)
		rt_crash(0, NULL, NULL,
			 "the driver uses more than %u locks at once",
			 OBJECTS);
	return &pool[pool_used++];
}

struct rt_object *rt_get(const void *addr, enum rt_kind kind)
{
	struct rt_object *object = rt_find(addr);

	if (object && object->kind == kind)
		return object;
	if (object)
		rt_forget(object);

	object = object_new();
	*object = (struct rt_object){
		.addr = addr, .kind = kind, .next = *chain(addr),
	};
	*chain(addr) = object;
	return object;
}

void rt_forget(struct rt_object *object)
{
	struct rt_object **link = chain(object->addr);

	while (*link && *link != object)
		link = &(*link)->next;
	if (!*link)
		return;
	*link = object->next;
	object->addr = NULL;
	object->next = unused;
	unused = object;
}

const struct rt_thread *rt_lock_owner(const void *addr)
{
	struct rt_object *object = addr ? rt_find(addr) : NULL;

	return object ? object->owner : NULL;
}

void rt_misuse(const void *object, const char *what)
{
	char name[80], where[256];

	rt_report(WIRE_REPORT_LOCK, (uintptr_t)object,
		  "thread %u %s (%s), in %s", rt_self->number, what,
		  rt_name((uintptr_t)object, name, sizeof(name)),
		  rt_where(rt_self, where, sizeof(where)));
}

/* Memory is given back: no lock in it may be in use. */
void rt_locks_forget(const void *memory, size_t size)
{
	uintptr_t base = (uintptr_t)memory;

	for (unsigned int i = 0; i < pool_used; i++) {
		struct rt_object *object = &pool[i];

		if (!object->addr || (uintptr_t)object->addr - base >= size)
			continue;
		if (object->owner)
			rt_misuse(object->addr,
				  "frees memory with a locked lock in it");
		rt_forget(object);
	}
}

uint64_t rt_deadline(const struct timespec *at)
{
	if (at->tv_sec < 0)
		return 0;
	if ((uint64_t)at->tv_sec > UINT64_MAX / 2000000000u)
		return RT_FOREVER;
	return (uint64_t)at->tv_sec * 1000000000u + (uint64_t)at->tv_nsec;
}
