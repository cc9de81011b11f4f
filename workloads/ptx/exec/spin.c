/*
 * Recognising a wait that cannot end.
 *
 * A warp waits for memory if its whole state (registers, predicates, paths)
 * comes back to what it was without a store in between: what it does next is
 * a function of that state and of memory alone, so only somebody else's
 * store can change it.  If all warps of a CTA that could run do so, nothing
 * in this CTA ever will.  Another CTA of the launch could: if there are some
 * that start after this one, they take turns with it from there on (turns.c).
 *
 * A failed compare-and-swap or exchange is a wait, too: an atomic whose old
 * value comes back, and makes the same state again, has left memory as it
 * was.  One that returns nothing counts as a store.
 *
 * Loops whose state does not come back (a timeout is counted), and those with
 * a barrier or a store in them, end by the budget instead (budget.c).
 */
#include <stdlib.h>
#include <string.h>

#include "components/mem_protocol.h"
#include "workloads/ptx/exec/meet.h"
#include "workloads/ptx/exec/order.h"

#define STEPS 2048u /* rounds: a waiting loop has few instructions */

/* What a warp was when the search began. */
struct snapshot {
    unsigned char *frame; /* [frame_bytes], then the predicates; NULL: none */
    struct exec_path path[EXEC_DEPTH];
    uint32_t depth, base, live;
    uint64_t words, insts; /* of its stream */
    bool back;             /* the warp's state was this one again */
};

static bool take(const struct exec_launch *launch, const struct exec_warp *warp,
                 struct snapshot *s)
{
    size_t frame = launch->code->frame_bytes;
    size_t predicates = launch->code->predicates * sizeof(uint32_t);

    s->frame = malloc(frame + predicates + 1);
    if (s->frame == NULL) {
        return false;
    }
    memcpy(s->frame, warp->frame, frame);
    memcpy(s->frame + frame, warp->predicate, predicates);
    s->depth = warp->depth;
    s->base = warp->base;
    s->live = warp->live;
    memcpy(s->path, warp->path, s->depth * sizeof(*s->path));
    s->words = warp->writer->words;
    s->insts = warp->writer->insts;
    return true;
}

static bool same(const struct exec_launch *launch, const struct exec_warp *warp,
                 const struct snapshot *s)
{
    size_t frame = launch->code->frame_bytes;
    size_t predicates = launch->code->predicates * sizeof(uint32_t);

    if (warp->depth != s->depth || warp->base != s->base ||
        warp->live != s->live) {
        return false;
    }
    for (uint32_t i = 0; i < s->depth; i++) {
        if (warp->path[i].pc != s->path[i].pc ||
            warp->path[i].mask != s->path[i].mask ||
            warp->path[i].join != s->path[i].join) {
            return false;
        }
    }
    return memcmp(s->frame, warp->frame, frame) == 0 &&
           memcmp(s->frame + frame, warp->predicate, predicates) == 0;
}

/* What a waiting loop reads. */
struct wait {
    uint32_t index; /* static instruction, or EXEC_NONE: nothing */
    loom_addr address;
};

/* Looks through what the warp did since the snapshot; false if it stored. */
static bool only_reads(const struct exec_launch *launch,
                       const struct exec_warp *warp, const struct snapshot *s,
                       struct wait *wait)
{
    const struct loom_stream_writer *w = warp->writer;
    struct loom_cursor cursor = {w->word + s->words, w->word + w->words};
    struct loom_warp_inst inst;

    wait->index = EXEC_NONE;
    while (loom_stream_next(&cursor, &inst)) {
        const struct loom_static_inst *what = &launch->code->inst[inst.index];
        bool reads = what->op == LOOM_OP_LOAD || what->op == LOOM_OP_ATOMIC;

        if (inst.mode == LOOM_ADDR_NONE) {
            continue;
        }
        if (what->op == LOOM_OP_STORE ||
            (what->op == LOOM_OP_ATOMIC &&
             (what->flags & LOOM_INST_RETURNS) == 0)) {
            return false;
        }
        if (reads && wait->index == EXEC_NONE) {
            wait->index = inst.index;
            wait->address = loom_stream_base(&inst);
        }
    }
    return true;
}

/* The operation whose record has this static index: generic ones have two
 * more forms. */
static const struct exec_op *op_of(const struct exec_code *code, uint32_t index)
{
    uint32_t i = 0;

    while (
        i + 1 < code->op_count && code->op[i].index != index &&
        !(code->op[i].space == EXEC_GENERIC &&
          (code->op[i].target == index || code->op[i].target + 1 == index))) {
        i++;
    }
    return &code->op[i];
}

static void report_wait(struct exec_launch *launch,
                        const struct exec_warp *warp, const struct wait *wait)
{
    const struct exec_code *code = launch->code;
    struct exec_op here = code->op[warp->path[warp->depth - 1].pc];
    const char *advice =
        launch->kernel.interleave != 0
            ? "all CTAs that are left wait, too: a deadlock"
        : launch->taken + 1 == loom_dim3_count(launch->kernel.grid)
            ? "all others have ended"
            : "CTAs are executed one after the other, so no other CTA can "
              "either; launch it with cooperative = true if CTAs wait for "
              "each other";
    const struct loom_static_inst *inst;
    struct loom_allocation near;

    if (wait->index == EXEC_NONE) {
        ptx_fault(launch, warp, &here,
                  "an endless loop: it comes back to the same registers and "
                  "reads no memory");
        return;
    }
    inst = &code->inst[wait->index];
    here = *op_of(code, wait->index);
    if (inst->space != LOOM_SPACE_GLOBAL ||
        !loom_memory_nearest(launch->memory, wait->address, &near)) {
        ptx_fault(launch, warp, &here,
                  "an endless loop: it waits for %u bytes at 0x%llx, which "
                  "no thread of the CTA writes",
                  inst->bytes, (unsigned long long)wait->address);
        return;
    }
    ptx_fault(launch, warp, &here,
              "an endless loop: it waits for %u bytes at 0x%llx ('%.48s' + "
              "%llu), which no thread of this CTA writes; %s",
              inst->bytes, (unsigned long long)wait->address, near.name,
              (unsigned long long)(wait->address - near.base), advice);
}

/* Will lanes of a warp that runs give way to others of it? */
static bool some_give_way(const struct exec_launch *launch)
{
    for (uint32_t w = 0; w < launch->warps; w++) {
        const struct exec_warp *warp = &launch->warp[w];

        if (warp->state == EXEC_RUNS && ptx_may_give_way(launch, warp)) {
            return true;
        }
    }
    return false;
}

/* Takes one of each warp that runs; false: no memory. */
static bool take_all(const struct exec_launch *launch, struct snapshot *s)
{
    for (uint32_t w = 0; w < launch->warps; w++) {
        const struct exec_warp *warp = &launch->warp[w];

        if (warp->state == EXEC_RUNS && !take(launch, warp, &s[w])) {
            return false;
        }
    }
    return true;
}

/* Marks those whose state is that of their snapshot; true: that was the last.
 * *stop: a warp stopped running. */
static bool all_back(const struct exec_launch *launch, struct snapshot *s,
                     bool *stop)
{
    bool all = true;

    for (uint32_t w = 0; w < launch->warps; w++) {
        const struct exec_warp *warp = &launch->warp[w];

        if (s[w].frame == NULL) {
            *stop = *stop || warp->state == EXEC_RUNS; /* it was released */
            continue;
        }
        *stop = *stop || warp->state != EXEC_RUNS;
        s[w].back = s[w].back || (warp->writer->insts != s[w].insts &&
                                  same(launch, warp, &s[w]));
        all = all && s[w].back;
    }
    return all;
}

/* Runs the CTA on, in its order, until the states of all of its warps have
 * come back; false if they do not soon. */
static bool come_back(struct exec_launch *launch, struct snapshot *s,
                      bool *failed)
{
    uint64_t lap = launch->lap;
    bool back = false, stop = false;

    launch->lap = 1; /* states are compared after each branch */
    for (uint32_t i = 0; i < STEPS && !back && !stop && !*failed; i++) {
        *failed = !ptx_go_round(launch);
        back = !*failed && all_back(launch, s, &stop);
    }
    launch->lap = lap;
    return back && !stop;
}

/* What the first warp waits for, if none did anything but wait. */
static const struct exec_warp *waiter(const struct exec_launch *launch,
                                      const struct snapshot *s,
                                      struct wait *first_wait)
{
    const struct exec_warp *first = NULL;

    for (uint32_t w = 0; w < launch->warps; w++) {
        struct wait wait;

        if (s[w].frame == NULL) {
            continue;
        }
        if (!only_reads(launch, &launch->warp[w], &s[w], &wait)) {
            return NULL;
        }
        if (first == NULL) {
            first = &launch->warp[w];
            *first_wait = wait;
        }
    }
    return first;
}

bool ptx_spins(struct exec_launch *launch)
{
    struct snapshot *s = calloc(launch->warps, sizeof(*s));
    const struct exec_warp *first = NULL;
    struct wait wait = {EXEC_NONE, 0};
    bool failed = false;

    launch->waits = launch->later && ptx_all_poll(launch);
    if (s != NULL && !launch->waits && !some_give_way(launch) &&
        take_all(launch, s) && come_back(launch, s, &failed)) {
        first = waiter(launch, s, &wait);
        launch->waits = launch->later && first != NULL;
    }
    for (uint32_t w = 0; s != NULL && w < launch->warps; w++) {
        free(s[w].frame);
    }
    free(s);
    if (first != NULL && !launch->waits) {
        report_wait(launch, first, &wait);
    }
    return failed || first != NULL || launch->waits;
}
