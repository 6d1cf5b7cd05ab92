/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The table of names in an agent's binary: the runtime reads it, the
 * compile step fills it in. */
#ifndef RUNTIME_SYMBOLS_H
#define RUNTIME_SYMBOLS_H

#include <stdint.h>

#define RT_SYMBOLS_MAGIC	0x736d7973u
#define RT_SYMBOLS		1024u
#define RT_SYMBOL_NAMES		(32u << 10)
#define RT_LINES		16384u

struct rt_symbols {
	uint32_t magic, count;
	struct rt_symbol {
		uint64_t addr, size;
		uint32_t name;		/* offset in names		*/
		uint32_t data;		/* 1: a variable		*/
	} entry[RT_SYMBOLS];
	/* Source lines of the submission's code, by address. */
	uint32_t lines;
	struct rt_line {
		uint32_t addr;
		uint16_t line, file;	/* offset in names		*/
	} line[RT_LINES];
	char names[RT_SYMBOL_NAMES];
};

#endif
