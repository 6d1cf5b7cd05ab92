/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The calls of the language for GR_CTX_SWITCH and ATS.
 */
#include <string.h>

#include "autograder/judge/session.h"

#define BLOCK_WORDS	5u	/* of the agent's: space, va, pages, data */

void use_documented_card(struct scenario *s)
{
	s->documented = true;
}

static int64_t call_with(struct scenario *s, enum wire_call what,
			 uint64_t arg)
{
	const uint64_t args[] = { arg };

	return call(s, what, args, 1, NULL, 0);
}

static void call_well(struct scenario *s, enum wire_call what, uint64_t arg)
{
	expect_value(s, call_with(s, what, arg), 0,
		     "the call should succeed");
}

int64_t unit_try_open(struct scenario *s, uint32_t flags)
{
	return call_with(s, CALL_ctx_create, flags);
}

void unit_open(struct scenario *s, uint32_t flags)
{
	call_well(s, CALL_ctx_create, flags);
}

void unit_close(struct scenario *s)
{
	call_well(s, CALL_ctx_destroy, 0);
}

/* --- work ------------------------------------------------------------ */

static struct session_op *add_work(struct scenario *s, unsigned int thread,
				   const struct unit_work *work)
{
	struct wire_op op = {
		.call = CALL_ctx_work, .thread = thread,
		.args = { work->space, work->va, work->pages, work->data },
	};

	return batch_add(s, &op);
}

int64_t unit_try_work(struct scenario *s, const struct unit_work *work)
{
	struct session_op *op = add_work(s, 0, work);

	batch_run(s, 1);
	return op->last;
}

void unit_work(struct scenario *s, unsigned int space, uint64_t va,
	       uint32_t pages, uint32_t data)
{
	const struct unit_work work = { space, va, pages, data };

	expect_value(s, unit_try_work(s, &work), 0,
		     "ctx_switch_work() should succeed");
}

void thread_unit_work(struct scenario *s, unsigned int thread,
		      const struct unit_work *work)
{
	add_work(s, thread, work);
}

int64_t unit_try_batch(struct scenario *s, const struct unit_work *work,
		       unsigned int count)
{
	uint32_t words[UNIT_BATCH * BLOCK_WORDS];
	const uint64_t args[] = { count };
	unsigned int i;

	for (i = 0; i < count && i < UNIT_BATCH; i++) {
		const uint32_t block[BLOCK_WORDS] = {
			work[i].space, work[i].va, work[i].va >> 32,
			work[i].pages, work[i].data,
		};

		memcpy(words + i * BLOCK_WORDS, block, sizeof(block));
		s->vas.unit.batch[i] = work[i];
	}
	return call(s, CALL_ctx_batch, args, 1, words, i * BLOCK_WORDS);
}

void unit_clean(struct scenario *s)
{
	unsigned int i;

	call_well(s, CALL_ctx_clean, 0);
	for (i = 0; i < MEMORIES; i++)
		expect_intact(s, i);
}

void unit_forget(struct scenario *s, unsigned int space)
{
	call_well(s, CALL_ctx_forget, space);
}

int64_t unit_crowd(struct scenario *s, uint32_t n)
{
	return call_with(s, CALL_ctx_crowd, n);
}

static uint64_t take(uint64_t *count)
{
	uint64_t was = *count;

	*count = 0;
	return was;
}

uint64_t unit_walks(struct scenario *s)
{
	return take(&s->vas.unit.walks);
}

uint64_t unit_batches(struct scenario *s)
{
	return take(&s->vas.unit.batches);
}

uint64_t unit_writes(struct scenario *s)
{
	return take(&s->vas.unit.writes);
}

/* --- ATS ------------------------------------------------------------- */

void memory_of_process(struct scenario *s, unsigned int n, unsigned int of)
{
	const struct session_memory *from = &s->vas.memory[of];
	struct session_memory *memory = &s->vas.memory[n];
	const uint64_t args[] = { n, of };
	unsigned int count, i;
	const uint64_t *word;

	expect_value(s, call(s, CALL_mem_process, args, 2, NULL, 0), 0,
		     "memory of the process");
	word = outputs(s, &count);
	*memory = (struct session_memory){
		.size = from->size, .pieces = from->pieces,
	};
	for (i = 0; i < from->pieces && 3 * i + 1 < count; i++) {
		memory->piece[i] = from->piece[i];
		memory->piece[i].addr = word[3 * i + 1];
	}
	s->vas.unit.alias[n] = of + 1;
}

int64_t ats_supported(struct scenario *s)
{
	unsigned int count;

	call(s, CALL_ats_supported, NULL, 0, NULL, 0);
	return outputs(s, &count)[0];
}

int64_t ats_enable(struct scenario *s, unsigned int space)
{
	return call_with(s, CALL_ats_enable, space);
}

void ats_disable(struct scenario *s)
{
	call_well(s, CALL_ats_disable, 0);
}

uint64_t ats_requests(struct scenario *s)
{
	return take(&s->vas.unit.requests);
}
