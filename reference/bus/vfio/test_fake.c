/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The device's file is a sparse one of memory, so that what is mapped and read
 * by the code under test is mapped and read by the system.  Its card does not
 * live: its words are what the model had after a reset, and stay.
 */
#define _GNU_SOURCE
#include <check.h>
#include <fcntl.h>
#include <linux/vfio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test_fake.h"
#include "vm/spec/reg.h"

#define REGION(index)	((u64)(index) << 40)
#define CONFIG_AT	REGION(VFIO_PCI_CONFIG_REGION_INDEX)
#define BAR0_AT		REGION(VFIO_PCI_BAR0_REGION_INDEX)

struct fake fake;

/* True for the one that must fail. */
static bool fails(void)
{
	return ++fake.calls == fake.fail_at;
}

static u32 word_get(u64 at)
{
	u32 word;

	ck_assert_int_eq(pread(fake.device, &word, 4, (off_t)at), 4);
	return word;
}

static void word_set(u64 at, u32 word)
{
	ck_assert_int_eq(pwrite(fake.device, &word, 4, (off_t)at), 4);
}

u32 fake_config(u32 offset)
{
	return word_get(CONFIG_AT + offset);
}

void fake_config_set(u32 offset, u32 word)
{
	word_set(CONFIG_AT + offset, word);
}

u32 fake_register(u32 offset)
{
	return word_get(BAR0_AT + offset);
}

void fake_register_set(u32 offset, u32 word)
{
	word_set(BAR0_AT + offset, word);
}

/* Calls -------------------------------------------------------------------- */

static int fake_file(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	fake.fds++;
	return fd;
}

static int fake_os_open(const char *path, int flags)
{
	bool container = strstr(path, "/vfio/vfio");

	ck_assert_int_eq(flags & O_ACCMODE, O_RDWR);
	if (fails())
		return -EIO;
	if (container)
		return fake.container_error ? fake.container_error :
			(fake.container = fake_file("container"));
	ck_assert_ptr_nonnull(strstr(path, "/vfio/7"));
	return fake.group_error ? fake.group_error :
		(fake.group = fake_file("group"));
}

/* The device's stays, for the test to look into. */
static int fake_os_close(int fd)
{
	ck_assert_uint_gt(fake.fds, 0);
	fake.fds--;
	if (fd == fake.device)
		fake.irq = fake.request = -1;
	else
		close(fd);
	if (fd == fake.container) {
		ck_assert(!fake.set);
		fake.container = -1;
	}
	if (fd == fake.group)
		fake.group = -1;
	return 0;
}

/* The parts of what the kernel says of an IOMMU, at multiples of eight. */
enum {
	AVAIL_AT = sizeof(struct vfio_iommu_type1_info),
	RANGE_AT = (AVAIL_AT + sizeof(struct vfio_iommu_type1_info_dma_avail) +
		    7) & ~7u,
	RANGES_AT = RANGE_AT +
		sizeof(struct vfio_iommu_type1_info_cap_iova_range),
	INFO_SIZE = RANGES_AT + 2 * sizeof(struct vfio_iova_range),
};

static void iommu_info(struct vfio_iommu_type1_info *info)
{
	const struct vfio_iova_range ranges[] = {
		{ 0, min(fake.last, 0xfedfffffULL) },
		{ 0xfef00000, fake.last },
	};
	const struct vfio_iommu_type1_info_cap_iova_range range = {
		.header = { .id = VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE },
		.nr_iovas = fake.last > 0xfef00000 ? 2 : 1,
	};
	const struct vfio_iommu_type1_info_dma_avail avail = {
		.header = {
			.id = VFIO_IOMMU_TYPE1_INFO_DMA_AVAIL,
			.next = RANGE_AT,
		},
		.avail = fake.avail,
	};
	const struct vfio_iommu_type1_info head = {
		.flags = VFIO_IOMMU_INFO_PGSIZES | VFIO_IOMMU_INFO_CAPS,
		.iova_pgsizes = 0x40201000, .cap_offset = AVAIL_AT,
		.argsz = INFO_SIZE,
	};
	u8 all[INFO_SIZE] = { 0 };

	memcpy(all, &head, sizeof(head));
	memcpy(all + AVAIL_AT, &avail, sizeof(avail));
	memcpy(all + RANGE_AT, &range, sizeof(range));
	memcpy(all + RANGES_AT, ranges, sizeof(ranges));
	memcpy(info, all, min_t(size_t, info->argsz, sizeof(all)));
}

static int iommu_map(const struct vfio_iommu_type1_dma_map *map)
{
	ck_assert(fake.set);
	ck_assert_uint_eq((map->iova | map->size | map->vaddr) % 4096, 0);
	ck_assert_uint_le(map->iova + map->size - 1, fake.last);
	ck_assert(map->iova + map->size <= 0xfee00000 ||
		  map->iova >= 0xfef00000);
	for (unsigned int i = 0; i < fake.maps; i++)
		ck_assert(map->iova >= fake.map[i].iova + fake.map[i].size ||
			  map->iova + map->size <= fake.map[i].iova);
	if (fake.maps == fake.avail)
		return -ENOSPC;
	ck_assert_uint_lt(fake.maps, FAKE_MAPS);
	fake.map[fake.maps].iova = map->iova;
	fake.map[fake.maps++].size = map->size;
	return 0;
}

static int iommu_unmap(const struct vfio_iommu_type1_dma_unmap *unmap)
{
	if (unmap->flags & VFIO_DMA_UNMAP_FLAG_ALL) {
		fake.maps = 0;
		return 0;
	}
	for (unsigned int i = 0; i < fake.maps; i++) {
		if (fake.map[i].iova != unmap->iova)
			continue;
		ck_assert_uint_eq(fake.map[i].size, unmap->size);
		fake.map[i] = fake.map[--fake.maps];
		return 0;
	}
	return -EINVAL;
}

static int container_ioctl(unsigned long request, void *arg)
{
	switch (request) {
	case VFIO_GET_API_VERSION:
		return fake.api;
	case VFIO_CHECK_EXTENSION:
		return (uintptr_t)arg == VFIO_TYPE1v2_IOMMU ?
			fake.extension : 0;
	case VFIO_SET_IOMMU:
		ck_assert(fake.set);
		return 0;
	case VFIO_IOMMU_GET_INFO:
		iommu_info(arg);
		return 0;
	case VFIO_IOMMU_MAP_DMA:
		return iommu_map(arg);
	case VFIO_IOMMU_UNMAP_DMA:
		return iommu_unmap(arg);
	}
	return -ENOTTY;
}

static int group_ioctl(unsigned long request, void *arg)
{
	struct pci_device pci;

	switch (request) {
	case VFIO_GROUP_GET_STATUS:
		((struct vfio_group_status *)arg)->flags = fake.viable ?
			VFIO_GROUP_FLAGS_VIABLE : 0;
		return 0;
	case VFIO_GROUP_SET_CONTAINER:
		ck_assert_int_eq(*(int *)arg, fake.container);
		fake.set = true;
		return 0;
	case VFIO_GROUP_UNSET_CONTAINER:
		fake.set = false;
		return 0;
	case VFIO_GROUP_GET_DEVICE_FD:
		ck_assert_str_eq(arg, CARD);
		ck_assert_int_eq(pci_device_find(fake.tree.root, CARD, &pci),
				 0);
		/* What the kernel would find now. */
		if (pci_device_text(&pci, "reset_method", fake.reset_method,
				    sizeof(fake.reset_method)))
			fake.reset_method[0] = '\0';
		fake.fds++;
		return fake.device;
	}
	return -ENOTTY;
}

static int region_info(struct vfio_region_info *info)
{
	static const u64 sizes[] = {
		[VFIO_PCI_BAR0_REGION_INDEX] = 16 << 20,
		[VFIO_PCI_BAR3_REGION_INDEX] = 32 << 20,
		[VFIO_PCI_CONFIG_REGION_INDEX] = 4096,
	};

	info->offset = REGION(info->index);
	info->size = info->index == VFIO_PCI_BAR1_REGION_INDEX ? fake.bar1 :
		sizes[info->index];
	info->flags = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE;
	if (info->index != VFIO_PCI_CONFIG_REGION_INDEX && fake.mappable)
		info->flags |= VFIO_REGION_INFO_FLAG_MMAP;
	return 0;
}

static int set_irqs(const struct vfio_irq_set *set)
{
	int *irq = set->index == VFIO_PCI_REQ_IRQ_INDEX ? &fake.request :
		&fake.irq;

	ck_assert(irq == &fake.request ||
		  set->index == VFIO_PCI_MSI_IRQ_INDEX);
	*irq = -1;
	if (set->count)
		memcpy(irq, set->data, sizeof(*irq));
	return 0;
}

static int device_ioctl(unsigned long request, void *arg)
{
	struct vfio_irq_info *irq = arg;

	switch (request) {
	case VFIO_DEVICE_GET_INFO:
		((struct vfio_device_info *)arg)->flags =
			VFIO_DEVICE_FLAGS_PCI;
		return 0;
	case VFIO_DEVICE_GET_REGION_INFO:
		return region_info(arg);
	case VFIO_DEVICE_GET_IRQ_INFO:
		irq->count = irq->index == VFIO_PCI_REQ_IRQ_INDEX ||
			fake.msi;
		irq->flags = VFIO_IRQ_INFO_EVENTFD;
		return 0;
	case VFIO_DEVICE_SET_IRQS:
		return set_irqs(arg);
	}
	return -ENOTTY;
}

static int fake_os_ioctl(int fd, unsigned long request, void *arg)
{
	/* What undoes does not fail: nobody could do anything about it. */
	bool undoes = request == VFIO_GROUP_UNSET_CONTAINER ||
		request == VFIO_IOMMU_UNMAP_DMA ||
		(request == VFIO_DEVICE_SET_IRQS &&
		 !((struct vfio_irq_set *)arg)->count);

	if (!undoes && fails())
		return -EIO;
	if (fd == fake.container)
		return container_ioctl(request, arg);
	return fd == fake.group ? group_ioctl(request, arg) :
		device_ioctl(request, arg);
}

static int fake_os_map(void *addr, size_t size, int prot, int flags, int fd,
		       off_t offset, void **at)
{
	if (fails())
		return -ENOMEM;
	return vfio_os_linux.map(addr, size, prot, flags, fd, offset, at);
}

const struct vfio_os fake_os = {
	.open = fake_os_open,
	.close = fake_os_close,
	.ioctl = fake_os_ioctl,
	.map = fake_os_map,
};

/* Up and down -------------------------------------------------------------- */

static void copy_file(const char *name, u64 at, size_t size)
{
	char path[PATH_MAX], bytes[4096];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "%s/" DEVICE "/%s", fake.tree.root,
		 name);
	fd = open(path, O_RDONLY);
	ck_assert_int_ge(fd, 0);
	for (size_t done = 0; done < size; done += (size_t)len) {
		len = read(fd, bytes, min(size - done, sizeof(bytes)));
		ck_assert_int_gt(len, 0);
		ck_assert_int_eq(pwrite(fake.device, bytes, len,
					(off_t)(at + done)), len);
	}
	close(fd);
}

void fake_up(enum card_chip chip)
{
	fake = (struct fake){
		.extension = 1, .viable = true, .mappable = true, .msi = true,
		.bar1 = (chip == CARD_P40 ? 32ULL : 16ULL) << 30,
		.last = (1ULL << 39) - 1, .avail = FAKE_MAPS,
		.container = -1, .group = -1, .irq = -1, .request = -1,
	};
	tree_make(&fake.tree, chip);
	fake.device = memfd_create("device", MFD_CLOEXEC);
	ck_assert_int_ge(fake.device, 0);
	ck_assert_int_eq(ftruncate(fake.device, (off_t)REGION(9)), 0);
	copy_file("config", CONFIG_AT, 4096);
	copy_file("resource0", BAR0_AT, 0x30000);
	fake_register_set(NV_PMC_ENABLE, 0x5fecdff1);
	fake_config_set(NV_XVE_DEV_CTRL, 0x00100006);
}

void fake_check_nothing_left(void)
{
	u32 command = fake_config(NV_XVE_DEV_CTRL);

	ck_assert_uint_eq(fake.fds, 0);
	ck_assert(!fake.set);
	ck_assert_uint_eq(fake.maps, 0);
	ck_assert_int_eq(fake.irq, -1);
	ck_assert_int_eq(fake.request, -1);
	ck_assert_int_eq(port_live_allocs(), 0);
	if (fake_config(NV_XVE_ID) != 0xffffffff)
		ck_assert_uint_eq(command >> 16, 0x0010);
}

void fake_down(void)
{
	fake_check_nothing_left();
	close(fake.device);
	tree_remove(&fake.tree);
}

int fake_open(struct gpu_bus **bus)
{
	struct vfio_config config = {
		.address = CARD, .reset_at_close = true,
		.sysfs = fake.tree.root, .dev = "/nowhere", .os = &fake_os,
	};

	return bus_vfio_open(&config, bus);
}
