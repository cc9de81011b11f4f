/*
 * Fetches from textures, loads and stores of surfaces, queries.
 *
 * Each lane is done by itself: handles may differ.  The record has the
 * address of one texel per lane: the one that a point fetch reads, or the
 * one with the lowest coordinates of those that a filter reads; outside the
 * texture it is the nearest one.
 */
#include "workloads/ptx/exec/texture.h"

#include <string.h>

#include "workloads/ptx/exec/access.h"
#include "workloads/ptx/lanes/tools.h"

static uint32_t thread_of(const struct exec_warp *warp, uint32_t lane)
{
    return warp->number * LOOM_WARP_LANES + lane;
}

static uint64_t handle_of(const struct exec_launch *launch,
                          const struct exec_warp *warp,
                          const struct exec_op *op, uint32_t source,
                          uint32_t lane)
{
    uint64_t handle = ((const lane_u64 *)exec_reg(launch, warp, source))[lane];
    const void *place;

    if (op->how.high != 0) { /* of a variable of type .texref */
        place = loom_memory_at(launch->memory, handle, sizeof(handle));
        if (place == NULL) {
            return 0;
        }
        memcpy(&handle, place, sizeof(handle));
    }
    return handle;
}

/* Does the texture have the dimensions of the instruction? */
static bool shape_fits(const struct loom_texture *t, uint8_t shape)
{
    switch (shape) {
    case LOOM_PTX_1D:
    case LOOM_PTX_A1D:
        return t->height <= 1 && t->depth <= 1;
    case LOOM_PTX_2D:
    case LOOM_PTX_A2D:
        return t->height != 0 && t->depth <= 1;
    case LOOM_PTX_3D:
        return t->height != 0 && t->depth != 0;
    default: /* cubes */
        return t->width == t->height && t->layers >= 6;
    }
}

static bool find_view(struct exec_launch *launch, struct exec_warp *warp,
                      const struct exec_op *op, uint32_t lane,
                      struct exec_view *view)
{
    uint64_t handle = handle_of(launch, warp, op, op->s[0], lane);
    const struct loom_texture *t = loom_texture_find(launch->memory, handle);

    view->texture = view->sampler = t;
    if (t == NULL) {
        return ptx_fault(launch, warp, op,
                         "thread %u: 0x%llx is not the handle of a texture or "
                         "surface",
                         thread_of(warp, lane), (unsigned long long)handle);
    }
    if (op->opcode_sub != EXEC_QUERY && !shape_fits(t, op->how.shape)) {
        return ptx_fault(launch, warp, op,
                         "thread %u: the texture has %u x %u x %u texels in "
                         "%u layers, which does not fit the instruction",
                         thread_of(warp, lane), t->width, t->height, t->depth,
                         t->layers);
    }
    if (op->s[1] != EXEC_NONE) {
        handle = handle_of(launch, warp, op, op->s[1], lane);
        view->sampler = loom_texture_find(launch->memory, handle);
    }
    ptx_texture_look(launch, t, view);
    if (view->sampler == NULL || view->host == NULL) {
        return ptx_fault(launch, warp, op,
                         view->host == NULL
                             ? "thread %u: the texture's buffer has been freed"
                             : "thread %u: the sampler is not a handle",
                         thread_of(warp, lane));
    }
    return true;
}

/* One component of the four texels that a filter would read. */
static struct exec_color gather(const struct exec_view *view,
                                const struct exec_texel *texel,
                                uint8_t component)
{
    static const uint8_t corner[4] = {2, 3, 1, 0}; /* bit 0: x, bit 1: y */
    struct exec_color color;

    for (uint32_t i = 0; i < 4; i++) {
        int64_t at[3] = {texel->at[0] + (corner[i] & 1),
                         texel->at[1] + (corner[i] >> 1), 0};

        color.channel[i] =
            ptx_texel_read(view, at, texel->layer).channel[component];
    }
    return color;
}

/* The static form for a texel of so many bytes. */
static uint32_t form_of(const struct exec_op *op, uint32_t texel)
{
    switch (texel) {
    case 1:
        return op->target;
    case 2:
        return op->target + 1;
    case 8:
        return op->target + 2;
    case 16:
        return op->target + 3;
    default:
        return op->index;
    }
}

static bool fetch(struct exec_launch *launch, struct exec_warp *warp,
                  const struct exec_op *op, uint32_t mask)
{
    lane_u32 result[LOOM_TEXTURE_CHANNELS][LOOM_WARP_LANES];
    loom_addr address[LOOM_WARP_LANES];
    struct exec_view view = {0};

    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t l = loom_lowest(left);
        struct exec_color color = {{0}};
        struct exec_texel texel;
        uint64_t offset;

        if (!find_view(launch, warp, op, l, &view)) {
            return false;
        }
        if (op->opcode_sub == EXEC_FETCH && view.texture->smaller != 0) {
            if (op->how.mode == EXEC_LEVEL_UNKNOWN) {
                return ptx_fault(launch, warp, op,
                                 "thread %u: gradients of a mipmap in three "
                                 "dimensions are not simulated",
                                 thread_of(warp, l));
            }
            color = ptx_texture_mipmap(launch, warp, op, &view, l, &texel);
        } else if (ptx_texture_place(launch, warp, op, &view, l, &texel)) {
            color = op->opcode_sub == EXEC_GATHER
                        ? gather(&view, &texel, op->how.mode)
                        : ptx_texel_filter(&view, &texel);
        }
        ptx_texel_offset(&view, texel.at, texel.layer, &offset);
        address[l] = view.texture->base + offset;
        for (uint32_t c = 0; c < LOOM_TEXTURE_CHANNELS; c++) {
            result[c][l] = color.channel[c];
        }
    }
    loom_writer_memory(warp->writer, form_of(op, view.texel), mask, address);
    for (uint32_t c = 0; c < op->elements; c++) {
        if (op->d[c] != EXEC_NONE) {
            ptx_blend(warp->frame + op->d[c], result[c], mask, false);
        }
    }
    return true;
}

/* Where a lane's access goes; not inside: .zero, or .trap and false. */
struct spot {
    uint64_t offset;
    bool inside;
};

static bool surface_place(struct exec_launch *launch, struct exec_warp *warp,
                          const struct exec_op *op,
                          const struct exec_view *view, uint32_t lane,
                          struct spot *spot)
{
    const struct loom_texture *t = view->texture;
    bool texels = op->opcode_sub == EXEC_SURFACE_FORMAT ||
                  op->opcode_sub == EXEC_SURFACE_REDUCE_FORMAT;
    uint32_t bytes = texels ? view->texel : op->bytes * (uint32_t)op->elements;
    const int64_t size[3] = {
        texels ? t->width : (int64_t)t->width * view->texel - bytes + 1,
        t->height == 0 ? 1 : t->height, t->depth == 0 ? 1 : t->depth};
    struct exec_texel at;

    spot->inside = true;
    (void)ptx_texture_place(launch, warp, op, view, lane, &at);
    for (uint32_t i = 0; i < 3; i++) {
        if (at.at[i] >= 0 && at.at[i] < size[i]) {
            continue;
        }
        spot->inside = op->how.mode == LOOM_PTX_CLAMP && size[i] > 0;
        if (op->how.mode != LOOM_PTX_CLAMP && op->how.mode != LOOM_PTX_ZERO) {
            return ptx_fault(launch, warp, op,
                             "thread %u: coordinate %lld of dimension %u is "
                             "outside the surface",
                             thread_of(warp, lane), (long long)at.at[i], i);
        }
        at.at[i] = at.at[i] < 0 || size[i] < 1 ? 0 : size[i] - 1;
    }
    spot->offset = ((uint64_t)at.at[2] + at.layer) * t->slice +
                   (uint64_t)at.at[1] * t->pitch +
                   (uint64_t)at.at[0] * (texels ? view->texel : 1);
    if (!texels && spot->offset % bytes != 0) {
        spot->inside = false;
        return ptx_fault(launch, warp, op,
                         "thread %u: byte %lld of the row is not a multiple "
                         "of the access's %u bytes",
                         thread_of(warp, lane), (long long)at.at[0], bytes);
    }
    return true;
}

/* sured; .p: as the texels are written, which are of 32 bits. */
static void surface_reduce(const struct exec_launch *launch,
                           const struct exec_warp *warp,
                           const struct exec_op *op,
                           const struct exec_view *view, uint64_t offset,
                           uint32_t lane)
{
    const unsigned char *from = exec_reg(launch, warp, op->v[4]);
    struct exec_op reduce = *op;

    reduce.opcode_sub = op->how.sub;
    if (op->how.dtype == LOOM_PTX_S32 || op->how.dtype == LOOM_PTX_S64 ||
        (op->opcode_sub == EXEC_SURFACE_REDUCE_FORMAT &&
         view->texture->format == LOOM_TEXEL_S32)) {
        reduce.flags |= EXEC_SIGNED;
    }
    ptx_combine_all(&reduce, view->host + offset,
                    from + lane * (op->bytes == 8 ? 8u : 4u), op->bytes);
}

static bool reduces(const struct exec_launch *launch,
                    const struct exec_warp *warp, const struct exec_op *op,
                    const struct exec_view *view, uint32_t lane)
{
    const struct loom_texture *t = view->texture;

    return op->opcode_sub != EXEC_SURFACE_REDUCE_FORMAT ||
           (t->channels == 1 &&
            (t->format == LOOM_TEXEL_U32 || t->format == LOOM_TEXEL_S32)) ||
           ptx_fault(launch, warp, op,
                     "thread %u: the surface's texels are not one integer of "
                     "32 bits each",
                     thread_of(warp, lane));
}

static void surface_move(const struct exec_launch *launch,
                         const struct exec_warp *warp, const struct exec_op *op,
                         const struct exec_view *view, uint64_t offset,
                         uint32_t lane)
{
    uint32_t value[LOOM_TEXTURE_CHANNELS] = {0};
    bool store = op->opcode_sub != EXEC_SURFACE_LOAD;

    if (op->opcode_sub >= EXEC_SURFACE_REDUCE) {
        surface_reduce(launch, warp, op, view, offset, lane);
        return;
    }
    for (uint32_t n = 0; n < op->elements; n++) {
        uint8_t wide = store ? op->v_wide : op->d_wide;
        uint32_t step = (wide >> n & 1) != 0 ? 8 : 4;
        unsigned char *at = view->host + offset + n * op->bytes;

        if (op->opcode_sub == EXEC_SURFACE_FORMAT) {
            value[n] = ptx_texture_coordinate(launch, warp, op, 4 + n, lane);
        } else if (store) {
            const unsigned char *from = exec_reg(launch, warp, op->v[4 + n]);

            memcpy(at, from + lane * step, op->bytes);
        } else if (op->d[n] != EXEC_NONE) {
            unsigned char *to = warp->frame + op->d[n] + lane * step;

            memset(to, 0, step);
            memcpy(to, at, op->bytes);
        }
    }
    if (op->opcode_sub == EXEC_SURFACE_FORMAT) {
        ptx_texel_write(view, offset, value);
    }
}

/* .zero outside: loads give 0. */
static void clear(const struct exec_warp *warp, const struct exec_op *op,
                  uint32_t lane)
{
    for (uint32_t n = 0; n < op->elements; n++) {
        uint32_t step = (op->d_wide >> n & 1) != 0 ? 8 : 4;

        if (op->opcode_sub == EXEC_SURFACE_LOAD && op->d[n] != EXEC_NONE) {
            memset(warp->frame + op->d[n] + lane * step, 0, step);
        }
    }
}

static bool surface(struct exec_launch *launch, struct exec_warp *warp,
                    const struct exec_op *op, uint32_t mask)
{
    bool format = op->opcode_sub == EXEC_SURFACE_FORMAT;
    loom_addr address[LOOM_WARP_LANES];
    struct exec_view view = {0};
    uint32_t done = 0;

    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t l = loom_lowest(left);
        struct spot spot = {0, true};

        if (!find_view(launch, warp, op, l, &view) ||
            !reduces(launch, warp, op, &view, l) ||
            !surface_place(launch, warp, op, &view, l, &spot)) {
            return false;
        }
        address[l] = view.texture->base + spot.offset;
        if (!spot.inside) {
            clear(warp, op, l);
            continue;
        }
        done |= 1u << l;
        surface_move(launch, warp, op, &view, spot.offset, l);
        if (op->opcode_sub != EXEC_SURFACE_LOAD &&
            loom_memory_watched(launch->memory)) {
            loom_memory_mark(launch->memory, address[l],
                             format ? view.texel
                                    : op->bytes * (uint32_t)op->elements);
        }
    }
    /* Lanes outside touch nothing. */
    if (done == 0) {
        loom_writer_put(warp->writer, op->index, 0);
    } else {
        loom_writer_memory(warp->writer,
                           format ? form_of(op, view.texel) : op->index, done,
                           address);
    }
    return true;
}

/* The numbers of OpenCL's image formats, as PTX ISA has them ("Channel Data
 * Type and Channel Order Fields"). */
static uint32_t channel_type(const struct loom_texture *t)
{
    static const uint16_t number[LOOM_TEXELS] = {
        [LOOM_TEXEL_U8] = 0x10da,  [LOOM_TEXEL_U16] = 0x10db,
        [LOOM_TEXEL_U32] = 0x10dc, [LOOM_TEXEL_S8] = 0x10d7,
        [LOOM_TEXEL_S16] = 0x10d8, [LOOM_TEXEL_S32] = 0x10d9,
        [LOOM_TEXEL_F16] = 0x10dd, [LOOM_TEXEL_F32] = 0x10de};
    static const uint16_t normal[LOOM_TEXELS] = {[LOOM_TEXEL_U8] = 0x10d2,
                                                 [LOOM_TEXEL_U16] = 0x10d3,
                                                 [LOOM_TEXEL_S8] = 0x10d0,
                                                 [LOOM_TEXEL_S16] = 0x10d1};

    return t->normalized_read && normal[t->format] != 0 ? normal[t->format]
                                                        : number[t->format];
}

static uint32_t answer(const struct exec_launch *launch,
                       const struct loom_texture *t, uint8_t what)
{
    switch ((enum exec_query)what) {
    case EXEC_QUERY_WIDTH:
        return t->width;
    case EXEC_QUERY_HEIGHT:
        return t->height;
    case EXEC_QUERY_DEPTH:
        return t->depth;
    case EXEC_QUERY_LAYERS:
        return t->layers;
    case EXEC_QUERY_TYPE:
        return channel_type(t);
    case EXEC_QUERY_ORDER: /* R, RG, RGBA */
        return t->channels == 1 ? 0x10b0 : t->channels == 2 ? 0x10b2 : 0x10b5;
    case EXEC_QUERY_NORMALIZED:
        return t->normalized;
    case EXEC_QUERY_LEVELS:
        return ptx_texture_levels(launch, t);
    case EXEC_QUERY_ONE:
        break;
    }
    return 1;
}

static bool query(struct exec_launch *launch, struct exec_warp *warp,
                  const struct exec_op *op, uint32_t mask)
{
    lane_u32 *d = (void *)(warp->frame + op->d[0]);
    struct exec_view view;

    loom_writer_put(warp->writer, op->index, mask);
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t l = loom_lowest(left);

        if (!find_view(launch, warp, op, l, &view)) {
            return false;
        }
        d[l] = answer(launch, view.texture, op->how.mode);
    }
    return true;
}

bool ptx_exec_texture(struct exec_launch *launch, struct exec_warp *warp,
                      const struct exec_op *op, uint32_t mask)
{
    if (mask == 0) {
        loom_writer_put(warp->writer, op->index, 0);
        return true;
    }
    switch ((enum exec_texture)op->opcode_sub) {
    case EXEC_FETCH:
    case EXEC_GATHER:
        return fetch(launch, warp, op, mask);
    case EXEC_QUERY:
        return query(launch, warp, op, mask);
    case EXEC_SURFACE_LOAD:
    case EXEC_SURFACE_STORE:
    case EXEC_SURFACE_FORMAT:
    case EXEC_SURFACE_REDUCE:
    case EXEC_SURFACE_REDUCE_FORMAT:
        break;
    }
    return surface(launch, warp, op, mask);
}
