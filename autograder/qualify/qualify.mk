# SPDX-License-Identifier: GPL-2.0 OR MIT
# The funnel's layers, each a campaign with a verdict in its last line.
#
#   make qualify LAYER=1 [FULL=1 | COMMANDS=N] [DRIVER=FOLDER] [BREAK=N]
#   make qualify LAYER=2 [FULL=1]
#   make qualify LAYER=3 [WAITS=N]
#
# Layer 1: commands at 100 kHz under CRC, then the explorer.  BREAK damages
# one command in N: all must be found, and the verdict is FAILED.
# Layer 2: 1000 contexts switch at random, with tags and without.
# Layer 3: 100 threads wait for fences, 1 000 000 times in all; then two, since
# among many the next interrupt wakes whom the last one missed.
LAYER		?= 1
qualify-commands := $(or $(COMMANDS),$(if $(FULL),8640000000,200000000))
qualify-seeds	:= $(if $(FULL),1000,60)

qualify:
	@test -n "$(filter 1 2 3,$(LAYER))" || \
		{ echo "qualify: there are layers 1 to 3"; exit 2; }
	@+$(MAKE) qualify-layer-$(LAYER)

qualify-layer-1:
	@+$(MAKE) build/bin/explore
	@+$(MAKE) V=release build/release/bin/qualify
	@autograder/qualify/both $(or $(DRIVER),reference/umd) \
		--commands $(qualify-commands) --jobs $(JOBS) \
		$(if $(BREAK),--break $(BREAK)) -- \
		--seeds $(qualify-seeds) --jobs $(JOBS)

qualify-turns	:= $(if $(FULL),1000,100)
qualify-layer-2:
	@+$(MAKE) V=release build/release/bin/qualify-contexts
	@for tags in "" --no-tags; do \
		build/release/bin/qualify-contexts \
			--turns $(qualify-turns) $$tags || exit; \
	done
	@echo "Layer 2: passed, with tags and without"

qualify-layer-3:
	@+$(MAKE) V=release build/release/bin/qualify-fences
	@for crowd in "--waits $(or $(WAITS),1000000)" \
			"--waits 100000 --threads 2 --channels 1"; do \
		build/release/bin/qualify-fences $$crowd || \
			{ echo "Layer 3: FAILED"; exit 1; }; \
	done
	@echo "Layer 3: passed"

# Which driver was linked in: another one is another program.
qualify-driver	:= $(B)/obj/qualify/.driver
$(qualify-driver): FORCE
	@mkdir -p $(@D)
	@echo '$(DRIVER)' | cmp -s - $@ || echo '$(DRIVER)' > $@
$(bin)/qualify: $(qualify-driver)

.PHONY: qualify qualify-layer-1 qualify-layer-2 qualify-layer-3
