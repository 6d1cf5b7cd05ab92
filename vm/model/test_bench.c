/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* See test_bench.h. */
#include "vm/model/test_bench.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

static void event(struct machine *machine, const struct card_event *e)
{
	struct bench *bench = (struct bench *)machine;
	char line[256];
	int len, all;

	len = snprintf(line, sizeof(line), "%llu ",
		       (unsigned long long)e->time);
	card_event_print(machine->card, e, line + len, sizeof(line) - len);
	all = strlen(line);
	if (bench->trace_len + all + 1 < BENCH_TRACE) {
		memcpy(bench->trace + bench->trace_len, line, all);
		bench->trace_len += all;
		bench->trace[bench->trace_len++] = '\n';
	}
}

void bench_start_config(struct bench *bench, const struct card_config *config)
{
	*bench = (struct bench){
		.machine = { .dma = BENCH_DMA, .event = event },
	};
	bench->trace = calloc(1, BENCH_TRACE);
	ck_assert_ptr_nonnull(bench->trace);
	machine_start(&bench->machine, config);
	bench->card = bench->machine.card;
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
	machine_stop(&bench->machine);
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
	ck_assert_msg(bench->machine.rules[rule] == n &&
		      bench->machine.violations == n,
		      "%s was broken %u times, all rules %u times; last: %s",
		      card_rule_name(rule), bench->machine.rules[rule],
		      bench->machine.violations, bench->machine.last);
	memset(bench->machine.rules, 0, sizeof(bench->machine.rules));
	bench->machine.violations = 0;
}

void bench_expect_nothing(struct bench *bench)
{
	ck_assert_msg(!bench->machine.violations, "%s", bench->machine.last);
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
