/*
 * host: the driver's side of the GPU, a queue of launches and copies.
 *
 * Whoever drives the machine gives tasks as commands.  A task may start when
 * all before it in its stream are complete (stream 0: all before it in any);
 * a launch that begins early when the one before it has been sent.
 * Launches are sent to the GPU strictly in the order in which they were
 * given, whatever stream they belong to: the functional order of a run is
 * linear.  Up to `concurrent_kernels` run at a time.
 *
 * Copies take time on an engine: one for both directions or one for each,
 * one of the device's own, and the host's processor for what stays in its
 * memory.  They touch neither caches nor DRAM.  A task
 * that takes no time, given when nothing is queued, is complete at once.
 *
 * The queue holds pointers only; a task belongs to the driver.
 *
 * Policies that rewrite kernels are attached here, for lack of a component
 * that is the compiler: the driver hands them to the program that makes a
 * launch, and the host itself never asks them.
 *
 * Invariant: head <= stamped <= tail; head is the oldest task that is not
 * complete; `running` launches are at the gpu.
 */
#include "engine/warm.h"

#include "components/host/host_private.h"
#include "policies/transform_hook.h"

static bool host_init(struct loom_component *self, struct loom_error *err)
{
    struct host *host = loom_state(self);

    host->self = self;
    host->config = loom_config(self);
    host->stats = loom_stats_of(self);
    host->out = loom_port_out(self, "gpu", 0);
    host->in = loom_port_in(self, "gpu", 0);
    host->entry =
        loom_alloc(self, host->config->queue, sizeof(struct host_entry));
    return loom_has_memory(self, err);
}

static struct host_entry *entry(const struct host *host, uint64_t number)
{
    return &host->entry[number % host->config->queue];
}

/* Does this task take no time, whenever it is started? */
static bool immediate(const struct host *host, const struct loom_task *task)
{
    switch (task->kind) {
    case LOOM_TASK_LAUNCH:
        return false;
    case LOOM_TASK_COPY:
        return host_copies_at_once(host, (const struct loom_copy *)task);
    case LOOM_TASK_MARK:
        return true;
    case LOOM_TASK_WAIT:
        return ((const struct loom_wait *)task)->until->complete;
    }
    return false;
}

/* ---- the queue ---- */

static void pass_launch(struct host *host, struct loom_launch *launch)
{
    struct loom_launch_message message = {launch};

    LOOM_CHECK(host->head == host->tail && host->running == 0);
    host->stats->launches++;
    host->stats->completed++;
    loom_warm(host->out, &message);
    launch->task.complete = true;
}

static bool host_command(struct loom_component *self, const void *command,
                         struct loom_error *err)
{
    struct host *host = loom_state(self);
    struct loom_task *task = ((const struct loom_host_command *)command)->task;

    if (task->stream >= LOOM_STREAMS) {
        return loom_fail(err, LOOM_ERR_WORKLOAD,
                         "stream %u, expected one below %u", task->stream,
                         LOOM_STREAMS);
    }
    if (host->tail - host->head == host->config->queue) {
        return loom_fail(err, LOOM_ERR_WORKLOAD,
                         "%u tasks are queued and parameter 'queue' allows "
                         "no more",
                         host->config->queue);
    }
    task->complete = false;
    if (host->head == host->tail && immediate(host, task)) {
        task->complete = true; /* at the time that the driver gave it */
        if (task->kind == LOOM_TASK_COPY) {
            host_count_copy(host, (const struct loom_copy *)task);
        }
        loom_stay_asleep(self);
        return true;
    }
    if (task->kind == LOOM_TASK_LAUNCH &&
        ((struct loom_launch *)task)->passed) {
        pass_launch(host, (struct loom_launch *)task);
        loom_stay_asleep(self);
        return true;
    }
    *entry(host, host->tail++) = (struct host_entry){task, false};
    return true;
}

static void finish(struct host *host, struct loom_task *task)
{
    LOOM_CHECK(!task->complete);
    task->complete = true;
    loom_notify(host->self);
}

static void finish_launch(struct host *host, struct loom_launch *launch)
{
    LOOM_CHECK(host->running != 0);
    host->running--;
    host->stats->completed++;
    finish(host, &launch->task);
}

static void finish_copies(struct host *host, loom_cycle now)
{
    for (uint32_t i = 0; i < HOST_ENGINES; i++) {
        struct host_engine *engine = &host->engine[i];

        if (engine->task != NULL && engine->end <= now) {
            engine->task->end = loom_told_time(host->self, now);
            finish(host, engine->task);
            engine->task = NULL;
        }
    }
}

/* ---- starting ---- */

static bool start_launch(struct host *host, struct loom_launch *launch,
                         loom_cycle now)
{
    struct loom_launch_message *message;

    if (host->running == host->config->concurrent_kernels ||
        !loom_ready(host->out, now)) {
        return false;
    }
    message = loom_send(host->out, now, host->config->launch_latency);
    message->launch = launch;
    host->running++;
    host->stats->launches++;
    return true;
}

/* Returns whether it was started; all before it in its stream are complete. */
static bool start(struct host *host, struct loom_task *task, loom_cycle now)
{
    switch (task->kind) {
    case LOOM_TASK_LAUNCH:
        return start_launch(host, (struct loom_launch *)task, now);
    case LOOM_TASK_COPY:
        if (!host_start_copy(host, (struct loom_copy *)task, now)) {
            return false;
        }
        finish_copies(host, now); /* those that take no time */
        return true;
    case LOOM_TASK_WAIT:
        if (!((const struct loom_wait *)task)->until->complete) {
            return false;
        }
        break;
    case LOOM_TASK_MARK:
        break;
    }
    task->start = task->end = loom_told_time(host->self, now);
    finish(host, task);
    return true;
}

static bool held_bit(const uint64_t *held, uint32_t stream)
{
    return (held[stream / 64] & loom_bit(stream % 64)) != 0;
}

/* A kernel launches it: it does not wait for what the host has given, but for
 * what is before it in its stream. */
static bool is_child(const struct loom_task *task)
{
    return task->kind == LOOM_TASK_LAUNCH &&
           ((const struct loom_launch *)task)->parent != NULL;
}

static bool is_early(const struct loom_task *task)
{
    return task->kind == LOOM_TASK_LAUNCH &&
           ((const struct loom_launch *)task)->begins == LOOM_BEGIN_EARLY;
}

/* A launch that begins early follows the one before it in its stream if that,
 * and whatever else its stream waits for, is a launch at the gpu. */
static bool follows(const struct host *host, uint64_t number)
{
    struct loom_task *task = entry(host, number)->task;
    const struct loom_task *before = NULL;

    for (uint64_t i = host->head; i < number; i++) {
        const struct host_entry *e = entry(host, i);

        if (e->task == NULL || e->task->complete ||
            (e->task->stream != task->stream &&
             e->task->stream != LOOM_DEFAULT_STREAM &&
             task->stream != LOOM_DEFAULT_STREAM)) {
            continue;
        }
        if (e->task->kind != LOOM_TASK_LAUNCH ||
            e->task->stream != task->stream || !e->started) {
            return false;
        }
        before = e->task;
    }
    if (before == NULL) {
        return false;
    }
    ((struct loom_launch *)task)->after = (const struct loom_launch *)before;
    return true;
}

/* Which streams have a task that is not complete, of those looked at. */
struct held {
    uint64_t stream[HOST_WORDS];
    bool any, launches; /* launches: one that was not sent */
};

static bool may_start(const struct host *host, const struct held *held,
                      uint64_t number)
{
    const struct loom_task *task = entry(host, number)->task;
    bool kernel = task->kind == LOOM_TASK_LAUNCH;
    uint32_t stream = task->stream;

    if (kernel && held->launches) {
        return false; /* they keep their order over all streams */
    }
    return !(stream == LOOM_DEFAULT_STREAM ? held->any
                                           : held_bit(held->stream, stream)) ||
           (is_early(task) && follows(host, number));
}

/* Starts what may start, oldest first.  Behind a task of stream 0 that is not
 * complete only launches that begin early, or are a kernel's, are looked at. */
static void start_all(struct host *host, loom_cycle now)
{
    struct held held = {0};
    bool all = false;

    for (uint64_t i = host->head; i < host->tail; i++) {
        struct host_entry *e = entry(host, i);
        struct loom_task *task = e->task;

        if (all && task != NULL && !is_early(task) && !is_child(task)) {
            return;
        }
        if (task != NULL && !task->complete && !e->started) {
            e->started = may_start(host, &held, i) && start(host, task, now);
            held.launches = held.launches ||
                            (task->kind == LOOM_TASK_LAUNCH && !e->started);
        }
        if (task == NULL || task->complete) {
            e->task = NULL;
            continue;
        }
        if (all && !e->started) {
            return;
        }
        held.any = true;
        all = all || task->stream == LOOM_DEFAULT_STREAM;
        held.stream[task->stream / 64] |= loom_bit(task->stream % 64);
    }
}

static loom_cycle host_tick(struct loom_component *self, loom_cycle now)
{
    struct host *host = loom_state(self);
    const struct loom_launch_message *reply;
    loom_cycle next = LOOM_NEVER;

    while (host->stamped < host->tail) {
        entry(host, host->stamped++)->task->queued = loom_told_time(self, now);
    }
    while ((reply = loom_peek(host->in, now)) != NULL) {
        struct loom_launch *launch = reply->launch;

        loom_pop(host->in, now);
        finish_launch(host, launch);
    }
    finish_copies(host, now);
    start_all(host, now);
    while (host->head < host->tail && entry(host, host->head)->task == NULL) {
        host->head++;
    }
    for (uint32_t i = 0; i < HOST_ENGINES; i++) {
        if (host->engine[i].task != NULL && host->engine[i].end < next) {
            next = host->engine[i].end;
        }
    }
    return next;
}

static bool host_check(struct loom_component *self, struct loom_error *err)
{
    const struct host *host = loom_state(self);

    if (host->head != host->tail) {
        return loom_fail(err, LOOM_ERR_LAW, "%u tasks are not complete",
                         (uint32_t)(host->tail - host->head));
    }
    return true;
}

static void host_report(struct loom_component *self, struct loom_report *report)
{
    static const char *const what[] = {[LOOM_TASK_LAUNCH] = "kernel",
                                       [LOOM_TASK_COPY] = "a copy",
                                       [LOOM_TASK_MARK] = "an event",
                                       [LOOM_TASK_WAIT] = "a wait"};
    const struct host *host = loom_state(self);
    const struct loom_task *task;

    if (host->head == host->tail) {
        return;
    }
    task = entry(host, host->head)->task;
    loom_report_line(report, self, LOOM_NEVER,
                     "%u tasks queued, waits for %s%s%s%s of stream %u",
                     (uint32_t)(host->tail - host->head), what[task->kind],
                     task->kind == LOOM_TASK_LAUNCH ? " '" : "",
                     task->kind == LOOM_TASK_LAUNCH
                         ? ((const struct loom_launch *)task)->kernel->name
                         : "",
                     task->kind == LOOM_TASK_LAUNCH ? "'" : "", task->stream);
}

static const struct loom_param host_params[] = {
    LOOM_PARAM(struct host_config, queue, .unit = LOOM_UNIT_NONE,
               .def = {.u = 1024}, .min = {.u = 1}, .max = {.u = 1 << 20},
               .doc = "Launches, copies, events and waits that may be queued, "
                      "running ones included; the host program waits where "
                      "there are more"),
    LOOM_PARAM(struct host_config, launch_latency, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 0}, .min = {.u = 0}, .max = {.u = 1 << 30},
               .doc = "Cycles of the GPU's clock that a launch takes in "
                      "addition to the link's latency"),
    LOOM_PARAM(struct host_config, concurrent_kernels, .unit = LOOM_UNIT_NONE,
               .def = {.u = 1}, .min = {.u = 1}, .max = {.u = 32},
               .doc = "Launches of different streams that run at a time; the "
                      "gpu has a parameter of this name too"),
    LOOM_PARAM(struct host_config, copy_engines, .unit = LOOM_UNIT_NONE,
               .def = {.u = 1}, .min = {.u = 1}, .max = {.u = 2},
               .doc = "1: copies to and from the device take turns; 2: one "
                      "engine for each direction",
               .source = "CUDA's asyncEngineCount, 1 on a GeForce GTX 480"),
    LOOM_PARAM(struct host_config, copy_latency, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 0}, .min = {.u = 0}, .max = {.u = 1 << 30},
               .doc = "Cycles of the GPU's clock that any copy takes in "
                      "addition to its bytes"),
    LOOM_PARAM(struct host_config, copy_bandwidth,
               .unit = LOOM_UNIT_BYTE_PER_SECOND, .def = {.u = 0},
               .min = {.u = 0}, .max = {.u = UINT64_C(1) << 50},
               .doc = "Bytes per second between host and device; 0: copies "
                      "take no time"),
    LOOM_PARAM(struct host_config, device_bandwidth,
               .unit = LOOM_UNIT_BYTE_PER_SECOND, .def = {.u = 0},
               .min = {.u = 0}, .max = {.u = UINT64_C(1) << 50},
               .doc = "Bytes per second of copies and fills within the "
                      "device; 0: they take no time"),
    LOOM_PARAM(struct host_config, gather_bandwidth,
               .unit = LOOM_UNIT_BYTE_PER_SECOND, .def = {.u = 0},
               .min = {.u = 0}, .max = {.u = UINT64_C(1) << 50},
               .doc = "Bytes per second that the host's processor gathers "
                      "into a pinned buffer; 0: it takes no time"),
};

static const struct loom_stat host_stat_table[] = {
    LOOM_EXACT_COUNTER(struct host_stats, launches, LOOM_UNIT_EVENT,
                       "Kernel launches sent to the GPU"),
    LOOM_EXACT_COUNTER(struct host_stats, completed, LOOM_UNIT_EVENT,
                       "Kernel launches that are complete"),
    LOOM_EXACT_COUNTER(struct host_stats, copies, LOOM_UNIT_EVENT,
                       "Copies and fills that were started"),
    LOOM_EXACT_COUNTER(struct host_stats, bytes_to_device, LOOM_UNIT_BYTE,
                       "Bytes copied from the host to the device"),
    LOOM_EXACT_COUNTER(struct host_stats, bytes_to_host, LOOM_UNIT_BYTE,
                       "Bytes copied from the device to the host"),
    LOOM_EXACT_COUNTER(struct host_stats, bytes_within, LOOM_UNIT_BYTE,
                       "Bytes copied or filled within the device"),
    LOOM_EXACT_COUNTER(struct host_stats, copy_cycles, LOOM_UNIT_CYCLE,
                       "Cycles that copies took, added over the engines"),
    LOOM_EXACT_COUNTER(struct host_stats, gathers, LOOM_UNIT_EVENT,
                       "Pieces of work of the host's processor"),
    LOOM_EXACT_COUNTER(struct host_stats, bytes_gathered, LOOM_UNIT_BYTE,
                       "Bytes that it moved within the host's memory"),
    LOOM_EXACT_COUNTER(struct host_stats, gather_cycles, LOOM_UNIT_CYCLE,
                       "Cycles that it took"),
};

static const struct loom_port_decl host_ports[] = {
    {"gpu", "Launches", LOOM_CLIENT, &loom_launch_protocol, 1, 1},
};

static const struct loom_slot_decl host_slots[] = {
    {"transform", "Rewrites kernels before they run", &loom_transform_hook,
     NULL},
};

/* All that can be started is, and no copy will be done. */
static bool host_calm(struct loom_component *self, uint32_t *launch)
{
    const struct host *host = loom_state(self);
    bool calm = host->stamped == host->tail;

    for (uint32_t i = 0; i < HOST_ENGINES; i++) {
        calm = calm && host->engine[i].task == NULL;
    }
    *launch = LOOM_NO_LAUNCH;
    return calm && loom_arrival(host->in) == LOOM_NEVER;
}

static const struct loom_ahead_ops host_ahead = {.calm = host_calm};

static const struct loom_component_ops host_ops = {
    .init = host_init,
    .tick = host_tick,
    .check = host_check,
    .report = host_report,
    .command = host_command,
    .ahead = &host_ahead,
};

const struct loom_component_type host_component = {
    .name = "host",
    .doc = "Queue of kernel launches and copies",
    .state_size = sizeof(struct host),
    .config_size = sizeof(struct host_config),
    .stats_size = sizeof(struct host_stats),
    .params = LOOM_SLICE(host_params),
    .stats = LOOM_SLICE(host_stat_table),
    .ports = LOOM_SLICE(host_ports),
    .slots = LOOM_SLICE(host_slots),
    .ops = &host_ops,
};
