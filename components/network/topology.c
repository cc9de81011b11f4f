/*
 * Topologies: sizes and links of the routers (Dally and Towles, Principles and
 * Practices of Interconnection Networks, chapters 3 to 5).
 *
 * Ports are numbered as policies/noc_hook.h says.  A link joins an output with
 * an input of another router; the input has the number of the output that
 * leads back, except in a butterfly, where nothing leads back.
 */
#include <stdio.h>
#include <string.h>

#include "components/network/network_private.h"

static enum loom_topology topology_of(const struct network_config *config)
{
    static const struct {
        const char *name;
        enum loom_topology topology;
    } names[] = {
        {"crossbar", LOOM_CROSSBAR}, {"butterfly", LOOM_BUTTERFLY},
        {"mesh", LOOM_MESH},         {"torus", LOOM_TORUS},
        {"ring", LOOM_TORUS},        {"point_to_point", LOOM_POINT_TO_POINT},
    };

    for (size_t i = 0; i < LOOM_COUNTOF(names); i++) {
        if (strcmp(config->topology, names[i].name) == 0) {
            return names[i].topology;
        }
    }
    return LOOM_MESH;
}

static uint64_t power(uint64_t base, uint32_t exponent)
{
    uint64_t value = 1;

    while (exponent-- > 0 && value < NETWORK_LINKS * 64) {
        value *= base;
    }
    return value;
}

/* Sizes; 64 bits so that nothing overflows before it is refused. */
static void sizes(const struct network_config *config, uint64_t *routers,
                  uint64_t *ports, uint64_t *sites)
{
    uint32_t c = config->concentration;
    bool ring = strcmp(config->topology, "ring") == 0;
    uint32_t rows = ring ? 1 : config->rows;

    switch (topology_of(config)) {
    case LOOM_CROSSBAR:
        *routers = 1;
        *ports = *sites = config->radix;
        break;
    case LOOM_BUTTERFLY:
        *sites = power(config->radix, config->stages);
        *routers = config->stages * (*sites / config->radix);
        *ports = config->radix;
        break;
    case LOOM_MESH:
    case LOOM_TORUS:
        *routers = (uint64_t)config->columns * rows;
        *ports = c + (rows > 1 ? 4u : 2u);
        *sites = *routers * c;
        break;
    case LOOM_POINT_TO_POINT:
        *routers = (uint64_t)config->columns * rows;
        *ports = c + *routers - 1;
        *sites = *routers * c;
        break;
    }
}

bool network_validate(const void *raw, struct loom_error *err)
{
    const struct network_config *config = raw;
    uint32_t classes = config->shared ? 2 : 1;
    uint64_t routers, ports, sites;

    sizes(config, &routers, &ports, &sites);
    if (config->vcs % classes != 0) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'vcs' is %u, expected an even number: with "
                         "'shared' requests and replies have half each",
                         config->vcs);
    }
    if (topology_of(config) == LOOM_TORUS && config->vcs % (2 * classes) != 0) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'vcs' is %u, expected a multiple of %u: a "
                         "%s needs two in each class, before and after the "
                         "dateline",
                         config->vcs, 2 * classes, config->topology);
    }
    if (ports > NETWORK_PORTS) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "a router of this %s has %llu ports, expected at most "
                         "%u",
                         config->topology, (unsigned long long)ports,
                         NETWORK_PORTS);
    }
    if (routers > 4096 || sites > 4096) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "this %s has %llu routers and %llu sites, expected at "
                         "most 4096",
                         config->topology, (unsigned long long)routers,
                         (unsigned long long)sites);
    }
    return true;
}

static void join(struct network_graph *g, uint32_t from_router, uint32_t output,
                 uint32_t to_router, uint32_t input)
{
    uint32_t from = from_router << g->port_shift | output;
    uint32_t to = to_router << g->port_shift | input;

    g->to[from] = to;
    g->from[to] = from;
}

static void join_grid(struct network_graph *g)
{
    uint32_t columns = g->shape.columns, rows = g->shape.rows;
    uint32_t first = g->shape.concentration;
    bool wraps = g->shape.topology == LOOM_TORUS;

    for (uint32_t r = 0; r < g->routers; r++) {
        uint32_t x = r % columns, y = r / columns;
        uint32_t right = y * columns + (x + 1) % columns;
        uint32_t above = (y + 1) % rows * columns + x;

        if (columns > 1 && (x + 1 < columns || wraps)) {
            join(g, r, first, right, first + 1);
            join(g, right, first + 1, r, first);
        }
        if (rows > 1 && (y + 1 < rows || wraps)) {
            join(g, r, first + 2, above, first + 3);
            join(g, above, first + 3, r, first + 2);
        }
    }
}

static void join_all(struct network_graph *g)
{
    uint32_t first = g->shape.concentration;

    for (uint32_t a = 0; a < g->routers; a++) {
        for (uint32_t b = 0; b < a; b++) {
            join(g, a, first + b, b, first + a - 1);
            join(g, b, first + a - 1, a, first + b);
        }
    }
}

/* Line l of stage s is output l % radix of router l / radix; the next stage
 * has it where the lowest digit and digit stages-1-s change places. */
static void join_butterfly(struct network_graph *g)
{
    uint32_t k = g->shape.radix, stages = g->shape.stages;
    uint32_t per_stage = g->routers / stages;
    uint32_t high = (uint32_t)power(k, stages - 1);

    for (uint32_t s = 0; s + 1 < stages; s++, high /= k) {
        for (uint32_t line = 0; line < per_stage * k; line++) {
            uint32_t low = line % k, digit = line / high % k;
            uint32_t next = line - low - digit * high + digit + low * high;

            join(g, s * per_stage + line / k, low,
                 (s + 1) * per_stage + next / k, next % k);
        }
    }
}

static void fill_shape(struct network_graph *g,
                       const struct network_config *config)
{
    struct loom_noc_shape *shape = &g->shape;
    uint64_t routers, ports, sites;
    uint32_t classes = config->shared ? 2 : 1;

    sizes(config, &routers, &ports, &sites);
    g->routers = (uint32_t)routers;
    g->ports = (uint32_t)ports;
    g->sites = (uint32_t)sites;
    *shape = (struct loom_noc_shape){
        .inputs = g->ports,
        .outputs = g->ports,
        .nodes = g->sites,
        .topology = topology_of(config),
        .routers = g->routers,
        .concentration = config->concentration,
        .vcs = config->vcs / classes,
    };
    if (shape->topology == LOOM_MESH || shape->topology == LOOM_TORUS) {
        shape->columns = config->columns;
        shape->rows = g->routers / config->columns;
    } else if (shape->topology == LOOM_BUTTERFLY) {
        shape->radix = config->radix;
        shape->stages = config->stages;
        shape->concentration = config->radix;
    } else if (shape->topology == LOOM_CROSSBAR) {
        shape->concentration = config->radix;
    }
}

uint32_t network_entry(const struct network_graph *g, uint32_t site)
{
    uint32_t c = g->shape.concentration;

    return site / c << g->port_shift | site % c;
}

uint32_t network_exit(const struct network_graph *g, uint32_t site)
{
    uint32_t stages = g->shape.stages;
    uint32_t before = stages > 1 ? g->routers / stages * (stages - 1) : 0;

    return (before << g->port_shift) + network_entry(g, site);
}

bool network_graph_init(struct loom_component *self, struct network_graph *g,
                        struct loom_error *err)
{
    uint32_t count;

    fill_shape(g, loom_config(self));
    while (1u << g->port_shift < g->ports) {
        g->port_shift++;
    }
    count = g->routers << g->port_shift;
    g->to = loom_alloc(self, count, sizeof(*g->to));
    g->from = loom_alloc(self, count, sizeof(*g->from));
    g->site_of = loom_alloc(self, count, sizeof(*g->site_of));
    if (!loom_has_memory(self, err)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        g->to[i] = g->from[i] = g->site_of[i] = NETWORK_NONE;
    }
    for (uint32_t s = 0; s < g->sites; s++) {
        g->site_of[network_exit(g, s)] = s;
    }
    switch (g->shape.topology) {
    case LOOM_MESH:
    case LOOM_TORUS:
        join_grid(g);
        break;
    case LOOM_POINT_TO_POINT:
        join_all(g);
        break;
    case LOOM_BUTTERFLY:
        join_butterfly(g);
        break;
    case LOOM_CROSSBAR:
        break;
    }
    return true;
}

void network_port_name(const struct network_graph *g, uint32_t port,
                       char text[24])
{
    static const char *const ways[] = {"+x", "-x", "+y", "-y"};
    enum loom_topology topology = g->shape.topology;
    uint32_t first = g->shape.concentration;

    if ((topology == LOOM_MESH || topology == LOOM_TORUS) && port >= first) {
        snprintf(text, 24, "%s", ways[port - first]);
    } else if (topology == LOOM_POINT_TO_POINT && port >= first) {
        snprintf(text, 24, "link %u", port - first);
    } else {
        snprintf(text, 24, "port %u", port);
    }
}
