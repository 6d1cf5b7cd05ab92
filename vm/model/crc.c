/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * CRC-32 as Host computes it [§9.2]: the IEEE 802.3 polynomial, bits
 * reflected, start value 0, no final inversion.
 *
 * Two implementations give the same result.  The portable one looks up eight
 * bytes at a time: table[k][b] is the CRC of byte b followed by k zero bytes,
 * and the CRC of eight bytes is the exclusive or of eight such terms.  The
 * other one multiplies polynomials without carry.  A block of 128 bits that
 * lies d bits before the end contributes block * x^d, and x^d may be taken
 * modulo the polynomial beforehand; so four accumulators walk the message
 * 64 bytes at a time, are folded into one, then into 64 bits, and a Barrett
 * reduction (a multiplication by the polynomial's inverse) leaves 32.
 */
#include "vm/model/crc.h"

#include <stdbool.h>
#include <string.h>

#define POLYNOMIAL	0xedb88320u	/* reflected, without x^32 */
#define MSB_FIRST	0x04c11db7u	/* the same, not reflected */

static uint32_t update_tables(const struct card_crc *crc, uint32_t value,
			      const void *data, size_t len)
{
	const uint8_t *byte = data;
	const uint32_t (*t)[256] = crc->table;
	uint32_t low, high;

	for (; len >= 8; len -= 8, byte += 8) {
		memcpy(&low, byte, 4);
		memcpy(&high, byte + 4, 4);
		low ^= value;
		value = t[7][low & 0xff] ^ t[6][low >> 8 & 0xff] ^
			t[5][low >> 16 & 0xff] ^ t[4][low >> 24] ^
			t[3][high & 0xff] ^ t[2][high >> 8 & 0xff] ^
			t[1][high >> 16 & 0xff] ^ t[0][high >> 24];
	}
	while (len--)
		value = value >> 8 ^ t[0][(value ^ *byte++) & 0xff];
	return value;
}

static void fill_tables(struct card_crc *crc)
{
	unsigned int b, k, bit;

	for (b = 0; b < 256; b++) {
		uint32_t value = b;

		for (bit = 0; bit < 8; bit++)
			value = value >> 1 ^ (POLYNOMIAL & -(value & 1));
		crc->table[0][b] = value;

		value = b << 24;
		for (bit = 0; bit < 8; bit++)
			value = value << 1 ^ (MSB_FIRST & -(value >> 31));
		crc->msb_first[0][b] = value;
	}
	for (k = 1; k < 8; k++) {
		for (b = 0; b < 256; b++) {
			uint32_t value = crc->table[k - 1][b];

			crc->table[k][b] =
				value >> 8 ^ crc->table[0][value & 0xff];
		}
	}
	for (k = 1; k < 12; k++) {
		for (b = 0; b < 256; b++) {
			uint32_t value = crc->msb_first[k - 1][b];

			crc->msb_first[k][b] =
				value << 8 ^ crc->msb_first[0][value >> 24];
		}
	}
}

static inline uint32_t four(const uint32_t (*t)[256], uint32_t value)
{
	return t[3][value >> 24] ^ t[2][value >> 16 & 0xff] ^
	       t[1][value >> 8 & 0xff] ^ t[0][value & 0xff];
}

uint32_t card_crc_methods(const struct card_crc *crc, uint32_t value,
			  uint32_t subchannel, uint32_t method,
			  const uint32_t *data, uint32_t count)
{
	const uint32_t (*t)[256] = crc->msb_first;
	uint32_t where = method >> 2 | subchannel << 12;
	/* what the address adds, and the address before it */
	uint32_t last = t[1][where & 0xff] ^ t[0][where >> 8];
	uint32_t both = t[7][where & 0xff] ^ t[6][where >> 8] ^ last;

	for (; count >= 2; count -= 2, data += 2)
		value = four(t + 8, value ^ __builtin_bswap32(data[0])) ^
			four(t + 2, __builtin_bswap32(data[1])) ^ both;
	if (count)
		value = four(t + 2, value ^ __builtin_bswap32(data[0])) ^
			last;
	return value;
}

void card_crc_init_portable(struct card_crc *crc)
{
	fill_tables(crc);
	crc->update = update_tables;
}

#ifdef __x86_64__

#include <immintrin.h>

#define CLMUL	__attribute__((target("pclmul,sse4.1")))

/*
 * x^d modulo the polynomial, reflected, and shifted by one because the
 * product of two reflected polynomials comes out one bit low.
 */
#define X_544	0x154442bd4	/* d = 4 * 128 + 32 */
#define X_480	0x1c6e41596	/* d = 4 * 128 - 32 */
#define X_160	0x1751997d0	/* d = 128 + 32 */
#define X_96	0x0ccaa009e	/* d = 128 - 32 */
#define X_64	0x163cd6124	/* d = 64 */
#define FULL	0x1db710641	/* the polynomial with x^32 */
#define INVERSE	0x1f7011641	/* x^64 divided by it */

/* Move a block forward by the distance that constant stands for. */
CLMUL static inline __m128i fold(__m128i block, __m128i constant,
				 __m128i next)
{
	__m128i low = _mm_clmulepi64_si128(block, constant, 0x00);
	__m128i high = _mm_clmulepi64_si128(block, constant, 0x11);

	return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

CLMUL static inline uint32_t reduce(__m128i x)
{
	const __m128i by_96 = _mm_set_epi64x(X_96, X_160);
	const __m128i by_64 = _mm_set_epi64x(0, X_64);
	const __m128i barrett = _mm_set_epi64x(INVERSE, FULL);
	const __m128i low_32 = _mm_set_epi32(0, 0, 0, -1);
	__m128i quotient;

	/* 128 bits to 96, to 64 */
	x = _mm_xor_si128(_mm_clmulepi64_si128(x, by_96, 0x10),
			  _mm_srli_si128(x, 8));
	x = _mm_xor_si128(_mm_clmulepi64_si128(_mm_and_si128(x, low_32),
					       by_64, 0x00),
			  _mm_srli_si128(x, 4));
	/* to 32 */
	quotient = _mm_clmulepi64_si128(_mm_and_si128(x, low_32), barrett,
					0x10);
	quotient = _mm_clmulepi64_si128(_mm_and_si128(quotient, low_32),
					barrett, 0x00);
	return _mm_extract_epi32(_mm_xor_si128(x, quotient), 1);
}

CLMUL static uint32_t update_clmul(const struct card_crc *crc, uint32_t value,
				   const void *data, size_t len)
{
	const __m128i by_128 = _mm_set_epi64x(X_96, X_160);
	const __m128i by_512 = _mm_set_epi64x(X_480, X_544);
	const __m128i *block = data;
	__m128i a, b, c, d;

	/* measured: below this the tables are faster */
	if (len < 32)
		return update_tables(crc, value, data, len);

	a = _mm_xor_si128(_mm_loadu_si128(block++),
			  _mm_cvtsi32_si128((int)value));
	len -= 16;
	if (len >= 48) {
		b = _mm_loadu_si128(block++);
		c = _mm_loadu_si128(block++);
		d = _mm_loadu_si128(block++);
		for (len -= 48; len >= 64; len -= 64, block += 4) {
			a = fold(a, by_512, _mm_loadu_si128(block));
			b = fold(b, by_512, _mm_loadu_si128(block + 1));
			c = fold(c, by_512, _mm_loadu_si128(block + 2));
			d = fold(d, by_512, _mm_loadu_si128(block + 3));
		}
		a = fold(a, by_128, b);
		a = fold(a, by_128, c);
		a = fold(a, by_128, d);
	}
	for (; len >= 16; len -= 16)
		a = fold(a, by_128, _mm_loadu_si128(block++));
	return update_tables(crc, reduce(a), block, len);
}

static bool have_clmul(void)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("pclmul") &&
	       __builtin_cpu_supports("sse4.1");
}

#endif

void card_crc_init(struct card_crc *crc)
{
	card_crc_init_portable(crc);
#ifdef __x86_64__
	if (have_clmul())
		crc->update = update_clmul;
#endif
}
