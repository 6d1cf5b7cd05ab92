/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Host's semaphores [§9.5]: words in memory that a channel releases, waits
 * for, or combines with a payload.
 *
 * A release of 16 bytes is payload, zero, and PTIMER's time; the payload is
 * written last, so whoever sees it sees the time stamp too.  A failed acquire
 * is tried again after the channel's retry period; since polling every few
 * cycles would only burn time, the period doubles up to a limit, and anything
 * in the card or in the CPU's stores that touches the word cuts it short.
 */
#include "vm/model/host.h"

enum {
	RETRY_MIN = 100,		/* ns: a memory round trip	*/
	RETRY_MAX = 50 * 1000,		/* for the first …		*/
	RETRY_PATIENT = 10 * 1000 * 1000,	/* … 10 ms, then	*/
	RETRY_LONG = 1000 * 1000,
};

uint64_t semaphore_va(const struct pbdma *p)
{
	return REG_GET(NVC06F_SEMAPHOREA_OFFSET_UPPER, p->sem[0]) << 32 |
	       (p->sem[1] & ~3u);
}

uint32_t semaphore_reduce(unsigned int op, bool is_unsigned, uint32_t memory,
			  uint32_t payload)
{
	bool less = is_unsigned ? memory < payload :
				  (int32_t)memory < (int32_t)payload;

	switch (op) {
	case NVC06F_SEMAPHORED_REDUCTION_MIN:
		return less ? memory : payload;
	case NVC06F_SEMAPHORED_REDUCTION_MAX:
		return less ? payload : memory;
	case NVC06F_SEMAPHORED_REDUCTION_XOR:
		return memory ^ payload;
	case NVC06F_SEMAPHORED_REDUCTION_AND:
		return memory & payload;
	case NVC06F_SEMAPHORED_REDUCTION_OR:
		return memory | payload;
	case NVC06F_SEMAPHORED_REDUCTION_ADD:
		return memory + payload;
	case NVC06F_SEMAPHORED_REDUCTION_INC:
		return memory >= payload ? 0 : memory + 1;
	case NVC06F_SEMAPHORED_REDUCTION_DEC:
		return !memory || memory > payload ? payload : memory - 1;
	}
	return memory;
}

/* Write payload at va; with a time stamp if size is 16.  0 or -EFAULT. */
int semaphore_write(struct card *card, struct channel *channel,
		    unsigned int mmu_engine, uint64_t va, uint32_t payload,
		    unsigned int size)
{
	uint32_t words[4] = { payload, 0, 0, 0 };
	uint64_t time = ptimer_now(card);
	int err = 0;

	fence_release(card, channel, va, payload, size);
	if (size == 16) {
		words[2] = time;
		words[3] = time >> 32;
		err = channel_write(card, channel, mmu_engine,
				    CARD_DMA_SEMAPHORE, va + 4, words + 1, 12);
	}
	if (!err)
		err = channel_write(card, channel, mmu_engine,
				    CARD_DMA_SEMAPHORE, va, words, 4);
	if (err)
		return err;

	card_trace(card, EV_SEM_RELEASE, channel->id, va, payload, size, 0);
	host_semaphore_moved(card);
	return 0;
}

static enum method_result wrong(struct card *card, struct pbdma *p,
				const char *expected, uint32_t data)
{
	card_report(card, RULE_METHOD_HOST, p->channel->id,
		    "%s|SEMAPHORED 0x%08x at address 0x%llx", expected, data,
		    (unsigned long long)semaphore_va(p));
	pbdma_raise_0(card, p, NV_PPBDMA_INTR_0_SEMAPHORE);
	return METHOD_TRAP;
}

static enum method_result host_write(struct card *card, struct pbdma *p,
				     uint32_t payload, unsigned int size)
{
	int err = semaphore_write(card, p->channel, pbdma_mmu_engine(card, p),
				  semaphore_va(p), payload, size);

	return err ? METHOD_FAULT : METHOD_DONE;
}

static enum method_result release(struct card *card, struct pbdma *p,
				  uint32_t data, bool engine_busy)
{
	bool small = REG_GET(NVC06F_SEMAPHORED_RELEASE_SIZE, data) ==
		     NVC06F_SEMAPHORED_RELEASE_SIZE_4BYTE;

	if (!small && semaphore_va(p) & 15)
		return wrong(card, p, "a 16-byte release on a multiple of 16",
			     data);
	if (engine_busy && REG_GET(NVC06F_SEMAPHORED_RELEASE_WFI, data) ==
			   NVC06F_SEMAPHORED_RELEASE_WFI_EN)
		return METHOD_WAIT_ENGINE;

	return host_write(card, p, p->sem[2], small ? 4 : 16);
}

static enum method_result reduction(struct card *card, struct pbdma *p,
				    uint32_t data, bool engine_busy)
{
	unsigned int op = REG_GET(NVC06F_SEMAPHORED_REDUCTION, data);
	uint32_t memory;

	if (op > NVC06F_SEMAPHORED_REDUCTION_DEC)
		return wrong(card, p, "a reduction from 0 to 7", data);
	if (engine_busy && REG_GET(NVC06F_SEMAPHORED_RELEASE_WFI, data) ==
			   NVC06F_SEMAPHORED_RELEASE_WFI_EN)
		return METHOD_WAIT_ENGINE;
	if (channel_read(card, p->channel, pbdma_mmu_engine(card, p),
			 CARD_DMA_SEMAPHORE, semaphore_va(p), &memory, 4))
		return METHOD_FAULT;

	memory = semaphore_reduce(op, REG_GET(NVC06F_SEMAPHORED_FORMAT, data),
				  memory, p->sem[2]);
	return host_write(card, p, memory, 4);
}

static bool passes(uint32_t operation, uint32_t memory, uint32_t payload)
{
	switch (operation) {
	case NVC06F_SEMAPHORED_OPERATION_ACQUIRE:
		return memory == payload;
	case NVC06F_SEMAPHORED_OPERATION_ACQ_GEQ:
		return (int32_t)(memory - payload) >= 0;
	default:
		return memory & payload;
	}
}

/* The time until the next try, and METHOD_TRAP when time is up. */
static enum method_result failed(struct card *card, struct pbdma *p,
				 uint32_t data)
{
	uint32_t config = p->acquire;
	uint64_t limit, waited;

	if (p->acquire_since == UINT64_MAX) {
		p->acquire_since = card->now;
		p->acquire_retry =
			REG_GET(NV_RAMFC_ACQUIRE_RETRY_MAN, config) <<
			REG_GET(NV_RAMFC_ACQUIRE_RETRY_EXP, config);
		if (p->acquire_retry < RETRY_MIN)
			p->acquire_retry = RETRY_MIN;
	}
	waited = card->now - p->acquire_since;
	limit = 1024 * REG_GET(NV_RAMFC_ACQUIRE_TIMEOUT_MAN, config) <<
		REG_GET(NV_RAMFC_ACQUIRE_TIMEOUT_EXP, config);
	if (REG_GET(NV_RAMFC_ACQUIRE_TIMEOUT_EN, config) && waited > limit) {
		p->acquire_since = UINT64_MAX;
		pbdma_raise_0(card, p, NV_PPBDMA_INTR_0_ACQUIRE);
		return METHOD_TRAP;
	}
	limit = waited < RETRY_PATIENT ? RETRY_MAX : RETRY_LONG;
	if (p->acquire_retry < limit)
		p->acquire_retry *= 2;
	return REG_GET(NVC06F_SEMAPHORED_ACQUIRE_SWITCH, data) ?
	       METHOD_ACQUIRE_SWITCH : METHOD_ACQUIRE;
}

static enum method_result acquire(struct card *card, struct pbdma *p,
				  uint32_t operation, uint32_t data)
{
	uint32_t memory;
	bool ok;

	if (channel_read(card, p->channel, pbdma_mmu_engine(card, p),
			 CARD_DMA_SEMAPHORE, semaphore_va(p), &memory, 4))
		return METHOD_FAULT;

	ok = passes(operation, memory, p->sem[2]);
	/* Not every try: a long wait would drown the trace. */
	if (ok || p->acquire_since == UINT64_MAX)
		card_trace(card, EV_SEM_ACQUIRE, p->channel->id,
			   semaphore_va(p), p->sem[2], ok, 0);
	if (!ok)
		return failed(card, p, data);
	p->acquire_since = UINT64_MAX;
	return METHOD_DONE;
}

enum method_result semaphore_execute(struct card *card, struct pbdma *p,
				     uint32_t data, bool engine_busy)
{
	uint32_t operation = REG_GET(NVC06F_SEMAPHORED_OPERATION, data);

	p->sem[3] = data;
	switch (operation) {
	case NVC06F_SEMAPHORED_OPERATION_RELEASE:
		return release(card, p, data, engine_busy);
	case NVC06F_SEMAPHORED_OPERATION_REDUCTION:
		return reduction(card, p, data, engine_busy);
	case NVC06F_SEMAPHORED_OPERATION_ACQUIRE:
	case NVC06F_SEMAPHORED_OPERATION_ACQ_GEQ:
	case NVC06F_SEMAPHORED_OPERATION_ACQ_AND:
		return acquire(card, p, operation, data);
	}
	return wrong(card, p, "one documented operation", data);
}
