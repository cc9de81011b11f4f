/*
 * Clusters: their registers, barriers and shared memory, against values in C.
 *
 * links: workload_ptx
 */
#include "tests/unit/ptx_rig.h"

#define WORDS 8 /* that a thread writes */

/* Kernel k(out): %d1 is the thread's place in out, %r1 %tid.x, %r2 the rank in
 * the cluster, %r3 the next CTA's rank, `x` 256 bytes of shared memory. */
#define HEAD(limits)                                                           \
    ".version 8.6\n.target sm_90\n.address_size 64\n"                          \
    ".visible .entry k(.param .u64 k_out)\n" limits                            \
    "\n{\n.reg .pred %p<9>;\n.reg .b32 %r<30>;\n.reg .b64 %d<20>;\n"           \
    ".shared .align 16 .b8 x[256];\n.shared .align 8 .b64 mb;\n"               \
    "ld.param.u64 %d1, [k_out];\nmov.u32 %r1, %tid.x;\n"                       \
    "mov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %nctaid.x;\n"                        \
    "mov.u32 %r6, %ctaid.y;\nmad.lo.u32 %r4, %r6, %r5, %r4;\n"                 \
    "mad.lo.u32 %r4, %r4, 32, %r1;\nmad.wide.u32 %d1, %r4, 32, %d1;\n"         \
    "mov.u32 %r2, %cluster_ctarank;\nmov.u32 %r5, %cluster_nctarank;\n"        \
    "add.u32 %r3, %r2, 1;\nrem.u32 %r3, %r3, %r5;\n"                           \
    "mov.u32 %r7, x;\nmad.lo.u32 %r8, %r1, 4, %r7;\n"                          \
    "mov.u32 %r9, mb;\nmov.u32 %r20, %clusterid.x;\n"
#define SYNC "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
#define TAIL "ret;\n}\n"

struct job {
    struct ptx_rig rig;
    uint64_t word;
    const uint32_t *out;
};

static bool try(struct job *job, const char *text, struct loom_dim3 cluster,
                struct loom_dim3 grid)
{
    struct ptx_shape shape = {grid, {32, 1, 1}, 0};

    ptx_rig_open(&job->rig, text);
    job->word =
        ptx_rig_alloc(&job->rig, loom_dim3_count(grid) * 32 * WORDS * 4, "out");
    job->out = ptx_rig_at(&job->rig, job->word);
    job->rig.spec.cluster = cluster;
    return ptx_rig_try(&job->rig, "k", shape, &job->word);
}

static void run(struct job *job, const char *text, struct loom_dim3 cluster,
                struct loom_dim3 grid)
{
    if (!try(job, text, cluster, grid)) {
        EXPECT_TEXT(job->rig.err.text, "(no error)");
    }
}

static const uint32_t *of(const struct job *job, uint32_t cta, uint32_t thread)
{
    return job->out + (cta * 32 + thread) * WORDS;
}

static const struct loom_dim3 none = {0, 0, 0};

static void registers(void)
{
    static const char text[] = HEAD(
        ".reqnctapercluster 2, 2, 1") "mov.u32 %r10, %clusterid.x;\nmov.u32 "
                                      "%r11, %clusterid.y;\n"
                                      "mov.u32 %r12, %nclusterid.x;\nmov.u32 "
                                      "%r13, %nclusterid.y;\n"
                                      "mov.u32 %r14, "
                                      "%cluster_ctaid.x;\nmov.u32 %r15, "
                                      "%cluster_ctaid.y;\n"
                                      "mov.u32 %r16, "
                                      "%cluster_nctaid.x;\nmov.pred %p1, "
                                      "%is_explicit_cluster;\nselp.u32 %r17, "
                                      "7, 0, %p1;\n"
                                      "st.global.v4.u32 [%d1], {%r10, %r11, "
                                      "%r12, %r13};\n"
                                      "st.global.v4.u32 [%d1+16], {%r14, %r15, "
                                      "%r16, %r17};\n"
                                      "st.global.u32 [%d1+8], "
                                      "%r2;\nst.global.u32 [%d1+12], "
                                      "%r5;\n" TAIL;
    struct job job;

    run(&job, text, none, (struct loom_dim3){6, 4, 1});
    for (uint32_t cta = 0; cta < 24; cta++) {
        uint32_t x = cta % 6, y = cta / 6;
        const uint32_t *o = of(&job, cta, 5);

        EXPECT_EQ(o[0], x / 2);
        EXPECT_EQ(o[1], y / 2);
        EXPECT_EQ(o[2], y % 2 * 2 + x % 2);
        EXPECT_EQ(o[3], 4);
        EXPECT_EQ(o[4], x % 2);
        EXPECT_EQ(o[5], y % 2);
        EXPECT_EQ(o[6], 2);
        EXPECT_EQ(o[7], 7);
    }
    EXPECT_EQ(of(&job, 0, 0)[0], 0);
    ptx_rig_close(&job.rig);
}

/* Loads, stores and atomics in the next CTA's shared memory, through shared
 * and through generic addresses. */
static void memory_of_others(void)
{
    static const char text[] = HEAD(
        "") "mad.lo.u32 %r10, %r2, 100, %r1;\nst.shared.u32 [%r8], %r10;\n"
            "st.shared.u32 [%r8+128], 0;\n" SYNC
            "mapa.shared::cluster.u32 %r11, %r8, %r3;\n"
            "ld.shared::cluster.u32 %r12, [%r11];\n"
            "cvt.u64.u32 %d2, %r8;\ncvta.shared.u64 %d2, %d2;\n"
            "mapa.u64 %d3, %d2, %r3;\nld.u32 %r13, [%d3];\n"
            "atom.shared::cluster.add.u32 %r14, [%r11+128], 5;\n"
            "red.relaxed.cluster.shared::cluster.add.u32 [%r11+128], 1;\n"
            "atom.add.u32 %r15, [%d3+128], 10;\n" SYNC
            "ld.shared.u32 %r16, [%r8+128];\n"
            "st.shared::cluster.u32 [%r11], 77;\n"
            "getctarank.shared::cluster.u32 %r17, %r11;\n"
            "getctarank.u64 %r18, %d2;\n"
            "isspacep.shared::cluster %p1, %d3;\n"
            "isspacep.shared::cta %p2, %d3;\nisspacep.shared::cta %p3, %d2;\n"
            "selp.u32 %r19, 1, 0, %p1;\n@%p2 add.u32 %r19, %r19, 2;\n"
            "@%p3 add.u32 %r19, %r19, 4;\n" SYNC "ld.shared.u32 %r20, [%r8];\n"
            "st.global.v4.u32 [%d1], {%r12, %r13, %r16, %r17};\n"
            "st.global.v4.u32 [%d1+16], {%r18, %r19, %r20, %r15};\n" TAIL;
    struct job job;

    run(&job, text, (struct loom_dim3){4, 1, 1}, (struct loom_dim3){8, 1, 1});
    for (uint32_t cta = 0; cta < 8; cta++) {
        for (uint32_t t = 0; t < 32; t++) {
            const uint32_t *o = of(&job, cta, t);
            uint32_t next = (cta % 4 + 1) % 4;

            EXPECT_EQ(o[0], next * 100 + t);
            EXPECT_EQ(o[1], next * 100 + t);
            EXPECT_EQ(o[2], 16);
            EXPECT_EQ(o[3], next);
            EXPECT_EQ(o[4], cta % 4);
            EXPECT_EQ(o[5], 5);
            EXPECT_EQ(o[6], 77);
            EXPECT_EQ(o[7], 6);
        }
    }
    ptx_rig_close(&job.rig);
}

/* Stores and reductions that tell an mbarrier of the CTA they go to, arrivals
 * from afar: the phase ends when 256 bytes and three arrivals have come. */
static void told_by_mbarriers(void)
{
    static const char text[] = HEAD(
        ".explicitcluster\n"
        ".reqnctapercluster 2") "setp.eq.u32 %p1, %r1, 0;\nst.shared.u32 "
                                "[%r8+128], 1000;\n"
                                "mad.lo.u32 %r10, %r2, 100, "
                                "%r1;\nst.shared.u32 [%r8], %r10;\n"
                                "@!%p1 bra READY;\nmbarrier.init.shared.b64 "
                                "[%r9], 3;\n"
                                "mbarrier.expect_tx.relaxed.cta.shared.b64 "
                                "[%r9], 256;\n"
                                "mbarrier.arrive.shared.b64 _, "
                                "[%r9];\nREADY:\n" SYNC
                                "mapa.shared::cluster.u32 %r11, %r8, %r3;\n"
                                "mapa.shared::cluster.u32 %r12, %r9, %r3;\n"
                                "mapa.shared::cluster.u32 %r13, %r7, %r3;\n"
                                "add.u32 %r14, %r10, 7;\n"
                                "red.async.relaxed.cluster.shared::cluster."
                                "mbarrier::complete_tx::bytes"
                                ".add.u32 [%r11+128], %r14, [%r12];\n@!%p1 bra "
                                "STORE;\n"
                                "mbarrier.arrive.release.cluster.shared::"
                                "cluster.b64 _, [%r12];\n"
                                "mbarrier.arrive.expect_tx.release.cluster."
                                "shared::cluster.b64 _, "
                                "[%r12], 0;\nSTORE:\nsetp.lt.u32 %p2, %r1, 8;\n"
                                "setp.lt.u32 %p4, %r1, 16;\nmad.lo.u32 %r15, "
                                "%r1, 8, %r13;\n"
                                "mov.b64 %d5, {%r14, %r10};\n@%p2 bra "
                                "PAIR;\n@!%p4 bra TEST;\n"
                                "st.async.weak.shared::cluster.mbarrier::"
                                "complete_tx::bytes.b64 "
                                "[%r15], %d5, [%r12];\nbra.uni TEST;\nPAIR:\n"
                                "st.async.shared::cluster.mbarrier::complete_"
                                "tx::bytes.v2.u32 "
                                "[%r15], {%r10, %r14}, [%r12];\nTEST:\n"
                                "mbarrier.try_wait.parity.acquire.cluster."
                                "shared::cta.b64 %p3, "
                                "[%r9], 0;\n@!%p3 bra TEST;\n"
                                "ld.shared.u32 %r16, [%r8+128];\nld.shared.u32 "
                                "%r17, [%r8];\n"
                                "st.global.v2.u32 [%d1], {%r16, %r17};\n" SYNC
                                    TAIL;
    struct job job;

    run(&job, text, none, (struct loom_dim3){4, 1, 1});
    for (uint32_t cta = 0; cta < 4; cta++) {
        uint32_t from = (cta % 2 ^ 1) * 100;

        for (uint32_t t = 0; t < 32; t++) {
            uint32_t by = from + t / 2;

            EXPECT_EQ(of(&job, cta, t)[0], 1000 + from + t + 7);
            EXPECT_EQ(of(&job, cta, t)[1],
                      (t % 2 == 0) == (t < 16) ? by : by + 7);
        }
    }
    ptx_rig_close(&job.rig);
}

/* Bulk copies: from device memory to two CTAs at once, and from one CTA's
 * shared memory to another's; reductions back. */
static const char bulk_text[] = HEAD(
    ".reqnctapercluster 2, 1, 1") "setp.eq.u32 %p1, %r1, 0;\nsetp.eq.u32 "
                                  "%p2, %r2, 0;\n"
                                  "mov.u64 %d6, 0;\nmul.wide.u32 %d7, "
                                  "%r20, 2048;\n"
                                  "ld.param.u64 %d8, [k_out];\nadd.u64 "
                                  "%d8, %d8, %d7;\n"
                                  "add.u32 %r10, %r1, 50;\nmul.wide.u32 "
                                  "%d9, %r1, 4;\n"
                                  "add.u64 %d9, %d8, %d9;\n@%p2 "
                                  "st.global.u32 [%d9], %r10;\n"
                                  "st.shared.u32 [%r8+128], 9;\n"
                                  "@!%p1 bra "
                                  "READY;\nmbarrier.init.shared.b64 [%r9], "
                                  "1;\n"
                                  "mbarrier.arrive.expect_tx.shared.b64 _, "
                                  "[%r9], 192;\nREADY:\n" SYNC
                                  "mapa.shared::cluster.u32 %r12, %r9, "
                                  "%r3;\n"
                                  "mapa.shared::cluster.u32 %r13, %r7, "
                                  "%r3;\n@!%p1 bra TEST;\n"
                                  "mov.u16 %h1, "
                                  "3;\ncp.async.bulk.prefetch.L2.global "
                                  "[%d8], 128;\n"
                                  "@%p2 "
                                  "cp.async.bulk.shared::cluster.global."
                                  "mbarrier::complete_tx::bytes"
                                  ".multicast::cluster.L2::cache_hint "
                                  "[%r7], [%d8], 128, [%r9], %h1, "
                                  "%d6;\n"
                                  "cp.async.bulk.shared::cluster.shared::"
                                  "cta.mbarrier::complete_tx::bytes"
                                  " [%r13+128], [%r7+128], 64, "
                                  "[%r12];\nTEST:\n"
                                  "mbarrier.try_wait.parity.shared::cta."
                                  "b64 %p3, [%r9], 0;\n"
                                  "@!%p3 bra TEST;\nld.shared.u32 %r16, "
                                  "[%r8];\n" SYNC "@!%p1 bra LAST;\n"
                                  "cp.reduce.async.bulk.global.shared::cta."
                                  "bulk_group.add.u32 [%d8+512],"
                                  " [%r7], 128;\n"
                                  "cp.reduce.async.bulk.shared::cluster."
                                  "shared::cta"
                                  ".mbarrier::complete_tx::bytes.max.s32 "
                                  "[%r13+128], [%r7], 64, "
                                  "[%r12];\n"
                                  "cp.async.bulk.commit_group;\ncp.async."
                                  "bulk.wait_group 0;\nLAST:\n" SYNC
                                  "ld.shared.u32 %r17, [%r8+128];\n"
                                  "st.global.v2.u32 [%d1+16], {%r16, "
                                  "%r17};\n" TAIL;

static void bulk_copies(void)
{
    const char *text = bulk_text;
    struct job job;
    char whole[8192];
    const char *at = strstr(text, ".shared .align 16");

    snprintf(whole, sizeof(whole), "%.*s.reg .b16 %%h<4>;\n%s",
             (int)(at - text), text, at);
    run(&job, whole, none, (struct loom_dim3){4, 1, 1});
    for (uint32_t cta = 0; cta < 4; cta++) {
        for (uint32_t t = 0; t < 32; t++) {
            EXPECT_EQ(of(&job, cta, t)[4], t + 50);
            EXPECT_EQ(of(&job, cta, t)[5], t < 16 ? t + 50 : 9);
            if (t % 8 / 2 != 2) { /* where the above is */
                EXPECT_EQ(job.out[cta / 2 * 512 + 128 + t], 2 * (t + 50));
            }
        }
    }
    ptx_rig_close(&job.rig);
}

static void refused(const char *text, struct loom_dim3 cluster,
                    struct loom_dim3 grid, const char *why)
{
    struct job job;

    EXPECT(!try(&job, text, cluster, grid));
    if (strstr(job.rig.err.text, why) == NULL) {
        EXPECT_TEXT(job.rig.err.text, why);
    }
    ptx_rig_close(&job.rig);
}

static void mistakes(void)
{
    static const struct loom_dim3 two = {2, 1, 1}, six = {6, 1, 1};

    refused(HEAD("") TAIL, (struct loom_dim3){4, 1, 1}, six,
            "a grid of 6 x 1 x 1 blocks is not made of clusters of 4 x 1 x 1");
    refused(HEAD("") TAIL, (struct loom_dim3){17, 1, 1},
            (struct loom_dim3){17, 1, 1}, "expected 1..16 blocks");
    refused(HEAD(".maxclusterrank 4") TAIL, six, six, "expected 1..4 blocks");
    refused(HEAD(".reqnctapercluster 3, 1, 1") TAIL, two, six,
            "has clusters of 3 x 1 x 1 blocks, got 2 x 1 x 1");
    refused(HEAD("") "mapa.shared::cluster.u32 %r11, %r8, 2;\n"
                     "ld.shared::cluster.u32 %r12, [%r11];\n" TAIL,
            two, two,
            "the CTA of rank 2 are outside its 264 bytes, or it has "
            "ended, or is not one of the cluster's 2");
    refused(HEAD("") "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra END;\n"
                     "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
                     "bra.uni DONE;\nEND:\nbar.sync 1, 64;\nDONE:\n" TAIL,
            two, two, "deadlock at barrier 1");
    refused(HEAD("") "barrier.cluster.arrive;\nsetp.eq.u32 %p1, %r2, 0;\n"
                     "@%p1 barrier.cluster.wait;\nbarrier.cluster.wait;\n"
                     "@%p1 barrier.cluster.arrive;\n"
                     "@%p1 barrier.cluster.wait;\nbar.sync 0;\n"
                     "bar.sync 1, 64;\n" TAIL,
            two, two, "deadlock at barrier 1");
}

/* A CTA waits for one that waits in its turn for its own second warp. */
static void deadlocks_are_found(void)
{
    static const char text[] =
        HEAD("") "mov.u32 %r10, %tid.y;\nsetp.eq.u32 %p1, %r10, 0;\n"
                 "setp.eq.u32 %p2, %r2, 0;\nand.pred %p1, %p1, %p2;\n"
                 "@%p1 bra OTHER;\n" SYNC
                 "bra.uni END;\nOTHER:\nbar.sync 1, 64;\n"
                 "END:\n" TAIL;
    struct ptx_shape shape = {{2, 1, 1}, {32, 2, 1}, 0};
    struct job job;

    ptx_rig_open(&job.rig, text);
    job.word = ptx_rig_alloc(&job.rig, 8192, "out");
    job.rig.spec.cluster = (struct loom_dim3){2, 1, 1};
    EXPECT(!ptx_rig_try(&job.rig, "k", shape, &job.word));
    if (strstr(job.rig.err.text, "deadlock at the cluster's barrier: 3 of 4 "
                                 "warps have arrived") == NULL) {
        EXPECT_TEXT(job.rig.err.text, "deadlock at the cluster's barrier");
    }
    ptx_rig_close(&job.rig);
}

static const struct loom_test tests[] = {
    {"registers", registers},
    {"memory_of_others", memory_of_others},
    {"told_by_mbarriers", told_by_mbarriers},
    {"bulk_copies", bulk_copies},
    {"mistakes", mistakes},
    {"deadlocks_are_found", deadlocks_are_found},
};

int main(void)
{
    return loom_run_tests("ptx_forms_cluster", tests, LOOM_COUNTOF(tests));
}
