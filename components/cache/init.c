/*
 * Building a cache: what the configuration means, and memory.
 */
#include "components/cache/init.h"

#include <string.h>

#include "components/cache/down.h"
#include "components/cache/mshr.h"
#include "components/cache/pipe.h"
#include "components/cache/sectors.h"
#include "components/cache/tags.h"
#include "components/cache/up.h"

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static uint32_t sector_bytes_of(const struct cache_config *k)
{
    return k->sector_bytes != 0 ? k->sector_bytes : k->line_bytes;
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
    if (k->join_sectors && !is(k->mshr_unit, "sector")) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'join_sectors' is true, which needs "
                         "mshr_unit = \"sector\": a reply is told apart by "
                         "sectors");
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
    uint32_t sector = sector_bytes_of(k);
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

    c->tags.infinite = k->infinite;
    c->tags.line_bytes = k->line_bytes;
    c->tags.active = k->infinite ? k->infinite_lines : k->ways;
    c->tags.ways = !k->infinite && k->max_ways > c->tags.active
                       ? k->max_ways
                       : c->tags.active;
    c->tags.sets =
        k->infinite ? 1 : (uint32_t)(k->size_bytes / set_bytes_of(k));
    c->tags.lines = c->tags.sets * c->tags.ways;
    c->pipe.banks = k->banks;
    c->pipe.bank_shift = loom_log2(k->bank_bytes);
    c->pipe.bank_fold = is(k->bank_hash, "xor") ? loom_log2(k->banks) : 0;
    c->pipe.capacity =
        (k->hit_latency + 1) * (k->banks > 1 ? 1 : k->accesses_per_cycle);
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
    c->sectors.by_sector = is(k->mshr_unit, "sector");
    c->level = (uint8_t)level_of(k->level);
    c->write = (uint8_t)write_of(k->write_policy);
    c->write_miss = (uint8_t)write_miss_of(k->write_miss);
    c->through_allocates =
        c->write == CACHE_WRITE_THROUGH &&
        (c->write_miss == CACHE_LAZY || c->write_miss == CACHE_WRITE_ALLOCATE);
    c->on_fill = is(k->allocate, "on_fill");
    c->local_write_back = k->local_write_back;
    c->pipe.hit_latency = (uint16_t)k->hit_latency;
    c->pipe.unit_interval = (uint32_t)(k->atomic_interval * CACHE_PART + 0.5);
    c->pipe.unit_real = (uint32_t)(k->atomic_real_latency * CACHE_PART + 0.5);
    c->spares = k->write_ratio != 0;
    c->split = k->split_sectors;
    c->down.joins = k->join_sectors;
    c->up.split_each = is(k->split_replies, "each");
    c->pipe.data_shift = (uint8_t)loom_log2(k->data_port_bytes);
    c->fill_shift = loom_log2(k->fill_port_bytes);
    c->tags.probe_shift =
        (uint8_t)(k->infinite ? 64 - loom_log2(c->tags.ways) : 0);
}

static bool take_lines(struct cache *c)
{
    bool lazy = c->write_miss == CACHE_LAZY &&
                (c->write == CACHE_WRITE_BACK || c->through_allocates);

    c->ways_left = loom_alloc(c->self, c->tags.ways, sizeof(*c->ways_left));
    return c->ways_left != NULL && cache_make_tags(&c->tags, c->self, lazy);
}

/* How many MSHRs: one for each line, or sector, or as many as are said. */
static uint32_t mshr_entries_of(const struct cache *c)
{
    const struct cache_config *k = c->config;
    uint32_t entries = k->mshr_entries;

    if (k->line_mshrs) {
        entries =
            c->tags.lines *
            (c->sectors.by_sector ? k->line_bytes / LOOM_SECTOR_BYTES : 1);
        if (entries > CACHE_LINE_WAITING) {
            entries = CACHE_LINE_WAITING; /* each holds an access */
        }
    }
    return entries;
}

static bool take_requests(struct cache *c)
{
    const struct cache_config *k = c->config;
    uint32_t entries = mshr_entries_of(c);
    uint64_t all = (uint64_t)entries * k->mshr_merges;
    uint32_t waiting = (uint32_t)all;
    /* A line that leaves for a fill, and one that is gated by it. */
    uint32_t leaving = loom_slot(c->self, "power").count != 0 ? 2 : 1;

    if (k->line_mshrs && all > CACHE_LINE_WAITING) {
        waiting = CACHE_LINE_WAITING;
    }
    return cache_make_down(&c->down, c->self, k->miss_queue,
                           k->miss_queue + leaving * entries,
                           k->passing_entries) &&
           cache_make_mshrs(&c->mshrs, c->self, entries, k->mshr_merges,
                            waiting) &&
           /* No more than there are places for their sectors. */
           (!c->split ||
            cache_make_parents(&c->up, c->self,
                               waiting + k->passing_entries +
                                   c->pipe.banks * c->pipe.capacity));
}

static bool take_memory(struct cache *c, struct loom_error *err)
{
    bool ranks = c->level == LOOM_LEVEL_L1;

    c->rank = ranks ? loom_alloc(c->self, CACHE_RANKS, sizeof(*c->rank)) : NULL;
    if (take_lines(c) && take_requests(c) &&
        cache_make_pipe(&c->pipe, c->self) && (!ranks || c->rank != NULL)) {
        return true;
    }
    return loom_fail(err, LOOM_ERR_MEMORY, "no memory for %u lines",
                     c->tags.lines);
}

static void start(struct cache *c)
{
    enum loom_line_power on;

    c->id = loom_component_id(c->self);
    c->used_at = CACHE_NONE;
    c->gate_port = CACHE_NO_PORT;
    c->gate.reason = CACHE_DONE;
    c->stats->ways_used = c->tags.infinite ? 0 : c->tags.active;
    on = is(c->config->power_start, "on") ? LOOM_LINE_ON : LOOM_LINE_GATED;
    for (uint32_t i = 0; i < c->tags.lines && on != LOOM_LINE_ON; i++) {
        c->tags.line[i].power = (uint8_t)on;
    }
    c->in_power[on] = c->tags.lines;
}

bool cache_init(struct loom_component *self, struct loom_error *err)
{
    struct cache *c = loom_state(self);

    c->self = self;
    c->config = loom_config(self);
    c->stats = loom_stats_of(self);
    read_config(c);
    cache_make_sectors(&c->sectors, c->tags.line_bytes,
                       sector_bytes_of(c->config));
    if (!cache_make_up(&c->up, c->self, err) || !take_memory(c, err)) {
        return false;
    }
    c->down.channel = loom_port_out(self, "down", 0);
    c->from_below = loom_port_in(self, "down", 0);
    start(c);
    return cache_bind(c, err);
}
