/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A card that is pulled out, seen through a mapping of it.
 *
 * On the bus a read of a card that is gone is all ones [§2.5], and drivers are
 * written for that.  But the kernel must take the mapping away as well, since
 * the addresses may be the next card's, and the access then ends in SIGBUS.
 * So that user mode finds what the bus would say, the signal's handler puts a
 * page of ones where the access was, and the access is made again.
 *
 * The page is private: what is written there nobody sees.  It comes from a
 * file that holds the ones already, so that no other thread finds it half
 * done.
 *
 * A handler cannot lock.  Ranges are in a list that only grows; one that is
 * released has size 0 and is used again.  Who faults is in a range that is
 * guarded, so that one stands still while it is looked for.
 */
#define _GNU_SOURCE		/* memfd_create() */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "port.h"
#include "lost.h"

#define ONES_PAGE	4096u	/* at least a page: ones fill the file */

struct range {
	struct range *next;		/* never changes		*/
	struct range *next_free;
	uintptr_t base;
	size_t size;			/* 0: free			*/
};

static struct range *ranges, *free_ranges;
static pthread_mutex_t ranges_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction before;		/* who had the signal		*/
static int ones = -1;			/* the file			*/
static size_t page_size;

static bool is_guarded(uintptr_t at)
{
	struct range *range = smp_load_acquire(&ranges);

	for (; range; range = range->next) {
		size_t size = smp_load_acquire(&range->size);

		if (at - READ_ONCE(range->base) < size)
			return true;
	}
	return false;
}

/* Not ours: to whom it went before us. */
static void pass_on(int signal, siginfo_t *info, void *context)
{
	if (before.sa_flags & SA_SIGINFO)
		before.sa_sigaction(signal, info, context);
	else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
		before.sa_handler(signal);
	else
		sigaction(signal, &before, NULL);	/* … and once more */
}

static void on_sigbus(int signal, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr;
	int error = errno;
	void *page = MAP_FAILED;

	if (info->si_code > 0 && is_guarded(at))
		page = mmap((void *)ALIGN_DOWN(at, page_size), page_size,
			    PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED,
			    ones, 0);
	errno = error;
	if (page == MAP_FAILED)
		pass_on(signal, info, context);
}

/* The file of ones: a page of them. */
static int ones_make(void)
{
	unsigned char bytes[ONES_PAGE];
	int fd = memfd_create("lost card", MFD_CLOEXEC);

	if (fd < 0)
		return -1;
	memset(bytes, 0xff, sizeof(bytes));
	for (size_t done = 0; done < page_size; done += sizeof(bytes)) {
		if (write(fd, bytes, sizeof(bytes)) != sizeof(bytes)) {
			close(fd);
			return -1;
		}
	}
	return fd;
}

/* With the lock. */
static int handler_install(void)
{
	struct sigaction action = {
		.sa_sigaction = on_sigbus,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER,
	};

	if (ones >= 0)
		return 0;
	page_size = sysconf(_SC_PAGESIZE);
	ones = ones_make();
	if (ones < 0)
		return -ENOMEM;
	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, &before);
	return 0;
}

/* With the lock: one whose size is 0. */
static struct range *range_take(void)
{
	struct range *range = free_ranges;

	if (range) {
		free_ranges = range->next_free;
		return range;
	}
	range = calloc(1, sizeof(*range));
	if (range) {
		range->next = ranges;
		smp_store_release(&ranges, range);
	}
	return range;
}

int lost_guard(void *addr, size_t size)
{
	struct range *range = NULL;

	pthread_mutex_lock(&ranges_lock);
	if (!handler_install())
		range = range_take();
	if (range) {
		WRITE_ONCE(range->base, (uintptr_t)addr);
		smp_store_release(&range->size, size);
	}
	pthread_mutex_unlock(&ranges_lock);
	return range ? 0 : -ENOMEM;
}

void lost_release(void *addr)
{
	pthread_mutex_lock(&ranges_lock);
	for (struct range *range = ranges; range; range = range->next) {
		if (!range->size || range->base != (uintptr_t)addr)
			continue;
		smp_store_release(&range->size, 0);
		range->next_free = free_ranges;
		free_ranges = range;
		break;
	}
	pthread_mutex_unlock(&ranges_lock);
}
