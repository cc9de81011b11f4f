/*
 * Races: two threads access the same byte, at least one of them writes, and
 * nothing orders them.
 *
 * Warps of a CTA are ordered by vector clocks, as race detectors of threads
 * do it: each warp counts the barriers it has passed, and knows for each other
 * warp up to which of that warp's counts it has waited for it.  Barriers (bar,
 * barrier, also .arrive, .red and those of some warps) hand this knowledge on.
 * So do atomics, volatile and other strong accesses, and mbarriers: who writes
 * leaves what it knows at the address, who reads takes it from there.  An
 * atomic whose result nobody reads only leaves it.  Addresses share a few
 * places, which can only order more.
 *
 * Lanes of one warp execute together: two of them race if one instruction
 * stores different values to one byte, or if they diverged, each access was on
 * a path without the other lane, and the paths have not met in between.
 *
 * CTAs of a launch are not ordered, unless the later one has read what the
 * earlier one left at an address, as above.  CTAs that take turns are not
 * compared.
 *
 * Each word has its last write and last reads by two warps.  Those of global
 * memory are in a table in which a word may replace another one.  So memory is
 * bounded, a race may be missed, and what is told is one.
 */
#include "workloads/races.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "components/mem_protocol.h"
#include "workloads/ptx/exec/check.h"

#define WORD 4u
#define TABLE_BITS 18
#define PLACES 256u

struct touch {
    uint32_t cta;   /* + 1; 0: none */
    uint32_t count; /* of the warp */
    uint32_t op, clock;
    uint32_t lanes; /* that were on the same path */
    uint32_t merges;
    uint8_t warp, lane;
    uint8_t bytes; /* bit per byte of the word */
    bool strong;
};

struct word_shadow {
    uint64_t number; /* of the word, + 1 */
    struct touch write, read[2];
};

/* Where knowledge is left. */
struct place {
    uint32_t cta; /* + 1: whose it is */
    bool earlier; /* CTAs before that left something, too */
};

struct exec_races {
    struct word_shadow *shared; /* [words] */
    struct word_shadow *global; /* [1 << TABLE_BITS] */
    bool owns_global;
    uint32_t *known;     /* [warps][warps]: what a warp knows of another one;
                          * its own count on the diagonal */
    uint32_t *came;      /* [EXEC_BARRIERS][warps]: what those that came know */
    uint32_t *left;      /* [PLACES][warps] */
    struct place *place; /* [PLACES] */
    bool *knows_earlier; /* [warps]: CTAs before */
    bool *came_earlier;  /* [EXEC_BARRIERS] */
    struct loom_race_list *list;
};

static struct exec_launch *whole(const struct exec_launch *launch)
{
    return (struct exec_launch *)launch->kernel.source;
}

static bool allocate(struct exec_races *races, const struct exec_launch *launch)
{
    size_t warps = launch->warps;

    races->shared =
        calloc(launch->kernel.shared_bytes / WORD + 1u, sizeof(*races->shared));
    if (races->owns_global) {
        races->global = calloc((size_t)1 << TABLE_BITS, sizeof(*races->global));
    }
    races->known = calloc(warps * warps, sizeof(*races->known));
    races->came = calloc(EXEC_BARRIERS * warps, sizeof(*races->came));
    races->left = calloc(PLACES * warps, sizeof(*races->left));
    races->place = calloc(PLACES, sizeof(*races->place));
    races->knows_earlier = calloc(warps, sizeof(*races->knows_earlier));
    races->came_earlier = calloc(EXEC_BARRIERS, sizeof(*races->came_earlier));
    races->list = loom_memory_races(launch->memory);
    return races->shared != NULL && races->global != NULL &&
           races->known != NULL && races->came != NULL && races->left != NULL &&
           races->place != NULL && races->knows_earlier != NULL &&
           races->came_earlier != NULL && races->list != NULL;
}

struct exec_races *ptx_races_create(const struct exec_launch *launch)
{
    struct exec_races *races = calloc(1, sizeof(*races));

    if (races == NULL) {
        return NULL;
    }
    races->owns_global = whole(launch) == launch;
    if (!races->owns_global) {
        races->global = whole(launch)->races->global;
    }
    if (!allocate(races, launch)) {
        ptx_races_free(races);
        return NULL;
    }
    return races;
}

void ptx_races_free(struct exec_races *races)
{
    if (races == NULL) {
        return;
    }
    if (races->owns_global) {
        free(races->global);
    }
    free(races->shared);
    free(races->known);
    free(races->came);
    free(races->left);
    free(races->place);
    free(races->knows_earlier);
    free(races->came_earlier);
    free(races);
}

void ptx_races_start(struct exec_launch *launch)
{
    struct exec_races *races = launch->races;
    size_t warps = launch->warps;

    memset(races->known, 0, warps * warps * sizeof(*races->known));
    memset(races->came, 0, EXEC_BARRIERS * warps * sizeof(*races->came));
    memset(races->came_earlier, 0,
           EXEC_BARRIERS * sizeof(*races->came_earlier));
    memset(races->knows_earlier, 0, warps * sizeof(*races->knows_earlier));
    for (uint32_t w = 0; w < launch->warps; w++) {
        races->known[w * launch->warps + w] = 1;
    }
}

static void join_into(uint32_t *to, const uint32_t *from, uint32_t warps)
{
    for (uint32_t w = 0; w < warps; w++) {
        to[w] = to[w] > from[w] ? to[w] : from[w];
    }
}

static uint32_t *known_by(const struct exec_launch *launch, uint32_t warp)
{
    return launch->races->known + (size_t)warp * launch->warps;
}

void ptx_races_arrive(struct exec_launch *launch, const struct exec_warp *warp,
                      uint32_t barrier)
{
    struct exec_races *races = launch->races;
    uint32_t *own = known_by(launch, warp->number);

    join_into(races->came + (size_t)barrier * launch->warps, own,
              launch->warps);
    races->came_earlier[barrier] |= races->knows_earlier[warp->number];
    own[warp->number]++; /* what comes later is not before the barrier */
}

void ptx_races_release(struct exec_launch *launch, uint32_t barrier)
{
    struct exec_races *races = launch->races;
    uint32_t *came = races->came + (size_t)barrier * launch->warps;

    for (uint32_t w = 0; w < launch->warps; w++) {
        const struct exec_warp *warp = &launch->warp[w];

        if (warp->state == EXEC_WAITS && warp->barrier == barrier) {
            join_into(known_by(launch, w), came, launch->warps);
            races->knows_earlier[w] |= races->came_earlier[barrier];
        }
    }
    memset(came, 0, launch->warps * sizeof(*came));
    races->came_earlier[barrier] = false;
}

static uint64_t hash_of(uint64_t number)
{
    return number * UINT64_C(0x9e3779b97f4a7c15);
}

/* Is it an access by which programs synchronise? */
static bool is_strong(const struct exec_launch *launch,
                      const struct exec_op *op)
{
    return op->kind == EXEC_ATOMIC || op->kind == EXEC_MBARRIER ||
           (launch->code->inst[op->index].flags & LOOM_INST_VOLATILE) != 0;
}

/* A strong access leaves knowledge at the address, and takes it. */
static void synchronise(struct exec_launch *launch,
                        const struct exec_warp *warp, const struct exec_op *op,
                        uint64_t number)
{
    struct exec_races *races = launch->races;
    uint32_t at = (uint32_t)(hash_of(number) >> 56) % PLACES;
    uint32_t *own = known_by(launch, warp->number);
    uint32_t *left = races->left + (size_t)at * launch->warps;
    struct place *place = &races->place[at];
    bool reads = op->kind == EXEC_ATOMIC ? op->d[0] != EXEC_NONE
                                         : op->kind != EXEC_STORE;

    if (place->cta != launch->cta + 1) {
        place->earlier = place->cta != 0;
        place->cta = launch->cta + 1;
        memset(left, 0, launch->warps * sizeof(*left));
    }
    if (reads) {
        join_into(own, left, launch->warps);
        races->knows_earlier[warp->number] |= place->earlier;
    }
    if (op->kind != EXEC_LOAD) {
        join_into(left, own, launch->warps);
        own[warp->number]++;
    }
}

static uint64_t stored(const struct exec_launch *launch,
                       const struct exec_warp *warp, const struct exec_op *op,
                       uint32_t n, uint32_t lane)
{
    const void *reg = exec_reg(launch, warp, op->v[n]);
    uint64_t value = (op->v_wide >> n & 1) != 0 ? ((const lane_u64 *)reg)[lane]
                                                : ((const lane_u32 *)reg)[lane];

    return op->bytes == 8 ? value
                          : value & ((UINT64_C(1) << 8 * op->bytes) - 1);
}

/* Do two lanes store the same? */
static bool same_values(const struct exec_launch *launch,
                        const struct exec_warp *warp, const struct exec_op *op,
                        uint32_t lane, uint32_t other)
{
    if (op->kind != EXEC_STORE) {
        return true;
    }
    for (uint32_t n = 0; n < op->elements; n++) {
        if (stored(launch, warp, op, n, lane) !=
            stored(launch, warp, op, n, other)) {
            return false;
        }
    }
    return true;
}

/* What is being done now. */
struct now {
    struct exec_launch *launch;
    const struct exec_warp *warp;
    const struct exec_op *op;
    const struct exec_access *access;
    struct touch touch;
};

static bool races_in_warp(const struct now *now, const struct touch *other)
{
    const struct touch *t = &now->touch;

    if (other->lane == t->lane) {
        return false;
    }
    if (other->op == t->op && other->clock == t->clock) {
        return !same_values(now->launch, now->warp, now->op, t->lane,
                            other->lane);
    }
    return other->merges == t->merges && (other->lanes >> t->lane & 1) == 0 &&
           (t->lanes >> other->lane & 1) == 0;
}

static bool races_with(const struct now *now, const struct touch *other)
{
    const struct touch *t = &now->touch;
    const struct exec_launch *launch = now->launch;

    if (other->cta == 0 || (other->bytes & t->bytes) == 0 ||
        (other->strong && t->strong)) {
        return false;
    }
    if (other->cta != t->cta) {
        return now->access->space == EXEC_GLOBAL && whole(launch) == launch &&
               !launch->races->knows_earlier[t->warp];
    }
    if (other->warp == t->warp) {
        return races_in_warp(now, other);
    }
    return other->count > known_by(launch, t->warp)[other->warp];
}

/* "'y' + 16 (0x100010)", or "byte 0x80 of shared memory". */
static void name_address(const struct now *now, loom_addr at, char *text,
                         size_t room)
{
    struct loom_allocation a;

    if (now->access->space == EXEC_SHARED) {
        snprintf(text, room, "byte 0x%llx of shared memory",
                 (unsigned long long)at);
    } else if (loom_memory_nearest(now->launch->memory, at, &a)) {
        snprintf(text, room, "'%.48s' + %llu (0x%llx)", a.name,
                 (unsigned long long)(at - a.base), (unsigned long long)at);
    } else {
        snprintf(text, room, "0x%llx", (unsigned long long)at);
    }
}

static const char *verb(const struct exec_op *op)
{
    return op->kind == EXEC_ATOMIC ? "atomic"
           : ptx_writes(op)        ? "write"
                                   : "read";
}

static uint32_t thread_of(const struct touch *t)
{
    return t->warp * (uint32_t)LOOM_WARP_LANES + t->lane;
}

/* Does a store store what is there already? */
static bool changes_nothing(const struct now *now)
{
    const struct exec_op *op = now->op;
    uint32_t lane = now->touch.lane;
    bool same = op->kind == EXEC_STORE;

    for (uint32_t n = 0; same && n < op->elements; n++) {
        uint64_t value = stored(now->launch, now->warp, op, n, lane);

        same = memcmp(now->access->host[lane] + n * op->bytes, &value,
                      op->bytes) == 0;
    }
    return same;
}

static const char *between(const struct touch *t, const struct touch *other)
{
    return other->cta != t->cta     ? "between CTAs"
           : other->warp != t->warp ? "between warps"
           : other->op == t->op && other->clock == t->clock
               ? "between lanes of one instruction"
               : "between lanes that diverged";
}

static void report(const struct now *now, const struct touch *other,
                   loom_addr at)
{
    const struct touch *t = &now->touch;
    const struct exec_op *first = &now->launch->code->op[other->op];
    const char *name = between(t, other);
    bool same = ptx_writes(first) && changes_nothing(now);
    const uint64_t key[2] = {
        (uint64_t)other->op << 32 | t->op,
        hash_of((uint64_t)(uintptr_t)now->launch->code->function) ^
            (uint64_t)(unsigned char)name[8] << 8 ^ (same ? 1u << 7 : 0) ^
            now->access->space};
    struct loom_race *race = loom_races_add(now->launch->races->list, key);
    char place[2][448], where[128], text[1280];

    if (race == NULL) {
        return;
    }
    ptx_place(now->launch, first, place[0], sizeof(place[0]));
    ptx_place(now->launch, now->op, place[1], sizeof(place[1]));
    name_address(now, at, where, sizeof(where));
    snprintf(text, sizeof(text),
             "%s, at %s%s\n  %s by CTA %u, thread %u: %s\n"
             "  %s by CTA %u, thread %u: %s",
             name, where, same ? ", the same value" : "", verb(first),
             other->cta - 1, thread_of(other), place[0], verb(now->op),
             t->cta - 1, thread_of(t), place[1]);
    race->text = strdup(text);
}

static void touch_word(const struct now *now, struct word_shadow *shadow,
                       uint64_t number)
{
    const struct touch *t = &now->touch;
    loom_addr at = number * WORD + loom_lowest(t->bytes);

    if (shadow->number != number + 1) {
        now->launch->races->list->forgotten += shadow->number != 0 ? 1 : 0;
        *shadow = (struct word_shadow){.number = number + 1};
    }
    if (races_with(now, &shadow->write)) {
        report(now, &shadow->write, at);
    }
    if (!ptx_writes(now->op)) {
        if (shadow->read[0].warp != t->warp || shadow->read[0].cta != t->cta) {
            shadow->read[1] = shadow->read[0];
        }
        shadow->read[0] = *t;
        return;
    }
    for (uint32_t i = 0; i < 2; i++) {
        if (races_with(now, &shadow->read[i])) {
            report(now, &shadow->read[i], at);
        }
    }
    shadow->write = *t;
}

/* The words of one lane's access. */
static void touch_lane(struct now *now, loom_addr at, uint32_t bytes)
{
    struct exec_races *races = now->launch->races;

    while (bytes != 0) {
        uint64_t number = at / WORD;
        uint32_t from = (uint32_t)(at % WORD);
        uint32_t here = WORD - from < bytes ? WORD - from : bytes;
        struct word_shadow *shadow =
            now->access->space == EXEC_SHARED
                ? &races->shared[number]
                : &races->global[hash_of(number) >> (64 - TABLE_BITS)];

        now->touch.bytes = (uint8_t)(((1u << here) - 1) << from);
        touch_word(now, shadow, number);
        at += here;
        bytes -= here;
    }
}

void ptx_races_access(struct exec_launch *launch, const struct exec_warp *warp,
                      const struct exec_op *op,
                      const struct exec_access *access)
{
    bool global = access->space == EXEC_GLOBAL;
    struct now now = {launch, warp, op, access, {.cta = launch->cta + 1}};
    loom_addr base = global ? 0 : UINT64_C(1) << 60;

    if ((!global && access->space != EXEC_SHARED) ||
        launch->code->inst[op->index].space == LOOM_SPACE_CONST) {
        return;
    }
    now.touch.op = op->index;
    now.touch.clock = (uint32_t)warp->clock;
    now.touch.lanes = warp->path[warp->depth - 1].mask & warp->live;
    now.touch.merges = warp->merges;
    now.touch.warp = (uint8_t)warp->number;
    now.touch.strong = is_strong(launch, op);
    for (uint32_t left = access->mask; left != 0; left &= left - 1) {
        loom_addr at = access->address[loom_lowest(left)];

        if (now.touch.strong) {
            synchronise(launch, warp, op, (base + at) / WORD);
        }
        now.touch.lane = (uint8_t)loom_lowest(left);
        now.touch.count = known_by(launch, warp->number)[warp->number];
        if (op->kind != EXEC_MBARRIER) {
            touch_lane(&now, at, access->bytes);
        }
    }
}
