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
		   $(DRIVER:%/=%)/ring.c reference/umd/queue.c
qualify-libs	:= campaign driver port model
qualify-ldlibs	:= -lm

programs	+= qualify-contexts
qualify-contexts-src := $(qualify-dir)/contexts.c
qualify-contexts-libs := ring driver port model

libs		+= fence-campaign
fence-campaign-src := $(qualify-dir)/fences.c

programs	+= qualify-fences
qualify-fences-src := $(qualify-dir)/fences_main.c
qualify-fences-libs := fence-campaign fence ring driver port model

tests		+= test-qualify-fences
test-qualify-fences-src := $(qualify-dir)/test_fences.c
test-qualify-fences-libs := fence-campaign fence ring driver port model
test-qualify-fences-ldlibs := $(shell pkg-config --libs check)

tests		+= test-qualify
test-qualify-src := $(qualify-dir)/test_qualify.c
test-qualify-libs := campaign ring driver port model
test-qualify-ldlibs := $(shell pkg-config --libs check)
