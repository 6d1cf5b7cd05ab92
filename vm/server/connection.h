/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * One client's socket: whole messages in, whole messages out.
 *
 * The socket never blocks.  A message that comes in pieces is kept until it
 * is whole; one that is begun and not finished has a time limit, and so has a
 * reply that the client does not read.
 */
#ifndef SERVER_CONNECTION_H
#define SERVER_CONNECTION_H

#include <stdbool.h>

#include "vm/server/message.h"

enum {
	CONNECTION_READ_MS = 2000,	/* for a client to read		*/
	CONNECTION_ANSWER_MS = 8000,	/* … to answer a DMA message	*/
	CONNECTION_PIECES_MS = 5000,	/* … for the rest of a message	*/
	CONNECTION_AHEAD = 64,		/* bytes, of a first read	*/
};

/* A message as it comes in. */
struct inbox {
	uint8_t data[VU_MESSAGE_MAX];
	size_t have;
	int fd[VU_FDS];
	unsigned int fds;
	unsigned int fds_before;	/* … without the last read's	*/
	struct vu_message message;	/* once it is whole		*/
};

struct connection {
	int fd;				/* -1: nobody			*/
	struct inbox in;
	/* the beginning of the message after that */
	uint8_t ahead[CONNECTION_AHEAD];
	size_t ahead_size;
	int ahead_fd[VU_FDS];
	unsigned int ahead_fds;
	bool drained;			/* nothing more, a moment ago	*/
	uint64_t since;			/* ns: a message began; 0: none	*/
	uint16_t next_id;
	const char *why;		/* of the last failure		*/
};

/* The socket is the connection's from now on. */
void connection_open(struct connection *c, int fd);
void connection_close(struct connection *c);

/*
 * The next message: 1 and in.message; 0 when there is none yet, or there was
 * none a moment ago: wait, and call again.  -EOPNOTSUPP: a command that this
 * server has not, in in.message.header.  Otherwise the connection is at its
 * end: -EPIPE, it was closed; -EPROTO, it is malformed; both with c->why.
 */
int connection_next(struct connection *c);
/* A descriptor of the message, for the caller to keep; -1 if none is left. */
int inbox_take_fd(struct inbox *in);
/* Done with it: descriptors that nobody took are closed. */
void inbox_empty(struct inbox *in);

/*
 * Send a message of a head and two parts, either of which may be absent.
 * 0, or -EPIPE with c->why.
 */
int connection_send(struct connection *c, const struct vu_header *header,
		    const void *part, size_t size, const void *data,
		    size_t length);
/* Has a message been in pieces for too long at this time (ns)? */
bool connection_is_stuck(const struct connection *c, uint64_t now);

#endif
