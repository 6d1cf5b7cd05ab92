# SPDX-License-Identifier: GPL-2.0 OR MIT
# autograder/compile: from a student's files to an agent
libs		+= compile
compile-src	:= $(addprefix autograder/compile/,compile.c files.c folder.c labs.c tool.c run.c \
		   front.c irtext.c ir.c hooks.c includes.c names.c object.c check.c symbols.c)

programs	+= agent-build
agent-build-src	:= autograder/compile/agent_build.c
agent-build-libs := compile
agent-build-deps := $(agents)

tests		+= test-compile
test-compile-src := autograder/compile/test_compile.c
test-compile-libs := compile
test-compile-ldlibs := $(shell pkg-config --libs check)
test-compile-deps := $(agents)
