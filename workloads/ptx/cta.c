/*
 * The state of the CTA that is being executed: its memory, its warps, its
 * stream.
 *
 * Registers are zero at the start of each CTA, so that a program that reads
 * one before it is written repeats.
 */
#include <stdlib.h>
#include <string.h>

#include "workloads/ptx/exec/call.h"
#include "workloads/ptx/exec/check.h"
#include "workloads/ptx/exec/cluster.h"
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

static uint64_t cluster_special(const struct exec_launch *launch, uint32_t what)
{
    struct loom_dim3 grid = launch->kernel.grid, c = launch->cluster;
    uint32_t cta = launch->cta;

    switch (what) {
    case LOOM_PTX_CLUSTERID_X:
        return cta % grid.x / c.x;
    case LOOM_PTX_CLUSTERID_Y:
        return cta / grid.x % grid.y / c.y;
    case LOOM_PTX_CLUSTERID_Z:
        return cta / grid.x / grid.y / c.z;
    case LOOM_PTX_NCLUSTERID_X:
        return grid.x / c.x;
    case LOOM_PTX_NCLUSTERID_Y:
        return grid.y / c.y;
    case LOOM_PTX_NCLUSTERID_Z:
        return grid.z / c.z;
    case LOOM_PTX_CLUSTER_CTAID_X:
        return cta % grid.x % c.x;
    case LOOM_PTX_CLUSTER_CTAID_Y:
        return cta / grid.x % grid.y % c.y;
    case LOOM_PTX_CLUSTER_CTAID_Z:
        return cta / grid.x / grid.y % c.z;
    case LOOM_PTX_CLUSTER_NCTAID_X:
        return c.x;
    case LOOM_PTX_CLUSTER_NCTAID_Y:
        return c.y;
    case LOOM_PTX_CLUSTER_NCTAID_Z:
        return c.z;
    case LOOM_PTX_CLUSTER_CTARANK:
        return ptx_cluster_rank(launch, cta);
    case LOOM_PTX_CLUSTER_NCTARANK:
        return loom_dim3_count(c);
    case LOOM_PTX_IS_EXPLICIT_CLUSTER:
        return launch->explicit_cluster;
    default:
        return 0;
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
    case LOOM_PTX_SMID:
        return launch->source.sm;
    case LOOM_PTX_NSMID:
        return launch->sms;
    case LOOM_PTX_GRIDID:
        return launch->kernel.number;
    case LOOM_PTX_DYNAMIC_SMEM_SIZE:
        return launch->dynamic_shared;
    case LOOM_PTX_AGGR_SMEM_SIZE:
        return launch->kernel.shared_bytes * loom_dim3_count(launch->cluster);
    case LOOM_PTX_TOTAL_SMEM_SIZE:
        return launch->kernel.shared_bytes - launch->kernel.system_bytes;
    case LOOM_PTX_RESERVED_SMEM_END:
        return launch->kernel.shared_bytes;
    case LOOM_PTX_RESERVED_SMEM_CAP:
        return launch->kernel.system_bytes;
    case LOOM_PTX_RESERVED_SMEM_BEGIN:
    case LOOM_PTX_RESERVED_SMEM_0:
        return launch->kernel.shared_bytes - launch->kernel.system_bytes;
    case LOOM_PTX_RESERVED_SMEM_1:
        return launch->kernel.shared_bytes - launch->kernel.system_bytes +
               EXEC_RESERVED_SECOND;
    case LOOM_PTX_ENVREG0 + 1: /* cooperative groups: of the workspace */
        return launch->workspace >> 32;
    case LOOM_PTX_ENVREG0 + 2:
        return launch->workspace & UINT32_MAX;
    case LOOM_PTX_WARP_SIZE:
        return LOOM_WARP_LANES;
    default:
        return cluster_special(launch, what);
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
    warp->ahead = 0;
    warp->reads = 0;
    warp->merges = 0;
    warp->polls = (struct exec_polls){.next = 0};
    warp->at_cluster = 0;
    warp->parked = false;
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
    ptx_cluster_start(launch);
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

bool ptx_no_stream(const struct exec_launch *launch, uint32_t cta,
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
        if (launch->code->analysis->schedule != NULL && !s->writer[w].failed) {
            ptx_time_stream(launch->code, &s->writer[w], &launch->spare);
        }
        if (s->writer[w].failed) {
            return ptx_no_stream(launch, launch->cta, err);
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
    loom_writer_free(&launch->spare);
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

void ptx_cta_destroy(struct exec_launch *launch)
{
    if (launch != NULL) {
        loom_cta_pool_free(&launch->ctas);
        ptx_parts_free(launch);
        ptx_cta_free(launch);
        free(launch);
    }
}
