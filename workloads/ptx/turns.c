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

#include "workloads/ptx/program_private.h"

#define ROUNDS 1024u /* between two looks for CTAs that all wait */

void ptx_turns_free(struct exec_launch *launch)
{
    uint64_t ctas = loom_dim3_count(launch->kernel.grid);

    if (launch->turn == NULL) {
        return;
    }
    for (uint64_t k = 0; k < ctas; k++) {
        ptx_cta_destroy(launch->turn[k]);
    }
    free(launch->turn);
    launch->turn = NULL;
}

struct exec_launch *ptx_copy_for(const struct exec_launch *launch, uint32_t cta)
{
    struct exec_launch *one = malloc(sizeof(*one));

    if (one == NULL) {
        return NULL;
    }
    *one = *launch;
    one->ctas.spare = one->ctas.out = NULL;
    one->spare = (struct loom_stream_writer){.pool = launch->spare.pool};
    one->turn = NULL;
    one->source.sm = launch->timed ? launch->source.sm : cta % launch->sms;
    one->races = NULL;
    one->owns_workspace = false;
    if (!ptx_cta_allocate(one, launch->params) ||
        ptx_cta_start(one, cta) == NULL) {
        ptx_cta_destroy(one);
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
        launch->turn[k] = ptx_copy_for(launch, k);
        if (launch->turn[k] == NULL) {
            return false;
        }
    }
    return true;
}

/* A CTA's turn, up to a round of its warps, out of the budget that all CTAs
 * have together: those that wait use it, too. */
static bool run_turn(struct exec_launch *launch, struct exec_launch *one,
                     uint64_t round, bool *done, struct loom_error *err)
{
    uint64_t before = one->total;
    bool ok;

    one->budget = before;
    if (launch->total < launch->budget) {
        one->budget += launch->budget - launch->total;
    }
    one->look = before;
    ok = ptx_run_until(one, round, done, err);
    launch->total += one->total - before;
    return ok;
}

/* A turn of each CTA. */
static bool turn_all(struct exec_launch *launch, uint32_t ctas, uint64_t round,
                     uint32_t *finished, struct loom_error *err)
{
    for (uint32_t k = 0; k < ctas; k++) {
        struct exec_launch *one = launch->turn[k];
        bool done = false;

        if (one->warp == NULL) {
            continue;
        }
        if (!run_turn(launch, one, round, &done, err)) {
            return false;
        }
        if (done) {
            if (!ptx_cta_finish(one, one->ctas.out, err)) {
                return false;
            }
            ptx_cta_free(one);
            ++*finished;
        }
    }
    return true;
}

/* Do all CTAs that are left wait for each other?  Then err is set. */
static bool stuck(struct exec_launch *launch, uint32_t ctas,
                  struct loom_error *err)
{
    for (uint32_t k = 0; k < ctas; k++) {
        struct exec_launch *one = launch->turn[k];
        uint64_t before = one->total;
        bool waits;

        if (one->warp == NULL) {
            continue;
        }
        one->err = err;
        waits = ptx_spins(one);
        launch->total += one->total - before;
        if (!waits) {
            return false;
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
