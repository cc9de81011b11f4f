/*
 * What the suite's kernels need of CUDA C, without any CUDA toolkit.
 *
 * clang knows the language but leaves the names to NVIDIA's headers; this is
 * our own, small set: attributes, thread indices, barriers, atomics and the
 * fast mathematical functions.  It is included before every kernel by
 * workloads/suite/build.sh.  __syncthreads() is clang's own builtin.
 */
#ifndef WORKLOADS_SUITE_GPU_H
#define WORKLOADS_SUITE_GPU_H

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __restrict__ __restrict
#define GPU_INLINE                                                             \
    static __inline__ __attribute__((always_inline)) __attribute__((device))

/* A kernel keeps its name in the PTX. */
#define KERNEL extern "C" __global__ void

/* Elements that are loaded and stored at once. */
typedef int int2 __attribute__((ext_vector_type(2)));
typedef int int4 __attribute__((ext_vector_type(4)));
typedef float float2 __attribute__((ext_vector_type(2)));
typedef float float4 __attribute__((ext_vector_type(4)));

/* threadIdx.x and the like: properties read from special registers. */
#define GPU_FIELD(field, sreg)                                                 \
    __declspec(property(get = get_##field)) unsigned field;                    \
    GPU_INLINE unsigned get_##field()                                          \
    {                                                                          \
        return (unsigned)__nvvm_read_ptx_sreg_##sreg##_##field();              \
    }
#define GPU_INDEX(name, sreg)                                                  \
    struct gpu_##name {                                                        \
        GPU_FIELD(x, sreg)                                                     \
        GPU_FIELD(y, sreg)                                                     \
        GPU_FIELD(z, sreg)                                                     \
    };                                                                         \
    extern const __device__ gpu_##name name
GPU_INDEX(threadIdx, tid);
GPU_INDEX(blockIdx, ctaid);
GPU_INDEX(blockDim, ntid);
GPU_INDEX(gridDim, nctaid);

/* __syncthreads() where threads read single shared variables behind it: clang
 * 14 takes the builtin for one that cannot know a variable whose address nobody
 * takes, and loads it before the barrier, where it has no value yet. */
GPU_INLINE void sync_variables()
{
    asm volatile("" ::: "memory");
    __syncthreads();
}

GPU_INLINE unsigned lane_id()
{
    return (unsigned)__nvvm_read_ptx_sreg_laneid();
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

/* The value of the lane that is `delta` below; all lanes take part. */
GPU_INLINE int shuffle_up(int value, int delta)
{
    int result;

#if __CUDA_ARCH__ >= 700
    asm volatile("shfl.sync.up.b32 %0, %1, %2, 0, 0xffffffff;"
                 : "=r"(result)
                 : "r"(value), "r"(delta));
#else
    asm volatile("shfl.up.b32 %0, %1, %2, 0;"
                 : "=r"(result)
                 : "r"(value), "r"(delta));
#endif
    return result;
}

GPU_INLINE void __threadfence_block()
{
    __nvvm_membar_cta();
}

GPU_INLINE void __threadfence()
{
    __nvvm_membar_gl();
}

GPU_INLINE int atomicAdd(int *at, int value)
{
    return __nvvm_atom_add_gen_i(at, value);
}

GPU_INLINE unsigned atomicAdd(unsigned *at, unsigned value)
{
    return (unsigned)__nvvm_atom_add_gen_i((int *)at, (int)value);
}

GPU_INLINE float atomicAdd(float *at, float value)
{
    return __nvvm_atom_add_gen_f(at, value);
}

GPU_INLINE int atomicMin(int *at, int value)
{
    return __nvvm_atom_min_gen_i(at, value);
}

GPU_INLINE int atomicMax(int *at, int value)
{
    return __nvvm_atom_max_gen_i(at, value);
}

GPU_INLINE int atomicExch(int *at, int value)
{
    return __nvvm_atom_xchg_gen_i(at, value);
}

GPU_INLINE int atomicCAS(int *at, int expected, int value)
{
    return __nvvm_atom_cas_gen_i(at, expected, value);
}

GPU_INLINE int min(int a, int b)
{
    return a < b ? a : b;
}

GPU_INLINE int max(int a, int b)
{
    return a > b ? a : b;
}

GPU_INLINE float fabsf(float x)
{
    return __builtin_fabsf(x);
}

GPU_INLINE float fminf(float a, float b)
{
    return __nvvm_fmin_f(a, b);
}

GPU_INLINE float fmaxf(float a, float b)
{
    return __nvvm_fmax_f(a, b);
}

GPU_INLINE double fmax(double a, double b)
{
    return __nvvm_fmax_d(a, b);
}

GPU_INLINE float fmaf(float a, float b, float c)
{
    return __nvvm_fma_rn_f(a, b, c);
}

GPU_INLINE float sqrtf(float x)
{
    return __nvvm_sqrt_rn_f(x);
}

GPU_INLINE float rsqrtf(float x)
{
    return __nvvm_rsqrt_approx_f(x);
}

/* 2^x, log2 x and the approximate functions over them. */
GPU_INLINE float exp2_fast(float x)
{
    return __nvvm_ex2_approx_f(x);
}

GPU_INLINE float log2_fast(float x)
{
    return __nvvm_lg2_approx_f(x);
}

GPU_INLINE float expf(float x)
{
    return __nvvm_ex2_approx_f(x * 1.44269504f);
}

GPU_INLINE float logf(float x)
{
    return __nvvm_lg2_approx_f(x) * 0.69314718f;
}

GPU_INLINE float powf(float x, float y)
{
    return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x));
}

GPU_INLINE float sinf(float x)
{
    return __nvvm_sin_approx_f(x);
}

GPU_INLINE float cosf(float x)
{
    return __nvvm_cos_approx_f(x);
}

#endif
