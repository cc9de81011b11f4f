/*
 * Replies of a DRAM channel.
 *
 * Data passes in the order of the commands, so the return queue is a FIFO.
 */
#include "engine/free_list.h"

#include "components/dram/dram_private.h"

static inline uint32_t back_place(const struct dram *dram, uint32_t number)
{
    uint32_t place = dram->back_head + number;

    return place < dram->back_size ? place : place - dram->back_size;
}

void dram_send_back(struct dram *dram, struct dram_way way, loom_cycle ready)
{
    struct dram_return *back = &dram->back[back_place(dram, dram->back_count)];

    LOOM_CHECK(dram->back_count < dram->back_size);
    ready = ready > dram->back_last ? ready : dram->back_last;
    back->ready = ready;
    back->way = way;
    dram->back_last = ready;
    dram->back_at = dram->back_count == 0 ? ready : dram->back_at;
    dram->back_count++;
}

/* The first reply has left. */
static inline void drop_back(struct dram *dram, loom_cycle now)
{
    const struct dram_way way = dram->back[dram->back_head].way;
    uint32_t number = way.record;
    struct dram_record *record = &dram->record[number];
    uint64_t cycles = now + dram->lead - record->arrived;
    uint32_t kind = record->request.kind;

    if (LOOM_UNLIKELY(way.posted)) {
        dram->sum.posted += way.silent ? 1 : 0;
        kind = way.silent ? kind : LOOM_MEM_QUERY; /* counts as an answer */
    }
    switch ((enum loom_mem_kind)kind) {
    case LOOM_MEM_LOAD:
    case LOOM_MEM_ATOMIC:
        loom_histogram_add(&dram->stats->read_latency, cycles);
        break;
    case LOOM_MEM_STORE:
    case LOOM_MEM_WRITEBACK:
        loom_histogram_add(&dram->stats->write_latency, cycles);
        break;
    case LOOM_MEM_QUERY:
        dram->sum.answers++;
        break;
    case LOOM_MEM_FLUSH:
    case LOOM_MEM_KINDS:
        break;
    }
    if (dram->back_count == dram->back_size && dram->queued != 0) {
        dram->command_at = now; /* columns were held back */
    }
    record->next = loom_free_link(number, dram->free);
    dram->free = number;
    if (LOOM_UNLIKELY(dram->admits) && kind != LOOM_MEM_QUERY) {
        dram->backlog.accepted--;
    }
    dram->back_head = back_place(dram, 1);
    dram->back_count--;
    dram->back_at =
        dram->back_count == 0 ? LOOM_NEVER : dram->back[dram->back_head].ready;
}

bool dram_reply(struct dram *dram, loom_cycle now)
{
    while (dram->back_at <= now) {
        const struct dram_return *back = &dram->back[dram->back_head];
        struct loom_channel *out = dram->port[back->way.port].out;

        if (back->way.silent) {
            dram->sum.writebacks += back->way.posted ? 0 : 1;
            drop_back(dram, now);
            continue;
        }
        if (loom_ready(out, now)) {
            struct loom_mem_request *answer = loom_send(out, now, 0);

            loom_mem_copy(answer, &dram->record[back->way.record].request);
            answer->flags |= LOOM_MEM_REPLY;
            drop_back(dram, now);
            return true;
        }
        return false;
    }
    return true;
}
