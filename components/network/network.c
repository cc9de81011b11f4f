/*
 * network: routers and links between SMs and L2 slices, chiplets or GPUs.
 *
 * Links of the ports up and down are attached to sites of a topology.  A
 * request's link is that of the L2 slice which the map names for its block; a
 * reply goes back to the link of up by which its request came.  A packet takes
 * ceil(bytes / flit_bytes) flits.
 *
 * Unloaded, a packet of n flits that passes h routers is sent to its link
 *
 *     h (routing_delay + 1 + switch_delay) + (h - 1) link_latency + n
 *
 * cycles after it was seen (one less per router with `speculative`); the links
 * on both sides add their own latencies.
 */
#include <string.h>

#include "engine/warm.h"

#include "components/network/fabric_private.h"

enum {
    PACKET = 1 << 16 /* bytes of the largest, a traffic node's */
};

static bool bind_policies(struct loom_component *self, struct network *net,
                          struct loom_error *err)
{
    const struct network_config *config = loom_config(self);
    struct loom_bound map = loom_slot(self, "map").item[0];
    struct loom_bound routing = loom_slot(self, "routing").item[0];
    const struct loom_routing_ops *ops = routing.ops;
    struct loom_map_shape shape = {net->slices / config->slices_per_channel,
                                   config->slices_per_channel, 0};

    net->map = map.policy;
    net->map_ops = map.ops;
    if (net->slices % config->slices_per_channel != 0) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "%u slices, expected a multiple of parameter "
                         "'slices_per_channel', which is %u",
                         net->slices, config->slices_per_channel);
    }
    if (net->map_ops->bind != NULL &&
        !net->map_ops->bind(net->map, &shape, err)) {
        return false;
    }
    return ops->bind == NULL ||
           ops->bind(routing.policy, &net->graph.shape, err);
}

/* Which link of down each slice has; slice s has link s unless told. */
static bool learn_slices(struct loom_component *self, struct network *net,
                         struct loom_error *err)
{
    const struct network_config *config = loom_config(self);
    const struct loom_list *list = &config->slices;

    net->slices = list->count != 0 ? list->count : net->downs;
    net->link_of = loom_alloc(self, net->slices, sizeof(*net->link_of));
    if (!loom_has_memory(self, err)) {
        return false;
    }
    for (uint32_t s = 0; s < net->slices; s++) {
        uint64_t link = list->count != 0 ? list->item[s] : s;

        if (link >= net->downs) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "parameter 'slices' gives slice %u link %llu, "
                             "expected below %u, the links at port 'down'",
                             s, (unsigned long long)link, net->downs);
        }
        net->link_of[s] = (uint32_t)link;
    }
    return true;
}

static bool learn_peers(struct loom_component *self, struct network *net,
                        struct loom_error *err)
{
    for (uint32_t i = 0; i < net->ups; i++) {
        uint32_t id = loom_port_peer(self, "up", i);

        net->ids = id >= net->ids ? id + 1 : net->ids;
    }
    net->peer = loom_alloc(self, net->ups, sizeof(*net->peer));
    net->port_of = loom_alloc(self, net->ids, sizeof(*net->port_of));
    if (!loom_has_memory(self, err)) {
        return false;
    }
    for (uint32_t i = 0; i < net->ids; i++) {
        net->port_of[i] = NETWORK_NONE;
    }
    for (uint32_t i = net->ups; i-- > 0;) {
        net->peer[i] = loom_port_peer(self, "up", i);
        net->port_of[net->peer[i]] = i;
    }
    return true;
}

/* Site of link `number`, up links first. */
static uint32_t site_of(const struct network *net, uint32_t number)
{
    const struct network_config *config = net->fabric[0].config;
    const struct loom_list *list = &config->placement;
    bool both = net->ups + net->downs > net->graph.sites;

    if (list->count != 0) {
        return (uint32_t)list->item[number];
    }
    return both && number >= net->ups ? number - net->ups : number;
}

/* Two links of one direction may not have the same site. */
static bool check_range(struct loom_component *self, const struct network *net,
                        uint32_t first, uint32_t count, struct loom_error *err)
{
    const struct network_config *config = loom_config(self);
    uint8_t *used = loom_alloc(self, net->graph.sites, sizeof(*used));

    if (!loom_has_memory(self, err)) {
        return false;
    }
    for (uint32_t i = first; i < first + count; i++) {
        uint32_t site = site_of(net, i);

        if (site >= net->graph.sites) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "link %u of port '%s' is at site %u, but this %s "
                             "has %u sites",
                             i - first, first == 0 ? "up" : "down", site,
                             config->topology, net->graph.sites);
        }
        if (used[site]++ != 0) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "two links of port '%s' are at site %u, expected "
                             "one; parameter 'concentration' gives a router "
                             "more sites",
                             first == 0 ? "up" : "down", site);
        }
    }
    return true;
}

static bool check_places(struct loom_component *self, struct network *net,
                         struct loom_error *err)
{
    const struct network_config *config = loom_config(self);
    uint32_t links = net->ups + net->downs;

    if (config->placement.count != 0 && config->placement.count != links) {
        return loom_fail(err, LOOM_ERR_LAW,
                         "parameter 'placement' has %u sites, expected %u: one "
                         "for each link of port 'up', then of port 'down'",
                         config->placement.count, links);
    }
    return check_range(self, net, 0, net->ups, err) &&
           check_range(self, net, net->ups, net->downs, err);
}

/* Where a class counts: the fields of one direction. */
#define COUNTS(stats, d)                                                       \
    {                                                                          \
        &(stats)->d##_packets, &(stats)->d##_packets_out, &(stats)->d##_flits, \
            &(stats)->d##_bytes, &(stats)->d##_hops, (stats)->d##_kind,        \
            &(stats)->d##_flits_in, &(stats)->d##_flits_out,                   \
            &(stats)->d##_latency                                              \
    }

/* Direction `d`, 0 requests and 1 replies, is class `class` of fabric `f`. */
static void attach(struct loom_component *self, struct fabric *f, uint32_t lane,
                   uint32_t d)
{
    const struct network *net = loom_state(self);
    const char *in = d == 0 ? "up" : "down", *out = d == 0 ? "down" : "up";

    for (uint32_t i = 0; i < f->sources[lane]; i++) {
        network_attach_source(f, lane, i, loom_port_in(self, in, i),
                              site_of(net, d == 0 ? i : net->ups + i));
    }
    for (uint32_t i = 0; i < f->sinks[lane]; i++) {
        network_attach_sink(f, lane, i, loom_port_out(self, out, i),
                            site_of(net, d == 0 ? net->ups + i : i));
    }
}

static bool link_arrays(struct loom_component *self, struct fabric *f,
                        struct loom_array *flits, struct loom_array *stalls)
{
    flits->count = stalls->count = f->graph->routers * f->graph->ports;
    flits->item = loom_alloc(self, flits->count, sizeof(uint64_t));
    stalls->item = loom_alloc(self, stalls->count, sizeof(uint64_t));
    f->link_flits = flits;
    f->link_stalls = stalls;
    return flits->item != NULL && stalls->item != NULL;
}

static bool build(struct loom_component *self, uint32_t number,
                  struct loom_error *err)
{
    struct network *net = loom_state(self);
    struct network_stats *stats = loom_stats_of(self);
    struct fabric *f = &net->fabric[number];
    struct network_counts count[2] = {COUNTS(stats, request),
                                      COUNTS(stats, reply)};
    struct loom_bound routing = loom_slot(self, "routing").item[0];
    struct loom_bound arbiter =
        loom_slot(self, number == 0 ? "arbiter" : "reply_arbiter").item[0];
    const struct loom_arbiter_ops *arbiter_ops = arbiter.ops;

    f->self = self;
    f->config = loom_config(self);
    f->graph = &net->graph;
    f->classes = net->fabrics == 1 ? 2 : 1;
    f->routing = routing.policy;
    f->routing_ops = routing.ops;
    f->arbiter = arbiter.policy;
    f->arbiter_ops = arbiter_ops->in_turn ? NULL : arbiter_ops;
    f->arbiter_shape = net->graph.shape;
    f->arbiter_shape.outputs *= net->graph.routers;
    for (uint32_t c = 0; c < f->classes; c++) {
        uint32_t d = number + c;

        f->sources[c] = d == 0 ? net->ups : net->downs;
        f->sinks[c] = d == 0 ? net->downs : net->ups;
        f->count[c] = count[d];
        f->find[c] = d == 0 ? network_request_link : network_reply_link;
    }
    if (!link_arrays(self, f,
                     number == 0 ? &stats->request_link_flits
                                 : &stats->reply_link_flits,
                     number == 0 ? &stats->request_link_stalls
                                 : &stats->reply_link_stalls) ||
        !network_fabric_init(f, err)) {
        return false;
    }
    for (uint32_t c = 0; c < f->classes; c++) {
        attach(self, f, c, number + c);
    }
    return true;
}

/* A packet that passes all routers, flit by flit. */
static loom_cycle longest(const struct network *net,
                          const struct network_config *c)
{
    uint64_t hop = (uint64_t)c->routing_delay + c->switch_delay +
                   c->link_latency + c->credit_delay + c->link_period;

    return hop * (net->graph.routers + PACKET / c->flit_bytes + 1);
}

static bool network_init(struct loom_component *self, struct loom_error *err)
{
    const struct network_config *config = loom_config(self);
    struct network *net = loom_state(self);
    struct network_stats *stats = loom_stats_of(self);

    net->ups = loom_port_count(self, "up");
    net->downs = loom_port_count(self, "down");
    net->fabrics = config->shared ? 1 : 2;
    net->fabric[0].config = config;
    if (loom_slot(self, "arbiter").item[0].policy ==
        loom_slot(self, "reply_arbiter").item[0].policy) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "slots 'arbiter' and 'reply_arbiter' share one "
                         "policy, expected one each");
    }
    if (!network_graph_init(self, &net->graph, err) ||
        !learn_peers(self, net, err) || !learn_slices(self, net, err) ||
        !check_places(self, net, err) || !bind_policies(self, net, err)) {
        return false;
    }
    loom_may_take(self, longest(net, config));
    for (uint32_t i = 0; i < net->fabrics; i++) {
        if (!build(self, i, err)) {
            return false;
        }
    }
    if (net->fabrics == 1) { /* an empty axis is none */
        uint32_t count = stats->request_link_flits.count;

        loom_array(self, &stats->reply_link_flits, count);
        loom_array(self, &stats->reply_link_stalls, count);
    }
    return loom_has_memory(self, err);
}

/* Messages in the links of its sources, or on their way through its edges? */
static bool waits(const struct fabric *f)
{
    uint64_t any = 0;

    for (uint32_t c = 0; c < f->classes; c++) {
        for (uint32_t w = 0; w < (f->sources[c] + 63) / 64; w++) {
            any |= f->pending[c][w] | f->injecting[c][w];
        }
        for (uint32_t w = 0; w < (f->sinks[c] + 63) / 64; w++) {
            any |= f->delivering[c][w];
        }
    }
    return any != 0;
}

static loom_cycle tick_fabric(struct fabric *f, loom_cycle now)
{
    f->moved = false;
    if (now < f->wake && !waits(f)) {
        return f->wake; /* it is the other one's tick */
    }
    f->round = now * f->rounds;
    network_events(f, now);
    network_inject(f, now);
    network_routers(f, now);
    network_deliver(f, now);
    network_close_wheels(f, now);
    f->wake = f->moved ? now + 1 : network_next_event(f, now);
    return f->wake;
}

/* A warm request goes to its slice, and comes back as the reply. */
static void network_serve_warm(struct loom_component *self, void *message,
                               loom_cycle now)
{
    const struct network *net = loom_state(self);
    struct loom_mem_request *r = message;
    uint32_t slot = r->slot;
    uint32_t link = network_request_link(self, 0, r);

    (void)now;
    loom_warm(net->fabric[0].sink[0][link].channel, r);
    r->slot = slot;
}

static bool network_quiet(struct loom_component *self)
{
    const struct network_stats *stats = loom_stats_of(self);

    return stats->request_packets == stats->request_packets_out &&
           stats->reply_packets == stats->reply_packets_out;
}

static loom_cycle network_tick(struct loom_component *self, loom_cycle now)
{
    struct network *net = loom_state(self);
    struct network_stats *stats = loom_stats_of(self);
    loom_cycle next = LOOM_NEVER;
    bool moved = false;

    for (uint32_t i = 0; i < net->fabrics; i++) {
        loom_cycle at = tick_fabric(&net->fabric[i], now);

        next = at < next ? at : next;
        moved = moved || net->fabric[i].moved;
    }
    stats->moving_cycles += moved;
    return next;
}

static const struct network_port *port_at(const struct fabric *f, uint32_t port)
{
    unsigned char *block =
        network_block(f->block, port >> f->shape.port, f->shape);

    return block_ports(block, f->shape) + port % (1u << f->shape.port);
}

static void network_settle(struct loom_component *self, loom_cycle now)
{
    struct network_stats *stats = loom_stats_of(self);
    struct network *net = loom_state(self);

    stats->cycles = now;
    for (uint32_t i = 0; i < net->fabrics; i++) {
        struct fabric *f = &net->fabric[i];

        for (uint32_t n = 0; n < f->link_flits->count; n++) {
            uint32_t port = n / f->ports << f->port_shift | n % f->ports;

            f->link_flits->item[n] = f->sent[port] + port_at(f, port)->flits;
            f->link_stalls->item[n] = f->stalls[port];
        }
    }
}

static bool network_check(struct loom_component *self, struct loom_error *err)
{
    const struct network_stats *stats = loom_stats_of(self);
    const uint64_t in[2] = {stats->request_packets, stats->reply_packets};
    const uint64_t out[2] = {stats->request_packets_out,
                             stats->reply_packets_out};

    for (int i = 0; i < 2; i++) {
        if (in[i] != out[i]) {
            return loom_fail(err, LOOM_ERR_LAW, "%llu %s in, %llu out",
                             (unsigned long long)in[i],
                             i == 0 ? "requests" : "replies",
                             (unsigned long long)out[i]);
        }
    }
    return true;
}

static void network_report(struct loom_component *self,
                           struct loom_report *report)
{
    struct network *net = loom_state(self);

    for (uint32_t i = 0; i < net->fabrics; i++) {
        network_report_fabric(&net->fabric[i],
                              net->fabrics == 1 ? "packet"
                              : i == 0          ? "request"
                                                : "reply",
                              report);
    }
}

static const struct loom_energy network_energies[] = {
    {"flit_hop",
     "A flit of 32 bytes passed on by a router, or by a ring's stop",
     "request_link_flits + reply_link_flits", 6.34601e-12,
     "GPUWattch, GTX 480: NOC_A; assumed: each router takes as much as its "
     "one crossbar"},
    {"leak", "Leakage of the network", "time", 0.0672335,
     "GPUWattch, GTX 480: leakage of the NoC, 380 K; assumed: the same for "
     "any number of routers"},
};

static const struct loom_warm_ops network_warm = {.serve = network_serve_warm,
                                                  .quiet = network_quiet};

static const struct loom_component_ops network_ops = {
    .validate = network_validate,
    .init = network_init,
    .tick = network_tick,
    .settle = network_settle,
    .check = network_check,
    .report = network_report,
    .warm = &network_warm,
};

const struct loom_component_type network_component = {
    .name = "network",
    .doc = "Routers with virtual channels and links: butterfly, mesh, torus, "
           "ring, point to point or one crossbar",
    .state_size = sizeof(struct network),
    .config_size = sizeof(struct network_config),
    .stats_size = sizeof(struct network_stats),
    .params = {network_params, NETWORK_PARAM_COUNT},
    .stats = {network_stat_table, NETWORK_STAT_COUNT},
    .energies = LOOM_SLICE(network_energies),
    .ports = {network_ports, NETWORK_PORT_COUNT},
    .slots = {network_slots, NETWORK_SLOT_COUNT},
    .ops = &network_ops,
};
