/*
 * Memory instructions: what becomes of their accesses is noted as it happens,
 * and written when the instruction is done.
 *
 * A request is told by its SM, its origin, which is an entry of the load/store
 * unit's table, and the number of the access.  What others send, such as
 * write-backs and fetches of instructions, is like no entry that is in use.
 */
#include "lua/timeline/timeline_private.h"

static bool wanted(const struct timeline *t, const struct tl_load *load,
                   loom_time done)
{
    return load->born >= t->from && done <= t->to &&
           tl_kernel_wanted(t, load->kernel);
}

/* ---- records of accesses ---- */

static struct tl_load *load_of(struct timeline *t,
                               const struct loom_mem_request *r)
{
    struct tl_sm *sm = r->sm < t->sms ? t->sm[r->sm] : NULL;
    struct tl_load *load;

    if (sm == NULL || r->kind > LOOM_MEM_ATOMIC || r->origin >= sm->loads) {
        return NULL;
    }
    load = &sm->load[r->origin];
    return load->kernel != NULL && load->kernel->number == r->kernel &&
                   load->cta == r->cta && load->inst == r->inst &&
                   load->warp == r->warp &&
                   load->kernel->inst[r->inst].space == r->space
               ? load
               : NULL;
}

static struct tl_access *take(struct timeline *t, struct tl_load *load,
                              const struct loom_mem_request *r)
{
    uint16_t number = t->free;
    struct tl_access *access = &t->access[number];

    if (number == TL_NO_ACCESS) {
        t->not_followed++;
        return NULL;
    }
    t->free = access->next;
    *access = (struct tl_access){
        .next = load->first, .number = r->access, .block = r->block};
    load->first = number;
    return access;
}

struct tl_access *tl_find(struct timeline *t, const struct loom_mem_request *r,
                          bool make)
{
    struct tl_load *load = load_of(t, r);
    uint16_t at = load != NULL ? load->first : TL_NO_ACCESS;

    while (at != TL_NO_ACCESS && t->access[at].number != r->access) {
        at = t->access[at].next;
    }
    if (at != TL_NO_ACCESS) {
        return &t->access[at];
    }
    return load != NULL && make ? take(t, load, r) : NULL;
}

static void drop(struct timeline *t, struct tl_load *load)
{
    uint16_t at = load->first;

    while (at != TL_NO_ACCESS) {
        uint16_t next = t->access[at].next;

        t->access[at].next = t->free;
        t->free = at;
        at = next;
    }
    load->first = TL_NO_ACCESS;
    load->kernel = NULL;
}

/* ---- caches ---- */

static void stamp(const struct tl_probe *probe, const struct loom_event *event,
                  struct tl_stamps *s)
{
    loom_time now = tl_time(probe, event->now);

    switch (event->kind) {
    case LOOM_EVENT_RESERVATION_FAIL:
    case LOOM_EVENT_ACCESS:
        if (s->seen == 0) {
            s->seen = now;
            s->arrived = tl_time(probe, event->now > probe->latency
                                            ? event->now - probe->latency
                                            : 0);
        }
        s->accepted = event->kind == LOOM_EVENT_ACCESS ? now : s->accepted;
        s->reason =
            event->kind == LOOM_EVENT_ACCESS ? s->reason : event->reason + 1;
        s->part = probe->part;
        break;
    case LOOM_EVENT_HIT:
    case LOOM_EVENT_PENDING_HIT:
    case LOOM_EVENT_MISS:
    case LOOM_EVENT_BYPASS:
        s->outcome = (uint8_t)event->kind;
        s->sent = event->kind >= LOOM_EVENT_MISS ? now : 0;
        break;
    case LOOM_EVENT_SEND:
        s->sent = now;
        break;
    case LOOM_EVENT_FILL:
        s->fill = now;
        break;
    case LOOM_EVENT_REPLY:
        s->reply = now;
        break;
    }
}

void tl_caches(struct tl_probe *probe, const struct loom_event *event)
{
    const struct loom_mem_request *r = event->request;
    bool first = event->kind == LOOM_EVENT_ACCESS ||
                 event->kind == LOOM_EVENT_RESERVATION_FAIL;
    struct tl_access *access = tl_find(probe->timeline, r, first);
    uint32_t sectors = r->sectors != 0 ? r->sectors : 1;

    for (; access != NULL && sectors != 0; sectors &= sectors - 1) {
        uint32_t sector = loom_lowest(sectors) % TL_SECTORS;

        stamp(probe, event, &access->sector[sector].level[probe->level]);
    }
}

/* ---- the file ---- */

static void put_parts(struct timeline *t, struct tl_row row,
                      const struct tl_sector *sector, loom_time born,
                      loom_time done)
{
    struct tl_part part[TL_PARTS];
    uint32_t count = tl_parts(sector, born, done, part);

    for (uint32_t i = 0; i < count; i++) {
        tl_part(&t->out, row, born, part[i].end, part[i].name);
        born = part[i].end;
    }
}

static const char *outcome_of(const struct tl_stamps *s)
{
    return s->outcome == LOOM_EVENT_HIT           ? "hit"
           : s->outcome == LOOM_EVENT_PENDING_HIT ? "merged"
           : s->outcome == LOOM_EVENT_MISS        ? "miss"
                                                  : "bypass";
}

static void put_outcomes(struct timeline *t, const struct tl_sector *sector)
{
    static const char *const names[] = {"L1", "L1.5", "L2", "L3"};

    for (uint32_t l = 0; l < TL_LEVELS; l++) {
        const struct tl_stamps *s = &sector->level[l];

        if (s->accepted != 0) {
            tl_text(&t->out, names[l], outcome_of(s));
        }
        if (s->reason != 0) {
            tl_text(&t->out, "waited for", loom_fail_names[s->reason - 1]);
        }
    }
}

/* What it was in the caches behind the L1. */
static void put_in_parts(struct timeline *t, const struct tl_access *access,
                         const struct tl_sector *sector)
{
    for (uint32_t l = 1; l < TL_LEVELS; l++) {
        const struct tl_stamps *s = &sector->level[l];
        struct tl_row row = {TL_PID_PART + s->part, 1};
        uint32_t lane;

        if (s->accepted == 0 || s->reply == 0 || t->lanes[s->part] == NULL) {
            continue;
        }
        lane = tl_lane(&t->out, t->lanes[s->part], row, "accesses", s->arrived,
                       s->reply);
        if (lane == TL_LANES) {
            t->left_out++;
            continue;
        }
        row.tid += lane;
        tl_open(&t->out, row, s->arrived, s->reply, outcome_of(s));
        tl_number(&t->out, "block", access->block);
        tl_close(&t->out);
    }
}

static void put_access(struct timeline *t, struct tl_sm *sm,
                       const struct tl_access *access, loom_time born)
{
    const struct tl_sector *sector = tl_last_sector(access);
    struct tl_row row = {TL_PID_SM + sm->number, TL_TID_ACCESS};
    loom_time end = tl_answered(sector);
    uint32_t lane;

    if (end == 0) {
        return;
    }
    lane = tl_lane(&t->out, &sm->access_lanes, row, "access", born, end);
    if (lane == TL_LANES) {
        t->left_out++;
        return;
    }
    row.tid += lane;
    tl_open(&t->out, row, born, end, "access");
    tl_number(&t->out, "number", access->number);
    tl_number(&t->out, "block", access->block);
    put_outcomes(t, sector);
    tl_close(&t->out);
    put_parts(t, row, sector, born, end);
}

/* The access that came last. */
static const struct tl_sector *last_of(const struct timeline *t,
                                       const struct tl_load *load)
{
    const struct tl_sector *last = NULL;

    for (uint16_t at = load->first; at != TL_NO_ACCESS;
         at = t->access[at].next) {
        const struct tl_sector *sector = tl_last_sector(&t->access[at]);

        if (last == NULL || tl_answered(sector) > tl_answered(last)) {
            last = sector;
        }
    }
    return last;
}

static void put_load(struct timeline *t, struct tl_sm *sm,
                     const struct tl_load *load, const struct loom_event *event,
                     loom_time done)
{
    static const struct tl_sector nothing;
    const struct loom_static_inst *inst = &load->kernel->inst[load->inst];
    const struct tl_sector *sector = last_of(t, load);
    bool other = sector == NULL;
    struct tl_row row = {TL_PID_SM + sm->number,
                         other ? TL_TID_OTHER : TL_TID_LOAD};
    uint32_t lane =
        tl_lane(&t->out, other ? &sm->other_lanes : &sm->loads_lanes, row,
                other ? "on chip" : "memory", load->born, done);

    if (lane == TL_LANES) {
        t->left_out++;
        return;
    }
    row.tid += lane;
    tl_open(&t->out, row, load->born, done, load->kernel->text + inst->text);
    tl_text(&t->out, "kind", loom_op_names[inst->op]);
    tl_text(&t->out, "kernel", load->kernel->name);
    tl_number(&t->out, "launch", load->kernel->number);
    tl_number(&t->out, "cta", load->cta);
    tl_number(&t->out, "warp", load->warp);
    tl_number(&t->out, "pc", inst->pc);
    tl_number(&t->out, "line", inst->line);
    tl_number(&t->out, "cycles", event->duration);
    tl_number(&t->out, "accesses", load->accesses);
    put_outcomes(t, other ? &nothing : sector);
    tl_close(&t->out);
    put_parts(t, row, other ? &nothing : sector, load->born, done);
    t->written += inst->op == LOOM_OP_LOAD ? 1 : 0;
    t->cycles += inst->op == LOOM_OP_LOAD ? event->duration : 0;
}

/* ---- the load/store unit ---- */

static void begin(struct tl_probe *probe, const struct loom_event *event)
{
    struct tl_sm *sm = probe->sm;
    loom_time skipped =
        tl_time(probe, event->now) - loom_cycle_time(probe->host, event->now);
    struct tl_load *load;

    if (event->request->origin >= sm->loads) {
        return;
    }
    load = &sm->load[event->request->origin];
    drop(probe->timeline, load);
    *load = (struct tl_load){
        .kernel = event->kernel,
        .born = event->request->born + skipped,
        .inst = event->inst,
        .cta = event->cta,
        .accesses = event->count,
        .warp = event->warp,
        .first = TL_NO_ACCESS,
    };
}

static void finish(struct tl_probe *probe, const struct loom_event *event)
{
    struct timeline *t = probe->timeline;
    struct tl_sm *sm = probe->sm;
    loom_time done = tl_time(probe, event->now);
    struct tl_load *load =
        event->count < sm->loads ? &sm->load[event->count] : NULL;
    struct tl_load other = {
        .kernel = event->kernel,
        .born = tl_time(probe, event->now - event->duration),
        .inst = event->inst,
        .cta = event->cta,
        .warp = event->warp,
        .first = TL_NO_ACCESS,
    };

    if (load == NULL || load->kernel == NULL) { /* no L1D has answered */
        if (other.kernel == NULL && event->warp < sm->warps) {
            other.kernel = sm->watch != NULL ? sm->watch[event->warp].kernel
                                             : sm->warp[event->warp].kernel;
        }
        load = &other;
    }
    if (load->kernel == NULL) {
        return;
    }
    if (sm->watch != NULL && event->warp < sm->warps) {
        tl_profile_load(t, &sm->watch[event->warp], load, last_of(t, load),
                        event, done);
    }
    t->loads += load->kernel->inst[load->inst].op == LOOM_OP_LOAD ? 1 : 0;
    if (wanted(t, load, done) && tl_may_write(&t->out)) {
        put_load(t, sm, load, event, done);
        for (uint16_t at = load->first; at != TL_NO_ACCESS;
             at = t->access[at].next) {
            put_in_parts(t, &t->access[at], tl_last_sector(&t->access[at]));
            if (load->accesses > 1) {
                put_access(t, sm, &t->access[at], load->born);
            }
        }
    }
    drop(t, load);
}

void tl_loads(struct tl_probe *probe, const struct loom_event *event)
{
    if (event->kind == LOOM_EVENT_MEM_ISSUE) {
        begin(probe, event);
    } else {
        finish(probe, event);
    }
}
