/*
 * Programs: what a front end (PTX, trace, synthetic) offers to the driver.
 *
 * A front end is one const descriptor, workloads/<name>/ exports it as
 * <name>_workload and CMake lists it in the registry below.  The driver (the
 * Lua host) opens a program, asks for kernels by name and makes launches.
 */
#ifndef WORKLOADS_PROGRAM_H
#define WORKLOADS_PROGRAM_H

#include "engine/component.h"
#include "engine/interrupt.h"

#include "workloads/memory.h"
#include "workloads/stream.h"

struct loom_program; /* one loaded module; layout private to its front end */

/* How the value of a kernel parameter is written. */
struct loom_kernel_param {
    const char *name;
    uint32_t bytes, align;
    uint32_t offset; /* in the parameter block */
    bool pointer;    /* declared .ptr, or used as an address */
    bool real;       /* declared .f16, .f32 or .f64 */
};

struct loom_kernel_info {
    const char *name;
    const struct loom_kernel_param *param;
    uint32_t param_count;
    uint32_t param_bytes;
    uint32_t registers;    /* per thread, by liveness; 64-bit values take 2 */
    uint32_t shared_bytes; /* static */
    uint32_t local_bytes;  /* per thread */
    uint32_t max_threads;  /* .maxntid, 0: none */
    bool reads_time;       /* a clock register */
    struct loom_dim3 cluster; /* .reqnctapercluster, 0: none */
    uint32_t max_cluster;     /* .maxclusterrank, 0: none */
    const struct loom_static_inst *inst;
    uint32_t inst_count;
    /* [inst_count], if the program was opened as scheduled, else NULL: the
     * instructions in the order in which they are timed, and how often each
     * is; 0: folded. */
    const uint32_t *order;
    const uint8_t *times;
    const struct loom_loop *loop;
    uint32_t loop_count;
    const char *text;
};

/* What a compiler and its run-time system know of the machine.  All 0: no
 * machine is known. */
struct loom_machine_facts {
    uint32_t sms, warps_per_sm, registers_per_sm, ctas_per_sm;
    uint32_t shared_bytes_per_sm;
    struct loom_cta_grain grain;
    uint32_t resident_ctas; /* per SM, of this launch as it is */
};

/* Mistakes that are looked for only where somebody asks. */
enum loom_watch {
    LOOM_WATCH_UNINITIALISED = 1, /* loads of device memory never written */
    LOOM_WATCH_RACES = 2 /* accesses that nothing orders: loom_memory_races() */
};

struct loom_launch_spec {
    const char *kernel;
    struct loom_dim3 grid, block;
    struct loom_dim3 cluster; /* CTAs of one; 0: those of the kernel, or 1 */
    uint32_t dynamic_shared_bytes;
    uint32_t registers; /* 0: those of the kernel */
    uint32_t number;    /* of the launch in this run */
    const void *params; /* [param_bytes], laid out by loom_kernel_param */
    uint32_t param_bytes;

    /* Those who may rewrite the kernel (policies/transform_hook.h), in the
     * order in which they are asked; and what they are told. */
    struct loom_binding transforms;
    struct loom_machine_facts facts;

    /* CTAs that may wait for each other take turns of `interleave` warp
     * instructions (0: the front end's default); all of them must be
     * resident at a time.  Else, if `interleave` is 0, each CTA is executed
     * to its end before the next one starts. */
    bool cooperative;
    /* The static table must be complete before the first CTA: front ends that
     * find it while they read their input (traces) read it twice then. */
    bool complete;
    uint32_t interleave;
    /* Warp instructions of a warp before the next one of its CTA has its turn;
     * 0: the front end's default. */
    uint32_t turn;
    uint32_t watch; /* enum loom_watch, or-ed */
    /* Who takes the CTAs knows when their instructions are issued: a kernel
     * that reads the time has it from there (loom_kernel.timed). */
    bool timed;
    /* Warp instructions of a CTA, or of all CTAs that take turns, after which
     * the kernel counts as endless; 0: the front end's default. */
    uint64_t budget;
    /* What the kernel prints, in order; NULL: nowhere.  And the device heap
     * of malloc(); 0: the front end's default. */
    void (*print)(void *context, const char *text, size_t bytes);
    void *print_context;
    uint64_t heap_bytes;
    /* Executing a CTA ends with LOOM_ERR_INTERRUPTED soon after this is set;
     * NULL: nobody asks. */
    struct loom_interrupt *interrupt;
    uint64_t pool_bytes;     /* streams in memory; 0: LOOM_POOL_BYTES */
    const char *pool_folder; /* of the others' file; NULL: the pool's own */
};

/* What a recorded program (a trace) did, in its order. */
enum loom_recorded_kind {
    LOOM_RECORDED_LAUNCH,
    LOOM_RECORDED_COPY
};

struct loom_recorded {
    enum loom_recorded_kind kind;
    /* LAUNCH: launch it by `key` and with these extents. */
    const char *key; /* for loom_launch_spec.kernel; unique */
    uint32_t kernel; /* number for kernel() */
    uint32_t id;     /* as recorded */
    uint64_t stream; /* as recorded */
    struct loom_dim3 grid, block;
    /* COPY: host to device. */
    loom_addr address;
    uint64_t bytes;
};

/* Something about a program that its user should be told once. */
struct loom_note {
    const char *text;
    uint64_t count; /* how often it was met so far */
};

/* A variable that is there already. */
struct loom_placed {
    const char *name;
    loom_addr address;
};

/* What a program is made of. */
struct loom_program_text {
    const char *name; /* for messages */
    const char *text; /* [bytes], and a final zero */
    size_t bytes;
    /* Streams are in the order, and of the instructions, that a compiler would
     * make of the text.  Front ends that read what a compiler has made already
     * do not look at this. */
    bool scheduled;
    /* Module-scope variables that it has in common with another program: they
     * stay where, and what, they are.  Of PTX only. */
    const struct loom_placed *placed;
    uint32_t placed_count;
};

struct loom_workload_type {
    const char *name;
    const char *doc;

    /* Parses a text.  Module-scope variables are allocated in `memory`. */
    bool (*open)(struct loom_memory *memory,
                 const struct loom_program_text *text,
                 struct loom_program **program, struct loom_error *err);
    void (*close)(struct loom_program *program);

    uint32_t (*kernel_count)(const struct loom_program *program);
    const struct loom_kernel_info *(*kernel)(const struct loom_program *program,
                                             uint32_t number);

    /* Address and size of a module-scope variable.  Optional. */
    bool (*symbol)(const struct loom_program *program, const char *name,
                   loom_addr *base, uint64_t *bytes, struct loom_error *err);

    /* Can a kernel be executed?  A program may have some that use what is not
     * supported; launches say the same.  Optional: all can. */
    bool (*ready)(struct loom_program *program, uint32_t number,
                  struct loom_error *err);

    /* Makes a launch ready to run.  The result lives until `retire`. */
    bool (*launch)(struct loom_program *program,
                   const struct loom_launch_spec *spec,
                   struct loom_kernel **kernel, struct loom_error *err);
    void (*retire)(struct loom_program *program, struct loom_kernel *kernel);

    /* The program's text as the transforms of `spec` leave it for this launch;
     * *text is the caller's, from malloc().  Optional. */
    bool (*rewritten)(struct loom_program *program,
                      const struct loom_launch_spec *spec, char **text,
                      struct loom_error *err);

    /* Recorded programs only: their history, and what was odd about what has
     * been read so far.  Both return the number of items; optional. */
    uint32_t (*recorded)(const struct loom_program *program,
                         const struct loom_recorded **item);
    uint32_t (*notes)(const struct loom_program *program,
                      const struct loom_note **item);
};

extern const struct loom_workload_type *const loom_workload_types[];
extern const size_t loom_workload_type_count;

/* Kernel by name, or NULL. */
const struct loom_kernel_info *
loom_program_kernel(const struct loom_workload_type *type,
                    const struct loom_program *program, const char *name);

#endif
