/*
 * Copies: on which engine, and for how long.
 */
#include "components/host/host_private.h"

static uint64_t bandwidth_of(const struct host *host,
                             const struct loom_copy *copy)
{
    switch (copy->way) {
    case LOOM_COPY_WITHIN:
        return host->config->device_bandwidth;
    case LOOM_COPY_ON_HOST:
        return host->config->gather_bandwidth;
    case LOOM_COPY_TO_DEVICE:
    case LOOM_COPY_TO_HOST:
    case LOOM_COPY_WAYS:
        break;
    }
    return host->config->copy_bandwidth;
}

static uint32_t latency_of(const struct host *host,
                           const struct loom_copy *copy)
{
    return copy->way == LOOM_COPY_ON_HOST ? 0 : host->config->copy_latency;
}

bool host_copies_at_once(const struct host *host, const struct loom_copy *copy)
{
    return latency_of(host, copy) == 0 && bandwidth_of(host, copy) == 0;
}

static struct host_engine *engine_for(struct host *host,
                                      const struct loom_copy *copy)
{
    if (copy->way == LOOM_COPY_TO_HOST && host->config->copy_engines == 1) {
        return &host->engine[LOOM_COPY_TO_DEVICE];
    }
    return &host->engine[copy->way];
}

static loom_cycle copy_end(const struct host *host,
                           const struct loom_copy *copy, loom_cycle now)
{
    const loom_u128 second = UINT64_C(1000000000000000);
    uint64_t bandwidth = bandwidth_of(host, copy);
    loom_cycle from = now + latency_of(host, copy);
    loom_u128 end = loom_cycle_time(host->self, from);

    if (bandwidth == 0 || copy->bytes == 0) {
        return from;
    }
    end += (copy->bytes * second + bandwidth - 1) / bandwidth;
    return end < LOOM_TIME_END ? loom_cycle_at(host->self, (loom_time)end)
                               : LOOM_NEVER - 1; /* when time has ended */
}

void host_count_copy(struct host *host, const struct loom_copy *copy)
{
    struct host_stats *stats = host->stats;
    uint64_t *bytes[LOOM_COPY_WAYS] = {
        [LOOM_COPY_TO_DEVICE] = &stats->bytes_to_device,
        [LOOM_COPY_TO_HOST] = &stats->bytes_to_host,
        [LOOM_COPY_WITHIN] = &stats->bytes_within,
        [LOOM_COPY_ON_HOST] = &stats->bytes_gathered,
    };

    stats->copies += copy->way != LOOM_COPY_ON_HOST;
    stats->gathers += copy->way == LOOM_COPY_ON_HOST;
    *bytes[copy->way] += copy->bytes;
}

bool host_start_copy(struct host *host, struct loom_copy *copy, loom_cycle now)
{
    struct host_engine *engine = engine_for(host, copy);

    if (engine->task != NULL) {
        return false;
    }
    host_count_copy(host, copy);
    copy->task.start = loom_told_time(host->self, now);
    *engine = (struct host_engine){&copy->task, copy_end(host, copy, now)};
    *(copy->way == LOOM_COPY_ON_HOST ? &host->stats->gather_cycles
                                     : &host->stats->copy_cycles) +=
        engine->end - now;
    return true;
}
