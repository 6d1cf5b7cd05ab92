/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Address spaces, and memory by virtual address [§6.4], [§8.1].
 *
 * An access may span pages; each is translated on its own, and one that
 * faults half-way has done the first half.  So does the hardware.
 */
#include "vm/model/mmu.h"

int card_va_read(struct card *card, struct mem_who who,
		 const struct mem_space *space, uint64_t va, void *buf,
		 size_t len, struct mem_fault *fault)
{
	uint8_t *to = buf;

	while (len) {
		struct mem_place place;
		size_t part;
		int err = card_va_translate(card, who, space, va, false,
					    &place, fault);

		if (err)
			return err;
		part = place.left < len ? place.left : len;
		if (place.sparse)
			memset(to, 0, part);
		else if (card_mem_read(card, who, place.aperture, place.addr,
				       to, part))
			goto no_answer;
		va += part;
		to += part;
		len -= part;
	}
	return 0;

no_answer:
	*fault = (struct mem_fault){ .va = va, .type = FAULT_APERTURE };
	return -EFAULT;
}

int card_va_write(struct card *card, struct mem_who who,
		  const struct mem_space *space, uint64_t va,
		  const void *buf, size_t len, struct mem_fault *fault)
{
	const uint8_t *from = buf;

	while (len) {
		struct mem_place place;
		size_t part;
		int err = card_va_translate(card, who, space, va, true,
					    &place, fault);

		if (err)
			return err;
		part = place.left < len ? place.left : len;
		if (!place.sparse &&
		    card_mem_write(card, who, place.aperture, place.addr,
				   from, part))
			goto no_answer;
		va += part;
		from += part;
		len -= part;
	}
	return 0;

no_answer:
	*fault = (struct mem_fault){
		.va = va, .type = FAULT_APERTURE, .write = true,
	};
	return -EFAULT;
}

const void *card_va_peek(struct card *card, struct mem_who who,
			 const struct mem_space *space, uint64_t va,
			 size_t len)
{
	struct mem_place place;
	struct mem_fault fault;

	if (card_va_translate(card, who, space, va, false, &place, &fault) ||
	    place.left < len || place.sparse)
		return NULL;
	return card_mem_peek(card, who, place.aperture, place.addr, len);
}

/* On Maxwell the memory interface may overrule the instance block. */
static uint8_t big_shift(const struct card *card, uint32_t word)
{
	uint32_t ctrl = *card_reg((struct card *)card, NV_PFB_PRI_MMU_CTRL);
	bool is_64k = REG_GET(NV_RAMIN_BIG_PAGE_SIZE, word);

	if (!card->chip->pascal &&
	    REG_GET(NV_PFB_PRI_MMU_CTRL_USE_PDB_BIG_PAGE_SIZE, ctrl) != 3)
		is_64k = REG_GET(NV_PFB_PRI_MMU_CTRL_VM_PG_SIZE, ctrl);
	return is_64k ? 16 : 17;
}

void card_space_decode(const struct card *card, const uint32_t word[4],
		       struct mem_space *space)
{
	uint32_t high = card->chip->pascal ? word[1] : word[1] & 0xff;

	*space = (struct mem_space){
		.root = (uint64_t)high << 32 | (word[0] & ~0xfffu),
		.limit = (uint64_t)word[3] << 32 | word[2] | 0xfff,
		.aperture = (enum mem_aperture)
			REG_GET(NV_RAMIN_PAGE_DIR_BASE_TARGET, word[0]),
		.format2 = card->chip->pascal &&
			REG_GET(NV_RAMIN_USE_VER2_PT_FORMAT, word[0]),
		.big_shift = big_shift(card, word[0]),
		.valid = true,
	};
}

int card_space_load(struct card *card, struct mem_who who,
		    enum mem_aperture aperture, uint64_t inst,
		    struct mem_space *space)
{
	uint32_t word[4];

	*space = (struct mem_space){ 0 };
	if (card_mem_read(card, who, aperture,
			  inst + NV_RAMIN_PAGE_DIR_BASE_LO, word, sizeof(word)))
		return -EFAULT;
	card_space_decode(card, word, space);
	tables_root(card, space);
	return 0;
}
