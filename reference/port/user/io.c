/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * readl(), writel() and the copies to and from I/O memory.
 *
 * Each access finds its bus by address (bus.c) and becomes one call of the
 * bus.  The order that Linux promises is in io.h; here is only the access.
 *
 * Copies to a BAR go out as bursts, as a write-combining mapping would send
 * them: 64-byte lines, in order among themselves.  Their ragged ends, and
 * reads, are single accesses of the largest size that fits.
 */
#include "gpu_bus.h"

static struct gpu_bus *io_find(const volatile void __iomem *addr,
			       enum gpu_region *region, u64 *offset)
{
	struct gpu_bus *bus = gpu_bus_find(addr, region, offset);

	if (!bus)
		pr_err("I/O access to %p, which is no BAR\n",
		       (const void *)addr);
	return bus;
}

u64 port_io_read(const volatile void __iomem *addr, unsigned int size)
{
	enum gpu_region region;
	u64 offset;
	struct gpu_bus *bus = io_find(addr, &region, &offset);

	if (!bus)
		return ~0ULL;
	return bus->ops->read(bus, region, offset, size);
}

void port_io_write(volatile void __iomem *addr, unsigned int size, u64 value)
{
	enum gpu_region region;
	u64 offset;
	struct gpu_bus *bus = io_find(addr, &region, &offset);

	if (bus)
		bus->ops->write(bus, region, offset, size, value);
}

/* Bytes up to the next multiple of 4, but no more than len. */
static size_t head_bytes(u64 offset, size_t len)
{
	return min_t(size_t, -offset & 3, len);
}

void memcpy_toio(volatile void __iomem *to, const void *from, size_t len)
{
	const u8 *bytes = from;
	enum gpu_region region;
	u64 offset;
	struct gpu_bus *bus = io_find(to, &region, &offset);
	size_t head, body;

	if (!bus)
		return;

	head = head_bytes(offset, len);
	for (; head; head--, len--)
		bus->ops->write(bus, region, offset++, 1, *bytes++);

	body = ALIGN_DOWN(len, 4);
	if (body)
		bus->ops->write_burst(bus, region, offset, bytes, body);

	for (size_t i = body; i < len; i++)
		bus->ops->write(bus, region, offset + i, 1, bytes[i]);
}

void memset_io(volatile void __iomem *to, int value, size_t len)
{
	u8 chunk[512];

	memset(chunk, value, sizeof(chunk));
	while (len) {
		size_t part = min_t(size_t, len, sizeof(chunk));

		memcpy_toio(to, chunk, part);
		to = (volatile char *)to + part;
		len -= part;
	}
}

void memcpy_fromio(void *to, const volatile void __iomem *from, size_t len)
{
	u8 *bytes = to;
	enum gpu_region region;
	u64 offset;
	struct gpu_bus *bus = io_find(from, &region, &offset);
	size_t size;

	if (!bus) {
		memset(to, 0xff, len);
		return;
	}
	for (; len; bytes += size, offset += size, len -= size) {
		u64 value;

		size = len >= 4 && IS_ALIGNED(offset, 4) ? 4 : 1;
		value = bus->ops->read(bus, region, offset, size);
		memcpy(bytes, &value, size);
	}
}
