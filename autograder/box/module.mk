# SPDX-License-Identifier: GPL-2.0 OR MIT
# autograder/box: confines compile steps and agents
libs		+= box
box-src		:= autograder/box/box.c autograder/box/child.c \
		   autograder/box/landlock.c autograder/box/filter.c \
		   autograder/box/cgroup.c autograder/box/probe.c \
		   autograder/box/run.c
box-ldlibs	:= -lseccomp

# what a box must deny, run inside one
unsanitized	:= $(if $(filter asan,$(V)),sh autograder/box/unsanitized)
programs	+= box-victim
box-victim-cc	:= $(unsanitized)
box-victim-src	:= autograder/box/victim.c
box-victim-ldlibs := -lpthread

tests		+= test-box
test-box-src	:= autograder/box/test_box.c
test-box-libs	:= box
test-box-cflags	= -DVICTIM='"$(bin)/box-victim"'
test-box-deps	= $(bin)/box-victim
test-box-ldlibs	:= $(shell pkg-config --libs check) -lseccomp

programs	+= bench-box
bench-box-src	:= autograder/box/bench_box.c
bench-box-libs	:= box
bench-box-ldlibs := -lseccomp
