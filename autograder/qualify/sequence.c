/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A command's number, from the CRC that the card computed over it.
 *
 * Every data word of a command is its number, exclusive-or a constant of its
 * place.  A CRC is linear: with everything else fixed, the CRC of a command
 * is base ^ M * number, M being a matrix of 32 by 32 bits; and no two numbers
 * share a CRC.  So the observer multiplies by M's inverse, four table look-ups,
 * and knows which command it was that Host fetched and checked, without a look
 * at memory, where the driver may have written something else by then.
 */
#include <errno.h>
#include <string.h>

#include "autograder/qualify/qualify.h"
#include "vm/model/crc.h"

void sequence_fill(uint32_t words[QUALIFY_WORDS], uint32_t number)
{
	unsigned int i;

	for (i = 1; i < QUALIFY_WORDS; i++)
		words[i] = number ^ i * 0x9e3779b9u;
}

static uint32_t crc_of(const struct card_crc *crc, uint32_t header,
		       uint32_t number)
{
	uint32_t words[QUALIFY_WORDS] = { header };

	sequence_fill(words, number);
	return crc->update(crc, 0, words, sizeof(words));
}

/*
 * Gauss and Jordan: what turns each column into a unit vector turns the
 * number behind it into a column of the inverse.
 */
static int invert(uint32_t column[32], uint32_t number[32])
{
	unsigned int bit, i;
	uint32_t swap;

	for (bit = 0; bit < 32; bit++) {
		for (i = bit; i < 32 && !(column[i] >> bit & 1); i++)
			;
		if (i == 32)
			return -EINVAL;
		swap = column[i], column[i] = column[bit], column[bit] = swap;
		swap = number[i], number[i] = number[bit], number[bit] = swap;
		for (i = 0; i < 32; i++) {
			if (i != bit && column[i] >> bit & 1) {
				column[i] ^= column[bit];
				number[i] ^= number[bit];
			}
		}
	}
	return 0;
}

int sequence_init(struct sequence *sequence, uint32_t header)
{
	uint32_t column[32], number[32];
	struct card_crc crc;
	unsigned int i, byte, bit;

	memset(sequence, 0, sizeof(*sequence));
	card_crc_init(&crc);
	sequence->base = crc_of(&crc, header, 0);
	for (i = 0; i < 32; i++) {
		number[i] = 1u << i;
		column[i] = crc_of(&crc, header, number[i]) ^ sequence->base;
	}
	if (invert(column, number))
		return -EINVAL;
	for (i = 0; i < 4; i++) {
		for (byte = 0; byte < 256; byte++) {
			for (bit = 0; bit < 8; bit++) {
				if (byte >> bit & 1)
					sequence->inverse[i][byte] ^=
						number[8 * i + bit];
			}
		}
	}
	return 0;
}
