/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A card kept open from one program to the next, so that it is not reset
 * between them (reset.c).
 *
 * The keeper opens container, group and device, leaves the descriptors to
 * what it starts, and says in the environment which they are.  The program
 * finds the card as the one before it left it, and its memory's mappings
 * gone.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "link.h"

#define VARIABLE	"TESLA_VFIO"

bool vfio_kept_find(const char *address, struct vfio_kept *kept)
{
	const char *text = getenv(VARIABLE);
	char full[PCI_ADDRESS], theirs[PCI_ADDRESS];

	if (!text || pci_address_parse(address, full))
		return false;
	return sscanf(text, "%15[^=]=%d,%d,%d", theirs, &kept->container,
		      &kept->group, &kept->device) == 4 &&
		!strcmp(full, theirs);
}

/* Descriptors that exec() leaves open. */
static int fd_keep(int fd)
{
	int flags = fcntl(fd, F_GETFD);

	if (flags < 0 || fcntl(fd, F_SETFD, flags & ~FD_CLOEXEC) < 0)
		return -errno;
	return 0;
}

int vfio_keep(const struct vfio_config *config)
{
	struct gpu_bus *bus;
	struct vfio *vfio;
	char text[80];
	int err;

	err = bus_vfio_open(config, &bus);
	if (err)
		return err;
	vfio = to_vfio(bus);
	snprintf(text, sizeof(text), "%s=%d,%d,%d", vfio->pci.address,
		 vfio->container, vfio->group, vfio->device);
	err = fd_keep(vfio->container);
	if (!err)
		err = fd_keep(vfio->group);
	if (!err)
		err = fd_keep(vfio->device);
	if (!err && setenv(VARIABLE, text, 1))
		err = -ENOMEM;
	/* From here on they are another's: closing leaves them open. */
	vfio->kept = !err;
	gpu_bus_close(bus);
	return err;
}
