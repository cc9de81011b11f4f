/*
 * Who reads a result first: of what is on which unit, of predicates, and in the
 * order that is timed.
 *
 * links: workload_ptx
 */
#include <stdio.h>
#include <string.h>

#include "tests/unit/ptx_rig.h"
#include "workloads/ptx/parse/parse.h"

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define KERNEL                                                                 \
    HEAD ".shared .align 4 .b8 buffer[64];\n"                                  \
         ".entry k(.param .u64 a)\n{\n"                                        \
         ".reg .pred %p<8>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<16>;\n"          \
         ".reg .f32 %f<16>;\n.reg .f64 %d<4>;\n"                               \
         "ld.param.u64 %rd1, [a];\nld.global.u32 %r1, [%rd1];\n"               \
         "ld.global.f32 %f1, [%rd1+4];\n"

/* First uses of the body's instructions, as digits; their results are stored.
 */
static void expect_uses(bool scheduled, const char *body, const char *want)
{
    struct loom_ptx_module *module = NULL;
    struct ptx_analysis *a = NULL;
    struct loom_error err = {.text = ""};
    char text[4096], got[64] = "";

    snprintf(text, sizeof(text),
             "%s%s\nst.global.u32 [%%rd1], %%r9;\n"
             "st.global.f32 [%%rd1+4], %%f9;\nret;\n}\n",
             KERNEL, body);
    if (!ptx_parse("k.ptx", text, strlen(text), &module, &err)) {
        fprintf(stderr, "%s\n", err.text);
    }
    REQUIRE(module != NULL);
    REQUIRE(
        ptx_analyse(loom_ptx_function_find(module, "k"), scheduled, &a, &err));
    for (uint32_t i = 3; i + 3 < a->inst_count; i++) {
        got[i - 3] = (char)('0' + a->inst[i].first_use);
    }
    EXPECT_TEXT(got, want);
    ptx_analysis_destroy(a);
    loom_ptx_module_destroy(module);
}

static void units_are_told_apart(void)
{
    /* A multiplier's sum to a multiplier, that to an ALU, that to memory. */
    expect_uses(true,
                "mad.lo.s32 %r2, %r1, %r1, %r1;\n"
                "mad.lo.s32 %r3, %r2, %r1, %r1;\n"
                "min.s32 %r9, %r3, 7;",
                "012");
    /* Additions are where their readers are not, and conversions far. */
    expect_uses(true,
                "add.s32 %r2, %r1, %r1;\n"
                "min.s32 %r3, %r2, 7;\n"
                "shl.b32 %r4, %r3, 5;\n"
                "popc.b32 %r9, %r4;",
                "1120");
    expect_uses(true,
                "mul.f32 %f2, %f1, %f1;\n"
                "ex2.approx.ftz.f32 %f3, %f2;\n"
                "mul.f32 %f9, %f3, %f3;",
                "202");
}

static void predicates_guard_or_are_read(void)
{
    expect_uses(true,
                "setp.lt.s32 %p1, %r1, 7;\n"
                "selp.b32 %r9, %r1, 3, %p1;",
                "02");
    expect_uses(true,
                "setp.lt.s32 %p1, %r1, 7;\n"
                "@%p1 min.s32 %r9, %r1, 3;",
                "32");
    expect_uses(true,
                "setp.lt.s32 %p1, %r1, 7;\n"
                "vote.sync.ballot.b32 %r9, %p1, -1;",
                "32");
}

static void without_a_schedule_nobody_knows(void)
{
    expect_uses(false,
                "mad.lo.s32 %r2, %r1, %r1, %r1;\n"
                "min.s32 %r9, %r2, 7;",
                "00");
}

int main(void)
{
    static const struct loom_test tests[] = {
        {"units_are_told_apart", units_are_told_apart},
        {"predicates_guard_or_are_read", predicates_guard_or_are_read},
        {"without_a_schedule_nobody_knows", without_a_schedule_nobody_knows},
    };

    return loom_run_tests("ptx_first_use", tests,
                          sizeof(tests) / sizeof(tests[0]));
}
