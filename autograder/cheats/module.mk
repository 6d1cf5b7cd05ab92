# SPDX-License-Identifier: GPL-2.0 OR MIT
# autograder/cheats: none gains, none harms
tests		+= test-cheats
test-cheats-src	:= autograder/cheats/test_cheats.c
test-cheats-libs := report
test-cheats-cflags = -DBIN='"$(bin)"'
test-cheats-ldlibs := $(shell pkg-config --libs check)
test-cheats-deps = $(bin)/grade
