/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Step 7: address translation services [§12.4].  The order is the card's to
 * check; what counts here is that data arrive where the process has them, and
 * that everything else is left as it was.
 */
#include "autograder/hidden/02-vas/common.h"

#define VA	(32 * MIB)
#define PAGES	8u

/*
 * Space 0 maps memory 1 as it is for DMA, space 1 the same under the
 * process's addresses.  False: this chip has no ATS.
 */
static bool begin_ats(struct scenario *s, uint32_t flags)
{
	bool there = has_huge_pages(s);		/* Pascal */
	unsigned int i;

	driver_open(s);
	unit_open(s, flags);
	memory_new(s, 1, PAGES * PAGE, APERTURE_COHERENT, 2 * PAGE);
	for (i = 0; i < 2; i++)
		space_open(s, i, BASE, LIMIT);
	space_map(s, 0, MAP(.va = VA, .size = PAGES * PAGE, .memory = 1,
			    .shift = PAGES_4K));
	expect_value(s, ats_supported(s), there,
		     "ATS should be found where it is, and nowhere else");
	if (!there)
		return false;
	memory_of_process(s, 2, 1);
	space_map(s, 1, MAP(.va = VA, .size = PAGES * PAGE, .memory = 2,
			    .shift = PAGES_4K));
	return true;
}

static void expect_no_ats(struct scenario *s)
{
	expect_value(s, ats_enable(s, 0), -EOPNOTSUPP,
		     "a card without ATS should say -EOPNOTSUPP");
	unit_work(s, 0, VA, PAGES, 0x12);
	unit_clean(s);
}

static void use_ats(struct scenario *s, uint32_t data)
{
	expect_value(s, ats_enable(s, 1), 0, "ats_enable() should succeed");
	ats_requests(s);
	unit_work(s, 1, VA, PAGES, data);
	unit_clean(s);
	expect_true(s, ats_requests(s) > 0,
		    "the unit should ask the IOMMU", "a request", 0);
}

void test_public_ats(struct scenario *s)
{
	if (!begin_ats(s, 0)) {
		expect_no_ats(s);
		return;
	}
	use_ats(s, 0xa75);
}

void test_ats_in_order(struct scenario *s)
{
	if (!begin_ats(s, 0)) {
		expect_no_ats(s);
		return;
	}
	/* With or without a context from before. */
	if (pick(s, 2)) {
		unit_work(s, 0, VA, PAGES, 0x31);
		unit_clean(s);
	}
	use_ats(s, 0x32);
	unit_work(s, 1, VA + PAGE, 3, 0x33);
	unit_clean(s);
}

/* Two more spaces, in video memory: that is no matter of ATS. */
static void open_others(struct scenario *s)
{
	unsigned int i;

	for (i = 2; i < 4; i++) {
		space_open(s, i, BASE, LIMIT);
		memory_new(s, i + 1, PAGES * PAGE, APERTURE_VRAM, 0);
		space_map(s, i, MAP(.va = VA, .size = PAGES * PAGE,
				    .memory = i + 1, .shift = PAGES_4K));
	}
}

/* They take turns, with tags as long as there are some. */
static void use_others(struct scenario *s, uint32_t data)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		unit_work(s, 2 + i % 2, VA, PAGES, data + i);
	unit_clean(s);
}

void test_ats_goes_off(struct scenario *s)
{
	unsigned int i;

	if (!begin_ats(s, UNIT_TAGS)) {
		expect_no_ats(s);
		return;
	}
	open_others(s);
	use_others(s, 0x21);
	for (i = 0; i < 3; i++) {
		use_ats(s, 0x41 + i);
		use_others(s, 0x61 + i);
		ats_disable(s);
		ats_requests(s);
		unit_forget(s, 1);
		unit_forget(s, 0);
		unit_work(s, 0, VA, PAGES, 0x51 + i);
		unit_clean(s);
		expect_value(s, ats_requests(s), 0,
			     "with ATS off nobody should ask the IOMMU");
	}
	/* The rest of the card works as before. */
	ring_open_in(s, 0, 0, RINGS, false);
	gpu_reads(s, 0, VA, PAGES * PAGE);
	gpu_writes(s, 0, VA, PAGES * PAGE);
}

void test_ats_where_there_is_none(struct scenario *s)
{
	if (seed(s) % 2) {
		use_documented_card(s);
		driver_open(s);
		expect_value(s, ats_supported(s), 0,
			     "the documented card has no ATS");
		driver_leaves_nothing(s);
		return;
	}
	if (!begin_ats(s, 0)) {
		expect_no_ats(s);
		return;
	}
	at_once(s, CARD_UNPLUG);
	expect_value(s, ats_supported(s), 0,
		     "a card that is gone has nothing");
	expect_value(s, ats_enable(s, 1), -ENODEV,
		     "with the card gone a call should say -ENODEV");
}
