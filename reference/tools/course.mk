# SPDX-License-Identifier: GPL-2.0 OR MIT
# What students and instructors call: grading, a lab's loop, gdb, traces.

OUT	?= build/grade
grade	:= $(bin)/grade
lab-dir	 = $(lab$(LAB)-dir)

# A first test to look at: one of the lab's that runs something.
lab-tests = $(shell sed -n 's/^TEST.\(public_[a-z0-9_]*\),.*/\1/p' \
	autograder/hidden/$(LAB)-*/tests.def)
CHIP	?= p100
TEST	?= $(firstword $(filter public_first_%,$(lab-tests)) $(lab-tests))

# What was given wrongly is said in one line, before anything is done.
chips	:= p100 p40 m40
ifneq ($(filter grade trace debug flake mutants figures vm,$(MAKECMDGOALS)),)
ifeq ($(filter $(LAB),$(labs-cut)),)
$(error LAB=$(LAB): the labs are $(labs-cut))
endif
ifneq ($(filter-out $(chips),$(CHIP)),)
$(error CHIP=$(CHIP): the chips are $(chips))
endif
ifneq ($(filter-out on off,$(ADDITIONS)),)
$(error ADDITIONS=$(ADDITIONS): they are on or off)
endif
endif

doctor:
	@sh $(tools)/doctor

# The first make must not look for libraries that doctor has yet to install.
grade:
	@sh $(tools)/doctor --install grade
	@+$(MAKE) grade-class

grade-class: $(grade)
	@$(grade) --lab $(LAB) --out '$(OUT)' --jobs $(JOBS) \
		--class '$(SUBMISSIONS)'

# A student's loop: the grader's own build and scheduler, public tests.
# Named one by one: a pattern alone is a rule for any lab01.h as well.
lab-goals := $(labs-cut:%=lab%)
$(lab-goals): lab%: $(grade)
	@$(grade) --lab $* --public --own --jobs $(JOBS) --out build/lab \
		$(lab$*-dir)

# Without the bring-up, which is most of it; FROM=start has that, too.
trace: $(grade)
	@mkdir -p build/trace
	@$(grade) --lab $(LAB) --own --trace $(TEST) --out build/trace \
		$(if $(filter start,$(FROM)),--from-start) $(lab-dir)

# The student's files, driver, card and test in one process, for gdb, which
# stops at every function that the lab's files give to others.
debug-breaks = $(patsubst %,-ex 'break %',$(shell sed -n \
	's/^EXPORT($(LAB), \(.*\))/\1/p' autograder/compile/exports.def))
# That link has one thread, which nobody interrupts.  Lab 03 has the guest's
# tests for it, over the direct link: a process for each, with its threads.
debug-guest	:= vm/guest/tests/test_lab$(LAB).c
debug-tests	= $(shell sed -n 's/^\tTEST(\(.*\)),/\1/p' $(debug-guest))
debug-test	= $(strip $(if $(filter command environment,$(origin TEST)),\
			$(TEST),$(firstword $(debug-tests))))
debug: $(if $(filter $(LAB),$(debug-threads)),debug-threads,debug-one)
# With V=debug, all that this goal may run.
debug-links: $(patsubst %,$(bin)/debug-lab%,$(filter-out \
	$(debug-threads),$(labs-cut))) $(debug-threads:%=$(bin)/debug-threads%)

debug-one:
	@sh $(tools)/doctor --quiet lab
	@+$(MAKE) V=debug build/debug/bin/debug-lab$(LAB)
	@gdb -q $(GDB) $(debug-breaks) -ex run \
		--args build/debug/bin/debug-lab$(LAB) $(LAB) $(TEST)

debug-threads:
	@test -n '$(filter $(debug-test),$(debug-tests))' || { \
		echo "debug: the tests of lab $(LAB) with threads are:"; \
		printf '  %s\n' $(debug-tests); exit 2; }
	@sh $(tools)/doctor --quiet lab
	@+$(MAKE) V=debug build/debug/bin/debug-threads$(LAB)
	@TEST=$(debug-test) gdb -q -ex 'set follow-fork-mode child' \
		-ex 'handle SIGALRM nostop noprint nopass' $(GDB) \
		$(debug-breaks) -ex run \
		--args build/debug/bin/debug-threads$(LAB) $(CHIP)

# Grading is a function of the submission: RUNS records, all equal.
flake: $(grade)
	@$(tools)/flake $(grade) $(LAB) $(RUNS)

# Every mutant loses the checks that it declares, and no other; make check
# takes one in four.
labs-mutated	:= $(foreach n,$(labs-cut),\
			$(if $(wildcard autograder/mutants/$n-*),$n))
mutants-command	 = EVERY=4 $(tools)/mutants $(grade) "$(labs-mutated)" $(JOBS)
mutants: $(grade)
	@$(tools)/mutants $(grade) $(LAB) $(JOBS)

# The seed's figures for a lab, and what they depend on; 1 when a direction
# does not hold.
figures: $(bin)/figures
	@$< $(LAB)

# Figures against their peers; the grader as students have it.
bench: $(grade)
	@sh $(tools)/doctor --quiet bench || echo "# without those peers"
	@+$(MAKE) V=release bench-run

.PHONY: mutants flake figures bench doctor grade grade-class trace debug \
	debug-one debug-threads debug-links $(lab-goals)
