/*
 * What all kernels of D = alpha op(A) op(B) + beta C share: their one
 * parameter (struct loom_blas_gemm of cuda/blas/gemm.h), numbers of two bytes,
 * and what becomes of a sum before it is stored.  Matrices are column-major.
 */
#define DEVICE __device__ __forceinline__

/* What the compiler is to keep in a register, and not to compute again in each
 * turn of a loop. */
DEVICE void keep(unsigned &x)
{
    asm volatile("" : "+r"(x));
}
DEVICE void keep(int &x)
{
    asm volatile("" : "+r"(x));
}
template <class T> DEVICE void keep(const T *&x)
{
    asm volatile("" : "+l"(x));
}

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
#if __CUDA_ARCH__ >= 800
    unsigned short y;

    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(x));
    return y;
#else
    unsigned bits = __float_as_uint(x);

    if (x != x) {
        return 0x7fff;
    }
    return (unsigned short)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
#endif
}

DEVICE float widen16(unsigned short x, int type)
{
    return type == F16 ? from_f16(x) : from_bf16(x);
}

DEVICE unsigned short narrow16(float x, int type)
{
    return type == F16 ? to_f16(x) : to_bf16(x);
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

/* ---- four elements of a column, which D or C has as type_d ---- */

DEVICE void read4(float (&to)[4], const float *from)
{
    float4 v = *(const float4 *)from;

    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}
DEVICE void read4(int (&to)[4], const int *from)
{
    int4 v = *(const int4 *)from;

    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}
DEVICE void read4(double (&to)[4], const double *from)
{
    double2 v = *(const double2 *)from, w = *(const double2 *)(from + 2);

    to[0] = v.x, to[1] = v.y, to[2] = w.x, to[3] = w.y;
}

DEVICE void read4(float (&to)[4], const void *at, long long i, int type)
{
    if (type == F32) {
        read4(to, (const float *)at + i);
    } else {
        ushort4 v = *(const ushort4 *)((const unsigned short *)at + i);

        to[0] = widen16(v.x, type), to[1] = widen16(v.y, type);
        to[2] = widen16(v.z, type), to[3] = widen16(v.w, type);
    }
}
DEVICE void read4(double (&to)[4], const void *at, long long i, int)
{
    read4(to, (const double *)at + i);
}
DEVICE void read4(int (&to)[4], const void *at, long long i, int)
{
    read4(to, (const int *)at + i);
}

DEVICE void write4(void *at, long long i, int type, const float (&x)[4])
{
    if (type == F32) {
        *(float4 *)((float *)at + i) = make_float4(x[0], x[1], x[2], x[3]);
    } else {
        *(ushort4 *)((unsigned short *)at + i) =
            make_ushort4(narrow16(x[0], type), narrow16(x[1], type),
                         narrow16(x[2], type), narrow16(x[3], type));
    }
}
DEVICE void write4(void *at, long long i, int, const double (&x)[4])
{
    *(double2 *)((double *)at + i) = make_double2(x[0], x[1]);
    *(double2 *)((double *)at + i + 2) = make_double2(x[2], x[3]);
}
DEVICE void write4(void *at, long long i, int, const int (&x)[4])
{
    *(int4 *)((int *)at + i) = make_int4(x[0], x[1], x[2], x[3]);
}

/* One of them. */
DEVICE float element(const void *at, long long i, int type, float)
{
    return read_any(at, i, type);
}
DEVICE double element(const void *at, long long i, int, double)
{
    return ((const double *)at)[i];
}
DEVICE int element(const void *at, long long i, int, int)
{
    return ((const int *)at)[i];
}
DEVICE void put_element(void *at, long long i, int type, float x)
{
    write_any(at, i, type, x);
}
DEVICE void put_element(void *at, long long i, int, double x)
{
    ((double *)at)[i] = x;
}
DEVICE void put_element(void *at, long long i, int, int x)
{
    ((int *)at)[i] = x;
}

/* ---- after the sums ---- */

DEVICE void finish4(const gemm &g, float (&x)[4], int row, int column)
{
    int types = g.type_bias | g.type_aux << 8;
    long long bias = blockIdx.z * g.stride_bias +
                     (g.epilogue & BIAS_BY_COLUMN ? column : row);
    long long aux =
        blockIdx.z * g.stride_aux + (long long)column * g.ldaux + row;

    if (g.epilogue == 0) {
        return;
    }
#pragma unroll 1
    for (int i = 0; i < 4 && row + i < g.m; i++) {
        float first = x[0];

        /* Round they go, so that they stay in registers. */
        x[0] = x[1], x[1] = x[2], x[2] = x[3];
        x[3] = finish(first, g.epilogue, types, g.bias,
                      bias + (g.epilogue & BIAS_BY_COLUMN ? 0 : i), g.aux,
                      aux + i);
    }
    for (int i = g.m - row; i < 4 && i > 0; i++) {
        float first = x[0];

        x[0] = x[1], x[1] = x[2], x[2] = x[3], x[3] = first;
    }
}
DEVICE void finish4(const gemm &, double (&)[4], int, int)
{
}
DEVICE void finish4(const gemm &, int (&)[4], int, int)
{
}

DEVICE const void *address_of(const void *at, long long stride, int flags,
                              int bytes)
{
    if (flags & POINTERS) {
        return ((const void *const *)at)[blockIdx.z];
    }
    return (const char *)at + blockIdx.z * stride * bytes;
}

/* Where D is, and C if it is read.  Sums come here by way of shared memory, so
 * that neighbours in a warp are neighbours in a column. */
template <class Acc> struct target {
    const void *c;
    void *d;
    Acc alpha, beta;
    bool quads; /* four elements at a time can be read and written */

    DEVICE target(const gemm &g)
    {
        int bytes = g.type_d == F64                       ? 8
                    : g.type_d == F16 || g.type_d == BF16 ? 2
                                                          : 4;

        alpha = pick(g.alpha_at, g.alpha, g.type_scale, Acc());
        beta = pick(g.beta_at, g.beta, g.type_scale, Acc());
        c = beta == 0 ? 0 : address_of(g.c, g.stride_c, g.flags, bytes);
        d = (void *)address_of(g.d, g.stride_d, g.flags, bytes);
        quads = ((g.ldd | (c ? g.ldc : 0)) & 3) == 0 &&
                (((size_t)d | (size_t)c) & 15) == 0;
    }

    DEVICE void store(const gemm &g, const Acc *sum,
                                          int row, int column) const
    {
        bool all = quads && row + 3 < g.m;
        Acc x[4];

        if (row >= g.m || column >= g.n) {
            return;
        }
        read4(x, sum);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            x[i] = alpha == 0 ? 0 : alpha * x[i];
        }
        if (beta != 0) {
            add(g, x, row, column, all);
        }
        finish4(g, x, row, column);
        if (all) {
            write4(d, (long long)column * g.ldd + row, g.type_d, x);
            return;
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            if (row + i < g.m) {
                put_element(d, (long long)column * g.ldd + row + i, g.type_d,
                            x[i]);
            }
        }
    }

    DEVICE void add(const gemm &g, Acc (&x)[4], int row,
                                        int column, bool all) const
    {
        long long at = (long long)column * g.ldc + row;
        Acc y[4] = {};

        if (all) {
            read4(y, c, at, g.type_d);
        } else {
#pragma unroll
            for (int i = 0; i < 4; i++) {
                if (row + i < g.m) {
                    y[i] = element(c, at + i, g.type_d, Acc());
                }
            }
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            x[i] += beta * y[i];
        }
    }
};
