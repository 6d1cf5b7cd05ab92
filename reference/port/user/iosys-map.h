/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Memory that may be RAM or a BAR, and the code that uses it need not know
 * which: Linux's struct iosys_map.
 *
 * On I/O memory iosys_map_rd() and iosys_map_wr() are readl() and writel()
 * of the right size; on RAM they are READ_ONCE() and WRITE_ONCE().
 */
#ifndef PORT_IOSYS_MAP_H
#define PORT_IOSYS_MAP_H

#include <string.h>

#include "compiler.h"
#include "io.h"

struct iosys_map {
	union {
		void __iomem *vaddr_iomem;
		void *vaddr;
	};
	bool is_iomem;
};

#define IOSYS_MAP_INIT_VADDR(vaddr_) \
	{ .vaddr = (vaddr_), .is_iomem = false }
#define IOSYS_MAP_INIT_VADDR_IOMEM(vaddr_) \
	{ .vaddr_iomem = (vaddr_), .is_iomem = true }

static inline void iosys_map_set_vaddr(struct iosys_map *map, void *vaddr)
{
	map->vaddr = vaddr;
	map->is_iomem = false;
}

static inline void iosys_map_set_vaddr_iomem(struct iosys_map *map,
					     void __iomem *vaddr)
{
	map->vaddr_iomem = vaddr;
	map->is_iomem = true;
}

static inline bool iosys_map_is_null(const struct iosys_map *map)
{
	return map->is_iomem ? !map->vaddr_iomem : !map->vaddr;
}

static inline bool iosys_map_is_set(const struct iosys_map *map)
{
	return !iosys_map_is_null(map);
}

static inline bool iosys_map_is_equal(const struct iosys_map *a,
				      const struct iosys_map *b)
{
	return a->is_iomem == b->is_iomem && a->vaddr == b->vaddr;
}

static inline void iosys_map_clear(struct iosys_map *map)
{
	memset(map, 0, sizeof(*map));
}

static inline void iosys_map_incr(struct iosys_map *map, size_t by)
{
	map->vaddr = (char *)map->vaddr + by;
}

static inline void *iosys_map_at(const struct iosys_map *map, size_t offset)
{
	return (char *)map->vaddr + offset;
}

static inline void iosys_map_memcpy_to(struct iosys_map *map, size_t offset,
				       const void *from, size_t len)
{
	if (map->is_iomem)
		memcpy_toio(iosys_map_at(map, offset), from, len);
	else
		memcpy(iosys_map_at(map, offset), from, len);
}

static inline void iosys_map_memcpy_from(void *to, const struct iosys_map *map,
					 size_t offset, size_t len)
{
	if (map->is_iomem)
		memcpy_fromio(to, iosys_map_at(map, offset), len);
	else
		memcpy(to, iosys_map_at(map, offset), len);
}

static inline void iosys_map_memset(struct iosys_map *map, size_t offset,
				    int value, size_t len)
{
	if (map->is_iomem)
		memset_io(iosys_map_at(map, offset), value, len);
	else
		memset(iosys_map_at(map, offset), value, len);
}

static inline u64 iosys_map_rd_io(const void __iomem *addr, size_t size)
{
	u64 value = port_io_read(addr, size);

	dma_rmb();
	return value;
}

static inline void iosys_map_wr_io(void __iomem *addr, size_t size, u64 value)
{
	dma_wmb();
	port_io_write(addr, size, value);
}

/* type is an unsigned integer of 1, 2, 4 or 8 bytes. */
#define iosys_map_rd(map, offset, type) ({				\
	const struct iosys_map *rd_map_ = (map);			\
	void *rd_at_ = iosys_map_at(rd_map_, offset);			\
	rd_map_->is_iomem ?						\
		(type)iosys_map_rd_io(rd_at_, sizeof(type)) :		\
		READ_ONCE(*(type *)rd_at_); })

#define iosys_map_wr(map, offset, type, value) ({			\
	struct iosys_map *wr_map_ = (map);				\
	void *wr_at_ = iosys_map_at(wr_map_, offset);			\
	type wr_value_ = (value);					\
	if (wr_map_->is_iomem)						\
		iosys_map_wr_io(wr_at_, sizeof(type), wr_value_);	\
	else								\
		WRITE_ONCE(*(type *)wr_at_, wr_value_); })

#endif
