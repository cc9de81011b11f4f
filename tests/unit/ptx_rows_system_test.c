/*
 * Rows that ask the system for something: election, printing, the heap,
 * assertions, stacks, hints, special registers, clocks.
 *
 * links: workload_ptx
 */
#include "tests/unit/ptx_rows_rig.h"

static uint32_t plus_100(uint32_t i)
{
    return i + 100;
}

static uint32_t one(uint32_t i)
{
    (void)i;
    return 1;
}

#define P2 "selp.u32 %r2, 1, 0, %p2;\n"

/* %r2 = name(%r1), as compilers write it. */
#define CALL(name, to, from)                                                   \
    "{\n.param .b32 p0;\n.param .b32 r0;\nst.param.b32 [p0+0], " from ";\n"    \
    "call.uni (r0), " name ", (p0);\nld.param.b32 " to ", [r0+0];\n}\n"

/* ---- lanes of a warp ---- */

static uint32_t leader(uint32_t i)
{
    return i % 32 == 4 ? 104 : 4;
}

static void one_lane_is_elected(void)
{
    compare(KERNEL("elect.sync %r3|%p1, 0xfffffff0;\n"
                   "selp.u32 %r2, 100, 0, %p1;\nadd.u32 %r2, %r2, %r3;\n"),
            64, leader);
    compare(KERNEL("elect.sync _|%p1, 0xfffffff0;\n"
                   "selp.u32 %r2, 104, 4, %p1;\n"),
            64, leader);
}

/* Even lanes take part; their values are -16, -14, .. 14 in each warp. */
#define EVEN                                                                   \
    "and.b32 %r3, %r1, 31;\nsub.u32 %r4, %r3, 16;\nand.b32 %r5, %r1, 1;\n"     \
    "setp.eq.u32 %p1, %r5, 0;\n"

static uint32_t expected;

static uint32_t in_even_lanes(uint32_t i)
{
    return i % 2 == 0 ? expected : 0;
}

static void lanes_reduce(void)
{
    static const struct {
        const char *text;
        uint32_t value;
    } row[] = {
        {"redux.sync.add.s32", (uint32_t)-16}, /* sum of -16 .. 14 by 2 */
        {"redux.sync.add.u32", (uint32_t)-16},
        {"redux.sync.min.s32", (uint32_t)-16},
        {"redux.sync.max.s32", 14},
        {"redux.sync.min.u32", 0},
        {"redux.sync.max.u32", (uint32_t)-2},
        {"redux.sync.and.b32", 0},
        {"redux.sync.or.b32", (uint32_t)-2},
        {"redux.sync.xor.b32", 0},
    };

    for (size_t i = 0; i < LOOM_COUNTOF(row); i++) {
        char text[2048];

        expected = row[i].value;
        snprintf(text, sizeof(text), "%s%s@%%p1 %s %%r2, %%r4, 0x55555555;\n%s",
                 MODULE OPEN START, EVEN, row[i].text, FINISH);
        compare(text, 64, in_even_lanes);
    }
}

static void lanes_vote(void)
{
    static const struct {
        const char *text;
        uint32_t value;
    } row[] = {
        {"activemask.b32 %r2;", 0x55555555},
        {"vote.sync.ballot.b32 %r2, %p2, 0x55555555;", 0x55550000},
        {"vote.ballot.b32 %r2, %p2;", 0x55550000},
        {"vote.sync.any.pred %p3, %p2, 0x55555555;\nselp.u32 %r2, 1, 2, %p3;",
         1},
        {"vote.sync.all.pred %p3, %p2, 0x55555555;\nselp.u32 %r2, 1, 2, %p3;",
         2},
        {"vote.sync.all.pred %p3, %p2, 0x55550000;\nselp.u32 %r2, 1, 2, %p3;",
         1},
        {"vote.sync.uni.pred %p3, %p2, 0x55555555;\nselp.u32 %r2, 1, 2, %p3;",
         2},
        {"vote.sync.uni.pred %p3, !%p2, 0x5555;\nselp.u32 %r2, 1, 2, %p3;", 1},
        {"match.sync.any.b32 %r2, %r5, 0x55555555;", 0x55555555},
        {"match.any.sync.b64 %r2, %d2, 0x55555555;\nand.b32 %r6, %r3, 31;\n"
         "shr.u32 %r2, %r2, %r6;",
         1},
        {"match.all.sync.b32 %r2|%p3, %r5, 0x55555555;\n"
         "selp.u32 %r2, %r2, 7, %p3;",
         0x55555555},
        {"match.all.sync.b32 %r2|%p3, %r3, 0x55555555;\n"
         "selp.u32 %r2, 7, %r2, %p3;",
         0},
    };

    for (size_t i = 0; i < LOOM_COUNTOF(row); i++) {
        char text[2048];

        expected = row[i].value;
        snprintf(text, sizeof(text),
                 "%s%s@!%%p1 bra DONE;\nsetp.ge.s32 %%p2, %%r4, 0;\n%s\n"
                 "DONE:\n%s",
                 MODULE OPEN START, EVEN, row[i].text, FINISH);
        compare(text, 64, in_even_lanes);
    }
}

/* Bits: shared, local, global, constant. */
static uint32_t spaces(uint32_t i)
{
    (void)i;
    return 1 + 2 + 4;
}

static void spaces_of_addresses(void)
{
    compare(MODULE
            ".shared .align 4 .b32 s[4];\n" OPEN
            ".local .align 8 .b8 l[8];\n" START
            "mov.u64 %d3, s;\ncvta.shared.u64 %d3, %d3;\n"
            "isspacep.shared %p1, %d3;\n@%p1 add.u32 %r2, %r2, 1;\n"
            "isspacep.local %p1, %d3;\n@%p1 add.u32 %r2, %r2, 100;\n"
            "mov.u64 %d4, l;\ncvta.local.u64 %d4, %d4;\n"
            "isspacep.local %p1, %d4;\n@%p1 add.u32 %r2, %r2, 2;\n"
            "isspacep.global %p1, %d1;\n@%p1 add.u32 %r2, %r2, 4;\n"
            "isspacep.global %p1, %d4;\n@%p1 add.u32 %r2, %r2, 100;\n"
            "ldu.global.u32 %r4, [%d1];\nadd.u32 %r2, %r2, %r4;\n" FINISH,
            32, spaces);
}

/* ---- vprintf, malloc, free, __assertfail ---- */

#define VPRINTF                                                                \
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n"
#define PRINT(format)                                                          \
    "mov.u64 %d5, " format ";\ncvta.global.u64 %d6, %d5;\n"                    \
    "mov.u64 %d7, depot;\ncvta.local.u64 %d8, %d7;\n"                          \
    "{\n.param .b64 p0;\n.param .b64 p1;\n.param .b32 r0;\n"                   \
    "st.param.b64 [p0], %d6;\nst.param.b64 [p1], %d8;\n"                       \
    "call.uni (r0), vprintf, (p0, p1);\nld.param.b32 %r2, [r0];\n}\n"

static void kernels_print(void)
{
    struct run run;

    /* "%d:%5.2f %s|%lx %c%%\n" with a name as text */
    REQUIRE(try(
        &run,
        MODULE VPRINTF
        ".global .align 1 .b8 fmt[23] = {37, 100, 58, 37, 53, 46, 50, "
        "102, 32, 37, 115, 124, 37, 108, 120, 32, 37, 99, 37, 37, 10};"
        "\n.global .align 1 .b8 name[4] = {97, 98, 99};\n" OPEN
        ".local .align 8 .b8 depot[40];\n" START
        "mov.u32 %r4, %ctaid.x;\nmad.lo.u32 %r4, %r4, 100, %r1;\n"
        "st.local.u32 [depot], %r4;\nmov.f64 %x, 0d3FF8000000000000;\n"
        "st.local.f64 [depot+8], %x;\nmov.u64 %d3, name;\n"
        "cvta.global.u64 %d3, %d3;\nst.local.u64 [depot+16], %d3;\n"
        "mov.u64 %d4, 1311768467463790320;\n"
        "st.local.u64 [depot+24], %d4;\nst.local.u32 [depot+32], 65;\n" PRINT(
            "fmt") FINISH,
        2, 2));
    EXPECT_TEXT(run.printed, "0: 1.50 abc|123456789abcdef0 A%\n"
                             "1: 1.50 abc|123456789abcdef0 A%\n"
                             "100: 1.50 abc|123456789abcdef0 A%\n"
                             "101: 1.50 abc|123456789abcdef0 A%\n");
    EXPECT_EQ(run.out[0], 5); /* values */
    ptx_rig_close(&run.rig);
}

#define HEAP                                                                   \
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"                   \
    ".extern .func free(.param .b64 p);\n"
#define MALLOC(to, bytes)                                                      \
    "{\n.param .b64 p0;\n.param .b64 r0;\nst.param.b64 [p0], " bytes ";\n"     \
    "call.uni (r0), malloc, (p0);\nld.param.b64 " to ", [r0];\n}\n"
#define FREE(what)                                                             \
    "{\n.param .b64 p0;\nst.param.b64 [p0], " what ";\n"                       \
    "call.uni free, (p0);\n}\n"

/* The handle of a graph's condition is where it is. */
#define SET_CONDITION(handle, value)                                           \
    "{\n.param .b64 p0;\n.param .b32 p1;\nst.param.b64 [p0], " handle          \
    ";\nst.param.b32 [p1], " value                                             \
    ";\ncall.uni cudaGraphSetConditional, (p0, p1);\n}\n"

static void conditions_of_graphs(void)
{
    static const char *const set =
        MODULE ".extern .func cudaGraphSetConditional(.param .b64 h, .param "
               ".b32 v);\n.global .align 4 .u32 word[64];\n" OPEN START
               "mov.u64 %d5, word;\nmul.wide.u32 %d6, %r1, 4;\n"
               "add.u64 %d5, %d5, %d6;\nadd.u32 %r3, %r1, 100;\n" SET_CONDITION(
                   "%d5", "%r3") "ld.global.u32 %r2, [%d5];\n" FINISH;
    static const char *const nowhere =
        MODULE ".extern .func cudaGraphSetConditional(.param .b64 h, .param "
               ".b32 v);\n" OPEN START SET_CONDITION("16", "1") FINISH;

    compare(set, 64, plus_100);
    refused(nowhere, "there is no condition of a graph with the handle 0x10");
}

static void the_device_heap(void)
{
    struct run run;

    compare(
        MODULE HEAP OPEN START MALLOC(
            "%d5",
            "16") "add.u32 %r3, %r1, 100;\n"
                  "st.u32 [%d5+12], %r3;\nld.global.u32 %r2, [%d5+12];\n" FREE(
                      "%d5") FREE("0") FINISH,
        64, plus_100);
    /* What does not fit is a null pointer. */
    compare(MODULE HEAP OPEN START MALLOC(
                "%d5", "100000000") "setp.eq.u64 %p2, %d5, 0;\n" P2 FINISH,
            32, one);
    refused(MODULE HEAP OPEN START MALLOC(
                "%d5", "16") "ld.u32 %r2, [%d5+16];\n" FINISH,
            "the nearest is 'device heap'");
    refused(MODULE HEAP OPEN START FREE("%d1") FINISH,
            "of what malloc() has not given");
    refused(MODULE HEAP OPEN START MALLOC("%d5", "16")
                FREE("%d5") "ld.u32 %r2, [%d5];\n" FINISH,
            "4 bytes at");
    /* A limit of the launch; what is freed can be had again. */
    ptx_rig_open(&run.rig,
                 MODULE HEAP OPEN START MALLOC(
                     "%d5", "64") "setp.ne.u64 %p2, %d5, 0;\n" P2 FREE("%d5")
                     MALLOC("%d6", "64") "setp.ne.u64 %p2, %d6, 0;\n"
                                         "@%p2 add.u32 %r2, %r2, 1;\n" FINISH);
    {
        uint64_t word = ptx_rig_alloc(&run.rig, 4 * THREADS_MAX, "out");

        run.rig.spec.heap_bytes = 256;
        ptx_rig_run(&run.rig, "k", ptx_shape_1d(1, 8), &word);
        run.out = ptx_rig_at(&run.rig, word);
        for (uint32_t i = 0; i < 8; i++) {
            EXPECT_EQ(run.out[i], i < 4 ? 2 : 0);
        }
    }
    ptx_rig_close(&run.rig);
}

static void assertions_fail(void)
{
    refused(MODULE
            ".extern .func __assertfail(.param .b64 a, .param .b64 b,\n"
            ".param .b32 c, .param .b64 d, .param .b64 e);\n"
            ".global .align 1 .b8 what[6] = {120, 32, 62, 32, 48};\n"
            ".global .align 1 .b8 file[5] = {97, 46, 99, 117};\n" OPEN START
            "setp.ne.u32 %p1, %r1, 7;\n@%p1 bra FINE;\nmov.u64 %d3, what;\n"
            "mov.u64 %d4, file;\n{\n.param .b64 p0;\n.param .b64 p1;\n"
            ".param .b32 p2;\n.param .b64 p3;\n.param .b64 p4;\n"
            "st.param.b64 [p0], %d3;\nst.param.b64 [p1], %d4;\n"
            "st.param.b32 [p2], 17;\nst.param.b64 [p3], %d4;\n"
            "st.param.b64 [p4], 1;\n"
            "call.uni __assertfail, (p0, p1, p2, p3, p4);\n}\nFINE:\n" FINISH,
            "thread 7: assertion 'x > 0' failed at a.cu:17 in a.cu");
}

/* ---- the stack ---- */

static void memory_on_the_stack(void)
{
    compare(MODULE ".func (.param .b32 q_ret) q(.param .b32 q_n)\n{\n"
                   ".reg .b32 %r<9>;\n.reg .b64 %d<9>;\n.reg .pred %p1;\n"
                   "ld.param.u32 %r1, [q_n];\nstacksave.u64 %d4;\n"
                   "cvt.u64.u32 %d1, %r1;\nadd.u64 %d1, %d1, 8;\n"
                   "alloca.u64 %d2, %d1, 16;\nst.local.u32 [%d2], %r1;\n"
                   "alloca.u64 %d3, 4;\nst.local.u32 [%d3], 100;\n"
                   "ld.local.u32 %r2, [%d2];\nld.local.u32 %r3, [%d3];\n"
                   "add.u32 %r2, %r2, %r3;\nstackrestore.u64 %d4;\n"
                   "st.param.b32 [q_ret], %r2;\nret;\n}\n" OPEN START CALL(
                       "q", "%r2", "%r1") FINISH,
            64, plus_100);
}

/* ---- nothing to see: hints, fences, waits ---- */

static uint32_t same(uint32_t i)
{
    return i;
}

static void hints_and_fences(void)
{
    static const char *const text[] = {
        "membar.cta;\n",
        "membar.gl;\n",
        "membar.sys;\n",
        "fence.sc.cta;\n",
        "fence.acq_rel.gpu;\n",
        "fence.sc.sys;\n",
        "fence.proxy.alias;\n",
        "fence.proxy.async;\n",
        "membar.proxy.alias;\n",
        "nanosleep.u32 20;\n",
        "nanosleep.u32 %r1;\n",
        "pmevent 3;\n",
        "brkpt;\n",
        "griddepcontrol.wait;\n",
        "griddepcontrol.launch_dependents;\n",
        "prefetch.global.L1 [%d1];\n",
        "prefetch.global.L2 [%d1];\n",
        "prefetch.global.L2::evict_last [%d1];\n",
        "prefetchu.L1 [%d1];\n",
        "discard.global.L2 [%d1], 128;\n",
        "applypriority.global.L2::evict_normal [%d1], 128;\n",
        "bar.warp.sync -1;\n",
        "setmaxnreg.inc.sync.aligned.u32 64;\n",
        "setmaxnreg.dec.sync.aligned.u32 64;\n",
        ".pragma \"nounroll\";\n",
    };

    for (size_t i = 0; i < LOOM_COUNTOF(text); i++) {
        char kernel[2048];

        snprintf(kernel, sizeof(kernel), "%s%smov.u32 %%r2, %%r1;\n%s",
                 MODULE OPEN START, text[i], FINISH);
        compare(kernel, 32, same);
    }
}

static void traps(void)
{
    refused(KERNEL("trap;\n"), "the program traps");
    ptx_ran_text("trap;"); /* what ran stays unwritten where it ends so */
    compare(KERNEL("setp.gt.u32 %p1, %r1, 99;\n@%p1 trap;\n"
                   "mov.u32 %r2, %r1;\n"),
            32, same);
}

/* ---- special registers ---- */

struct special {
    const char *name;
    uint32_t value; /* in thread 37 of CTA 3 of 5 x 2, 70 x 1 x 1 threads */
};

static const struct special want[] = {
    {"%tid.x", 37},
    {"%tid.y", 0},
    {"%tid.z", 0},
    {"%ntid.x", 70},
    {"%ntid.y", 1},
    {"%ntid.z", 1},
    {"%ctaid.x", 3},
    {"%ctaid.y", 1},
    {"%ctaid.z", 0},
    {"%nctaid.x", 5},
    {"%nctaid.y", 2},
    {"%nctaid.z", 1},
    {"%laneid", 5},
    {"%warpid", 1},
    {"%nwarpid", 3},
    {"%smid", 0},
    {"%nsmid", 1},
    {"%lanemask_eq", 1u << 5},
    {"%lanemask_le", 0x3f},
    {"%lanemask_lt", 0x1f},
    {"%lanemask_ge", ~0x1fu},
    {"%lanemask_gt", ~0x3fu},
    {"%dynamic_smem_size", 48},
    {"%total_smem_size", 48},
    {"%envreg0", 0},
    {"%envreg31", 0},
    {"WARP_SZ", 32},
    {"%pm0", 0},
    {"%pm7", 0},
    {"%clusterid.x", 3},
    {"%clusterid.y", 1},
    {"%nclusterid.x", 5},
    {"%nclusterid.y", 2},
    {"%cluster_ctaid.x", 0},
    {"%cluster_nctaid.x", 1},
    {"%cluster_ctarank", 0},
    {"%cluster_nctarank", 1},
    {"%is_explicit_cluster", 0},
    {"%aggr_smem_size", 48},
    {"%reserved_smem_offset_begin", 128},
    {"%reserved_smem_offset_0", 128},
    {"%reserved_smem_offset_1", 640},
    {"%reserved_smem_offset_end", 1152},
    {"%reserved_smem_offset_cap", 1024},
};

static void special_registers(void)
{
    for (size_t i = 0; i < LOOM_COUNTOF(want); i++) {
        char text[2048];
        struct run run;
        uint64_t word;
        struct ptx_shape shape = {{5, 2, 1}, {70, 1, 1}, 48};

        snprintf(text, sizeof(text),
                 "%smov.u32 %%r3, %%ctaid.x;\nmov.u32 %%r4, %%ctaid.y;\n"
                 "setp.eq.u32 %%p1, %%r3, 3;\n"
                 "setp.eq.and.u32 %%p1, %%r4, 1, %%p1;\n"
                 "mov.u32 %%r2, %s;\n@%%p1 st.global.u32 [%%d1], %%r2;\n"
                 "ret;\n}\n",
                 MODULE OPEN START, want[i].name);
        ptx_rig_open(&run.rig, text);
        word = ptx_rig_alloc(&run.rig, 4 * THREADS_MAX, "out");
        run.out = ptx_rig_at(&run.rig, word);
        ptx_rig_run(&run.rig, "k", shape, &word);
        if (run.out[37] != want[i].value) {
            EXPECT_TEXT(want[i].name, "(this one is wrong)");
        }
        EXPECT_EQ(run.out[37], want[i].value);
        ptx_rig_close(&run.rig);
    }
}

static uint32_t later(uint32_t i)
{
    (void)i;
    return 1;
}

/* Clocks never go back, in whatever width. */
static void clocks(void)
{
    static const char *const pair[][2] = {
        {"mov.u64 %d3, %clock64;\n", "mov.u64 %d4, %clock64;\n"},
        {"mov.u64 %d3, %globaltimer;\n", "mov.u64 %d4, %globaltimer;\n"},
        {"mov.u32 %r5, %clock;\ncvt.u64.u32 %d3, %r5;\n",
         "mov.u32 %r5, %clock;\ncvt.u64.u32 %d4, %r5;\n"},
        {"mov.u32 %r5, %globaltimer_lo;\ncvt.u64.u32 %d3, %r5;\n",
         "mov.u32 %r5, %globaltimer_lo;\ncvt.u64.u32 %d4, %r5;\n"},
        {"mov.u32 %r5, %clock_hi;\ncvt.u64.u32 %d3, %r5;\n",
         "mov.u32 %r5, %globaltimer_hi;\ncvt.u64.u32 %d4, %r5;\n"
         "add.u64 %d4, %d4, 1;\n"},
    };

    for (size_t i = 0; i < LOOM_COUNTOF(pair); i++) {
        char text[2048];

        snprintf(text, sizeof(text), "%s%s%ssetp.gt.u64 %%p2, %%d4, %%d3;\n%s",
                 MODULE OPEN START, pair[i][0], pair[i][1], P2 FINISH);
        compare(text, 32, later);
    }
}

/* A loop that waits for a second of time takes no second's instructions. */
static void waiting_for_the_clock(void)
{
    compare(KERNEL("mov.u64 %d3, %clock64;\nWAIT:\nmov.u64 %d4, %clock64;\n"
                   "sub.u64 %d5, %d4, %d3;\n"
                   "setp.lt.u64 %p1, %d5, 2000000000;\n@%p1 bra WAIT;\n"
                   "setp.lt.u64 %p2, %d5, 2200000000;\n" P2),
            64, one);
    compare(KERNEL("mov.u32 %r3, %clock;\nWAIT:\nmov.u32 %r4, %clock;\n"
                   "sub.u32 %r5, %r4, %r3;\n"
                   "setp.lt.u32 %p1, %r5, 4000000000;\n@%p1 bra WAIT;\n"
                   "mov.u32 %r2, 1;\n"),
            64, one);
    /* One that looks at memory has its time: 20,000 rounds. */
    compare(KERNEL("mov.u64 %d3, %clock64;\nmov.u32 %r3, 20000;\nWAIT:\n"
                   "mov.u64 %d4, %clock64;\nsub.u64 %d5, %d4, %d3;\n"
                   "ld.volatile.global.u32 %r4, [%d1];\nsub.u32 %r3, %r3, 1;\n"
                   "setp.ne.u32 %p1, %r3, 0;\n@%p1 bra WAIT;\n"
                   "setp.lt.u64 %p2, %d5, 200000;\n" P2),
            32, one);
}

static const struct loom_test tests[] = {
    CASE(one_lane_is_elected),
    CASE(lanes_reduce),
    CASE(lanes_vote),
    CASE(spaces_of_addresses),
    CASE(kernels_print),
    CASE(conditions_of_graphs),
    CASE(the_device_heap),
    CASE(assertions_fail),
    CASE(memory_on_the_stack),
    CASE(hints_and_fences),
    CASE(traps),
    CASE(special_registers),
    CASE(clocks),
    CASE(waiting_for_the_clock),
};

int main(void)
{
    return loom_run_tests("ptx_rows_system", tests, LOOM_COUNTOF(tests));
}
