/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Lab 02, a second design: nothing here.  A table and the copy of its words
 * are one thing with the change of both, in tree.c.
 */
