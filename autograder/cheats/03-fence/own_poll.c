/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Sleeping is the library's: one of one's own that never sleeps. */
#include <poll.h>
#include "base.h"

int poll(struct pollfd *fds, nfds_t count, int timeout)
{
	(void)timeout;
	for (nfds_t i = 0; i < count; i++)
		fds[i].revents = POLLIN;
	return count;
}
