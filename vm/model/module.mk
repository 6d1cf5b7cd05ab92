# SPDX-License-Identifier: GPL-2.0 OR MIT
# The card.  Each test_NAME.c is a Check program test-card-NAME; test_rig.c,
# test_bench.c and test_machine.c are what they share.
model-dir	:= vm/model
model-tests	:= $(filter-out rig bench machine,$(patsubst \
			$(model-dir)/test_%.c,%,$(wildcard $(model-dir)/test_*.c)))

libs		+= model
model-src	:= $(filter-out $(model-dir)/test_% $(model-dir)/bench_%, \
			$(wildcard $(model-dir)/*.c))

define model-test
tests			+= test-card-$(1)
test-card-$(1)-src	:= $(model-dir)/test_$(1).c $(model-dir)/test_rig.c \
	$(model-dir)/test_bench.c $(model-dir)/test_machine.c
test-card-$(1)-libs	:= model
test-card-$(1)-ldlibs	:= $(shell pkg-config --libs check)
endef
$(foreach name,$(model-tests),$(eval $(call model-test,$(name))))
