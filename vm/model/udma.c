/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Executing a method: those below 0x100 are Host's own [§9.4], the others go
 * to the engine of the runlist.
 *
 * Most methods only cost time.  A method that others can see (a semaphore, an
 * interrupt, a flush) must happen at its time, not when Host decodes it: it
 * charges its cost once, says METHOD_LATER, and is executed when the card's
 * clock has got there.
 */
#include "vm/model/host.h"

/* Charge a visible method, and say whether its time has come. */
static bool due(struct card *card, struct pbdma *p, uint32_t cost)
{
	if (!p->charged) {
		p->charged = true;
		p->due += cost;
	}
	if (p->due > card->now)
		return false;
	p->charged = false;
	return true;
}

/* Keep the method; it is tried again when the obstacle is gone. */
static enum method_result hold(struct pbdma *p, uint32_t subchannel,
			       uint32_t method, uint32_t data,
			       enum method_result result)
{
	p->method0 = REG_SET(NV_PPBDMA_METHOD0_ADDR, method >> 2) |
		     REG_SET(NV_PPBDMA_METHOD0_SUBCH, subchannel) |
		     REG_VAL(NV_PPBDMA_METHOD0_VALID, 1);
	p->data0 = data;
	return result;
}

static enum method_result trap_0(struct card *card, struct pbdma *p,
				 uint32_t subchannel, uint32_t method,
				 uint32_t data, unsigned int field)
{
	pbdma_raise_0(card, p, field);
	return hold(p, subchannel, method, data, METHOD_TRAP);
}

static enum method_result trap_1(struct card *card, struct pbdma *p,
				 uint32_t subchannel, uint32_t method,
				 uint32_t data, unsigned int field)
{
	p->hce_dbg[0] = method;
	p->hce_dbg[1] = data;
	pbdma_raise_1(card, p, field);
	return hold(p, subchannel, method, data, METHOD_TRAP);
}

static bool engine_busy(const struct pbdma *p)
{
	return p->channel->launches;
}

static enum method_result set_object(struct card *card, struct pbdma *p,
				     uint32_t subchannel, uint32_t data)
{
	uint32_t class = REG_GET(NVC06F_SET_OBJECT_NVCLASS, data);
	struct ce *ce = runlist_engine(card, p->channel->runlist);

	p->due += card->costs.method;
	if (ce && !ce_takes_class(card, class)) {
		card_report(card, RULE_METHOD_ENGINE, p->channel->id,
			    "SET_OBJECT with the copy class of this chip, "
			    "0x%04x|class 0x%04x on subchannel %u",
			    card->chip->copy_class, class, subchannel);
		return trap_1(card, p, subchannel, NVC06F_SET_OBJECT, data,
			      NV_PPBDMA_INTR_1_HCE_ILLEGAL_CLASS);
	}
	p->channel->object[subchannel] = class;
	return METHOD_DONE;
}

static enum method_result unknown(struct card *card, struct pbdma *p,
				  uint32_t subchannel, uint32_t method,
				  uint32_t data)
{
	card_report(card, RULE_METHOD_HOST, p->channel->id,
		    "a method that Host knows, with data that it knows|"
		    "method 0x%03x <- 0x%08x",
		    method, data);
	return trap_0(card, p, subchannel, method, data,
		      NV_PPBDMA_INTR_0_METHOD);
}

/* Only Pascal has a level of rights per channel for this [§9.4]. */
static bool may_invalidate(const struct card *card, const struct pbdma *p)
{
	return !card->chip->pascal ||
	       REG_GET(NV_RAMFC_CONFIG_AUTH_LEVEL, p->config);
}

/* What MEM_OP_A to D say; Maxwell has neither levels nor one address. */
static struct tlb_forget mem_op_what(const struct card *card,
				     const struct pbdma *p, uint32_t d)
{
	uint32_t a = p->mem_op[0], b = p->mem_op[1], c = p->mem_op[2];
	uint64_t high = card->chip->pascal ?
		REG_GET(NVC06F_MEM_OP_D_TLB_INVALIDATE_PDB_ADDR_HI, d) :
		REG_GET(NVB06F_MEM_OP_D_TLB_INVALIDATE_ADDR_HI, d);
	struct tlb_forget what = {
		.root = (c & ~0xfffull) | high << 32,
		.in_sysmem = REG_GET(
			NVC06F_MEM_OP_C_TLB_INVALIDATE_PDB_APERTURE, c),
	};

	if (REG_GET(NVC06F_MEM_OP_C_TLB_INVALIDATE_PDB, c))
		what.root = ~0ULL;
	if (!card->chip->pascal)
		return what;
	what.level = REG_GET(NVC06F_MEM_OP_C_TLB_INVALIDATE_PAGE_TABLE_LEVEL,
			     c);
	if (REG_GET(NVC06F_MEM_OP_D_OPERATION, d) ==
	    NVC06F_MEM_OP_D_OPERATION_MMU_TLB_INVALIDATE_TARGETED) {
		what.one_page = true;
		what.va = (a & ~0xfffull) | (uint64_t)b << 32;
	}
	return what;
}

static enum method_result mem_op_invalidate(struct card *card, struct pbdma *p,
					    uint32_t subchannel, uint32_t data)
{
	struct tlb_forget what = mem_op_what(card, p, data);

	if (!may_invalidate(card, p)) {
		card_report(card, RULE_PRIVILEGE, p->channel->id,
			    "TLB invalidation from a channel whose CONFIG has "
			    "AUTH_LEVEL|MEM_OP_D 0x%08x with CONFIG 0x%08x",
			    data, p->config);
		return trap_0(card, p, subchannel, NVC06F_MEM_OP_D, data,
			      NV_PPBDMA_INTR_0_METHOD);
	}
	if (!due(card, p, card->costs.tlb_flush))
		return METHOD_LATER;
	card_trace(card, EV_TLB_INVALIDATE, p->channel->id, what.root,
		   what.level, what.va, 0);
	card_tlb_forget(card, &what);
	return METHOD_DONE;
}

static enum method_result mem_op(struct card *card, struct pbdma *p,
				 uint32_t subchannel, uint32_t data)
{
	switch (REG_GET(NVC06F_MEM_OP_D_OPERATION, data)) {
	case NVC06F_MEM_OP_D_OPERATION_MMU_TLB_INVALIDATE_TARGETED:
		if (!card->chip->pascal)
			break;
		/* fall through */
	case NVC06F_MEM_OP_D_OPERATION_MMU_TLB_INVALIDATE:
		return mem_op_invalidate(card, p, subchannel, data);
	case NVC06F_MEM_OP_D_OPERATION_L2_WAIT_FOR_SYS_PENDING_READS:
		if (!card->chip->pascal)
			break;
		/* fall through */
	case NVC06F_MEM_OP_D_OPERATION_MEMBAR:
	case NVC06F_MEM_OP_D_OPERATION_L2_PEERMEM_INVALIDATE:
	case NVC06F_MEM_OP_D_OPERATION_L2_SYSMEM_INVALIDATE:
	case NVC06F_MEM_OP_D_OPERATION_L2_CLEAN_COMPTAGS:
	case NVC06F_MEM_OP_D_OPERATION_L2_FLUSH_DIRTY:
		/* The model's card has no cache that could be stale. */
		return due(card, p, card->costs.flush) ? METHOD_DONE :
							  METHOD_LATER;
	}
	return unknown(card, p, subchannel, NVC06F_MEM_OP_D, data);
}

static enum method_result crc_check(struct card *card, struct pbdma *p,
				    uint32_t subchannel, uint32_t data)
{
	p->due += card->costs.method;
	card_trace(card, EV_CRC, p->channel->id, data, p->method_crc, 0, 0);
	if (data != p->method_crc)
		return trap_0(card, p, subchannel, NVC06F_CRC_CHECK, data,
			      NV_PPBDMA_INTR_0_METHODCRC);
	p->method_crc = 0;
	return METHOD_DONE;
}

/* WFI, SET_REFERENCE: wait until the engine has done what it was given. */
static enum method_result when_idle(struct card *card, struct pbdma *p,
				    uint32_t subchannel, uint32_t method,
				    uint32_t data)
{
	if (!due(card, p, card->costs.method))
		return METHOD_LATER;
	if (engine_busy(p))
		return hold(p, subchannel, method, data, METHOD_WAIT_ENGINE);
	if (method == NVC06F_SET_REFERENCE)
		p->ref = data;
	return METHOD_DONE;
}

static enum method_result semaphore(struct card *card, struct pbdma *p,
				    uint32_t subchannel, uint32_t data)
{
	enum method_result result;

	if (!due(card, p, card->costs.semaphore))
		return METHOD_LATER;

	result = semaphore_execute(card, p, data, engine_busy(p));
	switch (result) {
	case METHOD_DONE:
	case METHOD_FAULT:
		return result;
	case METHOD_TRAP:	/* already raised */
	default:
		return hold(p, subchannel, NVC06F_SEMAPHORED, data, result);
	}
}

static enum method_result yield(struct card *card, struct pbdma *p,
				uint32_t subchannel, uint32_t data)
{
	if (data > NVC06F_YIELD_OP_TSG)
		return unknown(card, p, subchannel, NVC06F_YIELD, data);
	if (!due(card, p, card->costs.method))
		return METHOD_LATER;
	return data == NVC06F_YIELD_OP_NOP ? METHOD_DONE : METHOD_YIELD;
}

static enum method_result host_method(struct card *card, struct pbdma *p,
				      uint32_t subchannel, uint32_t method,
				      uint32_t data)
{
	switch (method) {
	case NVC06F_SET_OBJECT:
		return set_object(card, p, subchannel, data);
	case NVC06F_NOP:
		break;
	case NVC06F_SEMAPHOREA:
	case NVC06F_SEMAPHOREB:
	case NVC06F_SEMAPHOREC:
		p->sem[(method - NVC06F_SEMAPHOREA) / 4] = data;
		break;
	case NVC06F_SEMAPHORED:
		return semaphore(card, p, subchannel, data);
	case NVC06F_NON_STALL_INTERRUPT:
		if (!due(card, p, card->costs.method))
			return METHOD_LATER;
		fence_declare(card, p->channel);
		pfifo_raise(card, NV_PFIFO_INTR_0_CHANNEL_INTR);
		return METHOD_DONE;
	case NVC06F_FB_FLUSH:
		return due(card, p, card->costs.flush) ? METHOD_DONE :
							  METHOD_LATER;
	case NVC06F_MEM_OP_A:
	case NVC06F_MEM_OP_B:
		if (!card->chip->pascal)
			return unknown(card, p, subchannel, method, data);
		/* fall through */
	case NVC06F_MEM_OP_C:
		p->mem_op[(method - NVC06F_MEM_OP_A) / 4] = data;
		break;
	case NVC06F_MEM_OP_D:
		return mem_op(card, p, subchannel, data);
	case NVC06F_SET_REFERENCE:
	case NVC06F_WFI:
		return when_idle(card, p, subchannel, method, data);
	case NVC06F_CRC_CHECK:
		return crc_check(card, p, subchannel, data);
	case NVC06F_YIELD:
		return yield(card, p, subchannel, data);
	default:	/* SYNCPOINT is Tegra's; ILLEGAL is meant to be */
		return unknown(card, p, subchannel, method, data);
	}
	p->due += card->costs.method;
	return METHOD_DONE;
}

static enum method_result engine_method(struct card *card, struct pbdma *p,
					uint32_t subchannel, uint32_t method,
					uint32_t data)
{
	struct ce *ce = runlist_engine(card, p->channel->runlist);
	enum method_result result;

	if (!ce) {
		card_report(card, RULE_METHOD_ENGINE, p->channel->id,
			    "methods for the engine of the runlist|"
			    "method 0x%04x on runlist %u, which has no copy "
			    "engine",
			    method, p->channel->runlist);
		return trap_0(card, p, subchannel, method, data,
			      NV_PPBDMA_INTR_0_DEVICE);
	}
	/* The launch is what others can see. */
	if (method == NVC0B5_LAUNCH_DMA) {
		if (!due(card, p, card->costs.method))
			return METHOD_LATER;
	} else {
		p->due += card->costs.method;
	}
	if (!p->channel->object[subchannel] &&
	    !(p->channel->unbound_told >> subchannel & 1)) {
		p->channel->unbound_told |= 1u << subchannel;
		card_report(card, RULE_SUBCHANNEL_UNBOUND, p->channel->id,
			    "SET_OBJECT on the subchannel first|"
			    "method 0x%04x on subchannel %u, which has no "
			    "object",
			    method, subchannel);
	}

	result = ce_method(card, ce, p, method, data);
	if (result == METHOD_DONE)
		p->method_crc = card_crc_method(&card->host->crc,
						p->method_crc, subchannel,
						method, data);
	if (result == METHOD_WAIT_ENGINE)
		return hold(p, subchannel, method, data, result);
	if (result == METHOD_TRAP)
		return trap_1(card, p, subchannel, method, data,
			      p->hce_error);
	return result;
}

enum method_result method_execute(struct card *card, struct pbdma *p,
				  uint32_t subchannel, uint32_t method,
				  uint32_t data)
{
	enum method_result result;

	/* Traced when it is decoded, whenever it takes effect. */
	if (!p->charged && !p->again)
		card_trace(card, EV_METHOD, p->channel->id, subchannel,
			   method, data, 0);
	if (subchannel >= HOST_SW_SUBCHANNEL &&
	    (method >= 0x100 || method == NVC06F_SET_OBJECT))
		result = trap_0(card, p, subchannel, method, data,
				NV_PPBDMA_INTR_0_DEVICE);
	else if (method < 0x100)
		result = host_method(card, p, subchannel, method, data);
	else
		result = engine_method(card, p, subchannel, method, data);

	return result;
}

/* Try the method that was held; done with it unless it is held again. */
enum method_result method_again(struct card *card, struct pbdma *p)
{
	uint32_t method0 = p->method0;
	enum method_result result;

	if (!REG_GET(NV_PPBDMA_METHOD0_VALID, method0))
		return METHOD_DONE;
	p->method0 = 0;
	p->again = true;
	result = method_execute(card, p,
				REG_GET(NV_PPBDMA_METHOD0_SUBCH, method0),
				REG_GET(NV_PPBDMA_METHOD0_ADDR, method0) << 2,
				p->data0);
	p->again = false;
	if (result == METHOD_LATER)
		p->method0 = method0;
	return result;
}
