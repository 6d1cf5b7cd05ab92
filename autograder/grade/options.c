/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The command line. */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "autograder/compile/labs.h"
#include "autograder/grade/options.h"
#include "autograder/report/report.h"

static const char usage_text[] =
"usage: grade [OPTION]... SUBMISSION...\n"
"A submission: a folder, .zip or .tar.gz; files flat or in the lab's folder.\n"
"\n"
"  -l, --lab NN           the lab (01)\n"
"  -c, --class DIR        each entry of DIR is a submission\n"
"  -o, --out DIR          keep results, reports and the gradebook in DIR\n"
"  -j, --jobs N           processes at a time (number of cores)\n"
"  -s, --seeds N          runs of each test (each test's own number)\n"
"  -f, --format F[,F...]  print these; with --out all but text is written\n"
"  -p, --public           public tests only\n"
"  -T, --test NAME[,NAME...]    only these tests\n"
"  -L, --list             list the lab's tests\n"
"  -r, --replay LAB/TEST@SEED   one run, with all that the card saw\n"
"  -t, --trace TEST[@SEED]      the same, and TEST.json for Chrome in DIR\n"
"      --from-start       with --trace: the bring-up, too\n"
"      --own              the code is one's own: use the layers there are\n"
"      --probe            say which layers of the box this machine has\n"
"      --without LAYER    do without one, to see that it is missed\n"
"\n"
"formats:\n";

static void usage(FILE *out)
{
	fputs(usage_text, out);
	for (const struct report_format *f = report_formats; f->name; f++)
		fprintf(out, "  %-12s %s\n", f->name, f->help);
	fputs("\nlabs and their folders:\n", out);
	for (const struct lab *lab = all_labs; lab->number; lab++)
		fprintf(out, "  %s  %s%s\n", lab->number, lab->name,
			judge_tests(lab->number) ? "" : " (not built yet)");
	fputs("\nexit status: 0 graded, whatever the scores; 2 usage; 3 the "
	      "grader failed;\n128 + N ended by signal N: nothing is left "
	      "running or half written\n", out);
}

void bad_usage(const char *text, const char *what)
{
	fprintf(stderr, "grade: %s%s\nTry grade --help.\n", text, what);
	exit(EXIT_USAGE);
}

static unsigned int number(const char *text, unsigned int max)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (!*text || *end || *text == '-' || n < 1 || n > max)
		bad_usage("not a number in range: ", text);
	return n;
}

static void check_formats(const char *list)
{
	size_t len;

	for (const char *p = list; p; p = p[len] ? p + len + 1 : NULL) {
		char name[64];

		len = strcspn(p, ",");
		snprintf(name, sizeof(name), "%.*s", (int)len, p);
		if (!report_find(name))
			bad_usage("no such format: ", *name ? name :
				  "an element of the list is empty");
	}
}

static void add_input(struct inputs *inputs, char *path, bool is_class)
{
	inputs->path = realloc(inputs->path, (inputs->count + 1) *
			       sizeof(*inputs->path));
	inputs->is_class = realloc(inputs->is_class, inputs->count + 1);
	if (!inputs->path || !inputs->is_class)
		exit(EXIT_GRADER);
	inputs->path[inputs->count] = path;
	inputs->is_class[inputs->count++] = is_class;
}

/* Options without a letter. */
enum { OWN = 256, PROBE, WITHOUT, FROM_START };

static const struct option long_options[] = {
	{ "lab", 1, NULL, 'l' }, { "class", 1, NULL, 'c' },
	{ "out", 1, NULL, 'o' }, { "jobs", 1, NULL, 'j' },
	{ "seeds", 1, NULL, 's' }, { "format", 1, NULL, 'f' },
	{ "test", 1, NULL, 'T' }, { "public", 0, NULL, 'p' },
	{ "list", 0, NULL, 'L' },
	{ "replay", 1, NULL, 'r' }, { "trace", 1, NULL, 't' },
	{ "own", 0, NULL, OWN }, { "from-start", 0, NULL, FROM_START },
	{ "probe", 0, NULL, PROBE }, { "without", 1, NULL, WITHOUT },
	{ "help", 0, NULL, 'h' }, { NULL, 0, NULL, 0 }
};

static void switch_off(struct grade_options *o, const char *layer)
{
	if (!box_layer_bit(layer))
		bad_usage("no such layer: ", layer);
	o->layers &= ~box_layer_bit(layer);
}

/* Those with a value; false: not one of them. */
static bool take_value(int c, char *value, struct grade_options *o,
		       struct inputs *inputs)
{
	if (c == 'l')
		o->lab = value;
	else if (c == 'c')
		add_input(inputs, value, true);
	else if (c == 'o')
		o->out = value;
	else if (c == 'j')
		o->jobs = number(value, 1024);
	else if (c == 's')
		o->seeds = number(value, 1000000);
	else if (c == 'r')
		o->replay = value;
	else if (c == 'T')
		o->only = value;
	else if (c == 't')
		o->trace = value;
	else if (c == WITHOUT)
		switch_off(o, value);
	else if (c == 'f')
		check_formats(o->format = value);
	else
		return false;
	return true;
}

static void take_flag(int c, struct grade_options *o)
{
	if (c == 'p')
		o->public_only = true;
	else if (c == 'L')
		o->list = true;
	else if (c == OWN)
		o->own = true;
	else if (c == PROBE)
		o->probe = true;
	else if (c == FROM_START)
		o->from_start = true;
	else if (c == 'h')
		usage(stdout);
	else if (c == '?')
		fputs("Try grade --help.\n", stderr);
	if (c == 'h' || c == '?')
		exit(c == 'h' ? EXIT_DONE : EXIT_USAGE);
}

/* The lab of LAB/TEST@SEED. */
static void lab_of_replay(struct grade_options *o)
{
	static char lab[8];

	if (!o->replay)
		return;
	snprintf(lab, sizeof(lab), "%.*s", (int)strcspn(o->replay, "/"),
		 o->replay);
	o->lab = lab;
}

void options_parse(int argc, char **argv, struct grade_options *o,
		   struct inputs *inputs)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	int c;

	*o = (struct grade_options){
		.lab = "01", .layers = BOX_ALL,
		.jobs = cores > 0 ? cores : 1,
	};
	while ((c = getopt_long(argc, argv, "l:c:o:j:s:f:T:pLr:t:h",
				long_options, NULL)) != -1)
		if (!take_value(c, optarg, o, inputs))
			take_flag(c, o);
	for (; optind < argc; optind++)
		add_input(inputs, argv[optind], false);
	lab_of_replay(o);
	if (!o->format)
		o->format = o->own ? "detail" : "text";
}
