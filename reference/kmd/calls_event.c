/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Calls about events [§9.5].
 *
 * The interrupt handler looks at an event's word, in memory that user mode
 * has given us, and at its channel.  Both are in use until the event has been
 * removed, so neither can go from under the handler.
 */
#include "file.h"

static void event_unuse(struct tesla_file *file, struct event *event)
{
	object_unuse(file, &event->mem->object);
	object_unuse(file, &event->chan->object);
}

void event_release(struct tesla_file *file, struct object *object)
{
	struct event *event = container_of(object, struct event, object);

	gpu_event_remove(event->event);
	event_unuse(file, event);
	kfree(event);
}

/* In use until event_unuse(). */
static int event_find(struct tesla_file *file, struct event *event,
		      const struct tesla_event_add *arg)
{
	struct object *chan, *mem;

	chan = object_get_use(file, arg->chan, OBJECT_CHAN);
	if (!chan)
		return -ENOENT;
	mem = object_get_use(file, arg->mem, OBJECT_MEM);
	if (!mem) {
		object_unuse(file, chan);
		return -ENOENT;
	}
	event->chan = container_of(chan, struct tesla_chan, object);
	event->mem = container_of(mem, struct mem, object);
	return 0;
}

static int event_build(struct tesla_file *file, struct event *event,
		       const struct tesla_event_add *arg)
{
	struct gpu_event_config config = {
		.value = arg->value,
		.eventfd = arg->eventfd,
	};
	int err;

	err = event_find(file, event, arg);
	if (err)
		return err;
	err = -EINVAL;
	if (arg->offset & 3 || arg->offset >= event->mem->gpu.size)
		goto unuse;
	config.chan = event->chan->chan;
	config.word = event->mem->gpu.map;
	iosys_map_incr(&config.word, arg->offset);
	err = gpu_event_add(file->gpu, &config, &event->event);
	if (err)
		goto unuse;
	return 0;

unuse:
	event_unuse(file, event);
	return err;
}

int call_event_add(struct tesla_file *file, struct tesla_event_add *arg)
{
	struct event *event;
	int err;

	if (arg->pad)
		return -EINVAL;
	event = kzalloc(sizeof(*event), GFP_KERNEL);
	if (!event)
		return -ENOMEM;
	err = event_build(file, event, arg);
	if (err) {
		kfree(event);
		return err;
	}
	err = object_add(file, &event->object, OBJECT_EVENT);
	if (err) {
		event_release(file, &event->object);
		return err;
	}
	arg->handle = event->object.handle;
	return 0;
}

int call_event_remove(struct tesla_file *file, struct tesla_event_remove *arg)
{
	if (arg->pad)
		return -EINVAL;
	return object_destroy(file, arg->handle, OBJECT_EVENT);
}
