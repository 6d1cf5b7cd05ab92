/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * User mode's way to the kernel half: open(), ioctl() and mmap() of the
 * card's node.  In a process they are functions of port/user, on behalf of
 * the process that the calling thread is in (process.h); over a module,
 * bus/node, they are the system calls.
 *
 * All return -EBADF for a descriptor that is not open, and -ESRCH in a
 * process that has ended.
 */
#ifndef NODE_H
#define NODE_H

#include "gpu_bus.h"

/* A descriptor, or -errno: what bringing up the card says. */
int node_open(struct gpu_bus *bus);
int node_close(int fd);
/* A call of uapi/calls.def. */
long node_call(int fd, u32 number, void *arg, size_t size);
/*
 * The descriptor may be closed before node_unmap(), which wants to know what
 * node_map() was told.  map->is_iomem is what the caller believes, who asked
 * for the memory: where an address is all that the system tells, it stays.
 */
int node_map(int fd, u64 offset, u64 size, struct iosys_map *map);
void node_unmap(const struct iosys_map *map, u64 offset, u64 size);

#endif
