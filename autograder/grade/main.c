/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * grade: submissions in, results out.
 *
 * The exit status says how the grading went and never how a student did: 0
 * when it finished, 2 for usage, 3 when the grader failed at anything, which
 * gives no score, 128 + N when signal N ended it.  People who look for a score
 * in an exit status find none.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "autograder/compile/labs.h"
#include "autograder/grade/options.h"
#include "autograder/grade/stage.h"
#include "autograder/grade/stop.h"
#include "autograder/report/report.h"

static bool failed;	/* something of ours: exit status 3 */

/* build/bin/grade lies two folders below the course. */
static int find_course(struct grader *grader)
{
	const char *given = getenv("DOORBELL_ROOT");
	const struct lab *lab = lab_find(grader->options.lab);
	char probe[PATH_MAX + 32];
	ssize_t n = readlink("/proc/self/exe", grader->bin,
			     sizeof(grader->bin) - 1);
	char *slash;

	if (n <= 0)
		return -errno;
	grader->bin[n] = '\0';
	slash = strrchr(grader->bin, '/');
	*slash = '\0';
	strcpy(grader->root, grader->bin);
	for (int i = 0; i < 4 && !given; i++) {
		snprintf(probe, sizeof(probe), "%s/vm/spec", grader->root);
		if (access(probe, F_OK) == 0)
			break;
		slash = strrchr(grader->root, '/');
		if (!slash || slash == grader->root)
			return -ENOENT;
		*slash = '\0';
	}
	if (given && !realpath(given, grader->root))
		return -errno;
	n = snprintf(grader->lab_dir, sizeof(grader->lab_dir), "%s/labs/%s",
		     grader->root, lab->name);
	return n < (ssize_t)sizeof(grader->lab_dir) ? 0 : -ENAMETOOLONG;
}

/* Every name of --test is one of those that were chosen. */
static void check_names(const struct grader *grader)
{
	const char *list = grader->options.only;
	size_t len;

	for (const char *p = list; p; p = p[len] ? p + len + 1 : NULL) {
		bool found = false;

		len = strcspn(p, ",");
		for (unsigned int i = 0; i < grader->count; i++)
			found |= strlen(grader->tests[i]->name) == len &&
				!strncmp(grader->tests[i]->name, p, len);
		if (!found)
			bad_usage("no such test: ", p);
	}
}

static void choose_tests(struct grader *grader)
{
	const struct grade_options *o = &grader->options;
	const struct judge_test *tests = judge_tests(o->lab);

	if (!lab_find(o->lab))
		bad_usage("no such lab: ", o->lab);
	if (!tests)
		bad_usage("this lab is not built yet: ", o->lab);
	for (; tests->name && grader->count < TESTS_MAX; tests++)
		if ((!o->public_only || tests->visibility == TEST_PUBLIC) &&
		    (!o->only || in_list(o->only, tests->name)))
			grader->tests[grader->count++] = tests;
	check_names(grader);
}

static void list_tests(const struct grader *grader)
{
	for (unsigned int i = 0; i < grader->count; i++) {
		const struct judge_test *t = grader->tests[i];

		printf("%s/%-32s %2u  %-6s  %-24s %s %s\n", t->lab, t->name,
		       t->points, t->visibility == TEST_PUBLIC ? "public" :
		       "hidden", t->step, t->section, t->title);
	}
}

static const struct judge_test *find_test(const struct grader *grader,
					  const char *name, size_t len)
{
	for (unsigned int i = 0; i < grader->count; i++)
		if (strlen(grader->tests[i]->name) == len &&
		    !strncmp(grader->tests[i]->name, name, len))
			return grader->tests[i];
	bad_usage("no such test: ", name);
}

/* [LAB/]TEST[@SEED]; the lab was read from it before. */
static const struct judge_test *parse_run(const struct grader *grader,
					  const char *text, uint64_t *seed)
{
	const char *slash = strchr(text, '/'), *at = strchr(text, '@');
	const char *name = slash ? slash + 1 : text;
	char *end;

	*seed = 1;
	if (at) {
		*seed = strtoull(at + 1, &end, 10);
		if (!at[1] || *end)
			bad_usage("not a seed: ", at + 1);
	}
	return find_test(grader, name, at ? (size_t)(at - name)
					  : strlen(name));
}

/* Of --replay or --trace. */
struct shown {
	const struct judge_test *test;
	uint64_t seed;
};

static void choose_shown(const struct class_run *run, struct shown *shown)
{
	const struct grade_options *o = &run->grader->options;

	if (!o->replay && !o->trace)
		return;
	if (run->count != 1)
		bad_usage("a single run takes one submission", "");
	shown->test = parse_run(run->grader, o->replay ? o->replay : o->trace,
				&shown->seed);
}

static int show_run(struct class_run *run, const struct shown *shown)
{
	const struct grade_options *o = &run->grader->options;
	struct student *student = &run->students[0];
	char *json = NULL;
	int err;

	student->prepared = prepare_run(run->grader, student);
	if (cJSON_HasObjectItem(student->prepared, "state")) {
		printf("%s: %s\n%s\n",
		       result_text(student->prepared, "state"),
		       result_text(student->prepared, "message"),
		       result_text(student->prepared, "log"));
		return result_is(student->prepared, "state", "error") ?
			-EIO : 0;
	}
	if (o->trace)
		json = format_string("%s/%s.json", o->out ? o->out :
				     run->grader->bin, shown->test->name);
	err = trial_replay(run->grader, student, shown->test, shown->seed,
			   json);
	free(json);
	return err;
}

/* As a worker: when we are told to stop it is in the middle of the judge. */
static int show_apart(struct class_run *run, const struct shown *shown)
{
	pid_t parent = getpid(), child, pid;
	struct rusage usage;
	int status = 0;

	fflush(NULL);
	child = fork();
	if (child == 0) {
		stop_in_child(parent);
		status = show_run(run, shown) ? 1 : 0;
		_exit(fflush(stdout) ? 1 : status);
	}
	if (child < 0)
		return -errno;
	do
		pid = stop_wait(&status, &usage);
	while (pid > 0 && pid != child);
	if (pid == 0)
		stop_children(&child, 1);
	return pid > 0 ? (status ? -EIO : 0) : pid ? pid : -EINTR;
}

static void done(struct class_run *run, struct student *student)
{
	const struct grader *grader = run->grader;
	char why[160];
	int err = 0;

	if (result_check(student->record, why, sizeof(why))) {
		fprintf(stderr, "grade: %s: invalid record: %s\n",
			student->name, why);
		failed = true;
		return;
	}
	if (result_is(student->record, "state", "error")) {
		fprintf(stderr, "grade: %s: %s\n", student->name,
			result_text(student->record, "message"));
		failed = true;
	}
	if (grader->options.out)
		err = store_record(grader, student);
	if (err) {
		fprintf(stderr, "grade: %s: cannot keep the result: %s\n",
			student->name, strerror(-err));
		failed = true;
	}
	if (isatty(2) && run->count > 1)
		fprintf(stderr, "grade: %s is done\n", student->name);
}

static void print_formats(const struct class_run *run)
{
	char *list = strdup(run->grader->options.format), *save = NULL;
	cJSON *records = cJSON_CreateArray();

	for (unsigned int i = 0; i < run->count; i++)
		if (run->students[i].record)
			cJSON_AddItemReferenceToArray(records,
				run->students[i].record);
	for (char *name = strtok_r(list, ",", &save); name;
	     name = strtok_r(NULL, ",", &save)) {
		const struct report_format *f = report_find(name);

		if ((f->for_people || !run->grader->options.out) &&
		    report_write(name, records, stdout))
			failed = true;
	}
	cJSON_Delete(records);
	free(list);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "grade: cannot write to standard output\n");
		failed = true;
	}
}

static int grade_class(struct class_run *run)
{
	const struct grader *grader = run->grader;
	int err = pool_run(run, done);

	/* What is done is kept; a gradebook of half a class would mislead. */
	if (err == -EINTR)
		return err;
	if (!err && grader->options.out) {
		err = store_class(grader);
		if (!err)
			err = store_timing(run);
	}
	if (err) {
		fprintf(stderr, "grade: the class: %s\n", strerror(-err));
		failed = true;
	}
	print_formats(run);
	if (grader->options.out && !err)
		printf("\nReports: %s/index.html, gradebook: "
		       "%s/gradebook.csv\n", grader->options.out,
		       grader->options.out);
	return err;
}

/* For others' code what is not there is said; too little is refused. */
static void check_box(struct grader *grader)
{
	unsigned int use = grader->options.layers & grader->probe.have;

	for (int i = 0; i < BOX_LAYERS; i++)
		if (!(use & 1u << i) && !grader->options.own)
			fprintf(stderr, "grade: the box lacks a layer: %s "
				"(%s)\n", box_layer_name(i),
				grader->probe.have & 1u << i ?
				"switched off" :
				strerror(grader->probe.error[i]));
	if (grader->options.own || box_is_enough(use))
		return;
	fprintf(stderr, "grade: refused: other people's code needs a user id "
		"of its own or Landlock, and seccomp; this machine lacks "
		"that\n");
	exit(EXIT_GRADER);
}

static void add_students(struct class_run *run, const struct inputs *inputs)
{
	for (int i = 0; i < inputs->count; i++) {
		const char *path = inputs->path[i];
		int err = inputs->is_class[i] ?
			students_add_folder(run, path) :
			students_add(run, path);

		if (err) {
			fprintf(stderr, "grade: %s: %s\n", path,
				strerror(-err));
			exit(err == -ENOENT || err == -ENOTDIR ? EXIT_USAGE :
			     EXIT_GRADER);
		}
	}
	if (!run->count)
		bad_usage("nothing to grade", inputs->count ?
			  ": there is no folder, .zip or .tar.gz" : "");
}

/* Before hours of grading, not after. */
static void check_out(const char *out)
{
	int err = make_folders(out, 0755);

	if (!err && access(out, W_OK | X_OK))
		err = -errno;
	if (!err)
		return;
	fprintf(stderr, "grade: cannot write to %s: %s\n", out,
		strerror(-err));
	exit(EXIT_GRADER);
}

/* Told to stop: what is there, and what is not. */
static int say_stopped(const struct class_run *run)
{
	int sig = stop_signal();
	unsigned int graded = 0;

	for (unsigned int i = 0; i < run->count; i++)
		graded += run->students[i].record != NULL;
	fprintf(stderr, "grade: stopped by signal %d: %u of %u are graded%s\n",
		sig, graded, run->count, run->grader->options.out ?
		" and kept, the gradebook is as it was" : "");
	return EXIT_SIGNAL + sig;
}

static int grade_or_show(struct class_run *run, const struct shown *shown)
{
	int err = students_finish_list(run);

	if (err)
		fprintf(stderr, "grade: %s\n", strerror(-err));
	else if (shown->test)
		err = show_apart(run, shown);
	else
		err = grade_class(run);
	return err;
}

int main(int argc, char **argv)
{
	static struct grader grader;
	struct class_run run = { .grader = &grader };
	struct inputs inputs = { 0 };
	struct shown shown = { 0 };
	int err;

	options_parse(argc, argv, &grader.options, &inputs);
	choose_tests(&grader);
	if (grader.options.list) {
		list_tests(&grader);
		return EXIT_DONE;
	}
	stop_prepare();
	box_probe(&grader.probe);
	if (grader.options.probe) {
		box_probe_print(&grader.probe, grader.options.layers, stdout);
		return EXIT_DONE;
	}
	add_students(&run, &inputs);
	choose_shown(&run, &shown);
	check_box(&grader);
	if (grader.options.out)
		check_out(grader.options.out);
	err = find_course(&grader);
	if (err)
		fprintf(stderr, "grade: where is the course?  Set "
			"DOORBELL_ROOT\n");
	else
		err = stage(&grader);
	if (!err)
		err = grade_or_show(&run, &shown);
	unstage(&grader);
	if (err == -EINTR)
		return say_stopped(&run);
	students_free(&run);
	free(inputs.path);
	free(inputs.is_class);
	return err || failed ? EXIT_GRADER : EXIT_DONE;
}
