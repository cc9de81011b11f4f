/*
 * The table of a build's lane functions, in no particular order, and the
 * choice of conversions.  Both are searched when a kernel is decoded, never
 * while it runs.
 */
#ifndef WORKLOADS_PTX_LANES_ROWS_H
#define WORKLOADS_PTX_LANES_ROWS_H

#include "workloads/ptx/lanes/compare.h"
#include "workloads/ptx/lanes/cvt_narrow.h"
#include "workloads/ptx/lanes/fancy.h"
#include "workloads/ptx/lanes/ranks.h"
#include "workloads/ptx/lanes/video.h"

/* Integers between registers of 32 bits.  A result is extended to all of
 * its register. */
static exec_fn *cvt_narrow(uint8_t dtype, uint8_t stype)
{
    uint32_t dbits = int_bits(dtype), sbits = int_bits(stype);
    uint8_t by = dbits <= sbits ? dtype : stype;

    if (dbits > sbits && dbits != 32 &&
        int_signed(dtype) != int_signed(stype)) {
        return cvt_int_int;
    }
    switch (int_bits(by)) {
    case 8:
        return int_signed(by) ? cvt_s32_s8 : cvt_u32_u8;
    case 16:
        return int_signed(by) ? cvt_s32_s16 : cvt_u32_u16;
    default:
        return mov_32;
    }
}

static exec_fn *cvt_ints(const struct exec_how *how)
{
    uint32_t dbits = int_bits(how->dtype), sbits = int_bits(how->stype);

    if (how->sat) {
        return cvt_int_int;
    }
    if (!how->dwide && !how->swide) {
        return cvt_narrow(how->dtype, how->stype);
    }
    if (how->dwide && !how->swide && sbits == 32 && dbits == 64) {
        return int_signed(how->stype) ? cvt_s64_s32 : cvt_u64_u32;
    }
    if (how->dwide && how->swide && sbits == 64 && dbits == 64) {
        return mov_64;
    }
    if (!how->dwide && how->swide && sbits == 64 && dbits == 32) {
        return cvt_u32_u64;
    }
    return cvt_int_int;
}

static inline exec_fn *find_cvt(const struct exec_how *how)
{
    bool dreal = loom_ptx_type_real(how->dtype);
    bool sreal = loom_ptx_type_real(how->stype);

    if (!dreal && !sreal) {
        return cvt_ints(how);
    }
    if (is_packed(how->dtype) || is_packed(how->stype)) {
        return cvt_packed;
    }
    if (is_narrow(how->dtype)) {
        return cvt_any_narrow;
    }
    if (!sreal) {
        return how->dtype == LOOM_PTX_F32 && how->stype == LOOM_PTX_S32 &&
                       !how->sat && how->round <= LOOM_PTX_RN
                   ? cvt_f32_s32
                   : cvt_int_float;
    }
    return dreal ? cvt_float_float : cvt_float_int;
}

/* The third source chooses by its sign. */
#define SLCT(name, S, C, enter)                                                \
    LANE_FN(name)                                                              \
    {                                                                          \
        lane_u##S *d = to;                                                     \
        const lane_u##S *a = from[0], *b = from[1];                            \
        const C *c = from[2];                                                  \
        LANES_EACH                                                             \
        {                                                                      \
            d[l] = enter(c[l]) >= 0 ? a[l] : b[l];                             \
        }                                                                      \
        return 0;                                                              \
    }
SLCT(slct_32_s32, 32, lane_u32, (int32_t))
SLCT(slct_64_s32, 64, lane_u32, (int32_t))
SLCT(slct_32_f32, 32, lane_f32, IN)
SLCT(slct_64_f32, 64, lane_f32, IN)

#define ROW(op, TYPE, variant, fn)                                             \
    {                                                                          \
        LOOM_PTX_##op, LOOM_PTX_##TYPE, EXEC_##variant, fn                     \
    }

static const struct exec_row rows[] = {
    INT_ROWS,
    FLOAT_ROWS,
    COMPARE_ROWS,
    NARROW_COMPARE_ROWS,
    NARROW_ROWS(LOOM_PTX_F16),
    NARROW_ROWS(LOOM_PTX_F16X2),
    NARROW_ROWS(LOOM_PTX_BF16),
    NARROW_ROWS(LOOM_PTX_BF16X2),
    WIDE_ROWS,
    RANK_ROWS,
    ROW(ADD, F32X2, ANY, add_f32x2),
    ROW(SUB, F32X2, ANY, sub_f32x2),
    ROW(MUL, F32X2, ANY, mul_f32x2),
    ROW(FMA, F32X2, ANY, fma_f32x2),
    VIDEO_ROWS,
    ROW(POPC, B32, ANY, popc_u32),
    ROW(POPC, B64, ANY, popc_u64),
    ROW(CLZ, B32, ANY, clz_u32),
    ROW(CLZ, B64, ANY, clz_u64),
    ROW(BREV, B32, ANY, brev_u32),
    ROW(BREV, B64, ANY, brev_u64),
    ROW(BFIND, U32, ANY, bfind_u32),
    ROW(BFIND, S32, ANY, bfind_s32),
    ROW(BFIND, U64, ANY, bfind_u64),
    ROW(BFIND, S64, ANY, bfind_s64),
    ROW(BFE, U32, ANY, bfe_u32),
    ROW(BFE, S32, ANY, bfe_s32),
    ROW(BFE, U64, ANY, bfe_u64),
    ROW(BFE, S64, ANY, bfe_s64),
    ROW(BFI, B32, ANY, bfi_u32),
    ROW(BFI, B64, ANY, bfi_u64),
    ROW(BMSK, B32, ANY, bmsk_u32),
    ROW(SHF_L, B32, ANY, shf_l),
    ROW(SHF_R, B32, ANY, shf_r),
    ROW(PRMT, B32, ANY, prmt_u32),
    ROW(LOP3, B32, PLAIN, lop3_u32),
    ROW(ADD, U32, CARRY, addcc_u32),
    ROW(ADD, U64, CARRY, addcc_u64),
    ROW(ADDC, U32, ANY, addc_u32),
    ROW(ADDC, U64, ANY, addc_u64),
    ROW(SUB, U32, CARRY, subcc_u32),
    ROW(SUB, U64, CARRY, subcc_u64),
    ROW(SUBC, U32, ANY, subc_u32),
    ROW(SUBC, U64, ANY, subc_u64),
    ROW(MOV, B32, ANY, mov_32),
    ROW(MOV, B64, ANY, mov_64),
    ROW(SELP, B32, ANY, selp_32),
    ROW(SELP, B64, ANY, selp_64),
    ROW(SLCT, B32, PLAIN, slct_32_s32),
    ROW(SLCT, B64, PLAIN, slct_64_s32),
    ROW(SLCT, B32, GENERAL, slct_32_f32),
    ROW(SLCT, B64, GENERAL, slct_64_f32),
};

#undef ROW

#endif
