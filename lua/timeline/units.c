/*
 * Kernels, CTAs and warps: each is a span of its row, and a warp's is divided
 * into what it waits for.
 */
#include "lua/timeline/timeline_private.h"

/* ---- kernels ---- */

static struct tl_kernel *kernel_of(struct timeline *t, uint32_t number)
{
    for (uint32_t i = 0; i < TL_KERNELS; i++) {
        if (t->kernels[i].sms != 0 && t->kernels[i].number == number) {
            return &t->kernels[i];
        }
    }
    return NULL;
}

static void start_kernel(struct timeline *t, const struct loom_kernel *kernel,
                         loom_time now)
{
    struct tl_kernel *k = kernel_of(t, kernel->number);

    for (uint32_t i = 0; k == NULL && i < TL_KERNELS; i++) {
        if (t->kernels[i].sms == 0) {
            k = &t->kernels[i];
            k->number = kernel->number;
            k->span = (struct tl_span){
                .row = {TL_PID_KERNELS, 1 + i}, .start = now, .live = true};
            snprintf(k->span.name, sizeof(k->span.name), "%.70s %u",
                     kernel->name, kernel->number);
        }
    }
    if (k == NULL) {
        t->left_out++;
        return;
    }
    k->sms++;
    if (now >= t->from) {
        tl_span_begin(t, &k->span);
    }
}

static void end_kernel(struct timeline *t, const struct loom_kernel *kernel,
                       loom_time now)
{
    struct tl_kernel *k = kernel_of(t, kernel->number);

    if (k != NULL && --k->sms == 0) {
        tl_span_end(t, &k->span, now);
    }
}

/* ---- CTAs ---- */

static void start_cta(struct timeline *t, struct tl_sm *sm,
                      const struct loom_event *event, loom_time now)
{
    uint32_t lane = 0;
    struct tl_cta *cta;

    while (lane < TL_CTAS && sm->cta[lane].span.live) {
        lane++;
    }
    if (lane == TL_CTAS) {
        t->left_out++;
        return;
    }
    cta = &sm->cta[lane];
    cta->cta = event->cta;
    cta->kernel = event->kernel->number;
    cta->span = (struct tl_span){
        .row = {TL_PID_SM + sm->number, TL_TID_CTA + lane},
        .start = now,
        .live = true,
    };
    snprintf(cta->span.name, sizeof(cta->span.name), "CTA %u of %.60s",
             event->cta, event->kernel->name);
    if (now >= t->from) {
        tl_span_begin(t, &cta->span);
    }
}

static void finish_cta(struct timeline *t, struct tl_sm *sm,
                       const struct loom_event *event, loom_time now)
{
    for (uint32_t i = 0; i < TL_CTAS; i++) {
        struct tl_cta *cta = &sm->cta[i];

        if (cta->span.live && cta->cta == event->cta &&
            cta->kernel == event->kernel->number) {
            tl_span_end(t, &cta->span, now);
            return;
        }
    }
}

/* ---- warps ---- */

/* Until now it has waited. */
static void put_wait(struct timeline *t, struct tl_warp *warp, loom_time now)
{
    loom_time from = warp->since > t->from ? warp->since : t->from;
    loom_time to = now < t->to ? now : t->to;
    const struct loom_kernel *kernel = warp->kernel;

    bool first = !tl_seen(warp->span.start, from);

    if (warp->reason == LOOM_WAIT_REASONS || from >= to || !tl_seen(from, to) ||
        !warp->span.open || !tl_may_write(&t->out)) {
        return;
    }
    if (first) {
        tl_first(&t->out, warp->span.row, from, loom_wait_names[warp->reason]);
    } else {
        tl_open(&t->out, warp->span.row, from, to,
                loom_wait_names[warp->reason]);
    }
    if (warp->inst < kernel->inst_count) {
        tl_text(&t->out, "next", kernel->text + kernel->inst[warp->inst].text);
        tl_number(&t->out, "pc", kernel->inst[warp->inst].pc);
        tl_number(&t->out, "line", kernel->inst[warp->inst].line);
    }
    if (first) {
        tl_first_end(&t->out, warp->span.row, to);
    } else {
        tl_close(&t->out);
    }
}

static void start_warp(struct timeline *t, struct tl_sm *sm,
                       const struct loom_event *event, loom_time now)
{
    struct tl_warp *warp = &sm->warp[event->warp];

    *warp = (struct tl_warp){
        .span = {.row = {TL_PID_SM + sm->number, TL_TID_WARP + event->warp},
                 .start = now,
                 .live = true},
        .kernel = event->kernel,
        .since = now,
        .cta = event->cta,
        .reason = LOOM_WAIT_REASONS,
    };
    snprintf(warp->span.name, sizeof(warp->span.name), "CTA %u", event->cta);
    if (now >= t->from) {
        tl_span_begin(t, &warp->span);
    }
}

static void wait(struct timeline *t, struct tl_warp *warp,
                 const struct loom_event *event, loom_time now)
{
    uint8_t reason =
        event->reason == LOOM_WAIT_UNIT ? LOOM_WAIT_READY : event->reason;
    bool same = reason == warp->reason &&
                (reason == LOOM_WAIT_READY || event->inst == warp->inst);

    if (!warp->span.live || same) {
        return;
    }
    put_wait(t, warp, now);
    warp->reason = reason;
    warp->inst = event->inst;
    warp->since = now;
}

static void finish_warp(struct timeline *t, struct tl_warp *warp, loom_time now)
{
    put_wait(t, warp, now);
    tl_span_end(t, &warp->span, now);
    warp->kernel = NULL;
    warp->reason = LOOM_WAIT_REASONS;
}

/* ---- the window ---- */

static void enter(struct timeline *t, struct tl_sm *sm)
{
    for (uint32_t i = 0; i < TL_CTAS; i++) {
        tl_span_begin(t, &sm->cta[i].span);
    }
    for (uint32_t i = 0; i < sm->warps; i++) {
        tl_span_begin(t, &sm->warp[i].span);
    }
    sm->entered = true;
}

static void leave(struct timeline *t, struct tl_sm *sm, loom_time at)
{
    for (uint32_t i = 0; i < sm->warps; i++) {
        put_wait(t, &sm->warp[i], at);
        tl_span_end(t, &sm->warp[i].span, at);
    }
    for (uint32_t i = 0; i < TL_CTAS; i++) {
        tl_span_end(t, &sm->cta[i].span, at);
    }
    sm->passed = true;
}

void tl_units_finish(struct timeline *t, loom_time at)
{
    for (uint32_t i = 0; i < t->sms; i++) {
        if (t->sm[i] != NULL && !t->sm[i]->passed) {
            if (!t->sm[i]->entered && at >= t->from) {
                enter(t, t->sm[i]);
            }
            leave(t, t->sm[i], at);
        }
    }
    for (uint32_t i = 0; i < TL_KERNELS; i++) {
        struct tl_kernel *k = &t->kernels[i];

        if (k->sms != 0 && at >= t->from) {
            tl_span_begin(t, &k->span);
            tl_span_end(t, &k->span, at);
        }
    }
}

void tl_units(struct tl_probe *probe, const struct loom_event *event)
{
    struct timeline *t = probe->timeline;
    struct tl_sm *sm = probe->sm;
    loom_time now = tl_time(probe, event->now);

    if (sm->passed) {
        return;
    }
    if (!sm->entered && now >= t->from) {
        enter(t, sm);
    }
    if (now > t->to) {
        leave(t, sm, t->to);
        return;
    }
    tl_reach(&t->out, now);
    switch (event->kind) {
    case LOOM_EVENT_KERNEL_START:
    case LOOM_EVENT_KERNEL_END:
        if (tl_kernel_wanted(t, event->kernel)) {
            (event->kind == LOOM_EVENT_KERNEL_START
                 ? start_kernel
                 : end_kernel)(t, event->kernel, now);
        }
        break;
    case LOOM_EVENT_CTA_START:
        if (tl_kernel_wanted(t, event->kernel)) {
            start_cta(t, sm, event, now);
        }
        break;
    case LOOM_EVENT_CTA_FINISH:
        finish_cta(t, sm, event, now);
        break;
    case LOOM_EVENT_WARP_START:
        if (tl_kernel_wanted(t, event->kernel)) {
            start_warp(t, sm, event, now);
        }
        break;
    case LOOM_EVENT_WAIT:
        wait(t, &sm->warp[event->warp], event, now);
        break;
    case LOOM_EVENT_WARP_FINISH:
        finish_warp(t, &sm->warp[event->warp], now);
        break;
    }
}
