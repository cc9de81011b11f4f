/*
 * Lanes to accesses: tables worked out by hand.
 *
 * links: policy_fermi_coalesce policy_sector_coalesce
 */
#include "tests/unit/policy_host.h"

extern const struct loom_policy_type fermi_coalesce_policy;
extern const struct loom_policy_type sector_coalesce_policy;

#define BASE UINT64_C(0x700000000)

struct result {
    struct loom_access access[LOOM_ACCESS_MAX];
    uint32_t count;
};

static struct loom_static_inst inst_of(enum loom_op op, uint8_t bytes,
                                       uint8_t vector)
{
    return (struct loom_static_inst){
        .op = (uint8_t)op, .bytes = bytes, .vector = vector};
}

static struct result coalesce(const struct loom_policy_type *type,
                              const struct loom_static_inst *inst,
                              const loom_addr *address, uint32_t mask)
{
    struct host host = host_open(type, "coalesce", 32, 4, 128);
    const struct loom_coalesce_ops *ops =
        loom_policy_type_ops(type, &loom_coalesce_hook);
    struct loom_lanes lanes = {inst, address, mask};
    struct result result;

    REQUIRE(host.good);
    result.count = ops->coalesce(host.policy, &lanes, result.access);
    host_close(&host);
    return result;
}

static struct result strided(const struct loom_policy_type *type,
                             struct loom_static_inst inst, uint64_t offset,
                             uint64_t stride)
{
    loom_addr address[32];

    for (uint32_t i = 0; i < 32; i++) {
        address[i] = BASE + offset + i * stride;
    }
    return coalesce(type, &inst, address, UINT32_MAX);
}

struct stride_case {
    uint32_t bytes, vector;
    uint64_t offset, stride;
    uint32_t accesses; /* of the Fermi rules */
    uint32_t sizes;    /* sum of their sizes */
    uint32_t sectors;  /* accesses by sector */
};

static void strides_make_the_accesses_of_the_table(void)
{
    static const struct stride_case cases[] = {
        {4, 1, 0, 4, 1, 128, 4},       /* unit stride */
        {4, 1, 4, 4, 2, 160, 5},       /* misaligned: 124 bytes and 4 */
        {4, 1, 64, 4, 2, 128, 4},      /* two halves */
        {4, 1, 0, 8, 2, 256, 8},       /* stride 2 words */
        {4, 1, 0, 16, 4, 512, 16},     /* stride 4 words */
        {4, 1, 0, 128, 32, 1024, 32},  /* stride 32 words: divergent */
        {4, 1, 0, 4096, 32, 1024, 32}, /* wider still */
        {4, 1, 12, 0, 1, 32, 1},       /* broadcast */
        {8, 1, 0, 8, 2, 256, 8},       /* 8 bytes: 256 in all */
        {16, 1, 0, 16, 4, 512, 16},    /* 16 bytes */
        {4, 4, 0, 16, 4, 512, 16},     /* the same as a vector */
        {8, 4, 16, 32, 9, 1056, 33},   /* lanes as wide as a sector */
        {16, 1, 8, 16, 5, 544, 17},    /* straddles: 8 bytes spill over */
        {1, 1, 0, 1, 1, 32, 1},        /* bytes: segments of 32 */
        {1, 1, 0, 2, 2, 64, 2},        /* bytes, stride 2: 2 of 32 */
        {2, 1, 0, 2, 1, 64, 2},        /* halves: one segment of 64 */
        {2, 1, 0, 4, 2, 128, 4},       /* halves, stride 2: 2 of 64 */
    };

    for (size_t i = 0; i < LOOM_COUNTOF(cases); i++) {
        const struct stride_case *k = &cases[i];
        struct loom_static_inst inst =
            inst_of(LOOM_OP_LOAD, (uint8_t)k->bytes, (uint8_t)k->vector);
        struct result fermi =
            strided(&fermi_coalesce_policy, inst, k->offset, k->stride);
        struct result sector =
            strided(&sector_coalesce_policy, inst, k->offset, k->stride);
        uint32_t sizes = 0;

        for (uint32_t a = 0; a < fermi.count; a++) {
            sizes += fermi.access[a].size_bytes;
            EXPECT_EQ(fermi.access[a].block % 128, 0);
        }
        EXPECT_EQ(fermi.count, k->accesses);
        EXPECT_EQ(sizes, k->sizes);
        EXPECT_EQ(sector.count, k->sectors);
        for (uint32_t a = 0; a < sector.count; a++) {
            EXPECT_EQ(sector.access[a].size_bytes, 32);
            EXPECT_EQ(loom_popcount(sector.access[a].sectors), 1);
        }
    }
}

static void access_tells_bytes_sectors_and_lanes(void)
{
    struct loom_static_inst inst = inst_of(LOOM_OP_LOAD, 4, 1);
    struct result r = strided(&fermi_coalesce_policy, inst, 4, 4);

    /* highest address first, as GPGPU-Sim sends them */
    EXPECT_EQ(r.access[0].block, BASE + 128);
    EXPECT_EQ(r.access[0].bytes[0], 15);
    EXPECT_EQ(r.access[0].sectors, 1);
    EXPECT_EQ(r.access[0].lanes, 0x80000000);
    EXPECT_EQ(r.access[0].size_bytes, 32);
    EXPECT_EQ(r.access[1].block, BASE);
    EXPECT_EQ(r.access[1].bytes[0], ~UINT64_C(15));
    EXPECT_EQ(r.access[1].bytes[1], UINT64_MAX);
    EXPECT_EQ(r.access[1].sectors, 15);
    EXPECT_EQ(r.access[1].lanes, 0x7FFFFFFF);
    EXPECT_EQ(r.access[1].size_bytes, 128);
}

static void transactions_shrink_to_what_is_used(void)
{
    struct loom_static_inst inst = inst_of(LOOM_OP_LOAD, 4, 1);
    static const struct {
        uint64_t first, second;
        uint32_t size;
    } cases[] = {
        {0, 28, 32},   {0, 32, 64},   {32, 60, 32},  {64, 96, 64},
        {32, 64, 128}, {0, 124, 128}, {100, 96, 32}, {60, 64, 128},
    };

    for (size_t i = 0; i < LOOM_COUNTOF(cases); i++) {
        loom_addr address[32] = {BASE + cases[i].first, BASE + cases[i].second};
        struct result r = coalesce(&fermi_coalesce_policy, &inst, address, 3);

        EXPECT_EQ(r.count, 1);
        EXPECT_EQ(r.access[0].size_bytes, cases[i].size);
    }
}

static void inactive_lanes_do_not_count(void)
{
    struct loom_static_inst inst = inst_of(LOOM_OP_LOAD, 4, 1);
    loom_addr address[32] = {0};
    struct result r;

    address[5] = BASE;
    address[9] = BASE + 4096;
    r = coalesce(&fermi_coalesce_policy, &inst, address, 1u << 5 | 1u << 9);
    EXPECT_EQ(r.count, 2);
    EXPECT_EQ(r.access[1].lanes, 1u << 5);
    EXPECT_EQ(r.access[1].bytes[0], 15);
}

static void unordered_lanes_still_group(void)
{
    struct loom_static_inst inst = inst_of(LOOM_OP_LOAD, 4, 1);
    loom_addr address[32];
    struct result r;

    for (uint32_t i = 0; i < 32; i++) {
        address[i] = BASE + (i * 13 % 4) * 256 + i * 4;
    }
    r = coalesce(&fermi_coalesce_policy, &inst, address, UINT32_MAX);
    EXPECT_EQ(r.count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        EXPECT_EQ(r.access[i].block, BASE + (3 - i) * 256);
        EXPECT_EQ(loom_popcount(r.access[i].lanes), 8);
    }
}

static void atomics_on_one_word_are_apart(void)
{
    struct loom_static_inst atomic = inst_of(LOOM_OP_ATOMIC, 4, 1);
    struct loom_static_inst load = inst_of(LOOM_OP_LOAD, 4, 1);
    loom_addr address[32];
    struct result r;

    for (uint32_t i = 0; i < 32; i++) {
        address[i] = BASE + i / 2 * 4; /* two lanes to a word */
    }
    r = coalesce(&fermi_coalesce_policy, &atomic, address, UINT32_MAX);
    EXPECT_EQ(r.count, 2);
    EXPECT_EQ(loom_popcount(r.access[0].lanes), 16);
    EXPECT_EQ(loom_popcount(r.access[1].lanes), 16);
    EXPECT_EQ(r.access[0].size_bytes, 64);
    r = coalesce(&fermi_coalesce_policy, &load, address, UINT32_MAX);
    EXPECT_EQ(r.count, 1);
    r = strided(&fermi_coalesce_policy, atomic, 0, 0);
    EXPECT_EQ(r.count, 32);
    r = strided(&fermi_coalesce_policy, atomic, 0, 4);
    EXPECT_EQ(r.count, 1);
}

/* Eight lanes a word, the words in four sectors: the sectors of the first
 * lanes, then those of the second ones. */
static void atomics_share_lines_if_told(void)
{
    const struct loom_cache_shape shape = host_shape(32, 4, 128);
    struct host host = host_make(&sector_coalesce_policy, "coalesce", &shape);
    const struct loom_coalesce_ops *ops =
        loom_policy_type_ops(&sector_coalesce_policy, &loom_coalesce_hook);
    struct loom_static_inst atomic = inst_of(LOOM_OP_ATOMIC, 4, 1);
    loom_addr address[32];
    struct loom_lanes lanes = {&atomic, address, UINT32_MAX};
    struct loom_access access[LOOM_ACCESS_MAX];
    uint32_t seen = 0;

    for (uint32_t i = 0; i < 32; i++) {
        address[i] = BASE + i / 8 * 32 + 4;
    }
    host_set(&host, "atomics_by_line", (union loom_value){.b = true});
    host_freeze(&host);
    REQUIRE(host.good);
    REQUIRE(ops->coalesce(host.policy, &lanes, access) == 32);
    for (uint32_t i = 0; i < 32; i++) {
        const struct loom_access *a = &access[i];
        uint32_t s = 3 - i % 4;

        EXPECT_EQ(a->block, BASE);
        EXPECT_EQ(a->sectors, 1u << s);
        EXPECT_EQ(a->size_bytes, 32);
        EXPECT_EQ(a->bytes[s / 2], UINT64_C(0xf0) << 32 * (s % 2));
        EXPECT_EQ(a->bytes[1 - s / 2], 0);
        EXPECT_EQ(loom_popcount(a->lanes), 1);
        EXPECT_EQ(loom_lowest(a->lanes) / 8, s);
        seen |= a->lanes;
    }
    EXPECT_EQ(seen, UINT32_MAX);
    atomic.op = LOOM_OP_LOAD;
    EXPECT_EQ(ops->coalesce(host.policy, &lanes, access), 4);
    host_close(&host);
}

static const struct loom_test tests[] = {
    {"strides_make_the_accesses_of_the_table",
     strides_make_the_accesses_of_the_table},
    {"access_tells_bytes_sectors_and_lanes",
     access_tells_bytes_sectors_and_lanes},
    {"transactions_shrink_to_what_is_used",
     transactions_shrink_to_what_is_used},
    {"inactive_lanes_do_not_count", inactive_lanes_do_not_count},
    {"unordered_lanes_still_group", unordered_lanes_still_group},
    {"atomics_on_one_word_are_apart", atomics_on_one_word_are_apart},
    {"atomics_share_lines_if_told", atomics_share_lines_if_told},
};

int main(void)
{
    return loom_run_tests("coalesce", tests, LOOM_COUNTOF(tests));
}
