/*
 * Lane functions: one PTX operation on all 32 lanes of a warp.
 *
 * A register is 32 lanes of 4 or 8 bytes: values of up to 32 bits take 4,
 * 64-bit values 8.  A lane function computes all lanes without looking at
 * the active mask, so that it vectorises; the interpreter stores what active
 * lanes computed.  Bits of a lane above an operation's type are unspecified:
 * each function narrows its sources first.
 *
 * The functions are compiled twice from the same source (lanes_*.h), for the
 * processor that every build supports and for AVX2 with FMA, and a run uses
 * what the host has.  Both give the same bits: fused multiply-add is exact
 * in either, nothing may be contracted or reassociated, and NaNs, whose bits
 * differ between processors and compilers, are made canonical.
 */
#ifndef WORKLOADS_PTX_LANES_LANES_H
#define WORKLOADS_PTX_LANES_LANES_H

#include "workloads/ir/ir.h"
#include "workloads/stream.h"

/* Registers are read as integers and as floats. */
typedef uint32_t lane_u32 __attribute__((may_alias));
typedef uint64_t lane_u64 __attribute__((may_alias));
typedef float lane_f32 __attribute__((may_alias));
typedef double lane_f64 __attribute__((may_alias));

__extension__ typedef unsigned __int128 lane_u128;
__extension__ typedef __int128 lane_s128;

/* A video instruction's modifiers (video.h). */
struct exec_video {
    uint16_t op;                 /* enum loom_ptx_opcode of the scalar kind */
    uint16_t a, b;               /* selectors */
    uint8_t fields;              /* 1, 2, 4 */
    uint8_t mask;                /* SIMD: fields that are written; scalar: 0,
                                  * byte 1 << n, half 16 << n of c */
    uint8_t compare;             /* enum loom_ptx_compare, or 0 */
    uint8_t second;              /* enum loom_ptx_sub: with c, or 0 */
    uint8_t dtype, atype, btype; /* enum loom_ptx_type */
    uint8_t negate, scale;       /* vmad */
};

/* What a lane function may need besides its operands. */
struct exec_how {
    uint8_t round; /* enum loom_ptx_round, 0: to nearest even */
    uint8_t ftz, sat;
    uint8_t mode;         /* prmt, testp, shf: enum loom_ptx_mode */
    uint8_t dtype, stype; /* cvt, dp: enum loom_ptx_type */
    uint8_t dwide, swide; /* cvt: registers of 8 bytes */
    uint8_t shift_amount; /* bfind */
    uint8_t relu, nan, xorsign;
    uint8_t finite;  /* cvt: .satfinite */
    uint8_t high;    /* dp2a: .hi; comparisons: the upper half */
    uint8_t sources; /* cvt, min, max: how many */
    uint8_t shape;   /* textures, matrices: enum loom_ptx_shape */
    uint8_t sub;     /* sured: enum loom_ptx_sub */
    struct exec_video video;
};

/* *d = f(s[0], s[1] ..), p is an incoming predicate; returns an outgoing
 * one, bit i for lane i. */
typedef uint32_t exec_fn(void *d, const void *const *s, uint32_t p,
                         const struct exec_how *how);

enum exec_variant {
    EXEC_PLAIN, /* rounds to nearest, keeps subnormals, does not saturate */
    EXEC_GENERAL,
    EXEC_HIGH,
    EXEC_WIDE,
    EXEC_CARRY,       /* .cc: sets the carry */
    EXEC_FANCY,       /* further modifiers: .NaN, .relu, a third source ... */
    EXEC_ANY,         /* one function for all */
    EXEC_COMPARE = 32 /* plus enum loom_ptx_compare */
};

struct exec_row {
    uint16_t opcode; /* enum loom_ptx_opcode */
    uint8_t type;    /* enum loom_ptx_type: unsigned where no row is signed */
    uint8_t variant;
    exec_fn *fn;
};

/* NULL if there is none. */
exec_fn *ptx_lanes_find(uint32_t opcode, uint32_t type, uint32_t variant);
exec_fn *ptx_lanes_cvt(const struct exec_how *how);

/* One build each, for ptx_lanes_find. */
struct exec_lane_set {
    const struct exec_row *row;
    size_t rows;
    exec_fn *(*cvt)(const struct exec_how *how);
};
extern const struct exec_lane_set ptx_lanes_base;
#if defined(__x86_64__)
extern const struct exec_lane_set ptx_lanes_avx2;
#endif

#endif
