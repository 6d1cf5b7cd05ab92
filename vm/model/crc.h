/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Host's CRC over GP entries, segments and methods [§9.2]. */
#ifndef MODEL_CRC_H
#define MODEL_CRC_H

#include <stddef.h>
#include <stdint.h>

struct card_crc {
	uint32_t (*update)(const struct card_crc *crc, uint32_t value,
			   const void *data, size_t len);
	uint32_t table[8][256];
	uint32_t msb_first[12][256];	/* for the method CRC */
};

/* Choose the fastest implementation this processor has. */
void card_crc_init(struct card_crc *crc);
/* The table-driven one, whatever the processor has. */
void card_crc_init_portable(struct card_crc *crc);

static inline uint32_t card_crc_update(const struct card_crc *crc,
				       uint32_t value, const void *data,
				       size_t len)
{
	return crc->update(crc, value, data, len);
}

/*
 * A method in the method CRC: its six bytes are the data, then address and
 * subchannel.  This CRC alone takes the bits of a byte most significant
 * first [§9.4].
 */
static inline uint32_t card_crc_method(const struct card_crc *crc,
				       uint32_t value, uint32_t subchannel,
				       uint32_t method, uint32_t data)
{
	const uint32_t (*t)[256] = crc->msb_first;
	uint32_t where = method >> 2 | subchannel << 12;

	value ^= __builtin_bswap32(data);
	return t[5][value >> 24] ^ t[4][value >> 16 & 0xff] ^
	       t[3][value >> 8 & 0xff] ^ t[2][value & 0xff] ^
	       t[1][where & 0xff] ^ t[0][where >> 8];
}

/*
 * Many methods to one address.  Two at a time: the CRC is linear, so the
 * second's data need not wait for the first's CRC.
 */
uint32_t card_crc_methods(const struct card_crc *crc, uint32_t value,
			  uint32_t subchannel, uint32_t method,
			  const uint32_t *data, uint32_t count);

#endif
