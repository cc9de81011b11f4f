/*
 * locality: a machine without time, for studies of what is reused.
 *
 * It stands for SMs that share nothing and have no latencies: kernels are
 * executed functionally, the warps of an SM take turns at their memory
 * accesses (workloads/locality/locality.h), and every SM has one of each
 * locality_cache below.  It runs by itself: whoever drives it gives commands.
 */
#include "engine/component.h"

#include "components/locality_protocol.h"

struct locality_config {
    uint32_t sms;
    uint32_t ctas;
    uint32_t threads;
};

struct locality_stats {
    uint64_t launches;
    uint64_t warp_insts;
    uint64_t thread_insts;
    uint64_t loads;
    uint64_t lines;
};

static bool locality_init(struct loom_component *self, struct loom_error *err)
{
    (void)self;
    (void)err;
    return true;
}

static loom_cycle locality_tick(struct loom_component *self, loom_cycle now)
{
    (void)self;
    (void)now;
    return LOOM_NEVER;
}

static bool locality_command(struct loom_component *self, const void *command,
                             struct loom_error *err)
{
    const struct loom_locality_launch *launch = command;
    struct locality_stats *stats = loom_stats_of(self);

    (void)err;
    stats->launches++;
    stats->warp_insts += launch->insts;
    stats->thread_insts += launch->thread_insts;
    stats->loads += launch->loads;
    stats->lines += launch->lines;
    loom_stay_asleep(self);
    return true;
}

static const struct loom_param locality_params[] = {
    LOOM_PARAM(struct locality_config, sms, .unit = LOOM_UNIT_NONE,
               .def = {.u = 15}, .min = {.u = 1}, .max = {.u = 1024},
               .doc = "SMs; CTA i belongs to SM i modulo this"),
    LOOM_PARAM(struct locality_config, ctas, .unit = LOOM_UNIT_CTA,
               .def = {.u = 8}, .min = {.u = 1}, .max = {.u = 64},
               .doc = "CTAs that an SM holds at most"),
    LOOM_PARAM(struct locality_config, threads, .unit = LOOM_UNIT_NONE,
               .def = {.u = 1536}, .min = {.u = 32}, .max = {.u = 4096},
               .doc = "Threads that it holds at most; a larger CTA is alone"),
};

static const struct loom_stat locality_stat_table[] = {
    LOOM_COUNTER(struct locality_stats, launches, LOOM_UNIT_EVENT,
                 "Kernels executed"),
    LOOM_COUNTER(struct locality_stats, warp_insts, LOOM_UNIT_WARP_INST,
                 "Warp instructions executed"),
    LOOM_COUNTER(struct locality_stats, thread_insts, LOOM_UNIT_THREAD_INST,
                 "Their active lanes"),
    LOOM_COUNTER(struct locality_stats, loads, LOOM_UNIT_WARP_INST,
                 "Warp loads of global and local memory"),
    LOOM_COUNTER(struct locality_stats, lines, LOOM_UNIT_LINE,
                 "Distinct lines that these touched"),
    LOOM_RATIO(struct locality_stats, lines_per_load, lines, loads,
               LOOM_UNIT_RATIO, "Lines that a load touches"),
};

static const struct loom_component_ops locality_ops = {
    .init = locality_init,
    .tick = locality_tick,
    .command = locality_command,
};

const struct loom_component_type locality_component = {
    .name = "locality",
    .doc = "A machine without time: SMs that share nothing, and their caches",
    .config_size = sizeof(struct locality_config),
    .stats_size = sizeof(struct locality_stats),
    .params = LOOM_SLICE(locality_params),
    .stats = LOOM_SLICE(locality_stat_table),
    .ops = &locality_ops,
};
