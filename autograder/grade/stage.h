/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef GRADE_STAGE_H
#define GRADE_STAGE_H

#include "autograder/grade/grade.h"

/* Make grader->work and fill its root.  0 or -errno, having said why. */
int stage(struct grader *grader);
void unstage(struct grader *grader);

#endif
