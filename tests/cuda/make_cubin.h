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

static inline void make_cubin(struct made_cubin *made,
                              const struct make_cubin *what)
{
    enum {
        NAMES = 1,
        TEXTS,
        SYMBOLS,
        INFO,
        TEXT,
        SHARED,
        RESERVED,
        COUNT
    };
    Elf64_Shdr s[COUNT] = {{.sh_type = SHT_NULL}};
    Elf64_Sym symbol[3] = {{.st_name = 0}};
    Elf64_Ehdr head = {
        .e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB},
        .e_type = ET_EXEC,
        .e_machine = 190,
        .e_ehsize = sizeof(head),
        .e_shentsize = sizeof(*s),
        .e_shnum = what->old ? RESERVED : COUNT,
        .e_shstrndx = NAMES};

    memset(made, 0, sizeof(*made));
    made->size = sizeof(head);
    s[NAMES].sh_offset = made->size++;
    s[NAMES].sh_name = make_name(made, sizeof(head), ".shstrtab", "");
    s[TEXTS].sh_name = make_name(made, sizeof(head), ".strtab", "");
    s[SYMBOLS].sh_name = make_name(made, sizeof(head), ".symtab", "");
    s[INFO].sh_name = make_name(made, sizeof(head), ".nv.info", "");
    s[TEXT].sh_name = make_name(made, sizeof(head), ".text.", what->kernel);
    s[SHARED].sh_name =
        make_name(made, sizeof(head), ".nv.shared.", what->kernel);
    s[RESERVED].sh_name =
        make_name(made, sizeof(head), ".nv.shared.reserved.0", "");
    s[NAMES].sh_size = made->size - sizeof(head);
    s[NAMES].sh_type = s[TEXTS].sh_type = SHT_STRTAB;
    s[TEXTS].sh_offset = made->size++;
    symbol[2].st_name = make_name(made, s[TEXTS].sh_offset, what->kernel, "");
    symbol[2].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    s[TEXTS].sh_size = made->size - s[TEXTS].sh_offset;
    s[SYMBOLS].sh_type = SHT_SYMTAB;
    s[SYMBOLS].sh_link = TEXTS;
    s[SYMBOLS].sh_size = sizeof(symbol);
    s[SYMBOLS].sh_offset = make_add(made, symbol, sizeof(symbol));
    s[INFO].sh_type = SHT_LOPROC;
    s[INFO].sh_link = SYMBOLS;
    s[INFO].sh_offset =
        make_add(made, "\3\x19\f", 4); /* what nobody asks for */
    make_attribute(made, 0x2f, 1, 99); /* another symbol's */
    made->info = make_attribute(made, 0x2f, 2, what->registers);
    make_attribute(made, 0x11, 2, what->frame);
    make_attribute(made, 0x12, 2, what->stack);
    s[INFO].sh_size = made->size - s[INFO].sh_offset;
    s[TEXT].sh_type = SHT_PROGBITS;
    s[TEXT].sh_offset = made->size;
    s[TEXT].sh_info = 2 | (what->old ? what->registers << 24 : 0);
    s[SHARED].sh_type = s[RESERVED].sh_type = SHT_NOBITS;
    s[SHARED].sh_size = what->shared + (what->old ? 0 : 1024);
    head.e_shoff = made->sections =
        make_add(made, s, head.e_shnum * sizeof(*s));
    memcpy(made->bytes, &head, sizeof(head));
}

#endif
