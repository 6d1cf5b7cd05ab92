/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Taking a submission in.
 *
 * First everything that could be taken is listed: a folder is walked without
 * following links, an archive is read by grade-unpack in a box.  Then one
 * place in the listing is chosen as the lab's: the folder named like the lab
 * (01-ring) before files that lie flat, both also inside one wrapping folder.
 * What is taken is written into the work folder; what is not is named with
 * the reason.  A file that the course supplies cannot be replaced.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "autograder/compile/labs.h"
#include "autograder/grade/intake.h"
#include "autograder/grade/unpack.h"
#include "autograder/report/report.h"

void intake_note(struct listing *list, const char *path, const char *why)
{
	cJSON *item;
	char *name;

	if (list->notes++ >= UNPACK_NOTES_MAX)
		return;
	item = cJSON_CreateObject();
	name = report_clean(path, strlen(path), 200, false);
	cJSON_AddStringToObject(item, "name", name ? name : "");
	add_clean(item, "why", why);
	cJSON_AddItemToArray(list->ignored, item);
	free(name);
}

int intake_add(struct listing *list, const char *path, const char *bytes,
	       size_t size)
{
	struct listed *file;

	for (unsigned int i = 0; i < list->count; i++) {
		if (strcmp(list->files[i].path, path))
			continue;
		/* as unpacking does: the later one wins */
		intake_note(list, path, "there is a later one of this name");
		file = &list->files[i];
		free(file->bytes);
		goto fill;
	}
	if (list->count == LISTED_MAX) {
		intake_note(list, path, "too many files");
		return 0;
	}
	file = &list->files[list->count];
	file->path = strdup(path);
	if (!file->path)
		return -ENOMEM;
	list->count++;
fill:
	file->bytes = malloc(size + 1);
	if (!file->bytes)
		return -ENOMEM;
	memcpy(file->bytes, bytes, size);
	file->bytes[size] = '\0';
	file->size = size;
	return 0;
}

static bool is_source(const char *name)
{
	size_t n = strlen(name);

	return n > 2 && name[n - 2] == '.' &&
	       (name[n - 1] == 'c' || name[n - 1] == 'h');
}

/* Handed out with the lab: nothing to tell a student about. */
static bool is_handed_out(const struct listing *list, const char *path)
{
	char *same = format_string("%s/%s", list->lab_dir,
				   intake_base_name(path));
	bool there = same && access(same, F_OK) == 0;

	free(same);
	return there;
}

static int list_file(struct listing *list, const char *full,
		     const char *path)
{
	size_t size;
	char *bytes;
	int err;

	if (!is_source(path)) {
		if (!is_handed_out(list, path))
			intake_note(list, path,
				    "only .c and .h files are taken");
		return 0;
	}
	bytes = read_whole(full, UNPACK_FILE_MAX, &size);
	if (!bytes) {
		intake_note(list, path, errno == EFBIG ?
			    "larger than 256 KiB" : strerror(errno));
		return errno == ENOMEM ? -ENOMEM : 0;
	}
	err = intake_add(list, path, bytes, size);
	free(bytes);
	return err;
}

static int list_folder(struct listing *list, const char *base,
		       const char *prefix, int depth);

static int list_entry(struct listing *list, const char *base,
		      const char *path, int depth)
{
	char *full = format_string("%s/%s", base, path);
	struct stat st;
	int err = 0;

	if (!full)
		return -ENOMEM;
	if (lstat(full, &st))
		intake_note(list, path, strerror(errno));
	else if (S_ISDIR(st.st_mode) && depth)
		err = list_folder(list, base, path, depth - 1);
	else if (S_ISDIR(st.st_mode))
		intake_note(list, path, "too deep");
	else if (S_ISREG(st.st_mode))
		err = list_file(list, full, path);
	else
		intake_note(list, path, S_ISLNK(st.st_mode) ? "a link" :
			    "not a regular file");
	free(full);
	return err;
}

static int not_ours(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
	       strcmp(entry->d_name, ".git");
}

/* As deep as wrapping/01-ring/ and one more, to name what lies there. */
static int list_folder(struct listing *list, const char *base,
		       const char *prefix, int depth)
{
	char *folder = format_string("%s/%s", base, prefix);
	struct dirent **names;
	int n = folder ? scandir(folder, &names, not_ours, alphasort) : -1;
	int err = n >= 0 ? 0 : folder ? -errno : -ENOMEM;

	for (int i = 0; i < n; i++) {
		char *path = format_string("%s%s%s", prefix,
					   *prefix ? "/" : "",
					   names[i]->d_name);

		if (++list->entries > UNPACK_ENTRIES_MAX)
			list->broken = "more than 10000 entries";
		if (!path)
			err = -ENOMEM;
		else if (!err && !list->broken)
			err = list_entry(list, base, path, depth);
		free(path);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	free(folder);
	return err;
}

static int by_path(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static bool lies_in(const struct grader *grader, const char *folder,
		    const char *name)
{
	char *path = format_string("%s/%s/%s", grader->root, folder, name);
	bool there = path && access(path, F_OK) == 0;

	free(path);
	return there;
}

/*
 * Of other labs' files the reference's are used, and crc.c comes with push.h.
 * A header would hide one that the lab is given.  Any other .c may have the
 * name of one of ours: its object is joined with the student's own, and only
 * the lab's functions are seen outside.
 */
static bool is_supplied(const struct grader *grader, const char *name)
{
	const char *lab = grader->options.lab, *folder;
	const struct lab_file *owner = lab_owner(name);
	static const char *const folders[] = {
		"reference/include", "reference/include/uapi",
		"reference/port/user", "reference/port/user/judge"
	};

	if (owner || !strcmp(name, "crc.c"))
		return !owner || strcmp(owner->lab, lab);
	if (name[strlen(name) - 1] != 'h')
		return false;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (lies_in(grader, folders[i], name))
			return true;
	for (int i = 0; (folder = lab_headers(lab, i)); i++)
		if (lies_in(grader, folder, name))
			return true;
	return false;
}

static const char *why_not(const struct grader *grader, const char *name)
{
	if (strlen(name) > 64 || *name == '.' || *name == '-')
		return "not a plain file name";
	for (const char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("._-+", *p))
			return "not a plain file name";
	if (!strncmp(name, "test_", 5))
		return "a test, not part of the driver";
	if (is_supplied(grader, name))
		return "the course has a file of that name; give yours "
		       "another";
	return NULL;
}

static void note_file(cJSON *files, const char *name, size_t size,
		      const char *from)
{
	cJSON *item = cJSON_CreateObject();

	cJSON_AddStringToObject(item, "name", name);
	cJSON_AddNumberToObject(item, "bytes", size);
	cJSON_AddStringToObject(item, "from", from);
	cJSON_AddItemToArray(files, item);
}

static int write_source(const char *src, const char *name, const char *bytes,
			size_t size)
{
	char *path = format_string("%s/%s", src, name);
	int err = path ? write_atomically(path, bytes, size) : -ENOMEM;

	free(path);
	return err;
}

static int take(const struct grader *grader, struct listing *list,
		const char *place, const char *src, cJSON *files)
{
	size_t n = strlen(place);
	int err = 0;

	for (unsigned int i = 0; !err && i < list->count; i++) {
		struct listed *file = &list->files[i];
		const char *name = file->path + (n ? n + 1 : 0), *why;

		if (n && (strncmp(file->path, place, n) ||
			  file->path[n] != '/'))
			why = "outside the lab's folder";
		else if (strchr(name, '/'))
			why = "outside the lab's folder";
		else
			why = why_not(grader, name);
		if (why) {
			intake_note(list, file->path, why);
			continue;
		}
		err = write_source(src, name, file->bytes, file->size);
		note_file(files, name, file->size, "submission");
	}
	return err;
}

/*
 * What was not handed in is taken as it was handed out: from the build's own
 * cut, since in labs/ somebody may have solved the lab.
 */
static int fill_up(const struct grader *grader, const char *src, cJSON *files)
{
	char *folder = format_string("%s/build/skeleton/%s", grader->root,
				     intake_base_name(grader->lab_dir));
	struct dirent **names;
	int n = folder ? scandir(folder, &names, NULL, alphasort) : 0;
	int err = 0;

	for (int i = 0; i < n; i++) {
		const char *name = names[i]->d_name;
		char *from = format_string("%s/%s", folder, name);
		char *to = format_string("%s/%s", src, name);
		size_t size = 0;
		char *bytes = NULL;

		if (!err && from && to && is_source(name) &&
		    strncmp(name, "test_", 5) && access(to, F_OK))
			bytes = read_whole(from, UNPACK_FILE_MAX, &size);
		if (bytes) {
			err = write_source(src, name, bytes, size);
			note_file(files, name, size, "skeleton");
		}
		free(bytes);
		free(from);
		free(to);
		free(names[i]);
	}
	if (n > 0)
		free(names);
	free(folder);
	return err;
}

static void listing_free(struct listing *list)
{
	for (unsigned int i = 0; i < list->count; i++) {
		free(list->files[i].path);
		free(list->files[i].bytes);
	}
	free(list);
}

static void trouble(cJSON *result, const char *state, const char *message)
{
	cJSON_AddStringToObject(result, "state", state);
	add_clean(result, "message", message);
}

/* Nothing of the lab in it: where it is instead, or what was left out. */
static void nothing(const struct grader *grader, const struct listing *list,
		    cJSON *result)
{
	const cJSON *first = cJSON_GetArrayItem(list->ignored, 0);
	char why[PLACE_MAX + 512] = "no .c or .h file of the lab in it";
	size_t n = strlen(why);

	if (!intake_elsewhere(grader, list, why, sizeof(why)) && first)
		snprintf(why + n, sizeof(why) - n, " (%s: %s)",
			 result_text(first, "name"),
			 result_text(first, "why"));
	trouble(result, "empty", why);
}

int intake(const struct grader *grader, const char *path, const char *src,
	   cJSON *result)
{
	struct listing *list = calloc(1, sizeof(*list));
	cJSON *files = cJSON_AddArrayToObject(result, "files");
	char place[PLACE_MAX];
	struct stat st;
	int err;

	if (!list)
		return -ENOMEM;
	list->ignored = cJSON_AddArrayToObject(result, "ignored");
	list->lab_dir = grader->lab_dir;
	if (stat(path, &st))
		err = -errno;
	else if (S_ISDIR(st.st_mode))
		err = list_folder(list, path, "", 3);
	else
		err = intake_archive(grader, path, list);
	if (err || list->broken) {
		if (!err)
			trouble(result, "unreadable", list->broken);
		listing_free(list);
		return err;
	}
	/* the order of a folder on disk is nobody's */
	qsort(list->files, list->count, sizeof(list->files[0]), by_path);
	intake_place(grader, list, place);
	err = take(grader, list, place, src, files);
	if (!err && !cJSON_GetArraySize(files))
		nothing(grader, list, result);
	else if (!err)
		err = fill_up(grader, src, files);
	listing_free(list);
	return err;
}
