/*
 * direct_route: the output is the destination.
 *
 * A single switch has one output per node, so there is nothing to decide.  It
 * is a policy all the same, so that a crossbar with fewer outputs than nodes
 * (concentration) is a policy and not another crossbar.
 */
#include "policies/noc_hook.h"

static bool direct_route_bind(struct loom_policy *self,
                              const struct loom_noc_shape *shape,
                              struct loom_error *err)
{
    (void)self;
    if (shape->routers <= 1) {
        return true;
    }
    return loom_fail(err, LOOM_ERR_CONFIG,
                     "direct_route leads to a site in one step, but this "
                     "network has %u routers, expected one; minimal_route "
                     "finds the way",
                     shape->routers);
}

static uint32_t direct_route_route(struct loom_policy *self, uint32_t router,
                                   uint32_t input, uint32_t destination)
{
    (void)self;
    (void)router;
    (void)input;
    return destination;
}

static const struct loom_routing_ops direct_route_routing_ops = {
    .bind = direct_route_bind,
    .route = direct_route_route,
};

const struct loom_policy_type direct_route_policy = {
    .name = "direct_route",
    .doc = "Crossbar routing: the output is the destination",
    .facets = LOOM_FACETS({&loom_routing_hook, &direct_route_routing_ops}),
    .cost = loom_cost_none,
};
