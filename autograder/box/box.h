/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The box: where other people's code is compiled and run.
 *
 * A box is a set of layers around one process.  Each layer alone is known to
 * leak; together they leave the process its arithmetic, its memory up to a
 * limit, the files named in its specification and the descriptors it was
 * given.  Which layers a machine has is found out by box_probe(), and what is
 * missing is said, never passed over.
 */
#ifndef BOX_BOX_H
#define BOX_BOX_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* What can stand between a process and the machine. */
enum box_layer {
	BOX_LIMITS,	/* rlimits, descriptors closed, no_new_privs	*/
	BOX_UID,	/* a user id of its own, one per concurrent box	*/
	BOX_LANDLOCK,	/* files: only what the specification names	*/
	BOX_SECCOMP,	/* system calls					*/
	BOX_NAMESPACES,	/* pid, mount, ipc, uts, net; user if not root	*/
	BOX_CGROUP,	/* memory and processes, counted together	*/
	BOX_LAYERS
};

/* Every layer's bit. */
#define BOX_ALL		((1u << BOX_LAYERS) - 1)

/* What this machine offers. */
struct box_probe {
	unsigned int have;		/* bit per layer		*/
	int error[BOX_LAYERS];		/* why one is missing, errno	*/
	int landlock_abi;
	bool user_namespace;		/* namespaces need one		*/
	uid_t uid_base, uid_count;	/* ids that can be switched to	*/
};

/* Find out what this machine offers, by trying it.  Costs a few ms. */
void box_probe(struct box_probe *probe);
const char *box_layer_name(enum box_layer layer);
/* A layer's bit by its name, 0 if there is none. */
unsigned int box_layer_bit(const char *name);
/* May other people's code run: (uid switch or Landlock) and seccomp. */
bool box_is_enough(unsigned int layers);
/* One line a layer: its name, and "yes" or why not. */
void box_probe_print(const struct box_probe *probe, unsigned int use,
		     FILE *out);

/* What will run in the box. */
enum box_profile {
	BOX_AGENT,	/* system calls by allow-list, no exec, no fork	*/
	BOX_COMPILE,	/* compilers and linkers: by deny-list		*/
};

/* How much it may use. */
struct box_limits {
	unsigned int cpu_s;	/* processor time			*/
	unsigned int processes;	/* and threads				*/
	unsigned int files;	/* open descriptors, at most 1000	*/
	uint64_t memory;	/* private writable memory, bytes	*/
	uint64_t file_size;	/* of any file it writes		*/
};

/* Limits that fit lab code, or its compilation. */
void box_limits_default(enum box_profile profile, struct box_limits *limits);

/* What a box is made from. */
struct box_spec {
	enum box_profile profile;
	unsigned int layers;		/* those to use, of those there are */
	const char *const *read;	/* NULL-ended: read and execute	*/
	const char *const *write;	/* NULL-ended: and write	*/
	const char *const *hide;	/* NULL-ended: folders emptied where
					 * mount namespaces exist	*/
	const char *cwd;		/* NULL: /			*/
	struct box_limits limits;
};

struct box;

/* What the system's own programs need to be read: for box_spec.read. */
extern const char *const box_system_paths[];

/*
 * Prepare a box; it may be spawned into any number of times.  With the uid
 * layer, folders in spec->write are handed to the box's user.  The paths in
 * spec need not exist.  0 or -errno.
 */
int box_open(const struct box_probe *probe, const struct box_spec *spec,
	     struct box **box);
void box_close(struct box *box);
unsigned int box_layers(const struct box *box);

/* Descriptors of the new process; -1: /dev/null for 0 to 2, none for 3. */
#define BOX_FDS 4

/*
 * Start argv[0], an absolute path, in the box.  The pid is a child of the
 * caller: the agent itself; for BOX_COMPILE with namespaces a small init whose
 * exit status is that of the program, or 128 + the signal that killed it.
 * Killing the pid kills all that is in it.  -errno when a layer could not be
 * put on: then nothing ran.
 */
pid_t box_spawn(struct box *box, const char *const *argv,
		const int fds[BOX_FDS]);
/* After the pid (0: any) has been waited for: end what it left behind. */
void box_sweep(struct box *box, pid_t pid);

/* How a process in the box ended. */
enum box_end { BOX_EXITED, BOX_SIGNALLED, BOX_TIMED_OUT };

/* … and what it used. */
struct box_result {
	enum box_end end;
	int status;		/* exit status, or signal		*/
	uint64_t cpu_ns, wall_ns;
	bool cut;		/* there was more output than fitted	*/
};

/*
 * Run argv to its end or for wall_ms.  Standard output and error go to log,
 * at most log_size - 1 bytes, NUL-terminated.  0 or -errno.
 */
int box_run(struct box *box, const char *const *argv, unsigned int wall_ms,
	    char *log, size_t log_size, struct box_result *result);

/*
 * Wait for a pid of box_spawn(), at most wall_ms, then kill it and sweep.
 */
void box_wait(struct box *box, pid_t pid, unsigned int wall_ms,
	      struct box_result *result);

/* A judge_spawn: context is a struct box_agent. */
struct box_agent {
	struct box *box;
	const char *path;
	int output;	/* standard output and error, or -1	*/
};
/* Its pid, or -errno. */
pid_t box_spawn_agent(void *context, int fd);

#endif
