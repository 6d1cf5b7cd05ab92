/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Calls about address spaces.
 *
 * User mode names memory by its handle and never by where it lies: whatever it
 * maps is its own.  The page tables are lab 02's; beside them goes a book of
 * what is mapped where, so that memory cannot be freed while it is.  The book
 * changes after the tables have, and only if the card knows of it: on one that
 * does not answer, memory rather stays for too long.
 */
#include "file.h"

static struct mem *to_mem(struct object *object)
{
	return container_of(object, struct mem, object);
}

static struct space *to_space(struct object *object)
{
	return container_of(object, struct space, object);
}

int space_init(struct tesla_file *file, struct space *space, u64 base,
	       u64 limit)
{
	int err;

	err = vas_create(file->gpu, base, limit, &space->vas);
	if (err)
		return err;
	mutex_init(&space->lock);
	return 0;
}

/* The book -------------------------------------------------------------- */

static void mem_more(void *context, struct mem *mem)
{
	object_use(context, &mem->object);
}

static void mem_less(void *context, struct mem *mem)
{
	object_unuse(context, &mem->object);
}

static void mem_same(void *context, struct mem *mem)
{
	(void)context;
	(void)mem;
}

/* That memory lies in its opener's own space does not keep it. */
static void book_change(struct tesla_file *file, struct space *space, u64 va,
			u64 size, struct mem *mem)
{
	bool own = space == &file->own;
	struct book_ops ops = {
		.more = own ? mem_same : mem_more,
		.less = own ? mem_same : mem_less,
		.context = file,
	};

	book_set(&space->book, va, va + size, mem, &ops);
}

void space_fini(struct tesla_file *file, struct space *space)
{
	vas_destroy(space->vas);
	book_change(file, space, 0, ~0ULL, NULL);
	book_fini(&space->book);
	mutex_destroy(&space->lock);
}

/* Mapping --------------------------------------------------------------- */

int space_map_mem(struct tesla_file *file, struct space *space,
		  struct mem *mem, struct vas_mapping *mapping)
{
	static const enum mmu_aperture apertures[] = {
		[MEM_COHERENT] = MMU_SYS_COHERENT,
		[MEM_WC] = MMU_SYS_NONCOHERENT,
		[MEM_VRAM] = MMU_VRAM,
	};
	struct vas_piece piece = {
		apertures[mem->gpu.kind], mem->gpu.phys, mem->gpu.size,
	};
	struct vas_mapping whole = *mapping;
	int err;

	whole.piece = &piece;
	whole.pieces = 1;
	mutex_lock(&space->lock);
	err = book_room(&space->book);
	if (!err)
		err = vas_map(space->vas, &whole);
	if (!err)
		book_change(file, space, whole.va, whole.size, mem);
	mutex_unlock(&space->lock);
	if (!err)
		mapping->va = whole.va;
	return err;
}

int space_unmap_range(struct tesla_file *file, struct space *space, u64 va,
		      u64 size)
{
	int err;

	mutex_lock(&space->lock);
	err = book_room(&space->book);
	if (!err)
		err = vas_unmap(space->vas, va, size);
	if (!err)
		book_change(file, space, va, size, NULL);
	mutex_unlock(&space->lock);
	return err;
}

int space_unmap_own(struct tesla_file *file, struct mem *mem)
{
	struct space *space = &file->own;
	int err;

	mutex_lock(&space->lock);
	err = vas_unmap(space->vas, mem->va, mem->gpu.size);
	if (!err || err == -ENODEV)
		book_change(file, space, mem->va, mem->gpu.size, NULL);
	mutex_unlock(&space->lock);
	return err;
}

struct mem *space_use_mem(struct tesla_file *file, struct space *space,
			  u64 va, u64 size)
{
	const struct book_entry *entry;
	struct mem *mem = NULL;

	mutex_lock(&space->lock);
	entry = book_find(&space->book, va);
	if (entry && size <= entry->end - va &&
	    object_use(file, &entry->mem->object))
		mem = entry->mem;
	mutex_unlock(&space->lock);
	return mem;
}

/* The calls ------------------------------------------------------------- */

int call_space_create(struct tesla_file *file, struct tesla_space_create *arg)
{
	struct space *space;
	int err;

	if (arg->flags)
		return -EINVAL;
	space = kzalloc(sizeof(*space), GFP_KERNEL);
	if (!space)
		return -ENOMEM;
	err = space_init(file, space, arg->base, arg->limit);
	if (err)
		goto free_space;
	err = object_add(file, &space->object, OBJECT_SPACE);
	if (err)
		goto fini_space;
	arg->handle = space->object.handle;
	return 0;

fini_space:
	space_fini(file, space);
free_space:
	kfree(space);
	return err;
}

int call_space_destroy(struct tesla_file *file,
		       struct tesla_space_destroy *arg)
{
	if (arg->pad)
		return -EINVAL;
	return object_destroy(file, arg->handle, OBJECT_SPACE);
}

void space_release(struct tesla_file *file, struct object *object)
{
	struct space *space = to_space(object);

	space_fini(file, space);
	kfree(space);
}

static int check_map(const struct mem *mem, const struct tesla_space_map *arg)
{
	if (arg->flags & TESLA_MAP_PRIVILEGED)
		return -EPERM;
	/* One piece: what lies behind its end is another's. */
	if (arg->offset > mem->gpu.size ||
	    arg->size > mem->gpu.size - arg->offset)
		return -EINVAL;
	return 0;
}

int call_space_map(struct tesla_file *file, struct tesla_space_map *arg)
{
	struct object *space, *mem;
	struct vas_mapping mapping = {
		.va = arg->va,
		.size = arg->size,
		.offset = arg->offset,
		.flags = arg->flags,	/* vas.h's are the same */
		.page_shift = arg->page_shift,
	};
	int err = -ENOENT;

	space = object_get(file, arg->space, OBJECT_SPACE);
	if (!space)
		return -ENOENT;
	mem = object_get_use(file, arg->mem, OBJECT_MEM);
	if (!mem)
		goto put_space;
	err = check_map(to_mem(mem), arg);
	if (!err)
		err = space_map_mem(file, to_space(space), to_mem(mem),
				    &mapping);
	if (!err)
		arg->va = mapping.va;
	object_unuse(file, mem);
put_space:
	object_put(file, space);
	return err;
}

int call_space_unmap(struct tesla_file *file, struct tesla_space_unmap *arg)
{
	struct object *space;
	int err;

	if (arg->pad)
		return -EINVAL;
	space = object_get(file, arg->space, OBJECT_SPACE);
	if (!space)
		return -ENOENT;
	err = space_unmap_range(file, to_space(space), arg->va, arg->size);
	object_put(file, space);
	return err;
}
