# SPDX-License-Identifier: GPL-2.0 OR MIT
# The register tables as arrays, their tests, and the tool that prints them.
libs			+= spec
spec-src		:= vm/spec/table.c

tests			+= test-tables
test-tables-src		:= vm/spec/test_tables.c
test-tables-libs	:= spec
test-tables-ldlibs	:= $(shell pkg-config --libs check)

programs		+= regdump
regdump-src		:= vm/spec/regdump.c
regdump-libs		:= spec
