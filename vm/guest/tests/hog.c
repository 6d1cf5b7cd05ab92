/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * hog DEVICE: four threads and two channels at work, until it is killed or the
 * card goes.
 *
 * "working" is printed when it has begun.  Exit status 3: the card is lost; 1:
 * anything else went wrong.
 */
#include <stdio.h>

#include "rig.h"

#define LOST	3

int main(int argc, char **argv)
{
	static struct rig rig;
	int err;

	if (argc != 2) {
		fprintf(stderr, "hog DEVICE\n");
		return 2;
	}
	guest.device = argv[1];
	rig_up(&rig, &(struct rig_setup){ .lines = 2, .gp = MEM_WC });
	printf("working\n");
	fflush(stdout);
	err = rig_work_for_ever(&rig, 4);
	printf("hog: %s\n", strerror(-err));
	return err == -ENODEV ? LOST : 1;
}
