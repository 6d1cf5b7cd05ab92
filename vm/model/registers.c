/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The register space, BAR0 [§2.2].
 *
 * The tables of vm/spec are expanded once per card into pages of 1024 words:
 * each word knows the table line it came from, and what is stored there.  One
 * function (reg_write) enforces what the tables say about access, for every
 * register of every block; blocks only add what a register *does*.
 *
 * A word that no table has answers 0xbadf1100; one whose unit is off,
 * 0xbad00100: the patterns that drivers of the real chips look for.
 */
#include <stdlib.h>

#include "vm/model/registers.h"

#define PAGES		4096
#define PAGE_WORDS	(CARD_PAGE / 4)
#define NO_REGISTER	0xbadf1100u
#define UNIT_IS_OFF	0xbad00100u
#define PRAMIN_FIRST	0x700000
#define PRAMIN_LAST	0x7fffff

/* Lines of the tables, numbered; fields find their line by it. */
enum reg_line {
#define REG(name, offset, access, reset, chips, doc, source) LINE_##name,
#define REGS(name, offset, stride, count, access, reset, chips, doc, source) \
	LINE_##name,
#define FIELD(reg, name, range, doc)
#define VALUE(field, name, value, doc)
#include "vm/model/bar0.def"
#undef REG
#undef REGS
#undef FIELD
	LINES
};

#define RO	REG_RO
#define RW	REG_RW
#define W1C	REG_W1C
#define WO	REG_WO
#define SET	REG_SET_OTHER
#define CLR	REG_CLR_OTHER
#define MEM	REG_MEM
#define ALL	REG_ALL
#define GM200	REG_GM200
#define GP100	REG_GP100
#define GP102	REG_GP102
#define PASCAL	REG_PASCAL

static const struct reg_desc line_desc[LINES] = {
#define REG(name, offset, access, reset, chips, doc, source) \
	{ #name, offset, 0, 1, access, reset, chips, doc, source },
#define REGS(name, offset, stride, count, access, reset, chips, doc, source) \
	{ #name, offset, stride, count, access, reset, chips, doc, source },
#define FIELD(reg, name, range, doc)
#include "vm/model/bar0.def"
#undef REG
#undef REGS
#undef FIELD
};

static const struct {
	uint16_t line, field;
} line_field[] = {
#define REG(name, offset, access, reset, chips, doc, source)
#define REGS(name, offset, stride, count, access, reset, chips, doc, source)
#define FIELD(reg, name, range, doc) { LINE_##reg, FIELD_MAKE(range) },
#include "vm/model/bar0.def"
#undef REG
#undef REGS
#undef FIELD
#undef VALUE
};

struct reg_page {
	uint16_t line[PAGE_WORDS];	/* + 1; 0: no register */
	uint32_t value[PAGE_WORDS];
};

static bool line_exists(const struct card *card, unsigned int line)
{
	return line_desc[line].chips & card->chip->chips &&
		(card->additions || line < LINE_NV_ADDITION_ID);
}

static struct reg_page *page_of(const struct card *card, uint32_t offset)
{
	return card->pages[offset / CARD_PAGE % PAGES];
}

static int line_expand(struct card *card, unsigned int line)
{
	const struct reg_desc *desc = &line_desc[line];

	for (unsigned int i = 0; i < desc->count; i++) {
		uint32_t offset = desc->offset + i * desc->stride;
		struct reg_page **page = &card->pages[offset / CARD_PAGE];

		if (!*page)
			*page = calloc(1, sizeof(**page));
		if (!*page)
			return -ENOMEM;
		(*page)->line[offset % CARD_PAGE / 4] = line + 1;
	}
	return 0;
}

int regs_init(struct card *card)
{
	card->pages = calloc(PAGES, sizeof(*card->pages));
	card->regs = calloc(LINES, sizeof(*card->regs));
	if (!card->pages || !card->regs)
		goto free_all;

	for (size_t i = 0; i < array_size(line_field); i++)
		card->regs[line_field[i].line].fields |=
			REG_FIELD_MASK(line_field[i].field);
	for (unsigned int line = 0; line < LINES; line++) {
		card->regs[line].desc = &line_desc[line];
		if (!card->regs[line].fields)
			card->regs[line].fields = ~0u;
		if (line_exists(card, line) && line_expand(card, line))
			goto free_all;
	}
	return 0;

free_all:
	regs_fini(card);
	return -ENOMEM;
}

void regs_fini(struct card *card)
{
	for (size_t i = 0; card->pages && i < PAGES; i++)
		free(card->pages[i]);
	free(card->pages);
	free(card->regs);
	card->pages = NULL;
	card->regs = NULL;
}

int card_block_add(struct card *card, const struct card_block *block)
{
	if (card->block_count == CARD_BLOCKS)
		return -ENOSPC;
	card->blocks[card->block_count++] = block;
	for (unsigned int line = 0; line < LINES; line++) {
		uint32_t offset = line_desc[line].offset;

		if (block->first <= offset && offset <= block->last)
			card->regs[line].block = block;
	}
	return 0;
}

static const struct card_reg *reg_find(const struct card *card,
				       uint32_t offset)
{
	const struct reg_page *page = page_of(card, offset);
	unsigned int line = page ? page->line[offset % CARD_PAGE / 4] : 0;

	return line ? &card->regs[line - 1] : NULL;
}

uint32_t *card_reg(struct card *card, uint32_t offset)
{
	struct reg_page *page = page_of(card, offset);
	unsigned int word = offset % CARD_PAGE / 4;

	return page && page->line[word] ? &page->value[word] : NULL;
}

void card_regs_reset(struct card *card, uint32_t first, uint32_t last)
{
	uint32_t offset;

	for (offset = first & ~3u; offset <= last; offset += 4) {
		struct reg_page *page = page_of(card, offset);
		unsigned int line;

		if (!page) {
			offset |= CARD_PAGE - 4;
			continue;
		}
		line = page->line[offset % CARD_PAGE / 4];
		if (line)
			page->value[offset % CARD_PAGE / 4] =
				line_desc[line - 1].reset;
	}
}

void regs_reset(struct card *card)
{
	card_regs_reset(card, 0, PAGES * CARD_PAGE - 1);
}

const char *card_register_name(const struct card *card, uint64_t offset)
{
	const struct card_reg *reg;

	if (offset >= (uint64_t)PAGES * CARD_PAGE)
		return NULL;
	if (offset >= PCI_MIRROR && offset < PCI_MIRROR + 4096)
		return pci_register_name(offset - PCI_MIRROR);
	if (offset >= PRAMIN_FIRST && offset <= PRAMIN_LAST)
		return "PRAMIN";
	reg = reg_find(card, offset & ~3ULL);
	return reg ? reg->desc->name : NULL;
}

static unsigned int reg_index(const struct reg_desc *desc, uint32_t offset)
{
	return desc->stride ? (offset - desc->offset) / desc->stride : 0;
}

static bool unit_is_on(struct card *card, const struct card_reg *reg,
		       uint32_t offset)
{
	const struct card_block *block = reg->block;

	if (!block)
		return true;
	if (block->enable && !pmc_enabled(card, block->enable))
		return false;
	return !block->enabled || block->enabled(card, offset);
}

/* NULL, and reported: no register, or its unit is off. */
static const struct card_reg *reg_reach(struct card *card, uint32_t offset,
					bool write, uint32_t value,
					uint32_t *answer)
{
	const struct card_reg *reg = reg_find(card, offset);

	if (!reg) {
		*answer = NO_REGISTER;
		card_report(card, RULE_UNMODELLED, CARD_NO_CHANNEL,
			    "a register that this card has|%s at 0x%06x",
			    write ? "a write" : "a read", offset);
		pbus_error(card, offset, write, value, NO_REGISTER,
			   NV_PBUS_INTR_0_PRI_FECSERR);
		return NULL;
	}
	if (!unit_is_on(card, reg, offset)) {
		*answer = UNIT_IS_OFF;
		card_report(card, RULE_PRIV_DISABLED, CARD_NO_CHANNEL,
			    "the unit of %s enabled in NV_PMC_ENABLE|"
			    "%s while it is off",
			    reg->desc->name, write ? "a write" : "a read");
		pbus_error(card, offset, write, value, UNIT_IS_OFF,
			   NV_PBUS_INTR_0_PRI_SQUASH);
		return NULL;
	}
	return reg;
}

static uint32_t reg_read(struct card *card, uint32_t offset)
{
	uint32_t answer;
	const struct card_reg *reg = reg_reach(card, offset, false, 0,
					       &answer);
	const struct reg_desc *desc;

	if (!reg)
		return answer;
	desc = reg->desc;
	if (desc->access == REG_WO || desc->access == REG_SET_OTHER ||
	    desc->access == REG_CLR_OTHER)
		return 0;
	answer = *card_reg(card, offset);
	if (reg->block && reg->block->read)
		answer = reg->block->read(card, desc, reg_index(desc, offset),
					  answer);
	return answer;
}

static void reg_write(struct card *card, uint32_t offset, uint32_t value)
{
	uint32_t answer, old;
	const struct card_reg *reg = reg_reach(card, offset, true, value,
					       &answer);
	uint32_t *stored;

	if (!reg)
		return;
	if (reg->desc->access == REG_RO) {
		card_report(card, RULE_READ_ONLY, CARD_NO_CHANNEL,
			    "no write to %s|0x%08x", reg->desc->name, value);
		return;
	}
	if (value & ~reg->fields) {
		card_report(card, RULE_RESERVED_BITS, CARD_NO_CHANNEL,
			    "%s with bits of 0x%08x|0x%08x", reg->desc->name,
			    reg->fields, value);
		value &= reg->fields;
	}
	stored = card_reg(card, offset);
	old = *stored;
	if (reg->desc->access == REG_RW)
		*stored = value;
	else if (reg->desc->access == REG_W1C)
		*stored &= ~value;
	if (reg->block && reg->block->write)
		reg->block->write(card, reg->desc,
				  reg_index(reg->desc, offset), value, old);
}

static bool in_mirror(uint32_t offset)
{
	return offset >= PCI_MIRROR && offset < PCI_MIRROR + 4096;
}

static bool word_access(struct card *card, uint32_t offset, unsigned int size)
{
	if (size == 4)
		return true;
	card_report(card, RULE_ACCESS_SIZE, CARD_NO_CHANNEL,
		    "4 bytes at a register|%u bytes at 0x%06x", size, offset);
	return false;
}

uint64_t regs_read(struct card *card, uint32_t offset, unsigned int size)
{
	if (offset >= PRAMIN_FIRST && offset <= PRAMIN_LAST)
		return pramin_read(card, offset - PRAMIN_FIRST, size);
	if (in_mirror(offset) && size <= 4)
		return pci_read(card, offset - PCI_MIRROR, size);
	if (!word_access(card, offset, size))
		return ~0ULL >> (64 - 8 * size);
	return reg_read(card, offset);
}

void regs_write(struct card *card, uint32_t offset, unsigned int size,
		uint64_t value)
{
	if (offset >= PRAMIN_FIRST && offset <= PRAMIN_LAST)
		pramin_write(card, offset - PRAMIN_FIRST, size, value);
	else if (in_mirror(offset) && size <= 4)
		pci_write(card, offset - PCI_MIRROR, size, value, true);
	else if (word_access(card, offset, size))
		reg_write(card, offset, value);
}
