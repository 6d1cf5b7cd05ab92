/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Address spaces [§6.4].
 *
 * The page tables are in video memory, where the card walks them; beside them
 * we keep a tree of the same shape, so that we never read one back.  Tables
 * are made when a mapping first needs them and kept until the space goes.
 *
 * An entry is written high half first: its valid bit is in the low half, and
 * the card may walk at any time.  Every change ends with an invalidation
 * [§6.5]: the card may remember that an address had no page, too.
 */
#include "device.h"

struct table {
	u64 addr;			/* in video memory		*/
	u32 entries;
	struct table *child[];		/* none below the last level	*/
};

static u32 level_entries(const struct vas *vas, unsigned int level)
{
	const struct mmu_level *l = &vas->format->level[level];

	if (level == 0)
		return ((vas->limit - 1) >> l->shift) + 1;
	return 1u << l->bits;
}

static bool is_leaf(const struct vas *vas, unsigned int level)
{
	return level == vas->format->levels - 1u;
}

static struct table *table_new(struct vas *vas, unsigned int level)
{
	u32 entries = level_entries(vas, level);
	u32 size = entries * vas->format->level[level].entry_size;
	u32 children = is_leaf(vas, level) ? 0 : entries;
	struct table *table;

	table = kzalloc(sizeof(*table) + children * sizeof(struct table *),
			GFP_KERNEL);
	if (!table)
		return NULL;
	table->entries = entries;
	if (gpu_vram_alloc(vas->gpu, size, &table->addr)) {
		kfree(table);
		return NULL;
	}
	pramin_clear(vas->gpu, table->addr, size);
	return table;
}

static void table_free(struct vas *vas, struct table *table,
		       unsigned int level)
{
	if (!table)
		return;
	for (u32 i = 0; !is_leaf(vas, level) && i < table->entries; i++)
		table_free(vas, table->child[i], level + 1);
	gpu_vram_free(vas->gpu, table->addr);
	kfree(table);
}

static void write_entry(struct gpu *gpu, u64 addr, u64 entry)
{
	pramin_wr32(gpu, addr + 4, upper_32_bits(entry));
	pramin_wr32(gpu, addr, lower_32_bits(entry));
}

/* The table below entry index of this one, made if need be. */
static struct table *table_below(struct vas *vas, struct table *table,
				 unsigned int level, u32 index)
{
	u32 size = vas->format->level[level].entry_size;
	u64 entry[2];
	struct table *child = table->child[index];

	if (child)
		return child;
	child = table_new(vas, level + 1);
	if (!child)
		return NULL;
	vas->format->pde(level, child->addr, entry);
	for (u32 word = 0; word < size / 8; word++)
		write_entry(vas->gpu, table->addr + index * size + word * 8,
			    entry[word]);
	table->child[index] = child;
	return child;
}

/* Where in video memory the entry of a page is; 0: no memory for tables. */
static u64 find_pte(struct vas *vas, u64 va)
{
	const struct mmu_level *levels = vas->format->level;
	struct table *table = vas->root;
	unsigned int level;

	for (level = 0; !is_leaf(vas, level); level++) {
		table = table_below(vas, table, level,
				    mmu_index(&levels[level], va));
		if (!table)
			return 0;
	}
	return table->addr +
		mmu_index(&levels[level], va) * levels[level].entry_size;
}

static void clear_ptes(struct vas *vas, u64 va, u64 size)
{
	for (u64 done = 0; done < size; done += MMU_PAGE) {
		u64 pte = find_pte(vas, va + done);

		/* Valid bit first, this time. */
		pramin_wr32(vas->gpu, pte, 0);
		pramin_wr32(vas->gpu, pte + 4, 0);
	}
}

int vas_map(struct vas *vas, enum mmu_aperture aperture, u64 phys, u64 size,
	    u64 *va)
{
	u64 done;
	int err;

	size = ALIGN(size, MMU_PAGE);
	err = extents_alloc(&vas->taken, size, MMU_PAGE, va);
	if (err)
		return err;

	for (done = 0; done < size; done += MMU_PAGE) {
		u64 pte = find_pte(vas, *va + done);

		err = -ENOMEM;
		if (!pte)
			goto clear;
		write_entry(vas->gpu, pte,
			    vas->format->pte(aperture, phys + done));
	}
	err = gpu_tlb_invalidate(vas->gpu, vas->root->addr);
	if (err)
		goto clear;
	return 0;

clear:
	clear_ptes(vas, *va, done);
	gpu_tlb_invalidate(vas->gpu, vas->root->addr);
	extents_free(&vas->taken, *va);
	return err;
}

void vas_unmap(struct vas *vas, u64 va, u64 size)
{
	clear_ptes(vas, va, ALIGN(size, MMU_PAGE));
	gpu_tlb_invalidate(vas->gpu, vas->root->addr);
	extents_free(&vas->taken, va);
}

void vas_write_instance(struct vas *vas, u64 inst)
{
	struct gpu *gpu = vas->gpu;
	u64 root = vas->root->addr, last = vas->limit - 1;

	pramin_wr32(gpu, inst + NV_RAMIN_PAGE_DIR_BASE_LO,
		    lower_32_bits(root) | vas->format->inst_flags);
	pramin_wr32(gpu, inst + NV_RAMIN_PAGE_DIR_BASE_HI,
		    upper_32_bits(root));
	pramin_wr32(gpu, inst + NV_RAMIN_ADR_LIMIT_LO, lower_32_bits(last));
	pramin_wr32(gpu, inst + NV_RAMIN_ADR_LIMIT_HI, upper_32_bits(last));
}

int vas_init(struct vas *vas, struct gpu *gpu, u64 base, u64 limit)
{
	vas->gpu = gpu;
	vas->format = gpu->chip->mmu;
	vas->limit = limit;
	extents_init(&vas->taken, base, limit);
	vas->root = table_new(vas, 0);
	return vas->root ? 0 : -ENOMEM;
}

void vas_fini(struct vas *vas)
{
	table_free(vas, vas->root, 0);
	extents_fini(&vas->taken);
}
