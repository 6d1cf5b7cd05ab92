/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The first exchange of a connection: versions, and what each side can. */
#ifndef SERVER_VERSION_H
#define SERVER_VERSION_H

#include "vm/server/message.h"

/* What a client told of itself. */
struct vu_peer {
	uint32_t data_max;	/* bytes of one transfer to it		*/
	bool many;		/* it may send REGION_WRITE_MULTI	*/
};

enum { VU_DATA_LEAST = 64 };

/*
 * Read what a client proposes.  0; -EPROTO and *why when it is not to be
 * understood or not to be had: the connection ends.
 */
int vu_version_read(const struct vu_message *message, struct vu_peer *peer,
		    const char **why);
/* The body of the reply; its size, at most `room`, or 0 if that is short. */
size_t vu_version_write(const struct vu_peer *peer, uint32_t maps_max,
			void *body, size_t room);

#endif
