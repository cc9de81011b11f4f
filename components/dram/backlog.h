/*
 * Requests on their way into the queue of a DRAM channel, and those that a
 * policy has not taken out of it yet.
 */
#ifndef COMPONENTS_DRAM_BACKLOG_H
#define COMPONENTS_DRAM_BACKLOG_H

#include "policies/dram_hook.h"

enum {
    DRAM_BANKS = 64
};

struct dram;

/* What a reply needs to know but its record. */
struct dram_way {
    uint32_t record;
    uint8_t port;
    bool silent; /* a write-back: nobody is told */
};

/* A request as it is queued; `order`: its place in the order of arrival. */
struct dram_enter {
    struct dram_way way;
    uint64_t order;
    uint32_t bank, row, column, bytes;
    bool write;
};

/* What a request in the backlog needs beside its record. */
struct dram_later {
    struct dram_way way;
    uint32_t bytes, column;
};

/* Accepted, but for `delay` cycles not in the queue. */
struct dram_delayed {
    loom_cycle ready;
    struct dram_enter in;
};

struct dram_backlog {
    /* If the policy takes requests. */
    struct loom_schedule_queue queue;
    struct dram_later *later;              /* [records] or NULL */
    struct loom_schedule_request *request; /* [records] */
    uint32_t oldest[DRAM_BANKS], youngest[DRAM_BANKS];
    uint32_t reads, writes; /* in the queue */
    /* Accepted, not yet in the queue: a ring. */
    struct dram_delayed *delayed; /* [limit] */
    uint32_t head, count;
    uint32_t accepted, limit; /* until they have left */
};

/* It waits for commands from `from` on, in entry `number`. */
void dram_enter(struct dram *dram, const struct dram_enter *in, uint32_t number,
                loom_cycle from);
/* A request is queued. */
void dram_queue(struct dram *dram, struct dram_enter *in, loom_cycle now);

bool dram_backlog_init(struct dram *dram, uint32_t records);
bool dram_delay_init(struct dram *dram);
void dram_delay(struct dram *dram, const struct dram_enter *in, loom_cycle now);
/* Queues the first of those that are delayed, if it is time and there is room;
 * returns when the next one's time is. */
loom_cycle dram_undelay(struct dram *dram, loom_cycle now);
/* Is there room in the queue for a read or a write? */
bool dram_backlog_room(const struct dram *dram, bool write);
void dram_put_off(struct dram *dram, const struct dram_enter *in);
/* The policy may take a request. */
void dram_take(struct dram *dram, loom_cycle now);

#endif
