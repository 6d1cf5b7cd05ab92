/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Memory that card and CPU share, as Linux allocates it [§4.2].
 *
 * Coherent memory is dma_alloc_coherent()'s.  Write-combining memory should
 * be dma_alloc_wc()'s, but on x86 that is the same as the first: cached, and
 * snooped.  The page tables say of our kind that the card need not snoop, and
 * a real one then does not; so there the pages are taken, and every mapping
 * of them, the kernel's own too, is made write-combining.
 *
 * What user mode is to see is known by its pages, which are put in one by one
 * as they are touched (port/linux/view.c).  For that, and since freeing does
 * not say of which kind memory was, each allocation is kept in a table by the
 * address that the driver knows it by.
 */
#include <linux/dma-mapping.h>
#ifdef CONFIG_X86
#include <asm/set_memory.h>
#endif

#include "pci.h"

struct pci_dma {
	void *cpu;
	dma_addr_t dma;
	size_t size;		/* whole pages				*/
	enum dma_kind kind;
};

static struct device *dma_device(const struct bus_pci *pci)
{
	return &pci->pdev->dev;
}

/* Nobody is told when there is none, nor killed for it: the size may be a
 * stranger's wish. */
#define DMA_GFP		(GFP_KERNEL | __GFP_NOWARN | __GFP_RETRY_MAYFAIL)

#ifdef CONFIG_X86

static struct page *wc_page(const struct pci_dma *block)
{
	return virt_to_page(block->cpu);
}

static int wc_alloc(struct device *dev, struct pci_dma *block)
{
	struct page *page;
	int err;

	page = dma_alloc_pages(dev, block->size, &block->dma,
			       DMA_BIDIRECTIONAL, DMA_GFP);
	/* An address is not asked for in vain: DMA_API_DEBUG insists. */
	if (!page || dma_mapping_error(dev, block->dma))
		return -ENOMEM;
	block->cpu = page_address(page);
	err = set_memory_wc((unsigned long)block->cpu,
			    block->size >> PAGE_SHIFT);
	if (err)
		dma_free_pages(dev, block->size, page, block->dma,
			       DMA_BIDIRECTIONAL);
	return err ? -ENOMEM : 0;
}

static void wc_free(struct device *dev, struct pci_dma *block)
{
	set_memory_wb((unsigned long)block->cpu, block->size >> PAGE_SHIFT);
	dma_free_pages(dev, block->size, wc_page(block), block->dma,
		       DMA_BIDIRECTIONAL);
}

static int wc_table(struct device *dev, const struct pci_dma *block,
		    struct sg_table *table)
{
	int err = sg_alloc_table(table, 1, GFP_KERNEL);

	if (!err)
		sg_set_page(table->sgl, wc_page(block), block->size, 0);
	return err;
}

#else

static int wc_alloc(struct device *dev, struct pci_dma *block)
{
	block->cpu = dma_alloc_wc(dev, block->size, &block->dma, DMA_GFP);
	return block->cpu ? 0 : -ENOMEM;
}

static void wc_free(struct device *dev, struct pci_dma *block)
{
	dma_free_wc(dev, block->size, block->cpu, block->dma);
}

static int wc_table(struct device *dev, const struct pci_dma *block,
		    struct sg_table *table)
{
	return dma_get_sgtable_attrs(dev, table, block->cpu, block->dma,
				     block->size, DMA_ATTR_WRITE_COMBINE);
}

#endif

static int block_alloc(struct device *dev, struct pci_dma *block)
{
	if (block->kind == DMA_WRITE_COMBINE)
		return wc_alloc(dev, block);
	block->cpu = dma_alloc_coherent(dev, block->size, &block->dma,
					DMA_GFP);
	return block->cpu ? 0 : -ENOMEM;
}

static void block_free(struct device *dev, struct pci_dma *block)
{
	if (block->kind == DMA_WRITE_COMBINE)
		wc_free(dev, block);
	else
		dma_free_coherent(dev, block->size, block->cpu, block->dma);
}

static unsigned long block_index(const void *cpu)
{
	return (unsigned long)cpu >> PAGE_SHIFT;
}

int pci_dma_alloc(struct gpu_bus *bus, size_t size, enum dma_kind kind,
		  void **cpu, u64 *dma)
{
	struct bus_pci *pci = to_bus_pci(bus);
	struct pci_dma *block;
	int err;

	/* Some ways down there would warn. */
	if (!size || size >> PAGE_SHIFT >= totalram_pages())
		return -ENOMEM;
	block = kzalloc(sizeof(*block), GFP_KERNEL);
	if (!block)
		return -ENOMEM;
	block->size = PAGE_ALIGN(size);
	block->kind = kind;
	err = block_alloc(dma_device(pci), block);
	if (err)
		goto free_record;
	err = xa_err(xa_store(&pci->dma, block_index(block->cpu), block,
			      GFP_KERNEL));
	if (err)
		goto free_block;
	*cpu = block->cpu;
	*dma = block->dma;
	return 0;

free_block:
	block_free(dma_device(pci), block);
free_record:
	kfree(block);
	return err;
}

void pci_dma_free(struct gpu_bus *bus, size_t size, void *cpu, u64 dma)
{
	struct bus_pci *pci = to_bus_pci(bus);
	struct pci_dma *block = xa_erase(&pci->dma, block_index(cpu));

	if (WARN_ON(!block || block->dma != dma ||
		    block->size != PAGE_ALIGN(size)))
		return;
	block_free(dma_device(pci), block);
	kfree(block);
}

/* Pages ------------------------------------------------------------------ */

static int pages_of_bar(struct bus_pci *pci, const struct iosys_map *map,
			struct pci_pages *pages)
{
	u64 offset = (char __iomem *)map->vaddr_iomem -
		(char __iomem *)pci->bus.bar[GPU_BAR1];

	if (offset >= pci->bus.bar_size[GPU_BAR1])
		return -EINVAL;
	pages->bar = pci_resource_start(pci->pdev, 1) + offset;
	pages->caching = offset < GPU_BAR1_USERD ? PCI_UNCACHED :
		PCI_WRITE_COMBINE;
	return 0;
}

int pci_pages_init(struct gpu_bus *bus, const struct iosys_map *map,
		   struct pci_pages *pages)
{
	struct bus_pci *pci = to_bus_pci(bus);
	const struct pci_dma *block;

	memset(pages, 0, sizeof(*pages));
	if (map->is_iomem)
		return pages_of_bar(pci, map, pages);
	block = xa_load(&pci->dma, block_index(map->vaddr));
	if (!block)
		return -EINVAL;
	if (block->kind == DMA_WRITE_COMBINE) {
		pages->caching = PCI_WRITE_COMBINE;
		return wc_table(dma_device(pci), block, &pages->table);
	}
	return dma_get_sgtable(dma_device(pci), &pages->table, block->cpu,
			       block->dma, block->size);
}

void pci_pages_fini(struct pci_pages *pages)
{
	if (!pages->bar)
		sg_free_table(&pages->table);
}

unsigned long pci_pages_pfn(const struct pci_pages *pages,
			    unsigned long index)
{
	struct scatterlist *part;
	unsigned int i;

	if (pages->bar)
		return PHYS_PFN(pages->bar) + index;
	for_each_sgtable_sg(&pages->table, part, i) {
		unsigned long count = part->length >> PAGE_SHIFT;

		if (index < count)
			return page_to_pfn(sg_page(part)) + index;
		index -= count;
	}
	return 0;
}
