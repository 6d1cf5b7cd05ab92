/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Copies from and to memory that a stranger shares.
 *
 * Whoever gave the descriptor may cut the file short afterwards.  A load from
 * what is gone is a SIGBUS, which would end the server for a deed of its
 * client.  So each copy says where to go on when that happens.  The signal is
 * delivered to the thread that made the access, and there is one.
 *
 * Drivers poll a word that the card writes.  Words are therefore stored
 * whole, and of a short write that has more words (a semaphore with its time)
 * the first word is stored last.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "vm/server/guard.h"

/* Up to here a write is one thing that somebody may wait for. */
#define SHORT_WRITE	64

static _Thread_local sigjmp_buf escape;
static _Thread_local volatile sig_atomic_t guarded;

static void bus_error(int signal, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	if (guarded)
		siglongjmp(escape, 1);
	/* not ours: it happens again, and has its ordinary end */
	sigaction(signal, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
}

int guard_install(void)
{
	struct sigaction action = {
		.sa_sigaction = bus_error,
		/* the way out of the handler is a jump, with nothing masked */
		.sa_flags = SA_SIGINFO | SA_NODEFER,
	};

	sigemptyset(&action.sa_mask);
	return sigaction(SIGBUS, &action, NULL) ? -errno : 0;
}

static bool aligned(const void *at, size_t size, size_t to)
{
	return (uintptr_t)at % to == 0 && size % to == 0;
}

/* Apart: what lives across the jump must not be in registers. */
#define APART __attribute__((noinline))

static APART void store_words(uint8_t *to, const uint8_t *from, size_t size)
{
	if (aligned(to, size, 8)) {
		for (size_t at = size; at; at -= 8) {
			uint64_t word;

			memcpy(&word, from + at - 8, 8);
			atomic_store_explicit(
				(_Atomic uint64_t *)(void *)(to + at - 8),
				word, memory_order_release);
		}
		return;
	}
	for (size_t at = size; at; at -= 4) {
		uint32_t word;

		memcpy(&word, from + at - 4, 4);
		atomic_store_explicit(
			(_Atomic uint32_t *)(void *)(to + at - 4), word,
			memory_order_release);
	}
}

static APART void load_words(uint8_t *to, const uint8_t *from, size_t size)
{
	if (size == 8) {
		uint64_t word = atomic_load_explicit(
			(_Atomic uint64_t *)(uintptr_t)from,
			memory_order_acquire);

		memcpy(to, &word, 8);
	} else {
		uint32_t word = atomic_load_explicit(
			(_Atomic uint32_t *)(uintptr_t)from,
			memory_order_acquire);

		memcpy(to, &word, 4);
	}
}

int guard_copy_from(void *to, const uint8_t *from, size_t size)
{
	if (sigsetjmp(escape, 0)) {
		guarded = 0;
		return -EFAULT;
	}
	guarded = 1;
	atomic_signal_fence(memory_order_seq_cst);
	if ((size == 4 || size == 8) && aligned(from, size, size))
		load_words(to, from, size);
	else
		memcpy(to, from, size);
	atomic_signal_fence(memory_order_seq_cst);
	guarded = 0;
	return 0;
}

int guard_copy_to(uint8_t *to, const void *from, size_t size)
{
	if (sigsetjmp(escape, 0)) {
		guarded = 0;
		return -EFAULT;
	}
	guarded = 1;
	atomic_signal_fence(memory_order_seq_cst);
	if (size <= SHORT_WRITE && aligned(to, size, 4))
		store_words(to, from, size);
	else
		memcpy(to, from, size);
	atomic_signal_fence(memory_order_seq_cst);
	guarded = 0;
	return 0;
}
