/*
 * Launches of PTX kernels: CTAs that wait for each other, streams larger
 * than the pool, and the mistakes that are looked for.
 *
 * links: workload_ptx
 */
#include "tests/unit/ptx_rig.h"
#include "workloads/ptx/program_private.h"

#define REGISTERS ".reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %d<20>;\n"
#define OPEN(params)                                                           \
    PTX_HEAD ".visible .entry k(" params ")\n{\n" REGISTERS                    \
             "ld.param.u64 %d1, [k_a];\nmov.u32 %r1, %tid.x;\n"                \
             "mov.u32 %r2, %ctaid.x;\n"
#define ONE ".param .u64 k_a"
#define CLOSE "ret;\n}\n"

/* Thread 0 of each CTA counts itself in a[0], waits until all have, and
 * writes what it saw to a[1 + CTA]. */
static const char grid_barrier[] = OPEN(
    ONE) "mov.u32 %r3, %nctaid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra DONE;\n"
         "atom.global.add.u32 %r4, [%d1], 1;\n"
         "WAIT:\nld.volatile.global.u32 %r5, [%d1];\n"
         "setp.lt.u32 %p2, %r5, %r3;\n@%p2 bra WAIT;\n"
         "mul.wide.u32 %d2, %r2, 4;\nadd.s64 %d3, %d1, %d2;\n"
         "st.global.u32 [%d3+4], %r5;\n"
         "DONE:\nbar.sync 0;\n" CLOSE;

/* Whether they say so, or are found to. */
static void wait_for_each_other(bool cooperative)
{
    struct ptx_rig rig;
    const uint32_t *out;
    uint64_t word;

    ptx_rig_open(&rig, grid_barrier);
    rig.spec.cooperative = cooperative;
    word = ptx_rig_alloc(&rig, 256, "counter");
    ptx_rig_run(&rig, "k", ptx_shape_1d(8, 64), &word);
    out = ptx_rig_at(&rig, word);
    EXPECT_EQ(out[0], 8);
    for (uint32_t i = 0; i < 8; i++) {
        EXPECT_EQ(out[1 + i], 8);
    }
    EXPECT_EQ(rig.kernel->interleave, EXEC_INTERLEAVE);
    ptx_rig_close(&rig);
}

static void ctas_wait_for_each_other(void)
{
    wait_for_each_other(true);
    wait_for_each_other(false);
}

/* CTA c waits until 3 - c others have counted: those after it.  It keeps
 * looking through a barrier, and notes in shared memory what it has seen. */
static const char later_first[] =
    OPEN(ONE) ".shared .align 4 .b8 s[64];\nsub.u32 %r3, 3, %r2;\n"
              "WAIT:\nld.volatile.global.u32 %r5, [%d1];\n"
              "st.volatile.shared.u32 [s], %r5;\nbar.sync 0;\n"
              "ld.volatile.shared.u32 %r6, [s];\nbar.sync 0;\n"
              "setp.lt.u32 %p2, %r6, %r3;\n@%p2 bra WAIT;\n"
              "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra DONE;\n"
              "atom.global.add.u32 %r4, [%d1], 1;\n"
              "mul.wide.u32 %d2, %r2, 4;\nadd.s64 %d3, %d1, %d2;\n"
              "st.global.u32 [%d3+4], %r4;\nDONE:\n" CLOSE;

static void ctas_wait_for_later_ones(void)
{
    struct ptx_rig rig;
    const uint32_t *out;
    uint64_t word;

    ptx_rig_open(&rig, later_first);
    word = ptx_rig_alloc(&rig, 256, "counter");
    ptx_rig_run(&rig, "k", ptx_shape_1d(4, 64), &word);
    out = ptx_rig_at(&rig, word);
    EXPECT_EQ(out[0], 4);
    for (uint32_t i = 0; i < 4; i++) {
        EXPECT_EQ(out[1 + i], 3 - i);
    }
    ptx_rig_close(&rig);
}

/* The grid barrier of CUDA's cooperative groups: a word that the driver
 * provides, at %envreg1 and %envreg2; the first CTA adds what makes the top
 * bit turn when all others have added 1. */
static const char grid_sync[] =
    OPEN(ONE) "mov.u32 %r3, %envreg2;\ncvt.u64.u32 %d6, %r3;\n"
              "mov.u32 %r4, %envreg1;\ncvt.u64.u32 %d7, %r4;\n"
              "bfi.b64 %d2, %d7, %d6, 32, 32;\nsetp.ne.u64 %p3, %d2, 0;\n"
              "@!%p3 trap;\natom.global.add.u32 %r10, [%d1], 1;\nbar.sync 0;\n"
              "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra DONE;\n"
              "mov.u32 %r5, %nctaid.x;\nsub.u32 %r6, 0x80000001, %r5;\n"
              "setp.eq.u32 %p4, %r2, 0;\nselp.u32 %r7, %r6, 1, %p4;\n"
              "atom.add.release.gpu.u32 %r8, [%d2+4], %r7;\n"
              "WAIT:\nld.acquire.gpu.u32 %r9, [%d2+4];\n"
              "xor.b32 %r11, %r9, %r8;\nsetp.gt.s32 %p5, %r11, -1;\n"
              "@%p5 bra WAIT;\nDONE:\nbar.sync 0;\n"
              "ld.volatile.global.u32 %r12, [%d1];\nmul.wide.u32 %d3, %r2, 4;\n"
              "add.s64 %d3, %d1, %d3;\nst.global.u32 [%d3+4], %r12;\n" CLOSE;

static void a_grid_synchronises(void)
{
    struct ptx_rig rig;
    const uint32_t *out;
    uint64_t word;

    ptx_rig_open(&rig, grid_sync);
    word = ptx_rig_alloc(&rig, 256, "counter");
    out = ptx_rig_at(&rig, word);
    for (uint32_t n = 1; n <= 3; n++) { /* launches have one of their own */
        rig.spec.cooperative = true;
        ptx_rig_run(&rig, "k", ptx_shape_1d(8, 64), &word);
        for (uint32_t i = 0; i < 8; i++) {
            EXPECT_EQ(out[1 + i], n * 512);
        }
    }
    rig.spec.cooperative = false; /* as CUDA: there is no workspace */
    EXPECT(!ptx_rig_try(&rig, "k", ptx_shape_1d(8, 64), &word));
    EXPECT_TEXT(rig.err.text, "the program traps");
    ptx_rig_close(&rig);
}

static void turns_repeat(void)
{
    uint64_t insts[2];

    for (uint32_t i = 0; i < 2; i++) {
        struct ptx_rig rig;
        uint64_t word;

        ptx_rig_open(&rig, grid_barrier);
        rig.spec.interleave = 10;
        word = ptx_rig_alloc(&rig, 256, "counter");
        ptx_rig_run(&rig, "k", ptx_shape_1d(4, 32), &word);
        EXPECT_EQ(rig.kernel->interleave, 10);
        insts[i] = rig.warp_insts;
        ptx_rig_close(&rig);
    }
    EXPECT_EQ(insts[0], insts[1]);
}

/* The launch fails with this text. */
static void refused(const char *text, struct loom_launch_spec spec,
                    struct ptx_shape shape, const char *message)
{
    struct ptx_rig rig;
    uint64_t word;

    ptx_rig_open(&rig, text);
    rig.spec = spec;
    word = ptx_rig_alloc(&rig, 256, "counter");
    EXPECT(!ptx_rig_try(&rig, "k", shape, &word));
    EXPECT_TEXT(rig.err.text, message);
    ptx_rig_close(&rig);
}

static const struct loom_launch_spec plain, cooperative = {.cooperative = true};

/* CTA 0 waits for all others. */
static const char first_last[] = OPEN(
    ONE) "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra DONE;\nmov.u32 %r6, %nctaid.x;\n"
         "sub.u32 %r6, %r6, 1;\nsetp.eq.u32 %p3, %r2, 0;\n"
         "selp.u32 %r3, %r6, 0, %p3;\n"
         "WAIT:\nld.volatile.global.u32 %r5, [%d1];\n"
         "setp.lt.u32 %p2, %r5, %r3;\n@%p2 bra WAIT;\n"
         "atom.global.add.u32 %r4, [%d1], 1;\n"
         "mul.wide.u32 %d2, %r2, 4;\nadd.s64 %d3, %d1, %d2;\n"
         "st.global.u32 [%d3+4], %r4;\nDONE:\n" CLOSE;

static void more_than_fit_take_turns(void)
{
    uint32_t ctas = 8192 + 10;
    struct ptx_rig rig;
    const uint32_t *out;
    uint64_t word;

    ptx_rig_open(&rig, first_last);
    word = ptx_rig_alloc(&rig, 4 * (ctas + 1), "counter");
    ptx_rig_run(&rig, "k", ptx_shape_1d(ctas, 32), &word);
    out = ptx_rig_at(&rig, word);
    EXPECT_EQ(out[0], ctas);
    for (uint32_t i = 0; i < ctas; i++) {
        EXPECT_EQ(out[1 + i], (i + ctas - 1) % ctas);
    }
    ptx_rig_close(&rig);
}

/* A lock that CTA 0 takes and never gives back. */
static const char lost_lock[] =
    OPEN(ONE) "WAIT:\natom.global.cas.b32 %r3, [%d1], 0, 1;\n"
              "setp.ne.u32 %p1, %r3, 0;\n@%p1 bra WAIT;\n" CLOSE;

static void a_wait_for_nobody_is_refused(void)
{
    refused(lost_lock, plain, ptx_shape_1d(2, 1), "pc 0x");
    refused(lost_lock, plain, ptx_shape_1d(2, 1), "it waits for 4 bytes at 0x");
    refused(lost_lock, plain, ptx_shape_1d(2, 1),
            "('counter' + 0), which no thread of this CTA writes; all others "
            "have ended");
    refused(lost_lock, plain, ptx_shape_1d(3, 1),
            "('counter' + 0), which no thread of this CTA writes; all CTAs "
            "that are left wait, too: a deadlock");
}

static void a_deadlock_of_all_ctas_is_found(void)
{
    refused(lost_lock, cooperative, ptx_shape_1d(3, 1),
            "('counter' + 0), which no thread of this CTA writes; all CTAs "
            "that are left wait, too: a deadlock");
}

static void all_ctas_must_be_resident(void)
{
    struct loom_launch_spec spec = cooperative;

    spec.facts.sms = 3;
    spec.facts.resident_ctas = 2;
    refused(grid_barrier, spec, ptx_shape_1d(7, 32),
            "kernel 'k': 7 CTAs that may wait for each other, but the machine "
            "holds 6 at a time (2 on each of 3 SMs)");
}

/* Warp 0 waits in shared memory for warp 1, which runs after it. */
static void warps_of_a_cta_wait_for_each_other(void)
{
    struct ptx_rig rig;
    const uint32_t *out;
    uint64_t word;

    ptx_rig_open(&rig,
                 OPEN(ONE) ".shared .align 4 .b8 flag[4];\n"
                           "mov.u32 %r4, flag;\nsetp.ge.u32 %p1, %r1, "
                           "32;\n@%p1 bra SET;\n"
                           "WAIT:\nld.volatile.shared.u32 %r3, [%r4];\n"
                           "setp.eq.u32 %p2, %r3, 0;\n@%p2 bra WAIT;\n"
                           "st.global.u32 [%d1], %r3;\nret;\n"
                           "SET:\nst.volatile.shared.u32 [%r4], 77;\n" CLOSE);
    word = ptx_rig_alloc(&rig, 4, "out");
    ptx_rig_run(&rig, "k", ptx_shape_1d(1, 64), &word);
    out = ptx_rig_at(&rig, word);
    EXPECT_EQ(*out, 77);
    ptx_rig_close(&rig);
}

/* Warps take tickets from a[0] until 256 are gone; CTA k counts its own in
 * a[1 + k]. */
static const char queue[] = OPEN(
    ONE) "mul.wide.u32 %d2, %r2, 4;\nadd.s64 %d3, %d1, %d2;\nmov.u32 %r6, 0;\n"
         "NEXT:\natom.global.add.u32 %r4, [%d1], 1;\n"
         "setp.ge.u32 %p1, %r4, 256;\n@%p1 bra DONE;\n"
         "add.u32 %r6, %r6, 1;\nbra.uni NEXT;\n"
         "DONE:\nst.global.u32 [%d3+4], %r6;\n" CLOSE;

static void a_work_queue_is_shared_in_turns(void)
{
    const struct loom_note *note;
    struct ptx_rig rig;
    const uint32_t *out;
    uint64_t word;

    ptx_rig_open(&rig, queue);
    word = ptx_rig_alloc(&rig, 256, "queue");
    out = ptx_rig_at(&rig, word);
    ptx_rig_run(&rig, "k", ptx_shape_1d(4, 1), &word);
    EXPECT_EQ(out[1], 256); /* CTA 0 took all, and a note says so */
    EXPECT_EQ(ptx_workload.notes(rig.program, &note), 1);
    EXPECT_TEXT(note->text, "launch it with interleave = 256");
    memset(ptx_rig_at(&rig, word), 0, 256);
    rig.spec.interleave = 5; /* one ticket is five instructions */
    ptx_rig_run(&rig, "k", ptx_shape_1d(4, 1), &word);
    EXPECT_EQ(out[1] + out[2] + out[3] + out[4], 256);
    for (uint32_t i = 1; i <= 4; i++) {
        EXPECT(out[i] >= 60 && out[i] <= 68);
    }
    ptx_rig_close(&rig);
}

static void a_kernel_is_decoded_once(void)
{
    const struct exec_code *first;
    struct ptx_rig rig;
    uint64_t word;

    ptx_rig_open(&rig, queue);
    word = ptx_rig_alloc(&rig, 256, "queue");
    ptx_rig_run(&rig, "k", ptx_shape_1d(1, 1), &word);
    first = ((struct exec_launch *)rig.kernel->source)->code;
    ptx_rig_run(&rig, "k", ptx_shape_1d(2, 32), &word);
    EXPECT(((struct exec_launch *)rig.kernel->source)->code == first);
    ptx_rig_close(&rig);
}

/* ---- streams and the pool ---- */

/* Each thread: k_n rounds of a load from a scattered address. */
static const char long_loop[] = OPEN(
    ONE
    ", .param .u32 k_n") "ld.param.u32 %r9, [k_n];\nmov.u32 %r3, 0;\nmov.u32 "
                         "%r7, %r1;\n"
                         "LOOP:\nmul.lo.u32 %r7, %r7, 1664525;\nadd.u32 %r7, "
                         "%r7, 1013904223;\n"
                         "shr.u32 %r8, %r7, 20;\nmul.wide.u32 %d2, %r8, 4;\n"
                         "add.s64 %d3, %d1, %d2;\nld.global.u32 %r4, [%d3];\n"
                         "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, "
                         "%r9;\n@%p1 bra LOOP;\n" CLOSE;

static uint64_t sum_of(const struct loom_cta_stream *stream)
{
    uint64_t sum = 0;

    for (uint32_t w = 0; w < stream->warp_count; w++) {
        for (uint64_t i = 0; i < stream->warp[w].words; i++) {
            sum = sum * 31 + stream->warp[w].word[i];
        }
    }
    return sum;
}

static uint64_t stream_sum(uint64_t pool_bytes, struct loom_pool_use *use)
{
    struct ptx_rig rig;
    uint64_t word[2], sum;

    ptx_rig_open(&rig, long_loop);
    rig.spec.pool_bytes = pool_bytes;
    word[0] = ptx_rig_alloc(&rig, 4 << 12, "a");
    word[1] = 20000;
    ptx_rig_run(&rig, "k", ptx_shape_1d(3, 64), word);
    *use = loom_pool_use(rig.program->pool);
    sum = sum_of(rig.stream);
    ptx_rig_close(&rig);
    return sum;
}

static void a_stream_is_the_same_in_the_file(void)
{
    struct loom_pool_use large, small;
    uint64_t want = stream_sum(0, &large), got = stream_sum(1 << 20, &small);

    EXPECT_EQ(got, want);
    EXPECT_EQ(large.file_max, 0);
    /* Two warps of 20000 rounds: 34 words for a load, 9 for the rest. */
    EXPECT(large.memory_max > UINT64_C(2) * 20000 * 40 * 4);
    EXPECT(small.memory_max <= 1 << 20);
    EXPECT(small.file_max > 6 << 20 && small.file_max < 20 << 20);
}

/* ---- mistakes ---- */

static void fails(const char *text, uint32_t threads, uint32_t watch,
                  const char *message)
{
    struct loom_launch_spec spec = {.watch = watch};

    refused(text, spec, ptx_shape_1d(1, threads), message);
}

static void null_pointers_are_named(void)
{
    fails(OPEN(ONE) "mov.u64 %d2, 16;\nld.global.u32 %r3, [%d2];\n" CLOSE, 1, 0,
          "4 bytes at 0x10 are outside every allocation (a null pointer?)");
}

static void freed_memory_is_named(void)
{
    struct ptx_rig rig;
    uint64_t word;

    ptx_rig_open(&rig, OPEN(ONE) "ld.global.u32 %r3, [%d1+8];\n" CLOSE);
    word = ptx_rig_alloc(&rig, 64, "early");
    REQUIRE(loom_memory_free(rig.memory, word, &rig.err));
    EXPECT(!ptx_rig_try(&rig, "k", ptx_shape_1d(1, 1), &word));
    EXPECT_TEXT(rig.err.text, "are in 'early', 64 bytes at 0x");
    EXPECT_TEXT(rig.err.text, "which was freed");
    ptx_rig_close(&rig);
}

static void constants_cannot_be_written(void)
{
    fails(PTX_HEAD ".const .align 4 .u32 table[4] = {1, 2, 3, 4};\n"
                   ".visible .entry k(.param .u64 k_a)\n{\n" REGISTERS
                   "mov.u64 %d2, table;\ncvta.const.u64 %d3, %d2;\n"
                   "st.u32 [%d3+4], 5;\nret;\n}\n",
          1, 0, "are in 'table', which is constant memory");
}

static void unwritten_memory_is_found(void)
{
    const char *text = OPEN(ONE) "st.global.u32 [%d1], 1;\n"
                                 "ld.global.u32 %r3, [%d1];\n"
                                 "ld.global.u32 %r4, [%d1+8];\n" CLOSE;
    const uint32_t two[2] = {1, 2};
    struct ptx_rig rig;
    uint64_t word;

    ptx_rig_open(&rig, text);
    rig.spec.watch = LOOM_WATCH_UNINITIALISED;
    loom_memory_watch(rig.memory);
    word = ptx_rig_alloc(&rig, 16, "a");
    EXPECT(!ptx_rig_try(&rig, "k", ptx_shape_1d(1, 1), &word));
    EXPECT_TEXT(rig.err.text, "thread 0: reads 4 bytes at 0x");
    EXPECT_TEXT(rig.err.text, "('a' + 8) that nobody has written");
    REQUIRE(loom_memory_write(rig.memory, word + 8, two, 4, &rig.err));
    ptx_rig_run(&rig, "k", ptx_shape_1d(1, 1), &word);
    ptx_rig_close(&rig);
}

#define TEST(name)                                                             \
    {                                                                          \
#name, name                                                            \
    }

static const struct loom_test tests[] = {
    TEST(ctas_wait_for_each_other),
    TEST(ctas_wait_for_later_ones),
    TEST(more_than_fit_take_turns),
    TEST(a_grid_synchronises),
    TEST(turns_repeat),
    TEST(a_wait_for_nobody_is_refused),
    TEST(a_deadlock_of_all_ctas_is_found),
    TEST(all_ctas_must_be_resident),
    TEST(warps_of_a_cta_wait_for_each_other),
    TEST(a_work_queue_is_shared_in_turns),
    TEST(a_kernel_is_decoded_once),
    TEST(a_stream_is_the_same_in_the_file),
    TEST(null_pointers_are_named),
    TEST(freed_memory_is_named),
    TEST(constants_cannot_be_written),
    TEST(unwritten_memory_is_found),
};

int main(void)
{
    return loom_run_tests("ptx_launch", tests, LOOM_COUNTOF(tests));
}
