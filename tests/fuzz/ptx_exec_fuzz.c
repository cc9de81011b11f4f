/*
 * Fuzzing functional execution: whatever a kernel does, it ends within its
 * budget with streams that can be read, or with an error; never with a
 * crash, a hang or a leak.
 *
 * Bytes changed at random seldom parse, so the program's own mutations work
 * on lines and tokens: instructions are moved, repeated and dropped, and
 * registers, numbers and modifiers change places.  With LOOM_FUZZ_MAIN it is
 * a program for every compiler:
 *
 *     ptx_exec_fuzz MUTATIONS SEED FILE...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/ptx/program_private.h"

#define BUDGET 3000u /* warp instructions */
#define BUFFER 65536u
#define TEXT_MAX (1u << 16)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const struct loom_workload_type ptx_workload;

/* Reads all of a stream, as an SM would. */
static void read_stream(const struct loom_cta_stream *stream)
{
    for (uint32_t w = 0; w < stream->warp_count; w++) {
        struct loom_cursor cursor = loom_cursor_of(&stream->warp[w]);
        loom_addr address[LOOM_WARP_LANES];
        struct loom_warp_inst inst;
        uint64_t count = 0;

        while (loom_stream_next(&cursor, &inst)) {
            LOOM_CHECK(inst.index < stream->kernel->inst_count);
            loom_stream_addresses(&inst, address);
            count++;
        }
        LOOM_CHECK(cursor.at == cursor.end && count == stream->warp[w].insts);
    }
}

static void set_budget(struct exec_launch *launch)
{
    launch->budget = BUDGET;
    launch->quantum = BUDGET / 4;
}

static void run(struct loom_program *program,
                const struct loom_launch_spec *spec)
{
    struct loom_error err = {.kind = LOOM_ERR_NONE};
    struct loom_kernel *kernel;
    uint64_t ctas = loom_dim3_count(spec->grid);

    if (!ptx_workload.launch(program, spec, &kernel, &err)) {
        LOOM_CHECK(err.kind != LOOM_ERR_NONE);
        return;
    }
    set_budget((struct exec_launch *)kernel->source);
    for (uint32_t cta = 0; cta < ctas; cta++) {
        struct loom_cta_source *source = kernel->source;
        struct loom_cta_stream *stream;

        if (!source->ops->produce(source, cta, &stream, &err)) {
            LOOM_CHECK(err.kind != LOOM_ERR_NONE);
            break;
        }
        read_stream(stream);
        source->ops->release(source, stream);
    }
    ptx_workload.retire(program, kernel);
}

/* Launches a kernel with buffers for pointers and small numbers else; how,
 * depends on a hash of the text. */
static void launch(struct loom_program *program,
                   const struct loom_kernel_info *info, loom_addr buffer,
                   uint32_t how)
{
    struct loom_launch_spec spec = {
        .kernel = info->name,
        .grid = {1 + how % 3, 1, 1},
        .block = {1 + (how >> 2) % 70, 1 + (how >> 9) % 2, 1},
        .cooperative = (how & 1024) != 0,
        .watch = how >> 11 & 3,
        .dynamic_shared_bytes = (how >> 13 & 3) * 512,
        .pool_bytes = 1 << 16,
        .param_bytes = info->param_bytes,
    };
    unsigned char *params = calloc(info->param_bytes + 1u, 1);

    LOOM_CHECK(params != NULL);
    for (uint32_t i = 0; i < info->param_count; i++) {
        const struct loom_kernel_param *p = &info->param[i];
        uint64_t value = p->pointer ? buffer + 1024 * (i % 32) : 3 + i;

        memcpy(params + p->offset, &value, p->bytes < 8 ? p->bytes : 8);
    }
    spec.params = params;
    run(program, &spec);
    free(params);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct loom_memory *memory = loom_memory_create(1 << 20);
    struct loom_program *program = NULL;
    struct loom_error err = {.kind = LOOM_ERR_NONE};
    loom_addr buffer = 0;
    uint32_t how = 2166136261u;

    LOOM_CHECK(memory != NULL);
    for (size_t i = 0; i < size; i++) {
        how = (how ^ data[i]) * 16777619u;
    }
    LOOM_CHECK(loom_memory_alloc(memory, BUFFER, "buffer", &buffer, &err));
    if (ptx_workload.open(memory, "fuzz", (const char *)data, size, &program,
                          &err)) {
        for (uint32_t i = 0; i < ptx_workload.kernel_count(program) && i < 4;
             i++) {
            launch(program, ptx_workload.kernel(program, i), buffer,
                   how >> 3 ^ i * 77);
        }
        ptx_workload.close(program);
    } else {
        LOOM_CHECK(err.kind != LOOM_ERR_NONE);
    }
    loom_memory_destroy(memory);
    return 0;
}

#ifdef LOOM_FUZZ_MAIN

#include "engine/rng.h"

struct span {
    size_t at, length;
};

/* A random line of text[size], with its end. */
static struct span line_of(struct loom_rng *rng, const char *text, size_t size)
{
    size_t at = (size_t)loom_rng_below(rng, size), end = at;

    while (at > 0 && text[at - 1] != '\n') {
        at--;
    }
    while (end < size && text[end] != '\n') {
        end++;
    }
    return (struct span){at, (end < size ? end + 1 : end) - at};
}

static bool in_token(char c)
{
    return c > ' ' && strchr("{}()[];,+|", c) == NULL;
}

static struct span token_of(struct loom_rng *rng, const char *text, size_t size)
{
    size_t at = (size_t)loom_rng_below(rng, size), end;

    while (at > 0 && in_token(text[at - 1])) {
        at--;
    }
    for (end = at; end < size && in_token(text[end]); end++) {
    }
    return (struct span){at, end - at};
}

/* Replaces `to` by a copy of `from`; returns the new size. */
static size_t paste(char *text, size_t size, struct span to, struct span from)
{
    char copy[512];
    size_t length = from.length < sizeof(copy) ? from.length : sizeof(copy);

    if (size - to.length + length >= TEXT_MAX) {
        return size;
    }
    memcpy(copy, text + from.at, length);
    memmove(text + to.at + length, text + to.at + to.length,
            size - to.at - to.length);
    memcpy(text + to.at, copy, length);
    return size - to.length + length;
}

static size_t mutate(struct loom_rng *rng, char *text, size_t size)
{
    struct span a, b;

    switch (loom_rng_below(rng, 8)) {
    case 0: /* repeat a line elsewhere */
        a = line_of(rng, text, size);
        b = line_of(rng, text, size);
        return paste(text, size, (struct span){a.at, 0}, b);
    case 1: /* drop a line */
        return paste(text, size, line_of(rng, text, size), (struct span){0, 0});
    case 2: /* another number */
        a = token_of(rng, text, size);
        if (a.length != 0 && text[a.at] >= '0' && text[a.at] <= '9') {
            text[a.at] = (char)('0' + loom_rng_below(rng, 10));
        }
        return size;
    default: /* a token for another one of its kind */
        a = token_of(rng, text, size);
        for (uint32_t i = 0; i < 32; i++) {
            b = token_of(rng, text, size);
            if (a.length != 0 && b.length > 1 && text[a.at] == text[b.at] &&
                text[a.at + a.length - 1] != ':') {
                return paste(text, size, a, b);
            }
        }
        return size;
    }
}

static size_t read_file(const char *name, char *text)
{
    FILE *file = fopen(name, "rb");
    size_t size;

    LOOM_CHECK(file != NULL);
    size = fread(text, 1, TEXT_MAX / 2, file);
    fclose(file);
    return size;
}

static void fuzz_file(const char *name, uint64_t mutations, uint64_t seed)
{
    char *text = malloc(TEXT_MAX), *copy = malloc(TEXT_MAX);
    struct loom_rng rng;
    size_t size;

    LOOM_CHECK(text != NULL && copy != NULL);
    size = read_file(name, text);
    loom_rng_init(&rng, seed, "ptx_exec_fuzz");
    LLVMFuzzerTestOneInput((const uint8_t *)text, size);
    for (uint64_t i = 0; i < mutations && size != 0; i++) {
        uint64_t steps = 1 + loom_rng_below(&rng, 3);
        size_t length = size;

        memcpy(copy, text, size);
        while (steps-- > 0 && length != 0) {
            length = mutate(&rng, copy, length);
        }
        LLVMFuzzerTestOneInput((const uint8_t *)copy, length);
    }
    free(text);
    free(copy);
}

int main(int argc, char **argv)
{
    if (argc <= 3) {
        fprintf(stderr, "usage: %s MUTATIONS SEED FILE...\n", argv[0]);
        return 1;
    }
    for (int i = 3; i < argc; i++) {
        fuzz_file(argv[i], strtoull(argv[1], NULL, 10),
                  strtoull(argv[2], NULL, 10));
    }
    return 0;
}

#endif
