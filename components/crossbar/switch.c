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

static void set_bit(uint64_t *mask, uint32_t n)
{
    mask[n / 64] |= loom_bit(n % 64);
}

static void clear_bit(uint64_t *mask, uint32_t n)
{
    mask[n / 64] &= ~loom_bit(n % 64);
}

/* ---- FIFOs ---- */

static void push(struct crossbar_switch *sw, struct crossbar_fifo *fifo,
                 uint32_t number)
{
    sw->packet[number].next = CROSSBAR_NONE;
    if (fifo->head == CROSSBAR_NONE) {
        fifo->head = number;
    } else {
        sw->packet[fifo->tail].next = number;
    }
    fifo->tail = number;
    fifo->flits += sw->packet[number].flits;
}

static uint32_t pull(struct crossbar_switch *sw, struct crossbar_fifo *fifo)
{
    uint32_t number = fifo->head;

    fifo->head = sw->packet[number].next;
    fifo->flits -= sw->packet[number].flits;
    return number;
}

/* A packet longer than the whole buffer passes through an empty one. */
static bool fits(const struct crossbar_fifo *fifo, uint32_t flits,
                 uint32_t limit)
{
    return fifo->head == CROSSBAR_NONE || fifo->flits + flits <= limit;
}

/* What an output holds: flits in its pipeline and in its buffer. */
static uint32_t output_flits(const struct crossbar_config *config)
{
    return config->output_buffer_flits + config->latency;
}

/* ---- out of the switch ---- */

static void deliver(struct crossbar_switch *sw, uint32_t number, loom_cycle now)
{
    struct crossbar_output *output = &sw->output[number];
    uint32_t packet = pull(sw, &output->fifo);
    struct crossbar_packet *p = &sw->packet[packet];
    struct loom_mem_request *message = loom_send(output->channel, now, 0);

    *message = p->message;
    ++*sw->count.packets_out;
    loom_histogram_add(sw->count.latency, now - p->arrived);
    p->next = sw->free;
    sw->free = packet;
    if (output->fifo.head == CROSSBAR_NONE) {
        clear_bit(sw->sending, number);
    }
}

static void deliver_all(struct crossbar_switch *sw, loom_cycle now,
                        loom_cycle *next)
{
    for (uint32_t w = 0; w < sw->output_words; w++) {
        for (uint64_t rest = sw->sending[w]; rest != 0; rest &= rest - 1) {
            uint32_t number = w * 64 + loom_lowest(rest);
            struct crossbar_output *output = &sw->output[number];
            loom_cycle ready = sw->packet[output->fifo.head].ready;

            if (ready > now) {
                sooner(next, ready);
                continue;
            }
            if (!loom_ready(output->channel, now)) {
                continue; /* the credit wakes us */
            }
            deliver(sw, number, now);
            if (output->fifo.head != CROSSBAR_NONE) {
                ready = sw->packet[output->fifo.head].ready;
                sooner(next, ready > now ? ready : now + 1);
            }
        }
    }
}

/* ---- into the switch ---- */

/* The head of input `number` asks for its output from now on. */
static void post(struct crossbar_switch *sw, uint32_t number, loom_cycle now)
{
    struct crossbar_input *input = &sw->input[number];
    uint32_t output = sw->packet[input->fifo.head].output;

    clear_bit(sw->held, number);
    set_bit(sw->asking, number);
    set_bit(sw->wanted, output);
    set_bit(sw->requests + (size_t)output * sw->input_words, number);
    input->asks_since = now;
}

static void enter(struct loom_component *self, struct crossbar_switch *sw,
                  uint32_t number, uint32_t flits, loom_cycle now)
{
    struct crossbar_input *input = &sw->input[number];
    const struct loom_mem_request *message = loom_peek(input->channel, now);
    struct crossbar_counts *count = &sw->count;
    uint32_t packet = sw->free;
    struct crossbar_packet *p = &sw->packet[packet];
    bool first = input->fifo.head == CROSSBAR_NONE;

    LOOM_CHECK(packet != CROSSBAR_NONE);
    sw->free = p->next;
    p->message = *message;
    p->arrived = loom_arrival(input->channel);
    p->flits = flits;
    p->output = sw->route(self, number, &p->message);
    ++*count->packets;
    *count->flits += flits;
    *count->bytes += loom_mem_packet_bytes(message);
    count->kind[message->kind]++;
    count->flits_in->item[number] += flits;
    loom_pop(input->channel, now);
    push(sw, &input->fifo, packet);
    if (first && input->free_at > now) {
        set_bit(sw->held, number);
    } else if (first) {
        post(sw, number, now);
    }
}

/* The oldest message of input `i`, which has arrived, if there is room. */
static void enter_one(struct loom_component *self, struct crossbar_switch *sw,
                      uint32_t i, loom_cycle now, loom_cycle *next)
{
    struct crossbar_input *input = &sw->input[i];
    const struct loom_mem_request *message = loom_peek(input->channel, now);
    uint32_t flits =
        (loom_mem_packet_bytes(message) + sw->config->flit_bytes - 1) /
        sw->config->flit_bytes;

    if (!fits(&input->fifo, flits, sw->config->input_buffer_flits)) {
        if (input->full_since == LOOM_NEVER) {
            input->full_since = now;
        }
        return; /* a grant makes room, and sees to the wake-up */
    }
    if (input->full_since != LOOM_NEVER) {
        *sw->count.input_full_cycles += now - input->full_since;
        input->full_since = LOOM_NEVER;
    }
    enter(self, sw, i, flits, now);
    if (loom_arrival(input->channel) <= now) {
        sooner(next, now + 1);
    }
}

static void enter_all(struct loom_component *self, struct crossbar_switch *sw,
                      loom_cycle now, loom_cycle *next)
{
    for (uint32_t w = 0; w < sw->input_words; w++) {
        for (uint64_t rest = sw->pending[w]; rest != 0; rest &= rest - 1) {
            uint32_t i = w * 64 + loom_lowest(rest);

            if (loom_arrival(sw->input[i].channel) <= now) {
                enter_one(self, sw, i, now, next);
            }
        }
    }
}

static void post_held(struct crossbar_switch *sw, loom_cycle now,
                      loom_cycle *next)
{
    for (uint32_t w = 0; w < sw->input_words; w++) {
        for (uint64_t rest = sw->held[w]; rest != 0; rest &= rest - 1) {
            uint32_t number = w * 64 + loom_lowest(rest);

            if (sw->input[number].free_at <= now) {
                post(sw, number, now);
            } else {
                sooner(next, sw->input[number].free_at);
            }
        }
    }
}

/* ---- through the switch ---- */

static void grant(struct crossbar_switch *sw, uint32_t to, uint32_t from,
                  loom_cycle now, loom_cycle *next)
{
    const struct crossbar_config *config = sw->config;
    struct crossbar_input *input = &sw->input[from];
    struct crossbar_output *output = &sw->output[to];
    uint64_t *requests = sw->requests + (size_t)to * sw->input_words;
    uint32_t packet = pull(sw, &input->fifo);
    uint32_t flits = sw->packet[packet].flits;
    uint64_t others = 0;

    input->free_at =
        now + (flits + config->input_speedup - 1) / config->input_speedup;
    output->free_at = now + flits + config->packet_gap;
    sw->packet[packet].ready = now + config->latency + flits - 1;
    sooner(next, sw->packet[packet].ready);
    push(sw, &output->fifo, packet);
    set_bit(sw->sending, to);
    *sw->count.conflict_cycles += now - input->asks_since;
    sw->count.flits_out->item[to] += flits;
    clear_bit(sw->asking, from);
    clear_bit(requests, from);
    for (uint32_t w = 0; w < sw->input_words; w++) {
        others |= requests[w];
    }
    if (others == 0) {
        clear_bit(sw->wanted, to);
    } else {
        sooner(next, output->free_at);
    }
    if (input->fifo.head != CROSSBAR_NONE) {
        set_bit(sw->held, from);
        sooner(next, input->free_at);
    }
    if (input->full_since != LOOM_NEVER) {
        sooner(next, now + 1);
    }
    if (sw->arbiter_ops->granted != NULL) {
        sw->arbiter_ops->granted(sw->arbiter, to, from);
    }
}

static void arbitrate(struct crossbar_switch *sw, loom_cycle now,
                      loom_cycle *next)
{
    for (uint32_t w = 0; w < sw->output_words; w++) {
        for (uint64_t rest = sw->wanted[w]; rest != 0; rest &= rest - 1) {
            uint32_t to = w * 64 + loom_lowest(rest);
            struct crossbar_output *output = &sw->output[to];
            uint64_t *requests = sw->requests + (size_t)to * sw->input_words;
            uint32_t from, head;

            if (output->free_at > now) {
                sooner(next, output->free_at);
                continue;
            }
            from = sw->arbiter_ops->pick(sw->arbiter, to, requests, now);
            LOOM_CHECK(from < sw->inputs &&
                       (requests[from / 64] >> from % 64 & 1) != 0);
            head = sw->input[from].fifo.head;
            if (fits(&output->fifo, sw->packet[head].flits,
                     output_flits(sw->config))) {
                grant(sw, to, from, now, next);
            }
            /* Else a delivery makes room, in a tick of its own. */
        }
    }
}

loom_cycle crossbar_switch_tick(struct loom_component *self,
                                struct crossbar_switch *sw, loom_cycle now)
{
    loom_cycle next = LOOM_NEVER;

    deliver_all(sw, now, &next);
    enter_all(self, sw, now, &next);
    post_held(sw, now, &next);
    arbitrate(sw, now, &next);
    return next;
}

/* ---- the rest of its life ---- */

static bool take_memory(struct loom_component *self, struct crossbar_switch *sw)
{
    const struct crossbar_config *config = sw->config;
    uint64_t packets = (uint64_t)sw->inputs * config->input_buffer_flits +
                       (uint64_t)sw->outputs * output_flits(config);

    sw->input_words = (sw->inputs + 63) / 64;
    sw->output_words = (sw->outputs + 63) / 64;
    sw->input = loom_alloc(self, sw->inputs, sizeof(*sw->input));
    sw->output = loom_alloc(self, sw->outputs, sizeof(*sw->output));
    sw->packet = loom_alloc(self, packets, sizeof(*sw->packet));
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
    if (sw->input == NULL || sw->output == NULL || sw->packet == NULL ||
        sw->pending == NULL || sw->held == NULL || sw->asking == NULL ||
        sw->wanted == NULL || sw->sending == NULL || sw->requests == NULL ||
        sw->count.flits_in->item == NULL || sw->count.flits_out->item == NULL) {
        return false;
    }
    for (uint64_t i = 0; i < packets; i++) {
        sw->packet[i].next = (uint32_t)i + 1;
    }
    sw->packet[packets - 1].next = CROSSBAR_NONE;
    return true;
}

bool crossbar_switch_init(struct loom_component *self,
                          struct crossbar_switch *sw, const char *in,
                          const char *out, struct loom_error *err)
{
    struct loom_noc_shape shape = {0};

    sw->config = loom_config(self);
    sw->inputs = loom_port_count(self, in);
    sw->outputs = loom_port_count(self, out);
    if (!take_memory(self, sw)) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for %u x %u ports",
                         sw->inputs, sw->outputs);
    }
    for (uint32_t i = 0; i < sw->inputs; i++) {
        sw->input[i].channel = loom_port_in(self, in, i);
        sw->input[i].fifo.head = CROSSBAR_NONE;
        sw->input[i].full_since = LOOM_NEVER;
        loom_watch(sw->input[i].channel, &sw->pending[i / 64],
                   loom_bit(i % 64));
    }
    for (uint32_t i = 0; i < sw->outputs; i++) {
        sw->output[i].channel = loom_port_out(self, out, i);
        sw->output[i].fifo.head = CROSSBAR_NONE;
    }
    shape.inputs = sw->inputs;
    shape.outputs = sw->outputs;
    shape.nodes = sw->inputs + sw->outputs;
    return sw->arbiter_ops->bind == NULL ||
           sw->arbiter_ops->bind(sw->arbiter, &shape, err);
}

void crossbar_switch_settle(struct crossbar_switch *sw, loom_cycle now)
{
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

        if (input->fifo.head != CROSSBAR_NONE) {
            const struct crossbar_packet *p = &sw->packet[input->fifo.head];

            loom_report_line(report, self, p->arrived,
                             "%s 0x%llx at input %u wants output %u", what,
                             (unsigned long long)p->message.block, i,
                             p->output);
        }
    }
    for (uint32_t i = 0; i < sw->outputs; i++) {
        const struct crossbar_output *output = &sw->output[i];

        if (output->fifo.head != CROSSBAR_NONE) {
            const struct crossbar_packet *p = &sw->packet[output->fifo.head];

            loom_report_line(report, self, p->arrived,
                             "%s 0x%llx waits to leave by output %u", what,
                             (unsigned long long)p->message.block, i);
        }
    }
}
