/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A client in the same process.
 *
 * Server and test run in one thread, turn by turn, so a test decides what has
 * arrived when the server looks.
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vm/server/guard.h"
#include "vm/server/test_client.h"

struct client client;

void client_setup(void)
{
	client.fd = -1;
	client.id = 100;
	client.asked = 0;
	client.log_file = open_memstream(&client.log, &client.log_size);
	ck_assert_ptr_nonnull(client.log_file);
	ck_assert_int_eq(guard_install(), 0);
	ck_assert_int_eq(server_init(&client.server, &client.options,
				     client.log_file), 0);
}

void client_teardown(void)
{
	server_fini(&client.server);
	if (client.fd >= 0)
		close(client.fd);
	fclose(client.log_file);
	free(client.log);
}

void client_connect(void)
{
	int pair[2];

	if (client.fd >= 0)
		close(client.fd);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0,
				    pair), 0);
	client.fd = pair[0];
	server_greet(&client.server, pair[1]);
}

void client_greet(void)
{
	static const char body[] =
		"\0\0\0\0{\"capabilities\":{\"max_data_xfer_size\":4096}}";

	client_connect();
	ck_assert_int_eq(client_ask(VU_VERSION, body, sizeof(body), NULL, 0),
			 0);
}

void client_raw(const void *data, size_t size)
{
	ck_assert_int_eq(send(client.fd, data, size, MSG_NOSIGNAL), size);
}

static void send_message(const struct vu_header *header, const void *body,
			 size_t size, const int *fd, unsigned int fds)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(32 * sizeof(int))];
	} control;
	uint8_t head[VU_HEADER_SIZE];
	struct iovec iov[2] = {
		{ head, sizeof(head) }, { (void *)(uintptr_t)body, size },
	};
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };

	memset(&control, 0, sizeof(control));
	vu_header_write(head, header);
	if (fds) {
		struct cmsghdr *cmsg;

		msg.msg_control = control.room;
		msg.msg_controllen = CMSG_SPACE(fds * sizeof(int));
		cmsg = CMSG_FIRSTHDR(&msg);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(fds * sizeof(int));
		memcpy(CMSG_DATA(cmsg), fd, fds * sizeof(int));
	}
	ck_assert_int_eq(sendmsg(client.fd, &msg, MSG_NOSIGNAL),
			 sizeof(head) + size);
}

void client_send(unsigned int command, uint32_t flags, const void *body,
		 size_t size, const int *fd, unsigned int fds)
{
	struct vu_header header = {
		.id = ++client.id, .command = command,
		.size = VU_HEADER_SIZE + size, .flags = flags,
	};

	send_message(&header, body, size, fd, fds);
}

/* As the server's loop would be woken. */
static bool server_has_input(void)
{
	struct pollfd pfd = { client.server.client.fd, POLLIN, 0 };

	return pfd.fd >= 0 && poll(&pfd, 1, 0) > 0;
}

void client_serve(void)
{
	bool more;

	do {
		more = server_serve(&client.server);
		more |= server_tick(&client.server);
	} while (more || server_has_input());
}

static bool has_input(int ms)
{
	struct pollfd pfd = { .fd = client.fd, .events = POLLIN };

	return poll(&pfd, 1, ms) > 0;
}

static void read_all(void *to, size_t size)
{
	ck_assert_int_eq(recv(client.fd, to, size, MSG_WAITALL), size);
}

bool client_receive(void)
{
	uint8_t head[VU_HEADER_SIZE];
	const char *why;

	if (!has_input(0) || recv(client.fd, head, 1, MSG_PEEK) <= 0)
		return false;
	read_all(head, sizeof(head));
	ck_assert_int_eq(vu_header_parse(head, &client.seen.header, &why), 0);
	client.seen.size = client.seen.header.size - VU_HEADER_SIZE;
	if (client.seen.size)
		read_all(client.seen.body, client.seen.size);
	return true;
}

int client_ask(unsigned int command, const void *body, size_t size,
	       const int *fd, unsigned int fds)
{
	client_send(command, 0, body, size, fd, fds);
	client_serve();
	ck_assert_msg(client_receive(), "no reply to %s: %s",
		      vu_command_name(command), client.log);
	ck_assert_uint_eq(client.seen.header.id, client.id);
	ck_assert_uint_eq(client.seen.header.command, command);
	if (client.seen.header.flags & VU_ERROR) {
		ck_assert_uint_eq(client.seen.size, 0);
		return -(int)client.seen.header.error;
	}
	ck_assert_uint_eq(client.seen.header.flags, VU_REPLY);
	return 0;
}

bool client_is_out(void)
{
	char byte;

	client_serve();
	return client.server.client.fd < 0 && has_input(0) &&
		recv(client.fd, &byte, 1, MSG_DONTWAIT) <= 0;
}

void client_wait(uint64_t ns)
{
	uint64_t end = card_now(client.server.card) + ns;

	while (card_now(client.server.card) < end)
		client_serve();
}

static size_t access_body(uint8_t *body, uint32_t region, uint64_t offset,
			  uint32_t count, uint64_t value)
{
	vu_put64(body, offset);
	vu_put32(body + 8, region);
	vu_put32(body + 12, count);
	vu_put64(body + 16, value);
	return 16 + count;
}

uint64_t client_read(uint32_t region, uint64_t offset, uint32_t count)
{
	uint8_t body[24];
	uint64_t value = 0;

	access_body(body, region, offset, count, 0);
	ck_assert_int_eq(client_ask(VU_REGION_READ, body, 16, NULL, 0), 0);
	ck_assert_uint_eq(client.seen.size, 16 + count);
	ck_assert_mem_eq(client.seen.body, body, 16);
	memcpy(&value, client.seen.body + 16, count < 8 ? count : 8);
	return value;
}

int client_write(uint32_t region, uint64_t offset, uint32_t count,
		 uint64_t value)
{
	uint8_t body[24];
	size_t size = access_body(body, region, offset, count, value);
	int err = client_ask(VU_REGION_WRITE, body, size, NULL, 0);

	if (!err)
		ck_assert_uint_eq(client.seen.size, 16);
	return err;
}

void client_post(uint32_t region, uint64_t offset, uint32_t count,
		 uint64_t value)
{
	uint8_t body[24];
	size_t size = access_body(body, region, offset, count, value);

	client_send(VU_REGION_WRITE, VU_NO_REPLY, body, size, NULL, 0);
}

int client_map(uint64_t address, uint64_t size, int fd, uint64_t offset)
{
	uint8_t body[32];

	vu_put32(body, sizeof(body));
	vu_put32(body + 4, VU_MAP_READ | VU_MAP_WRITE);
	vu_put64(body + 8, offset);
	vu_put64(body + 16, address);
	vu_put64(body + 24, size);
	return client_ask(VU_DMA_MAP, body, sizeof(body), &fd, fd >= 0);
}

int client_unmap(uint64_t address, uint64_t size)
{
	uint8_t body[24] = { 24 };

	vu_put64(body + 8, address);
	vu_put64(body + 16, size);
	return client_ask(VU_DMA_UNMAP, body, sizeof(body), NULL, 0);
}

int client_irqs(uint32_t index, uint32_t flags, uint32_t count, int fd)
{
	uint8_t body[20];

	vu_put32(body, sizeof(body));
	vu_put32(body + 4, flags);
	vu_put32(body + 8, index);
	vu_put32(body + 12, 0);
	vu_put32(body + 16, count);
	return client_ask(VU_SET_IRQS, body, sizeof(body), &fd, fd >= 0);
}

uint64_t client_events(int fd)
{
	uint64_t count;

	return read(fd, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

bool client_answer(void)
{
	struct vu_header *header = &client.seen.header;
	uint64_t address, count;

	if (!client_receive())
		return false;
	address = vu_get64(client.seen.body);
	count = vu_get64(client.seen.body + 8);
	header->flags = VU_REPLY;
	if (count > CLIENT_MEMORY || address > CLIENT_MEMORY - count) {
		header->flags |= VU_ERROR;
		header->error = EFAULT;
		header->size = VU_HEADER_SIZE;
	} else if (header->command == VU_DMA_READ) {
		memcpy(client.seen.body + 16, client.memory + address, count);
		header->size = VU_HEADER_SIZE + 16 + count;
	} else {
		memcpy(client.memory + address, client.seen.body + 16, count);
		/* QEMU's has no body, others' has */
		header->size = VU_HEADER_SIZE + (client.asked & 1 ? 16 : 0);
	}
	send_message(header, client.seen.body, header->size - VU_HEADER_SIZE,
		     NULL, 0);
	client.asked++;
	client_serve();
	return true;
}
