/*
 * The identity of the hook that rewrites kernels.
 */
#include "policies/transform_hook.h"

const struct loom_hook loom_transform_hook = {
    .name = "transform",
    .doc = "Rewrites a kernel before it runs",
    .chain = true,
};
