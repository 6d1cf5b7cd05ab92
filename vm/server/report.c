/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Counts and times of a server, as JSON.
 *
 * Own time is the processor time that the server takes for a message and its
 * answer, the system calls for both included; one message in eight is looked
 * at.  Time in which another process had the processor is not the server's:
 * the kernel often hands over to QEMU in the middle of the call that wakes
 * it.  The rest of what a guest measures is QEMU's.  A doorbell's time to its
 * interrupt is the host's, less what the card takes by its timing table
 * [§2.3].
 */
#define _GNU_SOURCE
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "vm/server/report.h"

/* Octave and its eighth; below 8 ns each value has its own class. */
static unsigned int class_of(uint64_t ns)
{
	unsigned int octave;

	if (ns < 8)
		return ns;
	octave = 63 - __builtin_clzll(ns);
	return octave * 8 + (ns >> (octave - 3) & 7);
}

/* The middle of a class. */
static uint64_t value_of(unsigned int class)
{
	unsigned int octave = class / 8;

	if (octave < 3)
		return class;
	return (1ull << octave) + ((uint64_t)(class % 8) << (octave - 3)) +
		(1ull << (octave - 3)) / 2;
}

void times_add(struct times *times, uint64_t ns)
{
	if (!times->count || ns < times->min)
		times->min = ns;
	if (ns > times->max)
		times->max = ns;
	times->count++;
	times->in[class_of(ns)]++;
}

uint64_t times_percentile(const struct times *times, unsigned int percent)
{
	uint64_t want = times->count / 100 * percent +
		times->count % 100 * percent / 100;
	uint64_t seen = 0, value;

	if (!times->count)
		return 0;
	for (unsigned int i = 0; i < TIMES_CLASSES; i++) {
		seen += times->in[i];
		if (seen <= want && seen < times->count)
			continue;
		value = value_of(i);
		if (value < times->min)
			return times->min;
		return value > times->max ? times->max : value;
	}
	return times->max;
}

static void add_times(cJSON *to, const char *name, const struct times *times)
{
	cJSON *object = cJSON_AddObjectToObject(to, name);

	cJSON_AddNumberToObject(object, "count", times->count);
	cJSON_AddNumberToObject(object, "min", times->min);
	cJSON_AddNumberToObject(object, "median", times_percentile(times, 50));
	cJSON_AddNumberToObject(object, "p99", times_percentile(times, 99));
	cJSON_AddNumberToObject(object, "max", times->max);
}

static void add_accesses(cJSON *root, const struct report *report)
{
	static const char *const names[CARD_REGIONS] = {
		"config", "bar0", "bar1", "bar3",
	};
	cJSON *reads = cJSON_AddObjectToObject(root, "reads");
	cJSON *writes = cJSON_AddObjectToObject(root, "writes");

	for (int i = 0; i < CARD_REGIONS; i++) {
		cJSON_AddNumberToObject(reads, names[i], report->reads[i]);
		cJSON_AddNumberToObject(writes, names[i], report->writes[i]);
	}
}

static void add_memory(cJSON *root, const struct report *report)
{
	cJSON *dma = cJSON_AddObjectToObject(root, "dma");

	cJSON_AddNumberToObject(dma, "maps", report->maps);
	cJSON_AddNumberToObject(dma, "unmaps", report->unmaps);
	cJSON_AddNumberToObject(dma, "reads", report->dma_reads);
	cJSON_AddNumberToObject(dma, "writes", report->dma_writes);
	cJSON_AddNumberToObject(dma, "messages", report->dma_messages);
	cJSON_AddNumberToObject(dma, "refused", report->dma_refused);
}

static char *as_text(const struct report *report, const char *chip,
		     uint64_t time_lost)
{
	cJSON *root = cJSON_CreateObject(), *part;
	char *text;

	cJSON_AddStringToObject(root, "chip", chip);
	cJSON_AddNumberToObject(root, "clients", report->clients);
	cJSON_AddNumberToObject(root, "malformed", report->malformed);
	cJSON_AddNumberToObject(root, "resets", report->resets);
	cJSON_AddNumberToObject(root, "interrupts", report->interrupts);
	cJSON_AddNumberToObject(root, "time_lost_ns", time_lost);
	add_accesses(root, report);
	add_memory(root, report);
	part = cJSON_AddObjectToObject(root, "own_time_ns");
	add_times(part, "read", &report->read);
	add_times(part, "write", &report->write);
	add_times(part, "doorbell_to_irq", &report->doorbell);
	part = cJSON_AddObjectToObject(root, "violations");
	for (int i = 0; i < CARD_RULES; i++) {
		if (report->violations[i])
			cJSON_AddNumberToObject(part, card_rule_name(i),
						report->violations[i]);
	}
	text = cJSON_Print(root);
	cJSON_Delete(root);
	return text;
}

int report_write(const struct report *report, const char *chip,
		 uint64_t time_lost, const char *path)
{
	char *text = as_text(report, chip, time_lost), *name;
	int err = 0;
	FILE *file;

	if (!text)
		return -ENOMEM;
	if (asprintf(&name, "%s.new", path) < 0) {
		free(text);
		return -ENOMEM;
	}
	file = fopen(name, "we");
	if (!file) {
		err = -errno;
		goto free_text;
	}
	if (fprintf(file, "%s\n", text) < 0)
		err = -EIO;
	if (fclose(file) && !err)
		err = -errno;
	if (!err && rename(name, path))
		err = -errno;
	if (err)
		unlink(name);
free_text:
	free(name);
	free(text);
	return err;
}
