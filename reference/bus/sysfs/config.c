/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Walking the two lists of capabilities.
 *
 * A card that is broken or lost may close a list to a ring: each walk is
 * bounded by how many there can be.
 */
#include "config.h"

#define STATUS		0x06u
#define STATUS_CAPS	0x10u
#define FIRST		0x34u
#define CAPS_MAX	48u		/* of 4 bytes, from 0x40 to 0xff */
#define EXT_FIRST	0x100u
#define EXT_MAX		480u		/* of 8 bytes			*/

u32 pci_config_get(const struct pci_config *config, u32 offset,
		   unsigned int size)
{
	u32 value = 0;

	if (offset > config->size || size > config->size - offset)
		return ~0u >> (32 - 8 * size);
	memcpy(&value, config->bytes + offset, size);
	return value;
}

static unsigned int caps_plain(const struct pci_config *config,
			       struct pci_cap *caps, unsigned int max)
{
	unsigned int n = 0;
	u32 at;

	if (config->size <= 64 ||
	    !(pci_config_get(config, STATUS, 2) & STATUS_CAPS))
		return 0;
	at = pci_config_get(config, FIRST, 1) & 0xfc;
	for (u32 i = 0; i < CAPS_MAX && at >= 0x40 && n < max; i++) {
		u32 id = pci_config_get(config, at, 1);

		if (id == 0xff)
			break;
		caps[n++] = (struct pci_cap){ .offset = at, .id = id };
		at = pci_config_get(config, at + 1, 1) & 0xfc;
	}
	return n;
}

static unsigned int caps_extended(const struct pci_config *config,
				  struct pci_cap *caps, unsigned int max)
{
	unsigned int n = 0;
	u32 at = EXT_FIRST;

	for (u32 i = 0; i < EXT_MAX && at >= EXT_FIRST && n < max; i++) {
		u32 header = pci_config_get(config, at, 4);

		if (header == 0 || header == 0xffffffff)
			break;
		caps[n++] = (struct pci_cap){
			.offset = at, .id = header & 0xffff,
			.version = header >> 16 & 0xf, .extended = true,
		};
		at = header >> 20 & 0xffc;
	}
	return n;
}

unsigned int pci_config_caps(const struct pci_config *config,
			     struct pci_cap *caps, unsigned int max)
{
	unsigned int n = caps_plain(config, caps, max);

	return n + caps_extended(config, caps + n, max - n);
}

u32 pci_config_cap(const struct pci_config *config, u8 id)
{
	struct pci_cap caps[CAPS_MAX];
	unsigned int n = caps_plain(config, caps, CAPS_MAX);

	for (unsigned int i = 0; i < n; i++) {
		if (caps[i].id == id)
			return caps[i].offset;
	}
	return 0;
}

const char *pci_cap_name(const struct pci_cap *cap)
{
	static const struct {
		u16 id;
		bool extended;
		const char *name;
	} names[] = {
		{ 0x01, false, "power management" },
		{ 0x05, false, "MSI" },
		{ 0x09, false, "vendor specific" },
		{ 0x10, false, "PCI Express" },
		{ 0x11, false, "MSI-X" },
		{ 0x01, true, "advanced error reporting" },
		{ 0x02, true, "virtual channel" },
		{ 0x04, true, "power budgeting" },
		{ 0x0b, true, "vendor specific" },
		{ 0x0d, true, "access control" },
		{ 0x0f, true, "address translation" },
		{ 0x10, true, "SR-IOV" },
		{ 0x18, true, "latency tolerance" },
		{ 0x19, true, "secondary PCI Express" },
		{ 0x1e, true, "L1 substates" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (names[i].id == cap->id &&
		    names[i].extended == cap->extended)
			return names[i].name;
	}
	return "?";
}
