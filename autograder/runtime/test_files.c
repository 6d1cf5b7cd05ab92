/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The driver's descriptors: eventfd, poll and epoll. */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/eventfd.h>

#include "autograder/runtime/test_names.h"
#include "autograder/runtime/test_peer.h"

#define MS	1000000u

static struct peer *peer;

static void setup(void)
{
	peer = calloc(1, sizeof(*peer));
}

static void teardown(void)
{
	free(peer);
}

/* As the system calls do it: a result, or -errno. */
static int64_t result(int64_t value)
{
	return value < 0 ? -errno : value;
}

static int64_t put(int fd, uint64_t value)
{
	return result(rt_write(fd, &value, sizeof(value)));
}

/* What was read, or -errno. */
static int64_t take(int fd)
{
	uint64_t value = 0;
	int64_t done = result(rt_read(fd, &value, sizeof(value)));

	return done == sizeof(value) ? (int64_t)value : done;
}

static int poll_one(int fd, short events, int timeout)
{
	struct pollfd at = { .fd = fd, .events = events, .revents = -1 };
	int found = rt_poll(&at, 1, timeout);

	return found < 0 ? -errno : found ? at.revents : 0;
}

/* --- eventfd --------------------------------------------------------- */

static void counts_body(void *arg)
{
	int fd = rt_eventfd(3, EFD_NONBLOCK | EFD_CLOEXEC);
	int one = rt_eventfd(2, EFD_NONBLOCK | EFD_SEMAPHORE);
	int n = 0;
	char small[4];

	(void)arg;
	peer_result(n++, put(fd, 4));
	peer_result(n++, take(fd));
	peer_result(n++, take(fd));
	peer_result(n++, take(one));
	peer_result(n++, take(one));
	peer_result(n++, take(one));
	peer_result(n++, put(fd, UINT64_MAX));
	peer_result(n++, put(fd, UINT64_MAX - 1));
	peer_result(n++, put(fd, 1));
	peer_result(n++, poll_one(fd, POLLIN | POLLOUT, 0));
	peer_result(n++, result(rt_read(fd, small, sizeof(small))));
	peer_result(n++, result(rt_write(fd, small, sizeof(small))));
	peer_result(n++, result(rt_eventfd(0, 1 << 20)));
	peer_result(n++, rt_close(fd));
	peer_result(n++, result(rt_close(fd)));
	peer_result(n++, take(fd));
	peer_result(n++, rt_live());
	rt_close(one);
	peer_result(n++, rt_live());
}

START_TEST(an_eventfd_counts_as_linux_says)
{
	static const int64_t want[] = {
		8, 7, -EAGAIN, 1, 1, -EAGAIN, -EINVAL, 8, -EAGAIN, POLLIN,
		-EINVAL, -EINVAL, -EINVAL, 0, -EBADF, -EBADF, 1, 0,
	};

	peer_run(peer, counts_body, NULL);
	for (unsigned int i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		ck_assert_msg(peer_value(peer, i) == want[i],
			      "%u: %lld, not %lld", i,
			      (long long)peer_value(peer, i),
			      (long long)want[i]);
}
END_TEST

static void duplicate_body(void *arg)
{
	int fd = rt_eventfd(0, 0), other;
	struct stat st;

	(void)arg;
	other = rt_dup(fd);
	peer_result(0, other == fd + 1);
	rt_fcntl(other, F_SETFL, O_NONBLOCK);
	peer_result(1, rt_fcntl(fd, F_GETFL) & O_NONBLOCK);
	rt_close(fd);
	peer_result(2, put(other, 5));
	peer_result(3, take(other));
	/* The lowest free one, as in Linux. */
	peer_result(4, rt_eventfd(0, 0) == fd);
	peer_result(5, result(rt_fcntl(fd, F_DUPFD_CLOEXEC, 20)));
	peer_result(6, result(rt_fcntl(99, F_GETFD)));
	peer_result(7, result(rt_fstat(other, &st)));
	peer_result(8, st.st_mode & S_IFMT);
	peer_result(9, result(rt_fstat(99, &st)));
}

START_TEST(a_duplicate_is_the_same_file)
{
	peer_run(peer, duplicate_body, NULL);
	ck_assert_int_eq(peer_value(peer, 0), 1);
	ck_assert_int_eq(peer_value(peer, 1), O_NONBLOCK);
	ck_assert_int_eq(peer_value(peer, 2), 8);
	ck_assert_int_eq(peer_value(peer, 3), 5);
	ck_assert_int_eq(peer_value(peer, 4), 1);
	ck_assert_int_eq(peer_value(peer, 5), 20);
	ck_assert_int_eq(peer_value(peer, 6), -EBADF);
	ck_assert_int_eq(peer_value(peer, 7), 0);
	ck_assert_int_eq(peer_value(peer, 8), 0);
	ck_assert_int_eq(peer_value(peer, 9), -EBADF);
}
END_TEST

static int pipes[2];

/* Ping and pong; a reader that finds 0 sleeps. */
static void ping_pong(void *arg, unsigned int thread)
{
	int64_t sum = 0;

	(void)arg;
	for (int i = 1; i <= 10; i++) {
		if (!thread)
			put(pipes[0], i);
		sum += take(pipes[!thread]);
		if (thread)
			put(pipes[1], i);
	}
	peer_result(thread, sum);
}

static void ping_pong_body(void *arg)
{
	const struct race *race = arg;

	pipes[0] = rt_eventfd(0, 0);
	pipes[1] = rt_eventfd(0, 0);
	peer_threads(race->policy, race->seed, 2, ping_pong);
}

START_TEST(a_read_waits_for_a_write)
{
	struct race race = { _i, 0 };

	for (race.seed = 1; race.seed <= 20; race.seed++) {
		peer_run(peer, ping_pong_body, &race);
		ck_assert_int_eq(peer_value(peer, 0), 55);
		ck_assert_int_eq(peer_value(peer, 1), 55);
		ck_assert_uint_eq(peer->asked[WIRE_DEADLOCK], 0);
	}
}
END_TEST

static void full_writer(void *arg, unsigned int thread)
{
	(void)arg;
	if (thread) {
		rt_sleep(1000);
		peer_result(1, take(pipes[0]) == -2);
	} else {
		peer_result(0, put(pipes[0], 7));
		peer_result(2, take(pipes[0]));
	}
}

static void full_body(void *arg)
{
	(void)arg;
	pipes[0] = rt_eventfd(0, 0);
	put(pipes[0], UINT64_MAX - 1);
	peer_threads(WIRE_SCHED_RANDOM, 1, 2, full_writer);
}

START_TEST(a_write_waits_for_room)
{
	peer_run(peer, full_body, NULL);
	ck_assert_int_eq(peer_value(peer, 0), 8);
	ck_assert_int_eq(peer_value(peer, 2), 7);
}
END_TEST

static void stuck_body(void *arg)
{
	(void)arg;
	take(rt_eventfd(0, 0));
}

START_TEST(a_read_for_ever_is_a_deadlock_by_name)
{
	peer_run(peer, stuck_body, NULL);
	ck_assert_uint_eq(peer->asked[WIRE_DEADLOCK], 1);
	ck_assert_msg(strstr(peer->text,
			     "thread 0 waits for a write to eventfd 3"),
		      "%s", peer->text);
}
END_TEST

/* --- poll ------------------------------------------------------------ */

static void poll_body(void *arg)
{
	struct timespec time = { .tv_nsec = 300000 }, none = { .tv_nsec = -1 };
	int fd = rt_eventfd(0, 0), other = rt_eventfd(1, 0);
	struct pollfd at[4] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = -1, .events = POLLIN, .revents = 7 },
		{ .fd = other, .events = POLLIN | POLLOUT },
		{ .fd = 77, .events = POLLIN },
	};
	int n = 0;

	(void)arg;
	peer_result(n++, rt_poll(at, 4, -1));
	peer_result(n++, at[0].revents);
	peer_result(n++, at[1].revents);
	peer_result(n++, at[2].revents);
	peer_result(n++, at[3].revents);
	peer_result(n++, poll_one(fd, POLLIN, 2));
	peer_result(n++, rt_now() / MS);
	peer_result(n++, result(rt_ppoll(at, 1, &time, NULL)));
	peer_result(n++, rt_now() / 100000);
	peer_result(n++, result(rt_ppoll(at, 1, &none, NULL)));
	peer_result(n++, result(rt_poll(NULL, 100000, 0)));
	peer_result(n++, rt_poll(NULL, 0, 1));
	peer_result(n++, rt_now() / 100000);
}

START_TEST(poll_looks_and_waits)
{
	static const int64_t want[] = {
		2, 0, 0, POLLIN | POLLOUT, POLLNVAL, 0, 2, 0, 23, -EINVAL,
		-EINVAL, 0, 33,
	};

	peer_run(peer, poll_body, NULL);
	for (unsigned int i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		ck_assert_msg(peer_value(peer, i) == want[i],
			      "%u: %lld, not %lld", i,
			      (long long)peer_value(peer, i),
			      (long long)want[i]);
}
END_TEST

/* Three wait in poll() for one write; all wake, no time passes. */
static void many_waiters(void *arg, unsigned int thread)
{
	(void)arg;
	if (thread)
		peer_result(thread, poll_one(pipes[0], POLLIN, 50));
	else
		put(pipes[0], 1);
}

static void many_body(void *arg)
{
	const struct race *race = arg;

	pipes[0] = rt_eventfd(0, 0);
	peer_threads(race->policy, race->seed, 4, many_waiters);
	peer_result(0, rt_now() < MS);
}

START_TEST(a_write_wakes_all_who_poll)
{
	struct race race = { _i, 0 };

	for (race.seed = 1; race.seed <= 20; race.seed++) {
		peer_run(peer, many_body, &race);
		for (int i = 0; i < 4; i++)
			ck_assert_int_eq(peer_value(peer, i), 1);
	}
}
END_TEST

/* Who polls a descriptor that is closed learns nothing of it. */
static void closer(void *arg, unsigned int thread)
{
	(void)arg;
	if (thread) {
		peer_result(1, poll_one(pipes[0], POLLIN, 5));
		peer_result(2, rt_now() / MS);
	} else {
		rt_sleep(MS);
		rt_close(pipes[0]);
		peer_result(0, rt_eventfd(1, 0) == pipes[0]);
	}
}

static void closer_body(void *arg)
{
	(void)arg;
	pipes[0] = rt_eventfd(0, 0);
	peer_threads(WIRE_SCHED_RANDOM, 3, 2, closer);
}

START_TEST(closing_wakes_nobody)
{
	peer_run(peer, closer_body, NULL);
	ck_assert_int_eq(peer_value(peer, 0), 1);
	ck_assert_int_eq(peer_value(peer, 1), 0);
	ck_assert_int_eq(peer_value(peer, 2), 5);
}
END_TEST

/* --- epoll ----------------------------------------------------------- */

static int control(int epfd, int operation, int fd, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.u32 = fd };

	return result(rt_epoll_ctl(epfd, operation, fd, &event));
}

/* The events of the one descriptor, 0 for none. */
static int64_t wait_one(int epfd, int timeout)
{
	struct epoll_event event = { 0 };
	int count = rt_epoll_wait(epfd, &event, 1, timeout);

	return count < 0 ? -errno : count ? (int)event.events : 0;
}

static void epoll_body(void *arg)
{
	uint32_t how = *(uint32_t *)arg;
	int epfd = rt_epoll_create1(EPOLL_CLOEXEC), fd = rt_eventfd(0, 0);
	int n = 0;

	peer_result(n++, control(epfd, EPOLL_CTL_ADD, fd, EPOLLIN | how));
	peer_result(n++, control(epfd, EPOLL_CTL_ADD, fd, EPOLLIN));
	peer_result(n++, wait_one(epfd, 0));
	put(fd, 1);
	peer_result(n++, poll_one(epfd, POLLIN, 0));
	peer_result(n++, wait_one(epfd, -1));
	peer_result(n++, wait_one(epfd, 0));
	put(fd, 1);			/* an edge, though not empty	*/
	peer_result(n++, wait_one(epfd, 1));
	take(fd);
	peer_result(n++, wait_one(epfd, 1));
	put(fd, 1);
	control(epfd, EPOLL_CTL_MOD, fd, EPOLLIN | how);
	peer_result(n++, wait_one(epfd, 1));
	peer_result(n++, control(epfd, EPOLL_CTL_DEL, fd, 0));
	peer_result(n++, control(epfd, EPOLL_CTL_DEL, fd, 0));
	peer_result(n++, control(epfd, EPOLL_CTL_ADD, 90, EPOLLIN));
	peer_result(n++, control(epfd, EPOLL_CTL_ADD, epfd, EPOLLIN));
	peer_result(n++, control(fd, EPOLL_CTL_ADD, fd, EPOLLIN));
	control(epfd, EPOLL_CTL_ADD, fd, EPOLLIN);
	rt_close(fd);			/* takes it out			*/
	peer_result(n++, wait_one(epfd, 0));
}

START_TEST(epoll_is_triggered_as_it_was_told)
{
	static const uint32_t how[] = { 0, EPOLLET, EPOLLONESHOT };
	static const int64_t want[][15] = {
		{ 0, -EEXIST, 0, 1, 1, 1, 1, 0, 1, 0, -ENOENT, -EBADF, -EINVAL,
		  -EINVAL, 0 },
		{ 0, -EEXIST, 0, 1, 1, 0, 1, 0, 1, 0, -ENOENT, -EBADF, -EINVAL,
		  -EINVAL, 0 },
		{ 0, -EEXIST, 0, 1, 1, 0, 0, 0, 1, 0, -ENOENT, -EBADF, -EINVAL,
		  -EINVAL, 0 },
	};
	uint32_t mode = how[_i];

	peer_run(peer, epoll_body, &mode);
	for (unsigned int i = 0; i < 15; i++)
		ck_assert_msg(peer_value(peer, i) == want[_i][i],
			      "%u: %lld, not %lld", i,
			      (long long)peer_value(peer, i),
			      (long long)want[_i][i]);
}
END_TEST

static void fair_body(void *arg)
{
	int epfd = rt_epoll_create1(0), fd[3];
	struct epoll_event event[2];
	int n = 0;

	(void)arg;
	for (int i = 0; i < 3; i++) {
		fd[i] = rt_eventfd(1, 0);
		control(epfd, EPOLL_CTL_ADD, fd[i], EPOLLIN);
	}
	for (int i = 0; i < 3; i++) {
		rt_epoll_wait(epfd, event, 2, 0);
		peer_result(n++, event[0].data.u32 - fd[0]);
		peer_result(n++, event[1].data.u32 - fd[0]);
	}
}

START_TEST(epoll_goes_round)
{
	static const int64_t want[] = { 0, 1, 2, 0, 1, 2 };

	peer_run(peer, fair_body, NULL);
	for (int i = 0; i < 6; i++)
		ck_assert_int_eq(peer_value(peer, i), want[i]);
}
END_TEST

static void epoll_waiter(void *arg, unsigned int thread)
{
	(void)arg;
	if (thread) {
		peer_result(thread, wait_one(pipes[1], 50));
	} else {
		rt_sleep(1000);
		put(pipes[0], 1);
	}
}

static void epoll_wakes_body(void *arg)
{
	const struct race *race = arg;

	pipes[0] = rt_eventfd(0, 0);
	pipes[1] = rt_epoll_create1(0);
	control(pipes[1], EPOLL_CTL_ADD, pipes[0], EPOLLIN);
	peer_threads(race->policy, race->seed, 3, epoll_waiter);
	peer_result(0, rt_now() < MS);
}

START_TEST(a_write_wakes_all_who_wait_in_epoll)
{
	struct race race = { _i, 0 };

	for (race.seed = 1; race.seed <= 20; race.seed++) {
		peer_run(peer, epoll_wakes_body, &race);
		for (int i = 0; i < 3; i++)
			ck_assert_int_eq(peer_value(peer, i), 1);
	}
}
END_TEST

static void fails_body(void *arg)
{
	int fd = rt_eventfd(0, 0), epfd = rt_epoll_create1(0);

	(void)arg;
	rt_fail_alloc(1);
	peer_result(0, result(rt_eventfd(0, 0)));
	rt_fail_alloc(1);
	peer_result(1, result(rt_epoll_create1(0)));
	rt_fail_alloc(1);
	peer_result(2, control(epfd, EPOLL_CTL_ADD, fd, EPOLLIN));
	peer_result(3, rt_live());
}

START_TEST(an_allocation_that_fails_leaves_nothing)
{
	peer_run(peer, fails_body, NULL);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(peer_value(peer, i), -ENOMEM);
	ck_assert_int_eq(peer_value(peer, 3), 2);
}
END_TEST

static TCase *files_case(void)
{
	TCase *tcase = tcase_create("descriptors");

	tcase_add_test(tcase, an_eventfd_counts_as_linux_says);
	tcase_add_test(tcase, a_duplicate_is_the_same_file);
	tcase_add_loop_test(tcase, a_read_waits_for_a_write, 0, 3);
	tcase_add_test(tcase, a_write_waits_for_room);
	tcase_add_test(tcase, a_read_for_ever_is_a_deadlock_by_name);
	tcase_add_test(tcase, poll_looks_and_waits);
	tcase_add_loop_test(tcase, a_write_wakes_all_who_poll, 0, 3);
	tcase_add_test(tcase, closing_wakes_nobody);
	tcase_add_loop_test(tcase, epoll_is_triggered_as_it_was_told, 0, 3);
	tcase_add_test(tcase, epoll_goes_round);
	tcase_add_loop_test(tcase, a_write_wakes_all_who_wait_in_epoll, 0, 3);
	tcase_add_test(tcase, an_allocation_that_fails_leaves_nothing);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("files");
	TCase *tcase = files_case();
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, setup, teardown);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
