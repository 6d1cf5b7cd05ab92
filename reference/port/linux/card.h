/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A card as Linux sees it: a device, a node in /dev, and those who have it
 * open.
 *
 * A card can go at any time: its module's user unbinds it, or somebody pulls
 * it.  struct card stays until the last file is closed.  What needs the card
 * itself does so between card_enter() and card_leave().
 *
 * Locks, in their order: mmap_lock, card->lock, opener->lock, and then those
 * of the driver.  Nothing sleeps for user memory under any of ours.
 */
#ifndef LINUX_CARD_H
#define LINUX_CARD_H

#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pci.h>
#include <linux/srcu.h>
#include <linux/wait.h>

#include "calls.h"

struct card {
	struct device dev;		/* tesla0; its release frees us	*/
	struct cdev cdev;
	struct gpu_bus *bus;
	struct tesla *tesla;
	struct srcu_struct users;	/* inside card_enter()		*/
	bool gone;
	wait_queue_head_t going;	/* for poll()			*/
	struct mutex lock;		/* over the openers		*/
	struct list_head openers;
	unsigned int count;		/* of them			*/
};

/* Somebody who has the node open. */
struct opener {
	struct card *card;
	struct list_head link;		/* card's; else alone		*/
	struct address_space *mapping;	/* of the node			*/
	struct tesla_file *file;	/* NULL: the card is gone	*/
	struct mutex lock;		/* over the views		*/
	struct list_head views;
};

/* 0: the card stays until card_leave(*mark); -ENODEV: it is gone. */
int card_enter(struct card *card, int *mark);
void card_leave(struct card *card, int mark);

/* A device that was found, and one that goes or has gone.  Both sleep. */
int card_add(struct pci_dev *pdev, unsigned int dma_bits);
void card_remove(struct pci_dev *pdev);

/* file.c */
extern const struct file_operations file_ops;
/* The card goes: all that is the opener's.  With card->lock held. */
void opener_end(struct opener *opener);

/* view.c */
int view_mmap(struct file *file, struct vm_area_struct *vma);
/* All views show nothing any more. */
void views_end(struct opener *opener);

/* attrs.c */
extern const struct attribute_group *card_groups[];

/* module.c */
extern struct class card_class;
/* The numbers of nodes. */
int card_number_get(dev_t *number);
void card_number_put(dev_t number);

#endif
