/*
 * Are the operands what the opcode's row asks for?
 *
 * This is what lets everybody behind the parser trust that a predicate
 * stands where predicates are expected, that a load has an address and that
 * a vector has as many elements as its modifier says.
 */
#include <string.h>

#include "workloads/ptx/parse/parse_private.h"

static bool is_pred_reg(const struct ptx_parser *p,
                        const struct loom_ptx_operand *o)
{
    return o->kind == LOOM_PTX_OP_REG &&
           p->function->reg[o->reg].type == LOOM_PTX_PRED;
}

static bool is_plain_reg(const struct ptx_parser *p,
                         const struct loom_ptx_operand *o)
{
    return o->kind == LOOM_PTX_OP_REG && !o->negate && !is_pred_reg(p, o);
}

static bool is_source(const struct ptx_parser *p,
                      const struct loom_ptx_operand *o)
{
    switch ((enum loom_ptx_operand_kind)o->kind) {
    case LOOM_PTX_OP_REG:
        return is_plain_reg(p, o);
    case LOOM_PTX_OP_IMM:
    case LOOM_PTX_OP_F32:
    case LOOM_PTX_OP_F64:
    case LOOM_PTX_OP_SYMBOL:
    case LOOM_PTX_OP_SPECIAL:
    case LOOM_PTX_OP_FUNCTION:
        return true;
    case LOOM_PTX_OP_NONE:
    case LOOM_PTX_OP_ADDRESS:
    case LOOM_PTX_OP_VECTOR:
    case LOOM_PTX_OP_LIST:
    case LOOM_PTX_OP_TEXTURE:
    case LOOM_PTX_OP_LABEL:
    case LOOM_PTX_OP_PROTOTYPE:
    case LOOM_PTX_OP_SINK:
        break;
    }
    return false;
}

static bool is_dest(const struct ptx_parser *p,
                    const struct loom_ptx_operand *o)
{
    return is_plain_reg(p, o) || o->kind == LOOM_PTX_OP_SINK;
}

static bool is_vector(const struct ptx_parser *p,
                      const struct loom_ptx_operand *o, bool dest)
{
    if (o->kind != LOOM_PTX_OP_VECTOR || o->count == 0) {
        return false;
    }
    for (uint32_t i = 0; i < o->count; i++) {
        if (dest ? !is_dest(p, &o->element[i])
                 : !is_source(p, &o->element[i])) {
            return false;
        }
    }
    return true;
}

/* [texture, coordinates], [texture, sampler, coordinates] */
static bool is_texture(const struct ptx_parser *p,
                       const struct loom_ptx_operand *o)
{
    if (o->count < 2) {
        return false;
    }
    for (uint32_t i = 0; i < o->count; i++) {
        if (!is_source(p, &o->element[i]) &&
            !(i + 1 == o->count && is_vector(p, &o->element[i], false))) {
            return false;
        }
    }
    return true;
}

/* Arguments and results of a call: .param variables, or plain values. */
static bool is_call_list(const struct ptx_parser *p,
                         const struct loom_ptx_operand *o)
{
    if (o->kind != LOOM_PTX_OP_LIST) {
        return false;
    }
    for (uint32_t i = 0; i < o->count; i++) {
        if (!is_source(p, &o->element[i]) &&
            o->element[i].kind != LOOM_PTX_OP_SINK) {
            return false;
        }
    }
    return true;
}

static bool fits(const struct ptx_parser *p, const struct loom_ptx_inst *inst,
                 const struct loom_ptx_operand *o, char letter)
{
    bool pred = inst->type[0] == LOOM_PTX_PRED;

    switch (letter) {
    case 'd':
        return is_dest(p, o);
    case 'v':
        return is_dest(p, o) || is_vector(p, o, true);
    case 'q':
        return (is_pred_reg(p, o) && !o->negate) || o->kind == LOOM_PTX_OP_SINK;
    case 'x':
        return fits(p, inst, o, pred ? 'q' : 'v');
    case 's':
        return is_source(p, o);
    case 'w':
        return is_source(p, o) || is_vector(p, o, false);
    case 'p':
        return is_pred_reg(p, o);
    case 'y':
        return pred ? is_pred_reg(p, o) || o->kind == LOOM_PTX_OP_IMM ||
                          (o->kind == LOOM_PTX_OP_SPECIAL &&
                           o->value == LOOM_PTX_IS_EXPLICIT_CLUSTER)
                    : fits(p, inst, o, 'w');
    case 'a':
        return o->kind == LOOM_PTX_OP_ADDRESS ||
               (o->kind == LOOM_PTX_OP_TEXTURE && is_texture(p, o));
    case 'l':
        return o->kind == LOOM_PTX_OP_LABEL;
    case 'c':
        return is_call_list(p, o);
    case 'f':
        return o->kind == LOOM_PTX_OP_FUNCTION || is_plain_reg(p, o);
    default:
        return letter == '*' && (o->kind == LOOM_PTX_OP_PROTOTYPE ||
                                 o->kind == LOOM_PTX_OP_SYMBOL);
    }
}

/* Against one alternative, which ends at '|' or the end. */
static bool match(const struct ptx_parser *p, const struct loom_ptx_inst *inst,
                  const char *row)
{
    uint32_t at = 0;
    bool optional = false;

    for (; *row != '\0' && *row != '|'; row++) {
        if (*row == '?') {
            optional = true;
            continue;
        }
        if (at == inst->operand_count) {
            return optional;
        }
        if (!fits(p, inst, &inst->operand[at++], *row)) {
            return false;
        }
        if (at == 1 && (inst->flags & LOOM_PTX_PAIR) != 0 &&
            (at == inst->operand_count ||
             !fits(p, inst, &inst->operand[at++], 'q'))) {
            return false;
        }
    }
    return at == inst->operand_count;
}

/* ".v2" needs two elements, no modifier needs none; mov packs 2 or 4. */
static bool vectors_fit(const struct loom_ptx_inst *inst)
{
    uint32_t want = inst->vector;

    for (uint32_t i = 0; i < inst->operand_count; i++) {
        const struct loom_ptx_operand *o = &inst->operand[i];
        bool vector = o->kind == LOOM_PTX_OP_VECTOR;

        switch ((enum loom_ptx_opcode)inst->op) {
        case LOOM_PTX_LD:
        case LOOM_PTX_LDU:
        case LOOM_PTX_ST:
        case LOOM_PTX_ATOM:
        case LOOM_PTX_RED:
            if (o->kind != LOOM_PTX_OP_ADDRESS && vector != (want > 1) &&
                !(want > 1 && i > 1)) {
                return false;
            }
            if (vector && o->count != want) {
                return false;
            }
            break;
        case LOOM_PTX_MOV:
            if (vector && o->count != 2 && o->count != 4) {
                return false;
            }
            break;
        case LOOM_PTX_AND:
        case LOOM_PTX_OR:
        case LOOM_PTX_XOR:
        case LOOM_PTX_NOT:
        case LOOM_PTX_VOTE:
        case LOOM_PTX_BAR_RED:
        case LOOM_PTX_BARRIER_RED:
            if (vector) {
                return false;
            }
            break;
        default:
            break;
        }
    }
    return true;
}

static bool may_pair(enum loom_ptx_opcode op)
{
    return op == LOOM_PTX_SETP || op == LOOM_PTX_SHFL || op == LOOM_PTX_MATCH ||
           op == LOOM_PTX_LOP3 || op == LOOM_PTX_ELECT || op == LOOM_PTX_TEX;
}

static bool has_predicate(const struct loom_ptx_inst *inst)
{
    return strpbrk(loom_ptx_opcodes[inst->op].operands, "xy") != NULL;
}

/* brx.idx takes a list of labels, a call anything but that. */
static bool lists_fit(const struct ptx_parser *p,
                      const struct loom_ptx_inst *inst)
{
    const struct loom_ptx_operand *last;

    if (inst->op != LOOM_PTX_CALL && inst->op != LOOM_PTX_BRX_IDX) {
        return true;
    }
    last = &inst->operand[inst->operand_count - 1];
    if (last->kind != LOOM_PTX_OP_PROTOTYPE) {
        return inst->op == LOOM_PTX_CALL;
    }
    return (p->function->prototype[last->value].kind ==
            LOOM_PTX_BRANCHTARGETS) == (inst->op == LOOM_PTX_BRX_IDX);
}

bool ptx_check_inst(struct ptx_parser *p, const struct loom_ptx_inst *inst)
{
    const char *row = loom_ptx_opcodes[inst->op].operands;

    for (uint32_t i = 0; i < LOOM_PTX_TYPES_MAX; i++) {
        if (inst->type[i] == LOOM_PTX_PRED &&
            !(i == 0 && has_predicate(inst))) {
            return ptx_bad_instruction(p, "cannot have type .pred");
        }
    }
    if ((inst->flags & LOOM_PTX_PAIR) != 0 &&
        !may_pair((enum loom_ptx_opcode)inst->op)) {
        return ptx_bad_instruction(p, "has wrong operands");
    }
    while (!match(p, inst, row)) {
        row = strchr(row, '|');
        if (row == NULL) {
            return ptx_bad_instruction(p, "has wrong operands");
        }
        row++;
    }
    if (!lists_fit(p, inst)) {
        return ptx_bad_instruction(p, "has wrong operands");
    }
    return vectors_fit(inst) ||
           ptx_bad_instruction(p, "has a vector of the wrong length");
}
