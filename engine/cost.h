/*
 * What a policy would cost in hardware: bits of storage, part by part.
 *
 * A policy type says it in one function of its parameters and of the hardware
 * around it (struct loom_policy_type, `cost`).  Counted is what a chip would
 * have to keep for one instance of the policy beyond the unpoliced machine:
 * tables, tags, counters, bits per line.  Not counted are our own
 * bookkeeping (statistics, 64-bit clocks where hardware has a few bits of
 * order), wires and logic.
 */
#ifndef ENGINE_COST_H
#define ENGINE_COST_H

#include "engine/schema.h"

/* The hardware around one instance.  Defaults: the GTX 480, at its L1. */
struct loom_cost_shape {
    uint32_t sets, ways, line_bytes, sector_bytes, mshrs; /* of the cache */
    uint32_t warps, schedulers, ctas;                     /* of the SM */
    uint32_t sms;                                         /* of the GPU */
    uint32_t inputs, outputs;                             /* of the network */
    uint32_t banks, entries; /* of the DRAM channel: banks, queued requests */
    uint32_t address_bits;   /* of a byte address */
    uint32_t pc_bits;        /* of an instruction's address */
};

/* The fields above as parameters: names, defaults, ranges, docs. */
extern const struct loom_params loom_cost_shape_params;

#define LOOM_COST_PARTS 24

struct loom_cost_part {
    const char *name; /* [a-z][a-z0-9_]*; not copied: a literal */
    const char *doc;  /* one sentence, no full stop; a literal */
    uint64_t count;   /* entries */
    uint64_t bits;    /* of each */
};

struct loom_cost {
    struct loom_cost_part part[LOOM_COST_PARTS];
    uint32_t count;
};

/* Adds `count` entries of `bits` each; nothing if either is 0. */
void loom_cost_add(struct loom_cost *cost, const char *name, uint64_t count,
                   uint64_t bits, const char *doc);

/* Sum of all parts, in bits. */
uint64_t loom_cost_bits(const struct loom_cost *cost);

/* Bits that tell `values` values apart: 0 for 0 and 1, 3 for 5. */
uint32_t loom_bits_for(uint64_t values);

/* Bits of a tag of the shape's cache if it had `sets` sets. */
uint32_t loom_cost_tag_bits(const struct loom_cost_shape *shape, uint32_t sets);

/* For policies that keep nothing: wires, pure functions of an address,
 * observers that no chip would have. */
void loom_cost_none(const void *config, const struct loom_cost_shape *shape,
                    struct loom_cost *cost);

#endif
