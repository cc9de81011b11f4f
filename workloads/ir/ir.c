/*
 * The arena behind a PTX module, and the builders that add to it.
 *
 * Arrays grow by doubling inside the arena; what they leave behind is at
 * most as much as they hold and goes with the module.  Nothing is freed one
 * by one, so every error path is "destroy the module".
 */
#include "workloads/ir/ir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES 65536u
#define ALIGN 16u

struct chunk {
    struct chunk *next;
    size_t used, room;
};

struct loom_arena {
    struct chunk *chunk;
};

#define CHUNK_HEAD ((sizeof(struct chunk) + ALIGN - 1) & ~(size_t)(ALIGN - 1))

struct loom_ptx_module *loom_ptx_module_create(void)
{
    struct loom_arena *arena = calloc(1, sizeof(*arena));
    struct loom_ptx_module *module = calloc(1, sizeof(*module));

    if (arena == NULL || module == NULL) {
        free(arena);
        free(module);
        return NULL;
    }
    module->arena = arena;
    module->major = 6;
    module->minor = 3;
    module->target = "sm_70";
    module->address_bits = 64;
    return module;
}

void loom_ptx_module_destroy(struct loom_ptx_module *module)
{
    if (module == NULL) {
        return;
    }
    for (struct chunk *c = module->arena->chunk; c != NULL;) {
        struct chunk *next = c->next;

        free(c);
        c = next;
    }
    free(module->arena);
    free(module);
}

void *loom_ptx_alloc(struct loom_ptx_module *module, size_t bytes)
{
    struct loom_arena *arena = module->arena;
    struct chunk *c = arena->chunk;
    size_t room;
    void *result;

    if (bytes > SIZE_MAX / 2) {
        return NULL;
    }
    bytes = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (c == NULL || c->room - c->used < bytes) {
        room = bytes > CHUNK_BYTES / 4 ? bytes : CHUNK_BYTES;
        c = calloc(1, CHUNK_HEAD + room);
        if (c == NULL) {
            return NULL;
        }
        c->room = room;
        /* A chunk made for one large thing goes behind the current one,
         * whose rest stays in use. */
        if (arena->chunk != NULL && room == bytes) {
            c->next = arena->chunk->next;
            arena->chunk->next = c;
        } else {
            c->next = arena->chunk;
            arena->chunk = c;
        }
    }
    result = (char *)c + CHUNK_HEAD + c->used;
    c->used += bytes;
    return result;
}

const char *loom_ptx_text(struct loom_ptx_module *module, const char *text,
                          size_t length)
{
    char *copy = loom_ptx_alloc(module, length + 1);

    if (copy != NULL && length > 0) {
        memcpy(copy, text, length);
    }
    return copy;
}

/* Makes room for `more` elements of `size` bytes behind *count.  False: no
 * memory, or more than 32-bit numbers can name. */
static bool grow(struct loom_ptx_module *module, void *array, uint32_t count,
                 uint32_t *room, size_t size, uint32_t more)
{
    uint64_t wanted = (uint64_t)count + more;
    uint64_t next = *room < 8 ? 8 : (uint64_t)*room * 2;
    void *old;
    void *copy;

    if (wanted <= *room) {
        return true;
    }
    next = next < wanted ? wanted : next;
    if (next >= UINT32_MAX) {
        return false;
    }
    copy = loom_ptx_alloc(module, (size_t)next * size);
    if (copy == NULL) {
        return false;
    }
    memcpy(&old, array, sizeof(old));
    if (count > 0) {
        memcpy(copy, old, (size_t)count * size);
    }
    memcpy(array, &copy, sizeof(copy));
    *room = (uint32_t)next;
    return true;
}

struct loom_ptx_function *loom_ptx_function_add(struct loom_ptx_module *module,
                                                const char *name, bool entry)
{
    struct loom_ptx_function *function =
        loom_ptx_alloc(module, sizeof(*function));

    if (function == NULL ||
        !grow(module, &module->function, module->function_count,
              &module->function_room, sizeof(*module->function), 1)) {
        return NULL;
    }
    function->name = loom_ptx_text(module, name, strlen(name));
    function->module = module;
    function->entry = entry;
    if (function->name == NULL) {
        return NULL;
    }
    module->function[module->function_count++] = function;
    return function;
}

struct loom_ptx_function *
loom_ptx_function_find(const struct loom_ptx_module *module, const char *name)
{
    for (uint32_t i = 0; i < module->function_count; i++) {
        if (strcmp(module->function[i]->name, name) == 0) {
            return module->function[i];
        }
    }
    return NULL;
}

static uint64_t round_up(uint64_t x, uint64_t align)
{
    return (x + align - 1) & ~(align - 1);
}

static struct loom_ptx_var *copy_var(struct loom_ptx_module *module,
                                     const struct loom_ptx_var *spec)
{
    struct loom_ptx_var *var = loom_ptx_alloc(module, sizeof(*var));
    uint64_t element;

    if (var == NULL) {
        return NULL;
    }
    *var = *spec;
    var->name = loom_ptx_text(module, spec->name, strlen(spec->name));
    if (var->name == NULL) {
        return NULL;
    }
    element = loom_ptx_type_bytes((enum loom_ptx_type)var->type);
    if (var->vector > 1) {
        element *= var->vector;
    }
    var->bytes = element * var->count;
    if (var->align == 0) {
        var->align = element == 0 ? 1 : (uint32_t)element;
    }
    return var;
}

struct loom_ptx_var *loom_ptx_var_add(struct loom_ptx_module *module,
                                      struct loom_ptx_function *function,
                                      const struct loom_ptx_var *spec)
{
    struct loom_ptx_var *var = copy_var(module, spec);
    uint64_t end;

    if (var == NULL) {
        return NULL;
    }
    if (function == NULL) {
        if (!grow(module, &module->var, module->var_count, &module->var_room,
                  sizeof(struct loom_ptx_var *), 1)) {
            return NULL;
        }
        module->var[module->var_count++] = var;
        return var;
    }
    if (var->space == LOOM_PTX_LOCAL) {
        var->offset = round_up(function->local_bytes, var->align);
        end = var->offset + var->bytes;
        if (end > UINT32_MAX || var->bytes > UINT32_MAX) {
            return NULL;
        }
        function->local_bytes = (uint32_t)end;
    }
    if (!grow(module, &function->var, function->var_count, &function->var_room,
              sizeof(struct loom_ptx_var *), 1)) {
        return NULL;
    }
    function->var[function->var_count++] = var;
    return var;
}

struct loom_ptx_var *loom_ptx_param_add(struct loom_ptx_function *function,
                                        const struct loom_ptx_var *spec,
                                        bool result)
{
    struct loom_ptx_module *module = function->module;
    struct loom_ptx_var *var = copy_var(module, spec);
    uint32_t *count = result ? &function->ret_count : &function->param_count;
    struct loom_ptx_var ***list = result ? &function->ret : &function->param;
    uint32_t room;

    if (var == NULL || var->bytes > UINT32_MAX / 2) {
        return NULL;
    }
    /* These lists are short, so their room is kept as a power of two. */
    room = *count == 0 ? 0 : 1u << loom_log2(*count);
    room = room < *count ? room * 2 : room;
    room = room > 0 && room < 8 ? 8 : room;
    if (!grow(module, list, *count, &room, sizeof(struct loom_ptx_var *), 1)) {
        return NULL;
    }
    var->space = LOOM_PTX_PARAM;
    if (!result) {
        var->offset = round_up(function->param_bytes, var->align);
        if (var->offset + var->bytes > UINT32_MAX) {
            return NULL;
        }
        function->param_bytes = (uint32_t)(var->offset + var->bytes);
    }
    (*list)[(*count)++] = var;
    return var;
}

uint32_t loom_ptx_reg_add(struct loom_ptx_function *function,
                          enum loom_ptx_type type, const char *name,
                          uint32_t number)
{
    if (!grow(function->module, &function->reg, function->reg_count,
              &function->reg_room, sizeof(*function->reg), 1)) {
        return LOOM_PTX_NONE;
    }
    function->reg[function->reg_count] = (struct loom_ptx_reg){
        .name = name, .number = number, .type = (uint8_t)type};
    return function->reg_count++;
}

uint32_t loom_ptx_reg_fresh(struct loom_ptx_function *function,
                            enum loom_ptx_type type)
{
    /* Numbered by the register itself: no other one has this name. */
    return loom_ptx_reg_add(function, type, "%loom", function->reg_count);
}

uint32_t loom_ptx_label_add(struct loom_ptx_function *function,
                            const char *name, uint32_t target)
{
    char made[32];
    const char *copy;

    if (name == NULL) {
        snprintf(made, sizeof(made), "$Lloom_%u", function->label_count);
        name = made;
    }
    copy = loom_ptx_text(function->module, name, strlen(name));
    if (copy == NULL ||
        !grow(function->module, &function->label, function->label_count,
              &function->label_room, sizeof(*function->label), 1)) {
        return LOOM_PTX_NONE;
    }
    function->label[function->label_count] =
        (struct loom_ptx_label){.name = copy, .target = target};
    return function->label_count++;
}

/* The elements of operands are copied to any depth. */
static struct loom_ptx_operand *
copy_operands(struct loom_ptx_module *module,
              const struct loom_ptx_operand *operand, uint32_t count)
{
    struct loom_ptx_operand *copy =
        loom_ptx_alloc(module, count * sizeof(*copy));

    for (uint32_t i = 0; copy != NULL && i < count; i++) {
        copy[i] = operand[i];
        if (operand[i].kind == LOOM_PTX_OP_VECTOR ||
            operand[i].kind == LOOM_PTX_OP_LIST ||
            operand[i].kind == LOOM_PTX_OP_TEXTURE) {
            copy[i].element =
                copy_operands(module, operand[i].element, operand[i].count);
            if (copy[i].element == NULL) {
                return NULL;
            }
        }
    }
    return copy;
}

bool loom_ptx_insert(struct loom_ptx_function *function, uint32_t at,
                     const struct loom_ptx_inst *inst, uint32_t count,
                     bool labels_stay)
{
    struct loom_ptx_module *module = function->module;
    uint32_t behind = function->inst_count - at;
    struct loom_ptx_inst *copy = NULL;

    LOOM_CHECK(at <= function->inst_count);
    if (count == 0) {
        return true;
    }
    copy = loom_ptx_alloc(module, count * sizeof(*copy));
    if (copy == NULL ||
        !grow(module, &function->inst, function->inst_count,
              &function->inst_room, sizeof(*function->inst), count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        copy[i] = inst[i];
        copy[i].operand =
            copy_operands(module, inst[i].operand, inst[i].operand_count);
        if (copy[i].operand == NULL) {
            return false;
        }
    }
    memmove(function->inst + at + count, function->inst + at,
            behind * sizeof(*copy)); /* grow() has made it non-NULL */
    memcpy(function->inst + at, copy, count * sizeof(*copy));
    function->inst_count += count;
    for (uint32_t i = 0; i < function->label_count; i++) {
        uint32_t target = function->label[i].target;

        if (target > at || (target == at && labels_stay)) {
            function->label[i].target += count;
        }
    }
    for (uint32_t i = 0; i < function->pragma_count; i++) {
        uint32_t *place = &function->pragma[i].at;

        *place += *place != LOOM_PTX_NONE && *place > at ? count : 0;
    }
    return true;
}

struct loom_ptx_inst *loom_ptx_append(struct loom_ptx_function *function)
{
    if (!grow(function->module, &function->inst, function->inst_count,
              &function->inst_room, sizeof(*function->inst), 1)) {
        return NULL;
    }
    return &function->inst[function->inst_count++];
}

void loom_ptx_remove(struct loom_ptx_function *function, uint32_t at,
                     uint32_t count)
{
    uint32_t end = at + count;

    LOOM_CHECK(end >= at && end <= function->inst_count);
    if (count == 0) {
        return;
    }
    memmove(function->inst + at, function->inst + end,
            (function->inst_count - end) * sizeof(*function->inst));
    function->inst_count -= count;
    for (uint32_t i = 0; i < function->label_count; i++) {
        uint32_t *target = &function->label[i].target;

        if (*target >= end) {
            *target -= count;
        } else if (*target > at) {
            *target = at;
        }
    }
    for (uint32_t i = 0; i < function->pragma_count; i++) {
        uint32_t *place = &function->pragma[i].at;

        if (*place != LOOM_PTX_NONE && *place > at) {
            *place = *place >= end ? *place - count : at;
        }
    }
}

uint32_t loom_ptx_prototype_add(struct loom_ptx_function *function,
                                const char *name, const char *text)
{
    if (!grow(function->module, &function->prototype, function->prototype_count,
              &function->prototype_room, sizeof(*function->prototype), 1)) {
        return LOOM_PTX_NONE;
    }
    function->prototype[function->prototype_count] =
        (struct loom_ptx_prototype){.name = name, .text = text};
    return function->prototype_count++;
}

uint32_t loom_ptx_targets_add(struct loom_ptx_function *function,
                              const char *name, uint32_t *label, uint32_t count)
{
    uint32_t number = loom_ptx_prototype_add(function, name, NULL);

    if (number != LOOM_PTX_NONE) {
        function->prototype[number].kind = LOOM_PTX_BRANCHTARGETS;
        function->prototype[number].label = label;
        function->prototype[number].label_count = count;
    }
    return number;
}

bool loom_ptx_pragma_add(struct loom_ptx_module *module,
                         struct loom_ptx_function *function, const char *text,
                         uint32_t at)
{
    struct loom_ptx_pragma pragma = {.text = text, .at = at};

    if (function == NULL) {
        if (!grow(module, &module->pragma, module->pragma_count,
                  &module->pragma_room, sizeof(pragma), 1)) {
            return false;
        }
        module->pragma[module->pragma_count++] = pragma;
        return true;
    }
    if (!grow(module, &function->pragma, function->pragma_count,
              &function->pragma_room, sizeof(pragma), 1)) {
        return false;
    }
    function->pragma[function->pragma_count++] = pragma;
    return true;
}

bool loom_ptx_file_add(struct loom_ptx_module *module, uint32_t number,
                       const char *name)
{
    if (!grow(module, &module->file, module->file_count, &module->file_room,
              sizeof(*module->file), 1)) {
        return false;
    }
    module->file[module->file_count++] =
        (struct loom_ptx_file){.number = number, .name = name};
    return true;
}

struct loom_ptx_operand loom_ptx_operand_reg(uint32_t reg)
{
    return (struct loom_ptx_operand){.kind = LOOM_PTX_OP_REG, .reg = reg};
}

static struct loom_ptx_operand valued(enum loom_ptx_operand_kind kind,
                                      int64_t value)
{
    return (struct loom_ptx_operand){
        .kind = (uint8_t)kind, .reg = LOOM_PTX_NONE, .value = value};
}

struct loom_ptx_operand loom_ptx_operand_imm(int64_t value)
{
    return valued(LOOM_PTX_OP_IMM, value);
}

struct loom_ptx_operand loom_ptx_operand_special(enum loom_ptx_special what)
{
    return valued(LOOM_PTX_OP_SPECIAL, (int64_t)what);
}

struct loom_ptx_operand loom_ptx_operand_label(uint32_t label)
{
    return valued(LOOM_PTX_OP_LABEL, (int64_t)label);
}

struct loom_ptx_operand loom_ptx_operand_symbol(const struct loom_ptx_var *var)
{
    struct loom_ptx_operand operand = valued(LOOM_PTX_OP_SYMBOL, 0);

    operand.var = var;
    return operand;
}

struct loom_ptx_operand loom_ptx_operand_at(uint32_t reg, int64_t offset)
{
    struct loom_ptx_operand operand = valued(LOOM_PTX_OP_ADDRESS, offset);

    operand.reg = reg;
    return operand;
}

struct loom_ptx_operand loom_ptx_operand_in(const struct loom_ptx_var *var,
                                            int64_t offset)
{
    struct loom_ptx_operand operand = valued(LOOM_PTX_OP_ADDRESS, offset);

    operand.var = var;
    return operand;
}

struct loom_ptx_inst loom_ptx_inst_make(enum loom_ptx_opcode op,
                                        enum loom_ptx_type type,
                                        struct loom_ptx_operand *operand,
                                        uint32_t count)
{
    return (struct loom_ptx_inst){.op = (uint16_t)op,
                                  .type = {(uint8_t)type},
                                  .operand_count = (uint8_t)count,
                                  .guard = LOOM_PTX_NONE,
                                  .operand = operand};
}
