/*
 * The table of static instructions that the timing model sees: one entry per
 * PTX instruction, 8 bytes apart, as GPGPU-Sim places PTX, in the order in
 * which they are timed.
 *
 * Generic accesses are put down as global unless every value that reaches
 * the address is known to come from shared or from local variables.
 */
#include <stdlib.h>
#include <string.h>

#include "components/mem_protocol.h"
#include "workloads/ptx/analysis/analysis_private.h"

#define PC_STEP 8u       /* GPGPU-Sim */
#define MACHINE_STEP 16u /* of instructions of the machine, since Volta */
#define TEXT_MAX 512u

struct table {
    struct ptx_analysis *a;
    const struct ptx_origin *origin;
    bool *read;                    /* [reg_count]: by anybody */
    struct loom_static_inst *inst; /* being made */
    size_t room;                   /* of a->text */
    uint32_t *place;               /* [inst_count]: in the kernel, as timed */
};

/* Arithmetic classes by kind of number: integer, single, double. */
static enum loom_op arithmetic(enum loom_ptx_group group,
                               const struct loom_ptx_inst *inst)
{
    static const enum loom_op ops[][3] = {
        [LOOM_PTX_G_ADD] = {LOOM_OP_INT_ADD, LOOM_OP_FP_ADD, LOOM_OP_DP_ADD},
        [LOOM_PTX_G_MINMAX] = {LOOM_OP_INT_MAX, LOOM_OP_FP_MAX, LOOM_OP_DP_MAX},
        [LOOM_PTX_G_MUL] = {LOOM_OP_INT_MUL, LOOM_OP_FP_MUL, LOOM_OP_DP_MUL},
        [LOOM_PTX_G_MAD] = {LOOM_OP_INT_MAD, LOOM_OP_FP_MAD, LOOM_OP_DP_MAD},
        [LOOM_PTX_G_DIV] = {LOOM_OP_INT_DIV, LOOM_OP_FP_DIV, LOOM_OP_DP_DIV},
    };
    enum loom_ptx_type type = (enum loom_ptx_type)inst->type[0];
    uint32_t kind = type == LOOM_PTX_F64 ? 2 : loom_ptx_type_real(type) ? 1 : 0;

    return ops[group][kind];
}

/* Parameters of calls are passed in registers, and returning from a device
 * function ends no thread. */
static bool of_call(const struct ptx_analysis *a,
                    const struct loom_ptx_inst *inst, uint32_t index,
                    enum loom_op *op)
{
    bool space =
        inst->space == LOOM_PTX_PARAM || inst->space == LOOM_PTX_PARAM_FUNC;

    if ((inst->op == LOOM_PTX_LD || inst->op == LOOM_PTX_ST) && space &&
        !ptx_kernel_param(a, inst)) {
        *op = LOOM_OP_MOVE;
        return true;
    }
    *op = LOOM_OP_BRANCH;
    return inst->op == LOOM_PTX_RET && ptx_section_at(a, index) != 0;
}

static enum loom_op class_of(const struct ptx_analysis *a,
                             const struct loom_ptx_inst *inst, uint32_t index)
{
    enum loom_ptx_group group =
        (enum loom_ptx_group)loom_ptx_opcodes[inst->op].group;
    enum loom_op op;

    if (of_call(a, inst, index, &op)) {
        return op;
    }

    switch (group) {
    case LOOM_PTX_G_MOVE:
        return LOOM_OP_MOVE;
    case LOOM_PTX_G_ADD:
    case LOOM_PTX_G_MINMAX:
    case LOOM_PTX_G_MUL:
    case LOOM_PTX_G_MAD:
    case LOOM_PTX_G_DIV:
        return arithmetic(group, inst);
    case LOOM_PTX_G_SFU:
        return LOOM_OP_SFU;
    case LOOM_PTX_G_TENSOR:
        return LOOM_OP_TENSOR;
    case LOOM_PTX_G_SHUFFLE:
        return LOOM_OP_SHUFFLE;
    case LOOM_PTX_G_BRANCH:
        return LOOM_OP_BRANCH;
    case LOOM_PTX_G_BARRIER:
        return inst->op == LOOM_PTX_BAR_WARP_SYNC ||
                       inst->op == LOOM_PTX_CLUSTER_ARRIVE
                   ? LOOM_OP_NOP
                   : LOOM_OP_BARRIER;
    case LOOM_PTX_G_MEMBAR:
        return LOOM_OP_MEMBAR;
    case LOOM_PTX_G_LOAD:
        return LOOM_OP_LOAD;
    case LOOM_PTX_G_STORE:
        return LOOM_OP_STORE;
    case LOOM_PTX_G_ATOMIC:
        return LOOM_OP_ATOMIC;
    case LOOM_PTX_G_TEXTURE:
        if (inst->op == LOOM_PTX_SURED_B || inst->op == LOOM_PTX_SURED_P) {
            return LOOM_OP_ATOMIC;
        }
        return inst->op == LOOM_PTX_SUST_B || inst->op == LOOM_PTX_SUST_P
                   ? LOOM_OP_STORE
                   : LOOM_OP_LOAD;
    case LOOM_PTX_G_EXIT:
        return LOOM_OP_EXIT;
    case LOOM_PTX_G_NOP:
        break;
    }
    return LOOM_OP_NOP;
}

static enum loom_mem_space space_of(const struct loom_ptx_inst *inst,
                                    const struct ptx_origin *origin)
{
    if (loom_ptx_opcodes[inst->op].group == LOOM_PTX_G_TEXTURE) {
        /* Surfaces are written, too: coherent with global memory. */
        return inst->op >= LOOM_PTX_SULD_B && inst->op <= LOOM_PTX_SURED_P
                   ? LOOM_SPACE_GLOBAL
                   : LOOM_SPACE_TEXTURE;
    }
    switch ((enum loom_ptx_space)inst->space) {
    case LOOM_PTX_SHARED:
    case LOOM_PTX_SHARED_CTA:
    case LOOM_PTX_SHARED_CLUSTER:
        return LOOM_SPACE_SHARED;
    case LOOM_PTX_LOCAL:
        return LOOM_SPACE_LOCAL;
    case LOOM_PTX_CONST:
        return LOOM_SPACE_CONST;
    case LOOM_PTX_PARAM:
    case LOOM_PTX_PARAM_ENTRY:
    case LOOM_PTX_PARAM_FUNC:
        return LOOM_SPACE_PARAM;
    case LOOM_PTX_GENERIC:
        return origin->spaces == PTX_FROM_SHARED  ? LOOM_SPACE_SHARED
               : origin->spaces == PTX_FROM_LOCAL ? LOOM_SPACE_LOCAL
                                                  : LOOM_SPACE_GLOBAL;
    case LOOM_PTX_GLOBAL:
        break;
    }
    return LOOM_SPACE_GLOBAL;
}

static enum loom_cache_op cache_of(const struct loom_ptx_inst *inst)
{
    if (inst->order > LOOM_PTX_WEAK) {
        return LOOM_CACHE_CV;
    }
    if ((inst->flags & LOOM_PTX_NONCOHERENT) != 0) {
        return LOOM_CACHE_NC;
    }
    switch ((enum loom_ptx_cache)inst->cache) {
    case LOOM_PTX_CG:
        return LOOM_CACHE_CG;
    case LOOM_PTX_CS:
    case LOOM_PTX_LU:
        return LOOM_CACHE_CS;
    case LOOM_PTX_CV:
        return LOOM_CACHE_CV;
    case LOOM_PTX_CA:
    case LOOM_PTX_WB:
    case LOOM_PTX_WT:
        break;
    }
    return LOOM_CACHE_DEFAULT;
}

static void set_memory(struct table *t, const struct loom_ptx_inst *inst)
{
    struct loom_static_inst *s = t->inst;
    uint32_t at = loom_ptx_address_operand(inst);
    struct ptx_origin origin = {.param = LOOM_NO_PARAM};
    uint32_t bytes = loom_ptx_type_bytes((enum loom_ptx_type)inst->type[0]);

    if (at != LOOM_PTX_NONE) {
        const struct loom_ptx_operand *o = &inst->operand[at];

        if (o->kind == LOOM_PTX_OP_ADDRESS && o->reg != LOOM_PTX_NONE) {
            origin = t->origin[o->reg];
        } else if (o->kind == LOOM_PTX_OP_ADDRESS && o->var != NULL) {
            origin.spaces = o->var->space == LOOM_PTX_SHARED  ? PTX_FROM_SHARED
                            : o->var->space == LOOM_PTX_LOCAL ? PTX_FROM_LOCAL
                                                              : 0;
        }
    }
    s->space = (uint8_t)space_of(inst, &origin);
    s->bytes = (uint8_t)(bytes == 0 ? 4 : bytes);
    s->vector = inst->vector > 1 ? inst->vector : 1;
    if (s->vector > 4) { /* the same bytes in larger elements */
        s->bytes = (uint8_t)(s->bytes * 2);
        s->vector = (uint8_t)(s->vector / 2);
    }
    s->cache_op = (uint8_t)cache_of(inst);
    s->param = s->space == LOOM_SPACE_PARAM ? LOOM_NO_PARAM : origin.param;
    if (inst->order > LOOM_PTX_WEAK) {
        s->flags |= LOOM_INST_VOLATILE;
    }
    if (inst->op == LOOM_PTX_ST_BULK || inst->op == LOOM_PTX_MAP_COPY) {
        /* As bulk copies are recorded. */
        s->space = inst->op == LOOM_PTX_ST_BULK ? LOOM_SPACE_SHARED
                                                : LOOM_SPACE_GLOBAL;
        s->bytes = 16;
        s->flags |= LOOM_INST_ANY_MASK;
    }
}

/* A number of physical register, wrapped inside its class. */
static uint32_t wrapped(uint32_t number, uint32_t half, bool predicate)
{
    const uint32_t predicates = LOOM_REG_WORDS * 64 - LOOM_REG_PREDICATE;

    return predicate
               ? LOOM_REG_PREDICATE + (number - LOOM_REG_PREDICATE) % predicates
               : (number + half) % LOOM_REG_PREDICATE;
}

static void set_register(void *context, uint32_t reg, bool write)
{
    struct table *t = context;
    const struct loom_ptx_reg *virtual = &t->a->function->reg[reg];
    bool predicate = virtual->type == LOOM_PTX_PRED;
    bool wide = loom_ptx_type_bytes((enum loom_ptx_type) virtual->type) > 4 &&
                (t->a->schedule == NULL || !t->a->schedule->low[reg]);
    uint8_t *count = write ? &t->inst->dests : &t->inst->sources;

    *count = (uint8_t)(*count + (*count < UINT8_MAX));
    for (uint32_t half = 0; half <= wide; half++) {
        uint32_t bit = wrapped(t->a->physical[reg], half, predicate);

        t->inst->use[bit / 64] |= loom_bit(bit % 64);
        if (write) {
            t->inst->def[bit / 64] |= loom_bit(bit % 64);
        }
    }
}

static bool returns(const struct table *t, const struct loom_ptx_inst *inst)
{
    const struct loom_ptx_operand *to = inst->operand;

    if (loom_ptx_opcodes[inst->op].group != LOOM_PTX_G_ATOMIC ||
        loom_ptx_dests(inst) == 0) {
        return false;
    }
    if (to->kind == LOOM_PTX_OP_VECTOR) {
        return true;
    }
    return to->kind == LOOM_PTX_OP_REG && t->read[to->reg];
}

static void set_flags(struct table *t, uint32_t index)
{
    const struct loom_ptx_inst *inst = &t->a->function->inst[index];
    const struct ptx_block *block = &t->a->block[t->a->block_of[index]];
    uint8_t flags = t->inst->flags;

    if (inst->guard != LOOM_PTX_NONE) {
        flags |= LOOM_INST_PREDICATED | LOOM_INST_ANY_MASK;
    }
    if ((inst->flags & LOOM_PTX_UNI) != 0) {
        flags |= LOOM_INST_UNIFORM;
    }
    if (returns(t, inst)) {
        flags |= LOOM_INST_RETURNS;
    }
    if (block->header && block->first == index) {
        flags |= LOOM_INST_LOOP_HEADER;
    }
    t->inst->flags = flags;
}

static bool add_text(struct table *t, uint32_t index)
{
    struct ptx_analysis *a = t->a;
    size_t used;

    if (t->room - a->text_bytes < TEXT_MAX) {
        size_t room = t->room * 2 + TEXT_MAX;
        char *grown = realloc(a->text, room);

        if (grown == NULL || room > UINT32_MAX) {
            a->text = grown == NULL ? a->text : grown;
            return false;
        }
        a->text = grown;
        t->room = room;
    }
    t->inst->text = a->text_bytes;
    used = loom_ptx_print_inst(a->function, &a->function->inst[index],
                               a->text + a->text_bytes, TEXT_MAX);
    a->text_bytes += (uint32_t)(used < TEXT_MAX - 1 ? used : TEXT_MAX - 1) + 1;
    return true;
}

/* Number and thread count, as far as they are immediate. */
static void set_barrier(struct loom_static_inst *s,
                        const struct loom_ptx_inst *inst)
{
    const struct loom_ptx_operand *o = inst->operand; /* NULL: has none */
    uint32_t first = loom_ptx_dests(inst);
    uint32_t left = inst->operand_count - first;

    if (inst->op == LOOM_PTX_CLUSTER_WAIT) {
        s->barrier = LOOM_CLUSTER_BARRIER;
        return;
    }
    left -= ptx_barrier_reduces(inst->op) ? 1 : 0; /* the predicate */
    if (left > 0 && o[first].kind == LOOM_PTX_OP_IMM) {
        s->barrier = (uint8_t)o[first].value;
    }
    if (left > 1 && o[first + 1].kind == LOOM_PTX_OP_IMM) {
        uint64_t threads = (uint64_t)o[first + 1].value;

        s->bytes = (uint8_t)((threads + LOOM_WARP_LANES - 1) / LOOM_WARP_LANES);
    }
    s->flags |= ptx_barrier_arrives(inst->op) ? LOOM_INST_ARRIVE : 0;
}

/* Groups of copies and products; the copies themselves become two entries
 * each when they are decoded. */
static void set_group(struct loom_static_inst *s,
                      const struct loom_ptx_inst *inst)
{
    switch (inst->op) {
    case LOOM_PTX_CP_ASYNC_WAIT:
    case LOOM_PTX_CP_ASYNC_BULK_WAIT:
        s->barrier = LOOM_ALL_COPIES;
        if (inst->operand[0].kind == LOOM_PTX_OP_IMM &&
            (uint64_t)inst->operand[0].value < LOOM_ALL_COPIES) {
            s->barrier = (uint8_t)inst->operand[0].value;
        }
        s->flags |= LOOM_INST_ASYNC;
        break;
    case LOOM_PTX_CP_ASYNC_WAIT_ALL:
        s->barrier = LOOM_ALL_COPIES;
        s->flags |= LOOM_INST_ASYNC;
        break;
    case LOOM_PTX_CP_ASYNC_COMMIT:
    case LOOM_PTX_CP_ASYNC_BULK_COMMIT:
        s->flags |= LOOM_INST_ASYNC;
        break;
    case LOOM_PTX_WGMMA_WAIT:
        s->barrier = 1;
        if (inst->operand[0].kind == LOOM_PTX_OP_IMM &&
            (uint64_t)inst->operand[0].value < UINT8_MAX) {
            s->barrier = (uint8_t)(inst->operand[0].value + 1);
        }
        s->form = LOOM_FORM_PRODUCTS;
        break;
    case LOOM_PTX_WGMMA_COMMIT:
        s->form = LOOM_FORM_PRODUCTS;
        break;
    case LOOM_PTX_GRIDDEPCONTROL_WAIT:
        s->form = LOOM_FORM_GRID_WAIT;
        break;
    case LOOM_PTX_GRIDDEPCONTROL_LAUNCH:
        s->form = LOOM_FORM_GRID_LAUNCH;
        break;
    case LOOM_PTX_NANOSLEEP:
        s->flags |= LOOM_INST_ASYNC;
        s->barrier = 1;
        break;
    default:
        break;
    }
}

static bool make_entry(struct table *t, uint32_t index)
{
    const struct loom_ptx_inst *inst = &t->a->function->inst[index];
    struct loom_static_inst *s = &t->a->inst[index];

    t->inst = s;
    s->op = (uint8_t)class_of(t->a, inst, index);
    s->pc = t->place[index] * (t->a->schedule != NULL ? MACHINE_STEP : PC_STEP);
    s->line = inst->line != 0 ? inst->line : inst->text_line;
    s->loop = t->a->block[t->a->block_of[index]].loop;
    s->param = LOOM_NO_PARAM;
    s->vector = 1;
    if (s->op == LOOM_OP_LOAD || s->op == LOOM_OP_STORE ||
        s->op == LOOM_OP_ATOMIC) {
        set_memory(t, inst);
    }
    if (s->op == LOOM_OP_BARRIER) {
        set_barrier(s, inst);
    }
    ptx_set_form(s, inst);
    set_group(s, inst);
    ptx_visit(t->a, index, set_register, t);
    set_flags(t, index);
    return add_text(t, index);
}

static void note_read(void *context, uint32_t reg, bool write)
{
    bool *read = context;

    read[reg] = read[reg] || !write;
}

/* The number of a mark, or LOOM_PTX_NONE: another pragma. */
static uint32_t mark_of(const char *text)
{
    static const char word[] = "\"loom.mark ";
    uint32_t number = 0;

    if (strncmp(text, word, sizeof(word) - 1) != 0) {
        return LOOM_PTX_NONE;
    }
    for (text += sizeof(word) - 1; *text >= '0' && *text <= '9'; text++) {
        number = number * 10 + (uint32_t)(*text - '0');
        if (number > UINT16_MAX) {
            return LOOM_PTX_NONE;
        }
    }
    return strcmp(text, "\"") == 0 ? number : LOOM_PTX_NONE;
}

/* Pragmas are in the order of the text. */
static void set_marks(struct ptx_analysis *a)
{
    const struct loom_ptx_function *f = a->section[0].function;
    uint32_t p = 0;
    uint16_t mark = 0;

    for (uint32_t i = 0; i < f->inst_count; i++) {
        for (; p < f->pragma_count &&
               (f->pragma[p].at == LOOM_PTX_NONE || f->pragma[p].at <= i);
             p++) {
            uint32_t found = f->pragma[p].at == LOOM_PTX_NONE
                                 ? LOOM_PTX_NONE
                                 : mark_of(f->pragma[p].text);

            mark = found == LOOM_PTX_NONE ? mark : (uint16_t)found;
        }
        a->inst[i].mark = mark;
    }
}

/* In instructions of the machine; a folded one is where the next one is. */
static void find_places(const struct ptx_analysis *a, uint32_t *place)
{
    uint32_t at = 0;

    for (uint32_t k = 0; k < a->inst_count; k++) {
        uint32_t i = a->schedule != NULL ? a->schedule->order[k] : k;

        place[i] = at;
        at += a->schedule != NULL ? a->schedule->times[i] : 1;
    }
}

bool ptx_make_table(struct ptx_analysis *a, const struct ptx_origin *origin)
{
    struct table t = {.a = a, .origin = origin};
    bool ok;

    a->inst = calloc((size_t)a->inst_count + 1, sizeof(*a->inst));
    t.read = calloc((size_t)a->function->reg_count + 1, sizeof(*t.read));
    t.place = calloc((size_t)a->inst_count + 1, sizeof(*t.place));
    ok = a->inst != NULL && t.read != NULL && t.place != NULL;
    if (ok) {
        find_places(a, t.place);
    }
    for (uint32_t i = 0; ok && i < a->inst_count; i++) {
        loom_ptx_visit(&a->function->inst[i], note_read, t.read);
    }
    for (uint32_t i = 0; ok && i < a->inst_count; i++) {
        ok = make_entry(&t, i);
    }
    if (ok) {
        set_marks(a);
    }
    free(t.read);
    free(t.place);
    return ok;
}
