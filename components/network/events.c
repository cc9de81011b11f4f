/*
 * The first half of a router's cycle: flits that arrive, places that become
 * free, packets that have been routed.
 *
 * Events lie in wheels, one for each kind, because each has one delay: a cycle
 * writes one bucket of each wheel and reads another.
 *
 * With internal_speedup a cycle has several rounds, in each of which routers do
 * all of their stages, and delays differ: a flit that has passed the switch
 * waits for its link, which takes one in a cycle, and so do credits.  Wheels
 * are by cycle then but for routes, which are by round.
 */
#include "components/network/router_private.h"

/* The bucket of what is scheduled now. */
static uint32_t new_slot(const struct network_wheel *w, loom_cycle now)
{
    return (uint32_t)(now + w->delay) & (w->size - 1);
}

static LOOM_INLINE uint32_t *bucket(const struct network_wheel *w,
                                    uint32_t slot)
{
    return w->event + (size_t)slot * w->bucket;
}

/* An event of cycle, or round, `at`. */
static void schedule_at(struct fabric *f, enum network_event_kind kind,
                        uint64_t at, uint32_t event)
{
    struct network_wheel *w = &f->wheel[kind];
    uint32_t slot = (uint32_t)at & (w->size - 1);

    LOOM_CHECK(w->count[slot] < w->bucket);
    bucket(w, slot)[w->count[slot]++] = event;
}

void network_route(struct fabric *f, uint32_t number, uint64_t round)
{
    uint32_t delay = f->config->routing_delay, s = f->rounds;

    /* A stage of one cycle takes a round; one of more cycles ends after the
     * first round of its last. */
    schedule_at(f, NETWORK_ROUTE,
                delay <= 1 ? round + delay : (round / s + delay - 1) * s + 1,
                number);
}

void network_launch(struct fabric *f, uint32_t number, uint32_t flit)
{
    const struct network_config *config = f->config;
    uint32_t port = number >> f->vc_shift;
    uint32_t to = f->graph->to[port];
    loom_cycle now = f->round / f->rounds;
    loom_cycle at = (f->round + 1) / f->rounds + config->switch_delay;

    at = at > now + 2 ? at - 2 : now;
    at = at > f->free_at[port] ? at : f->free_at[port];
    f->free_at[port] = at + (to == NETWORK_NONE ? 1 : config->link_period);
    if (to == NETWORK_NONE) {
        schedule_at(f, NETWORK_EJECT, at + 2, flit);
        schedule_at(f, NETWORK_CREDIT, at + 2 + config->credit_delay,
                    network_lane_place(number, f->shape));
        return;
    }
    at += 1 + config->link_latency;
    schedule_at(f, NETWORK_ARRIVE, at,
                (to << f->vc_shift) + low(number, f->vc_shift));
    schedule_at(f, NETWORK_ARRIVE, at, flit);
}

void network_make_room(struct fabric *f, uint32_t number)
{
    uint32_t port = number >> f->vc_shift;
    uint32_t from = f->graph->from[port];
    loom_cycle at = f->round / f->rounds;

    at = at > f->credit_at[port] ? at : f->credit_at[port];
    f->credit_at[port] = at + 1;
    if (from == NETWORK_NONE) { /* and a cycle of the source's link */
        *network_next_place(f, number, &f->home[number].made) =
            at + f->config->credit_delay + 1;
        return;
    }
    schedule_at(
        f, NETWORK_CREDIT, at + f->config->credit_delay,
        network_lane_place((from << f->vc_shift) + low(number, f->vc_shift),
                           f->shape));
}

void network_close_wheels(struct fabric *f, loom_cycle now)
{
    if (f->rounds != 1) {
        return; /* schedule_at() counts */
    }
    for (uint32_t i = 0; i < NETWORK_WHEELS; i++) {
        struct network_wheel *w = &f->wheel[i];
        uint32_t slot = new_slot(w, now);
        size_t count =
            (size_t)(f->lists.next[i] - (w->event + (size_t)slot * w->bucket));

        LOOM_CHECK(count <= w->bucket);
        w->count[slot] = (uint32_t)count;
    }
}

/* The next cycle, or round, after `now` with an event before `next`. */
static uint64_t next_of(const struct network_wheel *w, uint64_t now,
                        uint64_t next)
{
    for (uint64_t i = 1; i <= w->size && now + i < next; i++) {
        if (w->count[(uint32_t)(now + i) & (w->size - 1)] != 0) {
            return now + i;
        }
    }
    return next;
}

loom_cycle network_next_event(const struct fabric *f, loom_cycle now)
{
    loom_cycle next = LOOM_NEVER;

    for (uint32_t k = 0; k < NETWORK_WHEELS; k++) {
        if (k != NETWORK_ROUTE || f->rounds == 1) {
            next = next_of(&f->wheel[k], now, next);
        }
    }
    if (f->rounds != 1) {
        uint64_t round =
            next_of(&f->wheel[NETWORK_ROUTE], f->round, LOOM_NEVER);

        if (round != LOOM_NEVER && round / f->rounds < next) {
            next = round / f->rounds;
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

/* What ask() has to find out is known already if nothing depends on the
 * cycle. */
static LOOM_INLINE void look_ahead(struct fabric *f,
                                   struct network_lists *lists,
                                   struct network_vc *vc, uint32_t number,
                                   struct network_shape k)
{
    uint32_t site = f->aim[vc->head / 2] / 2;
    size_t router = number >> (k.port + k.vc);
    uint32_t output = f->route[router * f->sites + site];

    vc->output = (uint8_t)(output < NETWORK_PORTS ? output : NETWORK_NO_OUTPUT);
    schedule(lists, NETWORK_LOOK, number);
}

/* The packet at the head of an input VC asks for an output. */
static LOOM_INLINE void ask(struct fabric *f, uint32_t number,
                            struct network_shape k)
{
    uint32_t router = number >> (k.port + k.vc);
    uint32_t slot = low(number, k.port + k.vc);
    struct network_vc *vc = network_vc_at(f->block, number, k);
    uint32_t aim = f->aim[vc->head / 2];
    uint32_t output;

    if (k.plain || f->route != NULL) {
        output = f->route[(size_t)router * f->sites + aim / 2];
    } else {
        output = route(f, router, slot >> k.vc, aim / 2);
    }
    if (LOOM_UNLIKELY(output >= NETWORK_PORTS)) {
        if (k.plain || f->route != NULL) {
            route(f, router, 0, aim / 2); /* says what is wrong */
        }
        return;
    }
    vc->output = (uint8_t)output;
    if (!k.plain) { /* there it has never been another one */
        f->tail[number].allowed =
            f->any_vc ? f->all_vcs[aim % 2]
                      : (uint16_t)allowed_vcs(f, number, output, aim);
    }
    mark(f, NETWORK_WANTS, router, output, slot, k);
}

/* A flit waits behind others of its VC, which are `before`. */
static LOOM_INLINE void queue_flit(struct fabric *f, uint32_t number,
                                   uint32_t before, uint32_t flit,
                                   struct network_shape k)
{
    f->flit[((size_t)number << k.ring) +
            low(f->tail[number].first + before - 1, k.ring)] = flit;
}

static LOOM_INLINE void arrive(struct fabric *f, struct network_lists *lists,
                               uint32_t number, uint32_t flit,
                               struct network_shape k)
{
    uint32_t router = number >> (k.port + k.vc);
    uint32_t slot = low(number, k.port + k.vc), lane;
    unsigned char *block = network_block(f->block, router, k);
    struct network_vc *vc = &block_vcs(block, k)[slot];

    if (vc->count++ != 0) {
        queue_flit(f, number, vc->count - 1u, flit, k);
        return;
    }
    vc->head = flit;
    if (vc->output_vc != NETWORK_NO_VC) {
        lane = ((uint32_t)vc->output << k.vc) + vc->output_vc;
        if (block_lanes(block, k)[lane].credits != 0) {
            mark(f, NETWORK_SENDS, router, vc->output, slot, k);
        }
    } else if (k.plain) {
        look_ahead(f, lists, vc, number, k);
    } else if (f->looks && f->rounds != 1) {
        network_route(f, number, f->round);
    } else if (f->looks) {
        schedule(lists, NETWORK_LOOK, number);
    } else {
        ask(f, number, k);
    }
}

void network_arrive(struct fabric *f, uint32_t number, uint32_t flit)
{
    if (is_grid(f)) {
        arrive(f, &f->lists, number, flit, grid_shape());
    } else {
        arrive(f, &f->lists, number, flit, any_shape(f));
    }
}

/* There was no place behind the output VC at `place`, now there is one. */
static LOOM_NOINLINE void first_credit(struct fabric *f, uint32_t place)
{
    bool grid = is_grid(f);
    struct network_shape k = grid ? grid_shape() : any_shape(f);
    uint32_t router = place / k.block;
    uint32_t slot =
        (place % k.block - k.lanes_at) / (uint32_t)sizeof(struct network_lane);
    unsigned char *block = network_block(f->block, router, k);
    uint32_t owner = block_lanes(block, k)[slot].owner;

    set_slot(block_state(block, NETWORK_CREDITED, k), slot, k);
    if ((vcs_of(block_state(block, NETWORK_UNOWNED, k), slot >> k.vc, k) >>
             low(slot, k.vc) &
         1) == 0 &&
        block_vcs(block, k)[owner].count != 0) {
        mark(f, NETWORK_SENDS, router, slot >> k.vc, owner, k);
    }
}

/* The packet of this event asks for an output. */
static LOOM_INLINE void look(struct fabric *f, uint32_t number,
                             struct network_shape k)
{
    uint32_t router = number >> (k.port + k.vc);
    uint32_t slot = low(number, k.port + k.vc);
    uint32_t output = network_vc_at(f->block, number, k)->output;

    if (k.plain && LOOM_LIKELY(output != NETWORK_NO_OUTPUT)) {
        mark(f, NETWORK_WANTS, router, output, slot, k);
    } else {
        ask(f, number, k);
    }
}

/* A flit has come out at a sink. */
static LOOM_INLINE void eject(struct fabric *f, uint32_t flit)
{
    uint32_t aim = f->aim[flit / 2], lane = aim % 2;
    uint32_t link = f->link_at[lane][aim / 2];
    struct network_sink *sink = &f->sink[lane][link];

    if ((flit & 1) == 0) {
        return;
    }
    if (sink->head == NETWORK_NONE) {
        sink->head = flit / 2;
        network_set(f->delivering[lane], link);
    } else {
        f->packet[sink->tail].next = flit / 2;
    }
    sink->tail = flit / 2;
}

struct due {
    const uint32_t *event;
    uint32_t count;
};

static LOOM_INLINE void do_events(struct fabric *f, const struct due *due,
                                  struct network_shape k)
{
    struct network_lists lists = f->lists; /* in registers */
    const uint32_t *e, *end;

    for (e = due[NETWORK_CREDIT].event, end = e + due[NETWORK_CREDIT].count;
         e != end; e++) {
        if (LOOM_UNLIKELY(network_lane_at(f->block, *e)->credits++ == 0)) {
            first_credit(f, *e);
        }
    }
    for (e = due[NETWORK_ROUTE].event, end = e + due[NETWORK_ROUTE].count;
         e != end; e++) {
        ask(f, *e, k);
    }
    for (e = due[NETWORK_LOOK].event, end = e + due[NETWORK_LOOK].count;
         e != end; e++) {
        look(f, *e, k);
    }
    for (e = due[NETWORK_ARRIVE].event, end = e + due[NETWORK_ARRIVE].count;
         e != end; e += 2) {
        arrive(f, &lists, e[0], e[1], k);
    }
    for (e = due[NETWORK_EJECT].event, end = e + due[NETWORK_EJECT].count;
         e != end; e++) {
        eject(f, *e);
    }
    f->lists = lists;
}

/* The events of a cycle, or round; their bucket is empty then. */
static LOOM_INLINE struct due take_due(struct fabric *f,
                                       struct network_wheel *w, uint64_t at)
{
    uint32_t slot = (uint32_t)at & (w->size - 1);
    struct due due = {bucket(w, slot), w->count[slot]};

    w->count[slot] = 0;
    f->moved = f->moved || due.count != 0;
    return due;
}

static LOOM_NOINLINE void grid_events(struct fabric *f, const struct due *due)
{
    do_events(f, due, grid_shape());
}

static LOOM_NOINLINE void any_events(struct fabric *f, const struct due *due)
{
    do_events(f, due, any_shape(f));
}

void network_events(struct fabric *f, loom_cycle now)
{
    struct due due[NETWORK_WHEELS];

    for (uint32_t i = 0; i < NETWORK_WHEELS; i++) {
        struct network_wheel *w = &f->wheel[i];
        uint64_t at = i == NETWORK_ROUTE ? f->round : now;

        due[i] = take_due(f, w, at);
        f->lists.next[i] = bucket(w, new_slot(w, now));
    }
    if (is_grid(f)) {
        grid_events(f, due);
    } else {
        any_events(f, due);
    }
}

void network_round_events(struct fabric *f)
{
    struct due due = take_due(f, &f->wheel[NETWORK_ROUTE], f->round);

    for (uint32_t i = 0; i < due.count; i++) {
        ask(f, due.event[i], any_shape(f));
    }
}
