/*
 * The policies of a cache: what they are told of it, what they may ask and do
 * between its own questions, and what follows for the cache from who is there.
 */
#include "components/cache/init.h"
#include "components/cache/power.h"

static bool host_query(void *cache, const struct loom_mem_request *request)
{
    struct cache *c = cache;

    return cache_query(&c->down, request, c->id);
}

static bool host_reserved(void *cache, uint32_t set, uint32_t way)
{
    const struct cache *c = cache;

    return c->tags.line[cache_at(&c->tags, set, way)].pending != 0;
}

static bool host_valid(void *cache, uint32_t set, uint32_t way)
{
    const struct cache *c = cache;

    return c->tags.line[cache_at(&c->tags, set, way)].valid != 0;
}

static loom_addr host_block(void *cache, uint32_t set, uint32_t way)
{
    const struct cache *c = cache;

    return c->tags.line[cache_at(&c->tags, set, way)].tag & ~(loom_addr)1;
}

static uint32_t host_rank(void *cache, uint32_t warp)
{
    const struct cache *c = cache;

    return c->rank != NULL ? c->rank[warp % CACHE_RANKS] : 0;
}

static bool host_find(void *cache, loom_addr line, uint32_t *set, uint32_t *way)
{
    struct cache *c = cache;

    *set = cache_set_of(&c->tags, line);
    *way = cache_find(&c->tags, *set, line);
    return *way != CACHE_NONE;
}

static uint64_t host_next_use(void *cache, uint32_t set, uint32_t way)
{
    const struct cache *c = cache;
    const struct loom_mem_future *future = c->future;

    return future != NULL
               ? future->next_use(future->context, host_block(cache, set, way))
               : LOOM_NEVER;
}

/* Calls the bind of an ops struct, which is its member `bind`. */
#define BIND(type, bound, shape, err)                                          \
    (((const struct type *)(bound)->ops)->bind == NULL ||                      \
     ((const struct type *)(bound)->ops)->bind((bound)->policy, shape, err))

static bool bind_chains(struct cache *c, const struct loom_cache_shape *shape,
                        struct loom_error *err)
{
    c->admit = loom_slot(c->self, "admit");
    c->allocation = loom_slot(c->self, "allocation");
    c->candidates = loom_slot(c->self, "candidates");
    for (uint32_t i = 0; i < c->admit.count; i++) {
        if (!BIND(loom_admit_ops, &c->admit.item[i], shape, err)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < c->allocation.count; i++) {
        const struct loom_allocation_ops *ops = c->allocation.item[i].ops;

        c->answers = c->answers || ops->answer != NULL;
        c->fails = c->fails || ops->fail != NULL;
        if (!BIND(loom_allocation_ops, &c->allocation.item[i], shape, err)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < c->candidates.count; i++) {
        if (!BIND(loom_candidates_ops, &c->candidates.item[i], shape, err)) {
            return false;
        }
    }
    return true;
}

static bool bind_map(struct cache *c, struct loom_error *err)
{
    struct loom_map_shape shape = {c->config->map_channels,
                                   c->config->map_slices, 0};
    struct loom_binding map = loom_slot(c->self, "map");

    if (map.count == 0) {
        return true;
    }
    c->tags.map = map.item[0].ops;
    c->tags.map_self = map.item[0].policy;
    return c->tags.map->bind == NULL ||
           c->tags.map->bind(c->tags.map_self, &shape, err);
}

static const struct loom_replacement_ops no_replacement;

static bool bind_single(struct cache *c, const struct loom_cache_shape *shape,
                        struct loom_error *err)
{
    struct loom_binding replacement = loom_slot(c->self, "replacement");
    struct loom_binding index = loom_slot(c->self, "set_index");
    struct loom_binding power = loom_slot(c->self, "power");

    if (power.count != 0) {
        uint32_t least = c->write_miss == CACHE_WRITE_ALLOCATE ? 3 : 2;

        c->power = power.item[0].ops;
        c->power_self = power.item[0].policy;
        if (c->config->miss_queue < least) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "parameter 'miss_queue' is %u, expected at least "
                             "%u with a power policy, which writes back",
                             c->config->miss_queue, least);
        }
        if (!BIND(loom_power_ops, &power.item[0], shape, err)) {
            return false;
        }
    }
    c->replacement = &no_replacement;
    if (c->tags.infinite) {
        return true; /* nothing is replaced and there is one set */
    }
    c->replacement = replacement.item[0].ops;
    c->replacement_self = replacement.item[0].policy;
    c->tags.index = index.item[0].ops;
    c->tags.index_self = index.item[0].policy;
    if (!BIND(loom_replacement_ops, &replacement.item[0], shape, err) ||
        !BIND(loom_set_index_ops, &index.item[0], shape, err)) {
        return false;
    }
    if (c->replacement->hints != NULL) {
        c->hints = c->replacement->hints(c->replacement_self);
    }
    return bind_map(c, err);
}

static enum cache_patience patience_of(const struct cache *c)
{
    if (c->admit.count + c->allocation.count + c->candidates.count != 0) {
        return CACHE_IMPATIENT;
    }
    return c->pipe.banks > 1 ||
                   loom_observed(&c->observers, LOOM_EVENT_RESERVATION_FAIL)
               ? CACHE_PATIENT
               : CACHE_ALONE;
}

/* What follows from the configuration and from who is there: what need not be
 * asked in each cycle. */
static void derive_modes(struct cache *c)
{
    const struct cache_config *k = c->config;

    c->one_access = k->banks == 1 && k->accesses_per_cycle == 1;
    c->up.bare_items = c->up.ports == 1 && !c->split;
    c->mshrs.bare_items = c->up.bare_items;
    c->sectors_wait = c->split && c->mshrs.places == (uint64_t)c->mshrs.merges *
                                                         c->mshrs.entries;
    c->asks_admit = loom_chain(&c->admit) != 0;
    c->unobserved = c->power == NULL && c->observers.events == 0;
    c->free_choice = !c->tags.infinite && !c->spares &&
                     c->tags.ways <= CACHE_WAYS && c->candidates.count == 0;
    c->quiet_loads = c->unobserved && c->free_choice &&
                     c->admit.count + c->allocation.count + c->marks.count == 0;
    c->on_part = c->sectors.whole > 1 || c->power != NULL ? CACHE_PARTS_FILL
                 : patience_of(c) == CACHE_ALONE          ? CACHE_PARTS_COUNT
                                                          : CACHE_PARTS_CHANGE;
    for (uint32_t i = 0; i < c->pipe.banks; i++) {
        c->pipe.bank[i].patience = (uint8_t)patience_of(c);
    }
}

bool cache_bind(struct cache *c, struct loom_error *err)
{
    uint32_t sm =
        c->level == LOOM_LEVEL_L1 ? loom_component_index(c->self) : UINT32_MAX;
    const struct cache_config *k = c->config;
    struct loom_cache_shape shape = {
        .host = &c->host,
        .sm = sm,
        .sets = c->tags.sets,
        .ways = c->tags.ways,
        .line_bytes = c->tags.line_bytes,
        .sector_bytes = k->sector_bytes != 0 ? k->sector_bytes : k->line_bytes,
        .level = c->level,
    };
    struct loom_observe_shape observe = {
        .sm = sm,
        .sets = c->tags.sets,
        .ways = c->tags.ways,
        .line_bytes = c->tags.line_bytes,
        .latency = c->pipe.hit_latency,
        .level = c->level,
    };

    c->host = (struct loom_cache_host){
        .cache = c,
        .query = host_query,
        .reserved = host_reserved,
        .valid = host_valid,
        .block = host_block,
        .rank = host_rank,
        .find = host_find,
        .next_use = k->future ? host_next_use : NULL,
        .power = cache_set_power,
        .sleep = cache_sleep,
    };
    if (!bind_single(c, &shape, err) || !bind_chains(c, &shape, err) ||
        !loom_marks_bind(&c->marks, c->self, "mark", err) ||
        !loom_observers_bind(&c->observers, c->self, "observe", &observe,
                             err)) {
        return false;
    }
    derive_modes(c);
    return true;
}
