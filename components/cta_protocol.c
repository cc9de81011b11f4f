/*
 * The CTA protocol and the occupancy rule that both sides of it share.
 *
 * The rule is GPGPU-Sim's (shader_core_config::max_cta): threads count in
 * whole warps, registers per thread round up to a multiple of 4, and the
 * smallest of the quotients is the limit.
 */
#include "components/cta_protocol.h"

const struct loom_protocol loom_cta_protocol = {
    .name = "cta",
    .doc = "CTAs to an SM, and word of those done",
    .request_size = sizeof(struct loom_cta_request),
    .reply_size = sizeof(struct loom_cta_done),
};

#define REGISTER_GRAIN 4u

uint32_t loom_cta_occupancy(const struct loom_kernel *kernel,
                            const struct loom_sm_limits *limits,
                            const char **limit)
{
    uint64_t warps = loom_kernel_warps(kernel);
    uint64_t threads = warps * LOOM_WARP_LANES;
    uint64_t per_thread = ((uint64_t)kernel->registers + REGISTER_GRAIN - 1) /
                          REGISTER_GRAIN * REGISTER_GRAIN;
    const struct {
        const char *name;
        uint64_t have, need;
    } rule[] = {
        {"threads", limits->threads, threads},
        {"registers", limits->registers, threads * per_thread},
        {"shared_bytes", limits->shared_bytes, kernel->shared_bytes},
        {"ctas", limits->ctas, 1},
        {"warps", limits->warps, warps},
    };
    uint64_t fit = UINT32_MAX;
    const char *smallest = "ctas";

    for (size_t i = 0; i < LOOM_COUNTOF(rule); i++) {
        if (rule[i].need != 0 && rule[i].have / rule[i].need < fit) {
            fit = rule[i].have / rule[i].need;
            smallest = rule[i].name;
        }
    }
    if (limit != NULL) {
        *limit = smallest;
    }
    return (uint32_t)fit;
}
