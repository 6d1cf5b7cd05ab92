/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * tesla-info [--sysfs DIR] [ADDRESS …]: what the cards are, and why a driver
 * will not run on them.  Without an address: all of NVIDIA's.
 *
 * Status 0 when every card can be driven in some way but sysfs, 1 when one
 * cannot, or there is none.
 */
#include <dirent.h>
#include <getopt.h>
#include <stdlib.h>

#include "info.h"

#define VENDOR	0x10de

static const char *sysfs = "/sys";

static int usage(void)
{
	fprintf(stderr, "tesla-info [--sysfs DIR] [ADDRESS ...]\n");
	return 2;
}

/* True when a driver would run. */
static bool show(const char *address)
{
	static struct info info;
	u32 reasons;
	int err;

	err = info_gather(sysfs, address, &info);
	if (err) {
		fprintf(stderr, "tesla-info: %s: %s\n", address,
			err == -ENODEV ? "no such device" :
			err == -EINVAL ? "not an address, as 0000:01:00.0" :
			strerror(-err));
		return false;
	}
	info_print(&info, stdout);
	reasons = info_reasons(&info);
	return !info_against(reasons, WAY_MODULE) ||
		!info_against(reasons, WAY_VFIO);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static bool is_nvidia_gpu(const char *address)
{
	struct pci_device device;
	u64 vendor, class;

	return !pci_device_find(sysfs, address, &device) &&
		!pci_device_number(&device, "vendor", &vendor) &&
		!pci_device_number(&device, "class", &class) &&
		vendor == VENDOR && class >> 16 == 3;
}

/* Every card that there is; false: none, or one that cannot be driven. */
static bool show_all(void)
{
	struct dirent **entries;
	char path[PATH_MAX];
	bool good = true;
	int n, cards = 0;

	snprintf(path, sizeof(path), "%s/bus/pci/devices", sysfs);
	n = scandir(path, &entries, is_visible, alphasort);
	for (int i = 0; i < n; i++) {
		if (is_nvidia_gpu(entries[i]->d_name)) {
			good &= show(entries[i]->d_name);
			cards++;
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	if (!cards)
		printf("no card of NVIDIA's on the PCI bus\n");
	return cards && good;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "sysfs", required_argument, NULL, 's' },
		{ 0 },
	};
	bool good = true;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option != 's')
			return usage();
		sysfs = optarg;
	}
	if (optind == argc)
		return show_all() ? 0 : 1;
	for (; optind < argc; optind++)
		good &= show(argv[optind]);
	return good ? 0 : 1;
}
