/*
 * Launching kernels: what nvcc's host stubs call, and what programs call.
 *
 * A stub gets the configuration of `<<<>>>` by __cudaPopCallConfiguration,
 * after the program has pushed it, and calls cudaLaunchKernel (CUDA 7 to 12)
 * or __cudaGetKernel and __cudaLaunchKernel (13).  Handles of kernels are the
 * addresses of their stubs, or what the driver API gives them (image.c).
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/graph.h"

enum {
    DEPTH = 64, /* configurations pushed, one in another's arguments */
    ATTRIBUTE_COOPERATIVE = 2,
    ATTRIBUTE_CLUSTER = 4,
    ATTRIBUTE_PROGRAMMATIC = 6,
    PARAMS_MAX = 32768 /* bytes; 4096 before PTX 8.1 */
};

struct configuration {
    struct cuda_dim3 grid, block;
    size_t shared_bytes;
    void *stream;
};

static _Thread_local struct configuration pushed[DEPTH];
static _Thread_local uint32_t depth;

LOOM_CUDA(unsigned, __cudaPushCallConfiguration, struct cuda_dim3 grid,
          struct cuda_dim3 block, size_t shared_bytes, void *stream)
{
    if (depth == DEPTH) {
        return 1;
    }
    pushed[depth++] = (struct configuration){grid, block, shared_bytes, stream};
    return 0;
}

LOOM_CUDA(int, __cudaPopCallConfiguration, struct cuda_dim3 *grid,
          struct cuda_dim3 *block, size_t *shared_bytes, void *stream)
{
    const struct configuration *top;

    if (depth == 0) {
        return loom_cuda_done(CUDA_MISSING_CONFIGURATION);
    }
    top = &pushed[--depth];
    *grid = top->grid;
    *block = top->block;
    *shared_bytes = top->shared_bytes;
    *(void **)stream = top->stream;
    return CUDA_OK;
}

/* Those that every device has: CUDA C++ Programming Guide, "Technical
 * Specifications per Compute Capability". */
static bool fits(const struct loom_cuda_kernel *kernel, struct cuda_dim3 grid,
                 struct cuda_dim3 block)
{
    uint64_t threads = (uint64_t)block.x * block.y * block.z;

    return grid.x >= 1 && grid.y >= 1 && grid.z >= 1 && grid.x <= INT32_MAX &&
           grid.y <= 65535 && grid.z <= 65535 && block.x >= 1 && block.y >= 1 &&
           block.z >= 1 && block.x <= 1024 && block.y <= 1024 &&
           block.z <= 64 && threads <= 1024 &&
           (kernel->max_threads == 0 || threads <= kernel->max_threads);
}

/* The parameters as the kernel has them, in `block`. */
static int gather(const struct loom_cuda_kernel *kernel,
                  const struct loom_cuda_launch *how, char *block)
{
    uint32_t bytes = kernel->param_bytes;

    memset(block, 0, bytes);
    if (how->packed != NULL) {
        memcpy(block, how->packed,
               how->packed_bytes < bytes ? how->packed_bytes : bytes);
        return how->packed_bytes < bytes ? CUDA_INVALID_VALUE : CUDA_OK;
    }
    if (how->args == NULL && kernel->params > 0) {
        return CUDA_INVALID_VALUE;
    }
    for (uint32_t i = 0; i < kernel->params; i++) {
        memcpy(block + kernel->place[2 * i], how->args[i],
               kernel->place[2 * i + 1]);
    }
    return CUDA_OK;
}

static int launch(const struct loom_cuda_kernel *kernel,
                  const struct loom_cuda_launch *how)
{
    static char block[PARAMS_MAX]; /* the lock is held */
    struct loom_host_call call = {.name = NULL};
    uint64_t stream;
    int device = loom_cuda_device();
    int error = loom_cuda_stream(how->stream, &stream);

    if (error != CUDA_OK) {
        return error;
    }
    /* Lanes of a graph are of the device that it was launched on. */
    if (loom_cuda_device_of(stream) != device && how->begins != 1) {
        return CUDA_INVALID_HANDLE;
    }
    stream = loom_cuda_default_stream(device) + (uint32_t)stream;
    if (!fits(kernel, how->grid, how->block) ||
        how->shared_bytes > UINT32_MAX || kernel->param_bytes > PARAMS_MAX) {
        return CUDA_INVALID_CONFIGURATION;
    }
    error = gather(kernel, how, block);
    if (error == CUDA_OK) {
        error = loom_cuda_push_shared(stream);
    }
    if (error != CUDA_OK) {
        return error;
    }
    call.arg[0] = kernel->number[device];
    call.arg[1] = how->grid.x;
    call.arg[2] = how->grid.y;
    call.arg[3] = how->grid.z;
    call.arg[4] = how->block.x;
    call.arg[5] = how->block.y;
    call.arg[6] = how->block.z;
    call.arg[7] = how->shared_bytes;
    call.arg[8] = stream;
    call.arg[9] = how->cooperative;
    call.arg[10] = how->cluster;
    call.arg[11] = how->begins;
    call.args = 12;
    error = loom_cuda_ask_text(&call, "launch", block, kernel->param_bytes);
    if (error == CUDA_OK && loom_cuda_waits(stream)) {
        error = loom_cuda_look_shared();
    }
    /* What a kernel does wrong is told by the calls after its launch. */
    return error == loom_cuda_sticky() ? CUDA_OK : error;
}

/* What `extra` is made of. */
enum {
    EXTRA_END = 0,
    EXTRA_BUFFER = 1,
    EXTRA_BYTES = 2
};

int loom_cuda_read_extra(void **extra, struct loom_cuda_launch *how)
{
    const size_t *bytes = NULL;

    for (; (uintptr_t)extra[0] != EXTRA_END; extra += 2) {
        if ((uintptr_t)extra[0] == EXTRA_BUFFER) {
            how->packed = extra[1];
        } else if ((uintptr_t)extra[0] == EXTRA_BYTES) {
            bytes = extra[1];
        } else {
            return CUDA_INVALID_VALUE;
        }
    }
    if (how->packed == NULL || bytes == NULL) {
        return CUDA_INVALID_VALUE;
    }
    how->packed_bytes = *bytes;
    return CUDA_OK;
}

static int keep(const struct loom_cuda_kernel *kernel, const void *handle,
                struct loom_cuda_launch how, struct loom_cuda_work *work)
{
    size_t addresses = kernel->params * sizeof(void *);
    size_t bytes = addresses + kernel->param_bytes;
    char *kept = malloc(bytes + 1);
    void **args = (void **)(void *)kept;
    int error;

    if (kept == NULL) {
        return CUDA_OUT_OF_MEMORY;
    }
    error = fits(kernel, how.grid, how.block)
                ? gather(kernel, &how, kept + addresses)
                : CUDA_INVALID_CONFIGURATION;
    if (error != CUDA_OK) {
        free(kept);
        return error;
    }
    for (uint32_t i = 0; i < kernel->params; i++) {
        args[i] = kept + addresses + kernel->place[2 * i];
    }
    how.args = args;
    how.packed = NULL;
    *work = (struct loom_cuda_work){
        .type = NODE_KERNEL,
        .of.kernel = {handle, how, kept, kernel->params, bytes}};
    return CUDA_OK;
}

int loom_cuda_launch_keep(const void *handle, struct loom_cuda_launch how,
                          struct loom_cuda_work *work)
{
    struct loom_cuda_kernel *kernel;
    int error;

    how.device = loom_cuda_device();
    loom_cuda_lock();
    error = loom_cuda_find_kernel(handle, &kernel);
    if (error == CUDA_OK) {
        error = keep(kernel, handle, how, work);
    }
    loom_cuda_unlock();
    return error;
}

static int capture(const void *handle, struct loom_cuda_launch how)
{
    struct loom_cuda_work work;
    int error = loom_cuda_launch_keep(handle, how, &work);

    return error != CUDA_OK ? error : loom_cuda_capture(how.stream, work);
}

int loom_cuda_launch(const void *handle, struct loom_cuda_launch how)
{
    struct loom_cuda_kernel *kernel;
    int error;

    if (loom_cuda_captures(how.stream)) {
        return loom_cuda_done(capture(handle, how));
    }
    loom_cuda_lock();
    error = loom_cuda_sticky();
    if (error == CUDA_OK) {
        error = loom_cuda_find_kernel(handle, &kernel);
    }
    if (error == CUDA_OK) {
        error = launch(kernel, &how);
    }
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaLaunchKernel, const void *stub, struct cuda_dim3 grid,
          struct cuda_dim3 block, void **args, size_t shared_bytes,
          void *stream)
{
    return loom_cuda_launch(
        stub, (struct loom_cuda_launch){.grid = grid,
                                        .block = block,
                                        .shared_bytes = shared_bytes,
                                        .stream = stream,
                                        .args = args});
}

LOOM_CUDA(int, cudaLaunchCooperativeKernel, const void *stub,
          struct cuda_dim3 grid, struct cuda_dim3 block, void **args,
          size_t shared_bytes, void *stream)
{
    return loom_cuda_launch(
        stub, (struct loom_cuda_launch){.grid = grid,
                                        .block = block,
                                        .shared_bytes = shared_bytes,
                                        .stream = stream,
                                        .args = args,
                                        .cooperative = true});
}

/* One kernel whose CTAs wait for those on other devices; CUDA 13 has it no
 * more. */
LOOM_CUDA(int, cudaLaunchCooperativeKernelMultiDevice, void *list,
          unsigned count, unsigned flags)
{
    (void)list, (void)count, (void)flags;
    loom_cuda_tell("cudaLaunchCooperativeKernelMultiDevice is not provided: a "
                   "kernel runs on one device");
    return loom_cuda_done(CUDA_NOT_SUPPORTED);
}

/* nvcc's stubs launch whatever this says, so that there is a handle in any
 * case; the launch has the same error again. */
LOOM_CUDA(int, __cudaGetKernel, void **handle, const void *stub)
{
    struct loom_cuda_kernel *kernel;

    *handle = (void *)(uintptr_t)stub;
    return loom_cuda_done(loom_cuda_find_kernel(stub, &kernel));
}

LOOM_CUDA(int, __cudaLaunchKernel, const void *handle, struct cuda_dim3 grid,
          struct cuda_dim3 block, void **args, size_t shared_bytes,
          void *stream)
{
    return cudaLaunchKernel(handle, grid, block, args, shared_bytes, stream);
}

LOOM_CUDA(int, cudaGetKernel, void **handle, const void *stub)
{
    return __cudaGetKernel(handle, stub);
}

LOOM_CUDA(int, cudaGetFuncBySymbol, void **handle, const void *stub)
{
    return __cudaGetKernel(handle, stub);
}

/* Those other than these three are hints here. */
void loom_cuda_attributes(const struct cuda_launch_attribute *attribute,
                          uint32_t count, struct loom_cuda_launch *how)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct cuda_dim3 *c = &attribute[i].value.cluster;

        if (attribute[i].id == ATTRIBUTE_COOPERATIVE) {
            how->cooperative = attribute[i].value.number != 0;
        } else if (attribute[i].id == ATTRIBUTE_PROGRAMMATIC) {
            how->begins = attribute[i].value.number != 0 ? 2 : 0;
        } else if (attribute[i].id == ATTRIBUTE_CLUSTER) {
            /* More than 2047 are too many in any case. */
            how->cluster = (c->x > 2047 ? 2047 : c->x) |
                           (uint64_t)(c->y > 2047 ? 2047 : c->y) << 11 |
                           (uint64_t)(c->z > 2047 ? 2047 : c->z) << 22;
        }
    }
}

LOOM_CUDA(int, cudaLaunchKernelExC, const struct cuda_launch_config *config,
          const void *stub, void **args)
{
    struct loom_cuda_launch how = {.grid = config->grid,
                                   .block = config->block,
                                   .shared_bytes = config->shared_bytes,
                                   .stream = config->stream,
                                   .args = args};

    loom_cuda_attributes(config->attribute, config->attributes, &how);
    return loom_cuda_launch(stub, how);
}

LOOM_CUDA_ALIAS(cudaLaunchKernel_ptsz, cudaLaunchKernel);
LOOM_CUDA_ALIAS(__cudaLaunchKernel_ptsz, __cudaLaunchKernel);
LOOM_CUDA_ALIAS(cudaLaunchCooperativeKernel_ptsz, cudaLaunchCooperativeKernel);
LOOM_CUDA_ALIAS(cudaLaunchKernelExC_ptsz, cudaLaunchKernelExC);
