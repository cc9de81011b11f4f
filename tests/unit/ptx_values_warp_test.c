/*
 * Instructions that exchange values between the lanes of a warp: all modes,
 * on edge values of their operands, against the words of PTX ISA.
 *
 * links: workload_ptx
 */
#include "engine/rng.h"

#include "tests/unit/ptx_rig.h"

#define LANES 32

/* Lane i reads a, b, c, d of in[i] into %r10 .. %r13, stores %r20 and %r21. */
#define HEAD                                                                   \
    ".version 8.0\n.target sm_90\n.address_size 64\n"                          \
    ".visible .entry k(.param .u64 k_in, .param .u64 k_out)\n{\n"              \
    ".reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %d<8>;\n"                 \
    "ld.param.u64 %d1, [k_in];\nld.param.u64 %d2, [k_out];\n"                  \
    "mov.u32 %r1, %tid.x;\nmad.wide.u32 %d1, %r1, 16, %d1;\n"                  \
    "mad.wide.u32 %d2, %r1, 8, %d2;\n"                                         \
    "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%d1];\n"                      \
    "mov.u32 %r20, 0;\nmov.u32 %r21, 0;\nmov.b64 %d5, {%r10, %r11};\n"         \
    "setp.ne.u32 %p1, %r13, 0;\n@!%p1 bra DONE;\n"
#define TAIL "\nDONE:\nst.global.v2.u32 [%d2], {%r20, %r21};\nret;\n}\n"

struct lane {
    uint32_t a, b, c, member; /* member 0: not of those that execute it */
};

struct result {
    uint32_t value, flag;
};

typedef void model_fn(const struct lane *in, uint32_t members,
                      struct result *want);

static void run_warp(struct ptx_rig *rig, const struct lane *in,
                     const char *code, const struct result *want)
{
    uint64_t word[2];
    const struct result *out;

    ptx_rig_retire(rig);
    word[0] = ptx_rig_alloc(rig, LANES * sizeof(*in), "in");
    word[1] = ptx_rig_alloc(rig, LANES * sizeof(*out), "out");
    memcpy(ptx_rig_at(rig, word[0]), in, LANES * sizeof(*in));
    ptx_rig_run(rig, "k", ptx_shape_1d(1, LANES), word);
    out = ptx_rig_at(rig, word[1]);
    for (uint32_t l = 0; l < LANES; l++) {
        if (out[l].value != want[l].value || out[l].flag != want[l].flag) {
            char what[300];

            snprintf(what, sizeof(what),
                     "'%s' in lane %u (%#x, %#x, %#x) gives %#x, %u, expected "
                     "%#x, %u",
                     code, l, in[l].a, in[l].b, in[l].c, out[l].value,
                     out[l].flag, want[l].value, want[l].flag);
            EXPECT_TEXT(what, "(equal)");
            return;
        }
    }
}

static void open_code(struct ptx_rig *rig, const char *code)
{
    char text[2048];

    snprintf(text, sizeof(text), "%s%s%s", HEAD, code, TAIL);
    ptx_rig_open(rig, text);
}

/* ---- shfl ---- */

/* PTX ISA, "shfl": segments, clamps and the predicate. */
static struct result shuffled(const struct lane *in, uint32_t lane,
                              const char *mode)
{
    uint32_t b = in[lane].b & 31, c = in[lane].c & 31;
    uint32_t mask = in[lane].c >> 8 & 31;
    uint32_t most = (lane & mask) | (c & ~mask), least = lane & mask;
    int from = (int)lane;
    bool valid;

    if (strcmp(mode, "up") == 0) {
        from = (int)lane - (int)b;
        valid = from >= (int)most;
    } else if (strcmp(mode, "down") == 0) {
        from = (int)lane + (int)b;
        valid = from <= (int)most;
    } else if (strcmp(mode, "bfly") == 0) {
        from = (int)(lane ^ b);
        valid = from <= (int)most;
    } else {
        from = (int)(least | (b & ~mask));
        valid = from <= (int)most;
    }
    from = valid ? from : (int)lane;
    return (struct result){in[from].a, valid};
}

/* All lanes by b, or by different numbers where b is large. */
static void run_shuffle(struct ptx_rig *rig, const char *code, const char *mode,
                        uint32_t clamp, uint32_t b)
{
    struct lane in[LANES];
    struct result want[LANES];

    for (uint32_t l = 0; l < LANES; l++) {
        in[l] = (struct lane){l * 0x01010101 + 7, b < 36 ? b : l * b, clamp, 1};
    }
    for (uint32_t l = 0; l < LANES; l++) {
        want[l] = shuffled(in, l, mode);
    }
    run_warp(rig, in, code, want);
}

static void shuffles(void)
{
    static const char *const modes[] = {"idx", "up", "down", "bfly"};
    /* What compilers write for widths of 32, 16, 8, 1, and others. */
    static const uint32_t clamps[] = {0x1f,   0x0,    0x101f, 0x1000, 0x181f,
                                      0x1800, 0x1f1f, 0x1e07, 0x0f,   0x5};

    for (uint32_t n = 0; n < 2 * LOOM_COUNTOF(modes); n++) {
        const char *mode = modes[n / 2];
        struct ptx_rig rig;
        char code[200];

        snprintf(code, sizeof(code),
                 "shfl%s.%s.b32 %%r20|%%p2, %%r10, %%r11, %%r12%s;\n"
                 "selp.u32 %%r21, 1, 0, %%p2;",
                 n % 2 == 0 ? ".sync" : "", mode, n % 2 == 0 ? ", -1" : "");
        open_code(&rig, code);
        for (uint32_t i = 0; i < 40 * LOOM_COUNTOF(clamps); i++) {
            run_shuffle(&rig, code, mode, clamps[i / 40], i % 40);
        }
        ptx_rig_close(&rig);
    }
}

/* ---- what all members of a mask say together ---- */

static uint32_t pick(struct loom_rng *rng, uint32_t kind)
{
    static const uint32_t edge[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff};
    uint32_t x = (uint32_t)loom_rng_next(rng);

    return kind == 0   ? x
           : kind == 1 ? edge[x % LOOM_COUNTOF(edge)]
           : kind == 2 ? x % 3
                       : 5;
}

static void run_all(const char *code, model_fn *model)
{
    struct loom_rng rng;
    struct ptx_rig rig;

    loom_rng_init(&rng, 11, "warps");
    open_code(&rig, code);
    for (uint32_t n = 0; n < 60; n++) {
        static const uint32_t some[] = {0xffffffff, 1,          0x80000000,
                                        0x55555555, 0x0000ffff, 0};
        uint32_t members = some[n % 6];
        struct lane in[LANES];
        struct result want[LANES] = {{0}};

        members = members == 0 ? (uint32_t)loom_rng_next(&rng) | 4 : members;
        for (uint32_t l = 0; l < LANES; l++) {
            in[l] = (struct lane){pick(&rng, n / 6 % 4), pick(&rng, n / 12 % 3),
                                  members, members >> l & 1};
        }
        model(in, members, want);
        for (uint32_t l = 0; l < LANES; l++) {
            if ((members >> l & 1) == 0) {
                want[l] = (struct result){0, 0};
            }
        }
        run_warp(&rig, in, code, want);
    }
    ptx_rig_close(&rig);
}

static uint32_t odd_of(const struct lane *in, uint32_t members)
{
    uint32_t odd = 0;

    for (uint32_t l = 0; l < LANES; l++) {
        odd |= (members >> l & 1 & in[l].a) << l;
    }
    return odd;
}

static void vote_model(const struct lane *in, uint32_t members,
                       struct result *want)
{
    uint32_t odd = odd_of(in, members);
    uint32_t all = odd == members, any = odd != 0, none = odd == 0;

    for (uint32_t l = 0; l < LANES; l++) {
        want[l] = (struct result){odd, all | any << 1 | (all | none) << 2};
    }
}

static void votes(void)
{
    run_all("and.b32 %r2, %r10, 1;\nsetp.ne.u32 %p2, %r2, 0;\n"
            "vote.sync.ballot.b32 %r20, %p2, %r12;\n"
            "vote.sync.all.pred %p3, %p2, %r12;\n"
            "vote.sync.any.pred %p4, %p2, %r12;\n"
            "vote.sync.uni.pred %p5, %p2, %r12;\n"
            "selp.u32 %r21, 1, 0, %p3;\n@%p4 add.u32 %r21, %r21, 2;\n"
            "@%p5 add.u32 %r21, %r21, 4;",
            vote_model);
    run_all("and.b32 %r2, %r10, 1;\nsetp.ne.u32 %p2, %r2, 0;\n"
            "vote.ballot.b32 %r20, %p2;\nvote.all.pred %p3, %p2;\n"
            "vote.any.pred %p4, %p2;\nvote.uni.pred %p5, %p2;\n"
            "selp.u32 %r21, 1, 0, %p3;\n@%p4 add.u32 %r21, %r21, 2;\n"
            "@%p5 add.u32 %r21, %r21, 4;",
            vote_model);
}

/* Lanes with the same value; all: everybody's or nobody's. */
static void match_model(const struct lane *in, uint32_t members,
                        struct result *want)
{
    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t same = 0;

        for (uint32_t k = 0; k < LANES; k++) {
            same |= (uint32_t)((members >> k & 1) != 0 && in[k].a == in[l].a)
                    << k;
        }
        want[l] = (struct result){same, same == members ? members + 1 : 0};
    }
}

static void match_model_64(const struct lane *in, uint32_t members,
                           struct result *want)
{
    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t same = 0;

        for (uint32_t k = 0; k < LANES; k++) {
            same |= (uint32_t)((members >> k & 1) != 0 && in[k].a == in[l].a &&
                               in[k].b == in[l].b)
                    << k;
        }
        want[l] = (struct result){same, same == members ? members + 1 : 0};
    }
}

static void matches(void)
{
    run_all("match.any.sync.b32 %r20, %r10, %r12;\n"
            "match.all.sync.b32 %r21|%p2, %r10, %r12;\n"
            "@%p2 add.u32 %r21, %r21, 1;",
            match_model);
    run_all("match.any.sync.b64 %r20, %d5, %r12;\n"
            "match.all.sync.b64 %r21|%p2, %d5, %r12;\n"
            "@%p2 add.u32 %r21, %r21, 1;",
            match_model_64);
}

/* ---- redux ---- */

#define REDUX(name, type, first, step, flag_first, flag_step)                  \
    static void name(const struct lane *in, uint32_t members,                  \
                     struct result *want)                                      \
    {                                                                          \
        struct result r = {first, flag_first};                                 \
                                                                               \
        for (uint32_t l = 0; l < LANES; l++) {                                 \
            if ((members >> l & 1) != 0) {                                     \
                type x = (type)in[l].a, y = (type)r.value, z = (type)r.flag;   \
                                                                               \
                r.value = (uint32_t)(step);                                    \
                r.flag = (uint32_t)(flag_step);                                \
            }                                                                  \
        }                                                                      \
        for (uint32_t l = 0; l < LANES; l++) {                                 \
            want[l] = r;                                                       \
        }                                                                      \
    }

REDUX(redux_unsigned, uint32_t, UINT32_MAX, x<y ? x : y, 0, x> z ? x : z)
REDUX(redux_signed, int32_t, INT32_MAX, x<y ? x : y, 0x80000000, x> z ? x : z)
REDUX(redux_sum, uint32_t, 0, x + y, 0, x ^ z)
REDUX(redux_bits, uint32_t, UINT32_MAX, x &y, 0, x | z)

static void reductions(void)
{
    run_all("redux.sync.min.u32 %r20, %r10, %r12;\n"
            "redux.sync.max.u32 %r21, %r10, %r12;",
            redux_unsigned);
    run_all("redux.sync.min.s32 %r20, %r10, %r12;\n"
            "redux.sync.max.s32 %r21, %r10, %r12;",
            redux_signed);
    run_all("redux.sync.add.u32 %r20, %r10, %r12;\n"
            "redux.sync.xor.b32 %r21, %r10, %r12;",
            redux_sum);
    run_all("redux.sync.and.b32 %r20, %r10, %r12;\n"
            "redux.sync.or.b32 %r21, %r10, %r12;",
            redux_bits);
}

/* ---- several groups at once ---- */

/* Lanes of one instruction whose member masks differ are groups of their own,
 * as those of a partition of cooperative groups. */
static void groups(void)
{
    static const uint32_t parts[] = {0x000007e1, 0x80000002, 0x7ffff81c};
    struct lane in[LANES];
    struct result want[LANES];
    struct ptx_rig rig;

    for (uint32_t l = 0; l < LANES; l++) {
        in[l] = (struct lane){(l * 7 + 3) % 32, 0, 0, 1};
    }
    for (uint32_t p = 0; p < LOOM_COUNTOF(parts); p++) {
        uint32_t most = 0;

        for (uint32_t l = 0; l < LANES; l++) {
            most = (parts[p] >> l & 1) != 0 && in[l].a > most ? in[l].a : most;
        }
        for (uint32_t l = 0; l < LANES; l++) {
            if ((parts[p] >> l & 1) != 0) {
                in[l].c = parts[p];
                want[l] = (struct result){most, odd_of(in, parts[p])};
            }
        }
    }
    open_code(&rig, "and.b32 %r2, %r10, 1;\nsetp.ne.u32 %p2, %r2, 0;\n"
                    "redux.sync.max.u32 %r20, %r10, %r12;\n"
                    "vote.sync.ballot.b32 %r21, %p2, %r12;");
    run_warp(&rig, in, "groups", want);
    ptx_rig_close(&rig);
}

/* Each lane names members of its own, some the lanes below it: what ptxas
 * makes of these (sm_80) is a vote or match of all, and an AND with them. */
static void own_members(void)
{
    struct loom_rng rng;
    struct ptx_rig rig;

    loom_rng_init(&rng, 3, "members");
    open_code(&rig, "and.b32 %r2, %r10, 1;\nsetp.ne.u32 %p2, %r2, 0;\n"
                    "vote.sync.ballot.b32 %r20, %p2, %r12;\n"
                    "match.any.sync.b32 %r21, %r10, %r12;\n"
                    "vote.sync.any.pred %p3, %p2, %r12;\n"
                    "vote.sync.all.pred %p4, %p2, %r12;\n"
                    "@%p3 add.u32 %r20, %r20, 1;\n"
                    "@%p4 add.u32 %r20, %r20, 2;");
    for (uint32_t n = 0; n < 40; n++) {
        uint32_t here = n % 3 == 0 ? (uint32_t)loom_rng_next(&rng) | 1 : ~0u;
        struct lane in[LANES];
        struct result want[LANES] = {{0}};
        uint32_t odd;

        for (uint32_t l = 0; l < LANES; l++) {
            uint32_t some = n % 2 == 0 ? (UINT32_C(1) << l) - 1
                                       : (uint32_t)loom_rng_next(&rng);

            in[l] = (struct lane){pick(&rng, 2), 0, some, here >> l & 1};
        }
        odd = odd_of(in, here);
        for (uint32_t l = 0; l < LANES; l++) {
            uint32_t asked = in[l].c & here, votes = odd & asked;

            for (uint32_t k = 0; k < LANES; k++) {
                want[l].flag |= (uint32_t)(in[k].a == in[l].a) << k;
            }
            want[l].flag &= asked;
            want[l].value =
                votes + (votes != 0 ? 1 : 0) + (votes == asked ? 2 : 0);
            if (in[l].member == 0) {
                want[l] = (struct result){0, 0};
            }
        }
        run_warp(&rig, in, "own members", want);
    }
    ptx_rig_close(&rig);
}

/* ---- who is here ---- */

static void here_model(const struct lane *in, uint32_t members,
                       struct result *want)
{
    (void)in;
    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t before = members & ((UINT32_C(1) << l) - 1);

        /* One is elected, and it knows: whoever it is, it is one. */
        want[l] = (struct result){members, before == 0};
    }
}

static void who_is_here(void)
{
    run_all("activemask.b32 %r20;\nelect.sync %r3|%p2, %r12;\n"
            "selp.u32 %r21, 1, 0, %p2;",
            here_model);
}

static const struct loom_test tests[] = {
    {"shuffles", shuffles},       {"votes", votes},
    {"matches", matches},         {"reductions", reductions},
    {"groups", groups},           {"own_members", own_members},
    {"who_is_here", who_is_here},
};

int main(void)
{
    return loom_run_tests("ptx_values_warp", tests, LOOM_COUNTOF(tests));
}
