/*
 * CTAs that are left out of time (components/cta_protocol.h).  They are dealt
 * to the SMs in turn.
 */
#include "components/gpu/gpu_private.h"

static bool leave_out(struct gpu *gpu, struct gpu_run *run, uint32_t sm,
                      bool warm)
{
    const struct loom_kernel *kernel = run->launch->kernel;
    struct loom_cta_stream *stream = gpu_produce(gpu, run, sm);
    struct loom_cta_left_out message = {kernel, stream, warm};

    if (stream == NULL) {
        return false;
    }
    loom_warm(gpu->sm[sm].out, &message);
    if (run->launch->launched != NULL) {
        run->launch->launched[stream->cta] = UINT32_MAX;
    }
    kernel->source->ops->release(kernel->source, stream);
    run->done++;
    return true;
}

/* One kernel runs, on SMs that can. */
static bool can_pass(const struct gpu *gpu)
{
    for (uint32_t i = 0; i < gpu->sms; i++) {
        if (!loom_warms(gpu->sm[i].out)) {
            return false;
        }
    }
    return gpu->runs == 1 && gpu->run[0]->phase == GPU_RUN && !gpu->failed &&
           !gpu->run[0]->launch->kernel->timed;
}

static struct loom_gpu_progress progress(const struct gpu *gpu)
{
    const struct gpu_run *run = gpu->run[0];
    struct loom_gpu_progress progress = {0};

    if (can_pass(gpu)) {
        progress.ctas = run->total;
        progress.sent = run->next;
        progress.done = run->done;
        for (uint32_t i = 0; i < gpu->sms; i++) {
            progress.resident += run->resident[i];
        }
    }
    return progress;
}

bool gpu_command(struct loom_component *self, const void *command,
                 struct loom_error *err)
{
    struct gpu *gpu = loom_state(self);
    const struct loom_gpu_pass *wanted = command;
    struct loom_gpu_progress now = progress(gpu);

    (void)err;
    if (wanted->progress != NULL) {
        *wanted->progress = now;
        loom_stay_asleep(self);
        return true;
    }
    for (*wanted->passed = 0; *wanted->passed < wanted->ctas;
         ++*wanted->passed) {
        if (now.sent + *wanted->passed + 1 >= now.ctas ||
            !leave_out(gpu, gpu->run[0],
                       (uint32_t)(gpu->run[0]->next % gpu->sms),
                       *wanted->passed + wanted->warm >= wanted->ctas)) {
            break;
        }
    }
    loom_stay_asleep(self);
    return true;
}

/* ---- a launch without time ---- */

static void pass_launch(struct loom_component *self, void *message,
                        loom_cycle now)
{
    struct gpu *gpu = loom_state(self);
    struct loom_launch *launch =
        ((const struct loom_launch_message *)message)->launch;
    struct gpu_run *run = gpu->run[0];
    struct loom_error err;

    (void)now;
    LOOM_CHECK(gpu->runs == 0);
    if (!gpu_accepts(gpu, launch, &err)) {
        gpu->failed = true;
        loom_raise(gpu->self, &err);
        return;
    }
    *run = (struct gpu_run){
        .launch = launch,
        .total = loom_dim3_count(launch->kernel->grid),
        .resident = run->resident,
    };
    gpu->stats->kernels++;
    while (run->next < run->total &&
           leave_out(gpu, run, (uint32_t)(run->next % gpu->sms),
                     run->total - run->next <= launch->warm)) {
    }
    run->launch = NULL;
    launch->produced = true;
}

static bool quiet(struct loom_component *self)
{
    const struct gpu *gpu = loom_state(self);

    return gpu->runs == 0;
}

const struct loom_warm_ops gpu_warm = {.serve = pass_launch, .quiet = quiet};
