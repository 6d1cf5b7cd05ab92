/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Whole messages from and to one client.
 *
 * The first read of a message takes a little more than its head, since most
 * messages are short: then one call brings it whole.  What it brings of the
 * next is kept for that.  The kernel ends a read after the bytes to which
 * descriptors were attached, so these belong to the last message that a read
 * began.
 *
 * More descriptors than a message may have are closed, here or by the kernel
 * (MSG_CTRUNC), and the connection ends.  A reply leaves in one call: QEMU
 * takes a head that comes in pieces for an error.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "vm/server/clock.h"
#include "vm/server/connection.h"

void connection_open(struct connection *c, int fd)
{
	c->fd = fd;
	c->in.have = c->ahead_size = 0;
	c->in.fds = c->ahead_fds = 0;
	c->drained = false;
	c->since = 0;
	c->next_id = 0;
	c->why = "";
}

static void fds_close(const int *fd, unsigned int fds)
{
	while (fds)
		close(fd[--fds]);
}

void inbox_empty(struct inbox *in)
{
	fds_close(in->fd, in->fds);
	in->fds = 0;
	in->have = 0;
}

int inbox_take_fd(struct inbox *in)
{
	int fd;

	if (!in->fds)
		return -1;
	fd = in->fd[0];
	in->fds--;
	memmove(in->fd, in->fd + 1, in->fds * sizeof(fd));
	return fd;
}

void connection_close(struct connection *c)
{
	if (c->fd < 0)
		return;
	inbox_empty(&c->in);
	fds_close(c->ahead_fd, c->ahead_fds);
	close(c->fd);
	c->fd = -1;
}

static int fails(struct connection *c, int err, const char *why)
{
	c->why = why;
	return err;
}

/* The descriptors that came with some bytes; false: too many. */
static bool take_fds(struct inbox *in, struct msghdr *msg)
{
	bool fits = !(msg->msg_flags & MSG_CTRUNC);
	struct cmsghdr *cmsg;

	for (cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		size_t n = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (cmsg->cmsg_level != SOL_SOCKET ||
		    cmsg->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < n; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(cmsg) + i * sizeof(fd),
			       sizeof(fd));
			if (in->fds < VU_FDS) {
				in->fd[in->fds++] = fd;
			} else {
				close(fd);
				fits = false;
			}
		}
	}
	return fits;
}

/* Read once, at most so many bytes: 1; 0 when there are none. */
static int read_some(struct connection *c, size_t most)
{
	struct inbox *in = &c->in;
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(VU_FDS * sizeof(int))];
	} control;
	struct iovec iov = { in->data + in->have, most };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control.room,
		.msg_controllen = sizeof(control.room),
	};
	ssize_t n;

	do
		n = recvmsg(c->fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return 0;
	if (n < 0)
		return fails(c, -EPIPE, strerror(errno));
	if (n == 0)
		return fails(c, -EPIPE, in->have ?
			     "closed inside a message" : "closed");
	in->have += n;
	in->fds_before = in->fds;
	c->drained = (size_t)n < most;
	return take_fds(in, &msg) ? 1 :
		fails(c, -EPROTO, "too many descriptors");
}

/* What was read before of this message. */
static void from_ahead(struct connection *c)
{
	struct inbox *in = &c->in;

	memcpy(in->data, c->ahead, c->ahead_size);
	memcpy(in->fd, c->ahead_fd, sizeof(in->fd));
	in->have = c->ahead_size;
	in->fds = c->ahead_fds;
	in->fds_before = 0;
	c->ahead_size = 0;
	c->ahead_fds = 0;
}

/* What was read beyond this message, and what came with that. */
static void keep_ahead(struct connection *c, size_t size)
{
	struct inbox *in = &c->in;

	if (in->have == size)
		return;
	c->ahead_size = in->have - size;
	memcpy(c->ahead, in->data + size, c->ahead_size);
	c->ahead_fds = in->fds - in->fds_before;
	memcpy(c->ahead_fd, in->fd + in->fds_before,
	       c->ahead_fds * sizeof(int));
	in->have = size;
	in->fds = in->fds_before;
}

/* Bytes of a message, until it is whole: 1; 0 when it is not yet. */
static int gather(struct connection *c)
{
	struct inbox *in = &c->in;
	const struct vu_header *header = &in->message.header;
	size_t most;
	int got;

	if (!in->have && c->ahead_size)
		from_ahead(c);
	for (;;) {
		if (in->have >= VU_HEADER_SIZE) {
			got = vu_header_parse(in->data, &in->message.header,
					      &c->why);
			if (got)
				return got;
			if (in->have >= header->size)
				break;
			most = header->size - in->have;
		} else {
			most = CONNECTION_AHEAD - in->have;
		}
		got = read_some(c, most);
		if (got <= 0)
			return got;
	}
	keep_ahead(c, header->size);
	return 1;
}

/* One message of the socket's, whole or so far. */
static int receive(struct connection *c)
{
	struct inbox *in = &c->in;
	int got = gather(c);

	if (got == 0) {
		if (!in->have)
			c->since = 0;
		else if (!c->since)
			c->since = clock_host_ns();
	}
	if (got <= 0)
		return got;
	c->since = 0;
	got = vu_message_parse(in->data, in->have, in->fds, &in->message,
			       &c->why);
	return got ? got : 1;
}

int connection_next(struct connection *c)
{
	if (c->drained && !c->ahead_size && !c->in.have) {
		c->drained = false;
		return 0;
	}
	return receive(c);
}

/* The client has not read for long: how long may it go on? */
static bool may_write_again(struct connection *c, uint64_t begin)
{
	struct pollfd pfd = { .fd = c->fd, .events = POLLOUT };
	uint64_t ms = (clock_host_ns() - begin) / 1000000;

	if (errno == EINTR)
		return true;
	if (errno != EAGAIN && errno != EWOULDBLOCK)
		return false;
	return ms < CONNECTION_READ_MS &&
		poll(&pfd, 1, CONNECTION_READ_MS - ms) > 0;
}

static void iov_skip(struct msghdr *msg, size_t n)
{
	while (n && msg->msg_iovlen) {
		size_t part = n < msg->msg_iov->iov_len ? n :
			msg->msg_iov->iov_len;

		msg->msg_iov->iov_base = (char *)msg->msg_iov->iov_base + part;
		msg->msg_iov->iov_len -= part;
		n -= part;
		if (!msg->msg_iov->iov_len) {
			msg->msg_iov++;
			msg->msg_iovlen--;
		}
	}
}

int connection_send(struct connection *c, const struct vu_header *header,
		    const void *part, size_t size, const void *data,
		    size_t length)
{
	size_t left = VU_HEADER_SIZE + size + length;
	uint8_t head[VU_HEADER_SIZE];
	struct iovec iov[3] = {
		{ head, sizeof(head) },
		{ (void *)part, size },
		{ (void *)data, length },
	};
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 3 };
	uint64_t begin = 0;

	vu_header_write(head, header);
	while (left) {
		ssize_t n = sendmsg(c->fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n >= 0) {
			left -= n;
			iov_skip(&msg, n);
			continue;
		}
		if (!begin)
			begin = clock_host_ns();
		if (!may_write_again(c, begin))
			return fails(c, -EPIPE, "it does not read its answers");
	}
	return 0;
}

bool connection_is_stuck(const struct connection *c, uint64_t now)
{
	return c->fd >= 0 && c->since && now > c->since &&
		now - c->since > CONNECTION_PIECES_MS * 1000000ull;
}
