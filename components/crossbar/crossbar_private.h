/*
 * The inside of a crossbar, shared by its files:
 *
 *   crossbar.c  what the outside sees: parameters, statistics, ports, slots
 *   setup.c     a switch's memory and parameters
 *   switch.c    one switch: buffers, arbitration, delivery
 *   speedup.c   the times of a switch with several rounds in a cycle
 *
 * A crossbar is two switches that know nothing of each other: requests from
 * the up ports to the down ports, replies back.
 *
 * Ports are bits of arrays of 64-bit words.  Packets live in one pool per
 * switch and are linked into FIFOs, so that a packet is copied
 * once when it comes in and once when it leaves.
 */
#ifndef COMPONENTS_CROSSBAR_CROSSBAR_PRIVATE_H
#define COMPONENTS_CROSSBAR_CROSSBAR_PRIVATE_H

#include "engine/component.h"

#include "components/mem_protocol.h"
#include "policies/dram_hook.h"
#include "policies/noc_hook.h"
#include "workloads/memory.h"

enum {
    CROSSBAR_PORTS = 1024,
    CROSSBAR_ALIGN = 64 /* of records that are looked at here and there */
};

struct crossbar_config {
    uint32_t flit_bytes, request_flit_bytes, mask_bytes;
    uint32_t latency;
    uint32_t input_speedup, internal_speedup;
    uint32_t packet_gap;
    bool inputs_rest;
    uint32_t input_buffer_flits, output_buffer_flits;
    uint32_t slices_per_channel, slice_links;
    uint32_t devices, device, far_links;
};

/* Requests and replies have the same statistics. */
#define CROSSBAR_DIRECTION(d)                                                  \
    uint64_t d##_packets, d##_packets_out, d##_flits, d##_bytes;               \
    uint64_t d##_conflict_cycles, d##_input_full_cycles;                       \
    uint64_t d##_kind[LOOM_MEM_KINDS];                                         \
    struct loom_array d##_flits_in, d##_flits_out;                             \
    struct loom_histogram d##_latency

struct crossbar_stats {
    uint64_t cycles;
    CROSSBAR_DIRECTION(request);
    CROSSBAR_DIRECTION(reply);
};

/* Where a switch counts.  All but `input_full_cycles` and the histogram are
 * brought up to date when statistics are read. */
struct crossbar_counts {
    uint64_t *packets, *packets_out, *flits, *bytes;
    uint64_t *conflict_cycles, *input_full_cycles;
    uint64_t *kind; /* [LOOM_MEM_KINDS] */
    struct loom_array *flits_in, *flits_out;
    struct loom_histogram *latency;
};

struct crossbar_packet {
    /* In its FIFO, or in the list of free ones. */
    _Alignas(CROSSBAR_ALIGN) union {
        struct crossbar_packet *next;
        uint32_t link; /* engine/free_list.h */
    };
    loom_cycle arrived; /* head seen at the input */
    loom_cycle ready;   /* tail at the end of the output's pipeline; with
                         * several rounds, before the grant: seen */
    uint32_t flits, output;
    const struct loom_mem_request
        *content; /* in its input's link, or `message` */
    struct loom_mem_request message;
};

struct crossbar_fifo {
    struct crossbar_packet *head; /* NULL: empty */
    struct crossbar_packet **end; /* where the next one is linked */
};

#define CROSSBAR_NONE UINT32_MAX

/* An input and an output are a cache line each. */
struct crossbar_input {
    struct loom_channel *channel;
    struct crossbar_fifo fifo;
    uint32_t flits;        /* in the FIFO */
    uint64_t free_at;      /* round: its last granted packet has left */
    loom_cycle asks_since; /* its head wants its output; while asking */
    loom_cycle full_since; /* a packet waits in the link; or LOOM_NEVER */
    uint64_t flits_in;
};

struct crossbar_output {
    struct loom_channel *channel;
    struct crossbar_fifo fifo;
    uint32_t flits;    /* in the FIFO */
    uint16_t asked;    /* inputs that ask for it, if they are several words */
    uint16_t turn;     /* input that is looked at first, if inputs take turns */
    uint64_t free_at;  /* round */
    loom_cycle ready;  /* of its head; LOOM_NEVER */
    uint64_t requests; /* who asks for it, if a word is enough */
    uint64_t flits_out;
};

/* Output for a message that came in by `input`. */
typedef uint32_t crossbar_route(struct loom_component *self, uint32_t input,
                                struct loom_mem_request *message);

/* What is raised with each packet; statistics get it when they are read. */
struct crossbar_sums {
    uint64_t bytes, conflict_cycles;
    uint64_t kind[LOOM_MEM_KINDS];
};

/* A word of each mask. */
struct crossbar_masks {
    uint64_t pending; /* inputs: a message is in its link */
    uint64_t full;    /* inputs: .. and there is no room for it */
    uint64_t held;    /* inputs: has a head that has not asked yet */
    uint64_t fresh;   /* inputs: has a head that is in its link still */
    uint64_t wanted;  /* outputs: some input asks for it */
    uint64_t sending; /* outputs: has packets in its buffer */
};

/* Flits of a link beside a switch that is faster, and the places that they
 * take at its end. */
struct crossbar_line {
    loom_cycle link;  /* cycle from which the link is free */
    loom_cycle *free; /* [places] cycle from which a place can be taken */
    uint32_t places, next;
};

struct crossbar_switch {
    /* When each part of a tick has work next; LOOM_NEVER. */
    loom_cycle deliver_at;
    uint64_t held_at, arbitrate_at; /* rounds */
    loom_cycle wake_at; /* the soonest of them; 0 if that is not all */
    struct crossbar_masks mask[CROSSBAR_PORTS / 64];
    struct crossbar_packet *packet; /* [packets] */
    uint32_t free, packets;         /* first free one, and how many */
    bool blocked; /* an output's link is full: the credit wakes us */
    bool crowded; /* an output's buffer is full: a delivery makes room */
    bool in_turn; /* the arbiter's answer is known without asking */
    bool one;     /* a word of inputs and one of outputs, a round in a cycle */
    bool ahead;   /* packets need not wait in the outputs' buffers */
    uint32_t input_words, output_words;
    struct crossbar_sums sum;
    struct crossbar_input *input;   /* [inputs] */
    struct crossbar_output *output; /* [outputs] */
    struct loom_histogram *latency;
    struct loom_component *self;
    crossbar_route *route;
    uint32_t flit_bytes, speedup, delay;
    uint32_t mask_bytes; /* that say which bytes are meant; 0: none */
    uint32_t gap, input_gap;
    uint32_t lead;   /* of a head's cycle of traversal to that of its grant */
    uint32_t rounds; /* of grants in a cycle */
    uint32_t input_limit, output_limit; /* flits */
    uint32_t output_most;               /* the same, with several rounds */
    uint32_t inputs, outputs;
    uint64_t *requests;        /* [outputs * input_words] if they are several */
    struct crossbar_line *in;  /* [inputs] with several rounds */
    struct crossbar_line *out; /* [outputs] with several rounds */
    struct loom_policy *arbiter;
    const struct loom_arbiter_ops *arbiter_ops;
    struct crossbar_counts count;
    const struct crossbar_config *config;
};

struct crossbar {
    struct crossbar_switch request, reply;
    struct loom_policy *map, *routing;
    const struct loom_map_ops *map_ops;
    const struct loom_routing_ops *routing_ops;
    uint32_t *port_of; /* [ids] up port of a component, or CROSSBAR_NONE */
    uint32_t *peer;    /* [up ports] component at the other end */
    uint32_t ids, slices;
    uint32_t devices, device, far_links;
    bool links; /* the routing policy says by which of a slice's */
};

/* ---- setup.c ---- */

/* Takes memory and binds the arbiter; counts, route and arbiter are set. */
bool crossbar_switch_init(struct loom_component *self,
                          struct crossbar_switch *sw, const char *in,
                          const char *out, uint32_t flit_bytes,
                          struct loom_error *err);
/* Is no packet in it? */
bool crossbar_switch_empty(const struct crossbar_switch *sw);
void crossbar_switch_settle(struct crossbar_switch *sw, loom_cycle now);

/* ---- speedup.c ---- */

void crossbar_take_lines(struct loom_component *self,
                         struct crossbar_switch *sw);
/* A packet has come to the end of the FIFO of input `number`. */
void crossbar_await(struct crossbar_switch *sw, uint32_t number,
                    struct crossbar_packet *p, loom_cycle now);
/* Input `from` gets output `to` for packet p, which is no longer in its FIFO:
 * how long both are held, and when p leaves. */
void crossbar_pace(struct crossbar_switch *sw, uint32_t from, uint32_t to,
                   struct crossbar_packet *p, uint64_t round);

/* ---- switch.c ---- */

/* Does a cycle's work; returns the next cycle with work. */
loom_cycle crossbar_switch_tick(struct crossbar_switch *sw, loom_cycle now);

#endif
