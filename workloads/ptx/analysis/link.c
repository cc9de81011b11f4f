/*
 * One function from a kernel and all device functions that it may call.
 *
 * Everything behind this sees a single function: the copies of its sections'
 * instructions lie one behind the other, with registers, labels and lists
 * renumbered, so that each instruction has one number, one pc and one place
 * in the static table.  Sections are not joined by edges; a call goes on
 * with the next instruction.  A kernel without device functions is analysed
 * as it is.
 *
 * A call through a register may reach every function whose address is taken,
 * in an instruction that is linked or in any initialiser of the module.
 *
 */
#include <stdlib.h>
#include <string.h>

#include "workloads/ptx/analysis/analysis_private.h"

struct linker {
    struct ptx_analysis *a;
    struct loom_ptx_module *module;
    struct loom_ptx_function *to; /* the linked function */
    uint32_t room;                /* of a->call */
};

const struct loom_ptx_function *
ptx_real_function(const struct loom_ptx_function *function)
{
    return function->alias != NULL ? function->alias : function;
}

uint32_t ptx_section_of(const struct ptx_analysis *a,
                        const struct loom_ptx_function *function)
{
    function = ptx_real_function(function);
    for (uint32_t s = 0; s < a->section_count; s++) {
        if (a->section[s].function == function) {
            return s;
        }
    }
    return LOOM_PTX_NONE;
}

uint32_t ptx_section_at(const struct ptx_analysis *a, uint32_t inst)
{
    uint32_t s = a->section_count - 1;

    while (s > 0 && a->section[s].first > inst) {
        s--;
    }
    return s;
}

/* ---- which functions ---- */

static void add_section(struct linker *l,
                        const struct loom_ptx_function *function, bool taken)
{
    struct ptx_analysis *a = l->a;
    uint32_t s;

    function = ptx_real_function(function);
    if (function->declared) {
        return; /* the executor knows it, or refuses the call */
    }
    s = ptx_section_of(a, function);
    if (s == LOOM_PTX_NONE) {
        s = a->section_count++;
        a->section[s].function = function;
    }
    a->section[s].taken = a->section[s].taken || taken;
}

static void add_operands(struct linker *l,
                         const struct loom_ptx_operand *operand, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (operand[i].kind == LOOM_PTX_OP_FUNCTION) {
            add_section(l, operand[i].function, true);
        } else if (operand[i].kind == LOOM_PTX_OP_LIST ||
                   operand[i].kind == LOOM_PTX_OP_VECTOR) {
            add_operands(l, operand[i].element, operand[i].count);
        }
    }
}

static void add_callees(struct linker *l, uint32_t section)
{
    struct ptx_section *from = &l->a->section[section];
    const struct loom_ptx_function *f = from->function;

    for (uint32_t i = 0; i < f->inst_count; i++) {
        const struct loom_ptx_inst *inst = &f->inst[i];

        if (inst->op != LOOM_PTX_CALL) {
            add_operands(l, inst->operand, inst->operand_count);
        } else if (inst->operand[1].kind == LOOM_PTX_OP_FUNCTION) {
            add_section(l, inst->operand[1].function, false);
        } else {
            from->calls_registers = true;
        }
    }
}

static void add_initialisers(struct linker *l)
{
    for (uint32_t v = 0; v < l->module->var_count; v++) {
        const struct loom_ptx_var *var = l->module->var[v];

        for (uint32_t i = 0; i < var->reloc_count; i++) {
            if (var->reloc[i].function != NULL) {
                add_section(l, var->reloc[i].function, true);
            }
        }
    }
}

static bool find_sections(struct linker *l,
                          const struct loom_ptx_function *function)
{
    struct ptx_analysis *a = l->a;
    bool initialisers = false;

    a->section =
        calloc((size_t)l->module->function_count + 2, sizeof(*a->section));
    if (a->section == NULL) {
        return false;
    }
    a->section[a->section_count++].function = function;
    for (uint32_t s = 0; s < a->section_count; s++) {
        add_callees(l, s);
        if (a->section[s].calls_registers && !initialisers) {
            initialisers = true;
            add_initialisers(l);
        }
    }
    return true;
}

/* ---- the copy ---- */

static void renumber(struct loom_ptx_operand *operand, uint32_t count,
                     const struct ptx_section *s, uint32_t label, uint32_t list)
{
    for (uint32_t i = 0; i < count; i++) {
        struct loom_ptx_operand *o = &operand[i];

        switch ((enum loom_ptx_operand_kind)o->kind) {
        case LOOM_PTX_OP_REG:
        case LOOM_PTX_OP_ADDRESS:
            o->reg += o->reg != LOOM_PTX_NONE ? s->reg : 0;
            break;
        case LOOM_PTX_OP_LABEL:
            o->value += label;
            break;
        case LOOM_PTX_OP_PROTOTYPE:
            o->value += list;
            break;
        case LOOM_PTX_OP_VECTOR:
        case LOOM_PTX_OP_LIST:
        case LOOM_PTX_OP_TEXTURE:
            renumber(o->element, o->count, s, label, list);
            break;
        default:
            break;
        }
    }
}

static bool copy_lists(struct linker *l, const struct loom_ptx_function *f,
                       uint32_t label)
{
    for (uint32_t i = 0; i < f->prototype_count; i++) {
        const struct loom_ptx_prototype *p = &f->prototype[i];
        uint32_t *to =
            loom_ptx_alloc(l->module, (p->label_count + 1u) * sizeof(*to));
        uint32_t number = to == NULL
                              ? LOOM_PTX_NONE
                              : loom_ptx_prototype_add(l->to, p->name, p->text);

        if (number == LOOM_PTX_NONE) {
            return false;
        }
        for (uint32_t k = 0; k < p->label_count; k++) {
            to[k] = p->label[k] + label;
        }
        l->to->prototype[number].kind = p->kind;
        l->to->prototype[number].label = to;
        l->to->prototype[number].label_count = p->label_count;
    }
    return true;
}

/* May control reach the end of the function's text? */
static bool runs_out(const struct loom_ptx_function *f)
{
    const struct loom_ptx_inst *last;

    for (uint32_t i = 0; i < f->label_count; i++) {
        if (f->label[i].target == f->inst_count) {
            return true;
        }
    }
    if (f->inst_count == 0) {
        return true;
    }
    last = &f->inst[f->inst_count - 1];
    return last->guard != LOOM_PTX_NONE ||
           (last->op != LOOM_PTX_RET && last->op != LOOM_PTX_EXIT &&
            last->op != LOOM_PTX_TRAP && last->op != LOOM_PTX_BRA);
}

static bool copy_insts(struct linker *l, struct ptx_section *s, uint32_t label,
                       uint32_t list)
{
    const struct loom_ptx_function *f = s->function;
    struct loom_ptx_function *to = l->to;
    struct loom_ptx_inst *end;

    s->first = to->inst_count;
    if (!loom_ptx_insert(to, s->first, f->inst, f->inst_count, false)) {
        return false;
    }
    for (uint32_t i = s->first; i < to->inst_count; i++) {
        struct loom_ptx_inst *inst = &to->inst[i];

        inst->guard += inst->guard != LOOM_PTX_NONE ? s->reg : 0;
        renumber(inst->operand, inst->operand_count, s, label, list);
    }
    if (runs_out(f)) {
        end = loom_ptx_append(to);
        if (end == NULL) {
            return false;
        }
        *end = loom_ptx_inst_make(LOOM_PTX_RET, LOOM_PTX_NO_TYPE, NULL, 0);
        end->text_line =
            f->inst_count == 0 ? 0 : f->inst[f->inst_count - 1].text_line;
    }
    s->count = to->inst_count - s->first;
    return true;
}

static bool copy_section(struct linker *l, struct ptx_section *s)
{
    const struct loom_ptx_function *f = s->function;
    struct loom_ptx_function *to = l->to;
    uint32_t label = to->label_count, list = to->prototype_count;

    s->reg = to->reg_count;
    s->reg_count = f->reg_count;
    for (uint32_t i = 0; i < f->reg_count; i++) {
        if (loom_ptx_reg_add(to, (enum loom_ptx_type)f->reg[i].type,
                             f->reg[i].name,
                             f->reg[i].number) == LOOM_PTX_NONE) {
            return false;
        }
    }
    if (!copy_lists(l, f, label) || !copy_insts(l, s, label, list)) {
        return false;
    }
    /* Last, for inserting instructions moves labels. */
    for (uint32_t i = 0; i < f->label_count; i++) {
        if (loom_ptx_label_add(to, f->label[i].name,
                               s->first + f->label[i].target) ==
            LOOM_PTX_NONE) {
            return false;
        }
    }
    return true;
}

static bool copy_all(struct linker *l, const struct loom_ptx_function *function)
{
    struct ptx_analysis *a = l->a;

    a->section[0].count = function->inst_count;
    a->section[0].reg_count = function->reg_count;
    a->function = function;
    if (a->section_count == 1) {
        return true;
    }
    l->to = loom_ptx_alloc(l->module, sizeof(*l->to));
    if (l->to == NULL) {
        return false;
    }
    *l->to = *function;
    l->to->label = NULL;
    l->to->reg = NULL;
    l->to->inst = NULL;
    l->to->prototype = NULL;
    l->to->label_count = l->to->label_room = 0;
    l->to->reg_count = l->to->reg_room = 0;
    l->to->inst_count = l->to->inst_room = 0;
    l->to->prototype_count = l->to->prototype_room = 0;
    for (uint32_t s = 0; s < a->section_count; s++) {
        if (!copy_section(l, &a->section[s])) {
            return false;
        }
    }
    a->function = l->to;
    return true;
}

/* ---- who calls whom ---- */

static bool add_call(struct linker *l, uint32_t at, uint32_t from, uint32_t to)
{
    struct ptx_analysis *a = l->a;

    if (a->call_count == l->room) {
        uint32_t room = l->room * 2 + 16;
        struct ptx_call *grown = realloc(a->call, room * sizeof(*grown));

        if (grown == NULL) {
            return false;
        }
        a->call = grown;
        l->room = room;
    }
    a->call[a->call_count++] = (struct ptx_call){at, from, to, false};
    return true;
}

static bool find_calls(struct linker *l, uint32_t section)
{
    struct ptx_analysis *a = l->a;
    const struct ptx_section *from = &a->section[section];

    for (uint32_t i = from->first; i < from->first + from->count; i++) {
        const struct loom_ptx_inst *inst = &a->function->inst[i];
        uint32_t to;

        a->recursive = a->recursive || inst->op == LOOM_PTX_ALLOCA;
        if (inst->op != LOOM_PTX_CALL) {
            continue;
        }
        if (inst->operand[1].kind == LOOM_PTX_OP_FUNCTION) {
            to = ptx_section_of(a, inst->operand[1].function);
            if (to != LOOM_PTX_NONE && !add_call(l, i, section, to)) {
                return false;
            }
            continue;
        }
        a->recursive = true;
        for (to = 0; to < a->section_count; to++) {
            if (a->section[to].taken && !add_call(l, i, section, to)) {
                return false;
            }
        }
    }
    return true;
}

/* First call of each section: calls are sorted by section, too. */
static void first_calls(const struct ptx_analysis *a, uint32_t *first)
{
    uint32_t c = 0;

    for (uint32_t s = 0; s <= a->section_count; s++) {
        while (c < a->call_count && a->call[c].from < s) {
            c++;
        }
        first[s] = c;
    }
}

/* Orders the sections and marks calls that close a cycle: depth first, a
 * call to a section that is on the way is one. */
static bool order_sections(struct linker *l)
{
    struct ptx_analysis *a = l->a;
    uint32_t n = a->section_count, top = 1, done = n;
    uint32_t *memory = calloc(4 * (size_t)n + 4, sizeof(*memory));
    uint32_t *first = memory, *next = memory + n + 1;
    uint32_t *stack = next + n + 1, *state = stack + n + 1;

    a->section_order = calloc((size_t)n + 1, sizeof(*a->section_order));
    if (memory == NULL || a->section_order == NULL) {
        free(memory);
        return false;
    }
    first_calls(a, first);
    memcpy(next, first, n * sizeof(*next));
    stack[0] = 0;
    state[0] = 1;
    while (top > 0) {
        uint32_t s = stack[top - 1];
        struct ptx_call *call;

        if (next[s] == first[s + 1]) {
            state[s] = 2;
            a->section_order[--done] = s;
            top--;
            continue;
        }
        call = &a->call[next[s]++];
        call->back = state[call->to] == 1;
        a->recursive = a->recursive || call->back;
        if (state[call->to] == 0) {
            state[call->to] = 1;
            stack[top++] = call->to;
        }
    }
    /* Functions whose address is taken but which nobody calls come first. */
    for (uint32_t s = 0; s < n; s++) {
        if (state[s] == 0) {
            a->section_order[--done] = s;
        }
    }
    free(memory);
    return true;
}

static uint32_t add_capped(uint32_t x, uint32_t y)
{
    return x > UINT32_MAX / 2 - y ? UINT32_MAX / 2 : x + y;
}

/* Local memory of the deepest chain of calls, each function once. */
static bool measure_chains(struct linker *l)
{
    struct ptx_analysis *a = l->a;
    uint32_t *base = calloc((size_t)a->section_count + 1, sizeof(*base));
    uint32_t *first = calloc((size_t)a->section_count + 2, sizeof(*first));

    if (base == NULL || first == NULL) {
        free(base);
        free(first);
        return false;
    }
    first_calls(a, first);
    for (uint32_t i = 0; i < a->section_count; i++) {
        uint32_t s = a->section_order[i];
        uint32_t end = add_capped(base[s], a->section[s].local_bytes);

        a->local_bytes = end > a->local_bytes ? end : a->local_bytes;
        for (uint32_t c = first[s]; c < first[s + 1]; c++) {
            uint32_t *to = &base[a->call[c].to];

            if (!a->call[c].back && end > *to) {
                *to = end;
            }
        }
    }
    free(base);
    free(first);
    return true;
}

bool ptx_link(struct ptx_analysis *a, const struct loom_ptx_function *function)
{
    struct linker l = {.a = a, .module = function->module};

    if (!find_sections(&l, function) || !copy_all(&l, function) ||
        !ptx_place_parameters(a)) {
        return false;
    }
    for (uint32_t s = 0; s < a->section_count; s++) {
        if (!find_calls(&l, s)) {
            return false;
        }
    }
    a->inst_count = a->function->inst_count;
    return order_sections(&l) && measure_chains(&l);
}
