/*
 * locality: a machine without time, for studies of what is reused.
 *
 * It stands for SMs that share nothing and have no latencies: kernels are
 * executed functionally, the warps of an SM take turns at their memory
 * accesses (workloads/locality/locality.h), and every SM has one of each cache
 * below.  It runs by itself: whoever drives it gives commands, and it passes
 * accesses on to its caches by warm messages.  What they miss it has.
 */
#include "engine/warm.h"

#include "components/locality_protocol.h"

#define LOCALITY_CACHES 65536

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

struct locality {
    struct loom_channel **cache; /* [links of port `caches`] */
    uint16_t id;
};

static bool locality_init(struct loom_component *self, struct loom_error *err)
{
    struct locality *l = loom_state(self);
    uint32_t caches = loom_port_count(self, "caches");

    l->id = loom_component_id(self);
    l->cache = loom_alloc(self, caches, sizeof(struct loom_channel *));
    for (uint32_t i = 0; l->cache != NULL && i < caches; i++) {
        l->cache[i] = loom_port_out(self, "caches", i);
    }
    return loom_has_memory(self, err);
}

static loom_cycle locality_tick(struct loom_component *self, loom_cycle now)
{
    (void)self;
    (void)now;
    return LOOM_NEVER;
}

static void count_launch(struct locality_stats *stats,
                         const struct loom_locality_launch *launch)
{
    stats->launches++;
    stats->warp_insts += launch->insts;
    stats->thread_insts += launch->thread_insts;
    stats->loads += launch->loads;
    stats->lines += launch->lines;
}

/* An atomic evicts its line like a store; a cache that sends atomics on would
 * leave it. */
static void access_cache(struct locality *l,
                         const struct loom_locality_command *access)
{
    struct loom_mem_request r = *access->request;

    r.src = l->id;
    r.kind = r.kind == LOOM_MEM_LOAD ? LOOM_MEM_LOAD : LOOM_MEM_STORE;
    loom_warm(l->cache[access->cache], &r);
}

static bool locality_command(struct loom_component *self, const void *untyped,
                             struct loom_error *err)
{
    const struct loom_locality_command *command = untyped;

    (void)err;
    loom_stay_asleep(self);
    if (command->request != NULL) {
        access_cache(loom_state(self), command);
    } else {
        count_launch(loom_stats_of(self), &command->launch);
    }
    return true;
}

/* What is below the caches. */
static void locality_serve(struct loom_component *self, void *message,
                           loom_cycle now)
{
    struct loom_mem_request *r = message;

    (void)self;
    (void)now;
    r->flags = (uint8_t)((r->flags & ~(uint32_t)LOOM_MEM_HIT) | LOOM_MEM_REPLY);
    r->reply_bits = 0;
}

static bool locality_quiet(struct loom_component *self)
{
    (void)self;
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

static const struct loom_port_decl locality_ports[] = {
    {"caches", "Accesses, one link for each cache of each SM", LOOM_CLIENT,
     &loom_mem_protocol, 0, LOCALITY_CACHES},
    {"memory", "What the caches miss", LOOM_SERVER, &loom_mem_protocol, 0,
     LOCALITY_CACHES},
};

static const struct loom_warm_ops locality_warm = {.serve = locality_serve,
                                                   .quiet = locality_quiet};

static const struct loom_component_ops locality_ops = {
    .init = locality_init,
    .tick = locality_tick,
    .command = locality_command,
    .warm = &locality_warm,
};

const struct loom_component_type locality_component = {
    .name = "locality",
    .doc = "A machine without time: SMs that share nothing, and their caches",
    .state_size = sizeof(struct locality),
    .config_size = sizeof(struct locality_config),
    .stats_size = sizeof(struct locality_stats),
    .params = LOOM_SLICE(locality_params),
    .stats = LOOM_SLICE(locality_stat_table),
    .ports = LOOM_SLICE(locality_ports),
    .ops = &locality_ops,
};
