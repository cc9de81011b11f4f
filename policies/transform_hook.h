/*
 * Rewriting a kernel before it runs (S-L1): the workload asks its chain of
 * transforms when a launch is prepared, with the facts of the machine that
 * a compiler and its run-time system would know.
 *
 * The kernel is the PTX program as data, workloads/ir/ir.h.  A transform
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
 * already rewritten by those before it.  It changes the copy in place, or
 * answers with PTX text, which is parsed and takes the copy's place: `module`
 * may then be changed in any way and is dropped.  What comes out is kept and
 * used again for launches of the same kernel with the same shape, the same
 * transforms and the same facts; rewrite() is not asked then.  So it must
 * be a function of these alone.  It runs between launches, never in a tick:
 * the module's allocator (workloads/ir/build.h) may be used.
 *
 * A rewritten kernel may load LOOM_MEMORY_TAIL bytes beyond an allocation's
 * end: a transform that fetches more than the program asked for cannot know
 * where its data ends, and a device whose pages are larger does not mind.
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
    /* The kernel as it stands, analysed: instruction i of `kernel` is
     * info->inst[i], with its loop and the parameter that its address comes
     * from.  What `kernel` calls lies behind it. */
    const struct loom_kernel_info *info;
    struct loom_dim3 grid, block;
    uint32_t dynamic_shared_bytes;
    const struct loom_machine_facts *facts;
    /* All device memory in use lies in the 4 GiB from LOOM_MEMORY_BASE on, less
     * the last LOOM_MEMORY_ALIGN bytes: 32 bits tell its addresses apart.  What
     * was made is used only while this stays as it was. */
    bool near;
    /* 0, or what a thread of the kernel needs as this policy has rewritten it
     * before: see `again`. */
    uint32_t registers;
    char *text;   /* set by the policy, or NULL: the whole module as PTX; from
                   * malloc(), the caller frees it */
    bool changed; /* set by the policy */
    /* Set by the policy: what it makes is to be thrown away, once its registers
     * have been counted, and it is to be asked again with `registers` set, on a
     * new copy of what it was given.  Ignored then. */
    bool again;
};

struct loom_transform_ops {
    /* Returns false with *err set if the kernel cannot be handled; true
     * whether or not something changed.  Required. */
    bool (*rewrite)(struct loom_policy *self, struct loom_rewrite *work,
                    struct loom_error *err);
};

#endif
