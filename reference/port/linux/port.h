/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What a driver needs of its environment, where that is Linux itself: its own
 * headers [§4.6].  port/user/port.h has the same names for a process.
 *
 * The names are those of current kernels; at the end is what older ones lack.
 */
#ifndef PORT_H
#define PORT_H

#undef pr_fmt
#define pr_fmt(format) KBUILD_MODNAME ": " format

/* Linux has a struct range of its own, which no driver needs: lab 02's has the
 * name. */
#define range linux_range

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/eventfd.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/iosys-map.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <linux/version.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#undef range

/* What the driver allocates it does for whoever called, so that it counts as
 * his: a memory cgroup is the bound on it. */
#undef GFP_KERNEL
#define GFP_KERNEL	(__GFP_RECLAIM | __GFP_IO | __GFP_FS | __GFP_ACCOUNT)

/* This one is both a function and a macro, and there with some configurations
 * only: here it is lab 02's that steps aside. */
#undef pte_index
#define pte_index lab_pte_index

#ifndef IOSYS_MAP_INIT_VADDR_IOMEM	/* before 6.3 */
#define IOSYS_MAP_INIT_VADDR_IOMEM(vaddr_) \
	{ .vaddr_iomem = (vaddr_), .is_iomem = true }
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
#define eventfd_signal(ctx)	eventfd_signal(ctx, 1)
#endif

#endif
