/*
 * What apcm sees and is asked.
 */
#include <string.h>

#include "policies/apcm/apcm_private.h"

/* Is the request a load of the kernel that the tables are about?  Then *id
 * is its id. */
static bool known(struct apcm *a, const struct loom_mem_request *request,
                  uint32_t *id)
{
    if (a->kernel == NULL || request->kernel != a->kernel->number ||
        !apcm_manages(request)) {
        return false;
    }
    *id = apcm_find(a, request->inst);
    return *id != APCM_NO_ID;
}

/* Is it an access of a load that is called streaming, in a mode that acts on
 * it?  Then *id is the load's. */
static bool streams(struct apcm *a, const struct loom_mem_request *request,
                    uint32_t *id)
{
    return a->bypasses && known(a, request, id) && a->cait[*id].valid &&
           a->cait[*id].method == APCM_BYPASS;
}

static void count_bypass(struct loom_policy *self, uint32_t id)
{
    const struct apcm *a = loom_policy_state(self);
    struct apcm_stats *stats = loom_policy_stats(self);

    stats->bypasses++;
    apcm_count_row(&stats->load_bypasses, a->lat[id].row);
}

/* ---- load instructions ---- */

static enum loom_admit admit(struct loom_policy *self,
                             const struct loom_mem_request *request,
                             struct loom_bypass *bypass)
{
    const struct apcm_config *config = loom_policy_config(self);
    struct apcm *a = loom_policy_state(self);
    uint32_t id;

    if (config->probe || !streams(a, request, &id)) {
        return LOOM_ADMIT_DEFAULT;
    }
    count_bypass(self, id);
    loom_bypass_set(bypass, config->fetch_bytes, config->merge);
    return LOOM_ADMIT_BYPASS;
}

/* With `probe`: looked up, and no line for a miss. */
static enum loom_allocate allocate(struct loom_policy *self,
                                   const struct loom_mem_request *request,
                                   uint32_t set, struct loom_bypass *bypass)
{
    const struct apcm_config *config = loom_policy_config(self);
    uint32_t id;

    (void)set;
    if (!config->probe || !streams(loom_policy_state(self), request, &id)) {
        return LOOM_ALLOCATE_DEFAULT;
    }
    loom_bypass_set(bypass, config->fetch_bytes, config->merge);
    return LOOM_NO_ALLOCATE;
}

/* The load is the one that a protection of its warp waits for. */
static void ends_protection(struct loom_policy *self,
                            const struct loom_event *event)
{
    const struct apcm *a = loom_policy_state(self);
    const struct apcm_psb *psb = &a->psb[event->warp];

    if (psb->valid && !psb->loops && psb->kernel == event->kernel->number &&
        psb->last == apcm_find(loom_policy_state(self), event->inst)) {
        apcm_release(self, event->warp, APCM_BY_LOAD);
    }
}

static void watch_ldst(struct loom_policy *self, const struct loom_event *event)
{
    struct apcm *a = loom_policy_state(self);
    struct apcm_stats *stats = loom_policy_stats(self);
    const struct loom_static_inst *inst = &event->kernel->inst[event->inst];
    bool issue = event->kind == LOOM_EVENT_MEM_ISSUE;

    if (!loom_is_load(inst) || a->kernel == NULL ||
        event->kernel->number != a->kernel->number) {
        return;
    }
    if (issue) {
        uint32_t used = a->table.used;

        (void)loom_load_table_note(&a->table, event->kernel, event->inst);
        if (a->table.used != used) {
            loom_load_ids_publish(&stats->load, &a->table);
        }
        if (inst->space == LOOM_SPACE_GLOBAL) {
            apcm_meet(self, event->inst);
        }
    }
    if (issue == a->at_issue) {
        ends_protection(self, event);
    }
}

/* ---- accesses and lines ---- */

static void count_outcome(struct loom_policy *self,
                          const struct loom_event *event, uint32_t id)
{
    const struct apcm_config *config = loom_policy_config(self);
    struct apcm *a = loom_policy_state(self);
    struct apcm_stats *stats = loom_policy_stats(self);
    uint32_t row = a->lat[id].row;

    stats->accesses++;
    stats->undecided += !a->cait[id].valid;
    apcm_count_row(&stats->load_accesses, row);
    if (event->kind == LOOM_EVENT_HIT ||
        event->kind == LOOM_EVENT_PENDING_HIT) {
        apcm_count_row(&stats->load_hits, row);
    } else if (config->probe && event->kind == LOOM_EVENT_MISS &&
               streams(a, event->request, &id)) {
        count_bypass(self, id);
    }
}

static void outcome(struct loom_policy *self, const struct loom_event *event)
{
    const struct apcm_config *config = loom_policy_config(self);
    struct apcm *a = loom_policy_state(self);
    const struct loom_mem_request *request = event->request;
    bool around = event->kind == LOOM_EVENT_BYPASS;
    bool hit = apcm_hit_line(a, event);
    uint32_t id = APCM_NO_ID;
    uint32_t count = 1;

    if (!around && event->set < a->sets) {
        a->clock++;
        a->set_clock[event->set]++;
    }
    if (request->kind != LOOM_MEM_LOAD) {
        return;
    }
    if (hit) {
        struct apcm_line *line =
            &a->line[(size_t)event->set * a->ways + event->way];

        line->count += line->count < a->count_max;
        count = line->count;
    }
    if (known(a, request, &id)) {
        count_outcome(self, event, id);
        if (a->warp != APCM_NO_WARP && (!around || config->track_bypasses)) {
            apcm_monitor(self, request, id, count);
        }
    }
    apcm_touched(self, request, id, event);
}

static void watch_cache(struct loom_policy *self,
                        const struct loom_event *event)
{
    struct apcm *a = loom_policy_state(self);

    switch (event->kind) {
    case LOOM_EVENT_ALLOCATE:
        apcm_allocated(self, event->request, event->set, event->way);
        break;
    case LOOM_EVENT_EVICT:
        apcm_left(a, event->set, event->way);
        break;
    default:
        outcome(self, event);
        break;
    }
}

/* ---- kernels, warps, loops ---- */

static void start_kernel(struct loom_policy *self,
                         const struct loom_kernel *kernel)
{
    const struct apcm_config *config = loom_policy_config(self);
    struct apcm *a = loom_policy_state(self);
    uint64_t name = loom_load_table_name(kernel);
    bool same = a->kernel_name == name;

    if (a->warp != APCM_NO_WARP) { /* another kernel's that still runs */
        apcm_conclude(self);
    }
    if (strcmp(config->reset, "launch") == 0 ||
        (strcmp(config->reset, "name") == 0 && !same)) {
        apcm_forget(a);
        apcm_unprotect_all(a);
    }
    for (uint32_t i = 0; i < APCM_MEMO; i++) {
        a->memo[i].id = APCM_NO_ID;
    }
    a->kernel = kernel;
    a->kernel_name = name;
    a->chosen = false;
}

void apcm_given(struct loom_policy *self, const void *work, uint32_t kind)
{
    struct apcm *a = loom_policy_state(self);
    struct apcm_stats *stats = loom_policy_stats(self);

    loom_load_table_given(&a->table, work, kind);
    loom_load_ids_publish(&stats->load, &a->table);
}

/* What each load of the kernel has come to. */
static void end_kernel(struct loom_policy *self)
{
    struct apcm *a = loom_policy_state(self);
    struct apcm_stats *stats = loom_policy_stats(self);

    for (uint32_t i = 0; i < a->ids; i++) {
        if (a->lat[i].kernel == a->kernel_name) {
            apcm_count_row(a->cait[i].valid
                               ? &stats->load_method[a->cait[i].method]
                               : &stats->load_unknown,
                           a->lat[i].row);
        }
    }
    if (a->warp != APCM_NO_WARP) {
        apcm_conclude(self);
    }
    a->kernel = NULL;
}

static void start_warp(struct loom_policy *self, const struct loom_event *event)
{
    struct apcm *a = loom_policy_state(self);
    struct apcm_stats *stats = loom_policy_stats(self);

    if (a->warp != APCM_NO_WARP || (a->chosen && !a->always) ||
        a->kernel == NULL || event->kernel->number != a->kernel->number) {
        return;
    }
    a->warp = event->warp;
    a->chosen = true;
    stats->monitored_warps++;
    stats->monitoring = 1;
}

static void leave_loop(struct loom_policy *self, const struct loom_event *event)
{
    const struct apcm *a = loom_policy_state(self);
    const struct apcm_psb *psb = &a->psb[event->warp];

    if (psb->valid && psb->loops && psb->loop == event->count &&
        psb->kernel == event->kernel->number) {
        apcm_release(self, event->warp, APCM_BY_LOOP);
    }
}

static void watch_sm(struct loom_policy *self, const struct loom_event *event)
{
    struct apcm *a = loom_policy_state(self);

    switch (event->kind) {
    case LOOM_EVENT_KERNEL_START:
        start_kernel(self, event->kernel);
        break;
    case LOOM_EVENT_KERNEL_END:
        if (a->kernel != NULL && a->kernel->number == event->kernel->number) {
            end_kernel(self);
        }
        break;
    case LOOM_EVENT_WARP_START:
        start_warp(self, event);
        break;
    case LOOM_EVENT_WARP_FINISH:
        if (event->warp == a->warp) {
            apcm_conclude(self);
        }
        apcm_release(self, event->warp, APCM_BY_WARP);
        break;
    default:
        leave_loop(self, event);
        break;
    }
}

void apcm_settle(struct loom_policy *self, loom_cycle now)
{
    const struct apcm *a = loom_policy_state(self);
    struct apcm_stats *s = loom_policy_stats(self);
    uint64_t *gauge[APCM_METHODS] = {&s->loads_normal, &s->loads_bypass,
                                     &s->loads_protect};

    (void)now;
    s->protecting_warps = 0;
    s->protected_lines = 0;
    for (uint32_t i = 0; i < APCM_METHODS; i++) {
        *gauge[i] = 0;
    }
    for (uint32_t i = 0; i < a->ids; i++) {
        *gauge[a->cait[i].method] += a->cait[i].valid;
    }
    for (uint32_t i = 0; i < a->warps; i++) {
        s->protecting_warps += a->psb[i].valid;
    }
    for (uint32_t i = 0; i < a->sets * a->ways; i++) {
        s->protected_lines += apcm_protected(a, self, i / a->ways, i % a->ways);
    }
}

const struct loom_admit_ops apcm_admit_ops = {.admit = admit};
const struct loom_allocation_ops apcm_allocation_ops = {.allocate = allocate};
const struct loom_observe_ops apcm_cache_ops = {
    .events = LOOM_EVENT(HIT) | LOOM_EVENT(PENDING_HIT) | LOOM_EVENT(MISS) |
              LOOM_EVENT(BYPASS) | LOOM_EVENT(ALLOCATE) | LOOM_EVENT(EVICT),
    .observe = watch_cache,
};
const struct loom_observe_ops apcm_sm_ops = {
    .events = LOOM_EVENT(KERNEL_START) | LOOM_EVENT(KERNEL_END) |
              LOOM_EVENT(WARP_START) | LOOM_EVENT(WARP_FINISH) |
              LOOM_EVENT(LOOP_EXIT),
    .bind = apcm_bind_sm,
    .observe = watch_sm,
};
const struct loom_observe_ops apcm_ldst_ops = {
    .events = LOOM_EVENT(MEM_ISSUE) | LOOM_EVENT(MEM_COMPLETE),
    .observe = watch_ldst,
};
