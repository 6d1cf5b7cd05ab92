/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Engine discovery [§5.5].
 *
 * PTOP is a list of words.  Each says in its low bits what it is about, and
 * in its top bit whether the next word belongs to the same engine.  The list
 * is the only authority on which engine sits on which runlist and which bit
 * of PMC_ENABLE resets it; fixed tables of such bits go stale with each chip.
 */
#include "device.h"

#define ENGINES_MAX	24

struct engine_list {
	struct engine engine[ENGINES_MAX];
	unsigned int count;
};

static void engine_add_word(struct engine *engine, u32 word)
{
	switch (REG_GET(NV_PTOP_DEVICE_INFO_ENTRY, word)) {
	case NV_PTOP_DEVICE_INFO_ENTRY_DATA:
		engine->instance = REG_GET(NV_PTOP_DEVICE_INFO_DATA_INST_ID,
					   word);
		break;
	case NV_PTOP_DEVICE_INFO_ENTRY_ENUM:
		engine->id = REG_GET(NV_PTOP_DEVICE_INFO_ENGINE_ENUM, word);
		engine->has_runlist =
			REG_GET(NV_PTOP_DEVICE_INFO_RUNLIST, word);
		engine->runlist =
			REG_GET(NV_PTOP_DEVICE_INFO_RUNLIST_ENUM, word);
		engine->has_reset = REG_GET(NV_PTOP_DEVICE_INFO_RESET, word);
		engine->reset_bit =
			REG_GET(NV_PTOP_DEVICE_INFO_RESET_ENUM, word);
		engine->intr_bit =
			REG_GET(NV_PTOP_DEVICE_INFO_INTR_ENUM, word);
		break;
	case NV_PTOP_DEVICE_INFO_ENTRY_ENGINE_TYPE:
		engine->type = REG_GET(NV_PTOP_DEVICE_INFO_TYPE_ENUM, word);
		break;
	}
}

static void engines_read(struct gpu *gpu, struct engine_list *list)
{
	struct engine engine = { 0 };

	list->count = 0;
	for (u32 i = 0; i < NV_PTOP_DEVICE_INFO__SIZE_1; i++) {
		u32 word = gpu_rd32(gpu, REG_AT(NV_PTOP_DEVICE_INFO, i));

		if (REG_GET(NV_PTOP_DEVICE_INFO_ENTRY, word) ==
		    NV_PTOP_DEVICE_INFO_ENTRY_NOT_VALID)
			continue;
		engine_add_word(&engine, word);
		if (REG_GET(NV_PTOP_DEVICE_INFO_CHAIN, word))
			continue;
		if (list->count < ENGINES_MAX)
			list->engine[list->count++] = engine;
		engine = (struct engine){ 0 };
	}
}

static bool is_copy(const struct engine *engine)
{
	switch (engine->type) {
	case NV_PTOP_DEVICE_INFO_TYPE_ENUM_COPY0:
	case NV_PTOP_DEVICE_INFO_TYPE_ENUM_COPY1:
	case NV_PTOP_DEVICE_INFO_TYPE_ENUM_COPY2:
	case NV_PTOP_DEVICE_INFO_TYPE_ENUM_LCE:
		return true;
	}
	return false;
}

static bool runlist_is_copy_only(const struct engine_list *list, u32 runlist)
{
	for (unsigned int i = 0; i < list->count; i++) {
		const struct engine *engine = &list->engine[i];

		if (engine->has_runlist && engine->runlist == runlist &&
		    !is_copy(engine))
			return false;
	}
	return true;
}

int engines_find_copy(struct gpu *gpu, struct engine *copy)
{
	struct engine_list list;

	engines_read(gpu, &list);
	for (unsigned int i = 0; i < list.count; i++) {
		const struct engine *engine = &list.engine[i];

		if (is_copy(engine) && engine->has_runlist &&
		    runlist_is_copy_only(&list, engine->runlist)) {
			*copy = *engine;
			return 0;
		}
	}
	return -ENODEV;
}
