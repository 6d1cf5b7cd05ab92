/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Reading a card, and writing to it, without taking it.
 *
 * vfio and every driver of the kernel's change a card when they take it, if
 * only its power state; vfio may reset it.  The files resourceN are the BARs
 * as memory, for whoever is root, and opening one does nothing to the card.
 * That is enough to identify it, to look at any register, and to move video
 * memory by way of PRAMIN.
 *
 * DMA is left out for good.  Without an IOMMU a DMA address is any memory of
 * the machine's, and pages of a process have no address that stays.
 *
 * A bus that is only to be read has its BARs mapped without the right to
 * write: a store ends in SIGSEGV, whoever made it.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "device.h"
#include "sysfs.h"
#include "reference/port/user/native/access.h"
#include "reference/port/user/native/lost.h"
#include "vm/spec/reg.h"

struct sysfs {
	struct gpu_bus bus;
	struct pci_device pci;
	char name[8 + PCI_ADDRESS];
	int config;		/* the file			*/
	bool write;
	bool mapped[GPU_REGIONS];
};

static const int numbers[GPU_REGIONS] = {
	[GPU_BAR0] = 0, [GPU_BAR1] = 1, [GPU_BAR3] = 3,
};

static struct sysfs *to_sysfs(struct gpu_bus *bus)
{
	return container_of(bus, struct sysfs, bus);
}

static bool is_inside(const struct gpu_bus *bus, enum gpu_region region,
		      u64 offset, size_t size)
{
	return offset < bus->bar_size[region] &&
		size <= bus->bar_size[region] - offset;
}

static u64 config_read(struct sysfs *sysfs, u64 offset, unsigned int size)
{
	u64 value = 0;

	if (pread(sysfs->config, &value, size, (off_t)offset) !=
	    (ssize_t)size)
		return ~0ULL >> (64 - 8 * size);
	return value;
}

static u64 sysfs_read(struct gpu_bus *bus, enum gpu_region region, u64 offset,
		      unsigned int size)
{
	char *at = (char *)bus->bar[region] + offset;

	if (!is_inside(bus, region, offset, size))
		return ~0ULL >> (64 - 8 * size);
	if (region == GPU_CONFIG)
		return config_read(to_sysfs(bus), offset, size);
	switch (size) {
	case 1:
		return native_load_u8(at);
	case 2:
		return native_load_u16(at);
	case 4:
		return native_load_u32(at);
	default:
		return native_load_u64(at);
	}
}

static void config_write(struct sysfs *sysfs, u64 offset, unsigned int size,
			 u64 value)
{
	if (pwrite(sysfs->config, &value, size, (off_t)offset) < 0)
		pr_err("%s: configuration space: %s\n", sysfs->name,
		       strerror(errno));
}

static void sysfs_write(struct gpu_bus *bus, enum gpu_region region,
			u64 offset, unsigned int size, u64 value)
{
	char *at = (char *)bus->bar[region] + offset;

	if (!to_sysfs(bus)->write || !is_inside(bus, region, offset, size))
		return;
	if (region == GPU_CONFIG) {
		config_write(to_sysfs(bus), offset, size, value);
		return;
	}
	switch (size) {
	case 1:
		native_store_u8(at, value);
		break;
	case 2:
		native_store_u16(at, value);
		break;
	case 4:
		native_store_u32(at, value);
		break;
	default:
		native_store_u64(at, value);
	}
}

static void sysfs_write_burst(struct gpu_bus *bus, enum gpu_region region,
			      u64 offset, const void *data, size_t len)
{
	const char *bytes = data;

	for (size_t i = 0; i + 4 <= len; i += 4) {
		u32 value;

		memcpy(&value, bytes + i, 4);
		sysfs_write(bus, region, offset + i, 4, value);
	}
}

static int sysfs_dma_alloc(struct gpu_bus *bus, size_t size,
			   enum dma_kind kind, void **cpu, u64 *dma)
{
	(void)size;
	(void)kind;
	(void)cpu;
	(void)dma;
	pr_err("%s: no DMA by way of sysfs\n", bus->name);
	return -EOPNOTSUPP;
}

static void sysfs_dma_free(struct gpu_bus *bus, size_t size, void *cpu,
			   u64 dma)
{
	(void)bus;
	(void)size;
	(void)cpu;
	(void)dma;
}

static u64 sysfs_now(struct gpu_bus *bus)
{
	struct timespec now;

	(void)bus;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * NSEC_PER_SEC + (u64)now.tv_nsec;
}

static void sysfs_relax(struct gpu_bus *bus)
{
	(void)bus;
	sched_yield();
}

static void sysfs_sleep(struct gpu_bus *bus, u64 ns)
{
	struct timespec time = { ns / NSEC_PER_SEC, ns % NSEC_PER_SEC };

	(void)bus;
	while (nanosleep(&time, &time) && errno == EINTR)
		;
}

static int sysfs_irq_wait(struct gpu_bus *bus)
{
	(void)bus;
	return -EOPNOTSUPP;
}

static void sysfs_irq_stop(struct gpu_bus *bus)
{
	(void)bus;
}

/* What open has done so far, backwards. */
static void sysfs_close(struct gpu_bus *bus)
{
	struct sysfs *sysfs = to_sysfs(bus);

	for (int i = 0; i < GPU_REGIONS; i++) {
		if (sysfs->mapped[i])
			lost_release(bus->bar[i]);
	}
	gpu_bus_unregister(bus);
	if (sysfs->config >= 0)
		close(sysfs->config);
	kfree(sysfs);
}

static const struct gpu_bus_ops sysfs_ops = {
	.read = sysfs_read,
	.write = sysfs_write,
	.write_burst = sysfs_write_burst,
	.dma_alloc = sysfs_dma_alloc,
	.dma_free = sysfs_dma_free,
	.now = sysfs_now,
	.relax = sysfs_relax,
	.sleep = sysfs_sleep,
	.irq_wait = sysfs_irq_wait,
	.irq_stop = sysfs_irq_stop,
	.close = sysfs_close,
};

static int bars_find(struct sysfs *sysfs, u64 windows)
{
	struct pci_bar bars[PCI_BARS];
	int err;

	err = pci_device_bars(&sysfs->pci, bars);
	if (err)
		return err;
	for (int i = GPU_BAR0; i < GPU_REGIONS; i++) {
		u64 size = bars[numbers[i]].size;

		if (!size)
			return -ENXIO;
		sysfs->bus.bar_size[i] = i == GPU_BAR0 ? size :
			min(size, windows);
	}
	sysfs->bus.bar_size[GPU_CONFIG] = 4096;
	return 0;
}

static int bar_map(struct sysfs *sysfs, enum gpu_region region)
{
	int rights = sysfs->write ? PROT_READ | PROT_WRITE : PROT_READ;
	u64 size = sysfs->bus.bar_size[region];
	char *base = sysfs->bus.bar[region];
	char file[16], path[PATH_MAX];
	int fd, err;

	if (!size)
		return 0;
	snprintf(file, sizeof(file), "resource%d", numbers[region]);
	err = pci_device_path(&sysfs->pci, file, path);
	if (err)
		return err;
	fd = open(path, (sysfs->write ? O_RDWR : O_RDONLY) | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* -EINVAL: a driver of the kernel's has claimed it. */
	if (mmap(base, size, rights, MAP_SHARED | MAP_FIXED, fd, 0) ==
	    MAP_FAILED)
		err = errno == EINVAL ? -EBUSY : -errno;
	close(fd);
	if (!err)
		err = lost_guard(base, size);
	sysfs->mapped[region] = !err;
	return err;
}

/* Reading the BARs of a card that is off gives all ones, or worse. */
static int check_decodes(struct sysfs *sysfs)
{
	char state[16];
	u32 command = config_read(sysfs, NV_XVE_DEV_CTRL, 2);

	if (command == 0xffff)
		return -ENODEV;
	if (!(command & REG_FIELD_MASK(NV_XVE_DEV_CTRL_CMD_MEMORY_SPACE)))
		return -ENXIO;
	/* Kernels before 5.11 do not tell. */
	if (!pci_device_text(&sysfs->pci, "power_state", state,
			     sizeof(state)) &&
	    !strncmp(state, "D3", 2))
		return -ENXIO;
	return 0;
}

static int sysfs_init(struct sysfs *sysfs, const struct sysfs_config *config)
{
	char path[PATH_MAX];
	int err;

	err = pci_device_find(config->sysfs ? config->sysfs : "/sys",
			      config->address, &sysfs->pci);
	if (err)
		return err;
	snprintf(sysfs->name, sizeof(sysfs->name), "sysfs:%s",
		 sysfs->pci.address);
	err = bars_find(sysfs, config->windows);
	if (err)
		return err;
	err = pci_device_path(&sysfs->pci, "config", path);
	if (err)
		return err;
	sysfs->config = open(path, (config->write ? O_RDWR : O_RDONLY) |
			     O_CLOEXEC);
	if (sysfs->config < 0)
		return -errno;
	err = check_decodes(sysfs);
	if (err)
		return err;
	err = gpu_bus_register(&sysfs->bus);
	for (int i = GPU_BAR0; i < GPU_REGIONS && !err; i++)
		err = bar_map(sysfs, i);
	return err;
}

int bus_sysfs_open(const struct sysfs_config *config, struct gpu_bus **bus)
{
	struct sysfs *sysfs = kzalloc(sizeof(*sysfs), GFP_KERNEL);
	int err;

	if (!sysfs)
		return -ENOMEM;
	sysfs->bus.ops = &sysfs_ops;
	sysfs->bus.name = sysfs->name;
	sysfs->config = -1;
	sysfs->write = config->write;
	err = sysfs_init(sysfs, config);
	if (err) {
		sysfs_close(&sysfs->bus);
		return err;
	}
	*bus = &sysfs->bus;
	return 0;
}
