# SPDX-License-Identifier: GPL-2.0 OR MIT
# reference/umd: push buffers and the ring, lab 01
libs		+= ring
ring-src	:= $(addprefix reference/umd/,push.c ring.c queue.c)

# fences over any ring, lab 03
libs		+= fence
fence-src	:= $(addprefix reference/umd/,fence.c wait.c sleep.c listener.c)

# the same API, lock-free: the ungraded extension
libs		+= ring-fast
ring-fast-src	:= $(addprefix reference/umd/,push.c ring_fast.c queue.c)

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

tests		+= test-fence
test-fence-src	:= $(addprefix reference/umd/,test_fence.c test_fence_rig.c) \
		   reference/kmd/test_fault_bus.c
test-fence-libs	:= fence ring driver port model
test-fence-ldlibs := $(shell pkg-config --libs check)

tests		+= test-ring-room
test-ring-room-src := reference/umd/test_ring_room.c
test-ring-room-libs := ring port
test-ring-room-ldlibs := $(shell pkg-config --libs check)

# Both halves in one process, with the call table between them.  The kernel
# half is one object, of which user mode sees node_open() and nothing else;
# gpu.h's functions are device.c's.
libs		+= driver-calls
driver-calls-src := reference/umd/device.c reference/umd/crc.c
driver-calls-skip := release	# objects for link-time optimisation

kernel-half	:= $(B)/obj/driver-calls/kernel.o
$(B)/lib/libdriver-calls.a: $(kernel-half)
$(kernel-half): $(B)/lib/libcalls.a $(B)/lib/libdriver.a
	@mkdir -p $(@D)
	$(call quiet,LD)ld -r -o $@ --whole-archive $^
	@objcopy --keep-global-symbol=node_open $@

tests		+= test-ring-calls
test-ring-calls-src := $(test-ring-src)
test-ring-calls-libs := ring driver-calls port model
test-ring-calls-ldlibs := $(test-ring-ldlibs)
test-ring-calls-skip := release

tests		+= test-fence-calls
test-fence-calls-src := $(test-fence-src)
test-fence-calls-libs := fence ring driver-calls port model
test-fence-calls-ldlibs := $(test-fence-ldlibs)
test-fence-calls-skip := release
