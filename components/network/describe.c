/*
 * What a network declares: parameters, statistics, ports and slots.
 */
#include "components/network/network_private.h"

#define BOOKSIM "BookSim 2, default of its example mesh88_lat"

const struct loom_param network_params[] = {
    LOOM_PARAM(struct network_config, topology, .def = {.s = "mesh"},
               .choices = LOOM_CHOICES("mesh", "torus", "ring", "butterfly",
                                       "crossbar", "point_to_point"),
               .doc = "How routers are linked"),
    LOOM_PARAM(struct network_config, columns, .def = {.u = 4}, .min = {.u = 1},
               .max = {.u = 4096},
               .doc = "Routers in x of a mesh or torus; with 'rows' all "
                      "routers of a ring or point_to_point"),
    LOOM_PARAM(struct network_config, rows, .def = {.u = 1}, .min = {.u = 1},
               .max = {.u = 4096},
               .doc = "Routers in y of a mesh or torus; a ring has one row"),
    LOOM_PARAM(struct network_config, radix, .def = {.u = 8}, .min = {.u = 2},
               .max = {.u = NETWORK_PORTS},
               .doc = "k of a k-ary n-fly; inputs of a crossbar"),
    LOOM_PARAM(struct network_config, stages, .def = {.u = 2}, .min = {.u = 1},
               .max = {.u = 8}, .doc = "n of a k-ary n-fly"),
    LOOM_PARAM(struct network_config, concentration, .def = {.u = 1},
               .min = {.u = 1}, .max = {.u = 32},
               .doc = "Sites of a router of a mesh, torus, ring or "
                      "point_to_point"),
    LOOM_PARAM(struct network_config, shared,
               .doc = "Requests and replies share the routers, each with half "
                      "of the virtual channels; else each has a network"),
    LOOM_PARAM(struct network_config, vcs, .def = {.u = 4}, .min = {.u = 1},
               .max = {.u = NETWORK_VCS}, .source = BOOKSIM,
               .doc = "Virtual channels of a port"),
    LOOM_PARAM(struct network_config, buffer_flits, .unit = LOOM_UNIT_FLIT,
               .def = {.u = 8}, .min = {.u = 1}, .max = {.u = NETWORK_BUFFER},
               .source = BOOKSIM, .doc = "Flits of a virtual channel's buffer"),
    LOOM_PARAM(struct network_config, flit_bytes, .unit = LOOM_UNIT_BYTE,
               .def = {.u = 32}, .min = {.u = 1}, .max = {.u = 256},
               .doc = "Bytes of a flit, in both directions"),
    LOOM_PARAM(struct network_config, routing_delay, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 1}, .max = {.u = NETWORK_DELAY}, .source = BOOKSIM,
               .doc = "Cycles in which a head's output is found"),
    LOOM_PARAM(struct network_config, switch_delay, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 2}, .min = {.u = 1}, .max = {.u = NETWORK_DELAY},
               .source = BOOKSIM ", sw_alloc_delay 1 and st_final_delay 1",
               .doc = "Cycles from the switch's grant to the link"),
    LOOM_PARAM(struct network_config, speculative,
               .doc = "A head may get a virtual channel and the switch in the "
                      "same cycle, not one after the other"),
    LOOM_PARAM(struct network_config, internal_speedup, .def = {.u = 1},
               .min = {.u = 1}, .max = {.u = NETWORK_ROUNDS},
               .source = "BookSim's internal_speedup",
               .doc = "Cycles of a router's stages in one of the links: flits "
                      "that an output gets faster wait for its link"),
    LOOM_PARAM(struct network_config, link_latency, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 1}, .min = {.u = 1}, .max = {.u = NETWORK_DELAY},
               .source = BOOKSIM, .doc = "Cycles of a link between routers"),
    LOOM_PARAM(struct network_config, link_period, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 1}, .min = {.u = 1}, .max = {.u = 1024},
               .doc = "Cycles from one flit of a link between routers to the "
                      "next: its bandwidth is flit_bytes in that time"),
    LOOM_PARAM(struct network_config, credit_delay, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 4}, .min = {.u = 1}, .max = {.u = NETWORK_DELAY},
               .source = BOOKSIM ", credit_delay 1 and a channel of 1",
               .doc = "Cycles from the switch's grant until the router before "
                      "may use the place again"),
    LOOM_PARAM(struct network_config, eject_flits, .unit = LOOM_UNIT_FLIT,
               .def = {.u = 64}, .min = {.u = 1}, .max = {.u = 4096},
               .doc = "Flits that a site holds for each link out of the "
                      "network, those on their way to it included"),
    LOOM_PARAM(struct network_config, slices_per_channel, .def = {.u = 1},
               .min = {.u = 1}, .max = {.u = 16},
               .doc = "L2 slices of a memory channel, for the map"),
    LOOM_PARAM(struct network_config, slices, .max = {.u = NETWORK_LINKS},
               .doc = "Link of port 'down' for each L2 slice; empty: slice s "
                      "has link s"),
    LOOM_PARAM(
        struct network_config, placement, .max = {.u = 2 * NETWORK_LINKS},
        .doc = "Site of each link of port 'up', then of port 'down'; "
               "empty: 0, 1 and so on, for 'down' from 0 again if there are "
               "not enough sites for all"),
};

#define COUNTER(field, unit, doc_)                                             \
    LOOM_COUNTER(struct network_stats, field, unit, doc_)

/* The statistics of one direction; `what` is the plural. */
#define DIRECTION(d, what)                                                     \
    COUNTER(d##_packets, LOOM_UNIT_REQUEST, what " that came in"),             \
        COUNTER(d##_packets_out, LOOM_UNIT_REQUEST, what " delivered"),        \
        COUNTER(d##_flits, LOOM_UNIT_FLIT, "Flits of " what),                  \
        COUNTER(d##_bytes, LOOM_UNIT_BYTE, "Bytes of " what),                  \
        COUNTER(d##_hops, LOOM_UNIT_EVENT,                                     \
                "Routers passed by last flits of " what),                      \
        LOOM_VECTOR(struct network_stats, d##_kind, "kind",                    \
                    loom_mem_kind_names, LOOM_UNIT_REQUEST,                    \
                    what " that came in, by kind"),                            \
        LOOM_ARRAY(struct network_stats, d##_flits_in, #d "_source",           \
                   LOOM_UNIT_FLIT, "Flits of " what " taken by each link"),    \
        LOOM_ARRAY(struct network_stats, d##_flits_out, #d "_sink",            \
                   LOOM_UNIT_FLIT, "Flits of " what " sent to each link"),     \
        LOOM_HISTOGRAM(                                                        \
            struct network_stats, d##_latency, LOOM_UNIT_CYCLE,                \
            "Cycles from a packet's arrival to its delivery, " what)

const struct loom_stat network_stat_table[] = {
    COUNTER(cycles, LOOM_UNIT_CYCLE, "Cycles of the network's clock"),
    COUNTER(moving_cycles, LOOM_UNIT_CYCLE,
            "Cycles in which something moved in a router or at a link"),
    DIRECTION(request, "requests"),
    DIRECTION(reply, "replies"),
    LOOM_ARRAY(struct network_stats, request_link_flits, "router_output",
               LOOM_UNIT_FLIT,
               "Flits by router * ports + output; of both classes if they "
               "share the network"),
    LOOM_ARRAY(struct network_stats, request_link_stalls, "router_output",
               LOOM_UNIT_CYCLE,
               "Grants of an output that its input did not accept, by router "
               "* ports + output"),
    LOOM_ARRAY(struct network_stats, reply_link_flits, "router_output",
               LOOM_UNIT_FLIT,
               "Flits by router * ports + output in the network of replies"),
    LOOM_ARRAY(struct network_stats, reply_link_stalls, "router_output",
               LOOM_UNIT_CYCLE,
               "Grants of an output that its input did not accept, in the "
               "network of replies"),
};

const struct loom_port_decl network_ports[] = {
    {"up", "Side of the SMs: requests in, replies out", LOOM_SERVER,
     &loom_mem_protocol, 1, NETWORK_LINKS},
    {"down",
     "Side of the memory: link s leads to L2 slice s unless 'slices' "
     "says otherwise",
     LOOM_CLIENT, &loom_mem_protocol, 1, NETWORK_LINKS},
};

const struct loom_slot_decl network_slots[] = {
    {"map", "L2 slice of an address", &loom_map_hook, "gpgpusim_map"},
    {"routing", "Output and virtual channels of a packet by its destination",
     &loom_routing_hook, "minimal_route"},
    {"arbiter", "Which input an output takes, of requests", &loom_arbiter_hook,
     "round_robin_arbiter"},
    {"reply_arbiter",
     "Which input an output takes, of replies in a network "
     "of their own",
     &loom_arbiter_hook, "round_robin_arbiter"},
};

_Static_assert(LOOM_COUNTOF(network_params) == NETWORK_PARAM_COUNT,
               "count of parameters");
_Static_assert(LOOM_COUNTOF(network_stat_table) == NETWORK_STAT_COUNT,
               "count of statistics");
_Static_assert(LOOM_COUNTOF(network_ports) == NETWORK_PORT_COUNT,
               "count of ports");
_Static_assert(LOOM_COUNTOF(network_slots) == NETWORK_SLOT_COUNT,
               "count of slots");
