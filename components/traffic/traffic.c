/*
 * traffic: one node of a synthetic load for networks, caches and memories.
 *
 * Sends packets to destinations of a pattern at a given rate (port `out`),
 * takes those that others send to it (port `in`), and measures.  Arrivals are
 * Bernoulli trials, one per cycle, from the instance's own random numbers;
 * packets wait in a queue of their own, so a network that is full does not
 * slow the arrivals down until the queue is.
 *
 * Destination d has address d * interleave: with linear_map of the same
 * interleaving it is slice d.  A write is a packet of 8 + size bytes without a
 * reply; a read is a packet of 8 bytes that the other node answers with
 * 8 + size bytes.
 *
 * Latency is counted from the cycle in which a packet was made to the cycle in
 * which its message is seen, for packets made in the measured cycles; `born`
 * carries the former.  Each destination sees the packets of a source numbered
 * by `token`, so that a lost, repeated or overtaken one is noticed.
 *
 * Patterns: Dally and Towles, Principles and Practices of Interconnection
 * Networks, 3.2, table 3.1.  Node numbers have b bits where a pattern speaks of
 * bits; there the number of nodes must be a power of 2.
 */
#include "components/traffic/traffic_private.h"

/* ---- destinations ---- */

static uint32_t reverse_bits(uint32_t value, uint32_t bits)
{
    uint32_t out = 0;

    for (uint32_t i = 0; i < bits; i++) {
        out |= (value >> i & 1) << (bits - 1 - i);
    }
    return out;
}

/* Of patterns that always name the same node. */
static uint32_t fixed_destination(enum traffic_pattern pattern, uint32_t node,
                                  uint32_t nodes)
{
    uint32_t bits = loom_log2(nodes), half = bits / 2;
    uint32_t mask = nodes - 1;

    switch (pattern) {
    case TRAFFIC_TRANSPOSE:
        return (node << half | node >> (bits - half)) & mask;
    case TRAFFIC_COMPLEMENT:
        return ~node & mask;
    case TRAFFIC_REVERSE:
        return reverse_bits(node, bits);
    case TRAFFIC_SHUFFLE:
        return (node << 1 | node >> (bits - 1)) & mask;
    case TRAFFIC_TORNADO:
        return (node + (nodes + 1) / 2 - 1) % nodes;
    case TRAFFIC_NEIGHBOR:
        return (node + 1) % nodes;
    default:
        return node;
    }
}

static uint32_t destination(struct loom_component *self, struct traffic *t)
{
    const struct traffic_config *config = loom_config(self);

    switch (t->pattern) {
    case TRAFFIC_UNIFORM:
        return (uint32_t)loom_rng_below(&t->rng, t->nodes);
    case TRAFFIC_HOTSPOT:
        return config->targets.count == 0
                   ? 0
                   : (uint32_t)config->targets
                         .item[loom_rng_below(&t->rng, config->targets.count)];
    default:
        return t->fixed;
    }
}

/* ---- arrivals ---- */

/* The next cycle at or after `from` with an arrival; LOOM_NEVER if the load
 * ends before. */
static loom_cycle next_arrival(struct traffic *t, loom_cycle from)
{
    if (t->threshold == 0 || from >= t->stop) {
        return LOOM_NEVER;
    }
    from += loom_rng_failures(&t->rng, t->threshold, t->stop - from);
    return from < t->stop ? from : LOOM_NEVER;
}

static bool measured(const struct traffic *t, loom_cycle made)
{
    return made >= t->start && made < t->stop;
}

/* Puts arrivals up to `now` into the queue while it has room. */
static void arrive(struct loom_component *self, struct traffic *t,
                   loom_cycle now)
{
    while (t->arrival <= now) {
        if (t->count == t->room) {
            t->stats->refused++;
        } else {
            uint32_t at = t->first + t->count - 1;
            struct traffic_packet *p =
                t->count == 0 ? &t->next
                              : &t->queue[at < t->room ? at : at - t->room];

            p->made = t->arrival;
            p->destination = destination(self, t);
            t->count++;
        }
        t->arrival = next_arrival(t, t->arrival + 1);
    }
}

/* ---- sending and taking ---- */

static void send(struct traffic *t, loom_cycle now)
{
    static const struct loom_mem_request model = {.sectors = 15};
    const struct traffic_packet *p = &t->next;
    struct loom_mem_request *message = loom_send(t->out, now, 0);

    *message = model;
    message->block = p->destination * t->interleave;
    message->born = p->made;
    message->src = t->id;
    message->token = t->sequence[p->destination]++;
    message->origin = t->node;
    message->sm = (uint16_t)t->node;
    message->size_bytes = t->size_bytes;
    message->kind = t->reads ? LOOM_MEM_LOAD : LOOM_MEM_WRITEBACK;
    t->sent++;
    if (LOOM_UNLIKELY(--t->count != 0)) {
        t->next = t->queue[t->first];
        t->first = t->first + 1 < t->room ? t->first + 1 : 0;
    }
}

static void note_latency(struct traffic *t, loom_cycle made, loom_cycle now)
{
    if (measured(t, made)) {
        loom_histogram_add(&t->stats->latency, now - made);
    }
}

/* A message of another node; answered if it is a read. */
static void take(struct traffic *t, loom_cycle now)
{
    const struct loom_mem_request *message = loom_peek(t->in, now);
    struct loom_mem_request *reply;
    uint32_t from = message->origin;

    if (message->kind == LOOM_MEM_LOAD) {
        reply = loom_send(t->back, now, 0);
        *reply = *message;
        reply->flags |= LOOM_MEM_REPLY;
    } else {
        note_latency(t, message->born, now);
    }
    t->received++;
    if (measured(t, now)) {
        t->accepted += loom_mem_packet_bytes(message);
    }
    if (from < t->nodes) {
        struct traffic_seen *seen = &t->seen[from];
        uint32_t next = message->token + 1;

        if (LOOM_LIKELY(next > seen->next)) {
            seen->next = next;
        } else {
            t->stats->overtaken++;
        }
        /* Exactly once: the sum of what came is the sum of what was sent. */
        seen->sum += next;
        seen->count++;
    } else {
        t->stats->strangers++;
    }
    loom_pop(t->in, now);
}

static loom_cycle traffic_tick(struct loom_component *self, loom_cycle now)
{
    struct traffic *t = loom_state(self);
    const struct loom_mem_request *message;

    if (t->in != NULL && (message = loom_peek(t->in, now)) != NULL &&
        (message->kind != LOOM_MEM_LOAD || loom_ready(t->back, now))) {
        take(t, now);
    }
    if (t->reads && t->out != NULL &&
        (message = loom_peek(t->replies, now)) != NULL) {
        note_latency(t, message->born, now);
        t->stats->replies++;
        loom_pop(t->replies, now);
    }
    arrive(self, t, now);
    if (t->count != 0 && loom_ready(t->out, now)) {
        send(t, now);
        if (t->count != 0) {
            return now + 1;
        }
    }
    return t->arrival;
}

/* ---- its life ---- */

static bool take_memory(struct loom_component *self, struct traffic *t,
                        struct loom_error *err)
{
    const struct traffic_config *config = loom_config(self);

    t->queue = loom_alloc(self, config->queue, sizeof(*t->queue));
    t->sequence = loom_alloc(self, config->nodes, sizeof(*t->sequence));
    t->seen = loom_alloc(self, config->nodes, sizeof(*t->seen));
    return loom_has_memory(self, err);
}

static bool traffic_init(struct loom_component *self, struct loom_error *err)
{
    const struct traffic_config *config = loom_config(self);
    struct traffic *t = loom_state(self);
    double chance = config->rate / traffic_flits(config);

    t->stats = loom_stats_of(self);
    t->rng = *loom_component_rng(self);
    t->id = loom_component_id(self);
    t->node = config->node;
    t->nodes = config->nodes;
    t->interleave = config->interleave;
    t->size_bytes = (uint16_t)config->size_bytes;
    t->room = config->queue;
    t->arrival = LOOM_NEVER;
    t->pattern = traffic_pattern_of(config->pattern);
    t->reads = traffic_reads(config);
    t->start = config->warmup;
    t->stop = (loom_cycle)config->warmup + config->measure;
    if (!take_memory(self, t, err)) {
        return false;
    }
    t->fixed = t->pattern == TRAFFIC_PERMUTATION
                   ? (uint32_t)config->targets.item[config->node]
                   : fixed_destination(t->pattern, config->node, config->nodes);
    chance = chance > 1.0 ? 1.0 : chance;
    t->threshold = (uint64_t)(chance * 9007199254740992.0); /* 2^53 */
    if (loom_port_count(self, "out") != 0) {
        t->out = loom_port_out(self, "out", 0);
        t->replies = loom_port_in(self, "out", 0);
        t->arrival = next_arrival(t, 1);
        loom_start_awake(self);
    }
    if (loom_port_count(self, "in") != 0) {
        t->in = loom_port_in(self, "in", 0);
        t->back = loom_port_out(self, "in", 0);
    }
    return true;
}

static void traffic_settle(struct loom_component *self, loom_cycle now)
{
    const struct traffic *t = loom_state(self);
    struct traffic_stats *stats = loom_stats_of(self);
    struct loom_mem_request message = {.size_bytes = t->size_bytes,
                                       .kind = t->reads ? LOOM_MEM_LOAD
                                                        : LOOM_MEM_WRITEBACK};

    (void)now;
    stats->packets_sent = t->sent;
    stats->bytes_sent = stats->packets_sent * loom_mem_packet_bytes(&message);
    stats->packets_received = t->received;
    stats->bytes_accepted = t->accepted;
}

static bool traffic_check(struct loom_component *self, struct loom_error *err)
{
    const struct traffic_config *config = loom_config(self);
    struct traffic *t = loom_state(self);

    for (uint32_t i = 0; i < config->nodes; i++) {
        const struct traffic_seen *seen = &t->seen[i];
        uint64_t n = seen->count;

        if (seen->sum != n * (n + 1) / 2 || seen->next != n) {
            return loom_fail(err, LOOM_ERR_LAW,
                             "of %u packets of node %u %llu came: 'node', "
                             "'nodes' and 'interleave' of all nodes must agree "
                             "with each other and with the network's map and "
                             "sites",
                             seen->next, i, (unsigned long long)n);
        }
    }
    if (t->reads && t->stats->replies != t->stats->packets_sent) {
        return loom_fail(err, LOOM_ERR_LAW, "%llu reads, %llu replies",
                         (unsigned long long)t->stats->packets_sent,
                         (unsigned long long)t->stats->replies);
    }
    if (config->ordered && t->stats->overtaken != 0) {
        return loom_fail(err, LOOM_ERR_LAW, "%llu packets came out of order",
                         (unsigned long long)t->stats->overtaken);
    }
    return true;
}

static void traffic_report(struct loom_component *self,
                           struct loom_report *report)
{
    const struct traffic *t = loom_state(self);

    if (t->count != 0) {
        loom_report_line(report, self, t->next.made,
                         "%u packets wait to be sent, the first to node %u",
                         t->count, t->next.destination);
    }
}

static const struct loom_component_ops traffic_ops = {
    .validate = traffic_validate,
    .init = traffic_init,
    .tick = traffic_tick,
    .settle = traffic_settle,
    .check = traffic_check,
    .report = traffic_report,
};

const struct loom_component_type traffic_component = {
    .name = "traffic",
    .doc = "A node of a synthetic load: sends packets of a pattern at a rate, "
           "takes and measures those of others",
    .state_size = sizeof(struct traffic),
    .config_size = sizeof(struct traffic_config),
    .stats_size = sizeof(struct traffic_stats),
    .params = {traffic_params, TRAFFIC_PARAM_COUNT},
    .stats = {traffic_stat_table, TRAFFIC_STAT_COUNT},
    .ports = {traffic_ports, TRAFFIC_PORT_COUNT},
    .ops = &traffic_ops,
};
