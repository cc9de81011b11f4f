/*
 * plru: a binary tree of bits over the ways of a set points away from what
 * was used (tree-PLRU).
 *
 * Node n has the children 2n and 2n + 1, node 1 is the root, and the leaves
 * are the ways.  A set whose ways are no power of two has the tree of the
 * next one, and no way ever lies in the part that is too much.  A use turns
 * all nodes on its path away; the victim is found by following the bits from
 * the root, but never into a part without a candidate.
 */
#include "policies/cache_hook.h"

struct plru {
    uint32_t leaves; /* a power of two, at least the ways */
    bool *right;     /* [sets * leaves], by node; the victim is to the right */
    bool *open;      /* [2 * leaves], by node: candidates are below */
};

static bool plru_bind(struct loom_policy *self,
                      const struct loom_cache_shape *shape,
                      struct loom_error *err)
{
    struct plru *plru = loom_policy_state(self);
    uint32_t leaves = 1;

    while (leaves < shape->ways) {
        leaves *= 2;
    }
    plru->leaves = leaves;
    plru->right = loom_policy_alloc(self, (size_t)shape->sets * leaves,
                                    sizeof(*plru->right));
    plru->open =
        loom_policy_alloc(self, 2 * (size_t)leaves, sizeof(*plru->open));
    return loom_policy_has_memory(self, err);
}

static void plru_use(struct loom_policy *self,
                     const struct loom_mem_request *request, uint32_t set,
                     uint32_t way)
{
    struct plru *plru = loom_policy_state(self);
    bool *right = plru->right + (size_t)set * plru->leaves;

    (void)request;
    for (uint32_t node = plru->leaves + way; node > 1; node /= 2) {
        right[node / 2] = node % 2 == 0;
    }
}

/* Opens or closes what leads to the candidates. */
static void mark(struct plru *plru, const struct loom_ways *ways, bool open)
{
    for (uint32_t i = 0; i < ways->count; i++) {
        uint32_t node = plru->leaves + ways->way[i];

        for (; node != 0 && plru->open[node] != open; node /= 2) {
            plru->open[node] = open;
        }
    }
}

static uint32_t plru_victim(struct loom_policy *self,
                            const struct loom_mem_request *request,
                            uint32_t set, const struct loom_ways *ways)
{
    struct plru *plru = loom_policy_state(self);
    const bool *right = plru->right + (size_t)set * plru->leaves;
    uint32_t node = 1;

    (void)request;
    mark(plru, ways, true);
    while (node < plru->leaves) {
        uint32_t next = 2 * node + (right[node] ? 1u : 0u);

        node = plru->open[next] ? next : next ^ 1;
    }
    mark(plru, ways, false);
    return node - plru->leaves;
}

static const struct loom_replacement_ops plru_replacement = {
    .bind = plru_bind,
    .victim = plru_victim,
    .inserted = plru_use,
    .hit = plru_use,
};

static void plru_cost(const void *config, const struct loom_cost_shape *shape,
                      struct loom_cost *cost)
{
    (void)config;
    loom_cost_add(cost, "tree", (uint64_t)shape->sets * (shape->ways - 1), 1,
                  "Nodes of a set's tree");
}

const struct loom_policy_type plru_policy = {
    .name = "plru",
    .doc = "Evicts along a tree of bits that point away from uses (tree-PLRU)",
    .state_size = sizeof(struct plru),
    .facets = LOOM_FACETS({&loom_replacement_hook, &plru_replacement}),
    .joins = true,
    .cost = plru_cost,
};
