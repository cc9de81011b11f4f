/*
 * apcm: cache management by what each load's data is used for.
 *
 * Koo, Oh, Ro and Annavaram, "Access Pattern-Aware Cache Management for
 * Improving Data Utilization in GPU", ISCA 2017.  One warp of each kernel is
 * monitored; lines that a load brings and nobody uses again are streaming
 * and go around the L1 from then on, those that only the warp itself uses
 * again are protected until its last use, all others are left alone.
 */
#include <string.h>

#include "policies/apcm/apcm_private.h"

static bool is(const char *text, const char *other)
{
    return strcmp(text, other) == 0;
}

/* ---- building ---- */

static bool validate(const void *config, struct loom_error *err)
{
    const struct apcm_config *k = config;

    if (k->mta_entries % k->mta_ways != 0) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'mta_ways' is %u, expected a divisor of "
                         "'mta_entries', %u",
                         k->mta_ways, k->mta_entries);
    }
    if (k->threshold >> k->count_bits != 0) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'threshold' is %u, which counters of "
                         "%u bits ('count_bits') do not reach",
                         k->threshold, k->count_bits);
    }
    return true;
}

static void read_config(struct apcm *a, const struct apcm_config *k)
{
    a->bypasses = is(k->manage, "both") || is(k->manage, "bypass");
    a->protects = is(k->manage, "both") || is(k->manage, "protect");
    a->by_distance = is(k->protection, "distance");
    a->per_set = is(k->distance_scope, "set");
    a->always = is(k->remonitor, "always");
    a->set_on_access = is(k->psb_set, "access");
    a->holder_is_load = is(k->psb_holder, "load");
    a->at_issue = is(k->release_at, "issue");
    a->outermost = is(k->loop_release, "outermost");
    a->mta_sets = k->mta_entries / k->mta_ways;
    a->count_max = (1u << k->count_bits) - 1;
    a->epoch_mask = (1u << k->epoch_bits) - 1;
    a->warp = APCM_NO_WARP;
}

static void make_arrays(struct loom_policy *self, uint32_t count)
{
    struct apcm_stats *s = loom_policy_stats(self);

    loom_load_ids_init(&s->load, self, count);
    loom_policy_array(self, &s->load_accesses, count);
    loom_policy_array(self, &s->load_hits, count);
    loom_policy_array(self, &s->load_bypasses, count);
    loom_policy_array(self, &s->load_protections, count);
    loom_policy_array(self, &s->load_no_way, count);
    loom_policy_array(self, &s->load_unknown, count);
    for (uint32_t i = 0; i < APCM_METHODS; i++) {
        loom_policy_array(self, &s->load_method[i], count);
    }
    for (uint32_t i = 0; i < APCM_TYPES; i++) {
        loom_policy_array(self, &s->load_type[i], count);
    }
}

static bool init(struct loom_policy *self, struct loom_error *err)
{
    const struct apcm_config *k = loom_policy_config(self);
    struct apcm *a = loom_policy_state(self);

    read_config(a, k);
    a->lat = loom_policy_alloc(self, k->loads, sizeof(*a->lat));
    a->cait = loom_policy_alloc(self, k->loads, sizeof(*a->cait));
    a->mta = loom_policy_alloc(self, k->mta_entries, sizeof(*a->mta));
    make_arrays(self, k->load_rows);
    if (!loom_policy_has_memory(self, err)) {
        return false;
    }
    apcm_forget(a);
    return loom_load_table_init(&a->table, self, k->load_rows, err);
}

static bool check(struct loom_policy *self, struct loom_error *err)
{
    const struct apcm_stats *s = loom_policy_stats(self);
    uint64_t released = s->protecting_warps, lines = 0;

    for (uint32_t i = 0; i < APCM_RELEASES; i++) {
        released += s->released[i];
    }
    for (uint32_t i = 0; i < APCM_TYPES; i++) {
        lines += s->lines[i];
    }
    if (s->bypasses + s->undecided > s->accesses || released > s->acquired ||
        lines != s->mta_allocations || s->protecting_warps != 0) {
        return loom_fail(
            err, LOOM_ERR_LAW,
            "bypasses %llu and undecided %llu of %llu accesses, %llu of %llu "
            "protections ended, %llu of %llu monitored lines "
            "have a type, %llu warps protect",
            (unsigned long long)s->bypasses, (unsigned long long)s->undecided,
            (unsigned long long)s->accesses, (unsigned long long)released,
            (unsigned long long)s->acquired, (unsigned long long)lines,
            (unsigned long long)s->mta_allocations,
            (unsigned long long)s->protecting_warps);
    }
    return true;
}

/* Table 3 of the paper, from the parameters. */
static void cost(const void *config, const struct loom_cost_shape *shape,
                 struct loom_cost *out)
{
    const struct apcm_config *k = config;
    uint32_t id = loom_bits_for(k->loads);
    uint32_t low = loom_bits_for(shape->line_bytes) +
                   loom_bits_for(k->mta_entries / k->mta_ways);
    uint32_t tag = k->mta_address_bits > low ? k->mta_address_bits - low : 0;
    bool distance = is(k->protection, "distance");
    uint32_t stamp = distance ? loom_bits_for(k->distance + UINT64_C(2)) : 0;
    uint32_t holder = is(k->psb_holder, "load") ? id : 0;
    uint32_t order = loom_bits_for(k->mta_ways);

    loom_cost_add(out, "lines", (uint64_t)shape->sets * shape->ways,
                  1 + loom_bits_for(shape->warps) + k->count_bits +
                      k->epoch_bits + stamp,
                  "Per line of the L1: protection bit, warp, accesses");
    loom_cost_add(out, "mta", k->mta_entries,
                  tag + 2 * id + 2 * k->count_bits + order,
                  "Tag, first and last load, accesses by all and by the warp");
    loom_cost_add(out, "cait", k->loads, 1 + 2 + k->count_bits + id,
                  "Valid bit, method, accesses, last load");
    loom_cost_add(out, "lat", k->loads, shape->pc_bits,
                  "Address of the load with this id, searched in parallel");
    loom_cost_add(out, "psb", distance ? 0 : shape->warps,
                  1 + id + 1 + holder + k->epoch_bits,
                  "Per warp: valid bit, last load, loop bit");
}

/* ---- descriptor ---- */

static const char *const manage_choices[] = {"both", "bypass", "protect",
                                             "none", NULL};
static const char *const remonitor_choices[] = {"launch", "always", NULL};
static const char *const reset_choices[] = {"launch", "name", "never", NULL};
static const char *const protection_choices[] = {"dependency", "distance",
                                                 NULL};
static const char *const scope_choices[] = {"cache", "set", NULL};
static const char *const psb_set_choices[] = {"allocate", "access", NULL};
static const char *const holder_choices[] = {"last", "load", NULL};
static const char *const release_choices[] = {"complete", "issue", NULL};
static const char *const loop_choices[] = {"innermost", "outermost", NULL};

#define CHOICE(field, def_, choices_, doc_)                                    \
    LOOM_PARAM(struct apcm_config, field, .def = {.s = (def_)},                \
               .choices = choices_, .doc = doc_)
#define NUMBER(field, def_, min_, max_, doc_, source_)                         \
    LOOM_PARAM(struct apcm_config, field, .def = {.u = (def_)},                \
               .min = {.u = (min_)}, .max = {.u = (max_)}, .doc = doc_,        \
               .source = source_)
#define FLAG(field, def_, doc_)                                                \
    LOOM_PARAM(struct apcm_config, field, .def = {.b = (def_)}, .doc = doc_)

static const struct loom_param params[] = {
    CHOICE(manage, "both", manage_choices,
           "What is done with what was learnt: bypassing, protection, both, or "
           "nothing but watching"),
    NUMBER(loads, 16, 1, 256,
           "Entries of LAT and CAIT: loads that are told "
           "apart",
           "table 5"),
    NUMBER(mta_entries, 32, 1, 4096, "Entries of the monitor tag array",
           "table 5"),
    NUMBER(mta_ways, 1, 1, 4096,
           "Entries of one of its sets; of more than "
           "one the one used longest ago leaves",
           "table 5: direct-mapped"),
    NUMBER(mta_address_bits, 32, 12, 64,
           "Bits of an address that its tags "
           "and sets cover",
           "table 3: 36 bits = 20 of tag + 4 fields of 4"),
    NUMBER(count_bits, 4, 1, 16, "Width of the access counts",
           "figures 9 and 10"),
    NUMBER(threshold, 15, 1, 65535,
           "An entry of the MTA that exceeds so many "
           "accesses is entered into the CAIT at once",
           "not given"),
    NUMBER(tracked_accesses, 2, 1, 128,
           "Accesses of an instruction that may "
           "have an entry in the MTA",
           "section 5.1"),
    FLAG(count_dropped, false,
         "The other accesses count where they hit in the "
         "MTA"),
    FLAG(track_bypasses, true,
         "Accesses that go around the L1 look up the "
         "MTA, too"),
    FLAG(early_streaming, true,
         "An entry that a conflict evicts after one "
         "access is called streaming"),
    CHOICE(remonitor, "launch", remonitor_choices,
           "When the next warp is monitored: at the next launch, or when the "
           "one before has finished"),
    CHOICE(reset, "launch", reset_choices,
           "When the tables are emptied: at each launch, if the kernel is "
           "another one, or never"),
    CHOICE(protection, "dependency", protection_choices,
           "What ends the protection of a line: its last load (APCM-p), or a "
           "number of accesses (APCM-pN)"),
    NUMBER(distance, 64, 0, 1u << 20, "That number", "figure 18 has its own"),
    CHOICE(distance_scope, "cache", scope_choices,
           "Whose accesses count for it"),
    FLAG(distance_reset, false, "A hit protects the line anew"),
    CHOICE(psb_set, "allocate", psb_set_choices,
           "When a warp begins to protect: with the first line that it gets, "
           "or with the load's first access"),
    CHOICE(psb_holder, "last", holder_choices,
           "What tells that lines are of the load that the warp protects: its "
           "last load (6 bits per warp), or its own id (10 bits)"),
    CHOICE(release_at, "complete", release_choices,
           "When the last load ends a protection"),
    CHOICE(loop_release, "innermost", loop_choices,
           "Which loop around the load a warp must leave"),
    NUMBER(epoch_bits, 0, 0, 16,
           "Bits that tell a warp's protection from its "
           "earlier ones",
           "not there"),
    FLAG(protect_on_hit, false,
         "A hit of the protected load protects a line "
         "that is not"),
    LOOM_BYPASS_PARAMS(struct apcm_config),
    FLAG(probe, false,
         "Streaming loads are looked up and may hit; their misses get no line"),
    NUMBER(load_rows, 64, 1, 4096, "Loads with statistics of their own", NULL),
};

static const char *const type_keys[APCM_TYPES] = {"streaming", "inter", "intra",
                                                  "mixed"};
static const char *const method_keys[APCM_METHODS] = {"normal", "bypass",
                                                      "protect"};
static const char *const release_keys[APCM_RELEASES] = {"load", "loop", "warp"};

#define COUNT(field, unit, doc_)                                               \
    LOOM_COUNTER(struct apcm_stats, field, LOOM_UNIT_##unit, doc_)
#define GAUGE(field, unit, doc_)                                               \
    LOOM_GAUGE(struct apcm_stats, field, LOOM_UNIT_##unit, doc_)
#define PER_LOAD(name_, field, unit, doc_)                                     \
    LOOM_LOAD_ID(struct apcm_stats, name_, field, unit, doc_)

static const struct loom_stat stat_table[] = {
    COUNT(monitored_warps, WARP, "Warps that were monitored"),
    GAUGE(monitoring, WARP, "Warps that are monitored now: 0 or 1"),
    COUNT(tracked_loads, NONE, "Loads that got an id, launch by launch"),
    COUNT(untracked_loads, WARP_INST, "Load instructions beyond the last id"),
    COUNT(mta_allocations, LINE, "Entries made in the MTA"),
    COUNT(mta_evictions, LINE, "Of these, evicted by another line"),
    COUNT(mta_intra_hits, REQUEST, "Hits in the MTA by the monitored warp"),
    COUNT(mta_other_hits, REQUEST, "Hits in the MTA by other warps"),
    COUNT(dropped_accesses, REQUEST,
          "Accesses of the monitored warp beyond the first of an instruction"),
    LOOM_VECTOR(struct apcm_stats, lines, "type", type_keys, LOOM_UNIT_LINE,
                "Entries that left the MTA, by what they had seen before their "
                "counts were full"),
    COUNT(updates, EVENT, "Times a load's entry in the CAIT was written"),
    COUNT(threshold_updates, EVENT, "Of these, for exceeding the threshold"),
    LOOM_VECTOR(struct apcm_stats, updates_by_method, "method", method_keys,
                LOOM_UNIT_EVENT, "The same by the method that was written"),
    GAUGE(loads_normal, NONE, "Loads that are treated as usual now"),
    GAUGE(loads_bypass, NONE, "Loads that go around now"),
    GAUGE(loads_protect, NONE, "Loads whose lines are protected now"),
    COUNT(accesses, REQUEST, "Accesses of loads with an id"),
    COUNT(undecided, REQUEST, "Of these, while nothing was known of the load"),
    COUNT(bypasses, REQUEST, "Of all, sent around as streaming"),
    COUNT(no_way, REQUEST,
          "Misses that found all ways protected and went around"),
    COUNT(protections, LINE, "Times a line was protected"),
    COUNT(psb_conflicts, LINE,
          "Lines not protected as their warp protected another load's"),
    COUNT(acquired, EVENT, "Times a warp began to protect"),
    LOOM_VECTOR(struct apcm_stats, released, "cause", release_keys,
                LOOM_UNIT_EVENT, "Times it ended"),
    COUNT(unprotected, LINE, "Protection bits found stale and cleared"),
    GAUGE(protecting_warps, WARP, "Warps that protect lines now"),
    GAUGE(protected_lines, LINE, "Lines that are protected now"),
    COUNT(protected_hits, REQUEST, "Hits and pending hits on protected lines"),
    COUNT(spared_ways, LINE,
          "Ways taken off searches for a way, repeated ones too"),
    LOOM_LOAD_IDS(struct apcm_stats, load),
    PER_LOAD("load_accesses", load_accesses, REQUEST, "Its accesses"),
    PER_LOAD("load_hits", load_hits, REQUEST, "Its hits and pending hits"),
    PER_LOAD("load_bypasses", load_bypasses, REQUEST,
             "Its accesses sent around as streaming"),
    PER_LOAD("load_protections", load_protections, LINE,
             "Lines protected for it"),
    PER_LOAD("load_no_way", load_no_way, REQUEST,
             "Its misses that found all ways protected"),
    PER_LOAD("load_unknown", load_unknown, EVENT,
             "Launches at whose end nothing was known of it"),
    PER_LOAD("load_normal", load_method[APCM_NORMAL], EVENT,
             "Launches at whose end it was to be treated as usual"),
    PER_LOAD("load_bypass", load_method[APCM_BYPASS], EVENT,
             "Launches at whose end it was to go around"),
    PER_LOAD("load_protect", load_method[APCM_PROTECT], EVENT,
             "Launches at whose end its lines were to be protected"),
    PER_LOAD("load_streaming_lines", load_type[APCM_STREAMING], LINE,
             "Its entries of the MTA accessed once"),
    PER_LOAD("load_inter_lines", load_type[APCM_INTER], LINE,
             "Its entries used again by other warps only"),
    PER_LOAD("load_intra_lines", load_type[APCM_INTRA], LINE,
             "Its entries used again by the monitored warp only"),
    PER_LOAD("load_mixed_lines", load_type[APCM_MIXED], LINE,
             "Its entries used again by both"),
};

/* Bits of lines are read with the L1's tags and are part of those. */
static const struct loom_energy energies[] = {
    {"lat", "Searching the LAT for an access's load", "accesses", 1.4953e-12,
     "CACTI 7: CAM of 16 x 32 bits, 40 nm"},
    {"cait_read", "Reading its entry of the CAIT", "accesses", 0.1103e-12,
     "CACTI 7: RAM of 16 x 11 bits, extrapolated, 40 nm"},
    {"cait_write", "Writing an entry of the CAIT", "updates", 0.1863e-12,
     "CACTI 7: RAM of 16 x 11 bits, extrapolated, 40 nm"},
    {"mta_read",
     "Reading an entry of the MTA, of accesses that hit or make one",
     "mta_intra_hits + mta_other_hits + mta_allocations", 0.4776e-12,
     "CACTI 7: RAM of 32 x 36 bits, 40 nm"},
    {"mta_write", "Writing it back",
     "mta_intra_hits + mta_other_hits + mta_allocations", 0.6169e-12,
     "CACTI 7: RAM of 32 x 36 bits, 40 nm"},
};

const struct loom_policy_type apcm_policy = {
    .name = "apcm",
    .doc = "Access-pattern-aware L1: streaming loads go around, lines that "
           "their own warp uses again are protected",
    .state_size = sizeof(struct apcm),
    .config_size = sizeof(struct apcm_config),
    .stats_size = sizeof(struct apcm_stats),
    .params = LOOM_SLICE(params),
    .stats = LOOM_SLICE(stat_table),
    .energies = LOOM_SLICE(energies),
    .facets = LOOM_FACETS({&loom_admit_hook, &apcm_admit_ops},
                          {&loom_allocation_hook, &apcm_allocation_ops},
                          {&loom_candidates_hook, &apcm_candidates_ops},
                          {&loom_cache_observe_hook, &apcm_cache_ops},
                          {&loom_sm_observe_hook, &apcm_sm_ops},
                          {&loom_ldst_observe_hook, &apcm_ldst_ops}),
    .validate = validate,
    .init = init,
    .given = apcm_given,
    .settle = apcm_settle,
    .check = check,
    .joins = true,
    .cost = cost,
};
