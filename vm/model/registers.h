/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Where BAR0 meets configuration space. */
#ifndef MODEL_REGISTERS_H
#define MODEL_REGISTERS_H

#include "vm/model/model.h"

#define PCI_MIRROR	0x88000u	/* configuration space in BAR0 */

/* Of an offset in configuration space, or NULL. */
const char *pci_register_name(uint32_t offset);

#endif
