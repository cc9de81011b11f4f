/*
 * One switch of a crossbar: input-queued, one packet at a time per input and
 * output (wormhole with one virtual channel).
 *
 * A packet of n flits that is granted at cycle t holds its output for n
 * cycles and its input for n / input_speedup, and packet_gap more; its tail
 * reaches the end of the output's pipeline, and the packet is delivered, at
 * t + latency + n - 1.  Inputs are FIFOs, so a head that loses holds up those
 * behind it.
 *
 * With internal_speedup s a cycle has s rounds of grants, and what a packet
 * holds for how long is in speedup.c.  Times of the switch (free_at, held_at,
 * arbitrate_at) count rounds, those of links cycles.
 *
 * In one cycle: packets that are complete leave (one per output), packets
 * that have arrived come in (one per input), free outputs choose among the
 * heads that ask for them.  Heads ask for one output only, so one choice per
 * output is a maximal match.  All work is done for inputs and outputs whose
 * bit is set in a mask, and the cycle of the next event is returned.
 *
 * Invariants: an input with packets is in `held` or its head asks for its
 * output; an output is in `wanted` exactly while a bit of its requests is set.
 */
#include "engine/free_list.h"

#include "components/crossbar/crossbar_private.h"

static inline void sooner(loom_cycle *next, loom_cycle at)
{
    *next = at < *next ? at : *next;
}

/* Words of a mask of inputs and of one of outputs, and rounds of a cycle.
 * Most switches have one of each, so a tick is compiled twice: with this
 * constant, and without. */
struct words {
    uint32_t in, out, rounds;
};

static LOOM_INLINE uint32_t word_of(uint32_t words, uint32_t n)
{
    return words == 1 ? 0 : n / 64;
}

/* The bit of port n in its word, if `set`. */
static inline uint64_t bit_if(bool set, uint32_t n)
{
    return (uint64_t)set << n % 64;
}

/* ---- FIFOs ---- */

static inline void push(struct crossbar_fifo *fifo, struct crossbar_packet *p)
{
    p->next = NULL;
    *fifo->end = p;
    fifo->end = &p->next;
}

/* Removes the head, which is `p`; returns the next one. */
static inline struct crossbar_packet *pull(struct crossbar_fifo *fifo,
                                           const struct crossbar_packet *p)
{
    fifo->head = p->next;
    fifo->end = fifo->head == NULL ? &fifo->head : fifo->end;
    return fifo->head;
}

/* Is there room for `more` flits beside those that a FIFO holds?  A packet
 * longer than the whole buffer passes through an empty one. */
static inline bool fits(const struct crossbar_fifo *fifo, uint32_t flits,
                        uint32_t more, uint32_t limit)
{
    return flits + more <= limit || fifo->head == NULL;
}

static inline void release(struct crossbar_switch *sw,
                           struct crossbar_packet *p)
{
    uint32_t number = (uint32_t)(p - sw->packet);

    p->link = loom_free_link(number, sw->free);
    sw->free = number;
}

/* ---- out of the switch ---- */

/* The head of output `number` leaves. */
static LOOM_INLINE void deliver(struct crossbar_switch *sw,
                                struct crossbar_output *output, uint32_t number,
                                loom_cycle now, struct words words)
{
    struct crossbar_packet *p = output->fifo.head;
    struct loom_mem_request *message = loom_send(output->channel, now, 0);
    struct crossbar_packet *next = pull(&output->fifo, p);

    loom_mem_copy(message, &p->message);
    loom_histogram_add(sw->latency, now - p->arrived);
    output->flits -= p->flits;
    release(sw, p);
    sw->mask[word_of(words.out, number)].sending &=
        ~bit_if(next == NULL, number);
    output->ready = LOOM_NEVER;
    if (next != NULL) {
        output->ready = next->ready > now ? next->ready : now + 1;
    }
}

static LOOM_INLINE void deliver_all(struct crossbar_switch *sw, loom_cycle now,
                                    struct words words)
{
    loom_cycle next = LOOM_NEVER;
    bool blocked = false;

    for (uint32_t w = 0; w < words.out; w++) {
        for (uint64_t rest = sw->mask[w].sending; rest != 0; rest &= rest - 1) {
            uint32_t number = w * 64 + loom_lowest(rest);
            struct crossbar_output *output = &sw->output[number];

            if (output->ready <= now) {
                if (!loom_ready(output->channel, now)) {
                    blocked = true;
                    continue;
                }
                deliver(sw, output, number, now, words);
            }
            sooner(&next, output->ready);
        }
    }
    sw->deliver_at = next;
    sw->blocked = blocked;
}

/* ---- into the switch ---- */

/* Does an input ask for the output? */
static LOOM_INLINE bool is_asked(const struct crossbar_output *output,
                                 struct words words)
{
    return words.in == 1 ? output->requests != 0 : output->asked != 0;
}

static LOOM_INLINE uint64_t *requests_of(struct crossbar_switch *sw,
                                         struct crossbar_output *output,
                                         uint32_t to, struct words words)
{
    return words.in == 1 ? &output->requests
                         : sw->requests + (size_t)to * words.in;
}

/* The head of input `number` asks for its output from now on. */
static LOOM_INLINE void post(struct crossbar_switch *sw,
                             struct crossbar_input *input, uint32_t number,
                             loom_cycle now, struct words words)
{
    uint32_t to = input->fifo.head->output;
    struct crossbar_output *output = &sw->output[to];
    uint64_t *requests = requests_of(sw, output, to, words);

    requests[word_of(words.in, number)] |= bit_if(true, number);
    output->asked = (uint16_t)(output->asked + (words.in != 1));
    sw->mask[word_of(words.out, to)].wanted |= bit_if(true, to);
    input->asks_since = now;
}

/* No room for the message of an input.  A grant makes some, and sees to the
 * wake-up. */
static LOOM_NOINLINE void keep_out(struct crossbar_switch *sw, uint32_t number,
                                   loom_cycle now)
{
    struct crossbar_input *input = &sw->input[number];

    input->full_since =
        input->full_since == LOOM_NEVER ? now : input->full_since;
    sw->mask[number / 64].full |= loom_bit(number % 64);
}

/* A packet of an input whose link is held up has got its output. */
static LOOM_NOINLINE void make_room(struct crossbar_switch *sw, uint32_t number)
{
    sw->mask[number / 64].full &= ~loom_bit(number % 64);
}

/* Out of its link. */
static LOOM_INLINE void take_in(struct crossbar_input *input,
                                struct crossbar_packet *p, loom_cycle now)
{
    loom_mem_copy(&p->message, p->content);
    p->content = &p->message;
    loom_pop(input->channel, now); /* and wakes us for the next one */
}

/* A packet that may leave in the cycle in which it comes stays in its link
 * until then. */
static LOOM_INLINE void enter(struct crossbar_switch *sw, uint32_t number,
                              struct loom_mem_request *message, loom_cycle now,
                              struct words words)
{
    struct crossbar_input *input = &sw->input[number];
    uint32_t bytes = sw->mask_bytes == 0
                         ? loom_mem_packet_bytes(message)
                         : loom_mem_masked_bytes(message, sw->mask_bytes);
    uint32_t flits = 1;
    struct crossbar_packet *p = &sw->packet[sw->free];
    bool first = input->fifo.head == NULL;

    if (bytes > sw->flit_bytes) {
        flits = (bytes + sw->flit_bytes - 1) / sw->flit_bytes;
    }
    if (LOOM_UNLIKELY(!fits(&input->fifo, input->flits,
                            words.rounds == 1 ? flits : 1, sw->input_limit))) {
        keep_out(sw, number, now);
        return;
    }
    if (LOOM_UNLIKELY(input->full_since != LOOM_NEVER)) {
        *sw->count.input_full_cycles += now - input->full_since;
        input->full_since = LOOM_NEVER;
    }
    LOOM_CHECK(sw->free < sw->packets);
    sw->free = loom_free_next(sw->free, p->link);
    p->arrived = loom_arrival(input->channel);
    p->flits = flits;
    p->content = message;
    p->output = sw->route(sw->self, number, message);
    push(&input->fifo, p);
    input->flits += flits;
    input->flits_in += flits;
    if (words.rounds != 1) {
        crossbar_await(sw, number, p, now);
    }
    sw->sum.bytes += bytes;
    sw->sum.kind[message->kind]++;
    if (LOOM_LIKELY(first && input->free_at <= now * words.rounds)) {
        post(sw, input, number, now, words);
        sw->arbitrate_at = now * words.rounds;
        sw->mask[word_of(words.in, number)].fresh |= bit_if(true, number);
        return;
    }
    take_in(input, p, now);
    if (first) {
        sw->mask[word_of(words.in, number)].held |= bit_if(true, number);
        sooner(&sw->held_at, input->free_at);
    }
}

/* Those that did not leave. */
static LOOM_INLINE void take_in_all(struct crossbar_switch *sw, loom_cycle now,
                                    struct words words)
{
    for (uint32_t w = 0; w < words.in; w++) {
        for (uint64_t rest = sw->mask[w].fresh; rest != 0; rest &= rest - 1) {
            struct crossbar_input *input =
                &sw->input[w * 64 + loom_lowest(rest)];

            take_in(input, input->fifo.head, now);
        }
        sw->mask[w].fresh = 0;
    }
}

/* The oldest message of each input, if it has arrived and there is room. */
static LOOM_INLINE void enter_all(struct crossbar_switch *sw, loom_cycle now,
                                  struct words words)
{
    for (uint32_t w = 0; w < words.in; w++) {
        uint64_t rest = sw->mask[w].pending & ~sw->mask[w].full;
        uint64_t here = 0;

        for (; rest != 0; rest &= rest - 1) {
            uint32_t number = loom_lowest(rest);
            const struct crossbar_input *input = &sw->input[w * 64 + number];

            here |= bit_if(loom_arrival(input->channel) <= now, number);
        }
        for (; here != 0; here &= here - 1) {
            uint32_t number = w * 64 + loom_lowest(here);
            /* Ours until it is popped. */
            const void *message = loom_peek(sw->input[number].channel, now);

            enter(sw, number, (void *)(uintptr_t)message, now, words);
        }
    }
}

static LOOM_INLINE void post_held(struct crossbar_switch *sw, uint64_t round,
                                  loom_cycle now, struct words words)
{
    loom_cycle next = LOOM_NEVER;

    for (uint32_t w = 0; w < words.in; w++) {
        uint64_t still = 0;

        for (uint64_t rest = sw->mask[w].held; rest != 0; rest &= rest - 1) {
            uint32_t number = w * 64 + loom_lowest(rest);
            struct crossbar_input *input = &sw->input[number];

            if (input->free_at <= round) {
                post(sw, input, number, now, words);
            } else {
                still |= rest & -rest;
                sooner(&next, input->free_at);
            }
        }
        sw->mask[w].held = still;
    }
    sw->held_at = next;
    sw->arbitrate_at = round;
}

/* ---- through the switch ---- */

/* A packet leaves its output as soon as it can if there is nothing in its way,
 * and a place in the link now is one then.  False: there may not be. */
static LOOM_INLINE bool send_ahead(struct crossbar_switch *sw,
                                   const struct crossbar_output *output,
                                   const struct crossbar_packet *p,
                                   loom_cycle now)
{
    struct loom_mem_request *message;

    if (LOOM_UNLIKELY(!sw->ahead || output->fifo.head != NULL)) {
        return false;
    }
    message = loom_send_ahead(output->channel, now, p->ready);
    if (LOOM_UNLIKELY(message == NULL)) {
        return false;
    }
    loom_mem_copy(message, p->content);
    loom_histogram_add(sw->latency, p->ready - p->arrived);
    return true;
}

/* Into the buffer of output `to`. */
static LOOM_INLINE void buffer(struct crossbar_switch *sw, uint32_t to,
                               struct crossbar_packet *p, struct words words)
{
    struct crossbar_output *output = &sw->output[to];
    bool first = output->fifo.head == NULL;

    push(&output->fifo, p);
    output->flits += p->flits;
    output->ready = first ? p->ready : output->ready;
    sooner(&sw->deliver_at, first ? p->ready : LOOM_NEVER);
    sw->mask[word_of(words.out, to)].sending |= bit_if(true, to);
}

/* Packet `p` of input `from` goes to output `to`. */
static LOOM_INLINE void pass(struct crossbar_switch *sw, uint32_t to,
                             uint32_t from, struct crossbar_packet *p,
                             loom_cycle now, struct words words)
{
    struct crossbar_input *input = &sw->input[from];
    bool fresh = p->content != &p->message;

    sw->mask[word_of(words.in, from)].fresh &= ~bit_if(fresh, from);
    if (LOOM_LIKELY(send_ahead(sw, &sw->output[to], p, now))) {
        if (fresh) {
            loom_pop(input->channel, now);
        }
        release(sw, p);
        return;
    }
    if (fresh) {
        take_in(input, p, now);
    }
    buffer(sw, to, p, words);
}

/* How long a packet holds its ports, and when it leaves, if a round is a
 * cycle. */
static LOOM_INLINE void hold(const struct crossbar_switch *sw,
                             struct crossbar_input *input,
                             struct crossbar_output *output,
                             struct crossbar_packet *p, loom_cycle now)
{
    uint32_t step = sw->speedup;
    loom_cycle end = now + p->flits;

    output->free_at = end + sw->gap;
    p->ready = end + sw->delay;
    input->free_at =
        sw->input_gap + (step == 1 ? end : now + (p->flits + step - 1) / step);
}

/* Input `from` gets output `to`. */
static LOOM_INLINE void grant(struct crossbar_switch *sw, uint32_t to,
                              uint32_t from, uint64_t round, loom_cycle now,
                              struct words words)
{
    struct crossbar_input *input = &sw->input[from];
    struct crossbar_output *output = &sw->output[to];
    struct crossbar_packet *p = input->fifo.head;
    uint64_t *requests = requests_of(sw, output, to, words);
    uint32_t flits = p->flits;
    bool more;

    more = pull(&input->fifo, p) != NULL;
    if (words.rounds == 1) {
        hold(sw, input, output, p, now);
    } else {
        crossbar_pace(sw, from, to, p, round);
    }
    input->flits -= flits;
    output->flits_out += flits;
    pass(sw, to, from, p, now, words);
    sw->sum.conflict_cycles += now - input->asks_since;
    requests[word_of(words.in, from)] &= ~bit_if(true, from);
    output->asked = (uint16_t)(output->asked - (words.in != 1));
    sw->mask[word_of(words.out, to)].wanted &=
        ~bit_if(!is_asked(output, words), to);
    sw->mask[word_of(words.in, from)].held |= bit_if(more, from);
    sooner(&sw->held_at, more ? input->free_at : LOOM_NEVER);
    output->turn = (uint16_t)(from + 1 < sw->inputs ? from + 1 : 0);
    if (!sw->in_turn && sw->arbiter_ops->granted != NULL) {
        sw->arbiter_ops->granted(sw->arbiter, to, from);
    }
}

/* The first of the inputs that ask, from `turn` on and around the end. */
static LOOM_INLINE uint32_t next_in_turn(const uint64_t *requests,
                                         uint32_t turn, uint32_t words)
{
    uint32_t w = word_of(words, turn);
    uint64_t bits = requests[w] & ~UINT64_C(0) << turn % 64;

    if (words == 1) {
        return loom_lowest(bits != 0 ? bits : requests[0]);
    }
    while (bits == 0) {
        w = w + 1 < words ? w + 1 : 0;
        bits = requests[w];
    }
    return w * 64 + loom_lowest(bits);
}

/* Who gets output `to`, which is free and wanted. */
static LOOM_INLINE uint32_t winner(struct crossbar_switch *sw, uint32_t to,
                                   loom_cycle now, struct words words)
{
    struct crossbar_output *output = &sw->output[to];
    const uint64_t *requests = requests_of(sw, output, to, words);
    uint32_t from;

    if (sw->in_turn) {
        return next_in_turn(requests, output->turn, words.in);
    }
    if (words.in == 1 && (requests[0] & (requests[0] - 1)) == 0) {
        return loom_lowest(requests[0]); /* nothing to decide */
    }
    from = sw->arbiter_ops->pick(sw->arbiter, to, requests, now);
    LOOM_CHECK(from < sw->inputs &&
               (requests[from / 64] >> from % 64 & 1) != 0);
    return from;
}

/* With several rounds flits wait one by one for places that links make free,
 * which leaves less than a packet beyond these; packets wait only where the
 * link is held up. */
static LOOM_INLINE bool may_go(const struct crossbar_switch *sw,
                               const struct crossbar_output *output,
                               uint32_t flits, loom_cycle now,
                               struct words words)
{
    return (words.rounds != 1 && output->ready > now &&
            output->flits < sw->output_most) ||
           fits(&output->fifo, output->flits, flits, sw->output_limit);
}

/* True if a packet found its input full that has room now. */
static LOOM_INLINE bool arbitrate(struct crossbar_switch *sw, uint64_t round,
                                  loom_cycle now, struct words words)
{
    uint64_t next = LOOM_NEVER;
    bool crowded = false, freed = false;

    for (uint32_t w = 0; w < words.out; w++) {
        for (uint64_t rest = sw->mask[w].wanted; rest != 0; rest &= rest - 1) {
            uint32_t to = w * 64 + loom_lowest(rest);
            struct crossbar_output *output = &sw->output[to];
            const struct crossbar_packet *head;
            uint32_t from;

            if (output->free_at > round) {
                sooner(&next, output->free_at);
                continue;
            }
            from = winner(sw, to, now, words);
            head = sw->input[from].fifo.head;
            if (!may_go(sw, output, head->flits, now, words)) {
                crowded = true;
                continue;
            }
            grant(sw, to, from, round, now, words);
            if (LOOM_UNLIKELY(sw->input[from].full_since != LOOM_NEVER)) {
                make_room(sw, from);
                freed = true;
            }
            sooner(&next,
                   is_asked(output, words) ? output->free_at : LOOM_NEVER);
        }
    }
    sw->arbitrate_at = next;
    sw->crowded = crowded;
    return freed;
}

/* Grants of a cycle.  True if a packet found its input full that has room. */
static LOOM_INLINE bool match(struct crossbar_switch *sw, loom_cycle now,
                              struct words words)
{
    bool freed = false;

    for (uint32_t k = 0; k < words.rounds; k++) {
        uint64_t round = now * words.rounds + k;

        if (sw->held_at <= round) {
            post_held(sw, round, now, words);
        }
        if (sw->arbitrate_at <= round || (sw->crowded && k == 0)) {
            freed |= arbitrate(sw, round, now, words);
        }
    }
    return freed;
}

static LOOM_INLINE loom_cycle cycle_of(uint64_t round, struct words words)
{
    return words.rounds == 1 || round == LOOM_NEVER ? round
                                                    : round / words.rounds;
}

static LOOM_INLINE loom_cycle tick(struct crossbar_switch *sw, loom_cycle now,
                                   struct words words)
{
    loom_cycle next = LOOM_NEVER;

    if (sw->deliver_at <= now || sw->blocked) {
        deliver_all(sw, now, words);
    }
    enter_all(sw, now, words);
    if (match(sw, now, words)) {
        next = now + 1;
    }
    take_in_all(sw, now, words);
    sooner(&next, sw->deliver_at);
    sooner(&next, cycle_of(sw->held_at, words));
    sooner(&next, cycle_of(sw->arbitrate_at, words));
    sw->wake_at = sw->blocked || sw->crowded ? 0 : next;
    return next;
}

/* Apart, so that they save no registers where there is nothing to do. */
static LOOM_NOINLINE loom_cycle tick_one(struct crossbar_switch *sw,
                                         loom_cycle now)
{
    return tick(sw, now, (struct words){1, 1, 1});
}

static LOOM_NOINLINE loom_cycle tick_many(struct crossbar_switch *sw,
                                          loom_cycle now)
{
    return tick(sw, now,
                (struct words){sw->input_words, sw->output_words, sw->rounds});
}

loom_cycle crossbar_switch_tick(struct crossbar_switch *sw, loom_cycle now)
{
    if (!sw->one) {
        return tick_many(sw, now);
    }
    if (sw->wake_at > now && (sw->mask[0].pending & ~sw->mask[0].full) == 0) {
        return sw->wake_at;
    }
    return tick_one(sw, now);
}
