/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Symbol tables of 64-bit ELF files, with every offset checked: the file was
 * made by a compiler that was fed by a student.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "autograder/compile/inside.h"

#define OBJECT_LIMIT	(64u << 20)

struct object {
	struct text file;
	const Elf64_Shdr *sections;
	unsigned int section_count;
	const Elf64_Sym *symbols;
	unsigned int symbol_count;
	const char *names;
	size_t names_len;
};

int text_read(const char *path, size_t limit, struct text *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	size_t len = 0;
	int err = 0;

	text->bytes = NULL;
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		err = -EINVAL;
	else if ((size_t)st.st_size > limit)
		err = -EFBIG;
	else if (!(text->bytes = malloc(st.st_size + 1)))
		err = -ENOMEM;
	while (!err && len < (size_t)st.st_size) {
		ssize_t n = read(fd, text->bytes + len, st.st_size - len);

		if (n <= 0)
			break;
		len += n;
	}
	close(fd);
	if (err)
		return err;
	text->bytes[len] = '\0';
	text->len = len;
	return 0;
}

void text_free(struct text *text)
{
	free(text->bytes);
	text->bytes = NULL;
}

/* A piece of the file, aligned, or NULL. */
static const void *piece(const struct object *object, uint64_t offset,
			 uint64_t size)
{
	if (offset > object->file.len || size > object->file.len - offset ||
	    offset % 8)
		return NULL;
	return object->file.bytes + offset;
}

static int find_symbols(struct object *object)
{
	for (unsigned int i = 0; i < object->section_count; i++) {
		const Elf64_Shdr *table = &object->sections[i], *names;

		if (table->sh_type != SHT_SYMTAB)
			continue;
		if (table->sh_link >= object->section_count)
			return -EINVAL;
		names = &object->sections[table->sh_link];
		object->symbols = piece(object, table->sh_offset,
					table->sh_size);
		if (!object->symbols || !names->sh_size ||
		    names->sh_offset > object->file.len ||
		    names->sh_size > object->file.len - names->sh_offset)
			return -EINVAL;
		object->symbol_count = table->sh_size / sizeof(Elf64_Sym);
		object->names = object->file.bytes + names->sh_offset;
		object->names_len = names->sh_size;
		if (object->names[object->names_len - 1])
			return -EINVAL;
		return 0;
	}
	return 0;
}

int object_read(const char *path, struct object **result)
{
	struct object *object = calloc(1, sizeof(*object));
	const Elf64_Ehdr *header;
	int err;

	if (!object)
		return -ENOMEM;
	err = text_read(path, OBJECT_LIMIT, &object->file);
	if (err)
		goto free_object;

	err = -EINVAL;
	header = piece(object, 0, sizeof(*header));
	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 ||
	    header->e_shentsize != sizeof(Elf64_Shdr))
		goto free_text;
	object->section_count = header->e_shnum;
	object->sections = piece(object, header->e_shoff,
				 (uint64_t)header->e_shnum *
				 sizeof(Elf64_Shdr));
	if (!object->sections)
		goto free_text;
	err = find_symbols(object);
	if (err)
		goto free_text;
	*result = object;
	return 0;

free_text:
	text_free(&object->file);
free_object:
	free(object);
	return err;
}

void object_free(struct object *object)
{
	if (!object)
		return;
	text_free(&object->file);
	free(object);
}

unsigned int object_count(const struct object *object)
{
	return object->symbol_count;
}

struct symbol object_symbol(const struct object *object, unsigned int i)
{
	const Elf64_Sym *symbol = &object->symbols[i];
	unsigned int type = ELF64_ST_TYPE(symbol->st_info);

	return (struct symbol){
		.name = symbol->st_name < object->names_len ?
			object->names + symbol->st_name : "",
		.addr = symbol->st_value,
		.size = symbol->st_size,
		.defined = symbol->st_shndx != SHN_UNDEF,
		.global = ELF64_ST_BIND(symbol->st_info) != STB_LOCAL,
		.function = type == STT_FUNC,
		.data = type == STT_OBJECT,
		.ifunc = type == STT_GNU_IFUNC,
	};
}

uint64_t object_offset(const struct object *object, unsigned int i)
{
	const Elf64_Sym *symbol = &object->symbols[i];
	const Elf64_Shdr *section;
	uint64_t inside;

	if (symbol->st_shndx >= object->section_count)
		return 0;
	section = &object->sections[symbol->st_shndx];
	inside = symbol->st_value - section->sh_addr;
	if (section->sh_type == SHT_NOBITS || inside > section->sh_size ||
	    symbol->st_size > section->sh_size - inside)
		return 0;
	return section->sh_offset + inside;
}
