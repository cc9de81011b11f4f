/*
 * What programs ask about their kernels, and set.
 */
#include <string.h>

#include "cuda/runtime.h"

enum {
    MAX_DYNAMIC_SHARED = 8, /* cudaFuncAttribute */
    LARGE_CLUSTERS = 14,
    ATTRIBUTE_SMS = 16, /* cudaDeviceAttr */
    CLUSTER_PORTABLE = 8,
    CLUSTER_LARGE = 16,
    THREADS_MAX = 1024
};

static int known(const void *stub)
{
    struct loom_cuda_kernel *kernel;

    return loom_cuda_done(loom_cuda_find_kernel(stub, &kernel));
}

LOOM_CUDA(int, cudaFuncGetAttributes, struct cuda_function_attributes *to,
          const void *stub)
{
    struct cuda_function_attributes made = {.max_threads = THREADS_MAX};
    struct loom_host_call call = {.name = NULL};
    struct loom_cuda_kernel *kernel;
    int error;

    loom_cuda_lock();
    error = loom_cuda_find_kernel(stub, &kernel);
    if (error == CUDA_OK) {
        error =
            LOOM_CUDA_ASK(&call, "ready", kernel->number[loom_cuda_device()]);
    }
    if (error == CUDA_OK) {
        made.shared_bytes = kernel->shared_bytes;
        made.local_bytes = kernel->local_bytes;
        made.registers = (int32_t)kernel->registers;
        if (kernel->max_threads != 0) {
            made.max_threads = (int32_t)kernel->max_threads;
        }
        made.ptx_version = (int32_t)loom_cuda_architecture();
        made.binary_version = made.ptx_version;
        made.max_dynamic_shared = kernel->max_dynamic_shared != 0
                                      ? kernel->max_dynamic_shared
                                      : 49152 - (int32_t)kernel->shared_bytes;
        made.carveout = -1;
        made.cluster[0] = kernel->cluster != 0;
        for (int i = 0; i < 3; i++) {
            made.cluster[1 + i] = (int32_t)(kernel->cluster >> 11 * i & 0x7ff);
        }
        made.cluster[5] = kernel->large_clusters;
        memcpy(to, &made,
               loom_cuda_version() >= 12
                   ? sizeof(made)
                   : offsetof(struct cuda_function_attributes, cluster));
    }
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

/* What a kernel may have is what an SM has: launches check that. */
LOOM_CUDA(int, cudaFuncSetAttribute, const void *stub, int attribute, int value)
{
    struct loom_cuda_kernel *kernel;
    int error;

    loom_cuda_lock();
    error = loom_cuda_find_kernel(stub, &kernel);
    if (error == CUDA_OK && attribute == MAX_DYNAMIC_SHARED) {
        kernel->max_dynamic_shared = value;
    } else if (error == CUDA_OK && attribute == LARGE_CLUSTERS) {
        kernel->large_clusters = value != 0;
    }
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

/* The machine's script says how an SM's memory is divided. */
LOOM_CUDA(int, cudaFuncSetCacheConfig, const void *stub, int config)
{
    (void)config;
    return known(stub);
}

LOOM_CUDA(int, cudaFuncSetSharedMemConfig, const void *stub, int config)
{
    (void)config;
    return known(stub);
}

LOOM_CUDA(int, cudaFuncGetName, const char **name, const void *stub)
{
    struct loom_cuda_kernel *kernel;
    int error;

    loom_cuda_lock();
    error = loom_cuda_find_kernel(stub, &kernel);
    *name = error == CUDA_OK ? kernel->name : NULL;
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaFuncGetParamInfo, const void *stub, size_t number,
          size_t *offset, size_t *bytes)
{
    struct loom_cuda_kernel *kernel;
    int error;

    loom_cuda_lock();
    error = loom_cuda_find_kernel(stub, &kernel);
    if (error == CUDA_OK && number >= kernel->params) {
        error = CUDA_INVALID_VALUE;
    }
    if (error == CUDA_OK) {
        *offset = kernel->place[2 * number];
    }
    if (error == CUDA_OK && bytes != NULL) {
        *bytes = kernel->place[2 * number + 1];
    }
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

static int resident(const void *stub, uint64_t threads, uint64_t shared,
                    int *count)
{
    struct loom_host_call call = {.name = NULL};
    struct loom_cuda_kernel *kernel;
    int error;

    loom_cuda_lock();
    error = loom_cuda_find_kernel(stub, &kernel);
    if (error == CUDA_OK) {
        error =
            LOOM_CUDA_ASK(&call, "resident", kernel->number[loom_cuda_device()],
                          threads, shared);
        *count = (int)call.result[0];
    }
    loom_cuda_unlock();
    return error;
}

LOOM_CUDA(int, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
          int *count, const void *stub, int threads, size_t shared_bytes,
          unsigned flags)
{
    (void)flags;
    if (count == NULL || threads < 1 || threads > THREADS_MAX) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    return loom_cuda_done(
        resident(stub, (uint64_t)threads, shared_bytes, count));
}

LOOM_CUDA(int, cudaOccupancyMaxActiveBlocksPerMultiprocessor, int *count,
          const void *stub, int threads, size_t shared_bytes)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        count, stub, threads, shared_bytes, 0);
}

/* The most that leaves `blocks` of them on an SM: between the halves of what
 * does and what does not. */
LOOM_CUDA(int, cudaOccupancyAvailableDynamicSMemPerBlock, size_t *bytes,
          const void *stub, int blocks, int threads)
{
    uint64_t low = 0, high = UINT64_C(1) << 20;
    int count = 0, error;

    if (blocks < 1 || threads < 1 || threads > THREADS_MAX) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    error = resident(stub, (uint64_t)threads, 0, &count);
    if (error == CUDA_OK && count < blocks) {
        error = CUDA_INVALID_VALUE;
    }
    while (error == CUDA_OK && high - low > 1) {
        uint64_t middle = (low + high) / 2;

        error = resident(stub, (uint64_t)threads, middle, &count);
        *(count >= blocks ? &low : &high) = middle;
    }
    *bytes = (size_t)low;
    return loom_cuda_done(error);
}

/* ---- clusters, whose CTAs are sent to SMs one by one ---- */

struct clusters {
    uint64_t size;     /* CTAs, of the launch or the kernel; 1 */
    uint64_t most;     /* that a kernel may have */
    uint64_t resident; /* CTAs that the device holds */
};

static uint64_t volume(uint64_t cluster)
{
    return cluster == 0 ? 1
                        : (cluster & 0x7ff) * (cluster >> 11 & 0x7ff) *
                              (cluster >> 22 & 0x7ff);
}

static int clusters_of(const void *stub,
                       const struct cuda_launch_config *config,
                       struct clusters *c)
{
    struct loom_cuda_launch how = {.cluster = 0};
    struct loom_cuda_kernel *kernel;
    uint64_t threads;
    int count = 0, sms = 0, error;

    if (config == NULL) {
        return CUDA_INVALID_VALUE;
    }
    threads = (uint64_t)config->block.x * config->block.y * config->block.z;
    if (threads < 1 || threads > THREADS_MAX) {
        return CUDA_INVALID_VALUE;
    }
    loom_cuda_attributes(config->attribute, config->attributes, &how);
    loom_cuda_lock();
    error = loom_cuda_find_kernel(stub, &kernel);
    if (error == CUDA_OK) {
        c->size = volume(how.cluster != 0 ? how.cluster : kernel->cluster);
        c->most = kernel->large_clusters ? CLUSTER_LARGE : CLUSTER_PORTABLE;
        if (kernel->max_cluster != 0 && kernel->max_cluster < c->most) {
            c->most = kernel->max_cluster;
        }
    }
    loom_cuda_unlock();
    if (error == CUDA_OK) {
        error = resident(stub, threads, config->shared_bytes, &count);
    }
    if (error == CUDA_OK) {
        error = cudaDeviceGetAttribute(&sms, ATTRIBUTE_SMS, 0);
    }
    c->resident = (uint64_t)count * (uint64_t)sms;
    return error;
}

LOOM_CUDA(int, cudaOccupancyMaxActiveClusters, int *count, const void *stub,
          const struct cuda_launch_config *config)
{
    struct clusters c = {0, 0, 0};
    int error =
        count == NULL ? CUDA_INVALID_VALUE : clusters_of(stub, config, &c);

    if (error == CUDA_OK && (c.size == 0 || c.size > c.most)) {
        error = CUDA_INVALID_CLUSTER_SIZE;
    }
    if (error == CUDA_OK) {
        *count = (int)(c.resident / c.size);
    }
    return loom_cuda_done(error);
}

/* A power of two, as on hardware. */
LOOM_CUDA(int, cudaOccupancyMaxPotentialClusterSize, int *size,
          const void *stub, const struct cuda_launch_config *config)
{
    struct clusters c = {0, 0, 0};
    int error =
        size == NULL ? CUDA_INVALID_VALUE : clusters_of(stub, config, &c);

    if (error == CUDA_OK) {
        uint64_t most = CLUSTER_LARGE;

        while (most > c.most || most > c.resident) {
            most /= 2; /* 0: not even one CTA */
        }
        *size = (int)most;
    }
    return loom_cuda_done(error);
}
