/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* See test_bench.h. */
#include "vm/model/test_bench.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

static uint8_t *reach(struct bench *bench, uint64_t addr, size_t len)
{
	if (addr < BENCH_DMA || addr + len > BENCH_DMA + BENCH_MEMORY)
		return NULL;
	return bench->memory + (addr - BENCH_DMA);
}

static int dma_read(void *host, enum card_dma_why why, uint64_t addr,
		    void *buf, size_t len)
{
	const uint8_t *from = reach(host, addr, len);

	(void)why;
	if (!from)
		return -EFAULT;
	memcpy(buf, from, len);
	return 0;
}

static int dma_write(void *host, enum card_dma_why why, uint64_t addr,
		     const void *buf, size_t len)
{
	uint8_t *to = reach(host, addr, len);

	(void)why;
	if (!to)
		return -EFAULT;
	memcpy(to, buf, len);
	return 0;
}

static void interrupt(void *host, bool level)
{
	struct bench *bench = host;

	if (level)
		bench->interrupts++;
	else
		bench->drops++;
	bench->interrupt_at = card_now(bench->card);
}

static void event(void *host, const struct card_event *e)
{
	struct bench *bench = host;
	char line[256];
	int len, all;

	if (!bench->card)
		return;
	len = snprintf(line, sizeof(line), "%llu ",
		       (unsigned long long)e->time);
	card_event_print(bench->card, e, line + len, sizeof(line) - len);
	all = strlen(line);
	if (bench->trace_len + all + 1 < BENCH_TRACE) {
		memcpy(bench->trace + bench->trace_len, line, all);
		bench->trace_len += all;
		bench->trace[bench->trace_len++] = '\n';
	}
}

static void violation(void *host, const struct card_violation *v)
{
	struct bench *bench = host;

	bench->violations++;
	bench->rules[v->rule]++;
	snprintf(bench->last, sizeof(bench->last),
		 "%s: expected %s; actual %s", card_rule_name(v->rule),
		 v->expected, v->actual);
}

void bench_start_config(struct bench *bench, const struct card_config *config)
{
	static const struct card_host_ops ops = {
		.dma_read = dma_read, .dma_write = dma_write,
		.interrupt = interrupt, .event = event,
		.violation = violation,
	};

	*bench = (struct bench){ 0 };
	bench->memory = calloc(1, BENCH_MEMORY);
	bench->trace = calloc(1, BENCH_TRACE);
	ck_assert_ptr_nonnull(bench->memory);
	ck_assert_ptr_nonnull(bench->trace);
	bench->card = card_new(config, &ops, bench);
	ck_assert_ptr_nonnull(bench->card);
	card_write(bench->card, CARD_CONFIG, NV_XVE_DEV_CTRL, 2, 0x6);
	bench_expect_nothing(bench);
}

void bench_start(struct bench *bench, enum card_chip chip)
{
	struct card_config config = { .chip = chip, .seed = 1 };

	bench_start_config(bench, &config);
}

void bench_stop(struct bench *bench)
{
	card_free(bench->card);
	free(bench->memory);
	free(bench->trace);
}

uint32_t bench_rd(struct bench *bench, uint32_t offset)
{
	return card_read(bench->card, CARD_BAR0, offset, 4);
}

void bench_wr(struct bench *bench, uint32_t offset, uint32_t value)
{
	card_write(bench->card, CARD_BAR0, offset, 4, value);
}

void bench_arrive(struct bench *bench)
{
	card_advance(bench->card, bench->card->costs.write_arrive +
		     bench->card->costs.write_jitter);
}

void bench_wait(struct bench *bench, uint32_t offset, uint32_t bits)
{
	for (int i = 0; i < 1000; i++) {
		if (!(bench_rd(bench, offset) & bits))
			return;
	}
	ck_abort_msg("0x%06x does not become ready", offset);
}

void bench_expect(struct bench *bench, enum card_rule rule, unsigned int n)
{
	ck_assert_msg(bench->rules[rule] == n && bench->violations == n,
		      "%s was broken %u times, all rules %u times; last: %s",
		      card_rule_name(rule), bench->rules[rule],
		      bench->violations, bench->last);
	memset(bench->rules, 0, sizeof(bench->rules));
	bench->violations = 0;
}

void bench_expect_nothing(struct bench *bench)
{
	ck_assert_msg(!bench->violations, "%s", bench->last);
}

void bench_instance(struct bench *bench, uint64_t inst, uint64_t root,
		    uint32_t flags, uint64_t limit)
{
	uint32_t words[4] = {
		(uint32_t)root | flags, root >> 32,
		(uint32_t)limit & ~0xfffu, limit >> 32,
	};

	vram_write(bench->card, inst + NV_RAMIN_PAGE_DIR_BASE_LO, words,
		   sizeof(words));
}
