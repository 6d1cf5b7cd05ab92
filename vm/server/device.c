/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What a client may ask of the device, and the answers.
 *
 * The device is a PCI function as VFIO knows it: nine regions, of which BAR0,
 * BAR1, BAR3 and configuration space are there, and five interrupt indexes.
 * No region can be mapped by the client.  USERD lies in BAR1, and Host snoops
 * what is written there; and one region that can be mapped would make QEMU
 * wait for every write to any of them.
 *
 * A write is answered before the card sees it, a read by the card.  The next
 * message is read after both, so no order is lost.  Where the card reaches
 * memory by asking the client (trial.c), its own events are held during an
 * access: the client waits then, and cannot be asked.
 */
#include <errno.h>
#include <string.h>

#include "vm/server/server.h"

enum {
	/* of VFIO's structures */
	FLAG_RESET = 1,
	FLAG_PCI = 2,
	REGION_READABLE = 1,
	REGION_WRITABLE = 2,
	INFO_SIZE = 16,
	REGION_INFO_SIZE = 32,
};

struct answer {
	uint8_t part[256];
	size_t size;
	const void *data;
	size_t length;
};

static const struct vu_message *message_of(const struct server *s)
{
	return &s->client.in.message;
}

static int reply(struct server *s, const struct answer *answer, int err)
{
	const struct vu_message *m = message_of(s);
	struct vu_header header = {
		.id = m->header.id,
		.command = m->header.command,
		.flags = VU_REPLY | (err ? VU_ERROR : 0),
		.error = err ? -err : 0,
		.size = VU_HEADER_SIZE,
	};

	if (!m->wants_reply)
		return 0;
	if (err)
		return connection_send(&s->client, &header, NULL, 0, NULL, 0);
	header.size += answer->size + answer->length;
	return connection_send(&s->client, &header, answer->part,
			       answer->size, answer->data, answer->length);
}

static int get_info(struct server *s, struct answer *answer)
{
	if (message_of(s)->info.argsz < INFO_SIZE)
		return -EINVAL;
	vu_put32(answer->part, INFO_SIZE);
	vu_put32(answer->part + 4, FLAG_RESET | FLAG_PCI);
	vu_put32(answer->part + 8, REGIONS);
	vu_put32(answer->part + 12, IRQS);
	answer->size = INFO_SIZE;
	return 0;
}

static int get_region_info(struct server *s, struct answer *answer)
{
	uint32_t index = message_of(s)->info.index;
	uint64_t size = region_size(s, index);

	if (message_of(s)->info.argsz < REGION_INFO_SIZE || index >= REGIONS)
		return -EINVAL;
	vu_put32(answer->part, REGION_INFO_SIZE);
	vu_put32(answer->part + 4,
		 size ? REGION_READABLE | REGION_WRITABLE : 0);
	vu_put32(answer->part + 8, index);
	vu_put32(answer->part + 12, 0);
	vu_put64(answer->part + 16, size);
	vu_put64(answer->part + 24, 0);
	answer->size = REGION_INFO_SIZE;
	return 0;
}

static int get_irq_info(struct server *s, struct answer *answer)
{
	uint32_t index = message_of(s)->info.index;

	if (message_of(s)->info.argsz < INFO_SIZE || index >= IRQS)
		return -EINVAL;
	vu_put32(answer->part, INFO_SIZE);
	vu_put32(answer->part + 4, irq_flags(index));
	vu_put32(answer->part + 8, index);
	vu_put32(answer->part + 12, irq_count(index));
	answer->size = INFO_SIZE;
	return 0;
}

static int dma_map_request(struct server *s)
{
	const struct vu_message *m = message_of(s);
	uint32_t access = VU_MAP_READ | VU_MAP_WRITE;
	uint32_t needs_fd = VU_MAP_MMAP | VU_MAP_FILE;
	struct map range = {
		.address = m->map.address,
		.size = m->map.size,
		.readable = m->map.flags & VU_MAP_READ,
		.writable = m->map.flags & VU_MAP_WRITE,
	};
	int fd = s->client.in.fds ? s->client.in.fd[0] : -1, err;

	if (m->map.flags & ~(access | needs_fd) ||
	    (m->map.flags & needs_fd && fd < 0))
		return -EINVAL;
	s->report.maps++;
	err = maps_add(&s->maps, &range, fd, m->map.offset);
	if (!err)
		dma_maps_changed(s);
	return err;
}

/*
 * QEMU unmaps what it never mapped, and under an IOMMU a range of many maps:
 * both are answered as done, since afterwards nothing is there.
 */
static int dma_unmap_request(struct server *s, struct answer *answer)
{
	const struct vu_message *m = message_of(s);
	int n;

	if (m->unmap.flags & ~VU_UNMAP_ALL)
		return -EINVAL;
	s->report.unmaps++;
	if (m->unmap.flags & VU_UNMAP_ALL) {
		if (m->unmap.address || m->unmap.size)
			return -EINVAL;
		maps_fini(&s->maps);
	} else {
		n = maps_remove(&s->maps, m->unmap.address, m->unmap.size);
		if (n < 0)
			return n;
	}
	dma_maps_changed(s);
	vu_put32(answer->part, 24);
	vu_put32(answer->part + 4, m->unmap.flags);
	vu_put64(answer->part + 8, m->unmap.address);
	vu_put64(answer->part + 16, m->unmap.size);
	answer->size = 24;
	return 0;
}

static void answer_access(const struct vu_access *access,
			  struct answer *answer)
{
	vu_put64(answer->part, access->offset);
	vu_put32(answer->part + 8, access->region);
	vu_put32(answer->part + 12, access->count);
	answer->size = 16;
}

static int region_read_request(struct server *s, struct answer *answer)
{
	const struct vu_access *access = &message_of(s)->access;
	int err = region_check(s, access);

	if (err)
		return err;
	card_hold(s->card, s->by_messages);
	region_read(s, access, s->data);
	card_hold(s->card, false);
	answer_access(access, answer);
	answer->data = s->data;
	answer->length = access->count;
	return 0;
}

/* Answered first. */
static int region_write_request(struct server *s)
{
	const struct vu_access access = message_of(s)->access;
	struct answer answer = { 0 };
	int err = region_check(s, &access), sent;

	answer_access(&access, &answer);
	sent = reply(s, &answer, err);
	if (sent || err)
		return sent;
	card_hold(s->card, s->by_messages);
	region_write(s, &access);
	card_hold(s->card, false);
	return 0;
}

/* All or none. */
static int write_multi_request(struct server *s)
{
	const struct vu_message *m = message_of(s);
	struct answer answer = { .size = 8 };
	struct vu_access access;
	int err = 0, sent;

	for (uint32_t i = 0; !err && i < m->multi.count; i++) {
		vu_multi_entry(m, i, &access);
		err = region_check(s, &access);
	}
	vu_put64(answer.part, m->multi.count);
	sent = reply(s, &answer, err);
	if (sent || err)
		return sent;
	card_hold(s->card, s->by_messages);
	for (uint32_t i = 0; i < m->multi.count; i++) {
		vu_multi_entry(m, i, &access);
		region_write(s, &access);
	}
	card_hold(s->card, false);
	return 0;
}

static int greet(struct server *s, struct answer *answer, const char **why)
{
	int err = vu_version_read(message_of(s), &s->peer, why);

	if (err)
		return err;
	answer->size = vu_version_write(&s->peer, MAPS_MAX, answer->part,
					sizeof(answer->part));
	s->greeted = true;
	return 0;
}

static int act(struct server *s, struct answer *answer, const char **why)
{
	switch (message_of(s)->header.command) {
	case VU_VERSION:
		return greet(s, answer, why);
	case VU_GET_INFO:
		return get_info(s, answer);
	case VU_GET_REGION_INFO:
		return get_region_info(s, answer);
	case VU_GET_IRQ_INFO:
		return get_irq_info(s, answer);
	case VU_DMA_MAP:
		return dma_map_request(s);
	case VU_DMA_UNMAP:
		return dma_unmap_request(s, answer);
	case VU_SET_IRQS:
		return irq_set(&s->irq, message_of(s), &s->client.in);
	case VU_REGION_READ:
		return region_read_request(s, answer);
	case VU_DEVICE_RESET:
		server_reset_card(s);
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

/* A first message, and only the first, tells versions. */
static bool in_order(const struct server *s)
{
	bool is_version = message_of(s)->header.command == VU_VERSION;

	return is_version != s->greeted && !message_of(s)->is_reply;
}

int device_act(struct server *s, const char **why)
{
	struct answer answer;
	int err;

	if (message_of(s)->is_reply)
		return trial_answer(s, why);
	if (!in_order(s)) {
		*why = "VERSION is the first message, and comes once";
		return -EPROTO;
	}
	switch (message_of(s)->header.command) {
	case VU_REGION_WRITE:
		err = region_write_request(s);
		break;
	case VU_WRITE_MULTI:
		err = write_multi_request(s);
		break;
	default:
		answer.size = answer.length = 0;
		answer.data = NULL;
		err = act(s, &answer, why);
		if (err == -EPROTO)
			return err;
		err = reply(s, &answer, err);
	}
	if (err)
		*why = s->client.why;
	return err;
}
