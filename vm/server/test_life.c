/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Clients that come, go, come again, are slow, or mean harm; and reports. */
#define _GNU_SOURCE
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vm/server/test_client.h"
#include "vm/spec/reg.h"

static unsigned int open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static void says(const char *what)
{
	fflush(client.log_file);
	ck_assert_msg(strstr(client.log, what), "no \"%s\" in: %s", what,
		      client.log);
}

/* It is thrown out with a line, and the next is served. */
static void is_thrown_out(const char *line)
{
	ck_assert(client_is_out());
	says(line);
	ck_assert_uint_eq(client.server.report.malformed, 1);
	client_greet();
	ck_assert_uint_eq(client_read(REGION_CONFIG, 0, 2), 0x10de);
}

static void head(uint8_t *to, unsigned int command, uint32_t size,
		 uint32_t flags)
{
	struct vu_header header = {
		.command = command, .size = size, .flags = flags,
	};

	vu_header_write(to, &header);
}

START_TEST(a_first_message_that_is_no_version_ends_it)
{
	client_connect();
	client_send(VU_GET_INFO, 0, "0123456789abcdef", 16, NULL, 0);
	is_thrown_out("VERSION is the first message");
}
END_TEST

START_TEST(a_second_version_ends_it)
{
	client_greet();
	client_send(VU_VERSION, 0, "\0\0\0\0", 4, NULL, 0);
	is_thrown_out("VERSION is the first message");
}
END_TEST

START_TEST(a_version_that_is_not_ours_ends_it)
{
	client_connect();
	client_send(VU_VERSION, 0, "\1\0\0\0", 4, NULL, 0);
	is_thrown_out("a major version that is not 0");
}
END_TEST

START_TEST(nonsense_ends_it)
{
	static const struct {
		uint32_t command, size, flags;
	} rows[] = {
		{ VU_GET_INFO, 0, 0 }, { VU_GET_INFO, 15, 0 },
		{ VU_GET_INFO, ~0u, 0 }, { VU_GET_INFO, 16, 2 },
		{ VU_DMA_READ, 32, 0 }, { VU_GET_INFO, 16, 0 },
		{ VU_REGION_READ, 16, VU_REPLY }, { VU_DMA_READ, 48,
			VU_REPLY }, { VU_DMA_WRITE, 32, VU_REPLY },
		{ VU_DEVICE_RESET, 17, 0 }, { VU_SET_IRQS, 35, 0 },
		{ VU_REGION_WRITE, 40, 0 }, { VU_WRITE_MULTI, 25, 0 },
	};
	uint8_t message[64] = { 0 };

	client_greet();
	head(message, rows[_i].command, rows[_i].size, rows[_i].flags);
	client_raw(message, sizeof(message));
	is_thrown_out("malformed message: ");
}
END_TEST

START_TEST(a_message_in_single_bytes_is_one_message)
{
	uint8_t message[32] = { 0 };

	client_greet();
	head(message, VU_REGION_READ, 32, 0);
	vu_put32(message + 24, REGION_CONFIG);
	vu_put32(message + 28, 4);
	for (size_t i = 0; i < sizeof(message); i++) {
		ck_assert(!client_receive());
		client_raw(message + i, 1);
		client_serve();
		ck_assert((server_deadline(&client.server) != 0) ==
			  (i + 1 < sizeof(message)));
	}
	ck_assert(client_receive());
	ck_assert_uint_eq(vu_get32(client.seen.body + 16) & 0xffff, 0x10de);
}
END_TEST

START_TEST(many_messages_at_once_are_all_answered)
{
	uint8_t message[32] = { 0 };
	unsigned int seen = 0;

	client_greet();
	head(message, VU_REGION_READ, 32, 0);
	vu_put32(message + 24, REGION_CONFIG);
	vu_put32(message + 28, 4);
	for (int i = 0; i < 200; i++)
		client_raw(message, sizeof(message));
	client_serve();
	while (client_receive())
		seen++;
	ck_assert_uint_eq(seen, 200);
}
END_TEST

START_TEST(a_message_that_is_begun_and_not_finished_ends_it)
{
	uint8_t message[32] = { 0 };

	client_greet();
	head(message, VU_REGION_READ, 32, 0);
	client_raw(message, 1 + 20 * _i);
	client_serve();
	server_check_deadline(&client.server);
	ck_assert_int_ge(client.server.client.fd, 0);
	/* as if it had begun long ago */
	client.server.client.since -= 6000000000ull;
	server_check_deadline(&client.server);
	is_thrown_out("begun and not finished");
}
END_TEST

START_TEST(a_client_that_does_not_greet_goes)
{
	client_connect();
	client_serve();
	ck_assert_uint_ne(server_deadline(&client.server), 0);
	server_check_deadline(&client.server);
	ck_assert_int_ge(client.server.client.fd, 0);
	client.server.greet_by -= 6000000000ull;
	server_check_deadline(&client.server);
	ck_assert(client_is_out());
	says("did not say who it is");
	client_greet();
	ck_assert_uint_eq(server_deadline(&client.server), 0);
}
END_TEST

START_TEST(a_client_that_does_not_read_its_answers_goes)
{
	uint8_t message[32] = { 0 };
	int small = 4096;

	client_greet();
	setsockopt(client.server.client.fd, SOL_SOCKET, SO_SNDBUF, &small,
		   sizeof(small));
	head(message, VU_REGION_READ, 32, 0);
	vu_put32(message + 24, 0);
	vu_put32(message + 28, 32768);
	for (int i = 0; i < 8; i++)
		client_raw(message, sizeof(message));
	client_serve();
	ck_assert_int_lt(client.server.client.fd, 0);
	says("does not read its answers");
	client_greet();
}
END_TEST

static int descriptors[32];

static void make_descriptors(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		descriptors[i] = eventfd(0, 0);
}

START_TEST(too_many_descriptors_end_it_and_none_is_kept)
{
	unsigned int before, n = _i;
	uint8_t body[20] = { 20 };

	client_greet();
	make_descriptors(n);
	before = open_files();
	vu_put32(body + 4, VU_IRQ_EVENTFD | VU_IRQ_TRIGGER);
	vu_put32(body + 8, IRQ_MSI);
	vu_put32(body + 16, n);
	client_send(VU_SET_IRQS, 0, body, 20, descriptors, n);
	client_serve();
	if (n > VU_FDS) {
		ck_assert(client_is_out());
		ck_assert_uint_eq(open_files(), before - 1);
	} else {
		/* so many are well formed, and more than there are vectors */
		ck_assert(client_receive());
		ck_assert_uint_eq(client.seen.header.error, EINVAL);
		ck_assert_uint_eq(open_files(), before);
	}
}
END_TEST

START_TEST(descriptors_with_the_wrong_message_end_it)
{
	unsigned int before;

	client_greet();
	make_descriptors(2);
	before = open_files();
	client_send(_i ? VU_DEVICE_RESET : VU_REGION_READ, 0,
		    "\0\0\0\0\0\0\0\0\7\0\0\0\4\0\0\0", _i ? 0 : 16,
		    descriptors, 2);
	ck_assert(client_is_out());
	ck_assert_uint_eq(open_files(), before - 1);
}
END_TEST

START_TEST(an_unknown_command_with_descriptors_keeps_none)
{
	unsigned int before;

	client_greet();
	make_descriptors(2);
	before = open_files();
	client_send(VU_DEVICE_FEATURE, 0, "12345678", 8, descriptors, 2);
	client_serve();
	ck_assert(client_receive());
	ck_assert_uint_eq(client.seen.header.error, EOPNOTSUPP);
	ck_assert_uint_eq(open_files(), before);
}
END_TEST

START_TEST(descriptors_stay_with_their_message)
{
	int ram = memfd_create("ram", 0), event = eventfd(0, EFD_NONBLOCK);
	uint8_t map[32] = { 32, 0, 0, 0, VU_MAP_READ }, irqs[20] = { 20 };

	client_greet();
	ck_assert_int_eq(ftruncate(ram, 4096), 0);
	vu_put64(map + 24, 4096);
	vu_put32(irqs + 4, VU_IRQ_EVENTFD | VU_IRQ_TRIGGER);
	vu_put32(irqs + 8, IRQ_MSI);
	vu_put32(irqs + 16, 1);
	/* all of them are there before the server looks */
	for (int i = 0; i < 20; i++) {
		if (i % 3 == _i)
			client_post(REGION_CONFIG, 4, 2, 0);
		if (i % 4 == 1)
			client_send(VU_DEVICE_RESET, 0, NULL, 0, NULL, 0);
		vu_put64(map + 16, i * 4096);
		client_send(VU_DMA_MAP, 0, map, 32, &ram, 1);
		if (i % 5 == 2)
			client_send(VU_SET_IRQS, 0, irqs, 20, &event, 1);
	}
	client_serve();
	while (client_receive())
		ck_assert_uint_eq(client.seen.header.flags, VU_REPLY);
	ck_assert_uint_eq(client.server.maps.count, 20);
	for (int i = 0; i < 20; i++)
		ck_assert_ptr_nonnull(client.server.maps.map[i].data);
}
END_TEST

START_TEST(a_client_that_goes_leaves_nothing)
{
	int ram = memfd_create("ram", 0), event = eventfd(0, EFD_NONBLOCK);
	unsigned int before = open_files();
	uint8_t half[20] = { 0 };

	ck_assert_int_eq(ftruncate(ram, 4096), 0);
	client_greet();
	ck_assert_int_eq(client_map(0, 4096, ram, 0), 0);
	ck_assert_int_eq(client_irqs(IRQ_MSI, VU_IRQ_EVENTFD | VU_IRQ_TRIGGER,
				     1, event), 0);
	ck_assert_int_eq(client_irqs(IRQ_INTX, VU_IRQ_EVENTFD | VU_IRQ_UNMASK,
				     1, event), 0);
	ck_assert_int_eq(client_write(REGION_CONFIG, NV_XVE_DEV_CTRL, 2, 6),
			 0);
	head(half, VU_REGION_READ, 32, 0);
	client_raw(half, sizeof(half));
	close(client.fd);
	client.fd = -1;
	client_serve();
	ck_assert_int_lt(client.server.client.fd, 0);
	ck_assert_uint_eq(client.server.maps.count, 0);
	ck_assert_uint_eq(open_files(), before);
	/* the next finds a card that was just switched on */
	client_greet();
	ck_assert_uint_eq(client_read(REGION_CONFIG, NV_XVE_DEV_CTRL, 2), 0);
	ck_assert_uint_eq(client.server.report.clients, 2);
	says("closed inside a message");
}
END_TEST

START_TEST(clients_come_and_go_a_hundred_times)
{
	unsigned int before = open_files();

	for (int i = 0; i < 100; i++) {
		client_greet();
		ck_assert_uint_eq(client_read(REGION_CONFIG, 0, 2), 0x10de);
		close(client.fd);
		client.fd = -1;
		client_serve();
	}
	ck_assert_uint_eq(open_files(), before);
	ck_assert_uint_eq(client.server.report.clients, 100);
}
END_TEST

START_TEST(a_broken_rule_gets_so_many_lines_and_no_more)
{
	unsigned int lines = 0;

	client_greet();
	ck_assert_int_eq(client_write(REGION_CONFIG, NV_XVE_DEV_CTRL, 2, 6),
			 0);
	for (int i = 0; i < 1500; i++)
		client_read(0, NV_PMC_BOOT_0 + 1, 2);
	fflush(client.log_file);
	for (const char *at = client.log; (at = strchr(at, '\n')); at++)
		lines++;
	says("RULE_ACCESS_SIZE [§2.2]");
	says("from here on only counted");
	ck_assert_uint_lt(lines, 1010);
	ck_assert_uint_eq(client.server.report.violations[RULE_ACCESS_SIZE],
			  3000);
}
END_TEST

/* Reports ------------------------------------------------------------------ */

START_TEST(times_have_a_median)
{
	static struct times times;

	ck_assert_uint_eq(times_percentile(&times, 50), 0);
	for (uint64_t ns = 1; ns <= 1000; ns++)
		times_add(&times, ns * 100);
	ck_assert_uint_eq(times.min, 100);
	ck_assert_uint_eq(times.max, 100000);
	ck_assert_uint_gt(times_percentile(&times, 50), 45000);
	ck_assert_uint_lt(times_percentile(&times, 50), 55000);
	ck_assert_uint_gt(times_percentile(&times, 99), 90000);
	ck_assert_uint_le(times_percentile(&times, 99), 100000);
	ck_assert_uint_eq(times_percentile(&times, 0), 100);
}
END_TEST

START_TEST(any_time_has_a_class)
{
	static struct times times;

	for (int i = 0; i < 64; i++) {
		times = (struct times){ 0 };
		times_add(&times, 1ull << i);
		ck_assert_uint_eq(times_percentile(&times, 50), 1ull << i);
	}
	times_add(&times, ~0ull);
	times_add(&times, 0);
	ck_assert_uint_eq(times.min, 0);
	ck_assert_uint_eq(times.max, ~0ull);
}
END_TEST

static char *contents(const char *path)
{
	static char text[8192];
	int fd = open(path, O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	ck_assert_int_gt(n, 0);
	close(fd);
	text[n] = '\0';
	return text;
}

START_TEST(a_report_is_written_whole_when_a_client_goes)
{
	char folder[] = "/tmp/report.XXXXXX", path[64], new[80];

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/r.json", folder);
	snprintf(new, sizeof(new), "%s.new", path);
	client.options.report = path;
	client_greet();
	client_read(REGION_CONFIG, 0, 2);
	close(client.fd);
	client.fd = -1;
	client_serve();
	ck_assert_ptr_nonnull(strstr(contents(path), "\"chip\":\t\"p100\""));
	ck_assert_ptr_nonnull(strstr(contents(path), "\"config\":\t1"));
	ck_assert_int_ne(access(new, F_OK), 0);
	/* where it cannot be written, the log says so */
	client.options.report = "/nowhere/r.json";
	client_greet();
	shutdown(client.fd, SHUT_RDWR);
	client_serve();
	says("/nowhere/r.json: No such file");
	client.options.report = NULL;
	unlink(path);
	rmdir(folder);
}
END_TEST

static TCase *hostile_case(void)
{
	TCase *t = tcase_create("hostile");

	tcase_add_checked_fixture(t, client_setup, client_teardown);
	tcase_add_test(t, a_first_message_that_is_no_version_ends_it);
	tcase_add_test(t, a_second_version_ends_it);
	tcase_add_test(t, a_version_that_is_not_ours_ends_it);
	tcase_add_loop_test(t, nonsense_ends_it, 0, 13);
	tcase_add_loop_test(t,
		a_message_that_is_begun_and_not_finished_ends_it, 0, 2);
	tcase_add_test(t, a_client_that_does_not_greet_goes);
	tcase_add_test(t, a_client_that_does_not_read_its_answers_goes);
	tcase_add_loop_test(t, too_many_descriptors_end_it_and_none_is_kept,
			    VU_FDS - 1, VU_FDS + 4);
	tcase_add_loop_test(t, too_many_descriptors_end_it_and_none_is_kept,
			    31, 33);
	tcase_add_loop_test(t, descriptors_with_the_wrong_message_end_it, 0,
			    2);
	tcase_add_test(t, an_unknown_command_with_descriptors_keeps_none);
	tcase_add_test(t, a_broken_rule_gets_so_many_lines_and_no_more);
	return t;
}

int main(void)
{
	Suite *suite = suite_create("life");
	TCase *t = tcase_create("life");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(t, client_setup, client_teardown);
	tcase_add_test(t, a_message_in_single_bytes_is_one_message);
	tcase_add_test(t, many_messages_at_once_are_all_answered);
	tcase_add_loop_test(t, descriptors_stay_with_their_message, 0, 3);
	tcase_add_test(t, a_client_that_goes_leaves_nothing);
	tcase_add_test(t, clients_come_and_go_a_hundred_times);
	tcase_add_test(t, times_have_a_median);
	tcase_add_test(t, any_time_has_a_class);
	tcase_add_test(t, a_report_is_written_whole_when_a_client_goes);
	suite_add_tcase(suite, t);
	suite_add_tcase(suite, hostile_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
