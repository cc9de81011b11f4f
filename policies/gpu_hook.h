/*
 * The question the GPU asks: which SM gets the next CTA.
 */
#ifndef POLICIES_GPU_HOOK_H
#define POLICIES_GPU_HOOK_H

#include "engine/component.h"

#include "workloads/stream.h"

extern const struct loom_hook loom_dispatch_hook;

struct loom_dispatch_view {
    const struct loom_kernel *kernel;
    uint64_t next_cta;        /* linear id of the CTA to be placed */
    const uint32_t *resident; /* [sms] CTAs of this kernel on each SM */
    const bool *fits;         /* [sms] one more CTA fits now */
    const uint32_t *held;     /* [sms] CTAs of all kernels on each SM; with a
                               * kernel's first CTA only, else NULL */
    uint32_t sms;
};

struct loom_dispatch_ops {
    /* Optional. */
    bool (*bind)(struct loom_policy *self, uint32_t sms,
                 struct loom_error *err);
    /* An SM for which view->fits holds, or UINT32_MAX to wait until an SM
     * reports a CTA done.  Required. */
    uint32_t (*select)(struct loom_policy *self,
                       const struct loom_dispatch_view *view);
};

#endif
