/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Memory for the GPU to use, signed word by word.
 *
 * The driver allocates it and says where; we write to it past the driver, as
 * the card sees it, and keep what it should hold.  A driver that lies about
 * the place only fools itself: its mappings are held against it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "autograder/judge/session.h"
#include "vm/model/mem.h"

#define EDGE	64u	/* bytes of each page that are looked at often */

const struct session_piece *memory_at(const struct session_memory *memory,
				      uint64_t offset, uint64_t *addr)
{
	unsigned int i;

	for (i = 0; i < memory->pieces; i++) {
		if (offset < memory->piece[i].size) {
			*addr = memory->piece[i].addr + offset;
			return &memory->piece[i];
		}
		offset -= memory->piece[i].size;
	}
	return NULL;
}

void memory_look(struct scenario *s, const struct session_memory *memory,
		 uint64_t offset, void *buf, size_t len)
{
	const struct session_piece *piece;
	const struct arena_piece *found;
	uint64_t addr;

	memset(buf, 0, len);
	piece = memory_at(memory, offset, &addr);
	if (!piece)
		return;
	if (piece->aperture == APERTURE_VRAM) {
		vram_read(s->card, addr, buf, len);
		return;
	}
	found = arena_find_dma(&s->arena, addr, len);
	if (found)
		memcpy(buf, visibility_card(s->visibility) + found->offset +
		       (addr - found->dma), len);
}

void memory_put(struct scenario *s, const struct session_memory *memory,
		uint64_t offset, const void *buf, size_t len)
{
	const struct session_piece *piece;
	const struct arena_piece *found;
	uint64_t addr;

	piece = memory_at(memory, offset, &addr);
	if (!piece)
		return;
	if (piece->aperture == APERTURE_VRAM) {
		vram_write(s->card, addr, buf, len);
		return;
	}
	found = arena_find_dma(&s->arena, addr, len);
	if (found)
		visibility_card_write(s->visibility, found->offset +
				      (addr - found->dma), buf, len);
}

void memory_forget(struct session_memory *memory)
{
	free(memory->bytes);
	memset(memory, 0, sizeof(*memory));
}

/* Every word another. */
static uint64_t signature(unsigned int memory, uint64_t at)
{
	uint64_t z = ((uint64_t)memory << 40 | at) * 0x9e3779b97f4a7c15u;

	return (uint64_t)(memory + 1) << 56 | (z ^ z >> 29) >> 8;
}

static void sign(struct scenario *s, unsigned int n)
{
	struct session_memory *memory = &s->vas.memory[n];
	uint64_t at, word;

	memory->bytes = malloc(memory->size);
	if (!memory->bytes) {
		session_error(s, "no memory for a memory");
		session_check(s);
		return;
	}
	for (at = 0; at < memory->size; at += 8) {
		word = signature(n, at);
		memcpy(memory->bytes + at, &word, 8);
	}
	for (at = 0; at < memory->size; at += PAGE)
		memory_put(s, memory, at, memory->bytes + at, PAGE);
}

bool memory_take_piece(struct session_memory *memory, const uint64_t *word,
		       enum scenario_aperture aperture, uint64_t most)
{
	if (word[0] != aperture || word[1] % PAGE || word[1] >> 47 ||
	    !word[2] || word[2] % PAGE || word[2] > most)
		return false;
	memory->piece[memory->pieces++] = (struct session_piece){
		.aperture = aperture, .addr = word[1], .size = word[2],
	};
	return true;
}

/* What the driver said of the pieces; false: nothing that makes sense. */
static bool take_pieces(struct session_memory *memory, const uint64_t *word,
			unsigned int words, enum scenario_aperture aperture)
{
	uint64_t left = memory->size;
	unsigned int i;

	for (i = 0; i + 2 < words && i / 3 < SESSION_PIECES && left; i += 3) {
		if (!memory_take_piece(memory, word + i, aperture, left))
			return false;
		left -= word[i + 2];
	}
	return !left;
}

void memory_new(struct scenario *s, unsigned int n, uint64_t size,
		enum scenario_aperture aperture, uint64_t piece)
{
	const uint64_t args[] = { n, size, aperture, piece };
	struct session_memory *memory = &s->vas.memory[n];
	int64_t result = call(s, CALL_mem_create, args, 4, NULL, 0);
	unsigned int words;
	const uint64_t *word = outputs(s, &words);
	char value[64];

	memory->size = size;
	if (words > SCENARIO_OUTPUTS)
		words = SCENARIO_OUTPUTS;
	if (result || !take_pieces(memory, word, words, aperture)) {
		session_fail(s, "LINK", s->test->section, "the driver leaves "
			     "memory alone that is not its own",
			     "memory to map", "%s, and %u words",
			     session_number(result, value, sizeof(value)),
			     words);
		session_check(s);
		return;
	}
	sign(s, n);
}

void memory_fill(struct scenario *s, unsigned int n, uint64_t size)
{
	const uint64_t args[] = { n, size, APERTURE_VRAM, 0 };

	expect_value(s, call(s, CALL_mem_create, args, 4, NULL, 0), 0,
		     "there should be so much video memory");
}

void memory_free(struct scenario *s, unsigned int n)
{
	const uint64_t args[] = { n };

	memory_forget(&s->vas.memory[n]);
	call(s, CALL_mem_destroy, args, 1, NULL, 0);
}

void expect_intact(struct scenario *s, unsigned int n)
{
	const struct session_memory *memory = &s->vas.memory[n];
	uint8_t seen[EDGE];
	uint64_t at;

	for (at = 0; memory->bytes && at < memory->size; at += PAGE) {
		memory_look(s, memory, at, seen, EDGE);
		if (memcmp(seen, memory->bytes + at, EDGE) == 0)
			continue;
		session_fail(s, "MEMORY", "§6.4",
			     "the GPU writes to no page but those it was "
			     "given", "memory as it was",
			     "page %" PRIu64 " of memory %u has changed",
			     at / PAGE, n);
		break;
	}
	session_check(s);
}
