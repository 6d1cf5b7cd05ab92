/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Processes: they fork, they execute others, they are killed while they
 * submit.  In each case the kernel has to know whose everything is.
 *
 * What is left of a dead process is found out by its channel's number: it is
 * free again only when the channel has gone, and that goes last of what hangs
 * on it.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "irq.h"
#include "lab03.h"
#include "node.h"
#include "uapi/tesla.h"

static struct rig r;

static void fence_comes(struct rig *rig)
{
	struct fence fence = line_fence(&rig->line[0]);

	CHECK_EQ(fence_wait(&fence, FENCE_WAIT_EVENT, 10 * SECOND), 0);
}

/* Forking ------------------------------------------------------------------ */

static void do_nothing(void *arg)
{
	(void)arg;
}

void a_process_that_forks_goes_on(void)
{
	rig_up(&r, &(struct rig_setup){ .sem = MEM_WC });
	for (int i = 0; i < 5; i++) {
		int pid = guest_child(do_nothing, NULL);

		fence_comes(&r);
		CHECK_EQ(guest_child_end(pid), 0);
		fence_comes(&r);
	}
	rig_down(&r);
}

/* Executing ---------------------------------------------------------------- */

bool is_executed(int argc, char **argv)
{
	return argc == 3 && !strcmp(argv[1], "--descriptors");
}

int descriptors(const char *device)
{
	DIR *folder = opendir("/proc/self/fd");
	const struct dirent *entry;
	char target[256];
	int count = 0;

	if (!folder)
		return 99;
	while ((entry = readdir(folder))) {
		ssize_t len = readlinkat(dirfd(folder), entry->d_name,
					 target, sizeof(target) - 1);

		if (len < 0)
			continue;
		target[len] = '\0';
		count += !strcmp(target, device);
	}
	closedir(folder);
	return count;
}

static void execute(void *arg)
{
	(void)arg;
	execl("/proc/self/exe", "lab03", "--descriptors", guest.device,
	      (char *)NULL);
	_exit(98);
}

void who_executes_another_takes_nothing_along(void)
{
	rig_up(&r, &(struct rig_setup){ 0 });
	CHECK_EQ(descriptors(guest.device), 1);
	CHECK_EQ(guest_child_end(guest_child(execute, NULL)), 0);
	fence_comes(&r);
	rig_down(&r);
}

/* A descriptor that others have too ---------------------------------------- */

/* The child closes it last. */
static void close_later(void *arg)
{
	struct tesla_get_info info = { 0 };
	int fd = *(int *)arg;

	usleep(200000);
	CHECK_EQ(node_call(fd, TESLA_CALL_get_info, &info, sizeof(info)), 0);
	CHECK_EQ(info.version, TESLA_VERSION);
	CHECK_EQ(node_close(fd), 0);
}

void a_descriptor_keeps_the_opener(void)
{
	struct tesla_mem_alloc mem = { .size = M };
	struct gpu_bus *bus;
	int fd, pid;

	CHECK_EQ(guest_open(&bus), 0);
	fd = node_open(bus);
	CHECK(fd >= 0);
	CHECK_EQ(node_call(fd, TESLA_CALL_mem_alloc, &mem, sizeof(mem)), 0);
	pid = guest_child(close_later, &fd);
	CHECK_EQ(node_close(fd), 0);
	CHECK_EQ(node_call(fd, TESLA_CALL_mem_alloc, &mem, sizeof(mem)),
		 -EBADF);
	CHECK_EQ(guest_child_end(pid), 0);
	guest_closed(bus);
}

/* Killing ------------------------------------------------------------------ */

/* To whom who is killed tells his channel's number. */
static int tell_pipe[2];

static void tell_and_submit(void *arg)
{
	struct gpu_mem more;
	u32 id;

	(void)arg;
	rig_up(&r, &(struct rig_setup){ .lines = 2, .gp = MEM_WC });
	CHECK_EQ(gpu_mem_alloc(r.gpu, 4 * M, MEM_COHERENT, &more), 0);
	id = chan_id(r.line[0].chan);
	CHECK_EQ(write(tell_pipe[1], &id, sizeof(id)), sizeof(id));
	CHECK_EQ(rig_work_for_ever(&r, 4), 0);
}

static void kill_in_mid_submission(int pid, unsigned int us)
{
	usleep(us);
	CHECK_EQ(kill(pid, SIGKILL), 0);
	CHECK_EQ(guest_child_end(pid), -SIGKILL);
}

/* A channel with this number can be made. */
static void number_is_free(u32 id)
{
	struct chan_config config = { .id = id, .gp_entries = 64 };
	struct gpu_bus *bus;
	struct gpu_mem gp;
	struct chan *chan;
	struct gpu *gpu;

	CHECK_EQ(guest_open(&bus), 0);
	CHECK_EQ(gpu_open(bus, &gpu), 0);
	CHECK_EQ(gpu_mem_alloc(gpu, PAGE, MEM_COHERENT, &gp), 0);
	config.gp_va = gp.va;
	CHECK_EQ(chan_create(gpu, &config, &chan), 0);
	CHECK_EQ(chan_id(chan), id);
	chan_destroy(chan);
	gpu_mem_free(gpu, &gp);
	gpu_close(gpu);
	guest_closed(bus);
}

void who_is_killed_leaves_nothing(void)
{
	struct guest_random random;

	CHECK_EQ(pipe(tell_pipe), 0);
	guest_random_init(&random, 0);
	for (u32 i = 0; i < 5 * guest.rounds; i++) {
		int pid = guest_child(tell_and_submit, NULL);
		u32 id;

		CHECK_EQ(read(tell_pipe[0], &id, sizeof(id)), sizeof(id));
		kill_in_mid_submission(pid, 20000 +
				       guest_below(&random, 100000));
		number_is_free(id);
	}
}

void others_work_on_when_one_is_killed(void)
{
	CHECK_EQ(pipe(tell_pipe), 0);
	for (u32 i = 0; i < 3 * guest.rounds; i++) {
		int pid = guest_child(tell_and_submit, NULL);
		u32 id;

		rig_up(&r, &(struct rig_setup){ 0 });
		CHECK_EQ(read(tell_pipe[0], &id, sizeof(id)), sizeof(id));
		CHECK(chan_id(r.line[0].chan) != id);
		for (int n = 0; n < 20; n++)
			fence_comes(&r);
		kill_in_mid_submission(pid, 0);
		for (int n = 0; n < 20; n++)
			fence_comes(&r);
		CHECK_EQ(chan_error(r.line[0].chan), 0);
		rig_down(&r);
	}
}
