/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Nothing here: a table of this design is in radix_table.c. */
