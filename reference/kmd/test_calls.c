/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The call table: every error that calls.def lists can be had, no other comes,
 * and what fails has changed nothing.
 */
#include <check.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "test_calls_rig.h"
#include "test_fault_bus.h"

#define SWEEPS	20	/* of a call, at most */

static struct calls_rig r;
static struct tesla_file *a, *b;

/* Objects of a's, one of each kind. */
static struct {
	u32 mem, vram, space, chan, event, ring;
	u64 ring_va;
	int eventfd;
} one;

static void objects_make(void)
{
	one.ring = make_mem(a, PAGE, TESLA_MEM_COHERENT, &one.ring_va);
	one.mem = make_mem(a, 64 * K, TESLA_MEM_COHERENT, NULL);
	one.vram = make_mem(a, 64 * K, TESLA_MEM_VRAM, NULL);
	one.space = make_space(a);
	one.chan = make_chan(a, one.ring_va);
	one.eventfd = eventfd(0, EFD_NONBLOCK);
	one.event = make_event(a, one.chan, one.vram, one.eventfd);
	/* The driver's own space keeps its tables for the next. */
	ck_assert_int_eq(CALL_OF(a, mem_free, .handle =
				 make_mem(a, 4 * M, TESLA_MEM_VRAM, NULL)), 0);
	/* The book has room, the space a table: later calls add none. */
	ck_assert_int_eq(CALL_OF(a, space_map, .space = one.space,
				 .mem = one.mem, .va = M, .size = 16 * K,
				 .flags = TESLA_MAP_FIXED), 0);
}

static void up(void)
{
	calls_up(&r, CARD_P40);
	a = r.file[0];
	b = r.file[1];
	objects_make();
}

static void down(void)
{
	calls_down(&r);
	close(one.eventfd);
}

/* The table's rows -------------------------------------------------------- */

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

static struct row *row_find(u32 call, int error)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].call == call && rows[i].error == error)
			return &rows[i];
	}
	return NULL;
}

/* An answer that the table has; remembered. */
static bool is_listed(u32 call, int error)
{
	struct row *row = row_find(call, error);

	if (row)
		row->seen = true;
	return row || error == 0;
}

/* Any call may say EINVAL: of a flag, of a pad. */
static void refused(struct tesla_file *file, u32 call, void *arg,
		    size_t size, int error, int line)
{
	struct calls_state before;
	char copy[256];

	calls_look(&r, &before);
	memcpy(copy, arg, size);
	ck_assert_msg(tesla_call(file, call, arg, size) == error,
		      "line %d", line);
	ck_assert_msg(calls_same(&r, &before), "line %d: it left a trace",
		      line);
	ck_assert_msg(!memcmp(copy, arg, size), "line %d: results", line);
	ck_assert_msg(is_listed(call, error) || error == -EINVAL,
		      "line %d: %d is not in the table", line, error);
}

#define REFUSED(error, file, name, ...) do {				\
	struct tesla_##name arg_ = { __VA_ARGS__ };			\
	refused(file, TESLA_CALL_##name, &arg_, sizeof(arg_), -(error), \
		__LINE__);						\
} while (0)

/* Arguments ---------------------------------------------------------------- */

static void refuse_mem(void)
{
	REFUSED(EINVAL, a, mem_alloc, .size = 0);
	REFUSED(EINVAL, a, mem_alloc, .size = (1ULL << 40) + 1);
	REFUSED(EINVAL, a, mem_alloc, .size = ~0ULL);
	REFUSED(EINVAL, a, mem_alloc, .size = ~0ULL - PAGE + 1);
	REFUSED(EINVAL, a, mem_alloc, .size = PAGE, .kind = 3);
	REFUSED(EINVAL, a, mem_alloc, .size = PAGE, .kind = ~0u);
	REFUSED(EINVAL, a, mem_alloc, .size = PAGE, .flags = 1);
	REFUSED(EINVAL, a, mem_alloc, .size = PAGE, .pad = 1);
	REFUSED(ENOMEM, a, mem_alloc, .size = 1ULL << 36,
		.kind = TESLA_MEM_VRAM);
	REFUSED(ENOENT, a, mem_free, .handle = 0);
	REFUSED(ENOENT, a, mem_free, .handle = ~0u);
	REFUSED(ENOENT, a, mem_free, .handle = one.space);
	REFUSED(ENOENT, a, mem_free, .handle = one.mem + 1 * 65536);
	REFUSED(EINVAL, a, mem_free, .handle = one.mem, .pad = 1);
	REFUSED(EBUSY, a, mem_free, .handle = one.mem);	/* mapped */
	REFUSED(EBUSY, a, mem_free, .handle = one.ring);	/* its ring */
	REFUSED(EBUSY, a, mem_free, .handle = one.vram);	/* a word */
}

static void refuse_space(void)
{
	REFUSED(EINVAL, a, space_create, .base = 0, .limit = 0);
	REFUSED(EINVAL, a, space_create, .base = 1, .limit = M);
	REFUSED(EINVAL, a, space_create, .base = M, .limit = M);
	REFUSED(EINVAL, a, space_create, .base = 2 * M, .limit = M);
	REFUSED(EINVAL, a, space_create, .base = 0, .limit = ~0ULL);
	REFUSED(EINVAL, a, space_create, .base = 0, .limit = (1ULL << 50));
	REFUSED(EINVAL, a, space_create, .base = 0, .limit = M, .flags = 1);
	REFUSED(ENOENT, a, space_destroy, .handle = one.mem);
	REFUSED(EINVAL, a, space_destroy, .handle = one.space, .pad = 1);
	REFUSED(ENOENT, a, space_unmap, .space = 0, .va = M, .size = PAGE);
	REFUSED(EINVAL, a, space_unmap, .space = one.space, .va = M,
		.size = 0);
	REFUSED(EINVAL, a, space_unmap, .space = one.space, .va = M + 1,
		.size = PAGE);
	REFUSED(EINVAL, a, space_unmap, .space = one.space, .va = 0,
		.size = PAGE);
	REFUSED(EINVAL, a, space_unmap, .space = one.space, .va = M,
		.size = ~0ULL - PAGE + 1);
	REFUSED(EINVAL, a, space_unmap, .space = one.space,
		.va = ~0ULL - PAGE + 1, .size = 2 * PAGE);
	REFUSED(EINVAL, a, space_unmap, .space = one.space, .pad = 9,
		.va = M, .size = PAGE);
}

#define REFUSE_MAP(error, ...) \
	REFUSED(error, a, space_map, .space = one.space, .mem = one.mem, \
		__VA_ARGS__)

static void refuse_map(void)
{
	u64 top = 1ULL << 40;

	REFUSED(ENOENT, a, space_map, .space = one.mem, .mem = one.mem,
		.size = PAGE);
	REFUSED(ENOENT, a, space_map, .space = one.space, .mem = one.space,
		.size = PAGE);
	REFUSED(ENOENT, a, space_map, .space = 0, .mem = one.mem,
		.size = PAGE);
	REFUSE_MAP(EPERM, .size = PAGE, .flags = TESLA_MAP_PRIVILEGED);
	REFUSE_MAP(EINVAL, .size = 0);
	REFUSE_MAP(EINVAL, .size = PAGE + 1);
	REFUSE_MAP(EINVAL, .size = 64 * K + PAGE);
	REFUSE_MAP(EINVAL, .size = PAGE, .offset = 64 * K);
	REFUSE_MAP(EINVAL, .size = PAGE, .offset = 1);
	REFUSE_MAP(EINVAL, .size = 2 * PAGE, .offset = ~0ULL - PAGE + 1);
	REFUSE_MAP(EINVAL, .size = ~0ULL - PAGE + 1, .offset = PAGE);
	REFUSE_MAP(EINVAL, .size = PAGE, .flags = 32);
	REFUSE_MAP(EINVAL, .size = PAGE, .flags = TESLA_MAP_REPLACE);
	REFUSE_MAP(EINVAL, .size = PAGE, .page_shift = 13);
	REFUSE_MAP(EINVAL, .size = PAGE, .page_shift = 64);
	REFUSE_MAP(EINVAL, .size = PAGE, .page_shift = 21);
	REFUSE_MAP(EINVAL, .size = PAGE, .va = 4 * M + 1,
		   .flags = TESLA_MAP_FIXED);
	REFUSE_MAP(EINVAL, .size = PAGE, .va = 0, .flags = TESLA_MAP_FIXED);
	REFUSE_MAP(EINVAL, .size = PAGE, .va = top, .flags = TESLA_MAP_FIXED);
	REFUSE_MAP(EINVAL, .size = 2 * PAGE, .va = top - PAGE,
		   .flags = TESLA_MAP_FIXED);
	REFUSE_MAP(EINVAL, .size = 2 * PAGE, .va = ~0ULL - PAGE + 1,
		   .flags = TESLA_MAP_FIXED);
	REFUSE_MAP(EEXIST, .size = PAGE, .va = M, .flags = TESLA_MAP_FIXED);
}

static void refuse_chan(void)
{
	u64 va = one.ring_va;

	REFUSED(ENOENT, a, chan_create, .space = one.mem, .id = 9,
		.gp_va = va, .gp_entries = 64);
	REFUSED(EPERM, a, chan_create, .id = 9, .gp_va = va, .gp_entries = 64,
		.flags = TESLA_CHAN_PRIVILEGED);
	REFUSED(EINVAL, a, chan_create, .id = 9, .gp_va = va,
		.gp_entries = 64, .flags = 2);
	REFUSED(EINVAL, a, chan_create, .id = 4096, .gp_va = va,
		.gp_entries = 64);
	REFUSED(EINVAL, a, chan_create, .id = 9, .gp_va = va);
	REFUSED(EINVAL, a, chan_create, .id = 9, .gp_va = va,
		.gp_entries = 63);
	REFUSED(EINVAL, a, chan_create, .id = 9, .gp_va = va,
		.gp_entries = 1);
	REFUSED(EINVAL, a, chan_create, .id = 9, .gp_va = va,
		.gp_entries = 1u << 31);
	REFUSED(EINVAL, a, chan_create, .id = 9, .gp_va = va,
		.gp_entries = 1024);	/* longer than its memory */
	REFUSED(EINVAL, a, chan_create, .id = 9, .gp_va = va + 4,
		.gp_entries = 64);
	REFUSED(EINVAL, a, chan_create, .id = 9, .gp_va = 0,
		.gp_entries = 64);
	REFUSED(EINVAL, a, chan_create, .id = 9, .gp_va = ~0ULL - 7,
		.gp_entries = 64);
	REFUSED(EINVAL, a, chan_create, .space = one.space, .id = 9,
		.gp_va = va, .gp_entries = 64);
	REFUSED(EBUSY, a, chan_create, .id = 0, .gp_va = va,
		.gp_entries = 64);
	REFUSED(ENOENT, a, chan_destroy, .handle = one.space);
	REFUSED(EINVAL, a, chan_destroy, .handle = one.chan, .pad = 1);
	REFUSED(EBUSY, a, chan_destroy, .handle = one.chan);	/* event */
	REFUSED(ENOENT, a, chan_start, .handle = one.event);
	REFUSED(EINVAL, a, chan_start, .handle = one.chan, .gp_first = 64);
	REFUSED(ENOENT, a, chan_stop, .handle = one.event);
	REFUSED(EINVAL, a, chan_stop, .handle = one.chan);
	REFUSED(EINVAL, a, chan_stop, .handle = one.chan, .pad = 1);
	REFUSED(ENOENT, a, chan_error, .handle = one.event);
	REFUSED(EINVAL, a, chan_error, .handle = one.chan, .pad = 1);
}

static void refuse_event(void)
{
	int fd = one.eventfd, pair[2];

	REFUSED(ENOENT, a, event_add, .chan = one.mem, .mem = one.mem,
		.eventfd = fd);
	REFUSED(ENOENT, a, event_add, .chan = one.chan, .mem = one.chan,
		.eventfd = fd);
	REFUSED(EINVAL, a, event_add, .chan = one.chan, .mem = one.mem,
		.eventfd = fd, .offset = 2);
	REFUSED(EINVAL, a, event_add, .chan = one.chan, .mem = one.mem,
		.eventfd = fd, .offset = 64 * K);
	REFUSED(EINVAL, a, event_add, .chan = one.chan, .mem = one.mem,
		.eventfd = fd, .offset = ~0ULL - 3);
	REFUSED(EINVAL, a, event_add, .chan = one.chan, .mem = one.mem,
		.eventfd = fd, .pad = 1);
	REFUSED(EBADF, a, event_add, .chan = one.chan, .mem = one.mem,
		.value = 1, .eventfd = -1);
	REFUSED(EBADF, a, event_add, .chan = one.chan, .mem = one.mem,
		.value = 1, .eventfd = 12345);
	ck_assert_int_eq(pipe(pair), 0);
	REFUSED(EINVAL, a, event_add, .chan = one.chan, .mem = one.mem,
		.value = 1, .eventfd = pair[1]);
	close(pair[0]);
	close(pair[1]);
	REFUSED(ENOENT, a, event_remove, .handle = one.chan);
	REFUSED(EINVAL, a, event_remove, .handle = one.event, .pad = 1);
}

/* What depends on the state that objects are in. */

static u32 chan_at(struct tesla_file *file, u32 space, u32 id, u64 gp_va)
{
	struct tesla_chan_create arg = {
		.space = space, .id = id, .gp_va = gp_va, .gp_entries = 64,
	};

	ck_assert_int_eq(ASK(file, chan_create, &arg), 0);
	ck_assert_uint_eq(arg.id, id);
	return arg.handle;
}

static void chan_dies(u32 handle)
{
	struct object *object = object_get(a, handle, OBJECT_CHAN);

	chan_kill(container_of(object, struct tesla_chan, object)->chan);
	object_put(a, object);
	flush_work(&a->gpu->recover);
}

static void refuse_state(void)
{
	u32 mem = make_mem(a, 64 * K, TESLA_MEM_COHERENT, NULL);
	u32 space = make_space(a), chan;
	u64 others;

	make_mem(b, PAGE, TESLA_MEM_COHERENT, &others);
	ck_assert_int_eq(CALL_OF(a, space_map, .space = space, .mem = mem,
				 .va = 4 * M, .size = 64 * K,
				 .flags = TESLA_MAP_FIXED), 0);
	chan = chan_at(a, space, 5, 4 * M);
	REFUSED(EBUSY, a, space_destroy, .handle = space);
	REFUSED(EBUSY, b, chan_create, .id = 6, .gp_va = others,
		.gp_entries = 64);	/* the page is a's */

	ck_assert_int_eq(CALL_OF(a, chan_start, .handle = chan), 0);
	REFUSED(EINVAL, a, chan_start, .handle = chan);
	chan_dies(chan);
	REFUSED(EIO, a, chan_error, .handle = chan);
	REFUSED(EIO, a, chan_start, .handle = chan);
	REFUSED(EIO, a, event_add, .chan = chan, .mem = mem, .value = 1,
		.eventfd = one.eventfd);

	ck_assert_int_eq(CALL_OF(a, chan_destroy, .handle = chan), 0);
	ck_assert_int_eq(CALL_OF(a, space_destroy, .handle = space), 0);
	ck_assert_int_eq(CALL_OF(a, mem_free, .handle = mem), 0);
}

/* What there is only so much of. */
static void refuse_more(void)
{
	struct tesla_space_create narrow = { .base = M, .limit = M + 64 * K };
	struct vas_piece piece = { MMU_VRAM, 0, 16 * K * M };
	struct vas_mapping mapping = {
		.size = piece.size, .piece = &piece, .pieces = 1,
	};
	u32 objects = a->objects;

	ck_assert_int_eq(ASK(a, space_create, &narrow), 0);
	ck_assert_int_eq(CALL_OF(a, space_map, .space = narrow.handle,
				 .mem = one.mem, .size = 64 * K), 0);
	REFUSED(ENOSPC, a, space_map, .space = narrow.handle,
		.mem = one.mem, .size = PAGE);

	a->objects = FILE_OBJECTS_MAX;
	REFUSED(EMFILE, a, mem_alloc, .size = PAGE);
	REFUSED(EMFILE, a, space_create, .base = 0, .limit = M);
	REFUSED(EMFILE, a, chan_create, .id = 1, .gp_va = one.ring_va,
		.gp_entries = 64);
	REFUSED(EMFILE, a, event_add, .chan = one.chan, .mem = one.mem,
		.value = 1, .eventfd = one.eventfd);
	a->objects = objects + 1;

	while (vas_map(a->own.vas, &mapping) == 0)
		;
	mapping.size = piece.size = 2 * M;
	while (vas_map(a->own.vas, &mapping) == 0)
		;
	REFUSED(ENOSPC, a, mem_alloc, .size = 4 * M,
		.kind = TESLA_MEM_VRAM);
}

/* Faults ------------------------------------------------------------------- */

/* What a call is about to destroy. */
static u32 victim;

#define DESTROY(name)	CALL_OF(a, name, .handle = victim)

/* Calls that succeed, once all is prepared. */
static long good(u32 call)
{
	switch (call) {
	case TESLA_CALL_get_info:
		return CALL_OF(a, get_info);
	case TESLA_CALL_irq_stats:
		return CALL_OF(a, irq_stats);
	case TESLA_CALL_space_destroy:
		return DESTROY(space_destroy);
	case TESLA_CALL_chan_destroy:
		return DESTROY(chan_destroy);
	case TESLA_CALL_event_remove:
		return DESTROY(event_remove);
	case TESLA_CALL_mem_alloc:
		return CALL_OF(a, mem_alloc, .size = 4 * M,
			       .kind = TESLA_MEM_VRAM);
	case TESLA_CALL_mem_free:
		return DESTROY(mem_free);
	case TESLA_CALL_space_create:
		return CALL_OF(a, space_create, .base = M, .limit = 4 * M);
	case TESLA_CALL_space_map:
		return CALL_OF(a, space_map, .space = one.space,
			       .mem = one.vram, .va = 1024 * M, .size = 64 * K,
			       .flags = TESLA_MAP_FIXED | TESLA_MAP_REPLACE);
	case TESLA_CALL_space_unmap:
		return CALL_OF(a, space_unmap, .space = one.space,
			       .va = M + PAGE, .size = PAGE);
	case TESLA_CALL_chan_create:
		return CALL_OF(a, chan_create, .id = TESLA_CHAN_ANY,
			       .gp_va = one.ring_va, .gp_entries = 64);
	case TESLA_CALL_chan_start:
		return CALL_OF(a, chan_start, .handle = one.chan);
	case TESLA_CALL_chan_stop:
		return CALL_OF(a, chan_stop, .handle = one.chan);
	case TESLA_CALL_chan_error:
		return CALL_OF(a, chan_error, .handle = one.chan);
	case TESLA_CALL_event_add:
		return CALL_OF(a, event_add, .chan = one.chan,
			       .mem = one.mem, .value = 1,
			       .eventfd = one.eventfd);
	default:
		return 1;
	}
}

/* What a good call wants to find; also if it was made before. */
static void prepare(u32 call)
{
	switch (call) {
	case TESLA_CALL_mem_free:
		victim = make_mem(a, PAGE, TESLA_MEM_VRAM, NULL);
		break;
	case TESLA_CALL_space_destroy:
		victim = make_space(a);
		ck_assert_int_eq(CALL_OF(a, space_map, .space = victim,
					 .mem = one.mem, .size = 64 * K), 0);
		break;
	case TESLA_CALL_chan_destroy:
		victim = make_chan(a, one.ring_va);
		ck_assert_int_eq(CALL_OF(a, chan_start, .handle = victim), 0);
		break;
	case TESLA_CALL_event_remove:
		victim = make_event(a, one.chan, one.mem, one.eventfd);
		break;
	case TESLA_CALL_chan_start:
		CALL_OF(a, chan_stop, .handle = one.chan);
		break;
	case TESLA_CALL_chan_stop:
		CALL_OF(a, chan_start, .handle = one.chan);
		break;
	}
}

static void sweep_memory(u32 call)
{
	bool hit = true;

	for (unsigned int n = 1; hit; n++) {
		struct calls_state before;
		long err;

		prepare(call);
		calls_look(&r, &before);
		port_fail_alloc(n);
		err = good(call);
		hit = port_fail_alloc_hit();
		port_fail_alloc(0);
		ck_assert_msg(is_listed(call, err), "call %u: %ld", call,
			      err);
		ck_assert_msg(!err || calls_same(&r, &before),
			      "call %u, allocation %u", call, n);
		ck_assert(hit || !err);
	}
}

/* True while the n-th read is reached.  The first reads one by one, later ones
 * at wider and wider steps. */
static bool try_card(u32 call, enum fault fault, unsigned int n)
{
	unsigned int objects;
	bool hit;
	long err;

	up();
	prepare(call);
	objects = tesla_objects(a);
	fault_bus_attach(r.bus, fault, n);
	err = good(call);
	hit = fault_bus_detach(r.bus);
	ck_assert_msg(is_listed(call, err), "call %u: %ld", call, err);
	if (err)
		ck_assert_uint_eq(tesla_objects(a), objects);
	calls_close(&r);
	tesla_remove(r.tesla);
	gpu_bus_close(r.bus);
	close(one.eventfd);
	ck_assert_int_eq(port_live_allocs(), 0);
	return hit;
}

static void sweep_card(u32 call)
{
	u32 n;

	for (n = 1; try_card(call, FAULT_STUCK, n);
	     n += n < 24 ? 1 : n / 8)
		;
	for (n = 1; try_card(call, FAULT_LOST, n); n += 1 + n / 4)
		;
}

/* The interrupt's thread reads, too: which read is the n-th differs from run to
 * run, and one sweep may pass over the one that matters. */
static void sweep_card_until_late(u32 call)
{
	const struct row *late = row_find(call, -ETIMEDOUT);

	for (int again = 0; again < SWEEPS; again++) {
		sweep_card(call);
		if (!late || late->seen)
			return;
	}
}

START_TEST(every_error_of_the_table_can_be_had_and_no_other)
{
	up();
	refuse_mem();
	refuse_space();
	refuse_map();
	refuse_chan();
	refuse_event();
	refuse_state();
	refuse_more();
	down();

	up();
	for (u32 call = 0; call < TESLA_CALLS; call++)
		sweep_memory(call);
	down();
	for (u32 call = 0; call < TESLA_CALLS; call++)
		sweep_card_until_late(call);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		ck_assert_msg(rows[i].seen, "%s was not met", rows[i].name);
}
END_TEST

static Suite *calls_suite(void)
{
	Suite *suite = suite_create("calls");
	TCase *errors = tcase_create("errors");

	tcase_set_timeout(errors, 300);
	tcase_add_test(errors,
		       every_error_of_the_table_can_be_had_and_no_other);
	suite_add_tcase(suite, errors);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(calls_suite());
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
