/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The boundary between user and kernel, as only a kernel has it: numbers of
 * ioctl(), addresses of all kinds, views and what may be done to them, several
 * threads at one descriptor.  labs/boundary.md tells what it is about.
 *
 * That a call was refused is not enough: after each test another opener must
 * still find a card that works.
 */
#define _GNU_SOURCE		/* mremap(), process_vm_readv() */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "raw.h"
#include "vm/spec/reg.h"

static struct opener o;

static void up(void)
{
	raw_up();
	opener_up(&o);
}

/* A new opener finds all well. */
static void down(void)
{
	struct context context;
	struct memory memory;
	struct opener next;
	u64 value, va;

	opener_down(&o);
	opener_up(&next);
	context_make(&next, &context);
	memory_make(&next, &memory, PAGE, TESLA_MEM_COHERENT);
	memory_fill(&memory, 1);
	va = map_at(context.space, &memory, 0, 0, PAGE, 0, 0);
	CHECK_EQ(context_read(&context, va, &value), 0);
	CHECK_EQ(value, memory_number(1, 0));
	unmap(&next, context.space, va, PAGE);
	memory_free(&memory);
	context_end(&context);
	opener_down(&next);
	raw_down();
}

/* ioctl(), with its errno. */
static int call(int fd, unsigned int way, unsigned int type, u32 number,
		void *arg, size_t size)
{
	return ioctl(fd, _IOC(way, type, number, size), arg) < 0 ? -errno : 0;
}

#define BOTH	(_IOC_READ | _IOC_WRITE)

/* Numbers and sizes -------------------------------------------------------- */

static void numbers_that_are_no_calls_are_refused(void)
{
	struct guest_random random;
	u64 arg[8] = { 0 };

	up();
	for (u32 number = TESLA_CALLS; number < 256; number++)
		CHECK_EQ(call(o.fd, BOTH, 'T', number, arg, sizeof(arg)),
			 -ENOTTY);
	for (u32 type = 0; type < 256; type++) {
		if (type != 'T')
			CHECK_EQ(call(o.fd, BOTH, type, TESLA_CALL_get_info,
				      arg, sizeof(arg)), -ENOTTY);
	}
	/* Which way an argument goes is part of the number. */
	CHECK_EQ(call(o.fd, _IOC_READ, 'T', TESLA_CALL_get_info, arg,
		      sizeof(arg)), -ENOTTY);
	CHECK_EQ(call(o.fd, BOTH, 'T', TESLA_CALL_chan_start, arg,
		      sizeof(arg)), -ENOTTY);
	guest_random_init(&random, 0);
	for (u32 i = 0; i < 10000 * guest.rounds; i++) {
		u32 number = guest_random_next(&random);

		/* FIOCLEX and its like are the kernel's own. */
		if (_IOC_TYPE(number) == 'T' || _IOC_TYPE(number) == 'f')
			continue;
		CHECK(ioctl(o.fd, number, arg) < 0);
	}
	down();
}

static void arguments_may_be_short_or_long(void)
{
	char arg[8192];

	up();
	for (size_t size = 0; size <= sizeof(arg); size += 4) {
		int want = size == 0 ? -EINVAL :
			size > TESLA_ARG_MAX ? -E2BIG : 0;

		memset(arg, 0, sizeof(arg));
		CHECK_EQ(call(o.fd, BOTH, 'T', TESLA_CALL_get_info, arg,
			      size), want);
		if (want || size <= sizeof(struct tesla_get_info))
			continue;
		arg[size - 1] = 1;
		CHECK_EQ(call(o.fd, BOTH, 'T', TESLA_CALL_get_info, arg,
			      size), -E2BIG);
	}
	down();
}

/* Addresses ---------------------------------------------------------------- */

static char *pages(int rights)
{
	char *at = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(at != MAP_FAILED);
	CHECK_EQ(mprotect(at + PAGE, PAGE, rights), 0);
	return at;
}

static void arguments_that_are_no_memory_are_faults(void)
{
	const struct tesla_mem_alloc arg = { .size = PAGE };
	const size_t size = sizeof(arg);
	char *none, *fixed;

	up();
	none = pages(PROT_NONE);
	fixed = pages(PROT_READ | PROT_WRITE);
	memcpy(fixed + PAGE, &arg, size);
	CHECK_EQ(mprotect(fixed + PAGE, PAGE, PROT_READ), 0);
	for (u32 number = 0; number < TESLA_CALLS; number++) {
		void *const bad[] = {
			NULL, (void *)8, (void *)(1UL << 47),
			(void *)0x8000000000000000UL,
			(void *)0xffff888000000000UL,
			(void *)0xffffffff81000000UL, (void *)-8L,
			none + PAGE, none + PAGE - 4,
		};

		for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
			CHECK_EQ(node_call(o.fd, number, bad[i], size),
				 -EFAULT);
	}
	/* It can be read, but results have no place. */
	CHECK_EQ(call(o.fd, BOTH, 'T', TESLA_CALL_mem_alloc, fixed + PAGE,
		      size), -EFAULT);
	/* At a page's very end it is memory. */
	memcpy(none + PAGE - size, &arg, size);
	CHECK_EQ(call(o.fd, BOTH, 'T', TESLA_CALL_mem_alloc,
		      none + PAGE - size, size), 0);
	munmap(none, 2 * PAGE);
	munmap(fixed, 2 * PAGE);
	down();
}

/* The card's own memory is memory too, and an argument may lie there. */
static void an_argument_may_lie_in_mapped_memory(void)
{
	struct memory memory;

	up();
	for (u32 kind = 0; kind <= TESLA_MEM_VRAM; kind++) {
		struct tesla_get_info *info;

		memory_make(&o, &memory, PAGE, kind);
		info = memory.map.vaddr;
		CHECK_EQ(call(o.fd, BOTH, 'T', TESLA_CALL_get_info, info,
			      sizeof(*info)), 0);
		CHECK_EQ(memory_at(&memory, 0) & 0xffffffff, TESLA_VERSION);
		memory_free(&memory);
	}
	down();
}

/* Files that are not what they should be ----------------------------------- */

/* The number may be given away; the eventfd is held. */
static void an_eventfd_may_be_closed_before_it_is_told(void)
{
	int fd = eventfd(0, EFD_CLOEXEC), copy = dup(fd);
	struct tesla_event_add event = { .value = 1, .eventfd = fd };
	struct context context;
	struct push push;
	u32 words[4];
	u64 count;

	up();
	context_make(&o, &context);
	CHECK(fd >= 0 && copy >= 0);
	event.chan = context.chan;
	event.mem = context.sem.handle;
	CHECK_EQ(ASK(&o, event_add, &event), 0);
	close(fd);
	/* The number is reached; then an interrupt tells of it. */
	for (u32 i = 0; i < 2; i++) {
		push_init(&push, words, ARRAY_SIZE(words));
		CHECK_EQ(push_immediate(&push, 0, i ?
					NVC06F_NON_STALL_INTERRUPT :
					NVC06F_NOP, 0), 0);
		CHECK_EQ(context_run(&context, &push), 0);
	}
	CHECK_EQ(read(copy, &count, sizeof(count)), sizeof(count));
	CHECK_EQ(count, 1);
	CHECK_EQ(CALL_OF(&o, event_remove, .handle = event.handle), 0);
	close(copy);
	context_end(&context);
	down();
}

static void only_an_eventfd_is_an_eventfd(void)
{
	struct context context;
	int other[2], err;

	up();
	context_make(&o, &context);
	CHECK_EQ(pipe(other), 0);
	for (int i = 0; i < 3; i++) {
		err = CALL_OF(&o, event_add, .chan = context.chan,
			      .mem = context.sem.handle, .value = 1,
			      .eventfd = i < 2 ? other[i] : o.fd);
		CHECK(err == -EINVAL || err == -EBADF);
	}
	context_end(&context);
	close(other[0]);
	close(other[1]);
	down();
}

static void the_node_is_no_file_of_bytes(void)
{
	struct pollfd poll_fd = { .events = POLLIN };
	char bytes[64] = { 0 };

	up();
	CHECK(read(o.fd, bytes, sizeof(bytes)) <= 0);
	CHECK(write(o.fd, bytes, sizeof(bytes)) <= 0);
	CHECK(pread(o.fd, bytes, sizeof(bytes), 1ULL << 40) <= 0);
	CHECK(ftruncate(o.fd, PAGE) < 0);
	poll_fd.fd = o.fd;
	CHECK(poll(&poll_fd, 1, 0) >= 0);
	down();
}

/* Views -------------------------------------------------------------------- */

static void *view(const struct memory *memory, int rights, int flags)
{
	return mmap(NULL, memory->size, rights, flags, o.fd,
		    (off_t)memory->offset);
}

static void views_are_shared_and_hold_no_code(void)
{
	struct memory memory;
	int reader;

	up();
	memory_make(&o, &memory, 2 * PAGE, TESLA_MEM_COHERENT);
	CHECK(view(&memory, PROT_READ | PROT_WRITE, MAP_PRIVATE) ==
	      MAP_FAILED);
	reader = open(guest.device, O_RDONLY | O_CLOEXEC);
	if (reader >= 0) {
		CHECK(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
			   reader, (off_t)memory.offset) == MAP_FAILED);
		close(reader);
	}
	memory_free(&memory);
	down();
}

/* A view that is taken apart is a view until the last page has gone. */
static void parts_of_a_view_keep_its_object(void)
{
	struct memory memory;
	char *at;

	up();
	memory_make(&o, &memory, 4 * PAGE, TESLA_MEM_COHERENT);
	at = view(&memory, PROT_READ | PROT_WRITE, MAP_SHARED);
	CHECK(at != MAP_FAILED);
	node_unmap(&memory.map, memory.offset, memory.size);
	CHECK_EQ(munmap(at + PAGE, PAGE), 0);
	at[0] = at[2 * PAGE] = at[3 * PAGE] = 1;
	CHECK_EQ(CALL_OF(&o, mem_free, .handle = memory.handle), -EBUSY);
	CHECK_EQ(munmap(at, PAGE), 0);
	CHECK_EQ(CALL_OF(&o, mem_free, .handle = memory.handle), -EBUSY);
	at[2 * PAGE] = at[3 * PAGE] = 2;
	CHECK_EQ(munmap(at + 2 * PAGE, 2 * PAGE), 0);
	CHECK_EQ(CALL_OF(&o, mem_free, .handle = memory.handle), 0);
	down();
}

static void a_view_does_not_grow(void)
{
	struct memory memory;
	char *at, *moved;

	up();
	memory_make(&o, &memory, 2 * PAGE, TESLA_MEM_COHERENT);
	at = view(&memory, PROT_READ | PROT_WRITE, MAP_SHARED);
	CHECK(at != MAP_FAILED);
	moved = mremap(at, 2 * PAGE, 4 * PAGE, MREMAP_MAYMOVE);
	CHECK(moved == MAP_FAILED);
	CHECK_EQ(munmap(at, 2 * PAGE), 0);
	memory_free(&memory);
	down();
}

static void offsets_that_were_not_told_lead_nowhere(void)
{
	struct guest_random random;

	up();
	guest_random_init(&random, 1);
	for (u32 i = 0; i < 5000 * guest.rounds; i++) {
		u64 offset = (u64)guest_random_next(&random) << 12;
		size_t size = PAGE << guest_below(&random, 20);

		CHECK(mmap(NULL, size, PROT_READ, MAP_SHARED, o.fd,
			   (off_t)offset) == MAP_FAILED);
	}
	down();
}

/* Others may look at a process's memory, but not at a card's. */
static void a_debugger_does_no_harm(void)
{
	struct context context;
	struct iovec here, there;
	u64 words[8];

	up();
	context_make(&o, &context);
	here = (struct iovec){ words, sizeof(words) };
	there = (struct iovec){ context.userd.vaddr, sizeof(words) };
	process_vm_readv(getpid(), &here, 1, &there, 1, 0);
	there.iov_base = context.sem.map.vaddr;
	process_vm_readv(getpid(), &here, 1, &there, 1, 0);
	context_end(&context);
	down();
}

/* A child has its parent's descriptors and views; who goes last takes them
 * away. */
static struct memory inherited;
static int may_end[2];

static void use_inherited(void *arg)
{
	char byte;

	(void)arg;
	CHECK_EQ(memory_at(&inherited, 0), 5);
	iosys_map_wr(&inherited.map, 0, u64, 6);
	close(may_end[1]);
	CHECK_EQ(read(may_end[0], &byte, 1), 0);
}

static void a_child_has_its_parents_views(void)
{
	u64 start;
	int pid;

	up();
	CHECK_EQ(pipe(may_end), 0);
	memory_make(&o, &inherited, PAGE, TESLA_MEM_COHERENT);
	iosys_map_wr(&inherited.map, 0, u64, 5);
	pid = guest_child(use_inherited, NULL);
	start = ktime_get_ns();
	while (memory_at(&inherited, 0) != 6) {
		CHECK(ktime_get_ns() - start < 10 * SECOND);
		usleep(1000);
	}
	node_unmap(&inherited.map, inherited.offset, inherited.size);
	CHECK_EQ(CALL_OF(&o, mem_free, .handle = inherited.handle), -EBUSY);
	close(may_end[1]);
	CHECK_EQ(guest_child_end(pid), 0);
	CHECK_EQ(CALL_OF(&o, mem_free, .handle = inherited.handle), 0);
	close(may_end[0]);
	down();
}

/* Threads at one descriptor ------------------------------------------------ */

static union {
	struct tesla_mem_alloc mem;
	struct tesla_space_map map;
	struct tesla_chan_create chan;
	unsigned char bytes[128];
} shared;
static bool over;

/* What all the others' calls have as their argument, changed all the time. */
static void change_shared(void)
{
	struct guest_random random;

	guest_random_init(&random, 99);
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		u32 at = guest_below(&random, sizeof(shared.bytes));

		__atomic_store_n(&shared.bytes[at],
				 (u8)(guest_below(&random, 3) ? 0 :
				      guest_random_next(&random)),
				 __ATOMIC_RELAXED);
		if (guest_below(&random, 8) == 0)
			__atomic_store_n(&shared.mem.size,
					 PAGE * guest_below(&random, 64),
					 __ATOMIC_RELAXED);
	}
}

#define CALLERS	4u
#define CALLS	(2000 * guest.rounds)

static void change_or_call(unsigned int number)
{
	static unsigned int left;
	struct guest_random random;

	if (number == 0) {
		change_shared();
		return;
	}
	guest_random_init(&random, number);
	for (u32 i = 0; i < CALLS; i++) {
		u32 which = guest_below(&random, TESLA_CALLS + 1);
		u32 size = guest_below(&random, sizeof(shared.bytes));

		CHECK(node_call(o.fd, which, &shared, size) <= 0);
	}
	if (__atomic_add_fetch(&left, 1, __ATOMIC_SEQ_CST) == CALLERS)
		__atomic_store_n(&over, true, __ATOMIC_RELAXED);
}

static void arguments_that_change_meanwhile_do_no_harm(void)
{
	up();
	guest_threads(1 + CALLERS, change_or_call);
	down();
}

static int closed_fd;

/* One opens and closes; the others call what may be open or another's. */
static void close_or_call(unsigned int number)
{
	for (u32 i = 0; i < 300 * guest.rounds; i++) {
		struct tesla_mem_alloc mem = { .size = PAGE };
		int fd;

		if (number) {
			fd = __atomic_load_n(&closed_fd, __ATOMIC_RELAXED);
			call(fd, BOTH, 'T', TESLA_CALL_mem_alloc, &mem,
			     sizeof(mem));
			continue;
		}
		fd = open(guest.device, O_RDWR | O_CLOEXEC);
		CHECK(fd >= 0);
		__atomic_store_n(&closed_fd, fd, __ATOMIC_RELAXED);
		usleep(100);
		close(fd);
	}
}

static void a_descriptor_may_be_closed_during_calls(void)
{
	up();
	closed_fd = -1;
	guest_threads(5, close_or_call);
	down();
}

/* Zeroing video memory takes long.  Others run meanwhile, and who is killed
 * does not finish it. */
#define LARGE	(128 * M)
#define TURNS	20u

static bool allocated;

static void allocate_or_watch(unsigned int number)
{
	u32 turns = 0;

	if (number == 0) {
		struct tesla_mem_alloc arg = {
			.size = LARGE, .kind = TESLA_MEM_VRAM,
		};

		CHECK_EQ(ASK(&o, mem_alloc, &arg), 0);
		__atomic_store_n(&allocated, true, __ATOMIC_RELAXED);
		CHECK_EQ(CALL_OF(&o, mem_free, .handle = arg.handle), 0);
		return;
	}
	while (!__atomic_load_n(&allocated, __ATOMIC_RELAXED)) {
		usleep(1000);
		turns++;
	}
	CHECK(turns >= TURNS);
}

static void large_memory_does_not_hold_the_machine(void)
{
	up();
	allocated = false;
	guest_threads(2, allocate_or_watch);
	down();
}

static void allocate_much(void *arg)
{
	(void)arg;
	CALL_OF(&o, mem_alloc, .size = 2048 * M, .kind = TESLA_MEM_VRAM);
}

static void who_is_killed_does_not_finish(void)
{
	u64 start;
	int pid;

	up();
	pid = guest_child(allocate_much, NULL);
	usleep(300000);
	start = ktime_get_ns();
	CHECK_EQ(kill(pid, SIGKILL), 0);
	CHECK_EQ(guest_child_end(pid), -SIGKILL);
	CHECK(ktime_get_ns() - start < 5 * SECOND);
	down();
}

/* 32 bits ------------------------------------------------------------------ */

static void execute_compat(void *arg)
{
	char path[4096], *name;
	ssize_t len;

	(void)arg;
	len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	CHECK(len > 0);
	path[len] = '\0';
	name = strrchr(path, '/');
	CHECK(name && name + sizeof("/compat32") <= path + sizeof(path));
	strcpy(name, "/compat32");
	execl(path, path, guest.device, (char *)NULL);
	guest_fail(__FILE__, __LINE__, "%s: %s", path, strerror(errno));
}

static void a_program_of_32_bits_has_the_same_calls(void)
{
	up();
	CHECK_EQ(guest_child_end(guest_child(execute_compat, NULL)), 0);
	down();
}

static const struct guest_test tests[] = {
#define TEST(name) { #name, name, true }
	TEST(numbers_that_are_no_calls_are_refused),
	TEST(arguments_may_be_short_or_long),
	TEST(arguments_that_are_no_memory_are_faults),
	TEST(an_argument_may_lie_in_mapped_memory),
	TEST(only_an_eventfd_is_an_eventfd),
	TEST(an_eventfd_may_be_closed_before_it_is_told),
	TEST(the_node_is_no_file_of_bytes),
	TEST(views_are_shared_and_hold_no_code),
	TEST(parts_of_a_view_keep_its_object),
	TEST(a_view_does_not_grow),
	TEST(offsets_that_were_not_told_lead_nowhere),
	TEST(a_debugger_does_no_harm),
	TEST(a_child_has_its_parents_views),
	TEST(arguments_that_change_meanwhile_do_no_harm),
	TEST(a_descriptor_may_be_closed_during_calls),
	TEST(large_memory_does_not_hold_the_machine),
	TEST(who_is_killed_does_not_finish),
	TEST(a_program_of_32_bits_has_the_same_calls),
};

int main(int argc, char **argv)
{
	return guest_main(argc, argv, tests, ARRAY_SIZE(tests));
}
