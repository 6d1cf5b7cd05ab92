# SPDX-License-Identifier: GPL-2.0 OR MIT
# reference/bus/node: user mode over the kernel's driver; libtesla.so
#
# The same files as in a process, compiled for real memory, without the kernel
# half.  With WITH=mine the files of LAB's are the student's, warnings and
# all: make labNN shows those.
libs		+= tesla
tesla-src	:= $(call lab-own,$(addprefix reference/umd/,push.c ring.c \
		   fence.c wait.c sleep.c listener.c device.c crc.c)) \
		   reference/bus/node/node.c \
		   $(addprefix reference/port/user/,bus.c slab.c ktime.c \
		   print.c report.c context.c native/io.c native/lost.c)
tesla-cflags	= $(native-cflags) -Ireference/umd $(lab-own-cflags)
tesla-skip	:= release

# as the guest has it; guest-files is what a guest wants of a build
guest-root	:= $(B)/guest/root
libtesla	:= $(guest-root)/usr/lib/libtesla.so.1
tesla-exports	:= reference/bus/node/libtesla.map
guest-files	+= $(libtesla) $(guest-root)/usr/lib/libtesla.so

$(libtesla): $(B)/lib/libtesla.a $(tesla-exports)
	@mkdir -p $(@D)
	$(call quiet,LD)$(CC) -shared $(LDFLAGS) -o $@ \
		-Wl,-soname,libtesla.so.1 -Wl,-z,defs \
		-Wl,--version-script,$(tesla-exports) \
		-Wl,--whole-archive $< -Wl,--no-whole-archive
$(guest-root)/usr/lib/libtesla.so: $(libtesla)
	@ln -sf libtesla.so.1 $@

tests		+= test-node
test-node-src	:= reference/bus/node/test_node.c
test-node-libs	:= tesla
test-node-cflags = $(native-cflags)
test-node-ldlibs := $(shell pkg-config --libs check)
test-node-skip	:= release

ifeq ($(filter asan release,$(V)),)
build: $(libtesla)
check-steps	+= exports
exports-command	= reference/bus/node/exports-check $(libtesla) \
		  $(tesla-exports)
endif
