# SPDX-License-Identifier: GPL-2.0 OR MIT
# The labs as make sees them, from autograder/labs.def.
#
#   labs-all       numbers of all labs; labs-cut: of those that are built
#   labNN-dir      labs/NN-name
#   labNN-sources  the reference's files that are the student's there
#   labNN-files    their names
#   labNN-headers  folders whose headers they may include
#   agents         what the grader links a submission with, one for each lab
#   driver-sources the whole driver, its instrumented part and no other
labs-table := autograder/labs.def
lab-names := $(shell sed -n 's/^LAB([0-9]*, "\(.*\)")/\1/p' $(labs-table))
lab-rows := $(shell sed -n \
	's/^LAB_FILE(\([0-9]*\), "\(.*\)", "\(.*\)")/\1:\3\/\2/p; \
	s/^LAB_HEADERS(\([0-9]*\), "\(.*\)")/\1=\2/p' $(labs-table))
labs-all := $(foreach n,$(lab-names),$(firstword $(subst -, ,$n)))

define lab-variables
lab$(1)-dir	:= $(addprefix labs/,$(filter $(1)-%,$(lab-names)))
lab$(1)-sources	:= $(patsubst $(1):%,%,$(filter $(1):%,$(lab-rows)))
lab$(1)-files	:= $(notdir $(patsubst $(1):%,%,$(filter $(1):%,$(lab-rows))))
lab$(1)-headers	:= $(patsubst $(1)=%,%,$(filter $(1)=%,$(lab-rows)))
endef
$(foreach n,$(labs-all),$(eval $(call lab-variables,$n)))

lab-lacks = $(filter-out $(wildcard $(lab$(1)-dir) $(lab$(1)-sources)),\
	$(lab$(1)-dir) $(lab$(1)-sources))
labs-cut := $(foreach n,$(labs-all),$(if $(call lab-lacks,$n),,$n))

agents := $(labs-cut:%=build/agent/agent-%.o)

# Tests and second designs lie beside the files that they are about; and the
# call table, which a driver that is all in one process does not need.
driver-sources := $(filter-out reference/umd/ring_fast.c \
	reference/umd/device.c $(addprefix reference/kmd/,file.c book.c \
	calls.c calls_mem.c calls_space.c calls_chan.c calls_event.c),\
	$(foreach f,$(wildcard reference/kmd/*.c reference/hal/*.c \
	reference/umd/*.c),$(if $(findstring /test_,$f),,$f)))

# Further .c files in a folder of a student's, which are graded, too: all but
# tests and files that the course has, see intake.c.
lab-further = $(filter-out $(1)/crc.c $(1)/test_% $(foreach \
	n,$(labs-all),$(lab$n-files:%=$(1)/%)),$(wildcard $(1)/*.c))
lab-mine-dir := $(if $(filter mine,$(WITH)),$(lab$(LAB)-dir))
lab-mine-further := $(if $(lab-mine-dir),$(call lab-further,$(lab-mine-dir)))
lab-needed = $(if $(lab-mine-further),$(if $(1),$(shell \
	reference/tools/lab-further "$(addprefix -I,. reference/include \
	reference/port/user reference/port/user/direct \
	$(lab$(LAB)-headers))" $(1) -- \
	$(lab-mine-further))))

# A list of the reference's files, with WITH=mine those of LAB's replaced by
# the student's, and of the further ones those that they need.
lab-replaced = $(foreach f,$(1),$(if $(filter $f,$(lab$(LAB)-sources)),\
	$(lab-mine-dir)/$(notdir $f),$f))
lab-with-needed = $(1) $(call lab-needed,$(filter $(lab-mine-dir)/%,$(1)))
lab-own = $(if $(lab-mine-dir),$(call lab-with-needed,$(call \
	lab-replaced,$(1))),$(1))
# A student's files may have warnings; make labNN shows them.
lab-own-cflags := $(if $(filter mine,$(WITH)),-w)
