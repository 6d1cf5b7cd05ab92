/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The card as a bus master: memory that is shared, and none. */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vm/server/test_client.h"
#include "vm/spec/reg.h"

#define PAGE	4096ull
#define LONG	200000		/* ns: a runlist is loaded	*/

static int ram;
static uint8_t *view;

static void setup(void)
{
	client_setup();
	client_greet();
	ram = memfd_create("ram", MFD_CLOEXEC);
	ck_assert_int_eq(ftruncate(ram, 16 * PAGE), 0);
	view = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ram,
		    0);
	ck_assert_ptr_ne(view, MAP_FAILED);
}

static void teardown(void)
{
	munmap(view, 16 * PAGE);
	close(ram);
	client_teardown();
}

static int card_reads(uint64_t address, void *to, size_t size)
{
	return dma_read(&client.server, CARD_DMA_COPY, address, to, size);
}

static int card_writes(uint64_t address, const void *from, size_t size)
{
	return dma_write(&client.server, CARD_DMA_COPY, address, from, size);
}

START_TEST(one_transfer_crosses_many_maps)
{
	uint8_t data[5 * PAGE], back[5 * PAGE];

	/* page by page and backwards in the file, as an IOMMU may */
	for (unsigned int i = 0; i < 16; i++)
		ck_assert_int_eq(client_map(0x123450000 + i * PAGE, PAGE, ram,
					    (15 - i) * PAGE), 0);
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = i * 7 + (i >> 8);
	ck_assert_int_eq(card_writes(0x123450ff0, data, sizeof(data)), 0);
	ck_assert_mem_eq(view + 15 * PAGE + 0xff0, data, 16);
	ck_assert_mem_eq(view + 14 * PAGE, data + 16, PAGE);
	ck_assert_int_eq(card_reads(0x123450ff0, back, sizeof(back)), 0);
	ck_assert_mem_eq(back, data, sizeof(data));
}
END_TEST

START_TEST(what_is_not_mapped_is_a_fault)
{
	uint8_t data[2 * PAGE] = { 0 };

	ck_assert_int_eq(card_reads(0, data, 4), -EFAULT);
	ck_assert_int_eq(client_map(PAGE, PAGE, ram, 0), 0);
	ck_assert_int_eq(card_reads(PAGE, data, PAGE), 0);
	ck_assert_int_eq(card_reads(PAGE - 1, data, 2), -EFAULT);
	ck_assert_int_eq(card_reads(PAGE, data, PAGE + 1), -EFAULT);
	ck_assert_int_eq(card_writes(2 * PAGE - 4, data, 8), -EFAULT);
	ck_assert_int_eq(card_reads(~0ull, data, 2), -EFAULT);
	ck_assert_int_eq(client_unmap(PAGE, PAGE), 0);
	ck_assert_int_eq(card_reads(PAGE, data, 1), -EFAULT);
}
END_TEST

START_TEST(a_map_may_be_for_reading_or_writing_only)
{
	uint8_t body[32] = { 32 };
	uint32_t word = 5;

	vu_put64(body + 24, PAGE);
	vu_put32(body + 4, VU_MAP_READ);
	ck_assert_int_eq(client_ask(VU_DMA_MAP, body, 32, &ram, 1), 0);
	vu_put64(body + 16, PAGE);
	vu_put32(body + 4, VU_MAP_WRITE);
	ck_assert_int_eq(client_ask(VU_DMA_MAP, body, 32, &ram, 1), 0);
	ck_assert_int_eq(card_reads(0, &word, 4), 0);
	ck_assert_int_eq(card_writes(0, &word, 4), -EFAULT);
	ck_assert_int_eq(card_reads(PAGE, &word, 4), -EFAULT);
	ck_assert_int_eq(card_writes(PAGE, &word, 4), 0);
}
END_TEST

START_TEST(memory_that_its_owner_cuts_off_is_a_fault)
{
	uint32_t word = 5;

	ck_assert_int_eq(client_map(0, 2 * PAGE, ram, 0), 0);
	ck_assert_int_eq(card_writes(PAGE, &word, 4), 0);
	ck_assert_int_eq(ftruncate(ram, PAGE), 0);
	ck_assert_int_eq(card_writes(PAGE, &word, 4), -EFAULT);
	ck_assert_int_eq(card_reads(PAGE, &word, 4), -EFAULT);
	ck_assert_int_eq(card_reads(0, &word, 4), 0);
}
END_TEST

START_TEST(memory_that_is_not_shared_is_refused_once)
{
	uint32_t word;

	ck_assert_int_eq(client_map(0, 16 * PAGE, ram, 0), 0);
	ck_assert_int_eq(client_map(16 * PAGE, PAGE, -1, 0), 0);
	ck_assert(!client.server.by_messages);
	ck_assert_int_eq(card_reads(16 * PAGE, &word, 4), -EFAULT);
	ck_assert(client.server.by_messages);
	ck_assert_int_eq(card_reads(16 * PAGE, &word, 4), -EFAULT);
	fflush(client.log_file);
	ck_assert_ptr_nonnull(strstr(client.log, "from here on by messages"));
	ck_assert_ptr_null(strstr(strstr(client.log, "from here on") + 1,
				  "from here on"));
}
END_TEST

START_TEST(most_of_the_memory_decides_the_way)
{
	ck_assert_int_eq(client_map(0, 2 * PAGE, -1, 0), 0);
	ck_assert(client.server.by_messages);
	ck_assert_int_eq(client_map(2 * PAGE, 4 * PAGE, ram, 0), 0);
	ck_assert(!client.server.by_messages);
	ck_assert_int_eq(client_unmap(2 * PAGE, 4 * PAGE), 0);
	ck_assert(client.server.by_messages);
	ck_assert_int_eq(client_unmap(0, 2 * PAGE), 0);
	ck_assert(!client.server.by_messages);
}
END_TEST

/* The card itself: Host loads a runlist from system memory. */
static void submit_runlist(uint64_t address)
{
	ck_assert_int_eq(client_write(REGION_CONFIG, NV_XVE_DEV_CTRL, 2, 6),
			 0);
	client_post(0, NV_PMC_ENABLE, 4, ~0u);
	client_post(0, NV_PFIFO_RUNLIST_BASE, 4, address >> 12 | REG_VAL(
		NV_PFIFO_RUNLIST_BASE_TARGET,
		NV_PFIFO_RUNLIST_BASE_TARGET_SYS_MEM_COHERENT));
	client_post(0, NV_PFIFO_RUNLIST, 4, REG_SET(NV_PFIFO_RUNLIST_LENGTH,
						    2));
}

START_TEST(the_card_loads_a_runlist_from_shared_memory)
{
	ck_assert_int_eq(client_map(0x7000000000, 16 * PAGE, ram, 0), 0);
	submit_runlist(0x7000002000);
	client_serve();
	client_wait(LONG);
	ck_assert_uint_ge(client.server.report.dma_reads, 1);
	ck_assert_uint_eq(client.server.report.dma_refused, 0);
	ck_assert_uint_eq(client.server.report.violations[RULE_DMA_FAULT], 0);
}
END_TEST

START_TEST(a_runlist_that_is_not_mapped_breaks_a_rule)
{
	submit_runlist(0x2000);
	client_serve();
	client_wait(LONG);
	ck_assert_uint_ge(client.server.report.violations[RULE_DMA_FAULT], 1);
	fflush(client.log_file);
	ck_assert_ptr_nonnull(strstr(client.log, "RULE_DMA_FAULT [§"));
}
END_TEST

START_TEST(memory_may_be_unmapped_while_the_card_works)
{
	ck_assert_int_eq(client_map(0, 16 * PAGE, ram, 0), 0);
	/* the host's clock stands, so the list is not loaded yet */
	client.server.clock.base += 3600000000000ull;
	submit_runlist(0x2000);
	ck_assert_int_eq(client_unmap(0, 16 * PAGE), 0);
	client.server.clock.base -= 3600000000000ull;
	client_wait(LONG);
	ck_assert_uint_ge(client.server.report.dma_refused, 1);
	ck_assert_int_ge(client.server.client.fd, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dma");
	TCase *t = tcase_create("shared");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, one_transfer_crosses_many_maps);
	tcase_add_test(t, what_is_not_mapped_is_a_fault);
	tcase_add_test(t, a_map_may_be_for_reading_or_writing_only);
	tcase_add_test(t, memory_that_its_owner_cuts_off_is_a_fault);
	tcase_add_test(t, memory_that_is_not_shared_is_refused_once);
	tcase_add_test(t, most_of_the_memory_decides_the_way);
	tcase_add_test(t, the_card_loads_a_runlist_from_shared_memory);
	tcase_add_test(t, a_runlist_that_is_not_mapped_breaks_a_rule);
	tcase_add_test(t, memory_may_be_unmapped_while_the_card_works);
	suite_add_tcase(suite, t);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
