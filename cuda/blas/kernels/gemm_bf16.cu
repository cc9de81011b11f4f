/* GEMM of bf16 by tensor cores. */
#include "tensor.cuh"

TENSOR4(gemm_bf16, bf16, 128, 128, 64, 64)
TENSOR4(gemm_bf16, bf16, 64, 64, 32, 32)
