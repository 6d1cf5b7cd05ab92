/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A card in lines of words; what is not known is not there. */
#include "info.h"
#include "vm/spec/reg.h"

#define CAPS		64

static void print_size(FILE *to, u64 size)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	unsigned int unit = 0;

	while (size >= 1024 && size % 1024 == 0 &&
	       unit + 1 < ARRAY_SIZE(units)) {
		size /= 1024;
		unit++;
	}
	fprintf(to, "%llu %s", (unsigned long long)size, units[unit]);
}

static void print_identity(const struct info *info, FILE *to)
{
	const struct pci_config *config = &info->config;

	fprintf(to, "%s  %s%s%s%s %04x:%04x\n", info->address,
		info->kind ? info->kind->name : "no card of ours",
		info->kind ? " (" : "", info->kind ? info->kind->chip : "",
		info->kind ? ")" : "", pci_config_get(config, 0, 2),
		pci_config_get(config, 2, 2));
	fprintf(to, "  board    %04x:%04x, revision %02x, class %06x\n",
		pci_config_get(config, NV_XVE_SUBSYSTEM, 2),
		pci_config_get(config, NV_XVE_SUBSYSTEM + 2, 2),
		pci_config_get(config, NV_XVE_REV_ID, 1),
		pci_config_get(config, NV_XVE_REV_ID, 4) >> 8);
}

static void print_bars(const struct info *info, FILE *to)
{
	for (int i = 0; i < PCI_BARS && info->has_bars; i++) {
		const struct pci_bar *bar = &info->bars[i];

		if (!bar->flags)
			continue;
		fprintf(to, "  BAR%d     ", i);
		if (!bar->size) {
			fprintf(to, "no address\n");
			continue;
		}
		print_size(to, bar->size);
		fprintf(to, " at %#llx, %s\n", (unsigned long long)bar->start,
			bar->flags & PCI_BAR_64 ? "64-bit" : "32-bit");
	}
}

static void print_caps(const struct info *info, FILE *to)
{
	struct pci_cap caps[CAPS];
	unsigned int n = pci_config_caps(&info->config, caps, CAPS);

	for (unsigned int i = 0; i < n; i++)
		fprintf(to, "  cap %03x  %s\n", caps[i].offset,
			pci_cap_name(&caps[i]));
}

static const char *generation(u32 speed)
{
	static const char *const names[] = {
		"?", "2.5", "5", "8", "16", "32", "64",
	};

	return speed < ARRAY_SIZE(names) ? names[speed] : "?";
}

static void print_link(const struct info *info, FILE *to)
{
	u32 cap = pci_config_cap(&info->config, 0x10);
	u32 can, does;

	if (!cap)
		return;
	can = pci_config_get(&info->config, cap + 0x0c, 4);
	does = pci_config_get(&info->config, cap + 0x12, 2);
	fprintf(to, "  link     %s GT/s, %u lanes (the card can %s GT/s, %u)\n",
		generation(does & 0xf), does >> 4 & 0x3f,
		generation(can & 0xf), can >> 4 & 0x3f);
}

static void print_driver(const struct info *info, FILE *to)
{
	fprintf(to, "  driver   %s\n", info->driver[0] ? info->driver :
		"none");
	if (info->group[0] && info->foreign)
		fprintf(to, "  group    %s, with %s, which has another "
			"driver\n", info->group, info->foreigner);
	else
		fprintf(to, "  group    %s\n", info->group[0] ? info->group :
			"none");
}

static void print_state(const struct info *info, FILE *to)
{
	u32 command = pci_config_get(&info->config, NV_XVE_DEV_CTRL, 2);

	fprintf(to, "  state    %s%smemory decoding %s, bus mastering %s\n",
		info->power, info->power[0] ? ", " : "",
		REG_GET(NV_XVE_DEV_CTRL_CMD_MEMORY_SPACE, command) ? "on" :
		"off", REG_GET(NV_XVE_DEV_CTRL_CMD_BUS_MASTER, command) ?
		"on" : "off");
	fprintf(to, "  reset    %s\n", info->reset_method[0] ?
		info->reset_method : "no method");
}

static const char *engine_name(u32 type)
{
	switch (type) {
	case NV_PTOP_DEVICE_INFO_TYPE_ENUM_GRAPHICS:
		return "graphics";
	case NV_PTOP_DEVICE_INFO_TYPE_ENUM_COPY0:
	case NV_PTOP_DEVICE_INFO_TYPE_ENUM_COPY1:
	case NV_PTOP_DEVICE_INFO_TYPE_ENUM_COPY2:
	case NV_PTOP_DEVICE_INFO_TYPE_ENUM_LCE:
		return "copy";
	case NV_PTOP_DEVICE_INFO_TYPE_ENUM_SEC:
		return "security";
	case NV_PTOP_DEVICE_INFO_TYPE_ENUM_NVENC:
	case NV_PTOP_DEVICE_INFO_TYPE_ENUM_NVENC1:
		return "video encoder";
	case NV_PTOP_DEVICE_INFO_TYPE_ENUM_NVDEC:
		return "video decoder";
	}
	return "engine";
}

/* Maxwell has a type for each copy engine, Pascal an instance. */
static int engine_number(const struct info_engine *engine)
{
	if (engine->type >= NV_PTOP_DEVICE_INFO_TYPE_ENUM_COPY0 &&
	    engine->type <= NV_PTOP_DEVICE_INFO_TYPE_ENUM_COPY2)
		return engine->type - NV_PTOP_DEVICE_INFO_TYPE_ENUM_COPY0;
	return engine->instance;
}

static void print_engine(const struct info_engine *engine, FILE *to)
{
	fprintf(to, "  engine   %s %d", engine_name(engine->type),
		engine_number(engine));
	if (engine->runlist >= 0)
		fprintf(to, ", runlist %d", engine->runlist);
	if (engine->reset_bit >= 0)
		fprintf(to, ", reset bit %d", engine->reset_bit);
	if (engine->intr_bit >= 0)
		fprintf(to, ", interrupt bit %d", engine->intr_bit);
	fprintf(to, "\n");
}

static void print_registers(const struct info *info, FILE *to)
{
	const struct info_registers *registers = &info->registers;

	if (!registers->read) {
		if (registers->error)
			fprintf(to, "  registers cannot be read: %s\n",
				strerror(-registers->error));
		return;
	}
	fprintf(to, "  BOOT_0   %08x\n", registers->boot_0);
	if (card_error_pattern(registers->boot_0))
		return;
	fprintf(to, "  POST     %s\n", registers->posted ? "done" :
		"not done");
	fprintf(to, "  time     %llu.%09llu s\n",
		(unsigned long long)(registers->time / NSEC_PER_SEC),
		(unsigned long long)(registers->time % NSEC_PER_SEC));
	if (registers->has_temperature)
		fprintf(to, "  sensor   %d.%02d degrees Celsius\n",
			registers->temperature / 32,
			registers->temperature % 32 * 100 / 32);
	else
		fprintf(to, "  sensor   off\n");
	for (unsigned int i = 0; i < registers->engines; i++)
		print_engine(&registers->engine[i], to);
}

static void print_way(const char *name, u32 against, FILE *to)
{
	fprintf(to, "  %-8s %s\n", name, against ? "no" : "yes");
	for (u32 i = 0; i < REASONS; i++) {
		const char *remedy = info_reason_remedy(i);

		if (!(against & BIT(i)))
			continue;
		fprintf(to, "             %s%s%s\n", info_reason_text(i),
			remedy[0] ? "\n               " : "", remedy);
	}
}

void info_print(const struct info *info, FILE *to)
{
	u32 reasons = info_reasons(info);

	print_identity(info, to);
	print_bars(info, to);
	/* Of a card that is gone the kernel still knows these. */
	if (reasons & BIT(NO_ANSWER) && !info->registers.read) {
		print_driver(info, to);
	} else {
		print_caps(info, to);
		print_link(info, to);
		print_driver(info, to);
		print_state(info, to);
	}
	print_registers(info, to);
	print_way("module", info_against(reasons, WAY_MODULE), to);
	print_way("vfio", info_against(reasons, WAY_VFIO), to);
	print_way("sysfs", info_against(reasons, WAY_SYSFS), to);
	if (reasons & BIT(RESET_AT_CLOSE))
		fprintf(to, "  mind     %s\n",
			info_reason_text(RESET_AT_CLOSE));
}
