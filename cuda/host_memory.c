/*
 * Memory that the program and its kernels both use, as programs ask for it:
 * cudaMallocManaged and pinned memory; and advice about it.
 */
#include "cuda/runtime.h"

/* Whole pages of device memory, for they are mapped. */
static int allocate_managed(void **at, size_t bytes)
{
    struct loom_host_call call = {.name = NULL};
    uint64_t base;
    int error;

    *at = NULL;
    if (bytes == 0 || bytes > UINT64_C(1) << 48) {
        return bytes == 0 ? CUDA_INVALID_VALUE : CUDA_OUT_OF_MEMORY;
    }
    error =
        LOOM_CUDA_ASK(&call, "alloc", loom_cuda_pages(bytes) + LOOM_CUDA_PAGE,
                      (uint64_t)loom_cuda_device(), 1);
    if (error != CUDA_OK) {
        return error;
    }
    base = call.result[0];
    error = loom_cuda_share(loom_cuda_pages(base), bytes, LOOM_CUDA_MANAGED,
                            base, at);
    if (error != CUDA_OK) {
        LOOM_CUDA_ASK(&call, "free", base);
    }
    return error;
}

LOOM_CUDA(int, cudaMallocManaged, void **at, size_t bytes, unsigned flags)
{
    int error;

    (void)flags;
    loom_cuda_lock();
    error = allocate_managed(at, bytes);
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaHostAlloc, void **at, size_t bytes, unsigned flags)
{
    struct loom_host_call call = {.name = NULL};
    int error;

    *at = NULL;
    if (bytes == 0) {
        return CUDA_OK;
    }
    (void)
        flags; /* kernels may use all of it, as CUDA's unified addresses say */
    loom_cuda_lock();
    error = bytes > UINT64_C(1) << 48
                ? CUDA_OUT_OF_MEMORY
                : LOOM_CUDA_ASK(&call, "free_memory", 0); /* starts the run */
    if (error == CUDA_OK) {
        error = loom_cuda_pin(bytes, at);
    }
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaMallocHost, void **at, size_t bytes)
{
    return cudaHostAlloc(at, bytes, 0);
}

LOOM_CUDA(int, cudaFreeHost, void *at)
{
    int error;

    loom_cuda_lock();
    error = at == NULL ? CUDA_OK : loom_cuda_unshare(at);
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaHostGetDevicePointer, void **device, void *host,
          unsigned flags)
{
    bool mapped;

    (void)flags;
    loom_cuda_lock();
    mapped = loom_cuda_is_mapped(host);
    loom_cuda_unlock();
    *device = host;
    if (mapped) {
        return CUDA_OK;
    }
    loom_cuda_tell("cudaHostGetDevicePointer: kernels can use only memory of "
                   "cudaHostAlloc, cudaMallocHost and cudaHostRegister");
    return loom_cuda_done(CUDA_INVALID_VALUE);
}

LOOM_CUDA(int, cudaHostGetFlags, unsigned *flags, void *host)
{
    *flags =
        loom_cuda_shared_kind(host) == LOOM_CUDA_PINNED ? CUDA_HOST_MAPPED : 0;
    return loom_cuda_done(*flags != 0 ? CUDA_OK : CUDA_INVALID_VALUE);
}

/* Kernels find it at its own address, which is another one in each run. */
LOOM_CUDA(int, cudaHostRegister, void *at, size_t bytes, unsigned flags)
{
    struct loom_host_call call = {.name = NULL};
    int error = at == NULL || bytes == 0 ? CUDA_INVALID_VALUE : CUDA_OK;

    (void)flags;
    loom_cuda_lock();
    if (error == CUDA_OK) {
        error = LOOM_CUDA_ASK(&call, "free_memory", 0); /* starts the run */
    }
    if (error == CUDA_OK) {
        error = loom_cuda_register(at, bytes);
    }
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaHostUnregister, void *at)
{
    int error;

    loom_cuda_lock();
    error = at == NULL ? CUDA_INVALID_VALUE : loom_cuda_unregister(at);
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

/* ---- advice: managed memory moves when kernels and waits say so ---- */

/* Is it all managed memory? */
static int managed(const void *at, size_t bytes)
{
    uint64_t whole = 0;
    const char *start;
    int kind;

    loom_cuda_lock();
    kind = loom_cuda_shared_kind(at);
    start = loom_cuda_shared_range(at, &whole);
    loom_cuda_unlock();
    return kind == LOOM_CUDA_MANAGED && bytes > 0 &&
                   bytes <= whole - (size_t)((const char *)at - start)
               ? CUDA_OK
               : CUDA_INVALID_VALUE;
}

/* Before CUDA 13 `where` is a device, else a place: read by nobody. */
LOOM_CUDA(int, cudaMemPrefetchAsync, const void *at, size_t bytes,
          uint64_t where, ...)
{
    (void)where;
    return loom_cuda_done(managed(at, bytes));
}

LOOM_CUDA(int, cudaMemAdvise, const void *at, size_t bytes, int advice, ...)
{
    return loom_cuda_done(advice < 1 || advice > 6 ? CUDA_INVALID_VALUE
                                                   : managed(at, bytes));
}

/* Several at once; what they take is not told apart. */
LOOM_CUDA(int, cudaMemPrefetchBatchAsync, void **at, const size_t *bytes,
          size_t count, const void *places, const size_t *place,
          size_t places_n, uint64_t flags, void *stream)
{
    int error = at == NULL || bytes == NULL ? CUDA_INVALID_VALUE : CUDA_OK;

    (void)places, (void)place, (void)places_n, (void)flags, (void)stream;
    for (size_t i = 0; i < count && error == CUDA_OK; i++) {
        error = managed(at[i], bytes[i]);
    }
    return loom_cuda_done(error);
}

enum {
    RANGE_FIRST = 1, /* enum cudaMemRangeAttribute */
    RANGE_LAST = 8,
    NOWHERE = -2 /* cudaInvalidDeviceId */
};

/* No advice is kept: nothing is read mostly, preferred or prefetched. */
LOOM_CUDA(int, cudaMemRangeGetAttribute, void *value, size_t room,
          int attribute, const void *at, size_t bytes)
{
    int error = managed(at, bytes);
    int *number = value;

    if (error != CUDA_OK || value == NULL || room < sizeof(int) ||
        attribute < RANGE_FIRST || attribute > RANGE_LAST) {
        return loom_cuda_done(error != CUDA_OK ? error : CUDA_INVALID_VALUE);
    }
    for (size_t i = 0; i < room / sizeof(int); i++) {
        number[i] = attribute == RANGE_FIRST ? 0 : NOWHERE;
    }
    return CUDA_OK;
}

LOOM_CUDA(int, cudaMemRangeGetAttributes, void **value, const size_t *room,
          const int *attribute, size_t count, const void *at, size_t bytes)
{
    int error = value == NULL || room == NULL || attribute == NULL
                    ? loom_cuda_done(CUDA_INVALID_VALUE)
                    : CUDA_OK;

    for (size_t i = 0; i < count && error == CUDA_OK; i++) {
        error = cudaMemRangeGetAttribute(value[i], room[i], attribute[i], at,
                                         bytes);
    }
    return error;
}

/* Streams see all of managed memory. */
LOOM_CUDA(int, cudaStreamAttachMemAsync, void *stream, const void *at,
          size_t bytes, unsigned flags)
{
    uint64_t number;
    int error = loom_cuda_stream(stream, &number);

    (void)bytes;
    if (error == CUDA_OK && (flags == 0 || flags > 4)) {
        error = CUDA_INVALID_VALUE;
    }
    return loom_cuda_done(error != CUDA_OK ? error : managed(at, 1));
}

LOOM_CUDA_ALIAS(cudaMemAdvise_v2, cudaMemAdvise);
LOOM_CUDA_ALIAS(cudaMemPrefetchAsync_v2, cudaMemPrefetchAsync);
LOOM_CUDA_ALIAS(cudaMemPrefetchAsync_v2_ptsz, cudaMemPrefetchAsync);
LOOM_CUDA_ALIAS(cudaMemPrefetchAsync_ptsz, cudaMemPrefetchAsync);
LOOM_CUDA_ALIAS(cudaMemPrefetchBatchAsync_ptsz, cudaMemPrefetchBatchAsync);
LOOM_CUDA_ALIAS(cudaStreamAttachMemAsync_ptsz, cudaStreamAttachMemAsync);
