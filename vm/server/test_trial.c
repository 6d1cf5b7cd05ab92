/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* DMA by messages: what is tried, undone, asked for, and tried again. */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vm/server/arena.h"
#include "vm/server/test_client.h"
#include "vm/spec/reg.h"

#define PAGE	4096ull
#define LONG	200000		/* ns: a runlist is loaded	*/

/* A step: transfers, as an event of the card's would make them. */
static struct {
	bool write;
	uint64_t address;
	size_t size;
	int err;
	uint8_t data[16384];
} todo[4];
static unsigned int todos, tries;
static uint64_t *count;			/* in the arena: is undone */

static void setup(void)
{
	client_setup();
	client_greet();
	ck_assert_int_eq(client_write(REGION_CONFIG, NV_XVE_DEV_CTRL, 2, 6),
			 0);
	ck_assert_int_eq(client_map(0, CLIENT_MEMORY, -1, 0), 0);
	for (int i = 0; i < CLIENT_MEMORY; i++)
		client.memory[i] = i * 7 + (i >> 8);
	count = arena_calloc(1, 8);
	todos = tries = 0;
}

static void plan(bool write, uint64_t address, size_t size)
{
	todo[todos].write = write;
	todo[todos].address = address;
	todo[todos++].size = size;
}

static void step(void *server)
{
	tries++;
	for (unsigned int i = 0; i < todos; i++) {
		if (todo[i].write)
			todo[i].err = dma_write(server, CARD_DMA_COPY,
						todo[i].address, todo[i].data,
						todo[i].size);
		else
			todo[i].err = dma_read(server, CARD_DMA_COPY,
					       todo[i].address, todo[i].data,
					       todo[i].size);
		++*count;
	}
}

static bool try(void)
{
	return trial_run(&client.server, step, &client.server);
}

/* Until it is done, or the connection is to end. */
static bool finish(void)
{
	while (!try()) {
		if (client.server.broken || !client_answer())
			return false;
	}
	return true;
}

START_TEST(the_client_is_asked_piece_by_piece)
{
	plan(false, 100, 9000);
	plan(true, 20000, 5000);
	memset(todo[1].data, 0x5a, 5000);
	ck_assert(finish());
	ck_assert_int_eq(todo[0].err, 0);
	ck_assert_int_eq(todo[1].err, 0);
	ck_assert_mem_eq(todo[0].data, client.memory + 100, 9000);
	ck_assert_mem_eq(client.memory + 20000, todo[1].data, 5000);
	/* 4096 bytes at a time were agreed: 3 and 2 messages */
	ck_assert_uint_eq(client.asked, 5);
	ck_assert_uint_eq(client.server.report.dma_messages, 5);
	ck_assert_uint_eq(tries, 6);
	/* and all of that has happened once */
	ck_assert_uint_eq(*count, 2);
	ck_assert_uint_eq(client.server.trial.entries, 0);
}
END_TEST

START_TEST(a_step_without_messages_is_done_at_once)
{
	ck_assert(try());
	ck_assert_uint_eq(tries, 1);
	ck_assert(!client_receive());
}
END_TEST

START_TEST(a_transfer_may_be_half_shared_half_asked)
{
	int ram = memfd_create("ram", MFD_CLOEXEC);
	uint8_t back[32];

	ck_assert_int_eq(ftruncate(ram, PAGE), 0);
	ck_assert_int_eq(client_map(CLIENT_MEMORY, PAGE, ram, 0), 0);
	plan(true, CLIENT_MEMORY - 32, 64);
	memset(todo[0].data, 0x5a, 64);
	ck_assert(finish());
	ck_assert_mem_eq(client.memory + CLIENT_MEMORY - 32, todo[0].data,
			 32);
	ck_assert_int_eq(pread(ram, back, 32, 0), 32);
	ck_assert_mem_eq(back, todo[0].data, 32);
	close(ram);
}
END_TEST

START_TEST(a_client_that_refuses_is_a_fault)
{
	ck_assert_int_eq(client_map(CLIENT_MEMORY, PAGE, -1, 0), 0);
	plan(false, CLIENT_MEMORY, 4);
	plan(true, CLIENT_MEMORY, 4);
	ck_assert(finish());
	ck_assert_int_eq(todo[0].err, -EFAULT);
	ck_assert_int_eq(todo[1].err, -EFAULT);
	ck_assert_ptr_null(client.server.broken);
}
END_TEST

/* An answer to DMA message `id`. */
static void answer(unsigned int command, uint16_t id, uint64_t address,
		   uint64_t length, size_t size)
{
	uint8_t message[VU_HEADER_SIZE + 80] = { 0 };
	struct vu_header header = {
		.id = id, .command = command, .flags = VU_REPLY,
		.size = VU_HEADER_SIZE + 16 + size,
	};

	vu_header_write(message, &header);
	vu_put64(message + 16, address);
	vu_put64(message + 24, length);
	memset(message + 32, 0x77, size);
	client_raw(message, header.size);
	client_serve();
}

START_TEST(an_answer_to_another_question_ends_it)
{
	static const struct {
		unsigned int command, id;
		uint64_t address, length;
		size_t size;
	} rows[] = {
		{ VU_DMA_READ, 1, 0, 4, 4 }, { VU_DMA_READ, 0, 4, 4, 4 },
		{ VU_DMA_READ, 0, 0, 8, 8 }, { VU_DMA_WRITE, 0, 0, 4, 0 },
		{ VU_DMA_READ, 0, 0, 4, 3 },
	};

	plan(false, 0, 4);
	ck_assert(!try());
	ck_assert(client_receive());
	answer(rows[_i].command, rows[_i].id, rows[_i].address,
	       rows[_i].length, rows[_i].size);
	ck_assert(client_is_out());
	ck_assert_uint_eq(client.server.report.malformed, 1);
	client_greet();
}
END_TEST

START_TEST(an_answer_that_is_short_is_a_fault)
{
	plan(false, 0, 4);
	ck_assert(!try());
	ck_assert(client_receive());
	answer(VU_DMA_READ, 0, 0, 3, 3);
	ck_assert(try());
	ck_assert_int_eq(todo[0].err, -EFAULT);
}
END_TEST

START_TEST(a_second_answer_ends_it)
{
	plan(false, 0, 4);
	ck_assert(!try());
	ck_assert(client_receive());
	answer(VU_DMA_READ, 0, 0, 4, 4);
	ck_assert_int_ge(client.server.client.fd, 0);
	answer(VU_DMA_READ, 0, 0, 4, 4);
	ck_assert(client_is_out());
}
END_TEST

START_TEST(one_question_at_a_time_is_asked)
{
	plan(false, 0, 4);
	for (int i = 0; i < 10; i++)
		ck_assert(!try());
	ck_assert_uint_eq(tries, 1);
	ck_assert(client_receive());
	ck_assert(!client_receive());
}
END_TEST

START_TEST(a_client_that_never_answers_goes)
{
	plan(false, 0, 4);
	ck_assert(!try());
	ck_assert_uint_eq(server_deadline(&client.server),
			  client.server.trial.until);
	server_check_deadline(&client.server);
	ck_assert_int_ge(client.server.client.fd, 0);
	client.server.trial.until = 1;
	server_check_deadline(&client.server);
	client_receive();
	ck_assert(client_is_out());
	ck_assert_ptr_nonnull(strstr(client.log, "does not answer"));
}
END_TEST

START_TEST(a_client_that_goes_takes_its_question_along)
{
	plan(false, 0, 4);
	ck_assert(!try());
	close(client.fd);
	client.fd = -1;
	client_serve();
	ck_assert_uint_eq(client.server.trial.entries, 0);
	ck_assert(!client.server.trial.asked);
	client_greet();
	ck_assert_uint_eq(client.server.unanswered, 0);
}
END_TEST

START_TEST(accesses_are_answered_while_a_question_is_open)
{
	uint64_t now;

	plan(false, 0, 4);
	ck_assert(!try());
	ck_assert(client_receive());
	now = card_now(client.server.card);
	client_post(0, NV_PMC_INTR_EN_SET, 4, 0x300);
	client_post(0, NV_PMC_INTR_EN_CLEAR, 4, 0x100);
	ck_assert_uint_eq(client_read(0, NV_PMC_GP100_INTR_EN, 4), 0x200);
	/* the card stands still meanwhile */
	ck_assert_uint_eq(card_now(client.server.card), now);
	ck_assert_uint_eq(client.server.trial.entries, 1);
	answer(VU_DMA_READ, 0, 0, 4, 4);
	ck_assert(try());
	ck_assert_int_eq(todo[0].err, 0);
}
END_TEST

START_TEST(a_step_that_takes_another_course_forgets_the_rest)
{
	plan(false, 0, 4);
	plan(false, 8, 4);
	plan(false, 16, 4);
	for (int i = 0; i < 2; i++) {
		ck_assert(!try());
		ck_assert(client_answer());
	}
	/* an access changed its mind */
	todo[1].address = 32;
	ck_assert(finish());
	ck_assert_mem_eq(todo[1].data, client.memory + 32, 4);
	ck_assert_uint_eq(client.asked, 4);
	ck_assert_uint_eq(*count, 3);
}
END_TEST

START_TEST(a_write_of_other_bytes_is_another)
{
	plan(true, 0, 4);
	memset(todo[0].data, 1, 4);
	ck_assert(!try());
	ck_assert(client_answer());
	memset(todo[0].data, 2, 4);
	ck_assert(finish());
	ck_assert_uint_eq(client.memory[0], 2);
	ck_assert_uint_eq(client.asked, 2);
}
END_TEST

START_TEST(a_reset_ends_what_was_tried)
{
	plan(false, 0, 4);
	ck_assert(!try());
	ck_assert(client_receive());
	ck_assert_int_eq(client_ask(VU_DEVICE_RESET, NULL, 0, NULL, 0), 0);
	ck_assert_uint_eq(client.server.trial.entries, 0);
	/* its answer comes, and is nobody's */
	answer(VU_DMA_READ, 0, 0, 4, 4);
	ck_assert_int_ge(client.server.client.fd, 0);
	ck_assert_uint_eq(client.server.unanswered, 0);
}
END_TEST

START_TEST(an_event_has_only_so_many_transfers)
{
	plan(false, 0, TRIAL_ENTRIES + 1);
	client.server.peer.data_max = 1;
	ck_assert(finish());
	ck_assert_int_eq(todo[0].err, -EFAULT);
	ck_assert_uint_eq(client.asked, TRIAL_ENTRIES);
	todo[0].size = TRIAL_ENTRIES;
	ck_assert(finish());
	ck_assert_int_eq(todo[0].err, 0);
}
END_TEST

/* An interrupt that announces a write comes when that is done. */
static void write_and_interrupt(void *server)
{
	struct server *s = server;

	step(s);
	s->said.irq_changed = s->said.irq_rose = s->said.irq_level = true;
}

START_TEST(an_interrupt_is_not_told_before_its_memory_is_there)
{
	struct server *s = &client.server;
	int event = eventfd(0, EFD_NONBLOCK);

	ck_assert_int_eq(client_irqs(IRQ_INTX, VU_IRQ_EVENTFD |
				     VU_IRQ_TRIGGER, 1, event), 0);
	plan(true, 0, 4);
	ck_assert(!trial_run(s, write_and_interrupt, s));
	server_interrupts(s);
	ck_assert_uint_eq(client_events(event), 0);
	ck_assert(client_answer());
	ck_assert_uint_eq(client_events(event), 0);
	ck_assert(trial_run(s, write_and_interrupt, s));
	server_interrupts(s);
	ck_assert_uint_eq(client_events(event), 1);
	close(event);
}
END_TEST

/* The card itself: Host loads a runlist from system memory. */
static void submit_runlist(uint64_t address)
{
	client_post(0, NV_PMC_ENABLE, 4, ~0u);
	client_post(0, NV_PFIFO_RUNLIST_BASE, 4, address >> 12 | REG_VAL(
		NV_PFIFO_RUNLIST_BASE_TARGET,
		NV_PFIFO_RUNLIST_BASE_TARGET_SYS_MEM_COHERENT));
	client_post(0, NV_PFIFO_RUNLIST, 4, REG_SET(NV_PFIFO_RUNLIST_LENGTH,
						    2));
	client_serve();
}

/* Has the server a question? */
static void wait_for_question(void)
{
	while (!client.server.trial.asked)
		client_serve();
}

START_TEST(the_card_loads_a_runlist_by_messages)
{
	memset(client.memory, 0, PAGE);
	submit_runlist(0);
	wait_for_question();
	/* until it is answered the list is not loaded, and registers read */
	ck_assert(client_receive());
	ck_assert_uint_eq(client.seen.header.command, VU_DMA_READ);
	ck_assert_uint_eq(vu_get64(client.seen.body + 8), 16);
	ck_assert_uint_eq(client_read(0, NV_PFIFO_ENG_RUNLIST, 4) >> 20 & 1,
			  1);
	ck_assert_uint_eq(client_read(0, NV_PMC_BOOT_0, 4), 0x130000a1);
	answer(VU_DMA_READ, 0, 0, 16, 16);
	client_wait(LONG);
	ck_assert_uint_eq(client_read(0, NV_PFIFO_ENG_RUNLIST, 4) >> 20 & 1,
			  0);
	ck_assert_uint_eq(client.server.report.dma_refused, 0);
	ck_assert_uint_eq(client.server.report.violations[RULE_DMA_FAULT], 0);
}
END_TEST

START_TEST(a_rule_that_is_broken_in_a_try_is_told_once)
{
	const char *line;

	ck_assert_int_eq(client_map(CLIENT_MEMORY, PAGE, -1, 0), 0);
	submit_runlist(CLIENT_MEMORY);
	wait_for_question();
	ck_assert(client_answer());
	client_wait(LONG);
	ck_assert_uint_eq(client.server.report.violations[RULE_DMA_FAULT], 1);
	fflush(client.log_file);
	line = strstr(client.log, "RULE_DMA_FAULT");
	ck_assert_ptr_nonnull(line);
	ck_assert_ptr_null(strstr(line + 1, "RULE_DMA_FAULT"));
}
END_TEST

START_TEST(memory_may_be_unmapped_under_a_question)
{
	submit_runlist(0);
	wait_for_question();
	ck_assert(client_receive());
	ck_assert_int_eq(client_unmap(0, CLIENT_MEMORY), 0);
	answer(VU_DMA_READ, 0, 0, 16, 16);
	client_wait(LONG);
	ck_assert_uint_ge(client.server.report.dma_refused, 1);
	ck_assert_int_ge(client.server.client.fd, 0);
}
END_TEST

START_TEST(a_server_that_waits_for_an_answer_may_sleep)
{
	submit_runlist(0);
	wait_for_question();
	ck_assert(server_may_sleep(&client.server));
	ck_assert_uint_eq(client.server.clock.armed,
			  client.server.trial.until);
	ck_assert(!server_tick(&client.server));
}
END_TEST

static TCase *card_case(void)
{
	TCase *t = tcase_create("card");

	tcase_add_checked_fixture(t, setup, client_teardown);
	tcase_add_test(t, the_card_loads_a_runlist_by_messages);
	tcase_add_test(t, a_rule_that_is_broken_in_a_try_is_told_once);
	tcase_add_test(t, memory_may_be_unmapped_under_a_question);
	tcase_add_test(t, a_server_that_waits_for_an_answer_may_sleep);
	return t;
}

int main(void)
{
	Suite *suite = suite_create("trial");
	TCase *t = tcase_create("trial");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(t, setup, client_teardown);
	tcase_add_test(t, the_client_is_asked_piece_by_piece);
	tcase_add_test(t, a_step_without_messages_is_done_at_once);
	tcase_add_test(t, a_transfer_may_be_half_shared_half_asked);
	tcase_add_test(t, a_client_that_refuses_is_a_fault);
	tcase_add_loop_test(t, an_answer_to_another_question_ends_it, 0, 5);
	tcase_add_test(t, an_answer_that_is_short_is_a_fault);
	tcase_add_test(t, a_second_answer_ends_it);
	tcase_add_test(t, one_question_at_a_time_is_asked);
	tcase_add_test(t, a_client_that_never_answers_goes);
	tcase_add_test(t, a_client_that_goes_takes_its_question_along);
	tcase_add_test(t, accesses_are_answered_while_a_question_is_open);
	tcase_add_test(t, a_step_that_takes_another_course_forgets_the_rest);
	tcase_add_test(t, a_write_of_other_bytes_is_another);
	tcase_add_test(t, a_reset_ends_what_was_tried);
	tcase_add_test(t, an_event_has_only_so_many_transfers);
	tcase_add_test(t, an_interrupt_is_not_told_before_its_memory_is_there);
	suite_add_tcase(suite, t);
	suite_add_tcase(suite, card_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
