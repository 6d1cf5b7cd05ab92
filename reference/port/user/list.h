/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Doubly linked lists, threaded through the structures that are listed. */
#ifndef PORT_LIST_H
#define PORT_LIST_H

#include "compiler.h"
#include "types.h"

struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD_INIT(name)	{ &(name), &(name) }
#define LIST_HEAD(name)		struct list_head name = LIST_HEAD_INIT(name)

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list->prev = list;
}

static inline bool list_empty(const struct list_head *list)
{
	return list->next == list;
}

/* At the front. */
static inline void list_add(struct list_head *entry, struct list_head *list)
{
	entry->next = list->next;
	entry->prev = list;
	list->next->prev = entry;
	list->next = entry;
}

static inline void list_add_tail(struct list_head *entry,
				 struct list_head *list)
{
	list_add(entry, list->prev);
}

static inline void list_del(struct list_head *entry)
{
	entry->prev->next = entry->next;
	entry->next->prev = entry->prev;
	entry->next = entry->prev = NULL;
}

/* It may be taken out again. */
static inline void list_del_init(struct list_head *entry)
{
	entry->prev->next = entry->next;
	entry->next->prev = entry->prev;
	INIT_LIST_HEAD(entry);
}

#define list_entry(ptr, type, member)	container_of(ptr, type, member)
#define list_first_entry(list, type, member) \
	list_entry((list)->next, type, member)

#define list_for_each_entry(pos, list, member)				\
	for (pos = list_entry((list)->next, __typeof__(*pos), member);	\
	     &pos->member != (list);					\
	     pos = list_entry(pos->member.next, __typeof__(*pos), member))

/* The body may take pos out of the list. */
#define list_for_each_entry_safe(pos, n, list, member)			\
	for (pos = list_entry((list)->next, __typeof__(*pos), member),	\
	     n = list_entry(pos->member.next, __typeof__(*pos), member); \
	     &pos->member != (list);					\
	     pos = n,							\
	     n = list_entry(n->member.next, __typeof__(*n), member))

#endif
