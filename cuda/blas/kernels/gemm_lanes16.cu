/* GEMM of numbers of two bytes, and of bytes, without tensor cores. */
#include "lanes.cuh"

LANES4(gemm_lanes_f16, f16, float, 64, 64, 4, 4)
LANES4(gemm_lanes_bf16, bf16, float, 64, 64, 4, 4)
LANES4(gemm_i8, signed char, int, 64, 64, 4, 4)
