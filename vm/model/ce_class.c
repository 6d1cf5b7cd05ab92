/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The copy class: methods that describe a copy, and LAUNCH_DMA [§10.1].
 *
 * Methods only store; the state belongs to the channel.  LAUNCH_DMA takes a
 * picture of it and queues that.  One class per chip; the differences are the
 * width of addresses and which class number SET_OBJECT takes.
 */
#include "vm/model/ce.h"

bool ce_takes_class(const struct card *card, uint32_t class)
{
	/* GP102 accepts GP100's class too. */
	return class == card->chip->copy_class ||
	       (card->chip->copy_class == PASCAL_DMA_COPY_B &&
		class == PASCAL_DMA_COPY_A);
}

static uint64_t upper(const struct card *card, uint32_t value)
{
	return (uint64_t)(value & (card->chip->pascal ? 0x1ffff : 0xff)) << 32;
}

static enum method_result trap(struct pbdma *p, unsigned int field)
{
	p->hce_error = field;
	return METHOD_TRAP;
}

static enum method_result set_render(struct card *card, struct pbdma *p,
				     uint32_t data)
{
	struct ce_class *class = &p->channel->ce;

	if (data > NVC0B5_SET_RENDER_ENABLE_C_MODE_RENDER_IF_NOT_EQUAL) {
		card_report(card, RULE_COPY_ARGUMENT, p->channel->id,
			    "a render-enable mode from 0 to 4|mode %u", data);
		return trap(p, NV_PPBDMA_INTR_1_HCE_RE_ILLEGAL_OP);
	}
	if (data >= NVC0B5_SET_RENDER_ENABLE_C_MODE_CONDITIONAL &&
	    class->render[1] & 15) {
		card_report(card, RULE_COPY_ARGUMENT, p->channel->id,
			    "a render-enable address on a multiple of 16|"
			    "0x%08x",
			    class->render[1]);
		return trap(p, NV_PPBDMA_INTR_1_HCE_RE_ALIGNB);
	}
	class->render[2] = data;
	class->render_set = true;
	return METHOD_DONE;
}

/* Does this launch move data?  -EFAULT: its condition could not be read. */
static int rendering(struct card *card, struct pbdma *p)
{
	const struct ce_class *class = &p->channel->ce;
	uint64_t va = upper(card, class->render[0]) | class->render[1];
	uint32_t word[5];

	if (!class->render_set)
		return 1;
	switch (class->render[2]) {
	case NVC0B5_SET_RENDER_ENABLE_C_MODE_FALSE:
		return 0;
	case NVC0B5_SET_RENDER_ENABLE_C_MODE_TRUE:
		return 1;
	}
	if (channel_read(card, p->channel, pbdma_mmu_engine(card, p),
			 CARD_DMA_SEMAPHORE, va, word, sizeof(word)))
		return -EFAULT;
	switch (class->render[2]) {
	case NVC0B5_SET_RENDER_ENABLE_C_MODE_CONDITIONAL:
		return word[0] != 0;
	case NVC0B5_SET_RENDER_ENABLE_C_MODE_RENDER_IF_EQUAL:
		return word[0] == word[4];
	default:
		return word[0] != word[4];
	}
}

static void describe_end(const struct card *card, const struct ce_class *class,
			 unsigned int which, uint32_t word,
			 struct ce_end *end)
{
	static const enum mem_aperture target[] = {
		MEM_VRAM, MEM_SYS_COHERENT, MEM_SYS_NONCOHERENT, MEM_PEER,
	};

	end->addr = upper(card, class->offset[2 * which]) |
		    class->offset[2 * which + 1];
	end->pitch = (int32_t)class->pitch[which];
	end->physical = which ? REG_GET(NVC0B5_LAUNCH_DMA_DST_TYPE, word) :
				REG_GET(NVC0B5_LAUNCH_DMA_SRC_TYPE, word);
	end->aperture = target[class->phys[which] & 3];
}

static uint32_t selector(uint32_t components, unsigned int i)
{
	return components >> 4 * i & 7;
}

static void describe_remap(struct ce_launch *l, const struct ce_class *class)
{
	uint32_t c = class->remap[2];
	uint32_t size = REG_GET(NVC0B5_SET_REMAP_COMPONENTS_COMPONENT_SIZE, c)
			+ 1;
	uint32_t n = REG_GET(NVC0B5_SET_REMAP_COMPONENTS_NUM_DST_COMPONENTS, c)
		     + 1;
	unsigned int i;

	l->components = c;
	l->consts[0] = class->remap[0];
	l->consts[1] = class->remap[1];
	l->dst_size = n * size;
	l->src_size = size *
		(REG_GET(NVC0B5_SET_REMAP_COMPONENTS_NUM_SRC_COMPONENTS, c) +
		 1);
	for (i = 0; i < n; i++) {
		l->reads |= selector(c, i) <= 3;
		l->keeps |= selector(c, i) ==
			    NVC0B5_SET_REMAP_COMPONENTS_DST_X_NO_WRITE;
	}
}

static void describe(struct card *card, struct channel *c, uint32_t word,
		     struct ce_launch *l)
{
	const struct ce_class *class = &c->ce;

	*l = (struct ce_launch){ .channel = c, .word = word };
	describe_end(card, class, 0, word, &l->src);
	describe_end(card, class, 1, word, &l->dst);
	l->semaphore = upper(card, class->semaphore[0]) | class->semaphore[1];
	l->payload = class->semaphore[2];
	l->length = class->line_length;
	l->lines = REG_GET(NVC0B5_LAUNCH_DMA_MULTI_LINE_ENABLE, word) ?
		   class->line_count : 1;
	l->moves = REG_GET(NVC0B5_LAUNCH_DMA_DATA_TRANSFER_TYPE, word) !=
		   NVC0B5_LAUNCH_DMA_DATA_TRANSFER_TYPE_NONE;
	l->src_size = l->dst_size = 1;
	l->reads = true;
	if (REG_GET(NVC0B5_LAUNCH_DMA_REMAP_ENABLE, word)) {
		l->reads = false;
		describe_remap(l, class);
	}
}

static uint32_t bad_selector(const struct ce_launch *l)
{
	uint32_t n = 0, i, c = l->components;

	if (REG_GET(NVC0B5_LAUNCH_DMA_REMAP_ENABLE, l->word))
		n = REG_GET(NVC0B5_SET_REMAP_COMPONENTS_NUM_DST_COMPONENTS,
			    c) + 1;
	for (i = 0; i < n; i++) {
		uint32_t s = selector(c, i);

		if (s == 7 || (s <= 3 && s >
		    REG_GET(NVC0B5_SET_REMAP_COMPONENTS_NUM_SRC_COMPONENTS,
			    c)))
			return true;
	}
	return false;
}

/* What is wrong with a launch; 0: nothing. */
static uint32_t wrong(const struct ce_launch *l, const char **why)
{
	uint32_t w = l->word;
	uint32_t release = REG_GET(NVC0B5_LAUNCH_DMA_SEMAPHORE_TYPE, w);

	*why = "DATA_TRANSFER_TYPE 3";
	if (REG_GET(NVC0B5_LAUNCH_DMA_DATA_TRANSFER_TYPE, w) == 3)
		return NV_PCE_LAUNCH_ERROR_CODE_TRANSFER_TYPE;
	*why = "INTERRUPT_TYPE 3";
	if (REG_GET(NVC0B5_LAUNCH_DMA_INTERRUPT_TYPE, w) == 3)
		return NV_PCE_LAUNCH_ERROR_CODE_INTERRUPT;
	*why = "SEMAPHORE_TYPE 3, or its address is not aligned";
	if (release == 3 || (release == 1 && l->semaphore & 3) ||
	    (release == 2 && l->semaphore & 15))
		return NV_PCE_LAUNCH_ERROR_CODE_SEMAPHORE;
	if (!l->moves)
		return 0;
	*why = "LINE_LENGTH_IN or LINE_COUNT is 0";
	if (!l->length || !l->lines)
		return NV_PCE_LAUNCH_ERROR_CODE_LINE;
	*why = "SET_REMAP_COMPONENTS selects what is not there";
	if (bad_selector(l))
		return NV_PCE_LAUNCH_ERROR_CODE_REMAP;
	*why = "block-linear layout, which this card does not do";
	if (!REG_GET(NVC0B5_LAUNCH_DMA_DST_MEMORY_LAYOUT, w) ||
	    (l->reads && !REG_GET(NVC0B5_LAUNCH_DMA_SRC_MEMORY_LAYOUT, w)))
		return NV_PCE_LAUNCH_ERROR_CODE_LAYOUT;
	*why = "PHYS_MODE 3";
	if ((l->dst.physical && l->dst.aperture == MEM_PEER) ||
	    (l->reads && l->src.physical && l->src.aperture == MEM_PEER))
		return NV_PCE_LAUNCH_ERROR_CODE_PHYS_MODE;
	return 0;
}

static enum method_result launch(struct card *card, struct ce *ce,
				 struct pbdma *p, uint32_t word)
{
	struct channel *c = p->channel;
	struct ce_launch l;
	const char *why;
	uint32_t code;
	int render;

	if (ce->count == CE_LAUNCHES)
		return METHOD_WAIT_ENGINE;
	describe(card, c, word, &l);
	if ((l.src.physical || l.dst.physical) &&
	    !REG_GET(NV_RAMFC_HCE_CTRL_HCE_PRIV_MODE, p->hce_ctrl)) {
		card_report(card, RULE_PRIVILEGE, c->id,
			    "physical addresses from a channel whose HCE_CTRL "
			    "has PRIV_MODE|LAUNCH_DMA 0x%08x with HCE_CTRL "
			    "0x%08x",
			    word, p->hce_ctrl);
		return trap(p, NV_PPBDMA_INTR_1_HCE_PRIV);
	}
	code = wrong(&l, &why);
	if (code) {
		ce_launch_error(card, ce, c, code, why);
		return METHOD_DONE;
	}
	render = rendering(card, p);
	if (render < 0)
		return METHOD_FAULT;
	l.moves &= render;

	ce->queue[(ce->head + ce->count++) % CE_LAUNCHES] = l;
	c->launches++;
	c->engine = ce;
	ce_kick(card, ce);
	return METHOD_DONE;
}

/* Keep the data of a plain method; false: it is no such method. */
static bool class_store(struct ce_class *class, uint32_t method,
			uint32_t data)
{
	switch (method) {
	case NVC0B5_SET_SEMAPHORE_A:
	case NVC0B5_SET_SEMAPHORE_B:
	case NVC0B5_SET_SEMAPHORE_PAYLOAD:
		class->semaphore[(method - NVC0B5_SET_SEMAPHORE_A) / 4] = data;
		break;
	case NVC0B5_SET_RENDER_ENABLE_A:
	case NVC0B5_SET_RENDER_ENABLE_B:
		class->render[(method - NVC0B5_SET_RENDER_ENABLE_A) / 4] = data;
		break;
	case NVC0B5_SET_SRC_PHYS_MODE:
	case NVC0B5_SET_DST_PHYS_MODE:
		class->phys[(method - NVC0B5_SET_SRC_PHYS_MODE) / 4] = data;
		break;
	case NVC0B5_OFFSET_IN_UPPER:
	case NVC0B5_OFFSET_IN_LOWER:
	case NVC0B5_OFFSET_OUT_UPPER:
	case NVC0B5_OFFSET_OUT_LOWER:
		class->offset[(method - NVC0B5_OFFSET_IN_UPPER) / 4] = data;
		break;
	case NVC0B5_PITCH_IN:
	case NVC0B5_PITCH_OUT:
		class->pitch[(method - NVC0B5_PITCH_IN) / 4] = data;
		break;
	case NVC0B5_LINE_LENGTH_IN:
		class->line_length = data;
		break;
	case NVC0B5_LINE_COUNT:
		class->line_count = data;
		break;
	case NVC0B5_SET_REMAP_CONST_A:
	case NVC0B5_SET_REMAP_CONST_B:
	case NVC0B5_SET_REMAP_COMPONENTS:
		class->remap[(method - NVC0B5_SET_REMAP_CONST_A) / 4] = data;
		break;
	default:
		return false;
	}
	return true;
}

/* Known, and without effect here: block-linear geometry, counters. */
static bool ignored(const struct card *card, uint32_t method)
{
	switch (method) {
	case NVC0B5_NOP:
	case NVC0B5_PM_TRIGGER:
	case NVC0B5_PM_TRIGGER_END:
		return true;
	case NVC1B5_SRC_ORIGIN_X:
	case NVC1B5_SRC_ORIGIN_Y:
	case NVC1B5_DST_ORIGIN_X:
	case NVC1B5_DST_ORIGIN_Y:
		return card->chip->copy_class == PASCAL_DMA_COPY_B;
	}
	return (method >= NVC0B5_SET_DST_BLOCK_SIZE &&
		method <= NVC0B5_SET_DST_ORIGIN) ||
	       (method >= NVC0B5_SET_SRC_BLOCK_SIZE &&
		method <= NVC0B5_SET_SRC_ORIGIN);
}

enum method_result ce_method(struct card *card, struct ce *ce,
			     struct pbdma *p, uint32_t method, uint32_t data)
{
	p->hce_dbg[0] = method;
	p->hce_dbg[1] = data;
	if (class_store(&p->channel->ce, method, data))
		return METHOD_DONE;
	if (method == NVC0B5_LAUNCH_DMA)
		return launch(card, ce, p, data);
	if (method == NVC0B5_SET_RENDER_ENABLE_C)
		return set_render(card, p, data);
	if (ignored(card, method))
		return METHOD_DONE;

	card_report(card, RULE_METHOD_ENGINE, p->channel->id,
		    "a method of the copy class 0x%04x|method 0x%04x <- 0x%08x",
		    card->chip->copy_class, method, data);
	return trap(p, NV_PPBDMA_INTR_1_HCE_ILLEGAL_MTHD);
}
