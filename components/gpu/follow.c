/*
 * When a kernel may begin after the one that it follows in its stream: some
 * time after that is over, or before (programmatic stream serialization).
 *
 * The latter begins when all CTAs of the other are done or have said that it
 * may.  Its CTAs wait where they say so until the SMs are told that the other
 * is over.
 */
#include "components/gpu/gpu_private.h"
#include "components/mem_protocol.h"

static bool reads_arguments(const struct loom_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->inst_count; i++) {
        if (kernel->inst[i].op == LOOM_OP_LOAD &&
            kernel->inst[i].space == LOOM_SPACE_PARAM) {
            return true;
        }
    }
    return false;
}

loom_cycle gpu_launch_cycles(const struct gpu *gpu,
                             const struct loom_launch *launch)
{
    const struct gpu_config *config = gpu->config;
    loom_cycle late = config->argument_cycles;

    return config->launch_cycles +
           (late != 0 && reads_arguments(launch->kernel) ? late : 0);
}

/* A gap after the last kernel that it has waited for. */
loom_cycle gpu_begin_of(const struct gpu *gpu, const struct loom_launch *launch)
{
    uint32_t stream = launch->task.stream;
    loom_cycle all = gpu->ended[LOOM_DEFAULT_STREAM];
    loom_cycle end = gpu->ended[stream];

    if (stream == LOOM_DEFAULT_STREAM) {
        end = gpu->last;
    } else if (all > end) {
        end = all;
    }
    return end != 0 && launch->begins == LOOM_BEGIN_LATE
               ? end + gpu->config->launch_gap
               : 0;
}

/* The kernel that a launch follows, if that is not over. */
struct gpu_run *gpu_followed(const struct gpu *gpu,
                             const struct loom_launch *launch)
{
    for (uint32_t i = 0; launch->after != NULL && i < gpu->runs; i++) {
        struct gpu_run *run = gpu->run[i];

        if (run->launch == launch->after && run->done < run->total) {
            return run;
        }
    }
    return NULL;
}

/* All CTAs of the kernel that it follows are done or have said that it may
 * begin.  One that is executed while it runs has to be done. */
bool gpu_may_begin(const struct gpu_run *run)
{
    const struct gpu_run *after = run->after;

    return after == NULL ||
           (after->next == after->total && !after->launch->kernel->timed &&
            after->done + after->triggered == after->total);
}

/* It begins no sooner than after another kernel of its stream. */
bool gpu_wanted(const struct gpu *gpu, struct gpu_run *run, loom_cycle now)
{
    const struct loom_launch *launch = run->launch;
    const struct loom_launch *parent = launch->parent;

    if (run->wanted || parent == NULL) {
        return true;
    }
    run->wanted = parent->launched[launch->parent_cta] > launch->parent_before;
    if (run->wanted && run->begin < now + gpu->config->launch_gap) {
        run->begin = now + gpu->config->launch_gap;
    }
    return run->wanted;
}

/* The kernel is over: those that follow it are told as late as they would
 * begin if they had waited. */
void gpu_set_free(struct gpu *gpu, const struct gpu_run *over, loom_cycle now)
{
    for (uint32_t i = 0; i < gpu->runs; i++) {
        struct gpu_run *run = gpu->run[i];

        if (run->after == over) {
            run->after = NULL;
            run->free = run->phase == GPU_START
                            ? 0
                            : now + gpu_launch_cycles(gpu, run->launch);
        }
    }
}

/* Tells SMs; whether all have been told. */
bool gpu_tell_free(struct gpu *gpu, struct gpu_run *run, loom_cycle now)
{
    if (now < run->free) {
        gpu->due = run->free < gpu->due ? run->free : gpu->due;
        return false;
    }
    while (run->freed < gpu->sms && loom_ready(gpu->sm[run->freed].out, now)) {
        struct loom_cta_request *request =
            loom_send(gpu->sm[run->freed].out, now, 0);

        *request = (struct loom_cta_request){
            .kernel = run->launch->kernel,
            .command = LOOM_CTA_KERNEL_FREE,
        };
        run->freed++;
    }
    return run->freed == gpu->sms;
}

/* Do its CTAs on that SM have to wait? */
bool gpu_waits(const struct gpu_run *run, uint32_t sm)
{
    return run->after != NULL || (run->free != 0 && sm >= run->freed);
}
