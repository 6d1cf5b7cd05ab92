/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A submission's symbols: what it defines, what it asks for.
 *
 * What it asks for is the driver's given part, the C library's functions of
 * intercept.def, and the hooks.  So there is no system call, no loading of
 * code, no signal and no process, and no access to memory that the library
 * would make without a hook.
 */
#include <string.h>

#include "autograder/compile/inside.h"

static bool defines(const struct object *object, const char *name)
{
	for (unsigned int i = 0; i < object_count(object); i++) {
		struct symbol s = object_symbol(object, i);

		if (s.defined && s.global && !strcmp(s.name, name))
			return true;
	}
	return false;
}

/* Given to drivers by the agent: the driver's own part, not the agent's. */
static bool is_given(const struct object *agent, const char *name)
{
	static const char *const ours[] = {
		"main", "agent_", "bus_judge_", "gpu_bus_register",
		"gpu_bus_unregister", "port_fail_alloc", "port_alloc_",
		"port_live_allocs", "port_report", "port_context",
		"port_spend",
	};

	if (!strcmp(name, "rt_barrier"))
		return true;
	if (name_is_reserved(name))
		return false;
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		if (!strncmp(name, ours[i], strlen(ours[i])))
			return false;
	}
	return defines(agent, name);
}

static bool is_exported(const char *lab, const char *name)
{
	for (unsigned int i = 0; name_required(lab, i); i++) {
		if (!strcmp(name_required(lab, i), name))
			return true;
	}
	return false;
}

static bool check_defined(const struct symbol *s,
			  const struct object *agent, const char *lab,
			  struct compile_result *result)
{
	bool exported = is_exported(lab, s->name);

	if (s->ifunc)
		return refuse(result, "%s is chosen by the loader (ifunc)",
			      s->name);
	if (name_is_reserved(s->name) && strcmp(s->name, "tsan.module_ctor"))
		return refuse(result, "defines %s, a name of the runtime",
			      s->name);
	if (!s->global)
		return true;
	if (!exported && (name_is_intercepted(s->name) ||
			  name_is_allowed(s->name)))
		return refuse(result, "defines %s(), a name of the C library",
			      s->name);
	if (!exported && is_given(agent, s->name))
		return refuse(result, "defines %s(), which is given",
			      s->name);
	return true;
}

static bool check_undefined(const struct symbol *s,
			    const struct object *agent, const char *lab,
			    struct compile_result *result)
{
	if (!strcmp(s->name, "_GLOBAL_OFFSET_TABLE_") ||
	    !strncmp(s->name, "__tsan_", 7) ||
	    name_is_intercepted(s->name) || name_is_allowed(s->name) ||
	    is_given(agent, s->name) || is_exported(lab, s->name))
		return true;
	return refuse(result, "uses %s, which a driver has no access to",
		      s->name);
}

bool symbols_check(const char *lab, const struct object *submission,
		   const struct object *agent, struct compile_result *result)
{
	for (unsigned int i = 0; i < object_count(submission); i++) {
		struct symbol s = object_symbol(submission, i);

		if (!s.name[0])
			continue;
		if (s.defined ? !check_defined(&s, agent, lab, result) :
		    !check_undefined(&s, agent, lab, result))
			return false;
	}
	for (unsigned int i = 0; name_required(lab, i); i++) {
		const char *name = name_required(lab, i);

		if (defines(submission, name))
			continue;
		refuse(result, "no file defines %s()", name);
		result->outcome = COMPILE_ERRORS;
		return false;
	}
	return true;
}
