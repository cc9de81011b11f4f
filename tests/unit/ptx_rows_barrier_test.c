/*
 * Rows of barriers: named ones, mbarriers, and copies that run on their own.
 *
 * links: workload_ptx
 */
#include "tests/unit/ptx_rows_rig.h"

static uint32_t plus_100(uint32_t i)
{
    return i + 100;
}

/* ---- barriers ---- */

static uint32_t count_odd(uint32_t i)
{
    (void)i;
    return 48;
}

static uint32_t one(uint32_t i)
{
    (void)i;
    return 1;
}

#define ODD "and.b32 %r3, %r1, 1;\nsetp.eq.u32 %p1, %r3, 1;\n"
#define P2 "selp.u32 %r2, 1, 0, %p2;\n"

static void barriers_reduce(void)
{
    compare(KERNEL(ODD "bar.red.popc.u32 %r2, 0, %p1;\n"), 96, count_odd);
    compare(KERNEL(ODD "barrier.cta.red.popc.aligned.u32 %r2, 3, 96, %p1;\n"),
            96, count_odd);
    compare(KERNEL(ODD "bar.cta.red.popc.u32 %r2, 1, %p1;\n"), 96, count_odd);
    compare(KERNEL(ODD "bar.red.or.pred %p2, 0, %p1;\n" P2), 96, one);
    compare(KERNEL(ODD "not.pred %p3, %p1;\nbar.red.and.pred %p4, 0, %p3;\n"
                       "not.pred %p2, %p4;\n" P2),
            96, one);
    compare(KERNEL("setp.lt.u32 %p1, %r1, 1000;\n"
                   "barrier.red.and.pred %p2, 1, %p1;\n" P2),
            96, one);
}

/* Warp 1 waits for warp 0 at barrier 1; warp 0 does not wait.  Number and
 * count in registers. */
#define PRODUCE(arrive, sync)                                                  \
    MODULE                                                                     \
    ".shared .align 4 .b32 slot[32];\n" OPEN START                             \
    "mov.u32 %r7, 1;\nmov.u32 %r8, 64;\nmov.u64 %d3, slot;\n"                  \
    "and.b32 %r4, %r1, 31;\nmul.wide.u32 %d4, %r4, 4;\n"                       \
    "add.u64 %d3, %d3, %d4;\nsetp.ge.u32 %p1, %r1, 32;\n@%p1 bra TAKE;\n"      \
    "add.u32 %r5, %r1, 100;\nst.shared.u32 [%d3], %r5;\n" arrive               \
    "mov.u32 %r2, 5;\nbra.uni DONE;\nTAKE:\n" sync                             \
    "ld.shared.u32 %r2, [%d3];\nDONE:\n" FINISH

static uint32_t taken(uint32_t i)
{
    return i < 32 ? 5 : i - 32 + 100;
}

static void arriving_is_not_waiting(void)
{
    compare(PRODUCE("bar.arrive 1, 64;\n", "bar.sync 1, 64;\n"), 64, taken);
    compare(PRODUCE("bar.cta.arrive 1, 64;\n", "bar.cta.sync 1, 64;\n"), 64,
            taken);
    compare(
        PRODUCE("barrier.cta.arrive 1, 64;\n", "barrier.cta.sync %r7, %r8;\n"),
        64, taken);
    compare(PRODUCE("barrier.arrive %r7, %r8;\n", "barrier.sync 1, 64;\n"), 64,
            taken);
}

static void barriers_in_the_static_table(void)
{
    struct run run;
    const struct loom_kernel *kernel;
    struct loom_cursor cursor;
    struct loom_warp_inst inst;
    uint32_t found = 0;

    REQUIRE(try(&run, PRODUCE("bar.arrive 1, 64;\n", "bar.sync %r7, %r8;\n"), 1,
                64));
    kernel = run.rig.kernel;
    for (uint32_t i = 0; i < kernel->inst_count; i++) {
        const struct loom_static_inst *s = &kernel->inst[i];

        if (s->op == LOOM_OP_BARRIER && (s->flags & LOOM_INST_ARRIVE) != 0) {
            EXPECT_EQ(s->barrier, 1);
            EXPECT_EQ(s->bytes, 2); /* warps */
            found++;
        }
    }
    EXPECT_EQ(found, 1);
    cursor = loom_cursor_of(&run.rig.stream->warp[1]);
    while (loom_stream_next(&cursor, &inst)) {
        if (kernel->inst[inst.index].op == LOOM_OP_BARRIER) {
            REQUIRE(inst.mode != LOOM_ADDR_NONE);
            EXPECT_EQ(loom_stream_base(&inst), UINT64_C(64) << 32 | 1);
            found++;
        }
    }
    EXPECT_EQ(found, 2);
    ptx_rig_close(&run.rig);
}

/* A CTA that is in no cluster is one. */
static void a_cluster_of_one(void)
{
    compare(KERNEL("barrier.cluster.arrive.release.aligned;\n"
                   "barrier.cluster.wait.aligned;\n"
                   "barrier.cluster.arrive.relaxed.aligned;\n"
                   "add.u32 %r2, %r1, 100;\n"
                   "barrier.cluster.wait.acquire.aligned;\n"),
            96, plus_100);
}

/* ---- copies ---- */

#define SHARED MODULE ".shared .align 16 .b8 buf[1024];\n" OPEN START
#define COPY_IN                                                                \
    "add.u32 %r3, %r1, 100;\nst.global.u32 [%d1], %r3;\nmov.u64 %d3, buf;\n"   \
    "add.u64 %d3, %d3, %d2;\ncvt.u32.u64 %r4, %d3;\n"

static void copies_to_shared_memory(void)
{
    compare(SHARED COPY_IN "cp.async.ca.shared.global [%r4], [%d1], 4;\n"
                           "cp.async.commit_group;\ncp.async.wait_group 0;\n"
                           "bar.sync 0;\nld.shared.u32 %r2, [%d3];\n" FINISH,
            64, plus_100);
    /* Bytes that are not read are zero. */
    compare(SHARED COPY_IN
            "st.shared.u32 [%d3], 77;\nsetp.lt.u32 %p1, %r1, 8;\n"
            "selp.u32 %r5, 4, 0, %p1;\n"
            "cp.async.ca.shared.global.L2::128B [%d3], [%d1], 4, %r5;\n"
            "cp.async.wait_all;\nld.shared.u32 %r2, [%d3];\n"
            "@!%p1 add.u32 %r2, %r2, %r3;\n" FINISH,
            64, plus_100);
    refused(SHARED "cp.async.cg.shared.global [%d2+4], [%d1], 16;\n" FINISH,
            "is not a multiple of the access's 16 bytes");
}

static void copies_in_the_stream(void)
{
    struct run run;
    const struct loom_kernel *kernel;
    struct loom_cursor cursor;
    struct loom_warp_inst inst;
    uint32_t loads = 0, stores = 0, waits = 0, ends = 0;

    REQUIRE(try(&run,
                SHARED COPY_IN
                "cp.async.ca.shared.global [%r4], [%d1], 4;\n"
                "cp.async.commit_group;\ncp.async.wait_group 3;\n" FINISH,
                1, 32));
    kernel = run.rig.kernel;
    cursor = loom_cursor_of(&run.rig.stream->warp[0]);
    while (loom_stream_next(&cursor, &inst)) {
        const struct loom_static_inst *s = &kernel->inst[inst.index];

        if ((s->flags & LOOM_INST_ASYNC) == 0) {
            continue;
        }
        loads += s->op == LOOM_OP_LOAD && s->space == LOOM_SPACE_GLOBAL;
        stores += s->op == LOOM_OP_STORE && s->space == LOOM_SPACE_SHARED;
        ends += s->op == LOOM_OP_NOP;
        waits += s->op == LOOM_OP_MEMBAR && s->barrier == 3;
        for (uint32_t i = 0; i < LOOM_REG_WORDS; i++) {
            EXPECT_EQ(s->def[i], 0);
        }
    }
    EXPECT_EQ(loads, 1);
    EXPECT_EQ(stores, 1);
    EXPECT_EQ(ends, 1);
    EXPECT_EQ(waits, 1);
    ptx_rig_close(&run.rig);
}

/* ---- mbarrier ---- */

#define MB                                                                     \
    MODULE                                                                     \
    ".shared .align 8 .b64 mb;\n"                                              \
    ".shared .align 16 .b8 buf[1024];\n" OPEN START                            \
    "setp.eq.u32 %p1, %r1, 0;\nmov.u64 %d3, mb;\ncvt.u32.u64 %r9, %d3;\n"
#define WAIT                                                                   \
    "WAIT:\nmbarrier.try_wait.parity.shared.b64 %p3, [%r9], 0;\n"              \
    "@!%p3 bra WAIT;\n"

/* Warps 0 and 1 arrive, warp 2 waits for them although it starts first. */
static uint32_t came(uint32_t i)
{
    return i < 64 ? 7 : 100 + (i - 64);
}

static void warps_wait_at_an_mbarrier(void)
{
    compare(MB "@%p1 mbarrier.init.shared.b64 [%r9], 64;\nbar.sync 0;\n"
               "mov.u64 %d4, buf;\nadd.u64 %d4, %d4, %d2;\n"
               "setp.ge.u32 %p2, %r1, 64;\n@%p2 bra WAIT;\n"
               "add.u32 %r3, %r1, 100;\nst.shared.u32 [%d4], %r3;\n"
               "mbarrier.arrive.shared.b64 %d5, [%r9];\nmov.u32 %r2, 7;\n"
               "bra.uni DONE;\n" WAIT
               "ld.shared.u32 %r2, [%d4+-256];\nDONE:\n" FINISH,
            96, came);
}

static uint32_t phases(uint32_t i)
{
    /* Pending before each arrival: 31 - i + 1, in the order of the lanes. */
    return 32 - i;
}

static void states_of_an_mbarrier(void)
{
    compare(MB "@%p1 mbarrier.init.shared::cta.b64 [mb], 32;\n"
               "mbarrier.arrive.b64 %d5, [mb];\n"
               "mbarrier.pending_count.b64 %r2, %d5;\n"
               "mbarrier.test_wait.shared.b64 %p2, [mb], %d5;\n"
               "@!%p2 mov.u32 %r2, 999;\n"
               "mbarrier.try_wait.shared.b64 %p2, [mb], %d5;\n"
               "@!%p2 mov.u32 %r2, 998;\n" FINISH,
            32, phases);
    refused(MB "mbarrier.arrive.shared.b64 %d5, [%r9];\n" FINISH,
            "the mbarrier is not initialised");
    refused(MB "@%p1 mbarrier.init.shared.b64 [%r9], 33;\n" WAIT FINISH,
            "which no thread of the CTA writes");
}

/* Lane 0 alone: what each operation does to the phase. */
static uint32_t in_lane_0(uint32_t i)
{
    return i == 0 ? 1 : 0;
}

#define ALONE(count, body)                                                     \
    MB "mov.u32 %r2, 0;\n@!%p1 bra DONE;\n"                                    \
       "mbarrier.init.shared.b64 [%r9], " count ";\n" body                     \
       "mbarrier.test_wait.parity.shared.b64 %p2, [%r9], 0;\n"                 \
       "selp.u32 %r2, 1, 0, %p2;\nDONE:\n" FINISH

static uint32_t nowhere(uint32_t i)
{
    (void)i;
    return 0;
}

static void operations_of_an_mbarrier(void)
{
    /* Two arrivals at a time. */
    compare(ALONE("2", "mbarrier.arrive.shared.b64 %d5, [%r9], 2;\n"), 32,
            in_lane_0);
    compare(ALONE("2", "mbarrier.arrive.noComplete.shared.b64 %d5, [%r9], 1;"
                       "\n"),
            32, nowhere);
    /* One gives up its place for good: the next phase takes one arrival. */
    compare(ALONE("2", "mbarrier.arrive_drop.shared.b64 %d5, [%r9];\n"
                       "mbarrier.arrive.shared.b64 %d5, [%r9];\n"
                       "mbarrier.arrive.shared.b64 %d6, [%r9];\n"
                       "mbarrier.test_wait.shared.b64 %p4, [%r9], %d6;\n"
                       "@!%p4 trap;\n"
                       "mbarrier.arrive.shared.b64 %d6, [%r9];\n"),
            32, in_lane_0);
    /* Bytes that are expected hold the phase until they have come. */
    compare(ALONE("1", "mbarrier.expect_tx.relaxed.cta.shared.b64 [%r9], 64;\n"
                       "mbarrier.arrive.shared.b64 _, [%r9];\n"),
            32, nowhere);
    compare(ALONE("1",
                  "mbarrier.expect_tx.relaxed.cta.shared.b64 [%r9], 64;\n"
                  "mbarrier.arrive.shared.b64 _, [%r9];\n"
                  "mbarrier.complete_tx.relaxed.cta.shared.b64 [%r9], 64;\n"),
            32, in_lane_0);
    /* Copies are complete when they are issued. */
    compare(ALONE("1", "cp.async.mbarrier.arrive.noinc.shared.b64 [%r9];\n"),
            32, in_lane_0);
    compare(ALONE("1", "cp.async.mbarrier.arrive.shared.b64 [%r9];\n"), 32,
            nowhere);
    refused(ALONE("1", "mbarrier.inval.shared.b64 [%r9];\n"),
            "the mbarrier is not initialised");
    compare(ALONE("1", "mbarrier.inval.shared.b64 [%r9];\n"
                       "mbarrier.init.shared.b64 [%r9], 1;\n"
                       "mbarrier.arrive.shared.b64 _, [%r9];\n"),
            32, in_lane_0);
    refused(ALONE("1", "mbarrier.arrive.shared.b64 %d5, [%r9], 2;\n"),
            "its count is out of range");
}

/* A bulk copy of 256 bytes, counted by an mbarrier. */
static void bulk_copies(void)
{
    compare(MB "add.u32 %r3, %r1, 100;\nst.global.u32 [%d1], %r3;\n"
               "mov.u64 %d4, buf;\nadd.u64 %d6, %d4, %d2;\n"
               "@!%p1 bra WAIT;\nmbarrier.init.shared.b64 [%r9], 1;\n"
               "fence.mbarrier_init.release.cluster;\n"
               "mbarrier.arrive.expect_tx.shared.b64 %d5, [%r9], 256;\n"
               "WAIT:\nbar.sync 0;\n@!%p1 bra LATER;\n"
               "cp.async.bulk.shared::cluster.global"
               ".mbarrier::complete_tx::bytes [%d4], [%d1], 256, [%d3];\n"
               "LATER:\nmbarrier.try_wait.parity.shared.b64 %p3, [%r9], 0;\n"
               "@!%p3 bra LATER;\nld.shared.u32 %r2, [%d6];\n" FINISH,
            64, plus_100);
    compare(MB
            "add.u32 %r3, %r1, 100;\nmov.u64 %d4, buf;\n"
            "add.u64 %d6, %d4, %d2;\nst.shared.u32 [%d6], %r3;\nbar.sync 0;\n"
            "fence.proxy.async.shared::cta;\n@!%p1 bra LATER;\n"
            "cp.async.bulk.global.shared::cta.bulk_group [%d1], [%d4], 256;\n"
            "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;\n"
            "LATER:\nbar.sync 0;\nld.global.u32 %r2, [%d1];\n" FINISH,
            64, plus_100);
}

static const struct loom_test tests[] = {
    CASE(barriers_reduce),
    CASE(arriving_is_not_waiting),
    CASE(barriers_in_the_static_table),
    CASE(a_cluster_of_one),
    CASE(copies_to_shared_memory),
    CASE(copies_in_the_stream),
    CASE(warps_wait_at_an_mbarrier),
    CASE(states_of_an_mbarrier),
    CASE(operations_of_an_mbarrier),
    CASE(bulk_copies),
};

int main(void)
{
    return loom_run_tests("ptx_rows_barrier", tests, LOOM_COUNTOF(tests));
}
