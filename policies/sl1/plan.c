/*
 * What there is to rewrite: the outermost loops of a kernel, the pointer
 * parameters that are accessed in each, and what every instruction means to
 * a cache of the thread's own.
 */
#include <string.h>

#include "components/cta_protocol.h"
#include "components/mem_protocol.h"
#include "policies/sl1/sl1_private.h"

bool sl1_falls_through(const struct loom_ptx_inst *inst)
{
    return inst->guard != LOOM_PTX_NONE ||
           (inst->op != LOOM_PTX_BRA && inst->op != LOOM_PTX_RET &&
            inst->op != LOOM_PTX_EXIT && inst->op != LOOM_PTX_BRX_IDX);
}

uint32_t sl1_target(const struct loom_ptx_function *f,
                    const struct loom_ptx_inst *inst)
{
    return f->label[inst->operand[0].value].target;
}

static uint16_t outermost(const struct loom_kernel_info *info, uint16_t loop)
{
    while (info->loop[loop].parent != LOOM_NO_LOOP) {
        loop = info->loop[loop].parent;
    }
    return loop;
}

static void find_nests(struct sl1_plan *plan,
                       const struct loom_kernel_info *info)
{
    for (uint32_t i = 0; i < plan->f->inst_count; i++) {
        uint16_t loop = info->inst[i].loop;
        uint32_t n = 0;

        plan->inst[i].nest = SL1_NO_NEST;
        if (loop == LOOM_NO_LOOP) {
            continue;
        }
        loop = outermost(info, loop);
        if (info->loop[loop].header >= plan->f->inst_count) {
            continue;
        }
        while (n < plan->nests && plan->nest[n].loop != loop) {
            n++;
        }
        if (n == plan->nests) {
            plan->nest[plan->nests++] = (struct sl1_nest){
                .loop = loop, .header = info->loop[loop].header};
        }
        plan->inst[i].nest = (uint16_t)n;
    }
}

static void add_exit(struct sl1_nest *nest, uint32_t to)
{
    uint32_t n = 0;

    while (n < nest->exits && nest->exit[n] != to) {
        n++;
    }
    if (n == SL1_EXITS) {
        nest->refused = "it has too many exits";
    } else if (n == nest->exits) {
        nest->exit[nest->exits++] = to;
    }
}

static void find_exits(struct sl1_plan *plan, uint32_t i)
{
    const struct loom_ptx_inst *inst = &plan->f->inst[i];
    uint32_t n = plan->inst[i].nest;
    struct sl1_nest *nest = &plan->nest[n];

    if (inst->op == LOOM_PTX_RET || inst->op == LOOM_PTX_EXIT) {
        add_exit(nest, SL1_RETURN);
    }
    if (inst->op == LOOM_PTX_BRA &&
        !sl1_in(plan, n, sl1_target(plan->f, inst))) {
        add_exit(nest, sl1_target(plan->f, inst));
    }
    if (sl1_falls_through(inst) && !sl1_in(plan, n, i + 1)) {
        add_exit(nest, i + 1);
    }
}

/* Index in nest->all, or SL1_STRUCTURES: there is no room. */
static uint32_t structure_of(struct sl1_nest *nest, uint8_t param)
{
    uint32_t n = 0;

    while (n < nest->all_count && nest->all[n].param != param) {
        n++;
    }
    if (n == nest->all_count && n < SL1_STRUCTURES) {
        nest->all[nest->all_count++] = (struct sl1_structure){.param = param};
    }
    return n;
}

static void refuse_structure(struct sl1_nest *nest, uint32_t s, const char *why)
{
    if (s < SL1_STRUCTURES && nest->all[s].refused == NULL) {
        nest->all[s].refused = why;
    }
}

static bool global(const struct loom_ptx_inst *inst,
                   const struct loom_static_inst *s)
{
    return inst->space == LOOM_PTX_GLOBAL ||
           (inst->space == LOOM_PTX_GENERIC && s->space == LOOM_SPACE_GLOBAL);
}

/* Are there generic addresses of shared or local memory?  Then one that
 * comes from a parameter may be either (a selection). */
static bool mixes_spaces(const struct loom_ptx_function *f)
{
    for (uint32_t i = 0; i < f->inst_count; i++) {
        const struct loom_ptx_inst *inst = &f->inst[i];

        if (inst->op == LOOM_PTX_CVTA && (inst->flags & LOOM_PTX_TO) == 0 &&
            inst->space != LOOM_PTX_GLOBAL) {
            return true;
        }
    }
    return false;
}

static const char *why_not(const struct sl1_config *config,
                           const struct loom_ptx_inst *inst, uint32_t width)
{
    uint32_t most = config->line == 24 ? 8 : config->line;

    if (inst->op == LOOM_PTX_ATOM || inst->op == LOOM_PTX_RED) {
        return "it is accessed by atomics";
    }
    if (inst->order > LOOM_PTX_WEAK) {
        return "it is accessed by volatile or ordered operations";
    }
    if (width > most || (width & (width - 1)) != 0) {
        return "its accesses are wider than what fits into a line";
    }
    return inst->operand_count > 2 ? "its accesses have a cache policy" : NULL;
}

/* Loads, stores and atomics that may be of global memory. */
static void see_access(struct sl1_plan *plan, const struct sl1_config *config,
                       const struct loom_kernel_info *info, uint32_t i)
{
    const struct loom_ptx_inst *inst = &plan->f->inst[i];
    const struct loom_static_inst *s = &info->inst[i];
    struct sl1_inst *mine = &plan->inst[i];
    struct sl1_nest *nest = &plan->nest[mine->nest];
    uint32_t width = (uint32_t)s->bytes * s->vector, n = SL1_STRUCTURES;

    if (!global(inst, s)) {
        return;
    }
    mine->store = inst->op != LOOM_PTX_LD && inst->op != LOOM_PTX_LDU;
    mine->kind = mine->store ? SL1_FOREIGN_STORE : SL1_FOREIGN_LOAD;
    mine->width = (uint8_t)width;
    if (s->param < LOOM_MIXED_PARAM && s->param < info->param_count &&
        info->param[s->param].bytes == 8 &&
        (inst->space == LOOM_PTX_GLOBAL || !plan->mixes)) {
        n = structure_of(nest, s->param);
    }
    if (n < SL1_STRUCTURES) {
        mine->kind = SL1_ACCESS;
        mine->structure = (uint8_t)n;
        nest->all[n].written = nest->all[n].written || mine->store;
        refuse_structure(nest, n, why_not(config, inst, width));
    }
    if (inst->order > LOOM_PTX_WEAK) {
        mine->kind = SL1_FENCE;
    }
}

static void see_inst(struct sl1_plan *plan, const struct sl1_config *config,
                     const struct loom_kernel_info *info, uint32_t i)
{
    const struct loom_ptx_inst *inst = &plan->f->inst[i];
    struct sl1_nest *nest = &plan->nest[plan->inst[i].nest];

    switch ((enum loom_ptx_group)loom_ptx_opcodes[inst->op].group) {
    case LOOM_PTX_G_LOAD:
    case LOOM_PTX_G_STORE:
    case LOOM_PTX_G_ATOMIC:
        if (inst->op != LOOM_PTX_LD && inst->op != LOOM_PTX_LDU &&
            inst->op != LOOM_PTX_ST && inst->op != LOOM_PTX_ATOM &&
            inst->op != LOOM_PTX_RED) {
            nest->refused = "it has copies or barriers in memory";
            return;
        }
        see_access(plan, config, info, i);
        break;
    case LOOM_PTX_G_BARRIER:
        nest->together = true;
        plan->inst[i].kind = SL1_FENCE;
        break;
    case LOOM_PTX_G_MEMBAR:
        plan->inst[i].kind = SL1_FENCE;
        break;
    case LOOM_PTX_G_SHUFFLE:
        nest->together = true;
        break;
    case LOOM_PTX_G_BRANCH:
        if (inst->op != LOOM_PTX_BRA) {
            nest->refused = inst->op == LOOM_PTX_CALL
                                ? "it calls a function"
                                : "it has an indexed branch";
        }
        break;
    case LOOM_PTX_G_TENSOR:
        nest->together = true;
        if (loom_ptx_address_operand(inst) != LOOM_PTX_NONE) {
            nest->refused = "it loads or stores matrices";
        }
        break;
    case LOOM_PTX_G_MOVE:
        nest->together = nest->together || inst->op == LOOM_PTX_ACTIVEMASK;
        if (inst->op == LOOM_PTX_ALLOCA) {
            nest->refused = "it allocates local memory";
        }
        break;
    case LOOM_PTX_G_ADD:
    case LOOM_PTX_G_MINMAX:
    case LOOM_PTX_G_MUL:
    case LOOM_PTX_G_MAD:
    case LOOM_PTX_G_DIV:
    case LOOM_PTX_G_SFU:
    case LOOM_PTX_G_TEXTURE:
    case LOOM_PTX_G_EXIT:
    case LOOM_PTX_G_NOP:
        break;
    }
}

static void find_inner(struct sl1_plan *plan,
                       const struct loom_kernel_info *info)
{
    for (uint32_t l = 0; l < info->loop_count; l++) {
        uint32_t header = info->loop[l].header;
        struct sl1_nest *nest;

        if (info->loop[l].parent == LOOM_NO_LOOP ||
            header >= plan->f->inst_count ||
            plan->inst[header].nest == SL1_NO_NEST) {
            continue;
        }
        nest = &plan->nest[plan->inst[header].nest];
        /* Those beyond the last are left at the outer loop's next turn. */
        if (!nest->together && nest->inners < SL1_INNER) {
            nest->inner[nest->inners++] = header;
        }
    }
}

/* Branches through a table are not followed. */
static void refuse_table_targets(struct sl1_plan *plan)
{
    const struct loom_ptx_function *f = plan->f;

    for (uint32_t i = 0; i < f->prototype_count; i++) {
        for (uint32_t k = 0; k < f->prototype[i].label_count; k++) {
            uint32_t to = f->label[f->prototype[i].label[k]].target;

            if (to < f->inst_count && plan->inst[to].nest != SL1_NO_NEST) {
                plan->nest[plan->inst[to].nest].refused =
                    "an indexed branch leads into it";
            }
        }
    }
}

static void pick_structures(struct sl1_nest *nest)
{
    for (uint32_t s = 0; s < nest->all_count; s++) {
        if (nest->all[s].refused == NULL) {
            nest->structure[nest->count++] = s;
        }
    }
    if (nest->refused == NULL && nest->exits == 0) {
        nest->refused = "it is never left";
    }
    if (nest->refused == NULL && nest->all_count == 0) {
        nest->refused = "it accesses no data structure of its own";
    } else if (nest->refused == NULL && nest->count == 0) {
        nest->refused = "none of its data structures can be cached";
    }
}

/* Accesses know their structure's place among those that may be cached. */
static void number_accesses(struct sl1_plan *plan)
{
    for (uint32_t i = 0; i < plan->f->inst_count; i++) {
        struct sl1_inst *mine = &plan->inst[i];
        const struct sl1_nest *nest;
        uint32_t s = 0;

        if (mine->kind != SL1_ACCESS) {
            continue;
        }
        nest = &plan->nest[mine->nest];
        while (s < nest->count && nest->structure[s] != mine->structure) {
            s++;
        }
        mine->structure = (uint8_t)s;
        if (s == nest->count) {
            mine->kind = mine->store ? SL1_FOREIGN_STORE : SL1_FOREIGN_LOAD;
            mine->alone = true;
        }
    }
}

/* CTAs that fit on an SM, with the registers of the rewritten kernel once they
 * are known; the lines have what shared memory these leave. */
static uint32_t resident_ctas(const struct loom_rewrite *work, uint64_t shared)
{
    const struct loom_machine_facts *facts = work->facts;
    const struct loom_kernel kernel = {.block = work->block,
                                       .registers = work->registers,
                                       .shared_bytes = (uint32_t)shared};
    const struct loom_sm_limits limits = loom_cta_limits(facts);
    const char *limit;

    return work->registers == 0 ? facts->resident_ctas
                                : loom_cta_occupancy(&kernel, &limits, &limit);
}

/* CLN: the free shared memory of an SM over its threads and lines. */
static void count_lines(struct sl1_plan *plan, const struct sl1_config *config,
                        const struct loom_rewrite *work)
{
    const struct loom_machine_facts *facts = work->facts;
    uint64_t own =
        (uint64_t)work->info->shared_bytes + work->dynamic_shared_bytes;
    uint64_t all = config->shared_bytes;
    uint64_t lines;

    if (facts->sms != 0) {
        uint64_t each =
            (loom_dim3_count(work->grid) + facts->sms - 1) / facts->sms;

        uint32_t resident = resident_ctas(work, own);

        each = each < resident ? each : resident;
        all = facts->shared_bytes_per_sm / (each != 0 ? each : 1);
    }
    plan->threads = (uint32_t)loom_dim3_count(work->block);
    own = (own + 15) & ~UINT64_C(15); /* the lines are aligned */
    plan->free_bytes = all > own ? all - own : 0;
    lines = plan->free_bytes / plan->threads / config->line;
    if (config->lines != 0 && lines > config->lines) {
        lines = config->lines;
    }
    plan->lines = (uint32_t)(lines < plan->most ? lines : plan->most);
    plan->all = strcmp(config->cache, "all") == 0;
    if (strcmp(config->cache, "none") == 0) {
        plan->lines = 0;
    }
}

bool sl1_plan_make(struct sl1_plan *plan, const struct sl1_config *config,
                   const struct loom_rewrite *work)
{
    const struct loom_kernel_info *info = work->info;

    plan->f = work->kernel;
    plan->inst = loom_ptx_alloc(
        work->module, (plan->f->inst_count + (size_t)1) * sizeof(*plan->inst));
    plan->nest = loom_ptx_alloc(work->module, (info->loop_count + (size_t)1) *
                                                  sizeof(*plan->nest));
    if (plan->inst == NULL || plan->nest == NULL) {
        return false;
    }
    plan->mixes = mixes_spaces(plan->f);
    find_nests(plan, info);
    for (uint32_t i = 0; i < plan->f->inst_count; i++) {
        if (plan->inst[i].nest != SL1_NO_NEST) {
            see_inst(plan, config, info, i);
            find_exits(plan, i);
        }
    }
    if (strcmp(config->leave, "any") == 0) {
        find_inner(plan, info);
    }
    refuse_table_targets(plan);
    for (uint32_t n = 0; n < plan->nests; n++) {
        pick_structures(&plan->nest[n]);
        if (plan->nest[n].refused == NULL) {
            plan->nest[n].number = plan->used++;
            plan->most = plan->nest[n].count > plan->most ? plan->nest[n].count
                                                          : plan->most;
        }
    }
    number_accesses(plan);
    count_lines(plan, config, work);
    return true;
}
