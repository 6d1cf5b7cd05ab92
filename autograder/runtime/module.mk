# SPDX-License-Identifier: GPL-2.0 OR MIT
# autograder/runtime: under instrumented code; autograder/agent links it in
runtime-test	:= $(addprefix autograder/runtime/,test_peer.c budget.c c11.c clock.c \
		   crash.c deadlock.c epoll.c eventfd.c files.c heap.c hooks.c \
		   irq.c link.c mutex.c own.c poll.c sched.c stdio.c string.c table.c \
		   thread.c wait.c)

tests		+= test-runtime
test-runtime-src := autograder/runtime/test_runtime.c $(runtime-test)
test-runtime-ldlibs := $(shell pkg-config --libs check)
# fixed addresses and fault handlers of its own
test-runtime-skip := asan

tests		+= test-locks
test-locks-src	:= autograder/runtime/test_locks.c $(runtime-test)
test-locks-ldlibs := $(shell pkg-config --libs check)
test-locks-skip	:= asan

tests		+= test-files
test-files-src	:= autograder/runtime/test_files.c $(runtime-test)
test-files-ldlibs := $(shell pkg-config --libs check)
test-files-skip	:= asan

tests		+= test-interrupts
test-interrupts-src := autograder/runtime/test_interrupts.c $(runtime-test)
test-interrupts-ldlibs := $(shell pkg-config --libs check)
test-interrupts-skip := asan

tests		+= test-own
test-own-src	:= autograder/runtime/test_own.c $(runtime-test)
test-own-ldlibs	:= $(shell pkg-config --libs check)
test-own-skip	:= asan
