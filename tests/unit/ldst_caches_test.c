/*
 * The load/store unit's further ports and maps: constant and texture caches,
 * replies in parts, local memory by slots, unified memory.  The memory of
 * ldst_rig.h stands in for every cache; see there for the cycle count.
 *
 * links: component_ldst policy_fermi_coalesce policy_fifo_order
 */
#include "tests/unit/ldst_rig_run.h"

/* A second memory at port `port`; its state. */
static struct fake_memory *add_cache(struct rig *rig, const char *port)
{
    struct loom_wire wire = {1, 1, 4};
    struct loom_component *cache = loom_machine_add(
        rig->machine, &fake_memory_component, port,
        loom_machine_clock(rig->machine, 700000000), &rig->err);

    REQUIRE(cache != NULL);
    REQUIRE(loom_machine_link(
        rig->machine, (struct loom_end){rig->ldst, port, 0},
        (struct loom_end){cache, "up", 0}, wire, wire, &rig->err));
    return loom_state(cache);
}

static void set_text(struct rig *rig, const char *param, const char *value)
{
    REQUIRE(loom_machine_set(rig->ldst, param, (union loom_value){.s = value},
                             &rig->err));
}

static void constants_go_to_their_cache(void)
{
    struct rig *rig = open_rig();
    struct fake_memory *l1c = add_cache(rig, "l1c");

    set(rig, "param_base", 0x4000);
    put(rig, 20, LOAD_CONST, 0x1040, 0); /* one line: the second half */
    put(rig, 40, LOAD_CONST, 0x2000, 4); /* 128 bytes: two lines */
    put(rig, 60, LOAD_PARAM, 8, 0);      /* at param_base + 8 */
    put(rig, 80, LOAD, 0x10000, 4);
    run(rig);
    EXPECT_EQ(rig->memory->count, 1);
    EXPECT_EQ(l1c->count, 4);
    EXPECT_EQ(l1c->seen[0].block, 0x1000);
    EXPECT_EQ(l1c->seen[0].sectors, 12);
    EXPECT_EQ(l1c->seen[0].size_bytes, 64);
    EXPECT_EQ(l1c->seen[0].bytes[0], 0);
    EXPECT_EQ(l1c->seen[0].bytes[1], UINT64_MAX);
    EXPECT_EQ(l1c->seen[0].space, LOOM_SPACE_CONST);
    EXPECT_EQ(l1c->seen[0].bypassed, 0);
    EXPECT_EQ(l1c->seen_at[1], 42); /* one per cycle */
    EXPECT_EQ(l1c->seen_at[2], 43);
    EXPECT_EQ(l1c->seen[1].sectors, 3);
    EXPECT_EQ(l1c->seen[2].sectors, 12);
    EXPECT_EQ(l1c->seen[3].block, 0x4000);
    EXPECT_EQ(l1c->seen[3].space, LOOM_SPACE_PARAM);
    /* as a load of global memory: see load_takes_its_way */
    EXPECT_EQ(rig->sm->done_at[0], 34);
    EXPECT_EQ(rig->sm->done_at[1], 55);
    EXPECT_EQ(stat_of(rig, "const_accesses", 0), 4);
    EXPECT_EQ(stat_of(rig, "const_hits", 0), 4);
    EXPECT_EQ(stat_of(rig, "const_serial_cycles", 0), 1);
    EXPECT_EQ(stat_of(rig, "accesses", 0), 1);
    EXPECT_EQ(stat_of(rig, "l1_hits", 0), 1);
    close_rig(rig);
}

static void textures_go_to_their_cache(void)
{
    static struct loom_static_inst inst[INSTS];
    static struct loom_kernel textured;
    struct rig *rig = open_rig();
    struct fake_memory *l1t = add_cache(rig, "l1t");

    memcpy(inst, insts, sizeof(inst));
    inst[LOAD].space = LOOM_SPACE_TEXTURE;
    textured = kernel;
    textured.inst = inst;
    put(rig, 20, LOAD, 0x1000, 8)->kernel = &textured; /* two lines of 128 */
    run(rig);
    EXPECT_EQ(rig->memory->count, 0);
    EXPECT_EQ(l1t->count, 2);
    EXPECT_EQ(l1t->seen[0].block, 0x1000);
    EXPECT_EQ(l1t->seen[0].sectors, 15);
    EXPECT_EQ(l1t->seen[1].block, 0x1080);
    EXPECT_EQ(stat_of(rig, "texture_accesses", 0), 2);
    EXPECT_EQ(stat_of(rig, "texture_hits", 0), 2);
    close_rig(rig);
}

/* The third constant load finds no place: four in the link, none taken. */
static void full_constant_cache_blocks_dispatch(void)
{
    struct rig *rig = open_rig();
    struct fake_memory *l1c = add_cache(rig, "l1c");

    l1c->not_before = 60;
    for (uint32_t i = 0; i < 3; i++) {
        put(rig, 20 + i, LOAD_CONST, 0, 4); /* two lines each */
    }
    put(rig, 30, LOAD, 0x10000, 4);
    run(rig);
    EXPECT_EQ(l1c->count, 6);
    /* lines at 21..24, the fifth waits from 25 to 60 */
    EXPECT_EQ(stat_of(rig, "stall_cycles", 4), 36);
    EXPECT_EQ(rig->memory->seen_at[0], 64); /* behind the last, sent at 62 */
    close_rig(rig);
}

/* Thread t of CTA 9 of 16 CTAs of 64 threads, word w: in the stream at
 * 4 (w * 1024 + 9 * 64 + t).  Warp 3 is the second of the CTA in slot 1 of
 * SM 2 of 4; 16 CTAs over 4 SMs are at most 4 on each, and 8 fit: M = 64 * 4 *
 * 4 = 1024, s = 64 * (2 + 4 * 1) + 32 + lane. */
static struct rig *run_by_slots(const char *words)
{
    static struct loom_static_inst inst[INSTS];
    static struct loom_kernel local;
    struct rig *rig = open_rig();

    memcpy(inst, insts, sizeof(inst));
    inst[LOAD].space = LOOM_SPACE_LOCAL;
    inst[STORE].space = LOOM_SPACE_LOCAL;
    inst[STORE].vector = 2;
    local = kernel;
    local.inst = inst;
    local.grid = (struct loom_dim3){16, 1, 1};
    local.block = (struct loom_dim3){64, 1, 1};
    local.registers = 16;
    set_text(rig, "local_map", "slots");
    set_text(rig, "local_words", words);
    set(rig, "sms", 4);
    set(rig, "local_base", 0x20000000);
    for (uint32_t i = 0; i < 2; i++) {
        struct loom_warp_access *a =
            put(rig, 20 + i, i == 0 ? LOAD : STORE,
                LOOM_LOCAL_BASE + 4 * (5 * 1024 + 9 * 64 + 32), 4);

        a->kernel = &local;
        a->warp = 3;
    }
    run(rig);
    return rig;
}

static void local_memory_lies_by_slots(void)
{
    struct rig *rig = run_by_slots("all");

    EXPECT_EQ(rig->memory->count, 3);
    EXPECT_EQ(rig->memory->seen[0].block,
              0x20000000 + 4 * (5 * 1024 + 64 * 6 + 32));
    EXPECT_EQ(rig->memory->seen[0].sectors, 15);
    /* two words per lane: two lines */
    EXPECT_EQ(rig->memory->seen[1].block,
              0x20000000 + 4 * (5 * 1024 + 64 * 6 + 32));
    EXPECT_EQ(rig->memory->seen[2].block,
              0x20000000 + 4 * (6 * 1024 + 64 * 6 + 32));
    EXPECT_EQ(rig->memory->seen[2].access, 1);
    EXPECT_EQ(rig->memory->seen[2].accesses, 1 + 1);
    close_rig(rig);
    rig = run_by_slots("first"); /* the store's second words are left out */
    EXPECT_EQ(rig->memory->count, 2);
    EXPECT_EQ(rig->memory->seen[1].accesses, 1);
    close_rig(rig);
}

/* 20 KiB per CTA, two of which fit with the 48 KiB: the 64 KiB option. */
static void unified_memory_is_divided_per_kernel(void)
{
    static const uint64_t options[] = {0, 8, 32, 64, 96};
    static struct loom_kernel first, second;
    struct rig *rig = open_rig();
    const struct loom_mem_request *r;

    first = second = kernel;
    first.grid = second.grid = (struct loom_dim3){100, 1, 1};
    first.block = second.block = (struct loom_dim3){32, 1, 1};
    first.shared_bytes = 20 * 1024;
    second.number = first.number + 1;
    REQUIRE(loom_machine_set(
        rig->ldst, "shared_options",
        (union loom_value){.list = {options, LOOM_COUNTOF(options)}},
        &rig->err));
    set(rig, "unified_bytes", 128 * 1024);
    put(rig, 20, LOAD, 0x10000, 4)->kernel = &first;
    put(rig, 21, LOAD, 0x10000, 4)->kernel = &first;
    put(rig, 40, LOAD, 0x10000, 4)->kernel = &second;
    run(rig);
    EXPECT_EQ(rig->memory->count, 5);
    r = &rig->memory->seen[0];
    EXPECT_EQ(r->kind, LOOM_MEM_FLUSH);
    EXPECT_EQ(r->flags, LOOM_MEM_RESIZE);
    EXPECT_EQ(r->block, 64 * 1024); /* 40 KiB need 64 */
    EXPECT_EQ(rig->memory->seen[1].kind, LOOM_MEM_LOAD);
    EXPECT_EQ(rig->memory->seen[2].kind, LOOM_MEM_LOAD);
    EXPECT_EQ(rig->memory->seen[3].kind, LOOM_MEM_FLUSH);
    EXPECT_EQ(rig->memory->seen[3].block, 128 * 1024);
    EXPECT_EQ(rig->sm->dones, 3); /* the SM hears nothing of it */
    EXPECT_EQ(stat_of(rig, "l1_resizes", 0), 2);
    EXPECT_EQ(stat_of(rig, "shared_carved_bytes", 0), 0);
    EXPECT_EQ(stat_of(rig, "l1_carved_bytes", 0), 128 * 1024);
    close_rig(rig);
}

/* The newer kernel has no shared memory, the older one gets what it needs, and
 * both keep that. */
static void kernels_beside_each_other_share_what_is_divided(void)
{
    static const uint64_t options[] = {0, 8, 32, 64, 96};
    static struct loom_kernel older, newer;
    struct rig *rig = open_rig();

    older = newer = kernel;
    older.grid = newer.grid = (struct loom_dim3){100, 1, 1};
    older.block = newer.block = (struct loom_dim3){32, 1, 1};
    older.shared_bytes = 20 * 1024;
    newer.number = older.number + 1;
    REQUIRE(loom_machine_set(
        rig->ldst, "shared_options",
        (union loom_value){.list = {options, LOOM_COUNTOF(options)}},
        &rig->err));
    set(rig, "unified_bytes", 128 * 1024);
    for (uint32_t i = 0; i < 4; i++) {
        put(rig, 20 + 40 * i, LOAD, 0x10000, 4)->kernel = &older;
        put(rig, 40 + 40 * i, LOAD, 0x10000, 4)->kernel = &newer;
    }
    run(rig);
    EXPECT_EQ(rig->sm->dones, 8);
    EXPECT_EQ(stat_of(rig, "l1_resizes", 0), 3);
    EXPECT_EQ(stat_of(rig, "shared_carved_bytes", 0), 64 * 1024);
    close_rig(rig);
}

static void impossible_shares_are_refused(void)
{
    static const uint64_t options[] = {0, 128};
    struct rig *rig = open_rig();
    uint32_t complaints = 0;

    set(rig, "unified_bytes", 128 * 1024);
    EXPECT(!loom_machine_freeze(rig->machine, complain, &complaints));
    EXPECT_EQ(complaints, 1);
    close_rig(rig);

    rig = open_rig();
    set(rig, "unified_bytes", 128 * 1024);
    REQUIRE(loom_machine_set(
        rig->ldst, "shared_options",
        (union loom_value){.list = {options, LOOM_COUNTOF(options)}},
        &rig->err));
    EXPECT(!loom_machine_freeze(rig->machine, complain, &complaints));
    EXPECT_EQ(complaints, 2);
    close_rig(rig);
}

/* One reply is taken per cycle: 32 accesses, answered one per cycle. */
static void replies_can_be_taken_one_by_one(void)
{
    struct rig *rig = open_rig();

    set(rig, "replies_per_cycle", 1);
    put(rig, 20, LOAD, 0x10000, 128);
    run(rig);
    EXPECT_EQ(rig->sm->done_at[0], 34 + 31);
    close_rig(rig);
}

static const struct loom_test tests[] = {
    {"constants_go_to_their_cache", constants_go_to_their_cache},
    {"textures_go_to_their_cache", textures_go_to_their_cache},
    {"full_constant_cache_blocks_dispatch",
     full_constant_cache_blocks_dispatch},
    {"local_memory_lies_by_slots", local_memory_lies_by_slots},
    {"unified_memory_is_divided_per_kernel",
     unified_memory_is_divided_per_kernel},
    {"kernels_beside_each_other_share_what_is_divided",
     kernels_beside_each_other_share_what_is_divided},
    {"impossible_shares_are_refused", impossible_shares_are_refused},
    {"replies_can_be_taken_one_by_one", replies_can_be_taken_one_by_one},
};

int main(void)
{
    return loom_run_tests("ldst_caches", tests, LOOM_COUNTOF(tests));
}
