/*
 * Locality of a kernel's loads without timing: how many cache lines a warp
 * load touches, and how often they are still there in L1 caches of several
 * sizes.
 *
 * The model is the one that the suite's reference measurements were taken
 * with, so that ours can be put beside them: CTA i belongs to SM i modulo the
 * number of SMs; an SM holds as many CTAs as the two limits allow and takes
 * its next one when one ends; its warps take turns, one memory instruction
 * each (loose round robin), and wait at barriers.  Caches have lines of 128
 * bytes, LRU and a polynomial set index (Rau, ISCA 1991), which spreads strides
 * of powers of two evenly; a store or an atomic evicts its line (write-evict,
 * no allocation).  What is in them stays from launch to launch.  There are no
 * latencies and no MSHRs: use it as an indication.
 *
 * Whoever wants other caches is told of every access to a line (`access`), in
 * the order in which the SM makes them; it does not depend on what hits.
 *
 * What the description of those measurements leaves open (the set index, what
 * a launch leaves behind) can be chosen, to see how much depends on it.
 *
 * Counted are loads of global and local memory.  SMs share nothing, so the
 * order in which they are stepped does not matter.
 */
#ifndef WORKLOADS_LOCALITY_LOCALITY_H
#define WORKLOADS_LOCALITY_LOCALITY_H

#include "components/mem_protocol.h"
#include "workloads/stream.h"

#define LOOM_LOCALITY_LINE 128 /* bytes */
#define LOOM_LOCALITY_CACHES 4
#define LOOM_LOCALITY_SET_BITS 8

enum loom_locality_index {
    LOOM_LOCALITY_POLYNOMIAL, /* modulo an irreducible one over GF(2) */
    LOOM_LOCALITY_FOLDED,     /* exclusive or of groups of index bits */
    LOOM_LOCALITY_MODULO,     /* the lowest bits */
    LOOM_LOCALITY_RANDOM,     /* of a hash that mixes all bits */
};

struct loom_locality_spec {
    enum loom_locality_index index;
    bool flush;       /* caches are empty at each launch */
    uint32_t sms;     /* at least 1 */
    uint32_t ctas;    /* resident on an SM, at least 1 */
    uint32_t threads; /* resident on an SM; a larger CTA is alone there */
    struct {
        uint32_t sets;             /* a power of two, 2..256; 0: none */
        uint32_t ways;             /* at least 1 */
    } cache[LOOM_LOCALITY_CACHES]; /* from small to large */
    /* Told of an access of a load, store or atomic to one line; false ends
     * the measurement with the error.  NULL: nobody is told. */
    bool (*access)(void *context, const struct loom_mem_request *request,
                   struct loom_error *err);
    void *context;
};

/* Of one static instruction. */
struct loom_locality_load {
    uint64_t loads; /* warp instructions */
    uint64_t lines; /* that they touched */
    uint64_t hits[LOOM_LOCALITY_CACHES];
    /* Hits in the last cache, by who touched the line before. */
    uint64_t same_warp, other_warp;
};

struct loom_locality {
    struct loom_locality_load *load; /* [inst_count], by static index */
    uint64_t insts;                  /* warp instructions of all kinds */
    uint64_t thread_insts;           /* the active lanes of these */
};

struct loom_locality_model; /* the SMs and what their caches hold */

/* NULL and an error if there is no memory. */
struct loom_locality_model *
loom_locality_create(const struct loom_locality_spec *spec,
                     struct loom_error *err);
void loom_locality_destroy(struct loom_locality_model *model); /* or NULL */

/* Executes all CTAs of a kernel, which no one else may do then.  *result is
 * the caller's to free with loom_locality_free(), on success only. */
bool loom_locality_measure(struct loom_locality_model *model,
                           struct loom_kernel *kernel,
                           struct loom_locality *result,
                           struct loom_error *err);

void loom_locality_free(struct loom_locality *result);

#endif
