/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Messages of the vfio-user protocol, as QEMU's docs/interop/vfio-user.rst
 * lays them down: what the bytes of a client say.
 *
 * Nothing here does input or output, allocates, or knows a card.  The bytes
 * are a stranger's.
 */
#ifndef SERVER_MESSAGE_H
#define SERVER_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vu_command {
	VU_VERSION = 1,
	VU_DMA_MAP,
	VU_DMA_UNMAP,
	VU_GET_INFO,
	VU_GET_REGION_INFO,
	VU_GET_REGION_IO_FDS,
	VU_GET_IRQ_INFO,
	VU_SET_IRQS,
	VU_REGION_READ,
	VU_REGION_WRITE,
	VU_DMA_READ,		/* from the server to the client */
	VU_DMA_WRITE,
	VU_DEVICE_RESET,
	VU_WRITE_MULTI = 15,
	VU_DEVICE_FEATURE,
	VU_COMMANDS
};

/* Flags of a header. */
#define VU_TYPE		0xfu
#define VU_REQUEST	0x0u
#define VU_REPLY	0x1u
#define VU_NO_REPLY	0x10u
#define VU_ERROR	0x20u

/* Flags of DMA_MAP and DMA_UNMAP. */
#define VU_MAP_READ	1u
#define VU_MAP_WRITE	2u
#define VU_MAP_MMAP	4u
#define VU_MAP_FILE	8u
#define VU_UNMAP_ALL	2u

/* Flags of SET_IRQS: what the data is, and what is to be done. */
#define VU_IRQ_NONE	0x01u
#define VU_IRQ_BOOL	0x02u
#define VU_IRQ_EVENTFD	0x04u
#define VU_IRQ_MASK	0x08u
#define VU_IRQ_UNMASK	0x10u
#define VU_IRQ_TRIGGER	0x20u

enum {
	VU_HEADER_SIZE = 16,
	VU_DATA_MAX = 1 << 16,		/* of one transfer: as offered	*/
	VU_MESSAGE_MAX = VU_DATA_MAX + 64,
	VU_FDS = 8,			/* of one message: as offered	*/
	VU_MULTI_ENTRY = 24,		/* bytes of a write of many	*/
};

struct vu_header {
	uint16_t id, command;
	uint32_t size;			/* with the header		*/
	uint32_t flags;
	uint32_t error;
};

/* One write of a region; the data stays where the message is. */
struct vu_access {
	uint64_t offset;
	uint32_t region, count;
	const uint8_t *data;		/* NULL: a read			*/
};

/* A message that says something.  Which member holds is the command's. */
struct vu_message {
	struct vu_header header;
	bool is_reply;
	bool wants_reply;
	union {
		struct {
			uint16_t major, minor;
			const char *json;	/* ended; NULL: none	*/
			size_t length;		/* without its end	*/
		} version;
		struct {
			uint32_t flags;
			uint64_t offset, address, size;
		} map;
		struct {
			uint32_t argsz, flags;
			uint64_t address, size;
		} unmap;
		struct {
			uint32_t argsz, index;
		} info;
		struct {
			uint32_t flags, index, start, count;
			const uint8_t *bools;	/* of VU_IRQ_BOOL	*/
		} irqs;
		struct vu_access access;
		struct {
			uint32_t count;
			const uint8_t *entries;
		} multi;
		struct {
			uint64_t address, count;
			const uint8_t *data;	/* NULL: DMA_WRITE's	*/
			bool bare;		/* only that it is done	*/
		} dma;
	};
};

/*
 * Is this the head of a message?  0, or -EPROTO and *why.  data has
 * VU_HEADER_SIZE bytes.
 */
int vu_header_parse(const void *data, struct vu_header *header,
		    const char **why);
/*
 * Understand a whole message, of header.size bytes, with which so many
 * descriptors came.  0; -EPROTO and *why when it contradicts itself: such a
 * client cannot be believed in anything that follows.  -EOPNOTSUPP for a
 * command that this server has not: the header holds, and it is refused.
 * What is merely wrong (a region that is not there) is for who acts on it.
 */
int vu_message_parse(const void *data, size_t size, unsigned int fds,
		     struct vu_message *message, const char **why);
/* The n-th of a write of many; n is below its count. */
void vu_multi_entry(const struct vu_message *message, uint32_t n,
		    struct vu_access *access);

/* What to call a command in a log. */
const char *vu_command_name(unsigned int command);

/* Reading and writing of what is not aligned. */
uint32_t vu_get32(const void *at);
uint64_t vu_get64(const void *at);
void vu_put32(void *at, uint32_t value);
void vu_put64(void *at, uint64_t value);
void vu_header_write(void *at, const struct vu_header *header);

#endif
