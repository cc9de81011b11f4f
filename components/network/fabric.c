/*
 * A fabric's memory: routers, links, buffers, packets; where messages enter
 * and leave.
 *
 * The pool of packets is as large as the places where a packet can be:
 * buffers, of which each holds a flit of its own, sinks, and sources.
 */
#include "components/network/fabric_private.h"

static void size(struct fabric *f)
{
    const struct network_config *config = f->config;
    uint64_t packets;

    f->ports = f->graph->ports;
    f->routers = f->graph->routers;
    f->vcs = config->vcs;
    f->class_vcs = config->vcs / f->classes;
    f->port_shift = f->graph->port_shift;
    f->router_words = (f->routers + 63) / 64;
    f->vc_shift = network_log2_up(config->vcs);
    f->ring_shift = network_log2_up(config->buffer_flits);
    f->shape = network_shape_of(f->ports, f->vc_shift, f->ring_shift, false);
    f->sites = f->graph->sites;
    for (uint32_t c = 0; c < f->classes; c++) {
        f->all_vcs[c] =
            (uint16_t)((loom_bit(f->class_vcs) - 1) << c * f->class_vcs);
    }
    f->rounds = config->internal_speedup;
    f->paced = config->link_period > 1 && f->rounds == 1;
    f->looks = config->routing_delay != 0;
    packets = (uint64_t)f->routers * f->ports * f->vcs * config->buffer_flits;
    for (uint32_t c = 0; c < f->classes; c++) {
        packets +=
            f->sources[c] + (uint64_t)f->sinks[c] * (config->eject_flits + 1);
    }
    f->packets = packets < UINT32_MAX / 2 ? (uint32_t)packets : UINT32_MAX / 2;
}

struct want {
    void *at; /* a pointer to the memory */
    size_t count, bytes;
};

static bool take_list(struct fabric *f, const struct want *want, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void **at = want[i].at;

        *at = loom_alloc(f->self, want[i].count, want[i].bytes);
        if (*at == NULL) {
            return false;
        }
    }
    return true;
}

/* Events of a router with several rounds in a cycle are as late as its links
 * are behind, at most by what credits allow.  A round routes any VC's head, and
 * a cycle brings a credit of each input and of each sink. */
static uint32_t most_late(const struct fabric *f)
{
    const struct network_config *config = f->config;

    return f->rounds == 1
               ? 0
               : config->credit_delay + 2 + config->routing_delay * f->rounds +
                     (f->vcs * config->buffer_flits + 1) * config->link_period;
}

/* A bucket holds what a cycle can make: a flit leaves each input at most
 * once, and one comes to each. */
static bool take_wheels(struct fabric *f)
{
    const struct network_config *config = f->config;
    const uint32_t delay[NETWORK_WHEELS] = {
        [NETWORK_ARRIVE] = config->switch_delay + config->link_latency,
        [NETWORK_CREDIT] = config->credit_delay,
        [NETWORK_ROUTE] = 1 + config->routing_delay,
        [NETWORK_LOOK] = config->routing_delay,
        [NETWORK_EJECT] = config->switch_delay + 1,
    };

    const uint32_t each = f->rounds == 1 ? 1 : f->vcs + 1;

    for (uint32_t k = 0; k < NETWORK_WHEELS; k++) {
        struct network_wheel *w = &f->wheel[k];

        w->delay = delay[k];
        w->size = 1u << network_log2_up(delay[k] + most_late(f));
        w->bucket = f->routers * f->ports * (k == NETWORK_ARRIVE ? 2 : each) +
                    1; /* give_back() writes ahead */
        w->event =
            loom_alloc(f->self, (size_t)w->size * w->bucket, sizeof(*w->event));
        w->count = loom_alloc(f->self, w->size, sizeof(*w->count));
        if (w->event == NULL || w->count == NULL) {
            return false;
        }
    }
    return true;
}

static bool take_memory(struct fabric *f)
{
    size_t ports = (size_t)f->routers << f->port_shift;
    size_t vcs = ports << f->vc_shift;
    size_t asked = f->routers + (size_t)f->ports * f->router_words; /* or */
    size_t homes = f->rounds == 1 ? 1 : vcs;
    const struct want want[] = {
        {&f->block, f->routers, f->shape.block},
        {&f->tail, vcs, sizeof(*f->tail)},
        {&f->flit, vcs << f->ring_shift, sizeof(*f->flit)},
        {&f->asked[NETWORK_WANTS], asked, sizeof(uint64_t)},
        {&f->asked[NETWORK_SENDS], asked, sizeof(uint64_t)},
        {&f->sent, ports, sizeof(*f->sent)},
        {&f->stuck, vcs, sizeof(*f->stuck)},
        {&f->stalls, ports, sizeof(*f->stalls)},
        {&f->free_at, ports, sizeof(*f->free_at)},
        {&f->credit_at, ports, sizeof(*f->credit_at)},
        {&f->home, homes, sizeof(*f->home)},
        {&f->home_at, homes << f->ring_shift, sizeof(*f->home_at)},
        {&f->packet, f->packets, sizeof(*f->packet)},
        {&f->aim, f->packets, sizeof(*f->aim)},
        {&f->site_used, f->graph->sites, sizeof(*f->site_used)},
    };

    return take_list(f, want, LOOM_COUNTOF(want)) && take_wheels(f);
}

static bool take_edges(struct fabric *f)
{
    for (uint32_t c = 0; c < f->classes; c++) {
        size_t words = (f->sources[c] + 63) / 64;
        const struct want want[] = {
            {&f->source[c], f->sources[c], sizeof(*f->source[c])},
            {&f->sink[c], f->sinks[c], sizeof(*f->sink[c])},
            {&f->link_at[c], f->graph->sites, sizeof(*f->link_at[c])},
            {&f->pending[c], words, sizeof(uint64_t)},
            {&f->injecting[c], words, sizeof(uint64_t)},
            {&f->delivering[c], (f->sinks[c] + 63) / 64, sizeof(uint64_t)},
            {&f->count[c].flits_in->item, f->sources[c], sizeof(uint64_t)},
            {&f->count[c].flits_out->item, f->sinks[c], sizeof(uint64_t)},
        };

        if (!take_list(f, want, LOOM_COUNTOF(want))) {
            return false;
        }
        f->count[c].flits_in->count = f->sources[c];
        f->count[c].flits_out->count = f->sinks[c];
    }
    return true;
}

static void fill_port(struct fabric *f, uint32_t router, uint32_t number)
{
    struct network_shape k = f->shape;
    uint32_t i = router << k.port | number;
    uint32_t from = f->graph->from[i], to = f->graph->to[i];
    uint32_t first = number << k.vc;
    uint32_t all = ((1u << f->vcs) - 1) << first % 32;
    unsigned char *block = network_block(f->block, router, k);
    struct network_port *port = block_ports(block, k) + number;

    port->to = to == NETWORK_NONE ? to : to << k.vc;
    port->before =
        from == NETWORK_NONE ? from : network_lane_place(from << k.vc, k);
    block_state(block, NETWORK_UNOWNED, k)[first / 32] |= all;
    block_state(block, NETWORK_CREDITED, k)[first / 32] |= all;
    for (uint32_t slot = first; slot < first + (1u << k.vc); slot++) {
        struct network_vc *vc = block_vcs(block, k) + slot;

        vc->output = NETWORK_NO_OUTPUT;
        vc->output_vc = NETWORK_NO_VC;
        block_lanes(block, k)[slot].credits =
            (uint16_t)(to != NETWORK_NONE || f->rounds != 1
                           ? f->config->buffer_flits
                           : 1); /* of a sink; never used up */
        f->tail[router << (k.port + k.vc) | slot].allowed = f->all_vcs[0];
    }
}

static void fill(struct fabric *f)
{
    for (uint32_t i = 0; i < f->routers * f->ports; i++) {
        fill_port(f, i / f->ports, i % f->ports);
    }
    for (uint32_t i = 0; i < f->packets; i++) {
        f->packet[i].next = i + 1 < f->packets ? i + 1 : NETWORK_NONE;
    }
}

/* Routes that depend on the destination only are asked for once; those that
 * lead nowhere are told when a packet takes one. */
static bool learn_routes(struct fabric *f)
{
    const struct network_graph *g = f->graph;
    size_t count = (size_t)g->routers * g->sites;

    f->any_vc =
        f->routing_ops->vcs == NULL || (f->routing_ops->all_vcs != NULL &&
                                        f->routing_ops->all_vcs(f->routing));
    if (!f->routing_ops->by_destination || count > NETWORK_ROUTES) {
        return true;
    }
    f->route = loom_alloc(f->self, count, sizeof(*f->route));
    if (f->route == NULL) {
        return false;
    }
    for (uint32_t r = 0; r < g->routers; r++) {
        for (uint32_t site = 0; site < g->sites; site++) {
            uint32_t o = f->routing_ops->route(f->routing, r, 0, site);
            uint32_t port = r << f->port_shift | o;
            bool good = o < f->ports && (g->to[port] != NETWORK_NONE ||
                                         g->site_of[port] == site);

            f->route[(size_t)r * g->sites + site] =
                (uint8_t)(good ? o : NETWORK_PORTS);
        }
    }
    return true;
}

bool network_fabric_init(struct fabric *f, struct loom_error *err)
{
    size(f);
    if (!take_memory(f) || !take_edges(f) || !learn_routes(f)) {
        return loom_fail(err, LOOM_ERR_MEMORY,
                         "no memory for %u routers of %u ports, %u virtual "
                         "channels and %u flits each",
                         f->routers, f->ports, f->vcs, f->config->buffer_flits);
    }
    fill(f);
    f->shape.plain = f->classes == 1 && f->route != NULL && f->any_vc &&
                     f->arbiter_ops == NULL && !f->paced && f->looks &&
                     f->rounds == 1 && !f->config->speculative;
    return f->arbiter_ops == NULL || f->arbiter_ops->bind == NULL ||
           f->arbiter_ops->bind(f->arbiter, &f->arbiter_shape, err);
}

void network_attach_source(struct fabric *f, uint32_t lane, uint32_t i,
                           struct loom_channel *channel, uint32_t site)
{
    struct network_source *source = &f->source[lane][i];

    source->channel = channel;
    source->site = (uint16_t)site;
    source->packet = NETWORK_NONE;
    source->entry = (network_entry(f->graph, site) << f->vc_shift) +
                    (f->classes == 2 ? lane * f->class_vcs : 0);
    source->vc = (uint16_t)(f->class_vcs - 1);
    loom_watch(channel, &f->pending[lane][i / 64], loom_bit(i % 64));
}

void network_attach_sink(struct fabric *f, uint32_t lane, uint32_t i,
                         struct loom_channel *channel, uint32_t site)
{
    struct network_sink *sink = &f->sink[lane][i];

    sink->channel = channel;
    sink->site = site;
    sink->head = NETWORK_NONE;
    f->link_at[lane][site] = (uint16_t)i;
}
