/*
 * A module as PTX text.
 *
 * The text is canonical: modifiers in the order of the opcode's row, floats
 * as bits, integers in decimal, one declaration of all device functions in
 * front.  Parsing it gives the same module again, so printing once more
 * gives the same text; tests rely on it.
 */
#include <inttypes.h>

#include "workloads/ir/print_private.h"

static const char *word_of(char field, uint32_t value)
{
    const char of = field == 'P' ? 'p' : field;

    for (size_t i = 0; i < loom_ptx_word_count; i++) {
        if (loom_ptx_words[i].field == of && loom_ptx_words[i].value == value) {
            return loom_ptx_words[i].word;
        }
    }
    return NULL;
}

static void put_word(struct ptx_out *out, const char *word)
{
    if (word != NULL) {
        put(out, ".");
        put(out, word);
    }
}

static void put_flags(struct ptx_out *out, char letter, uint32_t flags)
{
    for (size_t i = 0; i < loom_ptx_word_count; i++) {
        const struct loom_ptx_word *word = &loom_ptx_words[i];

        if (word->field == letter && (word->value & flags) != 0) {
            put_word(out, word->word);
        }
    }
}

static void put_opcode(struct ptx_out *out, const struct loom_ptx_inst *inst)
{
    const struct loom_ptx_opcode_info *info = &loom_ptx_opcodes[inst->op];
    struct loom_ptx_inst copy = *inst;
    uint32_t types = 0;

    put(out, info->name);
    for (const char *f = info->fields; *f != '\0'; f++) {
        const uint8_t *field = loom_ptx_field(&copy, *f);

        if (field == NULL) {
            put_flags(out, *f, inst->flags);
        } else if (*f == 't') {
            uint8_t type = inst->type[types++];

            if (type != LOOM_PTX_NO_TYPE) {
                put_word(out, loom_ptx_type_name((enum loom_ptx_type)type));
            }
        } else if (*field != 0) {
            put_word(out, word_of(*f, *field));
        }
    }
}

static void put_reg(struct ptx_out *out,
                    const struct loom_ptx_function *function, uint32_t number)
{
    const struct loom_ptx_reg *reg = &function->reg[number];

    put(out, reg->name);
    if (reg->number != LOOM_PTX_NONE) {
        putf(out, "%" PRIu32, reg->number);
    }
}

static void put_offset(struct ptx_out *out, int64_t value, bool first)
{
    if (first) {
        putf(out, "%" PRId64, value);
    } else if (value != 0) {
        putf(out, "+%" PRId64, value);
    }
}

static void put_selector(struct ptx_out *out, uint32_t select)
{
    if ((select & LOOM_PTX_SELECTED) == 0) {
        return;
    }
    put(out, (select & LOOM_PTX_SELECT_HALVES) != 0 ? ".h" : ".b");
    for (uint32_t i = select >> LOOM_PTX_SELECT_COUNT & 15; i-- > 0;) {
        putf(out, "%u", select >> (4 * i) & 15);
    }
}

static void put_operand(struct ptx_out *out,
                        const struct loom_ptx_function *function,
                        const struct loom_ptx_operand *operand);

static void put_elements(struct ptx_out *out,
                         const struct loom_ptx_function *function,
                         const struct loom_ptx_operand *operand,
                         const char *brackets)
{
    put_bytes(out, brackets, 1);
    for (uint32_t i = 0; i < operand->count; i++) {
        put(out, i == 0 ? "" : ", ");
        put_operand(out, function, &operand->element[i]);
    }
    put_bytes(out, brackets + 1, 1);
}

static void put_address(struct ptx_out *out,
                        const struct loom_ptx_function *function,
                        const struct loom_ptx_operand *operand)
{
    bool bare = operand->reg == LOOM_PTX_NONE && operand->var == NULL;

    put(out, "[");
    if (operand->reg != LOOM_PTX_NONE) {
        put_reg(out, function, operand->reg);
    } else if (operand->var != NULL) {
        put(out, operand->var->name);
    }
    put_offset(out, operand->value, bare);
    put(out, "]");
}

static void put_operand(struct ptx_out *out,
                        const struct loom_ptx_function *function,
                        const struct loom_ptx_operand *operand)
{
    switch ((enum loom_ptx_operand_kind)operand->kind) {
    case LOOM_PTX_OP_NONE:
        break;
    case LOOM_PTX_OP_REG:
        put(out, operand->negate ? "!" : "");
        put_reg(out, function, operand->reg);
        put_selector(out, (uint32_t)operand->value);
        break;
    case LOOM_PTX_OP_IMM:
        put_offset(out, operand->value, true);
        break;
    case LOOM_PTX_OP_F32:
        putf(out, "0f%08" PRIX32, (uint32_t)operand->value);
        break;
    case LOOM_PTX_OP_F64:
        putf(out, "0d%016" PRIX64, (uint64_t)operand->value);
        break;
    case LOOM_PTX_OP_SYMBOL:
        put(out, operand->var->name);
        put_offset(out, operand->value, false);
        break;
    case LOOM_PTX_OP_ADDRESS:
        put_address(out, function, operand);
        break;
    case LOOM_PTX_OP_VECTOR:
        put_elements(out, function, operand, "{}");
        break;
    case LOOM_PTX_OP_LIST:
        put_elements(out, function, operand, "()");
        break;
    case LOOM_PTX_OP_TEXTURE:
        put_elements(out, function, operand, "[]");
        break;
    case LOOM_PTX_OP_SPECIAL:
        put(out, loom_ptx_special_name((enum loom_ptx_special)operand->value));
        break;
    case LOOM_PTX_OP_LABEL:
        put(out, function->label[operand->value].name);
        break;
    case LOOM_PTX_OP_FUNCTION:
        put(out, operand->function->name);
        break;
    case LOOM_PTX_OP_PROTOTYPE:
        put(out, function->prototype[operand->value].name);
        break;
    case LOOM_PTX_OP_SINK:
        put(out, "_");
        break;
    }
}

/* Empty lists of a call are left out: "call f;", "call f, (a);". */
static bool left_out(const struct loom_ptx_inst *inst, uint32_t i)
{
    return inst->op == LOOM_PTX_CALL &&
           inst->operand[i].kind == LOOM_PTX_OP_LIST &&
           inst->operand[i].count == 0 && (i == 0 || inst->operand_count == 3);
}

static void put_inst(struct ptx_out *out,
                     const struct loom_ptx_function *function,
                     const struct loom_ptx_inst *inst)
{
    const char *between = " ";

    if (inst->guard != LOOM_PTX_NONE) {
        put(out, inst->guard_negate ? "@!" : "@");
        put_reg(out, function, inst->guard);
        put(out, " ");
    }
    put_opcode(out, inst);
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        if (left_out(inst, i)) {
            continue;
        }
        put(out, between);
        put_operand(out, function, &inst->operand[i]);
        between = i == 0 && (inst->flags & LOOM_PTX_PAIR) != 0 ? "|" : ", ";
    }
    put(out, ";");
}

static void put_linkage(struct ptx_out *out, uint32_t linkage)
{
    put(out, linkage & LOOM_PTX_EXTERN ? ".extern " : "");
    put(out, linkage & LOOM_PTX_VISIBLE ? ".visible " : "");
    put(out, linkage & LOOM_PTX_WEAK_LINK ? ".weak " : "");
    put(out, linkage & LOOM_PTX_COMMON ? ".common " : "");
}

static void put_value(struct ptx_out *out, const struct loom_ptx_var *var,
                      uint64_t offset, uint32_t bytes)
{
    enum loom_ptx_type type = (enum loom_ptx_type)var->type;
    uint64_t bits = 0;

    for (uint32_t i = bytes; i-- > 0;) {
        bits = bits << 8 | var->init[offset + i];
    }
    if (loom_ptx_type_real(type) && bytes == 4) {
        putf(out, "0f%08" PRIX64, bits);
    } else if (loom_ptx_type_real(type) && bytes == 8) {
        putf(out, "0d%016" PRIX64, bits);
    } else {
        putf(out, "%" PRIu64, bits);
    }
}

static void put_reloc(struct ptx_out *out, const struct loom_ptx_reloc *reloc)
{
    if (reloc->mask != 0) {
        putf(out, "0x%" PRIX64 "(", reloc->mask);
    }
    put(out, reloc->generic ? "generic(" : "");
    put(out, reloc->var ? reloc->var->name : reloc->function->name);
    put(out, reloc->generic ? ")" : "");
    put_offset(out, reloc->addend, false);
    put(out, reloc->mask != 0 ? ")" : "");
}

static void put_init(struct ptx_out *out, const struct loom_ptx_var *var)
{
    uint32_t size = loom_ptx_type_bytes((enum loom_ptx_type)var->type);
    bool braces = var->array || var->vector > 1;
    uint64_t used = size; /* up to the last element that is not zero */
    uint32_t next = 0;

    for (uint64_t i = var->bytes; i > used; i--) {
        if (var->init[i - 1] != 0) {
            used = (i + size - 1) / size * size;
            break;
        }
    }
    if (var->reloc_count > 0 &&
        used < var->reloc[var->reloc_count - 1].offset + size) {
        used = var->reloc[var->reloc_count - 1].offset + size;
    }
    put(out, braces ? " = {" : " = ");
    for (uint64_t at = 0; at < used; at += size) {
        put(out, at == 0 ? "" : ", ");
        if (next < var->reloc_count && var->reloc[next].offset == at) {
            const struct loom_ptx_reloc *reloc = &var->reloc[next++];

            put_reloc(out, reloc);
        } else {
            put_value(out, var, at, size);
        }
    }
    put(out, braces ? "}" : "");
}

/* Without the final ";" or ",". */
static void put_var(struct ptx_out *out, const struct loom_ptx_var *var)
{
    static const char *const spaces[] = {
        [LOOM_PTX_GLOBAL] = ".global", [LOOM_PTX_SHARED] = ".shared",
        [LOOM_PTX_LOCAL] = ".local",   [LOOM_PTX_CONST] = ".const",
        [LOOM_PTX_PARAM] = ".param",
    };

    put_linkage(out, var->linkage);
    put(out, spaces[var->space]);
    putf(out, " .align %" PRIu32, var->align);
    if (var->vector > 1) {
        putf(out, " .v%u", (unsigned)var->vector);
    }
    put(out, " .");
    put(out, loom_ptx_type_name((enum loom_ptx_type)var->type));
    if (var->pointer) {
        put(out, " .ptr");
        put_word(out, word_of('p', var->ptr_space));
        if (var->ptr_align != 0) {
            putf(out, " .align %" PRIu32, var->ptr_align);
        }
    }
    put(out, " ");
    put(out, var->name);
    if (var->array && var->count == 0) {
        put(out, "[]");
    } else if (var->array) {
        putf(out, "[%" PRIu64 "]", var->count);
    }
    if (var->init != NULL) {
        put_init(out, var);
    }
}

static void put_params(struct ptx_out *out, struct loom_ptx_var *const *param,
                       uint32_t count)
{
    put(out, "(");
    for (uint32_t i = 0; i < count; i++) {
        put(out, i == 0 ? "\n\t" : ",\n\t");
        put_var(out, param[i]);
    }
    put(out, count > 0 ? "\n)" : ")");
}

static void put_head(struct ptx_out *out,
                     const struct loom_ptx_function *function)
{
    put_linkage(out, function->linkage);
    put(out, function->entry ? ".entry " : ".func ");
    if (function->ret_count > 0) {
        put_params(out, function->ret, function->ret_count);
        put(out, " ");
    }
    put(out, function->name);
    put_params(out, function->param, function->param_count);
    if (function->noreturn) {
        put(out, "\n.noreturn");
    }
}

static void put_triple(struct ptx_out *out, const char *name,
                       const uint32_t value[3])
{
    if (value[0] != 0) {
        put(out, name);
        putf(out, " %" PRIu32 ", %" PRIu32 ", %" PRIu32, value[0], value[1],
             value[2]);
    }
}

/* How many registers from `first` on are "name<count>". */
static uint32_t run_of(const struct loom_ptx_function *function, uint32_t first)
{
    const struct loom_ptx_reg *reg = &function->reg[first];
    uint32_t n = 0;

    while (first + n < function->reg_count && reg[n].number == n &&
           reg[n].type == reg->type && strcmp(reg[n].name, reg->name) == 0) {
        n++;
    }
    return n;
}

static void put_registers(struct ptx_out *out,
                          const struct loom_ptx_function *function)
{
    for (uint32_t i = 0; i < function->reg_count;) {
        const struct loom_ptx_reg *reg = &function->reg[i];
        uint32_t run = run_of(function, i);

        put(out, "\t.reg .");
        put(out, loom_ptx_type_name((enum loom_ptx_type)reg->type));
        put(out, " ");
        if (run > 0) {
            put(out, reg->name);
            putf(out, "<%" PRIu32 ">;\n", run);
        } else {
            put_reg(out, function, i);
            put(out, ";\n");
        }
        i += run > 0 ? run : 1;
    }
}

/* Labels in the order of their targets, as a list per instruction. */
static uint32_t *sort_labels(const struct loom_ptx_function *function)
{
    size_t insts = (size_t)function->inst_count + 1;
    uint32_t *list = malloc((insts + function->label_count) * sizeof(*list));

    for (size_t i = 0; list != NULL && i < insts; i++) {
        list[i] = LOOM_PTX_NONE;
    }
    for (uint32_t i = function->label_count; list != NULL && i-- > 0;) {
        uint32_t target = function->label[i].target;

        list[insts + i] = list[target];
        list[target] = i;
    }
    return list;
}

static void put_pragmas(struct ptx_out *out,
                        const struct loom_ptx_pragma *pragma, uint32_t count,
                        uint32_t at);

static void put_body(struct ptx_out *out,
                     const struct loom_ptx_function *function)
{
    uint32_t *labels = sort_labels(function);
    uint32_t line = 0, file = 0;

    for (uint32_t i = 0; labels != NULL && i <= function->inst_count; i++) {
        const struct loom_ptx_inst *inst;

        for (uint32_t l = labels[i]; l != LOOM_PTX_NONE;
             l = labels[function->inst_count + 1 + l]) {
            put(out, function->label[l].name);
            put(out, ":\n");
        }
        put_pragmas(out, function->pragma, function->pragma_count, i);
        if (i == function->inst_count) {
            break;
        }
        inst = &function->inst[i];
        if (inst->line != 0 && (inst->line != line || inst->file != file)) {
            line = inst->line;
            file = inst->file;
            putf(out, "\t.loc %" PRIu32 " %" PRIu32 " 0\n", file, line);
        }
        put(out, "\t");
        put_inst(out, function, inst);
        put(out, "\n");
    }
    out->failed = out->failed || labels == NULL;
    free(labels);
}

static void put_prototype(struct ptx_out *out,
                          const struct loom_ptx_function *function,
                          const struct loom_ptx_prototype *prototype)
{
    put(out, prototype->name);
    switch ((enum loom_ptx_list)prototype->kind) {
    case LOOM_PTX_CALLPROTOTYPE:
        put(out, ": .callprototype ");
        put(out, prototype->text);
        break;
    case LOOM_PTX_CALLTARGETS:
        put(out, ": .calltargets ");
        put(out, prototype->text);
        break;
    case LOOM_PTX_BRANCHTARGETS:
        put(out, ": .branchtargets ");
        for (uint32_t i = 0; i < prototype->label_count; i++) {
            put(out, i == 0 ? "" : ", ");
            put(out, function->label[prototype->label[i]].name);
        }
        break;
    }
    put(out, ";\n");
}

static void put_pragmas(struct ptx_out *out,
                        const struct loom_ptx_pragma *pragma, uint32_t count,
                        uint32_t at)
{
    for (uint32_t i = 0; i < count; i++) {
        if (pragma[i].at == at) {
            put(out, ".pragma ");
            put(out, pragma[i].text);
            put(out, ";\n");
        }
    }
}

static void put_function(struct ptx_out *out,
                         const struct loom_ptx_function *function)
{
    put_head(out, function);
    put_triple(out, "\n.maxntid", function->maxntid);
    put_triple(out, "\n.reqntid", function->reqntid);
    if (function->minnctapersm != 0) {
        putf(out, "\n.minnctapersm %" PRIu32, function->minnctapersm);
    }
    if (function->maxnreg != 0) {
        putf(out, "\n.maxnreg %" PRIu32, function->maxnreg);
    }
    put(out, "\n");
    put_pragmas(out, function->pragma, function->pragma_count, LOOM_PTX_NONE);
    put(out, "{\n");
    put_registers(out, function);
    for (uint32_t i = 0; i < function->var_count; i++) {
        put(out, "\t");
        put_var(out, function->var[i]);
        put(out, ";\n");
    }
    for (uint32_t i = 0; i < function->prototype_count; i++) {
        put_prototype(out, function, &function->prototype[i]);
    }
    if (out->other == function) {
        put(out, out->body);
    } else {
        put_body(out, function);
    }
    put(out, "}\n\n");
}

static void put_module(struct ptx_out *out,
                       const struct loom_ptx_module *module)
{
    putf(out, ".version %" PRIu32 ".%" PRIu32 "\n", module->major,
         module->minor);
    put(out, ".target ");
    put(out, module->target);
    putf(out, "\n.address_size %" PRIu32 "\n\n", module->address_bits);
    for (uint32_t i = 0; i < module->file_count; i++) {
        putf(out, ".file %" PRIu32 " \"", module->file[i].number);
        put(out, module->file[i].name);
        put(out, "\"\n");
    }
    put_pragmas(out, module->pragma, module->pragma_count, LOOM_PTX_NONE);
    for (uint32_t i = 0; i < module->function_count; i++) {
        if (!module->function[i]->entry) {
            put_head(out, module->function[i]);
            put(out, ";\n");
        }
    }
    for (uint32_t i = 0; i < module->var_count; i++) {
        put_var(out, module->var[i]);
        put(out, ";\n");
    }
    put(out, "\n");
    /* Device functions first, as in their declarations above. */
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < module->function_count; i++) {
            const struct loom_ptx_function *f = module->function[i];

            if (!f->declared && f->entry == (pass == 1)) {
                put_function(out, f);
            }
        }
    }
    for (uint32_t i = 0; i < module->function_count; i++) {
        if (module->function[i]->alias != NULL) {
            put(out, ".alias ");
            put(out, module->function[i]->name);
            put(out, ", ");
            put(out, module->function[i]->alias->name);
            put(out, ";\n");
        }
    }
}

char *loom_ptx_print(const struct loom_ptx_module *module)
{
    return loom_ptx_print_with(module, NULL, NULL);
}

char *loom_ptx_print_with(const struct loom_ptx_module *module,
                          const struct loom_ptx_function *function,
                          const char *body)
{
    struct ptx_out out = {.other = function, .body = body};

    put_module(&out, module);
    put_bytes(&out, "", 1);
    if (out.failed) {
        free(out.text);
        return NULL;
    }
    return out.text;
}

size_t loom_ptx_print_inst(const struct loom_ptx_function *function,
                           const struct loom_ptx_inst *inst, char *text,
                           size_t room)
{
    struct ptx_out out = {
        .text = text, .room = room > 0 ? room - 1 : 0, .fixed = true};

    put_inst(&out, function, inst);
    if (room > 0) {
        text[out.used < room - 1 ? out.used : room - 1] = '\0';
    }
    return out.used;
}
