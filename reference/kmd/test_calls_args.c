/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The call table's arguments, before anybody looks at what they say: shorter
 * and longer ones, calls that are not there, addresses that are not memory.
 */
#include <check.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "test_calls_rig.h"

static struct calls_rig r;
static struct tesla_file *a;

static void up(void)
{
	calls_up(&r, CARD_P40);
	a = r.file[0];
	/* The spaces have their first tables. */
	make_mem(a, PAGE, TESLA_MEM_COHERENT, NULL);
}

static void down(void)
{
	calls_down(&r);
}

START_TEST(an_argument_may_be_shorter_or_longer_than_ours)
{
	struct {
		struct tesla_mem_alloc arg;
		u64 more[4];
	} big = { .arg = { .size = PAGE } };
	struct tesla_get_info info;
	size_t size = sizeof(big.arg);

	up();
	ck_assert_int_eq(tesla_call(a, TESLA_CALL_mem_alloc, &big, 0),
			 -EINVAL);
	ck_assert_int_eq(tesla_call(a, TESLA_CALL_mem_alloc, &big,
				    sizeof(big)), 0);
	ck_assert_uint_ne(big.arg.va, 0);
	for (size_t i = 0; i < sizeof(big.more); i++) {
		struct calls_state before;

		memset(&big, 0, sizeof(big));
		big.arg.size = PAGE;
		((u8 *)big.more)[i] = 1;
		calls_look(&r, &before);
		ck_assert_int_eq(tesla_call(a, TESLA_CALL_mem_alloc, &big,
					    size + i), 0);
		ck_assert_int_eq(CALL_OF(a, mem_free,
					 .handle = big.arg.handle), 0);
		big.arg = (struct tesla_mem_alloc){ .size = PAGE };
		ck_assert_int_eq(tesla_call(a, TESLA_CALL_mem_alloc, &big,
					    size + i + 1), -E2BIG);
		ck_assert(calls_same(&r, &before));
	}
	ck_assert_int_eq(tesla_call(a, TESLA_CALL_mem_alloc, &big,
				    TESLA_ARG_MAX + 1), -E2BIG);

	/* Of a shorter one only that much is written. */
	memset(&info, 0xee, sizeof(info));
	memset(&info, 0, 8);
	ck_assert_int_eq(tesla_call(a, TESLA_CALL_get_info, &info, 8), 0);
	ck_assert_uint_eq(info.version, TESLA_VERSION);
	ck_assert_uint_eq(info.copy_class, gpu_copy_class(a->gpu));
	ck_assert_uint_eq((u8)info.chip[0], 0xee);
	down();
}
END_TEST

/* What may be wrong with the size of any call's argument. */
START_TEST(every_call_refuses_a_wrong_size)
{
	static const size_t sizes[] = {
#define CALL(number, name, way, text)	[number] = sizeof(struct tesla_##name),
#define CALL_ERROR(name, error, text)
#include "uapi/calls.def"
#undef CALL
#undef CALL_ERROR
	};
	struct calls_state before;
	u8 arg[TESLA_ARG_MAX + 8];

	up();
	calls_look(&r, &before);
	for (u32 call = 0; call < TESLA_CALLS; call++) {
		const size_t wrong[] = {
			sizes[call] + 1, sizes[call] + 8, TESLA_ARG_MAX,
		};

		memset(arg, 0, sizeof(arg));
		ck_assert_int_eq(tesla_call(a, call, arg, 0), -EINVAL);
		ck_assert_int_eq(tesla_call(a, call, arg, TESLA_ARG_MAX + 1),
				 -E2BIG);
		ck_assert_int_eq(tesla_call(a, call, arg, ~0UL), -E2BIG);
		for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
			arg[wrong[i] - 1] = 1;
			ck_assert_int_eq(tesla_call(a, call, arg, wrong[i]),
					 -E2BIG);
			arg[wrong[i] - 1] = 0;
		}
	}
	ck_assert(calls_same(&r, &before));
	/* Where it lies is of no matter. */
	*(u64 *)memset(arg, 0, sizeof(arg)) = PAGE;
	memmove(arg + 3, arg, sizeof(struct tesla_mem_alloc));
	ck_assert_int_eq(tesla_call(a, TESLA_CALL_mem_alloc, arg + 3,
				    sizeof(struct tesla_mem_alloc)), 0);
	down();
}
END_TEST

START_TEST(a_call_that_is_not_there_is_refused)
{
	u64 arg[8] = { 0 };

	up();
	ck_assert_int_eq(tesla_call(a, TESLA_CALLS, arg, 8), -ENOTTY);
	ck_assert_int_eq(tesla_call(a, ~0u, arg, 8), -ENOTTY);
	ck_assert_int_eq(tesla_call(a, 1u << 31, arg, 8), -ENOTTY);
	down();
}
END_TEST

/* Two pages, of which the second has these rights. */
static char *pages(int rights)
{
	char *at = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(at, MAP_FAILED);
	ck_assert_int_eq(mprotect(at + PAGE, PAGE, rights), 0);
	return at;
}

static void faults_at(u32 call, void *at, size_t size)
{
	struct calls_state before;

	calls_look(&r, &before);
	ck_assert_int_eq(tesla_call(a, call, at, size), -EFAULT);
	ck_assert(calls_same(&r, &before));
}

START_TEST(an_argument_that_is_not_memory_is_a_fault)
{
	const struct tesla_mem_alloc arg = { .size = PAGE };
	const size_t size = sizeof(arg);
	char *none, *fixed;

	up();
	none = pages(PROT_NONE);
	fixed = pages(PROT_READ | PROT_WRITE);
	for (u32 call = 0; call < TESLA_CALLS; call++) {
		faults_at(call, NULL, size);
		faults_at(call, (void *)8, size);
		faults_at(call, (void *)(1ULL << 47), size);
		faults_at(call, (void *)0xffff888000000000, size);
		faults_at(call, (void *)-8, size);
		faults_at(call, none + PAGE, size);
		faults_at(call, none + PAGE - 4, size);
	}
	/* It can be read, but results have no place. */
	memcpy(fixed + PAGE, &arg, size);
	ck_assert_int_eq(mprotect(fixed + PAGE, PAGE, PROT_READ), 0);
	faults_at(TESLA_CALL_mem_alloc, fixed + PAGE, size);
	ck_assert_int_eq(tesla_call(a, TESLA_CALL_mem_alloc,
				    memcpy(none + PAGE - size, &arg, size),
				    size), 0);
	munmap(none, 2 * PAGE);
	munmap(fixed, 2 * PAGE);
	down();
}
END_TEST

START_TEST(a_copy_that_fails_half_way_loses_nothing)
{
	struct calls_state before;

	up();
	calls_look(&r, &before);
	for (unsigned int n = 1; n <= 2; n++) {
		port_fail_uaccess(n);
		ck_assert_int_eq(CALL_OF(a, mem_alloc, .size = PAGE),
				 -EFAULT);
		ck_assert(calls_same(&r, &before));
	}
	/* Too late to be undone: it is the file's, and goes with it. */
	port_fail_uaccess(3);
	ck_assert_int_eq(CALL_OF(a, mem_alloc, .size = PAGE), -EFAULT);
	ck_assert_uint_eq(tesla_objects(a), before.objects[0] + 1);
	port_fail_uaccess(0);
	down();
}
END_TEST

static Suite *args_suite(void)
{
	Suite *suite = suite_create("calls-args");
	TCase *args = tcase_create("args");

	tcase_add_test(args, an_argument_may_be_shorter_or_longer_than_ours);
	tcase_add_test(args, every_call_refuses_a_wrong_size);
	tcase_add_test(args, a_call_that_is_not_there_is_refused);
	tcase_add_test(args, an_argument_that_is_not_memory_is_a_fault);
	tcase_add_test(args, a_copy_that_fails_half_way_loses_nothing);
	suite_add_tcase(suite, args);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(args_suite());
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
