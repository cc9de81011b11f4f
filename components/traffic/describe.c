/*
 * What a traffic node declares, and the rules of its parameters.
 */
#include <string.h>

#include "components/traffic/traffic_private.h"

static const char *const patterns[TRAFFIC_PATTERNS + 1] = {
    [TRAFFIC_UNIFORM] = "uniform",           [TRAFFIC_TRANSPOSE] = "transpose",
    [TRAFFIC_COMPLEMENT] = "bit_complement", [TRAFFIC_REVERSE] = "bit_reverse",
    [TRAFFIC_SHUFFLE] = "shuffle",           [TRAFFIC_TORNADO] = "tornado",
    [TRAFFIC_NEIGHBOR] = "neighbor",         [TRAFFIC_HOTSPOT] = "hotspot",
    [TRAFFIC_PERMUTATION] = "permutation",
};
enum traffic_pattern traffic_pattern_of(const char *name)
{
    for (uint32_t i = 0; i < TRAFFIC_PATTERNS; i++) {
        if (strcmp(patterns[i], name) == 0) {
            return (enum traffic_pattern)i;
        }
    }
    return TRAFFIC_UNIFORM;
}

bool traffic_reads(const struct traffic_config *config)
{
    return strcmp(config->kind, "read") == 0;
}

uint32_t traffic_flits(const struct traffic_config *config)
{
    uint32_t bytes = 8 + (traffic_reads(config) ? 0 : config->size_bytes);

    return (bytes + config->flit_bytes - 1) / config->flit_bytes;
}

bool traffic_validate(const void *raw, struct loom_error *err)
{
    const struct traffic_config *config = raw;
    enum traffic_pattern pattern = traffic_pattern_of(config->pattern);

    if (config->node >= config->nodes) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'node' is %u, expected below 'nodes', "
                         "which is %u",
                         config->node, config->nodes);
    }
    if (pattern >= TRAFFIC_TRANSPOSE && pattern <= TRAFFIC_SHUFFLE &&
        !loom_is_power_of_2(config->nodes)) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'nodes' is %u, expected a power of 2 for "
                         "pattern \"%s\"",
                         config->nodes, config->pattern);
    }
    if (pattern == TRAFFIC_PERMUTATION &&
        config->targets.count != config->nodes) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'targets' has %u nodes, expected %u: one "
                         "for each",
                         config->targets.count, config->nodes);
    }
    for (uint32_t i = 0; i < config->targets.count; i++) {
        if (config->targets.item[i] >= config->nodes) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "parameter 'targets' names node %llu, expected "
                             "below %u",
                             (unsigned long long)config->targets.item[i],
                             config->nodes);
        }
    }
    return true;
}

const struct loom_param traffic_params[] = {
    LOOM_PARAM(struct traffic_config, node, .max = {.u = 4095},
               .doc = "Number of this node"),
    LOOM_PARAM(struct traffic_config, nodes, .def = {.u = 1}, .min = {.u = 1},
               .max = {.u = 4096}, .doc = "Nodes of the load"),
    LOOM_PARAM(struct traffic_config, pattern, .def = {.s = "uniform"},
               .choices = patterns,
               .doc = "Where packets go; uniform includes the node itself"),
    LOOM_PARAM(struct traffic_config, kind, .def = {.s = "write"},
               .choices = LOOM_CHOICES("write", "read"),
               .doc = "Packets with data and no reply, or short ones whose "
                      "reply has the data"),
    LOOM_PARAM(struct traffic_config, rate, .def = {.f = 0.1}, .max = {.f = 64},
               .doc = "Flits made in a cycle, on average; at most one packet "
                      "is"),
    LOOM_PARAM(struct traffic_config, size_bytes, .unit = LOOM_UNIT_BYTE,
               .def = {.u = 128}, .max = {.u = 65535},
               .doc = "Data of a packet; 8 bytes of control come on top"),
    LOOM_PARAM(struct traffic_config, flit_bytes, .unit = LOOM_UNIT_BYTE,
               .def = {.u = 32}, .min = {.u = 1}, .max = {.u = 256},
               .doc = "Bytes of the network's flits, for the rate"),
    LOOM_PARAM(struct traffic_config, warmup, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 1000}, .max = {.u = UINT64_C(1) << 40},
               .doc = "Cycles before the measured ones"),
    LOOM_PARAM(struct traffic_config, measure, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 10000}, .max = {.u = UINT64_C(1) << 40},
               .doc = "Measured cycles; after them no packet is made"),
    LOOM_PARAM(struct traffic_config, interleave, .unit = LOOM_UNIT_BYTE,
               .def = {.u = 256}, .min = {.u = 128},
               .max = {.u = UINT64_C(1) << 40},
               .doc = "Distance of the addresses of two nodes"),
    LOOM_PARAM(struct traffic_config, queue, .unit = LOOM_UNIT_REQUEST,
               .def = {.u = 4096}, .min = {.u = 1}, .max = {.u = 1u << 20},
               .doc = "Packets that wait at the node; more are refused"),
    LOOM_PARAM(struct traffic_config, ordered,
               .doc = "Packets of a source must come in order"),
    LOOM_PARAM(struct traffic_config, targets, .max = {.u = 4096},
               .doc = "Nodes of pattern hotspot, taken with equal chance "
                      "(empty: node 0); of permutation, one for each node"),
};

#define COUNTER(field, unit, doc_)                                             \
    LOOM_COUNTER(struct traffic_stats, field, unit, doc_)

const struct loom_stat traffic_stat_table[] = {
    COUNTER(packets_sent, LOOM_UNIT_REQUEST, "Packets sent"),
    COUNTER(bytes_sent, LOOM_UNIT_BYTE, "Bytes of packets sent"),
    COUNTER(refused, LOOM_UNIT_REQUEST,
            "Packets that were not made because the queue was full"),
    COUNTER(packets_received, LOOM_UNIT_REQUEST,
            "Packets of other nodes and of itself that came"),
    COUNTER(bytes_accepted, LOOM_UNIT_BYTE,
            "Bytes of packets that came in the measured cycles"),
    COUNTER(replies, LOOM_UNIT_REQUEST, "Replies to reads"),
    COUNTER(overtaken, LOOM_UNIT_REQUEST,
            "Packets that came after a later one of the same source"),
    COUNTER(strangers, LOOM_UNIT_REQUEST,
            "Packets that are not of a node of the load"),
    LOOM_HISTOGRAM(struct traffic_stats, latency, LOOM_UNIT_CYCLE,
                   "Cycles from a packet's making to its arrival, or to that "
                   "of its reply, of packets made in the measured cycles"),
};

const struct loom_port_decl traffic_ports[] = {
    {"out", "Packets of this node, and replies to them", LOOM_CLIENT,
     &loom_mem_protocol, 0, 1},
    {"in", "Packets of other nodes", LOOM_SERVER, &loom_mem_protocol, 0, 1},
};

_Static_assert(LOOM_COUNTOF(traffic_params) == TRAFFIC_PARAM_COUNT,
               "count of parameters");
_Static_assert(LOOM_COUNTOF(traffic_stat_table) == TRAFFIC_STAT_COUNT,
               "count of statistics");
_Static_assert(LOOM_COUNTOF(traffic_ports) == TRAFFIC_PORT_COUNT,
               "count of ports");
