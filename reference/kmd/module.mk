# SPDX-License-Identifier: GPL-2.0 OR MIT
# reference/kmd: bring-up and channels; with the chips of reference/hal
libs		+= driver
driver-src	:= $(addprefix reference/kmd/,gpu.c pci.c identify.c \
		   engines.c units.c poll.c flush.c extents.c vram.c pramin.c \
		   kspace.c bar.c instmem.c runlist.c host.c ramfc.c chan.c \
		   mem.c tables.c pte.c range.c table.c tlb.c tree.c vas.c \
		   switch.c ats.c recover.c event.c irq.c) \
		   $(addprefix reference/hal/,chip.c gm200.c gp100.c gp102.c \
		   pascal.c fbpa.c mmu1.c mmu2.c) \
		   reference/umd/crc.c
driver-cflags	:= -Wframe-larger-than=1024

tests		+= test-bringup
test-bringup-src := reference/kmd/test_bringup.c reference/kmd/test_fault_bus.c
test-bringup-libs := ring driver port model
test-bringup-ldlibs := $(shell pkg-config --libs check)

tests		+= test-switch
test-switch-src := reference/kmd/test_switch.c reference/kmd/test_fault_bus.c
test-switch-libs := ring driver port model
test-switch-ldlibs := $(shell pkg-config --libs check)

tests		+= test-range
test-range-src	:= reference/kmd/test_range.c
test-range-libs	:= ring driver port
test-range-ldlibs := $(shell pkg-config --libs check)

tests		+= test-vas
test-vas-src	:= reference/kmd/test_vas.c reference/kmd/test_vas_rig.c
test-vas-libs	:= ring driver port model
test-vas-ldlibs := $(shell pkg-config --libs check)

tests		+= test-irq
test-irq-src	:= reference/kmd/test_irq.c reference/kmd/test_fault_bus.c \
		   reference/umd/test_fence_rig.c
test-irq-libs	:= fence ring driver port model
test-irq-ldlibs := $(shell pkg-config --libs check)

tests		+= test-vas-card
test-vas-card-src := reference/kmd/test_vas_card.c \
		   reference/kmd/test_vas_rig.c
test-vas-card-libs := ring driver port model
test-vas-card-ldlibs := $(shell pkg-config --libs check)

tests		+= test-vas-life
test-vas-life-src := reference/kmd/test_vas_life.c \
		   reference/kmd/test_vas_rig.c reference/kmd/test_fault_bus.c
test-vas-life-libs := ring driver port model
test-vas-life-ldlibs := $(shell pkg-config --libs check)

# the call table, and the node by which processes reach it
libs		+= calls
calls-src	:= $(addprefix reference/kmd/,file.c book.c calls.c \
		   calls_mem.c calls_space.c calls_chan.c calls_event.c) \
		   reference/port/user/node.c
calls-cflags	:= -Wframe-larger-than=1024

calls-rig	:= reference/kmd/test_calls_rig.c reference/kmd/test_fault_bus.c
tests		+= test-calls
test-calls-src	:= reference/kmd/test_calls.c $(calls-rig)
test-calls-libs	:= calls ring driver port model
test-calls-ldlibs := $(shell pkg-config --libs check)

tests		+= test-calls-args
test-calls-args-src := reference/kmd/test_calls_args.c $(calls-rig)
test-calls-args-libs := calls ring driver port model
test-calls-args-ldlibs := $(shell pkg-config --libs check)

tests		+= test-calls-life
test-calls-life-src := reference/kmd/test_calls_life.c $(calls-rig)
test-calls-life-libs := calls ring driver port model
test-calls-life-ldlibs := $(shell pkg-config --libs check)

tests		+= test-calls-guard
test-calls-guard-src := reference/kmd/test_calls_guard.c $(calls-rig)
test-calls-guard-libs := calls ring driver port model
test-calls-guard-ldlibs := $(shell pkg-config --libs check)

tests		+= test-calls-table
test-calls-table-src := reference/kmd/test_calls_table.c
test-calls-table-ldlibs := $(shell pkg-config --libs check)

tests		+= test-book
test-book-src	:= reference/kmd/test_book.c
test-book-libs	:= calls port
test-book-ldlibs := $(shell pkg-config --libs check)
