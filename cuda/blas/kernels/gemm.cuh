/*
 * What all kernels of D = alpha op(A) op(B) + beta C share: their one
 * parameter (struct loom_blas_gemm of cuda/blas/gemm.h), numbers of two bytes,
 * and what becomes of a sum before it is stored.  Matrices are column-major.
 */
#define DEVICE static __device__ __forceinline__

enum { F32 = 0, F64 = 1, F16 = 2, I8 = 3, I32 = 10, BF16 = 14 };

enum {
    POINTERS = 1,  /* a, b, c and d are arrays of addresses, one a batch */
    ALIGNED_A = 2, /* 16 bytes at a time can be read */
    ALIGNED_B = 4
};

enum { RELU = 1, GELU = 2, BACKWARD_GELU = 3, ACTIVATION = 15 };
enum { BIAS = 16, BIAS_BY_COLUMN = 32, AUX = 64 };

union scalar {
    float f32;
    double f64;
    int i32;
};

struct gemm {
    const void *a, *b, *c;
    void *d;
    long long stride_a, stride_b, stride_c, stride_d;
    const void *alpha_at, *beta_at; /* on the device, or 0: the values below */
    union scalar alpha, beta;
    const void *bias;
    void *aux;
    long long stride_bias, stride_aux;
    int m, n, k, lda, ldb, ldc, ldd, ldaux;
    int type_d, type_scale, type_bias, type_aux;
    int flags, epilogue;
};

/* ---- numbers of two bytes ---- */

DEVICE float from_f16(unsigned short x)
{
    float y;

    asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x));
    return y;
}

DEVICE unsigned short to_f16(float x)
{
    unsigned short y;

    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x));
    return y;
}

DEVICE float from_bf16(unsigned short x)
{
    return __uint_as_float((unsigned)x << 16);
}

/* To the nearest, even if between two. */
DEVICE unsigned short to_bf16(float x)
{
    unsigned bits = __float_as_uint(x);

    if (x != x) {
        return 0x7fff;
    }
    return (unsigned short)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

struct f16 {
    unsigned short bits;
};
struct bf16 {
    unsigned short bits;
};

DEVICE float widen(float x) { return x; }
DEVICE double widen(double x) { return x; }
DEVICE float widen(f16 x) { return from_f16(x.bits); }
DEVICE float widen(bf16 x) { return from_bf16(x.bits); }
DEVICE int widen(signed char x) { return x; }
DEVICE int widen(int x) { return x; }


DEVICE float read_any(const void *at, long long i, int type)
{
    if (type == F32) {
        return ((const float *)at)[i];
    }
    if (type == F16) {
        return from_f16(((const unsigned short *)at)[i]);
    }
    return from_bf16(((const unsigned short *)at)[i]);
}

DEVICE void write_any(void *at, long long i, int type, float x)
{
    if (type == F32) {
        ((float *)at)[i] = x;
    } else {
        ((unsigned short *)at)[i] = type == F16 ? to_f16(x) : to_bf16(x);
    }
}

DEVICE float pick(const void *at, const union scalar &s, int type, float)
{
    return at ? read_any(at, 0, type) : s.f32;
}
DEVICE double pick(const void *at, const union scalar &s, int, double)
{
    return at ? *(const double *)at : s.f64;
}
DEVICE int pick(const void *at, const union scalar &s, int, int)
{
    return at ? *(const int *)at : s.i32;
}

/* ---- after the sum ---- */

/* tanh by a power of e, exact enough for numbers of four bytes. */
DEVICE float tanh_of(float x)
{
    float e = __expf(-2.0f * fabsf(x));
    float y = __fdividef(1.0f - e, 1.0f + e);

    return x < 0 ? -y : y;
}

#define ROOT 0.7978845608028654f /* of 2 / pi */

DEVICE float gelu(float x)
{
    return 0.5f * x * (1.0f + tanh_of(ROOT * (x + 0.044715f * x * x * x)));
}

DEVICE float gelu_slope(float x)
{
    float t = tanh_of(ROOT * (x + 0.044715f * x * x * x));

    return 0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * ROOT *
                                   (1.0f + 3.0f * 0.044715f * x * x);
}

/* One function that is called, so that a plain GEMM has a branch and no more.
 * `types` has the type of the bias, and from bit 8 that of aux. */
extern "C" __device__ __noinline__ float finish(float x, int what, int types,
                                                const void *bias, long long i,
                                                void *aux, long long j)
{
    int act = what & ACTIVATION;

    if (what & BIAS) {
        x += read_any(bias, i, types & 255);
    }
    if (act == BACKWARD_GELU) {
        return x * gelu_slope(read_any(aux, j, types >> 8));
    }
    if (what & AUX) {
        write_any(aux, j, types >> 8, x);
    }
    if (act == RELU) {
        return x > 0 ? x : 0.0f;
    }
    return act == GELU ? gelu(x) : x;
}

/* Where a batch's matrices are. */
template <class T> DEVICE const T *batch_of(const void *at, long long stride,
                                            int flags)
{
    if (flags & POINTERS) {
        return ((const T *const *)at)[blockIdx.z];
    }
    return (const T *)at + blockIdx.z * stride;
}

/* What D and C have at an element. */
DEVICE void put_element(const gemm &g, void *d, long long i, float x)
{
    write_any(d, i, g.type_d, x);
}
DEVICE void put_element(const gemm &, void *d, long long i, double x)
{
    ((double *)d)[i] = x;
}
DEVICE void put_element(const gemm &, void *d, long long i, int x)
{
    ((int *)d)[i] = x;
}
DEVICE float element(const gemm &g, const void *c, long long i, float)
{
    return read_any(c, i, g.type_d);
}
DEVICE double element(const gemm &, const void *c, long long i, double)
{
    return ((const double *)c)[i];
}
DEVICE int element(const gemm &, const void *c, long long i, int)
{
    return ((const int *)c)[i];
}

template <class Acc> DEVICE Acc finished(const gemm &, Acc x, int, int)
{
    return x;
}
template <>
__device__ __forceinline__ float finished(const gemm &g, float x, int row,
                                          int column)
{
    if (g.epilogue == 0) {
        return x;
    }
    return finish(
        x, g.epilogue, g.type_bias | g.type_aux << 8, g.bias,
        blockIdx.z * g.stride_bias +
            (g.epilogue & BIAS_BY_COLUMN ? column : row),
        g.aux,
        blockIdx.z * g.stride_aux + (long long)column * g.ldaux + row);
}

DEVICE const void *address_of(const void *at, long long stride, int flags,
                              int bytes)
{
    if (flags & POINTERS) {
        return ((const void *const *)at)[blockIdx.z];
    }
    return (const char *)at + blockIdx.z * stride * bytes;
}

/* Where D is, and C if it is read. */
template <class Acc> struct target {
    const void *c;
    void *d;
    Acc alpha, beta;

    __device__ __forceinline__ target(const gemm &g)
    {
        int bytes = g.type_d == F64 ? 8 : g.type_d == F16 || g.type_d == BF16
                                              ? 2
                                              : 4;

        alpha = pick(g.alpha_at, g.alpha, g.type_scale, Acc());
        beta = pick(g.beta_at, g.beta, g.type_scale, Acc());
        c = beta == 0 ? 0 : address_of(g.c, g.stride_c, g.flags, bytes);
        d = (void *)address_of(g.d, g.stride_d, g.flags, bytes);
    }

    /* Sums come here by way of shared memory, so that neighbours in a warp
     * are neighbours in a column; as a loop, since it is in every kernel. */
    __device__ __forceinline__ void store(const gemm &g, Acc sum, int row,
                                          int column) const
    {
        Acc x = alpha == 0 ? 0 : alpha * sum;

        if (row >= g.m || column >= g.n) {
            return;
        }
        if (beta != 0) {
            x += beta * element(g, c, (long long)column * g.ldc + row, Acc());
        }
        put_element(g, d, (long long)column * g.ldd + row,
                    finished(g, x, row, column));
    }
};
