/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A bus that misbehaves on demand, for sweeps: it wraps another in place. */
#ifndef KMD_FAULT_BUS_H
#define KMD_FAULT_BUS_H

#include "gpu_bus.h"

enum fault {
	FAULT_NONE,
	FAULT_STUCK,	/* from the n-th read on, a register keeps its value */
	FAULT_LOST,	/* from the n-th read on, everything reads all ones */
	FAULT_GLITCH,	/* only the n-th read is all ones		*/
};

/* One at a time.  n counts from 1. */
void fault_bus_attach(struct gpu_bus *bus, enum fault fault, unsigned int n);
/* True if the n-th read was reached. */
bool fault_bus_detach(struct gpu_bus *bus);

#endif
