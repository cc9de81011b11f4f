/*
 * Sequences: what the instructions are that one of PTX is timed as, in a warp's
 * stream.
 *
 * links: workload_ptx
 */
#include "tests/unit/ptx_rig.h"

#define KERNEL                                                                 \
    ".version 8.0\n.target sm_90\n.address_size 64\n"                          \
    ".entry k(.param .u64 a)\n{\n"                                             \
    ".reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n.reg .f32 %f<8>;\n"                  \
    "ld.param.u64 %rd1, [a];\nld.global.u32 %r1, [%rd1];\n"                    \
    "ld.global.f32 %f1, [%rd1+4];\nld.global.u64 %rd2, [%rd1+8];\n"

enum {
    MOST = 32
};

static struct loom_static_inst seen[MOST];
static uint32_t count;

/* All that is timed but memory instructions. */
static void take(const char *body)
{
    struct loom_warp_inst inst;
    struct loom_cursor cursor;
    struct ptx_rig rig;
    uint64_t word;
    char text[2048];

    snprintf(text, sizeof(text), "%s%s\nret;\n}\n", KERNEL, body);
    ptx_rig_open_as(&rig, text, true);
    word = ptx_rig_alloc(&rig, 64, "a");
    ptx_rig_run(&rig, "k", ptx_shape_1d(1, 32), &word);
    cursor = loom_cursor_of(rig.stream->warp);
    count = 0;
    while (loom_stream_next(&cursor, &inst)) {
        const struct loom_static_inst *s = &rig.kernel->inst[inst.index];

        REQUIRE(count < MOST);
        if (s->op != LOOM_OP_LOAD && s->op != LOOM_OP_STORE &&
            s->op != LOOM_OP_EXIT) {
            seen[count++] = *s;
        }
    }
    ptx_rig_close(&rig);
}

static void expect(uint32_t i, enum loom_op op, enum loom_form form,
                   enum loom_use use)
{
    REQUIRE(i < count);
    EXPECT_EQ(seen[i].op, op);
    EXPECT_EQ(seen[i].form, form);
    EXPECT_EQ(seen[i].first_use, use);
    EXPECT_EQ(seen[i].pc >= seen[0].pc, true);
}

static void counts_of_zeros_are_two(void)
{
    take("clz.b32 %r2, %r1;\nst.global.u32 [%rd1], %r2;");
    EXPECT_EQ(count, 2);
    expect(0, LOOM_OP_MOVE, LOOM_FORM_CONVERT, LOOM_USE_NEAR);
    expect(1, LOOM_OP_MOVE, LOOM_FORM_LOGIC, LOOM_USE_FAR);
    EXPECT_EQ(seen[1].pc, seen[0].pc + 16);
}

static void angles_are_scaled_first(void)
{
    take("sin.approx.f32 %f2, %f1;\nst.global.f32 [%rd1], %f2;");
    EXPECT_EQ(count, 2);
    expect(0, LOOM_OP_FP_MUL, LOOM_FORM_PLAIN, LOOM_USE_FAR);
    expect(1, LOOM_OP_SFU, LOOM_FORM_PLAIN, LOOM_USE_NEAR);
}

/* Nobody waits for the test of its argument. */
static void roots_are_refined(void)
{
    take("sqrt.rn.f32 %f2, %f1;\nst.global.f32 [%rd1], %f2;");
    EXPECT_EQ(count, 10);
    expect(0, LOOM_OP_SFU, LOOM_FORM_PLAIN, LOOM_USE_NEAR);
    for (uint32_t i = 1; i < 6; i++) {
        expect(i, LOOM_OP_MOVE, LOOM_FORM_LOGIC, LOOM_USE_NEAR);
        EXPECT_EQ(seen[i].use[0] | seen[i].def[0], 0);
    }
    expect(6, LOOM_OP_FP_MUL, LOOM_FORM_PLAIN, LOOM_USE_NEAR);
    expect(9, LOOM_OP_FP_MAD, LOOM_FORM_PLAIN, LOOM_USE_FAR);
    EXPECT_EQ(seen[9].def[0], seen[0].def[0]);
    take("sqrt.approx.f32 %f2, %f1;\nst.global.f32 [%rd1], %f2;");
    EXPECT_EQ(count, 1);
}

static void carries_cross_over(void)
{
    take("add.u64 %rd3, %rd2, %rd1;\nst.global.u64 [%rd1], %rd3;");
    EXPECT_EQ(count, 2);
    expect(0, LOOM_OP_INT_ADD, LOOM_FORM_PLAIN, LOOM_USE_OTHER);
    expect(1, LOOM_OP_INT_ADD, LOOM_FORM_PLAIN, LOOM_USE_FAR);
    take("shr.u64 %rd3, %rd2, %r1;\nst.global.u64 [%rd1], %rd3;");
    EXPECT_EQ(count, 2);
    expect(0, LOOM_OP_MOVE, LOOM_FORM_LOGIC, LOOM_USE_NEAR);
}

int main(void)
{
    static const struct loom_test tests[] = {
        {"counts_of_zeros_are_two", counts_of_zeros_are_two},
        {"angles_are_scaled_first", angles_are_scaled_first},
        {"roots_are_refined", roots_are_refined},
        {"carries_cross_over", carries_cross_over},
    };

    return loom_run_tests("ptx_sequence", tests,
                          sizeof(tests) / sizeof(tests[0]));
}
