/*
 * cuBLAS as kernels that run on the simulated GPU (docs/cuda-libraries.md):
 * what its files share.  Numbers are those of cublas_api.h and library_types.h.
 *
 * The files from the top down: those with the functions that programs call
 * (legacy.c, gemm_calls.c, vector.c, rotate.c, matrix.c, lu.c, structured.c,
 * lt_matmul.c), lt.c, gemm.c, handle.c, kernels.c.
 */
#ifndef CUDA_BLAS_BLAS_H
#define CUDA_BLAS_BLAS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "cuda/abi.h"
#include "cuda/calls.h"
#include "cuda/runtime.h"

enum {
    BLAS_OK = 0,
    BLAS_NOT_INITIALIZED = 1,
    BLAS_ALLOC_FAILED = 3,
    BLAS_INVALID_VALUE = 7,
    BLAS_ARCH_MISMATCH = 8,
    BLAS_MAPPING_ERROR = 11,
    BLAS_EXECUTION_FAILED = 13,
    BLAS_INTERNAL_ERROR = 14,
    BLAS_NOT_SUPPORTED = 15,
    BLAS_LICENSE_ERROR = 16
};

enum {
    TYPE_F32 = 0,
    TYPE_F64 = 1,
    TYPE_F16 = 2,
    TYPE_I8 = 3,
    TYPE_I32 = 10,
    TYPE_BF16 = 14
};

enum {
    COMPUTE_F16 = 64,
    COMPUTE_F16_PEDANTIC = 65,
    COMPUTE_F32 = 68,
    COMPUTE_F32_PEDANTIC = 69,
    COMPUTE_F64 = 70,
    COMPUTE_F64_PEDANTIC = 71,
    COMPUTE_I32 = 72,
    COMPUTE_I32_PEDANTIC = 73,
    COMPUTE_F32_FAST_F16 = 74,
    COMPUTE_F32_FAST_BF16 = 75,
    COMPUTE_F32_FAST_TF32 = 77,
    COMPUTE_F32_EMULATED = 78
};

enum {
    OP_N = 0,
    OP_T = 1,
    OP_C = 2
};

enum {
    SIDE_LEFT = 0,
    SIDE_RIGHT = 1
};

enum {
    UNIT = 1 /* a diagonal of ones */
};

enum {
    FILL_LOWER = 0,
    FILL_UPPER = 1
};

struct loom_blas {
    uint64_t magic;
    void *stream;
    int pointers_on_device; /* of scalars and results */
    int math, atomics, sms_target;
    int sms;             /* of the device */
    uint32_t capability; /* of the machine, or the program's PTX: 90 */
    char *scratch;       /* on the device: what blocks leave to the last one */
};

/* ---- kernels.c ---- */

enum loom_blas_module {
    MODULE_F32,
    MODULE_F64,
    MODULE_LANES16,
    MODULE_F16,
    MODULE_BF16,
    MODULE_VECTOR,
    MODULE_MATRIX,
    MODULE_ROWS,
    MODULE_STRUCTURED,
    MODULES
};

struct loom_blas_launch {
    enum loom_blas_module module;
    const char *kernel;
    struct cuda_dim3 grid, block;
    void *stream;
    void **args; /* one address for each parameter */
};
/* A status. */
int loom_blas_launch(struct loom_blas_launch launch);
/* Can an SM have a CTA of it? */
bool loom_blas_fits(enum loom_blas_module module, const char *kernel,
                    int threads);
/* A status for an error of the runtime. */
int loom_blas_status(int error);

/* ---- handle.c ---- */

enum {
    BLAS_BLOCKS = 64,   /* that leave something in `scratch` */
    BLAS_SCRATCH = 4096 /* bytes */
};

/* Handles of cuBLAS and cublasLt are the same. */
int loom_blas_create(struct loom_blas **handle);
int loom_blas_destroy(struct loom_blas *handle);
bool loom_blas_is_there(const struct loom_blas *handle);
/* Says once, in any case, which function is not supported and why. */
int loom_blas_refuse(atomic_bool *told, const char *function, const char *why);
/* In a function of cuBLAS. */
#define BLAS_REFUSE(why)                                                       \
    do {                                                                       \
        static atomic_bool told;                                               \
                                                                               \
        return loom_blas_refuse(&told, __func__, why);                         \
    } while (0)
/* The same, with a function's name, for those with several reasons. */
int loom_blas_refuse_as(const char *function, const char *why);

#endif
