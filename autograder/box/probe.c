/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Which layers are there?  Found out by trying each in a child process: a
 * version number or a config file says what was built, not what a container's
 * own filter lets through.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "autograder/box/inside.h"

static const char *const names[BOX_LAYERS] = {
	[BOX_LIMITS] = "limits", [BOX_UID] = "uid",
	[BOX_LANDLOCK] = "landlock", [BOX_SECCOMP] = "seccomp",
	[BOX_NAMESPACES] = "namespaces", [BOX_CGROUP] = "cgroup",
};

const char *box_layer_name(enum box_layer layer)
{
	return layer < BOX_LAYERS ? names[layer] : "?";
}

unsigned int box_layer_bit(const char *name)
{
	for (int i = 0; i < BOX_LAYERS; i++)
		if (!strcmp(name, names[i]))
			return 1u << i;
	return 0;
}

bool box_is_enough(unsigned int layers)
{
	return layers & (1u << BOX_UID | 1u << BOX_LANDLOCK) &&
	       layers & 1u << BOX_SECCOMP;
}

/* Run attempt in a child; 0 or the -errno (small) that it returns. */
static int try_in_child(int (*attempt)(const struct box_probe *),
			const struct box_probe *probe)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid == 0)
		_exit(-attempt(probe) & 0xff);
	if (waitpid(pid, &status, 0) != pid)
		return -errno;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO;
}

static int try_uid(const struct box_probe *probe)
{
	uid_t uid = probe->uid_base;

	return setresgid(uid, uid, uid) || setresuid(uid, uid, uid) ||
	       setresuid(0, 0, 0) == 0 ? -EPERM : 0;
}

static int try_landlock(const struct box_probe *probe)
{
	const struct box_spec none = { .profile = BOX_AGENT };
	int fd = box_landlock_open(probe->landlock_abi, &none);

	if (fd < 0)
		return fd;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	return box_landlock_enter(fd);
}

static int try_seccomp(const struct box_probe *probe)
{
	struct sock_fprog filter;
	int err = box_filter_build(BOX_AGENT, false, &filter);

	(void)probe;
	if (err)
		return err;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		return -errno;
	return 0;
}

/* As box_child() does it: the same flags, a private mount tree, a child. */
static int try_namespaces(const struct box_probe *probe)
{
	struct box box = {
		.probe = *probe, .profile = BOX_COMPILE, .layers = BOX_ALL,
	};
	uid_t uid = geteuid();
	gid_t gid = getegid();
	int status, err;
	pid_t pid;

	if (unshare(box_clone_flags(&box)))
		return -errno;
	err = probe->user_namespace ? box_map_user(uid, gid) : 0;
	if (err)
		return err;
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return -errno;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		_exit(getpid() != 1);
	return waitpid(pid, &status, 0) == pid && status == 0 ? 0 : -EIO;
}

static int try_cgroup(const struct box_probe *probe)
{
	(void)probe;
	return box_cgroup_probe();
}

/* Ids that exist here: a container may have mapped a few only. */
static void find_uids(struct box_probe *probe)
{
	FILE *map = fopen("/proc/self/uid_map", "re");
	unsigned long inside, outside, count, end = 0;

	while (map && fscanf(map, "%lu %lu %lu", &inside, &outside,
			     &count) == 3)
		if (inside + count > end)
			end = inside + count;
	if (map)
		fclose(map);
	if (!map || end > 0x70000000) {
		probe->uid_base = 0x60000000;
		probe->uid_count = 0x10000000;
	} else if (end >= 60000) {
		/* above people, below nobody */
		probe->uid_base = 20000;
		probe->uid_count = 40000;
	} else {
		probe->uid_base = 0;
		probe->uid_count = 0;
	}
}

static void note(struct box_probe *probe, enum box_layer layer, int err)
{
	if (err)
		probe->error[layer] = -err;
	else
		probe->have |= 1u << layer;
}

void box_probe(struct box_probe *probe)
{
	memset(probe, 0, sizeof(*probe));
	note(probe, BOX_LIMITS, 0);

	find_uids(probe);
	note(probe, BOX_UID, geteuid() ? -EPERM :
	     !probe->uid_count ? -ERANGE : try_in_child(try_uid, probe));

	probe->landlock_abi = box_landlock_abi();
	note(probe, BOX_LANDLOCK, probe->landlock_abi < 1 ? -ENOSYS :
	     try_in_child(try_landlock, probe));

	note(probe, BOX_SECCOMP, try_in_child(try_seccomp, probe));

	probe->user_namespace = !(probe->have & 1u << BOX_UID);
	note(probe, BOX_NAMESPACES, try_in_child(try_namespaces, probe));
	note(probe, BOX_CGROUP, try_in_child(try_cgroup, probe));
}

void box_probe_print(const struct box_probe *probe, unsigned int use,
		     FILE *out)
{
	for (int i = 0; i < BOX_LAYERS; i++) {
		bool have = probe->have & 1u << i;

		fprintf(out, "box: %-10s %s\n", names[i],
			!have ? strerror(probe->error[i]) :
			use & 1u << i ? "yes" : "switched off");
	}
}
