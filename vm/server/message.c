/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the bytes of a client say: the parser of vfio-user's messages.
 *
 * The client is a stranger.  Two kinds of wrong are kept apart.  A message
 * whose parts contradict each other (a count beyond the message's end, a
 * descriptor where none belongs) means that the stream cannot be followed any
 * more, or that somebody tries what happens: the connection ends.  A message
 * that is well formed and asks for what there is not is refused by an error
 * reply, by whoever acts on it.
 *
 * Sizes are compared by subtraction from what is known to be there, never by
 * adding what the client says.  The fuzz target is
 * reference/tools/fuzz/messages.c.
 */
#include <errno.h>
#include <string.h>

#include "vm/server/message.h"

uint32_t vu_get32(const void *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

uint64_t vu_get64(const void *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

void vu_put32(void *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

void vu_put64(void *at, uint64_t value)
{
	memcpy(at, &value, sizeof(value));
}

static uint16_t get16(const void *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

const char *vu_command_name(unsigned int command)
{
	static const char *const names[VU_COMMANDS] = {
		[VU_VERSION] = "VERSION",
		[VU_DMA_MAP] = "DMA_MAP",
		[VU_DMA_UNMAP] = "DMA_UNMAP",
		[VU_GET_INFO] = "DEVICE_GET_INFO",
		[VU_GET_REGION_INFO] = "DEVICE_GET_REGION_INFO",
		[VU_GET_REGION_IO_FDS] = "DEVICE_GET_REGION_IO_FDS",
		[VU_GET_IRQ_INFO] = "DEVICE_GET_IRQ_INFO",
		[VU_SET_IRQS] = "DEVICE_SET_IRQS",
		[VU_REGION_READ] = "REGION_READ",
		[VU_REGION_WRITE] = "REGION_WRITE",
		[VU_DMA_READ] = "DMA_READ",
		[VU_DMA_WRITE] = "DMA_WRITE",
		[VU_DEVICE_RESET] = "DEVICE_RESET",
		[VU_WRITE_MULTI] = "REGION_WRITE_MULTI",
		[VU_DEVICE_FEATURE] = "DEVICE_FEATURE",
	};
	const char *name = command < VU_COMMANDS ? names[command] : NULL;

	return name ? name : "unknown command";
}

static int malformed(const char **why, const char *what)
{
	*why = what;
	return -EPROTO;
}

void vu_header_write(void *at, const struct vu_header *header)
{
	uint8_t *to = at;

	memcpy(to, &header->id, 2);
	memcpy(to + 2, &header->command, 2);
	vu_put32(to + 4, header->size);
	vu_put32(to + 8, header->flags);
	vu_put32(to + 12, header->error);
}

int vu_header_parse(const void *data, struct vu_header *header,
		    const char **why)
{
	const uint8_t *from = data;

	*header = (struct vu_header){
		.id = get16(from),
		.command = get16(from + 2),
		.size = vu_get32(from + 4),
		.flags = vu_get32(from + 8),
		.error = vu_get32(from + 12),
	};
	if (header->size < VU_HEADER_SIZE)
		return malformed(why, "a size below that of the header");
	if (header->size > VU_MESSAGE_MAX)
		return malformed(why, "a size above what was agreed");
	if ((header->flags & VU_TYPE) > VU_REPLY)
		return malformed(why, "neither request nor reply");
	return 0;
}

static int parse_version(const uint8_t *body, size_t size,
			 struct vu_message *message, const char **why)
{
	if (size < 4)
		return malformed(why, "no room for a version");
	message->version.major = get16(body);
	message->version.minor = get16(body + 2);
	if (size == 4)
		return 0;
	message->version.json = (const char *)body + 4;
	message->version.length = size - 5;
	if (memchr(body + 4, 0, size - 4) != body + size - 1)
		return malformed(why, "a text that ends early, or not at all");
	return 0;
}

static int parse_map(const uint8_t *body, size_t size,
		     struct vu_message *message, const char **why)
{
	if (size != 32)
		return malformed(why, "32 bytes are a map");
	message->map.flags = vu_get32(body + 4);
	message->map.offset = vu_get64(body + 8);
	message->map.address = vu_get64(body + 16);
	message->map.size = vu_get64(body + 24);
	return 0;
}

static int parse_unmap(const uint8_t *body, size_t size,
		       struct vu_message *message, const char **why)
{
	/* A reader of dirty pages appends where they go: not ours. */
	if (size < 24)
		return malformed(why, "24 bytes are an unmap");
	message->unmap.argsz = vu_get32(body);
	message->unmap.flags = vu_get32(body + 4);
	message->unmap.address = vu_get64(body + 8);
	message->unmap.size = vu_get64(body + 16);
	return 0;
}

static int parse_info(const uint8_t *body, size_t size,
		      struct vu_message *message, const char **why)
{
	size_t least = message->header.command == VU_GET_REGION_INFO ? 32 : 16;

	if (size < least)
		return malformed(why, "a question cut off");
	message->info.argsz = vu_get32(body);
	message->info.index = vu_get32(body + 8);
	return 0;
}

static int parse_irqs(const uint8_t *body, size_t size, unsigned int fds,
		      struct vu_message *message, const char **why)
{
	uint32_t flags, count;

	if (size < 20)
		return malformed(why, "20 bytes begin a setting of interrupts");
	flags = vu_get32(body + 4);
	count = vu_get32(body + 16);
	message->irqs.flags = flags;
	message->irqs.index = vu_get32(body + 8);
	message->irqs.start = vu_get32(body + 12);
	message->irqs.count = count;
	if (fds && !(flags & VU_IRQ_EVENTFD))
		return malformed(why, "descriptors that are no eventfds");
	if (fds > count)
		return malformed(why, "more eventfds than interrupts");
	if (!(flags & VU_IRQ_BOOL))
		return 0;
	if (size - 20 != count)
		return malformed(why, "not a byte for each interrupt");
	message->irqs.bools = body + 20;
	return 0;
}

static int parse_access(const uint8_t *body, size_t size,
			struct vu_message *message, const char **why)
{
	struct vu_access *access = &message->access;
	bool write = message->header.command == VU_REGION_WRITE;

	if (size < 16)
		return malformed(why, "16 bytes begin an access");
	access->offset = vu_get64(body);
	access->region = vu_get32(body + 8);
	access->count = vu_get32(body + 12);
	if (access->count > VU_DATA_MAX)
		return malformed(why, "a transfer above what was agreed");
	if (size - 16 != (write ? access->count : 0))
		return malformed(why, "a count that is not the data's");
	if (write)
		access->data = body + 16;
	return 0;
}

static int parse_multi(const uint8_t *body, size_t size,
		       struct vu_message *message, const char **why)
{
	uint64_t count;

	if (size < 8)
		return malformed(why, "no room for a count");
	count = vu_get64(body);
	if (count > (size - 8) / VU_MULTI_ENTRY ||
	    size - 8 != count * VU_MULTI_ENTRY)
		return malformed(why, "a count that is not the writes'");
	message->multi.count = count;
	message->multi.entries = body + 8;
	for (uint32_t i = 0; i < message->multi.count; i++) {
		if (vu_get32(body + 8 + i * VU_MULTI_ENTRY + 12) > 8)
			return malformed(why, "more than 8 bytes of 8");
	}
	return 0;
}

void vu_multi_entry(const struct vu_message *message, uint32_t n,
		    struct vu_access *access)
{
	const uint8_t *entry = message->multi.entries +
		(size_t)n * VU_MULTI_ENTRY;

	*access = (struct vu_access){
		.offset = vu_get64(entry),
		.region = vu_get32(entry + 8),
		.count = vu_get32(entry + 12),
		.data = entry + 16,
	};
}

/* The answer to a DMA message of ours. */
static int parse_reply(const uint8_t *body, size_t size,
		       struct vu_message *message, const char **why)
{
	bool read = message->header.command == VU_DMA_READ;

	message->is_reply = true;
	if (!read && message->header.command != VU_DMA_WRITE)
		return malformed(why, "an answer to what nobody asked");
	if (message->header.flags & VU_ERROR)
		return 0;
	/* QEMU says no more than that a write is done */
	message->dma.bare = !read && size == 0;
	if (message->dma.bare)
		return 0;
	if (size < 16)
		return malformed(why, "16 bytes begin an answer");
	message->dma.address = vu_get64(body);
	message->dma.count = vu_get64(body + 8);
	if (read && size - 16 != message->dma.count)
		return malformed(why, "a count that is not the data's");
	message->dma.data = read ? body + 16 : NULL;
	return 0;
}

static int parse_request(const uint8_t *body, size_t size, unsigned int fds,
			 struct vu_message *message, const char **why)
{
	switch (message->header.command) {
	case VU_VERSION:
		return parse_version(body, size, message, why);
	case VU_DMA_MAP:
		return parse_map(body, size, message, why);
	case VU_DMA_UNMAP:
		return parse_unmap(body, size, message, why);
	case VU_GET_INFO:
	case VU_GET_REGION_INFO:
	case VU_GET_IRQ_INFO:
		return parse_info(body, size, message, why);
	case VU_SET_IRQS:
		return parse_irqs(body, size, fds, message, why);
	case VU_REGION_READ:
	case VU_REGION_WRITE:
		return parse_access(body, size, message, why);
	case VU_WRITE_MULTI:
		return parse_multi(body, size, message, why);
	case VU_DEVICE_RESET:
		return size ? malformed(why, "a reset says nothing more") : 0;
	case VU_DMA_READ:
	case VU_DMA_WRITE:
		return malformed(why, "a client does not ask for DMA");
	default:
		return -EOPNOTSUPP;
	}
}

/* How many descriptors may come with it. */
static unsigned int fds_allowed(const struct vu_message *message)
{
	if (message->is_reply)
		return 0;
	switch (message->header.command) {
	case VU_DMA_MAP:
		return 1;
	case VU_SET_IRQS:
		return VU_FDS;
	default:
		return 0;
	}
}

int vu_message_parse(const void *data, size_t size, unsigned int fds,
		     struct vu_message *message, const char **why)
{
	const uint8_t *body = (const uint8_t *)data + VU_HEADER_SIZE;
	int err;

	memset(message, 0, sizeof(*message));
	if (size < VU_HEADER_SIZE)
		return malformed(why, "less than a header");
	err = vu_header_parse(data, &message->header, why);
	if (err)
		return err;
	if (message->header.size != size)
		return malformed(why, "not as long as it says");
	size -= VU_HEADER_SIZE;
	if ((message->header.flags & VU_TYPE) == VU_REPLY) {
		err = parse_reply(body, size, message, why);
	} else {
		message->wants_reply = !(message->header.flags & VU_NO_REPLY);
		err = parse_request(body, size, fds, message, why);
	}
	if (!err && fds > fds_allowed(message))
		return malformed(why, "a descriptor where none belongs");
	return err;
}
