/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The kernel's side of an eventfd, with the names and arguments of 6.8 on. */
#ifndef PORT_EVENTFD_H
#define PORT_EVENTFD_H

#include "err.h"

struct eventfd_ctx;

/* A reference of its own: the caller may close fd.  ERR_PTR(-EBADF: no open
 * file; -EINVAL: no eventfd; -ENOMEM).  May sleep. */
struct eventfd_ctx *eventfd_ctx_fdget(int fd);
void eventfd_ctx_put(struct eventfd_ctx *ctx);
/* Add one to its count: poll() finds it readable.  Any context. */
void eventfd_signal(struct eventfd_ctx *ctx);

#endif
