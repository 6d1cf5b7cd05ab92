/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The figures of each lab; 1 where a direction does not hold. */
#ifndef FIGURES_H
#define FIGURES_H

int figures_ring(void);
int figures_switch(void);
int figures_fence(void);

/* Leave the program where there is an error. */
void figure_check(int err, const char *what);

#endif
