/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* min() and max() that evaluate each argument once; swap(). */
#ifndef PORT_MINMAX_H
#define PORT_MINMAX_H

#define min_t(type, a, b) ({			\
	type min_a_ = (a);			\
	type min_b_ = (b);			\
	min_a_ < min_b_ ? min_a_ : min_b_; })
#define max_t(type, a, b) ({			\
	type max_a_ = (a);			\
	type max_b_ = (b);			\
	max_a_ > max_b_ ? max_a_ : max_b_; })

#define min(a, b)	min_t(__typeof__((a) + (b)), a, b)
#define max(a, b)	max_t(__typeof__((a) + (b)), a, b)

#define swap(a, b) \
	do { __typeof__(a) swap_ = (a); (a) = (b); (b) = swap_; } while (0)

#endif
