/*
 * A kernel of one warp with a texture: four words in and four words out for
 * each thread.
 */
#ifndef TESTS_UNIT_PTX_TEXTURE_RIG_H
#define TESTS_UNIT_PTX_TEXTURE_RIG_H

#include "tests/unit/ptx_rig.h"
#include "workloads/texture.h"

/* Four words in, four words out, per thread; the handle is %d9. */
#define HEAD                                                                   \
    PTX_HEAD ".visible .entry k(.param .u64 k_in, .param .u64 k_out,\n"        \
             ".param .u64 k_tex)\n{\n.reg .b32 %r<32>;\n.reg .b16 %h<8>;\n"    \
             ".reg .b64 %d<16>;\n.reg .f32 %f<16>;\n"                          \
             "ld.param.u64 %d1, [k_in];\nld.param.u64 %d2, [k_out];\n"         \
             "ld.param.u64 %d9, [k_tex];\nmov.u32 %r1, %tid.x;\n"              \
             "mul.wide.u32 %d3, %r1, 16;\nadd.s64 %d1, %d1, %d3;\n"            \
             "add.s64 %d2, %d2, %d3;\n"                                        \
             "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%d1];\n"                 \
             "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%d1];\n"                 \
             "mov.u32 %r10, 0;\nmov.u32 %r11, 0;\nmov.u32 %r12, 0;\n"          \
             "mov.u32 %r13, 0;\n"
#define TAIL "\nst.global.v4.u32 [%d2], {%r10, %r11, %r12, %r13};\nret;\n}\n"

#define THREADS 32

struct bench {
    struct ptx_rig rig;
    loom_addr in, out;
    uint64_t texture, texels;
    struct loom_texture desc;
};

union lane4 {
    float f[4];
    int32_t i[4];
    uint32_t u[4];
};

/* A texture of w x h x d texels over a fresh buffer with `bytes` bytes. */
static inline void *open_bench(struct bench *b, const char *code,
                               struct loom_texture desc, uint64_t bytes)
{
    char text[4096];

    snprintf(text, sizeof(text), "%s%s%s", HEAD, code, TAIL);
    ptx_rig_open(&b->rig, text);
    b->in = ptx_rig_alloc(&b->rig, THREADS * 16, "in");
    b->out = ptx_rig_alloc(&b->rig, THREADS * 16, "out");
    b->texels = ptx_rig_alloc(&b->rig, bytes, "texels");
    desc.base = b->texels;
    b->desc = desc;
    REQUIRE(
        loom_texture_create(b->rig.memory, &desc, &b->texture, &b->rig.err));
    return ptx_rig_at(&b->rig, b->texels);
}

static inline const union lane4 *run_bench(struct bench *b,
                                           const union lane4 *in)
{
    uint64_t word[3] = {b->in, b->out, b->texture};

    memcpy(ptx_rig_at(&b->rig, b->in), in, THREADS * sizeof(*in));
    ptx_rig_run(&b->rig, "k", ptx_shape_1d(1, THREADS), word);
    return ptx_rig_at(&b->rig, b->out);
}

static inline void close_bench(struct bench *b)
{
    ptx_rig_close(&b->rig);
}

#endif
