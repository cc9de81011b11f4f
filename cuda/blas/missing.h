/*
 * Functions of cuBLAS that are not provided.  Each says so once, in spite of
 * --quiet, and answers CUBLAS_STATUS_NOT_SUPPORTED.  The names are those that
 * libcublas.so.13 and libcublasLt.so.13 export and their headers have.
 */
#ifndef CUDA_BLAS_MISSING_H
#define CUDA_BLAS_MISSING_H

#include "cuda/blas/blas.h"

#define MISSING(name)                                                          \
    LOOM_CUDA(int, name, void)                                                 \
    {                                                                          \
        BLAS_REFUSE("it is not among ours");                                   \
    }

#endif
