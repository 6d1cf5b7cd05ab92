/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A table of tests, run one by one, a process each.
 *
 * The parent never opens the card: what it forks is as if started anew.  A
 * test that hangs is ended by its alarm, which no handler of ours catches.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

#define TEST_SECONDS	120
#define THREADS		256

struct guest guest = { .seed = 1, .rounds = 1 };
unsigned int guest_breaks;

void guest_fail(const char *file, int line, const char *format, ...)
{
	char text[400];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	printf("# %s:%d: %s\n", file, line, text);
	fflush(stdout);
	_exit(1);
}

/* Numbers ------------------------------------------------------------------ */

void guest_random_init(struct guest_random *random, unsigned int number)
{
	random->state = guest.seed * 0x9e3779b97f4a7c15ULL + number;
	guest_random_next(random);
}

/* splitmix64 */
u32 guest_random_next(struct guest_random *random)
{
	u64 x = random->state += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return (u32)((x ^ x >> 31) >> 32);
}

/* Threads and processes ---------------------------------------------------- */

struct guest_thread {
	pthread_t thread;
	unsigned int number;
	void (*run)(unsigned int number);
};

static void *thread_run(void *arg)
{
	struct guest_thread *thread = arg;

	thread->run(thread->number);
	return NULL;
}

void guest_threads(unsigned int count, void (*run)(unsigned int number))
{
	static struct guest_thread threads[THREADS];

	CHECK(count <= THREADS);
	for (unsigned int i = 0; i < count; i++) {
		threads[i] = (struct guest_thread){ .number = i, .run = run };
		CHECK_EQ(pthread_create(&threads[i].thread, NULL, thread_run,
					&threads[i]), 0);
	}
	for (unsigned int i = 0; i < count; i++)
		pthread_join(threads[i].thread, NULL);
}

int guest_child(void (*run)(void *arg), void *arg)
{
	int pid;

	fflush(stdout);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		alarm(TEST_SECONDS);
		run(arg);
		fflush(stdout);
		_exit(0);
	}
	return pid;
}

int guest_child_end(int pid)
{
	int status;

	CHECK_EQ(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? -WTERMSIG(status) :
		WEXITSTATUS(status);
}

/* The tests ---------------------------------------------------------------- */

static void test_run(void *arg)
{
	const struct guest_test *test = arg;

	test->run();
}

static bool test_passes(const struct guest_test *test)
{
	int end = guest_child_end(guest_child(test_run, (void *)test));

	if (end == -SIGALRM)
		printf("# it hangs\n");
	else if (end < 0)
		printf("# %s\n", strsignal(-end));
	return end == 0;
}

static bool is_wanted(const struct guest_test *test)
{
	const char *wish = getenv("TEST");

	if (test->alone && !guest_has_kernel)
		return false;
	return !wish || strstr(test->name, wish);
}

static bool arguments(int argc, char **argv)
{
	if (argc < 2 || argc > 4)
		return false;
	guest.device = argv[1];
	if (argc > 2)
		guest.seed = strtoull(argv[2], NULL, 0);
	if (argc > 3)
		guest.rounds = (unsigned int)strtoul(argv[3], NULL, 0);
	return guest.rounds > 0;
}

int guest_main(int argc, char **argv, const struct guest_test *tests,
	       size_t count)
{
	unsigned int passed = 0, failed = 0;

	if (!arguments(argc, argv)) {
		fprintf(stderr, "%s DEVICE [SEED [ROUNDS]]\n", argv[0]);
		return 2;
	}
	for (size_t i = 0; i < count; i++) {
		bool good;

		if (!is_wanted(&tests[i]))
			continue;
		good = test_passes(&tests[i]);
		printf("%s %s\n", good ? "ok" : "FAIL", tests[i].name);
		fflush(stdout);
		if (good)
			passed++;
		else
			failed++;
	}
	printf("%u passed, %u failed\n", passed, failed);
	return failed || !passed;
}
