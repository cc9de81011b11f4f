/*
 * What DaCache learns: whether a coherent load has locality (a victim cache
 * and a profiler), and how many warps can be fully cached (figure 7 of the
 * paper).
 */
#include <string.h>

#include "policies/dacache/dacache_private.h"

enum dacache_class dacache_class_of(const struct dacache *d,
                                    const struct loom_mem_request *request)
{
    if (request->accesses <= d->config->coherent_accesses) {
        return DACACHE_COHERENT;
    }
    return request->accesses <= d->config->narrow_accesses ? DACACHE_NARROW
                                                           : DACACHE_DIVERGENT;
}

uint32_t dacache_row(struct dacache *d, const struct loom_mem_request *request)
{
    return request->kind != LOOM_MEM_LOAD
               ? LOOM_NO_ROW
               : loom_load_table_find(&d->table, request->kernel,
                                      request->inst);
}

/* ---- the partition ---- */

/* p + 1 ways, of which the last ones stay replaceable. */
static void set_region(struct dacache *d)
{
    const struct dacache_config *config = d->config;
    uint32_t most = d->ways > config->replaceable_ways
                        ? d->ways - config->replaceable_ways
                        : 0;
    uint64_t region;

    if (d->dynamic) {
        region = (uint64_t)d->fcw * config->width / d->sets;
    } else {
        region = (uint64_t)((double)d->ways * config->f * (double)d->sets /
                            (double)config->width);
    }
    d->region = region < most ? (uint32_t)region : most;
    d->stats->fcw = d->fcw;
    d->stats->count = d->count;
    d->stats->region = d->region;
}

void dacache_start(struct dacache *d)
{
    const struct dacache_config *config = d->config;

    if (d->schedulers == 0 || d->ways == 0) {
        return; /* the SM's or the cache's side is not bound yet */
    }
    d->fcw_min = config->fcw_min != 0 ? config->fcw_min : d->schedulers;
    d->fcw_min = d->fcw_min < d->fcw_max ? d->fcw_min : d->fcw_max;
    d->fcw =
        config->fcw_initial > d->fcw_min ? config->fcw_initial : d->fcw_min;
    d->fcw = d->fcw < d->fcw_max ? d->fcw : d->fcw_max;
    d->count = config->counter_max / 2;
    d->fall_count = strcmp(config->fall_count, "half") == 0 ? d->count : 0;
    set_region(d);
}

static void fully_cached(struct dacache *d)
{
    if (d->count < d->config->counter_max) {
        d->count++;
    }
    if (d->count == d->config->counter_max && d->fcw < d->fcw_max) {
        d->fcw++;
        d->count = d->config->counter_max / 2;
        d->stats->fcw_raised++;
    }
}

static void partly_cached(struct dacache *d, uint32_t rank)
{
    uint32_t step = rank >= d->fcw ? 1 : d->fcw - rank;

    d->count = d->count > step ? d->count - step : 0;
    if (d->count == 0 && d->fcw > d->fcw_min) {
        d->fcw--;
        d->count = d->fall_count;
        d->stats->fcw_lowered++;
    }
}

/* All accesses of a load have been through the cache. */
static void retire(struct dacache *d, const struct loom_mem_request *request,
                   const struct dacache_load *load)
{
    enum dacache_class class = dacache_class_of(d, request);
    enum dacache_outcome outcome = load->missed == 0           ? DACACHE_FULL
                                   : load->missed < load->seen ? DACACHE_PARTLY
                                                               : DACACHE_MISSED;
    uint32_t row = dacache_row(d, request);

    if (row == LOOM_NO_ROW) {
        d->stats->untracked_loads++;
    } else {
        d->stats->load_class.item[row] = class;
        d->stats->load_insts.item[row]++;
        d->stats->load_full.item[row] += outcome == DACACHE_FULL;
        d->stats->load_partly.item[row] += outcome == DACACHE_PARTLY;
    }
    if (class == DACACHE_COHERENT) {
        d->stats->coherent_loads[outcome]++;
        return;
    }
    d->stats->divergent_loads[outcome]++;
    if (!d->dynamic) {
        return;
    }
    if (outcome == DACACHE_FULL) {
        fully_cached(d);
    } else {
        partly_cached(d, request->rank);
    }
    set_region(d);
}

/* ---- coherent loads ---- */

static struct dacache_profile *profile_of(struct dacache *d, uint32_t load)
{
    for (uint32_t i = 0; i < d->profiles; i++) {
        if (d->profile[i].load == load) {
            return &d->profile[i];
        }
    }
    return NULL;
}

bool dacache_streams(const struct dacache *d, uint32_t load)
{
    for (uint32_t i = 0; i < d->profiles; i++) {
        if (d->profile[i].load == load) {
            return !d->profile[i].locality;
        }
    }
    return !d->config->unknown_first;
}

/* The profiler and the victim cache are rings: the oldest entry goes. */
static void determine(struct dacache *d, uint32_t load, bool locality)
{
    struct dacache_profile *profile = profile_of(d, load);

    if (profile != NULL) {
        return; /* once known, a load is not sampled again */
    }
    d->profile[d->profile_next] = (struct dacache_profile){load, locality};
    d->profile_next = d->profile_next + 1 == d->config->profiler_entries
                          ? 0
                          : d->profile_next + 1;
    if (d->profiles < d->config->profiler_entries) {
        d->profiles++;
    }
    d->stats->with_locality += locality;
    d->stats->without_locality += !locality;
}

/* A line that a coherent load of a sampled warp brought is evicted. */
static void remember(struct dacache *d, uint32_t load, loom_addr line)
{
    struct dacache_victim *entry = &d->victim[d->victim_next];

    if (profile_of(d, load) != NULL) {
        return;
    }
    if (d->victims == d->config->victim_entries) {
        if (!entry->used && d->config->verdict_victims == 0) {
            determine(d, entry->load, false);
        }
    } else {
        d->victims++;
    }
    *entry = (struct dacache_victim){load, line, false};
    d->victim_next = d->victim_next + 1 == d->config->victim_entries
                         ? 0
                         : d->victim_next + 1;
    d->stats->victims++;
    if (++d->evicted[load] == d->config->verdict_victims) {
        determine(d, load, false);
    }
}

/* A coherent load missed: was its line evicted a while ago? */
static void probe(struct dacache *d, const struct loom_mem_request *request)
{
    uint32_t load = dacache_row(d, request);
    loom_addr line = request->block - request->block % d->line_bytes;

    if (load == LOOM_NO_ROW || profile_of(d, load) != NULL) {
        return;
    }
    for (uint32_t i = 0; i < d->victims; i++) {
        if (d->victim[i].load == load && d->victim[i].line == line) {
            d->victim[i].used = true;
            d->stats->victim_hits++;
            determine(d, load, true);
            return;
        }
    }
}

void dacache_evicted(struct dacache *d, const struct loom_event *event)
{
    uint32_t *brought;

    if (event->set >= d->sets || event->way >= d->ways) {
        return;
    }
    brought = &d->brought[(size_t)event->set * d->ways + event->way];
    if (d->config->profiled && *brought != LOOM_NO_ROW &&
        event->reason == LOOM_EVICT_CAPACITY) {
        remember(d, *brought, event->block);
    }
    *brought = LOOM_NO_ROW;
}

void dacache_accessed(struct dacache *d, const struct loom_event *event)
{
    const struct loom_mem_request *request = event->request;
    struct dacache_load *load = &d->load[request->warp % DACACHE_WARPS];
    bool missed = event->kind == LOOM_EVENT_MISS;

    if (request->kind != LOOM_MEM_LOAD) {
        return;
    }
    if (request->access == 0) {
        *load = (struct dacache_load){0, 0};
    }
    missed = missed ||
             (event->kind == LOOM_EVENT_BYPASS && d->config->bypass_is_miss) ||
             (event->kind == LOOM_EVENT_PENDING_HIT &&
              !d->config->pending_is_cached);
    load->seen++;
    load->missed += missed;
    if (d->config->profiled && event->kind == LOOM_EVENT_MISS &&
        dacache_class_of(d, request) == DACACHE_COHERENT) {
        probe(d, request);
    }
    if (load->seen == request->accesses) {
        retire(d, request, load);
    }
}
