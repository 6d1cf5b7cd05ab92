/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Linux's own. */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "os.h"

static int os_open(const char *path, int flags)
{
	int fd = open(path, flags);

	return fd < 0 ? -errno : fd;
}

static int os_close(int fd)
{
	return close(fd) ? -errno : 0;
}

static int os_ioctl(int fd, unsigned long request, void *arg)
{
	int result = ioctl(fd, request, arg);

	return result < 0 ? -errno : result;
}

static int os_map(void *addr, size_t size, int prot, int flags, int fd,
		  off_t offset, void **at)
{
	*at = mmap(addr, size, prot, flags, fd, offset);
	return *at == MAP_FAILED ? -errno : 0;
}

const struct vfio_os vfio_os_linux = {
	.open = os_open,
	.close = os_close,
	.ioctl = os_ioctl,
	.map = os_map,
};
