/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Access to what lies behind a BAR, with Linux's order [§4.3].
 *
 * writel() makes earlier stores to coherent memory visible to the device
 * before its own write arrives; writel_relaxed() does not.  readl() completes
 * before later loads.  All of them stay in order among themselves on one
 * device.
 */
#ifndef PORT_IO_H
#define PORT_IO_H

#include "types.h"
#include "barrier.h"

/* The bus, found by address: port.c.  A pointer into no BAR reads as all
 * ones, and a write to it is dropped; both are logged. */
u64 port_io_read(const volatile void __iomem *addr, unsigned int size);
void port_io_write(volatile void __iomem *addr, unsigned int size, u64 value);

/* Any length, any alignment.  To the device they are bursts, without order
 * against other stores: follow them with wmb(). */
void memcpy_toio(volatile void __iomem *to, const void *from, size_t len);
void memcpy_fromio(void *to, const volatile void __iomem *from, size_t len);
void memset_io(volatile void __iomem *to, int value, size_t len);

#define PORT_IO(type, letter)						\
static inline type							\
read##letter##_relaxed(const volatile void __iomem *addr)		\
{									\
	return (type)port_io_read(addr, sizeof(type));			\
}									\
									\
static inline type read##letter(const volatile void __iomem *addr)	\
{									\
	type value = read##letter##_relaxed(addr);			\
									\
	dma_rmb();							\
	return value;							\
}									\
									\
static inline void							\
write##letter##_relaxed(type value, volatile void __iomem *addr)	\
{									\
	port_io_write(addr, sizeof(type), value);			\
}									\
									\
static inline void							\
write##letter(type value, volatile void __iomem *addr)			\
{									\
	dma_wmb();							\
	write##letter##_relaxed(value, addr);				\
}

PORT_IO(u8, b)
PORT_IO(u16, w)
PORT_IO(u32, l)
PORT_IO(u64, q)
#undef PORT_IO

#define ioread8(addr)		readb(addr)
#define ioread16(addr)		readw(addr)
#define ioread32(addr)		readl(addr)
#define ioread64(addr)		readq(addr)
#define iowrite8(v, addr)	writeb(v, addr)
#define iowrite16(v, addr)	writew(v, addr)
#define iowrite32(v, addr)	writel(v, addr)
#define iowrite64(v, addr)	writeq(v, addr)

#endif
