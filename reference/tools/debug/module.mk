# SPDX-License-Identifier: GPL-2.0 OR MIT
# reference/tools/debug: make debug LAB=01 TEST=…
#
# Judge and driver in one program: two names that both have are told apart,
# and everything is compiled for the debugger, the student's files included,
# which may still have warnings.  STUDENT may be any folder with lab 01.
debug-dir	:= reference/tools/debug
STUDENT		?= labs/01-ring
debug-others	:= default asan clang release

libs		+= debug-judge
debug-judge-src	:= $(filter-out %/link.c,$(judge-src)) \
		   $(debug-dir)/link.c $(debug-dir)/main.c
debug-judge-cflags := -D_GNU_SOURCE -Dring_pause=scenario_ring_pause \
		   -Dring_resume=scenario_ring_resume
debug-judge-skip := $(debug-others)

libs		+= debug-student
debug-student-src := $(STUDENT)/push.c $(STUDENT)/ring.c
debug-student-cflags := -w
debug-student-skip := $(debug-others)

programs	+= debug-lab
debug-lab-src	:= $(debug-dir)/agent.c autograder/agent/ops.c \
		   reference/bus/judge/judge.c
debug-lab-libs	:= debug-judge debug-student driver port model
debug-lab-skip	:= $(debug-others)
