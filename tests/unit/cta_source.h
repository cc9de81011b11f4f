/*
 * A kernel whose CTAs all have the streams that a test wrote.  It checks that
 * CTAs are produced in linear order and counts those given back.
 */
#ifndef TESTS_UNIT_CTA_SOURCE_H
#define TESTS_UNIT_CTA_SOURCE_H

#include "components/host_protocol.h"
#include "tests/unit/test.h"
#include "workloads/streams/writer.h"

struct source {
    struct loom_cta_source base; /* first */
    struct loom_kernel kernel;
    struct loom_static_inst inst[64];
    struct loom_loop loop[4];
    struct loom_stream_writer writer[64];
    struct loom_warp_stream warp[64];
    struct loom_cta_stream cta[256];
    struct loom_launch launch;
    uint32_t produced, released, fail_at;
};

static bool source_produce(struct loom_cta_source *self, uint32_t cta,
                           struct loom_cta_stream **stream,
                           struct loom_error *err)
{
    struct source *source = (struct source *)self;

    if (source->fail_at != 0 && cta == source->fail_at) {
        return loom_fail(err, LOOM_ERR_WORKLOAD, "illegal address");
    }
    EXPECT_EQ(cta, source->produced);
    REQUIRE(cta < LOOM_COUNTOF(source->cta));
    source->produced++;
    source->cta[cta] = (struct loom_cta_stream){
        &source->kernel, cta, loom_kernel_warps(&source->kernel), source->warp};
    *stream = &source->cta[cta];
    return true;
}

static void source_release(struct loom_cta_source *self,
                           struct loom_cta_stream *stream)
{
    struct source *source = (struct source *)self;

    EXPECT(stream->kernel == &source->kernel);
    source->released++;
}

static const struct loom_cta_source_ops source_ops = {
    .produce = source_produce,
    .release = source_release,
};

static inline void source_init(struct source *source, uint32_t ctas,
                               uint32_t warps)
{
    *source = (struct source){.base = {.ops = &source_ops}};
    source->kernel = (struct loom_kernel){
        .name = "test",
        .grid = {ctas, 1, 1},
        .block = {warps * LOOM_WARP_LANES, 1, 1},
        .inst = source->inst,
        .loop = source->loop,
        .source = &source->base,
    };
    source->launch.kernel = &source->kernel;
}

/* Appends a static instruction; registers are numbers, UINT32_MAX none. */
#define NONE UINT32_MAX
static inline struct loom_static_inst *
source_inst(struct source *source, enum loom_op op, uint32_t dest, uint32_t src)
{
    uint32_t index = source->kernel.inst_count++;
    struct loom_static_inst *inst = &source->inst[index];

    REQUIRE(index < LOOM_COUNTOF(source->inst));
    inst->op = (uint8_t)op;
    inst->pc = 8 * index;
    inst->loop = LOOM_NO_LOOP;
    if (dest != NONE) {
        inst->def[dest / 64] |= loom_bit(dest % 64);
        inst->use[dest / 64] |= loom_bit(dest % 64);
    }
    if (src != NONE) {
        inst->use[src / 64] |= loom_bit(src % 64);
    }
    return inst;
}

/* Appends static instructions [first, last] to the stream of a warp. */
static inline void source_run(struct source *source, uint32_t warp,
                              uint32_t first, uint32_t last)
{
    static const loom_addr address[LOOM_WARP_LANES] = {0};

    for (uint32_t i = first; i <= last; i++) {
        uint8_t op = source->inst[i].op;
        bool memory =
            op == LOOM_OP_LOAD || op == LOOM_OP_STORE || op == LOOM_OP_ATOMIC;

        if (memory) {
            loom_writer_memory(&source->writer[warp], i, UINT32_MAX, address);
        } else {
            loom_writer_put(&source->writer[warp], i, UINT32_MAX);
        }
    }
}

static inline void source_seal(struct source *source)
{
    for (uint32_t w = 0; w < loom_kernel_warps(&source->kernel); w++) {
        const struct loom_stream_writer *writer = &source->writer[w];

        source->warp[w] = (struct loom_warp_stream){writer->word, writer->words,
                                                    writer->insts, false};
    }
}

static inline void source_free(struct source *source)
{
    for (uint32_t w = 0; w < LOOM_COUNTOF(source->writer); w++) {
        loom_writer_free(&source->writer[w]);
    }
}

#endif
