/*
 * Memory of the driver API, and what is known of addresses.
 */
#include <string.h>

#include "cuda/driver/driver.h"

/* CUpointer_attribute: those that are known here. */
enum {
    POINTER_CONTEXT = 1,
    POINTER_MEMORY_TYPE,
    POINTER_DEVICE,
    POINTER_HOST,
    POINTER_SYNC = 6,
    POINTER_BUFFER = 7,
    POINTER_MANAGED = 8,
    POINTER_ORDINAL = 9,
    POINTER_RANGE_START = 11,
    POINTER_RANGE_BYTES = 12,
    POINTER_MAPPED = 13
};

/* CUmemorytype */
enum {
    TYPE_HOST = 1,
    TYPE_DEVICE = 2
};

/* Unlike the runtime's, an allocation of nothing is an error. */
static int allocate(uint64_t *at, size_t bytes)
{
    if (at == NULL || bytes == 0) {
        return CUDA_INVALID_VALUE;
    }
    return cudaMalloc((void **)(void *)at, bytes);
}

LOOM_CUDA(int, cuMemAlloc_v2, uint64_t *at, size_t bytes)
{
    return LOOM_DRIVEN(allocate(at, bytes));
}

LOOM_CUDA(int, cuMemAllocAsync, uint64_t *at, size_t bytes, void *stream)
{
    return LOOM_DRIVEN(cudaMallocAsync((void **)(void *)at, bytes, stream));
}

LOOM_CUDA(int, cuMemAllocPitch_v2, uint64_t *at, size_t *pitch, size_t width,
          size_t height, unsigned element)
{
    bool right = at != NULL && pitch != NULL && width > 0 && height > 0 &&
                 (element == 4 || element == 8 || element == 16);

    return LOOM_DRIVEN(
        right ? cudaMallocPitch((void **)(void *)at, pitch, width, height)
              : CUDA_INVALID_VALUE);
}

LOOM_CUDA(int, cuMemAllocManaged, uint64_t *at, size_t bytes, unsigned flags)
{
    return LOOM_DRIVEN(
        at == NULL ? CUDA_INVALID_VALUE
                   : cudaMallocManaged((void **)(void *)at, bytes, flags));
}

LOOM_CUDA(int, cuMemFree_v2, uint64_t at)
{
    return LOOM_DRIVEN(cudaFree(loom_driver_pointer(at)));
}

LOOM_CUDA(int, cuMemFreeAsync, uint64_t at, void *stream)
{
    return LOOM_DRIVEN(cudaFreeAsync(loom_driver_pointer(at), stream));
}

LOOM_CUDA(int, cuMemHostAlloc, void **at, size_t bytes, unsigned flags)
{
    return LOOM_DRIVEN(at == NULL || bytes == 0
                           ? CUDA_INVALID_VALUE
                           : cudaHostAlloc(at, bytes, flags));
}

LOOM_CUDA(int, cuMemAllocHost_v2, void **at, size_t bytes)
{
    return cuMemHostAlloc(at, bytes, 0);
}

LOOM_CUDA(int, cuMemFreeHost, void *at)
{
    return LOOM_DRIVEN(cudaFreeHost(at));
}

LOOM_CUDA(int, cuMemHostGetDevicePointer_v2, uint64_t *device, void *host,
          unsigned flags)
{
    return LOOM_DRIVEN(
        cudaHostGetDevicePointer((void **)(void *)device, host, flags));
}

LOOM_CUDA(int, cuMemHostGetFlags, unsigned *flags, void *host)
{
    return LOOM_DRIVEN(cudaHostGetFlags(flags, host));
}

LOOM_CUDA(int, cuMemHostRegister_v2, void *at, size_t bytes, unsigned flags)
{
    return LOOM_DRIVEN(cudaHostRegister(at, bytes, flags));
}

LOOM_CUDA(int, cuMemHostUnregister, void *at)
{
    return LOOM_DRIVEN(cudaHostUnregister(at));
}

LOOM_CUDA(int, cuMemRangeGetAttribute, void *value, size_t room, int attribute,
          uint64_t at, size_t bytes)
{
    return LOOM_DRIVEN(cudaMemRangeGetAttribute(
        value, room, attribute, loom_driver_pointer(at), bytes));
}

LOOM_CUDA(int, cuMemRangeGetAttributes, void **value, const size_t *room,
          const int *attribute, size_t count, uint64_t at, size_t bytes)
{
    return LOOM_DRIVEN(cudaMemRangeGetAttributes(
        value, room, attribute, count, loom_driver_pointer(at), bytes));
}

LOOM_CUDA(int, cuMemGetInfo_v2, size_t *left, size_t *total)
{
    return LOOM_DRIVEN(cudaMemGetInfo(left, total));
}

LOOM_CUDA(int, cuMemPrefetchAsync, uint64_t at, size_t bytes, int device,
          void *stream)
{
    (void)device, (void)stream;
    return LOOM_DRIVEN(cudaMemPrefetchAsync(loom_driver_pointer(at), bytes, 0));
}

/* The place is two numbers in one word. */
LOOM_CUDA(int, cuMemPrefetchAsync_v2, uint64_t at, size_t bytes, uint64_t place,
          unsigned flags, void *stream)
{
    (void)place, (void)flags, (void)stream;
    return LOOM_DRIVEN(cudaMemPrefetchAsync(loom_driver_pointer(at), bytes, 0));
}

LOOM_CUDA(int, cuMemAdvise, uint64_t at, size_t bytes, int advice, int device)
{
    (void)device;
    return LOOM_DRIVEN(cudaMemAdvise(loom_driver_pointer(at), bytes, advice));
}

LOOM_CUDA(int, cuMemAdvise_v2, uint64_t at, size_t bytes, int advice,
          uint64_t place)
{
    (void)place;
    return LOOM_DRIVEN(cudaMemAdvise(loom_driver_pointer(at), bytes, advice));
}

/* ---- addresses ---- */

/* The allocation that holds an address, of the device or of both. */
struct range {
    uint64_t base, bytes;
    int kind; /* 0: the device's; else loom_cuda_shared_kind() */
    int device;
    bool mapped;
};

static int find(uint64_t at, struct range *range)
{
    struct loom_host_call call = {.name = NULL};
    const void *pointer = loom_driver_pointer(at);
    int error;

    loom_cuda_lock();
    *range = (struct range){.kind = loom_cuda_shared_kind(pointer)};
    error = LOOM_CUDA_ASK(&call, "find", at);
    range->device = error == CUDA_OK ? (int)call.result[2] : 0;
    if (range->kind != 0) {
        error = CUDA_OK;
        range->base = (uintptr_t)loom_cuda_shared_range(pointer, &range->bytes);
        range->mapped = loom_cuda_is_mapped(pointer);
    } else {
        range->base = call.result[0];
        range->bytes = call.result[1];
    }
    loom_cuda_unlock();
    return error;
}

static int address_range(uint64_t *base, size_t *bytes, uint64_t at)
{
    struct range range;
    int error = find(at, &range);

    if (error != CUDA_OK) {
        return error == CUDA_INVALID_VALUE ? CUDA_NOT_FOUND : error;
    }
    if (base != NULL) {
        *base = range.base;
    }
    if (bytes != NULL) {
        *bytes = (size_t)range.bytes;
    }
    return CUDA_OK;
}

LOOM_CUDA(int, cuMemGetAddressRange_v2, uint64_t *base, size_t *bytes,
          uint64_t at)
{
    return LOOM_DRIVEN(address_range(base, bytes, at));
}

static void put(void *to, uint64_t value, size_t bytes)
{
    memcpy(to, &value, bytes); /* little-endian */
}

static int attribute(void *to, int number, uint64_t at)
{
    struct range range;
    int error = to == NULL ? CUDA_INVALID_VALUE : find(at, &range);
    bool device;

    if (error != CUDA_OK) {
        return error;
    }
    device = range.kind != LOOM_CUDA_PINNED;
    switch (number) {
    case POINTER_CONTEXT:
        put(to, (uintptr_t)loom_driver_context_on(range.device),
            sizeof(void *));
        return CUDA_OK;
    case POINTER_MEMORY_TYPE:
        put(to, device ? TYPE_DEVICE : TYPE_HOST, sizeof(uint32_t));
        return CUDA_OK;
    case POINTER_DEVICE:
        put(to, at, sizeof(at));
        return device || range.mapped ? CUDA_OK : CUDA_INVALID_VALUE;
    case POINTER_HOST:
        put(to, at, sizeof(at));
        return range.kind != 0 ? CUDA_OK : CUDA_INVALID_VALUE;
    case POINTER_SYNC:
        put(to, 0, sizeof(uint32_t));
        return CUDA_OK;
    case POINTER_BUFFER:
    case POINTER_RANGE_START:
        put(to, range.base, sizeof(range.base));
        return CUDA_OK;
    case POINTER_MANAGED:
        put(to, range.kind == LOOM_CUDA_MANAGED, 1);
        return CUDA_OK;
    case POINTER_ORDINAL:
        put(to, (uint64_t)range.device, sizeof(int32_t));
        return CUDA_OK;
    case POINTER_RANGE_BYTES:
        put(to, range.bytes, sizeof(range.bytes));
        return CUDA_OK;
    case POINTER_MAPPED:
        put(to, 1, 1);
        return CUDA_OK;
    default:
        loom_cuda_tell("cuPointerGetAttribute: attribute %d is not provided",
                       number);
        return CUDA_NOT_SUPPORTED;
    }
}

LOOM_CUDA(int, cuPointerGetAttribute, void *to, int number, uint64_t at)
{
    return LOOM_DRIVEN(attribute(to, number, at));
}

/* Of an address that is not known all are 0, and there is no error. */
static int attributes(unsigned count, const int *number, void **to, uint64_t at)
{
    struct range range;
    int error = find(at, &range);

    for (unsigned i = 0; i < count; i++) {
        bool wide = number[i] == POINTER_CONTEXT ||
                    number[i] == POINTER_DEVICE || number[i] == POINTER_HOST ||
                    number[i] == POINTER_BUFFER ||
                    number[i] == POINTER_RANGE_START ||
                    number[i] == POINTER_RANGE_BYTES;
        bool narrow =
            number[i] == POINTER_MANAGED || number[i] == POINTER_MAPPED;

        put(to[i], 0, wide ? 8 : narrow ? 1 : 4);
        if (error == CUDA_OK && attribute(to[i], number[i], at) != CUDA_OK) {
            put(to[i], 0, wide ? 8 : narrow ? 1 : 4);
        }
    }
    return error == CUDA_INVALID_VALUE ? CUDA_OK : error;
}

LOOM_CUDA(int, cuPointerGetAttributes, unsigned count, const int *number,
          void **to, uint64_t at)
{
    return LOOM_DRIVEN(attributes(count, number, to, at));
}

/* Copies are over when they return, as CU_POINTER_ATTRIBUTE_SYNC_MEMOPS asks.
 */
LOOM_CUDA(int, cuPointerSetAttribute, const void *value, int number,
          uint64_t at)
{
    (void)value, (void)at;
    return LOOM_DRIVEN(number == POINTER_SYNC ? CUDA_OK : CUDA_INVALID_VALUE);
}

LOOM_CUDA_ALIAS(cuMemAllocAsync_ptsz, cuMemAllocAsync);
LOOM_CUDA_ALIAS(cuMemFreeAsync_ptsz, cuMemFreeAsync);
LOOM_CUDA_ALIAS(cuMemHostRegister, cuMemHostRegister_v2);
LOOM_CUDA_ALIAS(cuMemPrefetchAsync_ptsz, cuMemPrefetchAsync);
LOOM_CUDA_ALIAS(cuMemPrefetchAsync_v2_ptsz, cuMemPrefetchAsync_v2);
