/*
 * Reads the symbol table of an ELF file, of which this is all that is needed.
 */
#define _GNU_SOURCE /* memmem */
#include "cuda/executable.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuda/elf.h"

/* Names of sections of fat binaries start with these; whole programs and
 * relocatable device code. */
static bool has_kernels(const char *name)
{
    return strcmp(name, ".nvFatBinSegment") == 0 ||
           strcmp(name, ".nv_fatbin") == 0 ||
           strcmp(name, "__nv_relfatbin") == 0;
}

/* Is a name among those that libraries are asked for?  What the program has
 * itself is not there, unless it was linked with -rdynamic. */
static bool has_text(const struct loom_cuda_executable *file,
                     const Elf64_Shdr *texts, const char *name)
{
    return memmem(file->elf.bytes + texts->sh_offset, (size_t)texts->sh_size,
                  name, strlen(name) + 1) != NULL;
}

static void read_sections(struct loom_cuda_executable *file,
                          const Elf64_Ehdr *head)
{
    Elf64_Shdr one, names, texts;
    const char *name;

    if (!loom_elf_section(&file->elf, head, head->e_shstrndx, &names) ||
        names.sh_type != SHT_STRTAB) {
        return;
    }
    for (uint64_t i = 0; i < head->e_shnum; i++) {
        if (!loom_elf_section(&file->elf, head, i, &one)) {
            continue;
        }
        name = loom_elf_text(&file->elf, names.sh_offset, names.sh_size,
                             one.sh_name);
        file->kernels |= has_kernels(name);
        file->segment |= strcmp(name, ".nvFatBinSegment") == 0;
        if (one.sh_type == SHT_DYNSYM &&
            loom_elf_section(&file->elf, head, one.sh_link, &texts) &&
            texts.sh_type == SHT_STRTAB) {
            file->registers = has_text(file, &texts, "__cudaRegisterFatBinary");
            file->driver = has_text(file, &texts, "libcuda.so.1");
        }
        if (one.sh_type == SHT_SYMTAB && one.sh_entsize == sizeof(Elf64_Sym) &&
            loom_elf_section(&file->elf, head, one.sh_link, &texts) &&
            texts.sh_type == SHT_STRTAB) {
            file->symbol = one.sh_offset;
            file->symbols = one.sh_size / sizeof(Elf64_Sym);
            file->name = texts.sh_offset;
            file->name_bytes = texts.sh_size;
        }
    }
}

static bool map(const char *path, struct loom_cuda_executable *file)
{
    int handle = open(path, O_RDONLY | O_CLOEXEC);
    void *at = MAP_FAILED;
    struct stat state;

    if (handle < 0) {
        return false;
    }
    if (fstat(handle, &state) == 0 && state.st_size > 0) {
        at = mmap(NULL, (size_t)state.st_size, PROT_READ, MAP_PRIVATE, handle,
                  0);
    }
    close(handle);
    if (at == MAP_FAILED) {
        return false;
    }
    *file = (struct loom_cuda_executable){.elf = {at, (size_t)state.st_size}};
    return true;
}

bool loom_cuda_executable_open(const char *path,
                               struct loom_cuda_executable *file)
{
    Elf64_Ehdr head;

    if (!map(path, file)) {
        return false;
    }
    if (!loom_elf_head(&file->elf, EM_X86_64, &head)) {
        loom_cuda_executable_close(file);
        return false;
    }
    read_sections(file, &head);
    return true;
}

void loom_cuda_executable_close(struct loom_cuda_executable *file)
{
    munmap((void *)(uintptr_t)file->elf.bytes, file->elf.size);
    file->elf.bytes = NULL;
}

bool loom_cuda_executable_function(const struct loom_cuda_executable *file,
                                   uint64_t number,
                                   struct loom_cuda_function *function)
{
    Elf64_Sym symbol;

    if (number >= file->symbols ||
        !loom_elf_take(&file->elf, file->symbol + number * sizeof(symbol),
                       &symbol, sizeof(symbol)) ||
        ELF64_ST_TYPE(symbol.st_info) != STT_FUNC ||
        symbol.st_shndx == SHN_UNDEF) {
        return false;
    }
    *function = (struct loom_cuda_function){
        .name = loom_elf_text(&file->elf, file->name, file->name_bytes,
                              symbol.st_name),
        .address = symbol.st_value,
        .bytes = symbol.st_size};
    return true;
}
