/*
 * nvcc's own headers have what workloads/suite/gpu.h gives to clang, but for
 * these names.
 */
#ifndef TESTS_SUITE_NVCC_H
#define TESTS_SUITE_NVCC_H

#define KERNEL extern "C" __global__ void
#define GPU_INLINE static __forceinline__ __device__

GPU_INLINE unsigned lane_id()
{
    unsigned lane;

    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

GPU_INLINE int shuffle_up(int value, int delta)
{
    return __shfl_up_sync(0xffffffff, value, delta);
}

#endif
