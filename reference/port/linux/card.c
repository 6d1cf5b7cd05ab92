/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A card comes and goes.
 *
 * It comes as everything does, one thing after the other, the node last: from
 * then on there may be openers.  It goes while there still are some.  Then
 *
 *   the node and the attributes go: nobody new;
 *   gone is set, and whoever is inside is waited for: all calls are bounded;
 *   waiters are told, since no interrupt will come for them any more;
 *   every opener loses its views, and touching one is SIGBUS from now on,
 *     and then its objects: channels are stopped, if the card still listens;
 *   the driver lets go of the card, the bus of the device.
 *
 * What is left of an opener is an empty shell, and every call on it -ENODEV.
 */
#include "card.h"
#include "reference/bus/pci/pci.h"

/* __release() and __acquire() are for sparse, which wants each function to
 * give back what it takes. */
int card_enter(struct card *card, int *mark)
{
	*mark = srcu_read_lock(&card->users);
	if (READ_ONCE(card->gone)) {
		srcu_read_unlock(&card->users, *mark);
		return -ENODEV;
	}
	__release(&card->users);
	return 0;
}

void card_leave(struct card *card, int mark)
{
	__acquire(&card->users);
	srcu_read_unlock(&card->users, mark);
}

/* The last reference: openers have one each. */
static void card_release(struct device *dev)
{
	struct card *card = container_of(dev, struct card, dev);

	cleanup_srcu_struct(&card->users);
	mutex_destroy(&card->lock);
	kfree(card);
}

/* Its device is a reference from here on: put_device() frees it. */
static int card_alloc(struct pci_dev *pdev, struct card **out)
{
	struct card *card = kzalloc(sizeof(*card), GFP_KERNEL);
	int err;

	if (!card)
		return -ENOMEM;
	err = init_srcu_struct(&card->users);
	if (err) {
		kfree(card);
		return err;
	}
	mutex_init(&card->lock);
	INIT_LIST_HEAD(&card->openers);
	init_waitqueue_head(&card->going);
	device_initialize(&card->dev);
	card->dev.class = &card_class;
	card->dev.parent = &pdev->dev;
	card->dev.groups = card_groups;
	card->dev.release = card_release;
	dev_set_drvdata(&card->dev, card);
	*out = card;
	return 0;
}

/* The hardware's part. */
static int card_start(struct card *card, struct pci_dev *pdev,
		      unsigned int dma_bits)
{
	int err;

	err = bus_pci_open(pdev, dma_bits, &card->bus);
	if (err)
		return err;
	err = tesla_probe(card->bus, &card->tesla);
	if (err)
		gpu_bus_close(card->bus);
	return err;
}

static void card_stop(struct card *card)
{
	tesla_remove(card->tesla);
	gpu_bus_close(card->bus);
}

/* The node's part. */
static int card_show(struct card *card)
{
	int err;

	err = card_number_get(&card->dev.devt);
	if (err)
		return err;
	err = dev_set_name(&card->dev, "tesla%u", MINOR(card->dev.devt));
	if (err)
		goto put_number;
	cdev_init(&card->cdev, &file_ops);
	card->cdev.owner = THIS_MODULE;
	err = cdev_device_add(&card->cdev, &card->dev);
	if (err)
		goto put_number;
	return 0;

put_number:
	card_number_put(card->dev.devt);
	return err;
}

static void card_hide(struct card *card)
{
	cdev_device_del(&card->cdev, &card->dev);
	card_number_put(card->dev.devt);
}

int card_add(struct pci_dev *pdev, unsigned int dma_bits)
{
	struct card *card;
	int err;

	err = card_alloc(pdev, &card);
	if (err)
		return err;
	err = card_start(card, pdev, dma_bits);
	if (err)
		goto put_card;
	err = card_show(card);
	if (err)
		goto stop_card;
	pci_set_drvdata(pdev, card);
	pci_info(pdev, "is /dev/%s\n", dev_name(&card->dev));
	return 0;

stop_card:
	card_stop(card);
put_card:
	put_device(&card->dev);
	return err;
}

static void openers_end(struct card *card)
{
	struct opener *opener, *next;

	mutex_lock(&card->lock);
	list_for_each_entry_safe(opener, next, &card->openers, link)
		opener_end(opener);
	mutex_unlock(&card->lock);
}

void card_remove(struct pci_dev *pdev)
{
	struct card *card = pci_get_drvdata(pdev);

	if (!card)		/* shut down before */
		return;
	pci_set_drvdata(pdev, NULL);
	card_hide(card);
	WRITE_ONCE(card->gone, true);
	synchronize_srcu(&card->users);
	tesla_unplug(card->tesla);
	openers_end(card);
	wake_up_all(&card->going);
	card_stop(card);
	put_device(&card->dev);
}
