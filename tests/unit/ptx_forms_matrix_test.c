/*
 * Products of small floats and of bits, and those of warp groups, against
 * products in C.
 *
 * links: workload_ptx
 */
#include "tests/unit/ptx_narrow_rig.h"

/* Small numbers, different everywhere. */
static int number(uint32_t i, uint32_t seed)
{
    return (int)((i * 7 + seed * 13 + i * i % 11) % 9) - 4;
}

/* How an element is written. */
struct kind {
    const char *name;
    uint32_t bits;
    struct form form; /* fraction 0: an integer */
};

static uint32_t pattern_of(const struct kind *k, int value)
{
    if (k->form.fraction != 0) {
        uint32_t bits = form_round(k->form, value, 0, 'n', false);

        return k->bits == 32 ? bits << 13 : bits; /* .tf32 in .f32 */
    }
    return (uint32_t)value & (UINT32_MAX >> (32 - k->bits));
}

/* Integers without a sign are made positive. */
static int value_of(const struct kind *k, uint32_t i, uint32_t seed)
{
    int value = number(i, seed);

    return k->bits == 1 ? value & 1 : k->name[0] == 'u' ? value + 4 : value;
}

/* ---- mma ---- */

struct product {
    const char *text;
    uint32_t m, k;
    struct kind a, b;
    char sum; /* 'f' .f32, 'h' .f16, 's' .s32 */
    bool differ;
};

/* A or B as a program sees it: rows of A, columns of B behind each other. */
struct matrix {
    const struct kind *kind;
    const int *from;
    uint32_t lines, k;
};

/* Element e of a register: PTX ISA's figures of fragments of 8 bits and
 * fewer; registers of 16 lines are those of lines g and g + 8, then the next
 * part of k. */
static uint32_t fragment(const struct matrix *x, uint32_t lane, uint32_t reg)
{
    uint32_t bits = x->kind->bits, each = 32 / bits, word = 0;
    bool both = x->lines == 16;

    for (uint32_t e = 0; e < each; e++) {
        uint32_t along = lane % 4 * each + e;
        uint32_t line = lane / 4 + (both ? reg % 2 * 8 : 0);

        along += (both ? reg / 2 : reg) * 4 * each;
        word |= pattern_of(x->kind, x->from[line * x->k + along]) << e * bits;
    }
    return word;
}

static uint32_t registers_of(const struct matrix *x)
{
    return x->lines * x->k * x->kind->bits / 1024;
}

static void put_list(char *list, size_t room, uint32_t first, uint32_t count)
{
    size_t used = 0;

    for (uint32_t r = 0; r < count; r++) {
        used += (size_t)snprintf(list + used, room - used, "%s%%r%u",
                                 r == 0 ? "" : ", ", first + r);
    }
}

static void open_product(struct ptx_rig *rig, const struct product *p,
                         const struct matrix *a, const struct matrix *b)
{
    char text[2048], list[3][64] = {"", "", ""};

    put_list(list[0], sizeof(list[0]), 10, registers_of(a));
    put_list(list[1], sizeof(list[1]), 20, registers_of(b));
    put_list(list[2], sizeof(list[2]), 30,
             p->m * 8 / 32 / (p->sum == 'h' ? 2 : 1));
    snprintf(text, sizeof(text),
             ".version 8.7\n.target sm_90\n.address_size 64\n"
             ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c,\n"
             ".param .u64 d)\n{\n.reg .b32 %%r<40>;\n.reg .b64 %%d<9>;\n"
             "mov.u32 %%r1, %%tid.x;\nmul.wide.u32 %%d5, %%r1, 16;\n"
             "ld.param.u64 %%d1, [a];\nld.param.u64 %%d2, [b];\n"
             "ld.param.u64 %%d3, [c];\nld.param.u64 %%d4, [d];\n"
             "add.u64 %%d1, %%d1, %%d5;\nadd.u64 %%d2, %%d2, %%d5;\n"
             "add.u64 %%d3, %%d3, %%d5;\nadd.u64 %%d4, %%d4, %%d5;\n"
             "ld.global.v4.u32 {%%r10, %%r11, %%r12, %%r13}, [%%d1];\n"
             "ld.global.v4.u32 {%%r20, %%r21, %%r22, %%r23}, [%%d2];\n"
             "ld.global.v4.u32 {%%r30, %%r31, %%r32, %%r33}, [%%d3];\n"
             "%s {%s}, {%s}, {%s}, {%s};\n"
             "st.global.v4.u32 [%%d4], {%%r30, %%r31, %%r32, %%r33};\n"
             "ret;\n}\n",
             p->text, list[2], list[0], list[1], list[2]);
    ptx_rig_open(rig, text);
}

/* What register r of a lane has of C: number() of its place. */
static uint32_t addend(const struct product *p, uint32_t lane, uint32_t r)
{
    float value = (float)number(lane * 4 + r, 3);
    uint32_t bits = (uint32_t)number(lane * 4 + r, 3);

    if (p->sum == 'h') {
        uint32_t place = lane * 4 + 2 * r;

        bits = form_round(f16, number(place, 3), 0, 'n', false) |
               form_round(f16, number(place + 1, 3), 0, 'n', false) << 16;
    } else if (p->sum == 'f') {
        memcpy(&bits, &value, 4);
    }
    return bits;
}

/* Is slot `slot` of registers `got` what is wanted? */
static void expect_sum(char sum, const uint32_t *got, uint32_t slot, int want)
{
    uint32_t bits = got[sum == 'h' ? slot / 2 : slot];
    float value;

    if (sum == 'h') {
        EXPECT_EQ(bits >> (slot % 2 * 16) & 0xffff,
                  form_round(f16, want, 0, 'n', false));
    } else if (sum == 'f') {
        memcpy(&value, &bits, 4);
        EXPECT_EQ((int)value, want);
    } else {
        EXPECT_EQ((int)bits, want);
    }
}

static void check_product(const struct product *p, const int *a, const int *b,
                          const uint32_t *d)
{
    for (uint32_t i = 0; i < p->m * 8; i++) {
        uint32_t row = i / 8, column = i % 8;
        uint32_t lane = row % 8 * 4 + column / 2;
        uint32_t slot = row / 8 * 2 + column % 2;
        int want = number(lane * 4 + slot, 3);

        for (uint32_t k = 0; k < p->k; k++) {
            int x = a[row * p->k + k], y = b[column * p->k + k];

            want += p->differ ? x ^ y : x * y;
        }
        expect_sum(p->sum, d + lane * 4, slot, want);
    }
}

static void multiply(const struct product *p)
{
    static int a[16 * 256], b[8 * 256];
    const struct matrix left = {&p->a, a, p->m, p->k};
    const struct matrix right = {&p->b, b, 8, p->k};
    uint32_t *word[4];
    uint64_t at[4];
    struct ptx_rig rig;

    open_product(&rig, p, &left, &right);
    for (uint32_t i = 0; i < 4; i++) {
        at[i] = ptx_rig_alloc(&rig, 512, "operand");
        word[i] = ptx_rig_at(&rig, at[i]);
    }
    for (uint32_t i = 0; i < p->m * p->k; i++) {
        a[i] = value_of(&p->a, i, 1);
    }
    for (uint32_t i = 0; i < 8 * p->k; i++) {
        b[i] = value_of(&p->b, i, 2);
    }
    for (uint32_t i = 0; i < 128; i++) {
        uint32_t lane = i / 4, r = i % 4;

        word[0][i] = r < registers_of(&left) ? fragment(&left, lane, r) : 0;
        word[1][i] = r < registers_of(&right) ? fragment(&right, lane, r) : 0;
        word[2][i] = addend(p, lane, r);
    }
    ptx_rig_run(&rig, "k", ptx_shape_1d(1, 32), at);
    check_product(p, a, b, word[3]);
    ptx_rig_close(&rig);
}

#define E4M3                                                                   \
    {                                                                          \
        "e4m3", 8,                                                             \
        {                                                                      \
            3, 4, true                                                         \
        }                                                                      \
    }
#define E5M2                                                                   \
    {                                                                          \
        "e5m2", 8,                                                             \
        {                                                                      \
            2, 5, false                                                        \
        }                                                                      \
    }
#define INT(name, bits)                                                        \
    {                                                                          \
        name, bits,                                                            \
        {                                                                      \
            0, 0, false                                                        \
        }                                                                      \
    }

static void products(void)
{
    static const struct product list[] = {
        {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", 16, 32, E4M3,
         E5M2, 'f', false},
        {"mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16", 16, 32, E4M3,
         E4M3, 'h', false},
        {"mma.sync.aligned.m16n8k16.row.col.f16.e5m2.e5m2.f16", 16, 16, E5M2,
         E5M2, 'h', false},
        {"mma.sync.aligned.m16n8k16.row.col.f32.e5m2.e4m3.f32", 16, 16, E5M2,
         E4M3, 'f', false},
        {"mma.sync.aligned.m16n8k32.row.col.s32.u4.s4.s32", 16, 32,
         INT("u4", 4), INT("s4", 4), 's', false},
        {"mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", 16, 64,
         INT("s4", 4), INT("s4", 4), 's', false},
        {"mma.sync.aligned.m8n8k32.row.col.s32.u4.u4.s32", 8, 32, INT("u4", 4),
         INT("u4", 4), 's', false},
        {"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 16, 256,
         INT("b1", 1), INT("b1", 1), 's', true},
        {"mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc", 16, 128,
         INT("b1", 1), INT("b1", 1), 's', false},
        {"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc", 8, 128,
         INT("b1", 1), INT("b1", 1), 's', false},
        {"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 8, 128,
         INT("b1", 1), INT("b1", 1), 's', true},
    };

    for (size_t i = 0; i < LOOM_COUNTOF(list); i++) {
        multiply(&list[i]);
    }
}

/* ---- wgmma ---- */

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
static uint32_t lead_of(struct layout l)
{
    return l.width == 16 ? 128 : 16 * l.width;
}

static uint32_t stride_of(struct layout l)
{
    return l.width == 16 ? 4096 : 8 * l.width;
}

/* A row of the swizzle is 8 chunks or fewer of 16 bytes, which change places by
 * the number of 128-byte line in which the row is. */
static uint32_t byte_of(struct layout l, uint32_t bits, uint32_t mn, uint32_t k)
{
    uint32_t along = (l.trans ? mn : k) * bits / 8, across = l.trans ? k : mn;
    uint32_t chunk = along % l.width / 16;

    if (l.width == 16) {
        uint32_t in_k = l.trans ? k / 8 : along / 16;
        uint32_t in_mn = l.trans ? along / 16 : mn / 8;

        return in_k * lead_of(l) + in_mn * 256 + across % 8 * 16 + along % 16;
    }
    chunk ^= across % 8 * l.width / 128 % (l.width / 16);
    return along / l.width * lead_of(l) + across / 8 * stride_of(l) +
           across % 8 * l.width + chunk * 16 + along % 16;
}

static uint64_t descriptor(struct layout l, uint32_t start)
{
    uint64_t mode = l.width == 128  ? 1
                    : l.width == 64 ? 2
                    : l.width == 32 ? 3
                                    : 0;
    uint64_t stride = l.width == 16 ? 256 : stride_of(l);

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
};

static size_t put_group(char *text, size_t room, const struct group *g,
                        uint32_t count)
{
    size_t used = (size_t)snprintf(text, room, "%s {", g->text);

    for (uint32_t i = 0; i < count; i++) {
        used += (size_t)snprintf(text + used, room - used, "%s%%r%u",
                                 i == 0 ? "" : ", ", 100 + i);
    }
    used += (size_t)snprintf(text + used, room - used, "}, %s, %%d11, %%p1",
                             g->held ? "{%r10, %r11, %r12, %r13}" : "%d10");
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
static void group_text(char *text, size_t room, const struct group *g,
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
        "mul.wide.u32 %%d5, %%r1, 16;\nadd.u64 %%d2, %%d2, %%d5;\n"
        "ld.global.v4.u32 {%%r10, %%r11, %%r12, %%r13}, [%%d2];\n"
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

static void put_bits(unsigned char *image, uint32_t byte, uint32_t bits,
                     uint32_t k, uint32_t pattern)
{
    if (bits == 1) {
        image[byte] = (unsigned char)(image[byte] | pattern << (k % 8));
    } else {
        memcpy(image + byte, &pattern, bits / 8);
    }
}

/* Values of a matrix of `lines` lines and, in shared memory, their bits. */
static void fill_matrix(const struct kind *kind, struct layout l,
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

static void check_group(const struct group *g, const int *a, const int *b,
                        const uint32_t *d)
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

static void group(const struct group *g)
{
    static int a[64 * 256], b[256 * 256];
    static char text[65536];
    const struct matrix left = {&g->a, a, 64, g->k};
    const struct matrix right = {&g->b, b, g->n, g->k};
    uint32_t count = g->sum == 'h' ? g->n / 4 : g->n / 2, *held;
    unsigned char *image;
    struct ptx_rig rig;
    uint64_t word[5];

    group_text(text, sizeof(text), g, count);
    ptx_rig_open(&rig, text);
    word[0] = ptx_rig_alloc(&rig, SHARED_ALL, "image");
    word[1] = ptx_rig_alloc(&rig, 128 * 16, "held");
    word[2] = ptx_rig_alloc(&rig, (uint64_t)128 * count * 4, "d");
    word[3] = descriptor(g->la, SHARED_A);
    word[4] = descriptor(g->lb, SHARED_B);
    image = ptx_rig_at(&rig, word[0]);
    held = ptx_rig_at(&rig, word[1]);
    fill_matrix(&g->a, g->la, &left, a, image + SHARED_A);
    fill_matrix(&g->b, g->lb, &right, b, image + SHARED_B);
    for (uint32_t t = 0; g->held && t < 128; t++) {
        const struct matrix own = {&g->a, a + t / 32 * 16 * g->k, 16, g->k};

        for (uint32_t r = 0; r < 4; r++) {
            held[t * 4 + r] = fragment(&own, t % 32, r);
        }
    }
    ptx_rig_run(&rig, "k", ptx_shape_1d(1, 128), word);
    check_group(g, a, b, ptx_rig_at(&rig, word[2]));
    ptx_rig_close(&rig);
}

#define F16                                                                    \
    {                                                                          \
        "f16", 16,                                                             \
        {                                                                      \
            10, 5, false                                                       \
        }                                                                      \
    }
#define BF16                                                                   \
    {                                                                          \
        "bf16", 16,                                                            \
        {                                                                      \
            7, 8, false                                                        \
        }                                                                      \
    }
#define TF32                                                                   \
    {                                                                          \
        "tf32", 32,                                                            \
        {                                                                      \
            10, 8, false                                                       \
        }                                                                      \
    }
#define ROWS(width)                                                            \
    {                                                                          \
        width, false                                                           \
    }
#define COLUMNS(width)                                                         \
    {                                                                          \
        width, true                                                            \
    }
#define WGMMA "wgmma.mma_async.sync.aligned."

static void groups(void)
{
    static const struct group list[] = {
        {WGMMA "m64n8k16.f32.f16.f16", 8, 16, F16, F16, ROWS(16), ROWS(16), 'f',
         false, 1, 1, true},
        {WGMMA "m64n16k16.f32.f16.f16", 16, 16, F16, F16, ROWS(128), ROWS(128),
         'f', false, 1, -1, true},
        {WGMMA "m64n256k16.f32.f16.f16", 256, 16, F16, F16, ROWS(64), ROWS(32),
         'f', false, 1, 1, true},
        {WGMMA "m64n8k16.f16.f16.f16", 8, 16, F16, F16, ROWS(16), ROWS(128),
         'h', true, 1, -1, true},
        {WGMMA "m64n128k16.f32.f16.f16", 128, 16, F16, F16, COLUMNS(128),
         COLUMNS(128), 'f', false, 1, 1, true},
        {WGMMA "m64n64k16.f32.f16.f16", 64, 16, F16, F16, COLUMNS(64),
         COLUMNS(32), 'f', false, 1, 1, true},
        {WGMMA "m64n8k16.f32.bf16.bf16", 8, 16, BF16, BF16, COLUMNS(16),
         COLUMNS(16), 'f', false, -1, -1, true},
        {WGMMA "m64n24k8.f32.tf32.tf32", 24, 8, TF32, TF32, ROWS(128), ROWS(16),
         'f', false, 1, 1, false},
        {WGMMA "m64n8k8.f32.tf32.tf32", 8, 8, TF32, TF32, ROWS(32), ROWS(16),
         'f', true, 1, 1, false},
        {WGMMA "m64n8k32.f32.e4m3.e5m2", 8, 32, E4M3, E5M2, ROWS(128), ROWS(64),
         'f', false, 1, 1, false},
        {WGMMA "m64n16k32.f16.e5m2.e5m2", 16, 32, E5M2, E5M2, ROWS(16),
         ROWS(32), 'h', true, 1, 1, false},
        {WGMMA "m64n8k32.s32.s8.u8", 8, 32, INT("s8", 8), INT("u8", 8),
         ROWS(128), ROWS(128), 's', false, 0, 0, false},
        {WGMMA "m64n8k32.s32.s8.s8.satfinite", 8, 32, INT("s8", 8),
         INT("s8", 8), ROWS(16), ROWS(64), 's', true, 0, 0, false},
        {WGMMA "m64n8k256.s32.b1.b1.and.popc", 8, 256, INT("b1", 1),
         INT("b1", 1), ROWS(128), ROWS(16), 's', false, 0, 0, false},
    };

    for (size_t i = 0; i < LOOM_COUNTOF(list); i++) {
        group(&list[i]);
    }
}

static void refused(const char *code, const char *why)
{
    char text[2048];
    struct ptx_rig rig;
    uint64_t word = 0;

    snprintf(text, sizeof(text),
             ".version 8.6\n.target sm_90a\n.address_size 64\n"
             ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %%r<20>;\n"
             ".reg .b64 %%d<9>;\n.reg .pred %%p<9>;\n"
             ".shared .b8 s[1024];\nld.param.u64 %%d1, [p];\n%s\nret;\n}\n",
             code);
    ptx_rig_open(&rig, text);
    EXPECT(!ptx_rig_try(&rig, "k", ptx_shape_1d(1, 128), &word));
    if (strstr(rig.err.text, why) == NULL) {
        EXPECT_TEXT(rig.err.text, why);
    }
    ptx_rig_close(&rig);
}

static void refusals(void)
{
    refused("setp.eq.u32 %p1, 0, 0;\nmov.u64 %d2, 1024;\n" WGMMA
            "m64n8k8.f32.tf32.tf32 {%r1, %r2, %r3, %r4}, %d2, %d2, %p1, 1, 1;",
            "descriptor 0x400 is not inside");
    refused("setp.eq.u32 %p1, 0, 0;\nmov.u64 %d2, 0x2000000000000;\n" WGMMA
            "m64n8k8.f32.tf32.tf32 {%r1, %r2, %r3, %r4}, %d2, %d2, %p1, 1, 1;",
            "a base offset in a descriptor is not simulated");
    refused("setp.eq.u32 %p1, 0, 0;\n" WGMMA
            "m64n8k16.f32.tf32.tf32 {%r1, %r2, %r3, %r4}, %d2, %d2, %p1, 1, 1;",
            "this combination of shape and types is not known");
    refused("setp.eq.u32 %p1, 0, 0;\n" WGMMA
            "m64n16k8.f32.tf32.tf32 {%r1, %r2, %r3, %r4}, %d2, %d2, %p1, 1, 1;",
            "another number of registers");
    refused("mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p2, %r1, 5;\n"
            "setp.eq.u32 %p1, 0, 0;\n@%p2 " WGMMA
            "m64n8k8.f32.tf32.tf32 {%r1, %r2, %r3, %r4}, %d2, %d2, %p1, 1, 1;",
            "all lanes must be active");
    refused("tcgen05.fence::before_thread_sync;",
            "is of Blackwell's tensor memory, which is not simulated");
}

static const struct loom_test tests[] = {
    {"products", products},
    {"groups", groups},
    {"refusals", refusals},
};

int main(void)
{
    return loom_run_tests("ptx_forms_matrix", tests, LOOM_COUNTOF(tests));
}
