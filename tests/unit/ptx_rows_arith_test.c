/*
 * The integer operations that ptx_lanes_test.c does not have: packed ones,
 * carries of mad, 24 bits, dot products, bit fields, 128 bits.
 *
 * links: workload_ptx
 */
#include "tests/unit/ptx_check_rig.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

static int64_t least(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static int64_t most(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

static int64_t sat32(int64_t x)
{
    return most(least(x, INT32_MAX), INT32_MIN);
}

#define X2(expr_low, expr_high) (H(expr_low) | (uint64_t)H(expr_high) << 16)
#define AL SH(a)
#define AH SH(a >> 16)
#define BL SH(b)
#define BH SH(b >> 16)
WANT(add_x2, X2(AL + BL, AH + BH))
WANT(min_u16x2, X2(least(H(a), H(b)), least(H(a >> 16), H(b >> 16))))
WANT(max_s16x2, X2(most(AL, BL), most(AH, BH)))
WANT(min_relu_x2, X2(most(0, least(AL, BL)), most(0, least(AH, BH))))
WANT(max_relu, U(most(0, most(S(a), S(b)))))
WANT(min_relu, U(most(0, least(S(a), S(b)))))

static int64_t s24(uint64_t x)
{
    return (int64_t)(x << 40) >> 40;
}

#define U24(x) ((x)&0xffffff)
WANT(mul24_u, U(U24(a) * U24(b)))
WANT(mul24_s, U(s24(a) * s24(b)))
WANT(mul24hi_u, U(U24(a) * U24(b) >> 16))
WANT(mul24hi_s, U(s24(a) * s24(b) >> 16))
WANT(mad24_s, U(s24(a) * s24(b) + S(a)))
WANT(mad24hi_s, U((s24(a) * s24(b) >> 16) + S(a)))
WANT(mad24hi_u, U((U24(a) * U24(b) >> 16) + U(b)))
WANT(mad24hisat, U(sat32(S(s24(a) * s24(b) >> 16) + S(a))))
WANT(madhisat, U(sat32((S(a) * S(b) >> 32) + S(a))))

/* 64-bit products and sums from 32-bit pieces, as compilers write them. */
WANT(mad_64, a *b + a)
WANT(mad_128_high, (uint64_t)(((u128)a * b + b) >> 64))
WANT(mad_hi_s64,
     (uint64_t)((s128)(int64_t)a *(int64_t)b >> 64) + a + (a + b < a))
WANT(madhi_s32, U((S(a) * S(b) >> 32) + S(b) + (U(a + b) < U(a))))
WANT(addc_64, (uint64_t)(((u128)a + b) >> 64) + 5)
WANT(subc_64, 7 - (uint64_t)(a < b))
WANT(subc_chain,
     U(a - b) + ((uint64_t)U((a >> 32) - (b >> 32) - (U(a) < U(b))) << 32))

static uint64_t szext(uint64_t a, uint32_t n, bool sign)
{
    uint64_t low = n >= 32 ? U(a) : a & ((UINT64_C(1) << n) - 1);

    if (n == 0) {
        return 0;
    }
    return sign && (low >> ((n > 32 ? 32 : n) - 1) & 1) != 0
               ? U(low | (n >= 32 ? 0 : ~((UINT64_C(1) << n) - 1)))
               : low;
}

WANT(szext_clamp_s, szext(a, U(b) > 32 ? 32 : U(b), true))
WANT(szext_wrap_s, szext(a, b & 31, true))
WANT(szext_clamp_u, szext(a, U(b) > 32 ? 32 : U(b), false))

static uint64_t bmsk(uint32_t at, uint32_t n)
{
    uint32_t r = 0;

    for (uint64_t i = at; i < 32 && i < (uint64_t)at + n; i++) {
        r |= 1u << i;
    }
    return r;
}

WANT(bmsk_clamp, bmsk(U(a), U(b)))
WANT(bmsk_wrap, bmsk(a & 31, b & 31))

/* The n-th set bit, by the words of the PTX ISA. */
static uint64_t fns(uint32_t mask, uint32_t base, int32_t offset)
{
    uint32_t found = 0;

    if (offset == 0) {
        return base < 32 && (mask >> base & 1) != 0 ? base : UINT32_MAX;
    }
    for (int64_t i = base; i >= 0 && i < 32; i += offset < 0 ? -1 : 1) {
        found += mask >> i & 1;
        if ((mask >> i & 1) != 0 && found == (uint32_t)abs(offset)) {
            return (uint64_t)i;
        }
    }
    return UINT32_MAX;
}

WANT(fns_3, fns(U(a), b & 31, 3))
WANT(fns_back, fns(U(a), b & 31, -2))
WANT(fns_0, fns(U(a), U(b), 0))

static int64_t byte(uint64_t x, uint32_t i, bool sign)
{
    uint8_t v = (uint8_t)(x >> (8 * i));

    return sign ? (int8_t)v : (int64_t)v;
}

static uint64_t dp4a(uint64_t a, uint64_t b, bool sa, bool sb)
{
    int64_t sum = (int64_t)U(a);

    for (uint32_t i = 0; i < 4; i++) {
        sum += byte(a, i, sa) * byte(b, i, sb);
    }
    return U(sum);
}

WANT(dp4a_ss, dp4a(a, b, true, true))
WANT(dp4a_us, dp4a(a, b, false, true))
WANT(dp4a_uu, dp4a(a, b, false, false))
WANT(dp2a_lo, U(S(b) + AL * byte(b, 0, true) + AH * byte(b, 1, true)))
WANT(dp2a_hi, U(S(b) + H(a) * byte(b, 2, true) + H(a >> 16) * byte(b, 3, true)))

static uint64_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    uint32_t r = 0;

    for (uint32_t i = 0; i < 32; i++) {
        r |= (table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1)
             << i;
    }
    return r;
}

WANT(lop3_e8, lop3(U(a), U(b), U(a + b), 0xe8))
WANT(lop3_or, (lop3(U(a), U(b), U(a), 0x40) != 0) || U(a) < U(b))
WANT(lop3_and, (lop3(U(a), U(b), U(a), 0x96) != 0) && U(a) < U(b))

static uint64_t prmt(uint64_t a, uint64_t b, const uint8_t from[4])
{
    uint64_t all = (uint64_t)U(b) << 32 | U(a), r = 0;

    for (uint32_t i = 0; i < 4; i++) {
        r |= (all >> (8 * from[i]) & 255) << (8 * i);
    }
    return r;
}

#define FROM(...) ((const uint8_t[]){__VA_ARGS__})
WANT(f4e, prmt(a, b, FROM(2, 3, 4, 5)))
WANT(b4e, prmt(a, b, FROM(2, 1, 0, 7)))
WANT(rc8, prmt(a, b, FROM(2, 2, 2, 2)))
WANT(ecl, prmt(a, b, FROM(2, 2, 2, 3)))
WANT(ecr, prmt(a, b, FROM(0, 1, 2, 2)))
WANT(rc16, prmt(a, b, FROM(2, 3, 2, 3)))
WANT(bfind_u64, a == 0 ? UINT32_MAX : 63u - (uint32_t)__builtin_clzll(a))
WANT(shiftamt, U(a) == 0 ? UINT32_MAX : (uint32_t)__builtin_clz(U(a)))
WANT(clz64, a == 0 ? 64 : __builtin_clzll(a))
WANT(sad_s16, H((AL < BL ? BL - AL : AL - BL) + 3))
WANT(sad_u64, (a < b ? b - a : a - b) + a)
WANT(div_u16, H(b) == 0 ? 0xffff : H(a) / H(b))
WANT(mulhi_u16, (uint32_t)H(a) * H(b) >> 16)
WANT(move_128, a ^ b)
WANT(slct64, S(b) >= 0 ? a : b)

static const struct check packed[] = {
    {'r', "add.u16x2 %r12, %r10, %r11;", add_x2},
    {'r', "add.s16x2 %r12, %r10, %r11;", add_x2},
    {'r', "min.u16x2 %r12, %r10, %r11;", min_u16x2},
    {'r', "max.s16x2 %r12, %r10, %r11;", max_s16x2},
    {'r', "min.relu.s16x2 %r12, %r10, %r11;", min_relu_x2},
    {'r', "max.relu.s32 %r12, %r10, %r11;", max_relu},
    {'r', "min.relu.s32 %r12, %r10, %r11;", min_relu},
    {'r', "dp4a.s32.s32 %r12, %r10, %r11, %r10;", dp4a_ss},
    {'r', "dp4a.u32.s32 %r12, %r10, %r11, %r10;", dp4a_us},
    {'r', "dp4a.u32.u32 %r12, %r10, %r11, %r10;", dp4a_uu},
    {'r', "dp2a.lo.s32.s32 %r12, %r10, %r11, %r11;", dp2a_lo},
    {'r', "dp2a.hi.u32.s32 %r12, %r10, %r11, %r11;", dp2a_hi},
};

static const struct check products[] = {
    {'r', "mul24.lo.u32 %r12, %r10, %r11;", mul24_u},
    {'r', "mul24.lo.s32 %r12, %r10, %r11;", mul24_s},
    {'r', "mul24.hi.u32 %r12, %r10, %r11;", mul24hi_u},
    {'r', "mul24.hi.s32 %r12, %r10, %r11;", mul24hi_s},
    {'r', "mad24.lo.s32 %r12, %r10, %r11, %r10;", mad24_s},
    {'r', "mad24.hi.s32 %r12, %r10, %r11, %r10;", mad24hi_s},
    {'r', "mad24.hi.u32 %r12, %r10, %r11, %r11;", mad24hi_u},
    {'r', "mad24.hi.sat.s32 %r12, %r10, %r11, %r10;", mad24hisat},
    {'r', "mad.hi.sat.s32 %r12, %r10, %r11, %r10;", madhisat},
    {'h', "mul.hi.u16 %h12, %h10, %h11;", mulhi_u16},
    {'h', "div.u16 %h12, %h10, %h11;", div_u16},
    {'d',
     "mov.b64 {%r2, %r3}, %d10;\nmov.b64 {%r4, %r5}, %d11;\n"
     "mad.lo.cc.u32 %r6, %r2, %r4, %r2;\n"
     "madc.hi.u32 %r7, %r2, %r4, %r3;\nmad.lo.u32 %r7, %r2, %r5, %r7;\n"
     "mad.lo.u32 %r7, %r3, %r4, %r7;\nmov.b64 %d12, {%r6, %r7};",
     mad_64},
    {'d',
     "mad.lo.cc.u64 %d9, %d10, %d11, %d11;\n"
     "madc.hi.u64 %d12, %d10, %d11, 0;",
     mad_128_high},
    {'d', "add.cc.u64 %d9, %d10, %d11;\nmadc.hi.s64 %d12, %d10, %d11, %d10;",
     mad_hi_s64},
    {'r', "add.cc.u32 %r9, %r10, %r11;\nmadc.hi.cc.s32 %r12, %r10, %r11, %r11;",
     madhi_s32},
    {'d', "add.cc.u64 %d9, %d10, %d11;\naddc.u64 %d12, 5, 0;", addc_64},
    {'d', "sub.cc.u64 %d9, %d10, %d11;\nsubc.u64 %d12, 7, 0;", subc_64},
    {'d',
     "mov.b64 {%r2, %r3}, %d10;\nmov.b64 {%r4, %r5}, %d11;\n"
     "sub.cc.u32 %r6, %r2, %r4;\nsubc.cc.u32 %r7, %r3, %r5;\n"
     "mov.b64 %d12, {%r6, %r7};",
     subc_chain},
};

static const struct check bits[] = {
    {'r', "szext.clamp.s32 %r12, %r10, %r11;", szext_clamp_s},
    {'r', "szext.wrap.s32 %r12, %r10, %r11;", szext_wrap_s},
    {'r', "szext.clamp.u32 %r12, %r10, %r11;", szext_clamp_u},
    {'r', "bmsk.clamp.b32 %r12, %r10, %r11;", bmsk_clamp},
    {'r', "bmsk.wrap.b32 %r12, %r10, %r11;", bmsk_wrap},
    {'r', "and.b32 %r9, %r11, 31;\nfns.b32 %r12, %r10, %r9, 3;", fns_3},
    {'r', "and.b32 %r9, %r11, 31;\nfns.b32 %r12, %r10, %r9, -2;", fns_back},
    {'r', "fns.b32 %r12, %r10, %r11, 0;", fns_0},
    {'r', "add.u32 %r9, %r10, %r11;\nlop3.b32 %r12, %r10, %r11, %r9, 0xe8;",
     lop3_e8},
    {'p',
     "setp.lt.u32 %p1, %r10, %r11;\n"
     "lop3.or.b32 %r9|%p12, %r10, %r11, %r10, 0x40, %p1;",
     lop3_or},
    {'p',
     "setp.lt.u32 %p1, %r10, %r11;\n"
     "lop3.and.b32 %r9|%p12, %r10, %r11, %r10, 0x96, %p1;",
     lop3_and},
    {'r', "prmt.b32.f4e %r12, %r10, %r11, 2;", f4e},
    {'r', "prmt.b32.b4e %r12, %r10, %r11, 2;", b4e},
    {'r', "prmt.b32.rc8 %r12, %r10, %r11, 2;", rc8},
    {'r', "prmt.b32.ecl %r12, %r10, %r11, 2;", ecl},
    {'r', "prmt.b32.ecr %r12, %r10, %r11, 2;", ecr},
    {'r', "prmt.b32.rc16 %r12, %r10, %r11, 1;", rc16},
    {'r', "bfind.u64 %r12, %d10;", bfind_u64},
    {'r', "bfind.shiftamt.u32 %r12, %r10;", shiftamt},
    {'r', "clz.b64 %r12, %d10;", clz64},
    {'h', "sad.s16 %h12, %h10, %h11, 3;", sad_s16},
    {'d', "sad.u64 %d12, %d10, %d11, %d10;", sad_u64},
    {'d', "slct.u64.s32 %d12, %d10, %d11, %r11;", slct64},
    {'d',
     ".reg .b128 %q<4>;\nmov.b128 %q1, {%d10, %d11};\nmov.b128 %q2, %q1;\n"
     "st.global.b128 [%d1], %q2;\nld.global.b128 %q3, [%d1];\n"
     "mov.b128 {%d8, %d9}, %q3;\nxor.b64 %d12, %d8, %d9;",
     move_128},
};

static void packed_integers(void)
{
    run_checks(packed, LOOM_COUNTOF(packed), int_edge);
}

static void products_and_carries(void)
{
    run_checks(products, LOOM_COUNTOF(products), int_edge);
}

static void bit_fields(void)
{
    run_checks(bits, LOOM_COUNTOF(bits), int_edge);
}

/* 32 bytes at once: eight words, and four double words. */
static void vectors_of_eight(void)
{
    static const char text[] = PTX_HEAD
        ".visible .entry k(.param .u64 k_at)\n{\n"
        ".reg .b32 %r<20>;\n.reg .b64 %d<8>;\n"
        "ld.param.u64 %d1, [k_at];\nmov.u32 %r1, %tid.x;\n"
        "mad.wide.u32 %d1, %r1, 32, %d1;\n"
        "ld.global.v8.u32 {%r2, %r3, _, %r5, %r6, %r7, %r8, %r9}, "
        "[%d1];\nadd.u32 %r2, %r2, 1;\n"
        "st.global.v8.b32 [%d1+1024], {%r9, %r8, %r7, %r6, %r5, %r3, "
        "%r3, %r2};\nld.global.v4.u64 {%d2, %d3, %d4, %d5}, [%d1];\n"
        "st.global.v4.u64 [%d1+2048], {%d5, %d4, %d3, %d2};\nret;\n}\n";
    static const uint32_t from[8] = {7, 6, 5, 4, 3, 1, 1, 0};
    struct ptx_rig rig;
    uint64_t base;
    uint32_t *word;

    ptx_rig_open(&rig, text);
    base = ptx_rig_alloc(&rig, 3072, "words");
    word = ptx_rig_at(&rig, base);
    for (uint32_t i = 0; i < 256; i++) {
        word[i] = 1000 + i;
    }
    ptx_rig_run(&rig, "k", ptx_shape_1d(1, 32), &base);
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t first = 1000 + i / 8 * 8, n = i % 8;

        EXPECT_EQ(word[256 + i], first + from[n] + (n == 7));
        EXPECT_EQ(word[512 + i], first + (6 - n / 2 * 2) + n % 2);
    }
    ptx_rig_close(&rig);
}

/* All 256 tables of lop3. */
static void lop3_tables(void)
{
    char text[32768];
    struct ptx_rig rig;
    uint64_t word[2], *out;
    struct pair *in;
    int at = snprintf(text, sizeof(text), "%s", PROLOGUE);

    for (uint32_t t = 0; t < 256; t++) {
        at += snprintf(text + at, sizeof(text) - (size_t)at,
                       "lop3.b32 %%r9, %%r10, %%r11, 0x0f0f55aa, %u;\n"
                       "mad.lo.u32 %%r12, %%r12, 31, %%r9;\n",
                       t);
    }
    snprintf(text + at, sizeof(text) - (size_t)at, "%s%s", finish('r'),
             EPILOGUE);
    ptx_rig_open(&rig, text);
    word[0] = ptx_rig_alloc(&rig, sizeof(*in), "in");
    word[1] = ptx_rig_alloc(&rig, sizeof(*out), "out");
    in = ptx_rig_at(&rig, word[0]);
    out = ptx_rig_at(&rig, word[1]);
    *in = (struct pair){0x13579bdf, 0xcafe1234};
    ptx_rig_run(&rig, "k", ptx_shape_1d(1, 1), word);
    {
        uint32_t want = 0;

        for (uint32_t t = 0; t < 256; t++) {
            want = want * 31 +
                   (uint32_t)lop3(0x13579bdf, 0xcafe1234, 0x0f0f55aa, t);
        }
        EXPECT_EQ(*out, want);
    }
    ptx_rig_close(&rig);
}

static const struct loom_test tests[] = {
    {"packed_integers", packed_integers},
    {"products_and_carries", products_and_carries},
    {"bit_fields", bit_fields},
    {"vectors_of_eight", vectors_of_eight},
    {"lop3_tables", lop3_tables},
};

int main(void)
{
    return loom_run_tests("ptx_rows_arith", tests, LOOM_COUNTOF(tests));
}
