/*
 * locality_cache: a cache without time that asks a replacement policy the
 * questions of policies/cache_hook.h.
 *
 * Every load that misses gets its line at once, so there are no pending hits
 * and no reserved ways; a store or an atomic evicts its line and allocates
 * none.  Lines have 128 bytes.  As in the timed cache an invalid way is taken
 * first, the highest one.
 *
 * The accesses do not depend on what hits.  So they can be known in advance,
 * and a policy that needs the future can be told it (host->next_use): then
 * whoever gives the commands has seen all of them before.
 */
#include "engine/component.h"

#include "components/locality_protocol.h"
#include "policies/cache_hook.h"

#define NO_WAY UINT32_MAX

struct lcache_config {
    uint32_t size_bytes;
    uint32_t ways;
};

struct lcache_stats {
    uint64_t accesses;
    uint64_t hits;
    uint64_t misses;
    uint64_t evictions;
    uint64_t write_evictions;
};

struct lcache {
    struct lcache_stats *stats;
    const struct loom_replacement_ops *replacement;
    struct loom_policy *replacement_self;
    const struct loom_set_index_ops *index;
    struct loom_policy *index_self;
    uint32_t sets, ways;
    loom_addr *tag; /* [sets * ways] the block's address + 1; 0: invalid */
    uint64_t *next; /* [sets * ways] when it is loaded next */
    uint16_t *list; /* [ways] of candidates */
    struct loom_cache_host host;
};

static size_t line_at(const struct lcache *c, uint32_t set, uint32_t way)
{
    return (size_t)set * c->ways + way;
}

/* ---- what the policy may ask ---- */

static bool lcache_query(void *cache, const struct loom_mem_request *request)
{
    (void)cache;
    (void)request;
    return false; /* nobody is below */
}

static bool lcache_reserved(void *cache, uint32_t set, uint32_t way)
{
    (void)cache;
    (void)set;
    (void)way;
    return false;
}

static bool lcache_valid(void *cache, uint32_t set, uint32_t way)
{
    const struct lcache *c = cache;

    return c->tag[line_at(c, set, way)] != 0;
}

static loom_addr lcache_block(void *cache, uint32_t set, uint32_t way)
{
    const struct lcache *c = cache;

    return c->tag[line_at(c, set, way)] - 1;
}

static uint32_t lcache_rank(void *cache, uint32_t warp)
{
    (void)cache;
    (void)warp;
    return 0;
}

static uint64_t lcache_next_use(void *cache, uint32_t set, uint32_t way)
{
    const struct lcache *c = cache;

    return c->next[line_at(c, set, way)];
}

/* ---- life ---- */

static bool lcache_validate(const void *untyped, struct loom_error *err)
{
    const struct lcache_config *config = untyped;

    if (config->size_bytes % (config->ways * LOOM_BLOCK_BYTES) != 0) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'size_bytes' is %u, expected a multiple of "
                         "%u: 'ways' lines of 128 bytes",
                         config->size_bytes, config->ways * LOOM_BLOCK_BYTES);
    }
    return true;
}

static bool bind_policies(struct lcache *c, struct loom_component *self,
                          struct loom_error *err)
{
    struct loom_binding replacement = loom_slot(self, "replacement");
    struct loom_binding index = loom_slot(self, "set_index");
    struct loom_cache_shape shape = {
        .host = &c->host,
        .sm = loom_component_index(self),
        .sets = c->sets,
        .ways = c->ways,
        .line_bytes = LOOM_BLOCK_BYTES,
        .sector_bytes = LOOM_BLOCK_BYTES,
        .level = LOOM_LEVEL_L1,
    };

    c->replacement = replacement.item[0].ops;
    c->replacement_self = replacement.item[0].policy;
    c->index = index.item[0].ops;
    c->index_self = index.item[0].policy;
    return (c->replacement->bind == NULL ||
            c->replacement->bind(c->replacement_self, &shape, err)) &&
           (c->index->bind == NULL ||
            c->index->bind(c->index_self, &shape, err));
}

static bool lcache_init(struct loom_component *self, struct loom_error *err)
{
    const struct lcache_config *config = loom_config(self);
    struct lcache *c = loom_state(self);
    size_t lines = config->size_bytes / LOOM_BLOCK_BYTES;

    c->stats = loom_stats_of(self);
    c->ways = config->ways;
    c->sets = (uint32_t)(lines / config->ways);
    c->host = (struct loom_cache_host){
        .cache = c,
        .query = lcache_query,
        .reserved = lcache_reserved,
        .valid = lcache_valid,
        .block = lcache_block,
        .rank = lcache_rank,
        .next_use = lcache_next_use,
    };
    c->tag = loom_alloc(self, lines, sizeof(*c->tag));
    c->next = loom_alloc(self, lines, sizeof(*c->next));
    c->list = loom_alloc(self, c->ways, sizeof(*c->list));
    return loom_has_memory(self, err) && bind_policies(c, self, err);
}

static loom_cycle lcache_tick(struct loom_component *self, loom_cycle now)
{
    (void)self;
    (void)now;
    return LOOM_NEVER;
}

/* ---- accesses ---- */

static uint32_t find(const struct lcache *c, uint32_t set, loom_addr block)
{
    const loom_addr *tag = c->tag + line_at(c, set, 0);

    for (uint32_t way = 0; way < c->ways; way++) {
        if (tag[way] == block + 1) {
            return way;
        }
    }
    return NO_WAY;
}

/* The way that a missing line gets; all are taken: the policy's. */
static uint32_t choose(struct lcache *c, const struct loom_mem_request *request,
                       uint32_t set)
{
    const loom_addr *tag = c->tag + line_at(c, set, 0);
    struct loom_ways ways = {c->list, c->ways};
    uint32_t way;

    for (way = c->ways; way-- > 0;) {
        if (tag[way] == 0) {
            return way;
        }
    }
    for (way = 0; way < c->ways; way++) {
        c->list[way] = (uint16_t)way;
    }
    way = c->replacement->victim(c->replacement_self, request, set, &ways);
    LOOM_CHECK(way < c->ways);
    c->stats->evictions++;
    return way;
}

static void load(struct lcache *c, const struct loom_locality_command *access,
                 uint32_t set)
{
    const struct loom_mem_request *request = access->request;
    uint32_t way = find(c, set, request->block);

    c->stats->accesses++;
    if (way != NO_WAY) {
        c->stats->hits++;
        c->next[line_at(c, set, way)] = access->next_use;
        if (c->replacement->hit != NULL) {
            c->replacement->hit(c->replacement_self, request, set, way);
        }
        return;
    }
    c->stats->misses++;
    way = choose(c, request, set);
    c->tag[line_at(c, set, way)] = request->block + 1;
    c->next[line_at(c, set, way)] = access->next_use;
    if (c->replacement->inserted != NULL) {
        c->replacement->inserted(c->replacement_self, request, set, way);
    }
}

static void evict_written(struct lcache *c, loom_addr block, uint32_t set)
{
    uint32_t way = find(c, set, block);

    if (way != NO_WAY) {
        c->stats->write_evictions++;
        c->tag[line_at(c, set, way)] = 0;
        if (c->replacement->invalidated != NULL) {
            c->replacement->invalidated(c->replacement_self, set, way);
        }
    }
}

static bool lcache_command(struct loom_component *self, const void *command,
                           struct loom_error *err)
{
    const struct loom_locality_command *access = command;
    struct lcache *c = loom_state(self);
    uint32_t set;

    (void)err;
    loom_stay_asleep(self);
    if (access->request == NULL) {
        *access->needs_future = c->replacement->needs_future;
        return true;
    }
    set = c->index->index(c->index_self, access->request->block);
    if (access->request->kind == LOOM_MEM_LOAD) {
        load(c, access, set);
    } else {
        evict_written(c, access->request->block, set);
    }
    return true;
}

static bool lcache_check(struct loom_component *self, struct loom_error *err)
{
    const struct lcache *c = loom_state(self);
    const struct lcache_stats *s = c->stats;
    uint64_t held = 0;

    for (size_t i = 0; i < (size_t)c->sets * c->ways; i++) {
        held += c->tag[i] != 0;
    }
    if (s->accesses != s->hits + s->misses ||
        s->misses != s->evictions + s->write_evictions + held) {
        return loom_fail(
            err, LOOM_ERR_LAW,
            "accesses %llu, hits %llu, misses %llu, evictions %llu, write "
            "evictions %llu and %llu lines do not add up",
            (unsigned long long)s->accesses, (unsigned long long)s->hits,
            (unsigned long long)s->misses, (unsigned long long)s->evictions,
            (unsigned long long)s->write_evictions, (unsigned long long)held);
    }
    return true;
}

static const struct loom_param lcache_params[] = {
    LOOM_PARAM(struct lcache_config, size_bytes, .unit = LOOM_UNIT_BYTE,
               .def = {.u = 16384}, .min = {.u = LOOM_BLOCK_BYTES},
               .max = {.u = 1u << 28}, .doc = "Data it holds"),
    LOOM_PARAM(struct lcache_config, ways, .unit = LOOM_UNIT_NONE,
               .def = {.u = 4}, .min = {.u = 1}, .max = {.u = 32768},
               .doc = "Lines of a set"),
};

static const struct loom_stat lcache_stat_table[] = {
    LOOM_COUNTER(struct lcache_stats, accesses, LOOM_UNIT_LINE,
                 "Lines that loads touched"),
    LOOM_COUNTER(struct lcache_stats, hits, LOOM_UNIT_LINE,
                 "Those that were there"),
    LOOM_COUNTER(struct lcache_stats, misses, LOOM_UNIT_LINE,
                 "Those that were not"),
    LOOM_COUNTER(struct lcache_stats, evictions, LOOM_UNIT_LINE,
                 "Lines that the policy chose to leave"),
    LOOM_COUNTER(struct lcache_stats, write_evictions, LOOM_UNIT_LINE,
                 "Lines that left because they were written"),
    LOOM_RATIO(struct lcache_stats, hit_ratio, hits, accesses, LOOM_UNIT_RATIO,
               "Share of accesses that hit"),
    LOOM_RATIO(struct lcache_stats, miss_ratio, misses, accesses,
               LOOM_UNIT_RATIO, "Share of accesses that missed"),
};

static const struct loom_slot_decl lcache_slots[] = {
    {"replacement", "Which way is replaced", &loom_replacement_hook, "lru"},
    {"set_index", "Which set holds an address", &loom_set_index_hook,
     "ipoly_index"},
};

static const struct loom_component_ops lcache_ops = {
    .validate = lcache_validate,
    .init = lcache_init,
    .tick = lcache_tick,
    .command = lcache_command,
    .check = lcache_check,
};

const struct loom_component_type locality_cache_component = {
    .name = "locality_cache",
    .doc = "A cache without time, for the replacement policies of a locality",
    .state_size = sizeof(struct lcache),
    .config_size = sizeof(struct lcache_config),
    .stats_size = sizeof(struct lcache_stats),
    .params = LOOM_SLICE(lcache_params),
    .stats = LOOM_SLICE(lcache_stat_table),
    .slots = LOOM_SLICE(lcache_slots),
    .ops = &lcache_ops,
};
