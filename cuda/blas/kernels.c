/*
 * The kernels: PTX that is in this library, made of cuda/blas/kernels/ by its
 * build.sh, of which a module is loaded when a kernel of it is first wanted.
 */
#include <pthread.h>

#include "cuda/blas/blas.h"
#include "cuda/embed.h"

#ifndef LOOM_KERNELS
#define LOOM_KERNELS "cuda/blas/kernels" /* in the build: from its root */
#endif

#define PTX(name) LOOM_EMBED_PTX(loom_blas_ptx_##name, name)

/* clang-format off */
PTX(gemm_f32)
PTX(gemm_f64)
PTX(gemm_lanes16)
PTX(gemm_f16)
PTX(gemm_bf16)
PTX(vector)
PTX(matrix)
PTX(rows)
PTX(structured)
/* clang-format on */

static struct {
    pthread_mutex_t lock;
    struct loom_cuda_image *module[MODULES];
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

int loom_blas_status(int error)
{
    if (error == CUDA_OK) {
        return BLAS_OK;
    }
    return error == CUDA_NOT_SUPPORTED ? BLAS_NOT_SUPPORTED
                                       : BLAS_EXECUTION_FAILED;
}

static int find(enum loom_blas_module module, const char *name,
                const void **kernel)
{
    static const char *const ptx[MODULES] = {
        [MODULE_F32] = loom_blas_ptx_gemm_f32,
        [MODULE_F64] = loom_blas_ptx_gemm_f64,
        [MODULE_LANES16] = loom_blas_ptx_gemm_lanes16,
        [MODULE_F16] = loom_blas_ptx_gemm_f16,
        [MODULE_BF16] = loom_blas_ptx_gemm_bf16,
        [MODULE_VECTOR] = loom_blas_ptx_vector,
        [MODULE_MATRIX] = loom_blas_ptx_matrix,
        [MODULE_ROWS] = loom_blas_ptx_rows,
        [MODULE_STRUCTURED] = loom_blas_ptx_structured};
    int error = CUDA_OK;

    pthread_mutex_lock(&state.lock);
    if (state.module[module] == NULL) {
        error = loom_cuda_module(&state.module[module], ptx[module],
                                 (struct loom_cuda_jit){.options = 0});
    }
    pthread_mutex_unlock(&state.lock);
    return error != CUDA_OK
               ? error
               : cudaLibraryGetKernel(kernel, state.module[module], name);
}

int loom_blas_launch(struct loom_blas_launch launch)
{
    const void *kernel;
    int error = find(launch.module, launch.kernel, &kernel);

    if (error == CUDA_OK) {
        error = loom_cuda_launch(
            kernel, (struct loom_cuda_launch){.grid = launch.grid,
                                              .block = launch.block,
                                              .stream = launch.stream,
                                              .args = launch.args});
    }
    return loom_blas_status(error);
}

bool loom_blas_fits(enum loom_blas_module module, const char *kernel,
                    int threads)
{
    const void *handle;
    int ctas = 0;

    return find(module, kernel, &handle) == CUDA_OK &&
           cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
               &ctas, handle, threads, 0, 0) == CUDA_OK &&
           ctas > 0;
}
