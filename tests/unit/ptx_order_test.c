/*
 * In which order the warps of a CTA execute: kernels with races whose warps
 * run nearly side by side on a card, their mirror images, and the order of
 * tickets by hand (docs/decisions/0034).
 *
 * links: workload_ptx
 */
#include "tests/unit/ptx_rig.h"
#include "workloads/ptx/program_private.h"

#define REGISTERS ".reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %d<20>;\n"
#define OPEN                                                                   \
    PTX_HEAD ".visible .entry k(.param .u64 k_a)\n{\n" REGISTERS               \
             ".shared .align 4 .b8 s[32];\n"                                   \
             "ld.param.u64 %d1, [k_a];\nmov.u32 %r1, %tid.x;\n"                \
             "mov.u32 %r2, %tid.y;\nmov.u32 %r3, s;\n"
#define CLOSE "ret;\n}\n"

/* Runs `text` with 8 warps on `words` words at a, which begin as `init`. */
static const uint32_t *run(struct ptx_rig *rig, const char *text, uint32_t turn,
                           uint32_t words, uint32_t init)
{
    struct ptx_shape shape = ptx_shape_1d(1, 32);
    uint32_t *at;
    uint64_t word;

    shape.block.y = 8;
    ptx_rig_open(rig, text);
    rig->spec.turn = turn;
    word = ptx_rig_alloc(rig, words * 4, "a");
    at = ptx_rig_at(rig, word);
    for (uint32_t i = 0; i < words; i++) {
        at[i] = init;
    }
    ptx_rig_run(rig, "k", shape, &word);
    return at;
}

/* Each warp leaves its maximum (100 + its number) in shared memory; behind
 * the barrier all read that of warp `from`; and a little later, without
 * another barrier, each warp puts its sum (900) where its maximum was. */
#define SOFTMAX(from)                                                          \
    OPEN "shl.b32 %r4, %r2, 2;\nadd.u32 %r4, %r3, %r4;\n"                      \
         "add.u32 %r5, %r2, 100;\nsetp.ne.u32 %p1, %r1, 0;\n"                  \
         "@!%p1 st.shared.u32 [%r4], %r5;\nbar.sync 0;\n"                      \
         "ld.shared.u32 %r6, [%r3+" from "];\n"                                \
         "mad.lo.u32 %r7, %r6, 3, 1;\nmul.lo.u32 %r7, %r7, %r7;\n"             \
         "@!%p1 st.shared.u32 [%r4], 900;\nbar.sync 0;\n"                      \
         "mad.lo.u32 %r8, %r2, 32, %r1;\nmul.wide.u32 %d2, %r8, 4;\n"          \
         "add.s64 %d3, %d1, %d2;\nst.global.u32 [%d3], %r6;\n" CLOSE

/* How many of the threads read the sum in place of the maximum. */
static uint32_t wrong_maxima(const char *text, uint32_t turn, uint32_t want)
{
    struct ptx_rig rig;
    const uint32_t *out = run(&rig, text, turn, 256, 0);
    uint32_t wrong = 0;

    for (uint32_t t = 0; t < 256; t++) {
        EXPECT(out[t] == want || out[t] == 900);
        wrong += out[t] != want ? 1 : 0;
    }
    ptx_rig_close(&rig);
    return wrong;
}

static void maxima_are_read_before_they_are_replaced(void)
{
    EXPECT_EQ(wrong_maxima(SOFTMAX("0"), 0, 100), 0);
    EXPECT_EQ(wrong_maxima(SOFTMAX("28"), 0, 107), 0);
    EXPECT_EQ(wrong_maxima(SOFTMAX("12"), 0, 103), 0);
    /* One warp after the other, all but the first come too late. */
    EXPECT_EQ(wrong_maxima(SOFTMAX("0"), 1 << 20, 100), 224);
    EXPECT_EQ(wrong_maxima(SOFTMAX("28"), 1 << 20, 107), 0);
}

/* y[x] += 3 in 10 rounds, by 8 threads each: warps of one shape, in step. */
static const char product[] =
    OPEN "mul.wide.u32 %d2, %r1, 4;\nadd.s64 %d3, %d1, %d2;\nmov.u32 %r4, 0;\n"
         "NEXT:\nld.global.u32 %r5, [%d3];\nadd.u32 %r5, %r5, 3;\n"
         "st.global.u32 [%d3], %r5;\nadd.u32 %r4, %r4, 1;\n"
         "setp.lt.u32 %p1, %r4, 10;\n@%p1 bra NEXT;\n" CLOSE;

static void sums_of_rows_are_added_once(void)
{
    struct ptx_rig rig;
    const uint32_t *y = run(&rig, product, 0, 32, 7);

    for (uint32_t i = 0; i < 32; i++) {
        EXPECT_EQ(y[i], 37);
    }
    ptx_rig_close(&rig);
    y = run(&rig, product, 1 << 20, 32, 7);
    EXPECT_EQ(y[0], 247); /* 8 times */
    ptx_rig_close(&rig);
}

/* Warp `who` alone replaces what all of them read: y[x] = 50. */
#define REPLACE(who)                                                           \
    OPEN "mul.wide.u32 %d2, %r1, 4;\nadd.s64 %d3, %d1, %d2;\n"                 \
         "setp.eq.u32 %p1, %r2, " who ";\nld.global.u32 %r5, [%d3];\n"         \
         "@%p1 st.global.u32 [%d3], 50;\nmad.lo.u32 %r8, %r2, 32, %r1;\n"      \
         "mul.wide.u32 %d2, %r8, 4;\nadd.s64 %d3, %d1, %d2;\n"                 \
         "st.global.u32 [%d3+128], %r5;\n" CLOSE

static void all_read_what_was_there(void)
{
    static const char *const text[] = {REPLACE("0"), REPLACE("7")};

    for (uint32_t n = 0; n < LOOM_COUNTOF(text); n++) {
        struct ptx_rig rig;
        const uint32_t *out = run(&rig, text[n], 0, 288, 7);

        for (uint32_t i = 0; i < 256; i++) {
            EXPECT_EQ(out[32 + i], 7);
        }
        EXPECT_EQ(out[0], 50);
        ptx_rig_close(&rig);
    }
}

/* Each warp first executes a loop as often as its number says, which nobody
 * can notice, and then takes 4 tickets; the n-th of warp w goes to
 * a[1 + 8 n + w]. */
static const char tickets[] =
    OPEN "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra DONE;\nmov.u32 %r4, 0;\n"
         "setp.eq.u32 %p2, %r2, 0;\n@%p2 bra TAKE;\n"
         "AHEAD:\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p3, %r4, %r2;\n"
         "@%p3 bra AHEAD;\n"
         "TAKE:\nmul.wide.u32 %d2, %r2, 4;\nadd.s64 %d3, %d1, %d2;\n"
         "mov.u32 %r4, 0;\n"
         "NEXT:\natom.global.add.u32 %r5, [%d1], 1;\n"
         "st.global.u32 [%d3+4], %r5;\nadd.s64 %d3, %d3, 32;\n"
         "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p4, %r4, 4;\n@%p4 bra NEXT;\n"
         "DONE:\n" CLOSE;

/* The tickets by the rule: the n-th atomic of warp w is at 6 n + 3 w on its
 * clock, after the same number of instructions for all. */
static uint32_t ticket(uint32_t w, uint32_t n, uint32_t turn, uint32_t first)
{
    uint32_t before = 0, mine = (first + 6 * n + 3 * w) / turn;

    for (uint32_t v = 0; v < 8; v++) {
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t round = (first + 6 * k + 3 * v) / turn;

            before += round < mine || (round == mine && v < w) ||
                              (round == mine && v == w && k < n)
                          ? 1
                          : 0;
        }
    }
    return before;
}

static void tickets_go_round(void)
{
    static const uint32_t turns[] = {1, 2, 5, 16, 64};

    for (uint32_t i = 0; i < LOOM_COUNTOF(turns); i++) {
        struct ptx_rig rig;
        const uint32_t *a = run(&rig, tickets, turns[i], 64, 0);

        for (uint32_t k = 0; k < 32; k++) {
            EXPECT_EQ(a[1 + k], ticket(k % 8, k / 8, turns[i], 12));
        }
        ptx_rig_close(&rig);
    }
}

#define TEST(name)                                                             \
    {                                                                          \
#name, name                                                            \
    }

static const struct loom_test tests[] = {
    TEST(maxima_are_read_before_they_are_replaced),
    TEST(sums_of_rows_are_added_once),
    TEST(all_read_what_was_there),
    TEST(tickets_go_round),
};

int main(void)
{
    return loom_run_tests("ptx_order", tests, LOOM_COUNTOF(tests));
}
