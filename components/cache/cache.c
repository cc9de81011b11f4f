/*
 * cache: one class for the L1s, L1.5s, L2 slices and L3s of a GPU.
 *
 * Set-associative, non-blocking, with MSHRs that merge.  The component owns
 * tags, timing and counting; which access goes around it, which miss gets a
 * line and which line leaves is the business of the policies in its slots,
 * asked in the order of policies/cache_hook.h.  The model follows GPGPU-Sim
 * 3.2.2 and 4 (gpu-cache.cc) except where a comment says otherwise.
 *
 *   tick.c    a cycle; replies; waiting     lines.c   ways and what leaves
 *   lookup.c  hit, pending hit, miss        below.c   MSHRs, fills, bypasses
 *   init.c    shapes, memory, policies
 *
 * Invariants: a line is present in at most one way of its set; a way is
 * reserved exactly while an MSHR entry waits for sectors of it; accesses =
 * hits + pending hits + misses + bypasses.
 */
#include "components/cache/cache_private.h"

static bool cache_check(struct loom_component *self, struct loom_error *err)
{
    const struct cache *c = loom_state(self);
    const struct cache_stats *s = c->stats;
    uint32_t reserved = 0;

    for (uint32_t i = 0; i < c->lines; i++) {
        reserved += c->line[i].pending != 0;
    }
    if (s->accesses != s->lookups + s->bypasses) {
        return loom_fail(err, LOOM_ERR_DEADLOCK,
                         "accesses %llu are not hits, pending hits, misses "
                         "and bypasses %llu",
                         (unsigned long long)s->accesses,
                         (unsigned long long)(s->lookups + s->bypasses));
    }
    if (s->fetches != s->fills) {
        return loom_fail(
            err, LOOM_ERR_DEADLOCK, "fetches %llu are not fills %llu",
            (unsigned long long)s->fetches, (unsigned long long)s->fills);
    }
    if (c->mshr_used != 0 || c->passing_used != 0 || c->queries_out != 0) {
        return loom_fail(err, LOOM_ERR_DEADLOCK,
                         "%u MSHRs, %u passing requests and %u queries wait "
                         "for replies",
                         c->mshr_used, c->passing_used, c->queries_out);
    }
    if (reserved != 0) {
        return loom_fail(err, LOOM_ERR_DEADLOCK, "%u ways are still reserved",
                         reserved);
    }
    if (c->pipe_count != 0 || c->queue_count != 0 || c->query_count != 0) {
        return loom_fail(err, LOOM_ERR_DEADLOCK,
                         "%u accesses, %u requests and %u queries are still "
                         "queued",
                         c->pipe_count, c->queue_count, c->query_count);
    }
    return true;
}

static void cache_report(struct loom_component *self,
                         struct loom_report *report)
{
    static const char *const reason[] = {
        "no unreserved way", "no MSHR",          "no place in its MSHR",
        "the miss queue",    "no candidate way", "the data port",
        "room for a reply",  "a flush",          "its turn",
    };
    const struct cache *c = loom_state(self);

    if (c->pipe_count != 0) {
        const struct loom_mem_request *r = &c->pipe[c->pipe_head].request;
        bool waits = c->head.reason != CACHE_DONE;

        loom_report_line(report, self, waits ? c->head.since : LOOM_NEVER,
                         "%u accesses queued, the oldest to block 0x%llx of "
                         "warp %u waits for %s",
                         c->pipe_count, (unsigned long long)r->block, r->warp,
                         reason[c->head.reason]);
    }
    if (c->gate.reason != CACHE_DONE) {
        loom_report_line(report, self, c->gate.since, "a bypass waits for %s",
                         reason[c->gate.reason]);
    }
    if (c->mshr_used + c->passing_used + c->queue_count != 0) {
        loom_report_line(report, self, LOOM_NEVER,
                         "%u MSHRs and %u passing requests wait for replies, "
                         "%u requests to be sent",
                         c->mshr_used, c->passing_used, c->queue_count);
    }
}

static const char *const cache_levels[] = {"l1", "l15", "l2", "l3", NULL};
static const char *const cache_writes[] = {"write_evict", "write_through",
                                           "write_back", NULL};
static const char *const cache_write_misses[] = {"fetch_on_write", "validate",
                                                 NULL};
static const char *const cache_allocates[] = {"on_miss", "on_fill", NULL};
static const char *const cache_powers[] = {"on", "gated", NULL};

static const struct loom_param cache_params[] = {
    LOOM_PARAM(struct cache_config, size_bytes, .unit = LOOM_UNIT_BYTE,
               .def = {.u = 16384}, .min = {.u = 32}, .max = {.u = 1ull << 40},
               .doc = "Bytes of data", .source = "GTX480 as GPGPU-Sim 3.2.2"),
    LOOM_PARAM(struct cache_config, ways, .unit = LOOM_UNIT_LINE,
               .def = {.u = 4}, .min = {.u = 1}, .max = {.u = 4096},
               .doc = "Ways of a set", .source = "GTX480 as GPGPU-Sim 3.2.2"),
    LOOM_PARAM(struct cache_config, line_bytes, .unit = LOOM_UNIT_BYTE,
               .def = {.u = 128}, .min = {.u = 32}, .max = {.u = 128},
               .power_of_2 = true, .doc = "Bytes of a line",
               .source = "GTX480 as GPGPU-Sim 3.2.2"),
    LOOM_PARAM(struct cache_config, sector_bytes, .unit = LOOM_UNIT_BYTE,
               .def = {.u = 0}, .min = {.u = 0}, .max = {.u = 128},
               .doc =
                   "Bytes that are valid or not together; 0: the whole line"),
    LOOM_PARAM(
        struct cache_config, level, .unit = LOOM_UNIT_NONE,
        .choices = cache_levels, .def = {.s = "l1"},
        .doc = "Which bit of a request says that it goes around this cache"),
    LOOM_PARAM(struct cache_config, write_policy, .unit = LOOM_UNIT_NONE,
               .choices = cache_writes, .def = {.s = "write_evict"},
               .doc = "Write-evict drops a line that is written, write-through "
                      "keeps it, both send the write on and allocate nothing; "
                      "write-back keeps written data and allocates",
               .source = "Fermi L1 as GPGPU-Sim 3.2.2"),
    LOOM_PARAM(struct cache_config, write_miss, .unit = LOOM_UNIT_NONE,
               .choices = cache_write_misses, .def = {.s = "fetch_on_write"},
               .doc = "Write-back only: always fetch the line, or not if the "
                      "write brings all bytes of its sectors",
               .source = "GPGPU-Sim 3.2.2"),
    LOOM_PARAM(struct cache_config, local_write_back, .unit = LOOM_UNIT_NONE,
               .def = {.b = false},
               .doc = "Writes to local memory that hit stay here, dirty, "
                      "whatever the policy",
               .source = "Fermi L1 as GPGPU-Sim 3.2.2"),
    LOOM_PARAM(struct cache_config, allocate, .unit = LOOM_UNIT_NONE,
               .choices = cache_allocates, .def = {.s = "on_miss"},
               .doc = "Does a miss reserve its way at once or take it when its "
                      "data comes",
               .source = "GTX480 as GPGPU-Sim 3.2.2"),
    LOOM_PARAM(struct cache_config, mshr_entries, .unit = LOOM_UNIT_LINE,
               .def = {.u = 32}, .min = {.u = 1}, .max = {.u = 65536},
               .doc = "Blocks that may be on their way at once",
               .source = "GTX480 as GPGPU-Sim 3.2.2"),
    LOOM_PARAM(struct cache_config, mshr_merges, .unit = LOOM_UNIT_REQUEST,
               .def = {.u = 8}, .min = {.u = 1}, .max = {.u = 65536},
               .doc = "Accesses that one MSHR holds, the first included",
               .source = "GTX480 as GPGPU-Sim 3.2.2"),
    LOOM_PARAM(struct cache_config, miss_queue, .unit = LOOM_UNIT_REQUEST,
               .def = {.u = 8}, .min = {.u = 1}, .max = {.u = 65536},
               .doc =
                   "Requests that may wait to be sent down; all of them usable",
               .source = "GTX480 as GPGPU-Sim 3.2.2"),
    LOOM_PARAM(struct cache_config, passing_entries, .unit = LOOM_UNIT_REQUEST,
               .def = {.u = 4096}, .min = {.u = 1}, .max = {.u = 1 << 20},
               .doc = "Requests without an MSHR (bypasses, writes sent on) "
                      "that may wait for a reply"),
    LOOM_PARAM(struct cache_config, hit_latency, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 1}, .min = {.u = 0}, .max = {.u = 4096},
               .doc = "Cycles from the arrival of an access to the reply to "
                      "its hit; a miss pays them too, a bypass does not",
               .source = "GTX480 as GPGPU-Sim 3.2.2"),
    LOOM_PARAM(struct cache_config, data_port_bytes, .unit = LOOM_UNIT_BYTE,
               .def = {.u = 128}, .min = {.u = 1}, .max = {.u = 1024},
               .power_of_2 = true,
               .doc = "Width of the data array: a hit occupies it ceil(size / "
                      "width) cycles",
               .source = "GTX480 as GPGPU-Sim 3.2.2"),
    LOOM_PARAM(struct cache_config, fill_port_bytes, .unit = LOOM_UNIT_BYTE,
               .def = {.u = 128}, .min = {.u = 1}, .max = {.u = 1024},
               .power_of_2 = true,
               .doc = "Width of the fill port: a fill occupies it ceil(size / "
                      "width) cycles",
               .source = "GTX480 as GPGPU-Sim 3.2.2"),
    LOOM_PARAM(struct cache_config, accesses_per_cycle,
               .unit = LOOM_UNIT_REQUEST, .def = {.u = 1}, .min = {.u = 1},
               .max = {.u = 32},
               .doc = "Accesses admitted and served per cycle"),
    LOOM_PARAM(struct cache_config, wake_cycles, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 1}, .min = {.u = 0}, .max = {.u = 1024},
               .doc = "What a hit on a drowsy line costs more"),
    LOOM_PARAM(struct cache_config, power_start, .unit = LOOM_UNIT_NONE,
               .choices = cache_powers, .def = {.s = "on"},
               .doc = "Power state of all lines before their first fill; needs "
                      "a power policy to change"),
    LOOM_PARAM(struct cache_config, infinite, .unit = LOOM_UNIT_NONE,
               .def = {.b = false},
               .doc = "Nothing is ever evicted, for studies; size, ways, "
                      "replacement and set index are not used"),
    LOOM_PARAM(
        struct cache_config, infinite_lines, .unit = LOOM_UNIT_LINE,
        .def = {.u = 1 << 20}, .min = {.u = 64}, .max = {.u = 1 << 28},
        .power_of_2 = true,
        .doc = "Table of an infinite cache; seven eighths of it may be used"),
    LOOM_PARAM(struct cache_config, map_channels, .unit = LOOM_UNIT_NONE,
               .def = {.u = 1}, .min = {.u = 1}, .max = {.u = 4096},
               .doc = "Channels of the memory system, for the map"),
    LOOM_PARAM(struct cache_config, map_slices, .unit = LOOM_UNIT_NONE,
               .def = {.u = 1}, .min = {.u = 1}, .max = {.u = 64},
               .doc = "Slices per channel, for the map"),
};

static const char *const cache_kinds[] = {"load", "store", "atomic",
                                          "writeback"};
static const char *const cache_fails[] = {"line", "mshr", "merge", "miss_queue",
                                          "candidates"};
static const char *const cache_stalls[] = {"data_port", "reply", "flush"};

static const struct loom_stat cache_stats[] = {
    LOOM_COUNTER(struct cache_stats, accesses, LOOM_UNIT_REQUEST,
                 "Accesses accepted: hits, pending hits, misses and bypasses; "
                 "a retry is none"),
    LOOM_COUNTER(struct cache_stats, hits, LOOM_UNIT_REQUEST,
                 "Accesses that found their data"),
    LOOM_COUNTER(struct cache_stats, pending_hits, LOOM_UNIT_REQUEST,
                 "Accesses that found their tag with the data on the way"),
    LOOM_COUNTER(struct cache_stats, misses, LOOM_UNIT_REQUEST,
                 "Accesses that sent a request or joined an MSHR without a tag "
                 "of their own"),
    LOOM_COUNTER(struct cache_stats, bypasses, LOOM_UNIT_REQUEST,
                 "Accesses sent around the cache"),
    LOOM_COUNTER(struct cache_stats, lookups, LOOM_UNIT_REQUEST,
                 "Accesses that looked at the tags: all but the bypasses"),
    LOOM_VECTOR(struct cache_stats, accesses_by_kind, "kind", cache_kinds,
                LOOM_UNIT_REQUEST, "Accesses by kind of request"),
    LOOM_VECTOR(struct cache_stats, hits_by_kind, "kind", cache_kinds,
                LOOM_UNIT_REQUEST, "Hits by kind of request"),
    LOOM_VECTOR(struct cache_stats, pending_hits_by_kind, "kind", cache_kinds,
                LOOM_UNIT_REQUEST, "Pending hits by kind of request"),
    LOOM_VECTOR(struct cache_stats, misses_by_kind, "kind", cache_kinds,
                LOOM_UNIT_REQUEST, "Misses by kind of request"),
    LOOM_VECTOR(struct cache_stats, bypasses_by_kind, "kind", cache_kinds,
                LOOM_UNIT_REQUEST, "Bypasses by kind of request"),
    LOOM_RATIO(struct cache_stats, miss_ratio, misses, lookups, LOOM_UNIT_RATIO,
               "Misses per lookup; pending hits are lookups and no misses, "
               "bypasses are neither"),
    LOOM_RATIO(struct cache_stats, hit_ratio, hits, lookups, LOOM_UNIT_RATIO,
               "Hits per lookup; pending hits are lookups and no hits, "
               "bypasses are neither"),
    LOOM_RATIO(struct cache_stats, bypass_ratio, bypasses, accesses,
               LOOM_UNIT_RATIO, "Bypasses per access"),
    LOOM_COUNTER(struct cache_stats, mshr_merges, LOOM_UNIT_REQUEST,
                 "Accesses that joined others in an MSHR"),
    LOOM_COUNTER(struct cache_stats, fetches, LOOM_UNIT_REQUEST,
                 "Requests for data sent down for an MSHR"),
    LOOM_COUNTER(struct cache_stats, fetched_bytes, LOOM_UNIT_BYTE,
                 "Bytes asked for below, by MSHRs and by loads that bypass"),
    LOOM_COUNTER(struct cache_stats, fills, LOOM_UNIT_REQUEST,
                 "Replies that came for an MSHR"),
    LOOM_COUNTER(struct cache_stats, unallocated_misses, LOOM_UNIT_REQUEST,
                 "Load misses that a policy gave no line"),
    LOOM_COUNTER(struct cache_stats, evictions, LOOM_UNIT_LINE,
                 "Lines that left for another block"),
    LOOM_COUNTER(struct cache_stats, write_evictions, LOOM_UNIT_LINE,
                 "Lines dropped because they were written"),
    LOOM_COUNTER(struct cache_stats, flushed_lines, LOOM_UNIT_LINE,
                 "Lines dropped by flushes"),
    LOOM_COUNTER(struct cache_stats, flushes, LOOM_UNIT_EVENT, "Flushes"),
    LOOM_COUNTER(struct cache_stats, writebacks, LOOM_UNIT_REQUEST,
                 "Dirty lines sent down"),
    LOOM_COUNTER(struct cache_stats, written_bytes, LOOM_UNIT_BYTE,
                 "Bytes sent down by writes and write-backs"),
    LOOM_COUNTER(struct cache_stats, replies, LOOM_UNIT_REQUEST,
                 "Replies sent up"),
    LOOM_COUNTER(struct cache_stats, queries, LOOM_UNIT_REQUEST,
                 "Queries of policies above answered here"),
    LOOM_COUNTER(struct cache_stats, answers, LOOM_UNIT_REQUEST,
                 "Answers to queries of this cache's policies"),
    LOOM_VECTOR(struct cache_stats, reservation_fails, "reason", cache_fails,
                LOOM_UNIT_CYCLE,
                "Cycles in which an access could not be accepted, by reason"),
    LOOM_VECTOR(struct cache_stats, fail_accesses, "reason", cache_fails,
                LOOM_UNIT_REQUEST,
                "Accesses that could not be accepted at once, by first reason"),
    LOOM_VECTOR(struct cache_stats, other_stalls, "reason", cache_stalls,
                LOOM_UNIT_CYCLE,
                "Cycles in which an access waited for something else"),
    LOOM_COUNTER(struct cache_stats, mshr_entry_cycles, LOOM_UNIT_CYCLE,
                 "MSHR entries in use, summed over cycles"),
    LOOM_COUNTER(struct cache_stats, line_on_cycles, LOOM_UNIT_CYCLE,
                 "Lines that are on, summed over cycles"),
};

static const struct loom_port_decl cache_ports[] = {
    {"up", "Requests from above", LOOM_SERVER, &loom_mem_protocol, 1, 64},
    {"down", "Misses, writes and bypasses", LOOM_CLIENT, &loom_mem_protocol, 1,
     1},
};

static const struct loom_slot_decl cache_slots[] = {
    {"admit", "Sends accesses around the cache", &loom_admit_hook, NULL},
    {"allocation", "Which misses get a line", &loom_allocation_hook, NULL},
    {"candidates", "Which ways may be replaced", &loom_candidates_hook, NULL},
    {"replacement", "Which way is replaced", &loom_replacement_hook, "lru"},
    {"set_index", "Set of an address", &loom_set_index_hook, "linear_index"},
    {"power", "Turns lines on and off", &loom_power_hook, NULL},
    {"mark", "Sets policy bits of requests that are sent on",
     &loom_cache_mark_hook, NULL},
    {"observe", "Watches the cache", &loom_cache_observe_hook, NULL},
    {"map", "Address that the set index is computed from: the slice's own",
     &loom_map_hook, NULL},
};

static const struct loom_component_ops cache_ops = {
    .validate = cache_validate,
    .init = cache_init,
    .tick = cache_tick,
    .settle = cache_settle,
    .check = cache_check,
    .report = cache_report,
};

const struct loom_component_type cache_component = {
    .name = "cache",
    .doc = "Set-associative non-blocking cache of any level",
    .state_size = sizeof(struct cache),
    .config_size = sizeof(struct cache_config),
    .stats_size = sizeof(struct cache_stats),
    .params = LOOM_SLICE(cache_params),
    .stats = LOOM_SLICE(cache_stats),
    .ports = LOOM_SLICE(cache_ports),
    .slots = LOOM_SLICE(cache_slots),
    .ops = &cache_ops,
};
