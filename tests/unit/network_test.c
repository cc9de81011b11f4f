/*
 * Networks: what a machine of routers and traffic does that no closed form
 * says.  Latencies and throughputs are in tests/validate/network.lua.
 *
 * Every node of traffic is a site of the network; all links have latency 1.
 * links: component_network component_crossbar component_traffic
 * links: policy_minimal_route policy_round_robin_arbiter policy_linear_map
 * links: policy_direct_route
 */
#include <stdlib.h>
#include <string.h>

#include "policies/dram_hook.h"
#include "policies/noc_hook.h"
#include "tests/unit/mem_rig_run.h"

extern const struct loom_component_type network_component;
extern const struct loom_component_type crossbar_component;
extern const struct loom_component_type traffic_component;
extern const struct loom_policy_type minimal_route_policy;
extern const struct loom_policy_type round_robin_arbiter_policy;
extern const struct loom_policy_type linear_map_policy;
extern const struct loom_policy_type direct_route_policy;

enum {
    MAX = 16
};

/* ---- a routing policy that deadlocks, and one that is wrong ---- */

struct bad_route {
    struct loom_noc_shape shape;
};

static bool bad_bind(struct loom_policy *self,
                     const struct loom_noc_shape *shape, struct loom_error *err)
{
    struct bad_route *bad = loom_policy_state(self);

    (void)err;
    bad->shape = *shape;
    return true;
}

/* Around a ring in one direction, without a dateline. */
static uint32_t around(struct loom_policy *self, uint32_t router,
                       uint32_t input, uint32_t destination)
{
    const struct bad_route *bad = loom_policy_state(self);

    (void)input;
    return destination == router ? 0 : bad->shape.concentration;
}

/* Over the edge of a mesh. */
static uint32_t outwards(struct loom_policy *self, uint32_t router,
                         uint32_t input, uint32_t destination)
{
    const struct bad_route *bad = loom_policy_state(self);

    (void)input;
    (void)router;
    (void)destination;
    return bad->shape.concentration;
}

static const struct loom_routing_ops around_ops = {.bind = bad_bind,
                                                   .route = around};
static const struct loom_routing_ops outwards_ops = {.bind = bad_bind,
                                                     .route = outwards};
static const struct loom_facet around_facets[] = {
    {&loom_routing_hook, &around_ops},
};
static const struct loom_facet outwards_facets[] = {
    {&loom_routing_hook, &outwards_ops},
};
static const struct loom_policy_type around_policy = {
    .name = "around",
    .doc = "Test: one direction of a ring",
    .state_size = sizeof(struct bad_route),
    .facets = LOOM_SLICE(around_facets),
};
static const struct loom_policy_type outwards_policy = {
    .name = "outwards",
    .doc = "Test: over the edge",
    .state_size = sizeof(struct bad_route),
    .facets = LOOM_SLICE(outwards_facets),
};

/* An arbiter of the test's own: the highest input wins. */
static uint32_t highest(struct loom_policy *self, uint32_t output,
                        const uint64_t *requests, loom_cycle now)
{
    (void)self;
    (void)output;
    (void)now;
    return loom_log2(requests[0]);
}
static const struct loom_arbiter_ops highest_ops = {.pick = highest};
static const struct loom_facet highest_facets[] = {
    {&loom_arbiter_hook, &highest_ops},
};
static const struct loom_policy_type highest_policy = {
    .name = "highest",
    .doc = "Test: the highest input wins",
    .facets = LOOM_SLICE(highest_facets),
};

/* ---- machines ---- */

struct net_rig {
    struct loom_machine *machine;
    struct loom_component *net, *node[MAX];
    uint32_t nodes;
};

static void set_text(struct loom_component *c, const char *name,
                     const char *value)
{
    struct loom_error err;

    REQUIRE(loom_machine_set(c, name, (union loom_value){.s = value}, &err));
}

static void set_rate(struct loom_component *c, double rate)
{
    struct loom_error err;

    REQUIRE(loom_machine_set(c, "rate", (union loom_value){.f = rate}, &err));
}

/* Policies of a network; `routing` and `arbiter` may be NULL. */
static void fill(struct loom_component *net, struct loom_machine *machine,
                 const struct loom_policy_type *routing,
                 const struct loom_policy_type *arbiter)
{
    rig_policy(net, machine, "map", &linear_map_policy);
    rig_policy(net, machine, "routing",
               routing != NULL ? routing : &minimal_route_policy);
    rig_policy(net, machine, "arbiter",
               arbiter != NULL ? arbiter : &round_robin_arbiter_policy);
    rig_policy(net, machine, "reply_arbiter",
               arbiter != NULL ? arbiter : &round_robin_arbiter_policy);
}

static struct net_rig build(const char *topology, uint32_t nodes,
                            const struct loom_policy_type *routing,
                            const struct loom_policy_type *arbiter)
{
    struct net_rig rig = {.machine = loom_machine_create(7), .nodes = nodes};
    uint32_t clock = loom_machine_clock(rig.machine, 1000000000);
    char path[40];

    rig.net = rig_part(rig.machine, &network_component, "m.net", clock);
    set_text(rig.net, "topology", topology);
    rig_set(rig.net, "columns", nodes);
    rig_set(rig.net, "flit_bytes", 8);
    fill(rig.net, rig.machine, routing, arbiter);
    for (uint32_t i = 0; i < nodes; i++) {
        snprintf(path, sizeof(path), "m.node[%u]", i);
        rig.node[i] = rig_part(rig.machine, &traffic_component, path, clock);
        rig_set(rig.node[i], "node", i);
        rig_set(rig.node[i], "nodes", nodes);
        rig_set(rig.node[i], "flit_bytes", 8);
        rig_set(rig.node[i], "size_bytes", 24);
        rig_set(rig.node[i], "warmup", 0);
        rig_set(rig.node[i], "measure", 2000);
        set_rate(rig.node[i], 2);
        rig_link(rig.machine, (struct loom_end){rig.node[i], "out", 0},
                 (struct loom_end){rig.net, "up", i}, 8);
        rig_link(rig.machine, (struct loom_end){rig.net, "down", i},
                 (struct loom_end){rig.node[i], "in", 0}, 8);
    }
    return rig;
}

static const void *stat_of(struct loom_component *c, const char *name)
{
    const struct loom_component_type *type = loom_component_type_of(c);

    for (size_t i = 0; i < type->stats.count; i++) {
        if (strcmp(type->stats.item[i].name, name) == 0) {
            return (const char *)loom_stats_of(c) + type->stats.item[i].offset;
        }
    }
    LOOM_BUG("no statistic '%s'", name);
}

static uint64_t count_of(struct loom_component *c, const char *name)
{
    return *(const uint64_t *)stat_of(c, name);
}

static uint64_t sum_of(const struct net_rig *rig, const char *name)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < rig->nodes; i++) {
        sum += count_of(rig->node[i], name);
    }
    return sum;
}

/* ---- tests ---- */

static void a_routing_cycle_is_named(void)
{
    struct net_rig rig = build("ring", 4, &around_policy, NULL);
    struct loom_error err = {LOOM_ERR_NONE, ""};
    enum loom_stop stop;
    char *report;

    rig_set(rig.net, "vcs", 2);
    rig_freeze(rig.machine);
    stop = loom_machine_run(rig.machine, LOOM_NEVER, 1000000000000, &err);
    EXPECT(stop == LOOM_STOP_IDLE || stop == LOOM_STOP_STUCK);
    EXPECT(!loom_machine_check(rig.machine, rig_error, &err));
    report = loom_machine_report(rig.machine);
    REQUIRE(report != NULL);
    EXPECT_TEXT(report, "a cycle of waiting channels, 0: router ");
    EXPECT_TEXT(report, "a cycle of waiting channels, 3: router ");
    EXPECT_TEXT(report, "input -x vc ");
    EXPECT_TEXT(report, "packets wait to be sent");
    /* Only in the direction of the routes. */
    EXPECT(strstr(report, "input +x vc") == NULL);
    free(report);
    loom_machine_destroy(rig.machine);
}

static void the_dateline_breaks_that_cycle(void)
{
    struct net_rig rig = build("ring", 4, NULL, NULL);

    rig_set(rig.net, "vcs", 2);
    rig_freeze(rig.machine);
    rig_run(rig.machine, 0);
    EXPECT(sum_of(&rig, "packets_received") > 1000);
    EXPECT_EQ(sum_of(&rig, "packets_received"), sum_of(&rig, "packets_sent"));
    loom_machine_destroy(rig.machine);
}

static void a_route_over_the_edge_stops_the_run(void)
{
    struct net_rig rig = build("mesh", 4, &outwards_policy, NULL);
    struct loom_error err = {LOOM_ERR_NONE, ""};

    rig_freeze(rig.machine);
    EXPECT_EQ(loom_machine_run(rig.machine, LOOM_NEVER, LOOM_NEVER, &err),
              LOOM_STOP_ERROR);
    EXPECT_TEXT(err.text, "m.net: routing sends a packet for site ");
    EXPECT_TEXT(err.text, " by port 1 of router 3, which leads elsewhere");
    loom_machine_destroy(rig.machine);
}

/* The same bits in any order of ticks, in one go or in steps. */
static void check_order(uint32_t speedup)
{
    uint64_t first[3] = {0};

    for (uint32_t turn = 0; turn < 4; turn++) {
        struct net_rig rig = build("torus", 6, NULL, NULL);
        const struct loom_histogram *latency;

        for (uint32_t i = 0; i < 6; i++) {
            set_text(rig.node[i], "kind", "read");
            set_rate(rig.node[i], 0.2);
        }
        rig_set(rig.net, "internal_speedup", speedup);
        rig_set(rig.net, "columns", 3);
        rig_set(rig.net, "rows", 2);
        rig_flag(rig.net, "shared", true);
        if (turn != 0) {
            loom_machine_shuffle(rig.machine, turn);
        }
        rig_freeze(rig.machine);
        rig_run(rig.machine, turn == 3 ? 77000000 : 0);
        latency = stat_of(rig.node[4], "latency");
        if (turn == 0) {
            first[0] = latency->sum;
            first[1] = count_of(rig.net, "reply_flits");
            first[2] = sum_of(&rig, "overtaken");
            EXPECT(first[0] != 0 && first[1] != 0);
        }
        EXPECT_EQ(latency->sum, first[0]);
        EXPECT_EQ(count_of(rig.net, "reply_flits"), first[1]);
        EXPECT_EQ(sum_of(&rig, "overtaken"), first[2]);
        loom_machine_destroy(rig.machine);
    }
}

static void order_of_ticks_does_not_matter(void)
{
    check_order(1);
    check_order(2);
}

/* An arbiter that always takes the highest input starves the others. */
static void an_arbiter_is_asked(void)
{
    for (int turn = 0; turn < 2; turn++) {
        struct net_rig rig =
            build("crossbar", 4, NULL, turn == 0 ? NULL : &highest_policy);
        struct loom_error err = {LOOM_ERR_NONE, ""};
        uint64_t first, last;

        rig_set(rig.net, "radix", 4);
        rig_set(rig.net, "vcs", 1);
        for (uint32_t i = 0; i < 4; i++) {
            set_text(rig.node[i], "pattern", "hotspot");
        }
        rig_freeze(rig.machine);
        EXPECT_EQ(loom_machine_run(rig.machine, 1500000000, LOOM_NEVER, &err),
                  LOOM_STOP_TIME);
        loom_machine_settle(rig.machine);
        first = count_of(rig.node[0], "packets_sent");
        last = count_of(rig.node[3], "packets_sent");
        if (turn == 0) {
            EXPECT(first > 70 && last > 70 && first < 90 && last < 90);
        } else {
            EXPECT(first < 20 && last > 100);
        }
        loom_machine_destroy(rig.machine);
    }
}

/* Requests pass a crossbar and then a mesh; replies find both ways back. */
static void replies_find_their_way_through_two_networks(void)
{
    struct loom_machine *machine = loom_machine_create(3);
    uint32_t clock = loom_machine_clock(machine, 1000000000);
    struct loom_component *inner =
        rig_part(machine, &crossbar_component, "m.inner", clock);
    struct loom_component *outer =
        rig_part(machine, &network_component, "m.outer", clock);
    struct loom_component *node[3];
    struct loom_error err = {LOOM_ERR_NONE, ""};
    char path[40];

    fill(outer, machine, NULL, NULL);
    rig_policy(inner, machine, "map", &linear_map_policy);
    rig_policy(inner, machine, "routing", &direct_route_policy);
    rig_policy(inner, machine, "request_arbiter", &round_robin_arbiter_policy);
    rig_policy(inner, machine, "reply_arbiter", &round_robin_arbiter_policy);
    rig_set(inner, "slices_per_channel", 1);
    rig_set(outer, "columns", 6);
    for (uint32_t i = 0; i < 3; i++) {
        snprintf(path, sizeof(path), "m.node[%u]", i);
        node[i] = rig_part(machine, &traffic_component, path, clock);
        rig_set(node[i], "node", i);
        rig_set(node[i], "nodes", 3);
        set_text(node[i], "kind", "read");
        rig_link(machine, (struct loom_end){node[i], "out", 0},
                 (struct loom_end){inner, "up", i}, 8);
        rig_link(machine, (struct loom_end){inner, "down", i},
                 (struct loom_end){outer, "up", i}, 8);
        rig_link(machine, (struct loom_end){outer, "down", i},
                 (struct loom_end){node[i], "in", 0}, 8);
    }
    if (!loom_machine_freeze(machine, rig_error, &err)) {
        printf("\n%s\n", err.text);
        REQUIRE(false);
    }
    rig_run(machine, 0);
    for (uint32_t i = 0; i < 3; i++) {
        EXPECT(count_of(node[i], "replies") > 100);
        EXPECT_EQ(count_of(node[i], "replies"),
                  count_of(node[i], "packets_sent"));
    }
    loom_machine_destroy(machine);
}

/* A link of a third of the rate passes a third of the flits. */
static void a_slow_link_has_its_bandwidth(void)
{
    struct net_rig rig = build("mesh", 2, NULL, NULL);

    rig_set(rig.net, "link_period", 3);
    for (uint32_t i = 0; i < 2; i++) {
        set_text(rig.node[i], "pattern", "neighbor");
        rig_set(rig.node[i], "queue", 16);
    }
    rig_freeze(rig.machine);
    rig_run(rig.machine, 0);
    /* 4 flits of 8 bytes each. */
    EXPECT(count_of(rig.node[0], "bytes_accepted") > 2000 / 3 * 8 * 97 / 100);
    EXPECT(count_of(rig.node[0], "bytes_accepted") <= 2000 / 3 * 8 + 64);
    loom_machine_destroy(rig.machine);
}

static void refused_with(const struct loom_policy_type *routing,
                         const char *topology, const char *name, uint64_t value,
                         const char *text)
{
    struct net_rig rig = build(topology, 4, routing, NULL);
    struct loom_error err = {LOOM_ERR_NONE, ""};

    rig_set(rig.net, name, value);
    EXPECT(!loom_machine_freeze(rig.machine, rig_error, &err));
    EXPECT_TEXT(err.text, text);
    loom_machine_destroy(rig.machine);
}

/* Node 0 of a mesh of 2 x 1 sends a packet of 4 flits to node 1.  With a speed-
 * up of 2 a head is routed in the first round of its cycle, gets a channel in
 * the second, the switch in the third and is on the link after the fourth, in
 * the cycle after that in which it came: 2 cycles instead of 4 in a router, and
 * 1 between them.  With 4 it is 1, with 3, as four rounds end in the next
 * cycle, still 2. */
static void a_faster_router_has_a_shorter_pipeline(void)
{
    static const uint32_t router[] = {4, 2, 2, 1};

    for (uint32_t speedup = 1; speedup <= 4; speedup++) {
        struct net_rig rig = build("mesh", 2, NULL, NULL);
        const struct loom_histogram *latency;

        rig_set(rig.net, "internal_speedup", speedup);
        set_text(rig.node[0], "pattern", "neighbor");
        set_rate(rig.node[1], 0);
        set_rate(rig.node[0], 64);
        rig_set(rig.node[0], "warmup", 1);
        rig_set(rig.node[0], "measure", 1);
        rig_freeze(rig.machine);
        rig_run(rig.machine, 0);
        latency = stat_of(rig.net, "request_latency");
        EXPECT(latency->count > 0);
        EXPECT_EQ(latency->min, 2 * router[speedup - 1] + 1 + 4);
        loom_machine_destroy(rig.machine);
    }
}

/* A permutation through a crossbar with one virtual channel, which takes L + 1
 * rounds for packets of L flits; links take a flit per cycle. */
static void links_are_as_fast_as_ever(void)
{
    for (uint32_t speedup = 1; speedup <= 3; speedup++) {
        struct net_rig rig = build("crossbar", 4, NULL, NULL);
        uint64_t flits;

        rig_set(rig.net, "radix", 4);
        rig_set(rig.net, "vcs", 1);
        rig_set(rig.net, "routing_delay", 0);
        rig_set(rig.net, "internal_speedup", speedup);
        for (uint32_t i = 0; i < 4; i++) {
            rig_set(rig.node[i], "size_bytes", 0);
            set_text(rig.node[i], "pattern", "neighbor");
        }
        rig_freeze(rig.machine);
        rig_run(rig.machine, 0);
        flits = count_of(rig.node[0], "bytes_accepted") / 8;
        EXPECT(flits >= (speedup == 1 ? 990 : 1990));
        EXPECT(flits <= (speedup == 1 ? 1000 : 2000));
        EXPECT_EQ(sum_of(&rig, "packets_received"),
                  sum_of(&rig, "packets_sent"));
        loom_machine_destroy(rig.machine);
    }
}

static void refused(const char *topology, const char *name, uint64_t value,
                    const char *text)
{
    refused_with(NULL, topology, name, value, text);
}

static void impossible_networks_are_refused(void)
{
    refused_with(&direct_route_policy, "mesh", "columns", 4,
                 "this network has 4 routers, expected one");
    refused("ring", "vcs", 3, "expected a multiple of 2: a ring needs two");
    refused("mesh", "columns", 3,
            "link 3 of port 'up' is at site 3, but this mesh has 3 sites");
    refused("point_to_point", "columns", 65, "has 65 ports");
    refused("mesh", "slices_per_channel", 3,
            "4 slices, expected a multiple of parameter 'slices_per_channel'");
    refused("butterfly", "stages", 8, "at most 4096");
}

static const struct loom_test tests[] = {
    {"a_routing_cycle_is_named", a_routing_cycle_is_named},
    {"the_dateline_breaks_that_cycle", the_dateline_breaks_that_cycle},
    {"a_route_over_the_edge_stops_the_run",
     a_route_over_the_edge_stops_the_run},
    {"order_of_ticks_does_not_matter", order_of_ticks_does_not_matter},
    {"an_arbiter_is_asked", an_arbiter_is_asked},
    {"replies_find_their_way_through_two_networks",
     replies_find_their_way_through_two_networks},
    {"a_slow_link_has_its_bandwidth", a_slow_link_has_its_bandwidth},
    {"a_faster_router_has_a_shorter_pipeline",
     a_faster_router_has_a_shorter_pipeline},
    {"links_are_as_fast_as_ever", links_are_as_fast_as_ever},
    {"impossible_networks_are_refused", impossible_networks_are_refused},
};

int main(void)
{
    return loom_run_tests("network", tests, LOOM_COUNTOF(tests));
}
