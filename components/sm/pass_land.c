/*
 * Where warps stop that pass over: at the instruction at which they were.
 *
 * In time most warps are found where they wait, and few where they compute.
 * Warps that stop anywhere are mostly found where they compute, and for as long
 * as it takes them to wait again the machine does more, and then less, than it
 * would.  So each goes on to where it was: in a CTA that has taken the place of
 * another one, as far from the start as the warp there; in the same CTA, where
 * it is at the same instruction next.
 */
#include "components/sm/sm_private.h"

/* Instructions within which a warp is at one again. */
enum {
    LAND_LOOK = 4096
};

void sm_note_place(struct sm *sm, const struct sm_warp *warp, bool count)
{
    struct sm_pass_place *place = &sm->pass.place[warp->slot];
    struct loom_warp_inst inst;
    struct loom_cursor from;

    *place = (struct sm_pass_place){.inst = SM_PASS_ENDED, .age = UINT64_MAX};
    if (warp->cta == NULL || warp->inst == NULL) {
        return;
    }
    place->inst = warp->next.index;
    place->age = warp->age;
    from = loom_cursor_of(
        &warp->cta->stream->warp[warp->slot - warp->cta->first_warp]);
    while (count && from.at != warp->cursor.at) {
        loom_stream_next(&from, &inst);
        place->at++; /* with the next one, which is decoded */
    }
    place->was = place->at;
}

/* In the same CTA.  False: its stream ends before. */
static bool stop_soon(struct sm *sm, const struct sm_warp *warp)
{
    struct sm_pass_place *place = &sm->pass.place[warp->slot];
    struct loom_cursor cursor = warp->cursor;
    struct loom_warp_inst inst = warp->next;
    uint64_t at = place->at;

    place->stop = at;
    while (inst.index != place->inst && at < place->stop + LAND_LOOK) {
        if (!loom_stream_next(&cursor, &inst)) {
            return false;
        }
        at++;
    }
    if (inst.index == place->inst) {
        place->stop = at;
    }
    return true;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* In another CTA.  False: it is further from the start already. */
static bool stop_alike(struct sm *sm, const struct sm_warp *warp)
{
    struct sm_pass_place *place = &sm->pass.place[warp->slot];
    struct loom_cursor cursor = warp->cursor;
    struct loom_warp_inst inst = warp->next;
    uint64_t best = LAND_LOOK; /* distance of what is found so far */

    place->stop = place->was;
    for (uint64_t at = place->at; at < place->was + best; at++) {
        if (inst.index == place->inst && distance(at, place->was) < best) {
            best = distance(at, place->was);
            place->stop = at;
        }
        if (!loom_stream_next(&cursor, &inst)) {
            break;
        }
    }
    return place->at <= place->was;
}

/* A warp that had ended had less to do; which of a CTA's warps have more
 * differs from CTA to CTA.  Where that one had ended, this one is as far as
 * those that go on. */
static uint64_t furthest_of(const struct sm *sm, const struct sm_cta *cta)
{
    const struct sm_pass_place *place = sm->pass.place + cta->first_warp;
    uint64_t furthest = 0;

    for (uint32_t i = 0; i < cta->stream->warp_count; i++) {
        furthest = place[i].was > furthest ? place[i].was : furthest;
    }
    return furthest;
}

/* False: another CTA has to follow, for which `may_follow` is asked. */
static bool place_stops(struct sm *sm, const struct sm_cta *cta,
                        bool may_follow)
{
    bool changed = cta->stream != sm->pass.stream[cta - sm->cta];
    uint64_t furthest = changed ? furthest_of(sm, cta) : UINT64_MAX;

    for (uint64_t left = cta->running; left != 0; left &= left - 1) {
        const struct sm_warp *warp =
            &sm->warp[cta->first_warp + loom_lowest(left)];
        struct sm_pass_place *place = &sm->pass.place[warp->slot];
        bool fits = true;

        if (place->inst == SM_PASS_ENDED) {
            place->stop = furthest;
            fits = !may_follow || place->at <= furthest;
        } else if (changed && (may_follow || place->at <= place->was)) {
            fits = stop_alike(sm, warp);
        } else {
            fits = stop_soon(sm, warp) || !may_follow;
        }
        if (!fits) {
            return false;
        }
    }
    return true;
}

/* By turns, as they may wait for each other. */
static void seek(struct sm *sm, const struct sm_cta *cta)
{
    bool moved = true;

    while (moved) {
        moved = false;
        for (uint64_t left = cta->running; left != 0; left &= left - 1) {
            struct sm_warp *warp =
                &sm->warp[cta->first_warp + loom_lowest(left)];
            const struct sm_pass_place *place = &sm->pass.place[warp->slot];
            uint64_t from = place->at;

            while (place->at < place->stop && sm_pass_inst(sm, warp, true)) {
            }
            moved = moved || place->at != from;
        }
    }
}

bool sm_land_cta(struct sm *sm, const struct sm_cta *cta, bool may_follow)
{
    bool stops = place_stops(sm, cta, may_follow);

    for (uint64_t left = stops ? 0 : cta->running; left != 0;
         left &= left - 1) {
        sm->pass.place[cta->first_warp + loom_lowest(left)].stop = UINT64_MAX;
    }
    seek(sm, cta);
    return stops;
}

static bool is_older(const struct sm *sm, uint32_t a, uint32_t b)
{
    const struct sm_pass_place *place = sm->pass.place;

    return place[a].age != place[b].age ? place[a].age < place[b].age
                                        : sm->warp[a].age < sm->warp[b].age;
}

/* The scheduler sees them end and start. */
void sm_restore_ages(struct sm *sm)
{
    const struct loom_scheduler_ops *ops = sm->scheduler_ops;
    struct loom_policy *policy = sm->scheduler_policy.policy;
    uint16_t order[SM_WARP_WORDS * 64];
    uint32_t count = 0;

    for (uint32_t w = 0; w < sm->config->warps; w++) {
        uint32_t at = count;

        if (sm->warp[w].cta == NULL || sm->warp[w].inst == NULL) {
            continue;
        }
        for (; at > 0 && is_older(sm, w, order[at - 1]); at--) {
            order[at] = order[at - 1];
        }
        order[at] = (uint16_t)w;
        count++;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct sm_warp *warp = &sm->warp[order[i]];

        if (ops->finished != NULL) {
            ops->finished(policy, warp->scheduler, warp->local);
        }
        warp->age = sm->ages++;
        if (ops->started != NULL) {
            ops->started(policy, warp->scheduler, warp->local, warp->age);
        }
    }
}
