/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The socket that clients come to.
 *
 * Whoever may connect may make the card read and write what it shares, so
 * the socket is its owner's alone.  A server that was killed leaves its
 * socket behind: if nobody answers there, it is replaced, and only if it is
 * a socket.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "vm/server/listen.h"

static int make_address(struct sockaddr_un *address, const char *path)
{
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof(address->sun_path))
		return -ENAMETOOLONG;
	strcpy(address->sun_path, path);
	return 0;
}

/* Remove a socket at which nobody listens. */
static int remove_dead(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			0);
	struct stat st;
	int dead;

	if (fd < 0)
		return -errno;
	dead = connect(fd, (const struct sockaddr *)address,
		       sizeof(*address)) && errno == ECONNREFUSED;
	close(fd);
	if (!dead || lstat(address->sun_path, &st) || !S_ISSOCK(st.st_mode))
		return -EADDRINUSE;
	return unlink(address->sun_path) ? -errno : 0;
}

static int bind_private(int fd, const struct sockaddr_un *address)
{
	mode_t old = umask(0077);
	int err = bind(fd, (const struct sockaddr *)address,
		       sizeof(*address)) ? -errno : 0;

	umask(old);
	return err;
}

int listen_open(const char *path)
{
	struct sockaddr_un address;
	int err = make_address(&address, path);
	int fd;

	if (err)
		return err;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	err = bind_private(fd, &address);
	if (err == -EADDRINUSE) {
		err = remove_dead(&address);
		if (!err)
			err = bind_private(fd, &address);
	}
	if (!err && listen(fd, 4))
		err = -errno;
	if (!err)
		return fd;
	close(fd);
	return err;
}

void listen_close(int fd, const char *path)
{
	unlink(path);
	close(fd);
}

int listen_accept(int fd)
{
	int client = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	return client < 0 ? -errno : client;
}
