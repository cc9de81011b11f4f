/*
 * What a warp's cycles went into, by the instruction that comes next, and
 * where memory instructions were.
 *
 * A warp is told of when it waits for something else; what it waited for until
 * then is counted when the next thing is told.  Whoever waits for a register
 * waits for who writes it, and where a load got its data is known when it is
 * done.
 */
#include "lua/timeline/timeline_private.h"

/* What somebody waits for who waits for the result, as far as is known when
 * it is issued. */
static enum tl_reason result_of(const struct loom_static_inst *inst)
{
    switch (inst->op) {
    case LOOM_OP_LOAD:
    case LOOM_OP_ATOMIC:
        return inst->space == LOOM_SPACE_SHARED  ? TL_SHARED
               : inst->space > LOOM_SPACE_SHARED ? TL_ON_CHIP
                                                 : TL_MEMORY;
    case LOOM_OP_SFU:
        return TL_SFU;
    case LOOM_OP_TENSOR:
        return TL_TENSOR;
    default:
        return TL_ARITHMETIC;
    }
}

static enum tl_reason reason_of(const struct tl_watch *watch,
                                const struct tl_producer *by)
{
    static const uint8_t reasons[LOOM_WAIT_REASONS] = {
        [LOOM_WAIT_READY] = TL_TURN,    [LOOM_WAIT_UNIT] = TL_UNIT,
        [LOOM_WAIT_MEMORY] = TL_MEMORY, [LOOM_WAIT_RESULT] = TL_ARITHMETIC,
        [LOOM_WAIT_FETCH] = TL_FETCH,   [LOOM_WAIT_BARRIER] = TL_BARRIER,
        [LOOM_WAIT_ATOMIC] = TL_ATOMIC, [LOOM_WAIT_MEMBAR] = TL_MEMBAR,
        [LOOM_WAIT_DRAIN] = TL_DRAIN,
    };

    return (enum tl_reason)(by != NULL ? by->reason : reasons[watch->reason]);
}

/* Until now it has waited; `issued`: the last of these cycles was no wait. */
static void pass(struct tl_watch *watch, loom_cycle now, bool issued)
{
    uint64_t cycles = now - watch->since;
    struct tl_producer *by =
        watch->reg < TL_REGISTERS && watch->by[watch->reg].code != NULL
            ? &watch->by[watch->reg]
            : NULL;

    watch->since = now;
    if (watch->code == NULL || cycles == 0) {
        return;
    }
    if (issued) {
        watch->code->waits[TL_ISSUED]++;
        cycles--;
    }
    watch->code->waits[reason_of(watch, by)] += cycles;
    if (by != NULL) {
        by->code->held += cycles;
    }
}

static void issue(struct tl_profile *profile, struct tl_watch *watch,
                  const struct loom_event *event)
{
    struct tl_code *code = tl_code_of(profile, event->kernel, event->inst);
    const struct loom_static_inst *inst = &event->kernel->inst[event->inst];
    struct tl_producer by = {code, (uint8_t)result_of(inst)};

    if (watch->inst == event->inst) { /* else the second one in a cycle */
        pass(watch, event->now, true);
    }
    watch->last = code;
    if (code == NULL) {
        return;
    }
    code->issues++;
    code->lanes += loom_popcount(event->mask);
    for (uint32_t i = 0; i < LOOM_REG_WORDS; i++) {
        for (uint64_t bits = inst->def[i]; bits != 0; bits &= bits - 1) {
            watch->by[i * 64 + loom_lowest(bits)] = by;
        }
    }
}

void tl_profile_warp(struct tl_profile *profile, struct tl_watch *watch,
                     const struct loom_event *event)
{
    switch (event->kind) {
    case LOOM_EVENT_WARP_START:
        *watch = (struct tl_watch){.kernel = event->kernel,
                                   .since = event->now,
                                   .inst = UINT32_MAX,
                                   .reg = UINT32_MAX};
        break;
    case LOOM_EVENT_WAIT:
        if (watch->kernel != NULL) {
            pass(watch, event->now, false);
            watch->code = event->inst < watch->kernel->inst_count
                              ? tl_code_of(profile, watch->kernel, event->inst)
                              : watch->last;
            watch->inst = event->inst;
            watch->reg = event->count;
            watch->reason = event->reason;
        }
        break;
    case LOOM_EVENT_ISSUE:
        issue(profile, watch, event);
        break;
    case LOOM_EVENT_WARP_FINISH:
        pass(watch, event->now, false);
        watch->kernel = NULL;
        watch->code = NULL;
        break;
    }
}

/* Where its data came from. */
static enum tl_reason origin_of(const struct tl_sector *sector)
{
    const struct tl_stamps *first = &sector->level[0];
    bool down = sector->queued != 0;

    for (uint32_t l = 0; l < TL_LEVELS; l++) {
        /* What another access waits for is with that one. */
        down = down || (l > 0 && sector->level[l].accepted != 0 &&
                        sector->level[l].outcome != LOOM_EVENT_HIT);
    }
    if (down) {
        return TL_DRAM;
    }
    return first->accepted == 0                       ? TL_L2
           : first->outcome == LOOM_EVENT_HIT         ? TL_L1
           : first->outcome == LOOM_EVENT_PENDING_HIT ? TL_MERGED
                                                      : TL_L2;
}

static void add_places(const struct tl_profile *profile, struct tl_code *code,
                       const struct tl_sector *sector, loom_time born,
                       loom_time done)
{
    struct tl_part part[TL_PARTS];
    uint32_t count = tl_parts(sector, born, done, part);

    for (uint32_t i = 0; i < count; i++) {
        code->place[part[i].place] +=
            (double)(part[i].end - born) / profile->period;
        born = part[i].end;
    }
}

static void add_outcomes(const struct timeline *t, struct tl_code *code,
                         const struct tl_load *load)
{
    for (uint16_t at = load->first; at != TL_NO_ACCESS;
         at = t->access[at].next) {
        const struct tl_stamps *s = &tl_last_sector(&t->access[at])->level[0];

        if (s->accepted != 0) {
            code->l1[s->outcome - LOOM_EVENT_HIT]++;
        }
    }
}

void tl_profile_load(struct timeline *t, struct tl_watch *watch,
                     const struct tl_load *load, const struct tl_sector *sector,
                     const struct loom_event *event, loom_time done)
{
    static const struct tl_sector nothing;
    const struct loom_static_inst *inst = &load->kernel->inst[load->inst];
    struct tl_code *code = tl_code_of(t->profile, load->kernel, load->inst);

    if (code == NULL) {
        return;
    }
    code->done++;
    code->cycles += event->duration;
    code->accesses += load->accesses;
    add_outcomes(t, code, load);
    if (sector == NULL && load->accesses != 0) {
        code->place[TL_NOT_FOLLOWED] +=
            (double)(done - load->born) / t->profile->period;
        return;
    }
    add_places(t->profile, code, sector != NULL ? sector : &nothing, load->born,
               done);
    for (uint32_t i = 0; sector != NULL && i < LOOM_REG_WORDS; i++) {
        for (uint64_t bits = inst->def[i]; bits != 0; bits &= bits - 1) {
            struct tl_producer *by = &watch->by[i * 64 + loom_lowest(bits)];

            if (by->code == code) {
                by->reason = (uint8_t)origin_of(sector);
            }
        }
    }
}
