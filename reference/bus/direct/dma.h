/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* DMA memory of the direct link, and the addresses a card knows it by. */
#ifndef DIRECT_DMA_H
#define DIRECT_DMA_H

#include "port.h"

struct dma_space;

/* Addresses below 2^mask_bits, scattered by the seed.  NULL: no memory. */
struct dma_space *dma_space_new(unsigned int mask_bits, u64 seed);
/* All memory must have been freed; what was not is reported and freed. */
void dma_space_free(struct dma_space *space);

/* Zeroed, page aligned.  0, -ENOMEM. */
int dma_space_alloc(struct dma_space *space, size_t size, void **cpu,
		    u64 *dma);
void dma_space_release(struct dma_space *space, size_t size, void *cpu,
		       u64 dma);

/* The CPU's pointer for len bytes at a DMA address, or NULL. */
void *dma_space_find(const struct dma_space *space, u64 dma, size_t len);

/* The DMA address of a page of memory that was allocated; 0 or -EFAULT. */
int dma_space_address(const struct dma_space *space, u64 cpu, u64 *dma);

#endif
