/*
 * Which registers are the same for all lanes of a warp, and can be in a uniform
 * register or in the constant bank (decision 0082).
 *
 * At first all are; what is written from what is not the same is not, nor what
 * is written at several places of which some are in blocks that not all lanes
 * execute together, and so on until nothing changes.  So what a loop counts up
 * is the same for all lanes if they leave the loop together.
 *
 * Two things are told apart: values that are the same, which decide where lanes
 * go, and those of them that are held in no ordinary register: integers that
 * follow from parameters, constants, numbers and the CTA's place.  What is
 * loaded, and products of floating point, are in ordinary ones.
 */
#include <stdlib.h>
#include <string.h>

#include "workloads/ptx/analysis/analysis_private.h"

struct uniform {
    const struct ptx_analysis *a;
    const struct loom_ptx_function *f;
    const bool *constant;   /* [reg_count] */
    const uint32_t *writes; /* [reg_count] */
    uint8_t *holds;         /* [reg_count] */
    uint8_t *seen;          /* [block_count] */
    uint32_t *stack;        /* [block_count] */
    bool *apart;            /* [block_count]: not all lanes come together */
    uint8_t reads, keeps;   /* of an instruction */
    bool here, changed;     /* is its block one of those? */
};

#define BOTH (PTX_HOLDS_SAME | PTX_IS_UNIFORM)
/* Looks at blocks in a round, and rounds; beyond them lanes are taken to be
 * apart, and nothing to be uniform.  Of 550 kernels, of libraries too, none had
 * more than 1,124 blocks, nor needed more than 4 rounds. */
#define LOOKS_MAX (UINT64_C(1) << 28)
#define ROUNDS_MAX 64u

static bool special_is_same(uint32_t what)
{
    return what >= LOOM_PTX_NTID_X && what <= LOOM_PTX_NCTAID_Z;
}

/* What units for uniform values have instructions for: integers. */
static bool has_uniform_form(const struct ptx_analysis *a,
                             const struct loom_ptx_inst *inst)
{
    switch ((enum loom_ptx_opcode)inst->op) {
    case LOOM_PTX_LD:
        return ptx_kernel_param(a, inst) || inst->space == LOOM_PTX_CONST;
    case LOOM_PTX_CVT:
        return !loom_ptx_type_real((enum loom_ptx_type)inst->type[1]);
    case LOOM_PTX_MOV:
    case LOOM_PTX_CVTA:
    case LOOM_PTX_ADD:
    case LOOM_PTX_SUB:
    case LOOM_PTX_MUL:
    case LOOM_PTX_MAD:
    case LOOM_PTX_SHL:
    case LOOM_PTX_SHR:
    case LOOM_PTX_AND:
    case LOOM_PTX_OR:
    case LOOM_PTX_XOR:
    case LOOM_PTX_NOT:
    case LOOM_PTX_NEG:
    case LOOM_PTX_SETP:
    case LOOM_PTX_SELP:
        return !ptx_carries(inst);
    default:
        return false;
    }
}

/* Constants in memory at a known address are operands, of any type. */
static bool is_constant(const struct loom_ptx_inst *inst)
{
    return inst->op == LOOM_PTX_LD && inst->vector <= 1 &&
           inst->space == LOOM_PTX_CONST;
}

/* Does it give all lanes the same for the same operands? */
static bool has_one_result(const struct ptx_analysis *a,
                           const struct loom_ptx_inst *inst)
{
    if (inst->op == LOOM_PTX_LD) {
        return inst->space == LOOM_PTX_GLOBAL ||
               inst->space == LOOM_PTX_SHARED ||
               inst->space == LOOM_PTX_CONST || ptx_kernel_param(a, inst);
    }
    return inst->op <= LOOM_PTX_CVTA && !ptx_carries(inst) &&
           (inst->op != LOOM_PTX_MOV ||
            inst->operand[1].kind != LOOM_PTX_OP_SPECIAL ||
            special_is_same((uint32_t)inst->operand[1].value));
}

static void look(void *context, uint32_t reg, bool write)
{
    struct uniform *u = context;

    if (!write) {
        u->reads &= u->holds[reg];
    }
}

static void keep(void *context, uint32_t reg, bool write)
{
    struct uniform *u = context;
    uint8_t keeps = u->here && u->writes[reg] > 1 ? 0 : u->keeps;

    if (write && !u->constant[reg] && (u->holds[reg] & BOTH & ~keeps) != 0) {
        u->holds[reg] &= (uint8_t)(keeps | ~BOTH);
        u->changed = true;
    }
}

/* ---- where lanes are apart ---- */

/* Blocks from one on to another one, which is not among them. */
static void mark(struct uniform *u, uint32_t from, uint32_t to, uint8_t bit)
{
    uint32_t depth = 0;

    if (from == PTX_NO_BLOCK || from == to) {
        return;
    }
    u->seen[from] |= bit;
    u->stack[depth++] = from;
    while (depth > 0) {
        const struct ptx_block *b = &u->a->block[u->stack[--depth]];

        for (uint32_t k = 0; k < 2 + b->more_count; k++) {
            uint32_t next = k < 2 ? b->successor[k] : b->more[k - 2];

            if (next != PTX_NO_BLOCK && next != to &&
                (u->seen[next] & bit) == 0) {
                u->seen[next] |= bit;
                u->stack[depth++] = next;
            }
        }
    }
}

/* Does the kernel end there? */
static bool ends(const struct uniform *u, uint32_t block)
{
    uint16_t op;

    if (block == PTX_NO_BLOCK) {
        return true;
    }
    op = u->f->inst[u->a->block[block].first].op;
    return op == LOOM_PTX_RET || op == LOOM_PTX_EXIT;
}

/* Lanes go different ways at the end of a block.  Those that end there leave
 * the others together. */
static void part(struct uniform *u, const struct ptx_block *b)
{
    uint32_t to = b->post_dominator, only[4] = {0};
    bool end = ends(u, to);

    memset(u->seen, 0, u->a->block_count);
    mark(u, b->successor[0], to, 1);
    mark(u, b->successor[1], to, 2);
    for (uint32_t k = 0; k < b->more_count; k++) {
        mark(u, b->more[k], to, 2);
    }
    for (uint32_t k = 0; k < u->a->block_count; k++) {
        only[u->seen[k]]++;
    }
    for (uint32_t k = 0; k < u->a->block_count; k++) {
        u->apart[k] =
            u->apart[k] || (end ? only[1] > 0 && only[2] > 0 &&
                                      (u->seen[k] == 1 || u->seen[k] == 2)
                                : u->seen[k] != 0);
    }
}

static void find_apart(struct uniform *u)
{
    uint64_t looks = 0;

    memset(u->apart, 0, u->a->block_count * sizeof(*u->apart));
    for (uint32_t k = 0; k < u->a->block_count; k++) {
        const struct ptx_block *b = &u->a->block[k];
        const struct loom_ptx_inst *last = &u->f->inst[b->last];

        u->reads = BOTH;
        loom_ptx_visit(last, look, u);
        if ((b->successor[1] != PTX_NO_BLOCK || b->more_count > 0) &&
            (u->reads & PTX_IS_UNIFORM) == 0) {
            part(u, b);
            looks += u->a->block_count;
        }
        if (looks > LOOKS_MAX) {
            memset(u->apart, true, u->a->block_count * sizeof(*u->apart));
            return;
        }
    }
}

static void take_away(struct uniform *u)
{
    u->changed = false;
    find_apart(u);
    for (uint32_t i = 0; i < u->f->inst_count; i++) {
        const struct loom_ptx_inst *inst = &u->f->inst[i];

        u->reads = BOTH;
        loom_ptx_visit(inst, look, u);
        u->here = u->apart[u->a->block_of[i]];
        u->keeps = 0;
        if (u->f->entry && has_one_result(u->a, inst)) {
            u->keeps = u->reads & PTX_IS_UNIFORM;
        }
        if (u->keeps != 0 && inst->guard == LOOM_PTX_NONE &&
            (is_constant(inst) ||
             (!ptx_inst_real(inst) && has_uniform_form(u->a, inst)))) {
            u->keeps |= u->reads & PTX_HOLDS_SAME;
        }
        loom_ptx_visit(inst, keep, u);
    }
}

bool ptx_find_uniform(const struct ptx_analysis *a, const bool *constant,
                      const uint32_t *writes, uint8_t *holds)
{
    size_t blocks = (size_t)a->block_count + 1;
    struct uniform u = {.a = a,
                        .f = a->function,
                        .constant = constant,
                        .writes = writes,
                        .holds = holds,
                        .changed = true};
    bool there;

    u.seen = calloc(blocks, sizeof(*u.seen));
    u.stack = calloc(blocks, sizeof(*u.stack));
    u.apart = calloc(blocks, sizeof(*u.apart));
    there = u.seen != NULL && u.stack != NULL && u.apart != NULL;
    if (there) {
        for (uint32_t reg = 0; reg < u.f->reg_count; reg++) {
            holds[reg] = constant[reg] || writes[reg] > 0 ? BOTH : 0;
        }
        for (uint32_t k = 0; k < ROUNDS_MAX && u.changed; k++) {
            take_away(&u);
        }
        for (uint32_t reg = 0; reg < u.f->reg_count && u.changed; reg++) {
            holds[reg] = constant[reg] ? BOTH : 0;
        }
    }
    free(u.seen);
    free(u.stack);
    free(u.apart);
    return there;
}
