/*
 * The CTA protocol and the occupancy rule that both sides of it share.
 *
 * The rule is GPGPU-Sim's (shader_core_config::max_cta): threads count in
 * whole warps, registers per thread round up, and the smallest of the quotients
 * is the limit.  On cards a warp's registers are in one of the SM's parts, and
 * shared memory comes in pieces (NVIDIA's occupancy calculator,
 * cuda_occupancy.h of CUDA 13).
 */
#include "components/cta_protocol.h"

const struct loom_protocol loom_cta_protocol = {
    .name = "cta",
    .doc = "CTAs to an SM, and word of those done",
    .request_size = sizeof(struct loom_cta_request),
    .reply_size = sizeof(struct loom_cta_done),
};

#define REGISTER_GRAIN 4u

static uint32_t at_least_1(uint32_t number)
{
    return number == 0 ? 1 : number;
}

static uint32_t round_up(uint64_t number, uint32_t grain)
{
    uint64_t up = (number + grain - 1) / grain * grain;

    return up > UINT32_MAX ? UINT32_MAX : (uint32_t)up;
}

struct loom_sm_limits loom_cta_takes(const struct loom_kernel *kernel,
                                     const struct loom_cta_grain *grain)
{
    uint32_t registers = grain->register_grain;
    uint32_t kept = grain->shared_kept > kernel->system_bytes
                        ? grain->shared_kept - kernel->system_bytes
                        : 0;
    uint32_t warps = loom_kernel_warps(kernel);
    uint32_t threads = warps * LOOM_WARP_LANES;

    registers = round_up(kernel->registers,
                         registers == 0 ? REGISTER_GRAIN : registers);
    return (struct loom_sm_limits){
        .threads = threads,
        .registers = round_up((uint64_t)threads * registers, 1),
        .shared_bytes = round_up((uint64_t)kernel->shared_bytes + kept,
                                 at_least_1(grain->shared_grain)),
        .ctas = 1,
        .warps = warps,
    };
}

struct loom_sm_limits loom_cta_limits(const struct loom_machine_facts *facts)
{
    return (struct loom_sm_limits){
        .threads = facts->warps_per_sm * LOOM_WARP_LANES,
        .registers = facts->registers_per_sm,
        .shared_bytes = facts->shared_bytes_per_sm,
        .ctas = facts->ctas_per_sm,
        .warps = facts->warps_per_sm,
        .grain = facts->grain,
    };
}

/* Registers of an SM in which whole warps of these can be. */
static uint32_t usable(const struct loom_sm_limits *limits, uint32_t of_warp)
{
    uint32_t files = at_least_1(limits->grain.register_files);

    if (files == 1 || of_warp == 0) {
        return limits->registers;
    }
    return limits->registers / files / of_warp * of_warp * files;
}

uint32_t loom_cta_occupancy(const struct loom_kernel *kernel,
                            const struct loom_sm_limits *limits,
                            const char **limit)
{
    struct loom_sm_limits cta = loom_cta_takes(kernel, &limits->grain);
    uint32_t of_warp = cta.warps == 0 ? 0 : cta.registers / cta.warps;
    const struct {
        const char *name;
        uint32_t have, need;
    } rule[] = {
        {"threads", limits->threads, cta.threads},
        {"registers", usable(limits, of_warp), cta.registers},
        {"shared_bytes", limits->shared_bytes, cta.shared_bytes},
        {"ctas", limits->ctas, 1},
        {"warps", limits->warps, cta.warps},
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
