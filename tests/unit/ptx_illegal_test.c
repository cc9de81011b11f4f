/*
 * The PTX executor: what it says of programs that do something illegal.
 *
 * links: workload_ptx
 */
#include "tests/unit/ptx_exec_rig.h"

/* The program fails with this text in the message. */
static void fails(const char *text, uint32_t threads, const char *message)
{
    struct ptx_rig rig;
    uint64_t word;

    ptx_rig_open(&rig, text);
    rig.budget = 10000;
    word = ptx_rig_alloc(&rig, threads * sizeof(uint32_t), "out");
    EXPECT(!ptx_rig_try(&rig, "k", ptx_shape_1d(1, threads), &word));
    EXPECT_TEXT(rig.err.text, message);
    ptx_rig_close(&rig);
}

static void wrong_addresses_are_named(void)
{
    fails(OPEN START "st.global.u32 [%d1+128], %r1;\n" FINISH, 64,
          "thread 32: 4 bytes at 0xc0000100 are outside every allocation; "
          "the nearest is 'out', 256 bytes at 0xc0000000");
    fails(OPEN START "st.global.u32 [%d1+128], %r1;\n" FINISH, 64,
          "kernel 'k', pc 0x28 (test.ptx:16: 'st.global.u32");
    fails(OPEN START "ld.global.u32 %r2, [%d1+2];\n" FINISH, 32,
          "thread 0: address 0xc0000002 in global memory is not a multiple "
          "of the access's 4 bytes");
    fails(OPEN START "mov.u64 %d5, 0;\nld.global.u32 %r2, [%d5];\n" FINISH, 32,
          "4 bytes at 0x0 are outside every allocation");
    fails(OPEN
          ".shared .align 4 .b8 s[64];\n" START
          "cvt.u32.u64 %r3, %d2;\nmov.u32 %r4, s;\nadd.u32 %r3, %r3, %r4;\n"
          "st.shared.u32 [%r3], %r1;\n" FINISH,
          32, "thread 16: 4 bytes at 0x40 are outside the 64 bytes of shared");
    fails(OPEN START "trap;\n" FINISH, 32, "the program traps");
}

/* Loads and stores beyond an allocation, where that is forgiven; never
 * atomics, nor what is in no page of an allocation. */
static void accesses_beyond_may_be_forgiven(void)
{
    struct ptx_rig rig;
    uint64_t word;
    uint32_t got = 9;

    ptx_rig_open(&rig, OPEN START "st.global.u32 [%d1+128], %r1;\n"
                                  "ld.global.u32 %r2, [%d1+128];\n" FINISH);
    loom_memory_forgive(rig.memory);
    word = ptx_rig_alloc(&rig, 32 * sizeof(uint32_t), "out");
    EXPECT(ptx_rig_try(&rig, "k", ptx_shape_1d(1, 32), &word));
    EXPECT(loom_memory_read(rig.memory, word + 4, &got, 4, &rig.err));
    EXPECT_EQ(got, 0);
    ptx_rig_close(&rig);

    ptx_rig_open(&rig,
                 OPEN START "atom.global.add.u32 %r2, [%d1+128], 1;\n" FINISH);
    loom_memory_forgive(rig.memory);
    word = ptx_rig_alloc(&rig, 32 * sizeof(uint32_t), "out");
    EXPECT(!ptx_rig_try(&rig, "k", ptx_shape_1d(1, 32), &word));
    EXPECT_TEXT(rig.err.text, "are outside every allocation");
    word += UINT64_C(4) << 20;
    EXPECT(!ptx_rig_try(&rig, "k", ptx_shape_1d(1, 32), &word));
    ptx_rig_close(&rig);
}

/* What a compiler says of the source: .loc of the instruction's line. */
static void source_lines_are_named(void)
{
    fails(".version 6.0\n.target sm_35\n.address_size 64\n"
          ".file 1 \"k.cu\"\n.visible .entry k(.param .u64 k_out)\n{\n"
          ".reg .b64 %d<3>;\n.loc 1 41 3\nld.param.u64 %d1, [k_out];\n"
          ".loc 1 42 7\nst.global.u64 [%d1+64], %d1;\nret;\n}\n",
          1,
          "kernel 'k', pc 0x8 (source line 42, test.ptx:11: 'st.global.u64 "
          "[%d1+64], %d1;'), CTA 0, warp 0: thread 0: 8 bytes at 0xc0000040 "
          "are outside every allocation; the nearest is 'out', 4 bytes");
}

static void what_never_ends_is_an_error(void)
{
    fails(OPEN START "LOOP:\nld.volatile.global.u32 %r3, [%d1];\n"
                     "setp.eq.u32 %p1, %r3, 0;\n@%p1 bra LOOP;\n" FINISH,
          32,
          "10000 warp instructions of this CTA, now in the loop of lines 17");
    fails(OPEN START "LOOP:\nbar.sync 0;\nsetp.gt.u32 %p1, %r1, 90;\n"
                     "@%p1 exit;\nbra.uni LOOP;\n" FINISH,
          32,
          "10000 warp instructions of this CTA, now in the loop of lines 17");
    fails(OPEN START "LOOP:\nsetp.gt.u32 %p1, %r1, 90;\n@%p1 exit;\n"
                     "bra.uni LOOP;\n" FINISH,
          32,
          "10000 warp instructions of this CTA, now in the loop of lines 17");
    fails(OPEN START "setp.lt.u32 %p1, %r1, 32;\n@%p1 bar.sync 1, 64;\n"
                     "@!%p1 bar.sync 2, 64;\n" FINISH,
          64, "deadlock at barrier 1: it has 32 of 64 threads");
}

static void what_cannot_be_executed_is_refused(void)
{
    fails(OPEN START "red.global.add.f16 [%d1], %h1;\n" FINISH, 32,
          "test.ptx:16: kernel 'k': cannot execute 'red.global.add.f16");
    fails(PTX_HEAD ".extern .func f();\n"
                   ".visible .entry k(.param .u64 k_out)\n{\ncall f;\nret;\n}",
          32, "test.ptx:7: kernel 'k': cannot execute 'call");
}

/* A kernel that is refused, by itself or by what it calls, is so when it is
 * launched; others of its module run. */
static void refused_kernels_leave_others_alone(void)
{
    static const char text[] = PTX_HEAD
        ".func helper()\n{\nstrange.b32;\nret;\n}\n"
        ".func between()\n{\ncall helper;\nret;\n}\n"
        ".visible .entry other(.param .u64 k_out)\n{\n.reg .b32 %r<2>;\n"
        "mov.u32 %r1, %no_such_register;\nret;\n}\n"
        ".visible .entry caller(.param .u64 k_out)\n{\ncall between;\nret;\n"
        "}\n"
        ".visible .entry pairs(.param .u64 k_out)\n.reqnctapercluster 2, 1, 1\n"
        ".maxntid 64, 1, 1\n{\nret;\n}\n"
        ".visible .entry k(.param .u64 k_out)\n{\n.reg .b64 %d<2>;\n"
        ".reg .b32 %r<2>;\nld.param.u64 %d1, [k_out];\nmov.u32 %r1, 77;\n"
        "st.global.u32 [%d1], %r1;\nret;\n}\n";
    static const struct {
        const char *kernel, *message;
    } refused[] = {
        {"other", "test.ptx:17: kernel 'other' is refused: unknown name "
                  "'%no_such_register'"},
        {"caller", "test.ptx:6: kernel 'caller' is refused: it calls 'helper': "
                   "instruction 'strange.b32' is not supported"},
        {"pairs", "kernel 'pairs': a grid of 1 x 1 x 1 blocks is not made of "
                  "clusters of 2 x 1 x 1"},
    };
    struct ptx_rig rig;
    uint64_t word;

    ptx_rig_open(&rig, text);
    word = ptx_rig_alloc(&rig, sizeof(uint32_t), "out");
    for (size_t i = 0; i < LOOM_COUNTOF(refused); i++) {
        EXPECT(
            !ptx_rig_try(&rig, refused[i].kernel, ptx_shape_1d(1, 32), &word));
        EXPECT_TEXT(rig.err.text, refused[i].message);
    }
    EXPECT(ptx_rig_try(&rig, "k", ptx_shape_1d(1, 1), &word));
    ptx_rig_close(&rig);
}

static void wrong_launches_are_refused(void)
{
    struct ptx_rig rig;
    uint64_t word = 0;

    ptx_rig_open(&rig, OPEN START FINISH);
    EXPECT(!ptx_rig_try(&rig, "k", ptx_shape_1d(1, 1025), &word));
    EXPECT_TEXT(rig.err.text, "expected 1..1024 threads");
    EXPECT(!ptx_rig_try(&rig, "k", ptx_shape_1d(0, 32), &word));
    EXPECT_TEXT(rig.err.text, "a grid of 0 x 1 x 1 blocks");
    ptx_rig_close(&rig);
}

static const struct loom_test tests[] = {
    TEST(accesses_beyond_may_be_forgiven),
    TEST(wrong_addresses_are_named),
    TEST(source_lines_are_named),
    TEST(what_never_ends_is_an_error),
    TEST(what_cannot_be_executed_is_refused),
    TEST(wrong_launches_are_refused),
    TEST(refused_kernels_leave_others_alone),
};

int main(void)
{
    return loom_run_tests("ptx_illegal", tests, LOOM_COUNTOF(tests));
}
