/*
 * Between the GPU's CTA dispatcher and an SM.
 *
 * The dispatcher knows an SM's resources from its own bookkeeping: it takes
 * them when it sends a CTA and gives them back when the SM reports it done.
 */
#ifndef COMPONENTS_CTA_PROTOCOL_H
#define COMPONENTS_CTA_PROTOCOL_H

#include "engine/channel.h"

#include "workloads/stream.h"

enum loom_cta_command {
    LOOM_CTA_RUN,          /* run `stream` in hardware slot `slot` */
    LOOM_CTA_KERNEL_START, /* a kernel's first CTA may come (`kernel`) */
    LOOM_CTA_KERNEL_END    /* all its CTAs everywhere are done: flush if the
                            * machine does; answered with a done */
};

struct loom_cta_request {
    const struct loom_kernel *kernel;
    struct loom_cta_stream *stream; /* LOOM_CTA_RUN only */
    uint64_t code;       /* address of the kernel's instructions: pc 0 */
    uint32_t slot;       /* which of the resident CTAs of this SM, from 0 */
    uint32_t first_warp; /* warps occupy the slots from here on */
    uint32_t command;
};

struct loom_cta_done {
    struct loom_cta_stream *stream; /* NULL: answers KERNEL_END */
    uint32_t slot;
};

/* Passing over (engine/warm.h): an SM goes through its warps' streams without
 * taking time.  What is under way stays under way: registers are pending,
 * accesses are outstanding as they were. */
enum loom_pass_command {
    LOOM_PASS_BEGIN, /* `insts`: issued since the last pass */
    LOOM_PASS_GO,    /* about `insts` warp instructions, shared as before */
    LOOM_PASS_NEXT,  /* the CTA in `slot` has ended, `stream` follows it */
    LOOM_PASS_LAND,  /* each warp goes on to the instruction that it was at */
    LOOM_PASS_END    /* time goes on */
};

struct loom_cta_pass {
    struct loom_cta_stream *stream;
    uint64_t insts; /* GO: wanted, and then done */
    uint64_t ended; /* GO: CTA slots with nothing left but the last
                     * instructions of their warps; LAND: in, slots that may
                     * get another CTA, out, those that have to */
    uint64_t left;  /* BEGIN: instructions of the CTAs here, about */
    uint64_t held;  /* BEGIN: slots whose former streams are in use */
    uint32_t command;
    uint32_t slot;
    bool warm;     /* GO: accesses are made */
    bool turnover; /* BEGIN: CTAs follow each other */
};

/* A command to a gpu: so many warp instructions are passed over. */
struct loom_gpu_pass {
    uint64_t insts;
    uint64_t cold;    /* the first of them make no accesses */
    uint64_t *passed; /* how many were: fewer towards the end of a kernel, and
                       * none where it cannot be */
};

/* Client: the gpu.  Server: an SM. */
extern const struct loom_protocol loom_cta_protocol;

/* How many CTAs of `kernel` fit on an SM with these resources: the smallest
 * of the limits; 0 if not even one does, and then *limit names why.
 * Registers per thread round up to 4, threads to whole warps
 * (GPGPU-Sim 3.2.2). */
struct loom_sm_limits {
    uint32_t threads, registers, shared_bytes, ctas, warps;
};
uint32_t loom_cta_occupancy(const struct loom_kernel *kernel,
                            const struct loom_sm_limits *limits,
                            const char **limit);

#endif
