# SPDX-License-Identifier: GPL-2.0 OR MIT
# The judge: one run of one test.  [autograder/judge/judge.h]
judge-code := link visibility arena record host post serve quiet batch call_text segment \
	      expect truth scenario checks judge tests \
	      machine space spaces memory walk scenario_vas gpu_work \
	      contexts scenario_ctx \
	      fences fence_truth scenario_fence
lab01-code := test_encode test_wrap test_barriers test_threads test_life
lab03-code := test_fence test_irq test_wait test_race test_death
lab02-code := test_entries test_ranges test_map test_tlb test_isolation \
	      test_switch test_ats

libs            += judge
judge-src       := $(judge-code:%=autograder/judge/%.c) \
		   $(lab01-code:%=autograder/hidden/01-ring/%.c) \
		   $(lab02-code:%=autograder/hidden/02-vas/%.c) \
		   $(lab03-code:%=autograder/hidden/03-fence/%.c)
judge-cflags    := -D_GNU_SOURCE

programs         += judge-run
judge-run-src    := autograder/judge/run.c autograder/judge/chrome.c
judge-run-libs   := judge model
judge-run-cflags := -D_GNU_SOURCE

tests                  += test-visibility
test-visibility-src    := autograder/judge/test_visibility.c
test-visibility-libs   := judge
test-visibility-ldlibs := $(shell pkg-config --libs check)

tests             += test-judge
test-judge-src    := autograder/judge/test_judge.c \
		     autograder/judge/fake_agent.c
test-judge-libs   := judge model
test-judge-cflags := -D_GNU_SOURCE
test-judge-ldlibs := $(shell pkg-config --libs check)

tests                  += test-call-text
test-call-text-src     := autograder/judge/test_call_text.c
test-call-text-libs    := judge model
test-call-text-ldlibs  := $(shell pkg-config --libs check)

tests             += test-arena
test-arena-src    := autograder/judge/test_arena.c
test-arena-libs   := judge
test-arena-ldlibs := $(shell pkg-config --libs check)

tests             += test-space
test-space-src    := autograder/judge/test_space.c
test-space-libs   := judge
test-space-ldlibs := $(shell pkg-config --libs check)
