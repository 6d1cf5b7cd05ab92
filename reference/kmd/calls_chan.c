/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Calls about channels, and about events that wait for their work.
 *
 * A channel is driven by user mode itself: it writes the ring, and GP_PUT in
 * the channel's USERD.  The kernel's part is that it can do so with nothing
 * but its own.  The ring is memory of this opener; the USERDs of eight
 * channels lie in one page [§8.3], and a page is the least that can be mapped,
 * so all eight are one opener's.
 *
 * The id is chosen here for that reason.  The driver's own channels are not in
 * our pages; where it has taken an id, we try the next.
 */
#include "file.h"

static struct tesla_chan *to_chan(struct object *object)
{
	return container_of(object, struct tesla_chan, object);
}

u32 chan_userd_offset(const struct chan *chan)
{
	return chan_id(chan) % PAGE_CHANS * NV_RAMUSERD_CHAN_SIZE;
}

/* Ids ------------------------------------------------------------------- */

/*
 * A page that nobody has becomes ours, and clean: what its last owner left
 * there, and Host's numbers too, is nobody else's business.  -EBUSY: a channel
 * of the driver's is in it.
 */
static int page_take(struct gpu *gpu, u32 first)
{
	int err = 0;

	mutex_lock(&gpu->lock);
	for (u32 i = 0; i < PAGE_CHANS; i++) {
		if (gpu->chans[first + i])
			err = -EBUSY;
	}
	if (!err)
		pramin_clear(gpu, gpu->userd +
			     (u64)first * NV_RAMUSERD_CHAN_SIZE, USERD_PAGE);
	mutex_unlock(&gpu->lock);
	return err;
}

/* With this id.  -EBUSY: it is taken, or its page is. */
static int create_at(struct tesla_file *file, struct chan_config *config,
		     u32 id, struct chan **chan)
{
	struct userd_page *page = &file->tesla->page[id / PAGE_CHANS];
	int err;

	if ((page->owner && page->owner != file) ||
	    page->used & BIT(id % PAGE_CHANS))
		return -EBUSY;
	if (!page->owner) {
		err = page_take(file->gpu, ALIGN_DOWN(id, PAGE_CHANS));
		if (err)
			return err;
	}
	config->id = id;
	err = chan_create(file->gpu, config, chan);
	if (err)
		return err;
	page->owner = file;
	page->used |= BIT(id % PAGE_CHANS);
	return 0;
}

static int create_any(struct tesla_file *file, struct chan_config *config,
		      struct chan **chan)
{
	int err = -EBUSY;

	for (u32 id = 0; id < HOST_CHANNELS && err == -EBUSY; id++)
		err = create_at(file, config, id, chan);
	return err;
}

static int chan_init(struct tesla_file *file, struct chan_config *config,
		     struct chan **chan)
{
	int err;

	mutex_lock(&file->tesla->lock);
	if (config->id == CHAN_ANY)
		err = create_any(file, config, chan);
	else
		err = create_at(file, config, config->id, chan);
	mutex_unlock(&file->tesla->lock);
	return err;
}

/* The id may be another's as soon as it is given back, so all of it here. */
static void chan_fini(struct tesla_file *file, struct chan *chan)
{
	u32 id = chan_id(chan);
	struct userd_page *page = &file->tesla->page[id / PAGE_CHANS];

	mutex_lock(&file->tesla->lock);
	chan_destroy(chan);
	page->used &= ~BIT(id % PAGE_CHANS);
	if (!page->used)
		page->owner = NULL;
	mutex_unlock(&file->tesla->lock);
}

/* Making ---------------------------------------------------------------- */

static int chan_check(const struct tesla_chan_create *arg)
{
	if (arg->flags & TESLA_CHAN_PRIVILEGED)
		return -EPERM;
	if (arg->flags || !is_power_of_2(arg->gp_entries) ||
	    (arg->id != TESLA_CHAN_ANY && arg->id >= HOST_CHANNELS))
		return -EINVAL;
	return 0;
}

static struct space *chan_space(struct tesla_file *file, u32 handle)
{
	struct object *object;

	if (!handle)
		return object_use(file, &file->own.object) ? &file->own : NULL;
	object = object_get_use(file, handle, OBJECT_SPACE);
	return object ? container_of(object, struct space, object) : NULL;
}

/* The parts of a channel; what it needs is in use when it is there. */
static int chan_build(struct tesla_file *file, struct tesla_chan *chan,
		      const struct tesla_chan_create *arg)
{
	struct chan_config config = {
		.id = arg->id,
		.gp_va = arg->gp_va,
		.gp_entries = arg->gp_entries,
	};
	int err;

	chan->space = chan_space(file, arg->space);
	if (!chan->space)
		return -ENOENT;
	config.vas = chan->space->vas;
	chan->ring = space_use_mem(file, chan->space, arg->gp_va,
				   (u64)arg->gp_entries * 8);
	err = -EINVAL;
	if (!chan->ring)
		goto unuse_space;
	err = chan_init(file, &config, &chan->chan);
	if (err)
		goto unuse_ring;
	return 0;

unuse_ring:
	object_unuse(file, &chan->ring->object);
unuse_space:
	object_unuse(file, &chan->space->object);
	return err;
}

void chan_release(struct tesla_file *file, struct object *object)
{
	struct tesla_chan *chan = to_chan(object);

	chan_fini(file, chan->chan);
	object_unuse(file, &chan->ring->object);
	object_unuse(file, &chan->space->object);
	kfree(chan);
}

int call_chan_create(struct tesla_file *file, struct tesla_chan_create *arg)
{
	struct tesla_chan *chan;
	int err;

	err = chan_check(arg);
	if (err)
		return err;
	chan = kzalloc(sizeof(*chan), GFP_KERNEL);
	if (!chan)
		return -ENOMEM;
	err = chan_build(file, chan, arg);
	if (err) {
		kfree(chan);
		return err;
	}
	err = object_add(file, &chan->object, OBJECT_CHAN);
	if (err) {
		chan_release(file, &chan->object);
		return err;
	}
	arg->id = chan_id(chan->chan);
	arg->handle = chan->object.handle;
	arg->userd_offset = chan_userd_offset(chan->chan);
	arg->userd_map = view_offset(&chan->object);
	return 0;
}

int call_chan_destroy(struct tesla_file *file, struct tesla_chan_destroy *arg)
{
	if (arg->pad)
		return -EINVAL;
	return object_destroy(file, arg->handle, OBJECT_CHAN);
}

/* Running --------------------------------------------------------------- */

int call_chan_start(struct tesla_file *file, struct tesla_chan_start *arg)
{
	struct object *object = object_get(file, arg->handle, OBJECT_CHAN);
	int err;

	if (!object)
		return -ENOENT;
	err = chan_start(to_chan(object)->chan, arg->gp_first);
	object_put(file, object);
	return err;
}

int call_chan_stop(struct tesla_file *file, struct tesla_chan_stop *arg)
{
	struct object *object;
	int err;

	if (arg->pad)
		return -EINVAL;
	object = object_get(file, arg->handle, OBJECT_CHAN);
	if (!object)
		return -ENOENT;
	err = chan_stop(to_chan(object)->chan);
	object_put(file, object);
	return err;
}

int call_chan_error(struct tesla_file *file, struct tesla_chan_error *arg)
{
	struct object *object;
	int err;

	if (arg->pad)
		return -EINVAL;
	object = object_get(file, arg->handle, OBJECT_CHAN);
	if (!object)
		return -ENOENT;
	err = chan_error(to_chan(object)->chan);
	object_put(file, object);
	return err;
}
