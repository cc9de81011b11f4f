/*
 * Textures and surfaces inside the executor.
 *
 * Of an operation: s[0] is the handle (how.high: the address of a variable
 * that holds it), s[1] the sampler's or EXEC_NONE; v[0..3] are the
 * coordinates as written; d[] or v[4..7] the elements.  Of a fetch how.mode is
 * an enum exec_level: s[2] is the level, or v[4..7] are the gradients, each of
 * up to two values.
 */
#ifndef WORKLOADS_PTX_EXEC_TEXTURE_H
#define WORKLOADS_PTX_EXEC_TEXTURE_H

#include "workloads/ptx/exec/exec.h"
#include "workloads/texture.h"

#define EXEC_COORDINATES 4

/* What an EXEC_TEXTURE does: opcode_sub. */
enum exec_texture {
    EXEC_FETCH,
    EXEC_GATHER, /* plus the component in how.mode */
    EXEC_SURFACE_LOAD,
    EXEC_SURFACE_STORE,  /* bytes */
    EXEC_SURFACE_FORMAT, /* texels */
    EXEC_SURFACE_REDUCE, /* bytes, by how.sub */
    EXEC_SURFACE_REDUCE_FORMAT,
    EXEC_QUERY /* how.mode: enum exec_query */
};

/* Which level of a mipmap. */
enum exec_level {
    EXEC_LEVEL_ANY, /* 0, with the texture's bias and limits */
    EXEC_LEVEL_BASE,
    EXEC_LEVEL_GIVEN,
    EXEC_LEVEL_GRADIENT,
    EXEC_LEVEL_UNKNOWN /* gradients in three dimensions */
};

enum exec_query {
    EXEC_QUERY_WIDTH,
    EXEC_QUERY_HEIGHT,
    EXEC_QUERY_DEPTH,
    EXEC_QUERY_LAYERS,
    EXEC_QUERY_TYPE,
    EXEC_QUERY_ORDER,
    EXEC_QUERY_NORMALIZED,
    EXEC_QUERY_LEVELS,
    EXEC_QUERY_ONE /* samples */
};

/* The static table has forms of a fetch for texels of 1, 2, 8 and 16 bytes
 * from `target` on, and for those of 4 bytes at its own index. */
#define EXEC_TEXTURE_FORMS 4

/* A texture with its bytes, and the sampler to read it with. */
struct exec_view {
    const struct loom_texture *texture;
    const struct loom_texture *sampler;
    unsigned char *host;
    uint32_t texel; /* bytes */
};

/* A place in a texture: the texel, and of the next one the part of 256. */
struct exec_texel {
    int64_t at[3];
    uint32_t part[3];
    uint32_t layer;
    bool filtered;
};

/* Of a channel that a texel lacks, and of a texel outside. */
struct exec_color {
    uint32_t channel[LOOM_TEXTURE_CHANNELS];
};

/* texel.c */
bool ptx_texel_real(const struct loom_texture *texture);
/* False: outside, and nothing is there. */
bool ptx_texel_offset(const struct exec_view *view, const int64_t at[3],
                      uint32_t layer, uint64_t *offset);
struct exec_color ptx_texel_read(const struct exec_view *view,
                                 const int64_t at[3], uint32_t layer);
struct exec_color ptx_texel_filter(const struct exec_view *view,
                                   const struct exec_texel *texel);
void ptx_texel_write(const struct exec_view *view, uint64_t offset,
                     const uint32_t *value);

/* place.c: a coordinate's bits; without a NaN, and not too large; the texture's
 * bytes in a view, NULL if they have been freed; and where a lane's fetch goes,
 * false: integer coordinates outside, reads 0. */
uint32_t ptx_texture_coordinate(const struct exec_launch *launch,
                                const struct exec_warp *warp,
                                const struct exec_op *op, uint32_t n,
                                uint32_t lane);
double ptx_texture_bounded(double x);
void ptx_texture_look(const struct exec_launch *launch,
                      const struct loom_texture *t, struct exec_view *view);
bool ptx_texture_place(const struct exec_launch *launch,
                       const struct exec_warp *warp, const struct exec_op *op,
                       const struct exec_view *view, uint32_t lane,
                       struct exec_texel *texel);

/* mipmap.c: a lane's fetch from one; `texel` is that of the larger level. */
struct exec_color ptx_texture_mipmap(const struct exec_launch *launch,
                                     const struct exec_warp *warp,
                                     const struct exec_op *op,
                                     struct exec_view *view, uint32_t lane,
                                     struct exec_texel *texel);
uint32_t ptx_texture_levels(const struct exec_launch *launch,
                            const struct loom_texture *t);

/* texture.c; false: launch->err is set. */
bool ptx_exec_texture(struct exec_launch *launch, struct exec_warp *warp,
                      const struct exec_op *op, uint32_t mask);

#endif
