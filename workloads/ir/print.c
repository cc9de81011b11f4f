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
    ptx_put_offset(out, reloc->addend, false);
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
        ptx_put_field(out, 'p', var->ptr_space);
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
            ptx_put_reg(out, function, i);
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
        ptx_put_inst(out, function, inst);
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

static const char refused[] = ".pragma \"refused\";";

static void put_function(struct ptx_out *out,
                         const struct loom_ptx_function *function)
{
    put_head(out, function);
    if (function->refused != NULL) {
        bool marked = strncmp(function->source, refused, strlen(refused)) == 0;

        put(out, "\n");
        put(out, marked ? "" : refused);
        put(out, marked ? "" : "\n");
        put(out, function->source);
        put(out, "\n\n");
        return;
    }
    put(out, function->noreturn ? "\n.noreturn" : "");
    put_triple(out, "\n.maxntid", function->maxntid);
    put_triple(out, "\n.reqntid", function->reqntid);
    put(out, function->explicit_cluster ? "\n.explicitcluster" : "");
    put_triple(out, "\n.reqnctapercluster", function->reqnctapercluster);
    if (function->maxclusterrank != 0) {
        putf(out, "\n.maxclusterrank %" PRIu32, function->maxclusterrank);
    }
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
            put(out, module->function[i]->noreturn ? "\n.noreturn;\n" : ";\n");
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
