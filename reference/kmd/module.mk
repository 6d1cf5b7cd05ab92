# SPDX-License-Identifier: GPL-2.0 OR MIT
# reference/kmd: bring-up and channels; with the chips of reference/hal
libs		+= driver
driver-src	:= $(addprefix reference/kmd/,gpu.c pci.c identify.c \
		   engines.c units.c poll.c flush.c extents.c vram.c pramin.c \
		   vas.c bar.c instmem.c runlist.c host.c ramfc.c chan.c \
		   mem.c) \
		   $(addprefix reference/hal/,chip.c gm200.c gp100.c gp102.c \
		   pascal.c fbpa.c mmu1.c mmu2.c) \
		   reference/umd/crc.c
driver-cflags	:= -Wframe-larger-than=1024

tests		+= test-bringup
test-bringup-src := reference/kmd/test_bringup.c reference/kmd/test_fault_bus.c
test-bringup-libs := driver port model
test-bringup-ldlibs := $(shell pkg-config --libs check)
