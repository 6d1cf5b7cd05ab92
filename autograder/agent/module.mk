# SPDX-License-Identifier: GPL-2.0 OR MIT
# autograder/agent/module.mk
#
# The agent without the student's part, as one relocatable object a lab: the
# runtime and the operations as they are; the driver but for the lab's files,
# instrumented; and in both port and driver the C library's names redirected
# to the runtime.  It is the same in every variant: no sanitizer but ours.
agent-dir	:= build/agent
agent-operations := $(filter-out %/main.c,$(wildcard autograder/agent/*.c))
agent-plain	:= $(wildcard autograder/runtime/*.c) \
		   autograder/agent/main.c $(agent-operations) \
		   reference/bus/judge/judge.c
agent-plain	:= $(filter-out autograder/runtime/test_%,$(agent-plain))
agent-port	:= $(addprefix reference/port/user/,bus.c ktime.c print.c \
		   slab.c context.c irq.c eventfd.c wait.c work.c)
# Without the call table: the two halves of the driver call each other.
agent-hooked	:= reference/port/user/io.c $(filter-out \
		   reference/umd/device.c reference/kmd/calls% \
		   reference/kmd/file.c reference/kmd/book.c,$(driver-sources))
agent-flags	:= -std=gnu11 -g -Wall -Wextra -fno-pie -fno-omit-frame-pointer \
		   -I. -Ireference/include -Ireference/port/user/judge \
		   -Ireference/port/user
agent-hooks	:= -O1 -fsanitize=thread -fno-builtin \
		   -mllvm -tsan-instrument-read-before-write=1 \
		   -mllvm -tsan-distinguish-volatile=1

agent-objects	= $(patsubst %.c,$(agent-dir)/$(1)/%.o,$(agent-$(1)))

$(agent-dir)/plain/%.o: %.c
	@mkdir -p $(@D)
	$(call quiet,CC)gcc -O2 -Werror $(agent-flags) -MMD -MP -c -o $@ $<
$(agent-dir)/port/%.o: %.c
	@mkdir -p $(@D)
	$(call quiet,CC)gcc -O2 -fno-builtin $(agent-flags) -MMD -MP -c -o $@ $<
$(agent-dir)/hooked/%.o: %.c
	@mkdir -p $(@D)
	$(call quiet,CC)clang $(agent-hooks) $(agent-flags) -MMD -MP \
		-c -o $@ $<

$(agent-dir)/intercept.syms: autograder/runtime/intercept.def
	@mkdir -p $(@D)
	@sed -n 's/^INTERCEPT(\(.*\), \(.*\))/\1 \2/p' $< > $@
$(agent-dir)/plain.o: $(call agent-objects,plain)
	@ld -r -o $@ $^
	@strip -g $@

# What is the student's in lab $(1) is left out.
define agent-rules
$(agent-dir)/agent-$(1).o: $(agent-dir)/intercept.syms $(agent-dir)/plain.o \
		$(call agent-objects,port) $(filter-out \
		$(lab$(1)-sources:%.c=$(agent-dir)/hooked/%.o),\
		$(call agent-objects,hooked))
	$$(call quiet,LD)ld -r -o $$(@D)/driver-$(1).o \
		$$(filter $(agent-dir)/port/% $(agent-dir)/hooked/%,$$^)
	@objcopy --redefine-syms=$$< $$(@D)/driver-$(1).o
	@ld -r -o $$@ $(agent-dir)/plain.o $$(@D)/driver-$(1).o
endef
$(foreach n,$(labs-cut),$(eval $(call agent-rules,$n)))

-include $(patsubst %.o,%.d,$(foreach k,plain port hooked,$(call \
	agent-objects,$k)))
