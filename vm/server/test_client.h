/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A client in the same process, for tests: it writes messages into one end of
 * a pair of sockets, lets the server at the other end act, and reads what
 * comes back.  DMA messages it answers from `memory`.
 */
#ifndef SERVER_TEST_CLIENT_H
#define SERVER_TEST_CLIENT_H

#include "vm/server/server.h"

enum { CLIENT_MEMORY = 1 << 16 };

struct answer_seen {
	struct vu_header header;
	uint8_t body[VU_MESSAGE_MAX];
	size_t size;			/* of the body			*/
};

extern struct client {
	struct server server;
	struct server_options options;
	char *log;			/* what the server logged	*/
	size_t log_size;
	FILE *log_file;
	int fd;				/* our end, or -1		*/
	uint16_t id;			/* of the last request		*/
	struct answer_seen seen;
	uint8_t memory[CLIENT_MEMORY];	/* of DMA messages		*/
	unsigned int asked;		/* DMA messages answered	*/
} client;

/* A server with a card, and nobody there. */
void client_setup(void);
void client_teardown(void);
/* Come, without a word; come, and exchange versions. */
void client_connect(void);
void client_greet(void);

/* Send a request, let the server act.  Nothing is read. */
void client_send(unsigned int command, uint32_t flags, const void *body,
		 size_t size, const int *fd, unsigned int fds);
/* Bytes as they are. */
void client_raw(const void *data, size_t size);
/* Let the server act until it has nothing to do. */
void client_serve(void);
/* The next message from the server into seen; false: there is none. */
bool client_receive(void);
/* A request, and its reply: 0, or the error that it tells, negative. */
int client_ask(unsigned int command, const void *body, size_t size,
	       const int *fd, unsigned int fds);
/* Is the connection at its end? */
bool client_is_out(void);
/* Let the card run for so long of its own time, in the host's time. */
void client_wait(uint64_t ns);

/* What a client asks. */
uint64_t client_read(uint32_t region, uint64_t offset, uint32_t count);
int client_write(uint32_t region, uint64_t offset, uint32_t count,
		 uint64_t value);
void client_post(uint32_t region, uint64_t offset, uint32_t count,
		 uint64_t value);
int client_map(uint64_t address, uint64_t size, int fd, uint64_t offset);
int client_unmap(uint64_t address, uint64_t size);
int client_irqs(uint32_t index, uint32_t flags, uint32_t count, int fd);
/* Times that an eventfd was told; it starts anew. */
uint64_t client_events(int fd);

/* Answer the server's next DMA message, if there is one; let it act. */
bool client_answer(void);

#endif
