/*
 * Where a lane's coordinates are in a texture.
 */
#include "workloads/ptx/exec/texture.h"
#include "workloads/ptx/lanes/tools.h"

/* Coordinates beyond this are as good as this. */
#define FAR 1099511627776.0 /* 2^40 */

void ptx_texture_look(const struct exec_launch *launch,
                      const struct loom_texture *t, struct exec_view *view)
{
    view->texture = t;
    view->texel = loom_texel_bytes(t->format) * t->channels;
    view->host = loom_memory_at(launch->memory, t->base, t->span);
}

uint32_t ptx_texture_coordinate(const struct exec_launch *launch,
                                const struct exec_warp *warp,
                                const struct exec_op *op, uint32_t n,
                                uint32_t lane)
{
    return ((const lane_u32 *)exec_reg(launch, warp, op->v[n]))[lane];
}

static uint32_t clamp_layer(const struct loom_texture *t, uint32_t layer,
                            uint32_t faces)
{
    uint32_t most = t->layers / faces;

    /* Negative layers are as large unsigned ones. */
    if ((int32_t)layer < 0 || most == 0) {
        return 0;
    }
    return layer < most ? layer : most - 1;
}

/* A direction to a face and the coordinates in it. */
static uint32_t cube_face(double x[3])
{
    double ax = __builtin_fabs(x[0]), ay = __builtin_fabs(x[1]);
    double az = __builtin_fabs(x[2]), m, s, t;
    uint32_t face;

    if (ax >= ay && ax >= az) {
        face = x[0] < 0.0;
        m = ax;
        s = x[0] < 0.0 ? x[2] : -x[2];
        t = -x[1];
    } else if (ay >= az) {
        face = 2 + (x[1] < 0.0);
        m = ay;
        s = x[0];
        t = x[1] < 0.0 ? -x[2] : x[2];
    } else {
        face = 4 + (x[2] < 0.0);
        m = az;
        s = x[2] < 0.0 ? -x[0] : x[0];
        t = -x[1];
    }
    x[0] = m == 0.0 ? 0.5 : (s / m + 1.0) / 2.0;
    x[1] = m == 0.0 ? 0.5 : (t / m + 1.0) / 2.0;
    x[2] = 0.0;
    return face;
}

double ptx_texture_bounded(double x)
{
    return x != x ? 0.0 : x > FAR ? FAR : x < -FAR ? -FAR : x;
}

/* Real coordinates to the texel and the parts of its neighbours. */
static void place_real(const struct exec_view *view, bool filtered, double x[3],
                       bool cube, struct exec_texel *texel)
{
    const struct loom_texture *t = view->texture;
    const uint32_t size[3] = {t->width, t->height, t->depth};

    texel->filtered = filtered;
    for (uint32_t i = 0; i < 3; i++) {
        double at = ptx_texture_bounded(x[i]);

        if (size[i] == 0) {
            texel->at[i] = 0;
            texel->part[i] = 0;
            continue;
        }
        at = view->sampler->normalized || cube ? at * size[i] : at;
        if (filtered) {
            int64_t fixed = (int64_t)__builtin_floor((at - 0.5) * 256.0 + 0.5);

            texel->at[i] = fixed >> 8;
            texel->part[i] = (uint32_t)fixed & 255;
        } else {
            texel->at[i] = (int64_t)__builtin_floor(at);
            texel->part[i] = 0;
        }
    }
}

/* Where lane's fetch goes; false: integer coordinates outside, reads 0. */
bool ptx_texture_place(const struct exec_launch *launch,
                       const struct exec_warp *warp, const struct exec_op *op,
                       const struct exec_view *view, uint32_t lane,
                       struct exec_texel *texel)
{
    const struct loom_texture *t = view->texture;
    const uint32_t size[3] = {t->width, t->height, t->depth};
    uint8_t shape = op->how.shape;
    bool cube = shape == LOOM_PTX_CUBE || shape == LOOM_PTX_ACUBE;
    uint32_t n = shape == LOOM_PTX_A1D || shape == LOOM_PTX_A2D ||
                         shape == LOOM_PTX_ACUBE
                     ? 1
                     : 0;
    uint32_t dimensions = shape == LOOM_PTX_1D || shape == LOOM_PTX_A1D   ? 1
                          : shape == LOOM_PTX_2D || shape == LOOM_PTX_A2D ? 2
                                                                          : 3;
    double x[3] = {0};
    bool inside = true;

    *texel = (struct exec_texel){0};
    texel->layer =
        n == 0
            ? 0
            : clamp_layer(t, ptx_texture_coordinate(launch, warp, op, 0, lane),
                          cube ? 6 : 1);
    for (uint32_t i = 0; i < dimensions; i++) {
        uint32_t bits = ptx_texture_coordinate(launch, warp, op, n + i, lane);

        x[i] = lane_float(bits);
        texel->at[i] = (int32_t)bits;
        inside = inside && texel->at[i] >= 0 &&
                 texel->at[i] < (size[i] == 0 ? 1 : (int64_t)size[i]);
    }
    if (op->how.stype != LOOM_PTX_F32) {
        return inside;
    }
    if (cube) {
        texel->layer = texel->layer * 6 + cube_face(x);
    }
    place_real(view, view->sampler->linear || op->opcode_sub == EXEC_GATHER, x,
               cube, texel);
    return true;
}
