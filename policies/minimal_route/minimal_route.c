/*
 * minimal_route: the deterministic minimal route that a topology is known by.
 *
 *   mesh, torus, ring  dimension order: x first, then y (Dally and Towles,
 *                      Principles and Practices of Interconnection Networks,
 *                      8.4); in a torus the shorter way, at equal distance the
 *                      positive one
 *   butterfly          destination tag: stage s takes the digit stages-1-s of
 *                      the destination (same book, 8.4.1)
 *   point_to_point     the link to the destination's router
 *   crossbar           the output is the destination
 *
 * Deadlock.  Dimension order has no cycle in a mesh.  Each ring of a torus has
 * one, which is cut by a dateline (same book, 14.2.3): the lower half of a
 * class's virtual channels is taken before the link that wraps around, the
 * upper half on it and after it; a packet that turns into y begins with the
 * lower half again.
 */
#include "policies/noc_hook.h"

struct minimal_route {
    struct loom_noc_shape shape;
    uint32_t *power;       /* [stages] butterfly: radix to the power */
    uint64_t lower, upper; /* halves of the virtual channels */
};

static bool bind_torus(struct minimal_route *m, struct loom_error *err)
{
    uint32_t vcs = m->shape.vcs;

    if (vcs < 2 || vcs % 2 != 0) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "a dateline wants an even number of virtual channels "
                         "in each class, not %u",
                         vcs);
    }
    m->lower = loom_bit(vcs / 2) - 1;
    m->upper = m->lower << vcs / 2;
    return true;
}

static bool minimal_bind(struct loom_policy *self,
                         const struct loom_noc_shape *shape,
                         struct loom_error *err)
{
    struct minimal_route *m = loom_policy_state(self);
    uint32_t power = 1;

    m->shape = *shape;
    if (shape->topology == LOOM_TORUS) {
        return bind_torus(m, err);
    }
    if (shape->topology == LOOM_BUTTERFLY) {
        m->power = loom_policy_alloc(self, shape->stages, sizeof(*m->power));
        if (!loom_policy_has_memory(self, err)) {
            return false;
        }
        for (uint32_t s = shape->stages; s-- > 0; power *= shape->radix) {
            m->power[s] = power;
        }
    }
    return true;
}

/* 0: there, 1: up, 2: down. */
static uint32_t direction(uint32_t from, uint32_t to, uint32_t size, bool wraps)
{
    uint32_t up = to >= from ? to - from : to + size - from;

    if (from == to) {
        return 0;
    }
    if (!wraps) {
        return to > from ? 1 : 2;
    }
    return 2 * up <= size ? 1 : 2;
}

static uint32_t grid(const struct loom_noc_shape *shape, uint32_t router,
                     uint32_t destination)
{
    uint32_t columns = shape->columns;
    uint32_t to = destination / shape->concentration;
    bool wraps = shape->topology == LOOM_TORUS;
    uint32_t way;

    way = direction(router % columns, to % columns, columns, wraps);
    if (way != 0) {
        return shape->concentration + way - 1;
    }
    way = direction(router / columns, to / columns, shape->rows, wraps);
    if (way != 0) {
        return shape->concentration + 2 + way - 1;
    }
    return destination % shape->concentration;
}

static uint32_t minimal_way(struct loom_policy *self, uint32_t router,
                            uint32_t input, uint32_t destination)
{
    const struct minimal_route *m = loom_policy_state(self);
    const struct loom_noc_shape *shape = &m->shape;
    uint32_t to, stage;

    (void)input;
    switch (shape->topology) {
    case LOOM_MESH:
    case LOOM_TORUS:
        return grid(shape, router, destination);
    case LOOM_BUTTERFLY:
        stage = router / (shape->routers / shape->stages);
        return destination / m->power[stage] % shape->radix;
    case LOOM_POINT_TO_POINT:
        to = destination / shape->concentration;
        return to == router
                   ? destination % shape->concentration
                   : shape->concentration + (to < router ? to : to - 1);
    case LOOM_CROSSBAR:
        break;
    }
    return destination;
}

/* Does the link by `output` wrap around? */
static bool wraps(const struct loom_noc_shape *shape, uint32_t router,
                  uint32_t way)
{
    uint32_t x = router % shape->columns, y = router / shape->columns;

    switch (way) {
    case 0:
        return x == shape->columns - 1;
    case 1:
        return x == 0;
    case 2:
        return y == shape->rows - 1;
    default:
        return y == 0;
    }
}

static uint64_t minimal_vcs(struct loom_policy *self,
                            const struct loom_hop *hop)
{
    const struct minimal_route *m = loom_policy_state(self);
    uint32_t first = m->shape.concentration;
    uint32_t vcs = m->shape.vcs;
    bool same, crossed;

    if (m->shape.topology != LOOM_TORUS || hop->output < first) {
        return vcs == 64 ? ~UINT64_C(0) : loom_bit(vcs) - 1;
    }
    /* Inputs have the number of the output that leads back, so a packet that
     * goes on in its dimension came by the other one of the pair. */
    same = hop->input >= first &&
           (hop->input - first) / 2 == (hop->output - first) / 2;
    crossed = same && hop->vc >= vcs / 2;
    return crossed || wraps(&m->shape, hop->router, hop->output - first)
               ? m->upper
               : m->lower;
}

static bool minimal_all_vcs(struct loom_policy *self)
{
    const struct minimal_route *m = loom_policy_state(self);

    return m->shape.topology != LOOM_TORUS;
}

static const struct loom_routing_ops minimal_routing_ops = {
    .bind = minimal_bind,
    .route = minimal_way,
    .vcs = minimal_vcs,
    .all_vcs = minimal_all_vcs,
    .by_destination = true,
};

const struct loom_policy_type minimal_route_policy = {
    .name = "minimal_route",
    .doc = "Network routing: dimension order, destination tag or the one link, "
           "as the topology has it",
    .state_size = sizeof(struct minimal_route),
    .facets = LOOM_FACETS({&loom_routing_hook, &minimal_routing_ops}),
    .cost = loom_cost_none,
};
