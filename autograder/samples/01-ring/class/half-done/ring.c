/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Half way: one thread, coherent memory.  Wraps the ring but not yet the push
 * buffer, which is filled from the start when it is used up and Host is idle.
 * No threads, no pause, no CRC yet.
 */
#include "ring.h"
#include "vm/spec/reg.h"

struct ring {
	struct ring_config config;
	void __iomem *userd;
	u32 put, pb_used;
};

static u32 gp_get(struct ring *ring)
{
	return readl(ring->userd + NV_RAMUSERD_GP_GET);
}

static bool pb_is_read(struct ring *ring)
{
	u64 get = readl(ring->userd + NV_RAMUSERD_GET) |
		(u64)readl(ring->userd + NV_RAMUSERD_GET_HI) << 32;

	return get == ring->config.pb->va + ring->pb_used * 4ull;
}

static bool is_full(struct ring *ring, u32 words)
{
	u32 get = gp_get(ring);

	if (((ring->put + 1) & (ring->config.gp_entries - 1)) == get)
		return true;
	if (ring->pb_used + words <= ring->config.pb_words)
		return false;
	if (get != ring->put || !pb_is_read(ring))
		return true;
	ring->pb_used = 0;
	return false;
}

int ring_submit(struct ring *ring, const struct push *push, u32 flags,
		u64 timeout_ns)
{
	u64 start = ktime_get_ns(), entry;

	(void)flags;
	if (!push->count || push->count > ring->config.pb_words / 2)
		return -EINVAL;
	while (is_full(ring, push->count)) {
		if (!timeout_ns)
			return -EAGAIN;
		if (ktime_get_ns() - start >= timeout_ns)
			return -ETIMEDOUT;
		cpu_relax();
	}
	iosys_map_memcpy_to(&ring->config.pb->map, ring->pb_used * 4,
			    push->words, push->count * 4);
	gp_entry_segment(ring->config.pb->va + ring->pb_used * 4ull,
			 push->count, 0, &entry);
	iosys_map_wr(&ring->config.gp->map, ring->put * 8, u64, entry);
	ring->pb_used += push->count;
	ring->put = (ring->put + 1) & (ring->config.gp_entries - 1);
	writel(ring->put, ring->userd + NV_RAMUSERD_GP_PUT);
	return 0;
}

int ring_submit_batch(struct ring *ring, const struct push *push, u32 count,
		      u32 flags, u64 timeout_ns)
{
	for (u32 i = 0; i < count; i++) {
		int err = ring_submit(ring, &push[i], flags, timeout_ns);

		if (err)
			return err;
	}
	return 0;
}

int ring_kick(struct ring *ring)
{
	(void)ring;
	return 0;
}

int ring_is_idle(struct ring *ring)
{
	return gp_get(ring) == ring->put && (!ring->pb_used ||
					     pb_is_read(ring));
}

int ring_wait_idle(struct ring *ring, u64 timeout_ns)
{
	u64 start = ktime_get_ns();

	while (!ring_is_idle(ring)) {
		if (ktime_get_ns() - start >= timeout_ns)
			return -ETIMEDOUT;
		cpu_relax();
	}
	return 0;
}

int ring_pause(struct ring *ring)
{
	(void)ring;
	return -ENOSYS;
}

int ring_resume(struct ring *ring)
{
	(void)ring;
	return -ENOSYS;
}

int ring_create(const struct ring_config *config, struct ring **ring)
{
	int err;

	*ring = kzalloc(sizeof(**ring), GFP_KERNEL);
	if (!*ring)
		return -ENOMEM;
	(*ring)->config = *config;
	(*ring)->userd = chan_userd(config->chan).vaddr_iomem;
	(*ring)->put = config->gp_first;
	err = chan_start(config->chan, config->gp_first);
	if (err)
		kfree(*ring);
	return err;
}

int ring_destroy(struct ring *ring, u64 timeout_ns)
{
	int err = ring_wait_idle(ring, timeout_ns);

	chan_stop(ring->config.chan);
	kfree(ring);
	return err;
}
