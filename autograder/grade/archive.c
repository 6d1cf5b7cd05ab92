/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Archives: grade-unpack in a box, and reading what it wrote.
 *
 * The box is the agent's, the strictest there is: the unpacker gets the
 * archive and a memory file, and can open nothing.  If hostile bytes take it
 * over they can still only write what looks like files and notes, and those
 * are checked here like everything else.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "autograder/grade/intake.h"
#include "autograder/grade/unpack.h"

#define OUTPUT_MAX	(8u << 20)

static int run_unpack(const struct grader *grader, int archive, int output,
		      struct box_result *result)
{
	char *program = format_string("%s/grade-unpack", grader->bin);
	const char *argv[] = { program, NULL };
	const char *read[32] = { program };
	struct box_spec spec = {
		.profile = BOX_AGENT, .layers = grader->options.layers,
		.read = read,
	};
	struct box *box;
	pid_t pid;
	int err;

	for (int i = 0; i < 30 && box_system_paths[i]; i++)
		read[i + 1] = box_system_paths[i];
	box_limits_default(BOX_AGENT, &spec.limits);
	spec.limits.cpu_s = 10;
	spec.limits.file_size = OUTPUT_MAX;
	err = program ? box_open(&grader->probe, &spec, &box) : -ENOMEM;
	if (!err) {
		pid = box_spawn(box, argv, (const int[BOX_FDS]){ archive,
				output, -1, -1 });
		err = pid < 0 ? pid : 0;
		if (!err)
			box_wait(box, pid, 60000, result);
		box_close(box);
	}
	free(program);
	return err;
}

static int broken(struct listing *list, const char *why, size_t len)
{
	snprintf(list->broken_text, sizeof(list->broken_text), "%.*s",
		 (int)len, why);
	list->broken = list->broken_text;
	return 0;
}

/* One item; its size, or 0 at the end or where there is no whole item. */
static size_t take_item(struct listing *list, const char *p, size_t left,
			bool *ended, int *err)
{
	struct unpack_item item;
	char path[UNPACK_PATH_MAX + 1], why[160];
	const char *data;

	if (left < sizeof(item))
		return 0;
	memcpy(&item, p, sizeof(item));
	left -= sizeof(item);
	if (item.path > UNPACK_PATH_MAX || item.path > left ||
	    item.data > left - item.path)
		return 0;
	memcpy(path, p + sizeof(item), item.path);
	path[item.path] = '\0';
	data = p + sizeof(item) + item.path;
	switch (item.kind) {
	case UNPACK_FILE:
		*err = intake_add(list, path, data, item.data);
		break;
	case UNPACK_IGNORED:
		snprintf(why, sizeof(why), "%.*s", (int)item.data, data);
		intake_note(list, path, why);
		break;
	case UNPACK_BROKEN:
		broken(list, data, item.data);
		/* fall through */
	default:
		*ended = true;
		return 0;
	}
	return sizeof(item) + item.path + item.data;
}

static int take_output(struct listing *list, int output)
{
	off_t size = lseek(output, 0, SEEK_END);
	bool ended = false;
	size_t used = 0, n;
	int err = 0;
	char *bytes;

	if (size <= 0 || size > OUTPUT_MAX)
		return broken(list, "unpacking failed", 16);
	bytes = malloc(size);
	if (!bytes)
		return -ENOMEM;
	if (pread(output, bytes, size, 0) != size)
		err = -EIO;
	do {
		n = err ? 0 : take_item(list, bytes + used, size - used,
					&ended, &err);
		used += n;
	} while (n && !err && list->entries++ < UNPACK_ENTRIES_MAX);
	free(bytes);
	if (!err && !ended)
		return broken(list, "unpacking did not come to its end", 33);
	return err;
}

int intake_archive(const struct grader *grader, const char *path,
		   struct listing *list)
{
	int archive = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int output = memfd_create("unpacked", MFD_CLOEXEC);
	struct box_result result = { 0 };
	int err = archive < 0 || output < 0 ? -errno : 0;

	if (!err)
		err = run_unpack(grader, archive, output, &result);
	if (err)
		goto close_fds;
	if (result.end == BOX_TIMED_OUT || result.end == BOX_SIGNALLED)
		broken(list, "unpacking exceeded its limits", 29);
	else
		err = take_output(list, output);
close_fds:
	if (archive >= 0)
		close(archive);
	if (output >= 0)
		close(output);
	return err;
}
