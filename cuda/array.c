/*
 * CUDA arrays, copies from and to them and of three dimensions, and
 * texture and surface objects on them or on memory.
 *
 * An array is an allocation in rows one after the other: the order in which
 * hardware keeps its texels is not modelled (workloads/texture.h).
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/runtime.h"
#include "cuda/texture.h"

#define ARRAY_MAGIC 0x7961727264756300 /* "\0cudrray" */

struct cuda_array {
    uint64_t magic;
    uint64_t address;
    struct cuda_channel channel;
    struct cuda_extent extent; /* in texels; 0: has no such dimension */
    size_t texel;              /* bytes */
    unsigned flags;
};

static size_t at_least_1(size_t value)
{
    return value == 0 ? 1 : value;
}

static size_t texel_bytes(const struct cuda_channel *c)
{
    return (size_t)(c->x + c->y + c->z + c->w) / 8;
}

static struct cuda_array *array_of(struct cuda_array *array)
{
    return array != NULL && array->magic == ARRAY_MAGIC ? array : NULL;
}

LOOM_CUDA(struct cuda_channel, cudaCreateChannelDesc, int x, int y, int z,
          int w, int kind)
{
    return (struct cuda_channel){x, y, z, w, kind};
}

LOOM_CUDA(int, cudaMalloc3DArray, struct cuda_array **handle,
          const struct cuda_channel *channel, struct cuda_extent extent,
          unsigned flags)
{
    struct loom_host_call call = {.name = NULL};
    struct cuda_array *array = calloc(1, sizeof(*array));
    size_t texel = texel_bytes(channel);
    int error;

    if (array == NULL || texel == 0 || extent.width == 0 ||
        ((flags & ARRAY_CUBEMAP) != 0 &&
         (extent.width != extent.height || extent.depth % 6 != 0))) {
        free(array);
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    loom_cuda_lock();
    error = LOOM_CUDA_ASK(&call, "alloc",
                          texel * extent.width * at_least_1(extent.height) *
                              at_least_1(extent.depth),
                          (uint64_t)loom_cuda_device());
    loom_cuda_unlock();
    if (error != CUDA_OK) {
        free(array);
        return loom_cuda_done(error);
    }
    *array = (struct cuda_array){ARRAY_MAGIC, call.result[0], *channel,
                                 extent,      texel,          flags};
    *handle = array;
    return CUDA_OK;
}

LOOM_CUDA(int, cudaMallocArray, struct cuda_array **handle,
          const struct cuda_channel *channel, size_t width, size_t height,
          unsigned flags)
{
    struct cuda_extent extent = {width, height, 0};

    return cudaMalloc3DArray(handle, channel, extent, flags);
}

LOOM_CUDA(int, cudaFreeArray, struct cuda_array *handle)
{
    struct loom_host_call call = {.name = NULL};
    struct cuda_array *array = array_of(handle);
    int error;

    if (array == NULL) {
        return loom_cuda_done(handle == NULL ? CUDA_OK : CUDA_INVALID_HANDLE);
    }
    error = LOOM_CUDA_ASK(&call, "free", array->address);
    array->magic = 0;
    free(array);
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaArrayGetInfo, struct cuda_channel *channel,
          struct cuda_extent *extent, unsigned *flags,
          struct cuda_array *handle)
{
    const struct cuda_array *array = array_of(handle);

    if (array == NULL) {
        return loom_cuda_done(CUDA_INVALID_HANDLE);
    }
    if (channel != NULL) {
        *channel = array->channel;
    }
    if (extent != NULL) {
        *extent = array->extent;
    }
    if (flags != NULL) {
        *flags = array->flags;
    }
    return CUDA_OK;
}

LOOM_CUDA(int, cudaGetChannelDesc, struct cuda_channel *channel,
          struct cuda_array *handle)
{
    return cudaArrayGetInfo(channel, NULL, NULL, handle);
}

/* ---- copies ---- */

int loom_cuda_array_place(struct cuda_array *handle,
                          struct loom_cuda_place *place)
{
    const struct cuda_array *array = array_of(handle);

    if (array == NULL) {
        return CUDA_INVALID_HANDLE;
    }
    place->address = array->address;
    place->texel = array->texel;
    place->pitch = array->texel * array->extent.width;
    place->slice = place->pitch * at_least_1(array->extent.height);
    place->bytes = place->slice * at_least_1(array->extent.depth);
    return CUDA_OK;
}

/* Where one side of a three-dimensional copy begins, in *address, and its
 * pitch and slice, in those of copy->to_. */
static int side(const struct cuda_pitched *plain, struct cuda_array *handle,
                const struct cuda_position *position,
                struct loom_cuda_copy *copy, uint64_t *address)
{
    struct loom_cuda_place place;
    size_t x = position->x;

    if (handle != NULL) {
        if (loom_cuda_array_place(handle, &place) != CUDA_OK) {
            return CUDA_INVALID_HANDLE;
        }
        copy->to_pitch = place.pitch;
        copy->to_slice = place.slice;
        *address = place.address;
        x *= place.texel;
    } else {
        copy->to_pitch = plain->pitch;
        copy->to_slice = plain->pitch * plain->height;
        *address = (uintptr_t)plain->at;
    }
    *address += x + position->y * copy->to_pitch + position->z * copy->to_slice;
    return CUDA_OK;
}

/* Bytes of an array's texels; 1 for none. */
static size_t texel_of(struct cuda_array *handle)
{
    const struct cuda_array *array = array_of(handle);

    return array == NULL ? 1 : array->texel;
}

int loom_cuda_copy3d(const struct cuda_copy3d *p, struct loom_cuda_copy *copy)
{
    int error;

    *copy = (struct loom_cuda_copy){.width = p->extent.width,
                                    .height = p->extent.height,
                                    .depth = p->extent.depth,
                                    .kind = p->kind};
    error = side(&p->from, p->from_array, &p->from_position, copy, &copy->from);
    if (error == CUDA_OK) {
        copy->from_pitch = copy->to_pitch;
        copy->from_slice = copy->to_slice;
        error = side(&p->to, p->to_array, &p->to_position, copy, &copy->to);
    }
    /* With an array in it, its width is in texels. */
    copy->width *=
        texel_of(p->from_array != NULL ? p->from_array : p->to_array);
    return error;
}

static int copy3d(const struct cuda_copy3d *p, void *stream, bool async)
{
    struct loom_cuda_copy copy;
    int error = loom_cuda_copy3d(p, &copy);

    copy.stream = stream;
    copy.async = async;
    return error != CUDA_OK ? loom_cuda_done(error) : loom_cuda_copy(copy);
}

LOOM_CUDA(int, cudaMemcpy3D, const struct cuda_copy3d *p)
{
    return copy3d(p, NULL, false);
}

LOOM_CUDA(int, cudaMemcpy3DAsync, const struct cuda_copy3d *p, void *stream)
{
    return copy3d(p, stream, true);
}

/* Between plain memory and a corner of an array; `x` and `width` in bytes. */
struct rectangle {
    struct cuda_array *array;
    size_t x, y;
    const void *plain;
    size_t pitch, width, height;
    int kind;
    void *stream;
};

static int copy_array(const struct rectangle *r, bool to_array, bool async)
{
    const struct cuda_array *array = array_of(r->array);
    struct loom_cuda_copy copy = {.width = r->width,
                                  .height = r->height,
                                  .depth = 1,
                                  .kind = r->kind,
                                  .stream = r->stream,
                                  .async = async};
    size_t row;
    uint64_t at;

    if (array == NULL) {
        return loom_cuda_done(CUDA_INVALID_HANDLE);
    }
    row = array->texel * array->extent.width;
    if (r->x + r->width > row ||
        r->y + r->height > at_least_1(array->extent.height)) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    at = array->address + r->y * row + r->x;
    copy.to = to_array ? at : (uintptr_t)r->plain;
    copy.from = to_array ? (uintptr_t)r->plain : at;
    copy.to_pitch = to_array ? row : r->pitch;
    copy.from_pitch = to_array ? r->pitch : row;
    return loom_cuda_copy(copy);
}

LOOM_CUDA(int, cudaMemcpy2DToArrayAsync, struct cuda_array *array, size_t x,
          size_t y, const void *from, size_t pitch, size_t width, size_t height,
          int kind, void *stream)
{
    struct rectangle r = {array, x,      y,    from,  pitch,
                          width, height, kind, stream};

    return copy_array(&r, true, true);
}

LOOM_CUDA(int, cudaMemcpy2DToArray, struct cuda_array *array, size_t x,
          size_t y, const void *from, size_t pitch, size_t width, size_t height,
          int kind)
{
    struct rectangle r = {array, x, y, from, pitch, width, height, kind, NULL};

    return copy_array(&r, true, false);
}

LOOM_CUDA(int, cudaMemcpy2DFromArray, void *to, size_t pitch,
          struct cuda_array *array, size_t x, size_t y, size_t width,
          size_t height, int kind)
{
    struct rectangle r = {array, x, y, to, pitch, width, height, kind, NULL};

    return copy_array(&r, false, false);
}

LOOM_CUDA(int, cudaMemcpy2DFromArrayAsync, void *to, size_t pitch,
          struct cuda_array *array, size_t x, size_t y, size_t width,
          size_t height, int kind, void *stream)
{
    struct rectangle r = {array, x, y, to, pitch, width, height, kind, stream};

    return copy_array(&r, false, true);
}

LOOM_CUDA(int, cudaMemcpy2DArrayToArray, struct cuda_array *to, size_t to_x,
          size_t to_y, struct cuda_array *from, size_t x, size_t y,
          size_t width, size_t height, int kind)
{
    const struct cuda_array *array = array_of(from);
    struct rectangle r = {to, to_x, to_y, NULL, 0, width, height, kind, NULL};

    if (array == NULL) {
        return loom_cuda_done(CUDA_INVALID_HANDLE);
    }
    r.pitch = array->texel * array->extent.width;
    if (x + width > r.pitch || y + height > at_least_1(array->extent.height)) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    r.plain = (const void *)(uintptr_t)(array->address + y * r.pitch + x);
    return copy_array(&r, true, false);
}

/* Rows one after the other, from a whole row on; its width is all bytes. */
static int copy_rows(struct rectangle r, bool to_array)
{
    const struct cuda_array *array = array_of(r.array);

    r.pitch = array == NULL ? 1 : array->texel * array->extent.width;
    r.height = 1;
    if (r.x == 0 && r.width % r.pitch == 0) {
        r.height = r.width / r.pitch;
        r.width = r.pitch;
    }
    return copy_array(&r, to_array, r.stream != NULL);
}

LOOM_CUDA(int, cudaMemcpyToArray, struct cuda_array *array, size_t x, size_t y,
          const void *from, size_t bytes, int kind)
{
    struct rectangle r = {array, x, y, from, 0, bytes, 0, kind, NULL};

    return copy_rows(r, true);
}

LOOM_CUDA(int, cudaMemcpyToArrayAsync, struct cuda_array *array, size_t x,
          size_t y, const void *from, size_t bytes, int kind, void *stream)
{
    struct rectangle r = {array, x, y, from, 0, bytes, 0, kind, stream};

    return copy_rows(r, true);
}

LOOM_CUDA(int, cudaMemcpyFromArray, void *to, struct cuda_array *array,
          size_t x, size_t y, size_t bytes, int kind)
{
    struct rectangle r = {array, x, y, to, 0, bytes, 0, kind, NULL};

    return copy_rows(r, false);
}

LOOM_CUDA(int, cudaMemcpyFromArrayAsync, void *to, struct cuda_array *array,
          size_t x, size_t y, size_t bytes, int kind, void *stream)
{
    struct rectangle r = {array, x, y, to, 0, bytes, 0, kind, stream};

    return copy_rows(r, false);
}

/* ---- textures ---- */

/* What the run wants to know, in the order of calls.texture. */
struct view {
    uint64_t base, pitch, width, height, depth, layers;
    struct cuda_channel channel;
};

static int view_of(const struct cuda_resource *r, struct view *view)
{
    const struct cuda_array *array;

    *view = (struct view){.base = 0};
    switch (r->kind) {
    case RESOURCE_ARRAY:
        array = array_of(r->of.array);
        if (array == NULL) {
            return CUDA_INVALID_HANDLE;
        }
        *view = (struct view){.base = array->address,
                              .width = array->extent.width,
                              .height = array->extent.height,
                              .depth = array->extent.depth,
                              .channel = array->channel};
        if (array->flags & (ARRAY_LAYERED | ARRAY_CUBEMAP)) {
            view->layers = view->depth;
            view->depth = 0;
        }
        return CUDA_OK;
    case RESOURCE_LINEAR:
        view->base = (uintptr_t)r->of.linear.at;
        view->channel = r->of.linear.channel;
        view->width =
            r->of.linear.bytes / at_least_1(texel_bytes(&view->channel));
        return CUDA_OK;
    case RESOURCE_PITCHED:
        view->base = (uintptr_t)r->of.pitched.at;
        view->channel = r->of.pitched.channel;
        view->width = r->of.pitched.width;
        view->height = r->of.pitched.height;
        view->pitch = r->of.pitched.pitch;
        return CUDA_OK;
    default:
        return CUDA_INVALID_VALUE;
    }
}

static uint64_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

int loom_cuda_texture_of(uint64_t *handle, const struct cuda_resource *r,
                         const struct cuda_texture *t, uint64_t smaller)
{
    const struct cuda_channel *c;
    struct loom_host_call call = {.name = NULL};
    struct view view;
    int error = view_of(r, &view);

    if (error != CUDA_OK) {
        return error;
    }
    c = &view.channel;
    error = LOOM_CUDA_ASK(
        &call, "texture", view.base, view.pitch, view.width, view.height,
        view.depth, view.layers, (uint64_t)c->kind, (uint64_t)c->x,
        (uint64_t)((c->x != 0) + (c->y != 0) + (c->z != 0) + (c->w != 0)),
        (uint64_t)t->address[0], (uint64_t)t->address[1],
        (uint64_t)t->address[2], (uint64_t)t->linear,
        (uint64_t)t->normalized_read, (uint64_t)t->normalized, smaller,
        (uint64_t)(t->mipmap_linear != 0), bits_of(t->mipmap[0]),
        bits_of(t->mipmap[1]), bits_of(t->mipmap[2]));
    *handle = call.result[0];
    return error;
}

LOOM_CUDA_ALIAS(cudaMemcpy3D_ptds, cudaMemcpy3D);
LOOM_CUDA_ALIAS(cudaMemcpy3DAsync_ptsz, cudaMemcpy3DAsync);
LOOM_CUDA_ALIAS(cudaMemcpy2DToArray_ptds, cudaMemcpy2DToArray);
LOOM_CUDA_ALIAS(cudaMemcpy2DToArrayAsync_ptsz, cudaMemcpy2DToArrayAsync);
LOOM_CUDA_ALIAS(cudaMemcpy2DFromArray_ptds, cudaMemcpy2DFromArray);
LOOM_CUDA_ALIAS(cudaMemcpy2DFromArrayAsync_ptsz, cudaMemcpy2DFromArrayAsync);
LOOM_CUDA_ALIAS(cudaMemcpy2DArrayToArray_ptds, cudaMemcpy2DArrayToArray);
LOOM_CUDA_ALIAS(cudaMemcpyToArrayAsync_ptsz, cudaMemcpyToArrayAsync);
LOOM_CUDA_ALIAS(cudaMemcpyFromArrayAsync_ptsz, cudaMemcpyFromArrayAsync);
LOOM_CUDA_ALIAS(cudaMemcpyToArray_ptds, cudaMemcpyToArray);
LOOM_CUDA_ALIAS(cudaMemcpyFromArray_ptds, cudaMemcpyFromArray);
