/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * vfio-user's messages under arbitrary input: libFuzzer's bytes are what a
 * client sends to the card's server.
 *
 * Each input goes two ways.  First through the parser alone, which does no
 * input or output: whatever it accepts, every byte that it points to lies
 * inside the message.  Then through a whole server with a card, as a stream
 * after a proper greeting, with descriptors of the kinds that a client may
 * hold where the first byte says so.  Afterwards the server has nothing of
 * that client, and serves the next.
 *
 * A byte stream rarely says something by chance, so the input is cut: each
 * message begins with its command, and sizes are filled in; a quarter keep
 * theirs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vm/server/guard.h"
#include "vm/server/server.h"

enum { STREAM_MAX = 1 << 13, BODY_MAX = 512 };

static struct server server;
static struct server_options options;
static int memory, event;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static void broken(const char *what)
{
	fprintf(stderr, "broken: %s\n", what);
	abort();
}

static void inside(const uint8_t *data, size_t size, const void *at,
		   uint64_t length)
{
	size_t offset;

	if (!at)
		return;
	offset = (const uint8_t *)at - data;
	if (offset > size || length > size - offset)
		broken("it points outside the message");
}

/* What an accepted message points to is part of it. */
static void check_message(const uint8_t *data, size_t size,
			  const struct vu_message *m)
{
	struct vu_access access;
	struct vu_peer peer;
	const char *why;

	if (m->is_reply) {
		inside(data, size, m->dma.data, m->dma.count);
		return;
	}
	switch (m->header.command) {
	case VU_VERSION:
		inside(data, size, m->version.json, m->version.length + 1);
		vu_version_read(m, &peer, &why);
		break;
	case VU_SET_IRQS:
		inside(data, size, m->irqs.bools, m->irqs.count);
		break;
	case VU_REGION_READ:
	case VU_REGION_WRITE:
		inside(data, size, m->access.data, m->access.count);
		break;
	case VU_WRITE_MULTI:
		for (uint32_t i = 0; i < m->multi.count; i++) {
			vu_multi_entry(m, i, &access);
			inside(data, size, access.data, 8);
			if (access.count > 8)
				broken("a write of more than 8 bytes");
		}
		break;
	}
}

static void parse_alone(const uint8_t *data, size_t size)
{
	struct vu_message message;
	const char *why = NULL;
	int err;

	for (unsigned int fds = 0; fds < 3; fds++) {
		err = vu_message_parse(data, size, fds, &message, &why);
		if (!err)
			check_message(data, size, &message);
		else if (err == -EPROTO ? !why : err != -EOPNOTSUPP)
			broken("an error without a reason");
	}
}

/* One message at the head of the input, as a client might send it. */
static size_t cut(const uint8_t *data, size_t size, uint8_t *to, int *fds)
{
	struct vu_header header = { .id = data[0] };
	size_t body = data[2] * 2 + (data[1] >> 7);

	if (body > size - 4)
		body = size - 4;
	header.command = data[1] & 0x1f;
	header.flags = data[0] & 0x10;
	header.size = VU_HEADER_SIZE + body;
	*fds = data[3] & 3;
	if (data[3] >= 0xc0 && body >= 8) {
		header.size = vu_get32(data + 4);
		header.flags = vu_get32(data + 8);
	}
	vu_header_write(to, &header);
	memcpy(to + VU_HEADER_SIZE, data + 4, body);
	parse_alone(to, VU_HEADER_SIZE + body);
	return body;
}

static void send_to_server(int fd, const uint8_t *data, size_t size, int kind)
{
	int give[2] = { kind & 1 ? memory : event, event };
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(give))];
	} control = { 0 };
	struct iovec iov = { (void *)(uintptr_t)data, size };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	size_t length = kind == 3 ? sizeof(give) : sizeof(give[0]);

	if (kind) {
		struct cmsghdr *cmsg;

		msg.msg_control = control.room;
		msg.msg_controllen = CMSG_SPACE(length);
		cmsg = CMSG_FIRSTHDR(&msg);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(length);
		memcpy(CMSG_DATA(cmsg), give, length);
	}
	if (sendmsg(fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
	    errno != EPIPE && errno != EAGAIN)
		broken("a message cannot be sent");
}

/* Whatever came back is read, so that nobody waits for room. */
static void drain(int fd)
{
	static uint8_t sink[1 << 16];

	while (recv(fd, sink, sizeof(sink), MSG_DONTWAIT) > 0)
		;
}

static int come(void)
{
	static const uint8_t greeting[] = {
		1, 0, VU_VERSION, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0,
	};
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		broken("no sockets");
	server_greet(&server, pair[1]);
	send_to_server(pair[0], greeting, sizeof(greeting), 0);
	server_serve(&server);
	if (!server.greeted)
		broken("a greeting is not answered");
	return pair[0];
}

static void go(int fd)
{
	close(fd);
	for (int i = 0; server.client.fd >= 0 && i < 1000; i++) {
		server_serve(&server);
		server_tick(&server);
	}
	if (server.client.fd >= 0 || server.maps.count || server.trial.entries)
		broken("a client has gone and left something");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t message[VU_HEADER_SIZE + BODY_MAX + 16];
	int fd = come();

	if (size > STREAM_MAX)
		size = STREAM_MAX;
	parse_alone(data, size);
	while (size >= 4 && server.client.fd >= 0) {
		int kind;
		size_t body = cut(data, size, message, &kind);

		send_to_server(fd, message, VU_HEADER_SIZE + body, kind);
		server_serve(&server);
		server_tick(&server);
		drain(fd);
		data += 4 + body;
		size -= 4 + body;
	}
	go(fd);
	return 0;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	FILE *log = fopen("/dev/null", "w");

	(void)argc;
	(void)argv;
	options.card = (struct card_config){ .chip = CARD_P40, .seed = 1 };
	memory = memfd_create("memory", MFD_CLOEXEC);
	event = eventfd(0, EFD_NONBLOCK);
	if (!log || memory < 0 || event < 0 || ftruncate(memory, 1 << 20) ||
	    guard_install() || server_init(&server, &options, log))
		broken("no server");
	return 0;
}
