/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What stands in the way of a driver: conclusions from what was gathered, and
 * from nothing else, so that a test can hold them against any card.
 *
 * A reason that follows from another is not said: of a card that does not
 * answer it is not said that it is unknown, too.  What could not be read
 * gives no reason, but that it could not be read.
 */
#include "info.h"
#include "vm/spec/reg.h"

enum { M = 1 << WAY_MODULE, V = 1 << WAY_VFIO, S = 1 << WAY_SYSFS };

static const struct reason {
	unsigned int ways;
	const char *text, *remedy;
} table[REASONS] = {
#define REASON(name, ways, text, remedy)	[name] = { ways, text, remedy },
#include "reasons.def"
#undef REASON
};

const char *info_reason_text(enum info_reason reason)
{
	return table[reason].text;
}

const char *info_reason_remedy(enum info_reason reason)
{
	return table[reason].remedy;
}

u32 info_against(u32 reasons, enum info_way way)
{
	u32 against = 0;

	for (u32 i = 0; i < REASONS; i++) {
		if (reasons & BIT(i) && table[i].ways & 1u << way)
			against |= BIT(i);
	}
	return against;
}

static bool driver_is(const struct info *info, const char *name)
{
	return !strcmp(info->driver, name);
}

/* What it is. */
static u32 reasons_identity(const struct info *info)
{
	u32 id = pci_config_get(&info->config, NV_XVE_ID, 4);

	if (id == 0xffffffff)
		return BIT(NO_ANSWER);
	if (REG_GET(NV_XVE_ID_VENDOR, id) != NV_XVE_ID_VENDOR_NVIDIA)
		return BIT(NOT_NVIDIA);
	return info->kind ? 0 : BIT(UNKNOWN_CHIP);
}

static bool is_asleep(const struct info *info)
{
	return !strncmp(info->power, "D3", 2);
}

static bool decodes(const struct info *info)
{
	return REG_GET(NV_XVE_DEV_CTRL_CMD_MEMORY_SPACE,
		       pci_config_get(&info->config, NV_XVE_DEV_CTRL, 2));
}

/* BARs 0, 1 and 3 are needed; the others do not exist. */
static bool bars_are_there(const struct info *info)
{
	return info->bars[0].size && info->bars[1].size &&
		info->bars[3].size;
}

/* Whether it could be read. */
static u32 reasons_access(const struct info *info)
{
	u32 reasons = 0;

	if (info->config.size < PCI_CONFIG_SIZE)
		reasons |= BIT(NOT_ROOT);
	if (info->has_bars && !bars_are_there(info))
		reasons |= BIT(BAR_UNASSIGNED);
	else if (is_asleep(info))
		reasons |= BIT(ASLEEP);
	else if (!decodes(info))
		reasons |= BIT(DECODE_OFF);
	if (info->registers.error == -EBUSY)
		reasons |= BIT(REGISTERS_KEPT);
	return reasons;
}

static u32 reasons_driver(const struct info *info)
{
	if (driver_is(info, "vfio-pci"))
		return BIT(VFIO_HAS_IT) |
			(info->has_bridge ? BIT(RESET_AT_CLOSE) : 0);
	if (driver_is(info, "tesla"))
		return BIT(MODULE_HAS_IT);
	return info->driver[0] ? BIT(OTHER_DRIVER) : BIT(NOT_BOUND);
}

static u32 reasons_iommu(const struct info *info)
{
	if (!info->has_iommu)
		return BIT(NO_IOMMU);
	if (!info->group[0])
		return BIT(NO_GROUP);
	return info->foreign ? BIT(GROUP_SHARED) : 0;
}

static u32 reasons_registers(const struct info *info)
{
	const struct info_registers *registers = &info->registers;

	if (!registers->read)
		return 0;
	if (card_error_pattern(registers->boot_0))
		return BIT(NO_ANSWER);
	if (!card_kind_by_chipset(REG_GET(NV_PMC_BOOT_0_CHIPSET,
					  registers->boot_0)))
		return BIT(UNKNOWN_CHIP);
	return registers->posted ? 0 : BIT(NOT_POSTED);
}

u32 info_reasons(const struct info *info)
{
	u32 reasons = reasons_identity(info);

	if (reasons)
		return reasons;
	return reasons_access(info) | reasons_driver(info) |
		reasons_iommu(info) | reasons_registers(info);
}

bool info_may_read(const struct info *info)
{
	return !reasons_identity(info) && bars_are_there(info) &&
		!is_asleep(info) && decodes(info);
}
