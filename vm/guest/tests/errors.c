/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The call table's errors, each as user mode can have it; and that an opener
 * reaches nothing of another's.
 *
 * The rows of the table are counted off.  What only a broken card, or a lack
 * of memory, would answer is listed, so that a new row is not forgotten.
 */
#include <sys/eventfd.h>
#include <unistd.h>

#include "errors.h"
#include "raw.h"

static struct opener o, other;

static void up(void)
{
	raw_up();
	opener_up(&o);
	opener_up(&other);
}

static void down(void)
{
	opener_down(&other);
	opener_down(&o);
	raw_down();
}

/* Openers ------------------------------------------------------------------ */

void openers_do_not_see_each_other(void)
{
	struct memory memory;
	struct context c;
	struct iosys_map map = { .is_iomem = false };

	up();
	context_make(&o, &c);
	memory_make(&o, &memory, PAGE, TESLA_MEM_COHERENT);
	CHECK_EQ(CALL_OF(&other, mem_free, .handle = memory.handle), -ENOENT);
	CHECK_EQ(CALL_OF(&other, space_destroy, .handle = c.space), -ENOENT);
	CHECK_EQ(CALL_OF(&other, space_map, .space = c.space,
			 .mem = memory.handle, .size = PAGE), -ENOENT);
	CHECK_EQ(CALL_OF(&other, chan_destroy, .handle = c.chan), -ENOENT);
	CHECK_EQ(CALL_OF(&other, chan_stop, .handle = c.chan), -ENOENT);
	CHECK_EQ(CALL_OF(&other, chan_create, .id = TESLA_CHAN_ANY,
			 .gp_va = memory.va, .gp_entries = 64), -EINVAL);
	CHECK_EQ(node_map(other.fd, memory.offset, PAGE, &map), -EINVAL);
	CHECK_EQ(node_map(other.fd, c.userd_map, PAGE, &map), -EINVAL);
	memory_free(&memory);
	context_end(&c);
	down();
}

void handles_are_not_used_again(void)
{
	u32 seen[200];

	up();
	for (u32 i = 0; i < ARRAY_SIZE(seen); i++) {
		seen[i] = space_make(&o);
		CHECK_EQ(CALL_OF(&o, space_destroy, .handle = seen[i]), 0);
		for (u32 n = 0; n < i; n++)
			CHECK(seen[n] != seen[i]);
		CHECK_EQ(CALL_OF(&o, space_destroy, .handle = seen[i / 2]),
			 -ENOENT);
	}
	down();
}

void views_are_of_what_was_told(void)
{
	struct iosys_map map = { .is_iomem = false };
	struct memory memory;
	struct tesla_space_map arg;
	u32 space;

	up();
	memory_make(&o, &memory, 2 * PAGE, TESLA_MEM_COHERENT);
	space = space_make(&o);
	CHECK_EQ(node_map(o.fd, memory.offset, 3 * PAGE, &map), -EINVAL);
	CHECK_EQ(node_map(o.fd, memory.offset, 0, &map), -EINVAL);
	CHECK_EQ(node_map(o.fd, memory.offset + PAGE, PAGE, &map), -EINVAL);
	CHECK_EQ(node_map(o.fd, 0, PAGE, &map), -EINVAL);
	CHECK_EQ(node_map(o.fd, (u64)space << 16, PAGE, &map), -EINVAL);
	CHECK_EQ(node_map(o.fd, memory.offset, PAGE, &map), 0);
	iosys_map_wr(&memory.map, 8, u32, 77);
	CHECK_EQ(iosys_map_rd(&map, 8, u32), 77);
	/* While it is seen it cannot be freed, mapped in a space or not. */
	arg = (struct tesla_space_map){
		.space = space, .mem = memory.handle, .size = PAGE,
	};
	CHECK_EQ(ASK(&o, space_map, &arg), 0);
	CHECK_EQ(CALL_OF(&o, mem_free, .handle = memory.handle), -EBUSY);
	unmap(&o, space, arg.va, PAGE);
	CHECK_EQ(CALL_OF(&o, mem_free, .handle = memory.handle), -EBUSY);
	node_unmap(&map, memory.offset, PAGE);
	CHECK_EQ(CALL_OF(&o, mem_free, .handle = memory.handle), -EBUSY);
	memory_free(&memory);
	CHECK_EQ(node_map(o.fd, memory.offset, PAGE, &map), -EINVAL);
	down();
}

/* The rows of the table ---------------------------------------------------- */

static struct row {
	u32 call;
	int error;
	const char *name;
	bool seen;
} rows[] = {
#define CALL(number, name, way, text)
#define CALL_ERROR(name, error, text) \
	{ TESLA_CALL_##name, -error, #name " " #error, false },
#include "uapi/calls.def"
#undef CALL
#undef CALL_ERROR
};

static void see(u32 call, int error)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].call == call && rows[i].error == error)
			rows[i].seen = true;
	}
}

/* Refused, and the argument is as it was. */
static void refused(struct opener *opener, u32 call, void *arg, size_t size,
		    int error, int line)
{
	char copy[256];
	long got;

	memcpy(copy, arg, size);
	got = node_call(opener->fd, call, arg, size);
	if (got != error)
		guest_fail(__FILE__, line, "the answer is %ld, not %d", got,
			   error);
	if (memcmp(copy, arg, size))
		guest_fail(__FILE__, line, "a call that fails has results");
	see(call, error);
}

#define REFUSED(opener, error, name, ...) do {				\
	struct tesla_##name arg_ = { __VA_ARGS__ };			\
	refused(opener, TESLA_CALL_##name, &arg_, sizeof(arg_),		\
		-(error), __LINE__);					\
} while (0)

static struct {
	struct context c;
	struct memory memory;
	u32 narrow, event, idle, page;	/* idle: a channel, not started	*/
	int eventfd;
} one;

static void objects_make(void)
{
	struct tesla_space_create narrow = { .base = M, .limit = M + 64 * K };
	struct tesla_event_add event = { .value = 1 };
	struct tesla_chan_create chan = {
		.id = TESLA_CHAN_ANY, .gp_entries = 64,
	};

	context_make(&o, &one.c);
	memory_make(&o, &one.memory, 64 * K, TESLA_MEM_COHERENT);
	CHECK_EQ(ASK(&o, space_create, &narrow), 0);
	one.narrow = narrow.handle;
	map_at(one.narrow, &one.memory, 0, 0, 64 * K, 0, 0);
	one.eventfd = eventfd(0, EFD_CLOEXEC);
	CHECK(one.eventfd >= 0);
	event.chan = one.c.chan;
	event.mem = one.memory.handle;
	event.eventfd = one.eventfd;
	CHECK_EQ(ASK(&o, event_add, &event), 0);
	one.event = event.handle;
	chan.gp_va = one.memory.va;
	CHECK_EQ(ASK(&o, chan_create, &chan), 0);
	one.idle = chan.handle;
	one.page = chan.id / 8 * 8;
}

static void refuse_mem(void)
{
	struct tesla_mem_alloc huge = {
		.size = 1ULL << 40, .kind = TESLA_MEM_VRAM,
	};
	const u32 mem = one.memory.handle;

	REFUSED(&o, EINVAL, mem_alloc, .size = 0);
	REFUSED(&o, EINVAL, mem_alloc, .size = ~0ULL);
	REFUSED(&o, EINVAL, mem_alloc, .size = PAGE, .kind = 3);
	REFUSED(&o, EINVAL, mem_alloc, .size = PAGE, .flags = 1);
	REFUSED(&o, EINVAL, mem_alloc, .size = PAGE, .pad = 1);
	REFUSED(&o, ENOMEM, mem_alloc, .size = 1ULL << 36,
		.kind = TESLA_MEM_VRAM);
	CHECK(ASK(&o, mem_alloc, &huge) < 0);
	REFUSED(&o, ENOENT, mem_free, .handle = 0);
	REFUSED(&o, ENOENT, mem_free, .handle = ~0u);
	REFUSED(&o, ENOENT, mem_free, .handle = one.c.space);
	REFUSED(&o, EINVAL, mem_free, .handle = mem, .pad = 1);
	REFUSED(&o, EBUSY, mem_free, .handle = mem);
}

static void refuse_space(void)
{
	const u32 space = one.c.space;

	REFUSED(&o, EINVAL, space_create, .base = M, .limit = M);
	REFUSED(&o, EINVAL, space_create, .base = 1, .limit = M);
	REFUSED(&o, EINVAL, space_create, .base = 0, .limit = ~0ULL);
	REFUSED(&o, EINVAL, space_create, .base = 0, .limit = M, .flags = 1);
	REFUSED(&o, ENOENT, space_destroy, .handle = one.memory.handle);
	REFUSED(&o, EBUSY, space_destroy, .handle = space);
	REFUSED(&o, ENOENT, space_unmap, .va = M, .size = PAGE);
	REFUSED(&o, EINVAL, space_unmap, .space = space, .va = M, .size = 0);
	REFUSED(&o, EINVAL, space_unmap, .space = space, .va = M + 1,
		.size = PAGE);
	REFUSED(&o, EINVAL, space_unmap, .space = space,
		.va = ~0ULL - PAGE + 1, .size = 2 * PAGE);
}

#define REFUSE_MAP(error, ...) \
	REFUSED(&o, error, space_map, .space = one.c.space, \
		.mem = one.memory.handle, __VA_ARGS__)

static void refuse_map(void)
{
	REFUSED(&o, ENOENT, space_map, .mem = one.memory.handle,
		.size = PAGE);
	REFUSED(&o, ENOENT, space_map, .space = one.c.space, .size = PAGE);
	REFUSE_MAP(EPERM, .size = PAGE, .flags = TESLA_MAP_PRIVILEGED);
	REFUSE_MAP(EINVAL, .size = 0);
	REFUSE_MAP(EINVAL, .size = PAGE + 1);
	REFUSE_MAP(EINVAL, .size = PAGE, .offset = 64 * K);
	REFUSE_MAP(EINVAL, .size = 2 * PAGE, .offset = ~0ULL - PAGE + 1);
	REFUSE_MAP(EINVAL, .size = PAGE, .flags = 32);
	REFUSE_MAP(EINVAL, .size = PAGE, .flags = TESLA_MAP_REPLACE);
	REFUSE_MAP(EINVAL, .size = PAGE, .page_shift = 13);
	REFUSE_MAP(EINVAL, .size = PAGE, .flags = TESLA_MAP_FIXED);
	REFUSE_MAP(EINVAL, .size = PAGE, .va = 1ULL << 60,
		   .flags = TESLA_MAP_FIXED);
	REFUSE_MAP(EEXIST, .size = PAGE, .va = 256 * M,
		   .flags = TESLA_MAP_FIXED);
	REFUSED(&o, ENOSPC, space_map, .space = one.narrow,
		.mem = one.memory.handle, .size = PAGE);
}

static void refuse_chan(void)
{
	const u64 va = one.memory.va;
	struct memory others;

	REFUSED(&o, ENOENT, chan_create, .space = one.event, .id = 9,
		.gp_va = va, .gp_entries = 64);
	REFUSED(&o, EPERM, chan_create, .id = 9, .gp_va = va,
		.gp_entries = 64, .flags = TESLA_CHAN_PRIVILEGED);
	REFUSED(&o, EINVAL, chan_create, .id = 9, .gp_va = va,
		.gp_entries = 63);
	REFUSED(&o, EINVAL, chan_create, .id = 1u << 20, .gp_va = va,
		.gp_entries = 64);
	REFUSED(&o, EINVAL, chan_create, .id = TESLA_CHAN_ANY, .gp_va = va,
		.gp_entries = 16384);	/* longer than its memory */
	REFUSED(&o, EBUSY, chan_create, .id = one.c.id, .gp_va = va,
		.gp_entries = 64);
	memory_make(&other, &others, PAGE, TESLA_MEM_COHERENT);
	REFUSED(&other, EBUSY, chan_create, .id = one.page + 7,
		.gp_va = others.va, .gp_entries = 64);
	memory_free(&others);
	REFUSED(&o, ENOENT, chan_destroy, .handle = one.c.space);
	REFUSED(&o, EBUSY, chan_destroy, .handle = one.c.chan);
	REFUSED(&o, ENOENT, chan_start, .handle = one.event);
	REFUSED(&o, EINVAL, chan_start, .handle = one.c.chan);
	REFUSED(&o, EINVAL, chan_start, .handle = one.idle, .gp_first = 64);
	REFUSED(&o, ENOENT, chan_stop, .handle = one.event);
	REFUSED(&o, EINVAL, chan_stop, .handle = one.idle);
	REFUSED(&o, ENOENT, chan_error, .handle = one.event);
}

static void refuse_event(void)
{
	const u32 chan = one.c.chan, mem = one.memory.handle;
	const int fd = one.eventfd;

	REFUSED(&o, ENOENT, event_add, .chan = mem, .mem = mem,
		.eventfd = fd);
	REFUSED(&o, ENOENT, event_add, .chan = chan, .mem = chan,
		.eventfd = fd);
	REFUSED(&o, EINVAL, event_add, .chan = chan, .mem = mem,
		.eventfd = fd, .offset = 2);
	REFUSED(&o, EINVAL, event_add, .chan = chan, .mem = mem,
		.eventfd = fd, .offset = 64 * K);
	REFUSED(&o, EBADF, event_add, .chan = chan, .mem = mem, .value = 1,
		.eventfd = -1);
	REFUSED(&o, EBADF, event_add, .chan = chan, .mem = mem, .value = 1,
		.eventfd = 900);
	REFUSED(&o, ENOENT, event_remove, .handle = chan);
	REFUSED(&o, EINVAL, event_remove, .handle = one.event, .pad = 1);
}

/* With a channel that is dead. */
static void refuse_dead(void)
{
	guest_breaks++;
	CHECK_EQ(context_copy(&one.c, 2 * M, 2 * M, 8), -EIO);
	REFUSED(&o, EIO, chan_error, .handle = one.c.chan);
	CHECK_EQ(CALL_OF(&o, event_remove, .handle = one.event), 0);
	REFUSED(&o, EIO, event_add, .chan = one.c.chan,
		.mem = one.memory.handle, .value = 1,
		.eventfd = one.eventfd);
	CALL_OF(&o, chan_stop, .handle = one.c.chan);
	REFUSED(&o, EIO, chan_start, .handle = one.c.chan);
}

/* What takes a card that does not answer, or a kernel without memory. */
static bool is_beyond_us(const struct row *row)
{
	return row->error == -ETIMEDOUT || row->error == -ENODEV ||
		row->error == -EMFILE ||
		(row->error == -ENOMEM && row->call != TESLA_CALL_mem_alloc) ||
		(row->error == -ENOSPC && row->call == TESLA_CALL_mem_alloc);
}

void every_error_of_the_table_can_be_had(void)
{
	up();
	objects_make();
	refuse_mem();
	refuse_space();
	refuse_map();
	refuse_chan();
	refuse_event();
	refuse_dead();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!rows[i].seen && !is_beyond_us(&rows[i]))
			guest_fail(__FILE__, __LINE__, "nothing gives %s",
				   rows[i].name);
	}
	CHECK_EQ(CALL_OF(&o, chan_destroy, .handle = one.idle), 0);
	CHECK_EQ(CALL_OF(&o, space_destroy, .handle = one.narrow), 0);
	context_end(&one.c);
	memory_free(&one.memory);
	close(one.eventfd);
	down();
}

/* Events are the cheapest, and of them there may be fewest.  They go when the
 * opener does. */
void an_opener_has_only_so_many_objects(void)
{
	struct tesla_event_add event = { .value = 1 };
	u32 count = 0;
	int err;

	up();
	objects_make();
	event.chan = one.idle;
	event.mem = one.memory.handle;
	event.eventfd = one.eventfd;
	while (!(err = ASK(&o, event_add, &event)))
		CHECK(++count <= 1024);
	CHECK_EQ(err, -EMFILE);
	CHECK(count > 1000);
	/* Neither other objects nor others are concerned. */
	CHECK_EQ(CALL_OF(&o, space_destroy, .handle = space_make(&o)), 0);
	CHECK_EQ(CALL_OF(&other, space_destroy,
			 .handle = space_make(&other)), 0);
	CHECK_EQ(CALL_OF(&o, event_remove, .handle = event.handle), 0);
	CHECK_EQ(ASK(&o, event_add, &event), 0);
	node_unmap(&one.c.userd, one.c.userd_map, PAGE);
	down();
}
