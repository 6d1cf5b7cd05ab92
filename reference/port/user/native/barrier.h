/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Barriers where the card is outside: what Linux's are on this architecture
 * [§4.3].
 *
 * x86 keeps stores to cached memory in order by itself, and loads too: there
 * dma_wmb() only holds the compiler.  Write-combining stores wait in buffers
 * of the CPU that made them, and sfence drains those.  arm64 promises nothing
 * without being asked; its dma_ barriers reach as far as devices that snoop
 * do, the others wait until the access has been made.
 *
 *   dma_wmb, dma_rmb  coherent memory: stores before stores, loads before
 *                     loads
 *   wmb, rmb          … and write-combining memory, and I/O
 *   mb                everything
 */
#ifndef PORT_BARRIER_H
#define PORT_BARRIER_H

#define PORT_FENCE(text) __asm__ __volatile__(text : : : "memory")

#if defined(__x86_64__) || defined(__i386__)
#define mb()		PORT_FENCE("mfence")
#define rmb()		PORT_FENCE("lfence")
#define wmb()		PORT_FENCE("sfence")
#define dma_rmb()	PORT_FENCE("")
#define dma_wmb()	PORT_FENCE("")
#elif defined(__aarch64__)
#define mb()		PORT_FENCE("dsb sy")
#define rmb()		PORT_FENCE("dsb ld")
#define wmb()		PORT_FENCE("dsb st")
#define dma_rmb()	PORT_FENCE("dmb oshld")
#define dma_wmb()	PORT_FENCE("dmb oshst")
#else
#error "what are this architecture's barriers for devices?"
#endif

/* Between CPUs only; say nothing to a device. */
#define smp_mb()	__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb()	__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb()	__atomic_thread_fence(__ATOMIC_RELEASE)

#endif
