# SPDX-License-Identifier: GPL-2.0 OR MIT
# What students and instructors call: grading, a lab's loop, gdb, traces.

OUT	?= build/grade
TEST	?= public_first_light
grade	:= $(bin)/grade
lab-dir	 = $(wildcard labs/$(LAB)-*)

doctor:
	@sh $(tools)/doctor

# The first make must not look for libraries that doctor has yet to install.
grade:
	@sh $(tools)/doctor --install grade
	@+$(MAKE) grade-class

grade-class: $(grade)
	@$(grade) --lab $(LAB) --out $(OUT) --jobs $(JOBS) \
		--class $(SUBMISSIONS)

# A student's loop: the grader's own build and scheduler, public tests.
# Named one by one: a pattern alone is a rule for any lab01.h as well.
lab-goals := $(labs-cut:%=lab%)
$(lab-goals): lab%: $(grade)
	@$(grade) --lab $* --public --own --jobs $(JOBS) --out build/lab \
		$(wildcard labs/$*-*)

trace: $(grade)
	@mkdir -p build/trace
	@$(grade) --lab $(LAB) --own --trace $(TEST) --out build/trace \
		$(lab-dir)

# The student's files, driver, card and test in one process, for gdb.
debug:
	@sh $(tools)/doctor --quiet lab
	@+$(MAKE) V=debug build/debug/bin/debug-lab
	@gdb -q $(GDB) -ex 'break push_inc' -ex 'break ring_create' \
		-ex 'break ring_submit' -ex run \
		--args build/debug/bin/debug-lab $(LAB) $(TEST)

# Grading is a function of the submission: RUNS records, all equal.
flake: $(grade)
	@$(tools)/flake $(grade) $(LAB) $(lab$(LAB)-from) $(RUNS)

# Every mutant loses the checks that it declares, and no other.
mutants-command	 = $(tools)/mutants $(grade) 01 $(lab01-from) $(JOBS)
mutants: $(grade)
	@$(tools)/mutants $(grade) $(LAB) $(lab$(LAB)-from) $(JOBS)

# The seed's figures for a lab, and what they depend on; 1 when a direction
# does not hold.
figures: $(bin)/figures
	@test '$(LAB)' = 01 || { echo "figures: there is lab 01"; exit 2; }
	@$<

# Figures against their peers; the grader as students have it.
bench: $(grade)
	@sh $(tools)/doctor --quiet bench || echo "# without those peers"
	@+$(MAKE) V=release bench-run

.PHONY: mutants flake figures bench doctor grade grade-class trace debug $(lab-goals)
