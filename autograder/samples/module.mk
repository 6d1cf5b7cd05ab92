# SPDX-License-Identifier: GPL-2.0 OR MIT
# autograder/samples: the sample class, made in build/samples
programs	+= sample-pack
sample-pack-src	:= autograder/samples/pack.c
sample-pack-ldlibs := -larchive

SUBMISSIONS	?= build/samples
samples-from	:= $(wildcard autograder/samples/class/*/* \
		   autograder/samples/bugs/*.patch) \
		   autograder/samples/make-class \
		   reference/umd/push.c reference/umd/ring.c

build/samples.stamp: $(samples-from) $(bin)/sample-pack
	@sh autograder/samples/make-class build/samples $(bin)/sample-pack
	@touch $@
grade-class: build/samples.stamp
.PHONY: samples
samples: build/samples.stamp

tests		+= test-samples
test-samples-src := autograder/samples/test_samples.c
test-samples-libs := report
test-samples-cflags = -DBIN='"$(bin)"'
test-samples-ldlibs := $(shell pkg-config --libs check)
test-samples-deps = $(bin)/grade build/samples.stamp
