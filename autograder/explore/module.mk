# SPDX-License-Identifier: GPL-2.0 OR MIT
# autograder/explore: a driver under many seeds and schedules
libs		+= explorer
explorer-src	:= autograder/explore/explore.c autograder/explore/build.c
explorer-cflags	:= -D_GNU_SOURCE

programs	+= explore
explore-src	:= autograder/explore/main.c
explore-libs	:= explorer judge compile model
explore-deps	:= $(agents)

tests		+= test-explore
test-explore-src := autograder/explore/test_explore.c
test-explore-libs := explorer judge compile model
test-explore-ldlibs := $(shell pkg-config --libs check)
test-explore-deps := $(agents)
