/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The compile step: the reference passes, each evasion is refused with a line
 * that says why, and mistakes are the compiler's to report.
 *
 * Each case is a ring.c of a few lines; the checks of its text come before
 * anybody asks whether it is a whole driver.
 */
#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "autograder/compile/compile.h"
#include "autograder/compile/labs.h"

static char root[PATH_MAX];
static char base[] = "/tmp/test-compile-XXXXXX";
static char source[PATH_MAX], scratch[PATH_MAX], output[PATH_MAX];
static struct compile_result result;

static void folder(char *path, const char *name)
{
	snprintf(path, PATH_MAX, "%s/%s", base, name);
	ck_assert_int_eq(mkdir(path, 0700), 0);
}

static void setup(void)
{
	ck_assert_ptr_nonnull(getcwd(root, sizeof(root)));
	ck_assert_ptr_nonnull(mkdtemp(base));
	folder(source, "source");
	folder(scratch, "scratch");
	snprintf(output, sizeof(output), "%s/out", base);
}

static void teardown(void)
{
	char command[PATH_MAX + 16];

	snprintf(command, sizeof(command), "rm -rf %s", base);
	ck_assert_int_eq(system(command), 0);
}

static void write_source(const char *name, const char *text)
{
	char path[PATH_MAX + 64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", source, name);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
}

static void copy_file(const char *folder, const char *name)
{
	char command[3 * PATH_MAX];

	snprintf(command, sizeof(command), "cp %s/%s/%s %s/", root, folder,
		 name, source);
	ck_assert_int_eq(system(command), 0);
}

static void copy_reference(const char *name)
{
	copy_file("reference/umd", name);
}

static void compile_lab(const char *lab)
{
	const struct compile_options options = {
		.lab = lab, .source = source, .scratch = scratch,
		.output = output, .root = root,
	};

	compile_submission(&options, &result);
}

static void compile(void)
{
	compile_lab("01");
}

START_TEST(the_reference_is_built)
{
	const char *lab = all_labs[_i].number;
	const struct lab_file *file;
	char agent[64];
	struct stat st;

	compile_agent(lab, agent, sizeof(agent));
	if (stat(agent, &st))
		return;		/* a lab that is not built yet */
	for (unsigned int i = 0; (file = lab_file(lab, i)); i++)
		copy_file(file->folder, file->name);
	compile_lab(lab);
	ck_assert_msg(result.outcome == COMPILE_OK, "%s\n%.2000s", result.text,
		      result.log);
	ck_assert_int_eq(stat(output, &st), 0);
	ck_assert(st.st_mode & S_IXUSR);
}
END_TEST

START_TEST(of_the_drivers_inside_only_headers_are_included)
{
	static const struct {
		const char *lab, *line;
		bool taken;
	} rows[] = {
		{ "02", "#include \"chan.c\"\n", false },
		{ "02", "#include \"reference/kmd/chan.c\"\n", false },
		{ "02", "#include \"reference/kmd/chan.h\"\n", true },
		{ "01", "#include \"reference/kmd/chan.h\"\n", false },
	};

	write_source("some.c", rows[_i].line);
	compile_lab(rows[_i].lab);
	ck_assert_msg(!strstr(result.text, "is not yours to include") ==
		      rows[_i].taken, "%s: %s", rows[_i].line, result.text);
	ck_assert_int_eq(result.outcome == COMPILE_REFUSED, !rows[_i].taken);
}
END_TEST

START_TEST(helpers_and_ordinary_code_are_built)
{
	copy_reference("push.c");
	copy_reference("ring.c");
	write_source("extra.h", "int extra(int *p, unsigned long n);\n");
	write_source("extra.c",
		"#include <assert.h>\n#include <pthread.h>\n"
		"#include <semaphore.h>\n#include <stdio.h>\n"
		"#include <stdlib.h>\n#include <string.h>\n"
		"#include <stdatomic.h>\n#include <time.h>\n"
		"#include \"extra.h\"\n#include \"port.h\"\n"
		"struct big { int a[40]; };\n"
		"static const int table[] = { 1, 2, 3 };\n"
		"static _Thread_local int mine;\n"
		"static atomic_int count;\n"
		"static pthread_once_t once = PTHREAD_ONCE_INIT;\n"
		"static void first(void) { mine = 1; }\n"
		"static int by_value(struct big b) { return b.a[3]; }\n"
		"int extra(int *p, unsigned long n)\n{\n"
		"	char text[64];\n	struct big b = { { 0 } }, c;\n"
		"	int vla[n % 7 + 1];\n"
		"	struct timespec now;\n"
		"	barrier();\n"
		"	memset(vla, 0, sizeof(vla));\n"
		"	pthread_once(&once, first);\n"
		"	clock_gettime(CLOCK_MONOTONIC, &now);\n"
		"	for (unsigned long i = 0; i < n; i++)\n"
		"		p[i] = table[i % 3] + vla[i % (n % 7 + 1)];\n"
		"	c = b;\n	memcpy(&b, &c, sizeof(b));\n"
		"	assert(c.a[1] == 0);\n"
		"	snprintf(text, sizeof(text), \"%d\", by_value(c));\n"
		"	printf(\"%s asm\\n\", text);\n"
		"	if (atomic_load(&count) < 9)\n"
		"		atomic_fetch_add(&count, mine++);\n"
		"	return (int)strlen(text) + by_value(*(struct big "
		"*)p);\n"
		"}\n");
	compile();
	ck_assert_msg(result.outcome == COMPILE_OK, "%s\n%.2000s", result.text,
		      result.log);
}
END_TEST

/* All of them the runtime's; nothing else that has a descriptor is. */
START_TEST(waiting_on_descriptors_is_built)
{
	copy_reference("push.c");
	copy_reference("ring.c");
	write_source("sleep.c",
		"#define _GNU_SOURCE\n"	/* ppoll() */
		"#include <fcntl.h>\n#include <poll.h>\n"
		"#include <sys/epoll.h>\n#include <sys/eventfd.h>\n"
		"#include <unistd.h>\n"
		"int nap(void)\n{\n"
		"	int fd = eventfd(0, EFD_NONBLOCK);\n"
		"	int ep = epoll_create1(0);\n"
		"	struct epoll_event event = { .events = EPOLLIN };\n"
		"	struct pollfd at = { .fd = fd, .events = POLLIN };\n"
		"	unsigned long one = 1;\n"
		"	if (write(fd, &one, 8) < 0 || read(fd, &one, 8) < 0)\n"
		"		return -1;\n"
		"	epoll_ctl(ep, EPOLL_CTL_ADD, dup(fd), &event);\n"
		"	fcntl(fd, F_SETFL, 0);\n"
		"	return poll(&at, 1, 5) +\n"
		"		epoll_wait(ep, &event, 1, 5) +\n"
		"		ppoll(&at, 1, 0, 0) + close(ep) + close(fd);\n"
		"}\n");
	compile();
	ck_assert_msg(result.outcome == COMPILE_OK, "%s\n%.2000s", result.text,
		      result.log);
}
END_TEST

START_TEST(errors_are_the_compilers)
{
	copy_reference("push.c");
	write_source("ring.c", "int f(void) { return undeclared; }\n");
	compile();
	ck_assert_int_eq(result.outcome, COMPILE_ERRORS);
	ck_assert_ptr_nonnull(strstr(result.log, "undeclared"));
	ck_assert_ptr_nonnull(strstr(result.text, "ring.c"));
}
END_TEST

/* gpu_is_lost() is the kernel half's, in a header that lab 01 has not. */
START_TEST(a_function_without_a_declaration_is_an_error)
{
	copy_reference("ring.c");
	write_source("push.c", "int f(void) { return gpu_is_lost(); }\n");
	compile();
	ck_assert_int_eq(result.outcome, COMPILE_ERRORS);
	ck_assert_ptr_nonnull(strstr(result.log, "'gpu_is_lost'"));
}
END_TEST

START_TEST(a_missing_function_is_named)
{
	copy_reference("push.c");
	write_source("ring.c", "int unused_function;\n");
	compile();
	ck_assert_int_eq(result.outcome, COMPILE_ERRORS);
	ck_assert_ptr_nonnull(strstr(result.text, "ring_create()"));
}
END_TEST

START_TEST(an_empty_folder_is_an_error)
{
	compile();
	ck_assert_int_eq(result.outcome, COMPILE_ERRORS);
}
END_TEST

START_TEST(a_link_is_not_followed)
{
	char path[PATH_MAX + 16];

	snprintf(path, sizeof(path), "%s/ring.c", source);
	ck_assert_int_eq(symlink("/etc/passwd", path), 0);
	compile();
	ck_assert_int_eq(result.outcome, COMPILE_ERRORS);
	ck_assert_ptr_null(strstr(result.log, "root:"));
}
END_TEST

/* clang 19 has #embed and refuses nothing itself; before, it is an error. */
START_TEST(a_file_is_not_embedded)
{
	copy_reference("push.c");
	copy_reference("ring.c");
	write_source("extra.c", "const unsigned char text[] = {\n"
		     "#embed \"/etc/passwd\"\n};\n");
	compile();
	ck_assert_int_ne(result.outcome, COMPILE_OK);
	ck_assert_ptr_null(strstr(result.log, "root:"));
	ck_assert_int_eq(access(output, F_OK), -1);
}
END_TEST

START_TEST(output_without_end_is_cut)
{
	char text[4096] = "#define A _Pragma(\"message \\\"x\\\"\")\n"
		"#define B A A A A A A A A\n#define C B B B B B B B B\n"
		"#define D C C C C C C C C\n";

	for (int i = 0; i < 20; i++)
		strcat(text, "D\n");
	write_source("ring.c", text);
	compile();
	ck_assert_uint_lt(strlen(result.log), sizeof(result.log));
	ck_assert_int_ne(result.outcome, COMPILE_OK);
}
END_TEST

/* What must be refused, and a word of the reason. */
static const struct {
	const char *text, *why;
} evasions[] = {
	{ "__attribute__((no_sanitize(\"thread\"))) void f(int *p)\n"
	  "{ ++*p; }\n", "f() takes itself out" },
	{ "__attribute__((no_sanitize_thread)) void f(int *p) { ++*p; }\n",
	  "f() takes itself out" },
	{ "__attribute__((disable_sanitizer_instrumentation))\n"
	  "void f(int *p) { ++*p; }\n", "f() takes itself out" },
	{ "#pragma clang attribute push(__attribute__((no_sanitize(\"thread\")"
	  ")), apply_to = function)\nvoid f(int *p) { ++*p; }\n"
	  "#pragma clang attribute pop\n", "f() takes itself out" },
	{ "void f(int *p) { __asm__ volatile(\"incl %0\" : \"+m\"(*p)); }\n",
	  "inline assembly" },
	{ "void f(int *p)\n{\n	__asm__ goto(\"\" :::: out);\nout:\n"
	  "	*p = 1;\n}\n", "asm goto" },
	{ "__asm__(\".globl f\\nf: ret\\n\");\n", "assembly outside" },
	{ "__attribute__((naked)) void f(void) { __asm__(\"ret\"); }\n",
	  "assembly" },
	{ "__attribute__((target(\"avx2\"))) void f(long *p)\n"
	  "{ for (int i = 0; i < 8; i++) p[i] = i; }\n",
	  "other processors" },
	{ "__attribute__((target(\"arch=haswell\"))) void f(long *p)\n"
	  "{ *p = 1; }\n", "other processors" },
	{ "void f(void *p)\n{ *(int __attribute__((address_space(1))) *)p = "
	  "1; }\n", "address space" },
	{ "void f(long double *p) { *p = 1; }\n", "cannot be watched" },
	{ "typedef int v8 __attribute__((vector_size(32)));\n"
	  "void f(v8 *p) { *p = (v8){ 1 }; }\n", "cannot be watched" },
	{ "typedef int odd __attribute__((ext_vector_type(5)));\n"
	  "void f(odd *p) { *p = 1; }\n", "cannot be watched" },
	{ "#include <immintrin.h>\nvoid f(__m128i a, __m128i b, char *p)\n"
	  "{ _mm_maskmoveu_si128(a, b, p); }\n", "not watched" },
	{ "#include <immintrin.h>\nvoid f(void *p) { _fxsave(p); }\n", "" },
	{ "int __llvm_gcov_x;\nvoid f(void) { __llvm_gcov_x = 1; }\n",
	  "belongs to the tools" },
	{ "void __tsan_write4(void *p);\nvoid f(int *p)\n"
	  "{ __tsan_write4(p); }\n", "by hand" },
	{ "static __attribute__((used)) void __tsan_write4(void *p)\n"
	  "{ (void)p; }\nvoid f(int *p) { *p = 1; }\n",
	  "belongs to the runtime" },
	{ "static __attribute__((used)) void f(void *p)\n"
	  "__asm__(\"__tsan_write4\");\nstatic void f(void *p) { (void)p; }\n"
	  "void g(int *p) { *p = 1; }\n", "belongs to the runtime" },
	{ "__attribute__((constructor)) static void f(void) { }\n",
	  "constructors" },
	{ "__attribute__((destructor)) static void f(void) { }\n",
	  "constructors" },
	{ "static void g(void) { }\n"
	  "void f(void) __attribute__((alias(\"g\")));\n", "alias" },
	{ "static void g(void) { }\nstatic void *r(void) { return g; }\n"
	  "void f(void) __attribute__((ifunc(\"r\")));\n", "ifunc" },
	{ "__attribute__((section(\".init_array\"))) void *f = 0;\n",
	  "section" },
	{ "__attribute__((section(\".fini\"))) void f(void) { }\n",
	  "section" },
	{ "#include <unistd.h>\nvoid f(void) { fork(); }\n", "uses fork" },
	{ "#include <unistd.h>\nlong f(void) { return syscall(1); }\n",
	  "uses syscall" },
	{ "#include <unistd.h>\nint f(int *p) { return pipe(p); }\n",
	  "uses pipe" },
	{ "#include <fcntl.h>\nint f(void) { return open(\"x\", 0); }\n",
	  "uses open" },
	{ "#include <sys/mman.h>\nvoid f(void *p) { munmap(p, 1); }\n",
	  "uses munmap" },
	{ "#include <signal.h>\nvoid f(void) { raise(9); }\n", "uses raise" },
	{ "#include <stdio.h>\nvoid *f(void) { return fopen(\"x\", \"r\"); }\n",
	  "uses fopen" },
	{ "void *dlsym(void *, const char *);\n"
	  "void *f(void) { return dlsym(0, \"x\"); }\n", "uses dlsym" },
	{ "void rt_post(int, int, long, int, long);\n"
	  "void f(void) { rt_post(0, 0, 0, 0, 0); }\n", "uses rt_post" },
	{ "long hidden(long) __asm__(\"syscall\");\n"
	  "long f(void) { return hidden(1); }\n", "uses syscall" },
	{ "void rt_point(void) { }\n", "belongs to the runtime" },
	{ "void *memcpy(void *d, const void *s, unsigned long n)\n"
	  "{ (void)s; (void)n; return d; }\n", "a name of the C library" },
	{ "#include <setjmp.h>\njmp_buf b;\nint f(void)\n"
	  "{ return setjmp(b); }\n", "setjmp" },
	{ "#include <stdlib.h>\nint c(const void *a, const void *b)\n"
	  "{ return a < b; }\nvoid f(int *p) { qsort(p, 2, 4, c); }\n",
	  "uses qsort" },
	{ "#pragma comment(lib, \"dl\")\nint f;\n", "linker" },
	{ "#include \"autograder/judge/wire.h\"\n", "not yours to include" },
	{ "#include \"vm/spec/../../autograder/judge/wire.h\"\n",
	  "not yours to include" },
	{ "#include \"/etc/hostname\"\n#include \"nowhere.h\"\n",
	  "hostname is not yours" },
	{ "register long sp __asm__(\"rsp\");\n"
	  "long f(void) { return sp; }\n", "not watched" },
	{ "void gpu_close(void *g) { (void)g; }\n", "which is given" },
};

#define EVASIONS (sizeof(evasions) / sizeof(evasions[0]))

START_TEST(an_evasion_is_refused)
{
	write_source("ring.c", evasions[_i].text);
	compile();
	ck_assert_msg(result.outcome == COMPILE_REFUSED,
		      "outcome %d, %s\n%.2000s\nof:\n%s", result.outcome,
		      result.text, result.log, evasions[_i].text);
	ck_assert_msg(strstr(result.text, evasions[_i].why) &&
		      !strchr(result.text, '\n'), "\"%s\" of:\n%s",
		      result.text, evasions[_i].text);
	ck_assert_int_eq(access(output, F_OK), -1);
}
END_TEST

START_TEST(a_refusal_says_where)
{
	write_source("ring.c", "int g;\n\nvoid f(int *p)\n{\n"
		     "	*p = 2;\n	__asm__ volatile(\"nop\");\n}\n");
	compile();
	ck_assert_int_eq(result.outcome, COMPILE_REFUSED);
	ck_assert_ptr_nonnull(strstr(result.text, "ring.c:6:"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("compile");
	TCase *tcase = tcase_create("compile");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, setup, teardown);
	for (int i = 0; all_labs[i].number; i++)
		tcase_add_loop_test(tcase, the_reference_is_built, i, i + 1);
	tcase_add_loop_test(tcase,
		of_the_drivers_inside_only_headers_are_included, 0, 4);
	tcase_add_test(tcase, helpers_and_ordinary_code_are_built);
	tcase_add_test(tcase, waiting_on_descriptors_is_built);
	tcase_add_test(tcase, errors_are_the_compilers);
	tcase_add_test(tcase, a_function_without_a_declaration_is_an_error);
	tcase_add_test(tcase, a_missing_function_is_named);
	tcase_add_test(tcase, an_empty_folder_is_an_error);
	tcase_add_test(tcase, a_link_is_not_followed);
	tcase_add_test(tcase, a_file_is_not_embedded);
	tcase_add_test(tcase, output_without_end_is_cut);
	tcase_add_test(tcase, a_refusal_says_where);
	tcase_add_loop_test(tcase, an_evasion_is_refused, 0, EVASIONS);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
