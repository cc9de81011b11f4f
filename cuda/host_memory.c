/*
 * Memory that the program and its kernels both use, as programs ask for it:
 * cudaMallocManaged and mapped cudaHostAlloc; and pinned memory.
 */
#include "cuda/runtime.h"

/* Whole pages of device memory, for they are mapped. */
static int allocate_shared(void **at, size_t bytes, int kind)
{
    struct loom_host_call call = {.name = NULL};
    uint64_t base;
    int error;

    *at = NULL;
    if (bytes == 0 || bytes > UINT64_C(1) << 48) {
        return bytes == 0 ? CUDA_INVALID_VALUE : CUDA_OUT_OF_MEMORY;
    }
    error =
        LOOM_CUDA_ASK(&call, "alloc", loom_cuda_pages(bytes) + LOOM_CUDA_PAGE);
    if (error != CUDA_OK) {
        return error;
    }
    base = call.result[0];
    error = loom_cuda_share(loom_cuda_pages(base), bytes, kind, base, at);
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
    error = allocate_shared(at, bytes, LOOM_CUDA_MANAGED);
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaHostAlloc, void **at, size_t bytes, unsigned flags)
{
    int error;

    *at = NULL;
    if (bytes == 0) {
        return CUDA_OK;
    }
    loom_cuda_lock();
    error = flags & CUDA_HOST_MAPPED
                ? allocate_shared(at, bytes, LOOM_CUDA_PINNED)
                : loom_cuda_pin(bytes, at);
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
                   "cudaHostAlloc with cudaHostAllocMapped");
    return loom_cuda_done(CUDA_INVALID_VALUE);
}

LOOM_CUDA(int, cudaHostGetFlags, unsigned *flags, void *host)
{
    *flags =
        loom_cuda_shared_kind(host) == LOOM_CUDA_PINNED ? CUDA_HOST_MAPPED : 0;
    return loom_cuda_done(*flags != 0 ? CUDA_OK : CUDA_INVALID_VALUE);
}

/* Copies of registered memory are like any other. */
LOOM_CUDA(int, cudaHostRegister, void *at, size_t bytes, unsigned flags)
{
    if (flags & CUDA_HOST_MAPPED) {
        loom_cuda_tell("cudaHostRegister: kernels cannot use registered "
                       "memory; see cudaHostAlloc");
        return loom_cuda_done(CUDA_NOT_SUPPORTED);
    }
    return loom_cuda_done(at == NULL || bytes == 0 ? CUDA_INVALID_VALUE
                                                   : CUDA_OK);
}

LOOM_CUDA(int, cudaHostUnregister, void *at)
{
    return loom_cuda_done(at == NULL ? CUDA_INVALID_VALUE : CUDA_OK);
}

/* Managed memory moves when kernels and waits say so. */
LOOM_CUDA(int, cudaMemPrefetchAsync, const void *at, size_t bytes,
          uint64_t where, ...)
{
    (void)bytes, (void)where;
    return loom_cuda_done(loom_cuda_shared_kind(at) == LOOM_CUDA_MANAGED
                              ? CUDA_OK
                              : CUDA_INVALID_VALUE);
}

LOOM_CUDA(int, cudaMemAdvise, const void *at, size_t bytes, int advice, ...)
{
    (void)bytes, (void)advice;
    return loom_cuda_done(loom_cuda_shared_kind(at) == LOOM_CUDA_MANAGED
                              ? CUDA_OK
                              : CUDA_INVALID_VALUE);
}
