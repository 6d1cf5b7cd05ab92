# SPDX-License-Identifier: GPL-2.0 OR MIT
# reference/tools/figures: make figures LAB=NN.
#
# The ring's barriers are the judge's, so that they can be left out; the
# bring-up's are the direct link's.
figures-dir	:= reference/tools/figures

libs		+= figures-ring
figures-ring-src := $(addprefix reference/umd/,push.c ring.c queue.c)
figures-ring-cflags := -Ireference/port/user/judge

libs		+= figures-memory
figures-memory-src := autograder/judge/visibility.c
figures-memory-cflags := -D_GNU_SOURCE

programs	+= figures
figures-src	:= $(addprefix $(figures-dir)/,main.c ring.c switch.c fence.c \
		   loose.c)
figures-libs	:= fence-campaign fence figures-ring figures-memory driver port \
		   model
