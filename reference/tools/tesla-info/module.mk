# SPDX-License-Identifier: GPL-2.0 OR MIT
# reference/tools/tesla-info: what a card is, by reading alone
info-dir	:= reference/tools/tesla-info

libs		+= info
info-src	:= $(addprefix $(info-dir)/,gather.c registers.c verdict.c \
		   print.c)
info-cflags	= $(native-cflags)

programs	+= tesla-info
tesla-info-src	:= $(info-dir)/main.c
tesla-info-libs	:= info sysfs port-native
tesla-info-cflags = $(native-cflags)

guest-files	+= $(B)/guest/root/usr/bin/tesla-info
$(B)/guest/root/usr/bin/tesla-info: $(bin)/tesla-info
	@mkdir -p $(@D)
	@cp $< $@

tests		+= test-info
test-info-src	:= $(info-dir)/test_info.c $(info-dir)/test_tree.c \
		   reference/port/user/native/lost.c
test-info-libs	:= info sysfs port model
test-info-ldlibs := $(shell pkg-config --libs check)
