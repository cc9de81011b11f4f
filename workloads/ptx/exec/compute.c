/*
 * Operations that need no memory and do not move the program counter.
 */
#include "workloads/ptx/exec/compute.h"

#include <string.h>

#include "workloads/ptx/exec/async.h"

static inline uint32_t source_pred(const struct exec_warp *warp,
                                   const struct exec_op *op)
{
    uint32_t bits = exec_pred(warp, op->p);

    return (op->flags & EXEC_PRED_NOT) != 0 ? ~bits : bits;
}

static inline uint32_t logic(uint8_t sub, uint32_t x, uint32_t y)
{
    switch (sub) {
    case LOOM_PTX_DO_AND:
        return x & y;
    case LOOM_PTX_DO_OR:
        return x | y;
    case LOOM_PTX_DO_XOR:
        return x ^ y;
    default:
        return x;
    }
}

static void compare(const struct exec_launch *launch, struct exec_warp *warp,
                    const struct exec_op *op, uint32_t mask)
{
    const void *s[2] = {exec_reg(launch, warp, op->s[0]), NULL};
    uint32_t bits, other = source_pred(warp, op);

    if (op->operands > 1) {
        s[1] = exec_reg(launch, warp, op->s[1]);
    }
    bits = op->fn(NULL, s, 0, &op->how);
    if (op->kind == EXEC_SET) {
        uint32_t yes = (uint32_t)op->offset;
        lane_u32 *d = (void *)(warp->frame + op->d[0]);

        bits = logic(op->opcode_sub, bits, other);
        for (uint32_t left = mask; left != 0; left &= left - 1) {
            uint32_t l = loom_lowest(left);

            d[l] = (bits >> l & 1) != 0 ? yes : 0;
        }
        return;
    }
    exec_pred_set(warp, op->po, logic(op->opcode_sub, bits, other), mask);
    exec_pred_set(warp, op->qo, logic(op->opcode_sub, ~bits, other), mask);
}

/* Packed sources: the comparison of each half goes to its own predicate, or
 * to its own half of the result. */
static void compare_both(const struct exec_launch *launch,
                         struct exec_warp *warp, const struct exec_op *op,
                         uint32_t mask)
{
    const void *s[2] = {exec_reg(launch, warp, op->s[0]),
                        exec_reg(launch, warp, op->s[1])};
    uint32_t other = source_pred(warp, op), low, high;
    struct exec_how how = op->how;

    how.high = 0;
    low = logic(op->opcode_sub, op->fn(NULL, s, 0, &how), other);
    how.high = 1;
    high = logic(op->opcode_sub, op->fn(NULL, s, 0, &how), other);
    if (op->kind == EXEC_SET_BOTH) {
        lane_u32 *d = (void *)(warp->frame + op->d[0]);

        for (uint32_t left = mask; left != 0; left &= left - 1) {
            uint32_t l = loom_lowest(left), yes = (uint32_t)op->offset;

            d[l] = ((low >> l & 1) != 0 ? yes : 0) |
                   ((high >> l & 1) != 0 ? yes << 16 : 0);
        }
        return;
    }
    exec_pred_set(warp, op->po, low, mask);
    exec_pred_set(warp, op->qo, high, mask);
}

static void moves(const struct exec_launch *launch, struct exec_warp *warp,
                  const struct exec_op *op, uint32_t mask)
{
    lane_u64 value[EXEC_ELEMENTS][LOOM_WARP_LANES];

    for (uint32_t i = 0; i < op->elements; i++) {
        memcpy(value[i], exec_reg(launch, warp, op->v[i]), sizeof(value[i]));
    }
    for (uint32_t i = 0; i < op->elements; i++) {
        if (op->d[i] != EXEC_NONE) {
            ptx_blend(warp->frame + op->d[i], value[i], mask, true);
        }
    }
}

static void predicate(struct exec_warp *warp, const struct exec_op *op,
                      uint32_t mask)
{
    uint32_t second = exec_pred(warp, op->p2);

    second = (op->flags & EXEC_PRED_NOT2) != 0 ? ~second : second;
    exec_pred_set(warp, op->po,
                  logic(op->opcode_sub, source_pred(warp, op), second), mask);
}

static void pack(const struct exec_launch *launch, struct exec_warp *warp,
                 const struct exec_op *op, uint32_t mask)
{
    unsigned char *d = warp->frame + op->d[0];
    uint32_t step = op->how.dwide != 0 ? 8 : 4;

    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t l = loom_lowest(left);
        uint64_t value = 0;

        for (uint32_t n = 0; n < op->elements; n++) {
            const lane_u32 *v = exec_reg(launch, warp, op->v[n]);
            uint64_t part = v[l] & (UINT64_MAX >> (64 - 8 * op->bytes));

            value |= part << (8 * n * op->bytes);
        }
        memcpy(d + (size_t)l * step, &value, step);
    }
}

static void unpack(const struct exec_launch *launch, struct exec_warp *warp,
                   const struct exec_op *op, uint32_t mask)
{
    const unsigned char *s = exec_reg(launch, warp, op->s[0]);
    uint32_t step = op->how.dwide != 0 ? 8 : 4;

    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t l = loom_lowest(left);
        uint64_t value = 0;

        memcpy(&value, s + (size_t)l * step, step);
        for (uint32_t n = 0; n < op->elements; n++) {
            uint64_t part = value >> (8 * n * op->bytes);

            if (op->d[n] != EXEC_NONE) {
                lane_u32 *d = (void *)(warp->frame + op->d[n]);

                d[l] = (uint32_t)(part & (UINT64_MAX >> (64 - 8 * op->bytes)));
            }
        }
    }
}

/* Arrivals to come, from the state of an mbarrier. */
static void pending(const struct exec_launch *launch, struct exec_warp *warp,
                    const struct exec_op *op, uint32_t mask)
{
    const lane_u64 *state = exec_reg(launch, warp, op->s[0]);
    lane_u32 *d = (void *)(warp->frame + op->d[0]);

    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t l = loom_lowest(left);

        d[l] =
            (uint32_t)(state[l] >> EXEC_MB_BITS) & ((1u << EXEC_MB_BITS) - 1);
    }
}

static uint64_t window_of(uint8_t space)
{
    switch (space) {
    case LOOM_PTX_SHARED:
    case LOOM_PTX_SHARED_CTA:
    case LOOM_PTX_SHARED_CLUSTER:
        return EXEC_WINDOW_SHARED;
    case LOOM_PTX_LOCAL:
        return EXEC_WINDOW_LOCAL;
    case LOOM_PTX_PARAM:
        return EXEC_WINDOW_PARAM;
    default:
        return 0;
    }
}

static void is_space(const struct exec_launch *launch, struct exec_warp *warp,
                     const struct exec_op *op, uint32_t mask)
{
    const lane_u64 *a = exec_reg(launch, warp, op->s[0]);
    uint8_t space = op->how.mode;
    bool own = space == LOOM_PTX_SHARED || space == LOOM_PTX_SHARED_CTA;
    uint32_t bits = 0;

    for (uint32_t l = 0; l < LOOM_WARP_LANES; l++) {
        uint64_t tag = (a[l] & ~EXEC_WINDOW_MASK) >> EXEC_RANK_AT;
        bool in = (a[l] & EXEC_WINDOW_MASK) == window_of(space);

        in = in && (!own || tag == 0 || tag == launch->rank + UINT64_C(1));
        bits |= in ? 1u << l : 0;
    }
    exec_pred_set(warp, op->po, bits, mask);
}

static void lanes(const struct exec_launch *launch, struct exec_warp *warp,
                  const struct exec_op *op, uint32_t mask)
{
    lane_u64 value[LOOM_WARP_LANES];
    const void *s[EXEC_SOURCES];
    uint32_t out;

    for (uint32_t i = 0; i < EXEC_SOURCES; i++) {
        s[i] = exec_reg(launch, warp, op->s[i]);
    }
    if (mask == UINT32_MAX) {
        out =
            op->fn(warp->frame + op->d[0], s, source_pred(warp, op), &op->how);
    } else {
        out = op->fn(value, s, source_pred(warp, op), &op->how);
        ptx_blend(warp->frame + op->d[0], value, mask, op->d_wide != 0);
    }
    exec_pred_set(warp, op->po, out, mask);
}

void ptx_exec_compute(const struct exec_launch *launch, struct exec_warp *warp,
                      const struct exec_op *op, uint32_t mask)
{
    switch (op->kind) {
    case EXEC_LANES:
    case EXEC_CARRIES:
        lanes(launch, warp, op, mask);
        break;
    case EXEC_SETP:
    case EXEC_SET:
        compare(launch, warp, op, mask);
        break;
    case EXEC_SETP_BOTH:
    case EXEC_SET_BOTH:
        compare_both(launch, warp, op, mask);
        break;
    case EXEC_MOVES:
        moves(launch, warp, op, mask);
        break;
    case EXEC_PREDICATE:
        predicate(warp, op, mask);
        break;
    case EXEC_PACK:
        pack(launch, warp, op, mask);
        break;
    case EXEC_UNPACK:
        unpack(launch, warp, op, mask);
        break;
    case EXEC_PENDING:
        pending(launch, warp, op, mask);
        break;
    case EXEC_ISSPACEP:
        is_space(launch, warp, op, mask);
        break;
    default:
        ptx_exec_warp_op(launch, warp, op, mask);
        break;
    }
}
