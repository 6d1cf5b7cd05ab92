/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The socket that clients come to. */
#ifndef SERVER_LISTEN_H
#define SERVER_LISTEN_H

/*
 * A listening socket at a path; what a dead server left there is replaced.
 * The descriptor, or -EADDRINUSE where somebody listens, -ENAMETOOLONG,
 * -errno.
 */
int listen_open(const char *path);
/* Closed, and gone from the path. */
void listen_close(int fd, const char *path);
/* Who has come, or -errno. */
int listen_accept(int fd);

#endif
