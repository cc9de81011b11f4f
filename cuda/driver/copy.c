/*
 * Copies and fills of the driver API: the names say which sides are the
 * device's, and of boxes the types of memory.
 */
#include <stdbool.h>

#include "cuda/driver/driver.h"

static int copy(uint64_t to, uint64_t from, size_t bytes, int kind)
{
    return cudaMemcpy(loom_driver_pointer(to), loom_driver_pointer(from), bytes,
                      kind);
}

static int copy_async(uint64_t to, uint64_t from, size_t bytes, int kind,
                      void *stream)
{
    return cudaMemcpyAsync(loom_driver_pointer(to), loom_driver_pointer(from),
                           bytes, kind, stream);
}

LOOM_CUDA(int, cuMemcpy, uint64_t to, uint64_t from, size_t bytes)
{
    return LOOM_DRIVEN(copy(to, from, bytes, CUDA_DEFAULT));
}

LOOM_CUDA(int, cuMemcpyAsync, uint64_t to, uint64_t from, size_t bytes,
          void *stream)
{
    return LOOM_DRIVEN(copy_async(to, from, bytes, CUDA_DEFAULT, stream));
}

LOOM_CUDA(int, cuMemcpyHtoD_v2, uint64_t to, const void *from, size_t bytes)
{
    return LOOM_DRIVEN(copy(to, (uintptr_t)from, bytes, CUDA_HOST_TO_DEVICE));
}

LOOM_CUDA(int, cuMemcpyHtoDAsync_v2, uint64_t to, const void *from,
          size_t bytes, void *stream)
{
    return LOOM_DRIVEN(
        copy_async(to, (uintptr_t)from, bytes, CUDA_HOST_TO_DEVICE, stream));
}

LOOM_CUDA(int, cuMemcpyDtoH_v2, void *to, uint64_t from, size_t bytes)
{
    return LOOM_DRIVEN(copy((uintptr_t)to, from, bytes, CUDA_DEVICE_TO_HOST));
}

LOOM_CUDA(int, cuMemcpyDtoHAsync_v2, void *to, uint64_t from, size_t bytes,
          void *stream)
{
    return LOOM_DRIVEN(
        copy_async((uintptr_t)to, from, bytes, CUDA_DEVICE_TO_HOST, stream));
}

LOOM_CUDA(int, cuMemcpyDtoD_v2, uint64_t to, uint64_t from, size_t bytes)
{
    return LOOM_DRIVEN(copy(to, from, bytes, CUDA_DEVICE_TO_DEVICE));
}

LOOM_CUDA(int, cuMemcpyDtoDAsync_v2, uint64_t to, uint64_t from, size_t bytes,
          void *stream)
{
    return LOOM_DRIVEN(
        copy_async(to, from, bytes, CUDA_DEVICE_TO_DEVICE, stream));
}

/* Contexts have one memory, and devices one address space. */
LOOM_CUDA(int, cuMemcpyPeer, uint64_t to, const void *to_context, uint64_t from,
          const void *from_context, size_t bytes)
{
    (void)to_context, (void)from_context;
    return LOOM_DRIVEN(copy(to, from, bytes, CUDA_DEVICE_TO_DEVICE));
}

LOOM_CUDA(int, cuMemcpyPeerAsync, uint64_t to, const void *to_context,
          uint64_t from, const void *from_context, size_t bytes, void *stream)
{
    (void)to_context, (void)from_context;
    return LOOM_DRIVEN(
        copy_async(to, from, bytes, CUDA_DEVICE_TO_DEVICE, stream));
}

/* ---- boxes ---- */

/* Where a side begins, and its rows and planes; an error number. */
static int place(const struct driver_side3d *side,
                 const struct driver_copy3d *all, struct loom_cuda_place *to)
{
    int error = CUDA_OK;

    if (side->type == LOOM_DRIVER_ARRAY) {
        error = loom_cuda_array_place(side->array, to);
        if (error == CUDA_OK &&
            (side->x + all->width > to->pitch ||
             (side->y + all->height) * to->pitch > to->slice ||
             (side->z + all->depth) * to->slice > to->bytes)) {
            error = CUDA_INVALID_VALUE;
        }
    } else {
        to->address = side->type == LOOM_DRIVER_HOST ? (uintptr_t)side->host
                                                     : side->device;
        to->pitch = side->pitch != 0 ? side->pitch : all->width + side->x;
        to->slice = to->pitch *
                    (side->height != 0 ? side->height : all->height + side->y);
        if (to->pitch < all->width ||
            (to->slice < to->pitch * all->height && all->depth > 1)) {
            error = CUDA_INVALID_VALUE;
        }
    }
    to->address += side->x + side->y * to->pitch + side->z * to->slice;
    return side->type < LOOM_DRIVER_HOST || side->type > LOOM_DRIVER_ANY
               ? CUDA_INVALID_VALUE
               : error;
}

static int kind_of(uint32_t from, uint32_t to)
{
    if (from == LOOM_DRIVER_ANY || to == LOOM_DRIVER_ANY) {
        return CUDA_DEFAULT;
    }
    if (from == LOOM_DRIVER_HOST) {
        return to == LOOM_DRIVER_HOST ? CUDA_HOST_TO_HOST : CUDA_HOST_TO_DEVICE;
    }
    return to == LOOM_DRIVER_HOST ? CUDA_DEVICE_TO_HOST : CUDA_DEVICE_TO_DEVICE;
}

int loom_driver_copy_box(const struct driver_copy3d *p,
                         struct loom_cuda_copy *copy)
{
    struct loom_cuda_place from = {0}, to = {0};
    int error = place(&p->from, p, &from);

    if (error == CUDA_OK) {
        error = place(&p->to, p, &to);
    }
    if (error != CUDA_OK || p->from.level != 0 || p->to.level != 0) {
        return error != CUDA_OK ? error : CUDA_INVALID_VALUE;
    }
    *copy = (struct loom_cuda_copy){.to = to.address,
                                    .from = from.address,
                                    .width = p->width,
                                    .height = p->height,
                                    .depth = p->depth,
                                    .to_pitch = to.pitch,
                                    .from_pitch = from.pitch,
                                    .to_slice = to.slice,
                                    .from_slice = from.slice,
                                    .kind = kind_of(p->from.type, p->to.type)};
    return CUDA_OK;
}

static int copy_box(const struct driver_copy3d *p, void *stream, bool async)
{
    struct loom_cuda_copy copy;
    int error = loom_driver_copy_box(p, &copy);

    copy.stream = stream;
    copy.async = async;
    return error != CUDA_OK ? error : loom_cuda_copy(copy);
}

static struct driver_side3d deepen(const struct driver_side2d *side)
{
    return (struct driver_side3d){.x = side->x,
                                  .y = side->y,
                                  .type = side->type,
                                  .host = side->host,
                                  .device = side->device,
                                  .array = side->array,
                                  .pitch = side->pitch};
}

static int copy_rows(const struct driver_copy2d *p, void *stream, bool async)
{
    struct driver_copy3d all;

    if (p == NULL) {
        return CUDA_INVALID_VALUE;
    }
    all = (struct driver_copy3d){.from = deepen(&p->from),
                                 .to = deepen(&p->to),
                                 .width = p->width,
                                 .height = p->height,
                                 .depth = 1};
    return copy_box(&all, stream, async);
}

LOOM_CUDA(int, cuMemcpy2D_v2, const struct driver_copy2d *p)
{
    return LOOM_DRIVEN(copy_rows(p, NULL, false));
}

LOOM_CUDA(int, cuMemcpy2DAsync_v2, const struct driver_copy2d *p, void *stream)
{
    return LOOM_DRIVEN(copy_rows(p, stream, true));
}

LOOM_CUDA(int, cuMemcpy3D_v2, const struct driver_copy3d *p)
{
    return LOOM_DRIVEN(p == NULL ? CUDA_INVALID_VALUE
                                 : copy_box(p, NULL, false));
}

LOOM_CUDA(int, cuMemcpy3DAsync_v2, const struct driver_copy3d *p, void *stream)
{
    return LOOM_DRIVEN(p == NULL ? CUDA_INVALID_VALUE
                                 : copy_box(p, stream, true));
}

/* ---- arrays: bytes from an offset on ---- */

struct part {
    struct cuda_array *array;
    size_t offset;
};

/* A part of an array; without one, memory at `offset`. */
static int part_at(struct part part, size_t bytes, uint64_t *at)
{
    struct loom_cuda_place place;
    int error;

    if (part.array == NULL) {
        *at = part.offset;
        return CUDA_OK;
    }
    error = loom_cuda_array_place(part.array, &place);
    if (error == CUDA_OK) {
        *at = place.address + part.offset;
        error = part.offset > place.bytes || bytes > place.bytes - part.offset
                    ? CUDA_INVALID_VALUE
                    : CUDA_OK;
    }
    return error;
}

static int copy_parts(struct part to, struct part from, size_t bytes, int kind,
                      void *stream)
{
    uint64_t target, source;
    int error = part_at(to, bytes, &target);

    if (error == CUDA_OK) {
        error = part_at(from, bytes, &source);
    }
    if (error != CUDA_OK) {
        return error;
    }
    return stream == NULL ? copy(target, source, bytes, kind)
                          : copy_async(target, source, bytes, kind, stream);
}

LOOM_CUDA(int, cuMemcpyHtoA_v2, struct cuda_array *to, size_t offset,
          const void *from, size_t bytes)
{
    return LOOM_DRIVEN(copy_parts((struct part){to, offset},
                                  (struct part){NULL, (uintptr_t)from}, bytes,
                                  CUDA_HOST_TO_DEVICE, NULL));
}

LOOM_CUDA(int, cuMemcpyHtoAAsync_v2, struct cuda_array *to, size_t offset,
          const void *from, size_t bytes, void *stream)
{
    return LOOM_DRIVEN(copy_parts((struct part){to, offset},
                                  (struct part){NULL, (uintptr_t)from}, bytes,
                                  CUDA_HOST_TO_DEVICE, stream));
}

LOOM_CUDA(int, cuMemcpyAtoH_v2, void *to, struct cuda_array *from,
          size_t offset, size_t bytes)
{
    return LOOM_DRIVEN(copy_parts((struct part){NULL, (uintptr_t)to},
                                  (struct part){from, offset}, bytes,
                                  CUDA_DEVICE_TO_HOST, NULL));
}

LOOM_CUDA(int, cuMemcpyAtoHAsync_v2, void *to, struct cuda_array *from,
          size_t offset, size_t bytes, void *stream)
{
    return LOOM_DRIVEN(copy_parts((struct part){NULL, (uintptr_t)to},
                                  (struct part){from, offset}, bytes,
                                  CUDA_DEVICE_TO_HOST, stream));
}

LOOM_CUDA(int, cuMemcpyDtoA_v2, struct cuda_array *to, size_t offset,
          uint64_t from, size_t bytes)
{
    return LOOM_DRIVEN(copy_parts((struct part){to, offset},
                                  (struct part){NULL, from}, bytes,
                                  CUDA_DEVICE_TO_DEVICE, NULL));
}

LOOM_CUDA(int, cuMemcpyAtoD_v2, uint64_t to, struct cuda_array *from,
          size_t offset, size_t bytes)
{
    return LOOM_DRIVEN(copy_parts((struct part){NULL, to},
                                  (struct part){from, offset}, bytes,
                                  CUDA_DEVICE_TO_DEVICE, NULL));
}

LOOM_CUDA(int, cuMemcpyAtoA_v2, struct cuda_array *to, size_t to_offset,
          struct cuda_array *from, size_t from_offset, size_t bytes)
{
    return LOOM_DRIVEN(copy_parts((struct part){to, to_offset},
                                  (struct part){from, from_offset}, bytes,
                                  CUDA_DEVICE_TO_DEVICE, NULL));
}

/* ---- fills, of elements ---- */

static int fill(uint64_t at, uint32_t value, size_t unit,
                struct cuda_extent extent, size_t pitch, void *stream)
{
    if (at % unit != 0 || (extent.height > 1 && pitch % unit != 0) ||
        (extent.height > 1 && pitch < extent.width * unit)) {
        return CUDA_INVALID_VALUE;
    }
    extent.width *= unit;
    return loom_cuda_fill((struct loom_cuda_fill){.at = at,
                                                  .value = value,
                                                  .unit = unit,
                                                  .extent = extent,
                                                  .pitch = pitch,
                                                  .stream = stream});
}

LOOM_CUDA(int, cuMemsetD8Async, uint64_t at, unsigned char value, size_t count,
          void *stream)
{
    struct cuda_extent extent = {count, 1, 1};

    return LOOM_DRIVEN(fill(at, value, 1, extent, 0, stream));
}

LOOM_CUDA(int, cuMemsetD16Async, uint64_t at, unsigned short value,
          size_t count, void *stream)
{
    struct cuda_extent extent = {count, 1, 1};

    return LOOM_DRIVEN(fill(at, value, 2, extent, 0, stream));
}

LOOM_CUDA(int, cuMemsetD32Async, uint64_t at, unsigned value, size_t count,
          void *stream)
{
    struct cuda_extent extent = {count, 1, 1};

    return LOOM_DRIVEN(fill(at, value, 4, extent, 0, stream));
}

LOOM_CUDA(int, cuMemsetD2D8Async, uint64_t at, size_t pitch,
          unsigned char value, size_t width, size_t height, void *stream)
{
    struct cuda_extent extent = {width, height, 1};

    return LOOM_DRIVEN(fill(at, value, 1, extent, pitch, stream));
}

LOOM_CUDA(int, cuMemsetD2D16Async, uint64_t at, size_t pitch,
          unsigned short value, size_t width, size_t height, void *stream)
{
    struct cuda_extent extent = {width, height, 1};

    return LOOM_DRIVEN(fill(at, value, 2, extent, pitch, stream));
}

LOOM_CUDA(int, cuMemsetD2D32Async, uint64_t at, size_t pitch, unsigned value,
          size_t width, size_t height, void *stream)
{
    struct cuda_extent extent = {width, height, 1};

    return LOOM_DRIVEN(fill(at, value, 4, extent, pitch, stream));
}

LOOM_CUDA(int, cuMemsetD8_v2, uint64_t at, unsigned char value, size_t count)
{
    return cuMemsetD8Async(at, value, count, NULL);
}

LOOM_CUDA(int, cuMemsetD16_v2, uint64_t at, unsigned short value, size_t count)
{
    return cuMemsetD16Async(at, value, count, NULL);
}

LOOM_CUDA(int, cuMemsetD32_v2, uint64_t at, unsigned value, size_t count)
{
    return cuMemsetD32Async(at, value, count, NULL);
}

LOOM_CUDA(int, cuMemsetD2D8_v2, uint64_t at, size_t pitch, unsigned char value,
          size_t width, size_t height)
{
    return cuMemsetD2D8Async(at, pitch, value, width, height, NULL);
}

LOOM_CUDA(int, cuMemsetD2D16_v2, uint64_t at, size_t pitch,
          unsigned short value, size_t width, size_t height)
{
    return cuMemsetD2D16Async(at, pitch, value, width, height, NULL);
}

LOOM_CUDA(int, cuMemsetD2D32_v2, uint64_t at, size_t pitch, unsigned value,
          size_t width, size_t height)
{
    return cuMemsetD2D32Async(at, pitch, value, width, height, NULL);
}

#define SYNC(name) LOOM_CUDA_ALIAS(name##_ptds, name)
#define ASYNC(name) LOOM_CUDA_ALIAS(name##_ptsz, name)

SYNC(cuMemcpy);
ASYNC(cuMemcpyAsync);
SYNC(cuMemcpyHtoD_v2);
ASYNC(cuMemcpyHtoDAsync_v2);
SYNC(cuMemcpyDtoH_v2);
ASYNC(cuMemcpyDtoHAsync_v2);
SYNC(cuMemcpyDtoD_v2);
ASYNC(cuMemcpyDtoDAsync_v2);
SYNC(cuMemcpyPeer);
ASYNC(cuMemcpyPeerAsync);
SYNC(cuMemcpy2D_v2);
LOOM_CUDA_ALIAS(cuMemcpy2DUnaligned_v2, cuMemcpy2D_v2);
LOOM_CUDA_ALIAS(cuMemcpy2DUnaligned_v2_ptds, cuMemcpy2D_v2);
ASYNC(cuMemcpy2DAsync_v2);
SYNC(cuMemcpy3D_v2);
ASYNC(cuMemcpy3DAsync_v2);
LOOM_CUDA_ALIAS(cuMemcpy3DPeer, cuMemcpy3D_v2);
LOOM_CUDA_ALIAS(cuMemcpy3DPeer_ptds, cuMemcpy3D_v2);
LOOM_CUDA_ALIAS(cuMemcpy3DPeerAsync, cuMemcpy3DAsync_v2);
LOOM_CUDA_ALIAS(cuMemcpy3DPeerAsync_ptsz, cuMemcpy3DAsync_v2);
SYNC(cuMemcpyHtoA_v2);
ASYNC(cuMemcpyHtoAAsync_v2);
SYNC(cuMemcpyAtoH_v2);
ASYNC(cuMemcpyAtoHAsync_v2);
SYNC(cuMemcpyDtoA_v2);
SYNC(cuMemcpyAtoD_v2);
SYNC(cuMemcpyAtoA_v2);
ASYNC(cuMemsetD8Async);
ASYNC(cuMemsetD16Async);
ASYNC(cuMemsetD32Async);
ASYNC(cuMemsetD2D8Async);
ASYNC(cuMemsetD2D16Async);
ASYNC(cuMemsetD2D32Async);
SYNC(cuMemsetD8_v2);
SYNC(cuMemsetD16_v2);
SYNC(cuMemsetD32_v2);
SYNC(cuMemsetD2D8_v2);
SYNC(cuMemsetD2D16_v2);
SYNC(cuMemsetD2D32_v2);
