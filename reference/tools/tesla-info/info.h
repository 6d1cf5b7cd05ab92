/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What there is to know of a card without touching it, and what follows from
 * it: gathered (gather.c, registers.c), judged (verdict.c), printed (print.c).
 */
#ifndef TESLA_INFO_H
#define TESLA_INFO_H

#include <stdio.h>

#include "gpu_bus.h"
#include "reference/bus/sysfs/cards.h"
#include "reference/bus/sysfs/config.h"
#include "reference/bus/sysfs/device.h"

#define INFO_ENGINES	32

/* An engine as PTOP lists it [§5.5]; -1: it does not say. */
struct info_engine {
	unsigned int type;
	int instance, runlist, reset_bit, intr_bit;
};

/* What the registers say; read from, never written. */
struct info_registers {
	bool read;		/* else: why, and nothing below		*/
	int error;		/* of opening the way to them		*/
	u32 boot_0;
	bool posted;
	bool has_temperature;
	int temperature;	/* 1/32 degrees Celsius			*/
	u64 time;		/* PTIMER, ns				*/
	unsigned int engines;
	struct info_engine engine[INFO_ENGINES];
};

struct info {
	char address[PCI_ADDRESS];
	struct pci_config config;
	const struct card_kind *kind;		/* by device id, or NULL */
	struct pci_bar bars[PCI_BARS];
	bool has_bars;
	char driver[32];			/* or ""		*/
	char group[16];				/* or ""		*/
	unsigned int foreign;	/* of its group, with drivers that are not
				 * vfio-pci and not a bridge's		*/
	char foreigner[PCI_ADDRESS];		/* … one of them	*/
	bool has_iommu;				/* the machine, any	*/
	char power[16];				/* "D0", or ""		*/
	char reset_method[64];			/* or ""		*/
	bool has_bridge;
	struct info_registers registers;
};

/*
 * Everything, by way of sysfs.  What cannot be read is left empty.  0;
 * -EINVAL: no address; -ENODEV: no such device.
 */
int info_gather(const char *sysfs, const char *address, struct info *info);
/* Registers by the bus's own reads; nothing but reads. */
void info_registers(struct gpu_bus *bus, struct info_registers *registers);
/* May the registers of a card in this state be read at all? */
bool info_may_read(const struct info *info);

/* Ways in which a driver of the course may reach a card. */
enum info_way { WAY_MODULE, WAY_VFIO, WAY_SYSFS, WAYS };

/* Why one will not, or what is to be minded: reasons.def. */
enum info_reason {
#define REASON(name, ways, text, remedy)	name,
#include "reasons.def"
#undef REASON
	REASONS
};

/* A bit for each reason that holds. */
u32 info_reasons(const struct info *info);
/* Those of them that stand in a way's way. */
u32 info_against(u32 reasons, enum info_way way);
const char *info_reason_text(enum info_reason reason);
const char *info_reason_remedy(enum info_reason reason);

void info_print(const struct info *info, FILE *to);

#endif
