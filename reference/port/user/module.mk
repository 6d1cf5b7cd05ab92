# SPDX-License-Identifier: GPL-2.0 OR MIT
# reference/port/user: Linux's names in a process; and the direct link
libs		+= port
port-src	:= $(addprefix reference/port/user/,bus.c io.c slab.c ktime.c \
		   print.c report.c context.c irq.c wait.c work.c eventfd.c \
		   uaccess.c process.c) \
		   $(addprefix reference/bus/direct/,direct.c irq.c dma.c)

tests		+= test-port
test-port-src	:= reference/port/user/test_port.c
test-port-libs	:= port model
test-port-ldlibs := $(shell pkg-config --libs check)

tests		+= test-port-irq
test-port-irq-src := reference/port/user/test_irq.c
test-port-irq-libs := port model
test-port-irq-ldlibs := $(shell pkg-config --libs check)

# the same where BARs are mapped memory; what uses it is compiled with
# $(native-cflags), for the barriers
native-cflags	:= -Ireference/port/user/native -fPIC
libs		+= port-native
port-native-src	:= $(addprefix reference/port/user/,bus.c slab.c ktime.c \
		   print.c report.c context.c irq.c wait.c work.c eventfd.c \
		   uaccess.c native/io.c native/lost.c)
port-native-cflags := $(native-cflags)

tests		+= test-native
test-native-src	:= reference/port/user/native/test_native.c
test-native-libs := port-native
test-native-cflags := $(native-cflags)
test-native-ldlibs := $(shell pkg-config --libs check)
