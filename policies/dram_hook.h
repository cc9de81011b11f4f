/*
 * The questions of the memory system: where an address lives, and which
 * queued request's next command a DRAM channel issues.
 */
#ifndef POLICIES_DRAM_HOOK_H
#define POLICIES_DRAM_HOOK_H

#include "engine/component.h"

#include "components/mem_protocol.h"
#include "policies/dram_command_hook.h"

extern const struct loom_hook loom_map_hook;
extern const struct loom_hook loom_schedule_hook;

/* Where a byte address lives. */
struct loom_place {
    loom_addr local; /* address with channel and slice squeezed out: what an
                      * L2 slice indexes its sets with */
    uint32_t channel;
    uint32_t slice; /* L2 slice (sub-partition) of the whole GPU: channel *
                     * slices per channel + slice in the channel */
    uint32_t bank, row, column;
};

struct loom_map_shape {
    uint32_t channels;
    uint32_t slices_per_channel;
    uint32_t banks; /* of the channel that asks; 0: it has none */
};

struct loom_map_ops {
    /* False if the map does not exist for this shape.  Optional. */
    bool (*bind)(struct loom_policy *self, const struct loom_map_shape *shape,
                 struct loom_error *err);
    /* Required; pure. */
    void (*map)(struct loom_policy *self, loom_addr address,
                struct loom_place *place);
    /* The same in parts, for those who need no more: the slice, the local
     * address, or bank, row and column.  Optional: those of `map`. */
    uint32_t (*slice)(struct loom_policy *self, loom_addr address);
    loom_addr (*local)(struct loom_policy *self, loom_addr address);
    void (*cell)(struct loom_policy *self, loom_addr address,
                 struct loom_place *place);
};

static inline uint32_t loom_map_slice(const struct loom_map_ops *ops,
                                      struct loom_policy *map,
                                      loom_addr address)
{
    struct loom_place place;

    if (LOOM_LIKELY(ops->slice != NULL)) {
        return ops->slice(map, address);
    }
    ops->map(map, address, &place);
    return place.slice;
}

static inline loom_addr loom_map_local(const struct loom_map_ops *ops,
                                       struct loom_policy *map,
                                       loom_addr address)
{
    struct loom_place place;

    if (LOOM_LIKELY(ops->local != NULL)) {
        return ops->local(map, address);
    }
    ops->map(map, address, &place);
    return place.local;
}

/* Of *place only bank, row and column are meant. */
static inline void loom_map_cell(const struct loom_map_ops *ops,
                                 struct loom_policy *map, loom_addr address,
                                 struct loom_place *place)
{
    if (LOOM_LIKELY(ops->cell != NULL)) {
        ops->cell(map, address, place);
    } else {
        ops->map(map, address, place);
    }
}

struct loom_schedule_entry {
    uint64_t order; /* sequence number of arrival */
    uint32_t row;
    uint8_t bank;
};

/* A channel's queue: up to 64 requests, one bit each.  Of a longer one those
 * that may be next: of each bank the oldest, the oldest read and the oldest
 * write of the open row (and of those for other rows, where reads and writes
 * have places of their own). */
struct loom_schedule_view {
    uint64_t waiting;   /* entries in use */
    uint64_t writes;    /* of these, writes */
    uint64_t hits;      /* its row is open in its bank */
    uint64_t column;    /* its read or write may be issued in this cycle */
    uint64_t activate;  /* its bank is closed and ACT may be issued */
    uint64_t precharge; /* its bank has another row open and PRE may be issued
                         */
    uint64_t kept;      /* of precharge: a request still waits for the row that
                         * is open */
    loom_cycle now;
    const struct loom_schedule_entry *entry; /* [64] */
    const uint64_t *before; /* [64]: the waiting entries that arrived before
                             * that one; and bits of entries that do not wait */
    uint32_t oldest;        /* of the waiting entries; set when pick is asked */
};

/* The oldest entry of `among`, which are waiting and not none.  Each step keeps
 * those that are older than one of them, half of them on average. */
static inline uint32_t loom_schedule_oldest(const struct loom_schedule_view *v,
                                            uint64_t among)
{
    uint32_t entry = loom_lowest(among);

    for (among &= v->before[entry]; among != 0; among &= v->before[entry]) {
        entry = loom_lowest(among);
    }
    return entry;
}

/* First ready, first come, first served: the oldest whose column may be read
 * or written; then the oldest that needs a row which nobody else loses by it.
 * UINT32_MAX: none. */
static inline uint32_t
loom_schedule_first_ready(const struct loom_schedule_view *v)
{
    uint64_t among = v->column;

    if (among == 0) {
        among = v->activate | (v->precharge & ~v->kept);
    }
    return among != 0 ? loom_schedule_oldest(v, among) : UINT32_MAX;
}

struct loom_schedule_shape {
    uint32_t banks, groups;
    uint32_t entries;       /* of the queue, all of them */
    uint32_t write_entries; /* of these, for writes alone; 0: they share */
    bool dual;              /* a command bus each for rows and for columns */
    bool low_groups; /* a bank's group: its low bits, else its high ones */
    uint32_t ras;    /* cycles from an activate to the row's precharge */
    uint32_t rcd;    /* and to its first column, read or write */
};

#define LOOM_SCHEDULE_NONE UINT32_MAX

/* A request that has no entry. */
struct loom_schedule_request {
    uint64_t order; /* sequence number of arrival, or of being assigned */
    uint32_t row;
    uint32_t next; /* of its bank, or line; younger; LOOM_SCHEDULE_NONE */
    uint8_t bank;
    bool write;
};

/* The queue of a channel whose policy takes requests out of it, or assigns
 * them to their banks. */
struct loom_schedule_queue {
    uint64_t banks;        /* that have requests in it */
    const uint32_t *first; /* [banks] the oldest request of each of these */
    const struct loom_schedule_request *request;
    uint32_t line[2];       /* not assigned: the oldest read and write */
    uint32_t reads, writes; /* in the queue */
};

struct loom_schedule_ops {
    bool (*bind)(struct loom_policy *self,
                 const struct loom_schedule_shape *shape,
                 struct loom_error *err); /* optional */
    /* The entry whose next command is issued: a bit of column, activate or
     * precharge; UINT32_MAX for none.  A policy that declines is asked
     * again when a request arrives or another command becomes possible; if
     * its answer changes with time alone it must set a timer.  With a dual
     * command bus it is asked twice in a cycle.  Required. */
    uint32_t (*pick)(struct loom_policy *self,
                     const struct loom_schedule_view *view);
    /* Which request of the queue is taken out of it, gives its place free and
     * waits for commands from this cycle on?  LOOM_SCHEDULE_NONE: none.  Asked
     * once in a cycle, before pick, after something has arrived, was taken or
     * was served.  Optional: then all requests wait for commands at once. */
    uint32_t (*take)(struct loom_policy *self,
                     const struct loom_schedule_queue *queue);
    /* Which request of the queue's two lines is assigned to its bank, gives
     * its place free and may have commands from the next cycle on?
     * LOOM_SCHEDULE_NONE: none.  Asked once in a cycle, at its end, after
     * something has arrived, was assigned or was served.  Optional: then all
     * are assigned when they arrive. */
    uint32_t (*assign)(struct loom_policy *self,
                       const struct loom_schedule_queue *queue);
    /* How many requests may be assigned at a time?  Required with `assign`,
     * asked before bind. */
    uint32_t (*assigned)(const struct loom_policy *self,
                         const struct loom_schedule_shape *shape);
    /* Asked once, before bind: does a request give its place free when a row is
     * opened for it?  It is the only one of its bank then.  Optional; without
     * it the answer is no. */
    bool (*leaves)(const struct loom_policy *self);
    /* Asked once, after bind: is pick asked for a column command after a row
     * command of the same cycle, too, where they share a bus?  Optional;
     * without it the answer is no. */
    bool (*both)(const struct loom_policy *self);
    /* A hint, asked once, after bind: does pick always answer as
     * loom_schedule_first_ready() does, and need no events for that?  Then
     * neither is called, and the masks of the view may be 0 where that function
     * does not look.  Optional; without it the answer is no. */
    bool (*first_ready)(const struct loom_policy *self);
    /* Events; optional.  An entry arrives when it is accepted or taken. */
    void (*arrived)(struct loom_policy *self, uint32_t entry, uint32_t bank,
                    uint32_t row, bool write);
    void (*served)(struct loom_policy *self, uint32_t entry);
    /* At the end of a cycle in which the queue has changed: how many reads and
     * writes have a place in it.  Told by channels whose queue is longer than
     * 64, or whose policy has `assign` or `leaves`.  Optional. */
    void (*queued)(struct loom_policy *self, uint32_t reads, uint32_t writes);
};

#endif
