/*
 * The inside of the gpu: gpu.c is the component, run.c the life of kernels and
 * the placing of their CTAs, follow.c when one may begin after another, pass.c
 * CTAs that are left out of time.
 */
#ifndef COMPONENTS_GPU_GPU_PRIVATE_H
#define COMPONENTS_GPU_GPU_PRIVATE_H

#include "engine/warm.h"

#include "components/cta_protocol.h"
#include "components/host_protocol.h"
#include "policies/gpu_hook.h"

#define CODE_BASE UINT64_C(0xf0000000) /* GPGPU-Sim, PROGRAM_MEM_START */

enum {
    GPU_KERNELS = 32,   /* that run at a time */
    GPU_CODES = 1024,   /* kernels whose code has an address */
    GPU_WARP_WORDS = 2, /* of 64 warp slots of an SM */
    INST_BYTES = 16     /* of a kernel with one instruction */
};

struct gpu_config {
    uint32_t sm_threads;
    uint32_t sm_registers;
    uint32_t sm_shared_bytes;
    uint32_t sm_ctas;
    struct loom_cta_grain grain;
    uint32_t ctas_per_cycle;
    double cta_cycles;
    uint32_t warp_cycles;
    uint32_t launch_cycles;
    uint32_t argument_cycles;
    uint32_t launch_gap;
    uint32_t concurrent_kernels;
    bool spread_ctas;
    bool scheduled;
};

struct gpu_stats {
    uint64_t kernels;
    uint64_t ctas;
    uint64_t warps;
    uint64_t active_cycles;
    uint64_t wide_cycles;
    uint64_t full_cycles;
    struct loom_array ctas_per_sm;
};

enum gpu_phase {
    GPU_START, /* announcing */
    GPU_RUN,
    GPU_END,  /* every SM is told and answers */
    GPU_REPLY /* waits for room towards the host */
};

struct gpu_sm {
    struct loom_channel *out, *in;
    struct loom_sm_limits left;     /* what a CTA can still take */
    uint64_t free_slots;            /* bit per CTA slot */
    uint64_t warps[GPU_WARP_WORDS]; /* bit per warp slot: taken */
    uint32_t first_warp[64];        /* of a CTA slot in use */
};

/* A kernel between its launch and the reply. */
struct gpu_run {
    struct loom_launch *launch;
    enum gpu_phase phase;
    uint64_t total, next, done; /* CTAs */
    uint64_t triggered;         /* of those that are not done */
    struct gpu_run *after;      /* the kernel that it follows, if that is not
                                 * over and this one begins early */
    loom_cycle free;            /* the SMs are told that it is over; 0: it is
                                 * not, or there was none */
    uint32_t freed;             /* SMs that are */
    loom_cycle begin;           /* it may be announced */
    bool wanted;                /* the CTA that launches it has done so */
    loom_cycle ready;           /* the first may be sent */
    uint64_t code;              /* address of its instructions */
    uint32_t told, answered;    /* SMs, in START and END */
    uint32_t most;              /* CTAs on an SM */
    uint32_t *resident;         /* [sms] CTAs of this kernel */
};

struct gpu_code {
    uint64_t name, base; /* hash of the kernel's name; 0: unused */
};

struct gpu {
    struct loom_component *self;
    const struct gpu_config *config;
    struct gpu_stats *stats;
    struct loom_channel *host_in, *host_out;
    struct loom_bound dispatch;
    struct gpu_sm *sm; /* [sms] */
    uint32_t sms;
    uint32_t busy; /* of them, hold a CTA */

    struct gpu_run *run[GPU_KERNELS]; /* [runs] as launched, then free ones */
    uint32_t runs;
    struct gpu_code *code; /* [GPU_CODES] */
    uint64_t code_end;
    uint32_t codes;     /* kernels seen so far */
    loom_cycle *ended;  /* [LOOM_STREAMS] its last kernel; 0: none */
    loom_cycle last;    /* the same of all of them */
    loom_cycle since;   /* last cycle with progress */
    loom_cycle counted; /* cycles before this are in the statistics */
    loom_cycle due;     /* a CTA may be sent; LOOM_NEVER: nothing waits */
    uint64_t pace;      /* cycles from one CTA to the next, times 2^16 */
    uint64_t paced;     /* when the next one may be sent, times 2^16 */
    bool full;          /* a CTA waits for room, since the last tick */
    bool failed;        /* an error was raised: nothing more happens */
    bool *fits;         /* [sms], for the policy's view */
    uint32_t *held;     /* the same */
};

static inline struct loom_sm_limits gpu_limits(const struct gpu_config *config)
{
    return (struct loom_sm_limits){
        .threads = config->sm_threads,
        .registers = config->sm_registers,
        .shared_bytes = config->sm_shared_bytes,
        .ctas = config->sm_ctas,
        .warps = config->sm_threads / LOOM_WARP_LANES,
        .grain = config->grain,
    };
}

/* ---- run.c ---- */

/* CTAs that are done, and answers to the end of a kernel. */
void gpu_receive(struct gpu *gpu, uint32_t sm, loom_cycle now);
/* A step in the life of every kernel; whether to come back next cycle. */
bool gpu_advance(struct gpu *gpu, loom_cycle now);
/* The next CTA of the kernel; NULL: an error was raised. */
struct loom_cta_stream *gpu_produce(struct gpu *gpu, struct gpu_run *run,
                                    uint32_t sm);
void gpu_take_launch(struct gpu *gpu, loom_cycle now);
/* Can this kernel run on this machine at all?  Says how many of its CTAs the
 * SMs hold. */
bool gpu_accepts(const struct gpu *gpu, struct loom_launch *launch,
                 struct loom_error *err);

/* ---- code.c ---- */

/* Address of a kernel's instructions. */
uint64_t gpu_code_of(struct gpu *gpu, const struct loom_kernel *kernel);

/* ---- follow.c ---- */

/* Cycles of a launch before its first CTA. */
loom_cycle gpu_launch_cycles(const struct gpu *gpu,
                             const struct loom_launch *launch);
/* When a launch may be announced. */
loom_cycle gpu_begin_of(const struct gpu *gpu,
                        const struct loom_launch *launch);
/* The kernel that a launch follows, if that is not over; or NULL. */
struct gpu_run *gpu_followed(const struct gpu *gpu,
                             const struct loom_launch *launch);
/* May the kernel begin, for all that the one that it follows has to say? */
bool gpu_may_begin(const struct gpu_run *run);
/* Has the kernel that launches it done so?  The host always has. */
bool gpu_wanted(const struct gpu *gpu, struct gpu_run *run, loom_cycle now);
/* The kernel is over: those that follow it are to be told. */
void gpu_set_free(struct gpu *gpu, const struct gpu_run *over, loom_cycle now);
/* Tells SMs that the kernel that this one follows is over; true: all. */
bool gpu_tell_free(struct gpu *gpu, struct gpu_run *run, loom_cycle now);
/* Do its CTAs on that SM have to wait? */
bool gpu_waits(const struct gpu_run *run, uint32_t sm);

/* ---- pass.c ---- */

extern const struct loom_warm_ops gpu_warm;
bool gpu_command(struct loom_component *self, const void *command,
                 struct loom_error *err);

#endif
