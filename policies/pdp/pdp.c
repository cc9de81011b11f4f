/*
 * pdp: a line may not be replaced before so many accesses.
 *
 * Protecting distances (Duong et al., MICRO 2012) with a static distance d:
 * a line is protected when it is brought in, and at each hit if
 * `reset_on_hit`.  Its remaining distance falls by one with each later access
 * to its set (or to the whole cache); at 0 it may be replaced, so the d-th
 * access after it is the first that may take its way.  Whom to replace among
 * the unprotected is the replacement policy's matter; with none the access
 * goes around, or any line goes.
 *
 * The counters count to the same numbers as those of a clock that only
 * grows: a line keeps the clock's value at which it is free.
 *
 * A question may be asked again after a refusal, so what counts is events; a
 * verdict of BYPASS is final, so an access that finds no way counts there.
 */
#include <string.h>

#include "policies/lib/bypass.h"

struct pdp_config {
    uint32_t distance;
    const char *scope, *none;
    bool reset_on_hit;
    uint32_t fetch_bytes;
    bool merge;
};

struct pdp_stats {
    uint64_t protections, searches, spared_ways, bypasses, any;
    uint64_t hits_protected, hits_after, evictions, early_evictions;
    uint64_t protected_lines;
};

struct pdp {
    uint64_t *clock; /* [sets]; one for all with scope "cache" */
    uint64_t *free;  /* [sets * ways] clock at which the line is free */
    uint32_t sets, ways;
    uint32_t spared; /* ways taken off the search in hand */
    bool none;       /* it found no way */
    bool whole;      /* one clock for the cache */
    bool bypass;     /* where no way is left */
};

static bool pdp_init(struct loom_policy *self, struct loom_error *err)
{
    const struct pdp_config *config = loom_policy_config(self);
    struct pdp *p = loom_policy_state(self);

    (void)err;
    p->whole = strcmp(config->scope, "cache") == 0;
    p->bypass = strcmp(config->none, "bypass") == 0;
    return true;
}

static bool pdp_bind(struct loom_policy *self,
                     const struct loom_cache_shape *shape,
                     struct loom_error *err)
{
    struct pdp *p = loom_policy_state(self);
    size_t lines = (size_t)shape->sets * shape->ways;

    p->sets = shape->sets;
    p->ways = shape->ways;
    p->clock = loom_policy_alloc(self, shape->sets, sizeof(*p->clock));
    p->free = loom_policy_alloc(self, lines, sizeof(*p->free));
    return loom_policy_has_memory(self, err);
}

static uint64_t *clock_of(const struct pdp *p, uint32_t set)
{
    return &p->clock[p->whole ? 0 : set];
}

static uint64_t *free_of(const struct pdp *p, uint32_t set, uint32_t way)
{
    return &p->free[(size_t)set * p->ways + way];
}

/* For the access that asks: it counts itself. */
static void pdp_restrict(struct loom_policy *self,
                         const struct loom_mem_request *request, uint32_t set,
                         struct loom_ways *ways)
{
    struct pdp *p = loom_policy_state(self);
    uint64_t now = *clock_of(p, set) + 1;
    uint32_t kept = 0;

    (void)request;
    for (uint32_t i = 0; i < ways->count; i++) {
        if (*free_of(p, set, ways->way[i]) <= now) {
            ways->way[kept++] = ways->way[i];
        }
    }
    p->spared = ways->count - kept;
    p->none = false;
    ways->count = kept;
}

/* The search in hand has ended: it is not repeated. */
static void count_search(struct loom_policy *self)
{
    struct pdp *p = loom_policy_state(self);
    struct pdp_stats *stats = loom_policy_stats(self);

    stats->searches++;
    stats->spared_ways += p->spared;
    stats->any += p->none;
    p->spared = 0;
    p->none = false;
}

/* A reply that looks for its way (allocation on fill) was an access before. */
static bool is_fill(const struct loom_mem_request *request)
{
    return (request->flags & LOOM_MEM_REPLY) != 0;
}

static enum loom_no_candidate pdp_empty(struct loom_policy *self,
                                        const struct loom_mem_request *request,
                                        uint32_t set,
                                        struct loom_bypass *bypass)
{
    const struct pdp_config *config = loom_policy_config(self);
    struct pdp *p = loom_policy_state(self);
    struct pdp_stats *stats = loom_policy_stats(self);

    if (!p->bypass || (!is_fill(request) && !loom_bypass_load(request))) {
        p->none = true;
        return LOOM_EMPTY_ANY;
    }
    loom_bypass_set(bypass, config->fetch_bytes, config->merge);
    count_search(self);
    stats->bypasses++;
    if (!p->whole && !is_fill(request)) {
        ++*clock_of(p, set); /* the event will not know the set */
    }
    return LOOM_EMPTY_BYPASS;
}

static void protect(struct loom_policy *self, const struct loom_event *event)
{
    const struct pdp_config *config = loom_policy_config(self);
    const struct pdp *p = loom_policy_state(self);
    struct pdp_stats *stats = loom_policy_stats(self);

    *free_of(p, event->set, event->way) =
        *clock_of(p, event->set) + config->distance;
    stats->protections++;
}

static void note_hit(struct loom_policy *self, const struct loom_event *event)
{
    const struct pdp_config *config = loom_policy_config(self);
    const struct pdp *p = loom_policy_state(self);
    struct pdp_stats *stats = loom_policy_stats(self);

    /* The clock has counted this access. */
    if (*free_of(p, event->set, event->way) > *clock_of(p, event->set)) {
        stats->hits_protected++;
    } else {
        stats->hits_after++;
    }
    if (config->reset_on_hit) {
        protect(self, event);
    }
}

static void note_eviction(struct loom_policy *self,
                          const struct loom_event *event)
{
    const struct pdp *p = loom_policy_state(self);
    struct pdp_stats *stats = loom_policy_stats(self);
    uint64_t *free = free_of(p, event->set, event->way);

    stats->evictions++;
    stats->early_evictions += *free > *clock_of(p, event->set);
    *free = 0;
}

static void pdp_watch(struct loom_policy *self, const struct loom_event *event)
{
    const struct pdp *p = loom_policy_state(self);

    switch (event->kind) {
    case LOOM_EVENT_ACCESS:
        if (p->whole) {
            p->clock[0]++;
        } else if (event->set < p->sets) {
            p->clock[event->set]++;
        }
        break;
    case LOOM_EVENT_HIT:
    case LOOM_EVENT_PENDING_HIT:
        if (event->way < p->ways) {
            note_hit(self, event);
        }
        break;
    case LOOM_EVENT_ALLOCATE:
        count_search(self);
        protect(self, event);
        break;
    default:
        note_eviction(self, event);
        break;
    }
}

static void pdp_settle(struct loom_policy *self, loom_cycle now)
{
    const struct pdp *p = loom_policy_state(self);
    struct pdp_stats *stats = loom_policy_stats(self);

    (void)now;
    stats->protected_lines = 0;
    for (uint32_t set = 0; set < p->sets; set++) {
        for (uint32_t way = 0; way < p->ways; way++) {
            stats->protected_lines += *free_of(p, set, way) > *clock_of(p, set);
        }
    }
}

static bool pdp_check(struct loom_policy *self, struct loom_error *err)
{
    const struct pdp *p = loom_policy_state(self);
    const struct pdp_stats *s = loom_policy_stats(self);

    if (s->protected_lines > (uint64_t)p->sets * p->ways ||
        s->early_evictions > s->evictions ||
        s->bypasses + s->any > s->searches) {
        return loom_fail(err, LOOM_ERR_LAW,
                         "more lines are protected than there are, left early "
                         "than left, or searches failed than were made");
    }
    return true;
}

static const struct loom_candidates_ops pdp_candidates = {
    .bind = pdp_bind,
    .restrict_ways = pdp_restrict,
    .empty = pdp_empty,
};
static const struct loom_observe_ops pdp_observe = {
    .events = LOOM_EVENT(ACCESS) | LOOM_EVENT(HIT) | LOOM_EVENT(PENDING_HIT) |
              LOOM_EVENT(ALLOCATE) | LOOM_EVENT(EVICT),
    .observe = pdp_watch,
};

static void pdp_cost(const void *config, const struct loom_cost_shape *shape,
                     struct loom_cost *cost)
{
    const struct pdp_config *k = config;

    loom_cost_add(cost, "distance", (uint64_t)shape->sets * shape->ways,
                  loom_bits_for((uint64_t)k->distance + 1),
                  "Accesses until a line is free");
}

static const struct loom_param pdp_params[] = {
    LOOM_PARAM(struct pdp_config, distance, .unit = LOOM_UNIT_REQUEST,
               .def = {.u = 8}, .max = {.u = 1u << 20},
               .doc = "Accesses for which a line is protected; 0: none are"),
    LOOM_PARAM(struct pdp_config, scope, .def = {.s = "set"},
               .choices = LOOM_CHOICES("set", "cache"),
               .doc = "Whose accesses count: those of the line's set, or of "
                      "the whole cache",
               .source = "PDP, MICRO 2012; APCM (000) counts the cache's"),
    LOOM_PARAM(struct pdp_config, reset_on_hit, .def = {.b = true},
               .doc = "A hit protects the line anew",
               .source = "PDP, MICRO 2012; APCM (000): since it was allocated"),
    LOOM_PARAM(struct pdp_config, none, .def = {.s = "bypass"},
               .choices = LOOM_CHOICES("bypass", "any"),
               .doc = "Where all lines are protected, a load goes around, or "
                      "takes any line",
               .source = "PDP with bypass, MICRO 2012"),
    LOOM_BYPASS_PARAMS(struct pdp_config),
};

static const struct loom_stat pdp_stat_table[] = {
    LOOM_COUNTER(struct pdp_stats, protections, LOOM_UNIT_EVENT,
                 "Times a line was protected"),
    LOOM_GAUGE(struct pdp_stats, protected_lines, LOOM_UNIT_LINE,
               "Lines that are protected now"),
    LOOM_COUNTER(struct pdp_stats, searches, LOOM_UNIT_EVENT,
                 "Searches for a way, of accesses that then had one or went "
                 "around"),
    LOOM_COUNTER(struct pdp_stats, spared_ways, LOOM_UNIT_LINE,
                 "Ways that were left out of them as protected"),
    LOOM_COUNTER(struct pdp_stats, bypasses, LOOM_UNIT_REQUEST,
                 "Accesses that found all ways protected and went around"),
    LOOM_COUNTER(struct pdp_stats, any, LOOM_UNIT_EVENT,
                 "Searches that found all ways protected and took any"),
    LOOM_COUNTER(struct pdp_stats, hits_protected, LOOM_UNIT_REQUEST,
                 "Hits and pending hits on protected lines"),
    LOOM_COUNTER(struct pdp_stats, hits_after, LOOM_UNIT_REQUEST,
                 "Hits and pending hits on others"),
    LOOM_COUNTER(struct pdp_stats, evictions, LOOM_UNIT_LINE,
                 "Lines that left"),
    LOOM_COUNTER(struct pdp_stats, early_evictions, LOOM_UNIT_LINE,
                 "Of these, protected ones: written, flushed, or taken as any"),
};

const struct loom_policy_type pdp_policy = {
    .name = "pdp",
    .doc =
        "Protects lines for a static distance; loads without a way go around",
    .state_size = sizeof(struct pdp),
    .config_size = sizeof(struct pdp_config),
    .stats_size = sizeof(struct pdp_stats),
    .params = LOOM_SLICE(pdp_params),
    .stats = LOOM_SLICE(pdp_stat_table),
    .facets = LOOM_FACETS({&loom_candidates_hook, &pdp_candidates},
                          {&loom_cache_observe_hook, &pdp_observe}),
    .init = pdp_init,
    .settle = pdp_settle,
    .check = pdp_check,
    .joins = true,
    .cost = pdp_cost,
};
