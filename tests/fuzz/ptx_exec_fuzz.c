/*
 * Fuzzing functional execution: whatever a kernel does, it ends within its
 * budget with streams that can be read, or with an error; never with a
 * crash, a hang or a leak.
 *
 * Bytes changed at random seldom parse; tests/fuzz/mutate.h changes lines and
 * tokens.  With LOOM_FUZZ_MAIN it is a program for every compiler:
 *
 *     ptx_exec_fuzz MUTATIONS SEED FILE...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/program.h"

#define BUDGET 10000u /* warp instructions */
#define BUFFER 65536u

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
        .budget = BUDGET,
        .turn = (how >> 15 & 1) != 0 ? BUDGET / 4 : 1,
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
    if (ptx_workload.open(
            memory,
            &(struct loom_program_text){.name = "fuzz",
                                        .text = (const char *)data,
                                        .bytes = size,
                                        .scheduled = (how & 1) != 0},
            &program, &err)) {
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

#include "tests/fuzz/mutate.h"

int main(int argc, char **argv)
{
    return fuzz_files("ptx_exec_fuzz", argc, argv);
}

#endif
