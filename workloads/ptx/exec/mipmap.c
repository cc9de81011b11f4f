/*
 * Fetches from mipmaps: the level, and what is blended of two.
 */
#include "workloads/ptx/exec/texture.h"
#include "workloads/ptx/lanes/tools.h"

uint32_t ptx_texture_levels(const struct exec_launch *launch,
                            const struct loom_texture *t)
{
    uint32_t levels = 1;

    while ((t = loom_texture_find(launch->memory, t->smaller)) != NULL) {
        levels++;
    }
    return levels;
}

/* The level for which a step in the texture is about one texel. */
static double level_by_gradient(const struct exec_launch *launch,
                                const struct exec_warp *warp,
                                const struct exec_op *op,
                                const struct loom_texture *t, uint32_t lane)
{
    const uint32_t size[2] = {t->width, t->height};
    uint32_t n =
        op->how.shape == LOOM_PTX_2D || op->how.shape == LOOM_PTX_A2D ? 2 : 1;
    double longest = 0;

    for (uint32_t g = 0; g < 2; g++) {
        double sum = 0;

        for (uint32_t i = 0; i < n; i++) {
            double step = (double)lane_float(ptx_texture_coordinate(
                              launch, warp, op, 4 + g * n + i, lane)) *
                          size[i];

            sum += step * step;
        }
        longest = sum > longest ? sum : longest;
    }
    return longest > 0 ? 0.5 * __builtin_log2(longest) : 0;
}

/* The level of a mipmap that a lane asks for. */
static double level_of(const struct exec_launch *launch,
                       const struct exec_warp *warp, const struct exec_op *op,
                       const struct exec_view *view, uint32_t lane)
{
    const struct loom_texture *s = view->sampler;
    double level = 0;

    if (op->how.mode == EXEC_LEVEL_BASE) {
        return 0;
    }
    if (op->how.mode == EXEC_LEVEL_GIVEN) {
        const lane_u32 *given = exec_reg(launch, warp, op->s[2]);

        level = ptx_texture_bounded((double)lane_float(given[lane]));
    } else if (op->how.mode == EXEC_LEVEL_GRADIENT) {
        level = ptx_texture_bounded(
            level_by_gradient(launch, warp, op, view->texture, lane));
    }
    level += (double)s->bias;
    level = level > (double)s->most ? (double)s->most : level;
    level = level < (double)s->least ? (double)s->least : level;
    return level < 0 ? 0 : level;
}

/* Goes to the level, or the last one; what is left of it. */
static double descend(const struct exec_launch *launch, struct exec_view *view,
                      double level)
{
    const struct loom_texture *t = view->texture, *next;

    while (level >= 1 &&
           (next = loom_texture_find(launch->memory, t->smaller)) != NULL) {
        t = next;
        level -= 1;
    }
    ptx_texture_look(launch, t, view);
    return level < 1 && t->smaller != 0 ? level : 0;
}

/* From two levels: `part` of the smaller one. */
static struct exec_color blend(struct exec_color a, struct exec_color b,
                               double part)
{
    for (uint32_t c = 0; c < LOOM_TEXTURE_CHANNELS; c++) {
        double sum = (1.0 - part) * (double)lane_float(a.channel[c]) +
                     part * (double)lane_float(b.channel[c]);

        a.channel[c] = lane_float_bits(canon_f32((float)sum));
    }
    return a;
}

/* One lane's fetch from the level that the view is at. */
static struct exec_color fetch_level(const struct exec_launch *launch,
                                     const struct exec_warp *warp,
                                     const struct exec_op *op,
                                     const struct exec_view *view,
                                     uint32_t lane, struct exec_texel *texel)
{
    struct exec_color none = {{0}};

    return view->host != NULL &&
                   ptx_texture_place(launch, warp, op, view, lane, texel)
               ? ptx_texel_filter(view, texel)
               : none;
}

struct exec_color ptx_texture_mipmap(const struct exec_launch *launch,
                                     const struct exec_warp *warp,
                                     const struct exec_op *op,
                                     struct exec_view *view, uint32_t lane,
                                     struct exec_texel *texel)
{
    double level = level_of(launch, warp, op, view, lane);
    bool blends = view->sampler->between && ptx_texel_real(view->texture);
    double part = descend(launch, view, blends ? level : level + 0.5);
    struct exec_view other = *view;
    struct exec_color color = fetch_level(launch, warp, op, view, lane, texel);

    part = __builtin_floor(part * 256.0) / 256.0;
    if (blends && part > 0) {
        struct exec_texel unused;

        descend(launch, &other, 1);
        color = blend(
            color, fetch_level(launch, warp, op, &other, lane, &unused), part);
    }
    return color;
}
