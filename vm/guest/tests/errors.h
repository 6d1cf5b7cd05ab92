/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* errors.c: what calls refuse, and what is nobody else's business. */
#ifndef GUEST_ERRORS_H
#define GUEST_ERRORS_H

void openers_do_not_see_each_other(void);
void handles_are_not_used_again(void);
void views_are_of_what_was_told(void);
void every_error_of_the_table_can_be_had(void);
void an_opener_has_only_so_many_objects(void);

#endif
