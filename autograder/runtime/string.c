/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The C library's functions on memory, with the accesses they make.
 *
 * The library's own are not instrumented: what they store would never reach
 * the card.  Long ones go in pieces of a cache line, and other threads may
 * run between them, as on a real machine.
 */
#include <string.h>

#include "hooks.h"
#include "internal.h"

#define LINE	64

static size_t line_part(size_t len)
{
	return len < LINE ? len : LINE;
}

void *rt_memcpy(void *to, const void *from, size_t len)
{
	for (size_t at = 0, part; at < len; at += part) {
		part = line_part(len - at);
		rt_range_read((const char *)from + at, part);
		rt_range_write((char *)to + at, part);
		memcpy((char *)to + at, (const char *)from + at, part);
		rt_flush();
	}
	return to;
}

void *rt_mempcpy(void *to, const void *from, size_t len)
{
	return (char *)rt_memcpy(to, from, len) + len;
}

void *rt_memmove(void *to, const void *from, size_t len)
{
	if (!len)
		return to;
	rt_range_read(from, len);
	rt_range_write(to, len);
	memmove(to, from, len);
	rt_flush();
	return to;
}

void *rt_memset(void *to, int value, size_t len)
{
	for (size_t at = 0, part; at < len; at += part) {
		part = line_part(len - at);
		rt_range_write((char *)to + at, part);
		memset((char *)to + at, value, part);
		rt_flush();
	}
	return to;
}

/* What clang, from 15 on, makes of a structure's copy or its clearing; before,
 * it calls the library, and the pipeline redirects that. */
void *__tsan_memcpy(void *to, const void *from, size_t len)
	__attribute__((alias("rt_memcpy")));
void *__tsan_memmove(void *to, const void *from, size_t len)
	__attribute__((alias("rt_memmove")));
void *__tsan_memset(void *to, int value, size_t len)
	__attribute__((alias("rt_memset")));

void rt_bzero(void *to, size_t len)
{
	rt_memset(to, 0, len);
}

int rt_memcmp(const void *a, const void *b, size_t len)
{
	if (!len)
		return 0;
	rt_range_read(a, len);
	rt_range_read(b, len);
	return memcmp(a, b, len);
}

void *rt_memchr(const void *at, int value, size_t len)
{
	if (!len)
		return NULL;
	rt_range_read(at, len);
	return memchr(at, value, len);
}

size_t rt_strlen(const char *text)
{
	rt_range_read(text, 1);
	return strlen(text);
}

size_t rt_strnlen(const char *text, size_t limit)
{
	rt_range_read(text, 1);
	return strnlen(text, limit);
}

int rt_strcmp(const char *a, const char *b)
{
	rt_range_read(a, 1);
	rt_range_read(b, 1);
	return strcmp(a, b);
}

int rt_strncmp(const char *a, const char *b, size_t limit)
{
	rt_range_read(a, 1);
	rt_range_read(b, 1);
	return strncmp(a, b, limit);
}

char *rt_strchr(const char *text, int c)
{
	rt_range_read(text, 1);
	return strchr(text, c);
}

char *rt_strrchr(const char *text, int c)
{
	rt_range_read(text, 1);
	return strrchr(text, c);
}

char *rt_strstr(const char *text, const char *part)
{
	rt_range_read(text, 1);
	return strstr(text, part);
}

char *rt_strcpy(char *to, const char *from)
{
	return rt_memcpy(to, from, strlen(from) + 1);
}

char *rt_strncpy(char *to, const char *from, size_t limit)
{
	if (!limit)
		return to;
	rt_range_read(from, 1);
	rt_range_write(to, limit);
	strncpy(to, from, limit);
	rt_flush();
	return to;
}

char *rt_strcat(char *to, const char *from)
{
	rt_strcpy(to + strlen(to), from);
	return to;
}
