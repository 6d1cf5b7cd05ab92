/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * An eventfd that the driver writes and user mode polls.
 *
 * In a process the driver's reference is a duplicate of the descriptor: user
 * mode may close its own at any time, and the number may come to mean another
 * file, while this one stays what it was.
 */
#include <unistd.h>

#include "port.h"

struct eventfd_ctx {
	int fd;
};

struct eventfd_ctx *eventfd_ctx_fdget(int fd)
{
	struct eventfd_ctx *ctx = kzalloc(sizeof(*ctx), GFP_KERNEL);

	if (!ctx)
		return ERR_PTR(-ENOMEM);
	ctx->fd = dup(fd);
	if (ctx->fd < 0) {
		kfree(ctx);
		return ERR_PTR(errno == EBADF ? -EBADF : -ENOMEM);
	}
	return ctx;
}

void eventfd_ctx_put(struct eventfd_ctx *ctx)
{
	close(ctx->fd);
	kfree(ctx);
}

void eventfd_signal(struct eventfd_ctx *ctx)
{
	u64 one = 1;

	/* It fails only at 2^64 - 2, and then it is readable anyway. */
	if (write(ctx->fd, &one, sizeof(one)) != sizeof(one))
		pr_err("eventfd: write: %d\n", errno);
}
