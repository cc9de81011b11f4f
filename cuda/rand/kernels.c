/*
 * The kernels: PTX that is in this library, made of cuda/rand/kernels/ by its
 * build.sh, which is loaded when a kernel is first wanted.
 */
#include <pthread.h>

#include "cuda/embed.h"
#include "cuda/rand/rand.h"

#ifndef LOOM_KERNELS
#define LOOM_KERNELS "cuda/rand/kernels" /* in the build: from its root */
#endif

LOOM_EMBED_PTX(loom_rand_ptx, random)

static struct {
    pthread_mutex_t lock;
    struct loom_cuda_image *module;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

int loom_rand_launch(const struct loom_rand *generator, const char *name,
                     uint64_t threads, void **args)
{
    const void *kernel;
    int error = CUDA_OK;

    pthread_mutex_lock(&state.lock);
    if (state.module == NULL) {
        error = loom_cuda_module(&state.module, loom_rand_ptx,
                                 (struct loom_cuda_jit){.options = 0});
    }
    pthread_mutex_unlock(&state.lock);
    if (error == CUDA_OK) {
        error = cudaLibraryGetKernel(&kernel, state.module, name);
    }
    if (error == CUDA_OK) {
        uint64_t blocks = (threads + RAND_BLOCK - 1) / RAND_BLOCK;

        error = loom_cuda_launch(
            kernel, (struct loom_cuda_launch){.grid = {(uint32_t)blocks, 1, 1},
                                              .block = {RAND_BLOCK, 1, 1},
                                              .stream = generator->stream,
                                              .args = args});
    }
    return error == CUDA_OK ? RAND_OK : RAND_LAUNCH_FAILURE;
}
