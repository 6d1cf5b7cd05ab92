# SPDX-License-Identifier: GPL-2.0 OR MIT
# Layer 1: a campaign at 100 kHz under CRC, then the explorer.
#
#   make qualify LAYER=1 [FULL=1 | COMMANDS=N] [DRIVER=FOLDER] [BREAK=N]
#
# BREAK damages one command in N: all must be found, and the verdict is FAILED.
LAYER		?= 1
qualify-commands := $(or $(COMMANDS),$(if $(FULL),8640000000,200000000))
qualify-seeds	:= $(if $(FULL),1000,60)

qualify:
	@test '$(LAYER)' = 1 || { echo "qualify: there is layer 1"; exit 2; }
	@+$(MAKE) build/bin/explore
	@+$(MAKE) V=release build/release/bin/qualify
	@autograder/qualify/both $(or $(DRIVER),reference/umd) \
		--commands $(qualify-commands) --jobs $(JOBS) \
		$(if $(BREAK),--break $(BREAK)) -- \
		--seeds $(qualify-seeds) --jobs $(JOBS)

# Which driver was linked in: another one is another program.
qualify-driver	:= $(B)/obj/qualify/.driver
$(qualify-driver): FORCE
	@mkdir -p $(@D)
	@echo '$(DRIVER)' | cmp -s - $@ || echo '$(DRIVER)' > $@
$(bin)/qualify: $(qualify-driver)

.PHONY: qualify
