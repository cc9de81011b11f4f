/*
 * Requests of a DRAM channel, from their port to their reply.
 */
#ifndef COMPONENTS_DRAM_REQUESTS_H
#define COMPONENTS_DRAM_REQUESTS_H

#include "engine/component.h"

#include "policies/dram_hook.h"

enum {
    DRAM_BANKS = 64,
    DRAM_LINE = 64 /* bytes of a cache line */
};

struct dram;

/* What a reply needs to know but its record. */
struct dram_way {
    uint32_t record;
    uint8_t port;
    bool silent; /* a write-back: nobody is told */
    bool posted; /* the answer to a write that is queued; or, if it is silent,
                  * the write that was answered */
};

/* An accepted request, until its reply leaves: two cache lines, which are
 * needed at both ends only. */
struct dram_record {
    _Alignas(DRAM_LINE) loom_cycle arrived;
    uint32_t next; /* free record: engine/free_list.h */
    struct loom_mem_request request;
};

/* A request that waits for commands. */
struct dram_wait {
    struct dram_way way;
    uint16_t left;   /* column commands still to issue */
    bool out;        /* it has no place in the queue any more */
    uint32_t column; /* of the next one */
};

/* A request whose last column command is out. */
struct dram_return {
    loom_cycle ready; /* when the reply may leave */
    struct dram_way way;
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
    /* If it assigns them: what is not assigned, a line for reads and one for
     * writes, whose oldest are in `queue`. */
    uint32_t last[2];
    uint64_t assigned; /* so far */
    uint64_t stale;    /* banks whose entries are to be looked at */
    bool changed;      /* the number of those in the queue, in this cycle */
    bool room[2];      /* for a read and a write, when this cycle began */
    /* Accepted, not yet in the queue: a ring. */
    struct dram_delayed *delayed; /* [limit] */
    uint32_t head, count;
    uint32_t accepted, limit; /* until they have left */
};

/* ---- queue.c ---- */

/* Where a request's data is; false: the map names a bank that is not there,
 * which is raised. */
bool dram_locate(struct dram *dram, const struct loom_mem_request *request,
                 struct loom_place *place);
/* Have requests arrived at these ports? */
void dram_look(struct dram *dram, uint64_t ports, loom_cycle now);
/* Takes the first request of one of `ports`, which take turns, into an entry of
 * `free`.  There is room for each of them. */
void dram_accept(struct dram *dram, uint32_t ports, uint64_t free,
                 loom_cycle now);
void dram_delay_init(struct dram *dram);
/* Queues the first of those that are delayed, if it is time and there is room;
 * returns when the next one's time is. */
loom_cycle dram_undelay(struct dram *dram, loom_cycle now);

/* ---- window.c ---- */

void dram_deep_queue(struct dram *dram, const struct dram_enter *in);
/* The row of an entry's request was opened for it. */
void dram_deep_open(struct dram *dram, uint32_t number);
/* At the end of a cycle: assigns a request, brings those that may be next into
 * entries. */
void dram_deepen(struct dram *dram, loom_cycle now);

/* ---- backlog.c ---- */

/* Is there room but for what is under way? */
bool dram_has_place(const struct dram *dram, bool write);
void dram_backlog_init(struct dram *dram, uint32_t records);
/* Is there room in the queue for a read or a write?  A place that a command of
 * this cycle has freed counts if it is `late`, or with Ramulator's controller,
 * which fills it in the same cycle. */
bool dram_backlog_room(const struct dram *dram, bool write, bool late);
void dram_put_off(struct dram *dram, const struct dram_enter *in);
/* The policy may take a request. */
void dram_take(struct dram *dram, loom_cycle now);
/* Request `number` leaves the list of its bank; *in: what it needs. */
void dram_take_out(struct dram *dram, uint32_t number, struct dram_enter *in);

/* ---- back.c ---- */

void dram_send_back(struct dram *dram, struct dram_way way, loom_cycle ready);
/* Returns false if the oldest reply found no place in its channel, whose
 * credit then wakes us. */
bool dram_reply(struct dram *dram, loom_cycle now);

#endif
