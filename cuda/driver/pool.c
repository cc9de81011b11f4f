/*
 * Captures of streams and memory pools of the driver API: the runtime's by
 * another name.
 */
#include "cuda/driver/driver.h"
#include "cuda/graph_calls.h"

/* ---- captures ---- */

/* Of CUDA 10.0, without a mode. */
LOOM_CUDA(int, cuStreamBeginCapture, void *stream)
{
    return LOOM_DRIVEN(cudaStreamBeginCapture(stream, 0));
}

LOOM_CUDA(int, cuStreamBeginCapture_v2, void *stream, int mode)
{
    return LOOM_DRIVEN(cudaStreamBeginCapture(stream, mode));
}

LOOM_CUDA(int, cuStreamBeginCaptureToGraph, void *stream,
          struct cuda_graph *graph, struct cuda_node *const *before,
          const void *edges, size_t count, int mode)
{
    return LOOM_DRIVEN(cudaStreamBeginCaptureToGraph(stream, graph, before,
                                                     edges, count, mode));
}

LOOM_CUDA(int, cuStreamEndCapture, void *stream, struct cuda_graph **graph)
{
    return LOOM_DRIVEN(cudaStreamEndCapture(stream, graph));
}

LOOM_CUDA(int, cuStreamGetCaptureInfo, void *stream, int *status, uint64_t *id)
{
    return LOOM_DRIVEN(
        cudaStreamGetCaptureInfo_v2(stream, status, id, NULL, NULL, NULL));
}

LOOM_CUDA(int, cuStreamGetCaptureInfo_v2, void *stream, int *status,
          uint64_t *id, struct cuda_graph **graph,
          struct cuda_node *const **before, size_t *count)
{
    return LOOM_DRIVEN(
        cudaStreamGetCaptureInfo_v2(stream, status, id, graph, before, count));
}

LOOM_CUDA(int, cuStreamGetCaptureInfo_v3, void *stream, int *status,
          uint64_t *id, struct cuda_graph **graph,
          struct cuda_node *const **before, const void **edges, size_t *count)
{
    return LOOM_DRIVEN(cudaStreamGetCaptureInfo_v3(stream, status, id, graph,
                                                   before, edges, count));
}

LOOM_CUDA(int, cuStreamUpdateCaptureDependencies, void *stream,
          struct cuda_node *const *before, size_t count, unsigned flags)
{
    return LOOM_DRIVEN(cudaStreamUpdateCaptureDependencies_v2(
        stream, before, NULL, count, flags));
}

LOOM_CUDA(int, cuStreamUpdateCaptureDependencies_v2, void *stream,
          struct cuda_node *const *before, const void *edges, size_t count,
          unsigned flags)
{
    return LOOM_DRIVEN(cudaStreamUpdateCaptureDependencies_v2(
        stream, before, edges, count, flags));
}

LOOM_CUDA(int, cuThreadExchangeStreamCaptureMode, int *mode)
{
    return LOOM_DRIVEN(cudaThreadExchangeStreamCaptureMode(mode));
}

/* ---- pools ---- */

LOOM_CUDA(int, cuMemAllocFromPoolAsync, uint64_t *at, size_t bytes,
          struct cuda_pool *handle, void *stream)
{
    return LOOM_DRIVEN(
        cudaMallocFromPoolAsync((void **)(void *)at, bytes, handle, stream));
}

LOOM_CUDA(int, cuMemPoolCreate, struct cuda_pool **made,
          const struct cuda_pool_properties *properties)
{
    return LOOM_DRIVEN(cudaMemPoolCreate(made, properties));
}

LOOM_CUDA(int, cuMemPoolDestroy, struct cuda_pool *handle)
{
    return LOOM_DRIVEN(cudaMemPoolDestroy(handle));
}

LOOM_CUDA(int, cuMemPoolTrimTo, struct cuda_pool *handle, size_t bytes)
{
    return LOOM_DRIVEN(cudaMemPoolTrimTo(handle, bytes));
}

LOOM_CUDA(int, cuMemPoolGetAttribute, struct cuda_pool *handle, int attribute,
          void *value)
{
    return LOOM_DRIVEN(cudaMemPoolGetAttribute(handle, attribute, value));
}

LOOM_CUDA(int, cuMemPoolSetAttribute, struct cuda_pool *handle, int attribute,
          const void *value)
{
    return LOOM_DRIVEN(cudaMemPoolSetAttribute(handle, attribute, value));
}

LOOM_CUDA(int, cuMemPoolSetAccess, struct cuda_pool *pool,
          const struct cuda_access *access, size_t count)
{
    return LOOM_DRIVEN(cudaMemPoolSetAccess(pool, access, count));
}

LOOM_CUDA(int, cuMemPoolGetAccess, int *flags, struct cuda_pool *pool,
          const struct cuda_location *where)
{
    return LOOM_DRIVEN(cudaMemPoolGetAccess(flags, pool, where));
}

LOOM_CUDA(int, cuDeviceGetDefaultMemPool, struct cuda_pool **pool, int device)
{
    return LOOM_DRIVEN(cudaDeviceGetDefaultMemPool(pool, device));
}

LOOM_CUDA(int, cuDeviceGetMemPool, struct cuda_pool **pool, int device)
{
    return LOOM_DRIVEN(cudaDeviceGetMemPool(pool, device));
}

LOOM_CUDA(int, cuDeviceSetMemPool, int device, struct cuda_pool *pool)
{
    return LOOM_DRIVEN(cudaDeviceSetMemPool(device, pool));
}

LOOM_CUDA(int, cuMemGetDefaultMemPool, struct cuda_pool **pool,
          const struct cuda_location *where, int type)
{
    return LOOM_DRIVEN(cudaMemGetDefaultMemPool(pool, where, type));
}

LOOM_CUDA(int, cuMemGetMemPool, struct cuda_pool **pool,
          const struct cuda_location *where, int type)
{
    return LOOM_DRIVEN(cudaMemGetMemPool(pool, where, type));
}

LOOM_CUDA(int, cuMemSetMemPool, const struct cuda_location *where, int type,
          struct cuda_pool *pool)
{
    return LOOM_DRIVEN(cudaMemSetMemPool(where, type, pool));
}

LOOM_CUDA(int, cuDeviceGetGraphMemAttribute, int device, int attribute,
          uint64_t *value)
{
    return LOOM_DRIVEN(
        cudaDeviceGetGraphMemAttribute(device, attribute, value));
}

LOOM_CUDA(int, cuDeviceSetGraphMemAttribute, int device, int attribute,
          const uint64_t *value)
{
    return LOOM_DRIVEN(
        cudaDeviceSetGraphMemAttribute(device, attribute, value));
}

LOOM_CUDA(int, cuDeviceGraphMemTrim, int device)
{
    return LOOM_DRIVEN(cudaDeviceGraphMemTrim(device));
}

LOOM_CUDA_ALIAS(cuStreamBeginCapture_ptsz, cuStreamBeginCapture);
LOOM_CUDA_ALIAS(cuStreamBeginCapture_v2_ptsz, cuStreamBeginCapture_v2);
LOOM_CUDA_ALIAS(cuStreamBeginCaptureToGraph_ptsz, cuStreamBeginCaptureToGraph);
LOOM_CUDA_ALIAS(cuStreamEndCapture_ptsz, cuStreamEndCapture);
LOOM_CUDA_ALIAS(cuStreamGetCaptureInfo_ptsz, cuStreamGetCaptureInfo);
LOOM_CUDA_ALIAS(cuStreamGetCaptureInfo_v2_ptsz, cuStreamGetCaptureInfo_v2);
LOOM_CUDA_ALIAS(cuStreamGetCaptureInfo_v3_ptsz, cuStreamGetCaptureInfo_v3);
LOOM_CUDA_ALIAS(cuStreamUpdateCaptureDependencies_ptsz,
                cuStreamUpdateCaptureDependencies);
LOOM_CUDA_ALIAS(cuStreamUpdateCaptureDependencies_v2_ptsz,
                cuStreamUpdateCaptureDependencies_v2);
LOOM_CUDA_ALIAS(cuMemAllocFromPoolAsync_ptsz, cuMemAllocFromPoolAsync);
