/*
 * Control flow, reconvergence, registers and the static table of PTX
 * functions, against results worked out by hand.
 *
 * links: workload_ptx
 */
#include <stdlib.h>

#include "components/mem_protocol.h"
#include "tests/unit/test.h"
#include "workloads/ptx/analysis/analysis.h"
#include "workloads/ptx/parse/parse.h"

#define HEAD ".version 6.3\n.target sm_70\n.address_size 64\n"
#define KERNEL                                                                 \
    HEAD ".entry k(.param .u64 a, .param .u64 b, .param .u64 n)\n{\n"          \
         ".reg .pred %p<8>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<16>;\n"          \
         ".reg .f32 %f<8>;\n"

struct case_of {
    struct loom_ptx_module *module;
    struct ptx_analysis *a;
};

static struct case_of analyse(const char *text, const char *name)
{
    struct case_of c = {NULL, NULL};
    struct loom_error err = {.text = ""};

    if (!ptx_parse("k.ptx", text, strlen(text), &c.module, &err)) {
        fprintf(stderr, "%s\n", err.text);
    }
    REQUIRE(c.module != NULL);
    REQUIRE(
        ptx_analyse(loom_ptx_function_find(c.module, name), false, &c.a, &err));
    return c;
}

static struct case_of analyse_body(const char *body)
{
    char text[4096];

    snprintf(text, sizeof(text), "%s%s\n}\n", KERNEL, body);
    return analyse(text, "k");
}

static void release(struct case_of c)
{
    ptx_analysis_destroy(c.a);
    loom_ptx_module_destroy(c.module);
}

static void if_else_meets_behind_both(void)
{
    struct case_of c = analyse_body("@%p1 bra ELSE;\n"       /* 0 */
                                    "add.s32 %r1, %r2, 1;\n" /* 1 */
                                    "bra.uni DONE;\n"        /* 2 */
                                    "ELSE: add.s32 %r1, %r2, 2;\n"
                                    "DONE: ret;\n"); /* 4 */

    EXPECT_EQ(c.a->block_count, 4);
    EXPECT_EQ(c.a->target[0], 3);
    EXPECT_EQ(c.a->reconvergence[0], 4);
    EXPECT_EQ(c.a->reconvergence[2], 4);
    EXPECT_EQ(c.a->block[3].dominator, 0);
    EXPECT_EQ(c.a->block[1].post_dominator, 3);
    EXPECT_EQ(c.a->loop_count, 0);
    EXPECT(c.a->inst[2].flags & LOOM_INST_UNIFORM);
    release(c);
}

static void early_exit_meets_nowhere(void)
{
    struct case_of c = analyse_body("@%p1 bra L;\n"
                                    "ret;\n"
                                    "L: @%p2 exit;\n"
                                    "@%p3 bra END;\n"
                                    "add.s32 %r1, %r1, 1;\n"
                                    "END:\n");

    EXPECT_EQ(c.a->reconvergence[0], PTX_EXIT);
    EXPECT_EQ(c.a->reconvergence[3], PTX_EXIT);
    EXPECT_EQ(c.a->target[3], c.a->inst_count);
    EXPECT_EQ(c.a->block_count, 5);
    EXPECT_EQ(c.a->block[2].successor[0], 3); /* a guarded exit goes on */
    EXPECT(c.a->block[2].exits);
    release(c);
}

/* Those whose guard is false go on: to what is behind it, or out. */
static void guarded_traps_are_no_ends(void)
{
    struct case_of c = analyse_body("@%p1 bra L;\n"             /* 0 */
                                    "@%p2 trap;\n"              /* 1 */
                                    "L: add.s32 %r1, %r1, 1;\n" /* 2 */
                                    "ret;\n");

    EXPECT_EQ(c.a->reconvergence[0], 2);
    release(c);
    c = analyse_body("@%p1 bra L;\n"
                     "add.s32 %r1, %r1, 1;\n"
                     "ret;\n"
                     "L: add.s32 %r1, %r1, 1;\n"
                     "@%p2 trap;\n");
    EXPECT_EQ(c.a->reconvergence[0], PTX_EXIT);
    release(c);
}

static void loops_nest(void)
{
    struct case_of c = analyse_body("mov.u32 %r1, 0;\n"             /* 0 */
                                    "OUTER: mov.u32 %r2, 0;\n"      /* 1 */
                                    "INNER: add.s32 %r2, %r2, 1;\n" /* 2 */
                                    "setp.lt.s32 %p1, %r2, 10;\n"   /* 3 */
                                    "@%p1 bra INNER;\n"             /* 4 */
                                    "add.s32 %r1, %r1, 1;\n"        /* 5 */
                                    "setp.lt.s32 %p2, %r1, 10;\n"   /* 6 */
                                    "@%p2 bra OUTER;\n"             /* 7 */
                                    "L: @%p1 bra L;\n"              /* 8 */
                                    "ret;\n");                      /* 9 */

    EXPECT_EQ(c.a->loop_count, 3);
    EXPECT_EQ(c.a->loop[0].header, 1);
    EXPECT_EQ(c.a->loop[0].parent, LOOM_NO_LOOP);
    EXPECT_EQ(c.a->loop[0].depth, 1);
    EXPECT_EQ(c.a->loop[1].header, 2);
    EXPECT_EQ(c.a->loop[1].parent, 0);
    EXPECT_EQ(c.a->loop[1].depth, 2);
    EXPECT_EQ(c.a->loop[2].header, 8);
    EXPECT_EQ(c.a->inst[0].loop, LOOM_NO_LOOP);
    EXPECT_EQ(c.a->inst[3].loop, 1);
    EXPECT_EQ(c.a->inst[6].loop, 0);
    EXPECT_EQ(c.a->inst[9].loop, LOOM_NO_LOOP);
    EXPECT(c.a->inst[2].flags & LOOM_INST_LOOP_HEADER);
    EXPECT(!(c.a->inst[3].flags & LOOM_INST_LOOP_HEADER));
    EXPECT_EQ(c.a->reconvergence[4], 5);
    EXPECT_EQ(c.a->reconvergence[7], 8);
    release(c);
}

/* Two entries into a cycle: no natural loop, and no harm. */
static void irreducible_and_endless(void)
{
    struct case_of c = analyse_body("@%p1 bra B;\n"
                                    "A: add.s32 %r1, %r1, 1;\n"
                                    "B: add.s32 %r1, %r1, 2;\n"
                                    "@%p2 bra A;\n"
                                    "FOREVER: bra FOREVER;\n"
                                    "add.s32 %r2, %r2, 1;\n"
                                    "ret;\n");

    EXPECT_EQ(c.a->loop_count, 1);
    EXPECT_EQ(c.a->loop[0].header, 4);
    EXPECT_EQ(c.a->reconvergence[0], 2);
    EXPECT_EQ(c.a->reconvergence[3], 4);
    EXPECT_EQ(c.a->reconvergence[4], PTX_EXIT);
    EXPECT(!c.a->block[4].reachable);
    release(c);
}

static bool overlap(const struct case_of *c, uint32_t x, uint32_t y)
{
    return c->a->physical[x] == c->a->physical[y];
}

/* Numbers: %p0..7 are 0..7, %r<i> is 8 + i, %rd<i> is 24 + i. */
static void registers_are_shared_when_dead(void)
{
    struct case_of c =
        analyse_body("mov.u32 %r1, %tid.x;\n"         /* 0: r1 */
                     "add.s32 %r2, %r1, 1;\n"         /* 1: r1 ends, r2 */
                     "mul.wide.s32 %rd1, %r2, 4;\n"   /* 2: r2 ends, rd1 */
                     "add.s64 %rd2, %rd1, 8;\n"       /* 3 */
                     "setp.eq.s64 %p1, %rd2, %rd1;\n" /* 4: both live */
                     "@%p1 bra L;\n"
                     "st.global.u32 [%rd2], %r2;\n" /* 6: r2 lives until here */
                     "L: ret;\n");
    const uint64_t *def = c.a->inst[2].def;
    uint32_t rd1 = c.a->physical[25];

    EXPECT(overlap(&c, 8 + 1, 8 + 2)); /* r1's last use writes r2 */
    EXPECT_EQ(rd1 % 2, 0);
    EXPECT(c.a->physical[25] != c.a->physical[26]);
    EXPECT_EQ(def[0], UINT64_C(3) << rd1);
    EXPECT_EQ(c.a->physical[1], LOOM_REG_PREDICATE);
    EXPECT_EQ(c.a->inst[4].def[4], 1);
    EXPECT_EQ(c.a->inst[5].use[4], 1);
    EXPECT_EQ(c.a->physical[8], LOOM_PTX_NONE); /* %r0 is never used */
    EXPECT_EQ(c.a->predicates, 1);
    /* r2 in 0, rd1 in 2-3, rd2 in 4-5: six, and the documented four. */
    EXPECT_EQ(c.a->registers, 10);
    release(c);
}

/* A path behind a loop that belongs into it does not keep alive what it needs
 * up to there. */
static void rare_paths_are_where_they_belong(void)
{
    struct case_of c = analyse_body("mov.u32 %r1, %tid.x;\n"
                                    "TOP: add.s32 %r2, %r1, 1;\n"
                                    "setp.eq.s32 %p1, %r2, 9;\n"
                                    "@%p1 bra RARE;\n"
                                    "BACK: add.s32 %r1, %r2, 3;\n"
                                    "add.s32 %r3, %r1, 1;\n"
                                    "setp.lt.s32 %p2, %r3, 99;\n"
                                    "@%p2 bra TOP;\n"
                                    "ret;\n"
                                    "RARE: add.s32 %r4, %r2, 1;\n"
                                    "st.global.u32 [%rd1], %r4;\n"
                                    "bra BACK;\n");

    EXPECT(overlap(&c, 8 + 2, 8 + 3));
    EXPECT(!overlap(&c, 8 + 2, 8 + 4));
    release(c);
}

/* A write under a guard keeps the old value alive, two under opposite guards
 * do not, unless the second wants it. */
static void opposite_guards_write_for_certain(void)
{
    static const char *const second[] = {
        "mov.u32 %r2, 2", "add.s32 %r2, %r2, 1", "mov.u32 %r3, 2"};

    for (uint32_t i = 0; i < 3; i++) {
        char body[512];
        struct case_of c;

        snprintf(body, sizeof(body),
                 "mov.u32 %%r1, %%tid.x;\n"
                 "setp.eq.s32 %%p1, %%r1, 0;\n"
                 "@%%p1 mov.u32 %%r2, 1;\n"
                 "@!%%p1 %s;\n"
                 "st.global.u32 [%%rd1], %%r2;\n"
                 "ret;\n",
                 second[i]);
        c = analyse_body(body);
        EXPECT_EQ(overlap(&c, 8 + 1, 8 + 2), i == 0);
        release(c);
    }
}

/* A value from before a loop that is used in it lives through all of it. */
static void live_around_a_loop(void)
{
    struct case_of c = analyse_body("mov.u32 %r1, 5;\n"
                                    "TOP: add.s32 %r2, %r1, 1;\n"
                                    "mov.u32 %r3, 7;\n"
                                    "add.s32 %r4, %r3, %r2;\n"
                                    "setp.eq.s32 %p1, %r4, 0;\n"
                                    "@%p1 bra TOP;\n"
                                    "ret;\n");

    EXPECT(!overlap(&c, 9, 10));
    EXPECT(!overlap(&c, 9, 11));
    EXPECT(!overlap(&c, 9, 12));
    EXPECT(overlap(&c, 10, 12));
    release(c);
}

static void addresses_and_their_parameters(void)
{
    struct case_of c = analyse_body(
        ".shared .align 4 .b8 tile[64];\n"
        "ld.param.u64 %rd1, [a];\n"
        "ld.param.u64 %rd2, [b];\n"
        "ld.param.u64 %rd3, [n];\n"
        "cvta.to.global.u64 %rd4, %rd1;\n"
        "mov.u32 %r1, %tid.x;\n"
        "mul.wide.u32 %rd5, %r1, 4;\n"
        "add.s64 %rd6, %rd4, %rd5;\n"
        "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd6];\n" /* 7: a */
        "add.s64 %rd7, %rd6, %rd3;\n"
        "ld.global.cg.f32 %f5, [%rd7];\n" /* 9: a + n is still a */
        "selp.b64 %rd8, %rd1, %rd2, %p1;\n"
        "cvta.to.global.u64 %rd9, %rd2;\n"
        "selp.b64 %rd10, %rd4, %rd9, %p1;\n"
        "atom.global.add.u32 %r2, [%rd10], 1;\n" /* 13: a or b */
        "ld.global.u64 %rd11, [%rd4];\n"
        "st.volatile.f32 [%rd11], %f1;\n" /* 15: from memory */
        "mov.u32 %r3, tile;\n"
        "ld.shared.f32 %f6, [%r3+4];\n" /* 17 */
        "bar.sync 3;\n"
        "ret;\n");
    const struct loom_static_inst *inst = c.a->inst;

    EXPECT_EQ(inst[0].op, LOOM_OP_LOAD);
    EXPECT_EQ(inst[0].space, LOOM_SPACE_PARAM);
    EXPECT_EQ(inst[7].param, 0);
    EXPECT_EQ(inst[7].vector, 4);
    EXPECT_EQ(inst[7].bytes, 4);
    EXPECT_EQ(inst[7].dests, 4);
    EXPECT_EQ(inst[9].param, 0);
    EXPECT_EQ(inst[9].cache_op, LOOM_CACHE_CG);
    EXPECT_EQ(inst[13].param, LOOM_MIXED_PARAM);
    EXPECT_EQ(inst[13].op, LOOM_OP_ATOMIC);
    EXPECT(!(inst[13].flags & LOOM_INST_RETURNS)); /* nobody reads %r2 */
    EXPECT_EQ(inst[15].param, LOOM_NO_PARAM);
    EXPECT_EQ(inst[15].space, LOOM_SPACE_GLOBAL);
    EXPECT(inst[15].flags & LOOM_INST_VOLATILE);
    EXPECT_EQ(inst[17].space, LOOM_SPACE_SHARED);
    EXPECT_EQ(inst[18].op, LOOM_OP_BARRIER);
    EXPECT_EQ(inst[18].barrier, 3);
    EXPECT_EQ(inst[19].op, LOOM_OP_EXIT);
    EXPECT_EQ(inst[9].pc, 72);
    EXPECT(c.a->pointer[0]);
    EXPECT(c.a->pointer[1]);
    EXPECT(!c.a->pointer[2]);
    EXPECT_EQ(c.a->shared_bytes, 64);
    EXPECT_TEXT(c.a->text + inst[6].text, "add.s64 %rd6, %rd4, %rd5;");
    release(c);
}

static void classes_of_operations(void)
{
    struct case_of c = analyse_body("add.f32 %f1, %f2, %f3;\n"
                                    "fma.rn.f32 %f1, %f2, %f3, %f1;\n"
                                    "div.s32 %r1, %r2, %r3;\n"
                                    "max.f64 %rd1, %rd2, %rd3;\n"
                                    "sqrt.rn.f32 %f1, %f2;\n"
                                    "mul.lo.s32 %r1, %r2, %r3;\n"
                                    "setp.lt.f32 %p1, %f1, %f2;\n"
                                    "membar.gl;\n"
                                    "red.global.add.u32 [%rd1], 1;\n"
                                    "vote.sync.all.pred %p1, %p2, -1;\n");
    static const uint8_t want[] = {
        LOOM_OP_FP_ADD, LOOM_OP_FP_MAD,  LOOM_OP_INT_DIV, LOOM_OP_DP_MAX,
        LOOM_OP_SFU,    LOOM_OP_INT_MUL, LOOM_OP_MOVE,    LOOM_OP_MEMBAR,
        LOOM_OP_ATOMIC, LOOM_OP_SHUFFLE,
    };

    for (size_t i = 0; i < LOOM_COUNTOF(want); i++) {
        EXPECT_EQ(c.a->inst[i].op, want[i]);
    }
    release(c);
}

/* Of the module's shared variables only those count that are reached. */
static void shared_memory_of_a_kernel(void)
{
    struct case_of c = analyse(
        HEAD ".shared .align 4 .b8 other[100];\n"
             ".shared .align 4 .b8 x[6];\n.shared .align 8 .b64 y;\n"
             ".extern .shared .align 16 .b8 dyn[];\n"
             ".func f() { .reg .b64 %rd<2>; ld.shared.u64 %rd1, [y]; ret; }\n"
             ".entry k() { .reg .b32 %r<3>; ld.shared.u8 %r1, [x+1];\n"
             "mov.u32 %r2, dyn; call f; ret; }\n",
        "k");

    EXPECT_EQ(c.a->shared_count, 3);
    EXPECT_EQ(c.a->shared_bytes, 16);
    EXPECT_EQ(c.a->dynamic_offset, 16);
    release(c);
}

static const struct loom_test tests[] = {
    {"if_else_meets_behind_both", if_else_meets_behind_both},
    {"early_exit_meets_nowhere", early_exit_meets_nowhere},
    {"guarded_traps_are_no_ends", guarded_traps_are_no_ends},
    {"loops_nest", loops_nest},
    {"irreducible_and_endless", irreducible_and_endless},
    {"registers_are_shared_when_dead", registers_are_shared_when_dead},
    {"rare_paths_are_where_they_belong", rare_paths_are_where_they_belong},
    {"opposite_guards_write_for_certain", opposite_guards_write_for_certain},
    {"live_around_a_loop", live_around_a_loop},
    {"addresses_and_their_parameters", addresses_and_their_parameters},
    {"classes_of_operations", classes_of_operations},
    {"shared_memory_of_a_kernel", shared_memory_of_a_kernel},
};

int main(void)
{
    return loom_run_tests("ptx_analysis", tests, LOOM_COUNTOF(tests));
}
