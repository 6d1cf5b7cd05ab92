/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The system call layer.
 *
 * The agent gets an allow-list: what the loader, malloc, threads and the
 * futex link need, and nothing else.  It is put on before exec, so exec must
 * be allowed once; the rule names a descriptor number that lies above the
 * limit on descriptors and closes on exec, so it can never exist again.
 * Shared memory is only mapped from a descriptor, since RLIMIT_DATA counts
 * private pages only.
 *
 * Compilers need hundreds of calls in versions to come, so the compile step
 * gets a deny-list: everything that reaches another process, the network, the
 * kernel's configuration, or that leaves something behind.
 *
 * What is denied answers EPERM: a denied call is not a verdict.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "autograder/box/inside.h"

/* Signals, exec, mmap, open, clone and prlimit have rules of their own. */
static const int agent_calls[] = {
	SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(writev), SCMP_SYS(pread64),
	SCMP_SYS(close), SCMP_SYS(lseek), SCMP_SYS(fstat),
	SCMP_SYS(newfstatat), SCMP_SYS(brk), SCMP_SYS(munmap),
	SCMP_SYS(mprotect), SCMP_SYS(madvise), SCMP_SYS(mremap),
	SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack), SCMP_SYS(futex),
	SCMP_SYS(set_robust_list), SCMP_SYS(set_tid_address), SCMP_SYS(rseq),
	SCMP_SYS(arch_prctl), SCMP_SYS(exit), SCMP_SYS(exit_group),
	SCMP_SYS(gettid), SCMP_SYS(getpid), SCMP_SYS(sched_yield),
	SCMP_SYS(clock_gettime), SCMP_SYS(clock_nanosleep),
	SCMP_SYS(gettimeofday), SCMP_SYS(getrandom), SCMP_SYS(membarrier),
	SCMP_SYS(restart_syscall), SCMP_SYS(getuid), SCMP_SYS(geteuid),
	SCMP_SYS(getgid), SCMP_SYS(getegid), SCMP_SYS(sched_getaffinity),
};

/* Answered as on a system without them, because libc then does without. */
static const int agent_absent[] = {
	SCMP_SYS(clone3), SCMP_SYS(faccessat2), SCMP_SYS(statx),
};

static const int compile_denied[] = {
	/* other processes */
	SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv),
	SCMP_SYS(process_vm_writev), SCMP_SYS(process_madvise),
	SCMP_SYS(pidfd_open), SCMP_SYS(pidfd_getfd),
	SCMP_SYS(pidfd_send_signal), SCMP_SYS(kcmp), SCMP_SYS(kill),
	SCMP_SYS(tkill), SCMP_SYS(rt_sigqueueinfo),
	SCMP_SYS(rt_tgsigqueueinfo), SCMP_SYS(setpriority),
	SCMP_SYS(sched_setscheduler), SCMP_SYS(sched_setattr),
	/* out of the session, where a sweep would miss it */
	SCMP_SYS(setsid), SCMP_SYS(setpgid),
	/* network, and all other kinds of socket */
	SCMP_SYS(socket), SCMP_SYS(socketpair), SCMP_SYS(connect),
	SCMP_SYS(bind), SCMP_SYS(listen), SCMP_SYS(accept),
	SCMP_SYS(accept4), SCMP_SYS(io_uring_setup),
	SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register),
	/* the machine */
	SCMP_SYS(mount), SCMP_SYS(umount2), SCMP_SYS(pivot_root),
	SCMP_SYS(chroot), SCMP_SYS(unshare), SCMP_SYS(setns),
	SCMP_SYS(fsopen), SCMP_SYS(fsconfig), SCMP_SYS(fsmount),
	SCMP_SYS(fspick), SCMP_SYS(move_mount), SCMP_SYS(open_tree),
	SCMP_SYS(mount_setattr), SCMP_SYS(bpf), SCMP_SYS(perf_event_open),
	SCMP_SYS(userfaultfd), SCMP_SYS(keyctl), SCMP_SYS(add_key),
	SCMP_SYS(request_key), SCMP_SYS(init_module),
	SCMP_SYS(finit_module), SCMP_SYS(delete_module),
	SCMP_SYS(kexec_load), SCMP_SYS(kexec_file_load), SCMP_SYS(reboot),
	SCMP_SYS(swapon), SCMP_SYS(swapoff), SCMP_SYS(acct),
	SCMP_SYS(quotactl), SCMP_SYS(syslog), SCMP_SYS(settimeofday),
	SCMP_SYS(clock_settime), SCMP_SYS(adjtimex), SCMP_SYS(sethostname),
	SCMP_SYS(setdomainname), SCMP_SYS(iopl), SCMP_SYS(ioperm),
	SCMP_SYS(personality), SCMP_SYS(open_by_handle_at),
	SCMP_SYS(name_to_handle_at), SCMP_SYS(fanotify_init),
	/* links and devices: traps for whoever reads the results */
	SCMP_SYS(symlink), SCMP_SYS(symlinkat), SCMP_SYS(link),
	SCMP_SYS(linkat), SCMP_SYS(mknod), SCMP_SYS(mknodat),
	/* memory that outlives it or escapes the count */
	SCMP_SYS(shmget), SCMP_SYS(shmat), SCMP_SYS(msgget),
	SCMP_SYS(semget), SCMP_SYS(mq_open),
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static int add_all(scmp_filter_ctx ctx, uint32_t action, const int *calls,
		   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int err = seccomp_rule_add(ctx, action, calls[i], 0);

		if (err && err != -EDOM)	/* not on this machine */
			return err;
	}
	return 0;
}

/* Calls that are allowed with some arguments only. */
static int agent_rules(scmp_filter_ctx ctx, bool may_abort)
{
	const uint32_t allow = SCMP_ACT_ALLOW;
	const uint32_t threads = CLONE_VM | CLONE_THREAD | CLONE_SIGHAND;
	const uint32_t wr = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC |
		O_APPEND | (O_TMPFILE & ~O_DIRECTORY);
	int err = 0;

	err |= seccomp_rule_add(ctx, allow, SCMP_SYS(execveat), 1,
				SCMP_A0(SCMP_CMP_EQ, BOX_EXEC_FD));
	err |= seccomp_rule_add(ctx, allow, SCMP_SYS(clone), 1,
				SCMP_A0(SCMP_CMP_MASKED_EQ, threads,
					threads));
	err |= seccomp_rule_add(ctx, allow, SCMP_SYS(mmap), 1,
				SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_SHARED |
					MAP_PRIVATE, MAP_PRIVATE));
	err |= seccomp_rule_add(ctx, allow, SCMP_SYS(mmap), 1,
				SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_SHARED |
					MAP_PRIVATE | MAP_ANONYMOUS,
					MAP_SHARED));
	err |= seccomp_rule_add(ctx, allow, SCMP_SYS(openat), 1,
				SCMP_A2(SCMP_CMP_MASKED_EQ, wr, 0));
	/* read a limit, never set one */
	err |= seccomp_rule_add(ctx, allow, SCMP_SYS(prlimit64), 1,
				SCMP_A2(SCMP_CMP_EQ, 0));
	/* abort(): only where no process outside could be meant */
	if (may_abort)
		err |= seccomp_rule_add(ctx, allow, SCMP_SYS(tgkill), 1,
					SCMP_A2(SCMP_CMP_EQ, SIGABRT));
	/* stdio asks whether it writes to a terminal */
	err |= seccomp_rule_add(ctx, SCMP_ACT_ERRNO(ENOTTY),
				SCMP_SYS(ioctl), 0);
	return err ? -EINVAL : 0;
}

static int build_agent(scmp_filter_ctx ctx, bool may_abort)
{
	int err = add_all(ctx, SCMP_ACT_ALLOW, agent_calls,
			  COUNT(agent_calls));

	if (!err)
		err = add_all(ctx, SCMP_ACT_ERRNO(ENOSYS), agent_absent,
			      COUNT(agent_absent));
	if (!err)
		err = agent_rules(ctx, may_abort);
	return err;
}

/* tgkill is abort() in a compiler that crashes: let it. */
static int build_compile(scmp_filter_ctx ctx)
{
	const uint32_t spaces = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS |
		CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
	int err = add_all(ctx, SCMP_ACT_ERRNO(EPERM), compile_denied,
			  COUNT(compile_denied));

	/* clone3 hides its flags in memory; libc falls back to clone */
	if (!err)
		err = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(ENOSYS),
				       SCMP_SYS(clone3), 0);
	for (uint32_t flag = 1; !err && flag; flag <<= 1)
		if (flag & spaces)
			err = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM),
					       SCMP_SYS(clone), 1,
					       SCMP_A0(SCMP_CMP_MASKED_EQ,
						       flag, flag));
	return err;
}

/* The program as an array, so that the child need not call libseccomp. */
static int export(scmp_filter_ctx ctx, struct sock_fprog *filter)
{
	int fd = memfd_create("filter", MFD_CLOEXEC), err;
	struct stat st;

	if (fd < 0)
		return -errno;
	err = seccomp_export_bpf(ctx, fd);
	if (!err && fstat(fd, &st))
		err = -errno;
	if (err)
		goto close_fd;
	filter->len = st.st_size / sizeof(*filter->filter);
	filter->filter = malloc(st.st_size);
	if (!filter->filter)
		err = -ENOMEM;
	else if (pread(fd, filter->filter, st.st_size, 0) != st.st_size)
		err = -EIO;
close_fd:
	close(fd);
	return err;
}

int box_filter_build(enum box_profile profile, bool may_abort,
		     struct sock_fprog *filter)
{
	bool agent = profile == BOX_AGENT;
	scmp_filter_ctx ctx = seccomp_init(agent ? SCMP_ACT_ERRNO(EPERM)
						 : SCMP_ACT_ALLOW);
	int err;

	if (!ctx)
		return -ENOMEM;
	/* a binary search: fewer instructions a call */
	seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	err = agent ? build_agent(ctx, may_abort) : build_compile(ctx);
	if (!err)
		err = export(ctx, filter);
	seccomp_release(ctx);
	return err;
}
