/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Work of the card that needs memory which only the client can reach: it is
 * tried until all that it asks for has come.
 */
#ifndef SERVER_TRIAL_H
#define SERVER_TRIAL_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vm/model/card.h"

struct server;
struct trial_entry;

enum {
	TRIAL_ENTRIES = 1024,	/* transfers of one event		*/
	TRIAL_LINES = 8,	/* broken rules of one event, with text	*/
};

struct trial {
	bool on;			/* the card is at work inside one */
	sigjmp_buf escape;
	struct trial_entry *entry[TRIAL_ENTRIES];
	unsigned int entries, at;	/* known, and used in this try	*/
	bool asked;			/* a message is under way	*/
	uint16_t id;			/* … its                        */
	uint64_t until;			/* … and how long it may take, ns */
	unsigned int lines;
	struct {
		enum card_rule rule;
		char text[400];
	} line[TRIAL_LINES];
};

/*
 * Do one step of the card's.  True: it is done.  False: it has not happened;
 * a message is under way, and the same step is to be tried when that has been
 * answered; or s->broken is set.
 */
bool trial_run(struct server *s, void (*step)(void *arg), void *arg);
/*
 * From inside: a transfer that the client has to make.  0 or -EFAULT, or does
 * not return.
 */
int trial_transfer(struct server *s, bool write, uint64_t address,
		   uint8_t *buf, size_t size);
/* A rule was broken in this try: true, it is told when the step is done. */
bool trial_hold_line(struct server *s, enum card_rule rule,
		     const char *text);
/* A reply came, in client.in.  0, or -EPROTO and *why. */
int trial_answer(struct server *s, const char **why);
/* The client is gone, or the card was reset: no try goes on. */
void trial_forget(struct server *s);

#endif
