/*
 * Between the GPU's CTA dispatcher and an SM.
 *
 * The dispatcher knows an SM's resources from its own bookkeeping: it takes
 * them when it sends a CTA and gives them back when the SM reports it done.
 */
#ifndef COMPONENTS_CTA_PROTOCOL_H
#define COMPONENTS_CTA_PROTOCOL_H

#include "engine/channel.h"
#include "engine/schema.h"

#include "workloads/program.h"
#include "workloads/stream.h"

enum loom_cta_command {
    LOOM_CTA_RUN,          /* run `stream` in hardware slot `slot` */
    LOOM_CTA_KERNEL_START, /* a kernel's first CTA may come (`kernel`) */
    LOOM_CTA_KERNEL_FREE,  /* the kernel that it follows is over (`waits`) */
    LOOM_CTA_KERNEL_END    /* all its CTAs everywhere are done: flush if the
                            * machine does; answered with a done */
};

struct loom_cta_request {
    const struct loom_kernel *kernel;
    struct loom_cta_stream *stream; /* LOOM_CTA_RUN only */
    uint64_t code;        /* address of the kernel's instructions: pc 0 */
    uint32_t slot;        /* which of the resident CTAs of this SM, from 0 */
    uint32_t first_warp;  /* warps occupy the slots from here on */
    uint32_t warp_cycles; /* from the start of a warp to that of the next */
    uint32_t command;
    bool waits; /* the kernel that it follows is not over: its warps do not
                 * pass griddepcontrol.wait until KERNEL_FREE */
};

struct loom_cta_done {
    struct loom_cta_stream *stream; /* NULL: answers KERNEL_END */
    bool triggers;     /* it is not done: it lets the next kernel begin
                        * (griddepcontrol.launch_dependents) */
    bool triggered;    /* it has done so before */
    uint32_t launches; /* it is not done: it has launched so many kernels */
    bool leaves;       /* it is not done: its warps are, and what they held is
                        * free; its slot is not, stores are on their way */
    bool left;         /* it has said so before */
    uint64_t insts;    /* warp instructions that were not there at its start */
    uint32_t slot;
};

/* A warm message (engine/warm.h): a CTA that is left out of time.  The SM
 * counts what it executes. */
struct loom_cta_left_out {
    const struct loom_kernel *kernel;
    struct loom_cta_stream *stream;
    bool warm; /* its accesses go to the caches below those of the SM */
};

/* How far a gpu is with the kernel that runs. */
struct loom_gpu_progress {
    uint64_t ctas; /* of its grid; 0: none runs, or several do, or CTAs cannot
                    * be left out */
    uint64_t sent, done;
    uint64_t resident; /* on SMs */
};

/* A command to a gpu: the next CTAs of the kernel that runs are executed and
 * left out of time.  All else stays as it is: the CTAs on SMs go on afterwards
 * as if they had never existed, and those that come later follow them. */
struct loom_gpu_pass {
    struct loom_gpu_progress *progress; /* not NULL: that is all */
    uint64_t ctas;
    uint64_t warm;    /* so many of them, the last */
    uint64_t *passed; /* how many were: at least one CTA is left */
};

/* Client: the gpu.  Server: an SM. */
extern const struct loom_protocol loom_cta_protocol;

/* What an SM has. */
struct loom_sm_limits {
    uint32_t threads, registers, shared_bytes, ctas, warps;
    struct loom_cta_grain grain;
};

/* Of these, what one CTA of `kernel` takes.  Threads are whole warps. */
struct loom_sm_limits loom_cta_takes(const struct loom_kernel *kernel,
                                     const struct loom_cta_grain *grain);
/* The limits that a compiler knows. */
struct loom_sm_limits loom_cta_limits(const struct loom_machine_facts *facts);

#define LOOM_CTA_GRAIN_PARAM(T, field, ...)                                    \
    {                                                                          \
        .name = #field, .type = LOOM_TYPE_OF(T, grain.field),                  \
        .offset = offsetof(T, grain.field), .source = "GPGPU-Sim 3.2.2",       \
        __VA_ARGS__                                                            \
    }

/* Parameters of a configuration T with a member `grain`. */
#define LOOM_CTA_GRAIN_PARAMS(T)                                               \
    LOOM_CTA_GRAIN_PARAM(                                                      \
        T, register_grain, .unit = LOOM_UNIT_NONE, .def = {.u = 4},            \
        .min = {.u = 1}, .max = {.u = 64},                                     \
        .doc = "Registers of a thread are rounded up to a multiple of this"),  \
        LOOM_CTA_GRAIN_PARAM(                                                  \
            T, register_files, .unit = LOOM_UNIT_NONE, .def = {.u = 1},        \
            .min = {.u = 1}, .max = {.u = 16},                                 \
            .doc = "Parts of an SM's registers; a warp's are in one of them"), \
        LOOM_CTA_GRAIN_PARAM(                                                  \
            T, shared_grain, .unit = LOOM_UNIT_BYTE, .def = {.u = 1},          \
            .min = {.u = 1}, .max = {.u = 1 << 16},                            \
            .doc =                                                             \
                "A CTA's shared memory is rounded up to a multiple of this"),  \
        LOOM_CTA_GRAIN_PARAM(                                                  \
            T, shared_kept, .unit = LOOM_UNIT_BYTE, .def = {.u = 0},           \
            .max = {.u = 1 << 16},                                             \
            .doc = "Shared memory that each CTA takes beside its own")

/* How many CTAs of `kernel` fit on an SM with these resources: the smallest
 * of the limits; 0 if not even one does, and then *limit names why. */
uint32_t loom_cta_occupancy(const struct loom_kernel *kernel,
                            const struct loom_sm_limits *limits,
                            const char **limit);

#endif
