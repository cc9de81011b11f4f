/*
 * One switch of a crossbar: input-queued, one packet at a time per input and
 * output (wormhole with one virtual channel).
 *
 * A packet of n flits that is granted at cycle t holds its output for n
 * cycles and its input for n / input_speedup; its tail reaches the end of the
 * output's pipeline, and the packet is delivered, at t + latency + n - 1.
 * Inputs are FIFOs, so a head that loses holds up those behind it.
 *
 * In one cycle: packets that are complete leave (one per output), packets
 * that have arrived come in (one per input), free outputs choose among the
 * heads that ask for them.  Heads ask for one output only, so one choice per
 * output is a maximal match.  All work is done for inputs and outputs whose
 * bit is set in a mask, and the cycle of the next event is returned.
 *
 * Invariants: an input with packets is either in `held` or in `asking`; an
 * output is in `wanted` exactly while a bit of its requests is set.
 */
#include "components/crossbar/crossbar_private.h"

static void sooner(loom_cycle *next, loom_cycle at)
{
    *next = at < *next ? at : *next;
}

/* Words of a mask of inputs and of one of outputs.  Most switches have one of
 * each, so a tick is compiled twice: with this constant, and without. */
struct words {
    uint32_t in, out;
};

static LOOM_INLINE void set_bit(uint64_t *mask, uint32_t words, uint32_t n)
{
    mask[words == 1 ? 0 : n / 64] |= loom_bit(n % 64);
}

static LOOM_INLINE void clear_bit(uint64_t *mask, uint32_t words, uint32_t n)
{
    mask[words == 1 ? 0 : n / 64] &= ~loom_bit(n % 64);
}

/* ---- FIFOs ---- */

static void push(struct crossbar_fifo *fifo, struct crossbar_packet *p)
{
    if (fifo->head == NULL) {
        fifo->head = p;
    } else {
        fifo->tail->next = p;
    }
    fifo->tail = p;
    fifo->flits += p->flits;
}

/* Removes the head, which is `p`. */
static void pull(struct crossbar_fifo *fifo, const struct crossbar_packet *p)
{
    fifo->head = p->next;
    fifo->flits -= p->flits;
}

/* A packet longer than the whole buffer passes through an empty one. */
static bool fits(const struct crossbar_fifo *fifo, uint32_t flits,
                 uint32_t limit)
{
    return fifo->head == NULL || fifo->flits + flits <= limit;
}

/* What an output holds: flits in its pipeline and in its buffer. */
static uint32_t output_flits(const struct crossbar_config *config)
{
    return config->output_buffer_flits + config->latency;
}

/* ---- out of the switch ---- */

/* The head of output `number` leaves. */
static LOOM_INLINE void deliver(struct crossbar_switch *sw,
                                struct crossbar_output *output, uint32_t number,
                                loom_cycle now, struct words words)
{
    struct crossbar_packet *p = output->fifo.head;
    struct loom_mem_request *message = loom_send(output->channel, now, 0);

    *message = p->message;
    loom_histogram_add(sw->count.latency, now - p->arrived);
    pull(&output->fifo, p);
    p->next = sw->free;
    sw->free = p;
    p = output->fifo.head;
    if (p == NULL) {
        clear_bit(sw->sending, words.out, number);
        output->ready = LOOM_NEVER;
    } else {
        output->ready = p->ready > now ? p->ready : now + 1;
    }
}

static LOOM_INLINE void deliver_all(struct crossbar_switch *sw, loom_cycle now,
                                    struct words words)
{
    loom_cycle next = LOOM_NEVER;
    bool blocked = false;

    for (uint32_t w = 0; w < words.out; w++) {
        for (uint64_t rest = sw->sending[w]; rest != 0; rest &= rest - 1) {
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

/* The head of input `number` asks for its output from now on. */
static LOOM_INLINE void post(struct crossbar_switch *sw, uint32_t number,
                             uint32_t to, loom_cycle now, struct words words)
{
    struct crossbar_output *output = &sw->output[to];

    set_bit(sw->asking, words.in, number);
    set_bit(sw->requests + (size_t)to * words.in, words.in, number);
    if (output->asked++ == 0) {
        set_bit(sw->wanted, words.out, to);
    }
    sw->input[number].asks_since = now;
    sw->arbitrate_at = now;
}

static LOOM_INLINE void enter(struct crossbar_switch *sw, uint32_t number,
                              const struct loom_mem_request *message,
                              loom_cycle now, struct words words)
{
    struct crossbar_input *input = &sw->input[number];
    struct crossbar_counts *count = &sw->count;
    uint32_t bytes = loom_mem_packet_bytes(message);
    uint32_t flits = (bytes + sw->flit_bytes - 1) / sw->flit_bytes;
    struct crossbar_packet *p = sw->free;
    bool first = input->fifo.head == NULL;

    if (!fits(&input->fifo, flits, sw->config->input_buffer_flits)) {
        if (input->full_since == LOOM_NEVER) {
            input->full_since = now;
        }
        return; /* a grant makes room, and sees to the wake-up */
    }
    if (LOOM_UNLIKELY(input->full_since != LOOM_NEVER)) {
        *count->input_full_cycles += now - input->full_since;
        input->full_since = LOOM_NEVER;
    }
    LOOM_CHECK(p != NULL);
    sw->free = p->next;
    p->message = *message;
    p->arrived = loom_arrival(input->channel);
    p->flits = flits;
    p->next = NULL;
    p->output = sw->route(sw->self, number, &p->message);
    *count->bytes += bytes;
    count->kind[p->message.kind]++;
    count->flits_in->item[number] += flits;
    loom_pop(input->channel, now); /* and wakes us for the next one */
    push(&input->fifo, p);
    if (first && input->free_at > now) {
        set_bit(sw->held, words.in, number);
        sooner(&sw->held_at, input->free_at);
    } else if (first) {
        post(sw, number, p->output, now, words);
    }
}

/* The oldest message of each input, if it has arrived and there is room. */
static LOOM_INLINE void enter_all(struct crossbar_switch *sw, loom_cycle now,
                                  struct words words)
{

    for (uint32_t w = 0; w < words.in; w++) {
        for (uint64_t rest = sw->pending[w]; rest != 0; rest &= rest - 1) {
            uint32_t i = w * 64 + loom_lowest(rest);
            const struct loom_mem_request *message =
                loom_peek(sw->input[i].channel, now);

            if (message != NULL) {
                enter(sw, i, message, now, words);
            }
        }
    }
}

static LOOM_INLINE void post_held(struct crossbar_switch *sw, loom_cycle now,
                                  struct words words)
{
    loom_cycle next = LOOM_NEVER;

    for (uint32_t w = 0; w < words.in; w++) {
        for (uint64_t rest = sw->held[w]; rest != 0; rest &= rest - 1) {
            uint32_t number = w * 64 + loom_lowest(rest);
            struct crossbar_input *input = &sw->input[number];

            if (input->free_at <= now) {
                clear_bit(sw->held, words.in, number);
                post(sw, number, input->fifo.head->output, now, words);
            } else {
                sooner(&next, input->free_at);
            }
        }
    }
    sw->held_at = next;
}

/* ---- through the switch ---- */

/* Input `from` gets output `to`. */
static LOOM_INLINE void grant(struct crossbar_switch *sw, uint32_t to,
                              uint32_t from, loom_cycle now, struct words words)
{
    struct crossbar_input *input = &sw->input[from];
    struct crossbar_output *output = &sw->output[to];
    struct crossbar_packet *p = input->fifo.head;
    uint32_t flits = p->flits;

    input->free_at =
        now +
        (sw->speedup == 1 ? flits : (flits + sw->speedup - 1) / sw->speedup);
    output->free_at = now + flits + sw->config->packet_gap;
    p->ready = now + sw->config->latency + flits - 1;
    pull(&input->fifo, p);
    p->next = NULL;
    if (output->fifo.head == NULL) {
        output->ready = p->ready;
        sooner(&sw->deliver_at, p->ready);
        set_bit(sw->sending, words.out, to);
    }
    push(&output->fifo, p);
    *sw->count.conflict_cycles += now - input->asks_since;
    sw->count.flits_out->item[to] += flits;
    clear_bit(sw->asking, words.in, from);
    clear_bit(sw->requests + (size_t)to * words.in, words.in, from);
    if (--output->asked == 0) {
        clear_bit(sw->wanted, words.out, to);
    }
    if (input->fifo.head != NULL) {
        set_bit(sw->held, words.in, from);
        sooner(&sw->held_at, input->free_at);
    }
    if (sw->arbiter_ops->granted != NULL) {
        sw->arbiter_ops->granted(sw->arbiter, to, from);
    }
}

/* Who gets output `to`, which is free and wanted. */
static LOOM_INLINE uint32_t winner(struct crossbar_switch *sw, uint32_t to,
                                   loom_cycle now, struct words words)
{
    const uint64_t *requests = sw->requests + (size_t)to * words.in;
    uint32_t from;

    if (sw->output[to].asked == 1 && words.in == 1) {
        return loom_lowest(requests[0]); /* nothing to decide */
    }
    from = sw->arbiter_ops->pick(sw->arbiter, to, requests, now);
    LOOM_CHECK(from < sw->inputs &&
               (requests[from / 64] >> from % 64 & 1) != 0);
    return from;
}

/* True if a packet found its input full that has room now. */
static LOOM_INLINE bool arbitrate(struct crossbar_switch *sw, loom_cycle now,
                                  struct words words)
{
    loom_cycle next = LOOM_NEVER;
    bool crowded = false, freed = false;

    for (uint32_t w = 0; w < words.out; w++) {
        for (uint64_t rest = sw->wanted[w]; rest != 0; rest &= rest - 1) {
            uint32_t to = w * 64 + loom_lowest(rest);
            struct crossbar_output *output = &sw->output[to];
            struct crossbar_packet *head;
            uint32_t from;

            if (output->free_at > now) {
                sooner(&next, output->free_at);
                continue;
            }
            from = winner(sw, to, now, words);
            head = sw->input[from].fifo.head;
            if (!fits(&output->fifo, head->flits, output_flits(sw->config))) {
                crowded = true;
                continue;
            }
            grant(sw, to, from, now, words);
            freed = freed || sw->input[from].full_since != LOOM_NEVER;
            if (output->asked != 0) {
                sooner(&next, output->free_at);
            }
        }
    }
    sw->arbitrate_at = next;
    sw->crowded = crowded;
    return freed;
}

static LOOM_INLINE loom_cycle tick(struct crossbar_switch *sw, loom_cycle now,
                                   struct words words)
{
    loom_cycle next = LOOM_NEVER;

    if (sw->deliver_at <= now || sw->blocked) {
        deliver_all(sw, now, words);
    }
    enter_all(sw, now, words);
    if (sw->held_at <= now) {
        post_held(sw, now, words);
    }
    if ((sw->arbitrate_at <= now || sw->crowded) && arbitrate(sw, now, words)) {
        next = now + 1;
    }
    sooner(&next, sw->deliver_at);
    sooner(&next, sw->held_at);
    sooner(&next, sw->arbitrate_at);
    return next;
}

/* Apart, so that it saves no registers for the other. */
static LOOM_NOINLINE loom_cycle tick_many(struct crossbar_switch *sw,
                                          loom_cycle now)
{
    return tick(sw, now, (struct words){sw->input_words, sw->output_words});
}

loom_cycle crossbar_switch_tick(struct crossbar_switch *sw, loom_cycle now)
{
    if (sw->input_words == 1 && sw->output_words == 1) {
        return tick(sw, now, (struct words){1, 1});
    }
    return tick_many(sw, now);
}

/* ---- the rest of its life ---- */

static bool take_memory(struct loom_component *self, struct crossbar_switch *sw)
{
    const struct crossbar_config *config = sw->config;
    struct crossbar_packet *packet;
    uint64_t packets = (uint64_t)sw->inputs * config->input_buffer_flits +
                       (uint64_t)sw->outputs * output_flits(config);

    sw->input_words = (sw->inputs + 63) / 64;
    sw->output_words = (sw->outputs + 63) / 64;
    sw->input = loom_alloc(self, sw->inputs, sizeof(*sw->input));
    sw->output = loom_alloc(self, sw->outputs, sizeof(*sw->output));
    packet = loom_alloc(self, packets, sizeof(*packet));
    sw->pending = loom_alloc(self, sw->input_words, sizeof(uint64_t));
    sw->held = loom_alloc(self, sw->input_words, sizeof(uint64_t));
    sw->asking = loom_alloc(self, sw->input_words, sizeof(uint64_t));
    sw->wanted = loom_alloc(self, sw->output_words, sizeof(uint64_t));
    sw->sending = loom_alloc(self, sw->output_words, sizeof(uint64_t));
    sw->requests = loom_alloc(self, (size_t)sw->outputs * sw->input_words,
                              sizeof(uint64_t));
    sw->count.flits_in->item = loom_alloc(self, sw->inputs, sizeof(uint64_t));
    sw->count.flits_in->count = sw->inputs;
    sw->count.flits_out->item = loom_alloc(self, sw->outputs, sizeof(uint64_t));
    sw->count.flits_out->count = sw->outputs;
    if (sw->input == NULL || sw->output == NULL || packet == NULL ||
        sw->pending == NULL || sw->held == NULL || sw->asking == NULL ||
        sw->wanted == NULL || sw->sending == NULL || sw->requests == NULL ||
        sw->count.flits_in->item == NULL || sw->count.flits_out->item == NULL) {
        return false;
    }
    for (uint64_t i = 0; i < packets; i++) {
        packet[i].next = i + 1 < packets ? &packet[i + 1] : NULL;
    }
    sw->free = packet;
    return true;
}

bool crossbar_switch_init(struct loom_component *self,
                          struct crossbar_switch *sw, const char *in,
                          const char *out, struct loom_error *err)
{
    struct loom_noc_shape shape = {0};

    sw->self = self;
    sw->config = loom_config(self);
    sw->flit_bytes = sw->config->flit_bytes;
    sw->speedup = sw->config->input_speedup;
    sw->deliver_at = sw->held_at = sw->arbitrate_at = LOOM_NEVER;
    sw->inputs = loom_port_count(self, in);
    sw->outputs = loom_port_count(self, out);
    if (!take_memory(self, sw)) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for %u x %u ports",
                         sw->inputs, sw->outputs);
    }
    for (uint32_t i = 0; i < sw->inputs; i++) {
        sw->input[i].channel = loom_port_in(self, in, i);
        sw->input[i].full_since = LOOM_NEVER;
        loom_watch(sw->input[i].channel, &sw->pending[i / 64],
                   loom_bit(i % 64));
    }
    for (uint32_t i = 0; i < sw->outputs; i++) {
        sw->output[i].channel = loom_port_out(self, out, i);
    }
    shape.inputs = sw->inputs;
    shape.outputs = sw->outputs;
    shape.nodes = sw->inputs + sw->outputs;
    return sw->arbiter_ops->bind == NULL ||
           sw->arbiter_ops->bind(sw->arbiter, &shape, err);
}

void crossbar_switch_settle(struct crossbar_switch *sw, loom_cycle now)
{
    *sw->count.packets_out = sw->count.latency->count;
    *sw->count.packets = *sw->count.flits = 0;
    for (uint32_t k = 0; k < LOOM_MEM_KINDS; k++) {
        *sw->count.packets += sw->count.kind[k];
    }
    for (uint32_t i = 0; i < sw->inputs; i++) {
        *sw->count.flits += sw->count.flits_in->item[i];
    }
    for (uint32_t i = 0; i < sw->inputs; i++) {
        struct crossbar_input *input = &sw->input[i];

        if ((sw->asking[i / 64] >> i % 64 & 1) != 0) {
            *sw->count.conflict_cycles += now - input->asks_since;
            input->asks_since = now;
        }
        if (input->full_since != LOOM_NEVER) {
            *sw->count.input_full_cycles += now - input->full_since;
            input->full_since = now;
        }
    }
}

bool crossbar_switch_check(const struct crossbar_switch *sw, const char *what,
                           struct loom_error *err)
{
    uint64_t in = *sw->count.packets, out = *sw->count.packets_out;

    return in == out ||
           loom_fail(err, LOOM_ERR_CONFIG, "%llu %s in, %llu out",
                     (unsigned long long)in, what, (unsigned long long)out);
}

void crossbar_switch_report(struct loom_component *self,
                            const struct crossbar_switch *sw, const char *what,
                            struct loom_report *report)
{
    for (uint32_t i = 0; i < sw->inputs; i++) {
        const struct crossbar_input *input = &sw->input[i];

        if (input->fifo.head != NULL) {
            const struct crossbar_packet *p = input->fifo.head;

            loom_report_line(report, self, p->arrived,
                             "%s 0x%llx at input %u wants output %u", what,
                             (unsigned long long)p->message.block, i,
                             p->output);
        }
    }
    for (uint32_t i = 0; i < sw->outputs; i++) {
        const struct crossbar_output *output = &sw->output[i];

        if (output->fifo.head != NULL) {
            const struct crossbar_packet *p = output->fifo.head;

            loom_report_line(report, self, p->arrived,
                             "%s 0x%llx waits to leave by output %u", what,
                             (unsigned long long)p->message.block, i);
        }
    }
}
