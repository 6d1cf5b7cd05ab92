/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Address translation services, a course addition [§12.4].  Lab 02.
 *
 * While they are on, system memory is mapped for the unit of GR_CTX_SWITCH by
 * the process's own addresses: a vas_piece's addr is then the address that
 * the CPU uses.  What the unit remembers of before, and afterwards of them, it
 * goes on using [§12.4]: ctx_switch_forget() is the caller's.
 */
#ifndef ATS_H
#define ATS_H

#include "ctx_switch.h"

/* Can this card and its bus do it?  Looks for the capability. */
bool ats_supported(struct gpu *gpu);

/*
 * Switch ATS on with this space as the unit's context, in the order of
 * [§12.4].  No channel may run, nor any other DMA.  May sleep.
 * 0; -EOPNOTSUPP; -EIO: the card did not take it, and it is off again;
 * -ETIMEDOUT; -ENODEV.
 */
int ats_enable(struct gpu *gpu, struct ctx_switch *unit, struct vas *vas);
/* Off, in reverse.  The same conditions. */
void ats_disable(struct gpu *gpu);

#endif
