/*
 * CTAs that may wait for each other: cooperative launches, work queues, and
 * clusters.
 *
 * All CTAs, or those of a cluster, are executed together, before the first one
 * of them is timed: they take
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
#include <string.h>

#include "workloads/ptx/exec/cluster.h"
#include "workloads/ptx/exec/meet.h"
#include "workloads/ptx/exec/order.h"
#include "workloads/ptx/program_private.h"

#define ROUNDS 1024u /* between two looks for CTAs that all wait */
/* CTAs that take turns because one waits: more than any GPU holds (132 SMs of
 * 32 CTAs), and the same for all machines, which share streams. */
#define ROOM 8192u

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

/* Those that run together: a cluster, or all from `first` on, `room` at a
 * time. */
struct band {
    struct exec_launch *launch;
    uint32_t first; /* a CTA of it */
    uint32_t ctas, room;
    uint32_t started, finished;
};

/* CTA k of the band. */
static struct exec_launch **member(const struct band *band, uint32_t k)
{
    const struct exec_launch *launch = band->launch;
    uint32_t cta = launch->kernel.interleave != 0
                       ? band->first + k
                       : ptx_cluster_cta(launch, band->first, k);

    return &launch->turn[cta];
}

/* All CTAs of a cluster share what the first one has of it. */
static void join_clusters(const struct band *band)
{
    const struct exec_launch *launch = band->launch;
    uint32_t size = (uint32_t)loom_dim3_count(launch->cluster);

    for (uint32_t k = 0; k < band->started; k++) {
        struct exec_launch *one = *member(band, k);
        struct exec_launch *leader =
            launch->turn[ptx_cluster_cta(launch, one->cta, 0)];

        one->group = &leader->alone;
        one->group->ctas = size;
        one->group->cta[one->rank] = one;
    }
}

/* Starts as many as there is room for, who begin in `round`. */
static bool start(struct band *band, uint64_t round)
{
    const struct exec_launch *launch = band->launch;

    while (band->started < band->ctas &&
           band->started - band->finished < band->room) {
        struct exec_launch **one = member(band, band->started);

        if (*one == NULL) {
            *one = ptx_copy_for(launch, (uint32_t)(one - launch->turn));
            if (*one == NULL) {
                return false;
            }
            (*one)->lead = 0 - round;
        }
        band->started++;
    }
    return true;
}

static bool no_memory(const struct band *band, struct loom_error *err)
{
    return loom_fail(err, LOOM_ERR_MEMORY,
                     "no host memory to execute %u CTAs of kernel '%s' "
                     "together",
                     band->room, band->launch->kernel.name);
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

/* The round that a CTA's turn goes to.  One that polls has short ones: what it
 * waits for comes from others. */
static uint64_t end_of_turn(struct exec_launch *one, uint64_t round)
{
    uint64_t end = round + one->lead;

    if (one->code->polls && one->round != EXEC_NEVER && ptx_all_poll(one) &&
        end > one->round + EXEC_POLLS_FIRST) {
        one->lead -= end - (one->round + EXEC_POLLS_FIRST);
        end = one->round + EXEC_POLLS_FIRST;
    }
    return end;
}

/* A turn of each CTA. */
static bool turn_all(struct band *band, uint64_t round, struct loom_error *err)
{
    for (uint32_t k = 0; k < band->started; k++) {
        struct exec_launch *one = *member(band, k);
        bool done = false;

        if (one->warp == NULL) {
            continue;
        }
        if (!run_turn(band->launch, one, end_of_turn(one, round), &done, err)) {
            return false;
        }
        if (done) {
            if (!ptx_cta_finish(one, one->ctas.out, err)) {
                return false;
            }
            ptx_cta_free(one);
            band->finished++;
            if (!start(band, round)) {
                return no_memory(band, err);
            }
        }
    }
    return true;
}

/* Do all CTAs that are left wait for each other?  Then err is set. */
static bool stuck(const struct band *band, struct loom_error *err)
{
    for (uint32_t k = 0; k < band->started; k++) {
        struct exec_launch *one = *member(band, k);
        uint64_t before = one->total;
        bool waits;

        if (one->warp == NULL) {
            continue;
        }
        one->err = err;
        waits = ptx_spins(one);
        band->launch->total += one->total - before;
        if (!waits) {
            return false;
        }
    }
    return true;
}

/* Does nobody of a cluster that has CTAs left go on? */
static bool parked(const struct band *band, struct loom_error *err)
{
    for (uint32_t k = 0; k < band->started; k++) {
        struct exec_launch *one = *member(band, k);

        one->err = err;
        if (one->rank == 0 && ptx_cluster_stuck(one)) {
            return true;
        }
    }
    return false;
}

static bool run_all(struct band *band, struct loom_error *err)
{
    const struct exec_launch *launch = band->launch;
    uint32_t interleave = launch->kernel.interleave != 0
                              ? launch->kernel.interleave
                              : EXEC_INTERLEAVE;
    uint64_t rounds =
        launch->quantum < interleave ? interleave / launch->quantum : 1;

    for (uint64_t turn = 1; band->finished < band->ctas; turn++) {
        if (!turn_all(band, turn * rounds, err) || parked(band, err)) {
            return false;
        }
        if (turn % ROUNDS == 0 && band->finished < band->ctas &&
            stuck(band, err)) {
            return false;
        }
    }
    return true;
}

/* Streams of other clusters may be in use. */
static void give_up(const struct band *band)
{
    for (uint32_t k = 0; band->launch->turn != NULL && k < band->ctas; k++) {
        struct exec_launch **one = member(band, k);

        ptx_cta_destroy(*one);
        *one = NULL;
    }
}

static bool run_band(struct band *band, struct loom_error *err)
{
    bool ok;

    band->launch->total = 0;
    if (!start(band, 0)) {
        ok = no_memory(band, err);
    } else {
        join_clusters(band);
        ok = run_all(band, err);
    }
    if (!ok) {
        give_up(band);
    }
    return ok;
}

static bool make_turns(struct exec_launch *launch)
{
    if (launch->turn == NULL) {
        launch->turn = calloc(loom_dim3_count(launch->kernel.grid),
                              sizeof(struct exec_launch *));
    }
    return launch->turn != NULL;
}

bool ptx_run_turns(struct exec_launch *launch, uint32_t cta,
                   struct loom_error *err)
{
    struct band band = {.launch = launch};

    if (launch->kernel.interleave == 0) {
        band.first = cta;
        band.ctas = (uint32_t)loom_dim3_count(launch->cluster);
    } else {
        band.ctas = (uint32_t)loom_dim3_count(launch->kernel.grid);
    }
    band.room = band.ctas;
    return make_turns(launch) ? run_band(&band, err) : no_memory(&band, err);
}

/* The executor of the launch, with the CTA that it is at, as one of its own;
 * the launch keeps what others are made from.  NULL: no memory. */
static struct exec_launch *move_out(struct exec_launch *launch,
                                    struct loom_cta_slot *slot)
{
    struct exec_launch *one = malloc(sizeof(*one));
    unsigned char *params = malloc((size_t)launch->param_bytes + 1);

    if (one == NULL || params == NULL) {
        free(one);
        free(params);
        return NULL;
    }
    *one = *launch;
    one->ctas.spare = one->ctas.out = NULL;
    loom_cta_move(&launch->ctas, &one->ctas, slot);
    one->spare = (struct loom_stream_writer){.pool = launch->spare.pool};
    one->turn = NULL;
    one->owns_workspace = false;
    one->lead = launch->round;
    memcpy(params, launch->params, launch->param_bytes);
    launch->params = params;
    launch->shared = launch->local = launch->frames = NULL;
    launch->predicates = NULL;
    launch->warp = NULL;
    launch->due = NULL;
    launch->region = NULL;
    return one;
}

bool ptx_run_rest(struct exec_launch *launch, struct loom_cta_slot *slot,
                  struct loom_error *err)
{
    uint32_t cta = launch->cta;
    struct band band = {.launch = launch, .first = cta};

    band.ctas = (uint32_t)loom_dim3_count(launch->kernel.grid) - cta;
    band.room = band.ctas < ROOM ? band.ctas : ROOM;
    launch->kernel.interleave = EXEC_INTERLEAVE;
    launch->later = launch->waits = false;
    if (!make_turns(launch)) {
        return no_memory(&band, err);
    }
    launch->turn[cta] = move_out(launch, slot);
    return launch->turn[cta] != NULL ? run_band(&band, err)
                                     : no_memory(&band, err);
}
