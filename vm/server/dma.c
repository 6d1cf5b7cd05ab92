/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The card as a bus master: its reads and writes of the client's memory.
 *
 * Where the client shares memory by a descriptor, a transfer is a copy.  One
 * transfer may cross many maps, page by page under an IOMMU.  Where nothing
 * is mapped, or not for this purpose, the card gets -EFAULT, and does what
 * its manual says of a DMA that finds nobody [§4.1].
 *
 * Memory without a descriptor is reached by messages, inside a try (trial.c).
 * To try every event of a card costs time, so it is done where the client's
 * memory is without descriptors for the most part: a guest whose memory is
 * not shared.  A guest whose memory is shared has such maps too (frame
 * buffers, other cards' BARs); a card that goes there is refused once, and
 * its events are tried from then on.
 */
#include <errno.h>

#include "vm/server/guard.h"
#include "vm/server/server.h"

static int refuse(struct server *s)
{
	s->report.dma_refused++;
	return -EFAULT;
}

static int by_messages(struct server *s, bool write, uint64_t address,
		       uint8_t *buf, size_t size)
{
	if (s->trial.on)
		return trial_transfer(s, write, address, buf, size);
	/* an access that waits for its answer; or the first time */
	if (!s->was_refused)
		server_log(s, "DMA to memory that is not shared, 0x%llx: "
			   "from here on by messages",
			   (unsigned long long)address);
	s->was_refused = s->by_messages = true;
	return refuse(s);
}

static int transfer(struct server *s, bool write, uint64_t address,
		    uint8_t *buf, size_t size)
{
	while (size) {
		const struct map *map;
		uint64_t left;
		size_t part;
		int err;

		map = maps_find(&s->maps, address, &left);
		if (!map || !(write ? map->writable : map->readable))
			return refuse(s);
		part = left < size ? left : size;
		if (!map->data)
			err = by_messages(s, write, address, buf, part);
		else if (write)
			err = guard_copy_to(map->data +
					    (address - map->address),
					    buf, part);
		else
			err = guard_copy_from(buf, map->data +
					      (address - map->address),
					      part);
		if (err)
			return err;
		address += part;
		buf += part;
		size -= part;
	}
	return 0;
}

int dma_read(void *server, enum card_dma_why why, uint64_t address, void *buf,
	     size_t size)
{
	struct server *s = server;

	(void)why;
	s->report.dma_reads++;
	return transfer(s, false, address, buf, size);
}

int dma_write(void *server, enum card_dma_why why, uint64_t address,
	      const void *buf, size_t size)
{
	struct server *s = server;

	(void)why;
	s->report.dma_writes++;
	/* a write only reads from buf */
	return transfer(s, true, address, (uint8_t *)(uintptr_t)buf, size);
}

void dma_maps_changed(struct server *s)
{
	s->by_messages = s->was_refused || s->maps.asked > s->maps.shared;
}
