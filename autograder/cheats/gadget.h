/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * System calls without naming any: the C library's syscall() is found in the
 * program's own code by its bytes and called through a pointer.  No check of
 * symbols can see that; what it can do then is the box's affair.
 *
 * leak() says that something forbidden worked; test-cheats looks for it.
 */
#include <stdio.h>
#include <string.h>

#include "layout.h"	/* of the link, by test-cheats */

typedef long (*raw_call)(long number, ...);

static raw_call raw_find(void)
{
	/* mov %rdi,%rax; mov %rsi,%rdi; mov %rdx,%rsi; mov %rcx,%rdx */
	static const unsigned char code[] = {
		0x48, 0x89, 0xf8, 0x48, 0x89, 0xf7, 0x48, 0x89, 0xd6, 0x48,
		0x89, 0xca, 0x4d, 0x89, 0xc2, 0x4d, 0x89, 0xc8
	};
	static raw_call found;
	/* the text segment lies around any library function */
	const char *middle = (const char *)(unsigned long)&strerror;

	for (long step = 0; !found && step < 400000; step++) {
		if (!memcmp(middle + step, code, sizeof(code)))
			found = (raw_call)(unsigned long)(middle + step);
	}
	if (!found)
		printf("NO GADGET\n");
	return found;
}

static long raw6(long number, long a, long b, long c, long d, long e, long f)
{
	raw_call call = raw_find();

	return call ? call(number, a, b, c, d, e, f) : -1;
}

static long raw(long number, long a, long b, long c, long d)
{
	return raw6(number, a, b, c, d, 0, 0);
}

static void leak(const char *what)
{
	printf("LEAK %s\n", what);
	fflush(stdout);
}

/* The link once more, where the runtime's checks do not look; or NULL. */
static char *link_again(void)
{
	char *link = (char *)raw6(9, 0, LINK_SIZE, 3, 1, 3, 0);

	return (long)link > -4096 && (long)link < 0 ? NULL : link;
}
