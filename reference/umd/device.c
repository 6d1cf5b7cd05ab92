/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * gpu.h in user mode: the same functions as the kernel half's, by calls
 * [§4.7].
 *
 * Ring and fences do not know on which side of the call table they are; nor
 * should they.  So what they want of a card exists twice, as read() does: once
 * in the kernel, and once here, where it fills in an argument and asks.
 *
 * What user mode keeps of an object is its handle and where it has mapped it.
 * An event names a word by its address; the kernel wants to know in whose
 * memory that is, so memory is in a list.
 */
#include "irq.h"
#include "node.h"
#include "uapi/tesla.h"

struct gpu {
	struct gpu_bus *bus;
	int fd;
	struct tesla_get_info info;
	bool irq;			/* gpu_irq_init() was called	*/
	struct mutex lock;		/* over the list		*/
	struct list_head mems;
};

/* What gpu_mem.cpu points to. */
struct device_mem {
	struct list_head link;
	struct iosys_map map;
	u64 size, offset;		/* for node_map()		*/
	u32 handle;
};

struct chan {
	struct gpu *gpu;
	u32 handle, id;
	struct iosys_map userd;		/* the page			*/
	u64 userd_map;
	u32 userd_offset;
};

struct gpu_event {
	struct gpu *gpu;
	u32 handle;
};

/* A call by name; the argument's size comes from its type. */
#define CALL(gpu, name, arg) ({						\
	struct tesla_##name *arg_ = (arg);				\
	(int)node_call((gpu)->fd, TESLA_CALL_##name, arg_,		\
		       sizeof(*arg_)); })

/* The card ----------------------------------------------------------------- */

int gpu_open(struct gpu_bus *bus, struct gpu **out)
{
	struct gpu *gpu;
	int err;

	gpu = kzalloc(sizeof(*gpu), GFP_KERNEL);
	if (!gpu)
		return -ENOMEM;
	gpu->bus = bus;
	gpu->fd = err = node_open(bus);
	if (err < 0)
		goto free_gpu;
	err = CALL(gpu, get_info, &gpu->info);
	if (err)
		goto close_node;
	mutex_init(&gpu->lock);
	INIT_LIST_HEAD(&gpu->mems);
	*out = gpu;
	return 0;

close_node:
	node_close(gpu->fd);
free_gpu:
	kfree(gpu);
	return err;
}

void gpu_close(struct gpu *gpu)
{
	node_close(gpu->fd);
	mutex_destroy(&gpu->lock);
	kfree(gpu);
}

struct gpu_bus *gpu_bus(struct gpu *gpu)
{
	return gpu->bus;
}

const char *gpu_chip_name(const struct gpu *gpu)
{
	return gpu->info.chip;
}

u32 gpu_copy_class(const struct gpu *gpu)
{
	return gpu->info.copy_class;
}

/* Memory ------------------------------------------------------------------- */

static int mem_free(struct gpu *gpu, u32 handle)
{
	struct tesla_mem_free arg = { .handle = handle };

	return CALL(gpu, mem_free, &arg);
}

static int mem_init(struct gpu *gpu, struct device_mem *record,
		    struct tesla_mem_alloc *arg)
{
	int err;

	err = CALL(gpu, mem_alloc, arg);
	if (err)
		return err;
	record->map.is_iomem = arg->kind == TESLA_MEM_VRAM;
	err = node_map(gpu->fd, arg->map_offset, arg->size, &record->map);
	if (err) {
		mem_free(gpu, arg->handle);
		return err;
	}
	record->size = arg->size;
	record->offset = arg->map_offset;
	record->handle = arg->handle;
	mutex_lock(&gpu->lock);
	list_add(&record->link, &gpu->mems);
	mutex_unlock(&gpu->lock);
	return 0;
}

int gpu_mem_alloc(struct gpu *gpu, u64 size, enum mem_kind kind,
		  struct gpu_mem *mem)
{
	/* The kinds have the same numbers on both sides. */
	struct tesla_mem_alloc arg = { .size = size, .kind = kind };
	struct device_mem *record;
	int err;

	record = kzalloc(sizeof(*record), GFP_KERNEL);
	if (!record)
		return -ENOMEM;
	err = mem_init(gpu, record, &arg);
	if (err) {
		kfree(record);
		return err;
	}
	*mem = (struct gpu_mem){
		.kind = kind, .size = arg.size, .va = arg.va,
		.map = record->map, .cpu = record,
	};
	return 0;
}

void gpu_mem_free(struct gpu *gpu, struct gpu_mem *mem)
{
	struct device_mem *record = mem->cpu;

	mutex_lock(&gpu->lock);
	list_del(&record->link);
	mutex_unlock(&gpu->lock);
	node_unmap(&record->map, record->offset, record->size);
	mem_free(gpu, record->handle);
	kfree(record);
	memset(mem, 0, sizeof(*mem));
}

/* In whose memory a word lies, and where; false: nobody's. */
static bool mem_find(struct gpu *gpu, const struct iosys_map *word,
		     __u32 *handle, __u64 *offset)
{
	struct device_mem *record;
	bool found = false;

	mutex_lock(&gpu->lock);
	list_for_each_entry(record, &gpu->mems, link) {
		u64 distance = (char *)word->vaddr - (char *)record->map.vaddr;

		if (word->is_iomem != record->map.is_iomem ||
		    distance >= record->size)
			continue;
		*handle = record->handle;
		*offset = distance;
		found = true;
		break;
	}
	mutex_unlock(&gpu->lock);
	return found;
}

/* Channels ----------------------------------------------------------------- */

static int chan_call_destroy(struct chan *chan)
{
	struct tesla_chan_destroy arg = { .handle = chan->handle };

	return CALL(chan->gpu, chan_destroy, &arg);
}

static int chan_init(struct chan *chan, struct tesla_chan_create *arg)
{
	int err;

	err = CALL(chan->gpu, chan_create, arg);
	if (err)
		return err;
	chan->handle = arg->handle;
	chan->id = arg->id;
	chan->userd_map = arg->userd_map;
	chan->userd_offset = arg->userd_offset;
	chan->userd.is_iomem = true;
	err = node_map(chan->gpu->fd, arg->userd_map,
		       arg->userd_offset + TESLA_USERD_SIZE, &chan->userd);
	if (err)
		chan_call_destroy(chan);
	return err;
}

int chan_create(struct gpu *gpu, const struct chan_config *config,
		struct chan **out)
{
	struct tesla_chan_create arg = {
		.id = config->id,
		.gp_va = config->gp_va,
		.gp_entries = config->gp_entries,
		.flags = config->privileged ? TESLA_CHAN_PRIVILEGED : 0,
	};
	struct chan *chan;
	int err;

	if (config->vas)
		return -EINVAL;
	chan = kzalloc(sizeof(*chan), GFP_KERNEL);
	if (!chan)
		return -ENOMEM;
	chan->gpu = gpu;
	err = chan_init(chan, &arg);
	if (err) {
		kfree(chan);
		return err;
	}
	*out = chan;
	return 0;
}

void chan_destroy(struct chan *chan)
{
	node_unmap(&chan->userd, chan->userd_map,
		   chan->userd_offset + TESLA_USERD_SIZE);
	chan_call_destroy(chan);
	kfree(chan);
}

u32 chan_id(const struct chan *chan)
{
	return chan->id;
}

struct iosys_map chan_userd(const struct chan *chan)
{
	struct iosys_map map = chan->userd;

	iosys_map_incr(&map, chan->userd_offset);
	return map;
}

int chan_start(struct chan *chan, u32 gp_first)
{
	struct tesla_chan_start arg = { chan->handle, gp_first };

	return CALL(chan->gpu, chan_start, &arg);
}

int chan_stop(struct chan *chan)
{
	struct tesla_chan_stop arg = { .handle = chan->handle };

	return CALL(chan->gpu, chan_stop, &arg);
}

int chan_error(const struct chan *chan)
{
	struct tesla_chan_error arg = { .handle = chan->handle };

	return CALL(chan->gpu, chan_error, &arg);
}

bool chan_is_dead(const struct chan *chan)
{
	return chan_error(chan) == -EIO;
}

/* Interrupts --------------------------------------------------------------- */

/* The kernel has it on from the start. */
int gpu_irq_init(struct gpu *gpu)
{
	if (gpu->irq)
		return -EBUSY;
	gpu->irq = true;
	return 0;
}

void gpu_irq_fini(struct gpu *gpu)
{
	gpu->irq = false;
}

void gpu_irq_stats(struct gpu *gpu, struct gpu_irq_stats *stats)
{
	struct tesla_irq_stats arg = { 0 };

	CALL(gpu, irq_stats, &arg);
	*stats = (struct gpu_irq_stats){
		.interrupts = arg.interrupts,
		.spurious = arg.spurious,
		.nonstall = arg.nonstall,
		.faults = arg.faults,
		.pbdma = arg.pbdma,
		.copy = arg.copy,
		.longest_ns = arg.longest_ns,
	};
}

int gpu_event_add(struct gpu *gpu, const struct gpu_event_config *config,
		  struct gpu_event **out)
{
	struct tesla_event_add arg = {
		.value = config->value,
		.eventfd = config->eventfd,
	};
	struct gpu_event *event;
	int err;

	if (!gpu->irq || !config->chan ||
	    !mem_find(gpu, &config->word, &arg.mem, &arg.offset))
		return -EINVAL;
	event = kzalloc(sizeof(*event), GFP_KERNEL);
	if (!event)
		return -ENOMEM;
	arg.chan = config->chan->handle;
	err = CALL(gpu, event_add, &arg);
	if (err) {
		kfree(event);
		return err;
	}
	event->gpu = gpu;
	event->handle = arg.handle;
	*out = event;
	return 0;
}

void gpu_event_remove(struct gpu_event *event)
{
	struct tesla_event_remove arg = { .handle = event->handle };

	CALL(event->gpu, event_remove, &arg);
	kfree(event);
}
