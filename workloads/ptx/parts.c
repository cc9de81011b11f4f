/*
 * Kernels that read the time: their streams come in parts
 * (docs/decisions/0055).
 *
 * Each CTA has an executor of its own, as where CTAs take turns.  A part of a
 * warp's stream is what it executes until it reads a clock, waits at a barrier
 * or ends; until it comes to an access with which threads talk to each other;
 * or until it is PART instructions long, so that a loop without any of these
 * cannot run ahead of time for ever.  The warp goes on when the last
 * instruction of its part has been issued.
 *
 * Invariant: a part has an instruction, but for the last one of a warp.
 */
#include <stdlib.h>
#include <string.h>

#include "workloads/ptx/exec/clock.h"
#include "workloads/ptx/exec/order.h"
#include "workloads/ptx/program_private.h"

#define PART 256u /* instructions, and up to the end of their region */

static bool has_addresses(const struct loom_stream_writer *part)
{
    struct loom_cursor cursor = {part->word, part->word + part->words};
    struct loom_warp_inst inst;
    bool any = false;

    while (!any && loom_stream_next(&cursor, &inst)) {
        any = inst.mode != LOOM_ADDR_NONE;
    }
    return any;
}

/* What was executed becomes the warp's part. */
static bool publish(struct exec_launch *one, const struct exec_warp *warp,
                    struct loom_error *err)
{
    const struct loom_stream_writer *part = warp->writer;
    struct ptx_parts *parts = &one->part[warp->number];
    struct loom_warp_stream *stream = &one->ctas.out->warp[warp->number];
    uint32_t *word;

    word = part->failed ? NULL : ptx_part_words(parts, part->words);
    if (word == NULL) {
        return ptx_no_stream(one, one->cta, err);
    }
    if (part->words != 0) {
        memcpy(word, part->word, part->words * sizeof(*word));
    }
    parts->once = !has_addresses(part);
    *stream = (struct loom_warp_stream){word, part->words, part->insts,
                                        warp->state != EXEC_DONE};
    return true;
}

/* ---- execution ---- */

/* Parts end where regions do, so that what is timed can be put in order. */
static bool may_stop(const struct exec_launch *one,
                     const struct exec_warp *warp)
{
    const struct ptx_schedule *schedule = one->code->analysis->schedule;
    uint32_t at;

    if (warp->next == NULL || schedule == NULL) {
        return true;
    }
    at = (uint32_t)(warp->next - one->code->op);
    return at == 0 || at >= one->code->analysis->inst_count ||
           schedule->last[at - 1] < at;
}

/* One operation at least; up to `most` of those that do more than compute. */
static bool go_on(struct exec_launch *one, struct exec_warp *warp,
                  uint64_t most)
{
    one->open = EXEC_SHOWS_STRONG;
    one->lap = most;
    if (ptx_run_warp(one, warp, warp->clock + 1) != NEXT_FAULT) {
        return true;
    }
    ptx_tell_endless(one);
    return false;
}

static bool execute_part(struct exec_launch *one, struct exec_warp *warp)
{
    loom_writer_reset(warp->writer);
    if (!go_on(one, warp, PART)) {
        return false;
    }
    while (!may_stop(one, warp)) {
        if (!go_on(one, warp, 1)) {
            return false;
        }
    }
    if (one->code->analysis->schedule != NULL && !warp->writer->failed) {
        ptx_time_stream(one->code, warp->writer, &one->spare);
    }
    return true;
}

/* All of it may have been folded. */
static bool run_part(struct exec_launch *one, struct exec_warp *warp,
                     struct loom_error *err)
{
    one->err = err;
    do {
        if (!execute_part(one, warp)) {
            return false;
        }
    } while (warp->writer->words == 0 && warp->state == EXEC_RUNS &&
             !warp->writer->failed);
    return publish(one, warp, err);
}

/* Warps of *asking that can go on do, and whom they release, too. */
static bool run_asking(struct exec_launch *one, uint64_t *asking,
                       uint64_t *ready, struct loom_error *err)
{
    bool any = true;

    while (any) {
        any = false;
        for (uint64_t left = *asking; left != 0; left &= left - 1) {
            struct exec_warp *warp = &one->warp[loom_lowest(left)];

            if (warp->state != EXEC_RUNS) {
                continue;
            }
            if (!run_part(one, warp, err)) {
                return false;
            }
            *asking &= ~loom_bit(warp->number);
            *ready |= loom_bit(warp->number);
            any = true;
        }
    }
    return true;
}

static bool all_wait(const struct exec_launch *one)
{
    uint32_t waiting = 0;

    for (uint32_t w = 0; w < one->warps; w++) {
        waiting += one->warp[w].state == EXEC_WAITS;
    }
    return waiting != 0 && waiting + one->gone == one->warps;
}

bool ptx_resume(struct loom_cta_source *source, struct loom_cta_stream *stream,
                uint64_t asking, struct loom_moment moment, uint64_t *ready,
                struct loom_error *err)
{
    struct exec_launch *launch = (struct exec_launch *)source;
    struct exec_launch *one = launch->turn[stream->cta];

    *ready = 0;
    one->asking |= asking;
    for (uint64_t left = asking; left != 0; left &= left - 1) {
        struct exec_warp *warp = &one->warp[loom_lowest(left)];

        if (warp->state == EXEC_ASKS) {
            ptx_tell_time(one, warp, moment);
        }
    }
    if (!run_asking(one, &one->asking, ready, err)) {
        return false;
    }
    one->err = err;
    return !all_wait(one) || ptx_deadlock(one);
}

bool ptx_produce_part(struct exec_launch *launch, uint32_t cta,
                      struct loom_cta_stream **stream, struct loom_error *err)
{
    uint32_t ctas = (uint32_t)loom_dim3_count(launch->kernel.grid);
    struct exec_launch *one = NULL;
    uint64_t ready = 0;

    if (launch->turn == NULL) {
        launch->turn = calloc(ctas, sizeof(struct exec_launch *));
    }
    if (launch->turn != NULL) {
        one = launch->turn[cta] = ptx_copy_for(launch, cta);
    }
    if (one != NULL) {
        one->part = calloc(launch->warps, sizeof(*one->part));
    }
    if (one == NULL || one->part == NULL) {
        return ptx_no_stream(launch, cta, err);
    }
    for (uint32_t w = 0; w < one->warps; w++) {
        one->warp[w].writer = one->ctas.out->writer;
    }
    loom_cta_seal(&one->ctas, one->ctas.out, &launch->kernel, cta);
    *stream = &one->ctas.out->stream;
    return ptx_resume(&launch->source, *stream,
                      UINT64_MAX >> (64 - launch->warps),
                      (struct loom_moment){0}, &ready, err);
}
