# SPDX-License-Identifier: GPL-2.0 OR MIT
# vm/guest/tests: programs for the guest, which open a card's node
#
# The labs' tests run over a card in the process too, so that a change to them
# or to the driver is tried where no guest is: test-guest-lab01 and so on.
guest-dir	:= vm/guest/tests
guest-labs	:= lab01 lab02 lab03
guest-programs	:= $(guest-labs) boundary hog lost tesla-bench
guest-file	= $(1:%=$(guest-dir)/%.c)
guest-lab01-src	:= $(call guest-file,guest test_lab01 rig)
guest-lab02-src	:= $(call guest-file,guest test_lab02 errors raw)
guest-lab03-src	:= $(call guest-file,guest test_lab03 processes rig)
guest-boundary-src := $(call guest-file,guest test_boundary raw)
guest-hog-src	:= $(call guest-file,guest hog rig)
guest-lost-src	:= $(call guest-file,guest lost rig)
guest-tesla-bench-src := $(call guest-file,guest bench rig)

define guest-direct-rules
programs		+= $(1)-direct
$(1)-direct-src		:= $$(guest-$(1)-src) $$(guest-dir)/open_direct.c
$(1)-direct-libs	:= fence ring driver-calls port model
$(1)-direct-skip	:= release
check-steps		+= guest-$(1)
guest-$(1)-command	:= $$(guest-dir)/run-direct $$(bin)/$(1)-direct
endef

define guest-rules
libs			+= guest-$(1)
guest-$(1)-src		+= $$(guest-dir)/open_node.c
guest-$(1)-cflags	= $$(native-cflags)
guest-$(1)-skip		:= asan release
guest-files		+= $$(guest-root)/usr/bin/$(1)
$$(guest-root)/usr/bin/$(1): $$(B)/lib/libguest-$(1).a $$(libtesla)
	@mkdir -p $$(@D)
	$$(call quiet,LD)$$(CC) $$(LDFLAGS) -o $$@ $$< $$(libtesla) \
		-Wl,-rpath,'$$$$ORIGIN/../lib'
endef

$(foreach p,$(guest-labs),$(eval $(call guest-direct-rules,$p)))
$(foreach p,$(guest-programs),$(eval $(call guest-rules,$p)))

# 32 bits, without a library; where the compiler cannot, there is none
compat32	:= $(guest-root)/usr/bin/compat32
guest-files	+= $(compat32)
$(compat32): $(guest-dir)/compat32.c reference/include/uapi/tesla.h \
		reference/include/uapi/calls.def
	@mkdir -p $(@D)
	$(call quiet,CC)gcc -m32 -std=gnu11 -Os -Wall -Wextra -Werror \
		-Ireference/include -idirafter /usr/include/$(shell gcc \
		-print-multiarch) -ffreestanding -fno-pie -no-pie -nostdlib \
		-static -fno-stack-protector -fno-asynchronous-unwind-tables \
		-fcf-protection=none -o $@ $<
