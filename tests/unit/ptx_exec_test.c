/*
 * The PTX executor: control flow, barriers, memory, what the stream shows.
 *
 * links: workload_ptx
 */
#include "tests/unit/ptx_exec_rig.h"

#define THREADS_MAX 1024

struct run {
    struct ptx_rig rig;
    const uint32_t *out; /* [threads] */
};

static void start(struct run *run, const char *text, uint32_t threads)
{
    uint64_t word;

    ptx_rig_open(&run->rig, text);
    word = ptx_rig_alloc(&run->rig, 4 * THREADS_MAX, "out");
    run->out = ptx_rig_at(&run->rig, word);
    ptx_rig_run(&run->rig, "k", ptx_shape_1d(1, threads), &word);
}

/* Runs a body of 64 threads and compares out[i] with want(i). */
static void compare(const char *text, uint32_t threads,
                    uint32_t (*want)(uint32_t i))
{
    struct run run;

    start(&run, text, threads);
    for (uint32_t i = 0; i < threads; i++) {
        EXPECT_EQ(run.out[i], want(i));
    }
    ptx_rig_close(&run.rig);
}

static uint32_t odd_even(uint32_t i)
{
    return i % 2 != 0 ? i * 3 + 1000 : i + 1000;
}

static void if_and_else_come_together(void)
{
    compare(OPEN START "and.b32 %r3, %r1, 1;\nsetp.eq.u32 %p1, %r3, 0;\n"
                       "@%p1 bra EVEN;\nmul.lo.u32 %r2, %r1, 3;\n"
                       "bra.uni DONE;\nEVEN:\nmov.u32 %r2, %r1;\n"
                       "DONE:\nadd.u32 %r2, %r2, 1000;\n" FINISH,
            64, odd_even);
}

/* The sum of 1..i, by a loop that each lane leaves at its own time. */
static uint32_t triangle(uint32_t i)
{
    return i * (i + 1) / 2;
}

#define TRIANGLE                                                               \
    "mov.u32 %r3, 0;\nLOOP:\nsetp.ge.u32 %p1, %r3, %r1;\n@%p1 bra DONE;\n"     \
    "add.u32 %r3, %r3, 1;\nadd.u32 %r2, %r2, %r3;\nbra.uni LOOP;\nDONE:\n"

static void lanes_leave_a_loop_one_by_one(void)
{
    compare(OPEN START TRIANGLE FINISH, 70, triangle);
}

/* Inside a loop: an if that skips, an inner loop, a break. */
static uint32_t nested(uint32_t i)
{
    uint32_t sum = 0;

    for (uint32_t a = 0; a < i; a++) {
        if (a % 3 == 1) {
            continue;
        }
        for (uint32_t b = 0; b < a; b++) {
            sum += b;
        }
        if (sum > 200) {
            break;
        }
    }
    return sum;
}

static void nested_loops_and_breaks(void)
{
    compare(OPEN START
            "mov.u32 %r3, 0;\nOUTER:\nsetp.ge.u32 %p1, %r3, %r1;\n"
            "@%p1 bra DONE;\nrem.u32 %r4, %r3, 3;\nsetp.eq.u32 %p2, %r4, 1;\n"
            "@%p2 bra NEXT;\nmov.u32 %r5, 0;\nINNER:\n"
            "setp.lt.u32 %p3, %r5, %r3;\n@!%p3 bra AFTER;\n"
            "add.u32 %r2, %r2, %r5;\nadd.u32 %r5, %r5, 1;\nbra.uni INNER;\n"
            "AFTER:\nsetp.gt.u32 %p4, %r2, 200;\n@%p4 bra DONE;\nNEXT:\n"
            "add.u32 %r3, %r3, 1;\nbra.uni OUTER;\nDONE:\n" FINISH,
            96, nested);
}

static uint32_t early(uint32_t i)
{
    return i % 4 == 0 ? 0 : i;
}

static void lanes_that_exit_do_no_more(void)
{
    compare(OPEN START "and.b32 %r3, %r1, 3;\nsetp.eq.u32 %p1, %r3, 0;\n"
                       "@%p1 exit;\nmov.u32 %r2, %r1;\n" FINISH,
            64, early);
}

static uint32_t predicated(uint32_t i)
{
    return (i < 10 ? 7u : 5u) + (i < 10 && i != 3 ? 100u : 0u);
}

static void guards_and_predicate_logic(void)
{
    compare(OPEN START
            "setp.lt.u32 %p1, %r1, 10;\n@%p1 mov.u32 %r2, 7;\n"
            "@!%p1 mov.u32 %r2, 5;\nsetp.ne.and.u32 %p2|%p3, %r1, 3, %p1;\n"
            "not.pred %p4, %p2;\nor.pred %p4, %p4, %p3;\n"
            "@!%p4 add.u32 %r2, %r2, 100;\n" FINISH,
            64, predicated);
}

static uint32_t reversed(uint32_t i)
{
    return 255 - i;
}

static void warps_meet_at_a_barrier(void)
{
    compare(OPEN ".shared .align 4 .b8 s[1024];\n" START
                 "mov.u32 %r3, s;\nshl.b32 %r4, %r1, 2;\n"
                 "add.u32 %r5, %r3, %r4;\nst.shared.u32 [%r5], %r1;\n"
                 "bar.sync 0;\nsub.u32 %r6, 1020, %r4;\n"
                 "add.u32 %r5, %r3, %r6;\nld.shared.u32 %r2, [%r5];\n" FINISH,
            256, reversed);
}

/* Two pairs of warps meet at two named barriers, and pass values on. */
static uint32_t neighbour(uint32_t i)
{
    return i ^ 32;
}

static void named_barriers_count_threads(void)
{
    compare(OPEN ".shared .align 4 .b8 s[512];\n" START
                 "mov.u32 %r3, s;\nshl.b32 %r4, %r1, 2;\n"
                 "add.u32 %r5, %r3, %r4;\nst.shared.u32 [%r5], %r1;\n"
                 "shr.u32 %r6, %r1, 6;\nadd.u32 %r6, %r6, 1;\n"
                 "bar.sync %r6, 64;\nxor.b32 %r4, %r4, 128;\n"
                 "add.u32 %r5, %r3, %r4;\nld.shared.u32 %r2, [%r5];\n" FINISH,
            128, neighbour);
}

static uint32_t nine(uint32_t i)
{
    (void)i;
    return 9;
}

static uint32_t second_warp(uint32_t i)
{
    return i < 32 ? 0 : 5;
}

static void warps_that_exit_hold_nobody_back(void)
{
    compare(OPEN START "setp.lt.u32 %p1, %r1, 32;\n@%p1 exit;\nbar.sync 0;\n"
                       "mov.u32 %r2, 5;\n" FINISH,
            64, second_warp);
    /* The other way round: the first warp waits when the second exits. */
    compare(OPEN START "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra OUT;\n"
                       "bar.sync 0;\nOUT:\nmov.u32 %r2, 9;\n" FINISH,
            64, nine);
}

/* Odd and even lanes, of which some may leave each way, have their values of
 * each other after they have met. */
static uint32_t other_side(uint32_t i)
{
    return i ^ 1;
}

static void lanes_that_may_exit_meet_at_a_barrier(void)
{
    compare(OPEN ".shared .align 4 .b8 s[256];\n" START
                 "mov.u32 %r3, s;\nshl.b32 %r4, %r1, 2;\n"
                 "add.u32 %r5, %r3, %r4;\nxor.b32 %r6, %r5, 4;\n"
                 "setp.gt.u32 %p2, %r1, 1000;\nand.b32 %r7, %r1, 1;\n"
                 "setp.ne.u32 %p1, %r7, 0;\n@%p1 bra ODD;\n"
                 "@%p2 exit;\nst.shared.u32 [%r5], %r1;\nbra MEET;\n"
                 "ODD:\n@%p2 exit;\nst.shared.u32 [%r5], %r1;\n"
                 "MEET:\nbar.sync 0;\nld.shared.u32 %r2, [%r6];\n" FINISH,
            64, other_side);
}

static uint32_t all_lanes(uint32_t i)
{
    (void)i;
    return UINT32_MAX;
}

/* What ends the run is no place to meet. */
static void failures_keep_no_lanes_apart(void)
{
    compare(OPEN START
            "setp.gt.u32 %p2, %r1, 1000;\nand.b32 %r7, %r1, 1;\n"
            "setp.ne.u32 %p1, %r7, 0;\n@%p1 bra ODD;\n"
            "@%p2 bra FAIL;\nadd.u32 %r3, %r1, 1;\nbra MEET;\nFAIL:\ntrap;\n"
            "ODD:\n@%p2 bra FAIL;\nMEET:\nactivemask.b32 %r2;\n" FINISH,
            64, all_lanes);
}

static void guarded_traps_keep_no_lanes_apart(void)
{
    compare(OPEN START "setp.gt.u32 %p2, %r1, 1000;\nand.b32 %r7, %r1, 1;\n"
                       "setp.ne.u32 %p1, %r7, 0;\n@%p1 bra MEET;\n"
                       "@%p2 trap;\nMEET:\nactivemask.b32 %r2;\n" FINISH,
            64, all_lanes);
}

static uint32_t voters(uint32_t i)
{
    (void)i;
    return 48 + 1000;
}

static void barriers_reduce(void)
{
    compare(
        OPEN START
        "setp.lt.u32 %p1, %r1, 48;\nbar.red.popc.u32 %r2, 0, %p1;\n"
        "bar.red.or.pred %p2, 0, %p1;\nbar.red.and.pred %p3, 0, %p1;\n"
        "@%p2 add.u32 %r2, %r2, 1000;\n@%p3 add.u32 %r2, %r2, 5000;\n" FINISH,
        96, voters);
}

static uint32_t shuffled(uint32_t i)
{
    uint32_t lane = i % 32, base = i - lane;
    uint32_t down = lane + 4 < 32 ? i + 4 : i;
    uint32_t up = lane >= 3 ? i - 3 : i;

    return down + (up << 8) + ((i ^ 5) << 16) +
           ((base + (lane & 24) + 2) << 24) + (lane + 4 < 32 ? 1u << 31 : 0);
}

static void lanes_shuffle(void)
{
    compare(
        OPEN START
        "shfl.sync.down.b32 %r3|%p1, %r1, 4, 31, -1;\n"
        "shfl.sync.up.b32 %r4, %r1, 3, 0, -1;\n"
        "shfl.sync.bfly.b32 %r5, %r1, 5, 31, -1;\n"
        "shfl.sync.idx.b32 %r6, %r1, 2, 6175, -1;\n" /* width 8 */
        "shl.b32 %r4, %r4, 8;\nshl.b32 %r5, %r5, 16;\n"
        "shl.b32 %r6, %r6, 24;\nadd.u32 %r2, %r3, %r4;\n"
        "add.u32 %r2, %r2, %r5;\nadd.u32 %r2, %r2, %r6;\n"
        "selp.u32 %r7, 0x80000000, 0, %p1;\nadd.u32 %r2, %r2, %r7;\n" FINISH,
        64, shuffled);
}

static uint32_t ballot(uint32_t i)
{
    return (i % 32 < 16 ? 0x5555u : 0x0000u) + (i % 2 == 0 ? 7u << 20 : 0);
}

static void lanes_vote_among_the_active(void)
{
    compare(OPEN START
            "and.b32 %r3, %r1, 1;\nsetp.eq.u32 %p1, %r3, 0;\n"
            "and.b32 %r4, %r1, 16;\nsetp.ne.u32 %p2, %r4, 0;\n"
            "@%p2 bra SKIP;\nvote.sync.ballot.b32 %r2, %p1, -1;\nSKIP:\n"
            "match.any.sync.b32 %r5, %r3, -1;\n"
            "setp.eq.u32 %p3, %r5, 0x55555555;\n"
            "@%p3 add.u32 %r2, %r2, 0x700000;\n" FINISH,
            64, ballot);
}

/* out[0..4]: what atomics of 72 threads leave; the rest: old values. */
static void atomics_follow_the_lanes(void)
{
    struct run run;

    start(&run,
          OPEN "ld.param.u64 %d1, [k_out];\nmov.u32 %r1, %tid.x;\n"
               "red.global.add.u32 [%d1], %r1;\n"
               "atom.global.max.s32 %r3, [%d1+4], %r1;\n"
               "atom.global.inc.u32 %r4, [%d1+8], 9;\n"
               "atom.global.cas.b32 %r5, [%d1+12], %r1, 40;\n"
               "cvt.rn.f32.u32 %f1, %r1;\n"
               "red.global.add.f32 [%d1+16], %f1;\n"
               "mul.wide.u32 %d2, %r1, 4;\nadd.s64 %d2, %d1, %d2;\n"
               "st.global.u32 [%d2+32], %r4;\nret;\n}\n",
          72);
    for (uint32_t i = 0; i < 72; i++) {
        EXPECT_EQ(run.out[8 + i], i % 10);
    }
    EXPECT_EQ(run.out[0], 72 * 71 / 2);
    EXPECT_EQ(run.out[1], 71);
    EXPECT_EQ(run.out[2], 72 % 10);
    /* Lane 0 finds 0 and writes 40, lane 40 finds 40 and writes 40. */
    EXPECT_EQ(run.out[3], 40);
    EXPECT_EQ(run.out[4], 0x451fc000); /* 2556.0f */
    ptx_rig_close(&run.rig);
}

static uint32_t narrow(uint32_t i)
{
    uint32_t byte = (i * 7 + 200) & 255;

    return (uint32_t)(int32_t)(int8_t)byte + byte * 3;
}

static void vectors_and_narrow_types(void)
{
    compare(OPEN ".local .align 8 .b8 l[16];\n" START
                 "mad.lo.u32 %r3, %r1, 7, 200;\nmov.u32 %r4, 9;\n"
                 "st.local.v2.u32 [l+8], {%r3, %r4};\n"
                 "ld.local.s8 %r5, [l+8];\nld.local.u8 %h1, [l+8];\n"
                 "cvt.u32.u16 %r6, %h1;\nmad.lo.u32 %r2, %r6, 3, %r5;\n" FINISH,
            64, narrow);
}

static uint32_t generic(uint32_t i)
{
    return i % 2 == 0 ? i + 100 : i + 500;
}

/* Even lanes point into shared memory, odd ones into local memory. */
static void generic_addresses_find_their_space(void)
{
    struct loom_cursor cursor;
    struct loom_warp_inst inst;
    uint32_t mask[2] = {0}, n = 0;
    struct run run;

    start(&run,
          OPEN ".shared .align 4 .b8 s[256];\n.local .align 4 .b8 l[8];\n" START
               "mov.u64 %d3, s;\nadd.s64 %d3, %d3, %d2;\n"
               "cvta.shared.u64 %d3, %d3;\nmov.u64 %d4, l;\n"
               "cvta.local.u64 %d4, %d4;\nand.b32 %r3, %r1, 1;\n"
               "setp.eq.u32 %p1, %r3, 0;\nadd.u32 %r4, %r1, 100;\n"
               "add.u32 %r5, %r1, 500;\ncvta.to.shared.u64 %d6, %d3;\n"
               "st.shared.u32 [%d6], %r4;\nst.local.u32 [l], %r5;\n"
               "selp.b64 %d5, %d3, %d4, %p1;\nld.u32 %r2, [%d5];\n" FINISH,
          64);
    for (uint32_t i = 0; i < 64; i++) {
        EXPECT_EQ(run.out[i], generic(i));
    }
    cursor = loom_cursor_of(&run.rig.stream->warp[0]);
    while (loom_stream_next(&cursor, &inst)) {
        const struct loom_static_inst *s = &run.rig.kernel->inst[inst.index];

        if (strncmp(run.rig.kernel->text + s->text, "ld.u32", 6) == 0) {
            REQUIRE(n < 2);
            EXPECT_EQ(s->space, n == 0 ? 2 : 1); /* shared, then local */
            mask[n++] = inst.mask;
        }
    }
    EXPECT_EQ(n, 2);
    EXPECT_EQ(mask[0], 0x55555555);
    EXPECT_EQ(mask[1], 0xaaaaaaaa);
    ptx_rig_close(&run.rig);
}

/* Module variables: initialised, found by name, written by the program. */
static void variables_live_in_device_memory(void)
{
    struct ptx_rig rig;
    loom_addr at = 0;
    uint64_t bytes = 0, word;
    uint32_t *counter;

    ptx_rig_open(&rig,
                 PTX_HEAD ".const .align 4 .u32 table[4] = {3, 5, 7, 11};\n"
                          ".global .align 4 .u32 counter = 40;\n"
                          ".visible .entry k(.param .u64 k_out)\n{\n" REGISTERS
                          "ld.const.u32 %r1, [table+8];\n"
                          "red.global.add.u32 [counter], %r1;\nret;\n}\n");
    word = 0;
    ptx_rig_run(&rig, "k", ptx_shape_1d(1, 2), &word);
    REQUIRE(ptx_workload.symbol(rig.program, "counter", &at, &bytes, &rig.err));
    EXPECT_EQ(bytes, 4);
    counter = ptx_rig_at(&rig, at);
    EXPECT_EQ(*counter, 54);
    EXPECT(!ptx_workload.symbol(rig.program, "nobody", &at, &bytes, &rig.err));
    EXPECT_TEXT(rig.err.text, "no global or constant variable 'nobody'");
    ptx_rig_close(&rig);
}

/* The records of one warp of a small kernel, one by one. */
static void the_stream_shows_masks_and_addresses(void)
{
    static const uint32_t masks[] = {
        0xfffff, 0xfffff, 0xfffff, 0xfffff, 0xfffff, /* START */
        0xfffff,                                     /* setp */
        0x0000f, /* @%p1 bra: the lanes that branch */
        0x0000f, /* THERE: taken first */
        0xffff0, /* the others' mov */
        0xffff0, /* bra.uni */
        0xfffff, 0xfffff};
    loom_addr address[LOOM_WARP_LANES];
    struct loom_warp_inst inst = {0};
    struct loom_cursor cursor;
    struct run run;
    uint32_t n = 0;

    start(&run,
          OPEN START "setp.lt.u32 %p1, %r1, 4;\n@%p1 bra THERE;\n"
                     "mov.u32 %r2, 1;\nbra.uni DONE;\nTHERE:\n"
                     "mov.u32 %r2, 2;\nDONE:\n" FINISH,
          20);
    EXPECT_EQ(run.rig.stream->warp_count, 1);
    EXPECT_EQ(run.rig.stream->warp[0].insts, LOOM_COUNTOF(masks));
    cursor = loom_cursor_of(&run.rig.stream->warp[0]);
    while (loom_stream_next(&cursor, &inst) && n < LOOM_COUNTOF(masks)) {
        EXPECT_EQ(inst.mask, masks[n]);
        if (n == 0) { /* ld.param: the same offset for all */
            EXPECT_EQ(loom_stream_base(&inst), 0);
        } else if (n == 10) {
            loom_stream_addresses(&inst, address);
            for (uint32_t i = 0; i < 20; i++) {
                EXPECT_EQ(address[i], LOOM_MEMORY_BASE + 4 * i);
            }
        }
        n++;
    }
    EXPECT_EQ(n, LOOM_COUNTOF(masks));
    ptx_rig_close(&run.rig);
}

/* Word 3 of local memory of 2 CTAs of 40 threads (64 lanes each). */
static void local_addresses_interleave(void)
{
    loom_addr address[LOOM_WARP_LANES];
    struct loom_warp_inst inst = {0};
    struct loom_cursor cursor;
    struct ptx_rig rig;
    uint64_t word = 0;

    ptx_rig_open(&rig,
                 PTX_HEAD ".visible .entry k(.param .u64 k_out)\n{\n" REGISTERS
                          ".local .align 4 .b8 l[16];\nmov.u32 %r1, 5;\n"
                          "st.local.u32 [l+12], %r1;\nret;\n}\n");
    ptx_rig_run(&rig, "k", ptx_shape_1d(2, 40), &word);
    EXPECT_EQ(rig.kernel->local_bytes, 16);
    cursor = loom_cursor_of(&rig.stream->warp[1]);
    REQUIRE(loom_stream_next(&cursor, &inst));
    REQUIRE(loom_stream_next(&cursor, &inst));
    EXPECT_EQ(inst.mask, 0xff);
    loom_stream_addresses(&inst, address);
    for (uint32_t i = 0; i < 8; i++) {
        /* 128 threads in all; this warp's first is number 64 + 32. */
        EXPECT_EQ(address[i], 0x7000000000000000 + 4 * (3 * 128 + 96 + i));
    }
    ptx_rig_close(&rig);
}

static void streams_live_until_they_are_released(void)
{
    struct loom_cta_stream *stream[3] = {NULL};
    const struct loom_cta_source_ops *ops;
    struct ptx_rig rig;
    uint64_t word;

    ptx_rig_open(&rig, OPEN START TRIANGLE FINISH);
    word = ptx_rig_alloc(&rig, 4 * THREADS_MAX, "out");
    ptx_rig_run(&rig, "k", ptx_shape_1d(1, 32), &word);
    ops = rig.kernel->source->ops;
    for (uint32_t i = 0; i < 3; i++) {
        REQUIRE(ops->produce(rig.kernel->source, i, &stream[i], &rig.err));
        EXPECT_EQ(stream[i]->cta, i);
    }
    EXPECT(stream[0]->warp != stream[1]->warp);
    EXPECT_EQ(stream[0]->warp[0].words, stream[2]->warp[0].words);
    EXPECT(memcmp(stream[0]->warp[0].word, stream[2]->warp[0].word,
                  stream[0]->warp[0].words * sizeof(uint32_t)) == 0);
    for (uint32_t i = 0; i < 3; i++) {
        ops->release(rig.kernel->source, stream[i]);
    }
    ptx_rig_close(&rig);
}

static const struct loom_test tests[] = {
    TEST(if_and_else_come_together),
    TEST(lanes_leave_a_loop_one_by_one),
    TEST(nested_loops_and_breaks),
    TEST(lanes_that_exit_do_no_more),
    TEST(guards_and_predicate_logic),
    TEST(warps_meet_at_a_barrier),
    TEST(named_barriers_count_threads),
    TEST(warps_that_exit_hold_nobody_back),
    TEST(lanes_that_may_exit_meet_at_a_barrier),
    TEST(failures_keep_no_lanes_apart),
    TEST(guarded_traps_keep_no_lanes_apart),
    TEST(barriers_reduce),
    TEST(lanes_shuffle),
    TEST(lanes_vote_among_the_active),
    TEST(atomics_follow_the_lanes),
    TEST(vectors_and_narrow_types),
    TEST(generic_addresses_find_their_space),
    TEST(variables_live_in_device_memory),
    TEST(the_stream_shows_masks_and_addresses),
    TEST(local_addresses_interleave),
    TEST(streams_live_until_they_are_released),
};

int main(void)
{
    return loom_run_tests("ptx_exec", tests, LOOM_COUNTOF(tests));
}
