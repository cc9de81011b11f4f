/*
 * The new text: what is outside of the loops is printed as it is, each nest
 * in the place of its header, and the body is put into the printed module.
 */
#include <stdlib.h>
#include <string.h>

#include "policies/sl1/sl1_private.h"

static void put_labels(struct sl1_emit *e, uint32_t at, const bool *exits)
{
    for (uint32_t i = 0; i < e->f->label_count; i++) {
        if (e->f->label[i].target == at) {
            sl1_put(e, "%s:\n", e->f->label[i].name);
        }
    }
    if (exits[at]) {
        sl1_put(e, "$sl1_x%u:\n", at);
    }
}

/* A branch into a nest past its header is never executed: it would be the
 * header of a loop, or the loop none.  Its label is gone. */
static bool leads_nowhere(const struct sl1_emit *e,
                          const struct loom_ptx_inst *inst)
{
    uint32_t to;

    if (inst->op != LOOM_PTX_BRA) {
        return false;
    }
    to = sl1_target(e->f, inst);
    return to < e->f->inst_count && e->plan->inst[to].nest != SL1_NO_NEST &&
           e->plan->nest[e->plan->inst[to].nest].refused == NULL &&
           e->plan->nest[e->plan->inst[to].nest].header != to;
}

static void put_outside(struct sl1_emit *e, uint32_t i, uint32_t *line)
{
    const struct loom_ptx_inst *inst = &e->f->inst[i];

    if (inst->line != 0 && inst->line != *line) {
        *line = inst->line;
        sl1_put(e, "\t.loc %u %u 0\n", inst->file, inst->line);
    }
    if (leads_nowhere(e, inst)) {
        sl1_put(e, "\tret;\n");
        return;
    }
    sl1_emit_inst(e, inst);
}

static void put_body(struct sl1_emit *e, const bool *exits)
{
    const struct sl1_plan *plan = e->plan;
    uint32_t line = 0;

    for (uint32_t i = 0; i < e->f->inst_count; i++) {
        uint32_t n = plan->inst[i].nest;
        const struct sl1_nest *nest = n == SL1_NO_NEST ? NULL : &plan->nest[n];

        if (nest == NULL || nest->refused != NULL) {
            put_labels(e, i, exits);
            if (nest != NULL && nest->header == i) {
                sl1_put(e, "\t// S-L1: this loop stays as it is: %s\n",
                        nest->refused);
            }
            put_outside(e, i, &line);
        } else if (nest->header == i) {
            put_labels(e, i, exits);
            e->nest = nest;
            e->nest_index = n;
            sl1_emit_nest(e);
        }
    }
    put_labels(e, e->f->inst_count, exits);
}

static void add_lines(struct sl1_emit *e)
{
    uint64_t bytes =
        (uint64_t)e->plan->lines * e->plan->threads * e->config->line;
    struct loom_ptx_var var = {.name = "sl1_lines",
                               .space = LOOM_PTX_SHARED,
                               .type = LOOM_PTX_B8,
                               .array = true,
                               .align = 16,
                               .count = bytes};

    if (bytes != 0 && loom_ptx_var_add(e->f->module, e->f, &var) == NULL) {
        e->to->failed = true;
    }
}

static bool *find_exits(const struct sl1_plan *plan)
{
    bool *exits = loom_ptx_alloc(plan->f->module, plan->f->inst_count + 1u);

    for (uint32_t n = 0; exits != NULL && n < plan->nests; n++) {
        const struct sl1_nest *nest = &plan->nest[n];

        for (uint32_t x = 0; nest->refused == NULL && x < nest->exits; x++) {
            if (nest->exit[x] != SL1_RETURN) {
                exits[nest->exit[x]] = true;
            }
        }
    }
    return exits;
}

static uint32_t arch_of(const char *target)
{
    const char *sm = strstr(target, "sm_");

    return sm == NULL ? 0 : (uint32_t)strtoul(sm + 3, NULL, 10);
}

static void put_start(struct sl1_emit *e)
{
    sl1_put(e, "\n");
    if (e->plan->used > 0) {
        sl1_add_registers(e);
        add_lines(e);
        sl1_put(e,
                "\t// S-L1: lines of %u bytes for a thread: %u; threads: %u; "
                "bytes of shared memory that were free: %llu\n",
                e->config->line, e->plan->lines, e->plan->threads,
                (unsigned long long)e->plan->free_bytes);
        sl1_put(e, e->near
                       ? "\t// tags of 32 bits: all memory in use is within "
                         "4 GiB\n"
                       : "\t// tags of 64 bits: more than 4 GiB of memory "
                         "are in use\n");
    }
}

char *sl1_emit_text(struct sl1_emit *e, const struct loom_rewrite *work)
{
    bool *exits = find_exits(e->plan);
    char *text = NULL;

    e->f = work->kernel;
    e->to = &e->body;
    e->block = work->block;
    e->target_arch = arch_of(work->module->target);
    e->near = work->near;
    e->word = e->near ? "u32" : "u64";
    e->in_rest = loom_ptx_alloc(work->module, e->f->inst_count + 1u);
    e->body.module = e->late.module = work->module;
    if (exits != NULL && e->in_rest != NULL) {
        put_start(e);
        put_body(e, exits);
        sl1_add_temporaries(e);
        if (!e->body.failed && !e->late.failed) {
            e->f->pragma_count = 0; /* those of instructions are in the body */
            text = loom_ptx_print_with(work->module, e->f, e->body.text);
        }
    }
    return text;
}
