/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Looks for the test's name where a process is told things: arguments and
 * environment, on the stack and in /proc.  And takes the seed from the link,
 * where it is: who knows it knows all that will be asked, and still has to
 * do it.
 */
#include "gadget.h"
#define ON_CREATE(vas)	attack()
static void attack(void);
#include "base.h"

static void look(const char *from, long size)
{
	static const char *const names[] = {
		"pages_come_and_go", "first_page", "hidden/"
	};

	for (long i = 0; i + 20 < size; i++) {
		for (int n = 0; n < 3; n++)
			if (!memcmp(from + i, names[n], strlen(names[n])))
				leak(names[n]);
	}
}

/* A futex that nobody waits for tells whether there is memory. */
static bool is_mapped(char *page)
{
	static const long no_time[2];

	return raw(202, (long)page, 128, 0x600d, (long)no_time) != -1 ||
		errno != EFAULT;
}

static void attack(void)
{
	static const char *const paths[] = {
		"/proc/self/cmdline", "/proc/self/environ", "/proc/self/maps",
		"/proc/self/stat", "/proc/self/fd/3", "/proc/self/auxv"
	};
	static char text[4096];
	char *link = link_again(), *page = (char *)((long)&link & ~4095l);

	for (int i = 0; i < 6; i++) {
		long fd = raw(257, -100, (long)paths[i], 0, 0);

		look(text, fd < 0 ? 0 : raw(0, fd, (long)text, 4096, 0));
	}
	for (int i = 0; i < 64 && is_mapped(page + 4096 * i); i++)
		look(page + 4096 * i, 4096);
	if (link)
		printf("seed %llx\n", *(unsigned long long *)
		       (link + LINK_PAYLOAD + 16));
}
