/*
 * Lanes that branches have kept apart meet where they wait for each other.
 *
 * links: workload_ptx
 */
#include "tests/unit/ptx_exec_rig.h"

#define THREADS 64u

/* Runs a body of two warps and compares out[i] with want(i). */
static void compare(const char *text, uint32_t (*want)(uint32_t i))
{
    struct ptx_rig rig;
    const uint32_t *out;
    uint64_t word;

    ptx_rig_open(&rig, text);
    word = ptx_rig_alloc(&rig, 4 * THREADS, "out");
    out = ptx_rig_at(&rig, word);
    ptx_rig_run(&rig, "k", ptx_shape_1d(1, THREADS), &word);
    for (uint32_t i = 0; i < THREADS; i++) {
        EXPECT_EQ(out[i], want(i));
    }
    ptx_rig_close(&rig);
}

/* %p1: an odd lane; %p2: none.  Both sides may exit, so they have no join. */
#define APART                                                                  \
    OPEN START "setp.gt.u32 %p2, %r1, 1000;\nand.b32 %r7, %r1, 1;\n"           \
               "setp.ne.u32 %p1, %r7, 0;\n@%p1 bra ODD;\n@%p2 exit;\n"         \
               "add.u32 %r3, %r1, 100;\nbra MEET;\nODD:\n@%p2 exit;\n"         \
               "add.u32 %r3, %r1, 200;\nMEET:\n"

static uint32_t of_the_next(uint32_t i)
{
    return (i ^ 1) + (i % 2 != 0 ? 100 : 200);
}

static uint32_t all_odd(uint32_t i)
{
    (void)i;
    return 0xaaaaaaaa;
}

static uint32_t same_parity(uint32_t i)
{
    return i % 2 != 0 ? 0xaaaaaaaa : 0x55555555;
}

/* Of 0..31 + 100 and 0..31 + 200. */
static uint32_t sum_of_warp(uint32_t i)
{
    return (i < 32 ? 496u : 496u + 32u * 32u) + 16u * 100u + 16u * 200u;
}

static void exchanges_wait_for_lanes_that_may_exit(void)
{
    compare(APART "shfl.sync.bfly.b32 %r2, %r3, 1, 31, -1;\n" FINISH,
            of_the_next);
    compare(APART "vote.sync.ballot.b32 %r2, %p1, -1;\n" FINISH, all_odd);
    compare(APART "match.any.sync.b32 %r2, %r7, -1;\n" FINISH, same_parity);
    compare(APART "redux.sync.add.u32 %r2, %r3, -1;\n" FINISH, sum_of_warp);
}

/* A word of shared memory a lane, at %r5; that of the next one at %r6. */
#define WORDS                                                                  \
    "mov.u32 %r4, s;\nshl.b32 %r5, %r1, 2;\nadd.u32 %r5, %r4, %r5;\n"          \
    "xor.b32 %r6, %r5, 4;\n"
#define SHARED OPEN ".shared .align 8 .b8 s[256];\n" START WORDS

static void warps_that_synchronize_wait_for_lanes_that_may_exit(void)
{
    compare(OPEN ".shared .align 8 .b8 s[256];\n" START WORDS
                 "setp.gt.u32 %p2, %r1, 1000;\nand.b32 %r7, %r1, 1;\n"
                 "setp.ne.u32 %p1, %r7, 0;\n@%p1 bra ODD;\n@%p2 exit;\n"
                 "add.u32 %r3, %r1, 100;\nbra MEET;\nODD:\n@%p2 exit;\n"
                 "add.u32 %r3, %r1, 200;\nMEET:\nst.shared.u32 [%r5], %r3;\n"
                 "bar.warp.sync -1;\nld.shared.u32 %r2, [%r6];\n" FINISH,
            of_the_next);
}

/* Lanes that the mask does not name are not waited for. */
static uint32_t odd_ones(uint32_t i)
{
    return i % 2 != 0 ? (i ^ 2) + 200 : i + 100;
}

static void lanes_that_are_not_named_go_their_way(void)
{
    compare(OPEN START
            "setp.gt.u32 %p2, %r1, 1000;\nand.b32 %r7, %r1, 1;\n"
            "setp.ne.u32 %p1, %r7, 0;\n@%p1 bra ODD;\n@%p2 exit;\n"
            "add.u32 %r2, %r1, 100;\nbra DONE;\nODD:\n@%p2 exit;\n"
            "add.u32 %r3, %r1, 200;\n"
            "shfl.sync.bfly.b32 %r2, %r3, 2, 31, 0xaaaaaaaa;\nDONE:\n" FINISH,
            odd_ones);
}

#define PARITY                                                                 \
    "and.b32 %r7, %r1, 1;\nsetp.ne.u32 %p1, %r7, 0;\nadd.u32 %r3, %r1, 50;\n"

static uint32_t next_and_next_again(uint32_t i)
{
    return ((i ^ 1) + 50) * 100 + (i ^ 33);
}

/* Each side of a branch has a barrier of its own, twice: it is one arrival of
 * the warp. */
static void two_barriers_are_one_arrival(void)
{
    compare(SHARED PARITY "xor.b32 %r10, %r6, 128;\n@%p1 bra ODD;\n"
                          "st.shared.u32 [%r5], %r3;\nbarrier.sync 0;\n"
                          "ld.shared.u32 %r8, [%r6];\nbarrier.sync 0;\n"
                          "st.shared.u32 [%r5], %r1;\nbarrier.sync 0;\n"
                          "ld.shared.u32 %r9, [%r10];\nbra DONE;\nODD:\n"
                          "st.shared.u32 [%r5], %r3;\nbarrier.sync 0;\n"
                          "ld.shared.u32 %r8, [%r6];\nbarrier.sync 0;\n"
                          "st.shared.u32 [%r5], %r1;\nbarrier.sync 0;\n"
                          "ld.shared.u32 %r9, [%r10];\nDONE:\n"
                          "mad.lo.u32 %r2, %r8, 100, %r9;\n" FINISH,
            next_and_next_again);
}

static uint32_t of_the_next_100(uint32_t i)
{
    return (i ^ 1) + 100;
}

/* Three sides: of a branch in a branch. */
static void barriers_of_nested_branches_are_one_arrival(void)
{
    compare(SHARED PARITY
            "and.b32 %r8, %r1, 2;\nsetp.ne.u32 %p3, %r8, 0;\n"
            "@%p1 bra ODD;\nst.shared.u32 [%r5], %r1;\n@%p3 bra HIGH;\n"
            "bar.sync 0;\nld.shared.u32 %r2, [%r6];\nbra JOIN;\nHIGH:\n"
            "bar.sync 0;\nld.shared.u32 %r2, [%r6];\nJOIN:\n"
            "add.u32 %r2, %r2, 7;\nbra DONE;\nODD:\nst.shared.u32 [%r5], %r1;\n"
            "bar.sync 0;\nld.shared.u32 %r2, [%r6];\nadd.u32 %r2, %r2, 7;\n"
            "DONE:\nadd.u32 %r2, %r2, 93;\n" FINISH,
            of_the_next_100);
}

static uint32_t of_sides(uint32_t i)
{
    return i % 2 != 0 ? 48 + 1000 : 48;
}

/* Both have the votes of all. */
static void two_reductions_are_one(void)
{
    compare(OPEN START PARITY
            "setp.lt.u32 %p2, %r1, 48;\n@%p1 bra ODD;\n"
            "bar.red.popc.u32 %r2, 0, %p2;\nbra DONE;\nODD:\n"
            "bar.red.popc.u32 %r3, 0, %p2;\nadd.u32 %r2, %r3, 1000;\n"
            "DONE:\n" FINISH,
            of_sides);
}

/* %p1: not of the first 20 lanes of a warp, %r7. */
#define FIRST_20 "and.b32 %r7, %r1, 31;\nsetp.ge.u32 %p1, %r7, 20;\n"

static uint32_t of_the_next_in_a_branch(uint32_t i)
{
    return i % 32 < 20 ? (i ^ 1) + 50 + 1000 : i + 50;
}

/* All lanes are named in a branch that 12 of each warp are not in. */
static void exchanges_in_a_branch_are_of_those_in_it(void)
{
    compare(OPEN START FIRST_20 "add.u32 %r2, %r1, 50;\n@%p1 bra DONE;\n"
                                "shfl.sync.bfly.b32 %r2, %r2, 1, 31, -1;\n"
                                "add.u32 %r2, %r2, 1000;\nDONE:\n" FINISH,
            of_the_next_in_a_branch);
}

static uint32_t lanes_so_far(uint32_t i)
{
    uint32_t lane = (i ^ 1) % 32, sum = 0;

    for (uint32_t k = 0; k <= lane; k++) {
        sum += 32 - k;
    }
    return sum;
}

/* Lane l goes around l + 1 times; behind the loop all are together again. */
static void exchanges_in_a_loop_are_of_those_in_it(void)
{
    compare(OPEN START FIRST_20
            "setp.eq.u32 %p2, %r1, %r1;\nmov.u32 %r8, 0;\nmov.u32 %r3, 0;\n"
            "LOOP:\nvote.sync.ballot.b32 %r9, %p2, -1;\npopc.b32 %r9, %r9;\n"
            "add.u32 %r3, %r3, %r9;\nadd.u32 %r8, %r8, 1;\n"
            "setp.le.u32 %p3, %r8, %r7;\n@%p3 bra LOOP;\n"
            "shfl.sync.bfly.b32 %r2, %r3, 1, 31, -1;\n" FINISH,
            lanes_so_far);
}

static uint32_t of_the_next_or_one(uint32_t i)
{
    return i % 32 < 20 ? (i ^ 1) + 1000 : 1;
}

/* Who is not in the branch ends, and is not waited for. */
static void barriers_in_a_branch_are_of_those_in_it(void)
{
    compare(SHARED FIRST_20
            "mov.u32 %r2, 1;\n@%p1 bra DONE;\nst.shared.u32 [%r5], %r1;\n"
            "bar.sync 0;\nld.shared.u32 %r2, [%r6];\n"
            "add.u32 %r2, %r2, 1000;\nDONE:\n" FINISH,
            of_the_next_or_one);
}

static uint32_t of_the_next_at_last(uint32_t i)
{
    return (i ^ 1) + (i % 32 < 20 ? 1000 : 0);
}

/* Who is not in the branch waits at the barrier behind it: one arrival. */
static void barriers_in_and_behind_a_branch_are_one(void)
{
    compare(SHARED FIRST_20
            "mov.u32 %r3, 0;\nst.shared.u32 [%r5], %r1;\n@%p1 bra DONE;\n"
            "bar.sync 0;\nadd.u32 %r3, %r3, 1000;\nDONE:\nbar.sync 0;\n"
            "ld.shared.u32 %r2, [%r6];\nadd.u32 %r2, %r2, %r3;\n" FINISH,
            of_the_next_at_last);
}

static uint32_t number(uint32_t i)
{
    return i;
}

/* Lane after lane, warp after warp: each waits for the one before it, which
 * has left the loop and waits where the others come together. */
static void lanes_wait_for_lanes_behind_the_loop(void)
{
    compare(OPEN ".shared .align 8 .b8 s[256];\n" START
                 "mov.u32 %r4, s;\nmov.u32 %r5, 0;\n"
                 "WAIT:\nld.volatile.shared.u32 %r5, [%r4];\n"
                 "setp.ne.u32 %p1, %r5, %r1;\n@%p1 bra WAIT;\n"
                 "add.u32 %r6, %r5, 1;\nst.volatile.shared.u32 [%r4], %r6;\n"
                 "mov.u32 %r2, %r5;\n" FINISH,
            number);
}

static uint32_t seven(uint32_t i)
{
    (void)i;
    return 7;
}

/* Thread 0 waits for thread 32, which takes its time.  The lanes that give way
 * to it compute, and then wait for it at the barrier. */
static void who_gave_way_waits_at_the_barrier(void)
{
    compare(OPEN ".shared .align 8 .b8 s[8];\n" START
                 "mov.u32 %r4, s;\nmov.u32 %r9, 0;\nmov.u32 %r3, 0;\n"
                 "and.b32 %r7, %r1, 31;\nsetp.ne.u32 %p1, %r7, 0;\n"
                 "@%p1 bra DONE;\nsetp.ne.u32 %p2, %r1, 0;\n"
                 "@%p2 bra SLOW;\n"
                 "WAIT:\nld.volatile.shared.u32 %r8, [%r4];\n"
                 "setp.eq.u32 %p3, %r8, 0;\n@%p3 bra WAIT;\n"
                 "st.volatile.shared.u32 [%r4+4], %r8;\nbra DONE;\n"
                 "SLOW:\nadd.u32 %r9, %r9, 1;\nsetp.lt.u32 %p3, %r9, 3000;\n"
                 "@%p3 bra SLOW;\nmov.u32 %r8, 7;\n"
                 "st.volatile.shared.u32 [%r4], %r8;\n"
                 "DONE:\nadd.u32 %r3, %r3, 1;\nbar.sync 0;\n"
                 "ld.volatile.shared.u32 %r2, [%r4+4];\n" FINISH,
            seven);
}

static uint32_t times_of_all(uint32_t i)
{
    (void)i;
    return 64 * 3;
}

#define TAKE                                                                   \
    OPEN ".shared .align 8 .b8 s[256];\n" START                                \
         "mov.u32 %r4, s;\nmov.u32 %r9, 0;\nmov.u32 %r10, 0;\n"                \
         "AGAIN:\nWAIT:\natom.shared.cas.b32 %r5, [%r4], 0, 1;\n"              \
         "setp.ne.u32 %p1, %r5, 0;\n"
#define GIVE_BACK                                                              \
    "@%p1 bra WAIT;\nld.volatile.shared.u32 %r6, [%r4+4];\n"                   \
    "add.u32 %r6, %r6, 1;\nst.volatile.shared.u32 [%r4+4], %r6;\n"             \
    "atom.shared.exch.b32 %r5, [%r4], 0;\nadd.u32 %r9, %r9, 1;\n"              \
    "setp.lt.u32 %p2, %r9, 3;\n@%p2 bra AGAIN;\nbar.sync 0;\n"                 \
    "ld.volatile.shared.u32 %r2, [%r4+4];\n" FINISH

/* A lock that each lane takes three times; some count how often they try. */
static void lanes_take_a_lock_in_turn(void)
{
    compare(TAKE GIVE_BACK, times_of_all);
    compare(TAKE "add.u32 %r10, %r10, 1;\n" GIVE_BACK, times_of_all);
}

static const struct loom_test tests[] = {
    TEST(exchanges_wait_for_lanes_that_may_exit),
    TEST(warps_that_synchronize_wait_for_lanes_that_may_exit),
    TEST(lanes_that_are_not_named_go_their_way),
    TEST(two_barriers_are_one_arrival),
    TEST(barriers_of_nested_branches_are_one_arrival),
    TEST(two_reductions_are_one),
    TEST(exchanges_in_a_branch_are_of_those_in_it),
    TEST(exchanges_in_a_loop_are_of_those_in_it),
    TEST(barriers_in_a_branch_are_of_those_in_it),
    TEST(barriers_in_and_behind_a_branch_are_one),
    TEST(lanes_wait_for_lanes_behind_the_loop),
    TEST(who_gave_way_waits_at_the_barrier),
    TEST(lanes_take_a_lock_in_turn),
};

int main(void)
{
    return loom_run_tests("ptx_meet", tests, LOOM_COUNTOF(tests));
}
