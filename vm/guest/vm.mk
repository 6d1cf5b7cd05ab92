# SPDX-License-Identifier: GPL-2.0 OR MIT
# The guest: a Linux with the card in it, from Debian's packages.
#
#   make vm [CHIP="p100 p40"] [LAB=01] [ADDITIONS=off] [IOMMU=1] [GDB=1]
#           [WITH=mine] [RUN='command']
#
# Without LAB and RUN a shell; with LAB its tests.  WITH=mine builds the
# student's files of LAB into module and library, in a build folder of its own.
# Every folder's module.mk adds what it has for the guest to guest-files.
vm-dir		?= build/vm
guest-dir-vm	:= vm/guest
CHIP		?= p100
# Whether LAB was given, or is the Makefile's own.
vm-lab		:= $(if $(filter command% environment,$(origin LAB)),$(LAB))
vm-mine		:= $(filter mine,$(WITH))
vm-build	:= $(if $(vm-mine),build/mine-$(LAB),build/default)
# A student's files may have warnings.
vm-cflags	:= -std=gnu11 -O2 -g -Wall -Wno-unused-function -pthread
vm-run		= $(or $(RUN),$(if $(vm-lab),lab$(vm-lab) /dev/tesla0))
vm-options	= $(CHIP:%=--chip %) $(if $(ADDITIONS),--additions $(ADDITIONS)) \
		  $(if $(IOMMU),--iommu) $(if $(GDB),--gdb) \
		  $(if $(vm-run),--run '$(vm-run)')

# The doctor and the packages come first: what is built wants them.
vm: vm-ready
	@+$(MAKE) V=default guest-host
	@+$(MAKE) V=default $(if $(vm-mine),B=$(vm-build) \
		bin=$(vm-build)/bin CFLAGS="$(vm-cflags)") guest-files
	@$(guest-dir-vm)/run --root $(vm-build)/guest/root $(vm-options)

vm-ready:
	@sh $(tools)/doctor --quiet grade vm
	@$(guest-dir-vm)/fetch qemu kernel busybox headers

# Everything about the guest; its short form is a step of make check.
vm-check: vm-ready
	@$(guest-dir-vm)/fetch current
	@+$(MAKE) V=default guest-stage kernel
	@$(guest-dir-vm)/check

guest-stage: $(guest-files) guest-host
guest-files: $(guest-files)
guest-host: build/bin/tesla-server build/bin/guest-qmp

# Only the default variant has a guest.
ifeq ($(V),default)
check-build: guest-stage
check-steps += vm vm-oops
vm-command	:= $(guest-dir-vm)/check short
vm-oops-command	:= $(guest-dir-vm)/test-oops
endif

# Headers of a kernel, for who builds a module without make vm.
$(vm-dir)/%/Makefile:
	@$(guest-dir-vm)/fetch $(if $(filter linux,$*),headers,current)
$(B)/kernel/linux/tesla.ko: | $(vm-dir)/linux/Makefile
$(B)/kernel/linux-current/tesla.ko: | $(vm-dir)/linux-current/Makefile

# The server is timed as it is when optimised.
bench: bench-guest
bench-guest:
	-@$(guest-dir-vm)/fetch qemu kernel busybox headers
	-@+$(MAKE) V=default guest-stage
	@+$(MAKE) V=release build/release/bin/tesla-server

.PHONY: bench-guest vm vm-ready vm-check guest-stage guest-files guest-host
