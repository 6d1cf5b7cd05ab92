/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Has the assembler copy a file. */
__asm__(".section .rodata\nstolen: .incbin \"/etc/passwd\"\n.text\n");
#include "base.h"
