/*
 * Where paths of a warp meet.
 *
 * A barrier waits for all lanes of the warp that have not exited, and shfl,
 * vote, match, redux, elect and bar.warp.sync for those that their mask names
 * (PTX ISA, "barrier{.cta}", "shfl.sync").  Most have come together before,
 * at the join of the branch that kept them apart.  But a branch both of whose
 * sides may exit has none, and lanes of two sides may wait at two barriers.
 *
 * So paths whose lanes are still on their way have their turn first, and what
 * has come to the same place is one path.  Lanes that wait at different
 * instructions have come, too: one barrier counts them as one warp, while
 * those of an exchange go on without each other.
 *
 * Lanes at the join of a branch that others are still in do not come to an
 * exchange in that branch, whoever names them: on a GPU they wait there, and
 * ptxas (sm_80) makes exchanges of those that are at them.  A barrier they may
 * come to behind the join, so for one they go on, without the others.
 */
#include "workloads/ptx/exec/meet.h"

#include <string.h>

uint32_t ptx_lanes_at(const struct exec_warp *warp, uint32_t at)
{
    uint32_t mask = warp->path[at].mask & warp->live;

    for (uint32_t i = at + 1; i < warp->depth; i++) {
        mask &= ~warp->path[i].mask;
    }
    return mask;
}

/* Lanes that the top path waits for; 0: it waits for none. */
static uint32_t named(const struct exec_launch *launch,
                      const struct exec_warp *warp, const struct exec_op *op)
{
    uint32_t mask = warp->path[warp->depth - 1].mask & warp->live;

    if (op->guard != EXEC_NONE) {
        mask &= warp->predicate[op->guard] ^ op->guard_invert;
    }
    if (mask == 0 || op->meets == EXEC_MEETS_ALL) {
        return mask == 0 ? 0 : warp->live;
    }
    return ((const lane_u32 *)exec_reg(
        launch, warp, op->s[op->meets - 1]))[loom_lowest(mask)];
}

/* Do lanes of path `at` that are on paths above it come back to it? */
static bool is_join(const struct exec_warp *warp, uint32_t at)
{
    return (warp->path[at].mask & warp->live & ~ptx_lanes_at(warp, at)) != 0;
}

/* What is at path `at` goes on first; who comes back to it finds it there. */
static void raise(struct exec_warp *warp, uint32_t at)
{
    struct exec_path path = warp->path[at];

    if (is_join(warp, at)) {
        path.mask = ptx_lanes_at(warp, at);
        warp->path[at].mask &= ~path.mask;
        warp->path[warp->depth++] = path;
        return;
    }
    for (uint32_t i = at; i + 1 < warp->depth; i++) {
        warp->path[i] = warp->path[i + 1];
    }
    warp->path[warp->depth - 1] = path;
}

/* May lanes of path `at` come to where the top path waits, if they go on? */
static bool is_on_its_way(const struct exec_launch *launch,
                          const struct exec_warp *warp, uint32_t at,
                          const struct exec_op *waits)
{
    if (launch->code->op[warp->path[at].pc].meets != 0) {
        return false;
    }
    return !is_join(warp, at) || (waits->meets == EXEC_MEETS_ALL &&
                                  warp->depth < EXEC_DEPTH - EXEC_CALLS);
}

bool ptx_meet(const struct exec_launch *launch, struct exec_warp *warp)
{
    struct exec_path *top = &warp->path[warp->depth - 1];
    const struct exec_op *waits = &launch->code->op[top->pc];
    uint32_t wanted = named(launch, warp, waits);
    bool merged = false;

    for (uint32_t i = warp->depth - 1; i-- > warp->base;) {
        if ((ptx_lanes_at(warp, i) & wanted) != 0 &&
            is_on_its_way(launch, warp, i, waits)) {
            raise(warp, i);
            return true;
        }
    }
    for (uint32_t i = warp->depth - 1; i-- > warp->base;) {
        uint32_t lanes = ptx_lanes_at(warp, i);

        if ((lanes & wanted) != 0 && warp->path[i].pc == top->pc &&
            warp->path[i].join == top->join && !is_join(warp, i)) {
            raise(warp, i);
            warp->depth--;
            top = &warp->path[warp->depth - 1];
            top->mask |= lanes;
            merged = true;
        }
    }
    return merged;
}

static uint64_t mix(uint64_t digest, const void *data, size_t bytes)
{
    const unsigned char *at = data;

    for (size_t i = 0; i + sizeof(uint64_t) <= bytes; i += sizeof(uint64_t)) {
        uint64_t word;

        memcpy(&word, at + i, sizeof(word));
        digest = (digest ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        digest ^= digest >> 32;
    }
    return digest;
}

/* Of all registers of a warp. */
static uint64_t state_of(const struct exec_launch *launch,
                         const struct exec_warp *warp)
{
    uint64_t digest = mix(1, warp->frame, launch->code->frame_bytes);

    for (uint32_t i = 0; i < launch->code->predicates; i++) {
        digest = mix(digest, &(uint64_t){warp->predicate[i]}, sizeof(digest));
    }
    return digest;
}

/* What is known of the loop that a branch goes back to. */
static struct exec_poll *poll_of(struct exec_polls *polls, uint32_t target)
{
    struct exec_poll *poll;

    for (uint32_t i = 0; i < EXEC_POLLED; i++) {
        if (polls->loop[i].due != 0 && polls->loop[i].target == target) {
            return &polls->loop[i];
        }
    }
    poll = &polls->loop[polls->next++ % EXEC_POLLED];
    *poll = (struct exec_poll){.target = target, .due = EXEC_POLLS_FIRST};
    return poll;
}

/* The path to give way to; the top one: there is none. */
static uint32_t next_path(const struct exec_launch *launch,
                          const struct exec_warp *warp)
{
    uint32_t top = warp->depth - 1;

    if (warp->depth >= EXEC_DEPTH - EXEC_CALLS) {
        return top;
    }
    for (uint32_t i = warp->base; i < top; i++) {
        if (ptx_lanes_at(warp, i) != 0 &&
            launch->code->op[warp->path[i].pc].meets == 0) {
            return i;
        }
    }
    return top;
}

bool ptx_polls(const struct exec_launch *launch, const struct exec_warp *warp)
{
    return warp->state != EXEC_DONE && warp->polls.moved == launch->moved &&
           warp->polls.gave > warp->depth - warp->base;
}

bool ptx_may_give_way(const struct exec_launch *launch,
                      const struct exec_warp *warp)
{
    return launch->code->polls && next_path(launch, warp) + 1 < warp->depth &&
           !ptx_polls(launch, warp);
}

bool ptx_all_poll(const struct exec_launch *launch)
{
    uint32_t polling = 0, others = 0;

    for (uint32_t w = 0; w < launch->warps; w++) {
        const struct exec_warp *warp = &launch->warp[w];

        if (ptx_polls(launch, warp)) {
            polling++;
        } else if (warp->state == EXEC_RUNS) {
            others++;
        }
    }
    return polling != 0 && others == 0;
}

void ptx_give_way(const struct exec_launch *launch, struct exec_warp *warp,
                  const struct exec_op *op)
{
    struct exec_polls *polls = &warp->polls;
    struct exec_poll *poll = poll_of(polls, op->target);
    bool same, is_long = poll->due >= EXEC_POLLS_LONG;

    if (++poll->rounds < poll->due) {
        return;
    }
    if (poll->rounds == poll->due) {
        poll->state = state_of(launch, warp);
        return;
    }
    same = state_of(launch, warp) == poll->state;
    if (!same && !is_long) {
        poll->due *= 2; /* it works, or counts: looked at ever more rarely */
        return;
    }
    poll->due = same ? EXEC_POLLS_FIRST : poll->due;
    poll->rounds = 0;
    if (same) {
        polls->gave = polls->moved == launch->moved ? polls->gave + 1 : 1;
        polls->moved = launch->moved;
    }
    if (next_path(launch, warp) + 1 < warp->depth) {
        raise(warp, next_path(launch, warp));
    }
}
