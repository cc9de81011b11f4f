/*
 * Clients, a crossbar and servers, for tests of the crossbar.  Servers take
 * 256 bytes each in turn.
 */
#ifndef TESTS_UNIT_CROSSBAR_RIG_H
#define TESTS_UNIT_CROSSBAR_RIG_H

#include "policies/dram_hook.h"
#include "policies/noc_hook.h"
#include "tests/unit/mem_rig_run.h"

extern const struct loom_component_type crossbar_component;
extern const struct loom_policy_type direct_route_policy;
extern const struct loom_policy_type round_robin_arbiter_policy;

enum {
    MAX = 70,
    LOST = 0xdead00 /* an address that belongs to nobody */
};

/* ---- a map: 256 bytes to each server in turn ---- */

struct turn_map {
    uint32_t slices;
};

static bool turn_map_bind(struct loom_policy *self,
                          const struct loom_map_shape *shape,
                          struct loom_error *err)
{
    struct turn_map *map = loom_policy_state(self);

    (void)err;
    map->slices = shape->channels * shape->slices_per_channel;
    return true;
}

static void turn_map_map(struct loom_policy *self, loom_addr address,
                         struct loom_place *place)
{
    const struct turn_map *map = loom_policy_state(self);

    *place = (struct loom_place){0};
    place->slice =
        address == LOST ? map->slices : (uint32_t)(address / 256 % map->slices);
}

static const struct loom_map_ops turn_map_ops = {
    .bind = turn_map_bind,
    .map = turn_map_map,
};
static const struct loom_facet turn_map_facets[] = {
    {&loom_map_hook, &turn_map_ops},
};
static const struct loom_policy_type turn_map_policy = {
    .name = "turn_map",
    .doc = "256 bytes to each server in turn",
    .state_size = sizeof(struct turn_map),
    .facets = LOOM_SLICE(turn_map_facets),
};

/* ---- machines ---- */

struct xbar_rig {
    struct loom_machine *machine;
    struct loom_component *xbar, *client[MAX], *server[MAX];
    struct loom_policy *routing;
    struct rig_list up[MAX], down[MAX];
    uint32_t clients, servers;
    loom_time step; /* of the run; 0: in one go */
};

struct shape {
    uint32_t clients, servers;
    uint32_t send, got; /* a client's and a server's lists */
    uint64_t hertz;     /* of the crossbar; clients have 700 MHz */
    uint32_t capacity;
};

static struct xbar_rig build_routed(struct shape shape,
                                    const struct loom_policy_type *routing)
{
    struct xbar_rig rig = {0};
    char path[40];
    uint32_t core, net;

    rig.machine = loom_machine_create(1);
    rig.clients = shape.clients;
    rig.servers = shape.servers;
    core = loom_machine_clock(rig.machine, 700000000);
    net = loom_machine_clock(rig.machine,
                             shape.hertz != 0 ? shape.hertz : 700000000);
    rig.xbar = rig_part(rig.machine, &crossbar_component, "m.xbar", net);
    rig_policy(rig.xbar, rig.machine, "map", &turn_map_policy);
    rig.routing = rig_policy(rig.xbar, rig.machine, "routing", routing);
    rig_policy(rig.xbar, rig.machine, "request_arbiter",
               &round_robin_arbiter_policy);
    rig_policy(rig.xbar, rig.machine, "reply_arbiter",
               &round_robin_arbiter_policy);
    rig_set(rig.xbar, "slices_per_channel", 1);
    for (uint32_t i = 0; i < shape.clients; i++) {
        snprintf(path, sizeof(path), "m.client[%u]", i);
        rig.client[i] = rig_part(rig.machine, &rig_client, path, core);
        rig.up[i] = rig_list(shape.send, shape.send);
        rig_link(rig.machine, (struct loom_end){rig.client[i], "mem", 0},
                 (struct loom_end){rig.xbar, "up", i},
                 shape.capacity != 0 ? shape.capacity : 8);
    }
    for (uint32_t i = 0; i < shape.servers; i++) {
        snprintf(path, sizeof(path), "m.server[%u]", i);
        rig.server[i] = rig_part(rig.machine, &rig_server, path, core);
        rig.down[i] = rig_list(0, shape.got);
        rig_link(rig.machine, (struct loom_end){rig.xbar, "down", i},
                 (struct loom_end){rig.server[i], "mem", 0},
                 shape.capacity != 0 ? shape.capacity : 8);
    }
    return rig;
}

static inline struct xbar_rig build(struct shape shape)
{
    return build_routed(shape, &direct_route_policy);
}

static void run(struct xbar_rig *rig)
{
    rig_freeze(rig->machine);
    for (uint32_t i = 0; i < rig->clients; i++) {
        rig_give(rig->client[i], &rig->up[i]);
    }
    for (uint32_t i = 0; i < rig->servers; i++) {
        rig_give(rig->server[i], &rig->down[i]);
    }
    rig_run(rig->machine, rig->step);
}

static void destroy(struct xbar_rig *rig)
{
    for (uint32_t i = 0; i < rig->clients; i++) {
        rig_list_free(&rig->up[i]);
    }
    for (uint32_t i = 0; i < rig->servers; i++) {
        rig_list_free(&rig->down[i]);
    }
    loom_machine_destroy(rig->machine);
}

static inline const void *stat_of(struct xbar_rig *rig, const char *name)
{
    const struct loom_stat *stat =
        loom_stats_find(crossbar_component.stats, name);

    REQUIRE(stat != NULL);
    return (const char *)loom_stats_of(rig->xbar) + stat->offset;
}

static inline uint64_t counter(struct xbar_rig *rig, const char *name)
{
    return *(const uint64_t *)stat_of(rig, name);
}

static inline void add(struct xbar_rig *rig, uint32_t from, uint32_t to,
                       loom_cycle at, enum loom_mem_kind kind)
{
    rig_add(&rig->up[from], at, (loom_addr)to * 256, kind, 128);
}

#endif
