/*
 * Which instructions keep their order beyond what registers say, and how long
 * results take.
 *
 * A store passes no access of the same space, and none passes it, unless both
 * are at known distances from the same address; nothing that accesses memory
 * passes barriers, fences, atomics and volatile accesses, but for loads of
 * what nobody writes (ld.global.nc, too).  What lanes tell each other keeps its
 * order, and so do carries; nothing passes a look at the clock, nor a sequence
 * with branches.
 */
#include "workloads/ptx/analysis/analysis_private.h"

enum {
    IS_LOAD = 1,
    IS_STORE = 2,
    IS_FENCE = 4, /* of memory */
    IS_LANES = 8, /* what lanes tell each other */
    IS_CARRY = 16,
    IS_WALL = 32, /* nothing passes it */
    IS_SUM = 64,  /* touches what wgmma adds to */
    IS_WAIT = 128 /* for those sums */
};

uint32_t ptx_latency(const struct loom_ptx_inst *inst)
{
    switch ((enum loom_ptx_group)loom_ptx_opcodes[inst->op].group) {
    case LOOM_PTX_G_LOAD:
        switch ((enum loom_ptx_space)inst->space) {
        case LOOM_PTX_SHARED:
        case LOOM_PTX_SHARED_CTA:
        case LOOM_PTX_PARAM:
        case LOOM_PTX_CONST:
            return 30;
        default:
            return 300;
        }
    case LOOM_PTX_G_TEXTURE:
    case LOOM_PTX_G_ATOMIC:
        return 300;
    case LOOM_PTX_G_DIV:
        return 40;
    case LOOM_PTX_G_SFU:
    case LOOM_PTX_G_SHUFFLE:
        return 20;
    case LOOM_PTX_G_TENSOR:
        return 30;
    default:
        return ptx_reads_special(inst) ? 30 : 4;
    }
}

/* From one to another that reads what it writes. */
static uint32_t step_of(const struct loom_ptx_inst *from,
                        const struct loom_ptx_inst *to)
{
    return from->op == LOOM_PTX_SETP && ptx_is_guarded(to) ? 13
                                                           : ptx_latency(from);
}

bool ptx_has_slow_path(const struct loom_ptx_inst *inst)
{
    bool wide = ptx_inst_bytes(inst) > 4;

    switch ((enum loom_ptx_opcode)inst->op) {
    case LOOM_PTX_DIV:
    case LOOM_PTX_REM:
        return wide || (ptx_inst_real(inst) &&
                        (inst->flags & (LOOM_PTX_APPROX | LOOM_PTX_FULL)) == 0);
    case LOOM_PTX_SQRT:
    case LOOM_PTX_RCP:
        return wide || (inst->flags & LOOM_PTX_APPROX) == 0;
    case LOOM_PTX_RSQRT:
        return wide;
    default:
        return false;
    }
}

static uint8_t kind_of(const struct ptx_analysis *a,
                       const struct loom_ptx_inst *inst)
{
    uint8_t carry = ptx_carries(inst) ? IS_CARRY : 0;

    switch ((enum loom_ptx_group)loom_ptx_opcodes[inst->op].group) {
    case LOOM_PTX_G_LOAD:
        if (inst->op != LOOM_PTX_LD && inst->op != LOOM_PTX_LDU &&
            inst->op != LOOM_PTX_LDMATRIX && inst->op < LOOM_PTX_WMMA_LOAD_A) {
            return IS_FENCE | IS_LANES;
        }
        if (inst->order > LOOM_PTX_WEAK) {
            return IS_FENCE;
        }
        if (inst->space == LOOM_PTX_CONST || ptx_kernel_param(a, inst) ||
            (inst->flags & LOOM_PTX_NONCOHERENT) != 0) {
            return 0;
        }
        return IS_LOAD | (inst->op == LOOM_PTX_LD ? 0 : IS_LANES);
    case LOOM_PTX_G_STORE:
        return inst->op == LOOM_PTX_ST && inst->order <= LOOM_PTX_WEAK
                   ? IS_STORE
                   : IS_FENCE | IS_LANES;
    case LOOM_PTX_G_TEXTURE:
        return inst->op >= LOOM_PTX_SULD_B && inst->op <= LOOM_PTX_SURED_P
                   ? IS_FENCE
                   : 0;
    case LOOM_PTX_G_ATOMIC:
    case LOOM_PTX_G_MEMBAR:
    case LOOM_PTX_G_BARRIER:
        return IS_FENCE | IS_LANES;
    case LOOM_PTX_G_TENSOR:
        return loom_ptx_of_group(inst) ? IS_FENCE | IS_LANES : IS_LANES;
    case LOOM_PTX_G_SHUFFLE:
        return IS_LANES;
    case LOOM_PTX_G_BRANCH:
    case LOOM_PTX_G_EXIT:
    case LOOM_PTX_G_NOP:
        return inst->op == LOOM_PTX_WGMMA_COMMIT ? IS_FENCE | IS_LANES
               : inst->op == LOOM_PTX_WGMMA_WAIT ? IS_FENCE | IS_LANES | IS_WAIT
                                                 : IS_WALL;
    case LOOM_PTX_G_MOVE:
        if ((inst->op >= LOOM_PTX_ALLOCA &&
             inst->op <= LOOM_PTX_STACKRESTORE) ||
            ptx_reads_time(inst)) {
            return IS_WALL;
        }
        return inst->op == LOOM_PTX_ACTIVEMASK ? IS_LANES : 0;
    case LOOM_PTX_G_DIV:
    case LOOM_PTX_G_SFU:
        return ptx_has_slow_path(inst) ? IS_WALL : 0;
    default:
        return carry;
    }
}

/* The register below copies and sums with immediates that are folded. */
static uint32_t root_of(const struct ptx_analysis *a, uint32_t reg,
                        int64_t *offset)
{
    uint32_t from;

    while ((from = a->schedule->forward[reg]) != LOOM_PTX_NONE) {
        const struct loom_ptx_inst *inst = &a->function->inst[from];
        const struct loom_ptx_operand *o = inst->operand;
        bool copy = inst->op == LOOM_PTX_MOV || inst->op == LOOM_PTX_CVTA;
        bool sum = (inst->op == LOOM_PTX_ADD || inst->op == LOOM_PTX_SUB) &&
                   o[2].kind == LOOM_PTX_OP_IMM;

        if (inst->operand_count < 2 || o[1].kind != LOOM_PTX_OP_REG ||
            !(copy || sum)) {
            break;
        }
        if (sum) {
            *offset += inst->op == LOOM_PTX_ADD ? o[2].value : -o[2].value;
        }
        reg = o[1].reg;
    }
    return reg;
}

static struct ptx_where where_of(const struct ptx_analysis *a,
                                 const struct loom_ptx_inst *inst)
{
    uint32_t at = loom_ptx_address_operand(inst);
    uint32_t bytes = loom_ptx_type_bytes((enum loom_ptx_type)inst->type[0]) *
                     (inst->vector > 1 ? inst->vector : 1);
    struct ptx_where p = {.reg = LOOM_PTX_NONE, .space = inst->space};
    const struct loom_ptx_operand *o;

    if (at == LOOM_PTX_NONE || bytes == 0 ||
        (inst->op != LOOM_PTX_LD && inst->op != LOOM_PTX_ST)) {
        return p;
    }
    o = &inst->operand[at];
    if (o->kind != LOOM_PTX_OP_ADDRESS) {
        return p;
    }
    p.known = true;
    p.from = o->value;
    if (o->reg != LOOM_PTX_NONE) {
        p.reg = root_of(a, o->reg, &p.from);
    } else {
        p.var = o->var;
    }
    p.to = p.from + bytes;
    return p;
}

static bool same_space(uint32_t x, uint32_t y)
{
    x = x == LOOM_PTX_SHARED_CTA || x == LOOM_PTX_SHARED_CLUSTER
            ? LOOM_PTX_SHARED
            : x;
    y = y == LOOM_PTX_SHARED_CTA || y == LOOM_PTX_SHARED_CLUSTER
            ? LOOM_PTX_SHARED
            : y;
    return x == y || x == LOOM_PTX_GENERIC || y == LOOM_PTX_GENERIC || x == 0 ||
           y == 0;
}

static bool apart(const struct ptx_where *x, const struct ptx_where *y)
{
    if (!same_space(x->space, y->space)) {
        return true;
    }
    if (!x->known || !y->known || x->reg != y->reg) {
        return false;
    }
    if (x->reg == LOOM_PTX_NONE && x->var != y->var) {
        return x->var != NULL && y->var != NULL;
    }
    return x->to <= y->from || y->to <= x->from;
}

struct touch {
    const bool *sums;
    bool any;
};

static void see_sum(void *context, uint32_t reg, bool write)
{
    struct touch *t = context;

    (void)write;
    t->any = t->any || t->sums[reg];
}

struct ptx_access ptx_access_of(const struct ptx_analysis *a, uint32_t inst)
{
    const struct loom_ptx_inst *one = &a->function->inst[inst];
    struct touch t = {a->schedule->sums, false};
    uint8_t is = kind_of(a, one);

    if (t.sums != NULL) {
        ptx_visit(a, inst, see_sum, &t);
    }
    return (struct ptx_access){(uint8_t)(is | (t.any ? IS_SUM : 0)),
                               where_of(a, one)};
}

bool ptx_ordered(const struct ptx_access *x, const struct ptx_access *y)
{
    uint8_t memory = IS_LOAD | IS_STORE | IS_FENCE;

    if (((x->is | y->is) & IS_WALL) != 0 ||
        (x->is & y->is & (IS_LANES | IS_CARRY)) != 0 ||
        ((x->is & IS_WAIT) != 0 && (y->is & IS_SUM) != 0) ||
        ((y->is & IS_WAIT) != 0 && (x->is & IS_SUM) != 0)) {
        return true;
    }
    if ((x->is & memory) == 0 || (y->is & memory) == 0) {
        return false;
    }
    return ((x->is | y->is) & IS_FENCE) != 0 ||
           (((x->is | y->is) & IS_STORE) != 0 && !apart(&x->where, &y->where));
}

/* ---- the graph of a region ---- */

void ptx_order_memory(struct ptx_node *node, uint32_t nodes)
{
    for (uint32_t k = 0; k < nodes; k++) {
        if (ptx_ordered(&node[k].access, &node[nodes].access)) {
            ptx_set_bit(node[k].then, nodes);
        }
    }
}

/* Latest first. */
void ptx_measure(const struct ptx_analysis *a, struct ptx_node *node,
                 uint32_t nodes, uint64_t *ready)
{
    for (uint32_t n = 0; n < nodes; n++) {
        node[n].height = node[n].earliest = node[n].waits = 0;
    }
    for (uint32_t n = nodes; n-- > 0;) {
        struct ptx_node *from = &node[n];
        const struct loom_ptx_inst *inst = &a->function->inst[from->inst];

        for (uint32_t w = n / 64; w <= (nodes - 1) / 64; w++) {
            uint64_t bits = from->data[w] | from->then[w];

            for (; bits != 0; bits &= bits - 1) {
                uint32_t bit = loom_lowest(bits);
                struct ptx_node *to = &node[w * 64 + bit];
                uint32_t step =
                    (from->data[w] >> bit & 1) != 0
                        ? step_of(inst, &a->function->inst[to->inst])
                        : 1;

                to->waits++;
                if (to->height + step > from->height) {
                    from->height = to->height + step;
                }
            }
        }
    }
    for (uint32_t n = 0; n < nodes; n++) {
        if (node[n].waits == 0) {
            ptx_set_bit(ready, n);
        }
    }
}

void ptx_release(const struct ptx_analysis *a, struct ptx_node *node,
                 uint32_t nodes, uint32_t issued, uint32_t now, uint64_t *ready)
{
    const struct ptx_node *from = &node[issued];
    const struct loom_ptx_inst *inst = &a->function->inst[from->inst];

    for (uint32_t w = issued / 64; w <= (nodes - 1) / 64; w++) {
        uint64_t bits = from->data[w] | from->then[w];

        for (; bits != 0; bits &= bits - 1) {
            uint32_t bit = loom_lowest(bits);
            struct ptx_node *to = &node[w * 64 + bit];
            uint32_t then =
                now + ((from->data[w] >> bit & 1) != 0
                           ? step_of(inst, &a->function->inst[to->inst])
                           : 1);

            to->earliest = then > to->earliest ? then : to->earliest;
            if (--to->waits == 0) {
                ptx_set_bit(ready, w * 64 + bit);
            }
        }
    }
}
