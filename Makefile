# SPDX-License-Identifier: GPL-2.0 OR MIT
## Doorbell: a lab course in C on writing a GPU driver.
##
##   make grade                grade the sample class (installs, builds, grades)
##     SUBMISSIONS=DIR LAB=01 OUT=DIR JOBS=N            ... or a real class
##   make check                every test; the last line is the count
##   make doctor               what is missing here, and how to get it
##
## A student's loop
##   make lab01                build labs/01-ring, run the public tests
##   make debug LAB=01 TEST=T  gdb, stepping from the driver into the card
##   make vm LAB=01 WITH=mine  the lab in a Linux guest; without LAB a shell
##   make trace LAB=01 TEST=T  what the card saw: text and Chrome trace JSON
##
## An engineer's
##   make build                everything, no tests
##   make qualify LAYER=1      long campaign under CRC (FULL=1: 8.64e9 commands)
##   make fuzz                 a minute of strange calls to the kernel half
##   make bench                figures against their peers, build/bench.json
##   make vm-check             driver and cards in the guest, all of it
##   make figures LAB=01       the seed's figures, and what they depend on
##   make flake LAB=01         grade the reference 300 times under load
##   make mutants LAB=01       every mutant loses its declared checks
##   make skeleton             cut labs/ from reference/
##   make html, make slides    manual and handouts as pages; the decks
##   make docs                 the headers' contracts, by Doxygen
##   make lint, make metrics   citations and words; lengths
##   make pre-push             all that a change must pass
##   make clean
##
## Variants build beside each other: make V=asan check; also clang, release.
#
# One Makefile, no recursion.  Every folder's module.mk names its libraries,
# tests and programs:
#
#   libs += NAME / tests += NAME / programs += NAME
#   NAME-src      the .c files, from the root
#   NAME-libs     libraries of ours; in any order, they are linked as a group
#   NAME-cflags   come before the global ones; NAME-ldlibs after the objects
#   NAME-cc       another compiler; NAME-deps what must be built first
#   NAME-skip     variants in which it is not built
#
# Each target compiles its own objects into build/V/obj/NAME/, so one source
# may be in two libraries with different flags.

MAKEFLAGS += --no-builtin-rules --no-print-directory
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

V	?= default
LAB	?= 01
JOBS	?= $(shell nproc)
B	:= build/$(V)
bin	:= $(if $(filter default,$(V)),build/bin,$(B)/bin)
tools	:= reference/tools

CC	:= gcc
CFLAGS	:= -std=gnu11 -O2 -g -Wall -Wextra -Werror -pthread
include-dirs := -I. -Ireference/include -Ireference/port/user \
	-Ireference/port/user/direct
LDFLAGS	:= -pthread
AR	:= gcc-ar

ifeq ($(V),asan)
CFLAGS	+= -O1 -fno-omit-frame-pointer -fsanitize=address,undefined \
	-fno-sanitize-recover=all
LDFLAGS	+= -fsanitize=address,undefined
else ifeq ($(V),clang)
CC	:= clang
# seccomp.h's own macros leave fields out
CFLAGS	+= -Wno-missing-field-initializers
else ifeq ($(V),release)
CFLAGS	+= -O3 -flto=auto
LDFLAGS	+= -flto=auto -O3
else ifeq ($(V),debug)
CFLAGS	+= -O0
else ifneq ($(V),default)
$(error V=$(V) is no variant: default, asan, clang, release, debug)
endif

include autograder/labs.mk

libs	 :=
tests	 :=
programs :=
# These goals want no module: they run before libraries are installed.
front := help doctor grade check clean pre-push docs vm vm-check
ifneq ($(filter-out $(front),$(or $(MAKECMDGOALS),help)),)
-include */module.mk */*/module.mk */*/*/module.mk
endif

built = $(foreach n,$(1),$(if $(filter $(V),$($n-skip)),,$n))
libs	 := $(call built,$(libs))
tests	 := $(call built,$(tests))
programs := $(call built,$(programs))
targets	 := $(libs) $(tests) $(programs)
ifneq ($(words $(sort $(targets))),$(words $(targets)))
$(error a target's name is used twice among: $(targets))
endif

lib-files	:= $(libs:%=$(B)/lib/lib%.a)
test-files	:= $(tests:%=$(B)/test/%)
program-files	:= $(programs:%=$(bin)/%)

objects = $(patsubst %.c,$(B)/obj/$(1)/%.o,$($(1)-src))
archives = $(patsubst %,$(B)/lib/lib%.a,$(filter $(libs),$($(1)-libs)))
ldlibs = $($(1)-ldlibs) $(foreach l,$($(1)-libs),$($l-ldlibs))
compile = $(or $($(1)-cc),$(CC)) $($(1)-cflags) $(include-dirs) $(CFLAGS)

quiet = $(if $(VERBOSE),,@printf '  %-6s %s\n' $(1) $@;)

# The flags of a target, kept in a file that changes only when they do.
define target-rules
$(B)/obj/$(1)/.flags: FORCE
	@mkdir -p $$(@D)
	@echo '$$(subst ','\'',$$(call compile,$(1)))' | cmp -s - $$@ || \
		echo '$$(subst ','\'',$$(call compile,$(1)))' > $$@
$(B)/obj/$(1)/%.o: %.c $(B)/obj/$(1)/.flags
	@mkdir -p $$(@D)
	$$(call quiet,CC)$$(call compile,$(1)) -MMD -MP -c -o $$@ $$<
$(call objects,$(1)): | $($(1)-deps)
-include $(patsubst %.o,%.d,$(call objects,$(1)))
endef

define lib-rules
$(B)/lib/lib$(1).a: $(call objects,$(1))
	@mkdir -p $$(@D) && rm -f $$@
	$$(call quiet,AR)$(AR) rcs $$@ $$(filter %.o,$$^)
endef

define binary-rules
$(2)/$(1): $(call objects,$(1)) $(call archives,$(1)) | $($(1)-deps)
	@mkdir -p $$(@D)
	$$(call quiet,LD)$(or $($(1)-cc),$(CC)) $(LDFLAGS) -o $$@ \
		$$(filter %.o,$$^) -Wl,--start-group $$(filter %.a,$$^) \
		-Wl,--end-group $(call ldlibs,$(1))
endef

$(foreach n,$(targets),$(eval $(call target-rules,$n)))
$(foreach n,$(libs),$(eval $(call lib-rules,$n)))
$(foreach n,$(tests),$(eval $(call binary-rules,$n,$(B)/test)))
$(foreach n,$(programs),$(eval $(call binary-rules,$n,$(bin))))

help:
	@sed -n 's/^## \{0,1\}//p' Makefile

build: $(lib-files) $(test-files) $(program-files)

clean:
	rm -rf build

FORCE:
.PHONY: help build clean FORCE

# What is not compiling and linking: checks, labs, figures, documents.
include $(tools)/check.mk $(tools)/course.mk $(tools)/publish.mk
include autograder/qualify/qualify.mk vm/guest/vm.mk
