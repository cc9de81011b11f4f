/*
 * A launch as a source of CTAs, and their streams
 * (workloads/streams/cta_pool.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/ptx/exec/call.h"
#include "workloads/ptx/exec/check.h"
#include "workloads/ptx/exec/order.h"
#include "workloads/ptx/exec/system.h"
#include "workloads/ptx/program_private.h"

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

/* A CTA waits for one that comes after it. */
static void note_wait(struct exec_launch *launch)
{
    struct loom_note *note = &launch->program->note;
    char text[320];

    note->count++;
    if (note->text == NULL) {
        snprintf(text, sizeof(text),
                 "kernel '%.64s': CTA %u waits for one that comes after it, so "
                 "from it on CTAs take turns of %u warp instructions: how "
                 "often they look, and so their time, is an approximation",
                 launch->kernel.name, launch->cta, EXEC_INTERLEAVE);
        note->text = strdup(text);
    }
}

/* What the timing model does not know of clusters. */
static void note_cluster(struct exec_launch *launch)
{
    struct loom_note *note = &launch->program->note;
    char text[320];

    if (loom_dim3_count(launch->cluster) == 1) {
        return;
    }
    note->count++;
    if (note->text == NULL) {
        snprintf(text, sizeof(text),
                 "kernel '%.64s' has clusters of %llu CTAs, which are executed "
                 "together but timed one by one: on SMs of their own, with "
                 "barriers that wait for the own CTA's warps, and each "
                 "other's shared memory as near as the own",
                 launch->kernel.name,
                 (unsigned long long)loom_dim3_count(launch->cluster));
        note->text = strdup(text);
    }
}

static bool produce(struct loom_cta_source *source, uint32_t cta,
                    struct loom_cta_stream **stream, struct loom_error *err)
{
    struct exec_launch *launch = (struct exec_launch *)source;
    struct loom_cta_slot *s;

    if (launch->timed) {
        return ptx_produce_part(launch, cta, stream, err);
    }
    if (launch->kernel.interleave != 0 ||
        loom_dim3_count(launch->cluster) > 1) {
        if ((launch->turn == NULL || launch->turn[cta] == NULL) &&
            !ptx_run_turns(launch, cta, err)) {
            return false;
        }
        *stream = &launch->turn[cta]->ctas.out->stream;
        return true;
    }
    s = ptx_cta_start(launch, cta);
    if (s == NULL) {
        return ptx_no_stream(launch, cta, err);
    }
    launch->later = launch->taken == cta && launch->races == NULL &&
                    cta + 1 < loom_dim3_count(launch->kernel.grid);
    if (!ptx_run_cta(launch, err)) {
        loom_cta_give(&launch->ctas, s);
        return false;
    }
    if (launch->waits) {
        note_wait(launch);
        if (!ptx_run_rest(launch, s, err)) {
            return false;
        }
        *stream = &launch->turn[cta]->ctas.out->stream;
        return true;
    }
    if (!ptx_cta_finish(launch, s, err)) {
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

    if (launch->turn != NULL && launch->turn[cta] != NULL) {
        ptx_cta_destroy(launch->turn[cta]);
        launch->turn[cta] = NULL;
    } else {
        loom_cta_give(&launch->ctas, (struct loom_cta_slot *)stream);
    }
}

static const struct loom_cta_source_ops source_ops = {
    .produce = produce,
    .release = release,
    .resume = ptx_resume,
};

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

static bool reads_special(const struct exec_code *code, uint32_t first,
                          uint32_t last)
{
    bool read = false;

    for (uint32_t i = 0; i < code->special_count; i++) {
        uint32_t what = code->special[i].what;

        read = read || (what >= first && what <= last);
    }
    return read;
}

static bool reads_reserved(const struct exec_code *code)
{
    return reads_special(code, LOOM_PTX_RESERVED_SMEM_BEGIN,
                         LOOM_PTX_RESERVED_SMEM_1);
}

/* Shared memory of a CTA, and behind it what a kernel that asks for it finds
 * reserved. */
static uint32_t shared_of(const struct exec_code *code,
                          const struct loom_launch_spec *spec)
{
    uint32_t bytes = spec->dynamic_shared_bytes;

    bytes +=
        bytes != 0 ? code->analysis->dynamic_offset : code->info->shared_bytes;
    if (reads_reserved(code)) {
        bytes = (bytes + EXEC_RESERVED_ALIGN - 1) / EXEC_RESERVED_ALIGN *
                    EXEC_RESERVED_ALIGN +
                EXEC_RESERVED_BYTES;
    }
    return bytes;
}

static struct loom_kernel kernel_of(const struct exec_code *code,
                                    const struct loom_launch_spec *spec)
{
    const struct loom_kernel_info *info = code->info;
    bool timed = spec->timed && info->reads_time &&
                 (spec->watch & LOOM_WATCH_RACES) == 0;

    return (struct loom_kernel){
        .name = info->name,
        .number = spec->number,
        .grid = spec->grid,
        .block = spec->block,
        .registers = spec->registers != 0 ? spec->registers : info->registers,
        .shared_bytes = shared_of(code, spec),
        .system_bytes = reads_reserved(code) ? EXEC_RESERVED_BYTES : 0,
        .local_bytes = info->local_bytes,
        .interleave = timed                   ? 0
                      : spec->interleave != 0 ? spec->interleave
                      : spec->cooperative     ? EXEC_INTERLEAVE
                                              : 0,
        .timed = timed,
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

    if (!reads_special(launch->code, LOOM_PTX_ENVREG0 + 1,
                       LOOM_PTX_ENVREG0 + 2)) {
        return true;
    }
    launch->owns_workspace =
        loom_memory_alloc(launch->memory, EXEC_WORKSPACE_BYTES,
                          EXEC_WORKSPACE_NAME, &launch->workspace, err);
    return launch->owns_workspace &&
           loom_memory_write(launch->memory, launch->workspace, zero,
                             sizeof(zero), err);
}

/* What it asks the system for, if it may. */
static bool make_system(struct exec_launch *launch)
{
    if (!ptx_launches(launch->code)) {
        return true;
    }
    launch->system = ptx_system_new();
    launch->kernel.children =
        launch->system != NULL ? &launch->system->children : NULL;
    return launch->system != NULL;
}

/* A warp's turn is not longer than its CTA's. */
static uint64_t turn_of(const struct exec_launch *launch,
                        const struct loom_launch_spec *spec)
{
    uint32_t turn = spec->turn != 0 ? spec->turn : EXEC_TURN;
    uint32_t interleave = launch->kernel.interleave;

    return interleave != 0 && interleave < turn ? interleave : turn;
}

struct loom_dim3 ptx_cluster_of(const struct loom_kernel_info *info,
                                const struct loom_launch_spec *spec)
{
    struct loom_dim3 c = spec->cluster.x != 0 ? spec->cluster : info->cluster;

    return (struct loom_dim3){c.x != 0 ? c.x : 1, c.y != 0 ? c.y : 1,
                              c.z != 0 ? c.z : 1};
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
    launch->cluster = ptx_cluster_of(code->info, spec);
    launch->explicit_cluster =
        spec->cluster.x != 0 || code->info->cluster.x != 0;
    note_cluster(launch);
    /* A cluster is executed as a whole: its clock counts, as without time. */
    launch->kernel.timed =
        launch->kernel.timed && loom_dim3_count(launch->cluster) == 1;
    launch->timed = launch->kernel.timed;
    launch->kernel.placed =
        spec->timed && reads_special(code, LOOM_PTX_SMID, LOOM_PTX_NSMID);
    launch->sms = spec->timed && spec->facts.sms != 0 ? spec->facts.sms : 1;
    launch->quantum = turn_of(launch, spec);
    launch->kernel.source = &launch->source;
    launch->threads = (uint32_t)loom_dim3_count(spec->block);
    launch->warps = loom_kernel_warps(&launch->kernel);
    launch->ctas.words = program->pool;
    launch->spare.pool = program->pool;
    launch->ctas.warps = launch->warps;
    launch->all_threads =
        loom_dim3_count(spec->grid) * launch->warps * LOOM_WARP_LANES;
    if (!make_system(launch) || !ptx_cta_allocate(launch, spec->params)) {
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
    ptx_system_free(launch);
    if (launch->owns_workspace) {
        struct loom_error err;

        LOOM_CHECK(loom_memory_free(launch->memory, launch->workspace, &err));
    }
    ptx_cta_destroy(launch);
}
