/*
 * Bimodal insertion: one new line in so many is inserted differently from the
 * others (Qureshi et al., "Adaptive Insertion Policies for High Performance
 * Caching", ISCA 2007, where 1 / one_in is the throttle epsilon).
 */
#ifndef POLICIES_LIB_BIMODAL_H
#define POLICIES_LIB_BIMODAL_H

#include <string.h>

#include "engine/policy.h"
#include "engine/rng.h"

struct loom_bimodal_config {
    uint32_t one_in;
    const char *draw;
};

extern const char *const loom_bimodal_draws[];

#define LOOM_BIMODAL_PARAMS(T, at)                                             \
    {.name = "bimodal_one_in",                                                 \
     .type = LOOM_TYPE_OF(T, at.one_in),                                       \
     .unit = LOOM_UNIT_NONE,                                                   \
     .offset = offsetof(T, at.one_in),                                         \
     .def = {.u = 32},                                                         \
     .min = {.u = 1},                                                          \
     .max = {.u = 1u << 20},                                                   \
     .doc = "One new line in so many is inserted as if it were used again "    \
            "(1 / epsilon)",                                                   \
     .source = "Qureshi et al. 2007 and Jaleel et al. 2010: 1/32"},            \
    {                                                                          \
        .name = "bimodal_draw", .type = LOOM_TYPE_OF(T, at.draw),              \
        .offset = offsetof(T, at.draw), .def = {.s = "random"},                \
        .choices = loom_bimodal_draws,                                         \
        .doc = "Which one: drawn at random, or the last of each so many"       \
    }

struct loom_bimodal {
    uint32_t one_in;
    uint32_t count; /* since the last one */
    bool random;
};

static inline void loom_bimodal_init(struct loom_bimodal *bimodal,
                                     const struct loom_bimodal_config *config)
{
    *bimodal = (struct loom_bimodal){
        .one_in = config->one_in,
        .random = strcmp(config->draw, "random") == 0,
    };
}

/* Asked once per insertion: is this the one? */
static inline bool loom_bimodal_next(struct loom_bimodal *bimodal,
                                     struct loom_policy *self)
{
    if (bimodal->random) {
        return loom_rng_below(loom_policy_rng(self), bimodal->one_in) == 0;
    }
    if (++bimodal->count < bimodal->one_in) {
        return false;
    }
    bimodal->count = 0;
    return true;
}

static inline void loom_bimodal_cost(const struct loom_bimodal_config *config,
                                     struct loom_cost *cost)
{
    loom_cost_add(cost, "bimodal", 1, loom_bits_for(config->one_in),
                  "Counter or shift register that picks one in so many");
}

#endif
