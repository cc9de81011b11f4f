/*
 * Passing over (components/cta_protocol.h): the SMs go on by turns, each at the
 * rate that it had since the last pass, and get the next CTA where one ends.
 * Once all CTAs are on SMs, a pass is an eighth of what is left at most.
 */
#include "engine/warm.h"

#include "components/gpu/gpu_private.h"

enum {
    PASS_SLICE = 128, /* instructions of an SM in a turn, on average */
    PASS_PART = 8     /* of what is left when all CTAs are on SMs */
};

/* What is passed over of the kernel that runs. */
struct passing {
    struct gpu *gpu;
    struct gpu_run *run;
    uint64_t *issued; /* [sms] since the last pass */
    uint64_t *given;  /* [sms] bit per CTA slot: has had another CTA */
    int64_t *due;     /* [sms] instructions; less than 0: too many were done */
    uint64_t all, last, passed;
};

static void tell(const struct gpu *gpu, uint32_t sm, struct loom_cta_pass *pass)
{
    loom_warm(gpu->sm[sm].out, pass);
}

/* Begins on all SMs; returns about how many instructions are left there.
 * *full: a slot has no room for another former stream. */
static uint64_t begin(struct passing *p, bool *full)
{
    struct loom_cta_source *source = p->run->launch->kernel->source;
    uint64_t left = 0;

    for (uint32_t i = 0; i < p->gpu->sms; i++) {
        struct gpu_sm *sm = &p->gpu->sm[i];
        struct loom_cta_pass pass = {.command = LOOM_PASS_BEGIN,
                                     .turnover = p->last != 0};

        tell(p->gpu, i, &pass);
        p->issued[i] = pass.insts;
        p->all += pass.insts;
        left += pass.left;
        for (uint32_t slot = 0; slot < 64; slot++) {
            if ((pass.held >> slot & 1) == 0) {
                gpu_release_kept(sm, slot, source);
            } else if (sm->kept[slot][GPU_KEPT - 1] != NULL) {
                *full = true;
            }
        }
    }
    return left;
}

/* The CTA in the slot has ended; the next one takes its place. */
static bool next_cta(struct passing *p, uint32_t index, uint32_t slot)
{
    struct loom_cta_source *source = p->run->launch->kernel->source;
    struct gpu_sm *sm = &p->gpu->sm[index];
    struct loom_cta_stream *former = sm->stream[slot];
    struct loom_cta_pass pass = {.command = LOOM_PASS_NEXT, .slot = slot};

    pass.stream = gpu_produce(p->gpu, p->run, index);
    if (pass.stream == NULL) {
        return false;
    }
    tell(p->gpu, index, &pass);
    sm->stream[slot] = pass.stream;
    p->run->done++;
    if ((p->given[index] >> slot & 1) != 0) {
        source->ops->release(source, former);
    } else {
        uint32_t i = 0;

        while (sm->kept[slot][i] != NULL) {
            i++;
        }
        sm->kept[slot][i] = former;
        p->given[index] |= loom_bit(slot);
    }
    return true;
}

/* A turn of an SM.  False: there is no next CTA. */
static bool turn(struct passing *p, uint32_t index, bool warm)
{
    struct loom_cta_pass pass = {.command = LOOM_PASS_GO, .warm = warm};

    p->due[index] +=
        (int64_t)(p->issued[index] * PASS_SLICE * p->gpu->sms / p->all);
    if (p->due[index] <= 0) {
        return true;
    }
    pass.insts = (uint64_t)p->due[index];
    tell(p->gpu, index, &pass);
    p->passed += pass.insts;
    p->due[index] -= (int64_t)pass.insts;
    for (; pass.ended != 0; pass.ended &= pass.ended - 1) {
        if (p->run->next >= p->last) {
            return p->last == 0;
        }
        if (!next_cta(p, index, loom_lowest(pass.ended))) {
            return false;
        }
    }
    return true;
}

/* Warps go on to where they were when the pass began.  A slot whose CTA does
 * not get there gets another one, which does; the slots in *may, if there is
 * one. */
static void land(struct passing *p)
{
    for (uint32_t i = 0; i < p->gpu->sms; i++) {
        uint64_t may = p->run->next < p->last ? UINT64_MAX : 0;

        for (uint32_t round = 0; round < 2; round++) {
            struct loom_cta_pass pass = {.command = LOOM_PASS_LAND,
                                         .ended = may};

            tell(p->gpu, i, &pass);
            p->passed += pass.insts;
            for (; pass.ended != 0; pass.ended &= pass.ended - 1) {
                if (p->run->next < p->last) {
                    next_cta(p, i, loom_lowest(pass.ended));
                }
            }
            if (may == 0) {
                break;
            }
            may = 0;
        }
    }
}

static void pass_over(struct passing *p, const struct loom_gpu_pass *command,
                      uint64_t most)
{
    uint64_t insts = command->insts < most ? command->insts : most;
    uint64_t cold = command->cold < insts ? command->cold : insts;
    uint64_t before = 1;
    bool on = true;

    while (on && p->passed < insts && p->passed != before) {
        before = p->passed;
        for (uint32_t i = 0; on && i < p->gpu->sms; i++) {
            on = turn(p, i, p->passed >= cold);
        }
    }
    land(p);
    *command->passed = p->passed;
}

static uint32_t resident(const struct gpu *gpu, const struct gpu_run *run)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < gpu->sms; i++) {
        sum += run->resident[i];
    }
    return sum;
}

static void pass(struct gpu *gpu, const struct loom_gpu_pass *command)
{
    uint64_t room[2 * 1024] = {0};
    int64_t due[1024] = {0};
    struct passing p = {.gpu = gpu,
                        .run = gpu->run[0],
                        .issued = room,
                        .given = room + 1024,
                        .due = due};
    bool full = false;
    uint64_t here = resident(gpu, p.run);
    uint64_t left;

    p.last = p.run->total > p.run->next + here ? p.run->total - here : 0;
    left = begin(&p, &full);
    if (!full && p.all != 0) {
        pass_over(&p, command, p.last != 0 ? UINT64_MAX : left / PASS_PART);
    }
    for (uint32_t i = 0; i < gpu->sms; i++) {
        tell(gpu, i, &(struct loom_cta_pass){.command = LOOM_PASS_END});
    }
}

/* One kernel runs, on SMs that can. */
static bool can_pass(const struct gpu *gpu)
{
    for (uint32_t i = 0; i < gpu->sms; i++) {
        if (!loom_warms(gpu->sm[i].out)) {
            return false;
        }
    }
    return gpu->runs == 1 && gpu->run[0]->phase == GPU_RUN && !gpu->failed;
}

bool gpu_command(struct loom_component *self, const void *command,
                 struct loom_error *err)
{
    struct gpu *gpu = loom_state(self);
    const struct loom_gpu_pass *wanted = command;

    (void)err;
    *wanted->passed = 0;
    if (!can_pass(gpu)) {
        loom_stay_asleep(self);
        return true;
    }
    pass(gpu, wanted);
    return true;
}
