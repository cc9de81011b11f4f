/*
 * Building a cache: what the configuration means, and memory.
 */
#include "components/cache/init.h"

#include <string.h>

#include "components/cache/down.h"
#include "components/cache/mshr.h"
#include "components/cache/pipe.h"
#include "components/cache/up.h"

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

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
        if (c->mshr_entries > CACHE_LINE_WAITING) {
            c->mshr_entries = CACHE_LINE_WAITING; /* each holds an access */
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

static bool take_memory(struct cache *c, struct loom_error *err)
{
    bool ranks = c->level == LOOM_LEVEL_L1;

    c->rank = ranks ? loom_alloc(c->self, CACHE_RANKS, sizeof(*c->rank)) : NULL;
    if (cache_take_queue(c) && cache_take_lines(c) && cache_take_mshrs(c) &&
        cache_take_banks(c) && (!ranks || c->rank != NULL)) {
        return true;
    }
    return loom_fail(err, LOOM_ERR_MEMORY, "no memory for %u lines", c->lines);
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

bool cache_init(struct loom_component *self, struct loom_error *err)
{
    struct cache *c = loom_state(self);

    c->self = self;
    c->config = loom_config(self);
    c->stats = loom_stats_of(self);
    read_config(c);
    cache_make_sectors(c);
    if (!cache_take_ports(c, err) || !take_memory(c, err)) {
        return false;
    }
    start(c);
    return cache_bind(c, err);
}
