/*
 * nvcc's own headers have what workloads/suite/gpu.h gives to clang, but for
 * these names.
 */
#ifndef TESTS_SUITE_NVCC_H
#define TESTS_SUITE_NVCC_H

#define KERNEL extern "C" __global__ void
#define GPU_INLINE static __forceinline__ __device__

GPU_INLINE void sync_variables()
{
    __syncthreads();
}

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

/* Element i of a one-dimensional texture of floats. */
GPU_INLINE float fetch_float(unsigned long long texture, int i)
{
    float value, y, z, w;

    asm("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5}];"
        : "=f"(value), "=f"(y), "=f"(z), "=f"(w)
        : "l"(texture), "r"(i));
    return value;
}

#endif
