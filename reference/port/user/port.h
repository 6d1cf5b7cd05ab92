/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What a driver needs of its environment, under Linux's names and with
 * Linux's meaning [§4.6].
 *
 * Driver code includes this and nothing of the system's.  In a process the
 * names come from the small headers below; in the kernel port.h includes
 * <linux/…> instead.  No driver file knows which.
 */
#ifndef PORT_H
#define PORT_H

#include <errno.h>
#include <string.h>

#include "types.h"
#include "compiler.h"
#include "bits.h"
#include "minmax.h"
#include "barrier.h"
#include "io.h"
#include "iosys-map.h"
#include "report.h"
#include "context.h"
#include "slab.h"
#include "lock.h"
#include "ktime.h"
#include "print.h"
#include "err.h"
#include "list.h"
#include "atomic.h"
#include "irq.h"
#include "wait.h"
#include "work.h"
#include "eventfd.h"
#include "uaccess.h"
#include "task.h"

#endif
