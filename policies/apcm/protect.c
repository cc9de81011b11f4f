/*
 * Protection: the PSB, the lines' bits, and which ways may be replaced.
 *
 * A warp's entry in the PSB says that it protects lines and what ends that:
 * a load that completes, or a loop that the warp leaves.  A line is protected
 * as long as its bit is set and the entry of its warp is valid; the bit is
 * cleared when a search for a way finds it stale.
 *
 * With protection by distance (APCM-pN) a line is protected for so many
 * accesses from its allocation on, and the PSB is not used.
 */
#include "policies/apcm/apcm_private.h"

bool apcm_bind_cache(struct loom_policy *self,
                     const struct loom_cache_shape *shape,
                     struct loom_error *err)
{
    struct apcm *a = loom_policy_state(self);
    size_t lines = (size_t)shape->sets * shape->ways;

    a->sets = shape->sets;
    a->ways = shape->ways;
    a->line = loom_policy_alloc(self, lines, sizeof(*a->line));
    a->set_clock = loom_policy_alloc(self, shape->sets, sizeof(*a->set_clock));
    return loom_policy_has_memory(self, err);
}

bool apcm_bind_sm(struct loom_policy *self,
                  const struct loom_observe_shape *shape,
                  struct loom_error *err)
{
    struct apcm *a = loom_policy_state(self);

    a->warps = shape->warps;
    a->psb = loom_policy_alloc(self, shape->warps, sizeof(*a->psb));
    return loom_policy_has_memory(self, err);
}

static struct apcm_line *line_at(const struct apcm *a, uint32_t set,
                                 uint32_t way)
{
    return &a->line[(size_t)set * a->ways + way];
}

static uint64_t clock_of(const struct apcm *a, uint32_t set)
{
    return a->per_set ? a->set_clock[set] : a->clock;
}

bool apcm_protected(const struct apcm *a, const struct loom_policy *self,
                    uint32_t set, uint32_t way)
{
    const struct apcm_config *config = loom_policy_config(self);
    const struct apcm_line *line = line_at(a, set, way);
    const struct apcm_psb *psb = &a->psb[line->warp];

    if (!line->protect) {
        return false;
    }
    if (a->by_distance) {
        return clock_of(a, set) - line->stamp <= config->distance;
    }
    return psb->valid && psb->epoch == line->epoch;
}

/* ---- PSB ---- */

/* The loop whose exit ends the protection of a load, or LOOM_NO_LOOP: then
 * the warp's end does. */
static uint16_t loop_of(const struct apcm *a, uint32_t inst)
{
    uint16_t loop = a->kernel->inst[inst].loop;

    while (a->outermost && loop != LOOM_NO_LOOP &&
           a->kernel->loop[loop].parent != LOOM_NO_LOOP) {
        loop = a->kernel->loop[loop].parent;
    }
    return loop;
}

/* Does the warp protect lines of this load, from now on if it protects
 * none? */
static bool claim(struct loom_policy *self,
                  const struct loom_mem_request *request, uint32_t id)
{
    struct apcm *a = loom_policy_state(self);
    struct apcm_stats *stats = loom_policy_stats(self);
    const struct apcm_cait *c = &a->cait[id];
    struct apcm_psb *psb = &a->psb[request->warp];
    bool loops = c->last == id;

    if (!psb->valid) {
        psb->valid = true;
        psb->last = c->last;
        psb->load = id;
        psb->kernel = request->kernel;
        psb->loops = loops;
        psb->loop = loops ? loop_of(a, request->inst) : LOOM_NO_LOOP;
        stats->acquired++;
        return true;
    }
    return a->holder_is_load ? psb->load == id
                             : psb->last == c->last && psb->loops == loops;
}

void apcm_release(struct loom_policy *self, uint32_t warp,
                  enum apcm_release why)
{
    struct apcm *a = loom_policy_state(self);
    struct apcm_stats *stats = loom_policy_stats(self);
    struct apcm_psb *psb = &a->psb[warp];

    if (psb->valid) {
        psb->valid = false;
        psb->epoch = (psb->epoch + 1) & a->epoch_mask;
        stats->released[why]++;
    }
}

/* ---- lines ---- */

static void set_protection(struct apcm *a,
                           const struct loom_mem_request *request, uint32_t set,
                           uint32_t way)
{
    struct apcm_line *line = line_at(a, set, way);

    line->protect = true;
    line->warp = request->warp;
    line->epoch = a->psb[request->warp].epoch;
    line->stamp = clock_of(a, set);
}

static bool wants_protection(const struct apcm *a, uint32_t id)
{
    return a->protects && id != APCM_NO_ID && a->cait[id].valid &&
           a->cait[id].method == APCM_PROTECT;
}

static bool current(const struct apcm *a,
                    const struct loom_mem_request *request)
{
    return a->kernel != NULL && request->kernel == a->kernel->number &&
           apcm_manages(request) && request->warp < a->warps;
}

void apcm_allocated(struct loom_policy *self,
                    const struct loom_mem_request *request, uint32_t set,
                    uint32_t way)
{
    struct apcm *a = loom_policy_state(self);
    struct apcm_stats *stats = loom_policy_stats(self);
    uint32_t id;

    *line_at(a, set, way) = (struct apcm_line){.count = 1};
    if (!current(a, request)) {
        return;
    }
    id = apcm_find(a, request->inst);
    if (!wants_protection(a, id)) {
        return;
    }
    if (!a->by_distance && !claim(self, request, id)) {
        stats->psb_conflicts++;
        return;
    }
    set_protection(a, request, set, way);
    stats->protections++;
    apcm_count_row(&stats->load_protections, a->lat[id].row);
}

void apcm_touched(struct loom_policy *self,
                  const struct loom_mem_request *request, uint32_t id,
                  const struct loom_event *event)
{
    const struct apcm_config *config = loom_policy_config(self);
    struct apcm *a = loom_policy_state(self);
    struct apcm_stats *stats = loom_policy_stats(self);
    bool hit = apcm_hit_line(a, event);
    bool mine;

    if (hit && apcm_protected(a, self, event->set, event->way)) {
        stats->protected_hits++;
        if (a->by_distance && config->distance_reset) {
            line_at(a, event->set, event->way)->stamp = clock_of(a, event->set);
        }
    }
    if (!current(a, request) || !wants_protection(a, id)) {
        return;
    }
    mine = !a->by_distance && (a->set_on_access || config->protect_on_hit) &&
           (a->set_on_access || a->psb[request->warp].valid) &&
           claim(self, request, id);
    if (mine && hit && config->protect_on_hit &&
        !apcm_protected(a, self, event->set, event->way)) {
        set_protection(a, request, event->set, event->way);
        stats->protections++;
        apcm_count_row(&stats->load_protections, a->lat[id].row);
    }
}

void apcm_left(struct apcm *a, uint32_t set, uint32_t way)
{
    *line_at(a, set, way) = (struct apcm_line){0};
}

void apcm_unprotect_all(struct apcm *a)
{
    for (size_t i = 0; i < (size_t)a->sets * a->ways; i++) {
        a->line[i].protect = false;
    }
    for (uint32_t i = 0; i < a->warps; i++) {
        a->psb[i].valid = false;
    }
}

/* ---- ways ---- */

static void restrict_ways(struct loom_policy *self,
                          const struct loom_mem_request *request, uint32_t set,
                          struct loom_ways *ways)
{
    struct apcm *a = loom_policy_state(self);
    struct apcm_stats *stats = loom_policy_stats(self);
    uint32_t kept = 0;

    (void)request;
    for (uint32_t i = 0; i < ways->count; i++) {
        struct apcm_line *line = line_at(a, set, ways->way[i]);

        if (apcm_protected(a, self, set, ways->way[i])) {
            continue;
        }
        stats->unprotected += line->protect;
        line->protect = false;
        ways->way[kept++] = ways->way[i];
    }
    stats->spared_ways += ways->count - kept;
    ways->count = kept;
}

static enum loom_no_candidate empty(struct loom_policy *self,
                                    const struct loom_mem_request *request,
                                    uint32_t set, struct loom_bypass *bypass)
{
    const struct apcm_config *config = loom_policy_config(self);
    struct apcm *a = loom_policy_state(self);
    struct apcm_stats *stats = loom_policy_stats(self);
    uint32_t id;

    (void)set;
    stats->no_way++;
    if (current(a, request)) {
        id = apcm_find(a, request->inst);
        if (id != APCM_NO_ID) {
            apcm_count_row(&stats->load_no_way, a->lat[id].row);
        }
    }
    loom_bypass_set(bypass, config->fetch_bytes, config->merge);
    return LOOM_EMPTY_BYPASS;
}

const struct loom_candidates_ops apcm_candidates_ops = {
    .bind = apcm_bind_cache,
    .restrict_ways = restrict_ways,
    .empty = empty,
};
