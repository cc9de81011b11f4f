/*
 * The load/store unit, one behaviour at a time; see ldst_rig.h for the bench
 * and its cycle count.
 *
 * links: component_ldst policy_fermi_coalesce policy_fifo_order
 */
#include "engine/rng.h"

#include "tests/unit/ldst_rig_run.h"

/* ---- global memory ---- */

static void load_takes_its_way(void)
{
    struct rig *rig = open_rig();
    const struct loom_mem_request *r = &rig->memory->seen[0];
    const struct loom_histogram *h;

    put(rig, 20, LOAD, UINT64_C(0x500000000), 4);
    run(rig);
    EXPECT_EQ(rig->memory->count, 1);
    EXPECT_EQ(rig->memory->seen_at[0], 22);
    EXPECT_EQ(r->block, UINT64_C(0x500000000));
    EXPECT_EQ(r->bytes[0] & r->bytes[1], UINT64_MAX);
    EXPECT_EQ(r->born, rig->sm->script[0].born);
    EXPECT_EQ(r->cta, 9);
    EXPECT_EQ(r->kernel, 3);
    EXPECT_EQ(r->inst, LOAD);
    EXPECT_EQ(r->sm, 2);
    EXPECT_EQ(r->warp, 0);
    EXPECT_EQ(r->rank, 4);
    EXPECT_EQ(r->size_bytes, 128);
    EXPECT_EQ(r->access, 0);
    EXPECT_EQ(r->accesses, 1);
    EXPECT_EQ(r->scheduler, 1);
    EXPECT_EQ(r->kind, LOOM_MEM_LOAD);
    EXPECT_EQ(r->space, LOOM_SPACE_GLOBAL);
    EXPECT_EQ(r->sectors, 15);
    EXPECT_EQ(r->bypassed, 0);
    EXPECT_EQ(r->flags, LOOM_MEM_AWAITED);
    EXPECT_EQ(rig->sm->dones, 1);
    EXPECT_EQ(rig->sm->done[0].kind, LOOM_DONE_LOAD);
    EXPECT_EQ(rig->sm->done[0].cta, 9);
    EXPECT_EQ(rig->sm->done_at[0], 34);
    h = field(rig, "load_latency");
    EXPECT_EQ(h->count, 1);
    EXPECT_EQ(h->sum, 13); /* issued at 20, written back at 33 */
    EXPECT_EQ(stat_of(rig, "l1_hits", 0), 1);
    close_rig(rig);
}

static void divergent_load_sends_one_access_per_cycle(void)
{
    struct rig *rig = open_rig();

    put(rig, 20, LOAD, 0x10000, 128);
    put(rig, 21, LOAD, 0x90000, 4);
    run(rig);
    EXPECT_EQ(rig->memory->count, 33);
    for (uint32_t i = 0; i < 33; i++) {
        EXPECT_EQ(rig->memory->seen_at[i], 22 + i);
    }
    EXPECT_EQ(rig->memory->seen[0].block, 0x10000 + 31 * 128);
    EXPECT_EQ(rig->memory->seen[31].access, 31);
    EXPECT_EQ(rig->memory->seen[31].size_bytes, 32);
    EXPECT_EQ(rig->memory->seen[31].flags,
              LOOM_MEM_UNCOALESCED | LOOM_MEM_AWAITED);
    EXPECT_EQ(rig->sm->done_at[0], 34 + 31);
    EXPECT_EQ(rig->sm->done_at[1], 34 + 32);
    EXPECT_EQ(rig->watch->issues, 2);
    EXPECT_EQ(rig->watch->completes, 2);
    EXPECT_EQ(rig->watch->complete.count, 1);
    EXPECT_EQ(stat_of(rig, "load_accesses", 0), 33);
    EXPECT_EQ(stat_of(rig, "coalesced_loads", 0), 2);
    close_rig(rig);
}

static void stores_and_atomics_say_so(void)
{
    struct rig *rig = open_rig();

    put(rig, 20, STORE, 0x10000, 4);
    put(rig, 21, ATOMIC, 0x10000, 4);
    put(rig, 22, LOAD_CG, 0x10000, 4);
    run(rig);
    EXPECT_EQ(rig->memory->seen[0].kind, LOOM_MEM_STORE);
    EXPECT_EQ(rig->memory->seen[0].bypassed, 0);
    EXPECT_EQ(rig->memory->seen[1].kind, LOOM_MEM_ATOMIC);
    EXPECT_EQ(rig->memory->seen[1].bypassed, LOOM_LEVEL_L1);
    EXPECT_EQ(rig->memory->seen[2].bypassed, LOOM_LEVEL_L1);
    EXPECT_EQ(rig->sm->done[0].kind, LOOM_DONE_STORE);
    EXPECT_EQ(rig->sm->done[1].kind, LOOM_DONE_ATOMIC);
    EXPECT_EQ(rig->sm->done[2].kind, LOOM_DONE_LOAD);
    EXPECT_EQ(rig->watch->complete.bypasses, 1);
    EXPECT_EQ(rig->watch->complete.hits, 0);
    EXPECT_EQ(stat_of(rig, "l1_bypasses", 0), 2);
    EXPECT_EQ(stat_of(rig, "store_insts", LOOM_SPACE_GLOBAL), 1);
    EXPECT_EQ(stat_of(rig, "atomic_insts", LOOM_SPACE_GLOBAL), 1);
    close_rig(rig);
}

/* A load is back at 34; the reply of an atomic as well. */
static void atomics_may_take_longer(void)
{
    struct rig *rig = open_rig();

    set(rig, "atomic_latency", 100);
    put(rig, 20, ATOMIC_REAL, 0x10000, 4);
    put(rig, 21, ATOMIC_SWAP, 0x20000, 4);
    put(rig, 22, LOAD, 0x30000, 4);
    run(rig);
    EXPECT_EQ(rig->memory->seen[0].flags, LOOM_MEM_REAL);
    EXPECT_EQ(rig->memory->seen[1].flags, LOOM_MEM_SWAP);
    EXPECT_EQ(rig->sm->done[0].kind, LOOM_DONE_LOAD);
    EXPECT_EQ(rig->sm->done_at[0], 36);
    EXPECT_EQ(rig->sm->done_at[1], 134);
    EXPECT_EQ(rig->sm->done_at[2], 135);
    close_rig(rig);
}

static void full_pending_table_blocks_dispatch(void)
{
    struct rig *rig = open_rig();

    set(rig, "pending_entries", 2);
    for (uint32_t i = 0; i < 3; i++) {
        put(rig, 20 + i, LOAD, 0x10000 + i * 128, 4);
    }
    run(rig);
    /* in dispatch at 23; the first load writes back at 33 */
    EXPECT_EQ(stat_of(rig, "stall_cycles", 0), 10);
    EXPECT_EQ(rig->memory->seen_at[2], 34);
    EXPECT_EQ(rig->sm->done_at[2], 46);
    close_rig(rig);
}

static void closed_l1_is_waited_for(void)
{
    struct rig *rig = open_rig();

    rig->memory->not_before = 60;
    put(rig, 20, LOAD, 0x10000, 128);
    run(rig);
    /* four places: full after 24; the fifth waits from 25 to 60 */
    EXPECT_EQ(stat_of(rig, "stall_cycles", 2), 36);
    EXPECT_EQ(rig->memory->count, 32);
    EXPECT_EQ(rig->memory->seen_at[31], 91);
    close_rig(rig);
}

static void instruction_without_lanes_completes(void)
{
    struct rig *rig = open_rig();

    put(rig, 20, LOAD, 0x10000, 4)->inst.mask = 0;
    put(rig, 30, LOAD_SHARED, 0x100, 4)->inst.mask = 0;
    run(rig);
    EXPECT_EQ(rig->memory->count, 0);
    EXPECT_EQ(rig->sm->dones, 2);
    EXPECT_EQ(rig->sm->done_at[0], 23); /* dispatched 21, written back 22 */
    close_rig(rig);
}

static void flush_goes_to_the_l1(void)
{
    struct rig *rig = open_rig();

    put(rig, 20, LOAD, 0x10000, 4);
    put(rig, 21, LOAD, 0, 0)->command = LOOM_WARP_FLUSH;
    run(rig);
    EXPECT_EQ(rig->memory->count, 2);
    EXPECT_EQ(rig->memory->seen[1].kind, LOOM_MEM_FLUSH);
    EXPECT_EQ(rig->sm->done[1].kind, LOOM_DONE_FLUSH);
    EXPECT_EQ(rig->sm->done_at[1], 35);
    close_rig(rig);

    rig = open_rig();
    REQUIRE(loom_machine_set(rig->ldst, "flushes_l1",
                             (union loom_value){.b = false}, &rig->err));
    put(rig, 20, LOAD, 0, 0)->command = LOOM_WARP_FLUSH;
    run(rig);
    EXPECT_EQ(rig->memory->count, 0);
    EXPECT_EQ(rig->sm->done[0].kind, LOOM_DONE_FLUSH);
    close_rig(rig);
}

/* ---- shared and constant memory ---- */

static void bank_conflicts_cost_cycles(void)
{
    static const struct {
        uint32_t inst;
        uint64_t stride;
        uint32_t cycles;
    } cases[] = {
        {LOAD_SHARED, 4, 1},     {LOAD_SHARED, 8, 2},   {LOAD_SHARED, 16, 4},
        {LOAD_SHARED, 32, 8},    {LOAD_SHARED, 64, 16}, {LOAD_SHARED, 128, 32},
        {LOAD_SHARED, 0, 1},    /* broadcast */
        {LOAD_SHARED, 132, 1},  /* padded columns */
        {LOAD_SHARED, 12, 1},   /* odd strides do not conflict */
        {LOAD_SHARED, 2, 1},    /* two lanes in a word */
        {LOAD_SHARED_8, 8, 2},  /* 64 words over 32 banks */
        {ATOMIC_SHARED, 0, 32}, /* nothing is shared */
        {STORE_SHARED, 128, 32},
    };

    for (size_t i = 0; i < LOOM_COUNTOF(cases); i++) {
        struct rig *rig = open_rig();

        put(rig, 20, cases[i].inst, 0x100, cases[i].stride);
        run(rig);
        EXPECT_EQ(stat_of(rig, "shared_conflict_cycles", 0),
                  cases[i].cycles - 1);
        /* 21 dispatched, 26 cycles, seen one later */
        EXPECT_EQ(rig->sm->done_at[0], 48 + cases[i].cycles - 1);
        close_rig(rig);
    }
}

static void conflicts_hold_up_the_next(void)
{
    struct rig *rig = open_rig();

    put(rig, 20, LOAD_SHARED, 0, 32); /* 8 cycles: 21 to 28 */
    put(rig, 21, LOAD_SHARED, 0, 4);
    put(rig, 22, LOAD, 0x10000, 4);
    run(rig);
    EXPECT_EQ(rig->sm->done[1].warp, 0);
    EXPECT_EQ(rig->sm->done_at[1], 48 + 7);
    EXPECT_EQ(rig->sm->done_at[2], 48 + 8);
    EXPECT_EQ(rig->sm->done[2].warp, 1);
    EXPECT_EQ(stat_of(rig, "stall_cycles", 3), 7); /* 22 to 28 */
    EXPECT_EQ(rig->memory->seen_at[0], 31);        /* behind it */
    close_rig(rig);
}

/* The store of a copy takes banks, behind others, and no turn in dispatch: the
 * load goes on while the banks are busy. */
static void copies_are_stored_by_the_way(void)
{
    struct rig *rig = open_rig();

    put(rig, 20, LOAD_SHARED, 0, 32); /* 8 cycles: 21 to 28 */
    put(rig, 21, STORE_COPY, 0, 8);   /* 2 cycles: 29 and 30 */
    put(rig, 22, LOAD, 0x10000, 4);
    put(rig, 23, LOAD_SHARED, 0, 4); /* 31 */
    run(rig);
    EXPECT_EQ(rig->memory->seen_at[0], 24);
    EXPECT_EQ(stat_of(rig, "store_insts", LOOM_SPACE_SHARED), 1);
    EXPECT_EQ(stat_of(rig, "shared_conflict_cycles", 0), 7 + 1);
    EXPECT_EQ(rig->sm->done_at[rig->sm->dones - 1], 48 + 10);
    close_rig(rig);
}

/* Eight passes come from 47 on; the scheduler's part of the SM has taken them
 * up at 63, and only then the next one. */
static void results_are_taken_up_pass_by_pass(void)
{
    struct rig *rig = open_rig();

    set(rig, "return_cycles", 2);
    put(rig, 20, LOAD_SHARED, 0, 32);
    put(rig, 21, LOAD_SHARED, 0, 4);
    run(rig);
    EXPECT_EQ(rig->sm->done_at[0], 48 + 7 * 2);
    EXPECT_EQ(rig->sm->done_at[1], 48 + 8 * 2);
    close_rig(rig);
}

static void constant_lines_are_serial(void)
{
    struct rig *rig = open_rig();

    put(rig, 20, LOAD_CONST, 0, 0);   /* one line */
    put(rig, 40, LOAD_CONST, 0, 4);   /* 128 bytes: two lines of 64 */
    put(rig, 60, LOAD_PARAM, 0, 128); /* whatever: one */
    run(rig);
    EXPECT_EQ(rig->sm->done_at[0], 30);
    EXPECT_EQ(rig->sm->done_at[1], 51);
    EXPECT_EQ(rig->sm->done_at[2], 70);
    EXPECT_EQ(stat_of(rig, "const_serial_cycles", 0), 1);
    close_rig(rig);
}

static void one_register_write_per_cycle(void)
{
    struct rig *rig = open_rig();

    set(rig, "shared_latency", 10);
    set(rig, "const_latency", 9);
    put(rig, 20, LOAD_SHARED, 0, 4); /* due at 31 */
    put(rig, 21, LOAD_CONST, 0, 0);  /* due at 31 */
    put(rig, 22, STORE_SHARED, 0, 4);
    run(rig);
    EXPECT_EQ(rig->sm->done_at[0], 32);
    EXPECT_EQ(rig->sm->done_at[1], 33);
    EXPECT_EQ(rig->sm->done_at[2], 34); /* a store needs no port */
    EXPECT_EQ(rig->sm->done[0].inst, LOAD_SHARED);
    EXPECT_EQ(rig->sm->done[1].inst, LOAD_CONST);
    EXPECT_EQ(rig->sm->done[2].kind, LOOM_DONE_STORE);
    close_rig(rig);
}

static void everything_completes_once(void)
{
    struct loom_rng rng;

    loom_rng_init(&rng, 5, "ldst");
    for (uint32_t round = 0; round < 10; round++) {
        struct rig *rig = open_rig();
        uint32_t sent[48] = {0}, got[48] = {0};

        set(rig, "pending_entries", 1 + loom_rng_below(&rng, 20));
        set(rig, "accesses_per_cycle", 1 + loom_rng_below(&rng, 2));
        for (uint32_t i = 0; i < 300; i++) {
            uint32_t inst = (uint32_t)loom_rng_below(&rng, INSTS);
            struct loom_warp_access *a =
                put(rig, 0, inst, loom_rng_below(&rng, 4096) * 4,
                    loom_rng_below(&rng, 80) * 4);

            a->inst.mask = (uint32_t)loom_rng_next(&rng);
            sent[a->warp]++;
        }
        run(rig);
        EXPECT_EQ(rig->sm->dones, 300);
        for (uint32_t i = 0; i < rig->sm->dones; i++) {
            got[rig->sm->done[i].warp]++;
        }
        EXPECT_EQ(memcmp(sent, got, sizeof(sent)), 0);
        EXPECT_EQ(rig->memory->count, stat_of(rig, "accesses", 0));
        close_rig(rig);
    }
}

static const struct loom_test tests[] = {
    {"load_takes_its_way", load_takes_its_way},
    {"divergent_load_sends_one_access_per_cycle",
     divergent_load_sends_one_access_per_cycle},
    {"stores_and_atomics_say_so", stores_and_atomics_say_so},
    {"atomics_may_take_longer", atomics_may_take_longer},
    {"full_pending_table_blocks_dispatch", full_pending_table_blocks_dispatch},
    {"closed_l1_is_waited_for", closed_l1_is_waited_for},
    {"instruction_without_lanes_completes",
     instruction_without_lanes_completes},
    {"flush_goes_to_the_l1", flush_goes_to_the_l1},
    {"bank_conflicts_cost_cycles", bank_conflicts_cost_cycles},
    {"conflicts_hold_up_the_next", conflicts_hold_up_the_next},
    {"copies_are_stored_by_the_way", copies_are_stored_by_the_way},
    {"results_are_taken_up_pass_by_pass", results_are_taken_up_pass_by_pass},
    {"constant_lines_are_serial", constant_lines_are_serial},
    {"one_register_write_per_cycle", one_register_write_per_cycle},
    {"everything_completes_once", everything_completes_once},
};

int main(void)
{
    return loom_run_tests("ldst", tests, LOOM_COUNTOF(tests));
}
