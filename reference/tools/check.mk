# SPDX-License-Identifier: GPL-2.0 OR MIT
# Tests and the rules that no compiler enforces.

# What labs' files are cut from: labs.mk.
skeletons := $(foreach n,$(labs-cut),\
	$(lab$n-files:%=$(lab$n-dir)/%))

skeleton: $(skeletons)

# $(call skeleton-rules,DIR,LAB,SOURCE)
define skeleton-rules
$(1)/$(notdir $(3)): $(3) $(tools)/cut
	@mkdir -p $$(@D)
	$$(call quiet,CUT)awk -f $(tools)/cut -v lab=$(2) $$< > $$@
endef

# Only "make skeleton" cuts: a student's file is newer than nothing.
ifneq ($(filter skeleton,$(MAKECMDGOALS)),)
$(foreach n,$(labs-cut),$(foreach f,$(lab$n-sources),\
	$(eval $(call skeleton-rules,$(lab$n-dir),$n,$f))))
endif

# The grader's own: labs/ may hold somebody's solution by now.
handouts := $(foreach n,$(labs-cut),\
	$(lab$n-files:%=build/skeleton/$(notdir $(lab$n-dir))/%))
$(foreach n,$(labs-cut),$(foreach f,$(lab$n-sources),$(eval $(call \
	skeleton-rules,build/skeleton/$(notdir $(lab$n-dir)),$n,$f))))
$(bin)/grade: | $(handouts)

# "make check" looks for what is missing before it builds.
check:
	@sh $(tools)/doctor --quiet grade check vm
	@rm -f $(B)/built
	-@vm/guest/fetch qemu kernel busybox headers
	-@+$(MAKE) -k V=$(V) check-build
	@+$(MAKE) V=$(V) check-run

# What was not built is a failure to count, not a reason to count nothing.
check-build: build
	@touch $(B)/built
build-command := test -e $(B)/built

check-run:
	@{ $(foreach s,$(sort $(check-steps)),\
		echo '$s $($s-command)';) } | \
	$(tools)/check-runner $(JOBS) $(B)/check $(test-files)

check-steps += build lint metrics cut skeleton further figures mutants
lint-command	 := $(tools)/lint
metrics-command	 := $(tools)/metrics
figures-command	 := for lab in $(labs-cut); do $(bin)/figures $$lab || exit; done
cut-command	 := $(tools)/test-cut $(foreach n,$(labs-cut),\
			$(lab$n-sources))
further-command	 := $(tools)/test-further
skeleton-command := $(tools)/skeleton-check $(foreach n,$(labs-cut),\
			$(foreach f,$(lab$n-sources),\
			$n $f $(lab$n-dir)/$(notdir $f)))

# One step alone: make check-step STEP=skeleton; tests alone: check-tests.
lint metrics:
	@$($@-command)
check-step:
	@$(or $($(STEP)-command),echo "STEP=$(STEP): the steps are" \
		"$(sort $(check-steps))"; exit 2)
check-tests: $(test-files) $(program-files)
	@$(tools)/check-runner $(JOBS) $(B)/tests $(test-files) </dev/null

# The same as what a change must pass to be taken.
pre-push:
	@sh $(tools)/doctor --quiet grade check push
	@$(tools)/pre-push

.PHONY: skeleton check check-build check-run lint metrics pre-push \
	check-step check-tests
