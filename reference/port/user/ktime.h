/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Time [§2.3].
 *
 * It is the card's: virtual where the card is emulated, so a wait that takes
 * a second of it may take no time at all.  Where no card is open it is the
 * host's monotonic clock.
 */
#ifndef PORT_KTIME_H
#define PORT_KTIME_H

#include "types.h"
#include "context.h"

#define NSEC_PER_USEC	1000ULL
#define NSEC_PER_MSEC	1000000ULL
#define NSEC_PER_SEC	1000000000ULL

u64 ktime_get_ns(void);

/* Every turn of a polling loop calls this: it is what lets time pass. */
void cpu_relax(void);

/* In a long loop that may sleep: others may run.  Here they do anyway. */
#define cond_resched()	((void)0)

void udelay(unsigned long us);
void ndelay(unsigned long ns);
/* Sleeps. */
void port_usleep_range(unsigned long min_us, unsigned long max_us);
#define usleep_range(min_us, max_us) \
	(port_might_sleep("usleep_range()", __func__), \
	 port_usleep_range(min_us, max_us))

#endif
