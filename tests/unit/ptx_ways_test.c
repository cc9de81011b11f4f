/*
 * Ways: which branches a compiler makes predicates of, and where lanes meet.
 *
 * links: workload_ptx
 */
#include <stdio.h>
#include <string.h>

#include "tests/unit/ptx_rig.h"
#include "workloads/ptx/parse/parse.h"

#define KERNEL                                                                 \
    ".version 8.0\n.target sm_90\n.address_size 64\n"                          \
    ".entry k(.param .u64 a, .param .u32 n)\n{\n"                              \
    ".reg .pred %p<8>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<16>;\n"               \
    "ld.param.u64 %rd1, [a];\nld.param.u32 %r1, [n];\n"                        \
    "ld.global.u32 %r4, [%rd1];\nmov.u32 %r2, %tid.x;\n"                       \
    "setp.lt.u32 %p1, %r2, %r1;\nsetp.gt.u32 %p2, %r1, 5;\n"
#define BEGIN 6u /* instructions of that */
#define ADD "add.u32 %r4, %r4, %r2;\n"
#define ADDS ADD ADD ADD ADD ADD ADD ADD ADD

/* Ways of the body's instructions, as digits. */
static void expect_ways(const char *body, const char *want)
{
    struct loom_ptx_module *module = NULL;
    struct ptx_analysis *a = NULL;
    struct loom_error err = {.text = ""};
    char text[4096], got[64] = "";

    snprintf(text, sizeof(text), "%s%sret;\n}\n", KERNEL, body);
    if (!ptx_parse("k.ptx", text, strlen(text), &module, &err)) {
        fprintf(stderr, "%s\n", err.text);
    }
    REQUIRE(module != NULL);
    REQUIRE(ptx_analyse(loom_ptx_function_find(module, "k"), true, &a, &err));
    for (uint32_t i = BEGIN; i < a->inst_count; i++) {
        got[i - BEGIN] = (char)('0' + a->inst[i].way);
    }
    EXPECT_TEXT(got, want);
    ptx_analysis_destroy(a);
    loom_ptx_module_destroy(module);
}

#define STORE "st.global.u32 [%rd1], %r4;\n"

static void short_ones_are_none(void)
{
    expect_ways("@%p1 bra L;\n" ADDS "L:\n" STORE, "20000000000");
    /* Nine are not; one side goes straight to where lanes meet. */
    expect_ways("@%p1 bra L;\n" ADDS ADD "L:\n" STORE, "400000000010");
    /* Nor where all wait. */
    expect_ways("@%p1 bra L;\nbar.sync 0;\nL:\n" STORE, "4010");
}

static void lanes_that_stay_together_do_not_meet(void)
{
    expect_ways("@%p2 bra L;\n" ADDS ADD "L:\n" STORE, "000000000000");
    /* Nor those that meet at the end. */
    expect_ways("@%p1 bra L;\n" ADDS STORE "L:\n", "00000000000");
}

static void both_sides_may_have_something_to_do(void)
{
    expect_ways("@%p1 bra L;\n" ADD "bra M;\nL:\n" ADD "M:\n" STORE, "000010");
}

static void loops_are_left_one_by_one(void)
{
    expect_ways("L:\n" ADD "setp.lt.u32 %p3, %r4, 9;\n@%p3 bra L;\n" STORE,
                "00410");
}

int main(void)
{
    static const struct loom_test tests[] = {
        {"short_ones_are_none", short_ones_are_none},
        {"lanes_that_stay_together_do_not_meet",
         lanes_that_stay_together_do_not_meet},
        {"both_sides_may_have_something_to_do",
         both_sides_may_have_something_to_do},
        {"loops_are_left_one_by_one", loops_are_left_one_by_one},
    };

    return loom_run_tests("ptx_ways", tests, sizeof(tests) / sizeof(tests[0]));
}
