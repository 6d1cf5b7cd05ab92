/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What grade-unpack writes: a sequence of items, each this header, then the
 * path, then the data.  It runs in a box and its output is not trusted: every
 * length is checked against what is there.
 */
#ifndef GRADE_UNPACK_H
#define GRADE_UNPACK_H

#include <stdint.h>

#define UNPACK_FILE_MAX		(256u << 10)	/* of one .c or .h file	*/
#define UNPACK_TOTAL_MAX	(4u << 20)	/* of all of them	*/
#define UNPACK_ENTRIES_MAX	10000u
#define UNPACK_BYTES_MAX	(256ull << 20)	/* of the whole archive	*/
#define UNPACK_NOTES_MAX	200u		/* ignored and named	*/
#define UNPACK_PATH_MAX		1024u

enum unpack_kind {
	UNPACK_FILE,	/* path, data: its contents			*/
	UNPACK_IGNORED,	/* path, data: why				*/
	UNPACK_BROKEN,	/* data: why the archive is unusable; the last	*/
	UNPACK_END,	/* all was read; the last			*/
};

struct unpack_item {
	uint32_t kind, path, data;
};

#endif
