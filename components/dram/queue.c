/*
 * The request queue of a DRAM channel.
 *
 * A request occupies its entry until its last column command; from then on it
 * waits in the return queue until its data has passed and the reply has left.
 * Reads and writes share the entries unless `write_entries` sets some aside
 * for writes; then a request that finds no room holds up those behind it.  With
 * a `delay`, a request that is accepted comes into the queue later.
 *
 * Invariant: every accepted request is in exactly one of the two queues, and
 * has a record.
 */
#include "engine/free_list.h"

#include "components/dram/entry.h"

static inline bool writes(const struct loom_mem_request *request)
{
    const uint32_t kinds = 1u << LOOM_MEM_STORE | 1u << LOOM_MEM_WRITEBACK;

    return (kinds >> request->kind & 1) != 0;
}

/* Writes down a request that is accepted. */
static inline struct dram_way take_down(struct dram *dram, uint32_t port,
                                        const struct loom_mem_request *request,
                                        loom_cycle now)
{
    uint32_t number = dram->free;
    struct dram_record *record = &dram->record[number];

    dram->free = loom_free_next(number, record->next);

    loom_mem_copy(&record->request, request);
    record->arrived = now;
    return (struct dram_way){
        .record = number,
        .port = (uint8_t)port,
        .silent = !loom_mem_replied((enum loom_mem_kind)request->kind),
    };
}

/* A request is queued, in entry `number` if no policy takes requests. */
static LOOM_INLINE void queue(struct dram *dram, struct dram_enter *in,
                              uint32_t number, loom_cycle now)
{
    dram_count_occupancy(dram, now);
    if (dram->queued == 0 && dram->closing == 0) {
        if (dram->refresh_at <= now) {
            dram_refresh_idle(dram, now);
        }
        dram->command_at = LOOM_NEVER;
    }
    in->order = dram->sequence++;
    dram->queued++;

    dram->sum.write_requests += in->write ? 1 : 0;
    if (LOOM_UNLIKELY(dram->paced)) {
        dram_count_queue(dram, in->write, 1);
    }
    if (LOOM_UNLIKELY(dram->takes)) {
        dram_put_off(dram, in);
        dram->taking = true;
    } else if (LOOM_UNLIKELY(dram->deep)) {
        dram_deep_queue(dram, in);
    } else {
        dram_enter(dram, in, number, now + 1);
    }
}

/* ---- accepted, but not yet in the queue ---- */

void dram_delay_init(struct dram *dram)
{
    const struct dram_config *config = dram->config;

    dram->admits = config->delay != 0;
    dram->paced = dram->takes || dram->admits || dram->deep;
    dram->backlog.limit = config->queue_entries + config->write_entries +
                          config->return_entries + 1;
    if (dram->admits) {
        dram->backlog.delayed = loom_alloc(dram->self, dram->backlog.limit,
                                           sizeof(*dram->backlog.delayed));
    }
}

static uint32_t delayed_place(const struct dram *dram, uint32_t number)
{
    uint32_t place = dram->backlog.head + number;

    return place < dram->backlog.limit ? place : place - dram->backlog.limit;
}

static void delay(struct dram *dram, const struct dram_enter *in,
                  loom_cycle now)
{
    struct dram_delayed *delayed =
        &dram->backlog.delayed[delayed_place(dram, dram->backlog.count)];

    LOOM_CHECK(dram->backlog.count < dram->backlog.limit);
    delayed->ready = now + dram->config->delay;
    delayed->in = *in;
    dram->backlog.count++;
    dram->backlog.accepted++;
}

/* A request is queued whose time has come. */
static void queue_late(struct dram *dram, struct dram_enter *in, loom_cycle now)
{
    uint64_t free = ~dram->view.waiting;

    free &= in->write ? dram->write_usable : dram->usable;
    dram->record[in->way.record].arrived = now;
    queue(dram, in, free != 0 ? loom_lowest(free) : 0, now);
}

loom_cycle dram_undelay(struct dram *dram, loom_cycle now)
{
    struct dram_delayed *delayed = &dram->backlog.delayed[dram->backlog.head];

    if (delayed->ready > now) {
        return delayed->ready;
    }
    if (!dram_has_place(dram, delayed->in.write)) {
        return LOOM_NEVER; /* until one leaves the queue */
    }
    queue_late(dram, &delayed->in, now);
    dram->backlog.head = delayed_place(dram, 1);
    dram->backlog.count--;
    return dram->backlog.count != 0 ? now + 1 : LOOM_NEVER;
}

/* ---- requests that arrive ---- */

static LOOM_NOINLINE bool lost(const struct dram *dram, loom_addr address,
                               uint32_t bank)
{
    struct loom_error err;

    loom_fail(&err, LOOM_ERR_CONFIG,
              "the map put address 0x%llx in bank %u, but parameter 'banks' "
              "is %u",
              (unsigned long long)address, bank, dram->banks);
    loom_fail_at(&err, loom_component_path(dram->self));
    loom_raise(dram->self, &err);
    return false;
}

bool dram_locate(struct dram *dram, const struct loom_mem_request *request,
                 struct loom_place *place)
{
    loom_addr address = request->block;

    if (request->sectors != 0) {
        address += LOOM_SECTOR_BYTES * loom_lowest(request->sectors);
    }
    loom_map_cell(dram->map_ops, dram->map, address, place);
    return LOOM_LIKELY(place->bank < dram->banks) ||
           lost(dram, address, place->bank);
}

/* A policy may ask another further down; here nobody answers. */
static LOOM_NOINLINE void answer_query(struct dram *dram,
                                       const struct loom_mem_request *request,
                                       uint32_t port, loom_cycle now)
{
    loom_cycle ready = now + 1 + dram->config->latency;

    dram->stats->queries++;
    dram_send_back(dram, take_down(dram, port, request, now),
                   ready - dram->lead);
}

/* Answers a write before it is done. */
static LOOM_NOINLINE void post(struct dram *dram,
                               const struct loom_mem_request *request,
                               uint32_t port, loom_cycle now)
{
    struct dram_way way;

    if (loom_mem_replied((enum loom_mem_kind)request->kind)) {
        way = take_down(dram, port, request, now);
        way.posted = true;
        dram_send_back(dram, way, now + 1 + dram->config->latency - dram->lead);
    }
}

/* A request into entry `number`; false if it has no place in the DRAM. */
static inline bool take(struct dram *dram, uint32_t port, uint32_t number,
                        bool write, loom_cycle now)
{
    const struct loom_mem_request *request = dram->port[port].first;
    struct loom_place place;
    struct dram_enter in;

    LOOM_CHECK(request->kind < LOOM_MEM_FLUSH);
    if (!dram_locate(dram, request, &place)) {
        return false;
    }
    if (LOOM_UNLIKELY(dram->posts) && write) {
        post(dram, request, port, now);
    }
    in = (struct dram_enter){
        .way = take_down(dram, port, request, now),
        .bank = place.bank,
        .row = place.row,
        .column = place.column,
        .bytes = request->size_bytes,
        .write = write,
    };
    if (LOOM_UNLIKELY(dram->posts) && write && !in.way.silent) {
        in.way.silent = in.way.posted = true;
    }
    if (LOOM_UNLIKELY(dram->admits)) {
        delay(dram, &in, now);
    } else {
        queue(dram, &in, number, now);
    }
    return true;
}

static inline void look(struct dram *dram, uint32_t port, loom_cycle now)
{
    const struct loom_mem_request *request =
        loom_peek(dram->port[port].in, now);
    uint32_t bit = 1u << port;

    if (request == NULL) {
        return;
    }
    dram->port[port].first = request;
    dram->arrived |= bit;
    dram->storing &= ~bit;
    if (writes(request)) {
        dram->storing |= bit;
    } else if (LOOM_UNLIKELY(request->kind == LOOM_MEM_QUERY)) {
        dram->asking |= bit;
    }
}

void dram_look(struct dram *dram, uint64_t ports, loom_cycle now)
{
    for (; ports != 0; ports &= ports - 1) {
        look(dram, loom_lowest(ports), now);
    }
}

void dram_accept(struct dram *dram, uint32_t ports, uint64_t free,
                 loom_cycle now)
{
    uint32_t later = ports >> dram->turn << dram->turn;
    uint32_t port = loom_lowest(later != 0 ? later : ports);
    uint32_t bit = 1u << port;

    if (LOOM_UNLIKELY((dram->asking & bit) != 0)) {
        answer_query(dram, dram->port[port].first, port, now);
        dram->asking &= ~bit;
    } else {
        bool write = (dram->storing & bit) != 0;

        free &= write ? dram->write_usable : dram->usable;
        if (!take(dram, port, free != 0 ? loom_lowest(free) : 0, write, now)) {
            return;
        }
    }
    dram->arrived &= ~bit;
    loom_pop(dram->port[port].in, now);
    dram->turn = (uint8_t)(port + 1u < dram->ports ? port + 1 : 0);
    look(dram, port, now);
}
