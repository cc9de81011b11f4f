/*
 * host: the driver's side of the GPU, a queue of kernel launches.
 *
 * Whoever drives the machine gives launches as commands.  They are sent to
 * the GPU strictly in order, whatever stream they belong to: the functional
 * order of a run is linear.  The next one is sent when no launch of its stream
 * is running and fewer than `concurrent_kernels` are.
 *
 * The queue holds pointers only; a launch belongs to the driver.
 *
 * Policies that rewrite kernels are attached here, for lack of a component
 * that is the compiler: the driver hands them to the program that makes a
 * launch, and the host itself never asks them.
 *
 * Invariant: head <= sent <= stamped <= tail; `running` of those from head to
 * sent are not complete.
 */
#include "engine/component.h"

#include "components/host_protocol.h"
#include "policies/transform_hook.h"

struct host_config {
    uint32_t queue;
    uint32_t launch_latency;
    uint32_t concurrent_kernels;
};

struct host_stats {
    uint64_t launches;
    uint64_t completed;
};

struct host {
    struct loom_component *self;
    const struct host_config *config;
    struct host_stats *stats;
    struct loom_channel *out, *in;
    struct loom_launch **launch; /* [config->queue], a ring */
    uint64_t head;               /* oldest that is not complete */
    uint64_t sent;               /* first not sent */
    uint64_t stamped;            /* first without a time of its command */
    uint64_t tail;               /* first free */
    uint32_t running;
};

static bool host_init(struct loom_component *self, struct loom_error *err)
{
    struct host *host = loom_state(self);

    host->self = self;
    host->config = loom_config(self);
    host->stats = loom_stats_of(self);
    host->out = loom_port_out(self, "gpu", 0);
    host->in = loom_port_in(self, "gpu", 0);
    host->launch =
        loom_alloc(self, host->config->queue, sizeof(struct loom_launch *));
    if (host->launch == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for %u launches",
                         host->config->queue);
    }
    return true;
}

static struct loom_launch **entry(const struct host *host, uint64_t number)
{
    return &host->launch[number % host->config->queue];
}

static bool host_command(struct loom_component *self, const void *command,
                         struct loom_error *err)
{
    struct host *host = loom_state(self);
    const struct loom_host_command *given = command;

    switch (given->kind) {
    case LOOM_HOST_LAUNCH:
        if (host->tail - host->head == host->config->queue) {
            return loom_fail(err, LOOM_ERR_WORKLOAD,
                             "%u launches are queued and parameter 'queue' "
                             "allows no more",
                             host->config->queue);
        }
        given->launch->complete = false;
        *entry(host, host->tail++) = given->launch;
        return true;
    }
    return loom_fail(err, LOOM_ERR_CONFIG, "unknown command %u to the host",
                     (uint32_t)given->kind);
}

static void finish(struct host *host, struct loom_launch *launch)
{
    LOOM_CHECK(host->running != 0 && !launch->complete);
    launch->complete = true;
    host->running--;
    while (host->head < host->sent && (*entry(host, host->head))->complete) {
        host->head++;
    }
    host->stats->completed++;
    loom_notify(host->self);
}

/* May the next launch run beside those that do? */
static bool may_send(const struct host *host)
{
    if (host->sent == host->tail ||
        host->running == host->config->concurrent_kernels) {
        return false;
    }
    for (uint64_t i = host->head; i < host->sent; i++) {
        const struct loom_launch *launch = *entry(host, i);

        if (!launch->complete &&
            launch->stream == (*entry(host, host->sent))->stream) {
            return false;
        }
    }
    return true;
}

static loom_cycle host_tick(struct loom_component *self, loom_cycle now)
{
    struct host *host = loom_state(self);
    const struct loom_launch_message *reply;

    while (host->stamped < host->tail) {
        (*entry(host, host->stamped++))->queued = loom_cycle_time(self, now);
    }
    while ((reply = loom_peek(host->in, now)) != NULL) {
        struct loom_launch *launch = reply->launch;

        loom_pop(host->in, now);
        finish(host, launch);
    }
    while (may_send(host) && loom_ready(host->out, now)) {
        struct loom_launch_message *message =
            loom_send(host->out, now, host->config->launch_latency);

        message->launch = *entry(host, host->sent++);
        host->running++;
        host->stats->launches++;
    }
    return LOOM_NEVER;
}

static bool host_check(struct loom_component *self, struct loom_error *err)
{
    const struct host *host = loom_state(self);

    if (host->head != host->tail) {
        return loom_fail(err, LOOM_ERR_CONFIG, "%u launches are not complete",
                         (uint32_t)(host->tail - host->head));
    }
    return true;
}

static void host_report(struct loom_component *self, struct loom_report *report)
{
    const struct host *host = loom_state(self);

    if (host->head < host->tail) {
        const struct loom_kernel *kernel = (*entry(host, host->head))->kernel;

        loom_report_line(report, self, LOOM_NEVER,
                         "%u launches queued, waits for kernel '%s'",
                         (uint32_t)(host->tail - host->head), kernel->name);
    }
}

static const struct loom_param host_params[] = {
    LOOM_PARAM(struct host_config, queue, .unit = LOOM_UNIT_NONE,
               .def = {.u = 1024}, .min = {.u = 1}, .max = {.u = 1 << 20},
               .doc = "Launches that may be queued, the running one included"),
    LOOM_PARAM(struct host_config, launch_latency, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 0}, .min = {.u = 0}, .max = {.u = 1 << 30},
               .doc = "Cycles of the GPU's clock that a launch takes in "
                      "addition to the link's latency"),
    LOOM_PARAM(struct host_config, concurrent_kernels, .unit = LOOM_UNIT_NONE,
               .def = {.u = 1}, .min = {.u = 1}, .max = {.u = 32},
               .doc = "Launches of different streams that run at a time; the "
                      "gpu has a parameter of this name too"),
};

static const struct loom_stat host_stat_table[] = {
    LOOM_COUNTER(struct host_stats, launches, LOOM_UNIT_EVENT,
                 "Kernel launches sent to the GPU"),
    LOOM_COUNTER(struct host_stats, completed, LOOM_UNIT_EVENT,
                 "Kernel launches that are complete"),
};

static const struct loom_port_decl host_ports[] = {
    {"gpu", "Launches", LOOM_CLIENT, &loom_launch_protocol, 1, 1},
};

static const struct loom_slot_decl host_slots[] = {
    {"transform", "Rewrites kernels before they run", &loom_transform_hook,
     NULL},
};

static const struct loom_component_ops host_ops = {
    .init = host_init,
    .tick = host_tick,
    .check = host_check,
    .report = host_report,
    .command = host_command,
};

const struct loom_component_type host_component = {
    .name = "host",
    .doc = "Queue of kernel launches",
    .state_size = sizeof(struct host),
    .config_size = sizeof(struct host_config),
    .stats_size = sizeof(struct host_stats),
    .params = LOOM_SLICE(host_params),
    .stats = LOOM_SLICE(host_stat_table),
    .ports = LOOM_SLICE(host_ports),
    .slots = LOOM_SLICE(host_slots),
    .ops = &host_ops,
};
