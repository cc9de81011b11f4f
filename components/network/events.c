/*
 * The first half of a router's cycle: flits that arrive, places that become
 * free, packets that have been routed.
 *
 * Events lie in wheels, one for each kind, because each has one delay: a cycle
 * writes one bucket of each wheel and reads another.
 */
#include "components/network/router_private.h"

/* This cycle's new events go where they are due. */
static void open_wheel(struct network_wheel *w, loom_cycle now)
{
    uint32_t slot = (uint32_t)(now + w->delay) & (w->size - 1);

    w->next = w->event + (size_t)slot * w->bucket;
}

void network_close_wheels(struct fabric *f, loom_cycle now)
{
    for (uint32_t k = 0; k < NETWORK_WHEELS; k++) {
        struct network_wheel *w = &f->wheel[k];
        uint32_t slot = (uint32_t)(now + w->delay) & (w->size - 1);
        size_t count =
            (size_t)(w->next - (w->event + (size_t)slot * w->bucket));

        LOOM_CHECK(count <= w->bucket);
        w->count[slot] = (uint32_t)count;
    }
}

loom_cycle network_next_event(const struct fabric *f, loom_cycle now)
{
    loom_cycle next = LOOM_NEVER;

    for (uint32_t k = 0; k < NETWORK_WHEELS; k++) {
        const struct network_wheel *w = &f->wheel[k];

        for (loom_cycle i = 1; i < w->size && now + i < next; i++) {
            if (w->count[(uint32_t)(now + i) & (w->size - 1)] != 0) {
                next = now + i;
            }
        }
    }
    return next;
}

/* ---- input virtual channels ---- */

/* Output of router `router` for a packet that came by `input`; NETWORK_NONE
 * after an error. */
static uint32_t route(struct fabric *f, uint32_t router, uint32_t input,
                      uint32_t site)
{
    uint32_t output = f->routing_ops->route(f->routing, router, input, site);
    uint32_t port = router << f->port_shift | output;
    struct loom_error err;

    if (output < f->ports && (f->graph->to[port] != NETWORK_NONE ||
                              f->graph->site_of[port] == site)) {
        return output;
    }
    loom_fail(&err, LOOM_ERR_CONFIG,
              "%s: routing sends a packet for site %u by port %u of router %u, "
              "which leads elsewhere",
              loom_component_path(f->self), site, output, router);
    loom_raise(f->self, &err);
    return NETWORK_NONE;
}

static uint64_t allowed_vcs(struct fabric *f, uint32_t where, uint32_t output,
                            uint32_t aim)
{
    uint32_t base = aim % 2 * f->class_vcs;
    struct loom_hop hop = {.router = where >> (f->port_shift + f->vc_shift),
                           .input = low(where >> f->vc_shift, f->port_shift),
                           .vc = low(where, f->vc_shift) - base,
                           .output = output,
                           .destination = aim / 2};
    uint64_t all = loom_bit(f->class_vcs) - 1;
    uint64_t vcs = f->routing_ops->vcs(f->routing, &hop);

    LOOM_CHECK(vcs != 0 && (vcs & ~all) == 0);
    return vcs << base;
}

/* The packet at the head of VC `where` asks for an output. */
static LOOM_INLINE void ask(struct fabric *f, uint32_t where, struct shape k)
{
    struct network_vc *vc = &f->vc[where];
    uint32_t aim = f->aim[vc->head / 2];
    uint32_t router = where >> (k.port + k.vc), output;

    if (k.plain || f->route != NULL) {
        output = f->route[(size_t)router * f->sites + aim / 2];
    } else {
        output = route(f, router, low(where >> k.vc, k.port), aim / 2);
    }
    if (LOOM_UNLIKELY(output >= NETWORK_PORTS)) {
        if (k.plain || f->route != NULL) {
            route(f, router, 0, aim / 2); /* says what is wrong */
        }
        return;
    }
    vc->output = (uint8_t)output;
    vc->allowed = k.plain     ? f->all_vcs[0]
                  : f->any_vc ? f->all_vcs[aim % 2]
                              : (uint16_t)allowed_vcs(f, where, output, aim);
    mark(f, NETWORK_WANTS, router << k.port | output, low(where, k.port + k.vc),
         k);
}

static LOOM_INLINE void arrive(struct fabric *f, uint32_t where, uint32_t flit,
                               struct shape k)
{
    struct network_vc *vc = &f->vc[where];
    uint32_t router = where >> (k.port + k.vc);
    uint32_t lane;

    if (vc->count++ != 0) {
        f->flit[((size_t)where << k.ring) +
                low(vc->first + vc->count - 2u, k.ring)] = flit;
        return;
    }
    vc->head = flit;
    if (vc->output_vc != NETWORK_NO_VC) {
        lane = ((uint32_t)vc->output << k.vc) + vc->output_vc;
        if ((state_of(f, router,
                      k)[NETWORK_UNOWNED + k.words + word_of(lane, k)] >>
                 lane % 64 &
             1) != 0) {
            mark(f, NETWORK_SENDS, router << k.port | vc->output,
                 low(where, k.port + k.vc), k);
        }
    } else if (k.plain || f->looks) {
        schedule(f, NETWORK_LOOK, where, 0);
    } else {
        ask(f, where, k);
    }
}

void network_arrive(struct fabric *f, uint32_t where, uint32_t flit)
{
    arrive(f, where, flit, shape_of(f));
}

/* A place is free behind output VC `where`. */
static LOOM_INLINE void credit(struct fabric *f, uint32_t where, struct shape k)
{
    struct network_lane *lane = &f->lane[where];
    uint32_t router = where >> (k.port + k.vc);
    uint32_t slot = low(where, k.port + k.vc);

    if (lane->credits++ != 0) {
        return;
    }
    set_slot(state_of(f, router, k) + NETWORK_UNOWNED + k.words, slot, k);
    if (lane->owner != NETWORK_NO_SLOT &&
        f->vc[where - slot + lane->owner].count != 0) {
        mark(f, NETWORK_SENDS, where >> k.vc, lane->owner, k);
    }
}

struct due {
    const struct network_event *event;
    uint32_t count;
};

static LOOM_INLINE void do_events(struct fabric *f, const struct due *due,
                                  struct shape k)
{
    for (uint32_t i = 0; i < due[NETWORK_CREDIT].count; i++) {
        credit(f, due[NETWORK_CREDIT].event[i].where, k);
    }
    for (uint32_t i = 0; i < due[NETWORK_ROUTE].count; i++) {
        ask(f, due[NETWORK_ROUTE].event[i].where, k);
    }
    for (uint32_t i = 0; i < due[NETWORK_LOOK].count; i++) {
        ask(f, due[NETWORK_LOOK].event[i].where, k);
    }
    for (uint32_t i = 0; i < due[NETWORK_ARRIVE].count; i++) {
        arrive(f, due[NETWORK_ARRIVE].event[i].where,
               due[NETWORK_ARRIVE].event[i].flit, k);
    }
    for (uint32_t i = 0; i < due[NETWORK_EJECT].count; i++) {
        network_eject(f, due[NETWORK_EJECT].event[i].flit);
    }
}

static LOOM_NOINLINE void grid_events(struct fabric *f, const struct due *due)
{
    do_events(f, due, grid_shape);
}

static LOOM_NOINLINE void any_events(struct fabric *f, const struct due *due)
{
    do_events(f, due, shape_of(f));
}

void network_events(struct fabric *f, loom_cycle now)
{
    struct due due[NETWORK_WHEELS];

    for (uint32_t i = 0; i < NETWORK_WHEELS; i++) {
        struct network_wheel *w = &f->wheel[i];
        uint32_t slot = (uint32_t)now & (w->size - 1);

        due[i] =
            (struct due){w->event + (size_t)slot * w->bucket, w->count[slot]};
        w->count[slot] = 0;
        f->moved = f->moved || due[i].count != 0;
        open_wheel(w, now);
    }
    if (is_grid(f)) {
        grid_events(f, due);
    } else {
        any_events(f, due);
    }
}
