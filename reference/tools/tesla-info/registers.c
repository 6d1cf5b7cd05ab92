/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What registers tell.  Only such are read whose reading changes nothing:
 * identity, scratch, PTIMER, the list of engines, the temperature.
 *
 * A GM200's sensor must be switched on by two writes before it measures.  We
 * do not: if nobody has, there is no temperature.
 */
#include "info.h"
#include "vm/spec/reg.h"

static u32 rd32(struct gpu_bus *bus, u32 offset)
{
	return bus->ops->read(bus, GPU_BAR0, offset, 4);
}

/* High, low, high again [§5.3]. */
static u64 read_time(struct gpu_bus *bus)
{
	u32 high = 0, low = 0;

	for (int i = 0; i < 4; i++) {
		high = rd32(bus, NV_PTIMER_TIME_1);
		low = rd32(bus, NV_PTIMER_TIME_0);
		if (rd32(bus, NV_PTIMER_TIME_1) == high)
			break;
	}
	return (u64)high << 32 | low;
}

static void read_temperature(struct gpu_bus *bus, u32 chipset,
			     struct info_registers *registers)
{
	u32 value;

	if (chipset == 0x120) {
		value = rd32(bus, NV_THERM_GM200_SENSOR_CTRL);
		registers->has_temperature =
			rd32(bus, NV_FUSE_STATUS_OPT_SENSOR) == 1 &&
			REG_GET(NV_THERM_GM200_SENSOR_CTRL_ON, value) &&
			!REG_GET(NV_THERM_GM200_SENSOR_CTRL_OFF, value);
		registers->temperature = rd32(bus, NV_THERM_GM200_TEMP) * 32;
		return;
	}
	value = rd32(bus, NV_THERM_GP100_TEMP);
	registers->has_temperature = REG_GET(NV_THERM_GP100_TEMP_VALID, value);
	registers->temperature = REG_GET(NV_THERM_GP100_TEMP_VALUE, value);
}

static int if_valid(u32 valid, u32 value)
{
	return valid ? (int)value : -1;
}

static void engine_add_word(struct info_engine *engine, u32 word)
{
	switch (REG_GET(NV_PTOP_DEVICE_INFO_ENTRY, word)) {
	case NV_PTOP_DEVICE_INFO_ENTRY_DATA:
		engine->instance = REG_GET(NV_PTOP_DEVICE_INFO_DATA_INST_ID,
					   word);
		break;
	case NV_PTOP_DEVICE_INFO_ENTRY_ENUM:
		engine->runlist =
			if_valid(REG_GET(NV_PTOP_DEVICE_INFO_RUNLIST, word),
				 REG_GET(NV_PTOP_DEVICE_INFO_RUNLIST_ENUM,
					 word));
		engine->reset_bit =
			if_valid(REG_GET(NV_PTOP_DEVICE_INFO_RESET, word),
				 REG_GET(NV_PTOP_DEVICE_INFO_RESET_ENUM,
					 word));
		engine->intr_bit =
			if_valid(REG_GET(NV_PTOP_DEVICE_INFO_INTR, word),
				 REG_GET(NV_PTOP_DEVICE_INFO_INTR_ENUM,
					 word));
		break;
	case NV_PTOP_DEVICE_INFO_ENTRY_ENGINE_TYPE:
		engine->type = REG_GET(NV_PTOP_DEVICE_INFO_TYPE_ENUM, word);
		break;
	}
}

static void read_engines(struct gpu_bus *bus, struct info_registers *registers)
{
	static const struct info_engine none = { 0, 0, -1, -1, -1 };
	struct info_engine engine = none;

	for (u32 i = 0; i < NV_PTOP_DEVICE_INFO__SIZE_1; i++) {
		u32 word = rd32(bus, REG_AT(NV_PTOP_DEVICE_INFO, i));

		if (REG_GET(NV_PTOP_DEVICE_INFO_ENTRY, word) ==
		    NV_PTOP_DEVICE_INFO_ENTRY_NOT_VALID)
			continue;
		engine_add_word(&engine, word);
		if (REG_GET(NV_PTOP_DEVICE_INFO_CHAIN, word))
			continue;
		if (registers->engines < INFO_ENGINES)
			registers->engine[registers->engines++] = engine;
		engine = none;
	}
}

void info_registers(struct gpu_bus *bus, struct info_registers *registers)
{
	u32 chipset, scratch;

	memset(registers, 0, sizeof(*registers));
	registers->boot_0 = rd32(bus, NV_PMC_BOOT_0);
	registers->read = true;
	chipset = REG_GET(NV_PMC_BOOT_0_CHIPSET, registers->boot_0);
	/* Where the rest is, we know of our chips alone. */
	if (card_error_pattern(registers->boot_0) ||
	    !card_kind_by_chipset(chipset))
		return;
	scratch = rd32(bus, NV_PTOP_SCRATCH1);
	registers->posted = !card_error_pattern(scratch) &&
		REG_GET(NV_PTOP_SCRATCH1_DEVINIT_COMPLETED, scratch);
	registers->time = read_time(bus);
	read_temperature(bus, chipset, registers);
	read_engines(bus, registers);
}
