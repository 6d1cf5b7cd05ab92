# SPDX-License-Identifier: GPL-2.0 OR MIT
# autograder/qualify: long campaigns under push-buffer CRC.  The driver is
# what DRIVER names: a folder with push.c and ring.c.
qualify-dir	:= autograder/qualify
DRIVER		?= reference/umd

libs		+= campaign
campaign-src	:= $(addprefix $(qualify-dir)/,leg.c observer.c sequence.c \
		   run.c)
campaign-cflags	:= -D_GNU_SOURCE -Ireference

programs	+= qualify
qualify-src	:= $(qualify-dir)/main.c $(DRIVER:%/=%)/push.c \
		   $(DRIVER:%/=%)/ring.c
qualify-libs	:= campaign driver port model
qualify-ldlibs	:= -lm

tests		+= test-qualify
test-qualify-src := $(qualify-dir)/test_qualify.c
test-qualify-libs := campaign ring driver port model
test-qualify-ldlibs := $(shell pkg-config --libs check)
