/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What of the outside world a submission may name, and what it must define. */
#include <string.h>

#include "autograder/compile/inside.h"

static bool is_in(const char *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(list[i], name))
			return true;
	}
	return false;
}

#define IS_IN(list, name) \
	is_in(list, sizeof(list) / sizeof((list)[0]), name)

bool name_is_intercepted(const char *name)
{
	static const char *const list[] = {
#define INTERCEPT(name, ours)	#name,
#define ALLOW(name)
#include "autograder/runtime/intercept.def"
#undef INTERCEPT
#undef ALLOW
	};

	return IS_IN(list, name);
}

bool name_is_allowed(const char *name)
{
	static const char *const list[] = {
#define INTERCEPT(name, ours)
#define ALLOW(name)		#name,
#include "autograder/runtime/intercept.def"
#undef INTERCEPT
#undef ALLOW
	};

	return IS_IN(list, name);
}

bool name_is_reserved(const char *name)
{
	return !strncmp(name, "__tsan", 6) || !strncmp(name, "rt_", 3) ||
		!strncmp(name, "tsan.", 5);
}

const char *name_required(const char *lab, unsigned int i)
{
	static const struct {
		const char *lab, *name;
	} list[] = {
#define EXPORT(lab, name)	{ #lab, #name },
#include "autograder/compile/exports.def"
#undef EXPORT
	};

	for (size_t n = 0; n < sizeof(list) / sizeof(list[0]); n++) {
		if (!strcmp(list[n].lab, lab) && i-- == 0)
			return list[n].name;
	}
	return NULL;
}
