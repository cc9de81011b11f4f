/*
 * Set dueling: a few sets of a cache always follow one of two policies, a few
 * others the other one; a counter of their misses decides for all the rest
 * (Qureshi et al., "Adaptive Insertion Policies for High Performance
 * Caching", ISCA 2007).
 *
 * PSEL, the counter, goes up by a miss in a leader of the first policy, down
 * by one in a leader of the second, and saturates.  Its highest bit chooses:
 * 0 the first, 1 the second.
 */
#ifndef POLICIES_LIB_DUEL_H
#define POLICIES_LIB_DUEL_H

#include "policies/cache_hook.h"

struct loom_duel_config {
    uint32_t leaders;
    const char *leader_sets;
    uint32_t psel_bits;
    uint32_t psel_start;
};

extern const char *const loom_duel_leader_sets[];

#define LOOM_DUEL_PARAMS(T, at)                                                \
    {.name = "leaders",                                                        \
     .type = LOOM_TYPE_OF(T, at.leaders),                                      \
     .unit = LOOM_UNIT_NONE,                                                   \
     .offset = offsetof(T, at.leaders),                                        \
     .def = {.u = 0},                                                          \
     .max = {.u = 1u << 16},                                                   \
     .doc = "Leader sets of each policy; 0: an eighth of the sets, 1 at "      \
            "least and 32 at most",                                            \
     .source = "DaCache: 4 of 32 sets; Qureshi et al. 2007: 32"},              \
        {.name = "leader_sets",                                                \
         .type = LOOM_TYPE_OF(T, at.leader_sets),                              \
         .offset = offsetof(T, at.leader_sets),                                \
         .def = {.s = "stride"},                                               \
         .choices = loom_duel_leader_sets,                                     \
         .doc = "Which sets lead: in turn at equal distances, by complement "  \
                "selection, or drawn at random",                               \
         .source = "Qureshi et al. 2007: complement"},                         \
        {.name = "psel_bits",                                                  \
         .type = LOOM_TYPE_OF(T, at.psel_bits),                                \
         .unit = LOOM_UNIT_NONE,                                               \
         .offset = offsetof(T, at.psel_bits),                                  \
         .def = {.u = 10},                                                     \
         .min = {.u = 1},                                                      \
         .max = {.u = 24},                                                     \
         .doc = "Width of the counter that the leaders drive (PSEL)",          \
         .source = "Qureshi et al. 2007, Jaleel et al. 2010"},                 \
    {                                                                          \
        .name = "psel_start", .type = LOOM_TYPE_OF(T, at.psel_start),          \
        .unit = LOOM_UNIT_NONE, .offset = offsetof(T, at.psel_start),          \
        .def = {.u = 0}, .max = {.u = (1u << 24) - 1},                         \
        .doc = "Its value at the start; 0: the middle, 2^(psel_bits - 1)"      \
    }

/* Relations between these parameters; for a policy's validate. */
bool loom_duel_validate(const struct loom_duel_config *config,
                        struct loom_error *err);

enum loom_duel_side {
    LOOM_DUEL_FIRST,
    LOOM_DUEL_SECOND,
    LOOM_DUEL_SIDES
};

struct loom_duel_stats {
    uint64_t psel;
    uint64_t psel_switches;
    uint64_t leader_misses[LOOM_DUEL_SIDES];
    uint64_t follower_misses[LOOM_DUEL_SIDES];
};

/* `keys`: the names of the two policies. */
#define LOOM_DUEL_STATS(T, at, keys_)                                          \
    {.name = "psel",                                                           \
     .doc = "PSEL now; from 2^(psel_bits - 1) on the second policy wins",      \
     .kind = LOOM_STAT_GAUGE,                                                  \
     .unit = LOOM_UNIT_NONE,                                                   \
     .offset = LOOM_STAT_AT(T, at.psel)},                                      \
        {.name = "psel_switches",                                              \
         .doc = "Times that the winner changed",                               \
         .kind = LOOM_STAT_COUNTER,                                            \
         .unit = LOOM_UNIT_EVENT,                                              \
         .offset = LOOM_STAT_AT(T, at.psel_switches)},                         \
        {.name = "leader_misses",                                              \
         .doc = "Lines inserted in the leader sets of each policy",            \
         .kind = LOOM_STAT_VECTOR,                                             \
         .unit = LOOM_UNIT_LINE,                                               \
         .offset = LOOM_STAT_AT(T, at.leader_misses[0]),                       \
         .axis = "policy",                                                     \
         .keys = keys_,                                                        \
         .count = LOOM_DUEL_SIDES},                                            \
    {                                                                          \
        .name = "follower_misses",                                             \
        .doc = "Lines inserted in the other sets, by the policy that won",     \
        .kind = LOOM_STAT_VECTOR, .unit = LOOM_UNIT_LINE,                      \
        .offset = LOOM_STAT_AT(T, at.follower_misses[0]), .axis = "policy",    \
        .keys = keys_, .count = LOOM_DUEL_SIDES                                \
    }

struct loom_duel {
    uint8_t *role; /* [sets] enum loom_duel_side; LOOM_DUEL_SIDES follows */
    uint32_t psel, half, most;
    struct loom_duel_stats *stats;
};

/* Chooses the leaders.  `stats` lives as long as the policy.  Fails if there
 * are not enough sets. */
bool loom_duel_bind(struct loom_duel *duel, struct loom_policy *self,
                    const struct loom_cache_shape *shape,
                    const struct loom_duel_config *config,
                    struct loom_duel_stats *stats, struct loom_error *err);

/* A miss was given a line in this set: the policy that it is inserted by.
 * The winner is asked before the miss is counted. */
enum loom_duel_side loom_duel_miss(struct loom_duel *duel, uint32_t set);

/* The counter, for a policy's cost; who leads is wired. */
void loom_duel_cost(const struct loom_duel_config *config,
                    struct loom_cost *cost);

/* Laws: PSEL is in its range, and misses of leaders and followers are all
 * `insertions`. */
bool loom_duel_check(const struct loom_duel *duel,
                     const struct loom_array *insertions,
                     struct loom_error *err);

#endif
