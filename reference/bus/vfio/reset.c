/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What vfio does to a card that is opened and closed, and how to keep it from
 * that.
 *
 * The kernel resets a device when its file is opened, if it knows a way, and
 * once more when it is closed.  Our cards have no reset of their own
 * function, so the way is to reset the bus; and a card whose bus was reset is
 * not POSTed: its memory is untrained until the machine's firmware has run
 * again.  An emulated card does not mind.
 *
 * At the opening the kernel uses the methods of the file reset_method, so
 * that is emptied before and put back after.  At the closing it resets the
 * bus of a card that is behind a bridge without asking that file, and nothing
 * in user space can keep it from it, but not to close: a keeper holds the
 * card open from one program to the next.  So who opens a card here without a
 * keeper must say that the reset is wanted.
 */
#include <fcntl.h>
#include <unistd.h>

#include "link.h"

/* An empty line: no method. */
static int method_write(const struct vfio *vfio, const char *text)
{
	char path[PATH_MAX];
	size_t len = strlen(text);
	int fd, err;

	err = pci_device_path(&vfio->pci, "reset_method", path);
	if (err)
		return err;
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = write(fd, text, len) == (ssize_t)len ? 0 : -errno;
	close(fd);
	return err;
}

/* No reset by way of opening.  saved: what to put back. */
static int forbid_at_open(const struct vfio *vfio, char saved[64])
{
	char path[PATH_MAX];
	int err;

	err = pci_device_text(&vfio->pci, "reset_method", saved, 60);
	if (err == -ENOENT) {
		/* No such file: either no method, or a kernel before 5.15. */
		err = pci_device_path(&vfio->pci, "reset", path);
		if (!err && !access(path, F_OK))
			err = -EPERM;
	} else if (!err && saved[0]) {
		strcat(saved, "\n");
		err = method_write(vfio, "\n");
		if (!err)
			return 0;
	}
	saved[0] = '\0';
	if (err)
		pr_err("%s: opening it would reset it, and that cannot be "
		       "forbidden (reset_method: %s)\n", vfio->name,
		       strerror(-err));
	return err ? -EPERM : 0;
}

int vfio_reset_forbid(const struct vfio *vfio, bool reset_at_close,
		      char saved[64])
{
	saved[0] = '\0';
	if (!reset_at_close && pci_device_has_bridge(&vfio->pci)) {
		pr_err("%s: closing it resets the bus, and a real card is "
		       "then not POSTed: --reset-at-close, or "
		       "vfio-keep\n",
		       vfio->name);
		return -EPERM;
	}
	return forbid_at_open(vfio, saved);
}

void vfio_reset_restore(const struct vfio *vfio, const char saved[64])
{
	if (saved[0] && method_write(vfio, saved))
		pr_err("%s: reset_method could not be put back\n",
		       vfio->name);
}
