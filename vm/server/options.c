/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The command line of tesla-server: what is wrong is said, and ends it. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "vm/server/options.h"

static const char usage[] =
	"tesla-server --socket PATH [--chip p100|p40|m40]\n"
	"             [--additions on|off] [--seed N] [--unposted]\n"
	"             [--log FILE] [--report FILE]\n"
	"\n"
	"A card for QEMU's vfio-user-pci.  Broken rules are lines of the log\n"
	"(standard error, unless told); the report is JSON, written when a\n"
	"client goes and at the end.  SIGTERM ends it.\n";

static const struct option longs[] = {
	{ "socket", required_argument, NULL, 's' },
	{ "chip", required_argument, NULL, 'c' },
	{ "additions", required_argument, NULL, 'a' },
	{ "seed", required_argument, NULL, 'n' },
	{ "unposted", no_argument, NULL, 'u' },
	{ "log", required_argument, NULL, 'l' },
	{ "report", required_argument, NULL, 'r' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static int wrong(const char *what, const char *which)
{
	fprintf(stderr, "tesla-server: %s%s%s\n%s", what, which ? ": " : "",
		which ? which : "", usage);
	return -EINVAL;
}

static int read_chip(struct card_config *card, const char *name)
{
	static const char *const names[CARD_CHIPS] = { "p100", "p40", "m40" };

	for (int i = 0; i < CARD_CHIPS; i++) {
		if (!strcasecmp(name, names[i])) {
			card->chip = i;
			return 0;
		}
	}
	return wrong("no such chip", name);
}

static int read_seed(struct card_config *card, const char *text)
{
	char *end;

	errno = 0;
	card->seed = strtoull(text, &end, 0);
	if (errno || end == text || *end)
		return wrong("not a number", text);
	return 0;
}

static int read_additions(struct card_config *card, const char *text)
{
	card->no_additions = !strcmp(text, "off");
	if (!card->no_additions && strcmp(text, "on"))
		return wrong("--additions is on or off", text);
	return 0;
}

static int read_log(struct options *options, const char *path)
{
	FILE *log = fopen(path, "ae");

	if (!log) {
		fprintf(stderr, "tesla-server: %s: %s\n", path,
			strerror(errno));
		return -EINVAL;
	}
	options_done(options);
	options->log = log;
	return 0;
}

static int read_one(struct options *options, int option)
{
	struct card_config *card = &options->server.card;

	switch (option) {
	case 's':
		options->socket = optarg;
		return 0;
	case 'c':
		return read_chip(card, optarg);
	case 'a':
		return read_additions(card, optarg);
	case 'n':
		return read_seed(card, optarg);
	case 'u':
		card->unposted = true;
		return 0;
	case 'l':
		return read_log(options, optarg);
	case 'r':
		options->server.report = optarg;
		return 0;
	case 'h':
		fputs(usage, stdout);
		return 1;
	default:
		return wrong("see above", NULL);
	}
}

int options_read(struct options *options, int argc, char **argv)
{
	int option, err = 0;

	*options = (struct options){ .log = stderr };
	while (!err && (option = getopt_long(argc, argv, "h", longs,
					     NULL)) >= 0)
		err = read_one(options, option);
	if (!err && optind < argc)
		err = wrong("what is this", argv[optind]);
	if (!err && !options->socket)
		err = wrong("where? --socket", NULL);
	if (err)
		options_done(options);
	return err;
}

void options_done(struct options *options)
{
	if (options->log != stderr)
		fclose(options->log);
	options->log = stderr;
}
