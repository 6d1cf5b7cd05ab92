/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Openers: what one of them has, and how it all goes when it leaves [§4.7].
 *
 * Everything that user mode makes belongs to the file that it was made
 * through, and is named by a handle that means nothing to others.  A file is
 * closed by its process or by its death; either way objects go in the order
 * in which nothing is taken from under another: events, channels, spaces,
 * memory.
 *
 * A handle is a slot of the table and a count of how often that slot was
 * given out: a number that is used once too often names nothing, where the
 * slot alone would name somebody else's object.  The slot that has been free
 * for longest is the next to be used.
 */
#include "file.h"

/* The opener's own space: as gpu.c has it for the driver. */
#define OWN_BASE	(1ULL << 32)
#define OWN_LIMIT	(1ULL << 36)
/* Of a handle: the slot's index; above it the round, from 1 on. */
#define SLOT_BITS	16
#define ROUNDS		4095u
#define SLOT_NONE	~0u
#define SLOTS_FIRST	16u

static void (*const release[OBJECT_KINDS])(struct tesla_file *file,
					   struct object *object) = {
	[OBJECT_MEM] = mem_release,
	[OBJECT_SPACE] = space_release,
	[OBJECT_CHAN] = chan_release,
	[OBJECT_EVENT] = event_release,
};

int tesla_probe(struct gpu_bus *bus, struct tesla **out)
{
	struct tesla *tesla;
	int err;

	tesla = kzalloc(sizeof(*tesla), GFP_KERNEL);
	if (!tesla)
		return -ENOMEM;
	mutex_init(&tesla->lock);
	err = gpu_open(bus, &tesla->gpu);
	if (err)
		goto free_tesla;
	err = gpu_irq_init(tesla->gpu);
	if (err)
		goto close_gpu;
	*out = tesla;
	return 0;

close_gpu:
	gpu_close(tesla->gpu);
free_tesla:
	mutex_destroy(&tesla->lock);
	kfree(tesla);
	return err;
}

void tesla_unplug(struct tesla *tesla)
{
	gpu_kill_all(tesla->gpu);
}

struct gpu *tesla_gpu(struct tesla *tesla)
{
	return tesla->gpu;
}

void tesla_remove(struct tesla *tesla)
{
	gpu_irq_fini(tesla->gpu);
	gpu_close(tesla->gpu);
	mutex_destroy(&tesla->lock);
	kfree(tesla);
}

/* The table ---------------------------------------------------------------- */

static const u32 most[OBJECT_KINDS] = {
	[OBJECT_MEM] = FILE_OBJECTS_MAX,
	[OBJECT_SPACE] = FILE_OBJECTS_MAX,
	[OBJECT_CHAN] = FILE_CHANS_MAX,
	[OBJECT_EVENT] = FILE_EVENTS_MAX,
};

/* Twice as many slots; the new ones are free, and no others are. */
static int table_grow(struct tesla_file *file)
{
	u32 slots = file->slots ? file->slots * 2 : SLOTS_FIRST;
	struct slot *slot;

	if (slots > 1u << SLOT_BITS)
		return -EMFILE;
	slot = kcalloc(slots, sizeof(*slot), GFP_KERNEL);
	if (!slot)
		return -ENOMEM;
	if (file->slots)
		memcpy(slot, file->slot, file->slots * sizeof(*slot));
	for (u32 i = file->slots; i < slots; i++)
		slot[i].next = i + 1 < slots ? i + 1 : SLOT_NONE;
	file->free = file->slots;
	file->last = slots - 1;
	file->slots = slots;
	kfree(file->slot);
	file->slot = slot;
	return 0;
}

static int table_add(struct tesla_file *file, struct object *object)
{
	struct slot *slot;
	int err;

	if (file->objects >= FILE_OBJECTS_MAX ||
	    file->count[object->kind] >= most[object->kind])
		return -EMFILE;
	if (file->free == SLOT_NONE) {
		err = table_grow(file);
		if (err)
			return err;
	}
	slot = &file->slot[file->free];
	slot->round = slot->round % ROUNDS + 1;	/* a handle is never 0 */
	object->handle = (u32)slot->round << SLOT_BITS | file->free;
	file->free = slot->next;
	slot->object = object;
	file->objects++;
	file->count[object->kind]++;
	return 0;
}

/* The slot of a handle that names something, or NULL. */
static struct slot *table_find(const struct tesla_file *file, u32 handle)
{
	u32 i = handle & ((1u << SLOT_BITS) - 1);
	struct slot *slot;

	if (i >= file->slots)
		return NULL;
	slot = &file->slot[i];
	return slot->object && slot->object->handle == handle ? slot : NULL;
}

static void table_remove(struct tesla_file *file, struct slot *slot)
{
	u32 i = slot - file->slot;

	file->count[slot->object->kind]--;
	file->objects--;
	slot->object = NULL;
	slot->next = SLOT_NONE;
	if (file->free == SLOT_NONE)
		file->free = i;
	else
		file->slot[file->last].next = i;
	file->last = i;
}

/* Objects ------------------------------------------------------------------ */

int object_add(struct tesla_file *file, struct object *object,
	       enum object_kind kind)
{
	int err;

	object->kind = kind;
	object->holds = 1;
	mutex_lock(&file->lock);
	err = table_add(file, object);
	mutex_unlock(&file->lock);
	return err;
}

static struct object *get(struct tesla_file *file, u32 handle,
			  enum object_kind kind, u32 uses)
{
	struct object *object = NULL;
	struct slot *slot;

	mutex_lock(&file->lock);
	slot = table_find(file, handle);
	if (slot && slot->object->kind == kind) {
		object = slot->object;
		object->holds++;
		object->uses += uses;
	}
	mutex_unlock(&file->lock);
	return object;
}

struct object *object_get(struct tesla_file *file, u32 handle,
			  enum object_kind kind)
{
	return get(file, handle, kind, 0);
}

struct object *object_get_use(struct tesla_file *file, u32 handle,
			      enum object_kind kind)
{
	return get(file, handle, kind, 1);
}

/* Holds and uses less; the last hold's owner releases, with no lock held. */
static void drop(struct tesla_file *file, struct object *object, u32 uses)
{
	bool last;

	mutex_lock(&file->lock);
	object->uses -= uses;
	last = --object->holds == 0;
	mutex_unlock(&file->lock);
	if (last)
		release[object->kind](file, object);
}

void object_put(struct tesla_file *file, struct object *object)
{
	drop(file, object, 0);
}

bool object_use(struct tesla_file *file, struct object *object)
{
	bool alive;

	mutex_lock(&file->lock);
	alive = object->holds;
	if (alive) {
		object->holds++;
		object->uses++;
	}
	mutex_unlock(&file->lock);
	return alive;
}

void object_unuse(struct tesla_file *file, struct object *object)
{
	drop(file, object, 1);
}

int object_destroy(struct tesla_file *file, u32 handle,
		   enum object_kind kind)
{
	struct object *object = NULL;
	struct slot *slot;
	int err = -ENOENT;

	mutex_lock(&file->lock);
	slot = table_find(file, handle);
	if (slot && slot->object->kind == kind) {
		object = slot->object;
		err = object->uses ? -EBUSY : 0;
	}
	if (!err)
		table_remove(file, slot);
	mutex_unlock(&file->lock);
	if (!err)
		object_put(file, object);
	return err;
}

/* Files -------------------------------------------------------------------- */

int tesla_open(struct tesla *tesla, struct tesla_file **out)
{
	struct tesla_file *file;
	int err;

	file = kzalloc(sizeof(*file), GFP_KERNEL);
	if (!file)
		return -ENOMEM;
	file->tesla = tesla;
	file->gpu = tesla->gpu;
	file->free = SLOT_NONE;
	mutex_init(&file->lock);
	err = space_init(file, &file->own, OWN_BASE, OWN_LIMIT);
	if (err)
		goto free_file;
	file->own.object.holds = 1;	/* until the file is closed */
	file->owner = get_task_struct(current->group_leader);
	*out = file;
	return 0;

free_file:
	mutex_destroy(&file->lock);
	kfree(file);
	return err;
}

/* All that is left of one kind. */
static void close_kind(struct tesla_file *file, enum object_kind kind)
{
	for (u32 i = 0; i < file->slots; i++) {
		struct object *object = file->slot[i].object;

		if (!object || object->kind != kind)
			continue;
		table_remove(file, &file->slot[i]);
		object_put(file, object);
	}
}

void tesla_close(struct tesla_file *file)
{
	close_kind(file, OBJECT_EVENT);
	close_kind(file, OBJECT_CHAN);
	close_kind(file, OBJECT_SPACE);
	close_kind(file, OBJECT_MEM);
	space_fini(file, &file->own);
	mem_free_stale(file);
	put_task_struct(file->owner);
	kfree(file->slot);
	mutex_destroy(&file->lock);
	kfree(file);
}

unsigned int tesla_objects(struct tesla_file *file)
{
	unsigned int objects;

	mutex_lock(&file->lock);
	objects = file->objects;
	mutex_unlock(&file->lock);
	return objects;
}
