/*
 * Bits of storage: sums, widths, and the parts of some policies by hand.
 * links: policy_lru policy_gto
 */
#include "engine/cost.h"
#include "engine/policy.h"

#include "tests/unit/test.h"

extern const struct loom_policy_type lru_policy, gto_policy;

static struct loom_cost_shape gtx480(void)
{
    struct loom_cost_shape shape;

    loom_params_default(loom_cost_shape_params, &shape);
    return shape;
}

static void bits_tell_values_apart(void)
{
    EXPECT_EQ(loom_bits_for(0), 0);
    EXPECT_EQ(loom_bits_for(1), 0);
    EXPECT_EQ(loom_bits_for(2), 1);
    EXPECT_EQ(loom_bits_for(3), 2);
    EXPECT_EQ(loom_bits_for(4), 2);
    EXPECT_EQ(loom_bits_for(5), 3);
    EXPECT_EQ(loom_bits_for(UINT64_C(1) << 40), 40);
    EXPECT_EQ(loom_bits_for(UINT64_MAX), 64);
}

static void parts_add_up_and_empty_ones_are_left_out(void)
{
    struct loom_cost cost = {.count = 0};

    loom_cost_add(&cost, "a", 3, 5, "x");
    loom_cost_add(&cost, "b", 0, 5, "x");
    loom_cost_add(&cost, "c", 5, 0, "x");
    loom_cost_add(&cost, "d", 1, 2, "x");
    EXPECT_EQ(cost.count, 2);
    EXPECT_EQ(loom_cost_bits(&cost), 17);
    EXPECT_TEXT(cost.part[1].name, "d");
}

static void the_default_shape_is_the_gtx480(void)
{
    struct loom_cost_shape s = gtx480();
    struct loom_error err;

    EXPECT(loom_params_audit(loom_cost_shape_params, sizeof(s), &err));
    EXPECT_EQ(s.sets * s.ways * s.line_bytes, 16384);
    EXPECT_EQ(loom_cost_tag_bits(&s, s.sets), 40 - 5 - 7);
    EXPECT_EQ(loom_cost_tag_bits(&s, 1), 33);
    s.address_bits = 8;
    EXPECT_EQ(loom_cost_tag_bits(&s, s.sets), 0);
}

static void policies_say_what_they_store(void)
{
    struct loom_cost_shape s = gtx480();
    struct loom_cost lru = {.count = 0}, gto = {.count = 0};

    lru_policy.cost(NULL, &s, &lru);
    EXPECT_EQ(loom_cost_bits(&lru), 32 * 4 * 2);
    gto_policy.cost(NULL, &s, &gto);
    /* 24 warps of a scheduler: 5 bits, and 1 for "none". */
    EXPECT_EQ(loom_cost_bits(&gto), 2 * 6 + 48 * 5);
}

int main(void)
{
    static const struct loom_test tests[] = {
        {"bits_tell_values_apart", bits_tell_values_apart},
        {"parts_add_up", parts_add_up_and_empty_ones_are_left_out},
        {"the_default_shape_is_the_gtx480", the_default_shape_is_the_gtx480},
        {"policies_say_what_they_store", policies_say_what_they_store},
    };

    return loom_run_tests("cost", tests, LOOM_COUNTOF(tests));
}
