/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Every layer really denies what it should.
 *
 * The attempts are victim.c's, run in a box.  A table says which attempt is
 * made under which layers; an attempt that succeeds fails the test.  Layers
 * that this machine lacks are skipped and named.  The same attempts are also
 * made under one layer alone, since a layer that works only behind another
 * protects nobody whose machine lacks the other.
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "autograder/box/box.h"

#ifndef VICTIM
#define VICTIM "build/bin/box-victim"
#endif

#define U	(1u << BOX_UID)
#define L	(1u << BOX_LANDLOCK)
#define S	(1u << BOX_SECCOMP)
#define N	(1u << BOX_NAMESPACES)
#define LIM	(1u << BOX_LIMITS)

static struct box_probe probe;
static char victim[4096], dir[64], secret[96], inside[96];
static char log_text[8192];

static void setup(void)
{
	const char *path = getenv("BOX_VICTIM");
	int fd;

	box_probe(&probe);
	ck_assert_ptr_nonnull(realpath(path ? path : VICTIM, victim));
	strcpy(dir, "/tmp/doorbell-box-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chmod(dir, 0755), 0);
	snprintf(secret, sizeof(secret), "%s/secret", dir);
	snprintf(inside, sizeof(inside), "%s/inside", dir);
	fd = open(secret, O_WRONLY | O_CREAT, 0600);
	ck_assert_int_eq(write(fd, "hidden test", 11), 11);
	close(fd);
	ck_assert_int_eq(mkdir(inside, 0755), 0);
}

static void teardown(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ck_assert_int_eq(system(command), 0);
}

/* All of layers or none: a test under fewer would test something else. */
static bool have(unsigned int layers)
{
	return (layers & ~probe.have) == 0;
}

static void run(enum box_profile profile, unsigned int layers,
		const char *attempt, const char *target,
		struct box_result *result)
{
	const char *read[16], *write[] = { inside, NULL };
	const char *argv[] = { victim, attempt, target, NULL };
	struct box_spec spec = {
		.profile = profile, .layers = layers, .read = read,
		.write = write, .cwd = inside,
	};
	struct box *box;
	int n = 0;

	while (box_system_paths[n]) {
		read[n] = box_system_paths[n];
		n++;
	}
	read[n++] = victim;
	read[n] = NULL;
	box_limits_default(profile, &spec.limits);
	spec.limits.cpu_s = 2;
	ck_assert_int_eq(box_open(&probe, &spec, &box), 0);
	ck_assert_int_eq(box_run(box, argv, 30000, log_text, sizeof(log_text),
				 result), 0);
	box_close(box);
}

/* The attempt's errno; 0 is success, which is a leak. */
static int status_of(enum box_profile profile, unsigned int layers,
		     const char *attempt, const char *target)
{
	struct box_result r;

	run(profile, layers, attempt, target, &r);
	ck_assert_msg(r.end == BOX_EXITED && r.status < 90,
		      "%s under %#x: ended %d, status %d", attempt, layers,
		      r.end, r.status);
	return r.status;
}

static const struct denial {
	const char *attempt;
	enum box_profile profile;
	unsigned int layers;
	const char *target;	/* "S" secret, "J" judge, "N" new file */
} denials[] = {
	/* reading what is hidden, by each layer that guards files */
	{ "read", BOX_AGENT, BOX_ALL, "S" },
	{ "read", BOX_COMPILE, BOX_ALL, "S" },
	{ "read", BOX_AGENT, LIM | U, "S" },
	{ "read", BOX_AGENT, LIM | L, "S" },
	{ "read", BOX_COMPILE, LIM | L, "/etc/passwd" },
	{ "read", BOX_COMPILE, LIM | L, "/proc/self/environ" },
	{ "list", BOX_COMPILE, LIM | L, "/" },
	/* writing */
	{ "write", BOX_AGENT, BOX_ALL, "S" },
	{ "write", BOX_AGENT, LIM | S, "N" },
	{ "write", BOX_AGENT, LIM | U, "N" },
	{ "write", BOX_COMPILE, LIM | L, "N" },
	{ "write", BOX_COMPILE, BOX_ALL, "N" },
	{ "truncate_path", BOX_AGENT, BOX_ALL, "S" },
	{ "truncate_path", BOX_COMPILE, LIM | U, "S" },
	{ "truncate_path", BOX_COMPILE, LIM | L, "S" },
	{ "symlink", BOX_COMPILE, BOX_ALL, "I" },
	{ "symlink", BOX_AGENT, LIM | S, "I" },
	/* other processes */
	{ "signal", BOX_AGENT, LIM | S, "J" },
	{ "signal", BOX_AGENT, LIM | U, "J" },
	{ "signal", BOX_COMPILE, BOX_ALL, "J" },
	{ "signal", BOX_COMPILE, LIM | S, "J" },
	{ "signal_all", BOX_COMPILE, BOX_ALL, "J" },
	{ "ptrace", BOX_AGENT, LIM | S, "J" },
	{ "ptrace", BOX_AGENT, LIM | U, "J" },
	{ "ptrace", BOX_COMPILE, LIM | S, "J" },
	{ "ptrace", BOX_COMPILE, LIM | N, "J" },
	{ "fork", BOX_AGENT, LIM | S, "" },
	{ "fork_bomb", BOX_COMPILE, BOX_ALL, "" },
	{ "fork_bomb", BOX_COMPILE, LIM | U, "" },
	{ "exec", BOX_AGENT, LIM | S, "" },
	{ "exec", BOX_AGENT, BOX_ALL, "" },
	{ "setsid", BOX_COMPILE, LIM | S, "" },
	/* network */
	{ "socket", BOX_AGENT, LIM | S, "" },
	{ "socket", BOX_COMPILE, LIM | S, "" },
	{ "unix_socket", BOX_COMPILE, LIM | S, "" },
	/* memory */
	{ "private_memory", BOX_AGENT, LIM, "" },
	{ "private_memory", BOX_COMPILE, LIM, "" },
	{ "reserved_memory", BOX_AGENT, LIM, "" },
	{ "shared_memory", BOX_AGENT, LIM | S, "" },
	{ "memfd", BOX_AGENT, LIM | S, "" },
	/* the rest */
	{ "descriptors", BOX_AGENT, LIM, "" },
	{ "descriptors", BOX_COMPILE, BOX_ALL, "" },
	{ "rlimit", BOX_AGENT, LIM | S, "" },
	{ "rlimit", BOX_AGENT, LIM | U, "" },
	{ "uid0", BOX_COMPILE, LIM | U, "" },
	{ "unshare", BOX_COMPILE, LIM | S, "" },
	{ "unshare", BOX_AGENT, LIM | S, "" },
	{ "bpf", BOX_COMPILE, LIM | S, "" },
	{ "perf", BOX_AGENT, LIM | S, "" },
	{ "io_uring", BOX_COMPILE, LIM | S, "" },
	{ "alarm", BOX_AGENT, LIM | S, "" },
};

START_TEST(box_denies)
{
	const struct denial *d = &denials[_i];
	char judge[16], fresh[128];
	const char *target = d->target;
	int err;

	/* box_run's caller stands for the judge */
	snprintf(judge, sizeof(judge), "%d", (int)getpid());
	snprintf(fresh, sizeof(fresh), "%s/%s", *target == 'I' ? inside : dir,
		 "fresh");
	if (!strcmp(target, "S"))
		target = secret;
	else if (!strcmp(target, "J"))
		target = judge;
	else if (*target == 'N' || *target == 'I')
		target = fresh;
	signal(SIGURG, SIG_DFL);
	if (!have(d->layers == BOX_ALL ? probe.have : d->layers))
		return;
	err = status_of(d->profile, d->layers, d->attempt, target);
	ck_assert_msg(err != 0 && err != EDOM,
		      "%s succeeded under layers %#x", d->attempt, d->layers);
	ck_assert_int_ne(access(fresh, F_OK), 0);
}
END_TEST

/* Else the table above would prove nothing. */
START_TEST(the_attempts_succeed_where_nothing_denies_them)
{
	static const char *const attempts[] = {
		"read", "write", "truncate_path", "list", "fork",
		"socket", "unix_socket", "shared_memory", "memfd", "alarm",
	};
	char fresh[128];

	snprintf(fresh, sizeof(fresh), "%s/fresh", inside);
	for (size_t i = 0; i < sizeof(attempts) / sizeof(*attempts); i++) {
		const char *target = i == 0 ? secret : i == 3 ? dir : fresh;

		ck_assert_int_eq(status_of(BOX_COMPILE, LIM, attempts[i],
					   target), 0);
	}
}
END_TEST

START_TEST(the_program_may_use_what_it_was_given)
{
	static const char *const allowed[] = { "nothing", "threads" };
	char own[128];

	for (int p = BOX_AGENT; p <= BOX_COMPILE; p++)
		for (int i = 0; i < 2; i++)
			ck_assert_int_eq(status_of(p, BOX_ALL, allowed[i],
						   ""), 0);
	ck_assert_int_eq(status_of(BOX_COMPILE, BOX_ALL, "fork", ""), 0);
	ck_assert_int_eq(status_of(BOX_COMPILE, BOX_ALL, "read",
				   "/usr/bin/env"), 0);
	snprintf(own, sizeof(own), "%s/own", inside);
	ck_assert_int_eq(status_of(BOX_COMPILE, BOX_ALL, "write", own), 0);
	ck_assert_int_eq(access(own, F_OK), 0);
}
END_TEST

START_TEST(output_is_cut_and_never_stops_the_program)
{
	struct box_result r;

	run(BOX_COMPILE, BOX_ALL, "output", "", &r);
	ck_assert_int_eq(r.end, BOX_EXITED);
	ck_assert_int_eq(r.status, 0);
	ck_assert(r.cut);
	ck_assert_uint_eq(strlen(log_text), sizeof(log_text) - 1);
}
END_TEST

START_TEST(an_endless_loop_is_ended_by_its_limit)
{
	struct box_result r;

	run(BOX_COMPILE, BOX_ALL, "spin", "", &r);
	ck_assert_int_eq(r.end, BOX_SIGNALLED);
	ck_assert(r.status == SIGXCPU || r.status == SIGKILL);
	ck_assert_uint_lt(r.cpu_ns, 4000000000ull);
}
END_TEST

START_TEST(death_by_signal_is_told)
{
	struct box_result r;

	run(BOX_AGENT, BOX_ALL, "fault", "", &r);
	ck_assert_int_eq(r.end, BOX_SIGNALLED);
	ck_assert_int_eq(r.status, SIGSEGV);
	run(BOX_AGENT, LIM, "fault", "", &r);
	ck_assert_int_eq(r.end, BOX_SIGNALLED);
	ck_assert_int_eq(r.status, SIGSEGV);
	run(BOX_AGENT, BOX_ALL, "abort", "", &r);
	ck_assert_int_eq(r.end, BOX_SIGNALLED);
}
END_TEST

START_TEST(the_shared_memory_cannot_be_truncated_or_grown)
{
	static const char *const attempts[] = { "shrink_link", "grow_link" };
	int link = memfd_create("link", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	struct box_spec spec = { .profile = BOX_AGENT, .layers = LIM };
	struct box *box;

	ck_assert_int_eq(ftruncate(link, 4096), 0);
	ck_assert_int_eq(fcntl(link, F_ADD_SEALS, F_SEAL_SHRINK |
			       F_SEAL_GROW | F_SEAL_SEAL), 0);
	box_limits_default(BOX_AGENT, &spec.limits);
	ck_assert_int_eq(box_open(&probe, &spec, &box), 0);
	for (int i = 0; i < 2; i++) {
		const char *argv[] = { victim, attempts[i], NULL };
		pid_t pid = box_spawn(box, argv, (const int[BOX_FDS]){ -1, -1,
				      -1, link });
		struct stat st;
		int status;

		ck_assert_int_gt(pid, 0);
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert(WIFEXITED(status) && WEXITSTATUS(status) != 0);
		ck_assert_int_eq(fstat(link, &st), 0);
		ck_assert_int_eq(st.st_size, 4096);
	}
	box_close(box);
	close(link);
}
END_TEST

START_TEST(killing_the_pid_ends_what_it_started)
{
	struct box_result r;
	char log[64], command[4200];
	const char *argv[] = { victim, "fork_bomb", NULL };
	struct box_spec spec = { .profile = BOX_COMPILE, .layers = BOX_ALL,
				 .read = (const char *[]){ victim, "/usr",
					 "/lib", "/lib64", NULL } };
	struct box *box;

	if (_i)		/* the sweep alone must do */
		spec.layers &= ~N;

	box_limits_default(BOX_COMPILE, &spec.limits);
	spec.limits.processes = 1000;
	ck_assert_int_eq(box_open(&probe, &spec, &box), 0);
	/* 200 paused children are left when the program exits 0 */
	ck_assert_int_eq(box_run(box, argv, 8000, log, sizeof(log), &r), 0);
	ck_assert_int_eq(r.status, 0);
	box_close(box);
	snprintf(command, sizeof(command), "sleep 0.2; ! grep -lsz "
		 "'^%s' /proc/[0-9]*/cmdline | grep -v self", victim);
	ck_assert_int_eq(system(command), 0);
}
END_TEST

START_TEST(a_layer_that_fails_runs_nothing)
{
	const char *argv[] = { "/bin/true", NULL };
	const int none[BOX_FDS] = { -1, -1, -1, -1 };
	struct box_spec spec = { .profile = BOX_COMPILE, .layers = LIM,
				 .cwd = "/no/such/folder" };
	struct box *box;

	box_limits_default(BOX_COMPILE, &spec.limits);
	ck_assert_int_eq(box_open(&probe, &spec, &box), 0);
	ck_assert_int_eq(box_spawn(box, argv, none), -ENOENT);
	argv[0] = "/no/such/program";
	ck_assert_int_eq(box_spawn(box, argv, none), -ENOENT);
	box_close(box);
}
END_TEST

START_TEST(no_descriptor_leaks_over_many_starts)
{
	const char *argv[] = { victim, "nothing", NULL };
	struct box_spec spec = { .profile = BOX_AGENT, .layers = LIM };
	struct box_result r;
	int before, after;
	struct box *box;
	char log[16];

	before = dup(0);
	close(before);
	box_limits_default(BOX_AGENT, &spec.limits);
	ck_assert_int_eq(box_open(&probe, &spec, &box), 0);
	for (int i = 0; i < 20; i++)
		ck_assert_int_eq(box_run(box, argv, 8000, log, sizeof(log),
					 &r), 0);
	box_close(box);
	after = dup(0);
	close(after);
	ck_assert_int_eq(before, after);
}
END_TEST

START_TEST(less_than_files_and_system_calls_is_not_enough)
{
	ck_assert(box_is_enough(U | S));
	ck_assert(box_is_enough(L | S));
	ck_assert(!box_is_enough(U | L | N | LIM));
	ck_assert(!box_is_enough(S | N | LIM));
	ck_assert_uint_eq(box_layer_bit("landlock"), L);
	ck_assert_uint_eq(box_layer_bit("nonsense"), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("box");
	TCase *tc = tcase_create("box");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 90);
	tcase_add_loop_test(tc, box_denies, 0,
			    sizeof(denials) / sizeof(denials[0]));
	tcase_add_test(tc, the_attempts_succeed_where_nothing_denies_them);
	tcase_add_test(tc, the_program_may_use_what_it_was_given);
	tcase_add_test(tc, output_is_cut_and_never_stops_the_program);
	tcase_add_test(tc, an_endless_loop_is_ended_by_its_limit);
	tcase_add_test(tc, death_by_signal_is_told);
	tcase_add_test(tc, the_shared_memory_cannot_be_truncated_or_grown);
	tcase_add_loop_test(tc, killing_the_pid_ends_what_it_started, 0, 2);
	tcase_add_test(tc, a_layer_that_fails_runs_nothing);
	tcase_add_test(tc, no_descriptor_leaks_over_many_starts);
	tcase_add_test(tc, less_than_files_and_system_calls_is_not_enough);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	box_probe(&probe);
	box_probe_print(&probe, BOX_ALL, stdout);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
