/*
 * Rewriting a kernel before it runs (S-L1): the workload asks its chain of
 * transforms when a launch is prepared, with the facts of the machine that
 * a compiler and its run-time system would know.
 *
 * The kernel is the PTX program as data, workloads/ptx_ir.h.  A transform
 * must not change what the kernel computes, nor its parameters.
 *
 * The slot is `transform` of the component `host`, which is only the place
 * of attachment: the launch carries the chain to the front end.  A script
 * writes
 *
 *     loom.run { machine = gpu, workload = w, transform = loom.x {} }
 *
 * (or a list; or gpu.host:attach(loom.x {}) where the machine has a host of
 * its own) and reads gpu/host/policy/x for its statistics.
 *
 * Each policy is given a copy of the module of its own, parsed anew and
 * already rewritten by those before it.  What comes out is kept and used
 * again for launches of the same kernel with the same shape, the same
 * transforms and the same facts; rewrite() is not asked then.  So it must
 * be a function of these alone.  It runs between launches, never in a tick:
 * the module's allocator (workloads/ptx_build.h) may be used.
 */
#ifndef POLICIES_TRANSFORM_HOOK_H
#define POLICIES_TRANSFORM_HOOK_H

#include "engine/policy.h"

#include "workloads/program.h"

extern const struct loom_hook loom_transform_hook; /* chain */

struct loom_ptx_module;
struct loom_ptx_function;

/* One kernel to rewrite in place, for launches of this shape. */
struct loom_rewrite {
    struct loom_ptx_module *module;
    struct loom_ptx_function *kernel;
    struct loom_dim3 grid, block;
    const struct loom_machine_facts *facts;
    bool changed; /* set by the policy */
};

struct loom_transform_ops {
    /* Returns false with *err set if the kernel cannot be handled; true
     * whether or not something changed.  Required. */
    bool (*rewrite)(struct loom_policy *self, struct loom_rewrite *work,
                    struct loom_error *err);
};

#endif
