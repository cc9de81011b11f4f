/*
 * What every order policy owes a load/store unit, asked of each registered
 * one with random instructions: every access reaches the L1 exactly once,
 * those of a queue in the order in which they were made, and the question
 * which queue an access goes to has one answer however often it is asked.
 */
#include "engine/registry.h"
#include "engine/rng.h"

#include "tests/unit/ldst_rig_run.h"

enum {
    INSTRUCTIONS = 300
};

static void draw(struct rig *rig, uint64_t seed)
{
    struct loom_rng rng;

    loom_rng_init(&rng, seed, "order");
    for (uint32_t i = 0; i < INSTRUCTIONS; i++) {
        uint32_t inst = (uint32_t)loom_rng_below(&rng, 3); /* to STORE */
        struct loom_warp_access *a =
            put(rig, 1 + i / 2 * loom_rng_below(&rng, 3),
                inst == ATOMIC ? LOAD : inst,
                0x10000 + 128 * loom_rng_below(&rng, 64),
                4 * (1 + loom_rng_below(&rng, 40)));

        a->warp = (uint16_t)loom_rng_below(&rng, 48);
        a->cta = (uint32_t)loom_rng_below(&rng, 8);
        a->scheduler = (uint8_t)(a->warp % 2);
        /* Which instruction of the script an access is of. */
        a->rank = (uint16_t)i;
    }
}

/* Where an access stands in the order in which they were made. */
static uint32_t made(const struct loom_mem_request *r)
{
    return (uint32_t)r->rank << 8 | r->access;
}

static void expect_order(const struct rig *rig,
                         const struct loom_order_ops *ops,
                         struct loom_policy *policy)
{
    uint32_t last[64] = {0};
    bool any[64] = {false};

    for (uint32_t i = 0; i < rig->memory->count; i++) {
        const struct loom_mem_request *r = &rig->memory->seen[i];
        uint32_t queue = ops->queue_of(policy, r);

        EXPECT(queue < 64 && queue == ops->queue_of(policy, r));
        EXPECT(!any[queue] || made(r) > last[queue]);
        any[queue] = true;
        last[queue] = made(r);
    }
}

/* Each access of each instruction, once. */
static void expect_all(const struct rig *rig)
{
    static uint8_t seen[INSTRUCTIONS][256];
    uint32_t first = 0;

    memset(seen, 0, sizeof(seen));
    for (uint32_t i = 0; i < rig->memory->count; i++) {
        const struct loom_mem_request *r = &rig->memory->seen[i];

        EXPECT_EQ(seen[r->rank][r->access], 0);
        seen[r->rank][r->access] = 1;
        first += r->access == 0 ? r->accesses : 0;
    }
    EXPECT_EQ(first, rig->memory->count);
    EXPECT_EQ(rig->sm->dones, INSTRUCTIONS);
}

static void keep_order(const struct loom_policy_type *type, uint64_t seed,
                       loom_cycle not_before)
{
    struct rig *rig = open_rig_with(type);

    rig->memory->not_before = not_before; /* so that queues fill up */
    draw(rig, seed);
    run(rig);
    expect_order(rig, loom_policy_type_ops(type, &loom_order_hook), rig->order);
    expect_all(rig);
    close_rig(rig);
}

static void every_policy_keeps_the_contract(void)
{
    uint32_t policies = 0;

    for (size_t i = 0; i < loom_policy_type_count; i++) {
        const struct loom_policy_type *type = loom_policy_types[i];

        if (loom_policy_type_ops(type, &loom_order_hook) != NULL) {
            policies++;
            keep_order(type, 1, 0);
            keep_order(type, 2, 500);
        }
    }
    EXPECT(policies >= 2); /* fifo_order and mrpb */
}

static const struct loom_test tests[] = {
    {"every_policy_keeps_the_contract", every_policy_keeps_the_contract},
};

int main(void)
{
    return loom_run_tests("order_contract", tests, LOOM_COUNTOF(tests));
}
