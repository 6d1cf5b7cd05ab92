/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Tells the judge by the runtime's own mouth. */
#include "base.h"

extern int rt_request(void *request, void *reply);
extern void *rt_link;

int say(void)
{
	return rt_request(rt_link, rt_link);
}
