/*
 * Requests that the policy has not taken yet.
 *
 * With a policy that takes requests, the queue is what it takes them from: a
 * list for each bank in order of arrival, whose places are free as soon as
 * their requests are taken.  Only those that are taken get entries, and with
 * them commands.  Without such a policy there is no backlog, but for long
 * queues (window.c).
 */
#include "components/dram/entry.h"

void dram_backlog_init(struct dram *dram, uint32_t records)
{
    dram->backlog.later =
        loom_alloc(dram->self, records, sizeof(*dram->backlog.later));
    dram->backlog.request =
        loom_alloc(dram->self, records, sizeof(*dram->backlog.request));
    dram->backlog.queue.first = dram->backlog.oldest;
    dram->backlog.queue.request = dram->backlog.request;
    dram->backlog.queue.line[0] = LOOM_SCHEDULE_NONE;
    dram->backlog.queue.line[1] = LOOM_SCHEDULE_NONE;
    dram->backlog.room[0] = dram->backlog.room[1] = true;
}

bool dram_has_place(const struct dram *dram, bool write)
{
    const struct dram_config *config = dram->config;
    const struct loom_schedule_queue *queue = &dram->backlog.queue;
    uint32_t shared = queue->reads;

    if (config->write_entries == 0) {
        shared += queue->writes;
    } else if (write) {
        return queue->writes < config->write_entries;
    }
    return shared < config->queue_entries;
}

bool dram_backlog_room(const struct dram *dram, bool write, bool late)
{
    bool limited =
        dram->admits && dram->backlog.accepted >= dram->backlog.limit;

    if (dram->deep && !late && !dram->leaves && !dram->admits) {
        return dram->backlog.room[write ? 1 : 0];
    }
    return !limited && dram_has_place(dram, write);
}

void dram_put_off(struct dram *dram, const struct dram_enter *in)
{
    uint32_t number = in->way.record;

    dram->backlog.later[number] = (struct dram_later){
        .way = in->way, .bytes = in->bytes, .column = in->column};
    dram->backlog.request[number] = (struct loom_schedule_request){
        .order = in->order,
        .row = in->row,
        .next = LOOM_SCHEDULE_NONE,
        .bank = (uint8_t)in->bank,
        .write = in->write,
    };
    if ((dram->backlog.queue.banks >> in->bank & 1) != 0) {
        dram->backlog.request[dram->backlog.youngest[in->bank]].next = number;
    } else {
        dram->backlog.oldest[in->bank] = number;
    }
    dram->backlog.youngest[in->bank] = number;
    dram->backlog.queue.banks |= loom_bit(in->bank);
}

static void unlink_it(struct dram *dram, uint32_t number)
{
    const struct loom_schedule_request *request =
        &dram->backlog.request[number];
    uint32_t *at = &dram->backlog.oldest[request->bank];
    uint32_t before = LOOM_SCHEDULE_NONE;

    while (*at != number) {
        before = *at;
        LOOM_CHECK(before != LOOM_SCHEDULE_NONE);
        at = &dram->backlog.request[before].next;
    }
    *at = request->next;
    if (request->next == LOOM_SCHEDULE_NONE) {
        dram->backlog.youngest[request->bank] = before;
    }
    if (dram->backlog.oldest[request->bank] == LOOM_SCHEDULE_NONE) {
        dram->backlog.queue.banks &= ~loom_bit(request->bank);
    }
}

void dram_take_out(struct dram *dram, uint32_t number, struct dram_enter *in)
{
    const struct loom_schedule_request *request =
        &dram->backlog.request[number];
    const struct dram_later *later = &dram->backlog.later[number];

    *in = (struct dram_enter){
        .way = later->way,
        .order = request->order,
        .bank = request->bank,
        .row = request->row,
        .column = later->column,
        .bytes = later->bytes,
        .write = request->write,
    };
    unlink_it(dram, number);
}

void dram_take(struct dram *dram, loom_cycle now)
{
    uint64_t free = ~dram->view.waiting;
    uint32_t number;

    if (free == 0) {
        return; /* until one is served */
    }
    number = dram->schedule_ops->take(dram->schedule, &dram->backlog.queue);
    if (number != LOOM_SCHEDULE_NONE) {
        struct dram_enter in;

        dram_take_out(dram, number, &in);
        dram_count_queue(dram, in.write, -1);
        dram_enter(dram, &in, loom_lowest(free), now);
    }
    dram->taking =
        number != LOOM_SCHEDULE_NONE && dram->backlog.queue.banks != 0;
}
