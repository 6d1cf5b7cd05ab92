/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The card's message, by way of the kernel and an eventfd.
 *
 * The kernel takes the interrupt and adds one to a counter; a thread of ours
 * that reads the counter is the interrupt.  Messages that come while nobody
 * reads add up, and reading takes all of them: one interrupt, as an edge is.
 * A second eventfd ends the wait.
 *
 * By a third the kernel asks for the card back: it is being taken out, or
 * unbound, and the kernel waits until we have closed it.  To the driver that
 * is a card that was lost [§2.5], so that is what it is made to see; whoever
 * waits for the card hears of it as of any loss, and closes it.
 */
#include <linux/vfio.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "link.h"

#define CAP_MSI		0x05u
#define CAPS_MAX	48

static u32 msi_find(const struct vfio *vfio)
{
	u32 at = vfio_config_rd(vfio, 0x34, 1);

	for (int i = 0; i < CAPS_MAX && at >= 0x40 && at < 0xfc; i++) {
		if (vfio_config_rd(vfio, at, 1) == CAP_MSI)
			return at;
		at = vfio_config_rd(vfio, at + 1, 1) & 0xfc;
	}
	return 0;
}

static void eventfds_close(struct vfio *vfio)
{
	int *const fds[] = { &vfio->message, &vfio->stop, &vfio->request };

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

static int eventfds_open(struct vfio *vfio)
{
	int err;

	vfio->message = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	vfio->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	vfio->request = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (vfio->message >= 0 && vfio->stop >= 0 && vfio->request >= 0)
		return 0;
	err = -errno;
	eventfds_close(vfio);
	return err;
}

/* One eventfd for the one vector of an index. */
static int irq_set(const struct vfio *vfio, u32 index, int eventfd)
{
	union {
		struct vfio_irq_set set;
		u8 bytes[sizeof(struct vfio_irq_set) + sizeof(s32)];
	} on = {
		.set = {
			.argsz = sizeof(on),
			.flags = VFIO_IRQ_SET_DATA_EVENTFD |
				VFIO_IRQ_SET_ACTION_TRIGGER,
			.index = index, .count = 1,
		},
	};
	s32 fd = eventfd;

	memcpy(on.set.data, &fd, sizeof(fd));
	return vfio->os->ioctl(vfio->device, VFIO_DEVICE_SET_IRQS, &on);
}

static void irq_unset(const struct vfio *vfio, u32 index)
{
	struct vfio_irq_set off = {
		.argsz = sizeof(off),
		.flags = VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER,
		.index = index,
	};

	vfio->os->ioctl(vfio->device, VFIO_DEVICE_SET_IRQS, &off);
}

int vfio_irq_init(struct vfio *vfio)
{
	struct vfio_irq_info info = {
		.argsz = sizeof(info), .index = VFIO_PCI_MSI_IRQ_INDEX,
	};
	int err;

	err = vfio->os->ioctl(vfio->device, VFIO_DEVICE_GET_IRQ_INFO, &info);
	if (err)
		return err;
	if (info.count && info.flags & VFIO_IRQ_INFO_EVENTFD)
		vfio->msi = msi_find(vfio);
	err = eventfds_open(vfio);
	if (err)
		return err;
	/* Not every kernel, nor every device, asks. */
	info.index = VFIO_PCI_REQ_IRQ_INDEX;
	if (!vfio->os->ioctl(vfio->device, VFIO_DEVICE_GET_IRQ_INFO, &info) &&
	    info.count)
		irq_set(vfio, VFIO_PCI_REQ_IRQ_INDEX, vfio->request);
	return 0;
}

void vfio_irq_fini(struct vfio *vfio)
{
	vfio_irq_off(vfio);
	irq_unset(vfio, VFIO_PCI_REQ_IRQ_INDEX);
	eventfds_close(vfio);
}

void vfio_irq_off(struct vfio *vfio)
{
	if (!vfio->irq_on)
		return;
	vfio->irq_on = false;
	irq_unset(vfio, VFIO_PCI_MSI_IRQ_INDEX);
}

void vfio_irq_enable(struct vfio *vfio, bool on)
{
	int err = 0;

	pthread_mutex_lock(&vfio->lock);
	if (on && !vfio->irq_on) {
		err = irq_set(vfio, VFIO_PCI_MSI_IRQ_INDEX, vfio->message);
		vfio->irq_on = !err;
	} else if (!on) {
		vfio_irq_off(vfio);
	}
	pthread_mutex_unlock(&vfio->lock);
	if (err)
		pr_err("%s: MSI: %s\n", vfio->name, strerror(-err));
}

/* Take what has added up; false: nothing had. */
static bool drain(int fd)
{
	u64 count;

	return read(fd, &count, sizeof(count)) == sizeof(count);
}

int vfio_irq_wait(struct gpu_bus *bus)
{
	struct vfio *vfio = to_vfio(bus);
	struct pollfd fds[] = {
		{ .fd = vfio->stop, .events = POLLIN },
		{ .fd = vfio->message, .events = POLLIN },
		{ .fd = vfio->request, .events = POLLIN },
	};

	for (;;) {
		if (drain(vfio->stop))
			return -EINTR;
		if (drain(vfio->message))
			return 0;
		if (drain(vfio->request) && !vfio->lost) {
			pr_err("%s: the kernel wants it back: it is lost\n",
			       vfio->name);
			/* It may only be unbound: then it is there still. */
			bus_vfio_quiet(bus);
			vfio_regions_lose(vfio);
			return 0;	/* the handler will find out */
		}
		/* As long as it takes: irq_stop() ends it. */
		if (poll(fds, ARRAY_SIZE(fds), -1) < 0 && errno != EINTR)
			return -errno;
	}
}

void vfio_irq_stop(struct gpu_bus *bus)
{
	u64 one = 1;

	if (write(to_vfio(bus)->stop, &one, sizeof(one)) < 0)
		pr_err("%s: the interrupt's thread may not end\n", bus->name);
}
