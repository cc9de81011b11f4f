/*
 * What every replacement policy owes a cache, asked of each registered one
 * with the same random life: the victim is one of the candidates, also if the
 * miss has to wait and asks again, where it is the same one; the same life
 * ends in the same victims, also with each use told twice to one that says
 * that this changes nothing; and its laws hold in the end.
 */
#include "engine/registry.h"
#include "engine/rng.h"

#include "tests/unit/policy_host.h"

enum {
    SETS = 8,
    WAYS = 256, /* at most */
    STEPS = 8000
};

static const struct loom_replacement_ops *
replacement_of(const struct loom_policy_type *type)
{
    return loom_policy_type_ops(type, &loom_replacement_hook);
}

/* Candidates: a random, non-empty, ascending list of valid ways. */
static struct loom_ways draw_ways(struct loom_rng *rng, const bool *valid,
                                  uint32_t count, uint16_t *way)
{
    struct loom_ways ways = {way, 0};

    for (uint32_t i = 0; i < count; i++) {
        if (valid[i] && loom_rng_below(rng, 4) != 0) {
            ways.way[ways.count++] = (uint16_t)i;
        }
    }
    return ways;
}

static bool listed(const uint16_t *way, uint32_t count, uint32_t wanted)
{
    for (uint32_t i = 0; i < count; i++) {
        if (way[i] == wanted) {
            return true;
        }
    }
    return false;
}

/* A policy that shows the ages by which it chooses has chosen `way` by them. */
static void keep_ages(const struct loom_replacement_ops *ops,
                      struct loom_policy *self, uint32_t first,
                      const struct loom_ways *span, uint32_t way)
{
    const uint64_t *age;

    if (ops->hints == NULL || ops->hints(self).ages == NULL) {
        return;
    }
    age = *ops->hints(self).ages + first;
    for (uint32_t i = 0; i < span->count; i++) {
        EXPECT(span->way[i] < way ? age[span->way[i]] > age[way]
                                  : age[span->way[i]] >= age[way]);
    }
}

/* One step of a set's life; what it chose, or the step's number.  `twice`:
 * what is used is hit once more. */
static uint32_t live(const struct host *host, struct loom_rng *rng,
                     uint32_t ways, bool (*valid)[WAYS], bool twice)
{
    const struct loom_replacement_ops *ops =
        replacement_of(loom_policy_type_of(host->policy));
    uint32_t set = (uint32_t)loom_rng_below(rng, SETS);
    uint32_t way = (uint32_t)loom_rng_below(rng, ways);
    struct loom_mem_request request = {
        .block = loom_rng_below(rng, 1000) * 128,
        .bytes = {UINT64_MAX, UINT64_MAX},
        .inst = (uint32_t)loom_rng_below(rng, 10),
        .warp = (uint16_t)loom_rng_below(rng, 48),
        .rank = (uint16_t)loom_rng_below(rng, 48),
        .accesses = (uint8_t)(1 + loom_rng_below(rng, 32)),
        .size_bytes = 128,
        .sectors = 15,
    };
    uint16_t list[WAYS], before[WAYS];
    struct loom_ways span = draw_ways(rng, valid[set], ways, list);

    memcpy(before, list, sizeof(list));
    switch (loom_rng_below(rng, 4)) {
    case 0:
        if (valid[set][way] && ops->hit != NULL) {
            ops->hit(host->policy, &request, set, way);
            if (twice) {
                ops->hit(host->policy, &request, set, way);
            }
        }
        return way;
    case 1:
        if (valid[set][way] && ops->invalidated != NULL) {
            ops->invalidated(host->policy, set, way);
        }
        valid[set][way] = false;
        return way;
    default:
        if (span.count != 0) {
            uint32_t count = span.count;

            way = ops->victim(host->policy, &request, set, &span);
            EXPECT(listed(before, count, way));
            memcpy(list, before, sizeof(list));
            span.count = count;
            EXPECT_EQ(ops->victim(host->policy, &request, set, &span), way);
            memcpy(list, before, sizeof(list));
            span.count = count;
            keep_ages(ops, host->policy, set * ways, &span, way);
        } else if (valid[set][way]) {
            return way;
        }
        valid[set][way] = true;
        if (ops->inserted != NULL) {
            ops->inserted(host->policy, &request, set, way);
        }
        if (twice) {
            ops->hit(host->policy, &request, set, way);
        }
        return way;
    }
}

/* What a policy may ask its cache; next_use is some function of the line. */
static bool no_query(void *cache, const struct loom_mem_request *request)
{
    (void)cache;
    (void)request;
    return false;
}

static bool yes(void *cache, uint32_t set, uint32_t way)
{
    (void)cache;
    (void)set;
    (void)way;
    return true;
}

static bool no(void *cache, uint32_t set, uint32_t way)
{
    return !yes(cache, set, way);
}

static uint64_t number(void *cache, uint32_t set, uint32_t way)
{
    (void)cache;
    return (set * 31 + way * 17) % 101 < 90 ? (set * 31 + way * 17) % 101
                                            : LOOM_NEVER;
}

static uint32_t rank(void *cache, uint32_t warp)
{
    (void)cache;
    return warp;
}

static const struct loom_cache_host oracle = {
    .query = no_query,
    .reserved = no,
    .valid = yes,
    .block = number,
    .rank = rank,
    .next_use = number,
};

/* `twice`: with hits that a policy says to be nothing. */
static uint64_t life(const struct loom_policy_type *type, uint32_t ways,
                     bool twice)
{
    struct loom_cache_shape shape = host_shape(SETS, ways, 128);
    bool valid[SETS][WAYS] = {{false}};
    const struct loom_replacement_ops *ops;
    struct loom_rng rng;
    uint64_t digest = 0;
    struct host host;

    shape.host = &oracle;
    host = host_make(type, "replacement", &shape);
    host_freeze(&host);
    if (!host.good) { /* a shape that it does not have */
        host_close(&host);
        return 0;
    }
    ops = replacement_of(type);
    twice = twice && ops->hints != NULL && ops->hints(host.policy).hits_once;
    loom_rng_init(&rng, 11, "life");
    for (uint32_t i = 0; i < STEPS; i++) {
        digest = digest * 31 + live(&host, &rng, ways, valid, twice);
    }
    EXPECT(loom_machine_check(host.machine, host_note, &host.err));
    host_close(&host);
    return digest;
}

static void every_policy_keeps_the_contract(void)
{
    static const uint32_t shapes[] = {1, 2, 3, 4, 6, 8, 12, 16, 64, WAYS};
    uint32_t policies = 0, accepted;

    for (size_t i = 0; i < loom_policy_type_count; i++) {
        const struct loom_policy_type *type = loom_policy_types[i];

        if (replacement_of(type) == NULL) {
            continue;
        }
        policies++;
        EXPECT(replacement_of(type)->victim != NULL);
        accepted = 0;
        for (size_t k = 0; k < LOOM_COUNTOF(shapes); k++) {
            uint64_t digest = life(type, shapes[k], false);

            EXPECT_EQ(digest, life(type, shapes[k], true));
            accepted += digest != 0;
        }
        EXPECT(accepted > 0);
    }
    EXPECT(policies >= 12); /* those of this tree at least */
}

static const struct loom_test tests[] = {
    {"every_policy_keeps_the_contract", every_policy_keeps_the_contract},
};

int main(void)
{
    return loom_run_tests("replacement_contract", tests, LOOM_COUNTOF(tests));
}
