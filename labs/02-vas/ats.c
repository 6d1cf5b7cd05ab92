/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Switching address translation services on and off [§12.4].
 *
 * Each step makes the one before it count: the unit latches a page directory
 * that must be there, the capability tells a unit that must have asked, and
 * a function that masters the bus already does not listen.  So bus mastering
 * goes off first, and comes back last.
 */
#include "ats.h"
#include "kmd.h"
#include "vm/spec/reg.h"

#define EXT_CAP_ATS	0x000fu
#define ATS_CTRL	4u		/* from the capability's header	*/

/* LAB 02: see ats.h. */
bool ats_supported(struct gpu *gpu)
{
	return false;
}

/* LAB 02: bus mastering on or off, and arrived. */
static void set_bus_master(struct gpu *gpu, bool on)
{
}

/* LAB 02: the unit asks for ATS, or not. */
static void set_tlb_ctrl(struct gpu *gpu, bool on)
{
}

/* LAB 02: the capability's enable bit; smallest unit 4 KiB. */
static void set_capability(struct gpu *gpu, bool on)
{
}

/* LAB 02: see ats.h. */
int ats_enable(struct gpu *gpu, struct ctx_switch *unit, struct vas *vas)
{
	return -ENOSYS;
}

/* LAB 02: see ats.h. */
void ats_disable(struct gpu *gpu)
{
}
