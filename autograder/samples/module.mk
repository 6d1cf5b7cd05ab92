# SPDX-License-Identifier: GPL-2.0 OR MIT
# autograder/samples: the labs' sample classes, made in build/samples
programs	+= sample-pack
sample-pack-src	:= autograder/samples/pack.c
sample-pack-ldlibs := -larchive

labs-sampled	:= $(foreach n,$(labs-cut),\
		   $(if $(wildcard autograder/samples/$n-*),$n))
samples		:= $(labs-sampled:%=build/samples/%.stamp)
SUBMISSIONS	?= build/samples/$(LAB)

define sample-rules
build/samples/$(1).stamp: $(wildcard autograder/samples/$(1)-*/*/*/* \
		autograder/samples/$(1)-*/bugs/*.patch) \
		autograder/samples/make-class $(lab$(1)-sources) \
		$(lab$(1)-files:%=build/skeleton/$(notdir $(lab$(1)-dir))/%) \
		$(bin)/sample-pack
	@sh autograder/samples/make-class $(1) build/samples/$(1) \
		$(bin)/sample-pack
	@touch $$@
endef
$(foreach n,$(labs-sampled),$(eval $(call sample-rules,$n)))
grade-class: $(filter build/samples/$(LAB).stamp,$(samples))
.PHONY: samples
samples: $(samples)

tests		+= test-samples
test-samples-src := autograder/samples/test_samples.c
test-samples-libs := report
test-samples-cflags = -DBIN='"$(bin)"'
test-samples-ldlibs := $(shell pkg-config --libs check)
test-samples-deps = $(bin)/grade $(samples)
