/*
 * ipoly_index: the line's number as a polynomial, modulo an irreducible one.
 *
 * Rau, "Pseudo-randomly interleaved memory", ISCA 1991; GPGPU-Sim 4 (`P`,
 * ipoly_hash_function); policies/lib/ipoly.h says how.  Any run of strides that
 * are powers of two spreads over all sets.
 */
#include "policies/lib/index.h"
#include "policies/lib/ipoly.h"

struct ipoly_config {
    uint32_t upper_bits;
};

struct ipoly_index {
    struct loom_index index;
    struct loom_ipoly poly;
};

static bool ipoly_bind(struct loom_policy *self,
                       const struct loom_cache_shape *shape,
                       struct loom_error *err)
{
    const struct ipoly_config *config = loom_policy_config(self);
    struct ipoly_index *state = loom_policy_state(self);
    uint32_t bits = loom_is_power_of_2(shape->sets) ? loom_log2(shape->sets)
                                                    : LOOM_IPOLY_BITS + 1;

    if (bits == 0 || bits > LOOM_IPOLY_BITS) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "ipoly_index does not exist for %u sets, expected a "
                         "power of 2 in 2..%u",
                         shape->sets, 1u << LOOM_IPOLY_BITS);
    }
    loom_index_init(&state->index, shape);
    loom_ipoly_init(&state->poly, bits, config->upper_bits);
    return true;
}

static uint32_t ipoly_set(struct loom_policy *self, loom_addr line)
{
    const struct ipoly_index *state = loom_policy_state(self);
    loom_addr number = line >> state->index.shift;
    loom_addr upper = number >> state->index.bits;

    return loom_ipoly_hash(&state->poly, upper,
                           (uint32_t)number & state->index.mask);
}

static const struct loom_param ipoly_params[] = {
    LOOM_PARAM(struct ipoly_config, upper_bits, .unit = LOOM_UNIT_NONE,
               .def = {.u = 0}, .max = {.u = 64},
               .doc = "Bits above the index that are hashed in; 0: 13, 15 and "
                      "19 for 16, 32 and 64 sets, else all",
               .source = "GPGPU-Sim 4, ipoly_hash_function"),
};

static const struct loom_set_index_ops ipoly_set_index = {
    .bind = ipoly_bind,
    .index = ipoly_set,
};

const struct loom_policy_type ipoly_index_policy = {
    .name = "ipoly_index",
    .doc = "Set from the line's number modulo an irreducible polynomial",
    .state_size = sizeof(struct ipoly_index),
    .config_size = sizeof(struct ipoly_config),
    .params = LOOM_SLICE(ipoly_params),
    .facets = LOOM_FACETS({&loom_set_index_hook, &ipoly_set_index}),
    .cost = loom_cost_none,
};
