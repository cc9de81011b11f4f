/*
 * The life of kernels: launched, announced, run, ended, answered.
 *
 * Kernels take their CTAs' places in the order of their launches, so CTAs are
 * produced in linear order.  Their ends are told to the SMs one after the
 * other, because an SM's answer does not say which one it is for.
 */
#include "components/gpu/gpu_private.h"

/* Gives resources back, or takes them. */
static void give(struct gpu *gpu, struct gpu_sm *sm,
                 const struct loom_kernel *kernel, bool back)
{
    struct loom_sm_limits cta = loom_cta_takes(kernel, &sm->left.grain);
    uint32_t sign = back ? 1u : UINT32_MAX; /* modulo 2^32 */

    gpu->busy += sm->left.ctas == gpu->config->sm_ctas;
    sm->left.threads += sign * cta.threads;
    sm->left.registers += sign * cta.registers;
    sm->left.shared_bytes += sign * cta.shared_bytes;
    sm->left.warps += sign * cta.warps;
    sm->left.ctas += sign;
    gpu->busy -= sm->left.ctas == gpu->config->sm_ctas;
}

static void fail(struct gpu *gpu, const struct loom_error *err)
{
    gpu->failed = true;
    loom_raise(gpu->self, err);
}

bool gpu_accepts(const struct gpu *gpu, struct loom_launch *launch,
                 struct loom_error *err)
{
    const struct loom_kernel *kernel = launch->kernel;
    struct loom_sm_limits limits = gpu_limits(gpu->config);
    const char *limit = NULL;
    uint32_t held;

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
    held = loom_cta_occupancy(kernel, &limits, &limit);
    launch->resident = (uint64_t)held * gpu->sms;
    if (held == 0) {
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

void gpu_take_launch(struct gpu *gpu, loom_cycle now)
{
    const struct loom_launch_message *message = loom_peek(gpu->host_in, now);
    struct loom_launch *launch;
    struct gpu_run *run;
    struct loom_error err;
    uint64_t total;

    if (message == NULL) {
        return;
    }
    launch = message->launch;
    loom_pop(gpu->host_in, now);
    if (!gpu_accepts(gpu, launch, &err)) {
        fail(gpu, &err);
        return;
    }
    total = loom_dim3_count(launch->kernel->grid);
    run = gpu->run[gpu->runs];
    *run = (struct gpu_run){
        .launch = launch,
        .phase = GPU_START,
        .total = total,
        .code = gpu_code_of(gpu, launch->kernel),
        .begin = gpu_begin_of(gpu, launch),
        .after = gpu_followed(gpu, launch),
        .most = gpu->config->spread_ctas
                    ? (uint32_t)((total + gpu->sms - 1) / gpu->sms)
                    : UINT32_MAX,
        .resident = run->resident,
    };
    gpu->runs++;
    gpu->since = now;
    gpu->stats->kernels++;
}

/* Sends a command to the SMs that have not had it. */
static void announce(struct gpu *gpu, struct gpu_run *run,
                     enum loom_cta_command command, loom_cycle now)
{
    while (run->told < gpu->sms && loom_ready(gpu->sm[run->told].out, now)) {
        struct loom_cta_request *request =
            loom_send(gpu->sm[run->told].out, now, 0);

        request->kernel = run->launch->kernel;
        request->stream = NULL;
        request->slot = 0;
        request->command = command;
        request->waits = false;
        run->told++;
    }
}

static struct gpu_run *ending(const struct gpu *gpu)
{
    for (uint32_t i = 0; i < gpu->runs; i++) {
        if (gpu->run[i]->phase == GPU_END) {
            return gpu->run[i];
        }
    }
    return NULL;
}

static struct gpu_run *run_of(const struct gpu *gpu,
                              const struct loom_kernel *kernel)
{
    uint32_t i = 0;

    while (i < gpu->runs && gpu->run[i]->launch->kernel != kernel) {
        i++;
    }
    LOOM_CHECK(i < gpu->runs);
    return gpu->run[i];
}

static void mark_warps(struct gpu_sm *sm, uint32_t first, uint32_t count,
                       bool taken)
{
    for (uint32_t w = first; w < first + count; w++) {
        uint64_t bit = loom_bit(w % 64);

        sm->warps[w / 64] =
            taken ? sm->warps[w / 64] | bit : sm->warps[w / 64] & ~bit;
    }
}

/* First of the lowest `count` neighbouring free slots, or UINT32_MAX. */
static uint32_t find_warps(const struct gpu *gpu, const struct gpu_sm *sm,
                           uint32_t count)
{
    uint32_t free = 0;

    for (uint32_t w = 0; w < gpu->config->sm_threads / LOOM_WARP_LANES; w++) {
        free = (sm->warps[w / 64] >> w % 64 & 1) != 0 ? 0 : free + 1;
        if (free == count) {
            return w + 1 - count;
        }
    }
    return UINT32_MAX;
}

/* All CTAs of a launch have been executed: what the driver was told to do
 * before the next launch is done now. */
static bool executed(struct gpu *gpu, struct loom_launch *launch)
{
    struct loom_error err;

    launch->produced = true;
    if (launch->executed == NULL) {
        return true;
    }
    if (!launch->executed(launch, &err)) {
        loom_fail_at(&err, launch->kernel->name);
        fail(gpu, &err);
        return false;
    }
    loom_notify(gpu->self);
    return true;
}

/* The same for all launches of which that is so now, in the order in which
 * they were given.  Those that read the time are executed while they run. */
static bool all_executed(struct gpu *gpu)
{
    for (uint32_t i = 0; i < gpu->runs; i++) {
        const struct gpu_run *run = gpu->run[i];

        if (run->next < run->total ||
            (run->launch->kernel->timed && run->done < run->total)) {
            return true;
        }
        if (!run->launch->produced && !executed(gpu, run->launch)) {
            return false;
        }
    }
    return true;
}

/* What it held can be another's. */
static void cta_left(struct gpu *gpu, uint32_t index,
                     const struct loom_cta_done *done)
{
    const struct loom_kernel *kernel = done->stream->kernel;
    struct gpu_sm *sm = &gpu->sm[index];

    LOOM_CHECK((sm->free_slots & loom_bit(done->slot)) == 0);
    give(gpu, sm, kernel, true);
    mark_warps(sm, sm->first_warp[done->slot], loom_kernel_warps(kernel),
               false);
    run_of(gpu, kernel)->resident[index]--;
}

static void has_launched(const struct gpu *gpu,
                         const struct loom_cta_stream *stream, uint32_t count)
{
    uint32_t *launched = run_of(gpu, stream->kernel)->launch->launched;

    if (launched != NULL) {
        launched[stream->cta] = count;
    }
}

static void cta_done(struct gpu *gpu, uint32_t index,
                     const struct loom_cta_done *done, loom_cycle now)
{
    const struct loom_kernel *kernel = done->stream->kernel;
    struct gpu_run *run = run_of(gpu, kernel);
    struct loom_cta_source *source = kernel->source;

    if (!done->left) {
        cta_left(gpu, index, done);
    }
    has_launched(gpu, done->stream, UINT32_MAX);
    source->ops->release(source, done->stream);
    gpu->sm[index].free_slots |= loom_bit(done->slot);
    run->triggered -= done->triggered;
    run->done++;
    run->launch->insts += done->insts;
    run->launch->task.end = loom_told_time(gpu->self, now);
    if (run->done == run->total) {
        gpu->ended[run->launch->task.stream] = gpu->last = now;
        gpu_set_free(gpu, run, now);
    }
    if (kernel->timed && run->done == run->total) {
        all_executed(gpu);
    }
}

void gpu_receive(struct gpu *gpu, uint32_t index, loom_cycle now)
{
    struct gpu_sm *sm = &gpu->sm[index];
    const struct loom_cta_done *done;

    while ((done = loom_peek(sm->in, now)) != NULL) {
        if (done->stream == NULL) {
            struct gpu_run *run = ending(gpu);

            LOOM_CHECK(run != NULL);
            run->answered++;
        } else if (done->triggers) {
            run_of(gpu, done->stream->kernel)->triggered++;
        } else if (done->launches != 0) {
            has_launched(gpu, done->stream, done->launches);
        } else if (done->leaves) {
            cta_left(gpu, index, done);
        } else {
            cta_done(gpu, index, done, now);
        }
        gpu->since = now;
        loom_pop(sm->in, now);
    }
}

struct loom_cta_stream *gpu_produce(struct gpu *gpu, struct gpu_run *run,
                                    uint32_t index)
{
    const struct loom_kernel *kernel = run->launch->kernel;
    struct loom_cta_stream *stream;
    struct loom_error err;

    kernel->source->sm = index;
    if (!kernel->source->ops->produce(kernel->source, (uint32_t)run->next,
                                      &stream, &err)) {
        loom_fail_at(&err, kernel->name);
        fail(gpu, &err);
        return NULL;
    }
    for (uint32_t w = 0; w < stream->warp_count; w++) {
        run->launch->insts += stream->warp[w].insts;
    }
    run->next++;
    gpu->stats->ctas++;
    gpu->stats->ctas_per_sm.item[index]++;
    gpu->stats->warps += stream->warp_count;
    return stream;
}

static bool send_cta(struct gpu *gpu, struct gpu_run *run, uint32_t index,
                     loom_cycle now)
{
    const struct loom_kernel *kernel = run->launch->kernel;
    struct gpu_sm *sm = &gpu->sm[index];
    struct loom_cta_stream *stream;
    struct loom_cta_request *request;
    uint32_t warps = loom_kernel_warps(kernel);
    uint32_t first = find_warps(gpu, sm, warps);
    loom_cycle late = run->next == 0 ? gpu_launch_cycles(gpu, run->launch) : 0;

    LOOM_CHECK(first != UINT32_MAX);
    if (run->next == 0 && (late == 0 || run->launch->parent != NULL)) {
        run->launch->task.start = loom_told_time(gpu->self, now - late);
    }
    stream = gpu_produce(gpu, run, index);
    if (stream == NULL) {
        return false;
    }
    give(gpu, sm, kernel, false);
    request = loom_send(sm->out, now, 0);
    request->kernel = kernel;
    request->stream = stream;
    request->slot = loom_lowest(sm->free_slots);
    request->first_warp = first;
    request->warp_cycles = gpu->config->warp_cycles;
    request->code = run->code;
    request->waits = gpu_waits(run, index);
    request->command = LOOM_CTA_RUN;
    mark_warps(sm, first, warps, true);
    sm->first_warp[request->slot] = first;
    sm->free_slots &= sm->free_slots - 1;
    run->resident[index]++;
    gpu->since = now;
    loom_progress(gpu->self);
    return run->next < run->total || all_executed(gpu);
}

/* Between CTAs of other sizes there may be no room for this one although
 * enough warp slots are free. */
static bool has_room(const struct gpu *gpu, const struct gpu_run *run,
                     uint32_t index)
{
    const struct loom_kernel *kernel = run->launch->kernel;
    const struct gpu_sm *sm = &gpu->sm[index];

    return run->resident[index] < run->most && sm->free_slots != 0 &&
           loom_cta_occupancy(kernel, &sm->left, NULL) != 0 &&
           (gpu->config->concurrent_kernels == 1 ||
            find_warps(gpu, sm, loom_kernel_warps(kernel)) != UINT32_MAX);
}

/* Marks the SMs that can take a CTA in this cycle.  loom_ready() arranges to
 * be woken where only the link is full. */
static bool find_room(struct gpu *gpu, const struct gpu_run *run,
                      loom_cycle now)
{
    bool any = false;

    for (uint32_t i = 0; i < gpu->sms; i++) {
        gpu->fits[i] = has_room(gpu, run, i) && loom_ready(gpu->sm[i].out, now);
        any = any || gpu->fits[i];
    }
    return any;
}

/* CTAs that may be sent in this cycle; if none, `due` says when one may. */
static uint32_t allowed(struct gpu *gpu, const struct gpu_run *run,
                        loom_cycle now)
{
    loom_cycle next = (gpu->paced + 65535) >> 16;

    if (now < run->ready || now < next) {
        next = run->ready > next ? run->ready : next;
        gpu->due = next < gpu->due ? next : gpu->due;
        return 0;
    }
    return gpu->config->ctas_per_cycle;
}

/* What a cycle leaves of its share is not lost, but no more than that. */
static bool pace(struct gpu *gpu, loom_cycle now)
{
    if (gpu->pace == 0) {
        return true;
    }
    if (gpu->paced + 65536 < now << 16) {
        gpu->paced = now << 16;
    }
    gpu->paced += gpu->pace;
    return gpu->paced <= now << 16;
}

/* CTAs on each SM. */
static const uint32_t *held(struct gpu *gpu)
{
    for (uint32_t i = 0; i < gpu->sms; i++) {
        gpu->held[i] = gpu->config->sm_ctas - gpu->sm[i].left.ctas;
    }
    return gpu->held;
}

/* Returns whether the next cycle is worth a try. */
static bool dispatch(struct gpu *gpu, struct gpu_run *run, loom_cycle now)
{
    const struct loom_dispatch_ops *ops = gpu->dispatch.ops;
    struct loom_dispatch_view view = {
        .kernel = run->launch->kernel,
        .resident = run->resident,
        .fits = gpu->fits,
        .sms = gpu->sms,
    };
    uint32_t most = run->next < run->total ? allowed(gpu, run, now) : 0;
    uint32_t sent = 0;

    if (most == 0 || !find_room(gpu, run, now)) {
        return false;
    }
    view.held = run->next == 0 ? held(gpu) : NULL;
    while (sent < most && run->next < run->total) {
        uint32_t index;

        view.next_cta = run->next;
        index = ops->select(gpu->dispatch.policy, &view);
        if (index == UINT32_MAX) {
            break;
        }
        LOOM_CHECK(index < gpu->sms && gpu->fits[index]);
        if (!send_cta(gpu, run, index, now)) {
            return false;
        }
        gpu->fits[index] = false; /* one CTA per SM and cycle */
        sent++;
        if (!pace(gpu, now)) {
            break;
        }
    }
    return sent != 0;
}

/* The kernel is over once the host can be told. */
static void reply(struct gpu *gpu, uint32_t number, loom_cycle now)
{
    struct gpu_run *run = gpu->run[number];
    struct loom_launch_message *message;

    if (!loom_ready(gpu->host_out, now)) {
        return;
    }
    message = loom_send(gpu->host_out, now, 0);
    message->launch = run->launch;
    run->launch = NULL;
    gpu->runs--;
    for (uint32_t i = number; i < gpu->runs; i++) {
        gpu->run[i] = gpu->run[i + 1];
    }
    gpu->run[gpu->runs] = run;
}

/* CTAs of a kernel whose turn it is; `first`: all before it are sent. */
static bool run_ctas(struct gpu *gpu, struct gpu_run *run, bool first,
                     loom_cycle now)
{
    bool again = false;

    if (first) {
        again = dispatch(gpu, run, now);
        gpu->full = run->next < run->total && !again && gpu->due == LOOM_NEVER;
    }
    if (run->done == run->total && run->launch->produced && !gpu->failed &&
        ending(gpu) == NULL) {
        run->phase = GPU_END;
        run->told = 0;
        again = true;
    }
    return again;
}

/* One step of a kernel's life; whether to come back next cycle. */
static bool advance(struct gpu *gpu, uint32_t number, bool first,
                    loom_cycle now)
{
    struct gpu_run *run = gpu->run[number];

    switch (run->phase) {
    case GPU_START:
        if (!gpu_may_begin(run) || !gpu_wanted(gpu, run, now)) {
            return false;
        }
        if (now < run->begin) {
            gpu->due = run->begin < gpu->due ? run->begin : gpu->due;
            return false;
        }
        announce(gpu, run, LOOM_CTA_KERNEL_START, now);
        if (run->told == gpu->sms) {
            run->phase = GPU_RUN;
            run->ready = now + gpu_launch_cycles(gpu, run->launch);
            if (run->ready != now) {
                run->launch->task.start = loom_told_time(gpu->self, now);
            }
            return true;
        }
        return false;
    case GPU_RUN:
        if (run->free != 0 && gpu_tell_free(gpu, run, now)) {
            run->free = 0;
        }
        return run_ctas(gpu, run, first, now);
    case GPU_END:
        announce(gpu, run, LOOM_CTA_KERNEL_END, now);
        if (run->answered == gpu->sms) {
            run->phase = GPU_REPLY;
            reply(gpu, number, now);
        }
        break;
    case GPU_REPLY:
        reply(gpu, number, now);
        break;
    }
    /* The next launch may have arrived long ago, or wait for this END. */
    return run->launch == NULL;
}

bool gpu_advance(struct gpu *gpu, loom_cycle now)
{
    bool first = true, again = false;
    uint32_t i = 0;

    while (i < gpu->runs) {
        const struct gpu_run *run = gpu->run[i];
        bool sent = run->next == run->total; /* before this cycle */

        again = advance(gpu, i, first, now) || again;
        first = first && sent;
        /* A finished one is gone from its place. */
        i += i < gpu->runs && gpu->run[i] == run;
    }
    return again;
}
