/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The module: which devices it is for, the class and the numbers of their
 * nodes, and its parameters.
 */
#include <linux/idr.h>
#include <linux/module.h>

#include "card.h"

#define CARDS_MAX	64u

static ushort mode = 0660;
module_param(mode, ushort, 0444);
MODULE_PARM_DESC(mode, "permissions of /dev/teslaN (default 0660)");

static uint dma_bits;
module_param(dma_bits, uint, 0444);
MODULE_PARM_DESC(dma_bits, "bits of a DMA address (default 0: the card's)");

static dev_t first_number;
static DEFINE_IDA(minors);

int card_number_get(dev_t *number)
{
	int minor = ida_alloc_max(&minors, CARDS_MAX - 1, GFP_KERNEL);

	if (minor < 0)
		return minor;
	*number = first_number + minor;
	return 0;
}

void card_number_put(dev_t number)
{
	ida_free(&minors, number - first_number);
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
static char *card_devnode(struct device *dev, umode_t *node_mode)
#else
static char *card_devnode(const struct device *dev, umode_t *node_mode)
#endif
{
	if (node_mode)
		*node_mode = mode & 0777;
	return NULL;
}

struct class card_class = {
	.name = KBUILD_MODNAME,
	.devnode = card_devnode,
};

/* Devices ------------------------------------------------------------------ */

/* Bits of a DMA address [§4.1]. */
#define PASCAL_BITS	47
#define MAXWELL_BITS	40

#define CARD(device, bits) \
	{ PCI_DEVICE(PCI_VENDOR_ID_NVIDIA, device), .driver_data = (bits) }

static const struct pci_device_id devices[] = {
	CARD(0x15f7, PASCAL_BITS),	/* P100, PCIe 12 GB	*/
	CARD(0x15f8, PASCAL_BITS),	/* P100, PCIe 16 GB	*/
	CARD(0x15f9, PASCAL_BITS),	/* P100, SXM2		*/
	CARD(0x1b38, PASCAL_BITS),	/* P40			*/
	CARD(0x17fd, MAXWELL_BITS),	/* M40			*/
	{ }
};
MODULE_DEVICE_TABLE(pci, devices);

static int probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	unsigned int bits = id->driver_data;

	if (dma_bits && dma_bits < bits)
		bits = dma_bits;
	return card_add(pdev, bits);
}

/* What the card knows, running channels for one, would be lost in its sleep. */
static int never_sleep(struct device *dev)
{
	return -EBUSY;
}
static DEFINE_SIMPLE_DEV_PM_OPS(power, never_sleep, NULL);

static struct pci_driver driver = {
	.name = KBUILD_MODNAME,
	.id_table = devices,
	.probe = probe,
	.remove = card_remove,
	/* Before another kernel, or none, takes over: no DMA any more. */
	.shutdown = card_remove,
	.driver.pm = pm_sleep_ptr(&power),
};

static int __init tesla_init(void)
{
	int err;

	err = alloc_chrdev_region(&first_number, 0, CARDS_MAX,
				  KBUILD_MODNAME);
	if (err)
		return err;
	err = class_register(&card_class);
	if (err)
		goto put_numbers;
	err = pci_register_driver(&driver);
	if (err)
		goto unregister_class;
	return 0;

unregister_class:
	class_unregister(&card_class);
put_numbers:
	unregister_chrdev_region(first_number, CARDS_MAX);
	return err;
}

static void __exit tesla_exit(void)
{
	pci_unregister_driver(&driver);
	class_unregister(&card_class);
	unregister_chrdev_region(first_number, CARDS_MAX);
	ida_destroy(&minors);
}

module_init(tesla_init);
module_exit(tesla_exit);
MODULE_DESCRIPTION("Tesla P100, P40 and M40: rings, address spaces, fences");
MODULE_LICENSE("Dual MIT/GPL");
