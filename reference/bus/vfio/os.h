/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The system calls of bus/vfio, so that a test can stand in for Linux. */
#ifndef VFIO_OS_H
#define VFIO_OS_H

#include <stddef.h>
#include <sys/types.h>

/* As the calls of these names; -errno where they have -1 and errno. */
struct vfio_os {
	int (*open)(const char *path, int flags);
	int (*close)(int fd);
	int (*ioctl)(int fd, unsigned long request, void *arg);
	/* addr, or NULL: at any place; *at is where. */
	int (*map)(void *addr, size_t size, int prot, int flags, int fd,
		   off_t offset, void **at);
};

extern const struct vfio_os vfio_os_linux;

#endif
