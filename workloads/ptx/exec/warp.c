/*
 * What the lanes of a warp tell each other: shuffles, votes, matches,
 * reductions.  Semantics: PTX ISA, "shfl", "vote", "match", "redux".
 *
 * Lanes that issue one of these together need not name the same members, nor
 * themselves, which PTX leaves open.  Then they get what ptxas's code for sm_80
 * gives: of votes and matches among all that issue it, each keeps its own
 * members; reductions and elections are among those that name the same; a
 * shuffle reads the other lane's register as it is.
 */
#include <string.h>

#include "workloads/ptx/exec/exec.h"

/* Lane that lane l reads from, and whether it is in range. */
static uint32_t shuffle_from(uint8_t sub, uint32_t l, uint32_t b, uint32_t c,
                             bool *valid)
{
    uint32_t segment = c >> 8 & 31, clamp = c & 31, offset = b & 31;
    uint32_t highest = (l & segment) | (clamp & ~segment);
    uint32_t from;

    switch (sub) {
    case LOOM_PTX_DO_UP:
        from = l - offset;
        *valid = (int32_t)from >= (int32_t)highest;
        break;
    case LOOM_PTX_DO_DOWN:
        from = l + offset;
        *valid = from <= highest;
        break;
    case LOOM_PTX_DO_BFLY:
        from = l ^ offset;
        *valid = from <= highest;
        break;
    default: /* idx */
        from = (l & segment) | (offset & ~segment & 31);
        *valid = from <= highest;
        break;
    }
    return *valid ? from : l;
}

static void shuffle(const struct exec_launch *launch, struct exec_warp *warp,
                    const struct exec_op *op, uint32_t mask)
{
    const lane_u32 *a = exec_reg(launch, warp, op->s[0]);
    const lane_u32 *b = exec_reg(launch, warp, op->s[1]);
    const lane_u32 *c = exec_reg(launch, warp, op->s[2]);
    lane_u32 result[LOOM_WARP_LANES];
    uint32_t all_valid = 0;

    for (uint32_t l = 0; l < LOOM_WARP_LANES; l++) {
        bool valid;

        result[l] = a[shuffle_from(op->opcode_sub, l, b[l], c[l], &valid)];
        all_valid |= valid ? 1u << l : 0;
    }
    ptx_blend(warp->frame + op->d[0], result, mask, false);
    exec_pred_set(warp, op->po, all_valid, mask);
}

/* Lanes that take part, by the mask that all of `mask` give. */
static uint32_t members(const struct exec_launch *launch,
                        const struct exec_warp *warp, const struct exec_op *op,
                        uint32_t mask)
{
    const lane_u32 *given = exec_reg(launch, warp, op->s[1]);

    return given[loom_lowest(mask)] & mask;
}

/* Lanes of `mask` that give the same member mask as the first of them: those
 * that wait for each other. */
static uint32_t together(const struct exec_launch *launch,
                         const struct exec_warp *warp, const struct exec_op *op,
                         uint32_t mask)
{
    const lane_u32 *given = exec_reg(launch, warp, op->s[1]);
    lane_u32 first = given[loom_lowest(mask)];
    uint32_t same = 0;

    for (uint32_t l = 0; l < LOOM_WARP_LANES; l++) {
        same |= (uint32_t)(given[l] == first) << l;
    }
    return same & mask;
}

static void put(struct exec_warp *warp, const struct exec_op *op,
                uint32_t value, uint32_t mask)
{
    lane_u32 *d = (void *)(warp->frame + op->d[0]);

    for (uint32_t left = mask; left != 0; left &= left - 1) {
        d[loom_lowest(left)] = value;
    }
}

/* The result of a vote of `asked`, of whom `votes` are for it. */
static bool passes(uint8_t sub, uint32_t votes, uint32_t asked)
{
    switch (sub) {
    case LOOM_PTX_DO_ALL:
        return votes == asked;
    case LOOM_PTX_DO_ANY:
        return votes != 0;
    default: /* uni */
        return votes == 0 || votes == asked;
    }
}

static void vote(const struct exec_launch *launch, struct exec_warp *warp,
                 const struct exec_op *op, uint32_t mask)
{
    const lane_u32 *given = exec_reg(launch, warp, op->s[1]);
    lane_u32 *d = (void *)(warp->frame + op->d[0]);
    uint32_t votes = exec_pred(warp, op->p), result = 0;

    votes = (op->flags & EXEC_PRED_NOT) != 0 ? ~votes : votes;
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t l = loom_lowest(left), asked = given[l] & mask;

        if (op->opcode_sub == LOOM_PTX_DO_BALLOT) {
            d[l] = votes & asked;
        } else if (passes(op->opcode_sub, votes & asked, asked)) {
            result |= 1u << l;
        }
    }
    if (op->opcode_sub != LOOM_PTX_DO_BALLOT) {
        exec_pred_set(warp, op->po, result, mask);
    }
}

static uint64_t value_of(const void *reg, uint32_t lane, uint32_t bytes)
{
    return bytes == 8 ? ((const lane_u64 *)reg)[lane]
                      : ((const lane_u32 *)reg)[lane];
}

static void match(const struct exec_launch *launch, struct exec_warp *warp,
                  const struct exec_op *op, uint32_t mask)
{
    const void *a = exec_reg(launch, warp, op->s[0]);
    const lane_u32 *given = exec_reg(launch, warp, op->s[1]);
    lane_u32 *d = (void *)(warp->frame + op->d[0]);
    uint32_t result[LOOM_WARP_LANES] = {0}, whole = 0;

    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t l = loom_lowest(left), asked = given[l] & mask;

        for (uint32_t other = asked; other != 0; other &= other - 1) {
            uint32_t o = loom_lowest(other);

            result[l] |= value_of(a, l, op->bytes) == value_of(a, o, op->bytes)
                             ? 1u << o
                             : 0;
        }
        if (result[l] == asked) {
            whole |= 1u << l;
        } else if (op->opcode_sub == LOOM_PTX_DO_ALL) {
            result[l] = 0;
        }
    }
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        d[loom_lowest(left)] = result[loom_lowest(left)];
    }
    exec_pred_set(warp, op->po, whole, mask);
}

/* .min and .max of .f32; how.xorsign: of absolute values. */
static uint32_t reduce_real(const struct exec_op *op, uint32_t x, uint32_t y)
{
    bool want_max = op->opcode_sub == LOOM_PTX_DO_MAX;
    float p, q;

    memcpy(&p, &x, sizeof(p));
    memcpy(&q, &y, sizeof(q));
    if (p != p || q != q) {
        return op->how.nan != 0 || (p != p && q != q) ? 0x7fffffff
               : p != p                               ? y
                                                      : x;
    }
    if (p == q) { /* -0 is below +0 */
        return (x >> 31 != 0) != want_max ? x : y;
    }
    return (p < q) != want_max ? x : y;
}

static uint32_t reduce(const struct exec_op *op, uint32_t x, uint32_t y)
{
    bool less =
        (op->flags & EXEC_SIGNED) != 0 ? (int32_t)x < (int32_t)y : x < y;

    switch (op->opcode_sub) {
    case LOOM_PTX_DO_ADD:
        return x + y;
    case LOOM_PTX_DO_MIN:
        return less ? x : y;
    case LOOM_PTX_DO_MAX:
        return less ? y : x;
    case LOOM_PTX_DO_AND:
        return x & y;
    case LOOM_PTX_DO_OR:
        return x | y;
    default:
        return x ^ y;
    }
}

static void redux(const struct exec_launch *launch, struct exec_warp *warp,
                  const struct exec_op *op, uint32_t mask)
{
    const lane_u32 *a = exec_reg(launch, warp, op->s[0]);
    uint32_t asked = members(launch, warp, op, mask), sum;
    uint32_t keep = op->how.xorsign != 0 ? 0x7fffffff : UINT32_MAX;

    if (asked == 0) {
        return;
    }
    sum = a[loom_lowest(asked)] & keep;
    for (uint32_t left = asked & (asked - 1); left != 0; left &= left - 1) {
        uint32_t next = a[loom_lowest(left)] & keep;

        sum = (op->flags & EXEC_REAL) != 0 ? reduce_real(op, sum, next)
                                           : reduce(op, sum, next);
    }
    put(warp, op, sum, mask);
}

static void elect(const struct exec_launch *launch, struct exec_warp *warp,
                  const struct exec_op *op, uint32_t mask)
{
    uint32_t asked = members(launch, warp, op, mask);
    uint32_t leader = asked != 0 ? loom_lowest(asked) : 0;

    if (op->d[0] != EXEC_NONE) {
        put(warp, op, leader, mask);
    }
    exec_pred_set(warp, op->po, asked & (0u - asked), mask);
}

void ptx_exec_warp_op(const struct exec_launch *launch, struct exec_warp *warp,
                      const struct exec_op *op, uint32_t mask)
{
    if (mask == 0) {
        return;
    }
    switch (op->kind) {
    case EXEC_SHUFFLE:
        shuffle(launch, warp, op, mask);
        return;
    case EXEC_VOTE:
        vote(launch, warp, op, mask);
        return;
    case EXEC_MATCH:
        match(launch, warp, op, mask);
        return;
    case EXEC_REDUX:
    case EXEC_ELECT:
        break;
    default: /* activemask */
        put(warp, op, mask, mask);
        return;
    }
    while (mask != 0) { /* each group of those that name the same members */
        uint32_t group = together(launch, warp, op, mask);

        if (op->kind == EXEC_REDUX) {
            redux(launch, warp, op, group);
        } else {
            elect(launch, warp, op, group);
        }
        mask &= ~group;
    }
}
