/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Views: what mmap() shows of an object.
 *
 * One mmap() is one view, however many areas it becomes: an area may be cut
 * in two, moved, given to a child.  Linux tells of each that is made and each
 * that goes; when the last has gone, the object is in use no more.
 *
 * Pages are put in as they are touched, and not all at once by mmap(): there
 * Linux does not yet know the area, and could not take the pages out again if
 * the card goes just then.  This way a page is put in only between
 * card_enter() and card_leave(); when the card goes, it waits for those that
 * are at it, then takes all out, and whoever touches one after that gets
 * SIGBUS.
 */
#include "card.h"
#include "reference/bus/pci/pci.h"

/* So many pages for one that is touched, itself the first. */
#define FAULT_PAGES	16ul

struct view {
	struct list_head link;		/* opener's; alone: it has ended */
	struct opener *opener;
	refcount_t areas;
	u64 offset;			/* as mmap() was told		*/
	unsigned long pages;
	struct pci_pages memory;
};

/* With the opener's lock held. */
static void view_end(struct view *view)
{
	if (list_empty(&view->link))
		return;
	list_del_init(&view->link);
	pci_pages_fini(&view->memory);
	tesla_unmap(view->opener->file, view->offset);
}

void views_end(struct opener *opener)
{
	struct view *view, *next;

	mutex_lock(&opener->lock);
	list_for_each_entry_safe(view, next, &opener->views, link)
		view_end(view);
	mutex_unlock(&opener->lock);
}

/* Areas ------------------------------------------------------------------- */

static void area_open(struct vm_area_struct *vma)
{
	struct view *view = vma->vm_private_data;

	refcount_inc(&view->areas);
}

static void area_close(struct vm_area_struct *vma)
{
	struct view *view = vma->vm_private_data;
	struct opener *opener = view->opener;

	if (!refcount_dec_and_test(&view->areas))
		return;
	mutex_lock(&opener->lock);
	view_end(view);
	mutex_unlock(&opener->lock);
	kfree(view);
}

/* From the page that was touched to the end of area and view. */
static vm_fault_t fill(const struct view *view, struct vm_fault *vmf)
{
	unsigned long first = vmf->pgoff - (view->offset >> PAGE_SHIFT);
	unsigned long at = vmf->address & PAGE_MASK;
	vm_fault_t result = VM_FAULT_SIGBUS;
	unsigned long count;

	if (first >= view->pages)
		return VM_FAULT_SIGBUS;
	count = min3(FAULT_PAGES, view->pages - first,
		     (vmf->vma->vm_end - at) >> PAGE_SHIFT);
	for (unsigned long i = 0; i < count; i++) {
		vm_fault_t one = vmf_insert_pfn(vmf->vma, at + i * PAGE_SIZE,
				pci_pages_pfn(&view->memory, first + i));

		if (!i)
			result = one;
		if (one != VM_FAULT_NOPAGE)
			break;
	}
	return result;
}

static vm_fault_t area_fault(struct vm_fault *vmf)
{
	struct view *view = vmf->vma->vm_private_data;
	struct card *card = view->opener->card;
	vm_fault_t result;
	int mark;

	if (card_enter(card, &mark))
		return VM_FAULT_SIGBUS;
	result = fill(view, vmf);
	card_leave(card, mark);
	return result;
}

static const struct vm_operations_struct area_ops = {
	.open = area_open,
	.close = area_close,
	.fault = area_fault,
};

/* mmap() ------------------------------------------------------------------ */

static void area_set_flags(struct vm_area_struct *vma, unsigned long set,
			   unsigned long clear)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
	vma->vm_flags = (vma->vm_flags & ~clear) | set;
#else
	vm_flags_mod(vma, set, clear);
#endif
}

static void area_init(struct vm_area_struct *vma, struct view *view)
{
	area_set_flags(vma, VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP,
		       VM_MAYEXEC);
	if (view->memory.caching == PCI_WRITE_COMBINE)
		vma->vm_page_prot = pgprot_writecombine(vma->vm_page_prot);
	else if (view->memory.caching == PCI_UNCACHED)
		vma->vm_page_prot = pgprot_noncached(vma->vm_page_prot);
	vma->vm_private_data = view;
	vma->vm_ops = &area_ops;
}

/* The object is in use; with it, the memory behind it is known. */
static int view_init(struct view *view)
{
	struct opener *opener = view->opener;
	struct iosys_map map;
	int err;

	err = tesla_map(opener->file, view->offset,
			(u64)view->pages << PAGE_SHIFT, &map);
	if (err)
		return err;
	err = pci_pages_init(opener->card->bus, &map, &view->memory);
	if (err) {
		tesla_unmap(opener->file, view->offset);
		return err;
	}
	mutex_lock(&opener->lock);
	list_add_tail(&view->link, &opener->views);
	mutex_unlock(&opener->lock);
	return 0;
}

static int view_new(struct opener *opener, struct vm_area_struct *vma,
		    struct view **out)
{
	struct view *view = kzalloc(sizeof(*view), GFP_KERNEL);
	int err;

	if (!view)
		return -ENOMEM;
	INIT_LIST_HEAD(&view->link);
	refcount_set(&view->areas, 1);
	view->opener = opener;
	view->offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	view->pages = vma_pages(vma);
	err = view_init(view);
	if (err) {
		kfree(view);
		return err;
	}
	*out = view;
	return 0;
}

/* Memory that the card writes cannot be private, nor code. */
int view_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct opener *opener = file->private_data;
	struct view *view;
	int mark, err;

	if (!(vma->vm_flags & (VM_SHARED | VM_MAYSHARE)) ||
	    vma->vm_flags & VM_EXEC)
		return -EINVAL;
	err = card_enter(opener->card, &mark);
	if (err)
		return err;
	err = view_new(opener, vma, &view);
	if (!err)
		area_init(vma, view);
	card_leave(opener->card, mark);
	return err;
}
