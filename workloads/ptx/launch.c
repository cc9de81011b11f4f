/*
 * A launch as a source of CTAs: its memory, the state of the CTA that is
 * being executed, and its streams (workloads/streams/cta_pool.h).
 *
 * Registers are zero at the start of each CTA, so that a program that reads
 * one before it is written repeats.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/ptx/exec/call.h"
#include "workloads/ptx/exec/check.h"
#include "workloads/ptx/exec/order.h"
#include "workloads/ptx/program_private.h"

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
    case LOOM_PTX_CLUSTERID_X: /* each CTA is a cluster of its own */
    case LOOM_PTX_CTAID_X:
        return launch->cta % grid.x;
    case LOOM_PTX_CLUSTERID_Y:
    case LOOM_PTX_CTAID_Y:
        return launch->cta / grid.x % grid.y;
    case LOOM_PTX_CLUSTERID_Z:
    case LOOM_PTX_CTAID_Z:
        return launch->cta / grid.x / grid.y;
    case LOOM_PTX_NCLUSTERID_X:
    case LOOM_PTX_NCTAID_X:
        return grid.x;
    case LOOM_PTX_NCLUSTERID_Y:
    case LOOM_PTX_NCTAID_Y:
        return grid.y;
    case LOOM_PTX_NCLUSTERID_Z:
    case LOOM_PTX_NCTAID_Z:
        return grid.z;
    case LOOM_PTX_WARPID:
        return warp->number;
    case LOOM_PTX_NWARPID:
        return launch->warps;
    case LOOM_PTX_CLUSTER_NCTAID_X:
    case LOOM_PTX_CLUSTER_NCTAID_Y:
    case LOOM_PTX_CLUSTER_NCTAID_Z:
    case LOOM_PTX_CLUSTER_NCTARANK:
    case LOOM_PTX_NSMID: /* the program sees a device of one SM, number 0 */
        return 1;
    case LOOM_PTX_GRIDID:
        return launch->kernel.number;
    case LOOM_PTX_DYNAMIC_SMEM_SIZE:
        return launch->dynamic_shared;
    case LOOM_PTX_AGGR_SMEM_SIZE:
    case LOOM_PTX_TOTAL_SMEM_SIZE:
        return launch->kernel.shared_bytes;
    case LOOM_PTX_ENVREG0 + 1: /* cooperative groups: of the workspace */
        return launch->workspace >> 32;
    case LOOM_PTX_ENVREG0 + 2:
        return launch->workspace & UINT32_MAX;
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
    warp->next = NULL;
    warp->merges = 0;
    warp->writer = writer;
    ptx_calls_reset(warp);
    warp->depth = 1;
    warp->path[0] = (struct exec_path){0, warp->threads, PTX_EXIT};
}

struct loom_cta_slot *ptx_cta_start(struct exec_launch *launch, uint32_t cta)
{
    struct loom_cta_slot *s = loom_cta_take(&launch->ctas);

    if (s == NULL) {
        return NULL;
    }
    launch->cta = cta;
    launch->look = 0;
    launch->total = 0;
    memset(launch->shared, 0, launch->kernel.shared_bytes);
    memset(launch->local, 0,
           (size_t)launch->code->local_bytes * launch->warps * LOOM_WARP_LANES);
    memset(launch->barrier, 0, sizeof(launch->barrier));
    /* Allocations may have come and gone since the last CTA. */
    memset(launch->region, 0, launch->code->op_count * sizeof(*launch->region));
    for (uint32_t w = 0; w < launch->warps; w++) {
        start_warp(launch, &launch->warp[w], &s->writer[w]);
    }
    ptx_order_start(launch);
    if (launch->races != NULL) {
        ptx_races_start(launch);
    }
    return s;
}

static bool no_stream(const struct exec_launch *launch, uint32_t cta,
                      struct loom_error *err)
{
    return loom_fail(err, LOOM_ERR_MEMORY,
                     "no host memory, and no room for a temporary file, for "
                     "the stream of CTA %u of kernel '%s'",
                     cta, launch->kernel.name);
}

bool ptx_cta_finish(struct exec_launch *launch, struct loom_cta_slot *s,
                    struct loom_error *err)
{
    struct exec_launch *whole = (struct exec_launch *)launch->kernel.source;
    uint64_t insts;

    for (uint32_t w = 0; w < launch->warps; w++) {
        if (s->writer[w].failed) {
            return no_stream(launch, launch->cta, err);
        }
    }
    insts = loom_cta_seal(&launch->ctas, s, &whole->kernel, launch->cta);
    if (launch->cta == 0) {
        whole->first_insts = insts;
    } else {
        whole->other_insts += insts;
    }
    return true;
}

/* A kernel that takes its work from a queue gives CTA 0 all of it. */
static void note_queue(struct exec_launch *launch)
{
    uint64_t ctas = loom_dim3_count(launch->kernel.grid);
    struct loom_note *note = &launch->program->note;
    char text[320];

    if (++launch->taken != ctas || ctas < 4 || launch->turn != NULL ||
        !ptx_takes_tickets(launch->code) ||
        launch->first_insts < launch->other_insts) {
        return;
    }
    note->count++;
    if (note->text == NULL) {
        snprintf(
            text, sizeof(text),
            "kernel '%.64s': CTA 0 executed %llu of %llu warp "
            "instructions and takes tickets by an atomic in a loop: if "
            "its CTAs share a work queue, launch it with interleave = "
            "%u, for CTAs are executed one after the other",
            launch->kernel.name, (unsigned long long)launch->first_insts,
            (unsigned long long)(launch->first_insts + launch->other_insts),
            EXEC_INTERLEAVE);
        note->text = strdup(text);
    }
}

static bool produce(struct loom_cta_source *source, uint32_t cta,
                    struct loom_cta_stream **stream, struct loom_error *err)
{
    struct exec_launch *launch = (struct exec_launch *)source;
    struct loom_cta_slot *s;

    if (launch->kernel.interleave != 0) {
        if (launch->turn == NULL && !ptx_run_turns(launch, err)) {
            return false;
        }
        *stream = &launch->turn[cta]->ctas.out->stream;
        return true;
    }
    s = ptx_cta_start(launch, cta);
    if (s == NULL) {
        return no_stream(launch, cta, err);
    }
    if (!ptx_run_cta(launch, err) || !ptx_cta_finish(launch, s, err)) {
        loom_cta_give(&launch->ctas, s);
        return false;
    }
    note_queue(launch);
    *stream = &s->stream;
    return true;
}

static void release(struct loom_cta_source *source,
                    struct loom_cta_stream *stream)
{
    struct exec_launch *launch = (struct exec_launch *)source;
    uint32_t cta = stream->cta;

    if (launch->turn != NULL) {
        ptx_launch_destroy(launch->turn[cta]);
        launch->turn[cta] = NULL;
    } else {
        loom_cta_give(&launch->ctas, (struct loom_cta_slot *)stream);
    }
}

static const struct loom_cta_source_ops source_ops = {produce, release};

static void *take(size_t count, size_t size)
{
    return calloc(count == 0 ? 1 : count, size);
}

bool ptx_cta_allocate(struct exec_launch *launch, const void *params)
{
    const struct exec_code *code = launch->code;
    uint32_t warps = launch->warps;

    launch->params = take(launch->param_bytes, 1);
    launch->shared = take(launch->kernel.shared_bytes, 1);
    launch->local =
        take((size_t)warps * LOOM_WARP_LANES, launch->code->local_bytes + 1u);
    launch->frames = take(warps, (size_t)code->frame_bytes + 1);
    launch->predicates =
        take((size_t)warps * (code->predicates + 1u), sizeof(uint32_t));
    launch->warp = take(warps, sizeof(*launch->warp));
    launch->due = take(warps, sizeof(*launch->due));
    launch->region = take(code->op_count, sizeof(*launch->region));
    if (launch->params == NULL || launch->shared == NULL ||
        launch->local == NULL || launch->frames == NULL ||
        launch->predicates == NULL || launch->warp == NULL ||
        launch->region == NULL || launch->due == NULL ||
        ((launch->watch & LOOM_WATCH_RACES) != 0 &&
         (launch->races = ptx_races_create(launch)) == NULL)) {
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

void ptx_cta_free(struct exec_launch *launch)
{
    ptx_calls_free(launch);
    free(launch->params);
    free(launch->shared);
    free(launch->local);
    free(launch->frames);
    free(launch->predicates);
    free(launch->warp);
    free(launch->region);
    free(launch->due);
    ptx_races_free(launch->races);
    launch->params = launch->shared = launch->local = launch->frames = NULL;
    launch->predicates = NULL;
    launch->warp = NULL;
    launch->region = NULL;
    launch->due = NULL;
    launch->races = NULL;
}

/* CTAs that take turns must all be on the machine at a time. */
static bool check_resident(const struct loom_launch_spec *spec,
                           struct loom_error *err)
{
    uint64_t ctas = loom_dim3_count(spec->grid);
    uint64_t room = (uint64_t)spec->facts.sms * spec->facts.resident_ctas;

    if (spec->facts.sms == 0 || ctas <= room) {
        return true;
    }
    return loom_fail(err, LOOM_ERR_WORKLOAD,
                     "kernel '%s': %llu CTAs that may wait for each other, "
                     "but the machine holds %llu at a time (%u on each of %u "
                     "SMs): launch fewer",
                     spec->kernel, (unsigned long long)ctas,
                     (unsigned long long)room, spec->facts.resident_ctas,
                     spec->facts.sms);
}

static struct loom_kernel kernel_of(const struct exec_code *code,
                                    const struct loom_launch_spec *spec)
{
    const struct loom_kernel_info *info = code->info;

    return (struct loom_kernel){
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
        .interleave = spec->interleave != 0 ? spec->interleave
                      : spec->cooperative   ? EXEC_INTERLEAVE
                                            : 0,
        .inst = code->inst,
        .inst_count = code->inst_count,
        .loop = info->loop,
        .loop_count = info->loop_count,
        .text = info->text,
    };
}

/* grid.sync() of CUDA's cooperative groups counts CTAs in a word of memory
 * that the driver provides for a cooperative launch. */
static bool make_workspace(struct exec_launch *launch, struct loom_error *err)
{
    const unsigned char zero[EXEC_WORKSPACE_BYTES] = {0};
    bool read = false;

    for (uint32_t i = 0; i < launch->code->special_count; i++) {
        uint32_t what = launch->code->special[i].what;

        read = read || what == LOOM_PTX_ENVREG0 + 1 ||
               what == LOOM_PTX_ENVREG0 + 2;
    }
    if (!read) {
        return true;
    }
    launch->owns_workspace =
        loom_memory_alloc(launch->memory, EXEC_WORKSPACE_BYTES,
                          EXEC_WORKSPACE_NAME, &launch->workspace, err);
    return launch->owns_workspace &&
           loom_memory_write(launch->memory, launch->workspace, zero,
                             sizeof(zero), err);
}

/* A warp's turn is not longer than its CTA's. */
static uint64_t turn_of(const struct exec_launch *launch,
                        const struct loom_launch_spec *spec)
{
    uint32_t turn = spec->turn != 0 ? spec->turn : EXEC_TURN;
    uint32_t interleave = launch->kernel.interleave;

    return interleave != 0 && interleave < turn ? interleave : turn;
}

bool ptx_launch_create(const struct exec_code *code,
                       struct loom_program *program,
                       const struct loom_launch_spec *spec,
                       struct exec_launch **result, struct loom_error *err)
{
    struct exec_launch *launch;

    if ((spec->cooperative || spec->interleave != 0) &&
        !check_resident(spec, err)) {
        return false;
    }
    launch = calloc(1, sizeof(*launch));
    if (launch == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no host memory for a launch");
    }
    launch->source.ops = &source_ops;
    launch->code = code;
    launch->program = program;
    launch->memory = program->memory;
    launch->watch = spec->watch;
    launch->heap = &program->heap;
    launch->heap->limit =
        spec->heap_bytes != 0 ? spec->heap_bytes : EXEC_HEAP_BYTES;
    launch->print = spec->print;
    launch->print_context = spec->print_context;
    launch->interrupt = spec->interrupt;
    launch->budget = spec->budget != 0 ? spec->budget : EXEC_BUDGET;
    launch->lap = EXEC_LAP;
    launch->param_bytes = code->info->param_bytes;
    launch->dynamic_shared = spec->dynamic_shared_bytes;
    launch->kernel = kernel_of(code, spec);
    launch->quantum = turn_of(launch, spec);
    launch->kernel.source = &launch->source;
    launch->threads = (uint32_t)loom_dim3_count(spec->block);
    launch->warps = loom_kernel_warps(&launch->kernel);
    launch->ctas.words = program->pool;
    launch->ctas.warps = launch->warps;
    launch->all_threads =
        loom_dim3_count(spec->grid) * launch->warps * LOOM_WARP_LANES;
    if (!ptx_cta_allocate(launch, spec->params)) {
        ptx_launch_destroy(launch);
        return loom_fail(err, LOOM_ERR_MEMORY,
                         "no host memory to launch kernel '%s'", spec->kernel);
    }
    if (spec->cooperative && !make_workspace(launch, err)) {
        ptx_launch_destroy(launch);
        return false;
    }
    *result = launch;
    return true;
}

void ptx_launch_destroy(struct exec_launch *launch)
{
    if (launch == NULL) {
        return;
    }
    ptx_turns_free(launch);
    loom_cta_pool_free(&launch->ctas);
    ptx_cta_free(launch);
    if (launch->owns_workspace) {
        struct loom_error err;

        LOOM_CHECK(loom_memory_free(launch->memory, launch->workspace, &err));
    }
    free(launch);
}
