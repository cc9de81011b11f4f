/*
 * Machine code for tests, as much of it as is looked at: an ELF file with a
 * kernel's symbol, sections and attributes, as nvcc 13 lays them out.
 */
#ifndef TESTS_CUDA_MAKE_CUBIN_H
#define TESTS_CUDA_MAKE_CUBIN_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct made_cubin {
    unsigned char bytes[4096];
    size_t size;
    size_t sections; /* where their headers begin */
    size_t info;     /* and the attributes */
};

struct make_cubin {
    const char *kernel;
    uint32_t registers, shared, frame, stack;
    bool old; /* registers are in the section's header, too, and no bytes of
               * shared memory are reserved: before sm_90 */
};

static inline uint32_t make_name(struct made_cubin *made, size_t from,
                                 const char *first, const char *second)
{
    size_t at = made->size;

    made->size +=
        (size_t)snprintf((char *)made->bytes + at, 200, "%s%s", first, second) +
        1;
    return (uint32_t)(at - from);
}

/* Behind all that there is, aligned; where it lies. */
static inline size_t make_add(struct made_cubin *made, const void *data,
                              size_t bytes)
{
    size_t at = made->size = (made->size + 7) / 8 * 8;

    memcpy(made->bytes + at, data, bytes);
    made->size += bytes;
    return at;
}

static inline size_t make_attribute(struct made_cubin *made, unsigned what,
                                    uint32_t symbol, uint32_t number)
{
    const unsigned char head[4] = {4, (unsigned char)what, 8, 0};
    const uint32_t data[2] = {symbol, number};
    size_t at = made->size;

    memcpy(made->bytes + at, head, 4);
    memcpy(made->bytes + at + 4, data, 8);
    made->size += 12;
    return at;
}

enum make_section {
    MAKE_NAMES = 1,
    MAKE_TEXTS,
    MAKE_SYMBOLS,
    MAKE_INFO,
    MAKE_TEXT,
    MAKE_SHARED,
    MAKE_RESERVED,
    MAKE_COUNT
};

/* The names of the sections, behind the file's header. */
static inline void make_names(struct made_cubin *made, const char *kernel,
                              Elf64_Shdr *s)
{
    const size_t start = made->size;

    s[MAKE_NAMES].sh_offset = made->size++;
    s[MAKE_NAMES].sh_name = make_name(made, start, ".shstrtab", "");
    s[MAKE_TEXTS].sh_name = make_name(made, start, ".strtab", "");
    s[MAKE_SYMBOLS].sh_name = make_name(made, start, ".symtab", "");
    s[MAKE_INFO].sh_name = make_name(made, start, ".nv.info", "");
    s[MAKE_TEXT].sh_name = make_name(made, start, ".text.", kernel);
    s[MAKE_SHARED].sh_name = make_name(made, start, ".nv.shared.", kernel);
    s[MAKE_RESERVED].sh_name =
        make_name(made, start, ".nv.shared.reserved.0", "");
    s[MAKE_NAMES].sh_size = made->size - start;
    s[MAKE_NAMES].sh_type = s[MAKE_TEXTS].sh_type = SHT_STRTAB;
}

static inline void make_cubin(struct made_cubin *made,
                              const struct make_cubin *what)
{
    Elf64_Shdr s[MAKE_COUNT] = {{.sh_type = SHT_NULL}};
    Elf64_Sym symbol[3] = {{.st_name = 0}};
    Elf64_Ehdr head = {
        .e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB},
        .e_type = ET_EXEC,
        .e_machine = 190,
        .e_ehsize = sizeof(head),
        .e_shentsize = sizeof(*s),
        .e_shnum = what->old ? MAKE_RESERVED : MAKE_COUNT,
        .e_shstrndx = MAKE_NAMES};

    memset(made, 0, sizeof(*made));
    made->size = sizeof(head);
    make_names(made, what->kernel, s);
    s[MAKE_TEXTS].sh_offset = made->size++;
    symbol[2].st_name =
        make_name(made, s[MAKE_TEXTS].sh_offset, what->kernel, "");
    symbol[2].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    s[MAKE_TEXTS].sh_size = made->size - s[MAKE_TEXTS].sh_offset;
    s[MAKE_SYMBOLS].sh_type = SHT_SYMTAB;
    s[MAKE_SYMBOLS].sh_link = MAKE_TEXTS;
    s[MAKE_SYMBOLS].sh_size = sizeof(symbol);
    s[MAKE_SYMBOLS].sh_offset = make_add(made, symbol, sizeof(symbol));
    s[MAKE_INFO].sh_type = SHT_LOPROC;
    s[MAKE_INFO].sh_link = MAKE_SYMBOLS;
    s[MAKE_INFO].sh_offset =
        make_add(made, "\3\x19\f", 4); /* what nobody asks for */
    make_attribute(made, 0x2f, 1, 99); /* another symbol's */
    made->info = make_attribute(made, 0x2f, 2, what->registers);
    make_attribute(made, 0x11, 2, what->frame);
    make_attribute(made, 0x12, 2, what->stack);
    s[MAKE_INFO].sh_size = made->size - s[MAKE_INFO].sh_offset;
    s[MAKE_TEXT].sh_type = SHT_PROGBITS;
    s[MAKE_TEXT].sh_offset = made->size;
    s[MAKE_TEXT].sh_info = 2 | (what->old ? what->registers << 24 : 0);
    s[MAKE_SHARED].sh_type = s[MAKE_RESERVED].sh_type = SHT_NOBITS;
    s[MAKE_SHARED].sh_size = what->shared + (what->old ? 0 : 1024);
    head.e_shoff = made->sections =
        make_add(made, s, head.e_shnum * sizeof(*s));
    memcpy(made->bytes, &head, sizeof(head));
}

#endif
