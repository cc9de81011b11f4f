/*
 * All analyses of one function, in order, and its shared memory's layout.
 */
#include <stdlib.h>
#include <string.h>

#include "workloads/ptx/analysis/analysis_private.h"

#define DYNAMIC_ALIGN 16u /* of extern shared arrays: CUDA promises 16 */

/* Functions seen so far while collecting shared variables of callees. */
struct shared_walk {
    struct ptx_analysis *a;
    const struct loom_ptx_function **seen;
    uint32_t seen_count;
    uint32_t room;
    uint64_t bytes;
    bool failed;
};

static void add_shared(struct shared_walk *w, const struct loom_ptx_var *var)
{
    struct ptx_analysis *a = w->a;

    if (var == NULL || var->space != LOOM_PTX_SHARED) {
        return;
    }
    for (uint32_t i = 0; i < a->shared_count; i++) {
        if (a->shared[i].var == var) {
            return;
        }
    }
    if (a->shared_count == w->room) {
        uint32_t room = w->room == 0 ? 8 : w->room * 2;
        struct ptx_shared *grown =
            realloc(a->shared, room * sizeof(*a->shared));

        if (grown == NULL) {
            w->failed = true;
            return;
        }
        a->shared = grown;
        w->room = room;
    }
    if (var->bytes > 0) {
        w->bytes = (w->bytes + var->align - 1) & ~((uint64_t)var->align - 1);
    }
    a->shared[a->shared_count++] =
        (struct ptx_shared){.var = var, .offset = (uint32_t)w->bytes};
    w->bytes += var->bytes;
    w->failed = w->failed || w->bytes > UINT32_MAX / 2;
}

static void add_function(struct shared_walk *w,
                         const struct loom_ptx_function *function)
{
    for (uint32_t i = 0; i < w->seen_count; i++) {
        if (w->seen[i] == function) {
            return;
        }
    }
    w->seen[w->seen_count++] = function;
}

static void collect(struct shared_walk *w, const struct loom_ptx_operand *o,
                    uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        switch ((enum loom_ptx_operand_kind)o[i].kind) {
        case LOOM_PTX_OP_SYMBOL:
        case LOOM_PTX_OP_ADDRESS:
            add_shared(w, o[i].var);
            break;
        case LOOM_PTX_OP_FUNCTION:
            add_function(w, o[i].function);
            break;
        case LOOM_PTX_OP_VECTOR:
        case LOOM_PTX_OP_LIST:
        case LOOM_PTX_OP_TEXTURE:
            collect(w, o[i].element, o[i].count);
            break;
        case LOOM_PTX_OP_NONE:
        case LOOM_PTX_OP_REG:
        case LOOM_PTX_OP_IMM:
        case LOOM_PTX_OP_F32:
        case LOOM_PTX_OP_F64:
        case LOOM_PTX_OP_SPECIAL:
        case LOOM_PTX_OP_LABEL:
        case LOOM_PTX_OP_PROTOTYPE:
        case LOOM_PTX_OP_SINK:
            break;
        }
    }
}

/* Arrays without size come behind all others, all at one place. */
static void place_dynamic(struct ptx_analysis *a, uint64_t bytes)
{
    uint32_t align = DYNAMIC_ALIGN;

    for (uint32_t i = 0; i < a->shared_count; i++) {
        const struct loom_ptx_var *var = a->shared[i].var;

        align = var->bytes == 0 && var->align > align ? var->align : align;
    }
    a->shared_bytes = (uint32_t)bytes;
    a->dynamic_offset =
        (uint32_t)((bytes + align - 1) & ~(align - UINT64_C(1)));
    for (uint32_t i = 0; i < a->shared_count; i++) {
        if (a->shared[i].var->bytes == 0) {
            a->shared[i].offset = a->dynamic_offset;
        }
    }
}

static bool find_shared(struct ptx_analysis *a)
{
    struct shared_walk w = {.a = a};
    size_t functions = a->function->module->function_count;

    w.seen = calloc(functions + 1, sizeof(*w.seen));
    if (w.seen == NULL) {
        return false;
    }
    add_function(&w, a->function);
    for (uint32_t i = 0; i < w.seen_count; i++) {
        const struct loom_ptx_function *f = w.seen[i];

        for (uint32_t k = 0; k < f->inst_count; k++) {
            collect(&w, f->inst[k].operand, f->inst[k].operand_count);
        }
    }
    free(w.seen);
    place_dynamic(a, w.bytes);
    return !w.failed;
}

static bool reads_time(const struct ptx_analysis *a)
{
    uint32_t i = 0;

    while (i < a->inst_count && !ptx_reads_time(&a->function->inst[i])) {
        i++;
    }
    return i < a->inst_count;
}

static bool run(struct ptx_analysis *a, bool scheduled)
{
    size_t regs = (size_t)a->function->reg_count + 1;
    struct ptx_origin *origin = calloc(regs, sizeof(*origin));
    bool ok = origin != NULL && ptx_find_blocks(a) && ptx_find_dominators(a) &&
              ptx_find_loops(a) && (!scheduled || ptx_find_schedule(a)) &&
              ptx_allocate_registers(a) && ptx_find_origins(a, origin) &&
              ptx_make_table(a, origin) &&
              (!scheduled || (ptx_find_first_uses(a) && ptx_find_ways(a))) &&
              find_shared(a);

    free(origin);
    return ok;
}

bool ptx_analyse(const struct loom_ptx_function *function, bool scheduled,
                 struct ptx_analysis **analysis, struct loom_error *err)
{
    struct ptx_analysis *a = calloc(1, sizeof(*a));
    bool ok = a != NULL && ptx_link(a, function);

    *analysis = NULL;
    if (ok) {
        a->reads_time = reads_time(a);
    }
    if (ok && a->inst_count >= LOOM_STATIC_MAX) {
        uint32_t count = a->inst_count;

        ptx_analysis_destroy(a);
        return loom_fail(err, LOOM_ERR_INPUT,
                         "'%.80s' has %u instructions, expected less than %u",
                         function->name, count, LOOM_STATIC_MAX);
    }
    if (!ok || !run(a, scheduled)) {
        ptx_analysis_destroy(a);
        return loom_fail(err, LOOM_ERR_MEMORY,
                         "no memory to analyse '%.80s', or its shared "
                         "variables do not fit into it",
                         function->name);
    }
    *analysis = a;
    return true;
}

void ptx_analysis_destroy(struct ptx_analysis *a)
{
    if (a == NULL) {
        return;
    }
    free(a->section);
    free(a->section_order);
    free(a->place);
    free(a->call);
    free(a->more);
    free(a->block);
    free(a->block_of);
    free(a->reconvergence);
    free(a->target);
    ptx_schedule_free(a->schedule);
    free(a->physical);
    free(a->inst);
    free(a->loop);
    free(a->text);
    free(a->pointer);
    free(a->shared);
    free(a);
}
