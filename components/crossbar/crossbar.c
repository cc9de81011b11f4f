/*
 * crossbar: one switch for requests and one for replies, as the two subnets
 * of GPGPU-Sim's interconnect.
 *
 * A request's output is the L2 slice that the map names for its block; a
 * reply goes back to the up port of the component that sent the request over
 * this hop (`src`).  Where there are several devices, requests for memory of
 * the others go to the last outputs (workloads/memory.h), block by block.  A
 * packet takes ceil(bytes / flit_bytes) flits.
 *
 * Unloaded, a packet of n flits is delivered latency + n - 1 cycles after it
 * was seen at the input; the links on both sides add their own latencies.
 */
#include "engine/warm.h"

#include "components/crossbar/crossbar_private.h"

static uint32_t routed(struct crossbar *xbar, uint32_t router, uint32_t input,
                       uint32_t destination)
{
    return xbar->routing_ops->route(xbar->routing, router, input, destination);
}

/* Stops the run; the packet goes to output 0 so that it is somewhere. */
static uint32_t lost(struct loom_component *self, const char *what,
                     uint64_t where, const struct loom_mem_request *message)
{
    struct loom_error err;

    loom_fail(&err, LOOM_ERR_CONFIG, "%s: no port for 0x%llx, to %s %llu",
              loom_component_path(self), (unsigned long long)message->block,
              what, (unsigned long long)where);
    loom_raise(self, &err);
    return 0;
}

static uint32_t far_output(const struct crossbar *xbar, loom_addr block)
{
    uint64_t number = block / LOOM_BLOCK_BYTES;

    number ^= number >> 7 ^ number >> 13; /* strides use all links, too */
    return xbar->request.outputs - 1 - (uint32_t)(number % xbar->far_links);
}

/* Is it another device's memory?  What is no device's at all (the host's) is
 * reached like one's own. */
static bool is_far(const struct crossbar *xbar, loom_addr block)
{
    uint64_t device = block >> LOOM_MEMORY_WINDOW_BITS;

    return device != xbar->device && device < xbar->devices;
}

static uint32_t route_request(struct loom_component *self, uint32_t input,
                              struct loom_mem_request *message)
{
    struct crossbar *xbar = loom_state(self);
    uint32_t slice, output;

    if (!loom_mem_enter(message, xbar->request.inputs, input)) {
        return lost(self, "more networks in a row than", 0, message);
    }
    if (xbar->devices > 1 && is_far(xbar, message->block)) {
        return far_output(xbar, message->block);
    }
    slice = loom_map_slice(xbar->map_ops, xbar->map, message->block);
    output = routed(xbar, 0, input, slice);
    if (xbar->links) {
        output += xbar->slices *
                  xbar->routing_ops->slice_link(xbar->routing, message, slice);
    }
    if (output >= xbar->request.outputs) {
        return lost(self, "slice", slice, message);
    }
    return output;
}

static uint32_t route_reply(struct loom_component *self, uint32_t input,
                            struct loom_mem_request *message)
{
    struct crossbar *xbar = loom_state(self);
    uint32_t port = loom_mem_leave(message, xbar->reply.outputs);
    uint32_t output;

    /* A component with several links gets its reply where it asked; one that
     * answers with a new message is known by its number. */
    if (xbar->peer[port] != message->src && message->src < xbar->ids &&
        xbar->port_of[message->src] != CROSSBAR_NONE) {
        port = xbar->port_of[message->src];
    }
    output = routed(xbar, 1, input, port);
    if (output >= xbar->reply.outputs) {
        return lost(self, "component", message->src, message);
    }
    return output;
}

/* Tables of who is at which up port. */
static bool learn_peers(struct loom_component *self, struct crossbar *xbar,
                        struct loom_error *err)
{
    uint32_t ups = loom_port_count(self, "up");

    for (uint32_t i = 0; i < ups; i++) {
        uint32_t id = loom_port_peer(self, "up", i);

        xbar->ids = id >= xbar->ids ? id + 1 : xbar->ids;
    }
    xbar->peer = loom_alloc(self, ups, sizeof(*xbar->peer));
    xbar->port_of = loom_alloc(self, xbar->ids, sizeof(*xbar->port_of));
    if (!loom_has_memory(self, err)) {
        return false;
    }
    for (uint32_t i = 0; i < xbar->ids; i++) {
        xbar->port_of[i] = CROSSBAR_NONE;
    }
    for (uint32_t i = ups; i-- > 0;) {
        xbar->peer[i] = loom_port_peer(self, "up", i);
        xbar->port_of[xbar->peer[i]] = i;
    }
    return true;
}

static bool bind_policies(struct loom_component *self, struct crossbar *xbar,
                          struct loom_error *err)
{
    const struct crossbar_config *config = loom_config(self);
    uint32_t ups = loom_port_count(self, "up");
    uint32_t far = config->devices > 1 ? config->far_links : 0;
    uint32_t links = loom_port_count(self, "down");
    uint32_t downs = links > far ? links - far : 0;
    struct loom_bound map = loom_slot(self, "map").item[0];
    struct loom_bound routing = loom_slot(self, "routing").item[0];
    uint32_t multiple = config->slices_per_channel * config->slice_links;
    struct loom_map_shape map_shape = {downs / multiple,
                                       config->slices_per_channel, 0};
    struct loom_noc_shape shape = {0};

    shape.inputs = shape.outputs = ups > downs ? ups : downs;
    shape.nodes = ups + downs;
    shape.slice_links = config->slice_links;
    xbar->devices = config->devices;
    xbar->device = config->device;
    xbar->far_links = config->far_links;
    xbar->slices = downs / config->slice_links;
    xbar->map = map.policy;
    xbar->map_ops = map.ops;
    xbar->routing = routing.policy;
    xbar->routing_ops = routing.ops;
    xbar->links =
        config->slice_links > 1 && xbar->routing_ops->slice_link != NULL;
    if (downs == 0 || downs % multiple != 0) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "%u links at port 'down', expected a multiple of "
                         "parameter 'slices_per_channel', which is %u, and of "
                         "'slice_links', which is %u",
                         downs, config->slices_per_channel,
                         config->slice_links);
    }
    if (xbar->map_ops->bind != NULL &&
        !xbar->map_ops->bind(xbar->map, &map_shape, err)) {
        return false;
    }
    return xbar->routing_ops->bind == NULL ||
           xbar->routing_ops->bind(xbar->routing, &shape, err);
}

/* Where a switch counts: the fields of one direction. */
#define COUNTS(stats, d)                                                       \
    {                                                                          \
        &(stats)->d##_packets, &(stats)->d##_packets_out, &(stats)->d##_flits, \
            &(stats)->d##_bytes, &(stats)->d##_conflict_cycles,                \
            &(stats)->d##_input_full_cycles, (stats)->d##_kind,                \
            &(stats)->d##_flits_in, &(stats)->d##_flits_out,                   \
            &(stats)->d##_latency                                              \
    }

static bool crossbar_init(struct loom_component *self, struct loom_error *err)
{
    const struct crossbar_config *config = loom_config(self);
    struct crossbar_stats *stats = loom_stats_of(self);
    struct crossbar *xbar = loom_state(self);
    struct loom_bound request = loom_slot(self, "request_arbiter").item[0];
    struct loom_bound reply = loom_slot(self, "reply_arbiter").item[0];
    uint32_t flit = config->flit_bytes, up = config->request_flit_bytes;

    if (request.policy == reply.policy) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "slots 'request_arbiter' and 'reply_arbiter' share "
                         "one policy, expected one each");
    }
    xbar->request.count = (struct crossbar_counts)COUNTS(stats, request);
    xbar->request.route = route_request;
    xbar->request.mask_bytes = config->mask_bytes;
    xbar->request.arbiter = request.policy;
    xbar->request.arbiter_ops = request.ops;
    xbar->reply.count = (struct crossbar_counts)COUNTS(stats, reply);
    xbar->reply.route = route_reply;
    xbar->reply.arbiter = reply.policy;
    xbar->reply.arbiter_ops = reply.ops;
    return learn_peers(self, xbar, err) && bind_policies(self, xbar, err) &&
           crossbar_switch_init(self, &xbar->request, "up", "down",
                                up != 0 ? up : flit, err) &&
           crossbar_switch_init(self, &xbar->reply, "down", "up", flit, err);
}

static loom_cycle crossbar_tick(struct loom_component *self, loom_cycle now)
{
    struct crossbar *xbar = loom_state(self);
    loom_cycle a = crossbar_switch_tick(&xbar->request, now);
    loom_cycle b = crossbar_switch_tick(&xbar->reply, now);

    return a < b ? a : b;
}

/* A warm request goes to its slice, and comes back as the reply. */
static void crossbar_serve_warm(struct loom_component *self, void *message,
                                loom_cycle now)
{
    struct crossbar *xbar = loom_state(self);
    struct loom_mem_request *r = message;
    uint32_t slot = r->slot;
    uint32_t output = route_request(self, 0, r);

    (void)now;
    loom_warm(xbar->request.output[output].channel, r);
    r->slot = slot;
}

static bool crossbar_quiet(struct loom_component *self)
{
    struct crossbar *xbar = loom_state(self);

    return crossbar_switch_empty(&xbar->request) &&
           crossbar_switch_empty(&xbar->reply);
}

static void crossbar_settle(struct loom_component *self, loom_cycle now)
{
    struct crossbar_stats *stats = loom_stats_of(self);
    struct crossbar *xbar = loom_state(self);

    stats->cycles = now;
    crossbar_switch_settle(&xbar->request, now);
    crossbar_switch_settle(&xbar->reply, now);
}

static bool check_switch(const struct crossbar_switch *sw, const char *what,
                         struct loom_error *err)
{
    uint64_t in = *sw->count.packets, out = *sw->count.packets_out;

    return in == out ||
           loom_fail(err, LOOM_ERR_LAW, "%llu %s in, %llu out",
                     (unsigned long long)in, what, (unsigned long long)out);
}

static bool crossbar_check(struct loom_component *self, struct loom_error *err)
{
    const struct crossbar *xbar = loom_state(self);

    return check_switch(&xbar->request, "requests", err) &&
           check_switch(&xbar->reply, "replies", err);
}

static void report_switch(struct loom_component *self,
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

static void crossbar_report(struct loom_component *self,
                            struct loom_report *report)
{
    const struct crossbar *xbar = loom_state(self);

    report_switch(self, &xbar->request, "request", report);
    report_switch(self, &xbar->reply, "reply", report);
}

#define GTX480 "GPGPU-Sim 3.2.2, GTX480"

static const struct loom_param crossbar_params[] = {
    LOOM_PARAM(struct crossbar_config, flit_bytes, .unit = LOOM_UNIT_BYTE,
               .def = {.u = 32}, .min = {.u = 1}, .max = {.u = 256},
               .source = GTX480 ", icnt_config_fermi_islip.icnt",
               .doc = "Bytes of a flit, in both directions"),
    LOOM_PARAM(struct crossbar_config, request_flit_bytes,
               .unit = LOOM_UNIT_BYTE, .def = {.u = 0}, .max = {.u = 256},
               .doc = "Bytes of a flit towards the L2; 0: flit_bytes"),
    LOOM_PARAM(struct crossbar_config, mask_bytes, .unit = LOOM_UNIT_BYTE,
               .def = {.u = 0}, .max = {.u = 256},
               .source = "GPGPU-Sim: none; H100 and H200, measured: a flit "
                         "more for an atomic or a part of a sector",
               .doc = "Bytes more of an atomic, or a write that does not "
                      "bring all of its sectors; an atomic on up to 8 bytes "
                      "has its operand in them"),
    LOOM_PARAM(struct crossbar_config, latency, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 4}, .min = {.u = 1}, .max = {.u = 1024},
               .source = "BookSim fly n=1: VC and switch allocation, "
                         "traversal, output channel",
               .doc = "Cycles of a flit from input to output, unloaded"),
    LOOM_PARAM(struct crossbar_config, input_speedup, .def = {.u = 1},
               .min = {.u = 1}, .max = {.u = 64},
               .doc = "Flits an input may send in a cycle (of the switch, with "
                      "internal_speedup)"),
    LOOM_PARAM(struct crossbar_config, internal_speedup, .def = {.u = 1},
               .min = {.u = 1}, .max = {.u = 8},
               .source = "BookSim's internal_speedup",
               .doc = "Cycles of the switch in one of the links: what an "
                      "output gets faster waits in its buffer"),
    LOOM_PARAM(struct crossbar_config, packet_gap, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 0}, .max = {.u = 1000},
               .source = "1 for BookSim with one virtual channel, which "
                         "allocates it anew for each packet",
               .doc = "Cycles an output rests between two packets (of the "
                      "switch, with internal_speedup)"),
    LOOM_PARAM(struct crossbar_config, inputs_rest, .def = {.b = true},
               .source = "BookSim's one virtual channel: the next packet of "
                         "an input asks when the last flit has left",
               .doc = "So does an input"),
    LOOM_PARAM(struct crossbar_config, input_buffer_flits,
               .unit = LOOM_UNIT_FLIT, .def = {.u = 9}, .min = {.u = 1},
               .max = {.u = 4096}, .source = GTX480 ", boundary buffer",
               .doc = "Flits that wait at an input"),
    LOOM_PARAM(struct crossbar_config, output_buffer_flits,
               .unit = LOOM_UNIT_FLIT, .def = {.u = 8}, .min = {.u = 1},
               .max = {.u = 4096}, .source = GTX480 ", ejection buffer",
               .doc = "Flits that wait for the link at an output, beyond "
                      "those in its pipeline"),
    LOOM_PARAM(struct crossbar_config, slices_per_channel, .def = {.u = 2},
               .min = {.u = 1}, .max = {.u = 16}, .source = GTX480,
               .doc = "L2 slices of a memory channel, for the map"),
    LOOM_PARAM(struct crossbar_config, slice_links, .def = {.u = 1},
               .min = {.u = 1}, .max = {.u = 4},
               .doc = "Links to each slice: those of all slices, then the "
                      "second ones ..; `routing` chooses"),
    LOOM_PARAM(struct crossbar_config, devices, .def = {.u = 1},
               .min = {.u = 1}, .max = {.u = LOOM_MEMORY_WINDOWS},
               .doc = "Devices that have memory: with several, more links at "
                      "`down`, the last ones, lead to the others"),
    LOOM_PARAM(struct crossbar_config, device, .def = {.u = 0},
               .max = {.u = LOOM_MEMORY_WINDOWS - 1},
               .doc = "Whose memory is behind the slices"),
    LOOM_PARAM(struct crossbar_config, far_links, .def = {.u = 1},
               .min = {.u = 1}, .max = {.u = 64},
               .doc = "Links to the others, for blocks in turn"),
};

#define COUNTER(field, unit, doc_)                                             \
    LOOM_COUNTER(struct crossbar_stats, field, unit, doc_)

/* The statistics of one direction; `what` is the plural. */
#define DIRECTION(d, what)                                                     \
    COUNTER(d##_packets, LOOM_UNIT_REQUEST, what " that came in"),             \
        COUNTER(d##_packets_out, LOOM_UNIT_REQUEST, what " delivered"),        \
        COUNTER(d##_flits, LOOM_UNIT_FLIT, "Flits of " what),                  \
        COUNTER(d##_bytes, LOOM_UNIT_BYTE, "Bytes of " what),                  \
        COUNTER(d##_conflict_cycles, LOOM_UNIT_CYCLE,                          \
                "Cycles in which an input's head could not go on, summed "     \
                "over inputs, " what),                                         \
        COUNTER(d##_input_full_cycles, LOOM_UNIT_CYCLE,                        \
                "Cycles in which a packet found its input's buffer full, "     \
                "summed over inputs, " what),                                  \
        LOOM_VECTOR(struct crossbar_stats, d##_kind, "kind",                   \
                    loom_mem_kind_names, LOOM_UNIT_REQUEST,                    \
                    what " that came in, by kind"),                            \
        LOOM_ARRAY(struct crossbar_stats, d##_flits_in, #d "_input",           \
                   LOOM_UNIT_FLIT, "Flits of " what " taken by each input"),   \
        LOOM_ARRAY(struct crossbar_stats, d##_flits_out, #d "_output",         \
                   LOOM_UNIT_FLIT, "Flits of " what " sent to each output"),   \
        LOOM_HISTOGRAM(                                                        \
            struct crossbar_stats, d##_latency, LOOM_UNIT_CYCLE,               \
            "Cycles from a packet's arrival to its delivery, " what)

static const struct loom_stat crossbar_stat_table[] = {
    COUNTER(cycles, LOOM_UNIT_CYCLE, "Cycles of the network's clock"),
    DIRECTION(request, "requests"),
    DIRECTION(reply, "replies"),
};

static const struct loom_energy crossbar_energies[] = {
    {"flit", "A flit of 32 bytes passed on", "request_flits + reply_flits",
     6.34601e-12, "GPUWattch, GTX 480: NOC_A"},
    {"leak", "Leakage of the network", "time", 0.0672335,
     "GPUWattch, GTX 480: leakage of the NoC, 380 K"},
};

static const struct loom_port_decl crossbar_ports[] = {
    {"up", "Side of the SMs: requests in, replies out", LOOM_SERVER,
     &loom_mem_protocol, 1, CROSSBAR_PORTS},
    {"down", "Side of the memory: link s leads to L2 slice s", LOOM_CLIENT,
     &loom_mem_protocol, 1, CROSSBAR_PORTS},
};

static const struct loom_slot_decl crossbar_slots[] = {
    {"map", "L2 slice of an address", &loom_map_hook, "gpgpusim_map"},
    {"routing", "Output of a packet by its destination", &loom_routing_hook,
     "direct_route"},
    {"request_arbiter", "Which input's request an output takes",
     &loom_arbiter_hook, "round_robin_arbiter"},
    {"reply_arbiter", "Which input's reply an output takes", &loom_arbiter_hook,
     "round_robin_arbiter"},
};

static const struct loom_warm_ops crossbar_warm = {.serve = crossbar_serve_warm,
                                                   .quiet = crossbar_quiet};

static const struct loom_component_ops crossbar_ops = {
    .init = crossbar_init,
    .tick = crossbar_tick,
    .settle = crossbar_settle,
    .check = crossbar_check,
    .report = crossbar_report,
    .warm = &crossbar_warm,
};

const struct loom_component_type crossbar_component = {
    .name = "crossbar",
    .doc = "Two switches between SMs and L2 slices, requests and replies",
    .state_size = sizeof(struct crossbar),
    .config_size = sizeof(struct crossbar_config),
    .stats_size = sizeof(struct crossbar_stats),
    .params = LOOM_SLICE(crossbar_params),
    .stats = LOOM_SLICE(crossbar_stat_table),
    .energies = LOOM_SLICE(crossbar_energies),
    .ports = LOOM_SLICE(crossbar_ports),
    .slots = LOOM_SLICE(crossbar_slots),
    .ops = &crossbar_ops,
};
