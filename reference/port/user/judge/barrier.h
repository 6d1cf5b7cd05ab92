/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Barriers where a judge holds the card [§4.3].
 *
 * A store of the driver's reaches the card when a barrier says so, or earlier
 * by chance that the seed decides.  Each barrier is told to the judge, which
 * knows what stores wait for it.
 *
 *   dma_wmb, dma_rmb  coherent memory: stores before stores, loads before
 *                     loads
 *   wmb, rmb          … and write-combining memory, and I/O
 *   mb                everything
 */
#ifndef PORT_BARRIER_H
#define PORT_BARRIER_H

/* autograder/runtime; kind is an enum wire_barrier. */
void rt_barrier(int kind);

#define dma_rmb()	rt_barrier(0)
#define dma_wmb()	rt_barrier(1)
#define rmb()		rt_barrier(2)
#define wmb()		rt_barrier(3)
#define mb()		rt_barrier(4)

/* Between CPUs only; say nothing to a device. */
#define smp_mb()	__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb()	__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb()	__atomic_thread_fence(__ATOMIC_RELEASE)

#endif
