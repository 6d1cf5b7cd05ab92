/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The driver's own address spaces [§6.4].
 *
 * There are three, made at bring-up: for BAR1, for BAR2, and for memory that
 * gpu_mem_alloc() gives out.  The page tables are in video memory, where the
 * card walks them; beside them we keep a tree of the same shape, so that we
 * never read one back.  Tables are made when a mapping first needs them and
 * kept until the space goes.
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

static u32 level_entries(const struct kspace *space, unsigned int level)
{
	const struct mmu_level *l = &space->format->level[level];

	if (level == 0)
		return ((space->limit - 1) >> l->shift) + 1;
	return 1u << l->bits;
}

static bool is_leaf(const struct kspace *space, unsigned int level)
{
	return level == space->format->levels - 1u;
}

static struct table *table_new(struct kspace *space, unsigned int level)
{
	u32 entries = level_entries(space, level);
	u32 size = entries * space->format->level[level].entry_size;
	u32 children = is_leaf(space, level) ? 0 : entries;
	struct table *table;

	table = kzalloc(sizeof(*table) + children * sizeof(struct table *),
			GFP_KERNEL);
	if (!table)
		return NULL;
	table->entries = entries;
	if (vram_alloc(space->gpu, size, MMU_PAGE, &table->addr)) {
		kfree(table);
		return NULL;
	}
	pramin_clear(space->gpu, table->addr, size);
	return table;
}

static void table_free(struct kspace *space, struct table *table,
		       unsigned int level)
{
	if (!table)
		return;
	for (u32 i = 0; !is_leaf(space, level) && i < table->entries; i++)
		table_free(space, table->child[i], level + 1);
	vram_free(space->gpu, table->addr);
	kfree(table);
}

static void write_entry(struct gpu *gpu, u64 addr, u64 entry)
{
	pramin_wr32(gpu, addr + 4, upper_32_bits(entry));
	pramin_wr32(gpu, addr, lower_32_bits(entry));
}

/* The table below entry index of this one, made if need be. */
static struct table *table_below(struct kspace *space, struct table *table,
				 unsigned int level, u32 index)
{
	u32 size = space->format->level[level].entry_size;
	u64 entry[2];
	struct table *child = table->child[index];

	if (child)
		return child;
	child = table_new(space, level + 1);
	if (!child)
		return NULL;
	space->format->pde(level, child->addr, entry);
	for (u32 word = 0; word < size / 8; word++)
		write_entry(space->gpu, table->addr + index * size + word * 8,
			    entry[word]);
	table->child[index] = child;
	return child;
}

/* Where in video memory the entry of a page is; 0: no memory for tables. */
static u64 find_pte(struct kspace *space, u64 va)
{
	const struct mmu_level *levels = space->format->level;
	struct table *table = space->root;
	unsigned int level;

	for (level = 0; !is_leaf(space, level); level++) {
		table = table_below(space, table, level,
				    mmu_index(&levels[level], va));
		if (!table)
			return 0;
	}
	return table->addr +
		mmu_index(&levels[level], va) * levels[level].entry_size;
}

static void clear_ptes(struct kspace *space, u64 va, u64 size)
{
	for (u64 done = 0; done < size; done += MMU_PAGE) {
		u64 pte = find_pte(space, va + done);

		/* Valid bit first, this time. */
		pramin_wr32(space->gpu, pte, 0);
		pramin_wr32(space->gpu, pte + 4, 0);
		cond_resched();
	}
}

int kspace_map(struct kspace *space, enum mmu_aperture aperture, u64 phys,
	       u64 size, u64 *va)
{
	u64 done;
	int err;

	size = ALIGN(size, MMU_PAGE);
	err = extents_alloc(&space->taken, size, MMU_PAGE, va);
	if (err)
		return err;

	for (done = 0; done < size; done += MMU_PAGE) {
		u64 pte = find_pte(space, *va + done);

		err = -ENOMEM;
		if (!pte)
			goto clear;
		err = -EINTR;		/* nobody is there to see it */
		if (fatal_signal_pending(current))
			goto clear;
		write_entry(space->gpu, pte,
			    space->format->pte(aperture, phys + done));
		cond_resched();
	}
	err = gpu_tlb_invalidate(space->gpu, space->root->addr);
	if (err)
		goto clear;
	return 0;

clear:
	clear_ptes(space, *va, done);
	gpu_tlb_invalidate(space->gpu, space->root->addr);
	extents_free(&space->taken, *va);
	return err;
}

void kspace_unmap(struct kspace *space, u64 va, u64 size)
{
	clear_ptes(space, va, ALIGN(size, MMU_PAGE));
	gpu_tlb_invalidate(space->gpu, space->root->addr);
	extents_free(&space->taken, va);
}

void kspace_instance(const struct kspace *space, u32 words[4])
{
	u64 root = space->root->addr, last = space->limit - 1;

	words[0] = lower_32_bits(root) | space->format->inst_flags;
	words[1] = upper_32_bits(root);
	words[2] = lower_32_bits(ALIGN_DOWN(last, MMU_PAGE));
	words[3] = upper_32_bits(last);
}

void kspace_write_instance(const struct kspace *space, u64 inst)
{
	u32 words[4];

	kspace_instance(space, words);
	for (u32 i = 0; i < ARRAY_SIZE(words); i++)
		pramin_wr32(space->gpu, inst + NV_RAMIN_PAGE_DIR_BASE_LO +
			    4 * i, words[i]);
}

int kspace_init(struct kspace *space, struct gpu *gpu, u64 base, u64 limit)
{
	space->gpu = gpu;
	space->format = gpu->chip->mmu;
	space->limit = limit;
	extents_init(&space->taken, base, limit);
	space->root = table_new(space, 0);
	return space->root ? 0 : -ENOMEM;
}

void kspace_fini(struct kspace *space)
{
	table_free(space, space->root, 0);
	extents_fini(&space->taken);
}
