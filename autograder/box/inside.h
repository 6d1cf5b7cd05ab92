/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the parts of the box share. */
#ifndef BOX_INSIDE_H
#define BOX_INSIDE_H

#include <linux/filter.h>
#include "autograder/box/box.h"

/*
 * Two descriptors live above every limit on descriptors, so that nothing in
 * the box can ever have one of these numbers again once exec has closed them.
 */
#define BOX_EXEC_FD	1022
#define BOX_STATUS_FD	1023

#define BOX_PATHS	24

struct box {
	struct box_probe probe;
	enum box_profile profile;
	unsigned int layers;
	struct box_limits limits;
	uid_t uid;
	int landlock_fd;
	struct sock_fprog filter;
	const char *hide[BOX_PATHS + 1];
	char *cwd;
	char *tmpdir;		/* "TMPDIR=…" */
	const char *environment[5];
	char cgroup[2][128];	/* folders, "" when there is none	*/
};

static inline bool box_uses(const struct box *box, enum box_layer layer)
{
	return box->layers & 1u << layer;
}

/* An agent never has children: it is its namespace's first process itself, so
 * that its pid, processor time and end are its own. */
static inline bool box_has_init(const struct box *box)
{
	return box_uses(box, BOX_NAMESPACES) && box->profile == BOX_COMPILE;
}

/* One start of a program, as the new process sees it. */
struct box_start {
	struct box *box;
	const char *const *argv;
	int fds[BOX_FDS];
	int exec_fd, status_fd;
	int cgroup_fd[2];
	gid_t gid;	/* read before a user namespace hides it */
};

/* In the new process.  Does not return. */
void box_child(const struct box_start *start) __attribute__((noreturn));
/* Flags for clone(). */
int box_clone_flags(const struct box *box);
/* The user map of a fresh user namespace: one's own id only. */
int box_map_user(uid_t uid, gid_t gid);

/* A ruleset descriptor, or -errno. */
int box_landlock_open(int abi, const struct box_spec *spec);
int box_landlock_abi(void);
int box_landlock_enter(int fd);

int box_filter_build(enum box_profile profile, bool may_abort,
		     struct sock_fprog *filter);

int box_cgroup_open(struct box *box);
void box_cgroup_close(struct box *box);
int box_cgroup_probe(void);

#endif
