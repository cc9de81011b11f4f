/*
 * The recency stack of each set: where a block is inserted, how far a hit
 * promotes it, and which positions may be replaced.
 */
#include <string.h>

#include "policies/dacache/dacache_private.h"

bool dacache_bind_stack(struct loom_policy *self,
                        const struct loom_cache_shape *shape,
                        struct loom_error *err)
{
    struct dacache *d = loom_policy_state(self);
    size_t lines = (size_t)shape->sets * shape->ways;

    if (d->stack != NULL) { /* a second facet of the same cache */
        return true;
    }
    d->host = shape->host;
    d->sets = shape->sets;
    d->ways = shape->ways;
    d->line_bytes = shape->line_bytes;
    d->stack = loom_policy_alloc(self, lines, sizeof(*d->stack));
    d->brought = loom_policy_alloc(self, lines, sizeof(*d->brought));
    loom_policy_array(self, &d->stats->insert_position, d->ways);
    if (!loom_policy_has_memory(self, err)) {
        return false;
    }
    for (size_t i = 0; i < lines; i++) {
        d->stack[i] = (uint16_t)(i % d->ways);
        d->brought[i] = LOOM_NO_ROW;
    }
    dacache_start(d);
    return true;
}

static uint32_t position_of(const uint16_t *stack, uint32_t way)
{
    uint32_t position = 0;

    while (stack[position] != way) {
        position++;
    }
    return position;
}

/* Takes `way` out and puts it in at `to`; those in between move by one. */
static void move(const struct dacache *d, uint32_t set, uint32_t way,
                 uint32_t to)
{
    uint16_t *stack = d->stack + (size_t)set * d->ways;
    uint32_t from = position_of(stack, way);

    if (from > to) {
        memmove(stack + to + 1, stack + to, (from - to) * sizeof(*stack));
    } else {
        memmove(stack + from, stack + from + 1, (to - from) * sizeof(*stack));
    }
    stack[to] = (uint16_t)way;
}

/* ---- insertion ---- */

/* Equation 1. */
static uint32_t gauge(const struct dacache *d, uint32_t rank)
{
    uint64_t prio = rank / d->schedulers;
    uint64_t way = prio * d->schedulers * d->config->width / d->sets;

    return way < d->ways - 1 ? (uint32_t)way : d->ways - 1;
}

/* Under static partitioning a warp is a thrashing one from the priority
 * (p + 1) / N_sched on; dynamic partitioning counts warps of the SM. */
static bool locality_warp(const struct dacache *d,
                          const struct loom_mem_request *request)
{
    if (d->dynamic) {
        return request->rank < d->fcw;
    }
    return request->rank / d->schedulers * d->schedulers < d->region;
}

/* Position, and at which end of the stack or between that counts. */
static uint32_t insertion(struct dacache *d,
                          const struct loom_mem_request *request,
                          enum dacache_end *end)
{
    enum dacache_class class = dacache_class_of(d, request);

    *end = DACACHE_MRU;
    if (class == DACACHE_NARROW || request->kind != LOOM_MEM_LOAD) {
        return 0;
    }
    if (class == DACACHE_COHERENT && d->config->coherent_first) {
        if (d->config->profiled &&
            dacache_streams(d, dacache_row(d, request))) {
            *end = DACACHE_LRU;
            return d->ways - 1;
        }
        return 0;
    }
    if (!locality_warp(d, request)) {
        *end = DACACHE_LRU;
        return d->ways - 1;
    }
    *end = DACACHE_GAUGED;
    return d->config->gauged ? gauge(d, request->rank) : 0;
}

static void count_insertion(struct dacache *d,
                            const struct loom_mem_request *request,
                            uint32_t position, enum dacache_end end)
{
    uint32_t row = dacache_row(d, request);

    d->stats->insertions[end]++;
    d->stats->insert_position.item[position]++;
    if (row != LOOM_NO_ROW) {
        const struct loom_array *counts[] = {
            &d->stats->load_mru, &d->stats->load_gauged, &d->stats->load_lru};

        counts[end]->item[row]++;
        d->stats->load_positions.item[row] += position;
    }
}

static void inserted(struct loom_policy *self,
                     const struct loom_mem_request *request, uint32_t set,
                     uint32_t way)
{
    struct dacache *d = loom_policy_state(self);
    uint32_t *brought = &d->brought[(size_t)set * d->ways + way];
    enum dacache_end end;
    uint32_t position = insertion(d, request, &end);

    move(d, set, way, position);
    count_insertion(d, request, position, end);
    *brought = LOOM_NO_ROW;
    if (request->kind == LOOM_MEM_LOAD &&
        request->rank < d->config->sampled_warps &&
        dacache_class_of(d, request) == DACACHE_COHERENT) {
        *brought = dacache_row(d, request);
    }
}

/* ---- promotion ---- */

static void hit(struct loom_policy *self,
                const struct loom_mem_request *request, uint32_t set,
                uint32_t way)
{
    struct dacache *d = loom_policy_state(self);
    uint32_t from = position_of(d->stack + (size_t)set * d->ways, way);
    uint32_t by = d->config->promotion == 0 ? d->ways : d->config->promotion;

    (void)request;
    move(d, set, way, from > by ? from - by : 0);
    d->stats->promotions += from != 0;
}

static void invalidated(struct loom_policy *self, uint32_t set, uint32_t way)
{
    struct dacache *d = loom_policy_state(self);

    d->brought[(size_t)set * d->ways + way] = LOOM_NO_ROW;
    move(d, set, way, d->ways - 1);
}

/* ---- replacement ---- */

static uint32_t victim(struct loom_policy *self,
                       const struct loom_mem_request *request, uint32_t set,
                       const struct loom_ways *ways)
{
    const struct dacache *d = loom_policy_state(self);
    const uint16_t *stack = d->stack + (size_t)set * d->ways;
    uint32_t best = ways->way[0], last = 0;

    (void)request;
    for (uint32_t i = 0; i < ways->count; i++) {
        uint32_t position = position_of(stack, ways->way[i]);

        if (position >= last) {
            last = position;
            best = ways->way[i];
        }
    }
    return best;
}

/* Only what lies in the thrashing region, or is empty, may be replaced. */
static void restrict_ways(struct loom_policy *self,
                          const struct loom_mem_request *request, uint32_t set,
                          struct loom_ways *ways)
{
    struct dacache *d = loom_policy_state(self);
    const uint16_t *stack = d->stack + (size_t)set * d->ways;
    uint32_t kept = 0;

    if (d->constraint == DACACHE_OFF || request->kind != LOOM_MEM_LOAD) {
        return;
    }
    for (uint32_t i = 0; i < ways->count; i++) {
        uint32_t way = ways->way[i];

        if (position_of(stack, way) >= d->region ||
            !d->host->valid(d->host->cache, set, way)) {
            ways->way[kept++] = (uint16_t)way;
        }
    }
    ways->count = kept;
}

static void go_around(struct dacache *d, const struct loom_mem_request *request,
                      struct loom_bypass *bypass)
{
    uint32_t row = dacache_row(d, request);

    /* The segments that it needs, whatever its size. */
    bypass->size_bytes = LOOM_SECTOR_BYTES;
    loom_bypass_set(bypass, d->config->fetch_bytes, d->config->merge);
    d->stats->constrained_bypasses++;
    if (row != LOOM_NO_ROW) {
        d->stats->load_bypasses.item[row]++;
    }
}

static enum loom_no_candidate empty(struct loom_policy *self,
                                    const struct loom_mem_request *request,
                                    uint32_t set, struct loom_bypass *bypass)
{
    struct dacache *d = loom_policy_state(self);

    (void)set;
    if (d->constraint == DACACHE_STALL) {
        d->stats->constrained_stalls++;
        return LOOM_EMPTY_STALL;
    }
    go_around(d, request, bypass);
    return LOOM_EMPTY_BYPASS;
}

/* A set whose ways are all reserved has no replaceable line either. */
static enum loom_on_fail fail(struct loom_policy *self,
                              const struct loom_mem_request *request,
                              enum loom_fail_reason reason,
                              struct loom_bypass *bypass)
{
    struct dacache *d = loom_policy_state(self);

    if (d->constraint != DACACHE_BYPASS || reason != LOOM_FAIL_LINE ||
        request->kind != LOOM_MEM_LOAD) {
        return LOOM_FAIL_DEFAULT;
    }
    go_around(d, request, bypass);
    return LOOM_FAIL_BYPASS;
}

const struct loom_replacement_ops dacache_replacement = {
    .bind = dacache_bind_stack,
    .victim = victim,
    .inserted = inserted,
    .hit = hit,
    .invalidated = invalidated,
};

const struct loom_allocation_ops dacache_allocation = {
    .bind = dacache_bind_stack,
    .fail = fail,
};

const struct loom_candidates_ops dacache_candidates = {
    .bind = dacache_bind_stack,
    .restrict_ways = restrict_ways,
    .empty = empty,
};
