/*
 * The crossbar of one device among others.
 * links: component_crossbar policy_round_robin_arbiter policy_direct_route
 */
#include "tests/unit/crossbar_rig.h"
#include "workloads/memory.h"

/* Slices 0 and 1 are device 1's; 2 and 3 lead to the others, for blocks in
 * turn.  What is no device's memory goes to a slice. */
static void others_memory_leaves_by_the_last_links(void)
{
    struct xbar_rig rig = build((struct shape){1, 4, 16, 16, 0, 0});
    const loom_addr window = UINT64_C(1) << LOOM_MEMORY_WINDOW_BITS;

    rig_set(rig.xbar, "devices", 3);
    rig_set(rig.xbar, "device", 1);
    rig_set(rig.xbar, "far_links", 2);
    for (uint32_t i = 0; i < 4; i++) {
        rig_add(&rig.up[0], 10, window + 256 * i, LOOM_MEM_LOAD, 128);
        rig_add(&rig.up[0], 10, 128 * i, LOOM_MEM_LOAD, 128);
        rig_add(&rig.up[0], 10, 2 * window + 128 * i, LOOM_MEM_STORE, 128);
    }
    rig_add(&rig.up[0], 10, 3 * window + 256, LOOM_MEM_LOAD, 128);
    run(&rig);
    EXPECT_EQ(rig.down[0].got_count, 2);
    EXPECT_EQ(rig.down[1].got_count, 3);
    EXPECT_EQ(rig.down[2].got_count, 4);
    EXPECT_EQ(rig.down[3].got_count, 4);
    EXPECT_EQ(rig.up[0].got_count, 13);
    destroy(&rig);
}

static const struct loom_test tests[] = {
    {"others_memory_leaves_by_the_last_links",
     others_memory_leaves_by_the_last_links},
};

int main(void)
{
    return loom_run_tests("crossbar_devices", tests, LOOM_COUNTOF(tests));
}
