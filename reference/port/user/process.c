/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The process model: what the kernel does for a driver when a process opens,
 * maps, dies.
 *
 * An open file lives as long as a descriptor or a mapping of it; when the
 * last goes, it is released.  Calls in progress keep it too: a process that
 * is killed ends when its threads have left the driver, and not before.  Its
 * memory goes before its files, so a driver that is told to release a file
 * knows that nobody looks at its memory any more.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "node.h"
#include "process.h"

#define FILES_MAX	64

struct process_file {
	const struct process_file_ops *ops;
	void *file;
	unsigned int refs;		/* under its process's lock	*/
};

struct process_map {
	struct process_map *next;
	struct process_file *file;
	u64 offset;
	void *at;			/* where the caller sees it	*/
};

struct process {
	struct task_struct task;
	const char *name;
	unsigned int refs;
	pthread_mutex_t lock;		/* over all below		*/
	pthread_cond_t left;		/* a call has returned		*/
	bool dead;
	unsigned int calls;		/* in progress			*/
	struct process_file *files[FILES_MAX];
	struct process_map *maps;
	unsigned int signals;
	struct process_signal last;
};

static struct process first = {
	.task = { .group_leader = &first.task },
	.name = "first",
	.refs = 1,
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.left = PTHREAD_COND_INITIALIZER,
};

static __thread struct process *mine;

static struct process *to_process(struct task_struct *task)
{
	return container_of(task->group_leader, struct process, task);
}

static struct process *here(void)
{
	return mine ? mine : &first;
}

struct task_struct *port_current(void)
{
	return &here()->task;
}

struct task_struct *process_new(const char *name)
{
	struct process *process = calloc(1, sizeof(*process));

	if (!process)
		return NULL;
	process->task.group_leader = &process->task;
	process->name = name;
	process->refs = 1;
	pthread_mutex_init(&process->lock, NULL);
	pthread_cond_init(&process->left, NULL);
	return &process->task;
}

void process_enter(struct task_struct *task)
{
	mine = task ? to_process(task) : NULL;
}

struct task_struct *get_task_struct(struct task_struct *task)
{
	__atomic_add_fetch(&to_process(task)->refs, 1, __ATOMIC_SEQ_CST);
	return task;
}

void put_task_struct(struct task_struct *task)
{
	struct process *process = to_process(task);

	if (__atomic_sub_fetch(&process->refs, 1, __ATOMIC_SEQ_CST))
		return;
	pthread_cond_destroy(&process->left);
	pthread_mutex_destroy(&process->lock);
	free(process);
}

/* Signals ------------------------------------------------------------------ */

int send_sig_mceerr(int code, void __user *addr, short lsb,
		    struct task_struct *task)
{
	struct process *process = to_process(task);
	int err = 0;

	pthread_mutex_lock(&process->lock);
	if (process->dead) {
		err = -ESRCH;
	} else {
		process->signals++;
		process->last = (struct process_signal){
			SIGBUS, code, addr, lsb,
		};
	}
	pthread_mutex_unlock(&process->lock);
	return err;
}

unsigned int process_signals(struct task_struct *task,
			     struct process_signal *last)
{
	struct process *process = to_process(task);
	unsigned int n;

	pthread_mutex_lock(&process->lock);
	n = process->signals;
	if (last)
		*last = process->last;
	pthread_mutex_unlock(&process->lock);
	return n;
}

/* Files -------------------------------------------------------------------- */

/* One reference less; the last one's owner releases it, with no lock held. */
static void file_put(struct process *process, struct process_file *file)
{
	unsigned int refs;

	pthread_mutex_lock(&process->lock);
	refs = --file->refs;
	pthread_mutex_unlock(&process->lock);
	if (refs)
		return;
	file->ops->release(file->file);
	free(file);
}

/* With the lock held.  NULL: not open. */
static struct process_file *file_at(struct process *process, int fd)
{
	return fd >= 0 && fd < FILES_MAX ? process->files[fd] : NULL;
}

/* From here to leave() the process does not end and its file stays. */
static int enter(struct process *process, int fd, struct process_file **out)
{
	struct process_file *file;
	int err = -EBADF;

	pthread_mutex_lock(&process->lock);
	file = file_at(process, fd);
	if (process->dead) {
		err = -ESRCH;
	} else if (file) {
		file->refs++;
		process->calls++;
		*out = file;
		err = 0;
	}
	pthread_mutex_unlock(&process->lock);
	return err;
}

static void leave(struct process *process, struct process_file *file)
{
	file_put(process, file);
	pthread_mutex_lock(&process->lock);
	process->calls--;
	pthread_cond_broadcast(&process->left);
	pthread_mutex_unlock(&process->lock);
}

static int install(struct process *process, struct process_file *file)
{
	if (process->dead)
		return -ESRCH;
	for (int fd = 0; fd < FILES_MAX; fd++) {
		if (!process->files[fd]) {
			process->files[fd] = file;
			return fd;
		}
	}
	return -EMFILE;
}

int process_open(const struct process_file_ops *ops, void *private)
{
	struct process *process = here();
	struct process_file *file = calloc(1, sizeof(*file));
	int fd;

	if (!file)
		return -ENOMEM;
	file->ops = ops;
	file->file = private;
	file->refs = 1;
	pthread_mutex_lock(&process->lock);
	fd = install(process, file);
	pthread_mutex_unlock(&process->lock);
	if (fd < 0)
		free(file);
	return fd;
}

int node_close(int fd)
{
	struct process *process = here();
	struct process_file *file;
	int err;

	err = enter(process, fd, &file);
	if (err)
		return err;
	pthread_mutex_lock(&process->lock);
	if (process->files[fd] == file) {
		process->files[fd] = NULL;
		file->refs--;		/* not the last: leave() has one */
	} else {
		err = -EBADF;		/* another thread was faster */
	}
	pthread_mutex_unlock(&process->lock);
	leave(process, file);
	return err;
}

long node_call(int fd, u32 number, void *arg, size_t size)
{
	struct process *process = here();
	struct process_file *file;
	long result = enter(process, fd, &file);

	if (result)
		return result;
	result = file->ops->call(file->file, number, arg, size);
	leave(process, file);
	return result;
}

/* Memory ------------------------------------------------------------------- */

/* A mapping holds the file that it is of. */
static void maps_add(struct process *process, struct process_map *entry)
{
	pthread_mutex_lock(&process->lock);
	entry->next = process->maps;
	process->maps = entry;
	entry->file->refs++;
	pthread_mutex_unlock(&process->lock);
}

int node_map(int fd, u64 offset, u64 size, struct iosys_map *map)
{
	struct process *process = here();
	struct process_map *entry = calloc(1, sizeof(*entry));
	int err;

	if (!entry)
		return -ENOMEM;
	err = enter(process, fd, &entry->file);
	if (err)
		goto free_entry;
	err = entry->file->ops->map(entry->file->file, offset, size, map);
	if (!err) {
		entry->offset = offset;
		entry->at = map->vaddr;
		maps_add(process, entry);
	}
	leave(process, entry->file);
	if (!err)
		return 0;

free_entry:
	free(entry);
	return err;
}

/* Out of the list: one, or, at NULL, any.  Objects may lie in one page, so
 * that the address alone does not tell.  NULL: there is none. */
static struct process_map *maps_take(struct process *process, void *at,
				     u64 offset)
{
	struct process_map **link, *entry;

	pthread_mutex_lock(&process->lock);
	for (link = &process->maps; *link; link = &(*link)->next) {
		if (!at || ((*link)->at == at && (*link)->offset == offset))
			break;
	}
	entry = *link;
	if (entry)
		*link = entry->next;
	pthread_mutex_unlock(&process->lock);
	return entry;
}

static bool unmap(struct process *process, void *at, u64 offset)
{
	struct process_map *entry = maps_take(process, at, offset);

	if (!entry)
		return false;
	entry->file->ops->unmap(entry->file->file, entry->offset);
	file_put(process, entry->file);
	free(entry);
	return true;
}

void node_unmap(const struct iosys_map *map, u64 offset, u64 size)
{
	(void)size;
	if (map->vaddr)
		unmap(here(), map->vaddr, offset);
}

/* The end ------------------------------------------------------------------ */

void process_kill(struct task_struct *task)
{
	struct process *process = to_process(task);

	pthread_mutex_lock(&process->lock);
	process->dead = true;
	while (process->calls)
		pthread_cond_wait(&process->left, &process->lock);
	pthread_mutex_unlock(&process->lock);

	while (unmap(process, NULL, 0))
		;
	for (int fd = 0; fd < FILES_MAX; fd++) {
		struct process_file *file = process->files[fd];

		process->files[fd] = NULL;
		if (file)
			file_put(process, file);
	}
}

void process_end(struct task_struct *task)
{
	process_kill(task);
	put_task_struct(task);
}
