/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The memory that a client shares: which DMA addresses lead where.
 *
 * A map covers a range of addresses.  With a descriptor it is memory of ours
 * too; without, its owner has to be asked by messages.  Maps do not overlap.
 */
#ifndef SERVER_MAPS_H
#define SERVER_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	MAPS_MAX = 65535,	/* at a time: the protocol's default	*/
	MAPS_FILES = 256,	/* different files behind them		*/
};

struct map_file;

struct map {
	uint64_t address, size;
	bool readable, writable;
	uint8_t *data;			/* NULL: ask by messages	*/
	struct map_file *file;
};

struct maps {
	struct map *map;		/* sorted by address		*/
	uint32_t count, room;
	uint32_t last;			/* where the last search ended	*/
	struct map_file *files;
	uint32_t files_count;
	/* bytes that can be read and written: with a descriptor, without */
	uint64_t shared, asked;
};

void maps_init(struct maps *maps);
/* Every map goes. */
void maps_fini(struct maps *maps);

/*
 * Add a range.  fd is a file of memory, or -1; it stays the caller's.
 * 0; -EINVAL for a range that wraps, or is empty, a descriptor that is no
 * such file or too short for it; -EEXIST where another map is; -ENOSPC;
 * -ENOMEM.  Nothing changes on failure.
 */
int maps_add(struct maps *maps, const struct map *range, int fd,
	     uint64_t offset);
/*
 * Take away every map inside a range; how many.  -EINVAL, and nothing
 * changes, where one is only partly inside.
 */
int maps_remove(struct maps *maps, uint64_t address, uint64_t size);

/*
 * The map at an address, or NULL; *left is how many bytes of it follow.
 */
const struct map *maps_find(struct maps *maps, uint64_t address,
			    uint64_t *left);

#endif
