/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The link to the judge, and what the driver's plain accesses become on it.
 *
 * Exactly one side runs: rt_ask() hands over the turn and sleeps on the
 * futex until it comes back.  Everything else is posted, in order, and seen
 * by the judge when it next has the turn; so is what own.c can answer.
 *
 * A write hook runs before its store and is not told the value.  So the
 * address is kept in the thread, and the value read back at the thread's next
 * entry into the runtime, before anybody else can run: then the store is in
 * memory, and nothing has overwritten it.
 *
 * The arena is the CPU's view of DMA memory: a store changes it at once, for
 * all threads.  When the card sees the store is for the judge to decide, and
 * what the card wrote is copied here by the judge when a load asks for it.
 */
#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"
#include "sched.h"
#include "link.h"

#define RT_REGIONS	4

static struct wire *wire;
static uint32_t posts;
static pid_t parent;		/* as it was at the start	*/

static struct bar {
	uintptr_t base;
	uint64_t size;
} bars[RT_REGIONS];

/* All BARs lie in here: the hooks' quick test. */
uintptr_t rt_bar_low, rt_bar_span;

struct wire *rt_wire(void)
{
	return wire;
}

void *rt_arena(uint64_t offset)
{
	return (char *)wire + WIRE_ARENA_OFFSET + offset;
}

uint64_t rt_arena_offset(const void *addr)
{
	uint64_t offset = (uintptr_t)addr - RT_WIRE_BASE - WIRE_ARENA_OFFSET;

	return offset < WIRE_ARENA_SIZE ? offset : UINT64_MAX;
}

bool rt_in_wire(uintptr_t addr, size_t size)
{
	return addr + size > RT_WIRE_BASE && addr < RT_WIRE_BASE + WIRE_SIZE;
}

int rt_link_open(int fd)
{
	void *base = (void *)RT_WIRE_BASE;

	parent = getppid();
	wire = mmap(base, WIRE_SIZE, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
	if (wire == MAP_FAILED)
		return -errno;
	if (wire != base)
		return -ENOMEM;
	return 0;
}

/*
 * The judge's turn, until it gives it back, or is gone.  A box does not let
 * us ask for our parent; it ends us itself, and we need not look up.
 */
static void hand_over(void)
{
	const struct timespec second = { .tv_sec = 1 };
	const struct timespec *look_up = parent > 0 ? &second : NULL;

	atomic_store(&wire->posted, posts);
	atomic_store(&wire->turn, WIRE_JUDGE);
	if (atomic_load(&wire->asleep[WIRE_JUDGE]))
		syscall(SYS_futex, &wire->turn, FUTEX_WAKE, 1, NULL, NULL, 0);
	while (atomic_load(&wire->turn) == WIRE_JUDGE) {
		atomic_store(&wire->asleep[WIRE_AGENT], 1);
		syscall(SYS_futex, &wire->turn, FUTEX_WAIT, WIRE_JUDGE,
			look_up, NULL, 0);
		atomic_store(&wire->asleep[WIRE_AGENT], 0);
		if (atomic_load(&wire->turn) == WIRE_JUDGE && look_up &&
		    getppid() != parent)
			rt_stop();
	}
	posts = 0;
	rt_own_told(&wire->reply);
	rt_irq_sent(wire->reply.interrupts);
}

static struct wire_reply request(enum wire_request_kind kind, uint64_t a,
				 uint64_t b, uint64_t c, uint64_t d,
				 uint32_t payload)
{
	wire->request = (struct wire_request){
		.kind = kind,
		.thread = rt_self ? rt_self->number : 0,
		.a = a, .b = b, .c = c, .d = d,
		.payload = payload,
	};
	hand_over();
	return wire->reply;
}

struct wire_reply rt_ask(enum wire_request_kind kind, uint64_t a, uint64_t b,
			 uint64_t c)
{
	struct wire_reply own;

	rt_flush();
	if (rt_own(kind, a, b, c, &own))
		return own;
	return request(kind, a, b, c, 0, 0);
}

struct wire_reply rt_ask_text(enum wire_request_kind kind, uint64_t a,
			      uint64_t b, uint64_t c, uint64_t d,
			      const char *text)
{
	size_t len = strlen(text);

	if (len >= WIRE_PAYLOAD)
		len = WIRE_PAYLOAD - 1;
	rt_flush();
	memcpy(wire->payload, text, len);
	wire->payload[len] = '\0';
	return request(kind, a, b, c, d, len + 1);
}

void rt_report(enum wire_report kind, uint64_t a, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	/* a is the kind; the number of a leak goes with it. */
	if (rt_ask_text(WIRE_REPORT, kind, a, 0, 0, text).result)
		rt_stop();
}

static void post(struct wire_post entry)
{
	if (posts == WIRE_POSTS)
		request(WIRE_FULL, 0, 0, 0, 0, 0);
	wire->post[posts++] = entry;
	rt_own_posted(&entry);
}

void rt_post_own(struct wire_post entry)
{
	entry.thread = rt_self ? rt_self->number : 0;
	post(entry);
}

void rt_post(enum wire_post_kind kind, unsigned int region, uint64_t addr,
	     unsigned int size, uint64_t value)
{
	rt_flush();
	post((struct wire_post){
		.kind = kind, .size = size, .region = region,
		.thread = rt_self->number, .addr = addr, .value = value,
	});
}

void rt_post_switch(unsigned int number)
{
	post((struct wire_post){
		.kind = WIRE_SWITCH, .thread = number, .value = number,
	});
}

/* The largest naturally aligned piece at addr, up to 8 bytes. */
static unsigned int piece(uint64_t addr, size_t len)
{
	unsigned int size = 8;

	while (size > len || addr & (size - 1))
		size /= 2;
	return size;
}

/* Eight bytes over and over, as in a page that is cleared. */
static bool is_fill(uint64_t addr, const char *data, size_t len)
{
	return len > 8 && len % 8 == 0 && addr % 8 == 0 &&
		len <= WIRE_FILL_MAX && !memcmp(data, data + 8, len - 8);
}

static void post_fill(unsigned int region, uint64_t addr, const char *data,
		      size_t len)
{
	struct wire_post entry = {
		.kind = WIRE_FILL, .region = region,
		.thread = rt_self->number, .pad = len, .addr = addr,
	};

	memcpy(&entry.value, data, 8);
	post(entry);
}

void rt_post_burst(unsigned int region, uint64_t addr, const void *data,
		   size_t len)
{
	const char *from = data;
	unsigned int size;

	rt_flush();
	if (is_fill(addr, from, len)) {
		post_fill(region, addr, from, len);
		return;
	}
	for (; len; addr += size, from += size, len -= size) {
		uint64_t value = 0;

		size = piece(addr, len);
		memcpy(&value, from, size);
		post((struct wire_post){
			.kind = WIRE_BURST, .size = size, .region = region,
			.thread = rt_self->number, .pad = len - size,
			.addr = addr, .value = value,
		});
	}
}

void rt_stored(uintptr_t addr, size_t size)
{
	uint64_t offset = rt_arena_offset((void *)addr);
	unsigned int part;

	if (offset == UINT64_MAX)
		return;
	for (; size; addr += part, offset += part, size -= part) {
		uint64_t value = 0;

		part = piece(offset, size);
		memcpy(&value, (void *)addr, part);
		post((struct wire_post){
			.kind = WIRE_STORE, .size = part,
			.thread = rt_self->number,
			.addr = offset, .value = value,
		});
	}
}

void rt_flush(void)
{
	struct rt_thread *self = rt_self;
	uint32_t size;

	if (!self || !self->store_size)
		return;
	size = self->store_size;
	self->store_size = 0;
	rt_stored(self->store, size);
}

void rt_load(uintptr_t addr, size_t size)
{
	uint64_t offset = rt_arena_offset((void *)addr);

	if (offset != UINT64_MAX)
		rt_ask(WIRE_LOAD, offset, size, 0);
}

void rt_bar_range(unsigned int region, const void *base, uint64_t size)
{
	uintptr_t at = (uintptr_t)base, high = rt_bar_low + rt_bar_span;

	if (region >= RT_REGIONS || !size)
		return;
	bars[region] = (struct bar){ at, size };
	if (!rt_bar_span || at < rt_bar_low)
		rt_bar_low = at;
	if (at + size > high)
		high = at + size;
	rt_bar_span = high - rt_bar_low;
}

/* The region whose BAR holds addr, plus 1; 0: none. */
unsigned int rt_bar_find(uintptr_t addr)
{
	for (unsigned int i = 0; i < RT_REGIONS; i++) {
		if (addr - bars[i].base < bars[i].size)
			return i + 1;
	}
	return 0;
}

void rt_check(uintptr_t addr, size_t size, bool write)
{
	const char *verb = write ? "writes" : "reads";
	unsigned int region;
	char where[256];

	if (rt_in_wire(addr, size)) {
		if (addr >= RT_WIRE_BASE + WIRE_ARENA_OFFSET &&
		    addr + size <= RT_WIRE_BASE + WIRE_SIZE)
			return;
		rt_crash(0, (void *)addr, NULL,
			 "the driver %s memory that is not its own, in %s",
			 verb, rt_where(rt_self, where, sizeof(where)));
	}
	region = rt_bar_find(addr);
	if (region) {
		rt_report(WIRE_REPORT_DEREF_IOMEM, addr,
			  "%s %zu bytes at offset 0x%llx of a BAR through a "
			  "plain pointer, in %s",
			  verb, size, (unsigned long long)
			  (addr - bars[region - 1].base),
			  rt_where(rt_self, where, sizeof(where)));
	}
}
