/*
 * Rewriting a kernel before it runs (S-L1): the workload asks its chain of
 * transforms when a launch is prepared, with the facts of the machine that
 * a compiler and its run-time system would know.
 *
 * The kernel is the PTX program as data, workloads/ptx_ir.h.  A transform
 * must not change what the kernel computes.
 */
#ifndef POLICIES_TRANSFORM_HOOK_H
#define POLICIES_TRANSFORM_HOOK_H

#include "engine/policy.h"

#include "workloads/stream.h"

extern const struct loom_hook loom_transform_hook; /* chain */

struct loom_ptx_module;
struct loom_ptx_function;

struct loom_machine_facts {
    uint32_t sms, warps_per_sm, registers_per_sm, ctas_per_sm;
    uint32_t shared_bytes_per_sm;
    uint32_t resident_ctas; /* per SM, of this launch as it is */
};

struct loom_transform_ops {
    /* Rewrites `kernel` of `module` in place for a launch of this shape.
     * Returns false with *err set if the kernel cannot be handled; true
     * whether or not something changed (*changed tells).  Required. */
    bool (*rewrite)(struct loom_policy *self, struct loom_ptx_module *module,
                    struct loom_ptx_function *kernel, struct loom_dim3 grid,
                    struct loom_dim3 block,
                    const struct loom_machine_facts *facts, bool *changed,
                    struct loom_error *err);
};

#endif
