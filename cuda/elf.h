/*
 * Reading ELF files of 64 bits.  Nothing in one is believed before it is
 * checked against the bytes that there are; what is read is copied, for it may
 * lie anywhere.
 */
#ifndef CUDA_ELF_H
#define CUDA_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct loom_elf {
    const unsigned char *bytes;
    size_t size;
};

static inline bool loom_elf_take(const struct loom_elf *file, uint64_t at,
                                 void *to, size_t bytes)
{
    if (at > file->size || file->size - at < bytes) {
        return false;
    }
    memcpy(to, file->bytes + at, bytes);
    return true;
}

/* The file's header; false: it is none of this kind. */
static inline bool loom_elf_head(const struct loom_elf *file, uint16_t machine,
                                 Elf64_Ehdr *head)
{
    return loom_elf_take(file, 0, head, sizeof(*head)) &&
           memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
           head->e_ident[EI_CLASS] == ELFCLASS64 &&
           head->e_ident[EI_DATA] == ELFDATA2LSB &&
           head->e_machine == machine &&
           head->e_shentsize == sizeof(Elf64_Shdr);
}

/* Header of a section whose contents lie in the file. */
static inline bool loom_elf_section(const struct loom_elf *file,
                                    const Elf64_Ehdr *head, uint64_t number,
                                    Elf64_Shdr *to)
{
    return number < head->e_shnum && head->e_shoff <= file->size &&
           loom_elf_take(file, head->e_shoff + number * sizeof(*to), to,
                         sizeof(*to)) &&
           (to->sh_type == SHT_NOBITS ||
            (to->sh_offset <= file->size &&
             to->sh_size <= file->size - to->sh_offset));
}

/* A text of a section of texts; "" where there is none. */
static inline const char *loom_elf_text(const struct loom_elf *file,
                                        uint64_t from, uint64_t bytes,
                                        uint64_t at)
{
    const char *text = (const char *)file->bytes + from;

    return at < bytes && memchr(text + at, '\0', (size_t)(bytes - at)) != NULL
               ? text + at
               : "";
}

#endif
