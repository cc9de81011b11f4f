/*
 * A device and a PTX program for the tests of the executor: opens a module,
 * launches kernels, keeps the streams' totals.
 */
#ifndef TESTS_UNIT_PTX_RIG_H
#define TESTS_UNIT_PTX_RIG_H

#include <stdlib.h>

#include "tests/unit/ptx_ran.h"
#include "tests/unit/test.h"
#include "workloads/ptx/exec/exec.h"

extern const struct loom_workload_type ptx_workload;

#define PTX_HEAD ".version 6.0\n.target sm_35\n.address_size 64\n"

struct ptx_rig {
    struct loom_memory *memory;
    struct loom_program *program;
    struct loom_error err;
    struct loom_kernel *kernel;     /* of the launch in hand, or NULL */
    struct loom_cta_stream *stream; /* of its last CTA, not released */
    uint64_t warp_insts;            /* of all launches */
    uint64_t budget;                /* 0: the executor's own */
    struct loom_launch_spec spec;   /* what is not of one launch only */
};

static inline void ptx_rig_open_as(struct ptx_rig *rig, const char *text,
                                   bool scheduled)
{
    struct loom_program_text source = {.name = "test.ptx",
                                       .text = text,
                                       .bytes = strlen(text),
                                       .scheduled = scheduled};
    bool ok;

    ptx_seed(text);
    *rig = (struct ptx_rig){.memory = loom_memory_create(UINT64_C(1) << 30)};
    REQUIRE(rig->memory != NULL);
    ok = ptx_workload.open(rig->memory, &source, &rig->program, &rig->err);
    if (!ok) {
        EXPECT_TEXT(rig->err.text, "(no error)");
    }
    REQUIRE(ok);
}

static inline void ptx_rig_open(struct ptx_rig *rig, const char *text)
{
    ptx_rig_open_as(rig, text, false);
}

/* Gives back the launch in hand. */
static inline void ptx_rig_retire(struct ptx_rig *rig)
{
    if (rig->stream != NULL) {
        rig->kernel->source->ops->release(rig->kernel->source, rig->stream);
    }
    if (rig->kernel != NULL) {
        ptx_workload.retire(rig->program, rig->kernel);
    }
    rig->kernel = NULL;
    rig->stream = NULL;
}

static inline void ptx_rig_close(struct ptx_rig *rig)
{
    ptx_rig_retire(rig);
    ptx_workload.close(rig->program);
    loom_memory_destroy(rig->memory);
}

static inline loom_addr ptx_rig_alloc(struct ptx_rig *rig, uint64_t bytes,
                                      const char *name)
{
    loom_addr base = 0;

    REQUIRE(loom_memory_alloc(rig->memory, bytes, name, &base, &rig->err));
    return base;
}

/* Host view of device memory. */
static inline void *ptx_rig_at(const struct ptx_rig *rig, loom_addr base)
{
    void *host = loom_memory_at(rig->memory, base, 1);

    REQUIRE(host != NULL);
    return host;
}

struct ptx_shape {
    struct loom_dim3 grid, block;
    uint32_t dynamic_shared;
};

static inline struct ptx_shape ptx_shape_1d(uint32_t grid, uint32_t block)
{
    return (struct ptx_shape){{grid, 1, 1}, {block, 1, 1}, 0};
}

static inline bool ptx_rig_produce(struct ptx_rig *rig)
{
    struct loom_cta_source *source = rig->kernel->source;
    uint64_t ctas = loom_dim3_count(rig->kernel->grid);

    for (uint32_t cta = 0; cta < ctas; cta++) {
        if (rig->stream != NULL) {
            source->ops->release(source, rig->stream);
            rig->stream = NULL;
        }
        if (!source->ops->produce(source, cta, &rig->stream, &rig->err)) {
            return false;
        }
        ptx_ran(rig->kernel, rig->stream);
        for (uint32_t w = 0; w < rig->stream->warp_count; w++) {
            rig->warp_insts += rig->stream->warp[w].insts;
        }
    }
    return true;
}

/* Runs all CTAs; parameters are 8-byte words, cut to each one's size.  The
 * last CTA's stream stays in rig->stream.  False: rig->err. */
static inline bool ptx_rig_try(struct ptx_rig *rig, const char *name,
                               struct ptx_shape shape, const uint64_t *word)
{
    const struct loom_kernel_info *info =
        loom_program_kernel(&ptx_workload, rig->program, name);
    unsigned char params[256] = {0};
    struct loom_launch_spec spec = rig->spec;

    spec.kernel = name;
    spec.grid = shape.grid;
    spec.block = shape.block;
    spec.dynamic_shared_bytes = shape.dynamic_shared;
    spec.params = params;
    ptx_rig_retire(rig);
    REQUIRE(info != NULL && info->param_bytes <= sizeof(params));
    for (uint32_t i = 0; i < info->param_count; i++) {
        memcpy(params + info->param[i].offset, &word[i], info->param[i].bytes);
    }
    spec.param_bytes = info->param_bytes;
    if (!ptx_workload.launch(rig->program, &spec, &rig->kernel, &rig->err)) {
        rig->kernel = NULL;
        return false;
    }
    if (rig->budget != 0) {
        ((struct exec_launch *)rig->kernel->source)->budget = rig->budget;
    }
    return ptx_rig_produce(rig);
}

static inline void ptx_rig_run(struct ptx_rig *rig, const char *name,
                               struct ptx_shape shape, const uint64_t *word)
{
    bool ok = ptx_rig_try(rig, name, shape, word);

    if (!ok) {
        EXPECT_TEXT(rig->err.text, "(no error)");
    }
    REQUIRE(ok);
}

#endif
