/*
 * cache: one class for the L1s, L1.5s, L2 slices and L3s of a GPU.
 *
 * Set-associative, non-blocking, with MSHRs that merge.  The component owns
 * tags, timing and counting; which access goes around it, which miss gets a
 * line and which line leaves is the business of the policies in its slots,
 * asked in the order of policies/cache_hook.h.  The model follows GPGPU-Sim
 * 3.2.2 and 4 (gpu-cache.cc) except where a comment says otherwise.
 *
 * A file calls those that stand above it here:
 *
 *   sectors tags up down pipe mshr  what a cache has, each by itself
 *   ask tell                        policies and watchers
 *   send reply means power place    effects on what a cache has
 *   around flush fill preload       whole answers
 *   miss write access               accesses that are looked up
 *   warm                            accesses without time
 *   wait admit tick                 a cycle
 *   bind init check cache           building, laws, declaration
 *
 * Invariants: a line is present in at most one way of its set; a way is
 * reserved exactly while an MSHR entry waits for sectors of it; accesses =
 * hits + pending hits + misses + bypasses.
 */
#include "components/cache/answers.h"
#include "components/cache/init.h"
#include "components/cache/power.h"
#include "components/cache/tick.h"
#include "components/cache/wait.h"
#include "components/cache/warm.h"

/* ---- statistics ---- */

static uint64_t sum(const uint64_t by_kind[CACHE_KINDS])
{
    return by_kind[0] + by_kind[1] + by_kind[2] + by_kind[3];
}

static void cache_settle(struct loom_component *self, loom_cycle now)
{
    struct cache *c = loom_state(self);
    struct cache_stats *s = c->stats;

    for (uint32_t i = 0; i < c->pipe.banks; i++) {
        cache_settle_wait(c, &c->pipe.bank[i].wait, now);
    }
    cache_settle_wait(c, &c->gate, now);
    if (now > c->mshrs.counted) { /* it may have run ahead */
        cache_integrate(&c->mshrs, now);
    }
    cache_integrate_power(c, now);
    s->fills = c->fills;
    s->part_fills = c->part_fills;
    s->replies = c->up.replies;
    s->split_requests = c->up.split_requests;
    s->mshr_merges = c->mshrs.merged;
    s->mshr_entry_cycles = c->mshrs.entry_cycles;
    for (uint32_t i = 0; i < CACHE_KINDS; i++) {
        s->accesses_by_kind[i] = s->hits_by_kind[i] +
                                 s->pending_hits_by_kind[i] +
                                 s->misses_by_kind[i] + s->bypasses_by_kind[i];
    }
    s->accesses = sum(s->accesses_by_kind);
    s->hits = sum(s->hits_by_kind);
    s->pending_hits = sum(s->pending_hits_by_kind);
    s->misses = sum(s->misses_by_kind);
    s->bypasses = sum(s->bypasses_by_kind);
    s->lookups = s->hits + s->pending_hits + s->misses;
}

/* ---- what it can be told and what it counts ---- */

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
        .choices = LOOM_CHOICES("l1", "l15", "l2", "l3"), .def = {.s = "l1"},
        .doc = "Which bit of a request says that it goes around this cache"),
    LOOM_PARAM(struct cache_config, write_policy, .unit = LOOM_UNIT_NONE,
               .choices =
                   LOOM_CHOICES("write_evict", "write_through", "write_back"),
               .def = {.s = "write_evict"},
               .doc = "Write-evict drops a line that is written, write-through "
                      "keeps it, both send the write on and allocate nothing "
                      "(but see write_miss); write-back keeps written data "
                      "and allocates",
               .source = "Fermi L1 as GPGPU-Sim 3.2.2"),
    LOOM_PARAM(struct cache_config, write_miss, .unit = LOOM_UNIT_NONE,
               .choices = LOOM_CHOICES("fetch_on_write", "validate", "lazy",
                                       "write_allocate", "no_allocate"),
               .def = {.s = "fetch_on_write"},
               .doc = "Write-back: fetch_on_write always fetches the line, "
                      "validate only if the write does not bring all bytes of "
                      "its sectors, lazy when a load needs bytes that were "
                      "not written; write_allocate sends the write on and "
                      "fetches; no_allocate sends it on.  Write-through: lazy "
                      "and write_allocate allocate, the others do not",
               .source = "GPGPU-Sim 3.2.2; validate and lazy are F and L of "
                         "version 4, write_allocate is W, no_allocate N"),
    LOOM_PARAM(struct cache_config, local_write_back, .unit = LOOM_UNIT_NONE,
               .def = {.b = false},
               .doc = "Writes to local memory that hit stay here, dirty, "
                      "whatever the policy",
               .source = "Fermi L1 as GPGPU-Sim 3.2.2"),
    LOOM_PARAM(struct cache_config, allocate, .unit = LOOM_UNIT_NONE,
               .choices = LOOM_CHOICES("on_miss", "on_fill"),
               .def = {.s = "on_miss"}, .doc = "When a miss reserves its way",
               .source = "GTX480 as GPGPU-Sim 3.2.2"),
    LOOM_PARAM(struct cache_config, mshr_entries, .unit = LOOM_UNIT_LINE,
               .def = {.u = 32}, .min = {.u = 1}, .max = {.u = 65536},
               .doc = "Blocks that may be on their way at once",
               .source = "GTX480 as GPGPU-Sim 3.2.2"),
    LOOM_PARAM(struct cache_config, mshr_merges, .unit = LOOM_UNIT_REQUEST,
               .def = {.u = 8}, .min = {.u = 1}, .max = {.u = 65536},
               .doc = "Accesses that one MSHR holds, the first included",
               .source = "GTX480 as GPGPU-Sim 3.2.2"),
    LOOM_PARAM(struct cache_config, line_mshrs, .unit = LOOM_UNIT_NONE,
               .def = {.b = false},
               .doc = "An MSHR for each line, or sector by mshr_unit",
               .source = "GPGPU-Sim 4.0 (2018), streaming caches"),
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
                      "its hit; a miss pays them too, a bypass does not (but "
                      "around_waits)",
               .source = "GTX480 as GPGPU-Sim 3.2.2"),
    LOOM_PARAM(struct cache_config, around_waits, .unit = LOOM_UNIT_NONE,
               .def = {.b = false},
               .doc = "Loads whose instruction says that they go around the "
                      "cache pass its pipeline, too, and wait for "
                      "hit_latency",
               .source = "GPGPU-Sim: false; H100, measured: true"),
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
    LOOM_PARAM(struct cache_config, requests_per_cycle,
               .unit = LOOM_UNIT_REQUEST, .def = {.u = 0}, .min = {.u = 0},
               .max = {.u = 32},
               .doc = "Requests of which accesses are admitted first in a "
                      "cycle; 0: as many as accesses"),
    LOOM_PARAM(struct cache_config, atomic_interval, .unit = LOOM_UNIT_CYCLE,
               .min = {.f = 0}, .max = {.f = 1024},
               .doc = "From an atomic on a part of a sector to the next "
                      "atomic of the bank; 0: as any access",
               .source = "GPGPU-Sim: 0; H100, H200, measured: 1.45"),
    LOOM_PARAM(struct cache_config, atomic_real_latency,
               .unit = LOOM_UNIT_CYCLE, .min = {.f = 0}, .max = {.f = 1024},
               .doc = "From an atomic of floating point to the next atomic on "
                      "the same sector, if it is longer",
               .source = "GPGPU-Sim: 0; H100, H200, measured: 3.47"),
    LOOM_PARAM(struct cache_config, wake_cycles, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 1}, .min = {.u = 0}, .max = {.u = 1024},
               .doc = "What a hit on a drowsy line costs more"),
    LOOM_PARAM(struct cache_config, power_start, .unit = LOOM_UNIT_NONE,
               .choices = LOOM_CHOICES("on", "gated"), .def = {.s = "on"},
               .doc = "Power state of all lines before their first fill; needs "
                      "a power policy to change"),
    LOOM_PARAM(struct cache_config, infinite, .unit = LOOM_UNIT_NONE,
               .def = {.b = false},
               .doc = "Nothing is ever evicted, for studies; size, ways, "
                      "max_ways, write_ratio, replacement and set index are "
                      "not used; MSHRs are as they are"),
    LOOM_PARAM(
        struct cache_config, infinite_lines, .unit = LOOM_UNIT_LINE,
        .def = {.u = 1 << 20}, .min = {.u = 64}, .max = {.u = 1 << 28},
        .power_of_2 = true,
        .doc = "Table of an infinite cache; seven eighths of it may be used"),
    LOOM_PARAM(struct cache_config, mshr_unit, .unit = LOOM_UNIT_NONE,
               .choices = LOOM_CHOICES("line", "sector"), .def = {.s = "line"},
               .doc = "Is an MSHR for a line or for a sector of it; sector "
                      "needs split_sectors",
               .source = "GPGPU-Sim: its sectored caches have one per sector"),
    LOOM_PARAM(struct cache_config, split_sectors, .unit = LOOM_UNIT_NONE,
               .def = {.b = false},
               .doc = "Serve each 32-byte sector of a request as an access of "
                      "its own",
               .source = "GPGPU-Sim 4: requests for a sectored L2"),
    LOOM_PARAM(struct cache_config, split_replies, .unit = LOOM_UNIT_NONE,
               .choices = LOOM_CHOICES("each", "one"), .def = {.s = "each"},
               .doc = "Answer each sector of a split request by a reply of "
                      "its own, or the request by one",
               .source = "GPGPU-Sim 4"),
    LOOM_PARAM(struct cache_config, join_sectors, .unit = LOOM_UNIT_NONE,
               .def = {.b = false},
               .doc = "Sectors of a block that an instruction loads or stores "
                      "and that are sent down in turn go in one request, with "
                      "one reply; needs mshr_unit = \"sector\"",
               .source = "Nsight Compute: lts__t_requests of l1tex have up to "
                         "four sectors of a line"),
    LOOM_PARAM(struct cache_config, write_ratio, .unit = LOOM_UNIT_NONE,
               .def = {.u = 0}, .min = {.u = 0}, .max = {.u = 100},
               .doc = "Modified lines are not replaced until they are so many "
                      "percent of all lines, unless the set has no other",
               .source = "GPGPU-Sim 4, -gpgpu_l1_cache_write_ratio"),
    LOOM_PARAM(struct cache_config, banks, .unit = LOOM_UNIT_NONE,
               .def = {.u = 1}, .min = {.u = 1}, .max = {.u = 64},
               .power_of_2 = true,
               .doc = "Banks: each takes and serves one access per cycle, in "
                      "order, and a failed access blocks its bank only; with "
                      "one bank, accesses_per_cycle is its width",
               .source = "GPGPU-Sim 4, -gpgpu_l1_banks"),
    LOOM_PARAM(struct cache_config, bank_bytes, .unit = LOOM_UNIT_BYTE,
               .def = {.u = 32}, .min = {.u = 32}, .max = {.u = 4096},
               .power_of_2 = true,
               .doc = "Neighbouring bytes that are in one bank",
               .source = "GPGPU-Sim 4, -gpgpu_l1_banks_byte_interleaving"),
    LOOM_PARAM(struct cache_config, bank_hash, .unit = LOOM_UNIT_NONE,
               .choices = LOOM_CHOICES("linear", "xor"), .def = {.s = "linear"},
               .doc = "Bank from the lowest bits, or from two neighbouring "
                      "fields of them XORed",
               .source = "GPGPU-Sim 4, -gpgpu_l1_banks_hashing_function"),
    LOOM_PARAM(struct cache_config, max_ways, .unit = LOOM_UNIT_LINE,
               .def = {.u = 0}, .min = {.u = 0}, .max = {.u = 4096},
               .doc = "Ways that the cache may grow to when a load/store unit "
                      "shares its memory out; 0: `ways`, which it starts with"),
    LOOM_PARAM(struct cache_config, future, .unit = LOOM_UNIT_NONE,
               .def = {.b = false},
               .doc = "Whoever drives it without time says when each line is "
                      "loaded next, which policies may ask: set by "
                      "loom.locality, whose accesses do not depend on hits"),
    LOOM_PARAM(struct cache_config, preload, .unit = LOOM_UNIT_NONE,
               .def = {.b = false},
               .doc = "Copies of the host to the device leave their lines "
                      "here, at once; slices are told apart by `map`",
               .source = "GPGPU-Sim 4, -gpgpu_perf_sim_memcpy"),
    LOOM_PARAM(struct cache_config, preload_last, .unit = LOOM_UNIT_NONE,
               .def = {.b = false},
               .doc = "Those lines are the first to leave until they are used: "
                      "the replacement policy is not told of them",
               .source = "GPGPU-Sim: false; H100 and H200, measured: true"),
    LOOM_PARAM(struct cache_config, preload_most, .unit = LOOM_UNIT_BYTE,
               .def = {.u = UINT64_C(1) << 40}, .min = {.u = 0},
               .max = {.u = UINT64_C(1) << 40},
               .doc = "The largest copy that does; others pass by"),
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
static const char *const cache_stalls[] = {"data_port", "reply", "flush",
                                           "bank"};

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
                 "Requests for data sent down for an MSHR, alone or with "
                 "another's"),
    LOOM_COUNTER(struct cache_stats, joined_sectors, LOOM_UNIT_REQUEST,
                 "Sectors sent down in the request of another one"),
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
    LOOM_VECTOR(struct cache_stats, reservation_fails, "fail", cache_fails,
                LOOM_UNIT_CYCLE,
                "Cycles in which an access could not be accepted, by reason"),
    LOOM_VECTOR(struct cache_stats, fail_accesses, "fail", cache_fails,
                LOOM_UNIT_REQUEST,
                "Accesses that could not be accepted at once, by first reason"),
    LOOM_VECTOR(struct cache_stats, other_stalls, "stall", cache_stalls,
                LOOM_UNIT_CYCLE,
                "Cycles in which an access waited for something else"),
    LOOM_COUNTER(struct cache_stats, mshr_entry_cycles, LOOM_UNIT_CYCLE,
                 "MSHR entries in use, summed over cycles"),
    LOOM_COUNTER(struct cache_stats, line_on_cycles, LOOM_UNIT_CYCLE,
                 "Lines that are on, summed over cycles"),
    LOOM_COUNTER(struct cache_stats, line_drowsy_cycles, LOOM_UNIT_CYCLE,
                 "Lines that are drowsy, summed over cycles"),
    LOOM_COUNTER(struct cache_stats, line_gated_cycles, LOOM_UNIT_CYCLE,
                 "Lines that are gated, summed over cycles"),
    LOOM_COUNTER(struct cache_stats, sector_misses, LOOM_UNIT_REQUEST,
                 "Misses that found their line, but not all sectors of it"),
    LOOM_COUNTER(struct cache_stats, partial_fetches, LOOM_UNIT_REQUEST,
                 "Sector misses on sectors of which some bytes are written"),
    LOOM_COUNTER(struct cache_stats, split_requests, LOOM_UNIT_REQUEST,
                 "Requests that were served sector by sector"),
    LOOM_COUNTER(struct cache_stats, split_accesses, LOOM_UNIT_REQUEST,
                 "Accesses made of split requests"),
    LOOM_COUNTER(struct cache_stats, part_fills, LOOM_UNIT_REQUEST,
                 "Replies that brought a part of a fetch, not its last"),
    LOOM_COUNTER(struct cache_stats, ratio_exceptions, LOOM_UNIT_EVENT,
                 "Modified lines replaced before write_ratio was reached, as "
                 "the set had no other"),
    LOOM_COUNTER(struct cache_stats, resizes, LOOM_UNIT_EVENT,
                 "How often the number of ways was set anew"),
    LOOM_COUNTER(struct cache_stats, preloaded_lines, LOOM_UNIT_LINE,
                 "Lines that copies of the host left here"),
    LOOM_GAUGE(struct cache_stats, ways_used, LOOM_UNIT_LINE,
               "Ways of a set that may be used now; 0: infinite"),
};

#define CACTI "CACTI 7: 16 KiB, 4 ways, 128-byte lines, 40 nm, 340 K"

/* Of the GTX 480's L1; lines are at 700 MHz. */
static const struct loom_energy cache_energies[] = {
    {"tag", "Looking at the tags of a set", "lookups", 0.813318e-12, CACTI},
    {"read", "Reading a line, or a sector of a sectored cache",
     "hits_by_kind.load + hits_by_kind.atomic + writebacks", 62.5033e-12,
     CACTI ", 1024 bits"},
    {"write", "Writing as much",
     "hits_by_kind.store + hits_by_kind.atomic + hits_by_kind.writeback",
     83.6026e-12, CACTI ", 1024 bits"},
    {"fill", "Writing what came from below", "fills + part_fills", 83.6026e-12,
     CACTI ", 1024 bits"},
    {"mshr_search", "Looking for a block among the MSHRs",
     "misses + pending_hits", 2.27389e-12, "CACTI 7: CAM 32 x 32 bits, 40 nm"},
    {"mshr_write", "Entering a block or another access",
     "fetches + mshr_merges", 0.435203e-12, "CACTI 7: CAM 32 x 32 bits, 40 nm"},
    {"leak_on", "Leakage of the data of a line that is on", "line_on_cycles",
     1.0457667e-13, CACTI},
    {"leak_drowsy", "Leakage of the data of a drowsy line",
     "line_drowsy_cycles", 1.568650e-14,
     "assumed: 15 % of a line that is on; Flautner et al. (ISCA 2002) report "
     "a sixth to a tenth"},
    {"leak_gated", "Leakage of the data of a gated line", "line_gated_cycles",
     3.137300e-15,
     "assumed: 3 % of a line that is on, as gated Vdd of Powell et al. "
     "(ISLPED 2000)"},
    {"leak_rest", "Leakage of tags, gates and MSHRs, which stay on", "time",
     1.537599e-3, CACTI ", and a CAM of 32 x 32 bits"},
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

/* A tick drains, takes what is below and serves, and asks for one more. */
static uint32_t cache_places(struct loom_component *self)
{
    const struct cache *c = loom_state(self);

    return c->pipe.banks + c->config->accesses_per_cycle + 3;
}

static loom_cycle cache_awaited(struct loom_component *self, uint32_t launch)
{
    const struct cache *c = loom_state(self);
    loom_cycle newest = 0, at = 0;

    for (uint32_t i = 0; i < c->up.ports; i++) {
        const struct loom_mem_request *r =
            loom_newest(c->up.port[i].from_above, &at);

        if (r != NULL && r->kind == LOOM_MEM_LOAD && r->kernel == launch &&
            (r->flags & LOOM_MEM_AWAITED) != 0) {
            newest = at > newest ? at : newest;
        }
    }
    return newest;
}

static const struct loom_ahead_ops cache_ahead = {.places = cache_places,
                                                  .awaited = cache_awaited};

static const struct loom_warm_ops cache_warm = {.serve = cache_serve_warm,
                                                .quiet = cache_quiet};

static const struct loom_component_ops cache_ops = {
    .validate = cache_validate,
    .init = cache_init,
    .tick = cache_tick,
    .settle = cache_settle,
    .command = cache_command,
    .check = cache_check,
    .report = cache_report,
    .ahead = &cache_ahead,
    .warm = &cache_warm,
};

const struct loom_component_type cache_component = {
    .name = "cache",
    .doc = "Set-associative non-blocking cache of any level",
    .state_size = sizeof(struct cache),
    .config_size = sizeof(struct cache_config),
    .stats_size = sizeof(struct cache_stats),
    .params = LOOM_SLICE(cache_params),
    .stats = LOOM_SLICE(cache_stats),
    .energies = LOOM_SLICE(cache_energies),
    .ports = LOOM_SLICE(cache_ports),
    .slots = LOOM_SLICE(cache_slots),
    .ops = &cache_ops,
};
