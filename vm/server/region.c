/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Accesses to the card's regions, as a client makes them.
 *
 * The protocol knows ranges of bytes, the card knows what a processor can do:
 * 1, 2, 4 or 8 bytes, aligned.  A range is cut into the largest of these, as
 * a bridge would; QEMU reads configuration space in one go.  What a guest's
 * instruction did is one such access and stays one.
 */
#include <errno.h>
#include <string.h>

#include "vm/server/server.h"
#include "vm/spec/reg.h"

/* BAR0 mirrors configuration space from here [§3.3]. */
#define MIRROR	0x88000u

static const enum card_region regions[REGIONS] = {
	[0] = CARD_BAR0,
	[1] = CARD_BAR1,
	[3] = CARD_BAR3,
	[REGION_CONFIG] = CARD_CONFIG,
};

uint64_t region_size(const struct server *s, uint32_t index)
{
	switch (index) {
	case 0:
	case 1:
	case 3:
	case REGION_CONFIG:
		return card_region_size(s->card, regions[index]);
	default:
		return 0;
	}
}

int region_check(const struct server *s, const struct vu_access *access)
{
	uint64_t size = region_size(s, access->region);

	if (!access->count || access->count > size ||
	    access->offset > size - access->count)
		return -EINVAL;
	return 0;
}

/* The largest access at an offset, of what is left. */
static unsigned int piece(enum card_region region, uint64_t offset,
			  uint32_t left)
{
	unsigned int size = region == CARD_CONFIG ? 4 : 8;

	while (size > left || offset % size)
		size /= 2;
	return size;
}

void region_read(struct server *s, const struct vu_access *access,
		 uint8_t *to)
{
	enum card_region region = regions[access->region];
	uint64_t offset = access->offset, value;
	uint32_t left = access->count;

	s->report.reads[region]++;
	while (left) {
		unsigned int size = piece(region, offset, left);

		value = card_read(s->card, region, offset, size);
		memcpy(to, &value, size);
		to += size;
		offset += size;
		left -= size;
	}
}

/* Did the write meet the word that turns MSI on? */
static bool meets_msi(const struct vu_access *access)
{
	uint64_t at = NV_XVE_MSI_CTRL;

	if (access->region == 0)
		at += MIRROR;
	else if (access->region != REGION_CONFIG)
		return false;
	return access->offset < at + 4 &&
		access->offset + access->count > at;
}

/* USERD in BAR1, or the doorbell page of the additions [§12.2]. */
static bool is_doorbell(const struct vu_access *access)
{
	return access->region == 1 ||
		(access->region == 0 &&
		 access->offset == NV_USERMODE_NOTIFY_CHANNEL_PENDING);
}

/*
 * A function-level reset.  The three cards have none, as their capability
 * says [§3.1], and then the bit does nothing.
 */
static bool is_function_reset(struct server *s,
			      const struct vu_access *access)
{
	uint64_t at = NV_XVE_DEVICE_CONTROL_STATUS + 1;

	if (access->region != REGION_CONFIG || access->offset > at ||
	    access->offset + access->count <= at ||
	    !(access->data[at - access->offset] & 0x80))
		return false;
	return REG_GET(NV_XVE_DEVICE_CAPABILITY_FUNCTION_LEVEL_RESET,
		       (uint32_t)card_read(s->card, CARD_CONFIG,
					   NV_XVE_DEVICE_CAPABILITY, 4));
}

static void write_pieces(struct server *s, const struct vu_access *access)
{
	enum card_region region = regions[access->region];
	const uint8_t *from = access->data;
	uint64_t offset = access->offset;
	uint32_t left = access->count;

	while (left) {
		unsigned int size = piece(region, offset, left);
		uint64_t value = 0;

		memcpy(&value, from, size);
		card_write(s->card, region, offset, size, value);
		from += size;
		offset += size;
		left -= size;
	}
}

void region_write(struct server *s, const struct vu_access *access)
{
	s->report.writes[regions[access->region]]++;
	if (is_function_reset(s, access)) {
		server_reset_card(s);
		return;
	}
	if (access->count > 8 && access->region != REGION_CONFIG &&
	    access->offset % 4 == 0 && access->count % 4 == 0)
		card_write_burst(s->card, regions[access->region],
				 access->offset, access->data, access->count);
	else
		write_pieces(s, access);
	if (meets_msi(access))
		s->msi_stale = true;
	if (is_doorbell(access)) {
		s->bell_host = clock_host_ns();
		s->bell_card = card_now(s->card);
	}
}
