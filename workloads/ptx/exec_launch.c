/*
 * A launch as a source of CTAs: its memory, the state of the CTA that is
 * being executed, and the pool of streams.
 *
 * Streams are handed out and come back in any order; their buffers keep
 * their size and serve later CTAs.  Registers are zero at the start of each
 * CTA, so that a program that reads one before it is written repeats.
 */
#include <stdlib.h>
#include <string.h>

#include "workloads/ptx/exec_private.h"

static void stream_free(struct exec_stream *s, uint32_t warps)
{
    if (s->writer != NULL) {
        for (uint32_t i = 0; i < warps; i++) {
            loom_writer_free(&s->writer[i]);
        }
    }
    free(s->writer);
    free(s->warp);
    free(s);
}

static struct exec_stream *stream_take(struct exec_launch *launch)
{
    struct exec_stream *s = launch->spare;

    if (s != NULL) {
        launch->spare = s->next;
    } else {
        s = calloc(1, sizeof(*s));
        if (s == NULL) {
            return NULL;
        }
        s->warp = calloc(launch->warps, sizeof(*s->warp));
        s->writer = calloc(launch->warps, sizeof(*s->writer));
        if (s->warp == NULL || s->writer == NULL) {
            stream_free(s, launch->warps);
            return NULL;
        }
    }
    for (uint32_t i = 0; i < launch->warps; i++) {
        loom_writer_reset(&s->writer[i]);
    }
    s->next = launch->out;
    launch->out = s;
    return s;
}

static void stream_give(struct exec_launch *launch, struct exec_stream *s)
{
    struct exec_stream **at = &launch->out;

    while (*at != s) {
        LOOM_CHECK(*at != NULL);
        at = &(*at)->next;
    }
    *at = s->next;
    s->next = launch->spare;
    launch->spare = s;
}

static void fill(void *to, bool wide, uint32_t lane, uint64_t value)
{
    if (wide) {
        ((lane_u64 *)to)[lane] = value;
    } else {
        ((lane_u32 *)to)[lane] = (uint32_t)value;
    }
}

/* Special registers that are the same for all threads of a warp. */
static uint64_t warp_special(const struct exec_launch *launch,
                             const struct exec_warp *warp, uint32_t what)
{
    struct loom_dim3 grid = launch->kernel.grid, block = launch->kernel.block;

    switch (what) {
    case LOOM_PTX_NTID_X:
        return block.x;
    case LOOM_PTX_NTID_Y:
        return block.y;
    case LOOM_PTX_NTID_Z:
        return block.z;
    case LOOM_PTX_CTAID_X:
        return launch->cta % grid.x;
    case LOOM_PTX_CTAID_Y:
        return launch->cta / grid.x % grid.y;
    case LOOM_PTX_CTAID_Z:
        return launch->cta / grid.x / grid.y;
    case LOOM_PTX_NCTAID_X:
        return grid.x;
    case LOOM_PTX_NCTAID_Y:
        return grid.y;
    case LOOM_PTX_NCTAID_Z:
        return grid.z;
    case LOOM_PTX_WARPID:
        return warp->number;
    case LOOM_PTX_NWARPID:
        return launch->warps;
    case LOOM_PTX_NSMID: /* the program sees a device of one SM, number 0 */
        return 1;
    case LOOM_PTX_GRIDID:
        return launch->kernel.number;
    case LOOM_PTX_DYNAMIC_SMEM_SIZE:
        return launch->dynamic_shared;
    case LOOM_PTX_TOTAL_SMEM_SIZE:
        return launch->kernel.shared_bytes;
    case LOOM_PTX_WARP_SIZE:
        return LOOM_WARP_LANES;
    default:
        return 0;
    }
}

static uint64_t lane_special(const struct exec_launch *launch,
                             const struct exec_warp *warp, uint32_t what,
                             uint32_t lane)
{
    struct loom_dim3 block = launch->kernel.block;
    uint32_t thread = warp->number * LOOM_WARP_LANES + lane;
    uint32_t bit = 1u << lane;

    switch (what) {
    case LOOM_PTX_TID_X:
        return thread % block.x;
    case LOOM_PTX_TID_Y:
        return thread / block.x % block.y;
    case LOOM_PTX_TID_Z:
        return thread / block.x / block.y;
    case LOOM_PTX_LANEID:
        return lane;
    case LOOM_PTX_LANEMASK_EQ:
        return bit;
    case LOOM_PTX_LANEMASK_LT:
        return bit - 1;
    case LOOM_PTX_LANEMASK_LE:
        return bit | (bit - 1);
    case LOOM_PTX_LANEMASK_GT:
        return ~(bit | (bit - 1));
    case LOOM_PTX_LANEMASK_GE:
        return ~(bit - 1);
    default:
        return warp_special(launch, warp, what);
    }
}

static void start_warp(struct exec_launch *launch, struct exec_warp *warp,
                       struct loom_stream_writer *writer)
{
    const struct exec_code *code = launch->code;
    uint32_t left = launch->threads - warp->number * LOOM_WARP_LANES;

    memset(warp->frame, 0, code->frame_bytes);
    memset(warp->predicate, 0, code->predicates * sizeof(*warp->predicate));
    for (uint32_t i = 0; i < code->special_count; i++) {
        const struct exec_special *s = &code->special[i];

        for (uint32_t l = 0; l < LOOM_WARP_LANES; l++) {
            fill(warp->frame + s->offset, s->wide, l,
                 lane_special(launch, warp, s->what, l));
        }
    }
    warp->threads = left >= LOOM_WARP_LANES ? UINT32_MAX : (1u << left) - 1;
    warp->live = warp->threads;
    warp->state = EXEC_RUNS;
    warp->writer = writer;
    warp->depth = 1;
    warp->path[0] = (struct exec_path){0, warp->threads, PTX_EXIT};
}

static void start_cta(struct exec_launch *launch, struct exec_stream *s,
                      uint32_t cta)
{
    launch->cta = cta;
    memset(launch->shared, 0, launch->kernel.shared_bytes);
    memset(launch->local, 0,
           (size_t)launch->kernel.local_bytes * launch->warps *
               LOOM_WARP_LANES);
    memset(launch->barrier, 0, sizeof(launch->barrier));
    /* Allocations may have come and gone since the last CTA. */
    memset(launch->region, 0, launch->code->op_count * sizeof(*launch->region));
    for (uint32_t w = 0; w < launch->warps; w++) {
        start_warp(launch, &launch->warp[w], &s->writer[w]);
    }
}

static bool produce(struct loom_cta_source *source, uint32_t cta,
                    struct loom_cta_stream **stream, struct loom_error *err)
{
    struct exec_launch *launch = (struct exec_launch *)source;
    struct exec_stream *s = stream_take(launch);

    if (s == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY,
                         "no host memory for the stream of CTA %u of kernel "
                         "'%s'",
                         cta, launch->kernel.name);
    }
    start_cta(launch, s, cta);
    if (!ptx_run_cta(launch, err)) {
        stream_give(launch, s);
        return false;
    }
    for (uint32_t w = 0; w < launch->warps; w++) {
        if (s->writer[w].failed) {
            stream_give(launch, s);
            return loom_fail(err, LOOM_ERR_MEMORY,
                             "no host memory for the stream of CTA %u of "
                             "kernel '%s'",
                             cta, launch->kernel.name);
        }
        s->warp[w] = (struct loom_warp_stream){
            s->writer[w].word, s->writer[w].words, s->writer[w].insts};
    }
    s->stream =
        (struct loom_cta_stream){&launch->kernel, cta, launch->warps, s->warp};
    *stream = &s->stream;
    return true;
}

static void release(struct loom_cta_source *source,
                    struct loom_cta_stream *stream)
{
    stream_give((struct exec_launch *)source, (struct exec_stream *)stream);
}

static const struct loom_cta_source_ops source_ops = {produce, release};

static void *take(size_t count, size_t size)
{
    return calloc(count == 0 ? 1 : count, size);
}

/* All arrays of a launch, once its kernel is filled in. */
static bool allocate(struct exec_launch *launch, const void *params)
{
    const struct exec_code *code = launch->code;
    uint32_t warps = launch->warps;

    launch->params = take(launch->param_bytes, 1);
    launch->shared = take(launch->kernel.shared_bytes, 1);
    launch->local =
        take((size_t)warps * LOOM_WARP_LANES, launch->kernel.local_bytes + 1u);
    launch->frames = take(warps, (size_t)code->frame_bytes + 1);
    launch->predicates =
        take((size_t)warps * (code->predicates + 1u), sizeof(uint32_t));
    launch->warp = take(warps, sizeof(*launch->warp));
    launch->region = take(code->op_count, sizeof(*launch->region));
    if (launch->params == NULL || launch->shared == NULL ||
        launch->local == NULL || launch->frames == NULL ||
        launch->predicates == NULL || launch->warp == NULL ||
        launch->region == NULL) {
        return false;
    }
    if (launch->param_bytes != 0) {
        memcpy(launch->params, params, launch->param_bytes);
    }
    for (uint32_t w = 0; w < warps; w++) {
        struct exec_warp *warp = &launch->warp[w];

        warp->number = w;
        warp->frame = launch->frames + (size_t)w * code->frame_bytes;
        warp->predicate = launch->predicates + (size_t)w * code->predicates;
    }
    return true;
}

bool ptx_launch_create(struct exec_code *code, struct loom_memory *memory,
                       const struct loom_launch_spec *spec,
                       struct exec_launch **result, struct loom_error *err)
{
    const struct loom_kernel_info *info = code->info;
    struct exec_launch *launch = calloc(1, sizeof(*launch));

    if (launch == NULL) {
        ptx_code_free(code);
        return loom_fail(err, LOOM_ERR_MEMORY, "no host memory for a launch");
    }
    launch->source.ops = &source_ops;
    launch->code = code;
    launch->memory = memory;
    launch->budget = EXEC_BUDGET;
    launch->param_bytes = info->param_bytes;
    launch->dynamic_shared = spec->dynamic_shared_bytes;
    launch->kernel = (struct loom_kernel){
        .name = info->name,
        .number = spec->number,
        .grid = spec->grid,
        .block = spec->block,
        .registers = spec->registers != 0 ? spec->registers : info->registers,
        .shared_bytes =
            (spec->dynamic_shared_bytes != 0 ? code->analysis->dynamic_offset
                                             : info->shared_bytes) +
            spec->dynamic_shared_bytes,
        .local_bytes = info->local_bytes,
        .inst = code->inst,
        .inst_count = code->inst_count,
        .loop = info->loop,
        .loop_count = info->loop_count,
        .text = info->text,
        .source = &launch->source,
    };
    launch->threads = (uint32_t)loom_dim3_count(spec->block);
    launch->warps = loom_kernel_warps(&launch->kernel);
    launch->all_threads =
        loom_dim3_count(spec->grid) * launch->warps * LOOM_WARP_LANES;
    if (!allocate(launch, spec->params)) {
        ptx_launch_destroy(launch);
        return loom_fail(err, LOOM_ERR_MEMORY,
                         "no host memory to launch kernel '%s'", info->name);
    }
    *result = launch;
    return true;
}

static void free_streams(struct exec_stream *s, uint32_t warps)
{
    while (s != NULL) {
        struct exec_stream *next = s->next;

        stream_free(s, warps);
        s = next;
    }
}

void ptx_launch_destroy(struct exec_launch *launch)
{
    if (launch == NULL) {
        return;
    }
    free_streams(launch->spare, launch->warps);
    free_streams(launch->out, launch->warps);
    ptx_code_free(launch->code);
    free(launch->params);
    free(launch->shared);
    free(launch->local);
    free(launch->frames);
    free(launch->predicates);
    free(launch->warp);
    free(launch->region);
    free(launch);
}
