/*
 * The rest of a switch's life: its memory and parameters, and statistics.
 */
#include "components/crossbar/crossbar_private.h"

enum {
    MOST_BYTES = 8 + LOOM_BLOCK_BYTES /* of a packet */
};

/* What an output holds: flits in its pipeline and in its buffer. */
static uint32_t output_flits(const struct crossbar_config *config)
{
    return config->output_buffer_flits + config->latency;
}

static uint32_t most_flits(const struct crossbar_switch *sw)
{
    return (MOST_BYTES + sw->flit_bytes - 1) / sw->flit_bytes;
}

static bool take_memory(struct loom_component *self, struct crossbar_switch *sw,
                        struct loom_error *err)
{
    const struct crossbar_config *config = sw->config;
    uint64_t packets = (uint64_t)sw->inputs * config->input_buffer_flits +
                       (uint64_t)sw->outputs * output_flits(config);
    size_t words = sw->input_words == 1 ? 0 : sw->input_words;

    if (sw->rounds != 1) { /* some of a packet are out, some of one not in */
        packets += (uint64_t)sw->outputs * 2 * most_flits(sw);
    }

    if (packets > UINT32_MAX) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for %llu packets",
                         (unsigned long long)packets);
    }
    sw->input = loom_alloc(self, sw->inputs, sizeof(*sw->input));
    sw->output = loom_alloc(self, sw->outputs, sizeof(*sw->output));
    sw->packet = loom_alloc(self, packets, sizeof(*sw->packet));
    sw->requests = loom_alloc(self, sw->outputs * words, sizeof(uint64_t));
    loom_array(self, sw->count.flits_in, sw->inputs);
    loom_array(self, sw->count.flits_out, sw->outputs);
    crossbar_take_lines(self, sw);
    sw->packets = (uint32_t)packets;
    return loom_has_memory(self, err);
}

/* An output whose packets leave as soon as they can holds flits that were
 * granted within latency + `most` cycles.  With those of the next packet they
 * fit in any case if there is room for `most` three times beside the pipeline,
 * so they need not be counted. */
static void learn_config(struct crossbar_switch *sw)
{
    const struct crossbar_config *config = sw->config;
    uint32_t most = most_flits(sw);

    sw->speedup = config->input_speedup;
    sw->rounds = config->internal_speedup;
    sw->delay = config->latency - 1;
    sw->gap = config->packet_gap;
    sw->input_gap = config->inputs_rest ? sw->gap : 0;
    sw->lead = (1 + sw->gap) / sw->rounds;
    sw->input_limit = config->input_buffer_flits;
    sw->output_limit = output_flits(config);
    sw->output_most = sw->output_limit + most;
    sw->ahead = sw->rounds == 1 && config->output_buffer_flits >= 3 * most;
    sw->latency = sw->count.latency;
    sw->in_turn = sw->arbiter_ops->in_turn;
    sw->input_words = (sw->inputs + 63) / 64;
    sw->output_words = (sw->outputs + 63) / 64;
    sw->one = sw->input_words == 1 && sw->output_words == 1 && sw->rounds == 1;
    sw->deliver_at = sw->held_at = sw->arbitrate_at = LOOM_NEVER;
}

bool crossbar_switch_init(struct loom_component *self,
                          struct crossbar_switch *sw, const char *in,
                          const char *out, uint32_t flit_bytes,
                          struct loom_error *err)
{
    struct loom_noc_shape shape = {0};

    sw->self = self;
    sw->config = loom_config(self);
    sw->flit_bytes = flit_bytes;
    sw->inputs = loom_port_count(self, in);
    sw->outputs = loom_port_count(self, out);
    learn_config(sw);
    if (!take_memory(self, sw, err)) {
        return false;
    }
    for (uint32_t i = 0; i < sw->inputs; i++) {
        struct crossbar_input *input = &sw->input[i];

        input->channel = loom_port_in(self, in, i);
        input->fifo.end = &input->fifo.head;
        input->full_since = LOOM_NEVER;
        loom_watch(input->channel, &sw->mask[i / 64].pending, loom_bit(i % 64));
    }
    for (uint32_t i = 0; i < sw->outputs; i++) {
        struct crossbar_output *output = &sw->output[i];

        output->channel = loom_port_out(self, out, i);
        output->fifo.end = &output->fifo.head;
        output->ready = LOOM_NEVER;
    }
    shape.inputs = sw->inputs;
    shape.outputs = sw->outputs;
    shape.nodes = sw->inputs + sw->outputs;
    return sw->arbiter_ops->bind == NULL ||
           sw->arbiter_ops->bind(sw->arbiter, &shape, err);
}

/* Does the head of an input ask for its output? */
static bool asks(const struct crossbar_switch *sw, uint32_t number)
{
    return sw->input[number].fifo.head != NULL &&
           (sw->mask[number / 64].held >> number % 64 & 1) == 0;
}

bool crossbar_switch_empty(const struct crossbar_switch *sw)
{
    uint64_t in = 0;

    for (uint32_t k = 0; k < LOOM_MEM_KINDS; k++) {
        in += sw->sum.kind[k];
    }
    return in == sw->count.latency->count;
}

void crossbar_switch_settle(struct crossbar_switch *sw, loom_cycle now)
{
    const struct crossbar_counts *count = &sw->count;

    *count->packets_out = count->latency->count;
    *count->packets = *count->flits = 0;
    *count->bytes = sw->sum.bytes;
    for (uint32_t k = 0; k < LOOM_MEM_KINDS; k++) {
        count->kind[k] = sw->sum.kind[k];
        *count->packets += sw->sum.kind[k];
    }
    for (uint32_t i = 0; i < sw->inputs; i++) {
        struct crossbar_input *input = &sw->input[i];

        count->flits_in->item[i] = input->flits_in;
        *count->flits += input->flits_in;
        if (asks(sw, i)) {
            sw->sum.conflict_cycles += now - input->asks_since;
            input->asks_since = now;
        }
        if (input->full_since != LOOM_NEVER) {
            *count->input_full_cycles += now - input->full_since;
            input->full_since = now;
        }
    }
    for (uint32_t i = 0; i < sw->outputs; i++) {
        count->flits_out->item[i] = sw->output[i].flits_out;
    }
    *count->conflict_cycles = sw->sum.conflict_cycles;
}
