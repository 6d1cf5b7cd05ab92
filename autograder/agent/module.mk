# SPDX-License-Identifier: GPL-2.0 OR MIT
# autograder/agent/module.mk
#
# The agent without the student's part, as one relocatable object: the
# runtime and the operations as they are; the driver that labs are given,
# instrumented; and in both port and driver the C library's names redirected
# to the runtime.  It is the same in every variant: no sanitizer but ours.
agent-dir	:= build/agent
agent-plain	:= $(wildcard autograder/runtime/*.c) \
		   autograder/agent/main.c autograder/agent/ops.c \
		   reference/bus/judge/judge.c
agent-plain	:= $(filter-out autograder/runtime/test_%,$(agent-plain))
agent-port	:= $(addprefix reference/port/user/,bus.c ktime.c print.c \
		   slab.c)
agent-hooked	:= reference/port/user/io.c reference/umd/crc.c \
		   $(wildcard reference/kmd/*.c reference/hal/*.c)
agent-hooked	:= $(filter-out %/test_fixture.c,$(agent-hooked))
agent-hooked	:= $(foreach f,$(agent-hooked),$(if \
		   $(findstring /test_,$f),,$f))
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
$(agent-dir)/agent.o: $(agent-dir)/intercept.syms \
		$(call agent-objects,plain) $(call agent-objects,port) \
		$(call agent-objects,hooked)
	$(call quiet,LD)ld -r -o $(@D)/driver.o \
		$(filter $(agent-dir)/port/% $(agent-dir)/hooked/%,$^)
	@objcopy --redefine-syms=$< $(@D)/driver.o
	@ld -r -o $(@D)/plain.o $(filter $(agent-dir)/plain/%,$^)
	@strip -g $(@D)/plain.o
	@ld -r -o $@ $(@D)/plain.o $(@D)/driver.o

-include $(patsubst %.o,%.d,$(foreach k,plain port hooked,$(call \
	agent-objects,$k)))
