/*
 * Set indices: published functions, bit by bit.
 *
 * links: policy_linear_index policy_xor_index policy_fermi_index
 */
#include "tests/unit/policy_host.h"

extern const struct loom_policy_type linear_index_policy;
extern const struct loom_policy_type xor_index_policy;
extern const struct loom_policy_type fermi_index_policy;

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
    static const struct index_case fermi64[] = {
        {1 << 12, 32}, {1 << 12 | 1 << 19 | 1 << 8, 32 + 16 + 2}};

    expect_sets(&linear_index_policy, 32, 128, linear, LOOM_COUNTOF(linear));
    expect_sets(&xor_index_policy, 32, 128, mixed, LOOM_COUNTOF(mixed));
    expect_sets(&fermi_index_policy, 32, 128, fermi, LOOM_COUNTOF(fermi));
    expect_sets(&fermi_index_policy, 64, 128, fermi64, LOOM_COUNTOF(fermi64));
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
    expect_refused(&fermi_index_policy, 128, 128);
    expect_refused(&fermi_index_policy, 32, 64);
}

static const struct loom_test tests[] = {
    {"indices_are_as_published", indices_are_as_published},
    {"indices_refuse_shapes_they_do_not_have",
     indices_refuse_shapes_they_do_not_have},
};

int main(void)
{
    return loom_run_tests("set_index", tests, LOOM_COUNTOF(tests));
}
