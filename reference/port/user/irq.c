/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Interrupts in a process.
 *
 * request_irq() starts a thread that waits for messages in the bus and runs
 * the handler for each, so handler and driver run at the same time, as on a
 * machine with more than one CPU.  Messages that come while the handler runs
 * are one more run, as for an edge in the kernel.
 *
 * The handler's time is what its own accesses, polls and delays cost, as the
 * bus tells through port_spend(): on an emulated card the clock is shared,
 * and other threads move it too.
 */
#include "gpu_bus.h"

#define VECTORS		16
#define FIRST_IRQ	32

/* PCI, what of it is the same for every device. */
#define PCI_CAPABILITY_LIST	0x34
#define PCI_CAP_ID_MSI		0x05
#define PCI_MSI_FLAGS		2
#define PCI_MSI_FLAGS_ENABLE	1u

static struct vector {
	struct gpu_bus *bus;	/* NULL: free				*/
	irq_handler_t handler;	/* NULL: not requested			*/
	const char *handler_name;
	void *dev;
	pthread_t thread;
	bool running, late;	/* late: over budget, and told so	*/
} vectors[VECTORS];

static pthread_mutex_t vectors_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t handler_done = PTHREAD_COND_INITIALIZER;

static struct vector *vector_of(unsigned int irq)
{
	unsigned int i = irq - FIRST_IRQ;

	return i < VECTORS && vectors[i].bus ? &vectors[i] : NULL;
}

/* The MSI capability's place in configuration space, or 0. */
static u64 msi_find(struct gpu_bus *bus)
{
	u64 at = bus->ops->read(bus, GPU_CONFIG, PCI_CAPABILITY_LIST, 1);

	/* Bounded: a list that a broken card closes to a ring has no end. */
	for (int i = 0; i < 48 && at >= 0x40 && at < 0xfc; i++) {
		u64 id = bus->ops->read(bus, GPU_CONFIG, at, 1);

		if (id == PCI_CAP_ID_MSI)
			return at;
		at = bus->ops->read(bus, GPU_CONFIG, at + 1, 1) & 0xfc;
	}
	return 0;
}

static void msi_enable(struct gpu_bus *bus, u64 msi, bool on)
{
	u64 flags = bus->ops->read(bus, GPU_CONFIG, msi + PCI_MSI_FLAGS, 2);

	flags = on ? flags | PCI_MSI_FLAGS_ENABLE :
		flags & ~(u64)PCI_MSI_FLAGS_ENABLE;
	bus->ops->write(bus, GPU_CONFIG, msi + PCI_MSI_FLAGS, 2, flags);
}

static bool bus_is_lost(struct gpu_bus *bus)
{
	return bus->ops->read(bus, GPU_CONFIG, 0, 4) == 0xffffffff;
}

static int vector_take(struct gpu_bus *bus)
{
	int irq = -ENOSPC;

	pthread_mutex_lock(&vectors_lock);
	for (int i = 0; i < VECTORS && irq < 0; i++) {
		if (vectors[i].bus)
			continue;
		vectors[i] = (struct vector){ .bus = bus };
		irq = FIRST_IRQ + i;
	}
	pthread_mutex_unlock(&vectors_lock);
	return irq;
}

int gpu_bus_irq(struct gpu_bus *bus)
{
	u64 msi;
	int irq;

	might_sleep();
	if (bus_is_lost(bus))
		return -ENODEV;
	msi = msi_find(bus);
	if (!msi || !bus->ops->irq_wait)
		return -ENXIO;
	irq = vector_take(bus);
	if (irq >= 0)
		msi_enable(bus, msi, true);
	return irq;
}

void gpu_bus_irq_release(struct gpu_bus *bus)
{
	u64 msi = msi_find(bus);

	if (msi)
		msi_enable(bus, msi, false);
	pthread_mutex_lock(&vectors_lock);
	for (int i = 0; i < VECTORS; i++) {
		if (vectors[i].bus == bus)
			vectors[i].bus = NULL;
	}
	pthread_mutex_unlock(&vectors_lock);
}

static void set_running(struct vector *vector, bool running)
{
	pthread_mutex_lock(&vectors_lock);
	vector->running = running;
	if (!running)
		pthread_cond_broadcast(&handler_done);
	pthread_mutex_unlock(&vectors_lock);
}

static void handler_run(struct vector *vector)
{
	struct port_context *context = port_context();

	set_running(vector, true);
	context->spent = 0;
	context->handler = vector->handler_name;
	vector->handler(FIRST_IRQ + (int)(vector - vectors), vector->dev);
	context->handler = NULL;
	if (context->spent > PORT_IRQ_BUDGET && !vector->late) {
		vector->late = true;
		port_report(PORT_IRQ_TIME, "the interrupt handler %s() took "
			    "%llu ns; it may take %u", vector->handler_name,
			    (unsigned long long)context->spent,
			    PORT_IRQ_BUDGET);
	}
	set_running(vector, false);
}

static void *handler_thread(void *arg)
{
	struct vector *vector = arg;

	while (vector->bus->ops->irq_wait(vector->bus) == 0)
		handler_run(vector);
	return NULL;
}

int port_request_irq(unsigned int irq, irq_handler_t handler,
		     const char *handler_name, unsigned long flags,
		     const char *name, void *dev)
{
	struct vector *vector;
	int err = 0;

	(void)flags;
	(void)name;
	port_might_sleep("request_irq()", handler_name);
	pthread_mutex_lock(&vectors_lock);
	vector = vector_of(irq);
	if (!vector || !handler)
		err = -EINVAL;
	else if (vector->handler)
		err = -EBUSY;
	else if (!port_alloc_begin())
		err = -ENOMEM;
	if (err)
		goto unlock;

	vector->handler = handler;
	vector->handler_name = handler_name;
	vector->dev = dev;
	vector->late = false;
	if (pthread_create(&vector->thread, NULL, handler_thread, vector)) {
		vector->handler = NULL;
		port_alloc_end();
		err = -ENOMEM;
	}
unlock:
	pthread_mutex_unlock(&vectors_lock);
	return err;
}

void free_irq(unsigned int irq, void *dev)
{
	struct vector *vector;

	might_sleep();
	pthread_mutex_lock(&vectors_lock);
	vector = vector_of(irq);
	pthread_mutex_unlock(&vectors_lock);
	if (!vector || !vector->handler || vector->dev != dev) {
		pr_err("free_irq: %u was not requested\n", irq);
		return;
	}
	vector->bus->ops->irq_stop(vector->bus);
	pthread_join(vector->thread, NULL);
	vector->handler = NULL;
	port_alloc_end();
}

void synchronize_irq(unsigned int irq)
{
	struct vector *vector;

	might_sleep();
	pthread_mutex_lock(&vectors_lock);
	vector = vector_of(irq);
	while (vector && vector->running)
		pthread_cond_wait(&handler_done, &vectors_lock);
	pthread_mutex_unlock(&vectors_lock);
}
