/* GEMM of numbers of eight bytes. */
#include "lanes.cuh"

LANES4(gemm_f64, double, double, 64, 64, 4, 4)
LANES4(gemm_f64, double, double, 32, 32, 4, 4)
