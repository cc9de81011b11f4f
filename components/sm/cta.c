/*
 * CTAs and warps coming and going, and what the gpu is told.
 *
 * A warp retires when its last instruction is issued and nothing of it is
 * outstanding, but for stores where it does not wait for these
 * (exit_waits_stores).  A CTA is done when its last warp has retired and no
 * store of any is on its way: only then is its slot free, by which
 * completions find it.  If that is later than its last warp, the gpu is told
 * that what its warps held is free.
 */
#include <string.h>

#include "components/sm/sm_private.h"

static void start_warp(struct sm *sm, struct sm_cta *cta, uint32_t number)
{
    const struct loom_scheduler_ops *ops = sm->scheduler_ops;
    const struct loom_warp_stream *stream = &cta->stream->warp[number];
    struct sm_warp *warp = &sm->warp[cta->first_warp + number];
    struct sm_scheduler *scheduler = &sm->scheduler[warp->scheduler];

    LOOM_CHECK(warp->state == SM_EMPTY);
    warp->cta = cta;
    warp->table = cta->kernel->inst;
    if (stream->words != 0) { /* an empty one may have no words to point at */
        warp->cursor = loom_cursor_of(stream);
    } else {
        warp->cursor = (struct loom_cursor){NULL, NULL};
    }
    warp->open = stream->open;
    warp->inst = NULL;
    warp->age = sm->ages++;
    warp->since = sm->now;
    warp->barrier_at = 0;
    warp->membar = SM_MEMBAR_NONE;
    warp->held = SM_BARRIER;
    warp->awaits_copies = false;
    warp->group_at = 0;
    memset(warp->group, 0, sizeof(warp->group));
    warp->product_group = 0;
    warp->product_end = 0;
    memset(warp->product, 0, sizeof(warp->product));
    warp->wrong = false;
    warp->step = SM_FETCH_NONE;
    warp->entries = 1; /* the first instruction has to be fetched */
    scheduler->active |= warp->bit;
    sm->resident++;
    sm->stats->warps++;
    if (ops->started != NULL) {
        ops->started(sm->scheduler_policy.policy, warp->scheduler, warp->local,
                     warp->age);
    }
    sm_tell_warp(sm, warp, LOOM_EVENT_WARP_START);
}

/* The warps of a CTA are started together before any of them fetches, so that
 * one without instructions cannot end the CTA too early. */
static void start_cta(struct sm *sm, const struct loom_cta_request *request)
{
    struct sm_cta *cta = &sm->cta[request->slot];
    uint32_t count = request->stream->warp_count;

    LOOM_CHECK(cta->kernel == NULL);
    cta->kernel = request->kernel;
    cta->stream = request->stream;
    cta->left = count;
    cta->posted = 0;
    cta->gone = false;
    cta->insts = 0;
    cta->first_warp = request->first_warp;
    cta->code = request->code;
    cta->waits = request->waits;
    cta->triggered = false;
    cta->launches = 0;
    cta->behind = 0;
    cta->running = UINT64_MAX >> (64 - count);
    sm->stats->ctas++;
    sm_tell_cta(sm, cta, LOOM_EVENT_CTA_START);
    for (uint32_t i = 0; i < count; i++) {
        start_warp(sm, cta, i);
    }
    if (sm->start_free < sm->now) {
        sm->start_free = sm->now;
    }
    sm_fetch_begin(sm, cta->code);
    for (uint32_t i = 0; i < count; i++) {
        struct sm_warp *warp = &sm->warp[cta->first_warp + i];

        sm_next_inst(sm, warp);
        sm_hold(sm, warp, sm->start_free, SM_FETCH);
        sm->start_free += request->warp_cycles;
        sm_update(sm, warp);
    }
}

static void run_cta(struct sm *sm, const struct loom_cta_request *request)
{
    uint32_t count = request->stream->warp_count;
    struct loom_error err;

    if (request->slot < SM_CTAS && count != 0 && count <= 64 &&
        (uint64_t)request->first_warp + count <= sm->config->warps) {
        start_cta(sm, request);
        return;
    }
    loom_fail(&err, LOOM_ERR_CONFIG,
              "%s: CTA slot %u of %u warps does not fit parameter 'warps', "
              "%u: the gpu expects more of its SMs",
              loom_component_path(sm->self), request->slot, count,
              sm->config->warps);
    loom_raise(sm->self, &err);
}

/* The kernel that this one follows is over. */
static void free_kernel(struct sm *sm, const struct loom_kernel *kernel)
{
    for (uint32_t i = 0; i < SM_CTAS; i++) {
        struct sm_cta *cta = &sm->cta[i];

        if (cta->kernel != kernel) {
            continue;
        }
        cta->waits = false;
        for (; cta->behind != 0; cta->behind &= cta->behind - 1) {
            sm_hold(sm, &sm->warp[cta->first_warp + loom_lowest(cta->behind)],
                    sm->now + 1, SM_BARRIER);
        }
    }
}

void sm_depend(struct sm *sm, struct sm_warp *warp)
{
    struct sm_cta *cta = warp->cta;

    if (warp->next.mask == 0) {
        return;
    }
    if (warp->inst->form == LOOM_FORM_CHILD) {
        cta->launches += loom_popcount(warp->next.mask);
        sm->launch_slots |= loom_bit((uint32_t)(cta - sm->cta));
    } else if (warp->inst->form == LOOM_FORM_GRID_LAUNCH) {
        if (!cta->triggered) {
            cta->triggered = true;
            sm->trigger_slots |= loom_bit((uint32_t)(cta - sm->cta));
        }
    } else if (cta->waits) {
        cta->behind |= loom_bit(warp->slot - cta->first_warp);
        sm_hold(sm, warp, LOOM_NEVER, SM_BARRIER);
    }
}

/* The L1 is dropped only where no other kernel uses it (GPGPU-Sim 4). */
static void end_kernel(struct sm *sm, const struct loom_kernel *kernel)
{
    bool flush = sm->config->flush_l1 && sm->resident == 0;

    sm_tell_kernel(sm, kernel, LOOM_EVENT_KERNEL_END);
    sm->ending = flush ? SM_FLUSH_SEND : SM_ANSWER;
}

void sm_receive_commands(struct sm *sm)
{
    const struct loom_cta_request *request;

    while ((request = loom_peek(sm->gpu_in, sm->now)) != NULL) {
        sm->changed = true;
        if (sm->ending != SM_RUNNING) { /* another kernel's; it waits */
            sm->waiting = true;
            break;
        }
        switch ((enum loom_cta_command)request->command) {
        case LOOM_CTA_RUN:
            run_cta(sm, request);
            break;
        case LOOM_CTA_KERNEL_START:
            sm->kernel = request->kernel;
            sm->stats->kernels++;
            sm_tell_kernel(sm, request->kernel, LOOM_EVENT_KERNEL_START);
            break;
        case LOOM_CTA_KERNEL_FREE:
            free_kernel(sm, request->kernel);
            break;
        case LOOM_CTA_KERNEL_END:
            end_kernel(sm, request->kernel);
            break;
        }
        loom_pop(sm->gpu_in, sm->now);
    }
}

void sm_flushed(struct sm *sm)
{
    LOOM_CHECK(sm->ending == SM_FLUSH_WAIT);
    sm->ending = SM_ANSWER;
}

static void send_flush(struct sm *sm)
{
    struct loom_warp_access *access = loom_send(sm->ldst_out, sm->now, 0);

    *access = (struct loom_warp_access){
        .born = loom_cycle_time(sm->self, sm->now),
        .command = LOOM_WARP_FLUSH,
    };
    sm->ending = SM_FLUSH_WAIT;
}

/* A message about one of the CTAs; its slot, or SM_CTAS if there is none or no
 * room for it. */
static uint32_t tell_of(struct sm *sm, uint64_t *slots,
                        struct loom_cta_done **done)
{
    uint32_t slot;

    if (*slots == 0 || !loom_ready(sm->gpu_out, sm->now)) {
        return SM_CTAS;
    }
    slot = loom_lowest(*slots);
    *slots &= *slots - 1;
    *done = loom_send(sm->gpu_out, sm->now, 0);
    **done =
        (struct loom_cta_done){.stream = sm->cta[slot].stream, .slot = slot};
    return slot;
}

void sm_send_dones(struct sm *sm)
{
    struct loom_cta_done *done;
    uint32_t slot;

    while ((slot = tell_of(sm, &sm->trigger_slots, &done)) != SM_CTAS) {
        done->triggers = true;
    }
    while ((slot = tell_of(sm, &sm->launch_slots, &done)) != SM_CTAS) {
        done->launches = sm->cta[slot].launches;
    }
    while ((slot = tell_of(sm, &sm->leave_slots, &done)) != SM_CTAS) {
        done->leaves = true;
        sm->cta[slot].gone = true;
    }
    while ((slot = tell_of(sm, &sm->done_slots, &done)) != SM_CTAS) {
        done->insts = sm->cta[slot].insts;
        done->triggered = sm->cta[slot].triggered;
        done->left = sm->cta[slot].gone;
        sm->cta[slot].kernel = NULL;
        sm->cta[slot].stream = NULL;
    }
    if (sm->ending == SM_FLUSH_SEND && loom_ready(sm->ldst_out, sm->now)) {
        send_flush(sm);
    }
    if (sm->ending == SM_ANSWER && loom_ready(sm->gpu_out, sm->now)) {
        done = loom_send(sm->gpu_out, sm->now, 0);
        *done = (struct loom_cta_done){0};
        sm->ending = SM_RUNNING;
        sm->again = sm->again || sm->waiting;
        sm->waiting = false;
    }
}
