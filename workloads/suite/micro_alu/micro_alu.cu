/*
 * Chains of one operation: each needs the result of the one before.  With one
 * warp the time of an operation is its latency; with many, what its unit, or
 * the schedulers, take per warp.
 *
 * The two kernels of an operation differ by 64 of it.
 */
#define X4(text) text text text text
#define X16(text) X4(X4(text))
#define X64(text) X4(X16(text))

#define CHAIN(op, type, letter, text)                                          \
    KERNEL micro_alu_##op##_short(type *out, type x, type y)                   \
    {                                                                          \
        asm volatile(X16(text "\n\t") : "+" letter(x) : letter(y));            \
        out[blockIdx.x * blockDim.x + threadIdx.x] = x;                        \
    }                                                                          \
    KERNEL micro_alu_##op##_long(type *out, type x, type y)                    \
    {                                                                          \
        asm volatile(X16(text "\n\t") : "+" letter(x) : letter(y));            \
        asm volatile(X64(text "\n\t") : "+" letter(x) : letter(y));           \
        out[blockIdx.x * blockDim.x + threadIdx.x] = x;                        \
    }

CHAIN(int_add, int, "r", "add.s32 %0, %0, %1;")
CHAIN(int_max, int, "r", "max.s32 %0, %0, %1;")
CHAIN(int_mul, int, "r", "mul.lo.s32 %0, %0, %1;")
CHAIN(int_mad, int, "r", "mad.lo.s32 %0, %0, %1, %1;")
CHAIN(int_div, int, "r", "div.s32 %0, %0, %1;")
CHAIN(fp_add, float, "f", "add.rn.f32 %0, %0, %1;")
CHAIN(fp_max, float, "f", "max.f32 %0, %0, %1;")
CHAIN(fp_mul, float, "f", "mul.rn.f32 %0, %0, %1;")
CHAIN(fp_mad, float, "f", "fma.rn.f32 %0, %0, %1, %1;")
CHAIN(fp_div, float, "f", "div.rn.f32 %0, %0, %1;")
CHAIN(dp_add, double, "d", "add.rn.f64 %0, %0, %1;")
CHAIN(dp_max, double, "d", "max.f64 %0, %0, %1;")
CHAIN(dp_mul, double, "d", "mul.rn.f64 %0, %0, %1;")
CHAIN(dp_mad, double, "d", "fma.rn.f64 %0, %0, %1, %1;")
CHAIN(dp_div, double, "d", "div.rn.f64 %0, %0, %1;")
CHAIN(sfu, float, "f", "rcp.approx.f32 %0, %0;")

/* A comparison (int_add) and a vote (shuffle). */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
#define BALLOT "vote.sync.ballot.b32 %0, p, 0xFFFFFFFF;"
#else
#define BALLOT "vote.ballot.b32 %0, p;"
#endif
CHAIN(shuffle, int, "r",
      "{ .reg .pred p; setp.ne.s32 p, %0, %1; " BALLOT " }")
