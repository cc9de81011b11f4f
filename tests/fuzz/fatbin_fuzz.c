/*
 * Fuzzing fat binaries: any bytes give entries or an error, never a read
 * outside of them, and so does the text of every entry, and what machine code
 * says of a kernel.
 *
 * With clang's libFuzzer this is a target like any other.  With
 * LOOM_FUZZ_MAIN it is a program for every compiler:
 *
 *     fatbin_fuzz MUTATIONS SEED
 *     fatbin_fuzz --seeds FOLDER
 *
 * runs MUTATIONS mutations of fat binaries of every kind, the same ones for
 * the same seed; or writes one of each kind to a folder, for libFuzzer to begin
 * with.
 */
#include <stdio.h>

#include "engine/rng.h"

#include "cuda/cubin.h"
#include "cuda/fatbin.h"
#include "tests/cuda/make_cubin.h"
#include "tests/cuda/make_fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_error(const struct loom_error *err)
{
    LOOM_CHECK(err->kind != LOOM_ERR_NONE);
    LOOM_CHECK(memchr(err->text, '\0', sizeof(err->text)) != NULL);
}

/* In exactly as many bytes. */
static void check_code(const void *data, size_t size)
{
    void *copy = malloc(size > 0 ? size : 1);
    struct loom_cubin_kernel kernel;

    LOOM_CHECK(copy != NULL);
    memcpy(copy, data, size);
    if (loom_cubin_find(copy, size, "k", &kernel)) {
        LOOM_CHECK(kernel.registers >= 1 && kernel.registers <= 255);
    }
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct loom_fatbin fatbin;
    struct loom_error err = {.kind = LOOM_ERR_NONE};
    unsigned char *copy = malloc(size > 0 ? size : 1); /* exactly as long */
    char text[40];

    LOOM_CHECK(copy != NULL);
    memcpy(copy, data, size);
    if (!loom_fatbin_read(copy, size, &fatbin, &err)) {
        check_error(&err);
        fatbin.count = 0;
    }
    LOOM_CHECK(strlen(loom_fatbin_architectures(&fatbin, text, sizeof(text))) <
               sizeof(text));
    for (uint32_t i = 0; i < fatbin.count; i++) {
        struct loom_fatbin_entry *entry = &fatbin.entry[i];
        size_t bytes;
        char *ptx;

        if (entry->full > 1 << 20) {
            continue; /* allowed, but it takes a while */
        }
        if (loom_fatbin_unpack(entry, &ptx, &bytes, &err)) {
            check_code(ptx, bytes);
            free(ptx);
        }
        if (loom_fatbin_text(entry, &ptx, &bytes, &err)) {
            LOOM_CHECK(strlen(ptx) == bytes);
            free(ptx);
        } else {
            check_error(&err);
        }
    }
    free(copy);
    return 0;
}

#ifdef LOOM_FUZZ_MAIN
static const char ptx[] =
    ".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry k(\n"
    ".param .u64 k_param_0\n)\n{\n.reg .b64 %rd<3>;\n"
    "ld.param.u64 %rd1, [k_param_0];\nret;\n}\n";

static void mutate(struct made_fatbin *made, struct loom_rng *rng)
{
    static const uint64_t odd[] = {
        0, 1, 15, 16, 63, 64, 80, UINT32_MAX, UINT64_MAX, UINT64_MAX - 80};
    uint32_t changes = 1 + (uint32_t)loom_rng_below(rng, 4);

    while (changes-- > 0) {
        size_t at = (size_t)loom_rng_below(rng, made->size);

        if (loom_rng_below(rng, 2) == 0) {
            made->bytes[at] = (unsigned char)loom_rng_below(rng, 256);
        } else {
            unsigned width = 1u << loom_rng_below(rng, 4);

            at = at / width * width;
            make_put(made->bytes + at, width,
                     odd[loom_rng_below(rng, LOOM_COUNTOF(odd))]);
        }
    }
    if (loom_rng_below(rng, 8) == 0) {
        made->size = (size_t)loom_rng_below(rng, made->size + 1);
    }
}

static void make(struct made_fatbin *made, unsigned long kind)
{
    static const struct make_cubin kernel = {"k", 40, 100, 16, 32, true};
    struct made_cubin code;

    make_begin(made);
    make_ptx(made, 70, ptx, MAKE_RAW);
    make_cubin(&code, &kernel);
    make_entry(made, 2, 75, code.bytes, code.size);
    make_ptx(made, 75, ptx, (enum make_how)(kind % 3));
}

static bool write_seeds(const char *folder)
{
    static struct made_fatbin made;
    bool ok = true;

    for (unsigned kind = 0; kind < 3; kind++) {
        char path[4096];
        FILE *file;

        make(&made, kind);
        snprintf(path, sizeof(path), "%s/%u", folder, kind);
        file = fopen(path, "wb");
        ok = ok && file != NULL &&
             fwrite(made.bytes, 1, made.size, file) == made.size;
        ok = file != NULL && fclose(file) == 0 && ok;
    }
    return ok;
}

int main(int argc, char **argv)
{
    static struct made_fatbin made;
    struct loom_rng rng;
    unsigned long count = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;

    if (argc == 3 && strcmp(argv[1], "--seeds") == 0) {
        return write_seeds(argv[2]) ? 0 : 1;
    }
    if (count == 0) {
        fprintf(stderr, "usage: fatbin_fuzz MUTATIONS SEED\n"
                        "       fatbin_fuzz --seeds FOLDER\n");
        return 2;
    }
    loom_rng_init(&rng, strtoul(argv[2], NULL, 10), "fatbin");
    for (unsigned long i = 0; i < count; i++) {
        make(&made, i);
        mutate(&made, &rng);
        LLVMFuzzerTestOneInput(made.bytes, made.size);
    }
    printf("%lu mutations\n", count);
    return 0;
}
#endif
