/*
 * A timeline: what happened in a window of a run, as Chrome's trace events,
 * which Perfetto's viewer opens, written while it runs.
 *
 *     timeline.c  probes, one for each part that is watched; the Lua side
 *     units.c     kernels, CTAs and warps of SMs
 *     banks.c     DRAM channels
 *     loads.c     memory instructions, from issue to write-back
 *     record.c    a profile: what each instruction did (profile_private.h)
 *     profile.c
 *     code.c
 *     way.c       the parts of an access' way
 *     spans.c     the window and the choice of kernels
 *     events.c    the file
 *
 * A file calls those further down only.
 *
 * Probes are policies that are no part of the machine.  Their type is made
 * for one run and holds what they share, so they are told in the order of time
 * (in_order) and by one thread.  Memory is taken when the machine is built: an
 * access that finds no record is counted and not followed.
 *
 * Times are femtoseconds.  The file has whole nanoseconds, rounded down at both
 * ends of a slice, so what follows or contains something in time does so in
 * the file.
 */
#ifndef LUA_TIMELINE_TIMELINE_PRIVATE_H
#define LUA_TIMELINE_TIMELINE_PRIVATE_H

#include "engine/machine.h"

#include "lua/timeline/events_private.h"
#include "lua/timeline/profile_private.h"
#include "policies/dram_hook.h"
#include "policies/observe_hook.h"

enum {
    TL_LEVELS = 4,        /* of caches */
    TL_SECTORS = 4,       /* of a block */
    TL_CTAS = 64,         /* on an SM */
    TL_BANKS = 64,        /* of a channel */
    TL_KERNELS = 64,      /* at a time */
    TL_ACCESSES = 16384,  /* under way in the machine */
    TL_PARTS = 40,        /* of an access' way */
    TL_NO_ACCESS = 0xffff /* no record */
};
_Static_assert(TL_ACCESSES < TL_NO_ACCESS, "a record's number is 16 bits");

/* Who a row of the viewer belongs to.  No row has its owner's number: viewers
 * take that for a main thread. */
enum {
    TL_PID_KERNELS = 10000,
    TL_PID_SM = 10001,      /* and its hardware index */
    TL_PID_PART = 100000,   /* and its component id */
    TL_TID_CTA = 1,         /* and its lane */
    TL_TID_WARP = 100,      /* and its slot */
    TL_TID_LOAD = 1000,     /* and the lane of what an L1D answers */
    TL_TID_ACCESS = 2000,   /* of single accesses */
    TL_TID_OTHER = 3000,    /* of shared, constant and texture memory */
    TL_TID_BANK = 1,        /* and its number */
    TL_TID_ALL_BANKS = 100, /* commands for all of them */
    TL_TID_REQUEST = 200    /* and the lane */
};

/* ---- what is shared ---- */

/* Of one of a level's sectors; 0: has not happened. */
struct tl_stamps {
    loom_time arrived, seen, accepted, sent, fill, reply;
    uint16_t part;   /* component id */
    uint8_t outcome; /* enum loom_event_kind */
    uint8_t reason;  /* 1 + enum loom_fail_reason */
};

struct tl_sector {
    struct tl_stamps level[TL_LEVELS];
    loom_time queued, column, data; /* DRAM */
};

struct tl_access {
    struct tl_sector sector[TL_SECTORS];
    loom_addr block;
    uint16_t next; /* of its load, or free */
    uint8_t number;
};

/* A memory instruction under way. */
struct tl_load {
    const struct loom_kernel *kernel; /* NULL: none */
    loom_time born;
    uint32_t inst, cta, accesses;
    uint16_t warp;
    uint16_t first; /* access */
};

struct tl_warp {
    struct tl_span span;
    const struct loom_kernel *kernel;
    loom_time since;
    uint32_t cta, inst;
    uint8_t reason; /* enum loom_wait_reason, or LOOM_WAIT_REASONS */
};

struct tl_cta {
    struct tl_span span;
    uint32_t cta, kernel;
};

struct tl_kernel {
    struct tl_span span;
    uint32_t number, sms; /* on which it is */
};

struct tl_sm {
    struct tl_warp *warp;   /* [warps] */
    struct tl_load *load;   /* [loads] */
    struct tl_watch *watch; /* [warps] if there is a profile */
    struct tl_cta cta[TL_CTAS];
    struct tl_lanes loads_lanes, access_lanes, other_lanes;
    uint32_t warps, loads;
    uint32_t number;      /* hardware index */
    bool entered, passed; /* the window has begun; is over */
};

struct tl_channel {
    struct tl_span row[TL_BANKS];
    struct tl_lanes lanes;
    bool left;
};

struct timeline {
    struct loom_policy_type type; /* of the probes */
    struct tl_file out;
    loom_time from, to;
    char *kernel;                /* names, with *; NULL: all */
    uint64_t launch;             /* UINT64_MAX: all */
    struct tl_sm **sm;           /* [sms] NULL: not watched */
    struct tl_lanes **lanes;     /* [parts] of caches behind the L1 */
    struct tl_channel **channel; /* [parts] */
    struct tl_kernel kernels[TL_KERNELS];
    struct tl_access *access;   /* [TL_ACCESSES] */
    struct tl_profile *profile; /* NULL: none */
    uint32_t sms, parts;
    uint16_t free;          /* access */
    uint64_t loads, cycles; /* loads that were done, and their latencies */
    uint64_t written;       /* those that the file has */
    uint64_t not_followed;  /* accesses without a record */
    uint64_t left_out;      /* slices that found no lane */
};

/* A part that is watched. */
struct tl_probe {
    struct timeline *timeline;
    struct loom_component *host;
    struct tl_sm *sm;
    struct tl_channel *channel;
    uint32_t level; /* of the cache, from 0 */
    uint32_t latency;
    uint16_t part; /* component id */
};

static inline loom_time tl_time(const struct tl_probe *probe, loom_cycle cycle)
{
    return loom_told_time(probe->host, cycle);
}

/* The file has what was before that. */
static inline void tl_reach(struct tl_file *out, loom_time at)
{
    if (!out->ended && at > out->last) {
        out->last = at;
    }
}

static inline bool tl_in_window(const struct timeline *t, loom_time at)
{
    return at >= t->from && at <= t->to;
}

/* ---- spans.c ---- */

bool tl_kernel_wanted(const struct timeline *t,
                      const struct loom_kernel *kernel);
/* It begins, at most at the window's; or ends, at most at its end, and is
 * written. */
void tl_span_begin(struct timeline *t, struct tl_span *span);
void tl_span_end(struct timeline *t, struct tl_span *span, loom_time at);

/* ---- units.c ---- */

void tl_units(struct tl_probe *probe, const struct loom_event *event);
/* What has not ended ends in the file. */
void tl_units_finish(struct timeline *t, loom_time at);

/* ---- loads.c ---- */

void tl_loads(struct tl_probe *probe, const struct loom_event *event);
void tl_caches(struct tl_probe *probe, const struct loom_event *event);
/* The record of a request that is followed, or NULL. */
struct tl_access *tl_find(struct timeline *t,
                          const struct loom_mem_request *request, bool make);

/* ---- way.c ---- */

struct tl_part {
    const char *name;
    loom_time end;
    uint8_t place; /* enum tl_place */
};

/* The sector of an access that came last. */
const struct tl_sector *tl_last_sector(const struct tl_access *access);
/* When its data was there; 0: it never was. */
loom_time tl_answered(const struct tl_sector *sector);
/* The parts of its way from `born` to `done`, each of which begins where the
 * one before it ends; the last one ends at `done`.  Returns how many. */
uint32_t tl_parts(const struct tl_sector *sector, loom_time born,
                  loom_time done, struct tl_part part[TL_PARTS]);

/* ---- profile.c, record.c ---- */

void tl_profile_warp(struct tl_profile *profile, struct tl_watch *watch,
                     const struct loom_event *event);
/* A memory instruction is done; `sector` NULL: no access of it is known. */
void tl_profile_load(struct timeline *t, struct tl_watch *watch,
                     const struct tl_load *load, const struct tl_sector *sector,
                     const struct loom_event *event, loom_time done);
struct loom_recorder;
bool tl_profile_record(const struct tl_profile *profile,
                       struct loom_recorder *recorder, struct loom_error *err);

/* ---- banks.c ---- */

void tl_command(struct tl_probe *probe, const struct loom_command_event *event);
void tl_served(struct tl_probe *probe, const struct loom_mem_request *request,
               const loom_cycle at[3]);
void tl_banks_finish(struct timeline *t, loom_time at);

#endif
