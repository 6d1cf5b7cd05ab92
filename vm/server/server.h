/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * One card behind a socket, for one client at a time.
 *
 * A server is one thread.  What belongs to a client is its connection, its
 * memory and its eventfds; the card stays, and is reset between clients.
 */
#ifndef SERVER_SERVER_H
#define SERVER_SERVER_H

#include <stdio.h>

#include "vm/server/clock.h"
#include "vm/server/connection.h"
#include "vm/server/irq.h"
#include "vm/server/maps.h"
#include "vm/server/report.h"
#include "vm/server/trial.h"
#include "vm/server/version.h"

struct server_options {
	const char *report;		/* NULL: none			*/
	struct card_config card;
};

/* What the card said during a call. */
struct server_said {
	bool irq_changed, irq_rose, irq_level;
	uint64_t irq_time;		/* card time at which it rose	*/
};

struct server {
	const struct server_options *options;
	FILE *log;
	struct card *card;
	struct clock clock;
	struct report report;
	uint64_t lines[CARD_RULES];	/* of the log, by rule		*/

	/* the client */
	struct connection client;
	struct vu_peer peer;
	bool greeted;			/* versions were exchanged	*/
	uint64_t messages;		/* of all clients		*/
	uint64_t greet_by;		/* ns: or the client goes	*/
	struct maps maps;
	struct irq irq;

	/* DMA by messages */
	bool by_messages;		/* events are tried		*/
	bool was_refused;		/* one that should have been	*/
	struct trial trial;
	unsigned int unanswered;	/* messages nobody waits for	*/
	const char *broken;		/* why the connection must end	*/

	struct server_said said;
	bool msi_on, msi_stale;
	uint64_t bell_host, bell_card;	/* the last doorbell; 0: none	*/

	uint8_t data[VU_DATA_MAX];	/* of a read			*/
};

/* 0, or -ENOMEM, -EINVAL, -errno.  The log stays the caller's. */
int server_init(struct server *s, const struct server_options *options,
		FILE *log);
void server_fini(struct server *s);

/* A line for the log. */
void server_log(struct server *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A client has come; the socket is the server's. */
void server_greet(struct server *s, int fd);
/* It goes, or has to: everything of it is given back, the card is reset. */
void server_part(struct server *s, const char *why);
/*
 * Act on what the client sent, some messages at most; true: there may be
 * more.  The client may be gone afterwards.
 */
bool server_serve(struct server *s);
/* The card does what is due; true: it is late, come again at once. */
bool server_tick(struct server *s);
/* There is nothing to do until a message or the timer comes: set that. */
bool server_may_sleep(struct server *s);
/* The time at which a client that is slow must go, ns; 0: none is. */
uint64_t server_deadline(const struct server *s);
/* It has passed? */
void server_check_deadline(struct server *s);

/* Parts ------------------------------------------------------------------ */

/* device.c: act on the message in client.in, and answer.  -EPROTO ends it. */
int device_act(struct server *s, const char **why);

/* region.c: VFIO's index of a region, its size; 0: there is none. */
enum { REGION_CONFIG = 7, REGIONS = 9 };
uint64_t region_size(const struct server *s, uint32_t index);
/* Is this access one that can be made?  0 or -EINVAL. */
int region_check(const struct server *s, const struct vu_access *access);
/* Make it, having checked. */
void region_read(struct server *s, const struct vu_access *access,
		 uint8_t *to);
void region_write(struct server *s, const struct vu_access *access);

/* dma.c: what the card asks of its machine. */
int dma_read(void *server, enum card_dma_why why, uint64_t address, void *buf,
	     size_t size);
int dma_write(void *server, enum card_dma_why why, uint64_t address,
	      const void *buf, size_t size);
/* Maps came or went: by messages, or not? */
void dma_maps_changed(struct server *s);

/* server.c: tell the client of interrupts that the card raised. */
void server_interrupts(struct server *s);
void server_reset_card(struct server *s);
/* A rule was broken: count it, and say so. */
void server_violation(struct server *s, enum card_rule rule,
		      const char *text);

#endif
