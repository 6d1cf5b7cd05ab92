/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A program of 32 bits, without a library: are the calls the same for it?
 *
 * The structures have no pointer and no hidden padding, so a kernel of 64 bits
 * takes them as they are, if its compat_ioctl() lets it.  This asserts the
 * sizes at compile time, as 32 bits see them, and at run time asks for the
 * card, for memory, looks at it through a view, maps and frees it.
 *
 * Exit status: 0, or the number of the step that failed.
 */
#include "uapi/tesla.h"

#define SIZE_IS(name, size) \
	_Static_assert(sizeof(struct tesla_##name) == (size), #name)
SIZE_IS(get_info, 48);
SIZE_IS(mem_alloc, 40);
SIZE_IS(handle, 8);
SIZE_IS(space_create, 24);
SIZE_IS(space_map, 40);
SIZE_IS(space_unmap, 24);
SIZE_IS(chan_create, 40);
SIZE_IS(chan_start, 8);
SIZE_IS(event_add, 32);
SIZE_IS(irq_stats, 56);

#define NR_EXIT		1
#define NR_OPEN		5
#define NR_IOCTL	54
#define NR_MUNMAP	91
#define NR_MMAP2	192

#define RDWR		2
#define PROT_BOTH	3
#define SHARED		1
#define PAGE_SHIFT	12

static long ask(long number, long a, long b, long c, long d, long e, long f)
{
	const long pair[2] = { number, f };
	long result;

	/* ebp is the compiler's, perhaps: it is put aside. */
	__asm__ __volatile__("push %%ebp\n\t"
			     "mov 4(%%eax), %%ebp\n\t"
			     "mov (%%eax), %%eax\n\t"
			     "int $0x80\n\t"
			     "pop %%ebp"
			     : "=a" (result)
			     : "0" (pair), "b" (a), "c" (b), "d" (c),
			       "S" (d), "D" (e)
			     : "memory");
	return result;
}

static long call(int fd, unsigned int number, void *arg)
{
	return ask(NR_IOCTL, fd, number, (long)arg, 0, 0, 0);
}

/* The view of a page: what is written there is read there. */
static int view_works(int fd, const struct tesla_mem_alloc *mem)
{
	volatile unsigned int *at;
	long view;

	view = ask(NR_MMAP2, 0, (long)mem->size, PROT_BOTH, SHARED, fd,
		   (long)(mem->map_offset >> PAGE_SHIFT));
	if ((unsigned long)view > -4096UL)
		return 0;
	at = (volatile unsigned int *)view;
	if (at[0])
		return 0;
	at[0] = 0x32;
	return at[0] == 0x32 &&
		!ask(NR_MUNMAP, view, (long)mem->size, 0, 0, 0, 0);
}

static int run(const char *device)
{
	struct tesla_get_info info = { 0 };
	struct tesla_mem_alloc mem = { .size = 4096 };
	struct tesla_space_create space = { .base = 1 << 20, .limit = 1 << 30 };
	struct tesla_space_map map = { .size = 4096 };
	struct tesla_handle handle = { 0 };
	int fd = ask(NR_OPEN, (long)device, RDWR, 0, 0, 0, 0);

	if (fd < 0)
		return 1;
	if (call(fd, TESLA_IOCTL_get_info, &info) ||
	    info.version != TESLA_VERSION || info.chip[0] != 'G')
		return 2;
	if (call(fd, TESLA_IOCTL_mem_alloc, &mem) || !mem.handle ||
	    mem.va < 1ULL << 32)
		return 3;
	if (!view_works(fd, &mem))
		return 4;
	if (call(fd, TESLA_IOCTL_space_create, &space))
		return 5;
	map.space = space.handle;
	map.mem = mem.handle;
	if (call(fd, TESLA_IOCTL_space_map, &map) || !map.va)
		return 6;
	handle.handle = mem.handle;
	if (call(fd, TESLA_IOCTL_mem_free, &handle) != -16)	/* EBUSY */
		return 7;
	handle.handle = space.handle;
	if (call(fd, TESLA_IOCTL_space_destroy, &handle))
		return 8;
	handle.handle = mem.handle;
	return call(fd, TESLA_IOCTL_mem_free, &handle) ? 9 : 0;
}

/* On the stack: the count of arguments, then they. */
__attribute__((used)) static void start(const long *stack)
{
	ask(NR_EXIT, stack[0] > 1 ? run((const char *)stack[2]) : 99, 0, 0,
	    0, 0, 0);
}

__asm__(".globl _start\n"
	"_start:\n\t"
	"mov %esp, %eax\n\t"
	"and $-16, %esp\n\t"
	"sub $12, %esp\n\t"
	"push %eax\n\t"
	"call start\n\t"
	"hlt");
