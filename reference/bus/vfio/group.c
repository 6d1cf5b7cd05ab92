/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * From a PCI address to the device's file, by way of its group.
 *
 * An IOMMU tells devices apart only as well as the buses between them let it.
 * What it cannot tell apart is a group, and user space is given a group as a
 * whole or not at all: a device that the kernel still drives could otherwise
 * be reached by the DMA of its neighbour.  A container is the address space
 * that groups are put into.
 */
#include <fcntl.h>
#include <linux/vfio.h>
#include <stdio.h>
#include <sys/ioctl.h>

#include "link.h"

static int open_path(const struct vfio *vfio, const char *path, int *fd)
{
	*fd = vfio->os->open(path, O_RDWR | O_CLOEXEC);
	if (*fd >= 0)
		return 0;
	pr_err("%s: %s: %s\n", vfio->name, path, strerror(-*fd));
	return *fd;
}

static int container_open(struct vfio *vfio)
{
	char path[PATH_MAX];
	int err;

	snprintf(path, sizeof(path), "%s/vfio/vfio", vfio->dev);
	err = open_path(vfio, path, &vfio->container);
	if (err)
		return err;
	if (vfio->os->ioctl(vfio->container, VFIO_GET_API_VERSION, NULL) ==
	    VFIO_API_VERSION &&
	    vfio->os->ioctl(vfio->container, VFIO_CHECK_EXTENSION,
			    (void *)VFIO_TYPE1v2_IOMMU) > 0)
		return 0;
	pr_err("%s: this vfio has no IOMMU of type 1, version 2\n",
	       vfio->name);
	vfio->os->close(vfio->container);
	return -EOPNOTSUPP;
}

/* Whose driver has it, and which group it is in. */
static int group_number(const struct vfio *vfio, char group[16])
{
	char driver[64];
	int err;

	err = pci_device_link(&vfio->pci, "iommu_group", group, 16);
	if (err) {
		pr_err("%s: in no IOMMU group: there is no IOMMU, or it is "
		       "off\n", vfio->name);
		return err == -ENOENT ? -ENXIO : err;
	}
	err = pci_device_link(&vfio->pci, "driver", driver, sizeof(driver));
	if (!err && !strcmp(driver, "vfio-pci"))
		return 0;
	pr_err("%s: not bound to vfio-pci but to %s\n", vfio->name,
	       err ? "nothing" : driver);
	return -EBUSY;
}

static int group_check(const struct vfio *vfio)
{
	struct vfio_group_status status = { .argsz = sizeof(status) };
	int err;

	err = vfio->os->ioctl(vfio->group, VFIO_GROUP_GET_STATUS, &status);
	if (err)
		return err;
	if (status.flags & VFIO_GROUP_FLAGS_VIABLE)
		return 0;
	pr_err("%s: its group has devices that another driver has: bind all "
	       "of them to vfio-pci, or to none\n", vfio->name);
	return -EPERM;
}

static int group_open(struct vfio *vfio)
{
	char path[PATH_MAX], number[16];
	int err;

	err = group_number(vfio, number);
	if (err)
		return err;
	snprintf(path, sizeof(path), "%s/vfio/%s", vfio->dev, number);
	err = open_path(vfio, path, &vfio->group);
	if (err)
		return err;
	err = group_check(vfio);
	if (err)
		goto close_group;
	err = vfio->os->ioctl(vfio->group, VFIO_GROUP_SET_CONTAINER,
			      &vfio->container);
	if (err)
		goto close_group;
	err = vfio->os->ioctl(vfio->container, VFIO_SET_IOMMU,
			      (void *)VFIO_TYPE1v2_IOMMU);
	if (err)
		goto unset_container;
	return 0;

unset_container:
	vfio->os->ioctl(vfio->group, VFIO_GROUP_UNSET_CONTAINER, NULL);
close_group:
	vfio->os->close(vfio->group);
	return err;
}

static int device_open(struct vfio *vfio)
{
	struct vfio_device_info info = { .argsz = sizeof(info) };
	int err;

	vfio->device = vfio->os->ioctl(vfio->group, VFIO_GROUP_GET_DEVICE_FD,
				       vfio->pci.address);
	if (vfio->device < 0) {
		pr_err("%s: the group has no such device: %s\n", vfio->name,
		       strerror(-vfio->device));
		return vfio->device;
	}
	err = vfio->os->ioctl(vfio->device, VFIO_DEVICE_GET_INFO, &info);
	if (!err && !(info.flags & VFIO_DEVICE_FLAGS_PCI))
		err = -EOPNOTSUPP;
	if (err)
		vfio->os->close(vfio->device);
	return err;
}

int vfio_group_open(struct vfio *vfio)
{
	int err;

	err = container_open(vfio);
	if (err)
		goto out;
	err = group_open(vfio);
	if (err)
		goto close_container;
	err = device_open(vfio);
	if (err)
		goto close_group;
	return 0;

close_group:
	vfio->os->ioctl(vfio->group, VFIO_GROUP_UNSET_CONTAINER, NULL);
	vfio->os->close(vfio->group);
close_container:
	vfio->os->close(vfio->container);
out:
	vfio->container = vfio->group = vfio->device = -1;
	return err;
}

void vfio_group_close(struct vfio *vfio)
{
	if (!vfio->kept) {
		/* The device first: it holds the group in its container. */
		vfio->os->close(vfio->device);
		vfio->os->ioctl(vfio->group, VFIO_GROUP_UNSET_CONTAINER,
				NULL);
		vfio->os->close(vfio->group);
		vfio->os->close(vfio->container);
	}
	vfio->container = vfio->group = vfio->device = -1;
}
