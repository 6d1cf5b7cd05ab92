/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Address spaces in use: copies through them, invalidations from a channel,
 * and what the card finds at every moment of a change.
 */
#include <check.h>
#include <stdlib.h>

#include "queue.h"
#include "tlb.h"
#include "test_vas_rig.h"
#include "vm/spec/reg.h"

#define MS	1000000ULL
#define LIMIT	(1ULL << 40)
#define BYTES	(64 * K)
#define WORDS	(BYTES / 4)

static struct vas_rig rig;
static struct {
	struct vas *vas;
	struct queue queue;
	struct gpu_mem sem, from, to;
	u32 sequence;
	u32 flushes;
	/* the last invalidation */
	u32 invalidations, channel;
	u64 root;
} m;

static void on_event(void *context, const struct card_event *event)
{
	(void)context;
	m.flushes += event->kind == EV_FLUSH;
	if (event->kind != EV_TLB_INVALIDATE)
		return;
	m.invalidations++;
	m.channel = event->channel;
	m.root = event->arg[0];
}

static void open_card(int chip)
{
	memset(&m, 0, sizeof(m));
	vas_rig_open(&rig, chip, on_event);
}

static void map_at(u64 va, struct vas_piece *piece, u32 pieces, u64 size,
		   u32 flags, u32 shift)
{
	struct vas_mapping mapping = {
		.va = va, .size = size, .piece = piece, .pieces = pieces,
		.flags = VAS_FIXED | flags, .page_shift = shift,
	};

	ck_assert_int_eq(vas_map(m.vas, &mapping), 0);
}

/* Memory at the address where the driver's own space has it. */
static void show(const struct gpu_mem *mem)
{
	struct vas_piece piece = { MMU_SYS_COHERENT, mem->phys, mem->size };

	map_at(mem->va, &piece, 1, mem->size, 0, 0);
}

static void show_new(struct gpu_mem *mem, u64 size)
{
	ck_assert_int_eq(gpu_mem_alloc(rig.gpu, size, MEM_COHERENT, mem), 0);
	show(mem);
}

static void start(int chip)
{
	struct queue_config config = {
		.id = 5, .gp_entries = 64, .pb_words = 1024,
		.privileged = true,
	};

	open_card(chip);
	ck_assert_int_eq(vas_create(rig.gpu, 0, LIMIT, &m.vas), 0);
	config.vas = m.vas;
	ck_assert_int_eq(queue_alloc(rig.gpu, &config, &m.queue), 0);
	show(&m.queue.gp);
	show(&m.queue.pb);
	show_new(&m.sem, 4096);
	show_new(&m.from, BYTES);
	show_new(&m.to, BYTES);
	ck_assert_int_eq(queue_start(&m.queue, &config), 0);
}

static void stop(u32 violations)
{
	queue_close(&m.queue, 0);
	vas_destroy(m.vas);
	gpu_mem_free(rig.gpu, &m.to);
	gpu_mem_free(rig.gpu, &m.from);
	gpu_mem_free(rig.gpu, &m.sem);
	ck_assert_uint_eq(bus_direct_violations_all(rig.bus), violations);
	vas_rig_close(&rig);
}

/* Submit, with a release behind it; is it done in time? */
static bool submit(struct push *push)
{
	u32 release[4] = {
		upper_32_bits(m.sem.va), lower_32_bits(m.sem.va), ++m.sequence,
		REG_VAL(NVC06F_SEMAPHORED_OPERATION,
			NVC06F_SEMAPHORED_OPERATION_RELEASE) |
		REG_VAL(NVC06F_SEMAPHORED_RELEASE_SIZE,
			NVC06F_SEMAPHORED_RELEASE_SIZE_4BYTE),
	};

	ck_assert_int_eq(push_inc(push, 0, NVC06F_SEMAPHOREA, release, 4), 0);
	ck_assert_int_eq(ring_submit(m.queue.ring, push, 0, MS), 0);
	for (u32 i = 0; i < 10000; i++) {
		if (iosys_map_rd(&m.sem.map, 0, u32) == m.sequence)
			return true;
		cpu_relax();
	}
	return false;
}

static bool copy(u64 from, u64 to, u32 bytes)
{
	u32 class = gpu_copy_class(rig.gpu);
	u32 data[8] = {
		upper_32_bits(from), lower_32_bits(from),
		upper_32_bits(to), lower_32_bits(to),
		bytes, bytes, bytes, 1,
	};
	u32 launch = REG_VAL(NVC0B5_LAUNCH_DMA_DATA_TRANSFER_TYPE,
		NVC0B5_LAUNCH_DMA_DATA_TRANSFER_TYPE_NON_PIPELINED) |
		REG_VAL(NVC0B5_LAUNCH_DMA_FLUSH_ENABLE, 1) |
		REG_VAL(NVC0B5_LAUNCH_DMA_SRC_MEMORY_LAYOUT, 1) |
		REG_VAL(NVC0B5_LAUNCH_DMA_DST_MEMORY_LAYOUT, 1);
	u32 words[64];
	struct push push;

	push_init(&push, words, ARRAY_SIZE(words));
	ck_assert_int_eq(push_inc(&push, 4, NVC06F_SET_OBJECT, &class, 1), 0);
	ck_assert_int_eq(push_inc(&push, 4, NVC0B5_OFFSET_IN_UPPER, data, 8),
			 0);
	ck_assert_int_eq(push_inc(&push, 4, NVC0B5_LAUNCH_DMA, &launch, 1), 0);
	return submit(&push);
}

/* from: numbers; to: nothing. */
static void fill(void)
{
	for (u32 i = 0; i < WORDS; i++) {
		iosys_map_wr(&m.from.map, i * 4, u32, 0x10000 + i);
		iosys_map_wr(&m.to.map, i * 4, u32, 0);
	}
}

/* Page i of to holds page order[i] of from. */
static void expect_order(const u8 order[16])
{
	for (u32 i = 0; i < WORDS; i++) {
		u32 page = order[i / 1024];

		ck_assert_uint_eq(iosys_map_rd(&m.to.map, i * 4, u32),
				  0x10000 + page * 1024 + i % 1024);
	}
}

static const u8 forward[16] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
};
static const u8 backward[16] = {
	15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0,
};

/* 64 KiB, its pages last first. */
static void reverse(struct vas_piece piece[16], enum mmu_aperture aperture,
		    u64 addr)
{
	for (u32 i = 0; i < 16; i++)
		piece[i] = (struct vas_piece){
			aperture, addr + (15 - i) * PAGE, PAGE
		};
}

START_TEST(the_copy_engine_finds_what_was_mapped)
{
	u64 s = 3 * M, v = 64 * M, vram;
	struct vas_piece one, piece[16];

	start(_i);
	ck_assert_int_eq(gpu_vram_alloc(rig.gpu, 6 * M, &vram), 0);
	one = (struct vas_piece){ MMU_VRAM, ALIGN(vram, 2 * M), 4 * M };
	reverse(piece, MMU_SYS_COHERENT, m.from.phys);
	map_at(s, piece, 16, BYTES, VAS_READ_ONLY, 0);
	map_at(v, &one, 1, 4 * M, 0, 0);
	fill();
	ck_assert(copy(s, v + 2 * M, BYTES));
	ck_assert(copy(v + 2 * M, m.to.va, BYTES));
	expect_order(backward);

	/* Small pages in place of large ones, and large ones again. */
	reverse(piece, MMU_VRAM, one.addr + 2 * M);
	map_at(v + 2 * M, piece, 16, BYTES, VAS_REPLACE, 12);
	ck_assert(copy(v + 2 * M, m.to.va, BYTES));
	expect_order(forward);
	one.addr += 2 * M;
	map_at(v + 2 * M, &one, 1, 2 * M, VAS_REPLACE, 0);
	ck_assert(copy(v + 2 * M, m.to.va, BYTES));
	expect_order(backward);

	/* What stays on both sides of a hole. */
	ck_assert_int_eq(vas_unmap(m.vas, v, 2 * M), 0);
	ck_assert_int_eq(vas_unmap(m.vas, v + 2 * M + BYTES, 64 * K), 0);
	fill();
	ck_assert(copy(v + 2 * M, m.to.va, BYTES));
	expect_order(backward);
	ck_assert(copy(m.from.va, v + 2 * M + 2 * BYTES, BYTES));
	ck_assert(copy(v + 2 * M + 2 * BYTES, m.to.va, BYTES));
	expect_order(forward);
	gpu_vram_free(rig.gpu, vram);
	stop(0);
}
END_TEST

START_TEST(a_read_only_page_is_not_written)
{
	struct vas_piece piece;

	setenv("PORT_LOG", "quiet", 1);
	start(_i);
	piece = (struct vas_piece){ MMU_SYS_COHERENT, m.to.phys, BYTES };
	map_at(m.to.va, &piece, 1, BYTES, VAS_REPLACE | VAS_READ_ONLY, 0);
	fill();
	ck_assert(!copy(m.from.va, m.to.va, BYTES));
	ck_assert_uint_eq(bus_direct_violations(rig.bus, RULE_MMU_READ_ONLY),
			  1);
	for (u32 i = 0; i < WORDS; i++)
		ck_assert_uint_eq(iosys_map_rd(&m.to.map, i * 4, u32), 0);
	stop(bus_direct_violations_all(rig.bus));
}
END_TEST

START_TEST(invalidations_name_the_page_directory)
{
	u32 words[16], before;
	u64 root;
	struct push push;

	start(_i);
	root = vas_root(m.vas);
	for (u32 all = 0; all < 2; all++) {
		before = m.invalidations;
		ck_assert_int_eq(tlb_invalidate(rig.gpu, all ? TLB_ALL : root),
				 0);
		ck_assert_uint_eq(m.invalidations, before + 1);
		ck_assert_uint_eq(m.root, all ? TLB_ALL : root);
		ck_assert_uint_eq(m.channel, ~0u);

		push_init(&push, words, ARRAY_SIZE(words));
		ck_assert_int_eq(tlb_push_invalidate(rig.gpu, &push, all ?
						     TLB_ALL : root), 0);
		ck_assert(submit(&push));
		ck_assert_uint_eq(m.invalidations, before + 2);
		ck_assert_uint_eq(m.root, all ? TLB_ALL : root);
		ck_assert_uint_eq(m.channel, chan_id(m.queue.chan));
	}
	push_init(&push, words, 2);
	ck_assert_int_eq(tlb_push_invalidate(rig.gpu, &push, root), -ENOSPC);
	ck_assert_uint_eq(push.count, 0);
	stop(0);
}
END_TEST

/* Without a channel, from here on. */

START_TEST(a_call_costs_one_flush_and_one_invalidation)
{
	struct vas *vas;
	u32 flushes;

	open_card(_i);
	ck_assert_int_eq(vas_create(rig.gpu, M, LIMIT, &vas), 0);
	ck_assert_int_eq(map_some(vas, 64 * M, 4 * K, VAS_FIXED, 12), 0);
	flushes = m.flushes;
	m.invalidations = 0;
	ck_assert_int_eq(map_some(vas, 65 * M, M, VAS_FIXED, 12), 0);
	ck_assert_uint_eq(m.flushes, flushes + 1);
	ck_assert_uint_eq(m.invalidations, 1);
	ck_assert_int_eq(vas_unmap(vas, 64 * M, 8 * M), 0);
	ck_assert_uint_eq(m.flushes, flushes + 2);
	ck_assert_uint_eq(m.invalidations, 2);
	vas_destroy(vas);
	vas_rig_close(&rig);
}
END_TEST

/*
 * A bus that looks after each access: is every watched page still mapped, to
 * what it was or to what it will be?
 */
static struct {
	const struct gpu_bus_ops *real;
	struct gpu_bus_ops ops;
	struct vas *vas;
	u64 va, size, old, new;	/* as it was, as it will be		*/
	u32 looks, changes;
} watch;

static void look(void)
{
	static bool was_new[4096];

	for (u64 at = 0; at < watch.size; at += PAGE) {
		u64 va = watch.va + at;
		bool is_new = vas_rig_finds(&rig, watch.vas, va,
					    watch.new + at);

		ck_assert(is_new ||
			  vas_rig_finds(&rig, watch.vas, va, watch.old + at));
		watch.changes += is_new != was_new[at / PAGE];
		was_new[at / PAGE] = is_new;
	}
	watch.looks++;
}

static u64 watch_read(struct gpu_bus *bus, enum gpu_region region, u64 offset,
		      unsigned int size)
{
	u64 value = watch.real->read(bus, region, offset, size);

	look();
	return value;
}

static void watch_write(struct gpu_bus *bus, enum gpu_region region,
			u64 offset, unsigned int size, u64 value)
{
	watch.real->write(bus, region, offset, size, value);
	look();
}

static void watch_burst(struct gpu_bus *bus, enum gpu_region region,
			u64 offset, const void *data, size_t len)
{
	watch.real->write_burst(bus, region, offset, data, len);
	look();
}

static void watch_attach(struct vas *vas)
{
	watch.real = rig.bus->ops;
	watch.ops = *rig.bus->ops;
	watch.ops.read = watch_read;
	watch.ops.write = watch_write;
	watch.ops.write_burst = watch_burst;
	watch.vas = vas;
	watch.looks = watch.changes = 0;
	rig.bus->ops = &watch.ops;
}

START_TEST(an_address_that_is_replaced_is_never_without_a_page)
{
	static const u32 shifts[] = { 12, 16, 21 };
	u32 from = shifts[_i % 3], to = shifts[_i / 3 % 3];
	struct vas_mapping mapping = {
		.va = 64 * M, .size = 2 * M, .piece = &some_memory, .pieces = 1,
		.flags = VAS_FIXED | VAS_REPLACE, .offset = 4 * M,
		.page_shift = to,
	};
	struct vas *vas;

	open_card(_i / 9);
	ck_assert_int_eq(vas_create(rig.gpu, M, LIMIT, &vas), 0);
	if (vas_page_shifts(rig.gpu) & BIT(from) &&
	    vas_page_shifts(rig.gpu) & BIT(to)) {
		ck_assert_int_eq(map_some(vas, 64 * M, 2 * M, VAS_FIXED,
					  from), 0);
		watch.va = mapping.va;
		watch.size = mapping.size;
		watch.old = some_memory.addr;
		watch.new = some_memory.addr + mapping.offset;
		watch_attach(vas);
		ck_assert_int_eq(vas_map(vas, &mapping), 0);
		ck_assert_uint_eq(watch.changes, 2 * M / PAGE);
		rig.bus->ops = watch.real;
		/* The rest of a page of which a part goes. */
		watch.old = watch.new;
		watch.va += 64 * K;
		watch.old += 64 * K;
		watch.size -= 64 * K;
		watch_attach(vas);
		ck_assert_int_eq(vas_unmap(vas, 64 * M + PAGE, 60 * K), 0);
		rig.bus->ops = watch.real;
		ck_assert_uint_gt(watch.looks, 5);
	}
	vas_destroy(vas);
	ck_assert_uint_eq(bus_direct_violations_all(rig.bus), 0);
	vas_rig_close(&rig);
}
END_TEST

static const struct gpu_bus_ops *real_ops;
static u32 told;

static void on_table_freed(struct gpu_bus *bus, u64 addr, u64 size)
{
	ck_assert_uint_ne(addr, vas_root(m.vas));
	ck_assert_uint_ne(size, 0);
	told++;
	real_ops->table_freed(bus, addr, size);
}

START_TEST(the_card_hears_of_tables_that_go)
{
	struct vas_piece piece = { MMU_SYS_COHERENT, 0, PAGE };
	const u64 far = LIMIT - PAGE;
	struct gpu_bus_ops ops;

	start(_i);
	piece.addr = m.to.phys;
	real_ops = rig.bus->ops;
	ops = *real_ops;
	ops.table_freed = on_table_freed;
	rig.bus->ops = &ops;
	told = 0;
	map_at(far, &piece, 1, PAGE, 0, 0);
	ck_assert(copy(m.from.va, far, PAGE));
	ck_assert_uint_eq(told, 0);
	ck_assert_int_eq(vas_unmap(m.vas, far, PAGE), 0);
	ck_assert_uint_ge(told, 1);
	rig.bus->ops = real_ops;
	ck_assert_uint_eq(bus_direct_violations_all(rig.bus), 0);
	/* The channel walks from there. */
	setenv("PORT_LOG", "quiet", 1);
	real_ops->table_freed(rig.bus, vas_root(m.vas), PAGE);
	ck_assert_uint_eq(bus_direct_violations(rig.bus, RULE_TABLE_FREED),
			  1);
	stop(1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("vas_card");
	TCase *tcase = tcase_create("vas_card");
	SRunner *runner = srunner_create(suite);
	int failed;

	setenv("PORT_LOG", "err", 0);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, the_copy_engine_finds_what_was_mapped, 0, 3);
	tcase_add_loop_test(tcase, a_read_only_page_is_not_written, 0, 3);
	tcase_add_loop_test(tcase, invalidations_name_the_page_directory, 0, 3);
	tcase_add_loop_test(tcase,
		a_call_costs_one_flush_and_one_invalidation, 0, 3);
	tcase_add_loop_test(tcase,
		an_address_that_is_replaced_is_never_without_a_page, 0, 27);
	tcase_add_loop_test(tcase, the_card_hears_of_tables_that_go, 0, 3);
	suite_add_tcase(suite, tcase);

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
