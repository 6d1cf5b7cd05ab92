/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Video memory for page tables, seen through BAR1 [§6.3].
 *
 * A thousand contexts have many thousand tables, in a few sizes.  To map each
 * by itself would cost pages of BAR1's own page table, an invalidation, and a
 * place in a list that is searched from its start.  So memory is taken in
 * slabs of 2 MiB, mapped whole; a slab holds tables of one size, with a bit
 * for each.  For every size there is a list of the slabs that have room, and
 * neither taking nor giving back looks at any other.
 *
 * The last slab of a size stays when it is empty: whoever makes and unmakes
 * one context over and over does not pay for it each time.
 */
#include "device.h"

#define SLAB_SIZE	(1ULL << SLAB_SHIFT)

struct slab {
	struct slab *next, **link;	/* in the list of those with room */
	u64 addr, bar1;
	u32 shift;			/* of a table's size		*/
	u32 used;
	u32 hint;			/* no room in words before this	*/
	u64 taken[];			/* a bit a table		*/
};

static u32 slab_tables(u32 shift)
{
	return 1u << (SLAB_SHIFT - shift);
}

static struct slab **room_of(struct gpu *gpu, u32 shift)
{
	return &gpu->tables.room[shift - TABLE_SHIFT];
}

static void slab_list(struct gpu *gpu, struct slab *slab)
{
	slab->link = room_of(gpu, slab->shift);
	slab->next = *slab->link;
	if (slab->next)
		slab->next->link = &slab->next;
	*slab->link = slab;
}

static void slab_unlist(struct slab *slab)
{
	*slab->link = slab->next;
	if (slab->next)
		slab->next->link = slab->link;
}

static int slab_make(struct gpu *gpu, u32 shift)
{
	u32 words = DIV_ROUND_UP(slab_tables(shift), 64);
	struct slab *slab = kzalloc(sizeof(*slab) + words * sizeof(u64),
				    GFP_KERNEL);
	int err;

	if (!slab)
		return -ENOMEM;
	slab->shift = shift;
	err = vram_alloc(gpu, SLAB_SIZE, SLAB_SIZE, &slab->addr);
	if (err)
		goto free_slab;
	err = kspace_map(&gpu->bar1, MMU_VRAM, slab->addr, SLAB_SIZE,
			 &slab->bar1);
	if (err)
		goto free_vram;
	slab_list(gpu, slab);
	return 0;

free_vram:
	vram_free(gpu, slab->addr);
free_slab:
	kfree(slab);
	return err;
}

static void slab_free(struct gpu *gpu, struct slab *slab)
{
	slab_unlist(slab);
	kspace_unmap(&gpu->bar1, slab->bar1, SLAB_SIZE);
	vram_free(gpu, slab->addr);
	kfree(slab);
}

void gpu_tables_fini(struct gpu *gpu)
{
	for (u32 shift = TABLE_SHIFT; shift <= SLAB_SHIFT; shift++) {
		while (*room_of(gpu, shift))
			slab_free(gpu, *room_of(gpu, shift));
	}
}

/* The number of a table of a slab that has room; it is taken. */
static u32 slab_take(struct slab *slab)
{
	u64 *word = &slab->taken[slab->hint];
	u32 bit;

	while (*word == ~0ULL)
		word++;
	bit = __builtin_ctzll(~*word);
	*word |= BIT_ULL(bit);
	slab->hint = word - slab->taken;
	if (++slab->used == slab_tables(slab->shift))
		slab_unlist(slab);
	return slab->hint * 64 + bit;
}

static void slab_give_back(struct gpu *gpu, struct slab *slab, u32 number)
{
	slab->taken[number / 64] &= ~BIT_ULL(number % 64);
	slab->hint = min(slab->hint, number / 64);
	if (slab->used-- == slab_tables(slab->shift))
		slab_list(gpu, slab);
	if (slab->used == 0 &&
	    (slab->next || *room_of(gpu, slab->shift) != slab))
		slab_free(gpu, slab);
}

int gpu_table_alloc(struct gpu *gpu, u64 size, struct table_mem *mem)
{
	struct slab *slab;
	int err = 0;
	u64 offset;
	u32 shift;

	if (size == 0 || size > SLAB_SIZE)
		return -ENOMEM;
	shift = max(TABLE_SHIFT, ilog2(roundup_pow_of_two(size)));
	mutex_lock(&gpu->lock);
	if (!*room_of(gpu, shift))
		err = slab_make(gpu, shift);
	if (err)
		goto unlock;
	slab = *room_of(gpu, shift);
	offset = (u64)slab_take(slab) << shift;
	mem->addr = slab->addr + offset;
	mem->size = size;
	mem->slab = slab;
	iosys_map_set_vaddr_iomem(&mem->map,
				  gpu_bar1_at(gpu, slab->bar1 + offset));
unlock:
	mutex_unlock(&gpu->lock);
	return err;
}

void gpu_table_free(struct gpu *gpu, struct table_mem *mem)
{
	struct gpu_bus *bus = gpu->bus;
	struct slab *slab = mem->slab;

	/* Before anybody else can have it. */
	if (bus->ops->table_freed)
		bus->ops->table_freed(bus, mem->addr, mem->size);
	mutex_lock(&gpu->lock);
	slab_give_back(gpu, slab, (mem->addr - slab->addr) >> slab->shift);
	mutex_unlock(&gpu->lock);
	memset(mem, 0, sizeof(*mem));
}
