# SPDX-License-Identifier: GPL-2.0 OR MIT
# reference/tools/bench: figures against their peers.
bench-dir := reference/tools/bench

# The peers are optional: doctor's group "bench".
bench-has-dpdk := $(shell pkg-config --exists libdpdk 2>/dev/null && echo y)
bench-has-ck := $(wildcard /usr/include/ck_ring.h)

libs		+= bench-common
bench-common-src := $(bench-dir)/bench.c

libs		+= bench-peers
bench-peers-src	:= $(if $(bench-has-dpdk),$(bench-dir)/contest_dpdk.c) \
		   $(if $(bench-has-ck),$(bench-dir)/contest_ck.c)
bench-peers-cflags := $(if $(bench-has-dpdk), \
		   $(shell pkg-config --cflags libdpdk 2>/dev/null))
bench-peers-ldlibs := $(if $(bench-has-dpdk),-lrte_ring -lrte_eal)

# Null Host and contestant, one program for each implementation of ring.h.
bench-submit-parts := $(bench-dir)/submit.c $(bench-dir)/contest_ring.c \
		   $(bench-dir)/null_host.c
bench-submit-flags := $(if $(bench-has-dpdk),-DBENCH_DPDK) \
		   $(if $(bench-has-ck),-DBENCH_CK)
programs	+= bench-submit-locked
bench-submit-locked-src := $(bench-submit-parts)
bench-submit-locked-cflags := $(bench-submit-flags)
bench-submit-locked-libs := ring bench-common bench-peers port driver

programs	+= bench-submit-fast
bench-submit-fast-src := $(bench-submit-parts)
bench-submit-fast-cflags := $(bench-submit-flags)
bench-submit-fast-libs := ring-fast bench-common bench-peers port driver

programs	+= bench-card
bench-card-src	:= $(bench-dir)/card.c
bench-card-cflags := -Ireference
bench-card-libs	:= ring driver port model bench-common

programs	+= bench-links
bench-links-src	:= $(bench-dir)/links.c autograder/judge/fake_agent.c
bench-links-libs := judge model bench-common

programs	+= bench-grading
bench-grading-src := $(bench-dir)/grading.c
bench-grading-libs := bench-common

programs	+= bench-fence
bench-fence-src	:= $(bench-dir)/fence.c
bench-fence-cflags := -Ireference
bench-fence-libs := fence-campaign fence ring driver port model bench-common

programs	+= bench-vas
bench-vas-src	:= $(bench-dir)/vas.c $(bench-dir)/translate.c
bench-vas-cflags := -Ireference
bench-vas-libs	:= ring driver port model bench-common

bench-has-sets := $(and $(wildcard /usr/include/Judy.h), \
		   $(wildcard /usr/include/bsd/sys/tree.h))
programs	+= $(if $(bench-has-sets),bench-ranges)
bench-ranges-src := $(bench-dir)/ranges.c
bench-ranges-libs := ring driver port bench-common
bench-ranges-ldlibs := -lJudy

programs	+= bench-calls
bench-calls-src	:= $(bench-dir)/calls.c
bench-calls-cflags := -Ireference
bench-calls-libs := calls ring driver port model bench-common

# make bench (course.mk) builds these optimised and runs them in turn.
bench-parts	:= submit-fast submit-locked card vas fence calls links grading \
		   $(if $(bench-has-sets),ranges)
bench-run: $(bench-parts:%=$(bin)/bench-%)
	@rm -rf build/bench/labs
	@$(foreach n,$(labs-cut),mkdir -p build/bench/labs/$n && \
		cp $(lab$n-sources) build/bench/labs/$n/ &&) true
	@$(bench-dir)/run $(bin) build/bin/grade build/bench/labs \
		build/bench.json
.PHONY: bench-run
