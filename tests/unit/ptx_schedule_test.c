/*
 * Schedules of PTX functions: what is folded, what may pass what, and that the
 * result is a schedule of the same program, on text written for it and on all
 * PTX of the tree; and the streams that are made of them.
 *
 * links: workload_ptx
 */
#include <glob.h>

#include "tests/unit/ptx_rig.h"
#include "tests/unit/ptx_schedule_check.h"
#include "workloads/ptx/parse/parse.h"

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define KERNEL                                                                 \
    HEAD ".shared .align 4 .b8 buffer[64];\n"                                  \
         ".entry k(.param .u64 a, .param .u64 b, .param .u32 n)\n{\n"          \
         ".reg .pred %p<8>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<16>;\n"          \
         ".reg .f32 %f<16>;\n"

struct case_of {
    struct loom_ptx_module *module;
    struct ptx_analysis *a;
};

static struct case_of analyse(const char *body)
{
    struct case_of c = {NULL, NULL};
    struct loom_error err = {.text = ""};
    char text[4096];
    uint32_t regions = 0;

    snprintf(text, sizeof(text), "%s%s\nret;\n}\n", KERNEL, body);
    if (!ptx_parse("k.ptx", text, strlen(text), &c.module, &err)) {
        fprintf(stderr, "%s\n", err.text);
    }
    REQUIRE(c.module != NULL);
    REQUIRE(
        ptx_analyse(loom_ptx_function_find(c.module, "k"), true, &c.a, &err));
    EXPECT_EQ(sym_check(c.a, &regions), 0);
    return c;
}

static void release(struct case_of c)
{
    ptx_analysis_destroy(c.a);
    loom_ptx_module_destroy(c.module);
}

/* The place of an instruction in the order. */
static uint32_t at(const struct case_of *c, uint32_t inst)
{
    for (uint32_t k = 0; k < c->a->inst_count; k++) {
        if (c->a->schedule->order[k] == inst) {
            return k;
        }
    }
    return UINT32_MAX;
}

/* How often each is timed, as digits. */
static void expect_times(const char *body, const char *want)
{
    struct case_of c = analyse(body);
    char got[64] = "";

    for (uint32_t i = 0; i + 1 < c.a->inst_count; i++) {
        got[i] = (char)('0' + c.a->schedule->times[i]);
    }
    EXPECT_TEXT(got, want);
    EXPECT_EQ(strlen(got), strlen(want));
    release(c);
}

/* Is instruction `later` of the text timed before `earlier`? */
static bool passes(const char *body, uint32_t later, uint32_t earlier)
{
    struct case_of c = analyse(body);
    bool passed = at(&c, later) < at(&c, earlier);

    release(c);
    return passed;
}

static void loads_come_first_and_uses_late(void)
{
    struct case_of c = analyse("ld.param.u64 %rd1, [a];\n"
                               "ld.global.f32 %f1, [%rd1];\n"    /* 1 */
                               "add.f32 %f2, %f1, 0f3F800000;\n" /* 2 */
                               "ld.global.f32 %f3, [%rd1+4];\n"  /* 3 */
                               "add.f32 %f4, %f3, %f2;\n"        /* 4 */
                               "ld.global.f32 %f5, [%rd1+8];\n"  /* 5 */
                               "add.f32 %f6, %f5, %f4;\n"        /* 6 */
                               "st.global.f32 [%rd1], %f6;");

    EXPECT(at(&c, 3) < at(&c, 2));
    EXPECT(at(&c, 5) < at(&c, 2));
    EXPECT(at(&c, 2) < at(&c, 4) && at(&c, 4) < at(&c, 6));
    EXPECT_EQ(c.a->inst[3].pc, at(&c, 3) * 16);
    /* All three are there at a time: they need a register each. */
    EXPECT(c.a->inst[1].def[0] != c.a->inst[3].def[0] &&
           c.a->inst[3].def[0] != c.a->inst[5].def[0]);
    release(c);
}

/* The second load does not wait for what the first writes and nobody reads. */
static void vectors_keep_what_nobody_reads(void)
{
    struct case_of c =
        analyse("ld.param.u64 %rd1, [a];\n"
                "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];\n"
                "ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd1+16];\n"
                "xor.b32 %r9, %r1, %r5;\n"
                "st.global.u32 [%rd1], %r9;");

    EXPECT_EQ(loom_popcount((uint32_t)c.a->inst[1].def[0]), 4);
    EXPECT_EQ(c.a->inst[1].def[0] & c.a->inst[2].def[0], 0);
    release(c);
}

/* Two instructions, and a long path behind the second one. */
static bool second_passes(const char *first, const char *second)
{
    char text[1024];

    snprintf(text, sizeof(text),
             "ld.param.u64 %%rd1, [a];\nld.param.u64 %%rd2, [b];\n%s\n%s\n"
             "mul.lo.s32 %%r2, %%r1, %%r1;\nmul.lo.s32 %%r3, %%r2, %%r2;\n"
             "st.global.v2.u32 [%%rd1+64], {%%r3, %%r9};",
             first, second);
    return passes(text, 3, 2);
}

static void loads_pass_stores_elsewhere_only(void)
{
    const char *load = "ld.global.u32 %r1, [%rd1];";

    EXPECT(!second_passes("st.global.u32 [%rd2], %r9;", load));
    EXPECT(!second_passes("st.global.u32 [%rd1], %r9;", load));
    EXPECT(!second_passes("st.global.u8 [%rd1+3], %r9;", load));
    EXPECT(!second_passes("st.u32 [%rd2], %r9;", load));
    EXPECT(second_passes("st.global.u32 [%rd1+4], %r9;", load));
    EXPECT(second_passes("st.global.u64 [%rd1+-8], %rd2;", load));
    EXPECT(second_passes("st.shared.u32 [%rd1], %r9;", load));
    EXPECT(second_passes("st.shared.u32 [buffer], %r9;",
                         "ld.shared.u32 %r1, [buffer+4];"));
    EXPECT(!second_passes("st.shared.u32 [buffer], %r9;",
                          "ld.shared.u32 %r1, [buffer];"));
    EXPECT(
        second_passes("st.global.u32 [%rd2], %r9;", "ld.param.u32 %r1, [n];"));
    EXPECT(second_passes("ld.global.u32 %r9, [%rd2];", load));
    /* The same register, but another address. */
    EXPECT(!passes("ld.param.u64 %rd1, [a];\nst.global.u32 [%rd1], %r9;\n"
                   "add.s64 %rd1, %rd1, -4;\nld.global.u32 %r1, [%rd1+4];\n"
                   "mul.lo.s32 %r2, %r1, %r1;\nst.global.u32 [%rd1+8], %r2;",
                   3, 1));
}

static void no_access_passes_a_fence(void)
{
    static const char *const fence[] = {"bar.sync 0;",
                                        "membar.gl;",
                                        "fence.acq_rel.gpu;",
                                        "atom.global.add.u32 %r9, [%rd2], 1;",
                                        "red.shared.add.u32 [buffer], 1;",
                                        "ld.volatile.global.u32 %r9, [%rd2];"};

    for (size_t i = 0; i < sizeof(fence) / sizeof(fence[0]); i++) {
        EXPECT(!second_passes(fence[i], "ld.global.u32 %r1, [%rd1+4];"));
        EXPECT(!second_passes("ld.global.u32 %r9, [%rd1+4];", fence[i]));
        /* What only computes does. */
        EXPECT(second_passes(fence[i], "mul.lo.s32 %r1, %r8, %r8;"));
    }
}

static void lanes_carries_and_clocks_keep_their_order(void)
{
    EXPECT(!second_passes("shfl.sync.bfly.b32 %r9, %r8, 1, 31, -1;",
                          "shfl.sync.bfly.b32 %r1, %r8, 2, 31, -1;"));
    EXPECT(!second_passes("bar.warp.sync -1;",
                          "shfl.sync.bfly.b32 %r1, %r8, 2, 31, -1;"));
    EXPECT(
        !second_passes("add.cc.u32 %r9, %r8, %r8;", "addc.u32 %r1, %r7, %r7;"));
    EXPECT(!second_passes("mov.u32 %r9, %clock;", "mul.lo.s32 %r1, %r8, %r8;"));
    EXPECT(second_passes("mov.u32 %r9, %ntid.x;", "mul.lo.s32 %r1, %r8, %r8;"));
}

/* A guarded write leaves the old value in some lanes. */
static void guarded_writes_stay_behind(void)
{
    EXPECT(!second_passes("mov.u32 %r1, %r8;", "@%p1 mul.lo.s32 %r1, %r8, %r8;"
                                               "\nmov.u32 %r9, %r1;"));
    EXPECT(!second_passes("@%p1 ld.global.u32 %r9, [%rd1];",
                          "setp.eq.s32 %p1, %r8, %r7;\n"
                          "@%p1 mov.u32 %r1, %r7;"));
}

static void operands_are_folded(void)
{
    /* Numbers, copies, spaces; the offset of an address. */
    expect_times("ld.param.u64 %rd1, [a];\n"
                 "cvta.to.global.u64 %rd2, %rd1;\n"
                 "add.s64 %rd3, %rd2, 16;\n"
                 "mov.u32 %r1, 7;\n"
                 "mov.u32 %r2, %r1;\n"
                 "st.global.u32 [%rd3+4], %r2;",
                 "100001");
    /* A product that is added: one instruction for each sum. */
    expect_times("ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\n"
                 "mul.wide.s32 %rd2, %r1, 4;\n"
                 "add.s64 %rd3, %rd1, %rd2;\n"
                 "st.global.u32 [%rd3], %r1;",
                 "11011");
    /* Signs of real operands; comparisons that are joined. */
    expect_times("ld.param.u64 %rd1, [a];\nld.global.f32 %f1, [%rd1];\n"
                 "neg.f32 %f2, %f1;\n"
                 "add.f32 %f3, %f2, %f1;\n"
                 "setp.gt.f32 %p1, %f3, %f1;\n"
                 "setp.lt.f32 %p2, %f3, 0f00000000;\n"
                 "or.pred %p3, %p1, %p2;\n"
                 "@%p3 st.global.f32 [%rd1], %f3;",
                 "11011101");
    /* Logic of three operands, sums of three, shift and sum. */
    expect_times("ld.param.u64 %rd1, [a];\nld.global.v2.u32 {%r1, %r2}, "
                 "[%rd1];\n"
                 "and.b32 %r3, %r1, %r2;\nxor.b32 %r4, %r3, %r1;\n"
                 "add.s32 %r5, %r4, %r1;\nadd.s32 %r6, %r5, %r2;\n"
                 "shl.b32 %r7, %r6, 2;\nadd.s32 %r8, %r7, %r1;\n"
                 "st.global.u32 [%rd1], %r8;",
                 "110101011");
}

static void what_nobody_reads_is_dropped(void)
{
    expect_times("ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\n"
                 "ld.global.u32 %r1, [%rd2];\nadd.s32 %r2, %r1, 1;\n"
                 "st.global.u32 [%rd1], %r3;",
                 "10001");
    /* In a loop, too, where it reads itself. */
    expect_times("mov.u32 %r1, 0;\nmov.u32 %r3, 0;\n"
                 "L: add.s32 %r1, %r1, 1;\nadd.s32 %r3, %r3, 2;\n"
                 "setp.lt.s32 %p1, %r3, 9;\n@%p1 bra L;",
                 "010111");
    /* A volatile load is one all the same. */
    expect_times("ld.param.u64 %rd1, [a];\n"
                 "ld.volatile.global.u32 %r1, [%rd1];",
                 "11");
}

static void not_folded_where_the_source_changes(void)
{
    expect_times("ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\n"
                 "L: mov.u32 %r2, %r1;\n"
                 "add.s32 %r1, %r1, 1;\n"
                 "st.global.v2.u32 [%rd1], {%r2, %r1};\n"
                 "setp.lt.s32 %p1, %r1, 9;\n@%p1 bra L;",
                 "1111111");
}

static void wide_integers_take_more(void)
{
    expect_times("ld.param.u64 %rd1, [a];\nld.global.u64 %rd2, [%rd1];\n"
                 "add.s64 %rd3, %rd2, %rd2;\nmul.lo.s64 %rd4, %rd3, %rd2;\n"
                 "setp.lt.s64 %p1, %rd4, %rd3;\n"
                 "@%p1 st.global.u64 [%rd1], %rd4;",
                 "112421");
    /* But not where only the lower half is needed. */
    expect_times("mov.u32 %r1, %tid.x;\nmov.u64 %rd1, buffer;\n"
                 "cvt.s64.s32 %rd2, %r1;\nadd.s64 %rd3, %rd1, %rd2;\n"
                 "st.shared.u32 [%rd3], %r1;",
                 "11011");
}

/* Marks say what comes behind them, callees are not looked into. */
static void regions_end_at_pragmas(void)
{
    const char *body = "ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\n"
                       ".pragma \"loom.mark 1\";\n"
                       "ld.global.u32 %r2, [%rd1];\n"
                       "st.global.v2.u32 [%rd1], {%r1, %r2};";
    struct case_of c = analyse(body);

    EXPECT_EQ(c.a->schedule->last[0], 1);
    EXPECT_EQ(c.a->schedule->last[2], 4);
    EXPECT_EQ(c.a->inst[1].mark, 0);
    EXPECT_EQ(c.a->inst[2].mark, 1);
    release(c);
}

/* ---- all PTX of the tree ---- */

static char *text_of(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 22);

    REQUIRE(file != NULL && text != NULL);
    REQUIRE(fread(text, 1, (1 << 22) - 1, file) > 0);
    fclose(file);
    return text;
}

static void check_file(const char *path, uint32_t *kernels, uint32_t *regions)
{
    struct loom_ptx_module *module = NULL;
    struct loom_error err = {.text = ""};
    char *text = text_of(path);

    REQUIRE(ptx_parse(path, text, strlen(text), &module, &err));
    for (uint32_t i = 0; i < module->function_count; i++) {
        const struct loom_ptx_function *f = module->function[i];
        struct ptx_analysis *a;
        uint32_t bad;

        if (!f->entry || f->declared) {
            continue;
        }
        REQUIRE(ptx_analyse(f, true, &a, &err));
        bad = sym_check(a, regions);
        if (bad != 0) {
            fprintf(stderr, "%s: %s: %u mistakes\n", path, f->name, bad);
        }
        EXPECT_EQ(bad, 0);
        ptx_analysis_destroy(a);
        ++*kernels;
    }
    loom_ptx_module_destroy(module);
    free(text);
}

static void all_schedules_are_of_the_same_programs(void)
{
    static const char *const where[] = {"workloads/suite/*/*.ptx",
                                        "tests/data/ptx/*.ptx"};
    uint32_t kernels = 0, regions = 0;

    for (size_t w = 0; w < sizeof(where) / sizeof(where[0]); w++) {
        char pattern[1024];
        glob_t found;

        snprintf(pattern, sizeof(pattern), "%s/%s", LOOM_SOURCE, where[w]);
        REQUIRE(glob(pattern, 0, NULL, &found) == 0);
        for (size_t i = 0; i < found.gl_pathc; i++) {
            check_file(found.gl_pathv[i], &kernels, &regions);
        }
        globfree(&found);
    }
    EXPECT(kernels > 200 && regions > 1000);
}

/* ---- streams ---- */

#define LANES LOOM_WARP_LANES

/* Loops of different lengths, accesses of different spaces through generic
 * addresses, a call, exits on the way. */
static const char *const program =
    HEAD ".func (.param .b32 r) twice(.param .b32 x)\n{\n.reg .b32 %r<4>;\n"
         "ld.param.u32 %r1, [x];\nadd.s32 %r2, %r1, %r1;\n"
         "st.param.b32 [r], %r2;\nret;\n}\n"
         ".entry k(.param .u64 out, .param .u32 n)\n{\n.reg .pred %p<8>;\n"
         ".reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n"
         ".shared .align 4 .b8 near[512];\n"
         "ld.param.u64 %rd1, [out];\nld.param.u32 %r9, [n];\n"
         "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"
         "add.s64 %rd3, %rd1, %rd2;\nmov.u64 %rd4, near;\n"
         "cvta.shared.u64 %rd5, %rd4;\nadd.s64 %rd6, %rd5, %rd2;\n"
         "setp.gt.u32 %p1, %r1, 40;\n@%p1 exit;\n"
         "and.b32 %r2, %r1, 7;\nmov.u32 %r3, 0;\n"
         "and.b32 %r4, %r1, 1;\nsetp.eq.u32 %p2, %r4, 0;\n"
         "selp.b64 %rd7, %rd3, %rd6, %p2;\nst.u32 [%rd7], %r1;\n"
         "L: ld.u32 %r5, [%rd7];\nadd.s32 %r6, %r5, %r3;\n"
         "add.s32 %r3, %r3, 1;\nxor.b32 %r7, %r6, %r9;\nst.u32 [%rd7], %r7;\n"
         "setp.le.u32 %p3, %r3, %r2;\n@%p3 bra L;\n"
         "ld.u32 %r8, [%rd7];\n"
         "{\n.param .b32 p;\n.param .b32 q;\nst.param.b32 [p], %r8;\n"
         "call (q), twice, (p);\nld.param.b32 %r10, [q];\n}\n"
         "add.s32 %r11, %r10, %r2;\nst.global.u32 [%rd3+256], %r11;\nret;\n}\n";

/* Of each static instruction: records, and a digest of their masks and
 * addresses in their order. */
struct count {
    uint64_t records, digest;
};

static uint32_t count_stream(const struct ptx_rig *rig,
                             const struct loom_warp_stream *warp,
                             struct count *count)
{
    struct loom_cursor cursor = loom_cursor_of(warp);
    struct loom_warp_inst inst;
    uint32_t insts = 0;

    memset(count, 0, rig->kernel->inst_count * sizeof(*count));
    for (; loom_stream_next(&cursor, &inst); insts++) {
        struct count *c = &count[inst.index];
        loom_addr address[LANES] = {0};

        loom_stream_addresses(&inst, address);
        c->records++;
        c->digest = sym_mix(c->digest, inst.mask);
        for (uint32_t l = 0; l < LANES; l++) {
            c->digest = sym_mix(c->digest, address[l]);
        }
    }
    EXPECT_EQ(insts, warp->insts);
    return insts;
}

static void run(struct ptx_rig *rig, bool scheduled, uint32_t *words)
{
    uint64_t word[2] = {0, 21};

    ptx_rig_open_as(rig, program, scheduled);
    word[0] = ptx_rig_alloc(rig, 1024, "out");
    ptx_rig_run(rig, "k", ptx_shape_1d(1, 64), word);
    memcpy(words, ptx_rig_at(rig, word[0]), 512);
}

/* The same records, but for those that are folded, and others several times;
 * memory is the same. */
static void streams_are_the_same_in_another_order(void)
{
    static struct count plain[256], timed[256];
    struct ptx_rig off, on;
    uint32_t off_words[128], on_words[128], moved = 0;
    uint64_t several = 0;
    const struct loom_kernel_info *info;

    run(&off, false, off_words);
    run(&on, true, on_words);
    EXPECT(memcmp(off_words, on_words, sizeof(on_words)) == 0);
    info = loom_program_kernel(&ptx_workload, on.program, "k");
    REQUIRE(off.kernel->inst_count <= on.kernel->inst_count);
    REQUIRE(on.kernel->inst_count < 256 && on.stream->warp_count == 2);
    for (uint32_t w = 0; w < 2; w++) {
        count_stream(&off, &off.stream->warp[w], plain);
        count_stream(&on, &on.stream->warp[w], timed);
        for (uint32_t i = 0; i < on.kernel->inst_count; i++) {
            uint32_t times = i < info->inst_count ? info->times[i] : 1;

            if (i >= off.kernel->inst_count || times > 1) {
                several += timed[i].records;
                several -=
                    i < off.kernel->inst_count ? plain[i].records * times : 0;
            } else {
                EXPECT_EQ(timed[i].records, plain[i].records * times);
            }
            EXPECT(times != 1 || i >= off.kernel->inst_count ||
                   timed[i].digest == plain[i].digest);
            moved += times != 1;
        }
    }
    EXPECT_EQ(several, 0);
    EXPECT(moved > 4);
    EXPECT(info->order != NULL);
    EXPECT(loom_program_kernel(&ptx_workload, off.program, "k")->order == NULL);
    ptx_rig_close(&off);
    ptx_rig_close(&on);
}

int main(void)
{
    static const struct loom_test tests[] = {
        {"loads_come_first_and_uses_late", loads_come_first_and_uses_late},
        {"vectors_keep_what_nobody_reads", vectors_keep_what_nobody_reads},
        {"loads_pass_stores_elsewhere_only", loads_pass_stores_elsewhere_only},
        {"no_access_passes_a_fence", no_access_passes_a_fence},
        {"lanes_carries_and_clocks_keep_their_order",
         lanes_carries_and_clocks_keep_their_order},
        {"guarded_writes_stay_behind", guarded_writes_stay_behind},
        {"operands_are_folded", operands_are_folded},
        {"what_nobody_reads_is_dropped", what_nobody_reads_is_dropped},
        {"not_folded_where_the_source_changes",
         not_folded_where_the_source_changes},
        {"wide_integers_take_more", wide_integers_take_more},
        {"regions_end_at_pragmas", regions_end_at_pragmas},
        {"all_schedules_are_of_the_same_programs",
         all_schedules_are_of_the_same_programs},
        {"streams_are_the_same_in_another_order",
         streams_are_the_same_in_another_order},
    };

    return loom_run_tests("ptx_schedule", tests,
                          sizeof(tests) / sizeof(tests[0]));
}
