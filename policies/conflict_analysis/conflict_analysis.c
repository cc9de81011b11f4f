/*
 * conflict_analysis: why loads miss in a cache (observes only).
 *
 * Figure 4 of DaCache (003).  A miss to a block that was never asked for is
 * cold.  A block that was replaced left for the sake of an access of the warp
 * that had brought it (intra-warp conflict) or of another one (inter-warp);
 * the next miss to it is of that kind.  Blocks that left otherwise, or never
 * had a line, have kinds of their own.
 *
 * Blocks are remembered in a hash table of `blocks` places; the accesses to
 * blocks that find none are counted as unknown.
 */
#include "policies/cache_hook.h"
#include "policies/lib/launch_list.h"
#include "policies/lib/load_table.h"

#define PROBES 16 /* places that a block may have */

struct conflict_analysis_config {
    uint32_t blocks, load_rows;
    struct loom_list launches;
};

enum kind {
    COLD,
    INTRA,
    INTER,
    WRITTEN,
    FLUSHED,
    UNALLOCATED, /* known, but no line of it has left */
    UNKNOWN,
    KINDS
};

struct conflict_analysis_stats {
    uint64_t loads, hits, pending_hits, bypasses, misses[KINDS];
    uint64_t intra_evictions, inter_evictions, remembered;
    struct loom_load_ids load;
    struct loom_array load_misses[INTER + 1]; /* cold and of conflicts */
};

struct block {
    loom_addr name; /* block | 1; 0: free */
    uint8_t kind;   /* of its next miss */
};

struct conflict_analysis {
    struct block *block; /* [blocks] */
    uint64_t *warp;      /* [sets * ways] who brought the line */
    uint32_t ways, shift;
    struct loom_load_table table;
};

static bool conflict_init(struct loom_policy *self, struct loom_error *err)
{
    const struct conflict_analysis_config *config = loom_policy_config(self);
    struct conflict_analysis *c = loom_policy_state(self);
    struct conflict_analysis_stats *s = loom_policy_stats(self);

    c->shift = 64 - loom_log2(config->blocks);
    c->block = loom_policy_alloc(self, config->blocks, sizeof(*c->block));
    loom_load_ids_init(&s->load, self, config->load_rows);
    for (uint32_t i = 0; i < LOOM_COUNTOF(s->load_misses); i++) {
        loom_policy_array(self, &s->load_misses[i], config->load_rows);
    }
    return loom_load_table_init(&c->table, self, config->load_rows, err);
}

static void conflict_given(struct loom_policy *self, const void *work,
                           uint32_t kind)
{
    struct conflict_analysis *c = loom_policy_state(self);
    struct conflict_analysis_stats *s = loom_policy_stats(self);

    loom_load_table_given(&c->table, work, kind);
    loom_load_ids_publish(&s->load, &c->table);
}

static bool conflict_bind(struct loom_policy *self,
                          const struct loom_observe_shape *shape,
                          struct loom_error *err)
{
    struct conflict_analysis *c = loom_policy_state(self);
    size_t lines = (size_t)shape->sets * shape->ways;

    c->ways = shape->ways;
    c->warp = loom_policy_alloc(self, lines, sizeof(*c->warp));
    return loom_policy_has_memory(self, err);
}

static uint64_t warp_of(const struct loom_mem_request *r)
{
    return (uint64_t)r->kernel << 48 | (uint64_t)r->cta << 16 | r->warp;
}

/* The block's record; a new one is COLD.  NULL: there is no place. */
static struct block *find(struct loom_policy *self, loom_addr address)
{
    const struct conflict_analysis_config *config = loom_policy_config(self);
    struct conflict_analysis *c = loom_policy_state(self);
    struct conflict_analysis_stats *s = loom_policy_stats(self);
    uint64_t at = (address >> 5) * UINT64_C(0x9E3779B97F4A7C15) >> c->shift;

    for (uint32_t i = 0; i < PROBES; i++) {
        struct block *b = &c->block[(at + i) & (config->blocks - 1)];

        if (b->name == (address | 1)) {
            return b;
        }
        if (b->name == 0) {
            *b = (struct block){address | 1, COLD};
            s->remembered++;
            return b;
        }
    }
    return NULL;
}

static void note_eviction(struct loom_policy *self,
                          const struct loom_event *event)
{
    struct conflict_analysis *c = loom_policy_state(self);
    struct conflict_analysis_stats *s = loom_policy_stats(self);
    uint64_t owner = c->warp[(size_t)event->set * c->ways + event->way];
    struct block *b = find(self, event->block);
    enum kind kind = event->reason == LOOM_EVICT_WRITE   ? WRITTEN
                     : event->reason == LOOM_EVICT_FLUSH ? FLUSHED
                     : owner == warp_of(event->request)  ? INTRA
                                                         : INTER;

    s->intra_evictions += kind == INTRA;
    s->inter_evictions += kind == INTER;
    if (b != NULL) {
        b->kind = (uint8_t)kind;
    }
}

static void count_by_load(struct loom_policy *self,
                          const struct loom_mem_request *request,
                          enum kind kind)
{
    struct conflict_analysis *c = loom_policy_state(self);
    struct conflict_analysis_stats *s = loom_policy_stats(self);
    uint32_t row = loom_load_ids_row(&s->load, &c->table, request);

    if (row != LOOM_NO_ROW && kind < LOOM_COUNTOF(s->load_misses)) {
        s->load_misses[kind].item[row]++;
    }
}

static void note_miss(struct loom_policy *self, const struct loom_event *event,
                      bool listed)
{
    struct conflict_analysis_stats *s = loom_policy_stats(self);
    struct block *b = find(self, event->block);
    enum kind kind = b == NULL ? UNKNOWN : (enum kind)b->kind;

    if (listed) {
        s->misses[kind]++;
        count_by_load(self, event->request, kind);
    }
    if (b != NULL) {
        b->kind = UNALLOCATED;
    }
}

static void conflict_watch(struct loom_policy *self,
                           const struct loom_event *event)
{
    const struct conflict_analysis_config *config = loom_policy_config(self);
    struct conflict_analysis *c = loom_policy_state(self);
    struct conflict_analysis_stats *s = loom_policy_stats(self);
    bool listed = loom_launch_listed(&config->launches, event->request->kernel);

    if (event->kind == LOOM_EVENT_EVICT) {
        note_eviction(self, event);
        return;
    }
    if (event->kind == LOOM_EVENT_ALLOCATE) {
        c->warp[(size_t)event->set * c->ways + event->way] =
            warp_of(event->request);
        return;
    }
    if (event->request->kind != LOOM_MEM_LOAD) {
        return;
    }
    s->loads += listed;
    s->hits += listed && event->kind == LOOM_EVENT_HIT;
    s->pending_hits += listed && event->kind == LOOM_EVENT_PENDING_HIT;
    s->bypasses += listed && event->kind == LOOM_EVENT_BYPASS;
    if (event->kind == LOOM_EVENT_MISS) {
        note_miss(self, event, listed);
    }
}

static bool conflict_check(struct loom_policy *self, struct loom_error *err)
{
    const struct conflict_analysis_stats *s = loom_policy_stats(self);
    uint64_t all = s->hits + s->pending_hits + s->bypasses;

    for (uint32_t i = 0; i < KINDS; i++) {
        all += s->misses[i];
    }
    if (all != s->loads) {
        return loom_fail(err, LOOM_ERR_LAW, "%llu loads have %llu outcomes",
                         (unsigned long long)s->loads, (unsigned long long)all);
    }
    return true;
}

static const struct loom_observe_ops conflict_observe = {
    .events = LOOM_EVENT(HIT) | LOOM_EVENT(PENDING_HIT) | LOOM_EVENT(MISS) |
              LOOM_EVENT(BYPASS) | LOOM_EVENT(ALLOCATE) | LOOM_EVENT(EVICT),
    .bind = conflict_bind,
    .observe = conflict_watch,
};

static const char *const kind_keys[KINDS] = {
    "cold",    "intra_warp",  "inter_warp", "written",
    "flushed", "unallocated", "unknown"};

static const struct loom_param conflict_params[] = {
    LOOM_PARAM(struct conflict_analysis_config, blocks, .unit = LOOM_UNIT_LINE,
               .def = {.u = 1u << 16}, .min = {.u = 64}, .max = {.u = 1u << 28},
               .power_of_2 = true,
               .doc = "Places for blocks that were asked for"),
    LOOM_PARAM(struct conflict_analysis_config, load_rows, .def = {.u = 512},
               .min = {.u = 1}, .max = {.u = 1u << 20},
               .doc = "Rows of the tables of loads"),
    LOOM_LAUNCHES_PARAM(struct conflict_analysis_config),
};

#define BY_LOAD(name_, kind, doc_)                                             \
    LOOM_LOAD_ID(struct conflict_analysis_stats, name_, load_misses[kind],     \
                 REQUEST, doc_)

static const struct loom_stat conflict_stat_table[] = {
    LOOM_COUNTER(struct conflict_analysis_stats, loads, LOOM_UNIT_REQUEST,
                 "Accesses of loads"),
    LOOM_COUNTER(struct conflict_analysis_stats, hits, LOOM_UNIT_REQUEST,
                 "Of these, hits"),
    LOOM_COUNTER(struct conflict_analysis_stats, pending_hits,
                 LOOM_UNIT_REQUEST, "Of these, to data on its way"),
    LOOM_COUNTER(struct conflict_analysis_stats, bypasses, LOOM_UNIT_REQUEST,
                 "Of these, sent around"),
    LOOM_VECTOR(struct conflict_analysis_stats, misses, "kind", kind_keys,
                LOOM_UNIT_REQUEST, "Misses by what became of the block"),
    LOOM_COUNTER(struct conflict_analysis_stats, intra_evictions,
                 LOOM_UNIT_LINE,
                 "Lines replaced for the warp that had brought "
                 "them"),
    LOOM_COUNTER(struct conflict_analysis_stats, inter_evictions,
                 LOOM_UNIT_LINE, "Lines replaced for another warp"),
    LOOM_COUNTER(struct conflict_analysis_stats, remembered, LOOM_UNIT_LINE,
                 "Blocks in the table"),
    LOOM_LOAD_IDS(struct conflict_analysis_stats, load),
    BY_LOAD("load_cold", COLD, "Its cold misses"),
    BY_LOAD("load_intra", INTRA, "Its misses after intra-warp conflicts"),
    BY_LOAD("load_inter", INTER, "Its misses after inter-warp conflicts"),
};

const struct loom_policy_type conflict_analysis_policy = {
    .name = "conflict_analysis",
    .doc = "Observes why loads miss: cold, or after conflicts within or "
           "between warps",
    .state_size = sizeof(struct conflict_analysis),
    .config_size = sizeof(struct conflict_analysis_config),
    .stats_size = sizeof(struct conflict_analysis_stats),
    .params = LOOM_SLICE(conflict_params),
    .stats = LOOM_SLICE(conflict_stat_table),
    .facets = LOOM_FACETS({&loom_cache_observe_hook, &conflict_observe}),
    .init = conflict_init,
    .given = conflict_given,
    .check = conflict_check,
    .cost = loom_cost_none,
};
