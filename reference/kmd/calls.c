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
 */
#include "file.h"

/* An argument of any call. */
union call_arg {
#define CALL(number, name, way, text)	struct tesla_##name name;
#define CALL_ERROR(name, error, text)
#include "uapi/calls.def"
#undef CALL
#undef CALL_ERROR
};

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
static int copy_back(const struct call *call, void __user *user,
		     const union call_arg *arg, size_t size)
{
	return copy_to_user(user, arg, min(size, call->size)) ? -EFAULT : 0;
}

long tesla_call(struct tesla_file *file, u32 number, void __user *user,
		size_t size)
{
	const struct call *call;
	union call_arg arg;
	int err;

	if (number >= ARRAY_SIZE(calls) || !calls[number].call)
		return -ENOTTY;
	call = &calls[number];
	if (!size)
		return -EINVAL;
	if (size > TESLA_ARG_MAX)
		return -E2BIG;
	err = copy_struct_from_user(&arg, call->size, user, size);
	if (!err && call->results)
		err = copy_back(call, user, &arg, size);
	if (!err)
		err = call->call(file, &arg);
	if (!err && call->results)
		err = copy_back(call, user, &arg, size);
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

/* The object that an offset names, held; or NULL. */
static struct object *view_get(struct tesla_file *file, u64 offset)
{
	u64 handle = offset >> VIEW_SHIFT;
	struct object *object;

	if (offset & ((1u << VIEW_SHIFT) - 1) || handle > ~0u)
		return NULL;
	object = object_get(file, handle, OBJECT_MEM);
	return object ? object : object_get(file, handle, OBJECT_CHAN);
}

int tesla_map(struct tesla_file *file, u64 offset, u64 size,
	      struct iosys_map *map)
{
	struct object *object;
	int err = -EINVAL;

	object = view_get(file, offset);
	if (!object)
		return -EINVAL;
	if (size && size <= object_view(object, map)) {
		object_use(file, object);
		err = 0;
	}
	object_put(file, object);
	return err;
}

void tesla_unmap(struct tesla_file *file, u64 offset)
{
	struct object *object = view_get(file, offset);

	if (!object)
		return;
	object_unuse(file, object);
	object_put(file, object);
}
