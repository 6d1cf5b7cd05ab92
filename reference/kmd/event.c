/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Events: one eventfd, to be written once [§9.5].
 *
 * An event is alive in user mode's eyes until gpu_event_remove(), told or
 * not.  It is in the list of irq.c only until it is told: so being told twice
 * cannot happen, and a handler does not walk over what is past.
 */
#include "event.h"

int event_create(struct gpu *gpu, const struct gpu_event_config *config,
		 struct gpu_event **out)
{
	struct gpu_event *event;
	int err;

	if (!config->chan || iosys_map_is_null(&config->word))
		return -EINVAL;
	event = kzalloc(sizeof(*event), GFP_KERNEL);
	if (!event)
		return -ENOMEM;
	INIT_LIST_HEAD(&event->link);
	event->gpu = gpu;
	event->config = *config;
	event->eventfd = eventfd_ctx_fdget(config->eventfd);
	if (IS_ERR(event->eventfd)) {
		err = PTR_ERR(event->eventfd);
		kfree(event);
		return err;
	}
	*out = event;
	return 0;
}

void event_free(struct gpu_event *event)
{
	eventfd_ctx_put(event->eventfd);
	kfree(event);
}

void event_tell(struct gpu_event *event)
{
	list_del_init(&event->link);
	eventfd_signal(event->eventfd);
}
