/*
 * Clusters.
 *
 * A barrier counts warps, as those of a CTA do: a warp has arrived when some
 * of its lanes have.  Whoever waits looks again when it is its turn, and
 * leaves no record until all have come.
 *
 * Invariant: group->arrived are the running warps whose at_cluster is
 * group->phase + 1.
 */
#include "workloads/ptx/exec/cluster.h"

void ptx_cluster_start(struct exec_launch *launch)
{
    launch->alone = (struct exec_cluster){.ctas = 1};
    launch->alone.cta[0] = launch;
    launch->group = &launch->alone;
    launch->rank = ptx_cluster_rank(launch, launch->cta);
}

uint32_t ptx_cluster_rank(const struct exec_launch *launch, uint32_t cta)
{
    struct loom_dim3 grid = launch->kernel.grid, c = launch->cluster;
    uint32_t x = cta % grid.x, y = cta / grid.x % grid.y,
             z = cta / grid.x / grid.y;

    return (z % c.z * c.y + y % c.y) * c.x + x % c.x;
}

uint32_t ptx_cluster_cta(const struct exec_launch *launch, uint32_t cta,
                         uint32_t rank)
{
    struct loom_dim3 grid = launch->kernel.grid, c = launch->cluster;
    uint32_t x = cta % grid.x / c.x * c.x + rank % c.x;
    uint32_t y = cta / grid.x % grid.y / c.y * c.y + rank / c.x % c.y;
    uint32_t z = cta / grid.x / grid.y / c.z * c.z + rank / c.x / c.y;

    return (z * grid.y + y) * grid.x + x;
}

static uint32_t warps_of(const struct exec_launch *launch)
{
    return launch->group->ctas * launch->warps;
}

static void try_release(struct exec_launch *launch)
{
    struct exec_cluster *group = launch->group;

    if (group->arrived == 0 ||
        group->arrived + group->gone < warps_of(launch)) {
        return;
    }
    group->arrived = 0;
    group->phase++;
    for (uint32_t i = 0; i < group->ctas; i++) {
        group->cta[i]->moved = group->cta[i]->total;
    }
}

static bool waits(const struct exec_launch *launch,
                  const struct exec_warp *warp)
{
    return warp->at_cluster == launch->group->phase + 1;
}

bool ptx_cluster_arrive(struct exec_launch *launch, struct exec_warp *warp,
                        const struct exec_op *op)
{
    if (op->how.mode == 0) {
        warp->parked = waits(launch, warp);
        return !warp->parked;
    }
    if (!waits(launch, warp)) {
        warp->at_cluster = launch->group->phase + 1;
        launch->group->arrived++;
        try_release(launch);
    }
    return true;
}

void ptx_cluster_leave(struct exec_launch *launch)
{
    launch->group->gone++;
    try_release(launch);
}

bool ptx_cluster_stuck(const struct exec_launch *launch)
{
    const struct exec_cluster *group = launch->group;
    const struct exec_launch *of = NULL;
    const struct exec_warp *first = NULL;

    for (uint32_t i = 0; i < group->ctas; i++) {
        const struct exec_launch *one = group->cta[i];

        for (uint32_t w = 0; one->warp != NULL && w < one->warps; w++) {
            const struct exec_warp *warp = &one->warp[w];
            bool parked = warp->parked && waits(one, warp);

            if (warp->state == EXEC_RUNS && !parked) {
                return false;
            }
            if (warp->state == EXEC_RUNS && first == NULL) {
                first = warp;
                of = one;
            }
        }
    }
    if (first == NULL) {
        return false;
    }
    ptx_fault(of, first, &of->code->op[first->path[first->depth - 1].pc],
              "deadlock at the cluster's barrier: %u of %u warps have arrived, "
              "%u have exited, the others wait for something else",
              group->arrived, warps_of(launch), group->gone);
    return true;
}

unsigned char *ptx_cluster_at(const struct exec_launch *launch,
                              uint64_t address, uint64_t *bytes)
{
    uint64_t at = address & EXEC_RANK_MASK, tag = address >> EXEC_RANK_AT;
    const struct exec_launch *of = launch;

    if (tag > launch->group->ctas) {
        return NULL;
    }
    of = tag != 0 ? launch->group->cta[tag - 1] : launch;
    if (of->shared == NULL || at >= of->kernel.shared_bytes) {
        return NULL;
    }
    *bytes = of->kernel.shared_bytes - at;
    return of->shared + at;
}

bool ptx_cluster_locate(const struct exec_launch *launch,
                        struct exec_access *access, uint32_t *lane)
{
    for (uint32_t l = 0; l < LOOM_WARP_LANES; l++) {
        uint64_t bytes = 0;

        access->host[l] = ptx_cluster_at(launch, access->address[l], &bytes);
        if (access->host[l] == NULL || bytes < access->bytes) {
            *lane = l;
            return false;
        }
    }
    for (uint32_t l = 0; l < LOOM_WARP_LANES; l++) {
        access->address[l] &= EXEC_RANK_MASK;
    }
    return true;
}
