/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * User memory, for a kernel half that lives in the same process.
 *
 * A plain memcpy() would do, until a test hands in a bad address: then the
 * kernel says -EFAULT, and we would die.  process_vm_readv() on ourselves
 * does what the kernel does, page by page, with the rights of each.  What it
 * may not do at all on some machines (a container that forbids it) is left to
 * memcpy(), since then there is nobody to ask.
 *
 * It costs microseconds.  What lies on the caller's own stack, above this
 * frame, is memory for certain, and that is where arguments mostly are.
 */
#define _GNU_SOURCE		/* process_vm_readv(), pthread_getattr_np() */
#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

#include "port.h"

/* User addresses end here; the first page is never mapped. */
#define USER_END	(1ULL << 47)
#define USER_BASE	4096ULL

static unsigned int countdown;	/* to the copy that fails; 0: none does */

void port_fail_uaccess(unsigned int n)
{
	__atomic_store_n(&countdown, n, __ATOMIC_SEQ_CST);
}

static bool countdown_ends(void)
{
	return READ_ONCE(countdown) &&
		__atomic_sub_fetch(&countdown, 1, __ATOMIC_SEQ_CST) == 0;
}

static bool access_ok(u64 at, u64 n)
{
	return at >= USER_BASE && at < USER_END && n <= USER_END - at;
}

/* The calling thread's stack; end is 0 until it was looked up. */
static __thread struct {
	u64 base, end;
} stack;

static void stack_find(void)
{
	pthread_attr_t attr;
	size_t size;
	void *base;

	if (pthread_getattr_np(pthread_self(), &attr))
		return;
	if (!pthread_attr_getstack(&attr, &base, &size)) {
		stack.base = (u64)base;
		stack.end = stack.base + size;
	}
	pthread_attr_destroy(&attr);
}

static bool on_stack(u64 at, unsigned long n)
{
	u64 frame = (u64)__builtin_frame_address(0);

	if (!stack.end)
		stack_find();
	return frame >= stack.base && at >= frame && at + n <= stack.end;
}

/* Bytes that were copied, or -errno. */
static ssize_t copy(void *ours, u64 theirs, unsigned long n, bool to_user)
{
	struct iovec here = { ours, n }, there = { (void *)theirs, n };
	bool known = on_stack(theirs, n);
	ssize_t done = 0;

	if (!known)
		done = to_user ?
			process_vm_writev(getpid(), &here, 1, &there, 1, 0) :
			process_vm_readv(getpid(), &here, 1, &there, 1, 0);
	if (known || (done < 0 && errno != EFAULT)) {
		if (to_user)
			memcpy((void *)theirs, ours, n);
		else
			memcpy(ours, (void *)theirs, n);
		return n;
	}
	return done < 0 ? 0 : done;
}

unsigned long port_copy_from_user(void *to, const void __user *from,
				  unsigned long n, const char *where)
{
	ssize_t done = 0;

	port_might_sleep("copy_from_user()", where);
	if (n && !countdown_ends() && access_ok((u64)from, n))
		done = copy(to, (u64)from, n, false);
	/* As in Linux: nothing that was there before is left. */
	memset((char *)to + done, 0, n - done);
	return n - done;
}

unsigned long port_copy_to_user(void __user *to, const void *from,
				unsigned long n, const char *where)
{
	port_might_sleep("copy_to_user()", where);
	if (!n || countdown_ends() || !access_ok((u64)to, n))
		return n;
	return n - copy((void *)from, (u64)to, n, true);
}

/* 0: all of it is 0.  An address, and no pointer: it may wrap. */
static int check_zeroed(u64 from, size_t n)
{
	char part[64];

	while (n) {
		size_t size = min(n, sizeof(part));

		if (copy_from_user(part, (const void __user *)from, size))
			return -EFAULT;
		for (size_t i = 0; i < size; i++) {
			if (part[i])
				return -E2BIG;
		}
		from += size;
		n -= size;
	}
	return 0;
}

int copy_struct_from_user(void *to, size_t ksize, const void __user *from,
			  size_t usize)
{
	size_t size = min(ksize, usize);
	int err;

	if (usize > ksize) {
		err = check_zeroed((u64)from + size, usize - size);
		if (err)
			return err;
	}
	if (copy_from_user(to, from, size))
		return -EFAULT;
	memset((char *)to + size, 0, ksize - size);
	return 0;
}
