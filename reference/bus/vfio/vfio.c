/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A card over vfio-pci: opened, checked, and left quiet.
 *
 * What the kernel module is given by Linux (addresses, an interrupt, memory
 * for DMA) a process asks for by vfio, and the driver is the same.  It cannot
 * harm the machine: the IOMMU holds the card to memory of ours, and when the
 * process ends, however it does, the kernel turns bus mastering and
 * interrupts off.  It can harm the card's readiness: reset.c.
 *
 * A card that is not one of ours, or is not POSTed, is refused before
 * anything was written to it but the command register.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "link.h"
#include "reference/bus/sysfs/cards.h"
#include "vm/spec/reg.h"

/* Turns of a polling loop before other threads get a chance. */
#define YIELD_TURNS	64

static u64 vfio_now(struct gpu_bus *bus)
{
	struct timespec now;

	(void)bus;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * NSEC_PER_SEC + (u64)now.tv_nsec;
}

static void vfio_relax(struct gpu_bus *bus)
{
	static __thread unsigned int turns;

	(void)bus;
	barrier();
	if (++turns % YIELD_TURNS == 0)
		sched_yield();
}

static void vfio_sleep(struct gpu_bus *bus, u64 ns)
{
	struct timespec time = { ns / NSEC_PER_SEC, ns % NSEC_PER_SEC };

	(void)bus;
	while (nanosleep(&time, &time) && errno == EINTR)
		;
}

static void command_clear(const struct vfio *vfio, u32 bits)
{
	u32 command = vfio_config_rd(vfio, NV_XVE_DEV_CTRL, 2);

	if (command != 0xffff)
		vfio_config_wr(vfio, NV_XVE_DEV_CTRL, 2, command & ~bits);
}

void bus_vfio_quiet(struct gpu_bus *bus)
{
	struct vfio *vfio = to_vfio(bus);
	u32 enable = vfio_read(bus, GPU_BAR0, NV_PMC_ENABLE, 4);

	if (enable != 0xffffffff)
		vfio_write(bus, GPU_BAR0, NV_PMC_ENABLE, 4, enable &
			   ~REG_FIELD_MASK(NV_PMC_ENABLE_PFIFO));
	command_clear(vfio, REG_FIELD_MASK(NV_XVE_DEV_CTRL_CMD_BUS_MASTER));
	vfio_irq_off(vfio);
}

/* No requests that pass the caches by: dma.c. */
static void no_snoop_off(const struct vfio *vfio)
{
	u32 at = NV_XVE_DEVICE_CONTROL_STATUS;
	u32 control = vfio_config_rd(vfio, at, 2);

	if (control != 0xffff)
		vfio_config_wr(vfio, at, 2, control & ~(u32)REG_FIELD_MASK(
			NV_XVE_DEVICE_CONTROL_STATUS_ENABLE_NO_SNOOP));
}

/* Only reads.  Its chip, if it is one of ours and ready. */
static int card_check(struct vfio *vfio, const struct card_kind **kind)
{
	u32 id = vfio_config_rd(vfio, NV_XVE_ID, 4);
	u32 boot = vfio_read(&vfio->bus, GPU_BAR0, NV_PMC_BOOT_0, 4);
	u32 scratch = vfio_read(&vfio->bus, GPU_BAR0, NV_PTOP_SCRATCH1, 4);

	*kind = card_error_pattern(boot) ? NULL :
		card_kind_by_chipset(REG_GET(NV_PMC_BOOT_0_CHIPSET, boot));
	if (REG_GET(NV_XVE_ID_VENDOR, id) != NV_XVE_ID_VENDOR_NVIDIA ||
	    !*kind) {
		pr_err("%s: no card of ours: id %08x, BOOT_0 %08x\n",
		       vfio->name, id, boot);
		return -ENODEV;
	}
	if (!card_error_pattern(scratch) &&
	    REG_GET(NV_PTOP_SCRATCH1_DEVINIT_COMPLETED, scratch))
		return 0;
	pr_err("%s: not POSTed: the machine's firmware has not run its ROM, "
	       "or it was reset since\n", vfio->name);
	return card_error_pattern(scratch) ? -ENODEV : -ENXIO;
}

static void vfio_bus_close(struct gpu_bus *bus)
{
	struct vfio *vfio = to_vfio(bus);

	command_clear(vfio, REG_FIELD_MASK(NV_XVE_DEV_CTRL_CMD_BUS_MASTER));
	vfio_irq_fini(vfio);
	vfio_dma_fini(vfio);
	vfio_regions_fini(vfio);
	vfio_group_close(vfio);
	pthread_mutex_destroy(&vfio->lock);
	kfree(vfio);
}

static const struct gpu_bus_ops vfio_ops = {
	.read = vfio_read,
	.write = vfio_write,
	.write_burst = vfio_write_burst,
	.dma_alloc = vfio_dma_alloc,
	.dma_free = vfio_dma_free,
	.now = vfio_now,
	.relax = vfio_relax,
	.sleep = vfio_sleep,
	.irq_wait = vfio_irq_wait,
	.irq_stop = vfio_irq_stop,
	.close = vfio_bus_close,
};

/* The device is open: the rest. */
static int card_open(struct vfio *vfio)
{
	const struct card_kind *kind;
	int err;

	err = vfio_regions_init(vfio);
	if (err)
		return err;
	command_clear(vfio, REG_FIELD_MASK(NV_XVE_DEV_CTRL_CMD_BUS_MASTER));
	err = card_check(vfio, &kind);
	if (err)
		goto fini_regions;
	no_snoop_off(vfio);
	err = vfio_dma_init(vfio, kind->dma_bits);
	if (err)
		goto fini_regions;
	err = vfio_irq_init(vfio);
	if (err)
		goto fini_dma;
	return 0;

fini_dma:
	vfio_dma_fini(vfio);
fini_regions:
	vfio_regions_fini(vfio);
	return err;
}

/* Container, group and device, without a reset on the way. */
static int device_open(struct vfio *vfio, const struct vfio_config *config)
{
	char saved[64];
	int err;

	if (config->kept) {
		vfio->kept = true;
		vfio->container = config->kept->container;
		vfio->group = config->kept->group;
		vfio->device = config->kept->device;
		return 0;
	}
	err = vfio_reset_forbid(vfio, config->reset_at_close, saved);
	if (err)
		return err;
	err = vfio_group_open(vfio);
	vfio_reset_restore(vfio, saved);
	return err;
}

static int vfio_init(struct vfio *vfio, const struct vfio_config *config)
{
	const char *sysfs = config->sysfs ? config->sysfs : "/sys";
	int err;

	vfio->bus.ops = &vfio_ops;
	vfio->bus.name = vfio->name;
	vfio->os = config->os ? config->os : &vfio_os_linux;
	vfio->dev = config->dev ? config->dev : "/dev";
	vfio->message = vfio->stop = vfio->request = -1;
	err = pci_device_find(sysfs, config->address, &vfio->pci);
	if (err) {
		pr_err("vfio: %s: %s\n", config->address, err == -ENODEV ?
		       "no such device" : "not the address of a device");
		return err;
	}
	snprintf(vfio->name, sizeof(vfio->name), "vfio:%s",
		 vfio->pci.address);
	/* A card that is gone costs the kernel a minute at each closing. */
	if (!pci_device_answers(&vfio->pci)) {
		pr_err("%s: it does not answer\n", vfio->name);
		return -ENODEV;
	}
	err = device_open(vfio, config);
	if (err)
		return err;
	err = card_open(vfio);
	if (err)
		vfio_group_close(vfio);
	return err;
}

int bus_vfio_open(const struct vfio_config *config, struct gpu_bus **bus)
{
	struct vfio *vfio = kzalloc(sizeof(*vfio), GFP_KERNEL);
	int err;

	if (!vfio)
		return -ENOMEM;
	pthread_mutex_init(&vfio->lock, NULL);
	err = vfio_init(vfio, config);
	if (err) {
		pthread_mutex_destroy(&vfio->lock);
		kfree(vfio);
		return err;
	}
	*bus = &vfio->bus;
	return 0;
}
