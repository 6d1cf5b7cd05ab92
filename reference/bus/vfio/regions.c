/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * BARs as memory, configuration space as a file.
 *
 * Each BAR is mapped where the port has reserved addresses for it, so that an
 * __iomem pointer is the place itself, and an access one instruction.  A BAR
 * is mapped whole, BAR1 with its 16 or 32 GiB too, but in pieces: the kernel
 * fills in the page tables of a mapping when the first byte of it is touched.
 * Measured with 32 GiB (Linux 6.1, software emulation): in one piece 64 MiB of
 * tables, 1.8 s at the first touch, 5.5 s to unmap; in pieces of 64 MiB 14 ms
 * to map, 2 ms at the first touch, 180 KiB.
 *
 * All of it is uncached.  The kernel offers user space no write-combining
 * mapping of a BAR by way of vfio (the file resource1_wc of sysfs would be
 * one), so copies into video memory are slower than a kernel's.
 *
 * A BAR whose card is gone, or does not decode memory, ends an access in
 * SIGBUS, which the port turns into all ones.
 */
#define _GNU_SOURCE		/* memfd_create() */
#include <linux/vfio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "link.h"
#include "reference/port/user/native/access.h"
#include "reference/port/user/native/lost.h"

#define PIECE	(64ULL << 20)

static const u32 indices[GPU_REGIONS] = {
	[GPU_CONFIG] = VFIO_PCI_CONFIG_REGION_INDEX,
	[GPU_BAR0] = VFIO_PCI_BAR0_REGION_INDEX,
	[GPU_BAR1] = VFIO_PCI_BAR1_REGION_INDEX,
	[GPU_BAR3] = VFIO_PCI_BAR3_REGION_INDEX,
};

u32 vfio_config_rd(const struct vfio *vfio, u32 offset, unsigned int size)
{
	u32 value = 0;

	if (READ_ONCE(vfio->lost) ||
	    offset + size > vfio->region[GPU_CONFIG].size ||
	    pread(vfio->device, &value, size,
		  vfio->region[GPU_CONFIG].offset + offset) != (ssize_t)size)
		return ~0u >> (32 - 8 * size);
	return value;
}

void vfio_config_wr(const struct vfio *vfio, u32 offset, unsigned int size,
		    u32 value)
{
	if (READ_ONCE(vfio->lost) ||
	    offset + size > vfio->region[GPU_CONFIG].size)
		return;
	/* A card that is gone takes no writes: nothing to be done. */
	if (pwrite(vfio->device, &value, size,
		   vfio->region[GPU_CONFIG].offset + offset) < 0)
		return;
}

/*
 * MSI's enable bit is not ours to write: the kernel owns the message's
 * address, and sends what it receives on to an eventfd.  Whoever writes the
 * bit means that, as a guest's driver does on a virtual machine.
 */
static void config_write(struct vfio *vfio, u32 offset, unsigned int size,
			 u32 value)
{
	u32 flags = vfio->msi + 2;

	if (vfio->msi && offset <= flags && flags < offset + size)
		vfio_irq_enable(vfio, value >> (8 * (flags - offset)) & 1);
	else
		vfio_config_wr(vfio, offset, size, value);
}

static bool is_inside(const struct vfio *vfio, enum gpu_region region,
		      u64 offset, size_t size)
{
	u64 end = vfio->region[region].size;

	return offset < end && size <= end - offset;
}

static void *at(struct gpu_bus *bus, enum gpu_region region, u64 offset)
{
	return (char *)bus->bar[region] + offset;
}

u64 vfio_read(struct gpu_bus *bus, enum gpu_region region, u64 offset,
	      unsigned int size)
{
	if (!is_inside(to_vfio(bus), region, offset, size))
		return ~0ULL;
	if (region == GPU_CONFIG)
		return size > 4 ? ~0ULL :
			vfio_config_rd(to_vfio(bus), offset, size);
	switch (size) {
	case 1:
		return native_load_u8(at(bus, region, offset));
	case 2:
		return native_load_u16(at(bus, region, offset));
	case 4:
		return native_load_u32(at(bus, region, offset));
	default:
		return native_load_u64(at(bus, region, offset));
	}
}

void vfio_write(struct gpu_bus *bus, enum gpu_region region, u64 offset,
		unsigned int size, u64 value)
{
	if (!is_inside(to_vfio(bus), region, offset, size))
		return;
	if (region == GPU_CONFIG) {
		if (size <= 4)
			config_write(to_vfio(bus), offset, size, value);
		return;
	}
	switch (size) {
	case 1:
		native_store_u8(at(bus, region, offset), value);
		break;
	case 2:
		native_store_u16(at(bus, region, offset), value);
		break;
	case 4:
		native_store_u32(at(bus, region, offset), value);
		break;
	default:
		native_store_u64(at(bus, region, offset), value);
	}
}

void vfio_write_burst(struct gpu_bus *bus, enum gpu_region region, u64 offset,
		      const void *data, size_t len)
{
	if (region != GPU_CONFIG &&
	    is_inside(to_vfio(bus), region, offset, len))
		memcpy_toio(at(bus, region, offset), data, len);
}

static int region_find(struct vfio *vfio, enum gpu_region region)
{
	struct vfio_region_info info = {
		.argsz = sizeof(info), .index = indices[region],
	};
	u32 wanted = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE;
	int err;

	if (region != GPU_CONFIG)
		wanted |= VFIO_REGION_INFO_FLAG_MMAP;
	err = vfio->os->ioctl(vfio->device, VFIO_DEVICE_GET_REGION_INFO,
			      &info);
	if (err)
		return err;
	if (!info.size) {
		pr_err("%s: BAR%u has no address: is decoding above 4 GiB "
		       "off?\n", vfio->name, info.index);
		return -ENODEV;
	}
	if ((info.flags & wanted) != wanted) {
		pr_err("%s: region %u cannot be mapped\n", vfio->name,
		       info.index);
		return -EOPNOTSUPP;
	}
	vfio->region[region] = (struct vfio_region){
		.offset = info.offset, .size = info.size,
	};
	vfio->bus.bar_size[region] = info.size;
	return 0;
}

static int bar_map(struct vfio *vfio, enum gpu_region region)
{
	struct vfio_region *bar = &vfio->region[region];
	u64 size;
	int err = 0;

	for (u64 offset = 0; offset < bar->size && !err; offset += size) {
		void *where = at(&vfio->bus, region, offset);

		size = min(PIECE, bar->size - offset);
		err = vfio->os->map(where, size, PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_FIXED, vfio->device,
				    bar->offset + offset, &where);
	}
	if (!err)
		err = lost_guard(vfio->bus.bar[region], bar->size);
	if (err)
		pr_err("%s: BAR%u: %s\n", vfio->name, indices[region],
		       strerror(-err));
	else
		bar->mapped = true;
	return err;
}

int vfio_regions_init(struct vfio *vfio)
{
	int err = 0;

	for (int i = 0; i < GPU_REGIONS && !err; i++)
		err = region_find(vfio, i);
	if (err)
		return err;
	err = gpu_bus_register(&vfio->bus);
	if (err)
		return err;
	for (int i = GPU_BAR0; i < GPU_REGIONS && !err; i++)
		err = bar_map(vfio, i);
	if (err)
		vfio_regions_fini(vfio);
	return err;
}

/*
 * A file without a byte in place of the BARs: an access to it ends as one to a
 * BAR that is gone does.
 */
void vfio_regions_lose(struct vfio *vfio)
{
	int nothing = memfd_create("nothing", MFD_CLOEXEC);

	WRITE_ONCE(vfio->lost, true);
	for (int i = GPU_BAR0; i < GPU_REGIONS; i++) {
		if (mmap(vfio->bus.bar[i], vfio->region[i].size,
			 PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
			 nothing, 0) == MAP_FAILED)
			pr_err("%s: BAR%u stays mapped\n", vfio->name,
			       indices[i]);
	}
	close(nothing);
}

/* The port unmaps what it has reserved, with all that was mapped there. */
void vfio_regions_fini(struct vfio *vfio)
{
	for (int i = 0; i < GPU_REGIONS; i++) {
		if (vfio->region[i].mapped)
			lost_release(vfio->bus.bar[i]);
		vfio->region[i].mapped = false;
	}
	gpu_bus_unregister(&vfio->bus);
}
