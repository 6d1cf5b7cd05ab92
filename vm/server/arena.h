/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Where a card lives, and how what it did is undone.
 *
 * The model is compiled once more for the server, with these in place of the
 * C library's allocator, so that all of a card's state lies in one range of
 * addresses.  One process has one arena, and one thread uses it.
 */
#ifndef SERVER_ARENA_H
#define SERVER_ARENA_H

#include <stdbool.h>
#include <stddef.h>

void *arena_malloc(size_t size);
void *arena_calloc(size_t n, size_t size);
void *arena_realloc(void *block, size_t size);
void arena_free(void *block);

/*
 * From here on remember what the arena held.  0, or -errno: nothing is
 * remembered.  Then either keep what was done since, or undo it.
 */
int arena_begin(void);
void arena_keep(void);
/* -ENOMEM: it was too much to remember, and stays done. */
int arena_undo(void);

#endif
