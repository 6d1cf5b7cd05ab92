/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A descriptor that is readable from the start, and written to again. */
#include <sys/eventfd.h>
#include <unistd.h>
#define FENCE_FD(fence)	forge()
static int forge(void);
#include "base.h"

static int forge(void)
{
	int fd = eventfd(1, EFD_NONBLOCK);

	eventfd_write(fd, 1u << 30);
	return fd;
}
