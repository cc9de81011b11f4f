/*
 * Texels: address modes, formats, filtering.  Semantics: CUDA C++
 * Programming Guide, "Texture Fetching".
 *
 * Weights have 8 bits of fraction; products and their sums are done in
 * double, in the order x, y, z, and rounded to float once.
 */
#include <string.h>

#include "workloads/ptx/exec/texture.h"
#include "workloads/ptx/lanes/formats.h"

bool ptx_texel_real(const struct loom_texture *texture)
{
    return texture->format >= LOOM_TEXEL_F16 ||
           (texture->normalized_read && loom_texel_bytes(texture->format) < 4);
}

static int64_t modulo(int64_t x, int64_t n)
{
    return (x % n + n) % n;
}

/* Index in a dimension of n texels; false: outside. */
static bool resolve(int64_t *at, uint32_t n, uint8_t mode, bool normalized)
{
    int64_t size = n == 0 ? 1 : n, i = *at;

    if (mode >= LOOM_ADDRESS_WRAP && !normalized) {
        mode = LOOM_ADDRESS_CLAMP;
    }
    switch (mode) {
    case LOOM_ADDRESS_WRAP:
        *at = modulo(i, size);
        return true;
    case LOOM_ADDRESS_MIRROR:
        i = modulo(i, 2 * size);
        *at = i < size ? i : 2 * size - 1 - i;
        return true;
    default:
        *at = i < 0 ? 0 : i >= size ? size - 1 : i;
        return mode == LOOM_ADDRESS_CLAMP || *at == i;
    }
}

bool ptx_texel_offset(const struct exec_view *view, const int64_t at[3],
                      uint32_t layer, uint64_t *offset)
{
    const struct loom_texture *t = view->texture, *s = view->sampler;
    const uint32_t size[3] = {t->width, t->height, t->depth};
    int64_t place[3];
    bool inside = true;

    for (uint32_t i = 0; i < 3; i++) {
        place[i] = at[i];
        inside =
            resolve(&place[i], size[i], s->address[i], s->normalized) && inside;
    }
    *offset = ((uint64_t)place[2] + layer) * t->slice +
              (uint64_t)place[1] * t->pitch + (uint64_t)place[0] * view->texel;
    return inside;
}

static double normal(int64_t value, double top)
{
    double x = (double)value / top;

    return x < -1.0 ? -1.0 : x;
}

/* One channel at `from`, as the fetch returns it. */
static uint32_t read_channel(const struct loom_texture *t,
                             const unsigned char *from)
{
    bool real = ptx_texel_real(t);
    uint32_t word = 0;
    int32_t value;

    memcpy(&word, from, loom_texel_bytes(t->format));
    switch ((enum loom_texel)t->format) {
    case LOOM_TEXEL_U8:
        return real ? lane_float_bits((float)normal(word, 255.0)) : word;
    case LOOM_TEXEL_U16:
        return real ? lane_float_bits((float)normal(word, 65535.0)) : word;
    case LOOM_TEXEL_S8:
        value = (int8_t)word;
        return real ? lane_float_bits((float)normal(value, 127.0))
                    : (uint32_t)value;
    case LOOM_TEXEL_S16:
        value = (int16_t)word;
        return real ? lane_float_bits((float)normal(value, 32767.0))
                    : (uint32_t)value;
    case LOOM_TEXEL_F16:
        return lane_float_bits(
            canon_f32((float)narrow_value(word, narrow_of(LOOM_PTX_F16))));
    case LOOM_TEXEL_U32:
    case LOOM_TEXEL_S32:
    case LOOM_TEXEL_F32:
    case LOOM_TEXELS:
        break;
    }
    return word;
}

struct exec_color ptx_texel_read(const struct exec_view *view,
                                 const int64_t at[3], uint32_t layer)
{
    const struct loom_texture *t = view->texture;
    uint32_t step = loom_texel_bytes(t->format);
    struct exec_color color = {{0}};
    uint64_t offset;

    if (!ptx_texel_offset(view, at, layer, &offset)) {
        return color;
    }
    color.channel[3] = ptx_texel_real(t) ? 0x3f800000u : 1;
    for (uint32_t i = 0; i < t->channels; i++) {
        color.channel[i] = read_channel(t, view->host + offset + i * step);
    }
    return color;
}

struct exec_color ptx_texel_filter(const struct exec_view *view,
                                   const struct exec_texel *texel)
{
    const struct loom_texture *t = view->texture;
    uint32_t dimensions = t->depth != 0 ? 3 : t->height != 0 ? 2 : 1;
    double sum[LOOM_TEXTURE_CHANNELS] = {0};
    struct exec_color color;

    if (!texel->filtered) {
        return ptx_texel_read(view, texel->at, texel->layer);
    }
    for (uint32_t corner = 0; corner < 1u << dimensions; corner++) {
        int64_t at[3];
        double weight = 1.0;

        for (uint32_t i = 0; i < 3; i++) {
            bool next = (corner >> i & 1) != 0;

            at[i] = texel->at[i] + (next ? 1 : 0);
            weight *= i >= dimensions ? 1.0
                      : next          ? texel->part[i] / 256.0
                                      : (256 - texel->part[i]) / 256.0;
        }
        if (weight == 0.0) {
            continue; /* an infinite texel that is not touched */
        }
        color = ptx_texel_read(view, at, texel->layer);
        for (uint32_t c = 0; c < LOOM_TEXTURE_CHANNELS; c++) {
            sum[c] += weight * (double)lane_float(color.channel[c]);
        }
    }
    for (uint32_t c = 0; c < LOOM_TEXTURE_CHANNELS; c++) {
        color.channel[c] = lane_float_bits(canon_f32((float)sum[c]));
    }
    return color;
}

/* 32-bit values to the format, as sust.p does. */
void ptx_texel_write(const struct exec_view *view, uint64_t offset,
                     const uint32_t *value)
{
    const struct loom_texture *t = view->texture;
    uint32_t step = loom_texel_bytes(t->format);

    for (uint32_t i = 0; i < t->channels; i++) {
        uint32_t word = value[i];

        if (t->format == LOOM_TEXEL_F16) {
            word = narrow_bits((double)lane_float(word),
                               narrow_of(LOOM_PTX_F16), 0, false);
        }
        memcpy(view->host + offset + i * step, &word, step);
    }
}
