/*
 * Textures of several levels: which one a fetch reads.
 *
 * links: workload_ptx
 */
#include <math.h>

#include "tests/unit/ptx_texture_rig.h"

#define TO "{%r10, %r11, %r12, %r13}"

/* 4 x 4, 2 x 2 and 1 texels; those of level l are 10 l. */
static void open_levels(struct bench *b, const char *code,
                        struct loom_texture how)
{
    float *texel;
    uint64_t smaller = 0;

    how.format = LOOM_TEXEL_F32;
    how.channels = 1;
    how.normalized = true;
    how.width = how.height = 4;
    texel = open_bench(b, code, how, 21 * 4);
    for (int i = 0; i < 21; i++) {
        texel[i] = i < 16 ? 0 : i < 20 ? 10 : 20;
    }
    for (int level = 2; level >= 0; level--) {
        struct loom_texture t = how;

        t.width = t.height = 4u >> level;
        t.base = b->texels + (level == 0 ? 0u : level == 1 ? 64u : 80u);
        t.smaller = smaller;
        REQUIRE(loom_texture_create(b->rig.memory, &t, &smaller, &b->rig.err));
    }
    b->texture = smaller;
}

/* Word 2 of a thread is its level, or the step of its gradient. */
static void check(const char *code, struct loom_texture how,
                  double (*level)(double asked))
{
    union lane4 in[THREADS] = {0};
    const union lane4 *out;
    struct bench b;

    open_levels(&b, code, how);
    for (int k = 0; k < THREADS; k++) {
        in[k].f[0] = in[k].f[1] = 0.5f;
        in[k].f[2] = (float)k / 8 - 0.5f;
    }
    out = run_bench(&b, in);
    for (int k = 0; k < THREADS; k++) {
        double l = level((double)in[k].f[2]) + (double)how.bias;

        l = fmin(fmax(l, (double)how.least), (double)how.most);
        l = fmin(fmax(l, 0), 2);
        l = how.between ? floor(l * 256) / 256 : floor(l + 0.5);
        EXPECT(fabs((double)out[k].f[0] - 10 * l) < 1e-5);
    }
    close_bench(&b);
}

static double itself(double asked)
{
    return asked;
}

static double none(double asked)
{
    (void)asked;
    return 0;
}

/* A step of 4 asked texels, in a texture of 4. */
static double of_gradient(double asked)
{
    return asked == 0 ? 0 : log2(fabs(asked) * 4);
}

static const struct loom_texture nearest = {.most = 9};
static const struct loom_texture between = {.most = 9, .between = true};
static const struct loom_texture limited = {
    .bias = 0.75f, .least = 0.5f, .most = 1.5f, .between = true};

static void levels_are_given(void)
{
    static const char code[] =
        "tex.level.2d.v4.f32.f32 " TO ", [%d9, {%f0, %f1}], %f2;";

    check(code, nearest, itself);
    check(code, between, itself);
    check(code, limited, itself);
}

static void gradients_ask_for_levels(void)
{
    static const char *const code[] = {
        "mov.f32 %f4, 0f00000000;\ntex.grad.2d.v4.f32.f32 " TO
        ", [%d9, {%f0, %f1}], {%f2, %f4}, {%f4, %f4};",
        "mov.f32 %f4, 0f00000000;\ntex.grad.2d.v4.f32.f32 " TO
        ", [%d9, {%f0, %f1}], {%f4, %f4}, {%f4, %f2};"};

    for (int i = 0; i < 2; i++) {
        check(code[i], nearest, of_gradient);
        check(code[i], between, of_gradient);
        check(code[i], limited, of_gradient);
    }
}

static void others_read_the_largest(void)
{
    static const char any[] = "tex.2d.v4.f32.f32 " TO ", [%d9, {%f0, %f1}];";
    static const char base[] =
        "tex.base.2d.v4.f32.f32 " TO ", [%d9, {%f0, %f1}];";

    check(any, nearest, none);
    check(any, limited, none);
    check(base, nearest, none);
    check(base, between, none);
}

static void levels_are_counted(void)
{
    const union lane4 in[THREADS] = {0};
    const union lane4 *out;
    struct bench b;

    open_levels(&b, "txq.num_mipmap_levels.b32 %r10, [%d9];", nearest);
    out = run_bench(&b, in);
    EXPECT_EQ(out[0].u[0], 3);
    close_bench(&b);
}

static const struct loom_test tests[] = {
    {"levels_are_given", levels_are_given},
    {"gradients_ask_for_levels", gradients_ask_for_levels},
    {"others_read_the_largest", others_read_the_largest},
    {"levels_are_counted", levels_are_counted},
};

int main(void)
{
    return loom_run_tests("ptx_mipmap", tests, LOOM_COUNTOF(tests));
}
