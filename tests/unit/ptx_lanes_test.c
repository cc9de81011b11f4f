/*
 * Integer arithmetic of the PTX executor, against C.
 *
 * links: workload_ptx
 */
#include <stdio.h>

#include "engine/rng.h"

#include "tests/unit/ptx_check_rig.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

WANT(w_add32, U(a + b))
WANT(w_sub64, a - b)
WANT(w_mul32, U(a *b))
WANT(w_mulhi_u32, (uint64_t)U(a) * U(b) >> 32)
WANT(w_mulhi_s32, U((uint64_t)(S(a) * S(b)) >> 32))
WANT(w_mulhi_u64, (uint64_t)((u128)a *b >> 64))
WANT(w_mulhi_s64, (uint64_t)((s128)(int64_t)a *(int64_t)b >> 64))
WANT(w_wide_s32, S(a) * S(b))
WANT(w_wide_u32, (uint64_t)U(a) * U(b))
WANT(w_wide_s16, U(SH(a) * SH(b)))
WANT(w_mad_wide, S(a) * S(b) + (int64_t)(b & 0xff))
WANT(w_mad, U(a *b + 5))
WANT(w_div_s32, U(b) == 0 ? UINT32_MAX : U(S(a) / S(b)))
WANT(w_div_u64, b == 0 ? UINT64_MAX : a / b)
WANT(w_rem_s32, U(b) == 0 ? UINT32_MAX : U(S(a) % S(b)))
WANT(w_rem_u32, U(b) == 0 ? UINT32_MAX : U(a) % U(b))
WANT(w_min_s32, U(S(a) < S(b) ? a : b))
WANT(w_max_u16, H(a) > H(b) ? H(a) : H(b))
WANT(w_min_s16, H(SH(a) < SH(b) ? a : b))
WANT(w_max_s64, (int64_t)a > (int64_t)b ? a : b)
WANT(w_abs, U(S(a) < 0 ? -S(a) : S(a)))
WANT(w_neg64, 0 - a)
WANT(w_sad, U((U(a) < U(b) ? U(b) - U(a) : U(a) - U(b)) + 3))
WANT(w_shl32, U(b) > 31 ? 0 : U(a) << U(b))
WANT(w_shl64, U(b) > 63 ? 0 : a << U(b))
WANT(w_shl16, U(b) > 15 ? 0 : H(a << U(b)))
WANT(w_shr_u32, U(b) > 31 ? 0 : U(a) >> U(b))
WANT(w_shr_s32, U(S(a) >> (U(b) > 31 ? 31 : U(b))))
WANT(w_shr_s64, (int64_t)a >> (U(b) > 63 ? 63 : U(b)))
WANT(w_shr_s16, H(SH(a) >> (U(b) > 15 ? 15 : U(b))))
WANT(w_popc, __builtin_popcountll(a))
WANT(w_clz, U(a) == 0 ? 32 : __builtin_clz(U(a)))
WANT(w_bfind_s32, U(S(a) < 0 ? ~a : a) == 0
                      ? UINT32_MAX
                      : 31u - (uint32_t)__builtin_clz(U(S(a) < 0 ? ~a : a)))
WANT(w_addsat, U(S(a) + S(b) > INT32_MAX   ? INT32_MAX
                 : S(a) + S(b) < INT32_MIN ? INT32_MIN
                                           : S(a) + S(b)))
WANT(w_logic, (a & ~b) | (a ^ b))
WANT(w_cnot, U(a) == 0)
WANT(w_lt_s32, S(a) < S(b))
WANT(w_hi_u32, U(a) > U(b))
WANT(w_ge_s64, (int64_t)a >= (int64_t)b)
WANT(w_ne_s16, H(a) != H(b))
WANT(w_sum64, a + b)
WANT(w_diff64, a - b)
WANT(w_pack, (uint64_t)U(a) << 32 | U(b))
WANT(w_half, H(b))
WANT(w_set, U(a) <= U(b) ? UINT32_MAX : 0)
WANT(w_slct, S(b) >= 0 ? U(a) : 9)
WANT(w_selp, U(a) < U(b) ? a : b)

static uint64_t w_brev(uint64_t a, uint64_t b)
{
    uint64_t r = 0;

    (void)b;
    for (uint32_t i = 0; i < 32; i++) {
        r |= (a >> i & 1) << (31 - i);
    }
    return r;
}

/* The loops of the PTX ISA. */
static uint64_t bfe(uint64_t a, uint32_t at, uint32_t n, int top, bool sign)
{
    uint64_t d = 0, fill;
    int last = (int)(at + n) - 1 < top ? (int)(at + n) - 1 : top;

    fill = !sign || n == 0 ? 0 : a >> last & 1;
    for (int i = 0; i <= top; i++) {
        d |= ((uint32_t)i < n && (int)at + i <= top ? a >> ((int)at + i) & 1
                                                    : fill)
             << i;
    }
    return d;
}

WANT(w_bfe_u32, bfe(U(a), b & 255, b >> 1 & 255, 31, false))
WANT(w_bfe_s32, bfe(U(a), b & 255, b >> 1 & 255, 31, true))
WANT(w_bfe_s64, bfe(a, b & 255, b >> 1 & 255, 63, true))

static uint64_t w_bfi(uint64_t a, uint64_t b)
{
    uint32_t f = U(b), at = b & 255, n = b >> 1 & 255;

    for (uint32_t i = 0; i < n && at + i <= 31; i++) {
        f = (f & ~(1u << (at + i))) | (U(a) >> i & 1) << (at + i);
    }
    return f;
}

static uint64_t w_prmt(uint64_t a, uint64_t b)
{
    uint64_t all = (uint64_t)U(b) << 32 | U(a), r = 0;

    for (uint32_t i = 0; i < 4; i++) {
        uint32_t select = 0x9e30 >> (4 * i) & 15;
        uint64_t byte = all >> (8 * (select & 7)) & 255;

        byte = select > 7 ? (byte > 127 ? 255 : 0) : byte;
        r |= byte << (8 * i);
    }
    return r;
}

WANT(w_shf, U(((uint64_t)U(b) << 32 | U(a)) >> (U(b) & 31)))
WANT(w_shf_l, ((uint64_t)U(b) << 32 | U(a)) << (U(b) > 32 ? 32 : U(b)) >> 32)

static const struct check int_checks[] = {
    {'r', "add.s32 %r12, %r10, %r11;", w_add32},
    {'d', "sub.s64 %d12, %d10, %d11;", w_sub64},
    {'r', "mul.lo.s32 %r12, %r10, %r11;", w_mul32},
    {'r', "mul.hi.u32 %r12, %r10, %r11;", w_mulhi_u32},
    {'r', "mul.hi.s32 %r12, %r10, %r11;", w_mulhi_s32},
    {'d', "mul.hi.u64 %d12, %d10, %d11;", w_mulhi_u64},
    {'d', "mul.hi.s64 %d12, %d10, %d11;", w_mulhi_s64},
    {'d', "mul.wide.s32 %d12, %r10, %r11;", w_wide_s32},
    {'d', "mul.wide.u32 %d12, %r10, %r11;", w_wide_u32},
    {'r', "mul.wide.s16 %r12, %h10, %h11;", w_wide_s16},
    {'d', "and.b64 %d9, %d11, 255;\nmad.wide.s32 %d12, %r10, %r11, %d9;",
     w_mad_wide},
    {'r', "mad.lo.s32 %r12, %r10, %r11, 5;", w_mad},
    {'r', "div.s32 %r12, %r10, %r11;", w_div_s32},
    {'d', "div.u64 %d12, %d10, %d11;", w_div_u64},
    {'r', "rem.s32 %r12, %r10, %r11;", w_rem_s32},
    {'r', "rem.u32 %r12, %r10, %r11;", w_rem_u32},
    {'r', "min.s32 %r12, %r10, %r11;", w_min_s32},
    {'h', "max.u16 %h12, %h10, %h11;", w_max_u16},
    {'h', "min.s16 %h12, %h10, %h11;", w_min_s16},
    {'d', "max.s64 %d12, %d10, %d11;", w_max_s64},
    {'r', "abs.s32 %r12, %r10;", w_abs},
    {'d', "neg.s64 %d12, %d10;", w_neg64},
    {'r', "sad.u32 %r12, %r10, %r11, 3;", w_sad},
    {'r', "shl.b32 %r12, %r10, %r11;", w_shl32},
    {'d', "shl.b64 %d12, %d10, %r11;", w_shl64},
    {'h', "shl.b16 %h12, %h10, %r11;", w_shl16},
    {'r', "shr.u32 %r12, %r10, %r11;", w_shr_u32},
    {'r', "shr.s32 %r12, %r10, %r11;", w_shr_s32},
    {'d', "shr.s64 %d12, %d10, %r11;", w_shr_s64},
    {'h', "shr.s16 %h12, %h10, %r11;", w_shr_s16},
    {'r', "popc.b64 %r12, %d10;", w_popc},
    {'r', "clz.b32 %r12, %r10;", w_clz},
    {'r', "bfind.s32 %r12, %r10;", w_bfind_s32},
    {'r', "brev.b32 %r12, %r10;", w_brev},
    {'r', "add.sat.s32 %r12, %r10, %r11;", w_addsat},
    {'d',
     "not.b64 %d9, %d11;\nand.b64 %d9, %d9, %d10;\nxor.b64 %d8, %d10, %d11;\n"
     "or.b64 %d12, %d8, %d9;",
     w_logic},
    {'r', "cnot.b32 %r12, %r10;", w_cnot},
    {'r', "shr.u32 %r9, %r11, 1;\nbfe.u32 %r12, %r10, %r11, %r9;", w_bfe_u32},
    {'r', "shr.u32 %r9, %r11, 1;\nbfe.s32 %r12, %r10, %r11, %r9;", w_bfe_s32},
    {'d',
     "shr.u64 %d9, %d11, 1;\ncvt.u32.u64 %r9, %d9;\n"
     "bfe.s64 %d12, %d10, %r11, %r9;",
     w_bfe_s64},
    {'r', "shr.u32 %r9, %r11, 1;\nbfi.b32 %r12, %r10, %r11, %r11, %r9;", w_bfi},
    {'r', "prmt.b32 %r12, %r10, %r11, 0x9e30;", w_prmt},
    {'r', "shf.r.wrap.b32 %r12, %r10, %r11, %r11;", w_shf},
    {'r', "shf.l.clamp.b32 %r12, %r10, %r11, %r11;", w_shf_l},
    {'p', "setp.lt.s32 %p12, %r10, %r11;", w_lt_s32},
    {'p', "setp.hi.u32 %p12, %r10, %r11;", w_hi_u32},
    {'p', "setp.ge.s64 %p12, %d10, %d11;", w_ge_s64},
    {'p', "setp.ne.s16 %p12, %h10, %h11;", w_ne_s16},
    /* 64-bit sums from halves with a carry. */
    {'d',
     "mov.b64 {%r2, %r3}, %d10;\nmov.b64 {%r4, %r5}, %d11;\n"
     "add.cc.u32 %r6, %r2, %r4;\naddc.u32 %r7, %r3, %r5;\n"
     "mov.b64 %d12, {%r6, %r7};",
     w_sum64},
    {'d',
     "mov.b64 {%r2, %r3}, %d10;\nmov.b64 {%r4, %r5}, %d11;\n"
     "sub.cc.u32 %r6, %r2, %r4;\nsubc.u32 %r7, %r3, %r5;\n"
     "mov.b64 %d12, {%r6, %r7};",
     w_diff64},
    {'d', "mov.b64 %d12, {%r11, %r10};", w_pack},
    {'h', "mov.b32 {%h12, _}, %r11;", w_half},
    {'r', "set.le.u32.u32 %r12, %r10, %r11;", w_set},
    {'r', "slct.u32.s32 %r12, %r10, 9, %r11;", w_slct},
    {'d', "setp.lt.u32 %p1, %r10, %r11;\nselp.b64 %d12, %d10, %d11, %p1;",
     w_selp},
};

static void integers(void)
{
    run_checks(int_checks, LOOM_COUNTOF(int_checks), int_edge);
}

/* Random lanes, one in four of them an edge. */
static void fill(struct loom_rng *rng, uint64_t lane[4][LOOM_WARP_LANES])
{
    static const uint64_t edge[] = {0x7fc000007f800001, 0x7ff0000000000000,
                                    0x800000003f800000, 0x0000000180000000,
                                    0x7f800000ff800000, 0x3ff000003fffffff};

    for (uint32_t i = 0; i < 4 * LOOM_WARP_LANES; i++) {
        uint64_t pick = loom_rng_next(rng);

        lane[i / LOOM_WARP_LANES][i % LOOM_WARP_LANES] =
            pick % 4 == 0 ? edge[pick / 4 % LOOM_COUNTOF(edge)]
                          : loom_rng_next(rng);
    }
}

static struct exec_how random_how(struct loom_rng *rng)
{
    static const uint8_t narrow[] = {LOOM_PTX_F16, LOOM_PTX_BF16,
                                     LOOM_PTX_F16X2, LOOM_PTX_BF16X2};

    uint64_t r = loom_rng_next(rng);

    return (struct exec_how){
        .dtype = narrow[r % 4],
        .stype = narrow[r / 4 % 4],
        .relu = r >> 4 & 1,
        .nan = r >> 5 & 1,
        .xorsign = r >> 6 & 1,
        .finite = r >> 7 & 1,
        .high = r >> 8 & 1,
        .ftz = r >> 9 & 1,
        .sat = r >> 10 & 1,
        .shift_amount = r >> 11 & 1,
        .sources = (uint8_t)(1 + (r >> 16) % 3),
        .round = (uint8_t)((r >> 24) % (LOOM_PTX_RPI + 1)),
        .mode = (uint8_t)((r >> 32) % (LOOM_PTX_SUBNORMAL + 1)),
    };
}

static uint64_t digest_of(exec_fn *f, const struct exec_how *how,
                          struct loom_rng *rng, uint64_t digest)
{
    uint64_t lane[4][LOOM_WARP_LANES], got[LOOM_WARP_LANES + 1] = {0};
    const void *from[4] = {lane[0], lane[1], lane[2], lane[3]};
    uint32_t p = (uint32_t)loom_rng_next(rng);

    fill(rng, lane);
    got[LOOM_WARP_LANES] = f(got, from, p, how);
    for (uint32_t i = 0; i <= LOOM_WARP_LANES; i++) {
        digest = (digest ^ got[i]) * UINT64_C(0x9e3779b97f4a7c15);
        digest ^= digest >> 29;
    }
    return digest;
}

/* Results may not depend on the compiler nor on the architecture.  Digests are
 * others when the table of lane functions is. */
static void every_host_gives_these_bits(void)
{
    static const uint8_t type[] = {LOOM_PTX_U8,  LOOM_PTX_S16, LOOM_PTX_U32,
                                   LOOM_PTX_S32, LOOM_PTX_U64, LOOM_PTX_S64,
                                   LOOM_PTX_F32, LOOM_PTX_F64, LOOM_PTX_F16};
    const struct exec_lane_set *set = &ptx_lanes_base;
    struct loom_rng rng;
    uint64_t rows = 0, conversions = 0;

    loom_rng_init(&rng, 11, "digests");
    for (size_t i = 0; i < set->rows; i++) {
        for (uint32_t n = 0; n < 20; n++) {
            struct exec_how how = random_how(&rng);

            rows = digest_of(set->row[i].fn, &how, &rng, rows);
        }
    }
    for (uint32_t i = 0; i < 81 * 8; i++) {
        struct exec_how how = random_how(&rng);

        how.dtype = type[i % 9];
        how.stype = type[i / 9 % 9];
        how.dwide = loom_ptx_type_bytes(how.dtype) == 8;
        how.swide = loom_ptx_type_bytes(how.stype) == 8;
        conversions = digest_of(set->cvt(&how), &how, &rng, conversions);
    }
    EXPECT_EQ(rows, UINT64_C(3196375085281247332));
    EXPECT_EQ(conversions, UINT64_C(15827823532574265870));
}

#if defined(__x86_64__)
/* Does f give the same bits as g, in registers and in predicates? */
static bool same(exec_fn *f, exec_fn *g, const struct exec_how *how,
                 struct loom_rng *rng)
{
    uint64_t lane[4][LOOM_WARP_LANES], got[2][LOOM_WARP_LANES] = {{0}};
    const void *from[4] = {lane[0], lane[1], lane[2], lane[3]};
    uint32_t p = (uint32_t)loom_rng_next(rng);

    fill(rng, lane);
    return f(got[0], from, p, how) == g(got[1], from, p, how) &&
           memcmp(got[0], got[1], sizeof(got[0])) == 0;
}

static uint32_t differing_conversions(const struct exec_lane_set *a,
                                      const struct exec_lane_set *b,
                                      struct loom_rng *rng)
{
    static const uint8_t type[] = {LOOM_PTX_U8,  LOOM_PTX_S8,  LOOM_PTX_U16,
                                   LOOM_PTX_S16, LOOM_PTX_U32, LOOM_PTX_S32,
                                   LOOM_PTX_U64, LOOM_PTX_S64, LOOM_PTX_F32,
                                   LOOM_PTX_F64, LOOM_PTX_F16, LOOM_PTX_BF16};
    uint32_t different = 0;

    for (uint32_t i = 0; i < 144 * 20; i++) {
        struct exec_how how = random_how(rng);

        how.dtype = type[i % 12];
        how.stype = type[i / 12 % 12];
        how.dwide = loom_ptx_type_bytes(how.dtype) == 8;
        how.swide = loom_ptx_type_bytes(how.stype) == 8;
        different += same(a->cvt(&how), b->cvt(&how), &how, rng) ? 0 : 1;
    }
    return different;
}

/* Results may not depend on the host's vector instructions. */
static void both_builds_give_the_same_bits(void)
{
    const struct exec_lane_set *a = &ptx_lanes_base, *b = &ptx_lanes_avx2;
    struct loom_rng rng;

    loom_rng_init(&rng, 7, "lanes");
    EXPECT_EQ(a->rows, b->rows);
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
        puts("SKIPPED: this processor has no AVX2");
        return;
    }
    for (size_t i = 0; i < a->rows; i++) {
        uint32_t different = 0;

        for (uint32_t n = 0; n < 50; n++) {
            struct exec_how how = random_how(&rng);

            different += same(a->row[i].fn, b->row[i].fn, &how, &rng) ? 0 : 1;
        }
        EXPECT_EQ(different, 0);
        if (different != 0) {
            EXPECT_TEXT(loom_ptx_opcodes[a->row[i].opcode].name, "(the same)");
        }
    }
    EXPECT_EQ(differing_conversions(a, b, &rng), 0);
}
#endif

static const struct loom_test tests[] = {
    {"integers", integers},
    {"every_host_gives_these_bits", every_host_gives_these_bits},
#if defined(__x86_64__)
    {"both_builds_give_the_same_bits", both_builds_give_the_same_bits},
#endif
};

int main(void)
{
    return loom_run_tests("ptx_lanes", tests, LOOM_COUNTOF(tests));
}
