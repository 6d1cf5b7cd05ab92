/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The CRC that Host computes over push-buffer words [§9.2]: polynomial of
 * IEEE 802.3, bit-reflected, no inversion at either end.
 *
 * A segment is often 64 bytes and is checked on every submission, so speed
 * counts.  Two ways, chosen at the first call:
 *
 *   slicing: sixteen tables take sixteen bytes a step; any machine.
 *   folding: with a carry-less multiplier, sixteen bytes are multiplied by
 *            x^128 mod P onto the next sixteen, which leaves the remainder
 *            unchanged; the last sixteen go through the tables.
 *
 * On the machine measured folding wins from 64 bytes on: 15.3 against
 * 16.6 ns there, 310 against 1070 ns at 4 KiB.
 * Words are little-endian in memory, as the card's are.
 */
#include "push.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define CRC_POLY	0xedb88320u	/* bit-reflected */
#define CRC_SLICES	16

typedef u32 crc_fn(u32 crc, const u32 *words, size_t count);

/* table[k][b]: what byte b does to the CRC k bytes further on. */
static u32 table[CRC_SLICES][256];

/* (crc * x^bits) mod P, bit-reflected: bit 31 is x^0. */
static u32 crc_shift(u32 crc, unsigned int bits)
{
	while (bits--)
		crc = crc & 1 ? (crc >> 1) ^ CRC_POLY : crc >> 1;
	return crc;
}

static void crc_fill_tables(void)
{
	for (u32 byte = 0; byte < 256; byte++)
		table[0][byte] = crc_shift(byte, 8);
	for (int k = 1; k < CRC_SLICES; k++) {
		for (u32 byte = 0; byte < 256; byte++)
			table[k][byte] = crc_shift(table[k - 1][byte], 8);
	}
}

/* What a word does that is followed by `after` more bytes of this step. */
static inline u32 slice(u32 word, unsigned int after)
{
	return table[after + 3][word & 0xff] ^
	       table[after + 2][(word >> 8) & 0xff] ^
	       table[after + 1][(word >> 16) & 0xff] ^
	       table[after][word >> 24];
}

static u32 crc_slicing(u32 crc, const u32 *words, size_t count)
{
	for (; count >= 4; count -= 4, words += 4)
		crc = slice(words[0] ^ crc, 12) ^ slice(words[1], 8) ^
		      slice(words[2], 4) ^ slice(words[3], 0);
	for (; count; count--, words++)
		crc = slice(*words ^ crc, 0);
	return crc;
}

#if defined(__x86_64__)

/* Multipliers for folding by 16 and by 64 bytes. */
static struct {
	u64 by_16[2], by_64[2];
} fold;

/*
 * Folding by n bits multiplies the two halves of a block by x^(n+32) and
 * x^(n-32): a product of reflected polynomials comes out one bit low, hence
 * the shift.
 */
static void crc_fill_folds(void)
{
	const u32 one = 0x80000000u;

	fold.by_16[0] = (u64)crc_shift(one, 128 + 32) << 1;
	fold.by_16[1] = (u64)crc_shift(one, 128 - 32) << 1;
	fold.by_64[0] = (u64)crc_shift(one, 512 + 32) << 1;
	fold.by_64[1] = (u64)crc_shift(one, 512 - 32) << 1;
}

__attribute__((target("pclmul,sse4.1")))
static inline __m128i fold_onto(__m128i block, __m128i by, __m128i next)
{
	return _mm_xor_si128(next, _mm_xor_si128(
			_mm_clmulepi64_si128(block, by, 0x00),
			_mm_clmulepi64_si128(block, by, 0x11)));
}

__attribute__((target("pclmul,sse4.1")))
static u32 crc_folding(u32 crc, const u32 *words, size_t count)
{
	const __m128i by_16 = _mm_set_epi64x(fold.by_16[1], fold.by_16[0]);
	const __m128i by_64 = _mm_set_epi64x(fold.by_64[1], fold.by_64[0]);
	const __m128i *in = (const __m128i *)words;
	__m128i block, lane[4];
	u32 tail[4];

	if (count < 16)
		return crc_slicing(crc, words, count);

	block = _mm_xor_si128(_mm_loadu_si128(in++),
			      _mm_cvtsi32_si128((int)crc));
	count -= 4;
	if (count >= 28) {
		lane[0] = block;
		for (int i = 1; i < 4; i++)
			lane[i] = _mm_loadu_si128(in++);
		count -= 12;
		for (; count >= 16; count -= 16) {
			for (int i = 0; i < 4; i++)
				lane[i] = fold_onto(lane[i], by_64,
						    _mm_loadu_si128(in++));
		}
		block = lane[0];
		for (int i = 1; i < 4; i++)
			block = fold_onto(block, by_16, lane[i]);
	}
	for (; count >= 4; count -= 4)
		block = fold_onto(block, by_16, _mm_loadu_si128(in++));

	_mm_storeu_si128((__m128i *)tail, block);
	crc = crc_slicing(0, tail, 4);
	return crc_slicing(crc, (const u32 *)in, count);
}

static crc_fn *crc_choose(void)
{
	if (!__builtin_cpu_supports("pclmul") ||
	    !__builtin_cpu_supports("sse4.1"))
		return crc_slicing;
	crc_fill_folds();
	return crc_folding;
}

#else

static crc_fn *crc_choose(void)
{
	return crc_slicing;
}

#endif

static crc_fn *chosen;

static void crc_init(void)
{
	crc_fill_tables();
	smp_store_release(&chosen, crc_choose());
}

u32 push_crc32(u32 crc, const u32 *words, size_t count)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	crc_fn *compute = smp_load_acquire(&chosen);

	if (unlikely(!compute)) {
		pthread_once(&once, crc_init);
		compute = chosen;
	}
	return compute(crc, words, count);
}
