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

static long raw(long number, long a, long b, long c, long d)
{
	raw_call call = raw_find();

	return call ? call(number, a, b, c, d, 0L, 0L) : -1;
}

static void leak(const char *what)
{
	printf("LEAK %s\n", what);
	fflush(stdout);
}
