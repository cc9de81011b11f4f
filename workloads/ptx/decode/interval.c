/*
 * What other warps can notice of an instruction.
 *
 * Between two barriers of the whole CTA a load cannot be told from one that
 * was executed earlier, unless some instruction that is reached between them
 * stores to the same space.  So for each barrier, and for the entry, all
 * instructions are visited that a warp can come to before the next barrier at
 * which it waits for all others.
 *
 * What one interval says holds while all warps are in it: launch->open is all
 * bits where they left different barriers, or diverged (ptx_order_open).
 */
#include <stdlib.h>
#include <string.h>

#include "components/mem_protocol.h"
#include "workloads/ptx/decode/decode_private.h"

static uint8_t bit_of(const struct exec_op *op)
{
    switch (op->space) {
    case EXEC_SHARED:
        return EXEC_SHOWS_SHARED;
    case EXEC_GLOBAL:
        return EXEC_SHOWS_GLOBAL;
    case EXEC_GENERIC:
        return EXEC_SHOWS_SHARED | EXEC_SHOWS_GLOBAL;
    default: /* a thread's own, or read only */
        return 0;
    }
}

static uint8_t shows(const struct exec_code *code, const struct exec_op *op)
{
    const struct loom_static_inst *inst = &code->inst[op->index];

    switch (op->kind) {
    case EXEC_BRANCH: /* and all that compute() does */
    case EXEC_BRANCH_INDEX:
    case EXEC_RETURN:
    case EXEC_STACK:
    case EXEC_TRAP:
    case EXEC_CLOCK:
    case EXEC_SLEEP:
    case EXEC_NOTHING:
        return 0;
    case EXEC_LOAD:
        return inst->space == LOOM_SPACE_CONST           ? 0
               : (inst->flags & LOOM_INST_VOLATILE) != 0 ? EXEC_SHOWS_ALWAYS
                                                         : bit_of(op);
    case EXEC_STORE:
        return bit_of(op) != 0 ? EXEC_SHOWS_ALWAYS : 0;
    case EXEC_MATRIX:
        return op->opcode_sub == EXEC_MATRIX_MULTIPLY ||
                       op->opcode_sub == EXEC_MATRIX_TRANSPOSE
                   ? 0
                   : EXEC_SHOWS_ALWAYS;
    default:
        return EXEC_SHOWS_ALWAYS;
    }
}

/* Which loads are not alone where this instruction is. */
static uint8_t disturbs(const struct exec_op *op)
{
    switch (op->kind) {
    case EXEC_STORE:
    case EXEC_ATOMIC:
        return bit_of(op);
    case EXEC_COPY:
    case EXEC_FILL:
    case EXEC_MAP:
    case EXEC_STORE_ASYNC:
    case EXEC_MATRIX:
    case EXEC_MBARRIER:
    case EXEC_TEXTURE:
    case EXEC_CALL:
    case EXEC_RETURN:
    case EXEC_BRANCH_INDEX: /* not followed */
        return EXEC_SHOWS_ALL;
    default:
        return 0;
    }
}

/* Does every warp that comes here wait for all of the CTA? */
static bool divides(const struct exec_op *op)
{
    return op->kind == EXEC_BARRIER && op->guard == EXEC_NONE &&
           op->how.mode == 0 && op->s[1] == EXEC_NONE;
}

struct walk {
    const struct exec_code *code;
    uint32_t *stack; /* [op_count] */
    uint32_t depth;
    bool *seen; /* [op_count] */
};

static void visit(struct walk *walk, uint32_t at)
{
    if (at < walk->code->op_count && !walk->seen[at]) {
        walk->seen[at] = true;
        walk->stack[walk->depth++] = at;
    }
}

/* All that a warp can come to from `start` without a barrier of all. */
static uint8_t interval(struct walk *walk, uint32_t start)
{
    uint8_t found = EXEC_SHOWS_ALWAYS;

    memset(walk->seen, 0, walk->code->op_count * sizeof(*walk->seen));
    visit(walk, start);
    while (walk->depth > 0 && found != EXEC_SHOWS_ALL) {
        uint32_t at = walk->stack[--walk->depth];
        const struct exec_op *op = &walk->code->op[at];
        bool stays = op->guard != EXEC_NONE;

        found |= disturbs(op);
        if (op->kind == EXEC_BRANCH) {
            visit(walk, op->target);
        }
        if (stays || (op->kind != EXEC_BRANCH && op->kind != EXEC_EXIT &&
                      !divides(op))) {
            visit(walk, at + 1);
        }
    }
    walk->depth = 0;
    return found;
}

static bool looks(const struct exec_op *op)
{
    return (op->shows & EXEC_SHOWS_STRONG) != 0 && op->kind != EXEC_STORE;
}

/* Branches back in loops that look at what others may write, by accesses with
 * which threads talk to each other.  `count`: [op_count], for this. */
static void find_polls(struct exec_code *code, uint32_t *count)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < code->op_count; i++) {
        struct exec_op *op = &code->op[i];

        count[i] = sum;
        sum += looks(op) ? 1 : 0;
        if (op->kind == EXEC_BRANCH && op->target <= i &&
            count[op->target] != sum) {
            op->flags |= EXEC_POLLS;
            code->polls = true;
        }
    }
}

bool ptx_find_intervals(struct exec_code *code)
{
    struct walk walk = {.code = code};
    bool ok;

    walk.stack = calloc(code->op_count, sizeof(*walk.stack));
    walk.seen = calloc(code->op_count, sizeof(*walk.seen));
    ok = walk.stack != NULL && walk.seen != NULL;
    for (uint32_t i = 0; ok && i < code->op_count; i++) {
        struct exec_op *op = &code->op[i];

        op->shows = shows(code, op);
        if (i < code->function->inst_count &&
            ptx_is_strong(&code->function->inst[i])) {
            op->shows |= EXEC_SHOWS_STRONG;
        }
        op->opens = divides(op) ? interval(&walk, i + 1) : EXEC_SHOWS_ALL;
    }
    code->opens = ok ? interval(&walk, 0) : EXEC_SHOWS_ALL;
    if (ok) {
        find_polls(code, walk.stack);
    }
    free(walk.stack);
    free(walk.seen);
    return ok;
}
