/*
 * gpu: takes launches and hands their CTAs to the SMs.
 *
 * One kernel runs at a time; launches that wait are in the host's link.  The
 * life of a kernel is START (announced to every SM), RUN (CTAs go out and
 * come back), END (every SM told, and flushed if it does that) and the reply
 * to the host.
 *
 * The gpu alone keeps account of every SM's threads, registers, shared memory
 * and CTA slots: it takes them when it sends a CTA and gives them back when
 * the SM reports it done.  Concurrent kernels will need nothing else.
 *
 * CTAs are produced, that is functionally executed, in strictly linear order
 * in the cycle in which they are sent.  Which SM times a CTA is the policy's
 * choice and cannot change what the program computes.
 *
 * Invariant: done <= next <= total; a CTA's resources are taken exactly while
 * it is on an SM.
 */
#include "components/cta_protocol.h"
#include "components/host_protocol.h"
#include "policies/gpu_hook.h"

struct gpu_config {
    uint32_t sm_threads;
    uint32_t sm_registers;
    uint32_t sm_shared_bytes;
    uint32_t sm_ctas;
    uint32_t ctas_per_cycle;
};

struct gpu_stats {
    uint64_t kernels;
    uint64_t ctas;
    uint64_t warps;
    uint64_t active_cycles;
    uint64_t full_cycles;
    struct loom_array ctas_per_sm;
};

enum gpu_phase {
    GPU_IDLE,
    GPU_START, /* announcing */
    GPU_RUN,
    GPU_END,  /* every SM is told and answers */
    GPU_REPLY /* waits for room towards the host */
};

struct gpu_sm {
    struct loom_channel *out, *in;
    struct loom_sm_limits left; /* what a CTA can still take */
    uint64_t free_slots;        /* bit per CTA slot */
};

struct gpu {
    struct loom_component *self;
    const struct gpu_config *config;
    struct gpu_stats *stats;
    struct loom_channel *host_in, *host_out;
    struct loom_bound dispatch;
    struct gpu_sm *sm; /* [sms] */
    uint32_t sms;

    enum gpu_phase phase;
    struct loom_launch *launch; /* NULL while idle */
    uint64_t total, next, done; /* CTAs of the kernel */
    uint32_t told, answered;    /* SMs, in START and END */
    loom_cycle since;           /* last cycle with progress */
    loom_cycle counted;         /* cycles before this are in the statistics */
    bool full;                  /* a CTA waits for room, since the last tick */
    bool failed;                /* an error was raised: nothing more happens */
    uint32_t *resident;         /* [sms], for the policy's view */
    bool *fits;                 /* [sms] */
};

static struct loom_sm_limits limits_of(const struct gpu_config *config)
{
    return (struct loom_sm_limits){
        .threads = config->sm_threads,
        .registers = config->sm_registers,
        .shared_bytes = config->sm_shared_bytes,
        .ctas = config->sm_ctas,
        .warps = config->sm_threads / LOOM_WARP_LANES,
    };
}

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
    gpu->resident = loom_alloc(self, gpu->sms, sizeof(*gpu->resident));
    gpu->fits = loom_alloc(self, gpu->sms, sizeof(*gpu->fits));
    gpu->stats->ctas_per_sm.item =
        loom_alloc(self, gpu->sms, sizeof(*gpu->stats->ctas_per_sm.item));
    if (gpu->sm == NULL || gpu->resident == NULL || gpu->fits == NULL ||
        gpu->stats->ctas_per_sm.item == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for %u SMs",
                         gpu->sms);
    }
    gpu->stats->ctas_per_sm.count = gpu->sms;
    for (uint32_t i = 0; i < gpu->sms; i++) {
        gpu->sm[i].out = loom_port_out(self, "sm", i);
        gpu->sm[i].in = loom_port_in(self, "sm", i);
        gpu->sm[i].left = limits_of(gpu->config);
        gpu->sm[i].free_slots = UINT64_MAX >> (64 - gpu->config->sm_ctas);
    }
    return bind_dispatch(gpu, err);
}

/* Gives resources back, or takes them. */
static void give(struct gpu_sm *sm, const struct loom_kernel *kernel, bool back)
{
    uint32_t warps = loom_kernel_warps(kernel);
    uint32_t threads = warps * LOOM_WARP_LANES;
    uint32_t registers = threads * ((kernel->registers + 3u) & ~3u);
    uint32_t sign = back ? 1u : UINT32_MAX; /* modulo 2^32 */

    sm->left.threads += sign * threads;
    sm->left.registers += sign * registers;
    sm->left.shared_bytes += sign * kernel->shared_bytes;
    sm->left.warps += sign * warps;
    sm->left.ctas += sign;
}

static void fail(struct gpu *gpu, const struct loom_error *err)
{
    gpu->failed = true;
    loom_raise(gpu->self, err);
}

/* Can this kernel run on this machine at all? */
static bool acceptable(const struct gpu *gpu, const struct loom_kernel *kernel,
                       struct loom_error *err)
{
    struct loom_sm_limits limits = limits_of(gpu->config);
    const char *limit = NULL;

    if (loom_kernel_warps(kernel) == 0 || loom_dim3_count(kernel->grid) == 0 ||
        loom_dim3_count(kernel->grid) > UINT32_MAX) {
        return loom_fail(err, LOOM_ERR_WORKLOAD,
                         "kernel '%s' has a grid of %u x %u x %u CTAs of "
                         "%u x %u x %u threads, expected 1..2^32-1 CTAs of "
                         "at least one",
                         kernel->name, kernel->grid.x, kernel->grid.y,
                         kernel->grid.z, kernel->block.x, kernel->block.y,
                         kernel->block.z);
    }
    if (loom_cta_occupancy(kernel, &limits, &limit) == 0) {
        return loom_fail(err, LOOM_ERR_WORKLOAD,
                         "no CTA of kernel '%s' fits on an SM: limit '%s' "
                         "is exceeded (%u threads, %u registers per thread, "
                         "%u bytes of shared memory)",
                         kernel->name, limit,
                         (uint32_t)loom_dim3_count(kernel->block),
                         kernel->registers, kernel->shared_bytes);
    }
    return true;
}

static void take_launch(struct gpu *gpu, loom_cycle now)
{
    const struct loom_launch_message *message = loom_peek(gpu->host_in, now);
    struct loom_error err;

    if (message == NULL) {
        return;
    }
    gpu->launch = message->launch;
    loom_pop(gpu->host_in, now);
    if (!acceptable(gpu, gpu->launch->kernel, &err)) {
        fail(gpu, &err);
        return;
    }
    gpu->phase = GPU_START;
    gpu->total = loom_dim3_count(gpu->launch->kernel->grid);
    gpu->next = gpu->done = 0;
    gpu->told = gpu->answered = 0;
    gpu->since = now;
    gpu->stats->kernels++;
}

/* Sends a command to the SMs that have not had it. */
static void announce(struct gpu *gpu, enum loom_cta_command command,
                     loom_cycle now)
{
    while (gpu->told < gpu->sms && loom_ready(gpu->sm[gpu->told].out, now)) {
        struct loom_cta_request *request =
            loom_send(gpu->sm[gpu->told].out, now, 0);

        request->kernel = gpu->launch->kernel;
        request->stream = NULL;
        request->slot = 0;
        request->command = command;
        gpu->told++;
    }
}

static void receive(struct gpu *gpu, uint32_t index, loom_cycle now)
{
    struct gpu_sm *sm = &gpu->sm[index];
    const struct loom_cta_done *done;

    while ((done = loom_peek(sm->in, now)) != NULL) {
        const struct loom_kernel *kernel = gpu->launch->kernel;

        if (done->stream == NULL) {
            gpu->answered++;
        } else {
            struct loom_cta_source *source = kernel->source;

            LOOM_CHECK((sm->free_slots & loom_bit(done->slot)) == 0);
            source->ops->release(source, done->stream);
            give(sm, kernel, true);
            sm->free_slots |= loom_bit(done->slot);
            gpu->resident[index]--;
            gpu->done++;
            gpu->launch->end = loom_cycle_time(gpu->self, now);
        }
        gpu->since = now;
        loom_pop(sm->in, now);
    }
}

static bool send_cta(struct gpu *gpu, uint32_t index, loom_cycle now)
{
    const struct loom_kernel *kernel = gpu->launch->kernel;
    struct gpu_sm *sm = &gpu->sm[index];
    struct loom_cta_stream *stream;
    struct loom_cta_request *request;
    struct loom_error err;

    if (!kernel->source->ops->produce(kernel->source, (uint32_t)gpu->next,
                                      &stream, &err)) {
        loom_fail_at(&err, kernel->name);
        fail(gpu, &err);
        return false;
    }
    give(sm, kernel, false);
    request = loom_send(sm->out, now, 0);
    request->kernel = kernel;
    request->stream = stream;
    request->slot = loom_lowest(sm->free_slots);
    request->command = LOOM_CTA_RUN;
    sm->free_slots &= sm->free_slots - 1;
    if (gpu->next == 0) {
        gpu->launch->start = loom_cycle_time(gpu->self, now);
    }
    gpu->next++;
    gpu->resident[index]++;
    gpu->since = now;
    gpu->stats->ctas++;
    gpu->stats->ctas_per_sm.item[index]++;
    gpu->stats->warps += stream->warp_count;
    loom_progress(gpu->self);
    return true;
}

/* Marks the SMs that can take a CTA in this cycle.  loom_ready() arranges to
 * be woken where only the link is full. */
static bool find_room(struct gpu *gpu, loom_cycle now)
{
    bool any = false;

    for (uint32_t i = 0; i < gpu->sms; i++) {
        gpu->fits[i] = loom_cta_occupancy(gpu->launch->kernel, &gpu->sm[i].left,
                                          NULL) != 0 &&
                       loom_ready(gpu->sm[i].out, now);
        any = any || gpu->fits[i];
    }
    return any;
}

/* Returns whether the next cycle is worth a try. */
static bool dispatch(struct gpu *gpu, loom_cycle now)
{
    const struct loom_dispatch_ops *ops = gpu->dispatch.ops;
    struct loom_dispatch_view view = {
        .kernel = gpu->launch->kernel,
        .resident = gpu->resident,
        .fits = gpu->fits,
        .sms = gpu->sms,
    };
    uint32_t sent = 0;

    if (gpu->next == gpu->total || !find_room(gpu, now)) {
        return false;
    }
    while (sent < gpu->config->ctas_per_cycle && gpu->next < gpu->total) {
        uint32_t index;

        view.next_cta = gpu->next;
        index = ops->select(gpu->dispatch.policy, &view);
        if (index == UINT32_MAX) {
            break;
        }
        LOOM_CHECK(index < gpu->sms && gpu->fits[index]);
        if (!send_cta(gpu, index, now)) {
            return false;
        }
        gpu->fits[index] = false; /* one CTA per SM and cycle */
        sent++;
    }
    return sent != 0 && gpu->next < gpu->total;
}

static void reply(struct gpu *gpu, loom_cycle now)
{
    struct loom_launch_message *message;

    if (!loom_ready(gpu->host_out, now)) {
        return;
    }
    message = loom_send(gpu->host_out, now, 0);
    message->launch = gpu->launch;
    gpu->launch = NULL;
    gpu->phase = GPU_IDLE;
}

/* One step of the kernel's life; whether to come back next cycle. */
static bool advance(struct gpu *gpu, loom_cycle now)
{
    bool again = false;

    switch (gpu->phase) {
    case GPU_IDLE:
        take_launch(gpu, now);
        return gpu->phase != GPU_IDLE;
    case GPU_START:
        announce(gpu, LOOM_CTA_KERNEL_START, now);
        if (gpu->told == gpu->sms) {
            gpu->phase = GPU_RUN;
            again = true;
        }
        return again;
    case GPU_RUN:
        again = dispatch(gpu, now);
        gpu->full = gpu->next < gpu->total && !again;
        if (gpu->done == gpu->total && !gpu->failed) {
            gpu->phase = GPU_END;
            gpu->told = 0;
            again = true;
        }
        return again;
    case GPU_END:
        announce(gpu, LOOM_CTA_KERNEL_END, now);
        if (gpu->answered == gpu->sms) {
            gpu->phase = GPU_REPLY;
            reply(gpu, now);
        }
        break;
    case GPU_REPLY:
        reply(gpu, now);
        break;
    }
    /* The next launch may have arrived long ago. */
    return gpu->phase == GPU_IDLE;
}

static void gpu_settle(struct loom_component *self, loom_cycle now)
{
    struct gpu *gpu = loom_state(self);

    if (now > gpu->counted) {
        if (gpu->launch != NULL) {
            gpu->stats->active_cycles += now - gpu->counted;
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
    bool again;

    gpu_settle(self, now);
    if (gpu->failed) {
        return LOOM_NEVER;
    }
    gpu->full = false;
    if (gpu->launch != NULL) {
        for (uint32_t i = 0; i < gpu->sms; i++) {
            receive(gpu, i, now);
        }
    }
    again = advance(gpu, now);
    return again && !gpu->failed ? now + 1 : LOOM_NEVER;
}

static bool gpu_check(struct loom_component *self, struct loom_error *err)
{
    const struct gpu *gpu = loom_state(self);

    if (gpu->phase != GPU_IDLE) {
        return loom_fail(err, LOOM_ERR_CONFIG, "a kernel is still running");
    }
    for (uint32_t i = 0; i < gpu->sms; i++) {
        const struct loom_sm_limits *left = &gpu->sm[i].left;

        if (gpu->resident[i] != 0 || left->ctas != gpu->config->sm_ctas ||
            left->threads != gpu->config->sm_threads ||
            left->registers != gpu->config->sm_registers ||
            left->shared_bytes != gpu->config->sm_shared_bytes) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "SM %u has not given back what its CTAs took", i);
        }
    }
    return true;
}

static void gpu_report(struct loom_component *self, struct loom_report *report)
{
    const struct gpu *gpu = loom_state(self);

    if (gpu->launch != NULL) {
        loom_report_line(
            report, self, gpu->since,
            "kernel '%s': %llu of %llu CTAs sent, %llu done",
            gpu->launch->kernel->name, (unsigned long long)gpu->next,
            (unsigned long long)gpu->total, (unsigned long long)gpu->done);
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
    LOOM_PARAM(struct gpu_config, ctas_per_cycle, .unit = LOOM_UNIT_CTA,
               .def = {.u = 1}, .min = {.u = 1}, .max = {.u = 1024},
               .doc = "CTAs sent in a cycle, to different SMs"),
};

static const struct loom_stat gpu_stat_table[] = {
    LOOM_COUNTER(struct gpu_stats, kernels, LOOM_UNIT_EVENT, "Kernels started"),
    LOOM_COUNTER(struct gpu_stats, ctas, LOOM_UNIT_CTA, "CTAs sent to SMs"),
    LOOM_COUNTER(struct gpu_stats, warps, LOOM_UNIT_WARP, "Warps sent to SMs"),
    LOOM_COUNTER(struct gpu_stats, active_cycles, LOOM_UNIT_CYCLE,
                 "Cycles in which a kernel was running"),
    LOOM_COUNTER(struct gpu_stats, full_cycles, LOOM_UNIT_CYCLE,
                 "Cycles in which the next CTA waited for room on an SM"),
    LOOM_ARRAY(struct gpu_stats, ctas_per_sm, "sm", LOOM_UNIT_CTA,
               "CTAs sent to each SM"),
};

static const struct loom_port_decl gpu_ports[] = {
    {"host", "Launches", LOOM_SERVER, &loom_launch_protocol, 1, 1},
    {"sm", "The SMs", LOOM_CLIENT, &loom_cta_protocol, 1, 1024},
};

static const struct loom_slot_decl gpu_slots[] = {
    {"dispatch", "Chooses the SM that gets the next CTA", &loom_dispatch_hook,
     "round_robin"},
};

static const struct loom_component_ops gpu_ops = {
    .validate = gpu_validate,
    .init = gpu_init,
    .tick = gpu_tick,
    .settle = gpu_settle,
    .check = gpu_check,
    .report = gpu_report,
};

const struct loom_component_type gpu_component = {
    .name = "gpu",
    .doc = "CTA dispatcher of a GPU",
    .state_size = sizeof(struct gpu),
    .config_size = sizeof(struct gpu_config),
    .stats_size = sizeof(struct gpu_stats),
    .params = LOOM_SLICE(gpu_params),
    .stats = LOOM_SLICE(gpu_stat_table),
    .ports = LOOM_SLICE(gpu_ports),
    .slots = LOOM_SLICE(gpu_slots),
    .ops = &gpu_ops,
};
