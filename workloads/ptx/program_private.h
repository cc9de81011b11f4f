/*
 * Inside the PTX front end: an opened module, and its rewritten versions.
 *
 * A version is a program of its own whose module some transforms have
 * rewritten; it shares device memory and the places of module-scope
 * variables with the program it was made from, its parent, which owns it.
 */
#ifndef WORKLOADS_PTX_PROGRAM_PRIVATE_H
#define WORKLOADS_PTX_PROGRAM_PRIVATE_H

#include "workloads/ptx/exec/exec.h"
#include "workloads/streams/pool.h"

struct ptx_kernel {
    struct loom_kernel_info info;
    struct loom_kernel_param *param;
    struct ptx_analysis *analysis;
    struct exec_code *code; /* decoded at its first launch, then kept */
};

/* What made a version: what a transform may depend on. */
struct ptx_version {
    char *kernel;
    struct loom_dim3 grid, block;
    struct loom_machine_facts facts;
    struct loom_policy **policy; /* [policy_count], in order */
    uint32_t policy_count;
    uint32_t dynamic_shared_bytes;
    bool near; /* struct loom_rewrite */
};

struct loom_program {
    char *name;
    char *text; /* parsed anew for each version; of a version: what the last
                 * transform answered with, or NULL */
    size_t text_bytes;
    bool scheduled; /* timed as a compiler's schedule has it */
    struct loom_memory *memory;
    struct loom_stream_pool *pool; /* of the parent; versions have none */
    struct loom_ptx_module *module;
    loom_addr *address; /* [module->var_count], 0: has none */
    struct ptx_kernel *kernel;
    uint32_t kernel_count;
    struct loom_program *next; /* the parent's versions */
    struct ptx_version version;
    struct loom_note note; /* text NULL: nothing to tell */
    struct exec_heap heap; /* of the parent */
};

/* program.c */
/* Analyses `function` and describes it: analysis, param, info.  To be freed
 * in either case. */
bool ptx_kernel_make(struct ptx_kernel *kernel,
                     const struct loom_ptx_function *function, bool scheduled,
                     struct loom_error *err);
void ptx_kernel_free(struct ptx_kernel *kernel);
bool ptx_program_kernels(struct loom_program *program, struct loom_error *err);
void ptx_program_free(struct loom_program *program); /* with its versions */

/* rewrite.c: the version of `program` for this launch, made if need be;
 * `program` itself if there are no transforms. */
bool ptx_rewritten(struct loom_program *program,
                   const struct loom_launch_spec *spec,
                   struct loom_program **version, struct loom_error *err);

/* launch.c; the CTAs of a cluster, 1 where nobody asks for any. */
struct loom_dim3 ptx_cluster_of(const struct loom_kernel_info *info,
                                const struct loom_launch_spec *spec);
bool ptx_launch_create(const struct exec_code *code,
                       struct loom_program *program,
                       const struct loom_launch_spec *spec,
                       struct exec_launch **launch, struct loom_error *err);
void ptx_launch_destroy(struct exec_launch *launch); /* or NULL */

/* cta.c: a CTA's state and stream.  NULL: no memory. */
bool ptx_cta_allocate(struct exec_launch *launch, const void *params);
void ptx_cta_free(struct exec_launch *launch);
void ptx_cta_destroy(struct exec_launch *launch); /* with it; or NULL */
bool ptx_no_stream(const struct exec_launch *launch, uint32_t cta,
                   struct loom_error *err);
struct loom_cta_slot *ptx_cta_start(struct exec_launch *launch, uint32_t cta);
bool ptx_cta_finish(struct exec_launch *launch, struct loom_cta_slot *slot,
                    struct loom_error *err);

/* timed.c: puts a warp's stream into the order of the kernel's schedule;
 * `spare` has the one that was executed then. */
void ptx_time_stream(const struct exec_code *code,
                     struct loom_stream_writer *stream,
                     struct loom_stream_writer *spare);

/* turns.c: executes all CTAs, or those of the cluster of `cta`, in turns. */
bool ptx_run_turns(struct exec_launch *launch, uint32_t cta,
                   struct loom_error *err);
/* Those from the launch's current one on, which waits for others: it goes on
 * where it is, in `slot`. */
bool ptx_run_rest(struct exec_launch *launch, struct loom_cta_slot *slot,
                  struct loom_error *err);
void ptx_turns_free(struct exec_launch *launch);
/* A CTA with an executor of its own; NULL: no memory. */
struct exec_launch *ptx_copy_for(const struct exec_launch *launch,
                                 uint32_t cta);

/* words.c: where the parts of a warp's stream are; the newest block, and how
 * much of it was used before the last part. */
struct ptx_parts {
    struct part_block *block;
    uint64_t before;
    bool once; /* the last part has no addresses: its place is free */
};
void ptx_parts_free(struct exec_launch *launch); /* of all its warps */
/* A place for the next part; NULL: no memory. */
uint32_t *ptx_part_words(struct ptx_parts *parts, uint64_t words);

/* parts.c: streams in parts, as the source of CTAs has them. */
bool ptx_produce_part(struct exec_launch *launch, uint32_t cta,
                      struct loom_cta_stream **stream, struct loom_error *err);
bool ptx_resume(struct loom_cta_source *source, struct loom_cta_stream *stream,
                uint64_t asking, struct loom_moment moment, uint64_t *ready,
                struct loom_error *err);

#endif
