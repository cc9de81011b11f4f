/*
 * A small machine of made-up parts, for tests of the results layer.
 *
 *     gpu[0]              chip   one statistic
 *     gpu[0].sm[0..2]     core   one statistic of every kind but arrays
 *     gpu[0].sm[0..2].l1d store  an array as long as its parameter `ways`
 *     gpu[0].l2[0]        store  ) two types under one index-free path
 *     gpu[0].l2[1]        core   )
 *
 * with a policy `tally` in each l1d.  Everything ticks at 1 GHz.  After n
 * ticks core i has accesses = n * (i + 1), hits = n * i.
 */
#ifndef TESTS_UNIT_STATS_RIG_H
#define TESTS_UNIT_STATS_RIG_H

#include "engine/machine.h"

#include "tests/unit/stats_parts.h"

#define RIG_CYCLE 1000000u /* femtoseconds */

static inline void rig_complain(void *context, const char *path,
                                const struct loom_error *err)
{
    (void)context;
    fprintf(stderr, "%s: %s\n", path, err->text);
}

/* `ways` of sm[1].l1d is 6, of the others 4. */
static inline void rig_add_sm(struct loom_machine *machine, uint32_t clock,
                              unsigned i)
{
    struct loom_error err;
    struct loom_component *store;
    struct loom_policy *tally;
    char path[64];

    snprintf(path, sizeof(path), "gpu[0].sm[%u]", i);
    REQUIRE(loom_machine_add(machine, &rig_core, path, clock, &err) != NULL);
    snprintf(path, sizeof(path), "gpu[0].sm[%u].l1d", i);
    store = loom_machine_add(machine, &rig_store, path, clock, &err);
    REQUIRE(store != NULL);
    if (i == 1) {
        REQUIRE(
            loom_machine_set(store, "ways", (union loom_value){.u = 6}, &err));
    }
    snprintf(path, sizeof(path), "gpu[0].sm[%u].l1d.policy.tally", i);
    tally = loom_machine_add_policy(machine, &rig_tally, path, &err);
    REQUIRE(tally != NULL);
    REQUIRE(loom_machine_attach(store, "counting", tally, &err));
}

static inline struct loom_machine *rig_machine(unsigned sms)
{
    struct loom_machine *machine = loom_machine_create(1);
    uint32_t clock = loom_machine_clock(machine, 1000000000);
    struct loom_error err;

    /* Not in the order of their paths: the order of creation is nothing. */
    for (unsigned i = sms; i-- > 0;) {
        rig_add_sm(machine, clock, i);
    }
    loom_machine_add(machine, &rig_core, "gpu[0].l2[1]", clock, &err);
    loom_machine_add(machine, &rig_store, "gpu[0].l2[0]", clock, &err);
    loom_machine_add(machine, &rig_chip, "gpu[0]", clock, &err);
    REQUIRE(loom_machine_freeze(machine, rig_complain, NULL));
    for (uint32_t i = 0; i < loom_machine_component_count(machine); i++) {
        REQUIRE(loom_machine_command(loom_machine_component(machine, i), NULL,
                                     &err));
    }
    return machine;
}

static inline void rig_run(struct loom_machine *machine, uint64_t cycles)
{
    struct loom_error err;

    REQUIRE(loom_machine_run(machine,
                             loom_machine_now(machine) + cycles * RIG_CYCLE,
                             LOOM_NEVER, &err) == LOOM_STOP_TIME);
}

#endif
