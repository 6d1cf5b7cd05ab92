/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Memory that the card may use, and nothing else.
 *
 * Every allocation is a mapping in the IOMMU: pages of ours, pinned, at an
 * address that is chosen here.  What is not mapped the card cannot reach; a
 * driver that frees memory the card still uses gives a fault of the IOMMU in
 * the kernel's log, and not somebody else's memory.
 *
 * User space has no write-combining memory: what mmap() gives is cached, and
 * the kernel offers no other.  DMA_WRITE_COMBINE is therefore cached memory,
 * too.  That is more order than was asked for, if the card's reads look into
 * the caches.  Page tables name such memory non-coherent, and the card would
 * be free to set "no snoop" in its requests; so the bit that allows it to is
 * cleared in its configuration space, before DMA is.
 *
 * A child of fork() must not have the pages: were they copied when the parent
 * writes, the card would go on with the old ones.
 */
#include <linux/vfio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "link.h"

/* What a kernel allows that does not say (its module's dma_entry_limit). */
#define MAPS_USUAL	65535u

/* The information of the IOMMU with its chain of capabilities; to free(). */
static int info_read(const struct vfio *vfio,
		     struct vfio_iommu_type1_info **out)
{
	struct vfio_iommu_type1_info head = { .argsz = sizeof(head) }, *info;
	int err;

	err = vfio->os->ioctl(vfio->container, VFIO_IOMMU_GET_INFO, &head);
	if (err)
		return err;
	if (head.argsz < sizeof(head) || head.argsz > 1u << 20)
		return -EOPNOTSUPP;
	info = calloc(1, head.argsz);
	if (!info)
		return -ENOMEM;
	info->argsz = head.argsz;
	err = vfio->os->ioctl(vfio->container, VFIO_IOMMU_GET_INFO, info);
	if (err) {
		free(info);
		return err;
	}
	/* It may have grown meanwhile: what is here is what we asked for. */
	info->argsz = head.argsz;
	*out = info;
	return 0;
}

/* A capability by its id, with at least size bytes behind its offset. */
static const void *cap_find(const struct vfio_iommu_type1_info *info, u16 id,
			    size_t size)
{
	u32 at = info->flags & VFIO_IOMMU_INFO_CAPS ? info->cap_offset : 0;

	for (int i = 0; i < 64 && at >= sizeof(*info); i++) {
		const struct vfio_info_cap_header *header;

		if (at > info->argsz || info->argsz - at < sizeof(*header))
			return NULL;
		header = (const void *)((const char *)info + at);
		if (header->id == id)
			return info->argsz - at < size ? NULL : header;
		at = header->next;
	}
	return NULL;
}

/* As many ranges as are there, at most max. */
static unsigned int ranges_read(const struct vfio_iommu_type1_info *info,
				struct iova_range *ranges, unsigned int max)
{
	const struct vfio_iommu_type1_info_cap_iova_range *cap;
	size_t room;
	unsigned int n = 0;

	cap = cap_find(info, VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE,
		       sizeof(*cap));
	if (!cap) {
		ranges[0] = (struct iova_range){ 0, ~0ULL };
		return 1;
	}
	room = info->argsz - (size_t)((const char *)cap - (const char *)info) -
		sizeof(*cap);
	max = min_t(size_t, max, room / sizeof(cap->iova_ranges[0]));
	for (; n < cap->nr_iovas && n < max; n++)
		ranges[n] = (struct iova_range){
			cap->iova_ranges[n].start, cap->iova_ranges[n].end,
		};
	return n;
}

static u32 maps_read(const struct vfio_iommu_type1_info *info)
{
	const struct vfio_iommu_type1_info_dma_avail *cap;

	cap = cap_find(info, VFIO_IOMMU_TYPE1_INFO_DMA_AVAIL, sizeof(*cap));
	return cap ? cap->avail : MAPS_USUAL;
}

/* A keeper's container may hold what the program before us mapped. */
static void unmap_all(const struct vfio *vfio)
{
	struct vfio_iommu_type1_dma_unmap unmap = {
		.argsz = sizeof(unmap), .flags = VFIO_DMA_UNMAP_FLAG_ALL,
	};

	if (vfio->kept &&
	    vfio->os->ioctl(vfio->container, VFIO_IOMMU_UNMAP_DMA, &unmap))
		pr_err("%s: old mappings may be left\n", vfio->name);
}

int vfio_dma_init(struct vfio *vfio, unsigned int dma_bits)
{
	struct iova_range ranges[IOVA_RANGES - 1];
	struct vfio_iommu_type1_info *info;
	unsigned int n;
	u64 page;
	int err;

	unmap_all(vfio);
	err = info_read(vfio, &info);
	if (err)
		return err;
	page = sysconf(_SC_PAGESIZE);
	if (info->flags & VFIO_IOMMU_INFO_PGSIZES && info->iova_pgsizes)
		page = max(page, info->iova_pgsizes & -info->iova_pgsizes);
	n = ranges_read(info, ranges, ARRAY_SIZE(ranges));
	vfio->maps_left = maps_read(info);
	free(info);
	err = iova_init(&vfio->iova, ranges, n, (1ULL << dma_bits) - 1, page);
	if (err)
		pr_err("%s: the IOMMU has no address of %u bits\n",
		       vfio->name, dma_bits);
	return err;
}

/* With the lock. */
static int dma_map(struct vfio *vfio, struct vfio_dma *dma)
{
	struct vfio_iommu_type1_dma_map map = {
		.argsz = sizeof(map),
		.flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE,
		.vaddr = (uintptr_t)dma->cpu, .size = dma->size,
	};
	int err;

	if (!vfio->maps_left) {
		pr_err("%s: no mapping is left in the IOMMU\n", vfio->name);
		return -ENOMEM;
	}
	err = iova_alloc(&vfio->iova, dma->size, &dma->iova);
	if (err)
		return -ENOMEM;
	map.iova = dma->iova;
	err = vfio->os->ioctl(vfio->container, VFIO_IOMMU_MAP_DMA, &map);
	if (err) {
		pr_err("%s: %zu bytes for DMA: %s%s\n", vfio->name, dma->size,
		       strerror(-err), err == -ENOMEM ?
		       " (locked memory: ulimit -l)" : "");
		iova_free(&vfio->iova, dma->iova);
		return -ENOMEM;
	}
	vfio->maps_left--;
	return 0;
}

static void dma_unmap(struct vfio *vfio, const struct vfio_dma *dma)
{
	struct vfio_iommu_type1_dma_unmap unmap = {
		.argsz = sizeof(unmap), .iova = dma->iova, .size = dma->size,
	};
	int err;

	err = vfio->os->ioctl(vfio->container, VFIO_IOMMU_UNMAP_DMA, &unmap);
	if (err)
		pr_err("%s: DMA address %#llx is not unmapped: %s\n",
		       vfio->name, (unsigned long long)dma->iova,
		       strerror(-err));
	iova_free(&vfio->iova, dma->iova);
	vfio->maps_left++;
}

int vfio_dma_alloc(struct gpu_bus *bus, size_t size, enum dma_kind kind,
		   void **cpu, u64 *dma_addr)
{
	struct vfio *vfio = to_vfio(bus);
	struct vfio_dma *dma;
	int err;

	(void)kind;
	if (!size || size > SIZE_MAX - vfio->iova.page)
		return -ENOMEM;
	dma = kzalloc(sizeof(*dma), GFP_KERNEL);
	if (!dma)
		return -ENOMEM;
	dma->size = ALIGN(size, vfio->iova.page);
	err = vfio->os->map(NULL, dma->size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0,
			    &dma->cpu);
	if (err)
		goto free_dma;
	madvise(dma->cpu, dma->size, MADV_DONTFORK);
	pthread_mutex_lock(&vfio->lock);
	err = dma_map(vfio, dma);
	if (!err) {
		dma->next = vfio->dma;
		vfio->dma = dma;
	}
	pthread_mutex_unlock(&vfio->lock);
	if (err)
		goto unmap;
	*cpu = dma->cpu;
	*dma_addr = dma->iova;
	return 0;

unmap:
	munmap(dma->cpu, dma->size);
free_dma:
	kfree(dma);
	return -ENOMEM;
}

/* Unmapped for the card first: the pages may be anybody's afterwards. */
static void dma_release(struct vfio *vfio, struct vfio_dma **link)
{
	struct vfio_dma *dma = *link;

	*link = dma->next;
	dma_unmap(vfio, dma);
	munmap(dma->cpu, dma->size);
	kfree(dma);
}

void vfio_dma_free(struct gpu_bus *bus, size_t size, void *cpu, u64 dma_addr)
{
	struct vfio *vfio = to_vfio(bus);
	struct vfio_dma **link;

	pthread_mutex_lock(&vfio->lock);
	link = &vfio->dma;
	while (*link && (*link)->cpu != cpu)
		link = &(*link)->next;
	if (*link && (*link)->iova == dma_addr &&
	    (*link)->size == ALIGN(size, vfio->iova.page))
		dma_release(vfio, link);
	else
		pr_err("dma_free: no such memory: %p, DMA %#llx, %zu bytes\n",
		       cpu, (unsigned long long)dma_addr, size);
	pthread_mutex_unlock(&vfio->lock);
}

void vfio_dma_fini(struct vfio *vfio)
{
	if (vfio->dma)
		pr_err("%s: DMA memory was not freed\n", vfio->name);
	while (vfio->dma)
		dma_release(vfio, &vfio->dma);
	iova_fini(&vfio->iova);
}
