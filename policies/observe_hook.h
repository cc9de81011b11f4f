/*
 * Watching: one event struct, a subscription mask, three places.
 *
 * SM, load/store unit and cache each have an `observe` slot, a chain.  A
 * policy subscribes to kinds of events with its `events` mask; a component
 * tests the union of the masks before it builds an event, so an event nobody
 * watches costs one AND.  Observers must not change what they observe; what
 * they learn they use when they are asked questions through other facets.
 *
 * The event and what it points to are valid during the call only.
 */
#ifndef POLICIES_OBSERVE_HOOK_H
#define POLICIES_OBSERVE_HOOK_H

#include "engine/component.h"

#include "components/mem_protocol.h"
#include "workloads/stream.h"

enum loom_event_kind {
    /* SM */
    LOOM_EVENT_KERNEL_START, /* kernel */
    LOOM_EVENT_KERNEL_END,   /* kernel */
    LOOM_EVENT_CTA_START,    /* kernel, cta, count = warps */
    LOOM_EVENT_CTA_FINISH,   /* kernel, cta */
    LOOM_EVENT_WARP_START,   /* warp, scheduler, age */
    LOOM_EVENT_WARP_FINISH,  /* warp, scheduler */
    LOOM_EVENT_ISSUE,        /* warp, scheduler, inst, mask */
    LOOM_EVENT_LOOP_EXIT,    /* warp left loop `count` */
    LOOM_EVENT_IBUFFER,      /* from the previous event of this kind until now,
                              * `count` warps had a valid instruction buffer
                              * entry; `duration` cycles, sleep included;
                              * `after`: how many have one from now on */
    LOOM_EVENT_WAIT,         /* from the end of this cycle on the warp waits for
                              * something else, or another instruction of its
                              * waits: warp, scheduler, inst (the next one),
                              * reason = enum loom_wait_reason; `count`: the
                              * first register that holds it up, or
                              * UINT32_MAX */
    /* load/store unit */
    LOOM_EVENT_MEM_ISSUE,    /* after coalescing: warp, inst, count = accesses;
                              * loads, stores and atomics to global or local */
    LOOM_EVENT_MEM_COMPLETE, /* its last access is back (loads, atomics) or
                              * acknowledged (stores); `hits` = accesses that
                              * hit, `bypasses` = sent around the L1 */
    LOOM_EVENT_MEM_DONE,     /* the SM is told: warp, cta, inst; `duration`:
                              * cycles since it issued; `count` = origin of its
                              * requests, UINT32_MAX if it made none.  Of all
                              * spaces; `kernel` if it made requests */
    /* cache; all have request, set where it is known, way where one is */
    LOOM_EVENT_ACCESS, /* accepted: exactly one of HIT, PENDING_HIT,
                        * MISS, BYPASS follows in the same cycle */
    LOOM_EVENT_HIT,
    LOOM_EVENT_PENDING_HIT, /* tag present, data on the way */
    LOOM_EVENT_MISS,
    LOOM_EVENT_BYPASS,
    LOOM_EVENT_ALLOCATE, /* way of the set reserved for request's block */
    LOOM_EVENT_FILL,     /* data arrived in set, way */
    LOOM_EVENT_EVICT,    /* line `block` leaves set, way; reason; before the
                          * allocation that caused it; dirty = written back */
    LOOM_EVENT_REPLY,    /* a reply is sent up; its reply_bits as sent */
    LOOM_EVENT_RESERVATION_FAIL, /* reason = enum loom_fail_reason; `count`:
                                  * cycles this access has failed so far */
    LOOM_EVENT_QUERY,            /* a query arrived here; request */
    LOOM_EVENT_ANSWER, /* the reply to a query of this host; request */
    LOOM_EVENT_SEND,   /* a request that had to wait in the miss queue leaves */
    LOOM_EVENTS
};

enum loom_evict_reason {
    LOOM_EVICT_CAPACITY, /* another block needs the way */
    LOOM_EVICT_WRITE,    /* write-evict */
    LOOM_EVICT_FLUSH
};

/* What a warp waits for. */
enum loom_wait_reason {
    LOOM_WAIT_READY,  /* its turn */
    LOOM_WAIT_MEMORY, /* a register, with loads or atomics under way */
    LOOM_WAIT_RESULT, /* a register, without */
    LOOM_WAIT_FETCH,
    LOOM_WAIT_BARRIER,
    LOOM_WAIT_ATOMIC, /* the old value of an atomic */
    LOOM_WAIT_MEMBAR,
    LOOM_WAIT_DRAIN, /* all is issued: what is outstanding */
    LOOM_WAIT_UNIT,  /* a unit, or room in the load/store unit */
    LOOM_WAIT_REASONS
};

/* Why an access could not be accepted this cycle. */
enum loom_fail_reason {
    LOOM_FAIL_LINE,       /* every way of the set is reserved */
    LOOM_FAIL_MSHR,       /* no free MSHR */
    LOOM_FAIL_MERGE,      /* its MSHR takes no more */
    LOOM_FAIL_MISS_QUEUE, /* no room for the request (or write-back) */
    LOOM_FAIL_CANDIDATES, /* policies left no way and said stall */
    LOOM_FAIL_REASONS
};

struct loom_event {
    loom_cycle now; /* of the component's clock */
    const struct loom_mem_request *request;
    const struct loom_kernel *kernel;
    loom_addr block; /* EVICT: the line that leaves */
    uint64_t age;    /* WARP_START: dynamic warp id, grows per SM */
    uint64_t duration;
    uint32_t kind; /* enum loom_event_kind */
    uint32_t cta;
    uint32_t inst; /* static instruction index */
    uint32_t mask;
    uint32_t count;
    uint32_t hits, bypasses;
    uint32_t after;
    uint32_t set, way;
    uint16_t warp; /* hardware slot in the SM */
    uint16_t rank; /* of the warp NOW, where the component knows it */
    uint8_t scheduler;
    uint8_t reason; /* enum loom_evict_reason, loom_fail_reason or
                     * loom_wait_reason */
    bool dirty;
};

extern const char *const loom_event_names[LOOM_EVENTS]; /* "pending_hit" */
extern const char *const loom_wait_names[LOOM_WAIT_REASONS];
extern const char *const loom_fail_names[LOOM_FAIL_REASONS];

#define LOOM_EVENT(kind) (UINT64_C(1) << (LOOM_EVENT_##kind))

struct loom_observe_shape {
    uint32_t sm; /* hardware index; UINT32_MAX outside SMs */
    uint32_t sets, ways, line_bytes; /* caches */
    uint32_t schedulers, warps;      /* SM and load/store unit: per SM */
    uint32_t pending; /* load/store unit: instructions under way at most */
    uint32_t latency; /* caches: cycles from arrival to look-up */
    uint32_t level;   /* caches: LOOM_LEVEL_* */
    bool ranked;      /* SM: the scheduler's ranks are a lasting order */
};

struct loom_observe_ops {
    uint64_t events; /* LOOM_EVENT(...) | ... */
    /* Optional. */
    bool (*bind)(struct loom_policy *self,
                 const struct loom_observe_shape *shape,
                 struct loom_error *err);
    void (*observe)(struct loom_policy *self, const struct loom_event *event);
};

/* The same questions, three places. */
extern const struct loom_hook loom_sm_observe_hook;
extern const struct loom_hook loom_ldst_observe_hook;
extern const struct loom_hook loom_cache_observe_hook;
/* Where an event is told. */
const struct loom_hook *loom_event_hook(enum loom_event_kind kind);

/* A chain as a component holds it. */
struct loom_observers {
    struct loom_binding chain;
    uint64_t events; /* union of the masks */
};

bool loom_observers_bind(struct loom_observers *observers,
                         struct loom_component *self, const char *slot,
                         const struct loom_observe_shape *shape,
                         struct loom_error *err);

static inline bool loom_observed(const struct loom_observers *observers,
                                 enum loom_event_kind kind)
{
#ifdef LOOM_NO_CHAINS
    (void)observers;
    (void)kind;
    return false;
#else
    return LOOM_UNLIKELY((observers->events >> kind & 1) != 0);
#endif
}

/* Calls those who subscribed to event->kind, in order of attachment. */
void loom_observers_tell(const struct loom_observers *observers,
                         const struct loom_event *event);

#endif
