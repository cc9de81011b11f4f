/*
 * The made-up parts of the machine of stats_rig.h: a chip, cores and stores
 * that count, and a policy that counts how often it is asked.
 */
#ifndef TESTS_UNIT_STATS_PARTS_H
#define TESTS_UNIT_STATS_PARTS_H

#include "engine/machine.h"

#include "tests/unit/energy_rig.h"
#include "tests/unit/test.h"

static const char *const rig_stall_keys[] = {"none", "scoreboard", "memory"};

struct rig_chip_stats {
    uint64_t ticks;
};
struct rig_core_stats {
    uint64_t ticks, accesses, hits, depth;
    uint64_t stall[3];
    struct loom_histogram latency;
};
struct rig_store_config {
    uint32_t ways;
    const char *kind;
};
struct rig_store_stats {
    uint64_t ticks;
    struct loom_array fills;
};
struct rig_tally_stats {
    uint64_t asked;
};

static const struct loom_stat rig_chip_table[] = {LOOM_COUNTER(
    struct rig_chip_stats, ticks, LOOM_UNIT_CYCLE, "Cycles that were ticked")};
static const struct loom_stat rig_core_table[] = {
    LOOM_COUNTER(struct rig_core_stats, ticks, LOOM_UNIT_CYCLE,
                 "Cycles that were ticked"),
    LOOM_COUNTER(struct rig_core_stats, accesses, LOOM_UNIT_REQUEST,
                 "Requests looked up"),
    LOOM_COUNTER(struct rig_core_stats, hits, LOOM_UNIT_REQUEST,
                 "Requests that hit"),
    LOOM_RATIO(struct rig_core_stats, hit_ratio, hits, accesses,
               LOOM_UNIT_RATIO, "Share of requests that hit"),
    LOOM_RATE(struct rig_core_stats, hit_rate, hits, LOOM_UNIT_REQUEST,
              "Hits per second"),
    LOOM_GAUGE(struct rig_core_stats, depth, LOOM_UNIT_REQUEST,
               "Requests waiting"),
    LOOM_VECTOR(struct rig_core_stats, stall, "reason", rig_stall_keys,
                LOOM_UNIT_CYCLE, "Cycles by reason"),
    LOOM_HISTOGRAM(struct rig_core_stats, latency, LOOM_UNIT_CYCLE,
                   "Latency of a request"),
};
static const struct loom_stat rig_store_table[] = {
    LOOM_COUNTER(struct rig_store_stats, ticks, LOOM_UNIT_CYCLE,
                 "Cycles that were ticked"),
    LOOM_ARRAY(struct rig_store_stats, fills, "way", LOOM_UNIT_LINE,
               "Lines filled per way"),
};
static const struct loom_stat rig_tally_table[] = {LOOM_COUNTER(
    struct rig_tally_stats, asked, LOOM_UNIT_EVENT, "Questions answered")};
static const struct loom_param rig_store_params[] = {
    LOOM_PARAM(struct rig_store_config, ways, .def = {.u = 4}, .min = {.u = 1},
               .max = {.u = 64}, .doc = "Lines in a set"),
    LOOM_PARAM(struct rig_store_config, kind, .def = {.s = "plain"},
               .doc = "What it stores"),
};

static const struct loom_hook rig_hook = {
    .name = "rig", .doc = "Asked once a cycle", .chain = false};
struct rig_ops {
    void (*ask)(struct loom_policy *policy);
};
static void rig_ask(struct loom_policy *policy)
{
    struct rig_tally_stats *stats = loom_policy_stats(policy);

    stats->asked++;
}
static const struct rig_ops rig_tally_ops = {.ask = rig_ask};
static const struct loom_facet rig_facets[] = {{&rig_hook, &rig_tally_ops}};
static const struct loom_policy_type rig_tally = {
    .name = "tally",
    .doc = "Counts how often it is asked",
    .stats_size = sizeof(struct rig_tally_stats),
    .stats = LOOM_SLICE(rig_tally_table),
    .facets = LOOM_SLICE(rig_facets)};
static const struct loom_slot_decl rig_slots[] = {
    {"counting", "Who counts", &rig_hook, NULL}};

static bool rig_init(struct loom_component *self, struct loom_error *err)
{
    (void)self, (void)err;
    return true;
}
static bool rig_store_init(struct loom_component *self, struct loom_error *err)
{
    const struct rig_store_config *config = loom_config(self);
    struct rig_store_stats *stats = loom_stats_of(self);

    stats->fills.count = config->ways;
    stats->fills.item = loom_alloc(self, config->ways, sizeof(uint64_t));
    return stats->fills.item != NULL ||
           loom_fail(err, LOOM_ERR_MEMORY, "no memory");
}
/* Any command starts a part: parts sleep until somebody wants something. */
static bool rig_command(struct loom_component *self, const void *command,
                        struct loom_error *err)
{
    (void)self, (void)command, (void)err;
    return true;
}
static loom_cycle rig_chip_tick(struct loom_component *self, loom_cycle now)
{
    struct rig_chip_stats *stats = loom_stats_of(self);

    stats->ticks++;
    return now + 1;
}
static loom_cycle rig_core_tick(struct loom_component *self, loom_cycle now)
{
    struct rig_core_stats *stats = loom_stats_of(self);
    uint32_t i = loom_component_index(self);

    stats->ticks++;
    stats->accesses += i + 1;
    stats->hits += i;
    stats->depth = stats->ticks % 7;
    stats->stall[stats->ticks % 3]++;
    loom_histogram_add(&stats->latency, stats->ticks);
    return now + 1;
}
static loom_cycle rig_store_tick(struct loom_component *self, loom_cycle now)
{
    struct rig_store_stats *stats = loom_stats_of(self);
    struct loom_binding slot = loom_slot(self, "counting");

    stats->fills.item[stats->ticks % stats->fills.count]++;
    stats->ticks++;
    for (uint32_t i = 0; i < slot.count; i++) {
        const struct rig_ops *ops = slot.item[i].ops;

        ops->ask(slot.item[i].policy);
    }
    return now + 1;
}

static const struct loom_component_ops rig_chip_ops = {
    .init = rig_init, .tick = rig_chip_tick, .command = rig_command};
static const struct loom_component_ops rig_core_ops = {
    .init = rig_init, .tick = rig_core_tick, .command = rig_command};
static const struct loom_component_ops rig_store_ops = {
    .init = rig_store_init, .tick = rig_store_tick, .command = rig_command};
static const struct loom_component_type rig_chip = {
    .name = "chip",
    .doc = "All of it",
    .stats_size = sizeof(struct rig_chip_stats),
    .stats = LOOM_SLICE(rig_chip_table),
    .ops = &rig_chip_ops};
static const struct loom_component_type rig_core = {
    .name = "core",
    .doc = "Asks",
    .stats_size = sizeof(struct rig_core_stats),
    .stats = LOOM_SLICE(rig_core_table),
    .energies = LOOM_SLICE(rig_core_energies),
    .ops = &rig_core_ops};
static const struct loom_component_type rig_store = {
    .name = "store",
    .doc = "Keeps",
    .config_size = sizeof(struct rig_store_config),
    .stats_size = sizeof(struct rig_store_stats),
    .params = LOOM_SLICE(rig_store_params),
    .stats = LOOM_SLICE(rig_store_table),
    .energies = LOOM_SLICE(rig_store_energies),
    .slots = LOOM_SLICE(rig_slots),
    .ops = &rig_store_ops};

#endif
