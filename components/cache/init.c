/*
 * Building a cache: what the configuration means, tables, memory; and its
 * policies: what they are told, what they may ask back, and being asked.
 */
#include <string.h>

#include "components/cache/cache_inline.h"

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* Accesses in all MSHRs of a cache that has one for each of its lines: more
 * than an SM sends. */
enum {
    LINE_WAITING = 8192
};

static uint64_t set_bytes_of(const struct cache_config *k)
{
    return (uint64_t)k->ways * k->line_bytes;
}

static bool validate_writes(const struct cache_config *k,
                            struct loom_error *err)
{
    bool allocates =
        is(k->write_miss, "lazy") || is(k->write_miss, "write_allocate");

    if (allocates && is(k->write_policy, "write_evict")) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'write_miss' is '%s', which write_evict "
                         "does not have: it allocates nothing on a write",
                         k->write_miss);
    }
    if (is(k->write_miss, "write_allocate") && k->miss_queue < 2) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'miss_queue' is 1, expected at least 2 "
                         "with write_allocate: a write, a fetch and a "
                         "write-back go together");
    }
    return true;
}

static bool validate_sectors(const struct cache_config *k, uint32_t sector,
                             struct loom_error *err)
{
    if (k->split_sectors && sector != LOOM_SECTOR_BYTES) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'split_sectors' needs sector_bytes = 32, "
                         "not %u",
                         sector);
    }
    if (is(k->mshr_unit, "sector") && !k->split_sectors) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'mshr_unit' is 'sector', which needs "
                         "split_sectors = true: an access has one MSHR");
    }
    if (k->max_ways != 0 && k->max_ways < k->ways && !k->infinite) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'max_ways' is %u, expected 0 or at least "
                         "'ways', %u",
                         k->max_ways, k->ways);
    }
    return true;
}

bool cache_validate(const void *config, struct loom_error *err)
{
    const struct cache_config *k = config;
    uint32_t sector = k->sector_bytes != 0 ? k->sector_bytes : k->line_bytes;
    uint64_t set_bytes = set_bytes_of(k);

    if (sector > k->line_bytes || sector < LOOM_SECTOR_BYTES ||
        !loom_is_power_of_2(sector)) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'sector_bytes' is %u, expected 0 or a "
                         "power of 2 in 32..%u ('line_bytes')",
                         sector, k->line_bytes);
    }
    if (!k->infinite &&
        (k->size_bytes < set_bytes || k->size_bytes % set_bytes != 0 ||
         k->size_bytes / set_bytes > UINT32_MAX / k->ways)) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'size_bytes' is %llu, expected a multiple "
                         "of ways * line_bytes = %llu",
                         (unsigned long long)k->size_bytes,
                         (unsigned long long)set_bytes);
    }
    if ((uint64_t)k->mshr_entries * k->mshr_merges > 1u << 22) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "mshr_entries * mshr_merges is %llu, expected at "
                         "most %u",
                         (unsigned long long)k->mshr_entries * k->mshr_merges,
                         1u << 22);
    }
    return validate_sectors(k, sector, err) && validate_writes(k, err);
}

static void read_shape(struct cache *c)
{
    const struct cache_config *k = c->config;

    c->infinite = k->infinite;
    c->line_bytes = k->line_bytes;
    c->active = k->infinite ? k->infinite_lines : k->ways;
    c->ways = !k->infinite && k->max_ways > c->active ? k->max_ways : c->active;
    c->sets = k->infinite ? 1 : (uint32_t)(k->size_bytes / set_bytes_of(k));
    c->lines = c->sets * c->ways;
    c->banks = k->banks;
    c->bank_shift = loom_log2(k->bank_bytes);
    c->bank_fold = is(k->bank_hash, "xor") ? loom_log2(k->banks) : 0;
    c->single = c->banks == 1 && k->accesses_per_cycle == 1;
    c->near_line = UINT64_MAX; /* not a line */
    c->pipe_capacity =
        (k->hit_latency + 1) * (k->banks > 1 ? 1 : k->accesses_per_cycle);
}

static void read_mshrs(struct cache *c)
{
    const struct cache_config *k = c->config;

    c->by_sector = is(k->mshr_unit, "sector");
    c->mshr_entries = k->mshr_entries;
    c->mshr_merges = k->mshr_merges;
    if (k->line_mshrs) {
        c->mshr_entries =
            c->lines * (c->by_sector ? k->line_bytes / LOOM_SECTOR_BYTES : 1);
        if (c->mshr_entries > LINE_WAITING) {
            c->mshr_entries = LINE_WAITING; /* each holds an access */
        }
    }
    c->bucket_shift = 64 - (loom_log2(c->mshr_entries) + 2);
}

static enum cache_write_miss write_miss_of(const char *name)
{
    return is(name, "validate")         ? CACHE_VALIDATE
           : is(name, "lazy")           ? CACHE_LAZY
           : is(name, "write_allocate") ? CACHE_WRITE_ALLOCATE
           : is(name, "no_allocate")    ? CACHE_NO_ALLOCATE
                                        : CACHE_FETCH_ON_WRITE;
}

static enum cache_write write_of(const char *name)
{
    return is(name, "write_evict")     ? CACHE_WRITE_EVICT
           : is(name, "write_through") ? CACHE_WRITE_THROUGH
                                       : CACHE_WRITE_BACK;
}

static uint32_t level_of(const char *name)
{
    return is(name, "l1")    ? LOOM_LEVEL_L1
           : is(name, "l15") ? LOOM_LEVEL_L15
           : is(name, "l2")  ? LOOM_LEVEL_L2
                             : LOOM_LEVEL_L3;
}

static void read_config(struct cache *c)
{
    const struct cache_config *k = c->config;

    read_shape(c);
    read_mshrs(c);
    c->level = (uint8_t)level_of(k->level);
    c->write = (uint8_t)write_of(k->write_policy);
    c->write_miss = (uint8_t)write_miss_of(k->write_miss);
    c->through_allocates =
        c->write == CACHE_WRITE_THROUGH &&
        (c->write_miss == CACHE_LAZY || c->write_miss == CACHE_WRITE_ALLOCATE);
    c->on_fill = is(k->allocate, "on_fill");
    c->local_write_back = k->local_write_back;
    c->miss_queue = k->miss_queue;
    c->hit_latency = (uint16_t)k->hit_latency;
    c->spares = k->write_ratio != 0;
    c->split = k->split_sectors;
    c->split_each = is(k->split_replies, "each");
    c->data_shift = (uint8_t)loom_log2(k->data_port_bytes);
    c->fill_shift = loom_log2(k->fill_port_bytes);
    c->probe_shift = k->infinite ? 64 - loom_log2(c->ways) : 0;
}

/* What each combination of a request's four sectors means to a line. */
static void make_sector_tables(struct cache *c)
{
    const struct cache_config *k = c->config;
    uint32_t sector = k->sector_bytes != 0 ? k->sector_bytes : k->line_bytes;
    uint32_t per_line = k->line_bytes / LOOM_SECTOR_BYTES;
    uint32_t per_sector = sector / LOOM_SECTOR_BYTES;

    c->whole = (uint8_t)(loom_bit(k->line_bytes / sector) - 1);
    for (uint32_t m = 0; m < 16; m++) {
        uint32_t first = (m == 0 ? 0 : loom_lowest(m)) / per_line * per_line;
        uint32_t mask = 0;

        for (uint32_t i = first; i < 4; i++) {
            if ((m >> i & 1) != 0) {
                mask |= 1u << ((i - first) / per_sector);
            }
        }
        c->sector[m].first = first & 3u;
        c->sector[m].spans = (mask & ~(uint32_t)c->whole) != 0;
        c->sector[m].mask = (mask != 0 ? mask & c->whole : 1) & 15u;
        for (uint32_t i = 0; i < per_line; i++) {
            if ((m >> i / per_sector & 1) != 0) {
                c->expand[m] |= (uint8_t)(1u << i);
            }
        }
    }
}

static bool take_ports(struct cache *c, struct loom_error *err)
{
    c->ports = (uint8_t)loom_port_count(c->self, "up");
    c->port = c->ports == 1 ? &c->first_port
                            : loom_alloc(c->self, c->ports, sizeof(*c->port));
    if (c->port == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for %u ports",
                         c->ports);
    }
    for (uint32_t i = 0; i < c->ports; i++) {
        c->port[i].up = loom_port_out(c->self, "up", i);
        c->port[i].from_above = loom_port_in(c->self, "up", i);
        loom_watch(c->port[i].from_above, &c->incoming, loom_bit(i));
    }
    c->down = loom_port_out(c->self, "down", 0);
    c->from_below = loom_port_in(c->self, "down", 0);
    return true;
}

/* Fills a stack of free numbers. */
static uint32_t *make_stack(struct cache *c, uint32_t count)
{
    uint32_t *stack = loom_alloc(c->self, count, sizeof(*stack));

    for (uint32_t i = 0; stack != NULL && i < count; i++) {
        stack[i] = i;
    }
    return stack;
}

static bool take_mshrs(struct cache *c)
{
    uint64_t all = (uint64_t)c->mshr_entries * c->mshr_merges;
    uint32_t waiting = (uint32_t)all;
    uint32_t buckets = 1u << (64 - c->bucket_shift);

    if (c->config->line_mshrs && all > LINE_WAITING) {
        waiting = LINE_WAITING;
    }
    c->mshr = loom_alloc(c->self, c->mshr_entries, sizeof(*c->mshr));
    c->bucket = loom_alloc(c->self, buckets, sizeof(*c->bucket));
    c->waiting = loom_alloc(c->self, waiting, sizeof(*c->waiting));
    c->next_waiting = loom_alloc(c->self, waiting, sizeof(*c->next_waiting));
    for (uint32_t i = 0; c->bucket != NULL && i < buckets; i++) {
        c->bucket[i] = CACHE_NONE;
    }
    for (uint32_t i = 0; c->mshr != NULL && i < c->mshr_entries; i++) {
        c->mshr[i].chain = i + 1;
    }
    for (uint32_t i = 0; c->next_waiting != NULL && i < waiting; i++) {
        c->next_waiting[i] = i + 1 == waiting ? CACHE_NONE : i + 1;
    }
    c->lone = c->ports == 1 && !c->split;
    c->brief = c->split && waiting == all;
    if (c->split) { /* no more than there are places for their sectors */
        c->parents =
            waiting + c->config->passing_entries + c->banks * c->pipe_capacity;
        c->parent = loom_alloc(c->self, c->parents, sizeof(*c->parent));
        for (uint32_t i = 0; c->parent != NULL && i < c->parents; i++) {
            c->parent[i].next = i + 1;
        }
    }
    return c->mshr != NULL && c->bucket != NULL && c->waiting != NULL &&
           c->next_waiting != NULL && (!c->split || c->parent != NULL);
}

static bool take_banks(struct cache *c)
{
    c->bank = c->banks == 1 ? &c->first_bank
                            : loom_alloc(c->self, c->banks, sizeof(*c->bank));
    for (uint32_t i = 0; c->bank != NULL && i < c->banks; i++) {
        struct cache_bank *bank = &c->bank[i];

        bank->pipe =
            c->banks == 1 && c->pipe_capacity <= CACHE_FEW
                ? c->few
                : loom_alloc(c->self, c->pipe_capacity, sizeof(*bank->pipe));
        bank->item = loom_alloc(c->self, c->pipe_capacity, sizeof(*bank->item));
        bank->due = LOOM_NEVER;
        bank->wait.reason = CACHE_DONE;
        if (bank->pipe == NULL || bank->item == NULL) {
            return false;
        }
    }
    return c->bank != NULL;
}

static bool take_lines(struct cache *c)
{
    bool lazy = c->write_miss == CACHE_LAZY &&
                (c->write == CACHE_WRITE_BACK || c->through_allocates);

    c->line = loom_alloc(c->self, c->lines, sizeof(*c->line));
    c->ways_left = loom_alloc(c->self, c->ways, sizeof(*c->ways_left));
    if (lazy) {
        c->bytes = loom_alloc(c->self, c->lines, sizeof(*c->bytes));
    }
    return c->line != NULL && c->ways_left != NULL &&
           (!lazy || c->bytes != NULL);
}

static bool take_memory(struct cache *c, struct loom_error *err)
{
    const struct cache_config *k = c->config;

    c->queue_places = k->miss_queue + c->mshr_entries;
    if (loom_slot(c->self, "power").count != 0) {
        c->queue_places += c->mshr_entries;
    }
    c->queue = loom_alloc(c->self, c->queue_places, sizeof(*c->queue));
    c->passing = loom_alloc(c->self, k->passing_entries, sizeof(*c->passing));
    c->passing_free = make_stack(c, k->passing_entries);
    c->rank = c->level == LOOM_LEVEL_L1
                  ? loom_alloc(c->self, CACHE_RANKS, sizeof(*c->rank))
                  : NULL;
    if (!take_lines(c) || !take_mshrs(c) || !take_banks(c) ||
        c->queue == NULL || c->passing == NULL || c->passing_free == NULL ||
        (c->level == LOOM_LEVEL_L1 && c->rank == NULL)) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for %u lines",
                         c->lines);
    }
    return true;
}

static void start(struct cache *c)
{
    enum loom_line_power on;

    c->id = loom_component_id(c->self);
    c->used_at = CACHE_NONE;
    c->ready_first = CACHE_NONE;
    c->gate_port = CACHE_NO_PORT;
    c->split_parent = CACHE_NONE;
    c->gate.reason = CACHE_DONE;
    c->sent_at = LOOM_NEVER;
    c->stats->ways_used = c->infinite ? 0 : c->active;
    on = is(c->config->power_start, "on") ? LOOM_LINE_ON : LOOM_LINE_GATED;
    for (uint32_t i = 0; i < c->lines && on != LOOM_LINE_ON; i++) {
        c->line[i].power = (uint8_t)on;
    }
    c->in_power[on] = c->lines;
}

void cache_resize(struct cache *c, uint64_t bytes)
{
    uint64_t set_bytes = (uint64_t)c->sets * c->line_bytes;
    uint64_t ways = (bytes + set_bytes / 2) / set_bytes;

    ways = ways < 1 ? 1 : ways;
    c->active = ways > c->ways ? c->ways : (uint32_t)ways;
    c->stats->ways_used = c->active;
    c->stats->resizes++;
}

/* ---- policies ---- */

bool cache_query(void *cache, const struct loom_mem_request *request)
{
    struct cache *c = cache;
    struct loom_mem_request *q;

    if (c->query_count == CACHE_QUERIES) {
        return false;
    }
    q = &c->query[(c->query_head + c->query_count) % CACHE_QUERIES];
    loom_mem_copy(q, request);
    q->bytes[0] = q->bytes[1] = 0;
    q->kind = LOOM_MEM_QUERY;
    q->src = c->id;
    q->token = CACHE_TOKEN_QUERY;
    q->size_bytes = 0;
    q->reply_bits = 0;
    q->flags = 0;
    c->query_count++;
    c->queries_out++;
    return true;
}

static bool host_reserved(void *cache, uint32_t set, uint32_t way)
{
    const struct cache *c = cache;

    return c->line[cache_at(c, set, way)].pending != 0;
}

static bool host_valid(void *cache, uint32_t set, uint32_t way)
{
    const struct cache *c = cache;

    return c->line[cache_at(c, set, way)].valid != 0;
}

static loom_addr host_block(void *cache, uint32_t set, uint32_t way)
{
    const struct cache *c = cache;

    return c->line[cache_at(c, set, way)].tag & ~(loom_addr)1;
}

static uint32_t host_rank(void *cache, uint32_t warp)
{
    const struct cache *c = cache;

    return c->rank != NULL ? c->rank[warp % CACHE_RANKS] : 0;
}

static bool host_find(void *cache, loom_addr line, uint32_t *set, uint32_t *way)
{
    struct cache *c = cache;

    *set = cache_set_of(c, line);
    *way = cache_find(c, *set, line);
    return *way != CACHE_NONE;
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
    c->map = map.item[0].ops;
    c->map_self = map.item[0].policy;
    return c->map->bind == NULL || c->map->bind(c->map_self, &shape, err);
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
    if (c->infinite) {
        return true; /* nothing is replaced and there is one set */
    }
    c->replacement = replacement.item[0].ops;
    c->replacement_self = replacement.item[0].policy;
    c->index = index.item[0].ops;
    c->index_self = index.item[0].policy;
    if (!BIND(loom_replacement_ops, &replacement.item[0], shape, err) ||
        !BIND(loom_set_index_ops, &index.item[0], shape, err)) {
        return false;
    }
    if (c->replacement->ages != NULL) {
        c->ages = c->replacement->ages(c->replacement_self);
    }
    return bind_map(c, err);
}

static enum cache_patience patience_of(const struct cache *c)
{
    if (c->admit.count + c->allocation.count + c->candidates.count != 0) {
        return CACHE_IMPATIENT;
    }
    return c->banks > 1 ||
                   loom_observed(&c->observers, LOOM_EVENT_RESERVATION_FAIL)
               ? CACHE_PATIENT
               : CACHE_ALONE;
}

static bool bind_policies(struct cache *c, struct loom_error *err)
{
    uint32_t sm =
        c->level == LOOM_LEVEL_L1 ? loom_component_index(c->self) : UINT32_MAX;
    const struct cache_config *k = c->config;
    struct loom_cache_shape shape = {
        .host = &c->host,
        .sm = sm,
        .sets = c->sets,
        .ways = c->ways,
        .line_bytes = c->line_bytes,
        .sector_bytes = k->sector_bytes != 0 ? k->sector_bytes : k->line_bytes,
        .level = c->level,
    };
    struct loom_observe_shape observe = {
        .sm = sm,
        .sets = c->sets,
        .ways = c->ways,
        .line_bytes = c->line_bytes,
    };

    c->host = (struct loom_cache_host){
        .cache = c,
        .query = cache_query,
        .reserved = host_reserved,
        .valid = host_valid,
        .block = host_block,
        .rank = host_rank,
        .find = host_find,
        .power = cache_set_power,
        .sleep = cache_sleep,
    };
    if (!bind_single(c, &shape, err) || !bind_chains(c, &shape, err) ||
        !loom_marks_bind(&c->marks, c->self, "mark", err) ||
        !loom_observers_bind(&c->observers, c->self, "observe", &observe,
                             err)) {
        return false;
    }
    c->asks_admit = loom_chain(&c->admit) != 0;
    c->plain = c->power == NULL && c->observers.events == 0;
    c->usual = c->plain && !c->infinite && !c->spares &&
               c->ways <= CACHE_WAYS &&
               c->admit.count + c->allocation.count + c->candidates.count +
                       c->marks.count ==
                   0;
    c->parts = c->whole > 1 || c->power != NULL ? CACHE_PARTS_FILL
               : patience_of(c) == CACHE_ALONE  ? CACHE_PARTS_COUNT
                                                : CACHE_PARTS_CHANGE;
    for (uint32_t i = 0; i < c->banks; i++) {
        c->bank[i].patience = (uint8_t)patience_of(c);
    }
    return true;
}

bool cache_init(struct loom_component *self, struct loom_error *err)
{
    struct cache *c = loom_state(self);

    c->self = self;
    c->config = loom_config(self);
    c->stats = loom_stats_of(self);
    read_config(c);
    make_sector_tables(c);
    if (!take_ports(c, err) || !take_memory(c, err)) {
        return false;
    }
    start(c);
    return bind_policies(c, err);
}
