/*
 * Set indices: published functions, bit by bit.
 *
 * links: policy_linear_index policy_xor_index policy_fermi_index
 * links: policy_ipoly_index policy_ccws_index
 */
#include "tests/unit/policy_host.h"

extern const struct loom_policy_type linear_index_policy;
extern const struct loom_policy_type xor_index_policy;
extern const struct loom_policy_type fermi_index_policy;
extern const struct loom_policy_type ipoly_index_policy;
extern const struct loom_policy_type ccws_index_policy;

struct index_case {
    uint64_t address;
    uint32_t set;
};

static void expect_sets(const struct loom_policy_type *type, uint32_t sets,
                        uint32_t line, const struct index_case *cases,
                        size_t count)
{
    struct host host = host_open(type, "set_index", sets, 4, line);
    const struct loom_set_index_ops *ops =
        loom_policy_type_ops(type, &loom_set_index_hook);

    REQUIRE(host.good);
    for (size_t i = 0; i < count; i++) {
        EXPECT_EQ(ops->index(host.policy, cases[i].address), cases[i].set);
    }
    host_close(&host);
}

static void indices_are_as_published(void)
{
    static const struct index_case linear[] = {
        {0, 0}, {128, 1}, {31 * 128, 31}, {32 * 128, 0}, {0x12345680, 13}};
    /* 4096 = line 32: low 0, high 1 */
    static const struct index_case mixed[] = {
        {0, 0}, {128, 1}, {4096, 1}, {4096 + 128, 0}, {33 * 4096, 1}};
    /* bits 13 14 15 17 19 flip bits 0 1 2 3 4; 12, 16, 18 do nothing */
    static const struct index_case fermi[] = {
        {1 << 7, 1},  {1 << 11, 16}, {1 << 12, 0}, {1 << 13, 1},
        {1 << 14, 2}, {1 << 15, 4},  {1 << 16, 0}, {1 << 17, 8},
        {1 << 18, 0}, {1 << 19, 16}, {1 << 20, 0}, {1 << 7 | 1 << 13, 0},
        {0xFFFF8, 0}};
    /* x^4 = x + 1, x^5 = x^2 + x; 13 bits above count, so bit 24 does not */
    static const struct index_case ipoly16[] = {
        {0, 0},        {128, 1},      {1 << 11, 3}, {1 << 12, 6},
        {1 << 13, 12}, {1 << 14, 11}, {3 << 11, 5}, {1 << 24, 0},
    };
    /* x^3 = x + 1, x^4 = x^2 + x, x^5 = x^2 + x + 1; all bits count: x has
     * order 7, so bit 10 + 7 n is bit 10 */
    static const struct index_case ipoly8[] = {{1 << 10, 3},
                                               {1 << 11, 6},
                                               {1 << 12, 7},
                                               {1 << 17, 3},
                                               {UINT64_C(1) << 38, 3}};
    /* line 32 is tag 1: 7; line 33: 8; tag 5, line 3: 3 + 35 mod 32 */
    static const struct index_case ccws[] = {
        {0, 0}, {128, 1}, {32 * 128, 7}, {33 * 128, 8}, {163 * 128, 6}};
    static const struct index_case fermi64[] = {
        {1 << 12, 32}, {1 << 12 | 1 << 19 | 1 << 8, 32 + 16 + 2}};

    expect_sets(&linear_index_policy, 32, 128, linear, LOOM_COUNTOF(linear));
    expect_sets(&xor_index_policy, 32, 128, mixed, LOOM_COUNTOF(mixed));
    expect_sets(&fermi_index_policy, 32, 128, fermi, LOOM_COUNTOF(fermi));
    expect_sets(&fermi_index_policy, 64, 128, fermi64, LOOM_COUNTOF(fermi64));
    expect_sets(&ipoly_index_policy, 16, 128, ipoly16, LOOM_COUNTOF(ipoly16));
    expect_sets(&ipoly_index_policy, 8, 128, ipoly8, LOOM_COUNTOF(ipoly8));
    expect_sets(&ccws_index_policy, 32, 128, ccws, LOOM_COUNTOF(ccws));
}

/* The taps of GPGPU-Sim 4's ipoly_hash_function for 32 sets, bit by bit: what
 * each index bit is XORed with of the bits above the index. */
static void ipoly_has_the_published_taps(void)
{
    static const uint8_t taps32[5][12] = {
        {0, 3, 5, 6, 9, 10, 11, 12, 13, 99},
        {1, 4, 6, 7, 10, 11, 12, 13, 14, 99},
        {0, 2, 3, 6, 7, 8, 9, 10, 14, 99},
        {1, 3, 4, 7, 8, 9, 10, 11, 99},
        {2, 4, 5, 8, 9, 10, 11, 12, 99},
    };
    struct host host = host_open(&ipoly_index_policy, "set_index", 32, 4, 128);
    const struct loom_set_index_ops *ops =
        loom_policy_type_ops(&ipoly_index_policy, &loom_set_index_hook);

    REQUIRE(host.good);
    for (uint32_t above = 0; above < 24; above++) {
        uint32_t want = 0;

        for (uint32_t bit_of = 0; bit_of < 5; bit_of++) {
            for (uint32_t i = 0; taps32[bit_of][i] != 99; i++) {
                want |= (uint32_t)(taps32[bit_of][i] == above) << bit_of;
            }
        }
        EXPECT_EQ(ops->index(host.policy, UINT64_C(1) << (7 + 5 + above)),
                  want);
        EXPECT_EQ(ops->index(host.policy,
                             UINT64_C(1) << (12 + above) | UINT64_C(19) << 7),
                  want ^ 19u);
    }
    host_close(&host);
}

/* Every aligned run of n lines falls into n different sets, and so do n
 * lines that are n apart, if p is primitive. */
static void ipoly_spreads_strides(void)
{
    const struct loom_set_index_ops *ops =
        loom_policy_type_ops(&ipoly_index_policy, &loom_set_index_hook);

    for (uint32_t bits = 1; bits <= 12; bits++) {
        uint32_t sets = 1u << bits;
        struct host host =
            host_open(&ipoly_index_policy, "set_index", sets, 4, 128);
        static uint8_t seen[2][4096];

        REQUIRE(host.good);
        memset(seen, 0, sizeof(seen));
        for (uint32_t i = 0; i < sets; i++) {
            seen[0][ops->index(host.policy, UINT64_C(128) * (5 * sets + i))]++;
            seen[1][ops->index(host.policy, UINT64_C(128) * sets * i)]++;
        }
        for (uint32_t i = 0; i < sets; i++) {
            EXPECT_EQ(seen[0][i], 1);
            EXPECT_EQ(seen[1][i], 1);
        }
        host_close(&host);
    }
}

static void expect_refused(const struct loom_policy_type *type, uint32_t sets,
                           uint32_t line)
{
    struct host host = host_open(type, "set_index", sets, 4, line);

    EXPECT(!host.good);
    EXPECT_TEXT(host.err.text, "does not exist");
    host_close(&host);
}

static void indices_refuse_shapes_they_do_not_have(void)
{
    expect_refused(&linear_index_policy, 48, 128);
    expect_refused(&xor_index_policy, 12, 128);
    expect_refused(&ipoly_index_policy, 24, 128);
    expect_refused(&ipoly_index_policy, 1, 128);
    expect_refused(&ipoly_index_policy, 8192, 128);
    expect_refused(&ccws_index_policy, 12, 128);
    expect_refused(&fermi_index_policy, 128, 128);
    expect_refused(&fermi_index_policy, 32, 64);
}

static const struct loom_test tests[] = {
    {"indices_are_as_published", indices_are_as_published},
    {"ipoly_has_the_published_taps", ipoly_has_the_published_taps},
    {"ipoly_spreads_strides", ipoly_spreads_strides},
    {"indices_refuse_shapes_they_do_not_have",
     indices_refuse_shapes_they_do_not_have},
};

int main(void)
{
    return loom_run_tests("set_index", tests, LOOM_COUNTOF(tests));
}
