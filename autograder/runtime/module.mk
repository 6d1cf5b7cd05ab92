# SPDX-License-Identifier: GPL-2.0 OR MIT
# autograder/runtime: under instrumented code; autograder/agent links it in
runtime-test	:= $(addprefix autograder/runtime/,test_peer.c c11.c clock.c \
		   crash.c heap.c hooks.c link.c mutex.c sched.c stdio.c \
		   string.c table.c thread.c wait.c)

tests		+= test-runtime
test-runtime-src := autograder/runtime/test_runtime.c $(runtime-test)
test-runtime-ldlibs := $(shell pkg-config --libs check)
# fixed addresses and fault handlers of its own
test-runtime-skip := asan

tests		+= test-locks
test-locks-src	:= autograder/runtime/test_locks.c $(runtime-test)
test-locks-ldlibs := $(shell pkg-config --libs check)
test-locks-skip	:= asan
