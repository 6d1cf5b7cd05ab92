/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * From power-on to a running channel and back, on every card, with every
 * allocation and every register read going wrong once.
 */
#include <check.h>
#include <stdlib.h>

#include "gpu.h"
#include "test_fault_bus.h"
#include "reference/bus/direct/direct.h"
#include "reference/hal/chip.h"
#include "vm/spec/reg.h"

#define VARIANTS	(2 * CARD_CHIPS)	/* with and without additions */

static struct gpu_bus *bus;

static struct card_config config_of(int variant)
{
	struct card_config config = {
		.chip = variant % CARD_CHIPS,
		.seed = 1 + variant,
		.no_additions = variant >= CARD_CHIPS,
	};

	return config;
}

static void card_open(const struct card_config *config)
{
	ck_assert_int_eq(bus_direct_open(config, &bus), 0);
}

static u32 pci_command(void)
{
	return readl((char *)bus->bar[GPU_CONFIG] + NV_XVE_DEV_CTRL) & 0xffff;
}

static void setup(void)
{
	setenv("PORT_LOG", "err", 0);
	bus = NULL;
}

static void teardown(void)
{
	gpu_bus_close(bus);
	ck_assert_int_eq(port_live_allocs(), 0);
}

START_TEST(every_card_comes_up_and_goes_down_without_a_broken_rule)
{
	static const char *const names[] = { "GP100", "GP102", "GM200" };
	static const u32 classes[] = { 0xc0b5, 0xc1b5, 0xb0b5 };
	struct card_config config = config_of(_i);
	struct gpu *gpu;
	u32 command;

	card_open(&config);
	command = pci_command();
	ck_assert_int_eq(gpu_open(bus, &gpu), 0);
	ck_assert_str_eq(gpu_chip_name(gpu), names[config.chip]);
	ck_assert_uint_eq(gpu_copy_class(gpu), classes[config.chip]);
	ck_assert_ptr_eq(gpu_bus(gpu), bus);
	ck_assert_uint_eq(pci_command(), command | 6);
	gpu_close(gpu);
	ck_assert_uint_eq(pci_command(), command);
	ck_assert_uint_eq(bus_direct_violations_all(bus), 0);
	ck_assert_uint_eq(bus_direct_interrupts(bus), 0);
}
END_TEST

START_TEST(a_card_comes_up_as_often_as_it_is_asked_to)
{
	struct card_config config = config_of(_i);
	struct gpu *gpu;

	card_open(&config);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(gpu_open(bus, &gpu), 0);
		gpu_close(gpu);
		ck_assert_int_eq(port_live_allocs(), 0);
	}
	ck_assert_uint_eq(bus_direct_violations_all(bus), 0);
}
END_TEST

START_TEST(a_card_that_was_not_posted_is_refused)
{
	struct card_config config = config_of(_i);
	struct gpu *gpu;
	u32 command;

	config.unposted = true;
	card_open(&config);
	command = pci_command();
	ck_assert_int_eq(gpu_open(bus, &gpu), -ENXIO);
	ck_assert_uint_eq(pci_command(), command);
	ck_assert_int_eq(port_live_allocs(), 0);
	ck_assert_uint_eq(bus_direct_violations_all(bus), 0);
}
END_TEST

START_TEST(a_card_that_is_not_there_is_no_device)
{
	struct card_config config = config_of(_i);
	struct gpu *gpu;

	card_open(&config);
	card_unplug(bus_direct_card(bus));
	ck_assert_int_eq(gpu_open(bus, &gpu), -ENODEV);
	ck_assert_int_eq(port_live_allocs(), 0);
}
END_TEST

/* A channel over a ring of its own, for tests that need the GPU's view. */
struct channel {
	struct gpu_mem gp;
	struct chan *chan;
};

static int channel_open(struct gpu *gpu, u32 id, struct channel *channel)
{
	struct chan_config config = { .id = id, .gp_entries = 512 };
	int err;

	err = gpu_mem_alloc(gpu, 4096, MEM_COHERENT, &channel->gp);
	if (err)
		return err;
	config.gp_va = channel->gp.va;
	err = chan_create(gpu, &config, &channel->chan);
	if (err)
		gpu_mem_free(gpu, &channel->gp);
	return err;
}

static void channel_close(struct gpu *gpu, struct channel *channel)
{
	chan_destroy(channel->chan);
	gpu_mem_free(gpu, &channel->gp);
}

START_TEST(cpu_and_gpu_see_the_same_memory)
{
	struct card_config config = config_of(_i);
	struct gpu_mem mem[3];
	struct channel channel;
	struct gpu *gpu;

	card_open(&config);
	ck_assert_int_eq(gpu_open(bus, &gpu), 0);
	ck_assert_int_eq(channel_open(gpu, CHAN_ANY, &channel), 0);
	for (u32 kind = 0; kind < 3; kind++) {
		ck_assert_int_eq(gpu_mem_alloc(gpu, 3 * 4096 + 1, kind,
					       &mem[kind]), 0);
		ck_assert_uint_eq(mem[kind].size, 4 * 4096);
		ck_assert_uint_gt(mem[kind].va, 0xffffffff);
		ck_assert_uint_lt(mem[kind].va + mem[kind].size, 1ULL << 40);
		for (u32 at = 0; at < mem[kind].size; at += 4) {
			ck_assert_uint_eq(iosys_map_rd(&mem[kind].map, at,
						       u32), 0);
			iosys_map_wr(&mem[kind].map, at, u32, kind << 16 | at);
		}
		iosys_map_rd(&mem[kind].map, 0, u32);
	}
	ck_assert_int_eq(chan_start(channel.chan, 0), 0);
	for (int i = 0; i < 100; i++)
		cpu_relax();
	for (u32 kind = 0; kind < 3; kind++) {
		u32 words[4096];
		struct card *card = bus_direct_lock(bus);

		ck_assert_int_eq(card_peek_va(card, chan_id(channel.chan),
					      mem[kind].va, words,
					      sizeof(words)), 0);
		bus_direct_unlock(bus);
		for (u32 i = 0; i < ARRAY_SIZE(words); i++)
			ck_assert_uint_eq(words[i], kind << 16 | i * 4);
	}
	ck_assert_int_eq(chan_stop(channel.chan), 0);
	for (u32 kind = 0; kind < 3; kind++)
		gpu_mem_free(gpu, &mem[kind]);
	channel_close(gpu, &channel);
	gpu_close(gpu);
	ck_assert_uint_eq(bus_direct_violations_all(bus), 0);
}
END_TEST

START_TEST(memory_of_no_size_is_refused)
{
	struct card_config config = config_of(0);
	struct gpu_mem mem;
	struct gpu *gpu;

	card_open(&config);
	ck_assert_int_eq(gpu_open(bus, &gpu), 0);
	ck_assert_int_eq(gpu_mem_alloc(gpu, 0, MEM_VRAM, &mem), -EINVAL);
	ck_assert_int_eq(gpu_mem_alloc(gpu, ~0ULL, MEM_VRAM, &mem), -EINVAL);
	ck_assert_int_eq(gpu_mem_alloc(gpu, 1ULL << 39, MEM_VRAM, &mem),
			 -ENOMEM);
	gpu_close(gpu);
}
END_TEST

static struct card_channel_state state_of(u32 id, bool *bound)
{
	struct card_channel_state state = { 0 };

	*bound = card_channel(bus_direct_lock(bus), id, &state);
	bus_direct_unlock(bus);
	return state;
}

START_TEST(a_channel_starts_where_it_is_told_and_stops)
{
	struct card_config config = config_of(_i);
	struct channel channel;
	struct gpu *gpu;
	bool bound;

	card_open(&config);
	ck_assert_int_eq(gpu_open(bus, &gpu), 0);
	ck_assert_int_eq(channel_open(gpu, 7, &channel), 0);
	ck_assert_uint_eq(chan_id(channel.chan), 7);
	state_of(7, &bound);
	ck_assert(!bound);
	ck_assert_int_eq(chan_stop(channel.chan), -EINVAL);
	ck_assert_int_eq(chan_start(channel.chan, 512), -EINVAL);

	for (u32 first = 0; first < 512; first += 73) {
		struct iosys_map userd = chan_userd(channel.chan);
		struct card_channel_state state;

		ck_assert_int_eq(chan_start(channel.chan, first), 0);
		ck_assert_int_eq(chan_start(channel.chan, first), -EINVAL);
		for (int i = 0; i < 100; i++)
			cpu_relax();
		state = state_of(7, &bound);
		ck_assert(bound && state.enabled && state.idle);
		ck_assert_uint_eq(state.gp_get, first);
		ck_assert_uint_eq(state.gp_put, first);
		ck_assert_uint_eq(state.gp_entries, 512);
		ck_assert_uint_eq(iosys_map_rd(&userd, NV_RAMUSERD_GP_GET,
					       u32), first);
		ck_assert_int_eq(chan_stop(channel.chan), 0);
		ck_assert(!state_of(7, &bound).enabled);
	}
	channel_close(gpu, &channel);
	state_of(7, &bound);
	ck_assert(!bound);
	gpu_close(gpu);
	ck_assert_uint_eq(bus_direct_violations_all(bus), 0);
}
END_TEST

START_TEST(a_channel_id_is_given_once_and_can_be_had_again)
{
	struct card_config config = config_of(_i);
	struct channel a, b, c;
	struct gpu *gpu;

	card_open(&config);
	ck_assert_int_eq(gpu_open(bus, &gpu), 0);
	ck_assert_int_eq(channel_open(gpu, CHAN_ANY, &a), 0);
	ck_assert_int_eq(channel_open(gpu, CHAN_ANY, &b), 0);
	ck_assert_uint_eq(chan_id(a.chan), 0);
	ck_assert_uint_eq(chan_id(b.chan), 1);
	ck_assert_int_eq(channel_open(gpu, 1, &c), -EBUSY);
	ck_assert_int_eq(channel_open(gpu, 4096, &c), -EINVAL);
	ck_assert_int_eq(chan_start(a.chan, 1), 0);
	ck_assert_int_eq(chan_start(b.chan, 2), 0);
	ck_assert_int_eq(chan_stop(a.chan), 0);
	channel_close(gpu, &a);
	ck_assert_int_eq(channel_open(gpu, CHAN_ANY, &c), 0);
	ck_assert_uint_eq(chan_id(c.chan), 0);
	ck_assert_int_eq(chan_start(c.chan, 3), 0);
	/* Destroying a running channel stops it. */
	channel_close(gpu, &c);
	channel_close(gpu, &b);
	gpu_close(gpu);
	ck_assert_uint_eq(bus_direct_violations_all(bus), 0);
}
END_TEST

START_TEST(page_table_entries_are_as_the_manual_has_them)
{
	u64 entry[2];

	/* The worked example of the format: 4 KiB of video memory. */
	ck_assert_uint_eq(mmu_format_2.pte(MMU_VRAM, 0x01234000), 0x123401);
	ck_assert_uint_eq(mmu_format_2.pte(MMU_SYS_COHERENT, 0x7ffffffff000),
			  0x7ffffffff05);
	ck_assert_uint_eq(mmu_format_2.pte(MMU_SYS_NONCOHERENT, 0x1000),
			  0x107);
	mmu_format_2.pde(0, 0x01234000, entry);
	ck_assert_uint_eq(entry[0], 0x123402);
	mmu_format_2.pde(3, 0x01234000, entry);
	ck_assert_uint_eq(entry[0], 0);
	ck_assert_uint_eq(entry[1], 0x123402);
	ck_assert_uint_eq(mmu_index(&mmu_format_2.level[2], 0x1234567000),
			  0x91);
	ck_assert_uint_eq(mmu_index(&mmu_format_2.level[3], 0x1234567000),
			  0xa2);
	ck_assert_uint_eq(mmu_index(&mmu_format_2.level[4], 0x1234567000),
			  0x167);

	ck_assert_uint_eq(mmu_format_1.pte(MMU_VRAM, 0x01234000), 0x12341);
	ck_assert_uint_eq(mmu_format_1.pte(MMU_SYS_COHERENT, 0x1000),
			  0x400000011);
	ck_assert_uint_eq(mmu_format_1.pte(MMU_SYS_NONCOHERENT, 0x1000),
			  0x600000011);
	mmu_format_1.pde(0, 0x01234000, entry);
	ck_assert_uint_eq(entry[0], 0x0001234100000000);
}
END_TEST

/* All that a program does between opening and closing the card. */
static int whole_life(void)
{
	struct channel channel;
	struct gpu_mem vram;
	struct gpu *gpu;
	int err;

	err = gpu_open(bus, &gpu);
	if (err)
		return err;
	err = channel_open(gpu, CHAN_ANY, &channel);
	if (err)
		goto close_gpu;
	err = gpu_mem_alloc(gpu, 8192, MEM_VRAM, &vram);
	if (err)
		goto close_channel;
	err = chan_start(channel.chan, 5);
	if (err)
		goto free_vram;
	err = chan_stop(channel.chan);

free_vram:
	gpu_mem_free(gpu, &vram);
close_channel:
	channel_close(gpu, &channel);
close_gpu:
	gpu_close(gpu);
	return err;
}

START_TEST(no_failed_allocation_leaks_or_leaves_the_card_unquiet)
{
	struct card_config config = config_of(_i);
	unsigned int n = 0;
	int err;

	card_open(&config);
	do {
		port_fail_alloc(++n);
		err = whole_life();
		ck_assert_int_eq(err, port_fail_alloc_hit() ? -ENOMEM : 0);
		ck_assert_int_eq(port_live_allocs(), 0);
	} while (port_fail_alloc_hit());
	port_fail_alloc(0);
	ck_assert_uint_gt(n, 20);
	ck_assert_uint_eq(bus_direct_violations_all(bus), 0);
}
END_TEST

/* A fresh card for every n: each of the first reads, then ever fewer. */
static unsigned int sweep(enum fault fault, int variant,
			  void (*check)(int err))
{
	struct card_config config = config_of(variant);
	unsigned int n = 1;
	bool hit;

	setenv("PORT_LOG", "quiet", 1);
	for (;; n += 1 + n / 64) {
		int err;

		card_open(&config);
		fault_bus_attach(bus, fault, n);
		err = whole_life();
		hit = fault_bus_detach(bus);
		ck_assert_int_eq(port_live_allocs(), 0);
		if (!hit) {
			ck_assert_int_eq(err, 0);
			break;
		}
		check(err);
		gpu_bus_close(bus);
	}
	return n;
}

static void any_known_error(int err)
{
	ck_assert(err == 0 || err == -ENODEV || err == -ENXIO ||
		  err == -ETIMEDOUT || err == -ENOMEM);
}

static void no_device(int err)
{
	/* Lost after the last step that reads: nobody has noticed. */
	ck_assert(err == 0 || err == -ENODEV);
}

START_TEST(no_register_that_never_moves_hangs_the_driver)
{
	ck_assert_uint_gt(sweep(FAULT_STUCK, _i, any_known_error), 100);
}
END_TEST

START_TEST(no_moment_at_which_the_card_is_lost_hangs_the_driver)
{
	ck_assert_uint_gt(sweep(FAULT_LOST, _i, no_device), 100);
}
END_TEST

START_TEST(no_single_bad_read_leaks)
{
	ck_assert_uint_gt(sweep(FAULT_GLITCH, _i, any_known_error), 100);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bringup");
	TCase *tcase = tcase_create("bringup");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase,
		every_card_comes_up_and_goes_down_without_a_broken_rule,
		0, VARIANTS);
	tcase_add_loop_test(tcase,
		a_card_comes_up_as_often_as_it_is_asked_to, 0, VARIANTS);
	tcase_add_loop_test(tcase, a_card_that_was_not_posted_is_refused,
			    0, VARIANTS);
	tcase_add_loop_test(tcase, a_card_that_is_not_there_is_no_device,
			    0, VARIANTS);
	tcase_add_loop_test(tcase, cpu_and_gpu_see_the_same_memory,
			    0, VARIANTS);
	tcase_add_test(tcase, memory_of_no_size_is_refused);
	tcase_add_loop_test(tcase,
		a_channel_starts_where_it_is_told_and_stops, 0, VARIANTS);
	tcase_add_loop_test(tcase,
		a_channel_id_is_given_once_and_can_be_had_again,
		0, VARIANTS);
	tcase_add_test(tcase, page_table_entries_are_as_the_manual_has_them);
	tcase_add_loop_test(tcase,
		no_failed_allocation_leaks_or_leaves_the_card_unquiet,
		0, CARD_CHIPS);
	tcase_add_loop_test(tcase,
		no_register_that_never_moves_hangs_the_driver,
		0, CARD_CHIPS);
	tcase_add_loop_test(tcase,
		no_moment_at_which_the_card_is_lost_hangs_the_driver,
		0, CARD_CHIPS);
	tcase_add_loop_test(tcase, no_single_bad_read_leaks, 0, CARD_CHIPS);
	suite_add_tcase(suite, tcase);

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
