/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * An eventfd that the driver writes and user mode polls.
 *
 * In a process the driver's reference is a duplicate of the descriptor: user
 * mode may close its own at any time, and the number may come to mean another
 * file, while this one stays what it was.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "port.h"

struct eventfd_ctx {
	int fd;
};

/* An eventfd is a file of no type.  A pipe, say, would take eight bytes and,
 * when it is full, keep the interrupt's thread. */
static bool may_be_eventfd(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && !(st.st_mode & S_IFMT);
}

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
	if (!may_be_eventfd(ctx->fd)) {
		eventfd_ctx_put(ctx);
		return ERR_PTR(-EINVAL);
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
