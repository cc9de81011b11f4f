/*
 * Programs that have NVIDIA's runtime linked into them, as nvcc does unless
 * told otherwise.
 *
 * This is in a library of its own, which is preloaded: its constructor runs
 * before those of the program, which register the kernels.  It finds the
 * runtime's functions by the symbol table of the executable's file and writes
 * a jump to our function of that name where each begins, so that nothing of
 * NVIDIA's runs.
 *
 * All of that runtime comes from one object, so what lies between its first
 * and its last function is its own.  A function there with a name like its
 * others that is not known here is of a newer version: it says so if it is
 * called.  The program's own functions may be called cuda_something, too;
 * they lie elsewhere, and only those with names of the runtime would be lost.
 */
#define _GNU_SOURCE /* RTLD_NEXT, dl_iterate_phdr, the program's name */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cuda/executable.h"
#include "cuda/runtime.h"

/* What a static runtime has under any circumstances. */
#define REGISTER "__cudaRegisterFatBinary"

enum {
    JUMP = 14, /* bytes of jmp *0(%rip) and an address */
    STUB = 32  /* bytes for each name that is not known */
};

struct place {
    uint64_t address; /* as linked */
    char *name;
    void *to; /* ours; NULL: not known */
    bool replaced;
};

struct redirection {
    struct place *place; /* [count], sorted by address */
    size_t count;
    uint64_t base; /* of the program: where it was loaded */
};

static bool is_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_public(const char *name)
{
    return is_prefix(name, "cuda") || is_prefix(name, "__cuda");
}

static int by_address(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    return (x->address > y->address) - (x->address < y->address);
}

/* All functions: those that stay say where those before them end. */
static void collect(const struct loom_cuda_executable *file,
                    struct redirection *all)
{
    struct loom_cuda_function f;

    all->place = calloc((size_t)file->symbols + 1, sizeof(*all->place));
    if (all->place == NULL) {
        loom_cuda_give_up(LOOM_CUDA_USER_ERROR, "no memory");
    }
    for (uint64_t i = 0; i < file->symbols; i++) {
        struct place *place = &all->place[all->count];

        if (!loom_cuda_executable_function(file, i, &f)) {
            continue;
        }
        place->address = f.address;
        if (is_public(f.name)) {
            place->name = strdup(f.name);
            place->to = dlsym(RTLD_NEXT, f.name);
        }
        all->count++;
    }
    qsort(all->place, all->count, sizeof(*all->place), by_address);
}

static const struct place *find(const struct redirection *all, const char *name)
{
    for (size_t i = 0; i < all->count; i++) {
        if (all->place[i].name != NULL &&
            strcmp(all->place[i].name, name) == 0) {
            return &all->place[i];
        }
    }
    return NULL;
}

/* By what the versions have: cudaGetDeviceProperties_v2 came with 12 and went
 * with 13, which has launches by handle. */
static int version_of(const struct redirection *all)
{
    if (find(all, "cudaGetDeviceProperties_v2") != NULL) {
        return 12;
    }
    return find(all, "__cudaLaunchKernel") != NULL ? 13 : 11;
}

/* Forgets what is not to be redirected; returns how many of the others have
 * names that are not known.  Where the runtime lies is taken from names that
 * no program gives its own functions. */
static size_t find_runtime(struct redirection *all)
{
    uint64_t first = UINT64_MAX, last = 0;
    size_t unknown = 0, kept = 0;

    for (size_t i = 0; i < all->count; i++) {
        const struct place *p = &all->place[i];

        if (p->to != NULL &&
            (is_prefix(p->name, "__cuda") || is_prefix(p->name, "cudaGraph"))) {
            first = kept == 0 ? p->address : first;
            last = p->address;
            kept++;
        }
    }
    for (size_t i = 0; i < all->count; i++) {
        struct place *p = &all->place[i];

        p->replaced =
            p->name != NULL &&
            (p->to != NULL || (p->address >= first && p->address <= last));
        unknown += p->replaced && p->to == NULL;
    }
    return unknown;
}

/* ---- machine code ---- */

static void put_pointer(unsigned char *at, const void *pointer)
{
    memcpy(at, &pointer, sizeof(pointer));
}

static uint64_t page_of(uint64_t address)
{
    return address & ~((uint64_t)sysconf(_SC_PAGESIZE) - 1);
}

static void protect(uint64_t from, uint64_t to, int how)
{
    from = page_of(from);
    if (mprotect((void *)(uintptr_t)from, (size_t)(to - from), how) != 0) {
        loom_cuda_give_up(
            LOOM_CUDA_USER_ERROR,
            "the system does not let NVIDIA's CUDA runtime in the program be "
            "replaced (mprotect); link it with nvcc -cudart shared");
    }
}

/* For each name that is not known, a function that says so: it calls
 * loom_cuda_missing() with the name. */
static void make_stubs(struct redirection *all, size_t unknown)
{
    void (*const missing)(const char *) = loom_cuda_missing;
    size_t bytes = (unknown + 1) * STUB;
    unsigned char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned char *next = at;

    if (at == MAP_FAILED) {
        loom_cuda_give_up(LOOM_CUDA_USER_ERROR, "no memory");
    }
    for (size_t i = 0; i < all->count; i++) {
        struct place *p = &all->place[i];

        if (!p->replaced || p->to != NULL) {
            continue;
        }
        memcpy(next, "\x48\xbf", 2); /* mov $name, %rdi */
        put_pointer(next + 2, p->name);
        memcpy(next + 10, "\x48\xb8", 2); /* mov $missing, %rax */
        memcpy(next + 12, &missing, sizeof(missing));
        memcpy(next + 20, "\xff\xe0", 2); /* jmp *%rax */
        p->to = next;
        next += STUB;
    }
    protect((uintptr_t)at, (uintptr_t)at + bytes, PROT_READ | PROT_EXEC);
}

/* Is there room for a jump before the next function? */
static void check_room(const struct redirection *all, size_t number)
{
    const struct place *p = &all->place[number];

    for (size_t i = number + 1; i < all->count; i++) {
        uint64_t bytes = all->place[i].address - p->address;

        if (bytes != 0 && bytes < JUMP) {
            loom_cuda_give_up(LOOM_CUDA_USER_ERROR,
                              "%s of NVIDIA's CUDA runtime in the program has "
                              "%u bytes, expected at least %d to replace it; "
                              "link it with nvcc -cudart shared",
                              p->name, (unsigned)bytes, JUMP);
        }
        if (bytes != 0) {
            return;
        }
    }
}

static void write_jumps(const struct redirection *all)
{
    uint64_t from = UINT64_MAX, to = 0;

    for (size_t i = 0; i < all->count; i++) {
        if (all->place[i].replaced) {
            uint64_t at = all->base + all->place[i].address;

            from = at < from ? at : from;
            to = at + JUMP;
        }
    }
    /* Nothing of the program runs yet. */
    protect(from, to, PROT_READ | PROT_WRITE);
    for (size_t i = 0; i < all->count; i++) {
        const struct place *p = &all->place[i];
        unsigned char *at =
            (unsigned char *)(uintptr_t)(all->base + p->address);

        if (p->replaced) {
            check_room(all, i);
            memcpy(at, "\xff\x25\0\0\0\0", 6); /* jmp *0(%rip) */
            put_pointer(at + 6, p->to);
        }
    }
    protect(from, to, PROT_READ | PROT_EXEC);
}

/* ---- at the start ---- */

static int first_object(struct dl_phdr_info *info, size_t bytes, void *context)
{
    (void)bytes;
    *(uint64_t *)context = info->dlpi_addr;
    return 1; /* the first is the program */
}

/* A program of the driver API alone has nothing to be replaced, though nvcc
 * puts an empty fat binary into it, too. */
static void redirect(const struct loom_cuda_executable *file)
{
    struct redirection all = {.place = NULL};

    collect(file, &all);
    if (find(&all, REGISTER) != NULL) {
        size_t unknown = find_runtime(&all);

        dl_iterate_phdr(first_object, &all.base);
        loom_cuda_set_version(version_of(&all));
        make_stubs(&all, unknown);
        write_jumps(&all);
    } else if (file->kernels && !file->registers &&
               (file->segment || !file->driver)) {
        loom_cuda_give_up(LOOM_CUDA_USER_ERROR,
                          "'%s' has NVIDIA's CUDA runtime in it, but "
                          "not the symbols by which that is replaced: do not "
                          "strip it (strip, -s), or link with nvcc -cudart "
                          "shared",
                          program_invocation_name);
    }
    free(all.place);
}

__attribute__((constructor)) static void before_the_program(void)
{
    struct loom_cuda_executable file;

    if (loom_cuda_executable_open("/proc/self/exe", &file)) {
        redirect(&file);
        loom_cuda_executable_close(&file);
    }
}
