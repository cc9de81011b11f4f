/*
 * Every form of texture and surface instruction that programs use or that
 * has a row: each texel holds its own place, so that the result says which
 * ones were read or written.
 *
 * links: workload_ptx
 */
#include "tests/unit/ptx_texture_rig.h"

/* A fetch, and where thread k shall find its texel (x fastest). */
struct fetch {
    const char *code;
    struct loom_texture desc;
    uint32_t (*at)(uint32_t k);
};

/* Coordinates of thread k: integers in %r4.., their middles in %f0.. */
static uint32_t x_of(uint32_t k)
{
    return k % 5;
}

static uint32_t y_of(uint32_t k)
{
    return k / 5 % 3;
}

static uint32_t z_of(uint32_t k)
{
    return k % 2;
}

static uint32_t at_1d(uint32_t k)
{
    return x_of(k);
}

static uint32_t at_2d(uint32_t k)
{
    return y_of(k) * 5 + x_of(k);
}

static uint32_t at_3d(uint32_t k)
{
    return (z_of(k) * 3 + y_of(k)) * 5 + x_of(k);
}

#define TO "{%r10, %r11, %r12, %r13}, "
#define LINE                                                                   \
    {                                                                          \
        .width = 5                                                             \
    }
#define PLANE                                                                  \
    {                                                                          \
        .width = 5, .height = 3                                                \
    }
#define BOX                                                                    \
    {                                                                          \
        .width = 5, .height = 3, .depth = 2                                    \
    }
#define PLANES                                                                 \
    {                                                                          \
        .width = 5, .height = 3, .layers = 2                                   \
    }

/* Threads have x, y, z in %r4, %r5, %r6 and x+1/2 ... in %f4, %f5, %f6. */
static const struct fetch fetches[] = {
    {"tex.1d.v4.f32.s32 " TO "[%d9, {%r4}];", LINE, at_1d},
    {"tex.1d.v4.s32.s32 " TO "[%d9, {%r4}];", LINE, at_1d},
    {"tex.1d.v4.u32.s32 " TO "[%d9, {%r4}];", LINE, at_1d},
    {"tex.1d.v4.f32.f32 " TO "[%d9, {%f4}];", LINE, at_1d},
    {"tex.2d.v4.f32.f32 " TO "[%d9, {%f4, %f5}];", PLANE, at_2d},
    {"tex.2d.v4.s32.f32 " TO "[%d9, {%f4, %f5}];", PLANE, at_2d},
    {"tex.2d.v4.u32.f32 " TO "[%d9, {%f4, %f5}];", PLANE, at_2d},
    {"tex.2d.v4.f32.s32 " TO "[%d9, {%r4, %r5}];", PLANE, at_2d},
    {"tex.3d.v4.f32.f32 " TO "[%d9, {%f4, %f5, %f6, %f6}];", BOX, at_3d},
    {"tex.3d.v4.u32.s32 " TO "[%d9, {%r4, %r5, %r6, %r6}];", BOX, at_3d},
    {"tex.a2d.v4.f32.f32 " TO "[%d9, {%r6, %f4, %f5, %f5}];", PLANES, at_3d},
    {"tex.level.2d.v4.f32.f32 " TO "[%d9, {%f4, %f5}], 0f00000000;", PLANE,
     at_2d},
    {"tex.base.2d.v4.f32.f32 " TO "[%d9, {%f4, %f5}];", PLANE, at_2d},
    {"tex.grad.2d.v4.f32.f32 " TO "[%d9, {%f4, %f5}], {%f0, %f0}, {%f0, %f0};",
     PLANE, at_2d},
};

static void coordinates(union lane4 *in)
{
    for (uint32_t k = 0; k < THREADS; k++) {
        in[k] = (union lane4){.u = {x_of(k), y_of(k), z_of(k), 0}};
    }
}

#define MIDDLES                                                                \
    "cvt.rn.f32.u32 %f4, %r4;\nadd.f32 %f4, %f4, 0f3F000000;\n"                \
    "cvt.rn.f32.u32 %f5, %r5;\nadd.f32 %f5, %f5, 0f3F000000;\n"                \
    "cvt.rn.f32.u32 %f6, %r6;\nadd.f32 %f6, %f6, 0f3F000000;\n"                \
    "mov.f32 %f0, 0f00000000;\n"

/* Channel c of texel t holds 100 * t + c; negative in .s32. */
static void run_fetch(const struct fetch *f)
{
    bool real = strstr(f->code, ".v4.f32") != NULL;
    bool sign = strstr(f->code, ".v4.s32") != NULL;
    struct loom_texture desc = f->desc;
    union lane4 in[THREADS], *texel;
    const union lane4 *out;
    struct bench b;
    char code[600];

    desc.format = real   ? LOOM_TEXEL_F32
                  : sign ? LOOM_TEXEL_S32
                         : LOOM_TEXEL_U32;
    desc.channels = 4;
    snprintf(code, sizeof(code), "%s%s", MIDDLES, f->code);
    texel = open_bench(&b, code, desc, 30 * 16);
    for (uint32_t i = 0; i < 120; i++) {
        int value = (int)(i / 4 * 100 + i % 4);

        if (real) {
            texel[i / 4].f[i % 4] = (float)value;
        } else {
            texel[i / 4].i[i % 4] = sign ? -value : value;
        }
    }
    coordinates(in);
    out = run_bench(&b, in);
    for (uint32_t k = 0; k < THREADS; k++) {
        for (uint32_t c = 0; c < 4; c++) {
            EXPECT_EQ(out[k].u[c], texel[f->at(k)].u[c]);
        }
    }
    close_bench(&b);
}

static void fetched_texels(void)
{
    for (size_t i = 0; i < LOOM_COUNTOF(fetches); i++) {
        run_fetch(&fetches[i]);
    }
}

/* The four texels around a corner, from the lower left one against the
 * clock (CUDA guide, "Texture Gather"): one channel of each. */
static void gathered_texels(void)
{
    static const char names[] = "rgba";

    for (uint32_t c = 0; c < 4; c++) {
        struct loom_texture desc = {
            .width = 4, .height = 4, .format = LOOM_TEXEL_F32, .channels = 4};
        static const uint32_t from[4] = {4, 5, 1, 0}; /* + y * 4 + x */
        union lane4 in[THREADS], *texel;
        const union lane4 *out;
        char code[200];
        struct bench b;

        snprintf(code, sizeof(code),
                 "tld4.%c.2d.v4.f32.f32 %s[%%d9, {%%f0, %%f1}];", names[c], TO);
        texel = open_bench(&b, code, desc, 16 * 16);
        for (uint32_t i = 0; i < 64; i++) {
            texel[i / 4].f[i % 4] = (float)(i / 4 * 10 + i % 4);
        }
        for (uint32_t k = 0; k < THREADS; k++) {
            in[k] = (union lane4){
                .f = {(float)(1 + k % 3), (float)(1 + k / 3 % 3), 0, 0}};
        }
        out = run_bench(&b, in);
        for (uint32_t k = 0; k < THREADS; k++) {
            for (uint32_t n = 0; n < 4; n++) {
                uint32_t at = k / 3 % 3 * 4 + k % 3 + from[n];

                EXPECT(out[k].f[n] == (float)(at * 10 + c));
            }
        }
        close_bench(&b);
    }
}

/* Numbers of the formats and orders are OpenCL's (PTX ISA, "txq"). */
static void queried_values(void)
{
    static const struct {
        const char *what;
        uint32_t want;
        bool texture; /* only txq has it */
    } queries[] = {
        {"width", 7, false},
        {"height", 5, false},
        {"depth", 3, false},
        {"array_size", 2, false},
        {"channel_data_type", 0x10db, false}, /* 16 bits, unsigned */
        {"channel_order", 0x10b2, false},     /* RG */
        {"normalized_coords", 1, true},
        {"num_mipmap_levels", 1, true},
        {"num_samples", 1, true},
    };

    for (size_t i = 0; i < 2 * LOOM_COUNTOF(queries); i++) {
        uint32_t q = (uint32_t)i / 2;
        bool layers = strcmp(queries[q].what, "array_size") == 0;
        struct loom_texture desc = {.width = 7,
                                    .height = 5,
                                    .depth = layers ? 0 : 3,
                                    .layers = layers ? 2 : 0,
                                    .format = LOOM_TEXEL_U16,
                                    .channels = 2,
                                    .normalized = true};
        union lane4 in[THREADS] = {0};
        struct bench b;
        char code[100];

        if (queries[q].texture && i % 2 != 0) {
            continue;
        }
        snprintf(code, sizeof(code), "%cuq.%s.b32 %%r10, [%%d9];",
                 i % 2 != 0 ? 's' : 't', queries[q].what);
        code[1] = i % 2 != 0 ? 'u' : 'x';
        open_bench(&b, code, desc, 7 * 5 * 3 * 4);
        EXPECT_EQ(run_bench(&b, in)[THREADS - 1].u[0], queries[q].want);
        close_bench(&b);
    }
}

/* A surface of 4-byte texels; x in bytes is %r7. */
struct surface {
    const char *code;
    struct loom_texture desc;
    uint32_t (*at)(uint32_t k);
    uint32_t bytes; /* that are written or read, each %r4 + 16 * n + 1 ... */
    bool load;
};

#define VALUES8                                                                \
    "mad.lo.u32 %r20, %r1, 8, 0;\ncvt.u16.u32 %h0, %r20;\n"                    \
    "add.u16 %h1, %h0, 1;\nadd.u16 %h2, %h0, 2;\nadd.u16 %h3, %h0, 3;\n"
#define VALUES32                                                               \
    "mul.lo.u32 %r20, %r1, 0x01020408;\nadd.u32 %r21, %r20, 1;\n"              \
    "add.u32 %r22, %r20, 2;\nadd.u32 %r23, %r20, 3;\n"
#define SHOWN                                                                  \
    "cvt.u32.u16 %r10, %h4;\ncvt.u32.u16 %r11, %h5;\n"                         \
    "cvt.u32.u16 %r12, %h6;\ncvt.u32.u16 %r13, %h7;\n"

static const struct surface surfaces[] = {
    {VALUES8 "sust.b.2d.b8.trap [%d9, {%r7, %r5}], {%h0};", PLANE, at_2d, 1,
     false},
    {VALUES8 "sust.b.3d.b8.trap [%d9, {%r7, %r5, %r6, %r6}], {%h0};", BOX,
     at_3d, 1, false},
    {VALUES8 "sust.b.2d.v4.b8.trap [%d9, {%r7, %r5}], {%h0, %h1, %h2, %h3};",
     PLANE, at_2d, 4, false},
    {VALUES32 "sust.b.2d.b32.trap [%d9, {%r7, %r5}], {%r20};", PLANE, at_2d, 4,
     false},
    {VALUES32 "sust.b.1d.v4.b32.trap [%d9, {%r7}], {%r20, %r21, %r22, %r23};",
     LINE, at_1d, 16, false},
    {VALUES32
     "sust.b.a2d.v4.b32.trap [%d9, {%r6, %r7, %r5, %r5}], {%r20, %r21, %r22, "
     "%r23};",
     PLANES, at_3d, 16, false},
    {"suld.b.2d.b8.trap {%h4}, [%d9, {%r7, %r5}];\nmov.u16 %h5, 0;\n"
     "mov.u16 %h6, 0;\nmov.u16 %h7, 0;\n" SHOWN,
     PLANE, at_2d, 1, true},
    {"suld.b.2d.v4.b8.trap {%h4, %h5, %h6, %h7}, [%d9, {%r7, %r5}];\n" SHOWN,
     PLANE, at_2d, 4, true},
};

static uint8_t byte_of(uint32_t i)
{
    return (uint8_t)(i * 37 + 11);
}

static void expect_loaded(const struct surface *s, const union lane4 *out,
                          uint32_t size)
{
    for (uint32_t k = 0; k < THREADS; k++) {
        for (uint32_t c = 0; c < 4; c++) {
            EXPECT_EQ(out[k].u[c],
                      c < s->bytes ? byte_of(s->at(k) * size + c) : 0);
        }
    }
}

/* The last thread of those that write to the same texel stays. */
static void expect_stored(const struct surface *s, const uint8_t *texel,
                          uint32_t size, uint32_t all)
{
    bool bytes = strstr(s->code, "b8.trap") != NULL;

    for (uint32_t i = 0; i < all; i++) {
        uint32_t want = byte_of(i);

        for (uint32_t k = 0; k < THREADS; k++) {
            uint32_t n = i - s->at(k) * size;

            if (n < s->bytes && i >= s->at(k) * size) {
                want = bytes ? k * 8 + n
                             : (k * 0x01020408 + n / 4) >> (8 * (n % 4));
            }
        }
        EXPECT_EQ(texel[i], want & 255);
    }
}

static void surface_bytes(void)
{
    for (size_t i = 0; i < LOOM_COUNTOF(surfaces); i++) {
        const struct surface *s = &surfaces[i];
        uint32_t size = s->bytes == 16 ? 16 : 4, all = 30 * size;
        struct loom_texture desc = s->desc;
        union lane4 in[THREADS];
        const union lane4 *out;
        struct bench b;
        uint8_t *texel;

        desc.format = size == 16 ? LOOM_TEXEL_U32 : LOOM_TEXEL_U8;
        desc.channels = 4;
        texel = open_bench(&b, s->code, desc, all);
        for (uint32_t n = 0; n < all; n++) {
            texel[n] = byte_of(n);
        }
        coordinates(in);
        for (uint32_t k = 0; k < THREADS; k++) {
            in[k].u[3] = x_of(k) * size;
        }
        out = run_bench(&b, in);
        if (s->load) {
            expect_loaded(s, out, size);
        } else {
            expect_stored(s, texel, size, all);
        }
        close_bench(&b);
    }
}

/* ---- sured ---- */

struct reduction {
    const char *text; /* what follows "sured." */
    char op;          /* + < > & | */
    uint32_t bytes;
    bool sign; /* of the values, or of the texels */
};

static uint64_t reduced(const struct reduction *r, uint64_t old, uint64_t value)
{
    bool less = r->bytes == 4 ? r->sign ? (int32_t)old < (int32_t)value
                                        : (uint32_t)old < (uint32_t)value
                : r->sign     ? (int64_t)old < (int64_t)value
                              : old < value;

    switch (r->op) {
    case '+':
        return old + value;
    case '<':
        return less ? old : value;
    case '>':
        return less ? value : old;
    case '&':
        return old & value;
    default:
        return old | value;
    }
}

static uint64_t operand_of(const struct reduction *r, uint32_t k)
{
    uint32_t word = k * 0x9e3779b9u + 0x7f;

    return r->bytes == 8 ? word * UINT64_C(0xf5ebca6b) : word;
}

static void open_reduction(struct bench *b, const struct reduction *r)
{
    struct loom_texture desc = PLANE;
    char code[400];

    desc.format = r->sign && r->bytes == 4 ? LOOM_TEXEL_S32 : LOOM_TEXEL_U32;
    desc.channels = (uint8_t)(r->bytes / 4);
    snprintf(code, sizeof(code),
             "mul.lo.u32 %%r20, %%r1, 0x9e3779b9;\n"
             "add.u32 %%r20, %%r20, 0x7f;\n"
             "mul.wide.u32 %%d10, %%r20, 0xf5ebca6b;\n"
             "sured.%s.trap [%%d9, {%%r%u, %%r5}], %s;",
             r->text, r->text[0] == 'p' ? 4 : 7,
             r->bytes == 8 ? "%d10" : "%r20");
    open_bench(b, code, desc, 15 * r->bytes);
}

static void reduce(const struct reduction *r)
{
    union lane4 in[THREADS];
    uint64_t want[15];
    unsigned char *texel;
    struct bench b;

    open_reduction(&b, r);
    texel = ptx_rig_at(&b.rig, b.texels);
    for (uint32_t i = 0; i < 15; i++) {
        want[i] = operand_of(r, i * 3 + 1);
        memcpy(texel + i * r->bytes, &want[i], r->bytes);
    }
    coordinates(in);
    for (uint32_t k = 0; k < THREADS; k++) {
        in[k].u[3] = x_of(k) * r->bytes;
        want[at_2d(k)] = reduced(r, want[at_2d(k)], operand_of(r, k));
    }
    run_bench(&b, in);
    for (uint32_t i = 0; i < 15; i++) {
        uint64_t got = 0;

        memcpy(&got, texel + i * r->bytes, r->bytes);
        EXPECT_EQ(got, r->bytes == 8 ? want[i] : (uint32_t)want[i]);
    }
    close_bench(&b);
}

static void refused_reduction(const char *text, struct loom_texture desc,
                              const char *why)
{
    uint64_t word[3];
    struct bench b;

    open_bench(&b, text, desc, 15 * 16);
    word[0] = b.in;
    word[1] = b.out;
    word[2] = b.texture;
    EXPECT(!ptx_rig_try(&b.rig, "k", ptx_shape_1d(1, THREADS), word));
    EXPECT_TEXT(b.rig.err.text, why);
    close_bench(&b);
}

static void reductions(void)
{
    static const struct reduction list[] = {
        {"b.add.2d.u32", '+', 4, false}, {"b.add.2d.s32", '+', 4, true},
        {"b.add.2d.u64", '+', 8, false}, {"b.min.2d.u32", '<', 4, false},
        {"b.min.2d.s32", '<', 4, true},  {"b.max.2d.s32", '>', 4, true},
        {"b.min.2d.s64", '<', 8, true},  {"b.max.2d.s64", '>', 8, true},
        {"b.max.2d.u64", '>', 8, false}, {"b.and.2d.b32", '&', 4, false},
        {"b.or.2d.b32", '|', 4, false},  {"p.add.2d.b32", '+', 4, false},
        {"p.min.2d.b32", '<', 4, false}, {"p.max.2d.b32", '>', 4, true},
        {"p.min.2d.b32", '<', 4, true},  {"p.or.2d.b32", '|', 4, false},
    };
    struct loom_texture bytes = PLANE;

    for (size_t i = 0; i < LOOM_COUNTOF(list); i++) {
        reduce(&list[i]);
    }
    bytes.format = LOOM_TEXEL_U8;
    bytes.channels = 4;
    refused_reduction("sured.p.add.2d.b32.trap [%d9, {%r4, %r5}], %r1;", bytes,
                      "texels are not one integer of 32 bits each");
    refused_reduction("sured.b.and.2d.u32.trap [%d9, {%r4, %r5}], %r1;", bytes,
                      "not supported");
    refused_reduction("sured.p.min.2d.b64.trap [%d9, {%r4, %r5}], %d1;", bytes,
                      "reduces texels of 64 bits, which are not simulated");
}

static const struct loom_test tests[] = {
    {"fetched_texels", fetched_texels}, {"gathered_texels", gathered_texels},
    {"queried_values", queried_values}, {"surface_bytes", surface_bytes},
    {"reductions", reductions},
};

int main(void)
{
    return loom_run_tests("ptx_values_texture", tests, LOOM_COUNTOF(tests));
}
