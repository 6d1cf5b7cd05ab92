/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Which DMA addresses lead where.
 *
 * QEMU maps the guest's memory in a few large pieces, and page by page when
 * the guest has an IOMMU: tens of thousands of maps, all of one file.  So the
 * maps are a sorted array that is searched by halves, and a file is mapped
 * once, whole, however many maps lead into it: the kernel would not give a
 * process that many mappings.  Files are known by device and inode, which
 * stay theirs as long as they are mapped.
 */
#include <errno.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "vm/server/maps.h"

/* A page fault on such a file waits for a stranger. */
#define FUSE_MAGIC	0x65735546

struct map_file {
	struct map_file *next;
	uint32_t users;
	dev_t dev;
	ino_t ino;
	bool writable;
	uint8_t *data;
	uint64_t size;
};

void maps_init(struct maps *maps)
{
	*maps = (struct maps){ 0 };
}

static void file_put(struct maps *maps, struct map_file *file)
{
	struct map_file **link = &maps->files;

	if (!file || --file->users)
		return;
	while (*link != file)
		link = &(*link)->next;
	*link = file->next;
	maps->files_count--;
	munmap(file->data, file->size);
	free(file);
}

static struct map_file *file_known(struct maps *maps,
				      const struct stat *st, bool writable,
				      uint64_t end)
{
	struct map_file *file;

	for (file = maps->files; file; file = file->next) {
		if (file->dev == st->st_dev && file->ino == st->st_ino &&
		    file->writable >= writable && file->size >= end)
			return file;
	}
	return NULL;
}

static int file_new(struct maps *maps, int fd, const struct stat *st,
		    bool writable, struct map_file **out)
{
	int protection = PROT_READ | (writable ? PROT_WRITE : 0);
	struct map_file *file;
	void *data;

	if (maps->files_count == MAPS_FILES)
		return -ENOSPC;
	file = malloc(sizeof(*file));
	if (!file)
		return -ENOMEM;
	data = mmap(NULL, st->st_size, protection, MAP_SHARED | MAP_NORESERVE,
		    fd, 0);
	if (data == MAP_FAILED) {
		int err = errno == ENOMEM ? -ENOMEM : -EINVAL;

		free(file);
		return err;
	}
	*file = (struct map_file){
		.next = maps->files, .dev = st->st_dev,
		.ino = st->st_ino, .writable = writable, .data = data,
		.size = st->st_size,
	};
	maps->files = file;
	maps->files_count++;
	*out = file;
	return 0;
}

/* The file behind a descriptor; one use of it more. */
static int file_get(struct maps *maps, int fd, bool writable,
		    uint64_t offset, uint64_t size, struct map_file **out)
{
	struct statfs fs;
	struct stat st;
	int err = 0;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || fstatfs(fd, &fs) ||
	    fs.f_type == FUSE_MAGIC || fs.f_type == NFS_SUPER_MAGIC)
		return -EINVAL;
	if (st.st_size <= 0 || offset > (uint64_t)st.st_size ||
	    size > (uint64_t)st.st_size - offset)
		return -EINVAL;
	*out = file_known(maps, &st, writable, offset + size);
	if (!*out)
		err = file_new(maps, fd, &st, writable, out);
	if (!err)
		(*out)->users++;
	return err;
}

void maps_fini(struct maps *maps)
{
	for (uint32_t i = 0; i < maps->count; i++)
		file_put(maps, maps->map[i].file);
	free(maps->map);
	maps_init(maps);
}

static uint64_t last_of(const struct map *map)
{
	return map->address + (map->size - 1);
}

/* The first map that does not end before the address. */
static uint32_t position(const struct maps *maps, uint64_t address)
{
	uint32_t low = 0, high = maps->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (last_of(&maps->map[middle]) < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int make_room(struct maps *maps)
{
	uint32_t room = maps->room ? 2 * maps->room : 16;
	struct map *map;

	if (maps->count == MAPS_MAX)
		return -ENOSPC;
	if (maps->count < maps->room)
		return 0;
	map = realloc(maps->map, room * sizeof(*map));
	if (!map)
		return -ENOMEM;
	maps->map = map;
	maps->room = room;
	return 0;
}

/* How much can be reached in which way. */
static void account(struct maps *maps, const struct map *map, uint64_t size)
{
	if (map->readable && map->writable)
		*(map->data ? &maps->shared : &maps->asked) += size;
}

int maps_add(struct maps *maps, const struct map *range, int fd,
	     uint64_t offset)
{
	struct map map = *range;
	uint32_t at;
	int err;

	map.file = NULL;
	map.data = NULL;
	if (!map.size || map.size - 1 > UINT64_MAX - map.address)
		return -EINVAL;
	at = position(maps, map.address);
	if (at < maps->count && maps->map[at].address <= last_of(&map))
		return -EEXIST;
	err = make_room(maps);
	if (err)
		return err;
	if (fd >= 0) {
		err = file_get(maps, fd, map.writable, offset, map.size,
			       &map.file);
		if (err)
			return err;
		map.data = map.file->data + offset;
	}
	memmove(&maps->map[at + 1], &maps->map[at],
		(maps->count - at) * sizeof(map));
	maps->map[at] = map;
	maps->count++;
	account(maps, &map, map.size);
	return 0;
}

int maps_remove(struct maps *maps, uint64_t address, uint64_t size)
{
	uint32_t first, end, i;
	uint64_t last;

	if (!size || size - 1 > UINT64_MAX - address)
		return -EINVAL;
	last = address + (size - 1);
	first = position(maps, address);
	for (end = first; end < maps->count &&
	     maps->map[end].address <= last; end++) {
		if (maps->map[end].address < address ||
		    last_of(&maps->map[end]) > last)
			return -EINVAL;
	}
	for (i = first; i < end; i++) {
		account(maps, &maps->map[i], -maps->map[i].size);
		file_put(maps, maps->map[i].file);
	}
	if (end > first)
		memmove(&maps->map[first], &maps->map[end],
			(maps->count - end) * sizeof(*maps->map));
	maps->count -= end - first;
	return end - first;
}

const struct map *maps_find(struct maps *maps, uint64_t address,
			    uint64_t *left)
{
	uint32_t at = maps->last;
	const struct map *map;

	if (at >= maps->count || address < maps->map[at].address ||
	    address > last_of(&maps->map[at]))
		at = position(maps, address);
	if (at == maps->count || maps->map[at].address > address)
		return NULL;
	maps->last = at;
	map = &maps->map[at];
	*left = map->size - (address - map->address);
	return map;
}
