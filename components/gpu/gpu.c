/*
 * gpu: takes launches and hands their CTAs to the SMs.
 *
 * Up to `concurrent_kernels` run at a time; launches that wait are in the
 * host's link.  The life of a kernel is START (announced to every SM), RUN
 * (CTAs go out and come back), END (every SM told, and flushed if it does
 * that) and the reply to the host.
 *
 * The gpu alone keeps account of every SM's threads, registers, shared memory,
 * warp and CTA slots: it takes them when it sends a CTA and gives them back
 * when the SM reports it done.  A CTA's warps are neighbours, in the lowest
 * slots that are free.
 *
 * CTAs are produced, that is functionally executed, in strictly linear order
 * in the cycle in which they are sent: those of a kernel after all of the
 * kernels launched before it, as GPGPU-Sim chooses kernels too.  Which SM
 * times a CTA is the policy's choice and cannot change what the program
 * computes.
 *
 * Code lies from CODE_BASE on in the order of first launches; a kernel that
 * is launched again, known by its name, has the addresses it had.
 *
 * Invariant: done <= next <= total; a CTA's resources are taken exactly while
 * it is on an SM.
 *
 * With `launch_gap` a kernel begins so long after the end of the one that it
 * waited for; those of other streams run meanwhile.
 */
#include "components/gpu/gpu_private.h"

static bool gpu_validate(const void *config, struct loom_error *err)
{
    const struct gpu_config *c = config;

    if (c->sm_threads % LOOM_WARP_LANES != 0) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'sm_threads' is %u, expected a multiple "
                         "of %u",
                         c->sm_threads, LOOM_WARP_LANES);
    }
    return true;
}

static bool bind_dispatch(struct gpu *gpu, struct loom_error *err)
{
    const struct loom_dispatch_ops *ops;

    gpu->dispatch = loom_slot(gpu->self, "dispatch").item[0];
    ops = gpu->dispatch.ops;
    if (ops->select == NULL) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "'%s' does not answer select(), expected a "
                         "dispatch policy",
                         loom_policy_path(gpu->dispatch.policy));
    }
    if (ops->bind != NULL && !ops->bind(gpu->dispatch.policy, gpu->sms, err)) {
        return loom_fail_at(err, loom_policy_path(gpu->dispatch.policy));
    }
    return true;
}

static bool make_runs(struct gpu *gpu, struct loom_error *err)
{
    for (uint32_t i = 0; i < gpu->config->concurrent_kernels; i++) {
        struct gpu_run *run = loom_alloc(gpu->self, 1, sizeof(*run));

        if (!loom_has_memory(gpu->self, err)) {
            return false;
        }
        gpu->run[i] = run;
        run->resident = loom_alloc(gpu->self, gpu->sms, sizeof(*run->resident));
    }
    return loom_has_memory(gpu->self, err);
}

static bool gpu_init(struct loom_component *self, struct loom_error *err)
{
    struct gpu *gpu = loom_state(self);

    gpu->self = self;
    gpu->config = loom_config(self);
    gpu->stats = loom_stats_of(self);
    gpu->host_in = loom_port_in(self, "host", 0);
    gpu->host_out = loom_port_out(self, "host", 0);
    gpu->sms = loom_port_count(self, "sm");
    gpu->sm = loom_alloc(self, gpu->sms, sizeof(*gpu->sm));
    gpu->ended = loom_alloc(self, LOOM_STREAMS, sizeof(*gpu->ended));
    gpu->code = loom_alloc(self, GPU_CODES, sizeof(*gpu->code));
    gpu->code_end = CODE_BASE;
    gpu->pace = (uint64_t)(gpu->config->cta_cycles * 65536 + 0.5);
    gpu->fits = loom_alloc(self, gpu->sms, sizeof(*gpu->fits));
    gpu->held = loom_alloc(self, gpu->sms, sizeof(*gpu->held));
    loom_array(self, &gpu->stats->ctas_per_sm, gpu->sms);
    if (!make_runs(gpu, err)) {
        return false;
    }
    for (uint32_t i = 0; i < gpu->sms; i++) {
        gpu->sm[i].out = loom_port_out(self, "sm", i);
        gpu->sm[i].in = loom_port_in(self, "sm", i);
        gpu->sm[i].left = gpu_limits(gpu->config);
        gpu->sm[i].left.grain.register_files = 1;
        gpu->sm[i].free_slots = UINT64_MAX;
    }
    return bind_dispatch(gpu, err);
}

static void gpu_settle(struct loom_component *self, loom_cycle now)
{
    struct gpu *gpu = loom_state(self);

    if (now > gpu->counted) {
        if (gpu->runs != 0) {
            gpu->stats->active_cycles += now - gpu->counted;
        }
        if (gpu->busy * UINT64_C(10) >= gpu->sms * UINT64_C(9)) {
            gpu->stats->wide_cycles += now - gpu->counted;
        }
        if (gpu->full) {
            gpu->stats->full_cycles += now - gpu->counted;
        }
        gpu->counted = now;
    }
}

static loom_cycle gpu_tick(struct loom_component *self, loom_cycle now)
{
    struct gpu *gpu = loom_state(self);
    bool again, room = gpu->runs < gpu->config->concurrent_kernels;

    gpu_settle(self, now);
    if (gpu->failed) {
        return LOOM_NEVER;
    }
    gpu->full = false;
    gpu->due = LOOM_NEVER;
    if (gpu->runs != 0) {
        for (uint32_t i = 0; i < gpu->sms; i++) {
            gpu_receive(gpu, i, now);
        }
    }
    again = gpu_advance(gpu, now);
    if (room && loom_peek(gpu->host_in, now) != NULL) {
        gpu_take_launch(gpu, now);
        again = true;
    }
    if (gpu->failed) {
        return LOOM_NEVER;
    }
    return again ? now + 1 : gpu->due;
}

static bool gpu_check(struct loom_component *self, struct loom_error *err)
{
    const struct gpu *gpu = loom_state(self);

    if (gpu->runs != 0) {
        return loom_fail(err, LOOM_ERR_LAW, "a kernel is still running");
    }
    if (gpu->busy != 0) {
        return loom_fail(err, LOOM_ERR_LAW, "%u SMs still count as busy",
                         gpu->busy);
    }
    for (uint32_t i = 0; i < gpu->sms; i++) {
        const struct loom_sm_limits *left = &gpu->sm[i].left;

        if (left->ctas != gpu->config->sm_ctas ||
            left->threads != gpu->config->sm_threads ||
            left->registers != gpu->config->sm_registers ||
            left->shared_bytes != gpu->config->sm_shared_bytes) {
            return loom_fail(err, LOOM_ERR_LAW,
                             "SM %u has not given back what its CTAs took", i);
        }
    }
    return true;
}

static void gpu_report(struct loom_component *self, struct loom_report *report)
{
    const struct gpu *gpu = loom_state(self);

    for (uint32_t i = 0; i < gpu->runs; i++) {
        const struct gpu_run *run = gpu->run[i];

        loom_report_line(
            report, self, gpu->since,
            "kernel '%s': %llu of %llu CTAs sent, %llu done",
            run->launch->kernel->name, (unsigned long long)run->next,
            (unsigned long long)run->total, (unsigned long long)run->done);
    }
}

static const struct loom_param gpu_params[] = {
    LOOM_PARAM(struct gpu_config, sm_threads, .unit = LOOM_UNIT_NONE,
               .def = {.u = 1536}, .min = {.u = 32}, .max = {.u = 4096},
               .doc = "Threads resident on an SM",
               .source = "GPGPU-Sim, GTX480"),
    LOOM_PARAM(struct gpu_config, sm_registers, .unit = LOOM_UNIT_NONE,
               .def = {.u = 32768}, .min = {.u = 1}, .max = {.u = 1 << 24},
               .doc = "32-bit registers of an SM",
               .source = "GPGPU-Sim, GTX480"),
    LOOM_PARAM(struct gpu_config, sm_shared_bytes, .unit = LOOM_UNIT_BYTE,
               .def = {.u = 49152}, .min = {.u = 0}, .max = {.u = 1 << 24},
               .doc = "Shared memory of an SM", .source = "GPGPU-Sim, GTX480"),
    LOOM_PARAM(struct gpu_config, sm_ctas, .unit = LOOM_UNIT_CTA,
               .def = {.u = 8}, .min = {.u = 1}, .max = {.u = 64},
               .doc = "CTAs resident on an SM", .source = "GPGPU-Sim, GTX480"),
    LOOM_CTA_GRAIN_PARAMS(struct gpu_config),
    LOOM_PARAM(struct gpu_config, ctas_per_cycle, .unit = LOOM_UNIT_CTA,
               .def = {.u = 1}, .min = {.u = 1}, .max = {.u = 1024},
               .doc = "CTAs sent in a cycle, to different SMs"),
    LOOM_PARAM(struct gpu_config, cta_cycles, .unit = LOOM_UNIT_CYCLE,
               .def = {.f = 0}, .min = {.f = 0}, .max = {.f = 1024},
               .doc = "Cycles from one CTA to the next, over all SMs; 0: "
                      "nothing but ctas_per_cycle limits them"),
    LOOM_PARAM(struct gpu_config, warp_cycles, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 0}, .min = {.u = 0}, .max = {.u = 1024},
               .doc = "Cycles from the start of a warp to that of the next one "
                      "of its SM"),
    LOOM_PARAM(struct gpu_config, launch_cycles, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 0}, .min = {.u = 0}, .max = {.u = 1 << 20},
               .doc = "Cycles of a launch before its first CTA is sent; they "
                      "are part of its time"),
    LOOM_PARAM(struct gpu_config, argument_cycles, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 0}, .min = {.u = 0}, .max = {.u = 1 << 20},
               .doc = "launch_cycles are so many more of a kernel that reads "
                      "its parameters (of a trace of SASS it is not known)"),
    LOOM_PARAM(struct gpu_config, launch_gap, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 0}, .min = {.u = 0}, .max = {.u = 1 << 24},
               .doc = "Cycles from the end of a kernel until the next one of "
                      "its stream begins, at least; not of launches with "
                      "programmatic stream serialization or in a graph",
               .source = "GPGPU-Sim: none"),
    LOOM_PARAM(struct gpu_config, concurrent_kernels, .unit = LOOM_UNIT_NONE,
               .def = {.u = 1}, .min = {.u = 1}, .max = {.u = GPU_KERNELS},
               .doc = "Kernels that run at a time; the CTAs of a later one "
                      "are sent when all of the earlier ones are",
               .source = "GPGPU-Sim 4, -gpgpu_max_concurrent_kernel; the "
                         "reference runs launched one at a time"),
    LOOM_PARAM(struct gpu_config, spread_ctas, .unit = LOOM_UNIT_NONE,
               .def = {.b = false},
               .doc = "No SM holds more CTAs of a kernel than an even share "
                      "of its grid, rounded up",
               .source = "GPGPU-Sim 4, shader_core_config::max_cta"),
    LOOM_PARAM(struct gpu_config, scheduled, .unit = LOOM_UNIT_NONE,
               .def = {.b = false},
               .doc = "PTX is timed as a compiler would schedule it: loads "
                      "first, uses late, without what becomes an operand; "
                      "else in the order of its text"),
};

static const struct loom_stat gpu_stat_table[] = {
    LOOM_EXACT_COUNTER(struct gpu_stats, kernels, LOOM_UNIT_EVENT,
                       "Kernels started"),
    LOOM_EXACT_COUNTER(struct gpu_stats, ctas, LOOM_UNIT_CTA,
                       "CTAs sent to SMs"),
    LOOM_EXACT_COUNTER(struct gpu_stats, warps, LOOM_UNIT_WARP,
                       "Warps sent to SMs"),
    LOOM_COUNTER(struct gpu_stats, active_cycles, LOOM_UNIT_CYCLE,
                 "Cycles in which a kernel was running"),
    LOOM_COUNTER(struct gpu_stats, wide_cycles, LOOM_UNIT_CYCLE,
                 "Cycles in which nine of ten SMs or more held a CTA"),
    LOOM_COUNTER(struct gpu_stats, full_cycles, LOOM_UNIT_CYCLE,
                 "Cycles in which the next CTA waited for room on an SM"),
    LOOM_ARRAY(struct gpu_stats, ctas_per_sm, "sm_index", LOOM_UNIT_CTA,
               "CTAs sent to each SM"),
};

static const struct loom_energy gpu_energies[] = {
    {"constant", "What the chip takes whatever it does", "time", 1.17634,
     "GPUWattch, GTX 480: constant dynamic power of McPAT"},
};

static const struct loom_port_decl gpu_ports[] = {
    {"host", "Launches", LOOM_SERVER, &loom_launch_protocol, 1, 1},
    {"sm", "The SMs", LOOM_CLIENT, &loom_cta_protocol, 1, 1024},
};

static const struct loom_slot_decl gpu_slots[] = {
    {"dispatch", "Chooses the SM that gets the next CTA", &loom_dispatch_hook,
     "round_robin"},
};

/* One launch runs, no other one comes, and nobody wants to know when its last
 * CTA is sent. */
static bool gpu_calm(struct loom_component *self, uint32_t *launch)
{
    const struct gpu *gpu = loom_state(self);
    const struct gpu_run *run = gpu->run[0];

    if (gpu->runs != 1 || run->phase != GPU_RUN || run->done == run->total ||
        gpu->failed || loom_arrival(gpu->host_in) != LOOM_NEVER) {
        return false;
    }
    *launch = run->launch->kernel->number;
    return run->launch->executed == NULL || run->launch->produced;
}

static const struct loom_ahead_ops gpu_ahead = {.calm = gpu_calm};

static const struct loom_component_ops gpu_ops = {
    .validate = gpu_validate,
    .init = gpu_init,
    .tick = gpu_tick,
    .settle = gpu_settle,
    .check = gpu_check,
    .report = gpu_report,
    .command = gpu_command,
    .warm = &gpu_warm,
    .ahead = &gpu_ahead,
};

const struct loom_component_type gpu_component = {
    .name = "gpu",
    .doc = "CTA dispatcher of a GPU",
    .state_size = sizeof(struct gpu),
    .config_size = sizeof(struct gpu_config),
    .stats_size = sizeof(struct gpu_stats),
    .params = LOOM_SLICE(gpu_params),
    .stats = LOOM_SLICE(gpu_stat_table),
    .energies = LOOM_SLICE(gpu_energies),
    .ports = LOOM_SLICE(gpu_ports),
    .slots = LOOM_SLICE(gpu_slots),
    .ops = &gpu_ops,
};
