/*
 * Re-reference interval prediction: what SRRIP, BRRIP, DRRIP and NRU share
 * (Jaleel et al., "High Performance Cache Replacement Using Re-Reference
 * Interval Prediction (RRIP)", ISCA 2010).
 *
 * Each line has a prediction, its RRPV, of `bits` bits: 0 is soon, 2^bits - 1
 * distant.  The victim is a candidate with the distant value; if there is
 * none, the lines of the set are aged until one has it.  A hit lowers the
 * prediction, to 0 (hit priority) or by one (frequency priority).  The
 * policies differ in the prediction for a new line.
 *
 * Asking for the same victim again changes nothing: the set is aged already.
 *
 * A policy of this family has struct loom_rrip as the first member of its
 * state, struct loom_rrip_stats as that of its statistics.
 */
#ifndef POLICIES_LIB_RRIP_H
#define POLICIES_LIB_RRIP_H

#include "policies/cache_hook.h"

#define LOOM_RRIP_BITS 8u /* at most */

struct loom_rrip_config {
    uint32_t bits;
    const char *promotion;
    const char *scan;
    const char *age;
};

#define LOOM_RRIP_BITS_PARAM(T, at)                                            \
    {.name = "bits",                                                           \
     .type = LOOM_TYPE_OF(T, at.bits),                                         \
     .unit = LOOM_UNIT_NONE,                                                   \
     .offset = offsetof(T, at.bits),                                           \
     .def = {.u = 3},                                                          \
     .min = {.u = 1},                                                          \
     .max = {.u = LOOM_RRIP_BITS},                                             \
     .doc = "Width of a line's re-reference prediction (RRPV)",                \
     .source = "DaCache's RRIP; Jaleel et al. 2010: 2 or 3"},                  \
    {                                                                          \
        .name = "promotion", .type = LOOM_TYPE_OF(T, at.promotion),            \
        .offset = offsetof(T, at.promotion), .def = {.s = "frequency"},        \
        .choices = loom_rrip_promotions,                                       \
        .doc = "What a hit does to the prediction: one less (frequency) or 0 " \
               "(hit)",                                                        \
        .source = "DaCache's RRIP; Jaleel et al. 2010 have both"               \
    }

#define LOOM_RRIP_SCAN_PARAMS(T, at)                                           \
    {.name = "scan",                                                           \
     .type = LOOM_TYPE_OF(T, at.scan),                                         \
     .offset = offsetof(T, at.scan),                                           \
     .def = {.s = "lowest"},                                                   \
     .choices = loom_rrip_scans,                                               \
     .doc = "Way that is replaced where several are equally distant",          \
     .source = "Jaleel et al. 2010: lowest; CCWS's simulator: highest"},       \
    {                                                                          \
        .name = "age", .type = LOOM_TYPE_OF(T, at.age),                        \
        .offset = offsetof(T, at.age), .def = {.s = "set"},                    \
        .choices = loom_rrip_ages,                                             \
        .doc = "Ways that are aged: all of the set or those that may be "      \
               "replaced",                                                     \
        .source = "CCWS's simulator: all, reserved ones, too"                  \
    }

extern const char *const loom_rrip_promotions[];
extern const char *const loom_rrip_scans[];
extern const char *const loom_rrip_ages[];

struct loom_rrip_stats {
    struct loom_array insertions; /* [2^bits], by prediction */
    uint64_t promotions;
    uint64_t agings;
};

#define LOOM_RRIP_STATS(T, at)                                                 \
    {.name = "insertions",                                                     \
     .doc = "Lines inserted, by prediction",                                   \
     .kind = LOOM_STAT_ARRAY,                                                  \
     .unit = LOOM_UNIT_LINE,                                                   \
     .offset = LOOM_ARRAY_AT(T, at.insertions),                                \
     .axis = "rrpv"},                                                          \
        {.name = "promotions",                                                 \
         .doc = "Hits that lowered a prediction",                              \
         .kind = LOOM_STAT_COUNTER,                                            \
         .unit = LOOM_UNIT_EVENT,                                              \
         .offset = LOOM_STAT_AT(T, at.promotions)},                            \
    {                                                                          \
        .name = "agings",                                                      \
        .doc = "Times a set was aged because no candidate was distant",        \
        .kind = LOOM_STAT_COUNTER, .unit = LOOM_UNIT_EVENT,                    \
        .offset = LOOM_STAT_AT(T, at.agings)                                   \
    }

struct loom_rrip {
    uint32_t sets, ways;
    uint8_t distant;   /* 2^bits - 1 */
    bool by_frequency; /* a hit lowers by one, else to 0 */
    bool highest;      /* way among equals */
    bool age_all;
    uint8_t *value; /* [sets * ways] */
};

/* Sizes state and statistics. */
bool loom_rrip_bind(struct loom_policy *self,
                    const struct loom_cache_shape *shape,
                    const struct loom_rrip_config *config,
                    struct loom_error *err);

/* Gives a new line its prediction and counts it. */
void loom_rrip_insert(struct loom_policy *self, uint32_t set, uint32_t way,
                      uint32_t value);

/* Of the hook. */
uint32_t loom_rrip_victim(struct loom_policy *self,
                          const struct loom_mem_request *request, uint32_t set,
                          const struct loom_ways *ways);
void loom_rrip_hit(struct loom_policy *self,
                   const struct loom_mem_request *request, uint32_t set,
                   uint32_t way);

/* The predictions, for a policy's cost. */
void loom_rrip_cost(uint32_t bits, const struct loom_cost_shape *shape,
                    struct loom_cost *cost);

/* A policy's check: no prediction is more than distant. */
bool loom_rrip_check(struct loom_policy *self, struct loom_error *err);

#endif
