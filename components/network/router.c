/*
 * The routers: input-queued, with virtual channels, credits and wormhole flow
 * control (Dally and Towles, Principles and Practices of Interconnection
 * Networks, chapters 13 and 16; the stages are those of BookSim 2's iq_router).
 *
 * A head flit that arrives at cycle t may get a virtual channel of its output
 * at t + routing_delay, and the switch a cycle later (with `speculative` in
 * the same cycle); body flits only need the switch.  A flit that gets the
 * switch at s is at the next router at s + switch_delay + link_latency.
 *
 * Virtual channels.  Each output serves the input VCs that want it in turn,
 * each of which takes the next of the free VCs that it may take, with a credit
 * if one has.  A VC is free for another packet the cycle after its last flit
 * got the switch, so with one VC an output sends at most L flits in L + 1
 * cycles.
 *
 * Switch.  One iteration of iSLIP (McKeown 1999): each output grants the next
 * input in turn that has a flit and a credit for it, each input accepts the
 * next granted output in turn, and turns move on only where that happened.
 *
 * A cycle: events, then virtual channels, then the switch.  What they do to
 * each other's state is seen in the next cycle.
 */
#include <string.h>

#include "components/network/router_private.h"

/* Notes by which outputs slots can send. */
static LOOM_INLINE void note(struct visit *v, uint64_t *sends)
{
    *sends = (*sends & ~v->idle) | v->busy;
    v->idle = v->busy = 0;
}

/* ---- virtual channel allocation ---- */

/* The input VC of `slot` gets one of the VCs in `free` of `output`: one with a
 * credit if there is one, in turn.  Returns which. */
static LOOM_INLINE uint32_t give(struct visit *v, uint32_t output,
                                 uint32_t slot, uint32_t free,
                                 struct network_shape k)
{
    struct network_port *port = port_of(v, output, k);
    uint32_t with = free & vcs_of(state(v, NETWORK_CREDITED, k), output, k);
    uint32_t number = next_bit(with != 0 ? with : free, port->grant_vc);
    uint32_t lane = (output << k.vc) + number;

    port->want_turn = (uint16_t)(slot + 1);
    port->grant_vc = (uint8_t)(number + 1);
    vc_of(v, slot, k)->output_vc = (uint8_t)number;
    lane_of(v, lane, k)->owner = (uint16_t)slot;
    clear_slot(state(v, NETWORK_UNOWNED, k), lane, k);
    clear_slot(askers(v->block, output, NETWORK_WANTS, k), slot, k);
    if (LOOM_LIKELY(with != 0)) {
        set_slot(askers(v->block, output, NETWORK_SENDS, k), slot, k);
        v->busy |= loom_bit(v->bit);
    }
    v->moved = true;
    return number;
}

/* Gives an output VC, if one that the slot may take is free and its sink, if
 * it is there, has room.  Returns what is free then. */
static LOOM_INLINE uint32_t try_give(struct visit *v, uint32_t output,
                                     uint32_t slot, uint32_t free,
                                     struct network_shape k)
{
    uint32_t some = free;

    if (!k.plain) {
        some &= v->f->tail[number_of(v, slot, k)].allowed;
        if (some == 0) {
            return free;
        }
    }
    if (port_of(v, output, k)->to == NETWORK_NONE &&
        !reserve(v->f, vc_of(v, slot, k)->head / 2)) {
        return free;
    }
    return free & ~(1u << give(v, output, slot, some, k));
}

/* The input that the output's arbiter takes. */
static uint32_t arbitrate(const struct visit *v, uint32_t output,
                          const uint32_t *mask)
{
    struct fabric *f = v->f;
    uint64_t inputs = 0;
    uint32_t input;

    for (uint32_t i = 0; i < f->ports; i++) {
        inputs |= vcs_of(mask, i, any_shape(f)) != 0 ? loom_bit(i) : 0;
    }
    input = f->arbiter_ops->pick(f->arbiter, v->router * f->ports + output,
                                 &inputs, v->now);
    LOOM_CHECK(input < f->ports && (inputs >> input & 1) != 0);
    return input;
}

/* The order is the arbiter's. */
static LOOM_INLINE bool allocate_asking(struct visit *v, uint32_t output)
{
    const struct network_shape k = any_shape(v->f);
    uint32_t free = vcs_of(state(v, NETWORK_UNOWNED, k), output, k);
    uint32_t left[NETWORK_PORTS * NETWORK_VCS / 32];

    memcpy(left, askers(v->block, output, NETWORK_WANTS, k),
           k.words * sizeof(*left));
    while (free != 0 && !no_slot(left, k)) {
        uint32_t input = arbitrate(v, output, left);
        uint32_t slot = (input << k.vc) + loom_lowest(vcs_of(left, input, k));

        clear_slot(left, slot, k);
        free = try_give(v, output, slot, free, k);
    }
    return no_slot(askers(v->block, output, NETWORK_WANTS, k), k);
}

/* Every slot that asks is tried once, while there is a free VC.  True if none
 * asks any more. */
static LOOM_INLINE bool allocate_output(struct visit *v, uint32_t output,
                                        struct network_shape k)
{
    uint32_t free = vcs_of(state(v, NETWORK_UNOWNED, k), output, k);
    uint32_t start = port_of(v, output, k)->want_turn;
    uint32_t left[NETWORK_PORTS * NETWORK_VCS / 32];

    for (uint32_t w = 0; w < k.words; w++) {
        left[w] = askers(v->block, output, NETWORK_WANTS, k)[w];
    }
    while (free != 0 && !no_slot(left, k)) {
        start = next_slot(left, k.words, start);
        clear_slot(left, start, k);
        free = try_give(v, output, start, free, k);
    }
    return no_slot(askers(v->block, output, NETWORK_WANTS, k), k);
}

/* ---- switch allocation and traversal ---- */

/* The last flit of a packet leaves input VC `slot` by output VC `lane`. */
static LOOM_INLINE void finish(struct visit *v, uint32_t slot, uint32_t lane,
                               struct network_shape k)
{
    struct network_vc *vc = vc_of(v, slot, k);

    vc->output = NETWORK_NO_OUTPUT;
    vc->output_vc = NETWORK_NO_VC;
    if (k.plain) {
        set_slot(state(v, NETWORK_UNOWNED, k), lane, k);
        v->hops[0]++;
    } else {
        bool second = v->f->classes == 2 && low(lane, k.vc) >= v->f->class_vcs;

        v->freed[v->frees++] = (uint16_t)lane;
        v->hops[second ? 1 : 0]++;
    }
    if (vc->count != 0 && !k.plain && v->f->rounds != 1) {
        network_route(v->f, number_of(v, slot, k), v->f->round + 1);
    } else if (vc->count != 0) {
        schedule(&v->lists, NETWORK_ROUTE, number_of(v, slot, k));
    }
}

/* What finish() freed can be given in the next cycle.  Plain routers give VCs
 * before any is freed. */
static LOOM_INLINE void take_back(struct visit *v, struct network_shape k)
{
    for (uint32_t i = 0; i < v->frees; i++) {
        set_slot(state(v, NETWORK_UNOWNED, k), v->freed[i], k);
    }
    v->frees = 0;
}

/* A flit leaves by an output VC, into the buffer behind it or to a sink.
 * False if there is no place for another one. */
static LOOM_INLINE bool hand_on(struct visit *v, uint32_t output,
                                uint32_t number, uint32_t flit,
                                struct network_shape k)
{
    struct network_port *port = port_of(v, output, k);
    struct network_lane *lane = lane_of(v, number, k);

    if (LOOM_UNLIKELY(++port->flits == 0)) {
        v->f->sent[v->router << k.port | output] += UINT16_MAX + 1u;
    }
    if (!k.plain && v->f->rounds != 1) {
        network_launch(v->f, number_of(v, number, k), flit);
    } else if (port->to == NETWORK_NONE) {
        schedule(&v->lists, NETWORK_EJECT, flit);
        return true;
    } else {
        schedule(&v->lists, NETWORK_ARRIVE, port->to + low(number, k.vc));
        schedule(&v->lists, NETWORK_ARRIVE, flit);
    }
    if (!k.plain && v->f->paced) {
        v->f->free_at[v->router << k.port | output] =
            v->now + v->f->config->link_period;
    }
    if (LOOM_UNLIKELY(--lane->credits == 0)) {
        clear_slot(state(v, NETWORK_CREDITED, k), number, k);
        return false;
    }
    return true;
}

/* The place of a flit of slot `slot` is free.  Whether there is a router before
 * is hard to foresee, so there is no branch. */
static LOOM_INLINE void give_back(struct visit *v, uint32_t slot,
                                  struct network_shape k)
{
    uint32_t before = port_of(v, slot >> k.vc, k)->before;

    if (!k.plain && v->f->rounds != 1) {
        network_make_room(v->f, number_of(v, slot, k));
        return;
    }
    *v->lists.next[NETWORK_CREDIT] =
        before + low(slot, k.vc) * (uint32_t)sizeof(struct network_lane);
    v->lists.next[NETWORK_CREDIT] += before != NETWORK_NONE;
}

static LOOM_INLINE void send(struct visit *v, uint32_t slot, uint32_t output,
                             struct network_shape k)
{
    struct fabric *f = v->f;
    struct network_vc *vc = vc_of(v, slot, k);
    uint32_t flit = vc->head;
    uint32_t number = (output << k.vc) + vc->output_vc;
    bool more = --vc->count != 0;

    if (more) {
        size_t where = number_of(v, slot, k);
        uint32_t first = f->tail[where].first;

        vc->head = f->flit[(where << k.ring) + first];
        f->tail[where].first = (uint16_t)low(first + 1, k.ring);
    }
    more = hand_on(v, output, number, flit, k) && more;
    give_back(v, slot, k);
    if ((flit & 1) != 0) {
        finish(v, slot, number, k);
        more = false;
    }
    if (!more) {
        uint32_t *sends = askers(v->block, output, NETWORK_SENDS, k);

        clear_slot(sends, slot, k);
        v->idle |= (uint64_t)no_slot(sends, k) << v->bit;
    }
}

/* Who of those that can send to `output` is granted it; a slot. */
static LOOM_INLINE uint32_t grant(const struct visit *v, uint32_t output,
                                  struct network_shape k)
{
    const uint32_t *mask = askers(v->block, output, NETWORK_SENDS, k);
    uint32_t input;

    if (k.plain || v->f->arbiter_ops == NULL) {
        uint32_t turn = port_of(v, output, k)->turn;

        input = next_slot(mask, k.words, turn << k.vc) >> k.vc;
    } else if (k.words == 1 && (mask[0] & (mask[0] - 1)) == 0) {
        return loom_lowest(mask[0]); /* nothing to decide */
    } else {
        input = arbitrate(v, output, mask);
    }
    return (input << k.vc) +
           next_bit(vcs_of(mask, input, k), port_of(v, input, k)->vc_turn);
}

/* The input of `slot` takes the output that granted it. */
static LOOM_INLINE void accept(struct visit *v, uint32_t slot, uint32_t output,
                               struct network_shape k)
{
    struct fabric *f = v->f;
    uint32_t input = slot >> k.vc;

    if (k.plain || f->arbiter_ops == NULL) {
        port_of(v, output, k)->turn = (uint8_t)(input + 1);
    } else if (f->arbiter_ops->granted != NULL) {
        f->arbiter_ops->granted(f->arbiter, v->router * f->ports + output,
                                input);
    }
    port_of(v, input, k)->accept_turn = (uint8_t)(output + 1);
    port_of(v, input, k)->vc_turn = (uint8_t)(low(slot, k.vc) + 1);
    send(v, slot, output, k);
}

/* Each input that some of the router's outputs `granted` takes one of them. */
static LOOM_INLINE void accept_one_each(struct visit *v, uint64_t granted,
                                        const uint16_t *slot,
                                        struct network_shape k)
{
    uint64_t inputs = 0;

    for (uint64_t rest = granted; rest != 0; rest &= rest - 1) {
        inputs |= loom_bit((uint32_t)slot[loom_lowest(rest)] >> k.vc);
    }
    for (; inputs != 0; inputs &= inputs - 1) {
        uint32_t input = loom_lowest(inputs), output;
        uint64_t offers = 0;

        for (uint64_t rest = granted; rest != 0; rest &= rest - 1) {
            output = loom_lowest(rest);
            offers |= (uint64_t)((uint32_t)slot[output] >> k.vc == input)
                      << output;
        }
        output = next_port(offers, port_of(v, input, k)->accept_turn);
        v->bit = output;
        accept(v, slot[output], output, k);
        for (offers &= ~loom_bit(output); offers != 0; offers &= offers - 1) {
            v->f->stalls[v->router << k.port | loom_lowest(offers)]++;
        }
    }
}

/* ---- plain routers: 64 at a time ---- */

enum {
    GRID_PORTS = 8 /* of a plain router, at most */
};

/* What their outputs granted. */
struct grants {
    uint64_t routers[GRID_PORTS]; /* by output */
    uint64_t inputs[GRID_PORTS];  /* routers of which the input is granted */
    uint8_t slot[GRID_PORTS][64]; /* of router n */
};

/* Outputs q < p of router number `n` granted the same input, which takes that
 * of which it is the turn. */
static LOOM_INLINE void choose(struct visit *v, struct grants *g, uint32_t p,
                               uint32_t n, struct network_shape k)
{
    uint32_t input = (uint32_t)g->slot[p][n] >> k.vc, loser = p, q;

    for (q = 0; q < p; q++) {
        if ((g->routers[q] >> n & 1) != 0 &&
            (uint32_t)g->slot[q][n] >> k.vc == input) {
            break;
        }
    }
    if (next_bit(1u << p | 1u << q, port_of(v, input, k)->accept_turn) == p) {
        loser = q;
    }
    g->routers[loser] &= ~loom_bit(n);
    v->f->stalls[v->router << k.port | loser]++;
}

static LOOM_INLINE void grant_all(struct visit *v, uint32_t w, struct grants *g,
                                  struct network_shape k)
{
    unsigned char *group = network_block(v->f->block, w * 64, k);

    memset(g->inputs, 0, sizeof(g->inputs));
    NETWORK_UNROLL
    for (uint32_t p = 0; p < k.ports; p++) {
        uint64_t rest = v->f->asked[NETWORK_SENDS][p * v->f->router_words + w];

        g->routers[p] = rest;
        v->moved = v->moved || rest != 0;
        for (; rest != 0; rest &= rest - 1) {
            uint64_t *inputs;
            uint32_t slot;

            enter_group(v, w, group, rest, k);
            slot = grant(v, p, k);
            g->slot[p][v->bit] = (uint8_t)slot;
            inputs = &g->inputs[slot >> k.vc];
            if (LOOM_UNLIKELY((*inputs >> v->bit & 1) != 0)) {
                choose(v, g, p, v->bit, k);
            }
            *inputs |= loom_bit(v->bit);
        }
    }
}

static LOOM_INLINE void allocate_all(struct visit *v, uint32_t w,
                                     struct network_shape k)
{
    unsigned char *group = network_block(v->f->block, w * 64, k);

    NETWORK_UNROLL
    for (uint32_t p = 0; p < k.ports; p++) {
        size_t word = (size_t)p * v->f->router_words + w;
        uint64_t rest = v->f->asked[NETWORK_WANTS][word], left = 0;

        for (; rest != 0; rest &= rest - 1) {
            enter_group(v, w, group, rest, k);
            left |= allocate_output(v, p, k) ? 0 : rest & -rest;
        }
        v->f->asked[NETWORK_WANTS][word] = left;
        note(v, &v->f->asked[NETWORK_SENDS][word]);
    }
}

static LOOM_INLINE void accept_all(struct visit *v, uint32_t w,
                                   const struct grants *g,
                                   struct network_shape k)
{
    unsigned char *group = network_block(v->f->block, w * 64, k);

    NETWORK_UNROLL
    for (uint32_t p = 0; p < k.ports; p++) {
        uint64_t rest = g->routers[p];

        for (; rest != 0; rest &= rest - 1) {
            enter_group(v, w, group, rest, k);
            accept(v, g->slot[p][v->bit], p, k);
        }
        note(v, &v->f->asked[NETWORK_SENDS][p * v->f->router_words + w]);
    }
}

/* Who gets a VC now sends in the next cycle, and a VC that is freed now is
 * given then: so VCs are given between grants and acceptance. */
static LOOM_INLINE void plain_routers(struct visit *v, struct network_shape k)
{
    struct grants g;

    for (uint32_t w = 0; w < v->f->router_words; w++) {
        grant_all(v, w, &g, k);
        allocate_all(v, w, k);
        accept_all(v, w, &g, k);
    }
}

/* ---- any routers: one by one, as arbiters might answer otherwise ---- */

static LOOM_INLINE void allocate(struct visit *v, struct network_shape k)
{
    uint64_t *wants = &v->f->asked[NETWORK_WANTS][v->router];

    for (uint64_t rest = *wants; rest != 0; rest &= rest - 1) {
        bool done;

        v->bit = loom_lowest(rest);
        done = v->f->arbiter_ops != NULL ? allocate_asking(v, v->bit)
                                         : allocate_output(v, v->bit, k);
        *wants &= ~((uint64_t)done << v->bit);
    }
    note(v, &v->f->asked[NETWORK_SENDS][v->router]);
}

static LOOM_INLINE void switch_flits(struct visit *v, struct network_shape k)
{
    struct fabric *f = v->f;
    uint16_t slot[NETWORK_PORTS]; /* that an output granted */
    uint64_t inputs = 0, twice = 0, granted = 0;
    uint64_t rest = f->asked[NETWORK_SENDS][v->router];

    for (; rest != 0; rest &= rest - 1) {
        uint32_t output = loom_lowest(rest);
        uint64_t input;

        if (f->paced && f->free_at[v->router << k.port | output] > v->now) {
            v->moved = true; /* the link will be free */
            continue;
        }
        slot[output] = (uint16_t)grant(v, output, k);
        input = loom_bit((uint32_t)slot[output] >> k.vc);
        granted |= loom_bit(output);
        twice |= inputs & input;
        inputs |= input;
    }
    v->moved = v->moved || granted != 0;
    if (twice != 0) {
        accept_one_each(v, granted, slot, k); /* arbiters are told by input */
        granted = 0;
    }
    for (; granted != 0; granted &= granted - 1) {
        v->bit = loom_lowest(granted);
        accept(v, slot[v->bit], v->bit, k);
    }
    note(v, &f->asked[NETWORK_SENDS][v->router]);
}

/* Who gets a VC now may send in the next cycle, unless that is `speculative`.
 */
static LOOM_INLINE void any_router(struct visit *v, struct network_shape k)
{
    if (v->f->config->speculative) {
        allocate(v, k);
        switch_flits(v, k);
    } else {
        switch_flits(v, k);
        allocate(v, k);
    }
    take_back(v, k);
}

static LOOM_INLINE void all_routers(struct fabric *f, loom_cycle now,
                                    struct network_shape k)
{
    struct visit v;

    v.f = f;
    v.now = now;
    v.lists = f->lists;
    v.idle = v.busy = 0;
    v.frees = 0;
    v.hops[0] = v.hops[1] = 0;
    v.moved = false;
    if (k.plain) {
        plain_routers(&v, k);
    }
    for (uint32_t r = 0; !k.plain && r < f->routers; r++) {
        if ((f->asked[NETWORK_WANTS][r] | f->asked[NETWORK_SENDS][r]) != 0) {
            enter(&v, r, k);
            any_router(&v, k);
        }
    }
    f->lists = v.lists;
    f->moved = f->moved || v.moved;
    *f->count[0].hops += v.hops[0];
    if (f->classes == 2) {
        *f->count[1].hops += v.hops[1];
    }
}

static LOOM_NOINLINE void grid_routers(struct fabric *f, loom_cycle now)
{
    all_routers(f, now, grid_shape());
}

static LOOM_NOINLINE void any_routers(struct fabric *f, loom_cycle now)
{
    all_routers(f, now, any_shape(f));
}

void network_routers(struct fabric *f, loom_cycle now)
{
    if (is_grid(f)) {
        grid_routers(f, now);
        return;
    }
    any_routers(f, now);
    for (uint32_t i = 1; i < f->rounds; i++) {
        f->round++;
        network_round_events(f);
        any_routers(f, now);
    }
}
