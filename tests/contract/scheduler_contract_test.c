/*
 * What every warp scheduler and every throttle owes an SM, asked of each
 * registered one with the same random life: a pick is one of the ready warps
 * and changes nothing, ranks are a permutation of the started warps, a mask
 * asked for twice in a cycle is the same, every warp finishes, and the same
 * life gives the same answers.
 *
 * That a throttle wakes an SM that sleeps is tested with real machines:
 * tests/policies/awake.lua.
 */
#include "engine/registry.h"

#include "tests/contract/sm_life.h"

static uint32_t each_that_answers(const struct loom_hook *hook)
{
    uint32_t policies = 0;

    for (size_t i = 0; i < loom_policy_type_count; i++) {
        const struct loom_policy_type *type = loom_policy_types[i];
        uint64_t once;

        if (loom_policy_type_ops(type, hook) == NULL) {
            continue;
        }
        policies++;
        once = life_of(type, 1);
        EXPECT_EQ(life_of(type, 1), once);
    }
    return policies;
}

static void every_scheduler_keeps_the_contract(void)
{
    EXPECT(each_that_answers(&loom_scheduler_hook) >= 6);
}

static void every_throttle_keeps_the_contract(void)
{
    EXPECT(each_that_answers(&loom_throttle_hook) >= 6);
}

/* The whole life is the same if each question is asked three times. */
static void questions_change_nothing(void)
{
    for (size_t i = 0; i < loom_policy_type_count; i++) {
        const struct loom_policy_type *type = loom_policy_types[i];

        if (loom_policy_type_ops(type, &loom_scheduler_hook) != NULL ||
            loom_policy_type_ops(type, &loom_throttle_hook) != NULL) {
            EXPECT_EQ(life_of(type, 3), life_of(type, 1));
        }
    }
}

static const struct loom_test tests[] = {
    {"every_scheduler_keeps_the_contract", every_scheduler_keeps_the_contract},
    {"every_throttle_keeps_the_contract", every_throttle_keeps_the_contract},
    {"questions_change_nothing", questions_change_nothing},
};

int main(void)
{
    return loom_run_tests("scheduler_contract", tests, LOOM_COUNTOF(tests));
}
