/*
 * CTAs that may wait for each other: cooperative launches, work queues.
 *
 * All CTAs are executed together, before the first one is timed: they take
 * turns in linear order, in which each of their warps executes some warp
 * instructions (kernel.interleave), in turns of its own.  So the order is a
 * function of the program alone and repeats.  Each CTA has an executor of its
 * own, a copy of the launch with its own arrays; what is left of it at the end
 * is its stream, which the pool spills if all of them are large.
 *
 * The number of times that a CTA looks at a flag before it is set depends on
 * the turns' length, not on the machine: the timing of such a kernel is an
 * approximation, which results say (loom_kernel.interleave).
 *
 * Invariant: turn[k] has exactly one stream, `ctas.out`, until it is released.
 */
#include <stdlib.h>

#include "workloads/ptx/exec_private.h"

#define BUDGET_MIN (UINT64_C(1) << 20)
#define ROUNDS 1024u /* between two looks for CTAs that all wait */

void ptx_turns_free(struct exec_launch *launch)
{
    uint64_t ctas = loom_dim3_count(launch->kernel.grid);

    if (launch->turn == NULL) {
        return;
    }
    for (uint64_t k = 0; k < ctas; k++) {
        ptx_launch_destroy(launch->turn[k]);
    }
    free(launch->turn);
    launch->turn = NULL;
}

/* A CTA's part of the budget: not too little to come anywhere, nor more than
 * one CTA may use alone. */
static uint64_t share(uint64_t budget, uint32_t ctas)
{
    uint64_t least = budget < BUDGET_MIN ? budget : BUDGET_MIN;

    return budget / ctas < least ? least : budget / ctas;
}

static struct exec_launch *copy_for(const struct exec_launch *launch,
                                    uint32_t cta, uint32_t ctas)
{
    struct exec_launch *one = malloc(sizeof(*one));

    if (one == NULL) {
        return NULL;
    }
    *one = *launch;
    one->ctas.spare = one->ctas.out = NULL;
    one->turn = NULL;
    one->races = NULL;
    one->owns_workspace = false;
    /* Waiting writes a stream, too: less of it where there are many CTAs. */
    one->budget = share(launch->budget, ctas);
    if (!ptx_cta_allocate(one, launch->params) ||
        ptx_cta_start(one, cta) == NULL) {
        ptx_launch_destroy(one);
        return NULL;
    }
    return one;
}

static bool start_all(struct exec_launch *launch, uint32_t ctas)
{
    launch->turn = calloc(ctas, sizeof(struct exec_launch *));
    if (launch->turn == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < ctas; k++) {
        launch->turn[k] = copy_for(launch, k, ctas);
        if (launch->turn[k] == NULL) {
            return false;
        }
    }
    return true;
}

/* A turn of each CTA, up to a round of its warps.  A CTA that comes to a
 * barrier or an exit is progress for all, since the others may be waiting for
 * it. */
static bool turn_all(struct exec_launch *launch, uint32_t ctas, uint64_t round,
                     uint32_t *finished, struct loom_error *err)
{
    bool moved = false;

    for (uint32_t k = 0; k < ctas; k++) {
        struct exec_launch *one = launch->turn[k];
        uint64_t spent = one->spent, total = one->total;
        bool done = false;

        if (one->warp == NULL) {
            continue;
        }
        if (!ptx_run_until(one, round, &done, err)) {
            return false;
        }
        moved = moved || done || one->spent - spent != one->total - total;
        if (done) {
            if (!ptx_cta_finish(one, one->ctas.out, err)) {
                return false;
            }
            ptx_cta_free(one);
            ++*finished;
        }
    }
    for (uint32_t k = 0; moved && k < ctas; k++) {
        launch->turn[k]->spent = 0;
    }
    return true;
}

/* Do all CTAs that are left wait for each other?  Then err is set. */
static bool stuck(struct exec_launch *launch, uint32_t ctas,
                  struct loom_error *err)
{
    for (uint32_t k = 0; k < ctas; k++) {
        struct exec_launch *one = launch->turn[k];

        if (one->warp != NULL) {
            one->err = err;
            if (!ptx_spins(one)) {
                return false;
            }
        }
    }
    return true;
}

static bool run_all(struct exec_launch *launch, uint32_t ctas,
                    struct loom_error *err)
{
    uint64_t rounds = launch->kernel.interleave / launch->quantum;
    uint32_t finished = 0;

    for (uint64_t turn = 1; finished < ctas; turn++) {
        if (!turn_all(launch, ctas, turn * rounds, &finished, err)) {
            return false;
        }
        if (turn % ROUNDS == 0 && finished < ctas && stuck(launch, ctas, err)) {
            return false;
        }
    }
    return true;
}

bool ptx_run_turns(struct exec_launch *launch, struct loom_error *err)
{
    uint32_t ctas = (uint32_t)loom_dim3_count(launch->kernel.grid);

    if (!start_all(launch, ctas)) {
        ptx_turns_free(launch);
        return loom_fail(err, LOOM_ERR_MEMORY,
                         "no host memory to execute %u CTAs of kernel '%s' "
                         "together",
                         ctas, launch->kernel.name);
    }
    if (!run_all(launch, ctas, err)) {
        ptx_turns_free(launch);
        return false;
    }
    return true;
}
