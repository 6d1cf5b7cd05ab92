# SPDX-License-Identifier: GPL-2.0 OR MIT
# autograder/grade: the grader's command, and its unpacker of archives
grade-parts	:= $(addprefix autograder/grade/,students.c intake.c \
		   place.c archive.c prepare.c trial.c pool.c assemble.c \
		   hints.c store.c stage.c stop.c \
		   files.c)

programs	+= grade
grade-src	:= autograder/grade/main.c autograder/grade/options.c \
		   autograder/judge/chrome.c $(grade-parts)
grade-libs	:= report judge compile box model
grade-ldlibs	:= -lcjson -lseccomp -lm
# what it runs and links against
grade-deps	= $(bin)/grade-unpack $(agents)

programs	+= grade-unpack
grade-unpack-cc	= $(unsanitized)
grade-unpack-src := autograder/grade/unpack.c
grade-unpack-ldlibs := -larchive

tests		+= test-grade
test-grade-src	:= autograder/grade/test_grade.c \
		   autograder/grade/test_archives.c
test-grade-libs	:= report
test-grade-cflags = -DBIN='"$(bin)"'
test-grade-ldlibs := $(shell pkg-config --libs check) -larchive
test-grade-deps	= $(bin)/grade
