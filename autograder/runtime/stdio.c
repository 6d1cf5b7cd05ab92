/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the driver prints, and how it ends.
 *
 * All output goes to the agent's stderr, for the student to read in a log;
 * past a limit it is dropped.  None of it is looked at by the judge.
 *
 * A driver does not end the process it lives in: exit() and abort() are
 * reported as crashes, so that an early exit is never a pass.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hooks.h"
#include "internal.h"

#define OUTPUT_LIMIT	(64u << 10)

static size_t output_left = OUTPUT_LIMIT;

void rt_output(const char *text, size_t len)
{
	if (len > output_left)
		len = output_left;
	output_left -= len;
	while (len) {
		ssize_t done = write(STDERR_FILENO, text, len);

		if (done <= 0)
			return;
		text += done;
		len -= done;
	}
}

static int print(const char *format, va_list args)
{
	char text[1024];
	int len;

	rt_point();
	len = vsnprintf(text, sizeof(text), format, args);
	if (len < 0)
		return len;
	rt_output(text, (size_t)len < sizeof(text) ? (size_t)len :
		sizeof(text) - 1);
	return len;
}

int rt_vfprintf(FILE *file, const char *format, va_list args)
{
	(void)file;
	return print(format, args);
}

int rt_vprintf(const char *format, va_list args)
{
	return print(format, args);
}

int rt_fprintf(FILE *file, const char *format, ...)
{
	va_list args;
	int len;

	(void)file;
	va_start(args, format);
	len = print(format, args);
	va_end(args);
	return len;
}

int rt_printf(const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = print(format, args);
	va_end(args);
	return len;
}

int rt_puts(const char *text)
{
	rt_point();
	rt_output(text, strlen(text));
	rt_output("\n", 1);
	return 1;
}

int rt_fputs(const char *text, FILE *file)
{
	(void)file;
	rt_point();
	rt_output(text, strlen(text));
	return 1;
}

int rt_putchar(int c)
{
	char byte = c;

	rt_point();
	rt_output(&byte, 1);
	return c;
}

int rt_fputc(int c, FILE *file)
{
	(void)file;
	return rt_putchar(c);
}

int rt_putc(int c, FILE *file)
{
	(void)file;
	return rt_putchar(c);
}

size_t rt_fwrite(const void *data, size_t size, size_t count, FILE *file)
{
	size_t len;

	(void)file;
	rt_point();
	if (__builtin_mul_overflow(size, count, &len))
		return 0;
	rt_output(data, len);
	return count;
}

int rt_fflush(FILE *file)
{
	(void)file;
	rt_point();
	return 0;
}

void rt_perror(const char *text)
{
	rt_point();
	rt_output(text, strlen(text));
	rt_output(": error\n", 8);
}

int rt_vsnprintf(char *to, size_t len, const char *format, va_list args)
{
	int result;

	if (!len)
		return vsnprintf(to, len, format, args);
	rt_range_write(to, len);
	result = vsnprintf(to, len, format, args);
	rt_flush();
	return result;
}

int rt_snprintf(char *to, size_t len, const char *format, ...)
{
	va_list args;
	int result;

	va_start(args, format);
	result = rt_vsnprintf(to, len, format, args);
	va_end(args);
	return result;
}

int rt_sprintf(char *to, const char *format, ...)
{
	va_list args;
	int result;

	rt_range_write(to, 1);
	va_start(args, format);
	result = vsprintf(to, format, args);
	va_end(args);
	rt_flush();
	return result;
}

void rt_abort(void)
{
	rt_crash(SIGABRT, NULL, __builtin_return_address(0),
		 "the driver called abort()");
}

void rt_exit(int status)
{
	rt_crash(0, NULL, __builtin_return_address(0),
		 "the driver called exit(%d)", status);
}

void rt__exit(int status)
{
	rt_crash(0, NULL, __builtin_return_address(0),
		 "the driver called _exit(%d)", status);
}

void rt___assert_fail(const char *expression, const char *file,
		      unsigned int line, const char *function)
{
	rt_crash(SIGABRT, NULL, __builtin_return_address(0),
		 "%s:%u: %s(): assertion `%s' failed", file, line, function,
		 expression);
}
