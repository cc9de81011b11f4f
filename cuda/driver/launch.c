/*
 * Launches of the driver API, and how many CTAs there can be.
 *
 * Parameters are given by their addresses, or in one buffer as the kernel has
 * them.  Before CUDA 4 a function had a block, parameters and bytes of shared
 * memory of its own, which calls set one after the other.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver/driver.h"

static int launch(const void *kernel, struct loom_cuda_launch how, void **extra)
{
    int error = CUDA_OK;

    if (extra != NULL) {
        error = how.args != NULL ? CUDA_INVALID_VALUE
                                 : loom_cuda_read_extra(extra, &how);
    }
    if (error == CUDA_OK) {
        error = loom_driver_bind_references();
    }
    return error != CUDA_OK ? error : loom_cuda_launch(kernel, how);
}

LOOM_CUDA(int, cuLaunchKernel, const void *kernel, unsigned grid_x,
          unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
          unsigned block_z, unsigned shared_bytes, void *stream, void **args,
          void **extra)
{
    struct loom_cuda_launch how = {.grid = {grid_x, grid_y, grid_z},
                                   .block = {block_x, block_y, block_z},
                                   .shared_bytes = shared_bytes,
                                   .stream = stream,
                                   .args = args};

    return LOOM_DRIVEN(launch(kernel, how, extra));
}

LOOM_CUDA(int, cuLaunchCooperativeKernel, const void *kernel, unsigned grid_x,
          unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
          unsigned block_z, unsigned shared_bytes, void *stream, void **args)
{
    struct loom_cuda_launch how = {.grid = {grid_x, grid_y, grid_z},
                                   .block = {block_x, block_y, block_z},
                                   .shared_bytes = shared_bytes,
                                   .stream = stream,
                                   .args = args,
                                   .cooperative = true};

    return LOOM_DRIVEN(launch(kernel, how, NULL));
}

LOOM_CUDA(int, cuLaunchKernelEx, const struct driver_launch_config *config,
          const void *kernel, void **args, void **extra)
{
    struct loom_cuda_launch how = {.args = args};

    if (config == NULL) {
        return CUDA_INVALID_VALUE;
    }
    how.grid = config->grid;
    how.block = config->block;
    how.shared_bytes = config->shared_bytes;
    how.stream = config->stream;
    loom_cuda_attributes(config->attribute, config->attributes, &how);
    return LOOM_DRIVEN(launch(kernel, how, extra));
}

/* ---- before CUDA 4 ---- */

enum {
    PARAMS_MAX = 4096
};

/* What the calls below have set for a kernel. */
struct setting {
    struct setting *next;
    const void *kernel;
    struct loom_cuda_launch how;
    unsigned char params[PARAMS_MAX];
};

static struct setting *settings;

/* The lock is held.  NULL: it is no kernel, or no memory is left. */
static struct setting *setting_of(const void *kernel)
{
    struct loom_cuda_kernel *found;
    struct setting *s = settings;

    if (loom_cuda_find_kernel(kernel, &found) != CUDA_OK) {
        return NULL;
    }
    while (s != NULL && s->kernel != kernel) {
        s = s->next;
    }
    if (s == NULL && (s = calloc(1, sizeof(*s))) != NULL) {
        s->next = settings;
        s->kernel = kernel;
        s->how.packed = s->params;
        s->how.block = (struct cuda_dim3){1, 1, 1};
        settings = s;
    }
    return s;
}

static int set(const void *kernel, const struct cuda_dim3 *block,
               const unsigned *shared_bytes, const unsigned *packed_bytes)
{
    struct setting *s;

    loom_cuda_lock();
    s = setting_of(kernel);
    if (s != NULL) {
        s->how.block = block != NULL ? *block : s->how.block;
        s->how.shared_bytes =
            shared_bytes != NULL ? *shared_bytes : s->how.shared_bytes;
        s->how.packed_bytes =
            packed_bytes != NULL ? *packed_bytes : s->how.packed_bytes;
    }
    loom_cuda_unlock();
    return s == NULL ? CUDA_INVALID_HANDLE : CUDA_OK;
}

LOOM_CUDA(int, cuFuncSetBlockShape, const void *kernel, int x, int y, int z)
{
    struct cuda_dim3 block = {(uint32_t)x, (uint32_t)y, (uint32_t)z};

    return LOOM_DRIVEN(set(kernel, &block, NULL, NULL));
}

LOOM_CUDA(int, cuFuncSetSharedSize, const void *kernel, unsigned bytes)
{
    return LOOM_DRIVEN(set(kernel, NULL, &bytes, NULL));
}

LOOM_CUDA(int, cuParamSetSize, const void *kernel, unsigned bytes)
{
    return LOOM_DRIVEN(bytes > PARAMS_MAX ? CUDA_INVALID_VALUE
                                          : set(kernel, NULL, NULL, &bytes));
}

static int set_param(const void *kernel, int offset, const void *from,
                     unsigned bytes)
{
    struct setting *s;

    if (offset < 0 || bytes > PARAMS_MAX ||
        (unsigned)offset > PARAMS_MAX - bytes) {
        return CUDA_INVALID_VALUE;
    }
    loom_cuda_lock();
    s = setting_of(kernel);
    if (s != NULL) {
        memcpy(s->params + offset, from, bytes);
    }
    loom_cuda_unlock();
    return s == NULL ? CUDA_INVALID_HANDLE : CUDA_OK;
}

LOOM_CUDA(int, cuParamSeti, const void *kernel, int offset, unsigned value)
{
    return LOOM_DRIVEN(set_param(kernel, offset, &value, sizeof(value)));
}

LOOM_CUDA(int, cuParamSetf, const void *kernel, int offset, float value)
{
    return LOOM_DRIVEN(set_param(kernel, offset, &value, sizeof(value)));
}

LOOM_CUDA(int, cuParamSetv, const void *kernel, int offset, const void *from,
          unsigned bytes)
{
    return LOOM_DRIVEN(set_param(kernel, offset, from, bytes));
}

static int launch_set(const void *kernel, int width, int height, void *stream)
{
    struct setting *s;
    int error = CUDA_INVALID_HANDLE;

    loom_cuda_lock();
    s = setting_of(kernel);
    if (s != NULL) {
        struct loom_cuda_launch how = s->how;

        how.grid = (struct cuda_dim3){(uint32_t)width, (uint32_t)height, 1};
        how.stream = stream;
        error = launch(kernel, how, NULL);
    }
    loom_cuda_unlock();
    return error;
}

LOOM_CUDA(int, cuLaunch, const void *kernel)
{
    return LOOM_DRIVEN(launch_set(kernel, 1, 1, NULL));
}

LOOM_CUDA(int, cuLaunchGrid, const void *kernel, int width, int height)
{
    return LOOM_DRIVEN(launch_set(kernel, width, height, NULL));
}

LOOM_CUDA(int, cuLaunchGridAsync, const void *kernel, int width, int height,
          void *stream)
{
    return LOOM_DRIVEN(launch_set(kernel, width, height, stream));
}

/* ---- occupancy ---- */

LOOM_CUDA(int, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *count,
          const void *kernel, int threads, size_t shared_bytes, unsigned flags)
{
    return LOOM_DRIVEN(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        count, kernel, threads, shared_bytes, flags));
}

LOOM_CUDA(int, cuOccupancyMaxActiveBlocksPerMultiprocessor, int *count,
          const void *kernel, int threads, size_t shared_bytes)
{
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        count, kernel, threads, shared_bytes, 0);
}

LOOM_CUDA(int, cuOccupancyAvailableDynamicSMemPerBlock, size_t *bytes,
          const void *kernel, int blocks, int threads)
{
    return LOOM_DRIVEN(cudaOccupancyAvailableDynamicSMemPerBlock(
        bytes, kernel, blocks, threads));
}

enum {
    ATTRIBUTE_WARP = 10,
    ATTRIBUTE_SMS = 16
};

struct potential {
    int blocks, threads; /* of the grid that fills the device */
    size_t (*shared_of)(int threads);
    size_t shared_bytes;
    int limit;
};

/* The largest block of those with most threads on an SM. */
static int potential(const void *kernel, struct potential *p)
{
    struct cuda_function_attributes f;
    int error = cudaFuncGetAttributes(&f, kernel), warp = 32, sms = 1, best = 0;

    if (error == CUDA_OK) {
        error = cudaDeviceGetAttribute(&warp, ATTRIBUTE_WARP, 0);
        (void)cudaDeviceGetAttribute(&sms, ATTRIBUTE_SMS, 0);
        p->limit =
            p->limit > 0 && p->limit < f.max_threads ? p->limit : f.max_threads;
    }
    for (int t = p->limit; error == CUDA_OK && t > 0;
         t = (t - 1) / warp * warp) {
        int count = 0;

        error = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &count, kernel, t,
            p->shared_of != NULL ? p->shared_of(t) : p->shared_bytes, 0);
        if (count * t > best) {
            best = count * t;
            p->threads = t;
            p->blocks = count * sms;
        }
    }
    return error;
}

LOOM_CUDA(int, cuOccupancyMaxPotentialBlockSizeWithFlags, int *blocks,
          int *threads, const void *kernel, size_t (*shared_of)(int threads),
          size_t shared_bytes, int limit, unsigned flags)
{
    struct potential p = {0, 0, shared_of, shared_bytes, limit};
    int error;

    (void)flags;
    error = LOOM_DRIVEN(potential(kernel, &p));
    *blocks = p.blocks;
    *threads = p.threads;
    return error;
}

LOOM_CUDA(int, cuOccupancyMaxPotentialBlockSize, int *blocks, int *threads,
          const void *kernel, size_t (*shared_of)(int threads),
          size_t shared_bytes, int limit)
{
    return cuOccupancyMaxPotentialBlockSizeWithFlags(
        blocks, threads, kernel, shared_of, shared_bytes, limit, 0);
}

static struct cuda_launch_config
runtime_config(const struct driver_launch_config *from)
{
    return (struct cuda_launch_config){.grid = from->grid,
                                       .block = from->block,
                                       .shared_bytes = from->shared_bytes,
                                       .stream = from->stream,
                                       .attribute = from->attribute,
                                       .attributes = from->attributes};
}

LOOM_CUDA(int, cuOccupancyMaxActiveClusters, int *count, const void *kernel,
          const struct driver_launch_config *config)
{
    struct cuda_launch_config same;

    if (config == NULL) {
        return CUDA_INVALID_VALUE;
    }
    same = runtime_config(config);
    return LOOM_DRIVEN(cudaOccupancyMaxActiveClusters(count, kernel, &same));
}

LOOM_CUDA(int, cuOccupancyMaxPotentialClusterSize, int *size,
          const void *kernel, const struct driver_launch_config *config)
{
    struct cuda_launch_config same;

    if (config == NULL) {
        return CUDA_INVALID_VALUE;
    }
    same = runtime_config(config);
    return LOOM_DRIVEN(
        cudaOccupancyMaxPotentialClusterSize(size, kernel, &same));
}

LOOM_CUDA_ALIAS(cuLaunchKernel_ptsz, cuLaunchKernel);
LOOM_CUDA_ALIAS(cuLaunchCooperativeKernel_ptsz, cuLaunchCooperativeKernel);
LOOM_CUDA_ALIAS(cuLaunchKernelEx_ptsz, cuLaunchKernelEx);
