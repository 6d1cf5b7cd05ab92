/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * As much of JSON Schema as result.schema.json uses, so that the tests hold
 * real records against the very file that others will use.  A keyword that is
 * not known here is an error: else the schema could promise what nobody
 * checks.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "autograder/report/schema.h"

static int wrong(const char *where, const char *what, char *why, size_t size)
{
	snprintf(why, size, "%s: %s", where, what);
	return -EINVAL;
}

static bool is_type(const cJSON *value, const char *type)
{
	return (!strcmp(type, "object") && cJSON_IsObject(value)) ||
	       (!strcmp(type, "array") && cJSON_IsArray(value)) ||
	       (!strcmp(type, "string") && cJSON_IsString(value)) ||
	       (!strcmp(type, "number") && cJSON_IsNumber(value)) ||
	       (!strcmp(type, "null") && cJSON_IsNull(value));
}

static bool type_ok(const cJSON *rule, const cJSON *value)
{
	const cJSON *type;

	if (cJSON_IsString(rule))
		return is_type(value, rule->valuestring);
	cJSON_ArrayForEach(type, rule)
		if (is_type(value, type->valuestring))
			return true;
	return false;
}

static bool enum_ok(const cJSON *rule, const cJSON *value)
{
	const cJSON *each;

	cJSON_ArrayForEach(each, rule)
		if (cJSON_Compare(each, value, true))
			return true;
	return false;
}

static bool required_ok(const cJSON *rule, const cJSON *value)
{
	const cJSON *name;

	cJSON_ArrayForEach(name, rule)
		if (!cJSON_GetObjectItemCaseSensitive(value,
						      name->valuestring))
			return false;
	return true;
}

static bool pattern_ok(const cJSON *rule, const cJSON *value)
{
	regex_t regex;
	bool ok;

	if (regcomp(&regex, rule->valuestring, REG_EXTENDED | REG_NOSUB))
		return false;
	ok = regexec(&regex, value->valuestring, 0, NULL, 0) == 0;
	regfree(&regex);
	return ok;
}

static bool no_others(const cJSON *schema, const cJSON *value)
{
	const cJSON *known = cJSON_GetObjectItem(schema, "properties");
	const cJSON *member;

	cJSON_ArrayForEach(member, value)
		if (!cJSON_GetObjectItemCaseSensitive(known, member->string))
			return false;
	return true;
}

static int check_members(const cJSON *rule, const cJSON *value,
			 const char *where, char *why, size_t size)
{
	const cJSON *member;
	char path[256];

	cJSON_ArrayForEach(member, value) {
		const cJSON *schema = cJSON_GetObjectItemCaseSensitive(rule,
							member->string);
		int err;

		snprintf(path, sizeof(path), "%s.%s", where, member->string);
		err = schema ? schema_check(schema, member, path, why, size)
			     : 0;
		if (err)
			return err;
	}
	return 0;
}

static int check_items(const cJSON *rule, const cJSON *value,
		       const char *where, char *why, size_t size)
{
	const cJSON *item;
	char path[256];
	int i = 0;

	cJSON_ArrayForEach(item, value) {
		int err;

		snprintf(path, sizeof(path), "%s[%d]", where, i++);
		err = schema_check(rule, item, path, why, size);
		if (err)
			return err;
	}
	return 0;
}

static int check_keyword(const cJSON *schema, const cJSON *rule,
			 const cJSON *value, const char *where, char *why,
			 size_t size)
{
	static const char *const silent[] = {
		"$schema", "$id", "title", "description", NULL
	};
	const char *key = rule->string;
	bool ok = false;

	for (int i = 0; silent[i]; i++)
		if (!strcmp(key, silent[i]))
			return 0;
	if (!strcmp(key, "properties"))
		return check_members(rule, value, where, why, size);
	if (!strcmp(key, "items"))
		return check_items(rule, value, where, why, size);
	if (!strcmp(key, "type"))
		ok = type_ok(rule, value);
	else if (!strcmp(key, "enum"))
		ok = enum_ok(rule, value);
	else if (!strcmp(key, "const"))
		ok = cJSON_Compare(rule, value, true);
	else if (!strcmp(key, "required"))
		ok = required_ok(rule, value);
	else if (!strcmp(key, "additionalProperties"))
		ok = cJSON_IsFalse(rule) && no_others(schema, value);
	else if (!strcmp(key, "minimum"))
		ok = !cJSON_IsNumber(value) ||
		     value->valuedouble >= rule->valuedouble;
	else if (!strcmp(key, "minLength"))
		ok = strlen(value->valuestring) >= (size_t)rule->valueint;
	else if (!strcmp(key, "pattern"))
		ok = pattern_ok(rule, value);
	return ok ? 0 : wrong(where, key, why, size);
}

int schema_check(const cJSON *schema, const cJSON *value, const char *where,
		 char *why, size_t size)
{
	const cJSON *type = cJSON_GetObjectItem(schema, "type"), *rule;

	/* first, since other keywords rely on it */
	if (type && !type_ok(type, value))
		return wrong(where, "type", why, size);
	cJSON_ArrayForEach(rule, schema) {
		int err = check_keyword(schema, rule, value, where, why,
					size);

		if (err)
			return err;
	}
	return 0;
}
