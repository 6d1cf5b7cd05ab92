# SPDX-License-Identifier: GPL-2.0 OR MIT
# reference/tools/fuzz: arbitrary input for what listens to strangers
fuzz-dir	:= reference/tools/fuzz
fuzz-sanitize	:= -fsanitize=address,undefined \
		   -fno-sanitize-recover=all

# All of it once more, with clang's counters; in one variant.
programs	+= fuzz-calls
fuzz-calls-src	:= $(addprefix $(fuzz-dir)/,calls.c calls_step.c calls_ring.c \
		   calls_work.c) \
		   $(driver-src) $(calls-src) $(port-src) $(model-src) \
		   reference/umd/push.c
fuzz-calls-cc	:= clang
fuzz-calls-cflags := -fsanitize=fuzzer-no-link $(fuzz-sanitize) \
		   -Wno-missing-field-initializers
fuzz-calls-ldlibs := -fsanitize=fuzzer $(fuzz-sanitize)
fuzz-calls-skip	:= asan clang release debug

# A step of make check: the corpus, and so many inputs more, always the same.
# What is found goes to build/fuzz; the corpus in the repository is only read.
fuzz-calls-corpus := $(fuzz-dir)/corpus/calls
ifeq ($(V),default)
check-steps	+= fuzz
fuzz-command	:= rm -rf build/fuzz/check && mkdir -p build/fuzz/check && \
		   $(bin)/fuzz-calls -runs=300 -seed=1 -max_len=512 \
		   -timeout=60 -artifact_prefix=build/fuzz/ \
		   build/fuzz/check $(fuzz-calls-corpus)
endif

# A minute of new ones.
fuzz: $(bin)/fuzz-calls
	@mkdir -p build/fuzz/calls
	$(bin)/fuzz-calls -max_total_time=60 -max_len=512 -len_control=0 \
		-timeout=60 -artifact_prefix=build/fuzz/ \
		build/fuzz/calls $(fuzz-calls-corpus)
.PHONY: fuzz
