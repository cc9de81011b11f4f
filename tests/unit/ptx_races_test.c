/*
 * Races that are found, and programs that have none: each pair of kernels
 * differs by what orders the accesses.
 *
 * links: workload_ptx
 */
#include "tests/unit/ptx_rig.h"
#include "workloads/races.h"

#define REGISTERS ".reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %d<20>;\n"
#define OPEN                                                                   \
    PTX_HEAD ".visible .entry k(.param .u64 k_a)\n{\n" REGISTERS               \
             ".shared .align 8 .b8 s[512];\n"                                  \
             "ld.param.u64 %d1, [k_a];\nmov.u32 %r1, %tid.x;\n"                \
             "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, s;\n"                       \
             "mov.u32 %r9, 7;\nsetp.ge.u32 %p1, %r1, 32;\n"                    \
             "setp.eq.u32 %p2, %r1, 0;\n"
#define CLOSE "ret;\n}\n"

/* Runs it with so many CTAs of so many threads.  The number of pairs; `part`
 * (or NULL) must be in the text of the first. */
static uint32_t pairs(const char *text, uint32_t ctas, uint32_t threads,
                      const char *part)
{
    const struct loom_race_list *list;
    struct ptx_rig rig;
    uint32_t count;
    uint64_t word;

    ptx_rig_open(&rig, text);
    rig.spec.watch = LOOM_WATCH_RACES;
    word = ptx_rig_alloc(&rig, 4 << 20, "a");
    ptx_rig_run(&rig, "k", ptx_shape_1d(ctas, threads), &word);
    list = loom_memory_races(rig.memory);
    REQUIRE(list != NULL);
    count = list->count;
    if (part != NULL && count > 0) {
        EXPECT_TEXT(list->race[0].text, part);
    }
    ptx_rig_close(&rig);
    return count;
}

/* Each warp writes its words and reads the other one's. */
#define EXCHANGE(between)                                                      \
    OPEN "shl.b32 %r5, %r1, 2;\nadd.u32 %r5, %r3, %r5;\n"                      \
         "xor.b32 %r6, %r1, 32;\nshl.b32 %r6, %r6, 2;\n"                       \
         "add.u32 %r6, %r3, %r6;\nst.shared.u32 [%r5], %r1;\n" between         \
         "ld.shared.u32 %r7, [%r6];\n" CLOSE

static void warps_are_ordered_by_barriers(void)
{
    const char *place = "between warps, at byte 0x80 of shared memory\n"
                        "  write by CTA 0, thread 32: kernel 'k', pc 0x";

    EXPECT_EQ(pairs(EXCHANGE(""), 1, 64, place), 1);
    EXPECT_EQ(pairs(EXCHANGE(""), 1, 64, "thread 0: kernel 'k', pc 0x"), 1);
    EXPECT_EQ(pairs(EXCHANGE("bar.sync 0;\n"), 2, 64, NULL), 0);
    EXPECT_EQ(pairs(EXCHANGE("bar.sync 3, 64;\n"), 2, 64, NULL), 0);
    EXPECT_EQ(pairs(EXCHANGE("bar.warp.sync -1;\n"), 1, 64, NULL), 1);
    EXPECT_EQ(pairs(EXCHANGE("membar.cta;\n"), 1, 64, NULL), 1);
}

/* Warp 0 writes, warp 1 reads, and warp 0 does not wait. */
#define PRODUCE(told, waits)                                                   \
    OPEN "@%p1 bra READ;\nst.shared.u32 [%r3], 7;\n" told "ret;\n"             \
         "READ:\n" waits "ld.shared.u32 %r7, [%r3];\n" CLOSE

static void who_arrives_need_not_wait(void)
{
    EXPECT_EQ(
        pairs(PRODUCE("bar.arrive 1, 64;\n", "bar.sync 1, 64;\n"), 1, 64, NULL),
        0);
    /* What comes after the arrival is not before the barrier. */
    EXPECT_EQ(pairs(PRODUCE("bar.arrive 1, 64;\nst.shared.u32 [%r3], 8;\n",
                            "bar.sync 1, 64;\n"),
                    1, 64, "between warps"),
              1);
}

static void flags_order_if_they_are_volatile(void)
{
    EXPECT_EQ(pairs(PRODUCE("membar.cta;\nst.volatile.shared.u32 [%r3+8], 1;\n",
                            "WAIT:\nld.volatile.shared.u32 %r8, [%r3+8];\n"
                            "setp.eq.u32 %p3, %r8, 0;\n@%p3 bra WAIT;\n"),
                    1, 64, NULL),
              0);
}

static void lanes_of_an_instruction_race_by_values(void)
{
    const char *text = "between lanes of one instruction, at byte 0x0 of "
                       "shared memory\n";

    EXPECT_EQ(pairs(OPEN "st.shared.u32 [%r3], %r1;\n" CLOSE, 1, 32, text), 1);
    EXPECT_EQ(pairs(OPEN "st.shared.u32 [%r3], %r9;\n" CLOSE, 1, 32, NULL), 0);
    EXPECT_EQ(
        pairs(OPEN "atom.shared.add.u32 %r4, [%r3], %r1;\n" CLOSE, 2, 64, NULL),
        0);
}

/* Lane 0 writes, and the others read on another path; or after it. */
#define PATHS(of_lane, of_others, behind)                                      \
    OPEN "@%p2 bra WRITE;\n" of_others "bra.uni JOIN;\n"                       \
         "WRITE:\nst.shared.u32 [%r3], 7;\n" of_lane "JOIN:\n" behind CLOSE

static void lanes_race_where_they_diverged(void)
{
    EXPECT_EQ(pairs(PATHS("", "ld.shared.u32 %r4, [%r3];\n", ""), 1, 32,
                    "between lanes that diverged"),
              1);
    EXPECT_EQ(pairs(PATHS("", "", "ld.shared.u32 %r4, [%r3];\n"), 1, 32, NULL),
              0);
    EXPECT_EQ(pairs(PATHS("bar.warp.sync -1;\n",
                          "bar.warp.sync -1;\nld.shared.u32 %r4, [%r3];\n", ""),
                    1, 32, NULL),
              0);
}

static void ctas_race_in_global_memory(void)
{
    const char *text = "between CTAs, at 'a' + 4 (0x";

    EXPECT_EQ(
        pairs(OPEN "@%p2 st.global.u32 [%d1+4], %r2;\n" CLOSE, 2, 32, text), 1);
    EXPECT_EQ(
        pairs(OPEN "@%p2 st.global.u32 [%d1+4], %r9;\n" CLOSE, 2, 32, "(0x"),
        1);
    EXPECT_EQ(pairs(OPEN "red.global.add.u32 [%d1+4], 1;\n" CLOSE, 4, 64, NULL),
              0);
    EXPECT_EQ(pairs(OPEN "@%p2 st.shared.u32 [%r3], %r2;\n" CLOSE, 2, 32, NULL),
              0);
    /* Neighbours in one word. */
    EXPECT_EQ(pairs(OPEN "cvt.u64.u32 %d2, %r2;\nadd.u64 %d3, %d1, %d2;\n"
                         "@%p2 st.global.u8 [%d3], %r2;\n" CLOSE,
                    4, 32, NULL),
              0);
}

/* Each CTA leaves its part; the last to take a ticket reads the first one. */
#define LAST_BLOCK(ticket)                                                     \
    OPEN "mul.wide.u32 %d2, %r2, 4;\nadd.s64 %d3, %d1, %d2;\n"                 \
         "@%p2 st.global.u32 [%d3+64], %r2;\nmembar.gl;\n"                     \
         "mov.u32 %r4, %r2;\n" ticket "setp.eq.u32 %p4, %r4, 3;\n"             \
         "@!%p2 bra DONE;\n@%p4 ld.global.u32 %r5, [%d1+64];\nDONE:\n" CLOSE

static void the_last_of_all_knows_what_the_others_did(void)
{
    EXPECT_EQ(pairs(LAST_BLOCK("@%p2 atom.global.add.u32 %r4, [%d1], 1;\n"), 4,
                    32, NULL),
              0);
    EXPECT_EQ(pairs(LAST_BLOCK(""), 4, 32, "between CTAs, at 'a' + 64"), 1);
}

static void memory_is_bounded(void)
{
    /* Each thread writes words, 4 KiB apart, more than the table has. */
    static const char text[] =
        OPEN "mov.u32 %r4, 0;\nmul.lo.u32 %r6, %r2, 1024;\n"
             "add.u32 %r6, %r6, %r1;\nmul.wide.u32 %d2, %r6, 4;\n"
             "add.s64 %d3, %d1, %d2;\nst.global.u32 [%d3], %r1;\n" CLOSE;
    const struct loom_race_list *list;
    struct ptx_rig rig;
    uint64_t word;

    ptx_rig_open(&rig, text);
    rig.spec.watch = LOOM_WATCH_RACES;
    word = ptx_rig_alloc(&rig, 4 << 20, "a");
    ptx_rig_run(&rig, "k", ptx_shape_1d(1024, 1024), &word);
    list = loom_memory_races(rig.memory);
    EXPECT_EQ(list->count, 0);
    EXPECT(list->forgotten >= (1 << 20) - (1 << 18));
    ptx_rig_close(&rig);
}

#define TEST(name)                                                             \
    {                                                                          \
#name, name                                                            \
    }

static const struct loom_test tests[] = {
    TEST(warps_are_ordered_by_barriers),
    TEST(who_arrives_need_not_wait),
    TEST(flags_order_if_they_are_volatile),
    TEST(lanes_of_an_instruction_race_by_values),
    TEST(lanes_race_where_they_diverged),
    TEST(ctas_race_in_global_memory),
    TEST(the_last_of_all_knows_what_the_others_did),
    TEST(memory_is_bounded),
};

int main(void)
{
    return loom_run_tests("ptx_races", tests, LOOM_COUNTOF(tests));
}
