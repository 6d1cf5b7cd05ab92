# SPDX-License-Identifier: GPL-2.0 OR MIT
# reference/port/linux: tesla.ko, of the driver's own files
#
# They are those that driver-src and calls-src name, without what is for
# processes only.  With WITH=mine those of LAB's are the student's: lab-own
# (labs.mk).  Kbuild is the one other make; its trees are $(B)/kernel/NAME, and
# headers those that vm/guest/fetch puts into $(vm-dir).
vm-dir		?= build/vm
linux-dir	:= reference/port/linux
kernel-src	:= $(call lab-own,$(filter-out reference/umd/crc.c \
		   reference/port/user/%,$(driver-src) $(calls-src)) \
		   reference/umd/push.c) \
		   $(addprefix $(linux-dir)/,module.c card.c file.c view.c \
		   attrs.c) \
		   $(addprefix reference/bus/pci/,pci.c dma.c)
kernel-headers	:= $(foreach d,reference/include reference/include/uapi \
		   reference/kmd reference/hal reference/umd $(linux-dir) \
		   reference/bus/pci vm/spec $(lab-mine-dir),\
		   $(wildcard $d/*.h $d/*.def))
# A student's files may have warnings.
kernel-options	:= $(if $(filter mine,$(WITH)),$(addprefix --include ,\
		   $(lab$(LAB)-headers) $(addprefix reference/,kmd umd)),\
		   --strict)

$(B)/kernel/sources: FORCE
	@mkdir -p $(@D)
	@echo '$(kernel-options) $(kernel-src)' | cmp -s - $@ || \
		echo '$(kernel-options) $(kernel-src)' > $@

# For Debian 12's kernel, and for a current one.
$(B)/kernel/%/tesla.ko: $(kernel-src) $(kernel-headers) $(linux-dir)/kbuild \
		$(B)/kernel/sources
	@test -e $(vm-dir)/$*/Makefile || { echo "kernel: no headers in" \
		"$(vm-dir)/$*: vm/guest/fetch headers current"; exit 1; }
	$(call quiet,KBUILD)$(linux-dir)/kbuild $(kernel-options) \
		$(vm-dir)/$* $(@D) $(kernel-src)
	@touch $@

guest-files	+= $(B)/guest/root/lib/modules/tesla.ko
$(B)/guest/root/lib/modules/tesla.ko: $(B)/kernel/linux/tesla.ko
	@mkdir -p $(@D) && cp $< $@

kernel: $(B)/kernel/linux/tesla.ko $(B)/kernel/linux-current/tesla.ko
# What sparse finds: nothing.
kernel-sparse: $(B)/kernel/sources
	@command -v sparse >/dev/null || { echo "kernel-sparse: sparse is" \
		"missing (apt-get install sparse)"; exit 1; }
	@KBUILD=C=2 $(linux-dir)/kbuild $(vm-dir)/linux $(B)/kernel/sparse \
		$(kernel-src) >$(B)/kernel/sparse.log 2>&1; status=$$?; \
		cat $(B)/kernel/sparse.log; \
		[ $$status = 0 ] && [ ! -s $(B)/kernel/sparse.log ]
.PHONY: kernel kernel-sparse

# Of the guest: what a card's going means to who has it open; many who come
# and go while it does; and what one of them can take from the others.
define linux-test-rules
guest-files	+= $$(B)/guest/root/usr/bin/$(1)
$$(B)/guest/root/usr/bin/$(1): $$(linux-dir)/test_$(1).c \
		reference/include/uapi/tesla.h reference/include/uapi/calls.def
	@mkdir -p $$(@D)
	$$(call quiet,CC)gcc -std=gnu11 -O2 -Wall -Wextra -Werror \
		-Ireference/include -o $$@ $$<
endef
$(foreach t,gone storm nth bounds,$(eval $(call linux-test-rules,$t)))
