/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The file layer.
 *
 * Landlock denies every access that the ruleset handles and no rule grants,
 * for the process and all it starts, for good, and an unprivileged process
 * may put it on itself.  We handle everything the kernel knows and grant
 * reading and executing below some paths, and writing below fewer.  Newer
 * kernels also confine network, signals and abstract sockets; older ones
 * are asked for what they have.  The numbers of the newer rights are spelt
 * out because Debian 12's headers lack them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "autograder/box/inside.h"

#define FS_REFER	(1ULL << 13)	/* ABI 2 */
#define FS_TRUNCATE	(1ULL << 14)	/* ABI 3 */
#define FS_IOCTL_DEV	(1ULL << 15)	/* ABI 5 */
#define NET_ALL		3ULL		/* ABI 4: TCP bind, connect */
#define SCOPE_ALL	3ULL		/* ABI 6: abstract sockets, signals */

#define FS_BASE		((1ULL << 13) - 1)
#define FS_READ		(LANDLOCK_ACCESS_FS_EXECUTE | \
			 LANDLOCK_ACCESS_FS_READ_FILE | \
			 LANDLOCK_ACCESS_FS_READ_DIR)
#define FS_WRITE	(LANDLOCK_ACCESS_FS_WRITE_FILE | \
			 LANDLOCK_ACCESS_FS_REMOVE_DIR | \
			 LANDLOCK_ACCESS_FS_REMOVE_FILE | \
			 LANDLOCK_ACCESS_FS_MAKE_DIR | \
			 LANDLOCK_ACCESS_FS_MAKE_REG | FS_TRUNCATE)
/* What makes sense for a path that is not a folder. */
#define FS_OF_FILES	(LANDLOCK_ACCESS_FS_EXECUTE | \
			 LANDLOCK_ACCESS_FS_READ_FILE | \
			 LANDLOCK_ACCESS_FS_WRITE_FILE | FS_TRUNCATE)

struct ruleset_attr {	/* as in kernels since ABI 6 */
	__u64 fs, net, scoped;
};

const char *const box_system_paths[] = {
	"/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache",
	"/etc/alternatives", NULL
};

int box_landlock_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0,
			   LANDLOCK_CREATE_RULESET_VERSION);

	return abi < 0 ? -errno : (int)abi;
}

static __u64 fs_of_abi(int abi)
{
	__u64 fs = FS_BASE;

	if (abi >= 2)
		fs |= FS_REFER;
	if (abi >= 3)
		fs |= FS_TRUNCATE;
	if (abi >= 5)
		fs |= FS_IOCTL_DEV;
	return fs;
}

static int allow(int ruleset, const char *path, __u64 access)
{
	struct landlock_path_beneath_attr attr = { .allowed_access = access };
	struct stat st;
	int err = 0;

	attr.parent_fd = open(path, O_PATH | O_CLOEXEC);
	if (attr.parent_fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	if (fstat(attr.parent_fd, &st))
		err = -errno;
	else if (!S_ISDIR(st.st_mode))
		attr.allowed_access &= FS_OF_FILES;
	if (!err && syscall(SYS_landlock_add_rule, ruleset,
			    LANDLOCK_RULE_PATH_BENEATH, &attr, 0))
		err = -errno;
	close(attr.parent_fd);
	return err;
}

int box_landlock_open(int abi, const struct box_spec *spec)
{
	__u64 fs = fs_of_abi(abi);
	struct ruleset_attr attr = { .fs = fs };
	size_t size = offsetof(struct ruleset_attr, net);
	int ruleset, err = 0;

	if (abi >= 4) {
		attr.net = NET_ALL;
		size = offsetof(struct ruleset_attr, scoped);
	}
	if (abi >= 6) {
		attr.scoped = SCOPE_ALL;
		size = sizeof(attr);
	}
	ruleset = syscall(SYS_landlock_create_ruleset, &attr, size, 0);
	if (ruleset < 0)
		return -errno;

	for (int i = 0; !err && spec->read && spec->read[i]; i++)
		err = allow(ruleset, spec->read[i], FS_READ & fs);
	for (int i = 0; !err && spec->write && spec->write[i]; i++)
		err = allow(ruleset, spec->write[i],
			    (FS_READ | FS_WRITE) & fs);
	if (!err)
		err = allow(ruleset, "/dev/null",
			    (FS_READ | FS_WRITE) & fs);
	if (err) {
		close(ruleset);
		return err;
	}
	return ruleset;
}

int box_landlock_enter(int fd)
{
	return syscall(SYS_landlock_restrict_self, fd, 0) ? -errno : 0;
}
