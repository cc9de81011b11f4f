/*
 * Atomic operations: lane after lane in ascending order.
 */
#include <string.h>

#include "workloads/ptx/exec/access.h"

static uint64_t as_signed(uint64_t x, uint32_t bytes)
{
    return bytes == 8 ? x : (uint64_t)(int64_t)(int32_t)(uint32_t)x;
}

static uint32_t flush_f32(uint32_t x)
{
    return (x & 0x7f800000u) == 0 ? x & 0x80000000u : x;
}

/* Additions of .f32 flush subnormals in global memory, in shared memory they
 * do not (PTX ISA, "atom" and "red"). */
static uint32_t add_f32(uint32_t x, uint32_t y, bool flush)
{
    uint32_t bits;
    float f, g;

    x = flush ? flush_f32(x) : x;
    y = flush ? flush_f32(y) : y;
    memcpy(&f, &x, sizeof(f));
    memcpy(&g, &y, sizeof(g));
    f += g;
    memcpy(&bits, &f, sizeof(bits));
    bits = flush ? flush_f32(bits) : bits;
    return f == f ? bits : 0x7fffffffu;
}

static uint64_t add_f64(uint64_t old, uint64_t a)
{
    double p, q;

    memcpy(&p, &old, sizeof(p));
    memcpy(&q, &a, sizeof(q));
    p += q;
    memcpy(&old, &p, sizeof(old));
    return p == p ? old : UINT64_C(0x7ff8000000000000);
}

static uint64_t lesser(uint64_t x, uint64_t y, const struct exec_op *op,
                       bool want_max)
{
    bool less = x < y;

    if ((op->flags & EXEC_SIGNED) != 0) {
        less =
            (int64_t)as_signed(x, op->bytes) < (int64_t)as_signed(y, op->bytes);
    }
    return less != want_max ? x : y;
}

static uint64_t add(const struct exec_op *op, uint32_t space, uint64_t old,
                    uint64_t a)
{
    if ((op->flags & EXEC_REAL) == 0) {
        return old + a;
    }
    return op->bytes == 8
               ? add_f64(old, a)
               : add_f32((uint32_t)old, (uint32_t)a, space == EXEC_GLOBAL);
}

/* The new value. */
static uint64_t combine(const struct exec_op *op, uint64_t old, uint64_t a,
                        uint64_t b)
{
    switch (op->opcode_sub) {
    case LOOM_PTX_DO_MIN:
        return lesser(old, a, op, false);
    case LOOM_PTX_DO_MAX:
        return lesser(old, a, op, true);
    case LOOM_PTX_DO_INC:
        return old >= a ? 0 : old + 1;
    case LOOM_PTX_DO_DEC:
        return old == 0 || old > a ? a : old - 1;
    case LOOM_PTX_DO_AND:
        return old & a;
    case LOOM_PTX_DO_OR:
        return old | a;
    case LOOM_PTX_DO_XOR:
        return old ^ a;
    case LOOM_PTX_DO_CAS:
        return old == a ? b : old;
    default: /* exch */
        return a;
    }
}

static uint64_t lane_value(const void *reg, uint32_t lane, uint32_t bytes)
{
    return bytes == 8 ? ((const lane_u64 *)reg)[lane]
                      : ((const lane_u32 *)reg)[lane];
}

static void atomic(struct exec_launch *launch, struct exec_warp *warp,
                   const struct exec_op *op, struct exec_access *access)
{
    const void *a = exec_reg(launch, warp, op->v[0]);
    const void *b = op->opcode_sub == LOOM_PTX_DO_CAS
                        ? exec_reg(launch, warp, op->v[1])
                        : a;

    for (uint32_t left = access->mask; left != 0; left &= left - 1) {
        uint32_t l = loom_lowest(left);
        uint64_t old = 0, value;

        memcpy(&old, access->host[l], op->bytes);
        value = op->opcode_sub == LOOM_PTX_DO_ADD
                    ? add(op, access->space, old, lane_value(a, l, op->bytes))
                    : combine(op, old, lane_value(a, l, op->bytes),
                              lane_value(b, l, op->bytes));
        memcpy(access->host[l], &value, op->bytes);
        if (op->d[0] != EXEC_NONE) {
            memcpy(warp->frame + op->d[0] + l * op->bytes, &old, op->bytes);
        }
    }
}

bool ptx_exec_atomic(struct exec_launch *launch, struct exec_warp *warp,
                     const struct exec_op *op, uint32_t mask)
{
    return ptx_visit_memory(launch, warp, op, mask, atomic);
}
