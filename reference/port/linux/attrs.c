/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What /sys/class/tesla/teslaN tells.  One value a file, as is the custom
 * there, and nothing that disturbs the card.
 */
#include "card.h"
#include "irq.h"
#include "kmd.h"

/* Attributes go before the card does, so here it is there. */
static struct gpu *attr_gpu(struct device *dev)
{
	struct card *card = dev_get_drvdata(dev);

	return tesla_gpu(card->tesla);
}

static ssize_t chip_show(struct device *dev, struct device_attribute *attr,
			 char *text)
{
	return sysfs_emit(text, "%s\n", gpu_chip_name(attr_gpu(dev)));
}
static DEVICE_ATTR_RO(chip);

static ssize_t vram_bytes_show(struct device *dev,
			       struct device_attribute *attr, char *text)
{
	return sysfs_emit(text, "%llu\n", gpu_vram_end(attr_gpu(dev)));
}
static DEVICE_ATTR_RO(vram_bytes);

static ssize_t additions_show(struct device *dev,
			      struct device_attribute *attr, char *text)
{
	return sysfs_emit(text, "%#x\n", gpu_additions(attr_gpu(dev)));
}
static DEVICE_ATTR_RO(additions);

static ssize_t openers_show(struct device *dev, struct device_attribute *attr,
			    char *text)
{
	struct card *card = dev_get_drvdata(dev);

	return sysfs_emit(text, "%u\n", READ_ONCE(card->count));
}
static DEVICE_ATTR_RO(openers);

static ssize_t lost_show(struct device *dev, struct device_attribute *attr,
			 char *text)
{
	return sysfs_emit(text, "%d\n", gpu_is_lost(attr_gpu(dev)));
}
static DEVICE_ATTR_RO(lost);

static struct attribute *card_attrs[] = {
	&dev_attr_chip.attr,
	&dev_attr_vram_bytes.attr,
	&dev_attr_additions.attr,
	&dev_attr_openers.attr,
	&dev_attr_lost.attr,
	NULL
};

/* Of the interrupt handler: a folder of its own. */
#define IRQ_ATTR(name)							\
static ssize_t name##_show(struct device *dev,				\
			   struct device_attribute *attr, char *text)	\
{									\
	struct gpu_irq_stats stats;					\
									\
	gpu_irq_stats(attr_gpu(dev), &stats);				\
	return sysfs_emit(text, "%llu\n", stats.name);			\
}									\
static DEVICE_ATTR_RO(name)

IRQ_ATTR(interrupts);
IRQ_ATTR(spurious);
IRQ_ATTR(nonstall);
IRQ_ATTR(faults);
IRQ_ATTR(pbdma);
IRQ_ATTR(copy);
IRQ_ATTR(longest_ns);

static struct attribute *irq_attrs[] = {
	&dev_attr_interrupts.attr,
	&dev_attr_spurious.attr,
	&dev_attr_nonstall.attr,
	&dev_attr_faults.attr,
	&dev_attr_pbdma.attr,
	&dev_attr_copy.attr,
	&dev_attr_longest_ns.attr,
	NULL
};

static const struct attribute_group card_group = { .attrs = card_attrs };
static const struct attribute_group irq_group = {
	.name = "irq",
	.attrs = irq_attrs,
};

const struct attribute_group *card_groups[] = {
	&card_group,
	&irq_group,
	NULL
};
