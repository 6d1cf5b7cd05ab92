/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The card's node, in a process: what the module's probe, and its open(), are
 * in Linux.
 *
 * There is no moment at which a module is loaded.  So the first to open a
 * card brings it up, and the last to close it leaves it as it was.
 */
#include <pthread.h>
#include <stdlib.h>

#include "calls.h"
#include "node.h"
#include "process.h"

/* A card that somebody has open. */
struct card {
	struct card *next;
	struct gpu_bus *bus;
	struct tesla *tesla;
	unsigned int files;
};

struct node_file {
	struct card *card;
	struct tesla_file *file;
};

static struct card *cards;
static pthread_mutex_t cards_lock = PTHREAD_MUTEX_INITIALIZER;

/* With the lock held. */
static int card_get(struct gpu_bus *bus, struct card **out)
{
	struct card *card;
	int err;

	for (card = cards; card && card->bus != bus; card = card->next)
		;
	if (!card) {
		card = calloc(1, sizeof(*card));
		if (!card)
			return -ENOMEM;
		card->bus = bus;
		err = tesla_probe(bus, &card->tesla);
		if (err) {
			free(card);
			return err;
		}
		card->next = cards;
		cards = card;
	}
	card->files++;
	*out = card;
	return 0;
}

static void card_put(struct card *card)
{
	struct card **link = &cards;

	if (--card->files)
		return;
	while (*link != card)
		link = &(*link)->next;
	*link = card->next;
	tesla_remove(card->tesla);
	free(card);
}

static void node_release(void *private)
{
	struct node_file *node = private;

	tesla_close(node->file);
	pthread_mutex_lock(&cards_lock);
	card_put(node->card);
	pthread_mutex_unlock(&cards_lock);
	free(node);
}

static long file_call(void *private, u32 number, void *arg, size_t size)
{
	return tesla_call(((struct node_file *)private)->file, number, arg,
			  size);
}

static int file_map(void *private, u64 offset, u64 size,
		    struct iosys_map *map)
{
	return tesla_map(((struct node_file *)private)->file, offset, size,
			 map);
}

static void file_unmap(void *private, u64 offset)
{
	tesla_unmap(((struct node_file *)private)->file, offset);
}

static const struct process_file_ops node_ops = {
	.release = node_release,
	.call = file_call,
	.map = file_map,
	.unmap = file_unmap,
};

static int open_locked(struct gpu_bus *bus, struct node_file *node)
{
	int err;

	err = card_get(bus, &node->card);
	if (err)
		return err;
	err = tesla_open(node->card->tesla, &node->file);
	if (err)
		card_put(node->card);
	return err;
}

int node_open(struct gpu_bus *bus)
{
	struct node_file *node = calloc(1, sizeof(*node));
	int fd;

	if (!node)
		return -ENOMEM;
	pthread_mutex_lock(&cards_lock);
	fd = open_locked(bus, node);
	pthread_mutex_unlock(&cards_lock);
	if (fd) {
		free(node);
		return fd;
	}
	fd = process_open(&node_ops, node);
	if (fd < 0)
		node_release(node);
	return fd;
}
