/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The node's file operations.
 *
 * Whoever opens it gets an opener's context; the call table has the rest.  An
 * open file keeps the module, so it is not unloaded while somebody is inside;
 * that the card goes, it cannot keep.
 */
#include <linux/poll.h>

#include "card.h"
#include "uapi/tesla.h"

static int opener_new(struct card *card, struct opener **out)
{
	struct opener *opener = kzalloc(sizeof(*opener), GFP_KERNEL);
	int err;

	if (!opener)
		return -ENOMEM;
	err = tesla_open(card->tesla, &opener->file);
	if (err) {
		kfree(opener);
		return err;
	}
	opener->card = card;
	mutex_init(&opener->lock);
	INIT_LIST_HEAD(&opener->views);
	*out = opener;
	return 0;
}

static int file_open(struct inode *inode, struct file *file)
{
	struct card *card = container_of(inode->i_cdev, struct card, cdev);
	struct opener *opener;
	int mark, err;

	err = card_enter(card, &mark);
	if (err)
		return err;
	err = opener_new(card, &opener);
	if (err)
		goto leave;
	opener->mapping = file->f_mapping;
	get_device(&card->dev);
	mutex_lock(&card->lock);
	list_add_tail(&opener->link, &card->openers);
	card->count++;
	mutex_unlock(&card->lock);
	file->private_data = opener;
	err = nonseekable_open(inode, file);
leave:
	card_leave(card, mark);
	return err;
}

void opener_end(struct opener *opener)
{
	if (!opener->file)
		return;
	/* Nobody gets in to put a page back. */
	unmap_mapping_range(opener->mapping, 0, 0, 1);
	views_end(opener);
	tesla_close(opener->file);
	opener->file = NULL;
	list_del_init(&opener->link);
	opener->card->count--;
}

/* It may take a while: others come and go meanwhile, but not the card. */
static void opener_leave(struct opener *opener)
{
	struct card *card = opener->card;

	mutex_lock(&card->lock);
	list_del_init(&opener->link);
	card->count--;
	mutex_unlock(&card->lock);
	tesla_close(opener->file);
}

/* No view is left: each holds the file.  The lock keeps a card that goes from
 * going too far. */
static int file_release(struct inode *inode, struct file *file)
{
	struct opener *opener = file->private_data;
	struct card *card = opener->card;
	int mark;

	if (!card_enter(card, &mark)) {
		opener_leave(opener);
		card_leave(card, mark);
	} else {
		mutex_lock(&card->lock);
		opener_end(opener);
		mutex_unlock(&card->lock);
	}
	mutex_destroy(&opener->lock);
	kfree(opener);
	put_device(&card->dev);
	return 0;
}

/* What a call is for ioctl(), with the size that we know; 0: no such call. */
static unsigned int call_command(unsigned int number)
{
	switch (number) {
#define CALL(number, name, way, text) \
	case number: return TESLA_IOCTL_##name;
#define CALL_ERROR(name, error, text)
#include "uapi/calls.def"
#undef CALL
#undef CALL_ERROR
	default:
		return 0;
	}
}

/* Theirs may have another size: tesla.h says what that means. */
static bool is_call(unsigned int command)
{
	const unsigned int size = IOCSIZE_MASK;

	return (command & ~size) ==
		(call_command(_IOC_NR(command)) & ~size);
}

/* User memory may keep us waiting, but not the card from going. */
static long file_ioctl(struct file *file, unsigned int command,
		       unsigned long arg)
{
	struct opener *opener = file->private_data;
	struct tesla_arg call;
	int mark, err;

	if (!is_call(command))
		return -ENOTTY;
	if (READ_ONCE(opener->card->gone))
		return -ENODEV;
	err = tesla_arg_fetch(&call, _IOC_NR(command), (void __user *)arg,
			      _IOC_SIZE(command));
	if (err)
		return err;
	err = card_enter(opener->card, &mark);
	if (err)
		return err;
	err = tesla_arg_call(&call, opener->file);
	card_leave(opener->card, mark);
	return err ? err : tesla_arg_store(&call);
}

/* Fences have eventfds.  Here one hears of the card's going. */
static __poll_t file_poll(struct file *file, poll_table *table)
{
	struct opener *opener = file->private_data;

	poll_wait(file, &opener->card->going, table);
	return READ_ONCE(opener->card->gone) ? EPOLLERR | EPOLLHUP : 0;
}

const struct file_operations file_ops = {
	.owner = THIS_MODULE,
	.open = file_open,
	.release = file_release,
	.unlocked_ioctl = file_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.poll = file_poll,
	.mmap = view_mmap,
};
