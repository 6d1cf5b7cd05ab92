/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Memory that is short: whatever allocation fails, a client is refused or
 * goes, nothing is left behind, and the next client is served.
 */
#define _GNU_SOURCE
#include <check.h>
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vm/server/test_client.h"

#define PAGE	4096ull

/*
 * All of this is compiled with faulty_* in place of the library's, also its
 * declarations.
 */
#undef malloc
#undef realloc
void *malloc(size_t size);
void *realloc(void *block, size_t size);
void *faulty_malloc(size_t size);
void *faulty_realloc(void *block, size_t size);

static int until = -1;		/* allocations that succeed; -1: all	*/
static bool failed;

static bool fails(void)
{
	if (until < 0)
		return false;
	if (until--)
		return false;
	failed = true;
	return true;
}

void *faulty_malloc(size_t size)
{
	return fails() ? NULL : malloc(size);
}

void *faulty_realloc(void *block, size_t size)
{
	return fails() ? NULL : realloc(block, size);
}

static char report[64];
static int ram;

static void setup(void)
{
	cJSON_Hooks hooks = { .malloc_fn = faulty_malloc, .free_fn = free };

	cJSON_InitHooks(&hooks);
	snprintf(report, sizeof(report), "/tmp/faults.%d", (int)getpid());
	ram = memfd_create("ram", MFD_CLOEXEC);
	ck_assert_int_eq(ftruncate(ram, 64 * PAGE), 0);
	client_setup();
}

static void teardown(void)
{
	client_teardown();
	close(ram);
	unlink(report);
}

static void read_word(void *server)
{
	uint32_t word;

	dma_read(server, CARD_DMA_COPY, 64 * PAGE, &word, 4);
}

/* A client's life, which may end early. */
static void live(void)
{
	static const char version[] = "\0\0\0\0{\"capabilities\":{}}";
	struct server *s = &client.server;

	client_connect();
	client_send(VU_VERSION, 0, version, sizeof(version), NULL, 0);
	client_serve();
	if (s->client.fd < 0)
		return;
	ck_assert(client_receive());
	for (uint64_t i = 0; i < 20; i++) {
		uint32_t before = s->maps.count;
		int err = client_map(i * PAGE, PAGE, ram, i * PAGE);

		ck_assert(err == 0 || (failed && err == -ENOMEM));
		ck_assert_uint_eq(s->maps.count, before + !err);
	}
	client_map(64 * PAGE, PAGE, -1, 0);
	while (!trial_run(s, read_word, s)) {
		ck_assert_ptr_null(s->broken);
		ck_assert(client_answer());
	}
	close(client.fd);
	client.fd = -1;
	client_serve();
}

START_TEST(any_allocation_may_fail)
{
	char new[80];
	int n;

	snprintf(new, sizeof(new), "%s.new", report);
	client.options.report = report;
	for (n = 0;; n++) {
		failed = false;
		until = n;
		live();
		until = -1;
		/* whoever was thrown out has left nothing either */
		ck_assert_int_lt(client.server.client.fd, 0);
		ck_assert_uint_eq(client.server.maps.count, 0);
		ck_assert_uint_eq(client.server.maps.files_count, 0);
		ck_assert_uint_eq(client.server.trial.entries, 0);
		ck_assert_int_ne(access(new, F_OK), 0);
		if (!failed)
			break;
		live();
		ck_assert_int_eq(access(report, F_OK), 0);
	}
	/* it was a sweep, and not a walk past everything */
	ck_assert_int_gt(n, 20);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("faults");
	TCase *t = tcase_create("faults");
	SRunner *runner;
	int bad;

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, any_allocation_may_fail);
	suite_add_tcase(suite, t);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	bad = srunner_ntests_failed(runner);
	srunner_free(runner);
	return bad != 0;
}
