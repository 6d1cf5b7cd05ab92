/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Stopping at once, and leaving nothing.
 *
 * SIGINT, SIGTERM and SIGHUP are blocked and looked for where the class run
 * waits: no write is cut in half by one, and none comes between a look and a
 * wait.  Those that we were started with ignored (nohup) stay ignored.
 *
 * A worker that is killed takes its boxes with it, since each process there
 * dies with its parent.  They die on their own time, so the class run adopts
 * them and waits: when it ends there is no process left, and nobody writes
 * into the scratch folder that is then removed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "autograder/grade/stop.h"

#define REAP_TRIES	1000	/* of 2 ms each */

static sigset_t heeded, before;
static int told;

void stop_prepare(void)
{
	static const int wanted[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action;

	signal(SIGCHLD, SIG_DFL);	/* ignored, children would vanish */
	sigemptyset(&heeded);
	sigaddset(&heeded, SIGCHLD);
	for (unsigned int i = 0; i < 3; i++) {
		if (sigaction(wanted[i], NULL, &action) == 0 &&
		    action.sa_handler != SIG_IGN)
			sigaddset(&heeded, wanted[i]);
	}
	sigprocmask(SIG_BLOCK, &heeded, &before);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void stop_in_child(pid_t parent)
{
	signal(SIGINT, SIG_IGN);
	sigprocmask(SIG_SETMASK, &before, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
}

static void note(int sig)
{
	if (sig > 0 && sig != SIGCHLD && !told)
		told = sig;
}

int stop_signal(void)
{
	const struct timespec now = { 0 };
	int sig;

	do {
		sig = sigtimedwait(&heeded, NULL, &now);
		note(sig);
	} while (sig > 0);
	return told;
}

pid_t stop_wait(int *status, struct rusage *usage)
{
	while (!stop_signal()) {
		pid_t pid = wait4(-1, status, WNOHANG, usage);

		if (pid)
			return pid < 0 ? -errno : pid;
		note(sigwaitinfo(&heeded, NULL));
	}
	return 0;
}

void stop_children(const pid_t *pid, unsigned int count)
{
	const struct timespec moment = { .tv_nsec = 2000000 };
	pid_t ended = 0;

	for (unsigned int i = 0; i < count; i++) {
		if (pid[i] > 0)
			kill(pid[i], SIGKILL);
	}
	for (int tries = 0; tries < REAP_TRIES && ended >= 0; tries++) {
		do
			ended = waitpid(-1, NULL, WNOHANG);
		while (ended > 0);
		if (!ended)
			nanosleep(&moment, NULL);
	}
}
