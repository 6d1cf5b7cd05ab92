/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The call table: from a number and an address in user memory to a function
 * and its argument [§4.7].
 *
 * An argument is copied once, and only the copy is looked at: what user mode
 * writes there meanwhile changes nothing.  Results are copied back when the
 * call has succeeded, and then it is too late to find that they cannot be.  So
 * the argument is first written back as it came.  A caller that takes the
 * memory away between the two has done its work and hurts only itself: the
 * object is there, in its file.
 *
 * A copy may take for ever: user memory can be a file of a file system that
 * does not answer.  So nothing of the card is held while it is made.
 */
#include "file.h"

#define CALL(number, name, way, text)					\
static int do_##name(struct tesla_file *file, union call_arg *arg)	\
{									\
	return call_##name(file, &arg->name);				\
}
#define CALL_ERROR(name, error, text)
#include "uapi/calls.def"
#undef CALL
#undef CALL_ERROR

enum { IN, INOUT };

static const struct call {
	int (*call)(struct tesla_file *file, union call_arg *arg);
	size_t size;
	bool results;
} calls[] = {
#define CALL(number, name, way, text) \
	[number] = { do_##name, sizeof(struct tesla_##name), (way) == INOUT },
#define CALL_ERROR(name, error, text)
#include "uapi/calls.def"
#undef CALL
#undef CALL_ERROR
};

/* What user mode knows of a structure, which may be less than we do. */
static int copy_back(const struct tesla_arg *arg)
{
	size_t size = min(arg->size, calls[arg->number].size);

	if (!calls[arg->number].results)
		return 0;
	return copy_to_user(arg->user, &arg->any, size) ? -EFAULT : 0;
}

int tesla_arg_fetch(struct tesla_arg *arg, u32 number, void __user *user,
		    size_t size)
{
	int err;

	if (number >= ARRAY_SIZE(calls) || !calls[number].call)
		return -ENOTTY;
	if (!size)
		return -EINVAL;
	if (size > TESLA_ARG_MAX)
		return -E2BIG;
	arg->number = number;
	arg->user = user;
	arg->size = size;
	err = copy_struct_from_user(&arg->any, calls[number].size, user, size);
	return err ? err : copy_back(arg);
}

int tesla_arg_call(struct tesla_arg *arg, struct tesla_file *file)
{
	return calls[arg->number].call(file, &arg->any);
}

int tesla_arg_store(const struct tesla_arg *arg)
{
	return copy_back(arg);
}

long tesla_call(struct tesla_file *file, u32 number, void __user *user,
		size_t size)
{
	struct tesla_arg arg;
	int err;

	err = tesla_arg_fetch(&arg, number, user, size);
	if (!err)
		err = tesla_arg_call(&arg, file);
	if (!err)
		err = tesla_arg_store(&arg);
	return err;
}

/* Views -------------------------------------------------------------------- */

/* What of an object the CPU may see. */
static u64 object_view(const struct object *object, struct iosys_map *map)
{
	const struct tesla_chan *chan;
	const struct mem *mem;

	switch (object->kind) {
	case OBJECT_MEM:
		mem = container_of(object, struct mem, object);
		*map = mem->gpu.map;
		return mem->gpu.size;
	case OBJECT_CHAN:
		chan = container_of(object, struct tesla_chan, object);
		*map = chan_userd(chan->chan);
		map->vaddr_iomem = (char __iomem *)map->vaddr_iomem -
			chan_userd_offset(chan->chan);
		return USERD_PAGE;
	default:
		return 0;
	}
}

/* The object that an offset names, in use; or NULL. */
static struct object *view_get(struct tesla_file *file, u64 offset)
{
	u64 handle = offset >> VIEW_SHIFT;
	struct object *object;

	if (offset & ((1u << VIEW_SHIFT) - 1) || handle > ~0u)
		return NULL;
	object = object_get_use(file, handle, OBJECT_MEM);
	return object ? object : object_get_use(file, handle, OBJECT_CHAN);
}

/* In use from the moment that it is found: one that was destroyed meanwhile
 * would have lost the name by which tesla_unmap() finds it. */
int tesla_map(struct tesla_file *file, u64 offset, u64 size,
	      struct iosys_map *map)
{
	struct object *object = view_get(file, offset);

	if (!object)
		return -EINVAL;
	if (!size || size > object_view(object, map)) {
		object_unuse(file, object);
		return -EINVAL;
	}
	return 0;
}

void tesla_unmap(struct tesla_file *file, u64 offset)
{
	struct object *object = view_get(file, offset);

	if (!object)
		return;
	object_unuse(file, object);	/* ours */
	object_unuse(file, object);	/* the view's */
}
