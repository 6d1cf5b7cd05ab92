/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A driver that crashes, told with the names of its functions.
 *
 * Faults are caught on a stack of their own, since the driver's may be what
 * overflowed.  The way to the fault comes from the shadow stack that the
 * hooks keep: it costs no unwinder, and it cannot be overwritten by a driver
 * that writes past an array of its stack.
 *
 * The binary is static and looks at no file, so it carries a table of its
 * function and variable names, which is filled in when it has been linked
 * (autograder/compile/symbols.c).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "internal.h"
#include "link.h"
#include "symbols.h"

#define STACK	(32u << 10)

/* In a section that is in the file, though all of it is zero now. */
volatile struct rt_symbols rt_symbols
	__attribute__((section(".data.rt_symbols"))) = {
	.magic = RT_SYMBOLS_MAGIC,
};

static char alternate[RT_THREADS][STACK] __attribute__((aligned(16)));

static const struct {
	int signal;
	const char *name;
} faults[] = {
	{ SIGSEGV, "SIGSEGV" }, { SIGBUS, "SIGBUS" }, { SIGILL, "SIGILL" },
	{ SIGFPE, "SIGFPE" }, { SIGABRT, "SIGABRT" }, { SIGTRAP, "SIGTRAP" },
	{ SIGSYS, "SIGSYS" },
};

#define FAULTS	(sizeof(faults) / sizeof(faults[0]))

void rt_stop(void)
{
	syscall(SYS_exit_group, 0);
	__builtin_unreachable();
}

const char *rt_name(uintptr_t pc, char *buf, size_t len)
{
	for (uint32_t i = 0; i < rt_symbols.count; i++) {
		uint64_t offset = pc - rt_symbols.entry[i].addr;

		if (offset >= rt_symbols.entry[i].size)
			continue;
		snprintf(buf, len, "%s", (const char *)rt_symbols.names +
			 rt_symbols.entry[i].name);
		if (offset && rt_symbols.entry[i].data) {
			size_t at = strlen(buf);

			snprintf(buf + at, len - at, "+%llu",
				 (unsigned long long)offset);
		}
		return buf;
	}
	if (!rt_heap_name(pc, buf, len))
		snprintf(buf, len, "0x%llx", (unsigned long long)pc);
	return buf;
}

/* The row of the table that holds pc, or NULL. */
static const volatile struct rt_line *find_line(uintptr_t pc)
{
	uint32_t low = 0, high = rt_symbols.lines;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (rt_symbols.line[middle].addr <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low && rt_symbols.line[low - 1].line ?
		&rt_symbols.line[low - 1] : NULL;
}

const char *rt_place(uintptr_t pc, char *buf, size_t len)
{
	const volatile struct rt_line *line = find_line(pc);
	size_t at;

	rt_name(pc, buf, len);
	at = strlen(buf);
	if (line)
		snprintf(buf + at, len - at, " (%s:%u)",
			 (const char *)rt_symbols.names + line->file,
			 line->line);
	return buf;
}

const char *rt_where(const struct rt_thread *thread, char *buf, size_t len)
{
	unsigned int depth = thread->depth, shown = 0;
	char name[80], here[120];
	size_t at = 0;

	if (depth > RT_STACK_DEPTH)
		depth = RT_STACK_DEPTH;
	snprintf(buf, len, "no function");
	while (depth-- && shown++ < 5 && at < len) {
		rt_name(thread->stack[depth], name, sizeof(name));
		/* The line, where it is one of the innermost function. */
		if (shown == 1 && thread->pc &&
		    !strcmp(rt_name(thread->pc, here, sizeof(here)), name))
			at += snprintf(buf, len, "%s",
				       rt_place(thread->pc, here,
						sizeof(here)));
		else
			at += snprintf(buf + at, len - at, "%s%s",
				       shown > 1 ? " <- " : "", name);
	}
	return buf;
}

static void __attribute__((noreturn))
crash(int signal, const void *addr, const void *pc, const char *text)
{
	unsigned int region = rt_bar_find((uintptr_t)addr);

	rt_ask_text(WIRE_CRASH, signal, (uintptr_t)addr, (uintptr_t)pc,
		    region, text);
	rt_stop();
}

void rt_crash(int signal, const void *addr, const void *pc,
	      const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	crash(signal, addr, pc, text);
}

static const char *explain(int signal, uintptr_t addr)
{
	uintptr_t stack = addr - RT_STACK_BASE;

	if (signal != SIGSEGV && signal != SIGBUS)
		return "";
	if (addr < 4096)
		return " (a NULL pointer)";
	if (stack < (uintptr_t)RT_THREADS << 20 &&
	    stack % (1u << 20) < 64u << 10)
		return " (the stack is used up)";
	if (rt_bar_find(addr))
		return " (a BAR, through a plain pointer)";
	return "";
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *machine = context;
	uintptr_t pc = machine->uc_mcontext.gregs[REG_RIP];
	bool memory = signal == SIGSEGV || signal == SIGBUS;
	uintptr_t addr = memory ? (uintptr_t)info->si_addr : 0;
	char name[120], where[256], at[40] = "", text[640];
	const char *what = "a signal";

	/* The store that faults was announced, but never happened. */
	rt_self->store_size = 0;
	rt_self->pc = 0;
	for (size_t i = 0; i < FAULTS; i++) {
		if (faults[i].signal == signal)
			what = faults[i].name;
	}
	if (memory)
		snprintf(at, sizeof(at), " at address 0x%llx",
			 (unsigned long long)addr);
	if (signal == SIGSYS)
		snprintf(at, sizeof(at), ": system call %d", info->si_syscall);
	snprintf(text, sizeof(text), "%s%s%s in %s; called by %s", what, at,
		 explain(signal, addr), rt_place(pc, name, sizeof(name)),
		 rt_where(rt_self, where, sizeof(where)));
	crash(signal, (void *)addr, (void *)pc, text);
}

void rt_crash_thread(void)
{
	stack_t stack = {
		.ss_sp = alternate[rt_self->number],
		.ss_size = STACK,
	};

	sigaltstack(&stack, NULL);
}

int rt_crash_init(void)
{
	struct sigaction action = {
		.sa_sigaction = on_fault,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER,
	};

	for (size_t i = 0; i < FAULTS; i++) {
		if (sigaction(faults[i].signal, &action, NULL))
			return -errno;
	}
	rt_crash_thread();
	return 0;
}
