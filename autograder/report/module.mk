# SPDX-License-Identifier: GPL-2.0 OR MIT
# autograder/report: result records and what is printed from them
libs		+= report
report-src	:= autograder/report/report.c autograder/report/record.c \
		   autograder/report/text.c autograder/report/csv.c \
		   autograder/report/junit.c autograder/report/graders.c \
		   autograder/report/html.c autograder/report/index.c
report-ldlibs	:= -lcjson -lm

tests		+= test-report
test-report-src	:= autograder/report/test_report.c autograder/report/schema.c
test-report-libs := report
test-report-ldlibs := $(shell pkg-config --libs check) -lcjson -lm
