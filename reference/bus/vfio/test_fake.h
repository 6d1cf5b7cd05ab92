/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A vfio that is not there: its files are memory, its calls are counted, and
 * each can be made to fail.
 */
#ifndef VFIO_TEST_FAKE_H
#define VFIO_TEST_FAKE_H

#include "link.h"
#include "reference/tools/tesla-info/test_tree.h"

#define FAKE_MAPS	64

struct fake {
	struct tree tree;
	/* What it says, for a test to change. */
	int api, extension;
	int container_error, group_error;	/* of open(): -errno	*/
	bool viable, mappable, msi;
	u64 bar1;			/* its size		*/
	u64 last;			/* address of the IOMMU	*/
	u32 avail;			/* mappings		*/
	unsigned int fail_at;		/* this call, once	*/

	/* What was done. */
	unsigned int calls;
	unsigned int fds;		/* open			*/
	int container, group, device;	/* the files, or -1	*/
	bool set;			/* group in container	*/
	int irq, request;		/* eventfds, or -1	*/
	struct { u64 iova, size; } map[FAKE_MAPS];
	unsigned int maps;
	char reset_method[64];		/* when device was opened */
};

extern struct fake fake;
extern const struct vfio_os fake_os;

/* A card of this chip that can be opened, and nothing done yet. */
void fake_up(enum card_chip chip);
/* All is as before: nothing open, mapped, or on. */
void fake_check_nothing_left(void);
void fake_down(void);

/* The card's words: configuration space and BAR0. */
u32 fake_config(u32 offset);
void fake_config_set(u32 offset, u32 word);
u32 fake_register(u32 offset);
void fake_register_set(u32 offset, u32 word);

/* As bus_vfio_open(), of the fake; a reset at the closing is wanted. */
int fake_open(struct gpu_bus **bus);

#endif
