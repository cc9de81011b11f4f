/*
 * Atomic operations: lane after lane in ascending order.  The elements of a
 * vector are combined one by one; a .b128 is compared as a whole.
 */
#include <string.h>

#include "workloads/ptx/exec/access.h"
#include "workloads/ptx/lanes/formats.h"

static uint64_t as_signed(uint64_t x, uint32_t bytes)
{
    return bytes == 8 ? x : (uint64_t)(int64_t)(int32_t)(uint32_t)x;
}

static uint32_t flush(uint32_t x)
{
    return lane_float_bits(flush_f32(lane_float(x)));
}

/* Additions of .f32 flush subnormals in global memory, in shared memory they
 * do not (PTX ISA, "atom" and "red"). */
static uint32_t add_f32(uint32_t x, uint32_t y, bool flushes)
{
    uint32_t bits;

    x = flushes ? flush(x) : x;
    y = flushes ? flush(y) : y;
    bits = lane_float_bits(canon_f32(lane_float(x) + lane_float(y)));
    return flushes ? flush(bits) : bits;
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

/* Of two halves; a NaN loses to a number, and -0 is below +0. */
static double lesser_half(double x, double y, bool want_max)
{
    bool negative = lane_double_bits(x) >> 63 != 0;

    if (x != x || y != y) {
        return x != x ? y : x;
    }
    if (x == y) {
        return negative != want_max ? x : y;
    }
    return (x < y) != want_max ? x : y;
}

static uint32_t combine_half(const struct exec_op *op, uint32_t old, uint32_t a)
{
    const struct narrow n = narrow_of(op->how.dtype);
    double x = narrow_value(old & 0xffff, n), y = narrow_value(a & 0xffff, n);
    double sum, error;

    if (op->opcode_sub != LOOM_PTX_DO_ADD) {
        x = lesser_half(x, y, op->opcode_sub == LOOM_PTX_DO_MAX);
        return narrow_bits(x, n, 0, false);
    }
    error = two_sum(x, y, &sum);
    sum = sum - sum != 0.0 ? sum : round_odd(sum, error);
    return narrow_bits(sum, n, 0, false);
}

static uint64_t combine_real(const struct exec_op *op, uint32_t space,
                             uint64_t old, uint64_t a)
{
    switch (op->how.dtype) {
    case LOOM_PTX_F64:
        return lane_double_bits(canon_f64(lane_double(old) + lane_double(a)));
    case LOOM_PTX_F32:
        return add_f32((uint32_t)old, (uint32_t)a, space == EXEC_GLOBAL);
    case LOOM_PTX_F16X2:
    case LOOM_PTX_BF16X2:
        return combine_half(op, (uint32_t)old, (uint32_t)a) |
               combine_half(op, (uint32_t)old >> 16, (uint32_t)a >> 16) << 16;
    default:
        return combine_half(op, (uint32_t)old, (uint32_t)a);
    }
}

/* The new value. */
static uint64_t combine(const struct exec_op *op, uint32_t space, uint64_t old,
                        uint64_t a)
{
    switch (op->opcode_sub) {
    case LOOM_PTX_DO_ADD:
        return (op->flags & EXEC_REAL) != 0 ? combine_real(op, space, old, a)
                                            : old + a;
    case LOOM_PTX_DO_MIN:
    case LOOM_PTX_DO_MAX:
        return (op->flags & EXEC_REAL) != 0
                   ? combine_real(op, space, old, a)
                   : lesser(old, a, op, op->opcode_sub == LOOM_PTX_DO_MAX);
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
    default: /* exch, cas */
        return a;
    }
}

static uint64_t lane_value(const struct exec_launch *launch,
                           const struct exec_warp *warp, uint32_t operand,
                           uint32_t lane, uint32_t bytes)
{
    const void *reg = exec_reg(launch, warp, operand);

    return bytes == 8   ? ((const lane_u64 *)reg)[lane]
           : bytes == 2 ? ((const lane_u32 *)reg)[lane] & 0xffff
                        : ((const lane_u32 *)reg)[lane];
}

/* Does a lane's compare-and-swap find what it expects? */
static bool finds(const struct exec_launch *launch,
                  const struct exec_warp *warp, const struct exec_op *op,
                  uint32_t lane, const unsigned char *host)
{
    for (uint32_t i = 0; i < op->elements; i++) {
        uint64_t old = 0;

        memcpy(&old, host + i * op->bytes, op->bytes);
        if (old != lane_value(launch, warp, op->v[i], lane, op->bytes)) {
            return false;
        }
    }
    return true;
}

static void put(struct exec_warp *warp, const struct exec_op *op, uint32_t i,
                uint32_t lane, uint64_t old)
{
    if (op->d[i] == EXEC_NONE) {
        return;
    }
    if (op->bytes == 8) {
        ((lane_u64 *)(void *)(warp->frame + op->d[i]))[lane] = old;
    } else {
        ((lane_u32 *)(void *)(warp->frame + op->d[i]))[lane] = (uint32_t)old;
    }
}

static void atomic(struct exec_launch *launch, struct exec_warp *warp,
                   const struct exec_op *op, struct exec_access *access)
{
    bool cas = op->opcode_sub == LOOM_PTX_DO_CAS;

    for (uint32_t left = access->mask; left != 0; left &= left - 1) {
        uint32_t l = loom_lowest(left);
        bool found = !cas || finds(launch, warp, op, l, access->host[l]);
        uint64_t operand[EXEC_ELEMENTS];

        /* Destinations may be sources of later elements. */
        for (uint32_t i = 0; i < op->elements; i++) {
            operand[i] = lane_value(
                launch, warp, op->v[cas ? op->elements + i : i], l, op->bytes);
        }
        for (uint32_t i = 0; i < op->elements; i++) {
            unsigned char *host = access->host[l] + i * op->bytes;
            uint64_t old = 0, value;

            memcpy(&old, host, op->bytes);
            value = found ? combine(op, access->space, old, operand[i]) : old;
            memcpy(host, &value, op->bytes);
            put(warp, op, i, l, old);
            launch->moved = value != old ? launch->total : launch->moved;
        }
    }
}

bool ptx_exec_atomic(struct exec_launch *launch, struct exec_warp *warp,
                     const struct exec_op *op, uint32_t mask)
{
    return ptx_visit_memory(launch, warp, op, mask, atomic);
}

void ptx_combine_all(const struct exec_op *op, unsigned char *with,
                     const unsigned char *from, uint64_t bytes)
{
    struct exec_op one = *op;

    one.bytes = (uint8_t)loom_ptx_type_bytes((enum loom_ptx_type)op->how.dtype);
    for (uint64_t at = 0; at < bytes; at += one.bytes) {
        uint64_t old = 0, value = 0;

        memcpy(&old, with + at, one.bytes);
        memcpy(&value, from + at, one.bytes);
        old = combine(&one, op->space, old, value);
        memcpy(with + at, &old, one.bytes);
    }
}
