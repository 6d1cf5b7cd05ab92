# SPDX-License-Identifier: GPL-2.0 OR MIT
# reference/umd: push buffers and the ring, lab 01
libs		+= ring
ring-src	:= reference/umd/push.c reference/umd/ring.c

# the same API, lock-free: the ungraded extension
libs		+= ring-fast
ring-fast-src	:= reference/umd/push.c reference/umd/ring_fast.c

tests		+= test-push
test-push-src	:= reference/umd/test_push.c
test-push-libs	:= ring driver port model
test-push-ldlibs := $(shell pkg-config --libs check)

tests		+= test-ring
test-ring-src	:= reference/umd/test_ring.c reference/kmd/test_fault_bus.c
test-ring-libs	:= ring driver port model
test-ring-ldlibs := $(shell pkg-config --libs check)

tests		+= test-ring-fast
test-ring-fast-src := $(test-ring-src)
test-ring-fast-libs := ring-fast driver port model
test-ring-fast-ldlibs := $(shell pkg-config --libs check)

tests		+= test-ring-room
test-ring-room-src := reference/umd/test_ring_room.c
test-ring-room-libs := ring port
test-ring-room-ldlibs := $(shell pkg-config --libs check)
