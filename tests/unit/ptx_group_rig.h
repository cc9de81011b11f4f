/*
 * Products of warp groups against products in C: matrices in shared memory
 * with their descriptors, or in registers.
 */
#ifndef TESTS_UNIT_PTX_GROUP_RIG_H
#define TESTS_UNIT_PTX_GROUP_RIG_H

#include "tests/unit/ptx_product_rig.h"

#define SHARED_A 0
#define SHARED_B 16384
#define SHARED_ALL 49152

/* How a matrix lies in shared memory: bytes of a swizzled row (16: core
 * matrices apart), whether k runs across. */
struct layout {
    uint32_t width;
    bool trans;
};

/* Distances of what does not lie together. */
static inline uint32_t lead_of(struct layout l)
{
    return l.width == 16 ? 128 : 32 * l.width;
}

static inline uint32_t stride_of(struct layout l)
{
    return l.width == 16 ? 512 : 8 * l.width;
}

/* A row of the swizzle is 8 chunks or fewer of 16 bytes, which change places by
 * the number of 128-byte line in which the row is. */
static inline uint32_t byte_of(struct layout l, uint32_t bits, uint32_t mn,
                               uint32_t k)
{
    uint32_t along = (l.trans ? mn : k) * bits / 8, across = l.trans ? k : mn;
    uint32_t chunk = along % l.width / 16;

    if (l.width == 16) {
        uint32_t in_k = l.trans ? k / 8 : along / 16;
        uint32_t in_mn = l.trans ? along / 16 : mn / 8;

        return in_k * lead_of(l) + in_mn * stride_of(l) + across % 8 * 16 +
               along % 16;
    }
    chunk ^= across % 8 * l.width / 128 % (l.width / 16);
    return along / l.width * lead_of(l) + across / 8 * stride_of(l) +
           across % 8 * l.width + chunk * 16 + along % 16;
}

static inline uint64_t descriptor(struct layout l, uint32_t start)
{
    uint64_t mode = l.width == 128  ? 1
                    : l.width == 64 ? 2
                    : l.width == 32 ? 3
                                    : 0;
    uint64_t stride = stride_of(l);

    return start / 16 | (uint64_t)(lead_of(l) / 16) << 16 | stride / 16 << 32 |
           mode << 62;
}

struct group {
    const char *text;
    uint32_t n, k;
    struct kind a, b;
    struct layout la, lb;
    char sum;
    bool held;          /* A is in registers */
    int sign_a, sign_b; /* 0: has none */
    bool turns;         /* has immediates for transposition */
    bool sparse;        /* A has half of k */
    uint32_t selector;
};

static inline size_t put_group(char *text, size_t room, const struct group *g,
                               uint32_t count)
{
    size_t used = (size_t)snprintf(text, room, "%s {", g->text);

    for (uint32_t i = 0; i < count; i++) {
        used += (size_t)snprintf(text + used, room - used, "%s%%r%u",
                                 i == 0 ? "" : ", ", 100 + i);
    }
    used += (size_t)snprintf(text + used, room - used, "}, %s, %%d11, ",
                             g->held ? "{%r10, %r11, %r12, %r13}" : "%d10");
    if (g->sparse) {
        used += (size_t)snprintf(text + used, room - used, "%%r14, %u, ",
                                 g->selector);
    }
    used += (size_t)snprintf(text + used, room - used, "%%p1");
    if (g->sign_a != 0) {
        used += (size_t)snprintf(text + used, room - used, ", %d, %d",
                                 g->sign_a, g->sign_b);
    }
    if (g->turns && !g->held) {
        used += (size_t)snprintf(text + used, room - used, ", %d",
                                 g->la.trans ? 1 : 0);
    }
    if (g->turns) {
        used += (size_t)snprintf(text + used, room - used, ", %d",
                                 g->lb.trans ? 1 : 0);
    }
    return used + (size_t)snprintf(text + used, room - used, ";\n");
}

/* The product once without and once with what is in D. */
static inline void group_text(char *text, size_t room, const struct group *g,
                              uint32_t count)
{
    size_t used = (size_t)snprintf(
        text, room,
        ".version 8.6\n.target sm_90a\n.address_size 64\n"
        ".visible .entry k(.param .u64 image, .param .u64 held, .param .u64 d,"
        "\n.param .u64 da, .param .u64 db)\n{\n.reg .b32 %%r<300>;\n"
        ".reg .b64 %%d<20>;\n.reg .pred %%p<9>;\n"
        ".shared .align 1024 .b8 room[%u];\n"
        "mov.u32 %%r1, %%tid.x;\nld.param.u64 %%d1, [image];\n"
        "ld.param.u64 %%d2, [held];\nld.param.u64 %%d3, [d];\n"
        "ld.param.u64 %%d10, [da];\nld.param.u64 %%d11, [db];\n"
        "mov.u32 %%r2, room;\nmul.lo.u32 %%r3, %%r1, 4;\n"
        "COPY:\ncvt.u64.u32 %%d5, %%r3;\nadd.u64 %%d6, %%d1, %%d5;\n"
        "ld.global.u32 %%r4, [%%d6];\nadd.u32 %%r5, %%r2, %%r3;\n"
        "st.shared.u32 [%%r5], %%r4;\nadd.u32 %%r3, %%r3, 512;\n"
        "setp.lt.u32 %%p2, %%r3, %u;\n@%%p2 bra COPY;\nbar.sync 0;\n"
        "mul.wide.u32 %%d5, %%r1, 32;\nadd.u64 %%d2, %%d2, %%d5;\n"
        "ld.global.v4.u32 {%%r10, %%r11, %%r12, %%r13}, [%%d2];\n"
        "ld.global.u32 %%r14, [%%d2+16];\n"
        "setp.ne.u32 %%p1, 0, 0;\nwgmma.fence.sync.aligned;\n",
        SHARED_ALL, SHARED_ALL);

    used += put_group(text + used, room - used, g, count);
    used +=
        (size_t)snprintf(text + used, room - used, "setp.eq.u32 %%p1, 0, 0;\n");
    used += put_group(text + used, room - used, g, count);
    used += (size_t)snprintf(
        text + used, room - used,
        "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
        "mul.wide.u32 %%d5, %%r1, %u;\nadd.u64 %%d3, %%d3, %%d5;\n",
        count * 4);
    for (uint32_t i = 0; i < count; i++) {
        used += (size_t)snprintf(text + used, room - used,
                                 "st.global.u32 [%%d3+%u], %%r%u;\n", i * 4,
                                 100 + i);
    }
    snprintf(text + used, room - used, "ret;\n}\n");
}

/* Values of a matrix of `lines` lines and, in shared memory, their bits. */
static inline void fill_matrix(const struct kind *kind, struct layout l,
                               const struct matrix *x, int *value,
                               unsigned char *image)
{
    uint32_t seed = x->lines == 64 ? 1 : 2;

    for (uint32_t i = 0; i < x->lines * x->k; i++) {
        uint32_t line = i / x->k, k = i % x->k;

        value[i] = value_of(kind, i, seed);
        put_bits(image, byte_of(l, kind->bits, line, k), kind->bits, k,
                 pattern_of(kind, value[i]));
    }
}

static inline void check_group(const struct group *g, const int *a,
                               const int *b, const uint32_t *d)
{
    uint32_t count = g->sum == 'h' ? g->n / 4 : g->n / 2;

    for (uint32_t i = 0; i < 64 * g->n; i++) {
        uint32_t row = i / g->n, column = i % g->n;
        uint32_t t = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
        uint32_t slot = column / 8 * 4 + row % 16 / 8 * 2 + column % 2;
        int want = 0;

        for (uint32_t k = 0; k < g->k; k++) {
            want += 2 * a[row * g->k + k] * b[column * g->k + k];
        }
        want *= g->sign_a * g->sign_b < 0 ? -1 : 1;
        expect_sum(g->sum, d + (size_t)t * count, slot, want);
    }
}

/* What lanes hold: A's registers, metadata. */
static inline void put_held(const struct group *g, const struct matrix *left,
                            uint32_t *held)
{
    for (uint32_t t = 0; t < 128; t++) {
        uint32_t row = t / 32 * 16;
        const struct matrix own = {&g->a, left->from + row * left->k, 16,
                                   left->k};

        for (uint32_t r = 0; g->held && r < 4; r++) {
            held[t * 8 + r] = fragment(&own, t % 32, r);
        }
        if (g->sparse) {
            held[t * 8 + 4] = metadata(left, row, false, g->selector, t % 32);
        }
    }
}

static inline void group(const struct group *g)
{
    static int a[64 * 256], b[256 * 256], all[64 * 256];
    static char text[65536];
    const struct matrix left = {&g->a, a, 64, g->sparse ? g->k / 2 : g->k};
    const struct matrix right = {&g->b, b, g->n, g->k};
    uint32_t count = g->sum == 'h' ? g->n / 4 : g->n / 2, *held;
    unsigned char *image;
    struct ptx_rig rig;
    uint64_t word[5];

    group_text(text, sizeof(text), g, count);
    ptx_rig_open(&rig, text);
    word[0] = ptx_rig_alloc(&rig, SHARED_ALL, "image");
    word[1] = ptx_rig_alloc(&rig, 128 * 32, "held");
    word[2] = ptx_rig_alloc(&rig, (uint64_t)128 * count * 4, "d");
    word[3] = descriptor(g->la, SHARED_A);
    word[4] = descriptor(g->lb, SHARED_B);
    image = ptx_rig_at(&rig, word[0]);
    held = ptx_rig_at(&rig, word[1]);
    fill_matrix(&g->a, g->la, &left, a, image + SHARED_A);
    fill_matrix(&g->b, g->lb, &right, b, image + SHARED_B);
    put_held(g, &left, held);
    if (g->sparse) {
        expand(&left, false, all);
    }
    ptx_rig_run(&rig, "k", ptx_shape_1d(1, 128), word);
    check_group(g, g->sparse ? all : a, b, ptx_rig_at(&rig, word[2]));
    ptx_rig_close(&rig);
}

#define ROWS(width)                                                            \
    {                                                                          \
        width, false                                                           \
    }
#define COLUMNS(width)                                                         \
    {                                                                          \
        width, true                                                            \
    }

#endif
