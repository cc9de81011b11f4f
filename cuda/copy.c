/*
 * Copies and fills.
 *
 * Which sides of a copy are the device's is what its kind says, or for
 * cudaMemcpyDefault what its addresses do.  Managed and mapped memory counts as
 * the host's, for there the program sees it.  A copy in the default stream is
 * over when the call returns, as are all on this machine that the program
 * could tell from one that is not.
 */
#include <stdbool.h>
#include <string.h>

#include "cuda/graph.h"

static bool is_shared(uint64_t address)
{
    return loom_cuda_shared_kind((const void *)(uintptr_t)address) != 0;
}

/* Address of the device's: in an allocation of the run that the host does not
 * see. */
static bool on_device(uint64_t address)
{
    struct loom_host_call call = {.name = NULL};

    return !is_shared(address) &&
           LOOM_CUDA_ASK(&call, "find", address) == CUDA_OK;
}

static int ask_copy(const struct loom_cuda_copy *copy, uint64_t way)
{
    struct loom_host_call call = {.name = NULL};

    return LOOM_CUDA_ASK(&call, "copy", way, copy->to, copy->from, copy->width,
                         copy->height, copy->depth, copy->to_pitch,
                         copy->from_pitch, copy->to_slice, copy->from_slice,
                         copy->stream_number);
}

static void copy_host(const struct loom_cuda_copy *copy)
{
    for (size_t z = 0; z < copy->depth; z++) {
        for (size_t y = 0; y < copy->height; y++) {
            char *to = (char *)(uintptr_t)copy->to;
            const char *from = (const char *)(uintptr_t)copy->from;

            memmove(to + y * copy->to_pitch + z * copy->to_slice,
                    from + y * copy->from_pitch + z * copy->from_slice,
                    copy->width);
        }
    }
}

/* Waits for a stream, and for what kernels have written to shared memory. */
static int settle(uint64_t stream)
{
    struct loom_host_call call = {.name = NULL};
    int error = LOOM_CUDA_ASK(&call, "stream_sync", stream);

    return error != CUDA_OK ? error : loom_cuda_pull_shared();
}

/* Is a side of the copy that a kind says is the device's? */
static bool fits(uint64_t address, bool device, int kind, int named)
{
    return device || is_shared(address) ||
           (kind != named && kind != CUDA_DEVICE_TO_DEVICE);
}

static int copy_locked(struct loom_cuda_copy *copy)
{
    bool to, from;
    int error = loom_cuda_stream(copy->stream, &copy->stream_number);

    error = loom_cuda_sticky() != 0 ? loom_cuda_sticky() : error;
    if (error != CUDA_OK) {
        return error;
    }
    if (copy->kind < CUDA_HOST_TO_HOST || copy->kind > CUDA_DEFAULT) {
        return CUDA_INVALID_DIRECTION;
    }
    if (copy->width == 0 || copy->height == 0 || copy->depth == 0) {
        return CUDA_OK;
    }
    if (copy->to == 0 || copy->from == 0) {
        return CUDA_INVALID_VALUE;
    }
    to = on_device(copy->to);
    from = on_device(copy->from);
    if (!fits(copy->to, to, copy->kind, CUDA_HOST_TO_DEVICE) ||
        !fits(copy->from, from, copy->kind, CUDA_DEVICE_TO_HOST)) {
        return CUDA_INVALID_VALUE;
    }
    if (!to && !from) {
        error = settle(copy->stream_number);
        if (error == CUDA_OK) {
            copy_host(copy);
        }
        return error;
    }
    if (is_shared(copy->from) || is_shared(copy->to)) {
        error = loom_cuda_pull_shared();
    }
    if (error == CUDA_OK) {
        error = ask_copy(copy, to && from ? LOOM_CUDA_WITHIN
                               : to       ? LOOM_CUDA_TO_DEVICE
                                          : LOOM_CUDA_TO_HOST);
    }
    return error != CUDA_OK || copy->async ||
                   loom_cuda_waits(copy->stream_number)
               ? error
               : settle(copy->stream_number);
}

int loom_cuda_copy(struct loom_cuda_copy copy)
{
    int error;

    if (loom_cuda_captures(copy.stream)) {
        struct loom_cuda_work work = {.type = NODE_COPY, .of.copy = copy};

        return loom_cuda_done(
            copy.width * copy.height * copy.depth == 0 ? CUDA_OK
            : copy.async ? loom_cuda_capture(copy.stream, work)
                         : loom_cuda_capture_refuse(copy.stream));
    }
    loom_cuda_lock();
    error = copy_locked(&copy);
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

static struct loom_cuda_copy line(void *to, const void *from, size_t bytes,
                                  int kind)
{
    return (struct loom_cuda_copy){.to = (uintptr_t)to,
                                   .from = (uintptr_t)from,
                                   .width = bytes,
                                   .height = 1,
                                   .depth = 1,
                                   .kind = kind};
}

LOOM_CUDA(int, cudaMemcpy, void *to, const void *from, size_t bytes, int kind)
{
    return loom_cuda_copy(line(to, from, bytes, kind));
}

LOOM_CUDA(int, cudaMemcpyAsync, void *to, const void *from, size_t bytes,
          int kind, void *stream)
{
    struct loom_cuda_copy copy = line(to, from, bytes, kind);

    copy.stream = stream;
    copy.async = true;
    return loom_cuda_copy(copy);
}

static bool are_devices(int one, int other)
{
    return loom_cuda_is_device(one) && loom_cuda_is_device(other);
}

LOOM_CUDA(int, cudaMemcpyPeer, void *to, int to_device, const void *from,
          int from_device, size_t bytes)
{
    if (!are_devices(to_device, from_device)) {
        return loom_cuda_done(CUDA_INVALID_DEVICE);
    }
    return loom_cuda_copy(line(to, from, bytes, CUDA_DEVICE_TO_DEVICE));
}

LOOM_CUDA(int, cudaMemcpyPeerAsync, void *to, int to_device, const void *from,
          int from_device, size_t bytes, void *stream)
{
    struct loom_cuda_copy copy = line(to, from, bytes, CUDA_DEVICE_TO_DEVICE);

    if (!are_devices(to_device, from_device)) {
        return loom_cuda_done(CUDA_INVALID_DEVICE);
    }
    copy.stream = stream;
    copy.async = true;
    return loom_cuda_copy(copy);
}

LOOM_CUDA(int, cudaMemcpy2DAsync, void *to, size_t to_pitch, const void *from,
          size_t from_pitch, size_t width, size_t height, int kind,
          void *stream)
{
    struct loom_cuda_copy copy = line(to, from, width, kind);

    if (width > to_pitch || width > from_pitch) {
        return loom_cuda_done(CUDA_INVALID_PITCH);
    }
    copy.height = height;
    copy.to_pitch = to_pitch;
    copy.from_pitch = from_pitch;
    copy.stream = stream;
    copy.async = true;
    return loom_cuda_copy(copy);
}

LOOM_CUDA(int, cudaMemcpy2D, void *to, size_t to_pitch, const void *from,
          size_t from_pitch, size_t width, size_t height, int kind)
{
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height,
                             kind, NULL);
}

/* ---- symbols ---- */

int loom_cuda_copy_symbol(struct loom_cuda_part part, const void *other,
                          int kind, bool to, struct loom_cuda_copy *copy)
{
    size_t bytes = part.bytes, offset = part.offset;
    uint64_t address, size;
    int error = loom_cuda_find_symbol(part.symbol, &address, &size);

    if (error != CUDA_OK) {
        return error;
    }
    if (offset > size || bytes > size - offset) {
        return CUDA_INVALID_VALUE;
    }
    *copy = line(NULL, NULL, bytes, kind);
    copy->to = to ? address + offset : (uintptr_t)other;
    copy->from = to ? (uintptr_t)other : address + offset;
    return CUDA_OK;
}

static int copy_symbol(struct loom_cuda_part part, const void *other, int kind,
                       void *stream, bool to)
{
    struct loom_cuda_copy copy;
    int error = loom_cuda_copy_symbol(part, other, kind, to, &copy);

    if (error != CUDA_OK) {
        return loom_cuda_done(error);
    }
    copy.stream = stream;
    copy.async = stream != NULL;
    return loom_cuda_copy(copy);
}

LOOM_CUDA(int, cudaMemcpyToSymbol, const void *symbol, const void *from,
          size_t bytes, size_t offset, int kind)
{
    return copy_symbol((struct loom_cuda_part){symbol, bytes, offset}, from,
                       kind, NULL, true);
}

LOOM_CUDA(int, cudaMemcpyToSymbolAsync, const void *symbol, const void *from,
          size_t bytes, size_t offset, int kind, void *stream)
{
    return copy_symbol((struct loom_cuda_part){symbol, bytes, offset}, from,
                       kind, stream, true);
}

LOOM_CUDA(int, cudaMemcpyFromSymbol, void *to, const void *symbol, size_t bytes,
          size_t offset, int kind)
{
    return copy_symbol((struct loom_cuda_part){symbol, bytes, offset}, to, kind,
                       NULL, false);
}

LOOM_CUDA(int, cudaMemcpyFromSymbolAsync, void *to, const void *symbol,
          size_t bytes, size_t offset, int kind, void *stream)
{
    return copy_symbol((struct loom_cuda_part){symbol, bytes, offset}, to, kind,
                       stream, false);
}

/* ---- fills ---- */

/* Where the program sees it, too. */
static void fill_host(const struct loom_cuda_fill *fill)
{
    for (size_t z = 0; z < fill->extent.depth; z++) {
        for (size_t y = 0; y < fill->extent.height; y++) {
            char *row =
                (char *)(uintptr_t)fill->at + y * fill->pitch + z * fill->slice;

            for (size_t x = 0; x < fill->extent.width; x += fill->unit) {
                memcpy(row + x, &fill->value, fill->unit);
            }
        }
    }
}

int loom_cuda_fill(struct loom_cuda_fill fill)
{
    struct loom_cuda_copy copy = {.to = fill.at,
                                  .from = fill.value,
                                  .width = fill.extent.width,
                                  .height = fill.extent.height,
                                  .depth = fill.extent.depth,
                                  .to_pitch = fill.pitch,
                                  .to_slice = fill.slice,
                                  .from_pitch = fill.unit};
    int error;

    if (loom_cuda_captures(fill.stream)) {
        return loom_cuda_done(loom_cuda_capture(
            fill.stream,
            (struct loom_cuda_work){.type = NODE_FILL, .of.fill = fill}));
    }
    loom_cuda_lock();
    error = loom_cuda_stream(fill.stream, &copy.stream_number);
    if (error == CUDA_OK && copy.width * copy.height * copy.depth > 0) {
        if (is_shared(fill.at)) {
            error = settle(copy.stream_number);
            if (error == CUDA_OK) {
                fill_host(&fill);
            }
        } else {
            error = ask_copy(&copy, LOOM_CUDA_FILL);
        }
    }
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

static int fill_bytes(void *at, int value, struct cuda_extent extent,
                      size_t pitch, size_t slice, void *stream)
{
    return loom_cuda_fill((struct loom_cuda_fill){.at = (uintptr_t)at,
                                                  .value = (uint32_t)value,
                                                  .unit = 1,
                                                  .extent = extent,
                                                  .pitch = pitch,
                                                  .slice = slice,
                                                  .stream = stream});
}

LOOM_CUDA(int, cudaMemsetAsync, void *at, int value, size_t bytes, void *stream)
{
    struct cuda_extent extent = {bytes, 1, 1};

    return fill_bytes(at, value, extent, 0, 0, stream);
}

LOOM_CUDA(int, cudaMemset, void *at, int value, size_t bytes)
{
    return cudaMemsetAsync(at, value, bytes, NULL);
}

LOOM_CUDA(int, cudaMemset2DAsync, void *at, size_t pitch, int value,
          size_t width, size_t height, void *stream)
{
    struct cuda_extent extent = {width, height, 1};

    return width > pitch && height > 1
               ? loom_cuda_done(CUDA_INVALID_PITCH)
               : fill_bytes(at, value, extent, pitch, 0, stream);
}

LOOM_CUDA(int, cudaMemset2D, void *at, size_t pitch, int value, size_t width,
          size_t height)
{
    return cudaMemset2DAsync(at, pitch, value, width, height, NULL);
}

LOOM_CUDA(int, cudaMemset3DAsync, struct cuda_pitched at, int value,
          struct cuda_extent extent, void *stream)
{
    return fill_bytes(at.at, value, extent, at.pitch, at.pitch * at.height,
                      stream);
}

LOOM_CUDA(int, cudaMemset3D, struct cuda_pitched at, int value,
          struct cuda_extent extent)
{
    return cudaMemset3DAsync(at, value, extent, NULL);
}

LOOM_CUDA_ALIAS(cudaMemcpy_ptds, cudaMemcpy);
LOOM_CUDA_ALIAS(cudaMemcpyAsync_ptsz, cudaMemcpyAsync);
LOOM_CUDA_ALIAS(cudaMemcpy2D_ptds, cudaMemcpy2D);
LOOM_CUDA_ALIAS(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync);
LOOM_CUDA_ALIAS(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol);
LOOM_CUDA_ALIAS(cudaMemcpyToSymbolAsync_ptsz, cudaMemcpyToSymbolAsync);
LOOM_CUDA_ALIAS(cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbol);
LOOM_CUDA_ALIAS(cudaMemcpyFromSymbolAsync_ptsz, cudaMemcpyFromSymbolAsync);
LOOM_CUDA_ALIAS(cudaMemset_ptds, cudaMemset);
LOOM_CUDA_ALIAS(cudaMemsetAsync_ptsz, cudaMemsetAsync);
LOOM_CUDA_ALIAS(cudaMemset2D_ptds, cudaMemset2D);
LOOM_CUDA_ALIAS(cudaMemset2DAsync_ptsz, cudaMemset2DAsync);
LOOM_CUDA_ALIAS(cudaMemset3D_ptds, cudaMemset3D);
LOOM_CUDA_ALIAS(cudaMemset3DAsync_ptsz, cudaMemset3DAsync);
