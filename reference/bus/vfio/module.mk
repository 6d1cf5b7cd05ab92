# SPDX-License-Identifier: GPL-2.0 OR MIT
# reference/bus/vfio and sysfs: a card from user space
vfio-dir	:= reference/bus/vfio
sysfs-dir	:= reference/bus/sysfs

libs		+= sysfs
sysfs-src	:= $(addprefix $(sysfs-dir)/,device.c config.c cards.c sysfs.c)
sysfs-cflags	= $(native-cflags)

# Both halves of the driver, for BARs that are mapped memory.  With WITH=mine
# the files of LAB's are the student's.
libs		+= driver-native
driver-native-src := $(call lab-own,$(driver-src) $(ring-src) $(fence-src))
driver-native-cflags = $(native-cflags) $(lab-own-cflags) -Ireference/umd \
		   -Ireference/kmd

libs		+= vfio
vfio-src	:= $(addprefix $(vfio-dir)/,iova.c os.c reset.c group.c \
		   regions.c dma.c irq.c vfio.c keep.c)
vfio-cflags	= $(native-cflags)

tests		+= test-iova
test-iova-src	:= $(vfio-dir)/test_iova.c
test-iova-libs	:= vfio sysfs driver-native port-native
test-iova-cflags = $(native-cflags)
test-iova-ldlibs := $(shell pkg-config --libs check)

define vfio-fake
tests		+= $(1)
$(1)-src	:= $(vfio-dir)/$(2).c $(vfio-dir)/test_fake.c \
		   reference/tools/tesla-info/test_tree.c
$(1)-libs	:= vfio sysfs port-native port model
$(1)-cflags	= $$(native-cflags)
$(1)-ldlibs	:= $(shell pkg-config --libs check)
endef
$(eval $(call vfio-fake,test-vfio,test_vfio))
$(eval $(call vfio-fake,test-vfio-use,test_vfio_use))

# lab-vfio's steps over a card in the process
tests		+= test-lab
test-lab-src	:= $(addprefix $(vfio-dir)/,test_lab.c lab_line.c lab_steps.c)
test-lab-libs	:= fence ring driver port model
test-lab-ldlibs	:= $(shell pkg-config --libs check)

tests		+= test-sysfs
test-sysfs-src	:= $(sysfs-dir)/test_sysfs.c \
		   reference/tools/tesla-info/test_tree.c
test-sysfs-libs	:= sysfs port-native port model
test-sysfs-cflags = $(native-cflags)
test-sysfs-ldlibs := $(shell pkg-config --libs check)

# What a guest, or a machine with a card, is given: staged.  native-program
# NAME, SOURCES, LIBRARIES.
define vfio-program
libs			+= prog-$(1)
prog-$(1)-src		:= $(2)
prog-$(1)-cflags	= $$(native-cflags)
prog-$(1)-skip		:= asan release
guest-files		+= $$(B)/guest/root/usr/bin/$(1)
$$(B)/guest/root/usr/bin/$(1): $$(B)/lib/libprog-$(1).a \
		$$(patsubst %,$$(B)/lib/lib%.a,$(3))
	@mkdir -p $$(@D)
	$$(call quiet,LD)$$(CC) $$(LDFLAGS) -o $$@ -Wl,--start-group $$^ \
		-Wl,--end-group
endef
$(eval $(call vfio-program,lab-vfio,$(addprefix $(vfio-dir)/,lab.c \
	lab_line.c lab_steps.c),vfio sysfs driver-native port-native))
$(eval $(call vfio-program,vfio-keep,$(vfio-dir)/keeper.c,\
	vfio sysfs driver-native port-native))

# The guest's tests of the labs, with both halves of the driver in the
# process and the call table between them: lab01-vfio and so on; and its
# bench.
guest-labs-vfio		:= lab01 lab02 lab03
libs			+= kernel-native
kernel-native-src	:= $(call lab-own,$(driver-src)) $(calls-src)
kernel-native-cflags	= $(native-cflags) $(lab-own-cflags) -Ireference/kmd \
			  -Wframe-larger-than=1024
kernel-native-skip	:= asan release

kernel-half-native	:= $(B)/obj/kernel-native/kernel.o
$(kernel-half-native): $(B)/lib/libkernel-native.a
	@mkdir -p $(@D)
	$(call quiet,LD)ld -r -o $@ --whole-archive $<
	@objcopy --keep-global-symbol=node_open $@

libs			+= user-native
user-native-src		:= $(call lab-own,$(ring-src) $(fence-src)) \
			   reference/umd/device.c reference/umd/crc.c \
			   reference/port/user/process.c
user-native-cflags	= $(native-cflags) $(lab-own-cflags) -Ireference/umd
user-native-skip	:= asan release

# Their helpers as a library, of which each takes what it needs.
libs			+= guest-tests-native
guest-tests-native-src := $(addprefix vm/guest/tests/,guest.c rig.c errors.c \
			   raw.c processes.c) $(vfio-dir)/guest_open.c
guest-tests-native-cflags = $(native-cflags)
guest-tests-native-skip	:= asan release

define vfio-test
libs			+= prog-$(1)-vfio
prog-$(1)-vfio-src	:= vm/guest/tests/$(2).c
prog-$(1)-vfio-cflags	= $$(native-cflags)
prog-$(1)-vfio-skip	:= asan release
guest-files		+= $$(B)/guest/root/usr/bin/$(1)-vfio
$$(B)/guest/root/usr/bin/$(1)-vfio: $$(B)/lib/libprog-$(1)-vfio.a \
		$$(kernel-half-native) $$(patsubst %,$$(B)/lib/lib%.a,\
		guest-tests-native user-native vfio sysfs port-native)
	@mkdir -p $$(@D)
	$$(call quiet,LD)$$(CC) $$(LDFLAGS) -o $$@ -Wl,--start-group $$^ \
		-Wl,--end-group
endef
$(foreach l,$(guest-labs-vfio),$(eval $(call vfio-test,$l,test_$l)))
$(eval $(call vfio-test,tesla-bench,bench))
