/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * readl(), writel() and the copies where BARs are mapped memory.
 *
 * An __iomem pointer is the place itself, and an access one instruction of the
 * size that was asked for.  Only configuration space has no memory: its
 * pointers are names, as on the other links, and become calls of the bus.
 * Whether one is, a comparison tells for each open bus; user mode over a
 * kernel's driver has none open.
 *
 * Copies are stores of eight bytes where alignment and length allow: libc's
 * memcpy() may read twice, store in any order and with any instruction, and
 * what stands behind the memory need not understand all of them.
 *
 * A card that is lost reads all ones, and its mapping may be gone: lost.c.
 */
#include "gpu_bus.h"
#include "access.h"

/* The bus, for a pointer into configuration space; NULL for memory. */
static struct gpu_bus *config_find(const volatile void __iomem *addr,
				   u64 *offset)
{
	enum gpu_region region;
	struct gpu_bus *bus = gpu_bus_find(addr, &region, offset);

	return bus && region == GPU_CONFIG ? bus : NULL;
}

static u64 load(const volatile void __iomem *addr, unsigned int size)
{
	switch (size) {
	case 1:
		return native_load_u8(addr);
	case 2:
		return native_load_u16(addr);
	case 4:
		return native_load_u32(addr);
	default:
		return native_load_u64(addr);
	}
}

static void store(volatile void __iomem *addr, unsigned int size, u64 value)
{
	switch (size) {
	case 1:
		native_store_u8(addr, value);
		break;
	case 2:
		native_store_u16(addr, value);
		break;
	case 4:
		native_store_u32(addr, value);
		break;
	default:
		native_store_u64(addr, value);
	}
}

u64 port_io_read(const volatile void __iomem *addr, unsigned int size)
{
	u64 offset;
	struct gpu_bus *bus = config_find(addr, &offset);

	if (unlikely(bus))
		return bus->ops->read(bus, GPU_CONFIG, offset, size);
	return load(addr, size);
}

void port_io_write(volatile void __iomem *addr, unsigned int size, u64 value)
{
	u64 offset;
	struct gpu_bus *bus = config_find(addr, &offset);

	if (unlikely(bus))
		bus->ops->write(bus, GPU_CONFIG, offset, size, value);
	else
		store(addr, size, value);
}

/* The largest access at this address that is not longer than len. */
static unsigned int step(const volatile void __iomem *addr, size_t len)
{
	unsigned int size = 8;

	while (size > len || !IS_ALIGNED((uintptr_t)addr, size))
		size /= 2;
	return size;
}

void memcpy_toio(volatile void __iomem *to, const void *from, size_t len)
{
	volatile char __iomem *at = to;
	const char *bytes = from;
	unsigned int size;

	for (; len; at += size, bytes += size, len -= size) {
		u64 value = 0;

		size = step(at, len);
		memcpy(&value, bytes, size);
		store(at, size, value);
	}
}

void memset_io(volatile void __iomem *to, int value, size_t len)
{
	u64 pattern = 0x0101010101010101ULL * (u8)value;
	volatile char __iomem *at = to;
	unsigned int size;

	for (; len; at += size, len -= size) {
		size = step(at, len);
		store(at, size, pattern);
	}
}

void memcpy_fromio(void *to, const volatile void __iomem *from, size_t len)
{
	const volatile char __iomem *at = from;
	char *bytes = to;
	unsigned int size;

	for (; len; at += size, bytes += size, len -= size) {
		u64 value;

		size = step(at, len);
		value = load(at, size);
		memcpy(bytes, &value, size);
	}
}
