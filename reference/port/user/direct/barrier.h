/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Barriers where card and driver share one process [§4.3].
 *
 * The card is called under a mutex, so a fence of C11 orders what the driver
 * stored before the call that lets the card look.  The judge's barrier.h
 * has the same names over a runtime in which a missing one is seen.
 *
 *   dma_wmb, dma_rmb  coherent memory: stores before stores, loads before
 *                     loads
 *   wmb, rmb          … and write-combining memory, and I/O
 *   mb                everything
 */
#ifndef PORT_BARRIER_H
#define PORT_BARRIER_H

#define mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define rmb()		__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define wmb()		__atomic_thread_fence(__ATOMIC_RELEASE)
#define dma_rmb()	__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define dma_wmb()	__atomic_thread_fence(__ATOMIC_RELEASE)

/* Between CPUs only; say nothing to a device. */
#define smp_mb()	__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb()	__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb()	__atomic_thread_fence(__ATOMIC_RELEASE)

#endif
