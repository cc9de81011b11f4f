/* GEMM of f16 by tensor cores. */
#include "tensor.cuh"

TENSOR4(gemm_f16, f16, 128, 128, 64, 64)
TENSOR4(gemm_f16, f16, 64, 64, 32, 32)
