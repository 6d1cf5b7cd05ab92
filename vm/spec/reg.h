/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * How the register tables are read [§1.3].
 *
 * Every table vm/spec/NAME.def is a list of REG, REGS and FIELD lines in the
 * notation of NVIDIA's manuals.  Driver, model, judge, tests, manual and
 * slides all include the same tables; nobody writes an offset twice.
 *
 *   REG  (name, offset, access, reset, chips, "what it is", "source")
 *   REGS (name, offset, stride, count, access, reset, chips, "…", "source")
 *   FIELD(name of its register, name, hi:lo, "what it is")
 *   VALUE(name of its field, name, number, "what it means")
 *
 * A table of structures in memory (USERD, RAMFC, page tables) or of methods
 * uses the same lines: the offset is then a byte offset or a method address.
 *
 * access: RO  reads only; a write is dropped and reported
 *         RW  plain
 *         W1C write 1 clears the bit
 *         WO  writes only; reads as zero
 *         SET, CLR  write 1 sets / clears bits of the register it names in
 *         its text; reads as zero
 *         MEM a word in memory, no access rule of its own
 * chips:  ALL, GM200, GP100, GP102, PASCAL (GP100 and GP102)
 */
#ifndef SPEC_REG_H
#define SPEC_REG_H

/*
 * A field is one integer: its lowest bit, and its width above that.  The
 * manual writes hi:lo.  (1 ? 28:24) is 28 and (0 ? 28:24) is 24, so the
 * tables can keep the manual's notation.  Bits may count past 31 in
 * structures that are wider than one word.
 */
#define FIELD_LO(range)	(0 ? range)
#define FIELD_HI(range)	(1 ? range)
#define FIELD_MAKE(range) \
	(FIELD_LO(range) | (FIELD_HI(range) - FIELD_LO(range) + 1) << 8)

/* The lowest bit of a field, its width in bits, its largest value. */
#define REG_FIELD_LO(field)	((unsigned int)(field) & 0xff)
#define REG_FIELD_WIDTH(field)	((unsigned int)(field) >> 8)
#define REG_FIELD_MAX(field) \
	(~0ULL >> (64 - REG_FIELD_WIDTH(field)))
/* The field's bits, in place, in the word that holds it. */
#define REG_FIELD_MASK(field) \
	(REG_FIELD_MAX(field) << REG_FIELD_LO(field))

/* Take a field out of a word; the word may be 32 or 64 bits. */
#define REG_GET(field, word) \
	(((unsigned long long)(word) >> REG_FIELD_LO(field)) & \
	 REG_FIELD_MAX(field))

/*
 * Put a value into a field's place.  A constant that does not fit is a build
 * error; a variable is cut to the field, as the wires would.
 */
#define REG_SET(field, value) \
	(((unsigned long long)(value) & REG_FIELD_MAX(field)) \
	 << REG_FIELD_LO(field))
#define REG_VAL(field, constant) \
	(REG_SET(field, constant) + \
	 0 * sizeof(char[((constant) > REG_FIELD_MAX(field)) ? -1 : 1]))

/* The i-th register of a REGS line. */
#define REG_AT(name, i)	((name) + (i) * name##__STRIDE)

/* The chips a register exists on, as bits. */
enum reg_chips {
	REG_GM200 = 1,
	REG_GP100 = 2,
	REG_GP102 = 4,
	REG_PASCAL = REG_GP100 | REG_GP102,
	REG_ALL = REG_GM200 | REG_PASCAL,
};

/* Access kinds, as the tables write them. */
enum reg_access {
	REG_RO,
	REG_RW,
	REG_W1C,
	REG_WO,
	REG_SET_OTHER,
	REG_CLR_OTHER,
	REG_MEM,
};

/* One line of a table, for code that walks it (model, trace, tests). */
struct reg_desc {
	const char *name;
	unsigned int offset, stride, count;
	enum reg_access access;
	unsigned int reset;
	unsigned int chips;
	const char *doc, *source;
};

/* One FIELD line. */
struct reg_field_desc {
	const char *reg, *name;
	unsigned int field;	/* FIELD_MAKE(hi:lo) */
	const char *doc;
};

/* All offsets, fields and values of all tables, as enumerators. */
#define REG(name, offset, access, reset, chips, doc, source) \
	name = (offset), name##__STRIDE = 0, name##__SIZE_1 = 1,
#define REGS(name, offset, stride, count, access, reset, chips, doc, source) \
	name = (offset), name##__STRIDE = (stride), name##__SIZE_1 = (count),
#define FIELD(reg, name, range, doc)	name = FIELD_MAKE(range),
#define VALUE(field, name, value, doc)	name = (value),
enum reg_name {
#include "all.def"
};
#undef REG
#undef REGS
#undef FIELD
#undef VALUE

#endif
