/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What a box must deny, one attempt an argument.
 *
 * Run inside a box by test_box.c.  Exit status 0: the attempt succeeded, the
 * box leaks.  Otherwise the errno that stopped it.  The attempts use system
 * calls directly, as hostile code would.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *target;	/* a path or a pid */

static int try_nothing(void)
{
	return 0;
}

static int try_read(void)
{
	char byte;
	int fd = open(target, O_RDONLY);

	return fd < 0 || read(fd, &byte, 1) != 1 ? errno : 0;
}

static int try_write(void)
{
	int fd = open(target, O_WRONLY | O_CREAT, 0600);

	return fd < 0 || write(fd, "x", 1) != 1 ? errno : 0;
}

static int try_truncate_path(void)
{
	return truncate(target, 0) ? errno : 0;
}

static int try_list(void)
{
	return open(target, O_RDONLY | O_DIRECTORY) < 0 ? errno : 0;
}

static int try_signal(void)
{
	return kill(atoi(target), SIGURG) ? errno : 0;
}

static int try_signal_all(void)
{
	return kill(-1, SIGURG) ? errno : 0;
}

static int try_ptrace(void)
{
	return ptrace(PTRACE_ATTACH, atoi(target), 0, 0) ? errno : 0;
}

static int try_fork(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return pid < 0 ? errno : 0;
}

/* How many at once?  Succeeds when more than 200 lived. */
static int try_fork_bomb(void)
{
	for (int i = 0; i < 200; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return errno;
		if (pid == 0) {
			pause();
			_exit(0);
		}
	}
	return 0;
}

static int try_exec(void)
{
	execl("/bin/true", "true", (char *)NULL);
	return errno;
}

static int try_socket(void)
{
	return socket(AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0;
}

static int try_unix_socket(void)
{
	int fds[2];

	return socketpair(AF_UNIX, SOCK_STREAM, 0, fds) ? errno : 0;
}

static int try_private_memory(void)
{
	size_t size = 4ull << 30;
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? errno : 0;
}

/* Reserved without rights, then made writable piece by piece. */
static int try_reserved_memory(void)
{
	size_t size = 8ull << 30, step = 64 << 20;
	char *p = mmap(NULL, size, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return EDOM;	/* must work: BARs are reserved so */
	for (size_t i = 0; i < size; i += step) {
		if (mprotect(p + i, step, PROT_READ | PROT_WRITE))
			return errno;
	}
	return 0;
}

static int try_shared_memory(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? errno : 0;
}

static int try_memfd(void)
{
	return memfd_create("x", 0) < 0 ? errno : 0;
}

static int try_shrink_link(void)
{
	return ftruncate(3, 0) ? errno : 0;
}

static int try_grow_link(void)
{
	return ftruncate(3, 1ll << 40) ? errno : 0;
}

static int try_descriptors(void)
{
	for (int fd = 4; fd < 4096; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			return 0;
	return EBADF;
}

static int try_rlimit(void)
{
	struct rlimit lim = { RLIM_INFINITY, RLIM_INFINITY };

	return setrlimit(RLIMIT_DATA, &lim) ? errno : 0;
}

static int try_uid0(void)
{
	return setuid(0) ? errno : 0;
}

static int try_unshare(void)
{
	return unshare(CLONE_NEWUSER) ? errno : 0;
}

static int try_setsid(void)
{
	return setpgid(0, 0) || setsid() < 0 ? errno : 0;
}

static int try_raw(int number)
{
	return syscall(number, 0, 0, 0, 0, 0) < 0 ? errno : 0;
}

static int try_bpf(void)
{
	return try_raw(SYS_bpf);
}

static int try_perf(void)
{
	return try_raw(SYS_perf_event_open);
}

static int try_io_uring(void)
{
	return try_raw(SYS_io_uring_setup);
}

static int try_alarm(void)
{
	return syscall(SYS_alarm, 100) < 0 ? errno : 0;
}

static int try_symlink(void)
{
	return symlink("/etc/shadow", target) ? errno : 0;
}

/* Not denied, only limited. */
static int do_output(void)
{
	char line[1024];

	memset(line, 'x', sizeof(line));
	for (int i = 0; i < 100000; i++)
		if (write(1, line, sizeof(line)) < 0)
			return errno;
	return 0;
}

static int do_spin(void)
{
	for (volatile int i = 1; i; i = i == 1 ? 2 : 1)
		;
	return 0;
}

static int do_abort(void)
{
	abort();
}

static int do_fault(void)
{
	volatile char *volatile nowhere = (char *)8;

	*nowhere = 1;
	return 0;
}

static void *thread(void *arg)
{
	*(int *)arg = 0;
	return NULL;
}

static int do_threads(void)
{
	int result = EDOM;
	pthread_t id;
	int err = pthread_create(&id, NULL, thread, &result);

	if (!err)
		pthread_join(id, NULL);
	return err ? err : result;
}

#define TRY(name)	{ #name, try_##name }
#define DO(name)	{ #name, do_##name }

static const struct {
	const char *name;
	int (*attempt)(void);
} attempts[] = {
	TRY(nothing), TRY(read), TRY(write), TRY(truncate_path), TRY(list),
	TRY(signal), TRY(signal_all), TRY(ptrace), TRY(fork),
	TRY(fork_bomb), TRY(exec), TRY(socket), TRY(unix_socket),
	TRY(private_memory), TRY(reserved_memory), TRY(shared_memory),
	TRY(memfd), TRY(shrink_link), TRY(grow_link), TRY(descriptors),
	TRY(rlimit), TRY(uid0), TRY(unshare), TRY(setsid), TRY(bpf),
	TRY(perf), TRY(io_uring), TRY(alarm), TRY(symlink), DO(output),
	DO(spin), DO(abort), DO(fault), DO(threads),
};

int main(int argc, char **argv)
{
	target = argc > 2 ? argv[2] : "";
	for (size_t i = 0; argc > 1 &&
	     i < sizeof(attempts) / sizeof(attempts[0]); i++)
		if (!strcmp(argv[1], attempts[i].name))
			return attempts[i].attempt();
	return 99;
}
