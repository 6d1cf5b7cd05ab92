/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Holding a JSON document against a JSON schema, for tests. */
#ifndef REPORT_SCHEMA_H
#define REPORT_SCHEMA_H

#include <cjson/cJSON.h>
#include <stddef.h>

/*
 * 0, or -EINVAL and where and why.  Knows type, enum, const, required,
 * properties, additionalProperties: false, items, minimum and minLength; any
 * other keyword of the schema but the descriptive ones is an error.
 */
int schema_check(const cJSON *schema, const cJSON *value, const char *where,
		 char *why, size_t size);

#endif
