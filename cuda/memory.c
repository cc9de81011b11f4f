/*
 * Device memory: allocations, what is known of addresses, and symbols.
 */
#include <string.h>

#include "cuda/graph.h"

enum {
    PITCH = 512 /* textureAlignment of recent devices; rows begin there */
};

/* Requests that are absurd are refused before they are rounded up. */
#define BYTES_MAX (UINT64_C(1) << 48)

LOOM_CUDA(int, cudaMalloc, void **at, size_t bytes)
{
    struct loom_host_call call = {.name = NULL};
    uint64_t device = (uint64_t)loom_cuda_device();
    int error;

    if (at == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    *at = NULL;
    if (bytes > BYTES_MAX) {
        return loom_cuda_done(CUDA_OUT_OF_MEMORY);
    }
    loom_cuda_lock();
    error = bytes == 0 ? LOOM_CUDA_ASK(&call, "free_memory", device)
                       : LOOM_CUDA_ASK(&call, "alloc", bytes, device);
    if (error == CUDA_OUT_OF_MEMORY && loom_cuda_pools_trim()) {
        error = LOOM_CUDA_ASK(&call, "alloc", bytes, device);
    }
    if (error == CUDA_OK && bytes > 0) {
        *at = (void *)(uintptr_t)call.result[0];
    }
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaMallocPitch, void **at, size_t *pitch, size_t width,
          size_t height)
{
    if (width > BYTES_MAX || height > BYTES_MAX) {
        return loom_cuda_done(CUDA_OUT_OF_MEMORY);
    }
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    if (height > 0 && *pitch > BYTES_MAX / height) {
        return loom_cuda_done(CUDA_OUT_OF_MEMORY);
    }
    return cudaMalloc(at, *pitch * height);
}

LOOM_CUDA(int, cudaMalloc3D, struct cuda_pitched *made,
          struct cuda_extent extent)
{
    size_t rows = extent.height * extent.depth;

    if (extent.depth > 0 && rows / extent.depth != extent.height) {
        return loom_cuda_done(CUDA_OUT_OF_MEMORY);
    }
    made->width = extent.width;
    made->height = extent.height;
    return cudaMallocPitch(&made->at, &made->pitch, extent.width, rows);
}

LOOM_CUDA(int, cudaFree, void *at)
{
    struct loom_host_call call = {.name = NULL};
    int error;

    loom_cuda_lock();
    if (at == NULL) { /* programs start the runtime so */
        error =
            LOOM_CUDA_ASK(&call, "free_memory", (uint64_t)loom_cuda_device());
    } else if (!loom_cuda_pool_free(at, &error)) {
        error = loom_cuda_shared_kind(at) != 0
                    ? loom_cuda_unshare(at)
                    : LOOM_CUDA_ASK(&call, "free", (uintptr_t)at);
    }
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaMemGetInfo, size_t *left, size_t *total)
{
    struct loom_host_call call = {.name = NULL};
    int error =
        LOOM_CUDA_ASK(&call, "free_memory", (uint64_t)loom_cuda_device());

    if (error == CUDA_OK) {
        *left = (size_t)call.result[0];
        *total = (size_t)call.result[1];
    }
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaPointerGetAttributes, struct cuda_pointer_attributes *to,
          const void *at)
{
    struct cuda_pointer_attributes made = {.device = 0};
    struct loom_host_call call = {.name = NULL};
    int error = CUDA_OK;
    bool found;

    loom_cuda_lock();
    made.type = loom_cuda_shared_kind(at);
    found = LOOM_CUDA_ASK(&call, "find", (uintptr_t)at) == CUDA_OK;
    made.device = found ? (int)call.result[2] : 0;
    if (made.type != 0) {
        made.host_pointer = made.device_pointer = (void *)(uintptr_t)at;
    } else if (found) {
        made.type = 2;
        made.device_pointer = (void *)(uintptr_t)at;
    } else {
        made.device = -2; /* cudaInvalidDeviceId */
        made.host_pointer = (void *)(uintptr_t)at;
        error = loom_cuda_sticky();
    }
    loom_cuda_unlock();
    memcpy(to, &made,
           loom_cuda_version() >= 13
               ? sizeof(made)
               : offsetof(struct cuda_pointer_attributes, reserved));
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaGetSymbolAddress, void **at, const void *symbol)
{
    uint64_t address = 0, bytes;
    int error = loom_cuda_find_symbol(symbol, &address, &bytes);

    *at = (void *)(uintptr_t)address;
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaGetSymbolSize, size_t *size, const void *symbol)
{
    uint64_t address, bytes = 0;
    int error = loom_cuda_find_symbol(symbol, &address, &bytes);

    *size = (size_t)bytes;
    return loom_cuda_done(error);
}
