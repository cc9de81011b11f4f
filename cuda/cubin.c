/*
 * Sections of a kernel k: .text.k, whose header has the number of its symbol;
 * .nv.shared.k, as long as its shared memory.  And .nv.info, entries for all
 * of them one after the other:
 *
 *    0 u8 format    4: what follows is u16 bytes of data, else u16 data
 *    1 u8 what      0x2f registers, 0x11 frame, 0x12 stack with callees
 *    2 u16          of the three: 8; then u32 symbol, u32 number
 */
#include "cuda/cubin.h"

#include "cuda/elf.h"

enum {
    MACHINE_CUDA = 190,
    INFO_SIZED = 4,
    INFO_FORMATS = 4,
    INFO_FRAME = 0x11,
    INFO_STACK = 0x12,
    INFO_REGISTERS = 0x2f,
    REGISTERS_MAX = 255,
    RESERVED = 1024 /* bytes in front of shared memory, since sm_90 */
};

struct reader {
    struct loom_elf file;
    Elf64_Ehdr head;
    Elf64_Shdr names;
};

static const char *name_of(const struct reader *r, const Elf64_Shdr *section)
{
    return loom_elf_text(&r->file, r->names.sh_offset, r->names.sh_size,
                         section->sh_name);
}

/* The section whose name is `prefix` and then `name`. */
static bool find(const struct reader *r, const char *prefix, const char *name,
                 Elf64_Shdr *section)
{
    size_t length = strlen(prefix);

    for (uint64_t i = 0; i < r->head.e_shnum; i++) {
        const char *found;

        if (!loom_elf_section(&r->file, &r->head, i, section)) {
            continue;
        }
        found = name_of(r, section);
        if (strncmp(found, prefix, length) == 0 &&
            strcmp(found + length, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Is symbol `number` a function of that name? */
static bool is_symbol(const struct reader *r, uint32_t number, const char *name)
{
    Elf64_Shdr symbols, texts;
    Elf64_Sym symbol;

    return find(r, ".symtab", "", &symbols) &&
           number < symbols.sh_size / sizeof(symbol) &&
           symbols.sh_type == SHT_SYMTAB &&
           loom_elf_take(&r->file, symbols.sh_offset + number * sizeof(symbol),
                         &symbol, sizeof(symbol)) &&
           loom_elf_section(&r->file, &r->head, symbols.sh_link, &texts) &&
           texts.sh_type == SHT_STRTAB &&
           strcmp(loom_elf_text(&r->file, texts.sh_offset, texts.sh_size,
                                symbol.st_name),
                  name) == 0;
}

static void note(struct loom_cubin_kernel *kernel, unsigned what,
                 uint32_t number)
{
    if (what == INFO_REGISTERS) {
        kernel->registers = number;
    } else if ((what == INFO_FRAME || what == INFO_STACK) &&
               number > kernel->local_bytes) {
        kernel->local_bytes = number;
    }
}

/* What .nv.info says of a symbol. */
static void read_info(const struct reader *r, const Elf64_Shdr *info,
                      uint32_t symbol, struct loom_cubin_kernel *kernel)
{
    uint64_t at = info->sh_offset, end = at + info->sh_size;

    while (end - at >= 4) {
        unsigned char head[4];
        uint32_t data[2];
        uint64_t bytes;

        if (!loom_elf_take(&r->file, at, head, sizeof(head)) || head[0] == 0 ||
            head[0] > INFO_FORMATS) {
            break; /* of a version that is not known */
        }
        at += sizeof(head);
        bytes = head[0] == INFO_SIZED ? head[2] | (uint64_t)head[3] << 8 : 0;
        if (bytes > end - at) {
            break;
        }
        if (bytes == sizeof(data) &&
            loom_elf_take(&r->file, at, data, sizeof(data)) &&
            data[0] == symbol) {
            note(kernel, head[1], data[1]);
        }
        at += bytes;
    }
}

bool loom_cubin_find(const void *bytes, size_t size, const char *name,
                     struct loom_cubin_kernel *kernel)
{
    struct reader r = {.file = {bytes, size}};
    Elf64_Shdr text, other;
    uint32_t symbol;

    /* All sections are there, so one that is not found is not missing. */
    *kernel = (struct loom_cubin_kernel){.registers = 0};
    if (!loom_elf_head(&r.file, MACHINE_CUDA, &r.head) ||
        r.head.e_shoff > size ||
        (size - r.head.e_shoff) / sizeof(text) < r.head.e_shnum ||
        !loom_elf_section(&r.file, &r.head, r.head.e_shstrndx, &r.names) ||
        r.names.sh_type != SHT_STRTAB || !find(&r, ".text.", name, &text)) {
        return false;
    }
    symbol = text.sh_info & 0xffffff;
    if (!is_symbol(&r, symbol, name)) {
        return false;
    }
    if (find(&r, ".nv.info", "", &other) && other.sh_type != SHT_NOBITS) {
        read_info(&r, &other, symbol, kernel);
    }
    if (kernel->registers == 0) { /* here, before sm_90 */
        kernel->registers = text.sh_info >> 24;
    }
    if (find(&r, ".nv.shared.", name, &other)) {
        kernel->shared_bytes = (uint32_t)other.sh_size;
        if (other.sh_size > UINT32_MAX / 2) {
            return false;
        }
        if (kernel->shared_bytes >= RESERVED &&
            find(&r, ".nv.shared.reserved.0", "", &other)) {
            kernel->shared_bytes -= RESERVED;
        }
    }
    return kernel->registers >= 1 && kernel->registers <= REGISTERS_MAX;
}
