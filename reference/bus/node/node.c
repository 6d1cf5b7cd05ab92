/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The card's node where the driver is a module of Linux: open(), ioctl() and
 * mmap() of /dev/tesla0.
 *
 * A bus is here a path, and no more than that.  User mode has no registers:
 * what it asks of the card are the calls of the table, and what it may touch
 * itself the kernel maps for it.  So accesses by the bus's own operations find
 * no card; time is the host's.
 *
 * What is mapped may be the card's memory, and go with it (native/lost.c).
 */
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "node.h"
#include "uapi/tesla.h"
#include "reference/port/user/native/lost.h"

struct node_bus {
	struct gpu_bus bus;
	char *path;
};

static struct node_bus *to_node(struct gpu_bus *bus)
{
	return container_of(bus, struct node_bus, bus);
}

/* The bus ------------------------------------------------------------------ */

static u64 no_read(struct gpu_bus *bus, enum gpu_region region, u64 offset,
		   unsigned int size)
{
	(void)bus;
	(void)region;
	(void)offset;
	(void)size;
	return ~0ULL;
}

static void no_write(struct gpu_bus *bus, enum gpu_region region, u64 offset,
		     unsigned int size, u64 value)
{
	(void)bus;
	(void)region;
	(void)offset;
	(void)size;
	(void)value;
}

static void no_burst(struct gpu_bus *bus, enum gpu_region region, u64 offset,
		     const void *data, size_t len)
{
	(void)bus;
	(void)region;
	(void)offset;
	(void)data;
	(void)len;
}

static int no_dma(struct gpu_bus *bus, size_t size, enum dma_kind kind,
		  void **cpu, u64 *dma)
{
	(void)bus;
	(void)size;
	(void)kind;
	(void)cpu;
	(void)dma;
	return -ENOMEM;
}

static void no_dma_free(struct gpu_bus *bus, size_t size, void *cpu, u64 dma)
{
	(void)bus;
	(void)size;
	(void)cpu;
	(void)dma;
}

static u64 host_now(struct gpu_bus *bus)
{
	struct timespec now;

	(void)bus;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * NSEC_PER_SEC + (u64)now.tv_nsec;
}

static void host_relax(struct gpu_bus *bus)
{
	(void)bus;
	sched_yield();
}

static void host_sleep(struct gpu_bus *bus, u64 ns)
{
	struct timespec time = { ns / NSEC_PER_SEC, ns % NSEC_PER_SEC };

	(void)bus;
	while (nanosleep(&time, &time) && errno == EINTR)
		;
}

static void node_bus_close(struct gpu_bus *bus)
{
	struct node_bus *node = to_node(bus);

	free(node->path);
	free(node);
}

static const struct gpu_bus_ops node_ops = {
	.read = no_read,
	.write = no_write,
	.write_burst = no_burst,
	.dma_alloc = no_dma,
	.dma_free = no_dma_free,
	.now = host_now,
	.relax = host_relax,
	.sleep = host_sleep,
	.close = node_bus_close,
};

int bus_node_open(const char *path, struct gpu_bus **out)
{
	struct node_bus *node = calloc(1, sizeof(*node));

	if (!node)
		return -ENOMEM;
	node->path = strdup(path);
	if (!node->path) {
		free(node);
		return -ENOMEM;
	}
	node->bus.ops = &node_ops;
	node->bus.name = node->path;
	*out = &node->bus;
	return 0;
}

/* The node ----------------------------------------------------------------- */

int node_open(struct gpu_bus *bus)
{
	int fd;

	if (bus->ops != &node_ops)
		return -EINVAL;
	fd = open(to_node(bus)->path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int node_close(int fd)
{
	return close(fd) ? -errno : 0;
}

/* Which way a call's argument goes; what is not in the table goes both. */
static unsigned int call_way(u32 number)
{
	enum { IN = _IOC_WRITE, INOUT = _IOC_READ | _IOC_WRITE };
	static const unsigned char ways[] = {
#define CALL(number, name, way, text)	[number] = (way),
#define CALL_ERROR(name, error, text)
#include "uapi/calls.def"
#undef CALL
#undef CALL_ERROR
	};

	return number < ARRAY_SIZE(ways) && ways[number] ? ways[number] :
		INOUT;
}

long node_call(int fd, u32 number, void *arg, size_t size)
{
	if (number > _IOC_NRMASK)
		return -ENOTTY;
	if (size > TESLA_ARG_MAX)
		return -E2BIG;
	if (ioctl(fd, _IOC(call_way(number), 'T', number, size), arg) < 0)
		return -errno;
	return 0;
}

int node_map(int fd, u64 offset, u64 size, struct iosys_map *map)
{
	void *at;

	if (size > SIZE_MAX || offset > (u64)INT64_MAX ||
	    (u64)(off_t)offset != offset)
		return -EINVAL;
	at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
	if (at == MAP_FAILED)
		return -errno;
	if (lost_guard(at, size)) {
		munmap(at, size);
		return -ENOMEM;
	}
	map->vaddr = at;
	return 0;
}

void node_unmap(const struct iosys_map *map, u64 offset, u64 size)
{
	(void)offset;
	if (!map->vaddr)
		return;
	lost_release(map->vaddr);
	munmap(map->vaddr, size);
}
