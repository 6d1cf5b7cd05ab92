/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A device's directory in sysfs, file by file.
 *
 * The kernel's own files are short and well formed, but a test's tree or a
 * newer kernel's may not be: every text has a size, every number an end, and
 * what does not parse is an error and not a zero.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "device.h"

int pci_address_parse(const char *text, char address[PCI_ADDRESS])
{
	unsigned int domain = 0, bus, slot, function;
	int end = 0;

	/* scanf would take signs and blanks, too. */
	if (text[strspn(text, "0123456789abcdefABCDEF:.")])
		return -EINVAL;
	if (sscanf(text, "%4x:%2x:%2x.%1x%n", &domain, &bus, &slot, &function,
		   &end) != 4 || text[end]) {
		domain = 0;
		if (sscanf(text, "%2x:%2x.%1x%n", &bus, &slot, &function,
			   &end) != 3 || text[end])
			return -EINVAL;
	}
	if (slot > 31 || function > 7)
		return -EINVAL;
	snprintf(address, PCI_ADDRESS, "%04x:%02x:%02x.%x", domain & 0xffff,
		 bus & 0xff, slot, function);
	return 0;
}

int pci_device_find(const char *sysfs, const char *address,
		    struct pci_device *device)
{
	int len, err;

	memset(device, 0, sizeof(*device));
	err = pci_address_parse(address, device->address);
	if (err)
		return err;
	len = snprintf(device->path, sizeof(device->path),
		       "%s/bus/pci/devices/%s", sysfs, device->address);
	if (len < 0 || (size_t)len >= sizeof(device->path))
		return -ENAMETOOLONG;
	return access(device->path, F_OK) ? -ENODEV : 0;
}

int pci_device_path(const struct pci_device *device, const char *file,
		    char path[PATH_MAX])
{
	int len = snprintf(path, PATH_MAX, "%s/%s", device->path, file);

	return len < 0 || len >= PATH_MAX ? -ENAMETOOLONG : 0;
}

int pci_device_text(const struct pci_device *device, const char *file,
		    char *text, size_t size)
{
	char path[PATH_MAX];
	ssize_t len;
	int fd, err;

	err = pci_device_path(device, file, path);
	if (err)
		return err;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	len = read(fd, text, size);
	err = len < 0 ? -errno : (size_t)len == size ? -EFBIG : 0;
	close(fd);
	if (err)
		return err;
	while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == ' '))
		len--;
	text[len] = '\0';
	return 0;
}

int pci_device_number(const struct pci_device *device, const char *file,
		      u64 *number)
{
	char text[64], *end;
	int err;

	err = pci_device_text(device, file, text, sizeof(text));
	if (err)
		return err;
	errno = 0;
	*number = strtoull(text, &end, 0);
	return errno || end == text || *end ? -EINVAL : 0;
}

int pci_device_link(const struct pci_device *device, const char *file,
		    char *name, size_t size)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *last;
	ssize_t len;
	int err;

	err = pci_device_path(device, file, path);
	if (err)
		return err;
	len = readlink(path, target, sizeof(target) - 1);
	if (len < 0)
		return -errno;
	target[len] = '\0';
	last = strrchr(target, '/');
	last = last ? last + 1 : target;
	if (strlen(last) >= size)
		return -ENAMETOOLONG;
	memcpy(name, last, strlen(last) + 1);
	return 0;
}

/* "0x… 0x… 0x…": first and last byte, flags; all zero where there is none. */
static int bar_parse(const char *line, struct pci_bar *bar)
{
	unsigned long long first, last, flags;

	if (sscanf(line, "%llx %llx %llx", &first, &last, &flags) != 3 ||
	    last < first)
		return -EINVAL;
	bar->start = first;
	bar->flags = flags;
	/* One that found no place is shown as if it began at 0. */
	bar->size = flags && !(flags & PCI_BAR_UNSET) && first ?
		last - first + 1 : 0;
	return 0;
}

int pci_device_bars(const struct pci_device *device,
		    struct pci_bar bars[PCI_BARS])
{
	char text[4096], *line = text;
	int err;

	err = pci_device_text(device, "resource", text, sizeof(text));
	if (err)
		return err;
	for (int i = 0; i < PCI_BARS; i++) {
		if (!line || bar_parse(line, &bars[i]))
			return -EINVAL;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return 0;
}

bool pci_device_answers(const struct pci_device *device)
{
	char path[PATH_MAX];
	u32 id = 0;
	int fd;

	if (pci_device_path(device, "config", path))
		return true;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return true;
	if (read(fd, &id, sizeof(id)) != sizeof(id))
		id = 0;
	close(fd);
	return id != 0xffffffff;
}

bool pci_device_has_bridge(const struct pci_device *device)
{
	char real[PATH_MAX], parent[PCI_ADDRESS];
	char *last;

	if (!realpath(device->path, real))
		return false;
	last = strrchr(real, '/');
	if (!last)
		return false;
	*last = '\0';
	last = strrchr(real, '/');
	return last && !pci_address_parse(last + 1, parent);
}
