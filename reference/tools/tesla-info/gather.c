/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A card's directory in sysfs, and its neighbours' in the IOMMU's group.
 *
 * Nothing is written anywhere.  The one thing that is done to a card is that
 * the kernel wakes one that it had put to sleep, when its configuration space
 * is read; so a card's power state is read first.
 */
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "info.h"
#include "reference/bus/sysfs/sysfs.h"

static void read_config(const struct pci_device *device,
			struct pci_config *config)
{
	char path[PATH_MAX];
	ssize_t len;
	int fd;

	if (pci_device_path(device, "config", path))
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	len = read(fd, config->bytes, sizeof(config->bytes));
	config->size = len > 0 ? (size_t)len : 0;
	close(fd);
}

static bool is_visible(const char *name)
{
	return name[0] != '.';
}

static bool folder_has_entries(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	bool any = false;

	if (!folder)
		return false;
	while (!any && (entry = readdir(folder)))
		any = is_visible(entry->d_name);
	closedir(folder);
	return any;
}

/* Is there a driver that keeps user space from the group?  Bridges' and
 * stubs do not. */
static bool is_foreign(const char *sysfs, const char *address)
{
	struct pci_device device;
	char driver[32];

	if (pci_device_find(sysfs, address, &device) ||
	    pci_device_link(&device, "driver", driver, sizeof(driver)))
		return false;
	return strcmp(driver, "vfio-pci") && strcmp(driver, "pci-stub") &&
		strcmp(driver, "pcieport");
}

static void read_group(const char *sysfs, const struct pci_device *device,
		       struct info *info)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *folder;

	if (pci_device_link(device, "iommu_group", info->group,
			    sizeof(info->group)) ||
	    pci_device_path(device, "iommu_group/devices", path))
		return;
	folder = opendir(path);
	while (folder && (entry = readdir(folder))) {
		if (!is_visible(entry->d_name) ||
		    !strcmp(entry->d_name, device->address) ||
		    !is_foreign(sysfs, entry->d_name))
			continue;
		info->foreign++;
		snprintf(info->foreigner, sizeof(info->foreigner), "%.15s",
			 entry->d_name);
	}
	if (folder)
		closedir(folder);
}

static void read_texts(const struct pci_device *device, struct info *info)
{
	if (pci_device_text(device, "power_state", info->power,
			    sizeof(info->power)) ||
	    !strcmp(info->power, "unknown"))	/* nobody has bound it */
		info->power[0] = '\0';
	if (pci_device_text(device, "reset_method", info->reset_method,
			    sizeof(info->reset_method)))
		info->reset_method[0] = '\0';
	if (pci_device_link(device, "driver", info->driver,
			    sizeof(info->driver)))
		info->driver[0] = '\0';
}

static void read_registers(const char *sysfs, struct info *info)
{
	struct sysfs_config config = {
		.address = info->address, .sysfs = sysfs,
	};
	struct gpu_bus *bus;

	if (!info_may_read(info))
		return;
	info->registers.error = bus_sysfs_open(&config, &bus);
	if (info->registers.error)
		return;
	info_registers(bus, &info->registers);
	gpu_bus_close(bus);
}

int info_gather(const char *sysfs, const char *address, struct info *info)
{
	struct pci_device device;
	char path[PATH_MAX];
	int err;

	memset(info, 0, sizeof(*info));
	err = pci_device_find(sysfs, address, &device);
	if (err)
		return err;
	memcpy(info->address, device.address, sizeof(info->address));
	read_texts(&device, info);
	read_config(&device, &info->config);
	info->kind = card_kind_by_device(pci_config_get(&info->config, 2, 2));
	info->has_bars = !pci_device_bars(&device, info->bars);
	info->has_bridge = pci_device_has_bridge(&device);
	snprintf(path, sizeof(path), "%s/class/iommu", sysfs);
	info->has_iommu = folder_has_entries(path);
	read_group(sysfs, &device, info);
	read_registers(sysfs, info);
	return 0;
}
