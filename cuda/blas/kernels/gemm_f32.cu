/* GEMM of numbers of four bytes. */
#include "lanes.cuh"

LANES4(gemm_f32, float, float, 128, 128, 8, 8)
LANES4(gemm_f32, float, float, 64, 64, 4, 4)
LANES4(gemm_f32, float, float, 32, 32, 4, 4)
