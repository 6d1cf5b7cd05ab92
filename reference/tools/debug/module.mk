# SPDX-License-Identifier: GPL-2.0 OR MIT
# reference/tools/debug: make debug LAB=01 TEST=…
#
# Judge and driver in one program a lab: names that both have are told
# apart, and everything is compiled for the debugger, the student's files
# included, which may still have warnings.  STUDENT may be any folder with
# the lab's files.
debug-dir	:= reference/tools/debug
debug-others	:= default asan clang release
# Their tests have threads and interrupts: over the direct link, see below.
debug-threads	:= $(filter 03,$(labs-cut))

libs		+= debug-judge
debug-judge-src	:= $(filter-out %/link.c,$(judge-src)) \
		   $(debug-dir)/link.c $(debug-dir)/main.c
debug-both	:= ring_pause ring_resume tlb_invalidate ats_supported \
		   ats_enable ats_disable fence_wait fence_wait_all \
		   fence_wait_any
debug-judge-cflags := -D_GNU_SOURCE $(foreach n,$(debug-both),-D$n=scenario_$n)
debug-judge-skip := $(debug-others)

define debug-rules
libs		+= debug-driver$(1)
debug-driver$(1)-src := $(filter-out $(lab$(1)-sources),$(driver-sources))
debug-driver$(1)-skip := $(debug-others)

libs		+= debug-student$(1)
debug-student$(1)-dir := $(or $(STUDENT),$(lab$(1)-dir))
debug-student$(1)-src := $$(lab$(1)-files:%=$$(debug-student$(1)-dir)/%) \
			 $$(call lab-further,$$(debug-student$(1)-dir))
debug-student$(1)-cflags := -w $(lab$(1)-headers:%=-I%)
debug-student$(1)-skip := $(debug-others)

$(if $(filter $(1),$(debug-threads)),,programs += debug-lab$(1))
debug-lab$(1)-src := $(debug-dir)/agent.c \
		   $(filter-out %/report.c,$(agent-operations)) \
		   reference/bus/judge/judge.c
debug-lab$(1)-libs := debug-judge debug-student$(1) debug-driver$(1) port model
debug-lab$(1)-skip := $(debug-others)
endef
$(foreach n,$(labs-cut),$(eval $(call debug-rules,$n)))

# The guest's tests, which need no judge.
define debug-threads-rules
programs	+= debug-threads$(1)
debug-threads$(1)-src = $$(filter-out %/open_node.c,$$(guest-lab$(1)-src)) \
		   vm/guest/tests/open_direct.c
debug-threads$(1)-libs := debug-student$(1) debug-driver$(1) calls port model
debug-threads$(1)-skip := $(debug-others)
endef
$(foreach n,$(debug-threads),$(eval $(call debug-threads-rules,$n)))
