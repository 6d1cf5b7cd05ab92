/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The program: its options, its socket, its end, and how little it does. */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vm/server/message.h"

static char folder[] = "/tmp/server.XXXXXX";
static char sock[64], report[64], logfile[64];
static pid_t server;

static void setup(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(sock, sizeof(sock), "%s/card", folder);
	snprintf(report, sizeof(report), "%s/report", folder);
	snprintf(logfile, sizeof(logfile), "%s/log", folder);
}

static void teardown(void)
{
	if (server > 0) {
		kill(server, SIGKILL);
		waitpid(server, NULL, 0);
	}
	unlink(sock);
	unlink(report);
	unlink(logfile);
	rmdir(folder);
}

static pid_t start(const char *option, const char *value)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	dup2(open("/dev/null", O_WRONLY), 2);
	dup2(2, 1);
	execl(SERVER, "tesla-server", "--socket", sock, "--report", report,
	      "--log", logfile, option, value, NULL);
	_exit(127);
}

static int ended(pid_t pid, int *usage_ms)
{
	struct rusage usage;
	int status;

	ck_assert_int_eq(wait4(pid, &status, 0, &usage), pid);
	if (pid == server)
		server = 0;
	if (usage_ms)
		*usage_ms = usage.ru_utime.tv_sec * 1000 +
			usage.ru_utime.tv_usec / 1000 +
			usage.ru_stime.tv_sec * 1000 +
			usage.ru_stime.tv_usec / 1000;
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int connect_once(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strcpy(address.sun_path, sock);
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	close(fd);
	return -1;
}

/* The server may need a moment. */
static int come(void)
{
	int fd = -1;

	for (int i = 0; fd < 0 && i < 500; i++) {
		fd = connect_once();
		if (fd < 0)
			usleep(10000);
	}
	ck_assert_int_ge(fd, 0);
	return fd;
}

static void say(int fd, unsigned int command, const void *body, size_t size)
{
	uint8_t message[128];
	struct vu_header header = {
		.command = command, .size = VU_HEADER_SIZE + size,
	};

	vu_header_write(message, &header);
	memcpy(message + VU_HEADER_SIZE, body, size);
	ck_assert_int_eq(write(fd, message, header.size), header.size);
}

/* Versions are exchanged: the server is there, and for us. */
static bool greeted(int fd, int ms)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	char answer[512];

	return poll(&pfd, 1, ms) == 1 &&
		read(fd, answer, sizeof(answer)) > VU_HEADER_SIZE;
}

static uint32_t device_id(int fd)
{
	uint8_t body[16] = { 0 }, answer[64];

	vu_put32(body + 8, 7);
	vu_put32(body + 12, 4);
	say(fd, VU_REGION_READ, body, 16);
	ck_assert_int_eq(recv(fd, answer, 36, MSG_WAITALL), 36);
	return vu_get32(answer + 32) >> 16;
}

START_TEST(each_chip_is_served_and_term_is_a_clean_end)
{
	static const char *const chips[] = { "p100", "p40", "M40" };
	static const uint32_t ids[] = { 0x15f8, 0x1b38, 0x17fd };
	struct stat st;
	int fd;

	server = start("--chip", chips[_i]);
	fd = come();
	say(fd, VU_VERSION, "\0\0\0\0", 4);
	ck_assert(greeted(fd, 5000));
	ck_assert_uint_eq(device_id(fd), ids[_i]);
	ck_assert_int_eq(stat(sock, &st), 0);
	ck_assert_uint_eq(st.st_mode & 077, 0);
	kill(server, SIGTERM);
	ck_assert_int_eq(ended(server, NULL), 0);
	ck_assert_int_ne(stat(sock, &st), 0);
	ck_assert_int_eq(stat(report, &st), 0);
}
END_TEST

START_TEST(the_next_client_waits_for_the_first_to_go)
{
	int first, second;

	server = start("--seed", "7");
	first = come();
	say(first, VU_VERSION, "\0\0\0\0", 4);
	ck_assert(greeted(first, 5000));
	second = come();
	say(second, VU_VERSION, "\0\0\0\0", 4);
	ck_assert(!greeted(second, 200));
	close(first);
	ck_assert(greeted(second, 5000));
	kill(server, SIGINT);
	ck_assert_int_eq(ended(server, NULL), 0);
}
END_TEST

START_TEST(a_malformed_message_ends_the_connection_and_not_the_server)
{
	int fd;

	server = start("--additions", "off");
	for (int i = 0; i < 3; i++) {
		struct pollfd pfd = { .events = POLLIN };
		char byte;

		fd = pfd.fd = come();
		ck_assert_int_eq(write(fd, "GET / HTTP/1.1\r\n\r\n", 18), 18);
		ck_assert_int_eq(poll(&pfd, 1, 5000), 1);
		ck_assert_int_le(read(fd, &byte, 1), 0);
		close(fd);
	}
	fd = come();
	say(fd, VU_VERSION, "\0\0\0\0", 4);
	ck_assert(greeted(fd, 5000));
}
END_TEST

START_TEST(a_server_with_nothing_to_do_does_nothing)
{
	int fd, before, ms;

	/* what a server costs that starts and ends */
	server = start("--chip", "p100");
	fd = come();
	say(fd, VU_VERSION, "\0\0\0\0", 4);
	ck_assert(greeted(fd, 5000));
	close(fd);
	kill(server, SIGTERM);
	ck_assert_int_eq(ended(server, &before), 0);

	server = start("--chip", "p100");
	fd = come();
	say(fd, VU_VERSION, "\0\0\0\0", 4);
	ck_assert(greeted(fd, 5000));
	sleep(1);
	kill(server, SIGTERM);
	ck_assert_int_eq(ended(server, &ms), 0);
	ck_assert_int_lt(ms, before + 40);
}
END_TEST

START_TEST(a_dead_server_is_followed_and_a_living_one_is_not)
{
	pid_t second;
	int fd;

	server = start("--chip", "p40");
	close(come());
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	server = start("--chip", "p40");
	fd = come();
	second = start("--chip", "p40");
	ck_assert_int_eq(ended(second, NULL), 1);
	say(fd, VU_VERSION, "\0\0\0\0", 4);
	ck_assert(greeted(fd, 5000));
}
END_TEST

START_TEST(what_is_no_socket_is_left_alone)
{
	struct stat st;
	int fd = open(sock, O_CREAT | O_WRONLY, 0600);

	ck_assert_int_eq(write(fd, "mine", 4), 4);
	close(fd);
	server = start("--chip", "p100");
	ck_assert_int_eq(ended(server, NULL), 1);
	ck_assert_int_eq(stat(sock, &st), 0);
	ck_assert_int_eq(st.st_size, 4);
}
END_TEST

START_TEST(wrong_options_are_usage_errors)
{
	static const char *const rows[][2] = {
		{ "--chip", "v100" }, { "--seed", "1x" }, { "--seed", "" },
		{ "--additions", "maybe" }, { "--what", "ever" },
		{ "--log", "/nowhere/log" }, { "more", NULL },
		{ "--unposted", "x" }, { "--chip", NULL },
	};

	server = start(rows[_i][0], rows[_i][1]);
	ck_assert_int_eq(ended(server, NULL), 2);
}
END_TEST

START_TEST(a_path_that_cannot_be_is_refused)
{
	snprintf(sock, sizeof(sock), "/nowhere/card");
	server = start("--chip", "p100");
	ck_assert_int_eq(ended(server, NULL), 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("program");
	TCase *t = tcase_create("program");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, each_chip_is_served_and_term_is_a_clean_end, 0,
			    3);
	tcase_add_test(t, the_next_client_waits_for_the_first_to_go);
	tcase_add_test(t,
		a_malformed_message_ends_the_connection_and_not_the_server);
	tcase_add_test(t, a_server_with_nothing_to_do_does_nothing);
	tcase_add_test(t, a_dead_server_is_followed_and_a_living_one_is_not);
	tcase_add_test(t, what_is_no_socket_is_left_alone);
	tcase_add_loop_test(t, wrong_options_are_usage_errors, 0, 9);
	tcase_add_test(t, a_path_that_cannot_be_is_refused);
	suite_add_tcase(suite, t);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
