/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The workers.
 *
 * At most so many processes at a time; each does one piece: prepare a
 * submission, or run one test on one.  Tests of the student who is furthest
 * along go first, so that results appear one after the other and scratch
 * space stays small.  Results are given out in the students' order, whatever
 * the order of their ends.
 *
 * A worker answers in a memory file.  One that dies, whatever of, has
 * answered nothing; its piece is done once more, then it is an error.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "autograder/grade/grade.h"
#include "autograder/grade/stop.h"

#define PREPARE		(-1)
#define ANSWER_MAX	(8 << 20)
/* A backstop far above what a piece takes, for a worker that hangs. */
#define WORKER_S	600

struct worker {
	pid_t pid;		/* 0: free				*/
	int answer;
	unsigned int student;
	int piece;		/* PREPARE or the test's number		*/
	bool again;		/* its second time			*/
	uint64_t started;
};

struct pool {
	struct class_run *run;
	struct worker *worker;
	unsigned int size, busy;
	unsigned int prepared;	/* students whose preparation began	*/
	unsigned int reported;	/* students given out			*/
	void (*done)(struct class_run *run, struct student *student);
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/* One core a worker, for as many as there are: see the judge's link. */
static void use_core(unsigned int slot)
{
	cpu_set_t all, one;
	int count, n;

	if (sched_getaffinity(0, sizeof(all), &all))
		return;
	count = CPU_COUNT(&all);
	n = slot % (count ? count : 1);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all) || n--)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		return;
	}
}

static __attribute__((noreturn)) void work(struct pool *pool, int slot,
					   pid_t parent)
{
	const struct worker *w = &pool->worker[slot];
	const struct grader *grader = pool->run->grader;
	const struct student *student = &pool->run->students[w->student];
	cJSON *result;
	char *text;

	stop_in_child(parent);
	signal(SIGALRM, SIG_DFL);
	alarm(WORKER_S);
	use_core(slot);
	result = w->piece == PREPARE ? prepare_run(grader, student) :
		trial_run(grader, student, grader->tests[w->piece]);
	text = cJSON_PrintUnformatted(result);
	if (!text || write(w->answer, text, strlen(text)) !=
	    (ssize_t)strlen(text))
		_exit(1);
	_exit(0);
}

static int start(struct pool *pool, unsigned int student, int piece,
		 bool again)
{
	unsigned int slot = 0;
	pid_t parent = getpid();
	struct worker *w;

	while (pool->worker[slot].pid)
		slot++;
	w = &pool->worker[slot];
	w->answer = memfd_create("answer", MFD_CLOEXEC);
	if (w->answer < 0)
		return -errno;
	w->student = student;
	w->piece = piece;
	w->again = again;
	w->started = now_ns();
	fflush(NULL);
	w->pid = fork();
	if (w->pid == 0)
		work(pool, slot, parent);
	if (w->pid < 0) {
		int err = -errno;

		w->pid = 0;
		close(w->answer);
		return err;
	}
	pool->busy++;
	pool->run->students[student].running++;
	return 0;
}

static cJSON *read_answer(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	cJSON *result = NULL;
	char *text;

	if (size <= 0 || size > ANSWER_MAX)
		return NULL;
	text = malloc(size + 1);
	if (text && pread(fd, text, size, 0) == size) {
		text[size] = '\0';
		result = cJSON_Parse(text);
	}
	free(text);
	return result;
}

static bool is_ready(const struct student *student)
{
	return student->prepared &&
	       !cJSON_HasObjectItem(student->prepared, "state");
}

static bool is_finished(const struct class_run *run,
			const struct student *student)
{
	if (student->running || !student->work)
		return false;
	if (is_ready(student))
		return student->next == run->grader->count;
	return true;
}

/* The next piece, tests before preparations.  false: nothing to start. */
static bool start_next(struct pool *pool, int *err)
{
	struct class_run *run = pool->run;

	for (unsigned int i = pool->reported; i < pool->prepared; i++) {
		struct student *student = &run->students[i];

		if (!is_ready(student) ||
		    student->next == run->grader->count)
			continue;
		*err = start(pool, i, student->next++, false);
		return true;
	}
	if (pool->prepared == run->count)
		return false;
	*err = start(pool, pool->prepared++, PREPARE, false);
	return true;
}

static void give_out(struct pool *pool)
{
	struct class_run *run = pool->run;

	while (pool->reported < pool->prepared &&
	       is_finished(run, &run->students[pool->reported])) {
		struct student *student = &run->students[pool->reported++];

		student->record = assemble(run->grader, student);
		pool->done(run, student);
		remove_tree(student->work);
	}
}

static int collect(struct pool *pool)
{
	struct rusage usage;
	struct student *student;
	struct worker *w = NULL;
	cJSON *result;
	int status;
	pid_t pid = stop_wait(&status, &usage);

	if (pid <= 0)
		return pid ? pid : -EINTR;
	for (unsigned int i = 0; i < pool->size; i++)
		if (pool->worker[i].pid == pid)
			w = &pool->worker[i];
	if (!w)
		return 0;
	student = &pool->run->students[w->student];
	student->cpu_ns += (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) *
		1000000000ull + (usage.ru_utime.tv_usec +
				 usage.ru_stime.tv_usec) * 1000ull;
	student->wall_ns += now_ns() - w->started;
	result = status == 0 ? read_answer(w->answer) : NULL;
	close(w->answer);
	w->pid = 0;
	pool->busy--;
	student->running--;
	if (!result && !w->again)
		return start(pool, w->student, w->piece, true);
	if (w->piece == PREPARE)
		student->prepared = result;
	else
		student->results[w->piece] = result;
	give_out(pool);
	return 0;
}

static void end_all(struct pool *pool)
{
	for (unsigned int i = 0; i < pool->size; i++) {
		struct worker *w = &pool->worker[i];

		if (!w->pid)
			continue;
		kill(w->pid, SIGKILL);
		close(w->answer);
		w->pid = 0;
	}
	stop_children(NULL, 0);
}

int pool_run(struct class_run *run, void (*done)(struct class_run *run,
						 struct student *student))
{
	unsigned int size = run->grader->options.jobs;
	struct pool pool = {
		.run = run, .size = size, .done = done,
		.worker = calloc(size, sizeof(struct worker)),
	};
	int err = 0;

	if (!pool.worker)
		return -ENOMEM;
	while (!err) {
		while (!err && pool.busy < pool.size &&
		       start_next(&pool, &err))
			;
		if (!pool.busy)
			break;
		if (!err)
			err = collect(&pool);
	}
	end_all(&pool);
	free(pool.worker);
	return err;
}
