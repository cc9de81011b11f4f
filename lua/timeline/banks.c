/*
 * DRAM channels: which row of a bank is open, the commands, and requests from
 * arrival to the end of their data.
 */
#include "lua/timeline/timeline_private.h"

static void close_row(struct timeline *t, struct tl_channel *channel,
                      uint32_t bank, loom_time now)
{
    if (bank < TL_BANKS) {
        tl_span_end(t, &channel->row[bank], now);
    }
}

static void open_row(struct timeline *t, struct tl_probe *probe,
                     const struct loom_command_event *event, loom_time now)
{
    struct tl_span *row = &probe->channel->row[event->bank];

    *row = (struct tl_span){
        .row = {TL_PID_PART + probe->part, TL_TID_BANK + event->bank},
        .start = now,
        .live = true,
    };
    snprintf(row->name, sizeof(row->name), "row %u", event->row);
    tl_span_begin(t, row);
}

static void put_command(struct timeline *t, const struct tl_probe *probe,
                        uint32_t tid, const char *name, loom_cycle cycle)
{
    struct tl_row row = {TL_PID_PART + probe->part, tid};

    tl_slice(&t->out, row, tl_time(probe, cycle), tl_time(probe, cycle + 1),
             name);
}

void tl_command(struct tl_probe *probe, const struct loom_command_event *event)
{
    struct timeline *t = probe->timeline;
    loom_time now = tl_time(probe, event->now);
    uint32_t tid = TL_TID_BANK + event->bank;

    if (!tl_in_window(t, now) || event->bank >= TL_BANKS ||
        !tl_may_write(&t->out)) {
        if (now > t->to && !probe->channel->left) {
            probe->channel->left = true;
            for (uint32_t i = 0; i < TL_BANKS; i++) {
                close_row(t, probe->channel, i, t->to);
            }
        }
        return;
    }
    tl_reach(&t->out, now);
    switch (event->command) {
    case LOOM_DRAM_ACT:
        open_row(t, probe, event, now);
        break;
    case LOOM_DRAM_PRE:
        close_row(t, probe->channel, event->bank, now);
        break;
    case LOOM_DRAM_RD:
        put_command(t, probe, tid, "RD", event->now);
        break;
    case LOOM_DRAM_WR:
        put_command(t, probe, tid, "WR", event->now);
        break;
    case LOOM_DRAM_REFB:
        put_command(t, probe, tid, "REF", event->now);
        break;
    case LOOM_DRAM_REF:
        put_command(t, probe, TL_TID_ALL_BANKS, "REF", event->now);
        break;
    case LOOM_DRAM_PREA:
        for (uint32_t i = 0; i < TL_BANKS; i++) {
            close_row(t, probe->channel, i, now);
        }
        break;
    }
}

static void put_request(struct tl_probe *probe,
                        const struct loom_mem_request *r,
                        const loom_time time[3])
{
    static const char *const names[LOOM_MEM_KINDS] = {
        "read", "write", "atomic", "write-back", "query", "flush"};
    struct timeline *t = probe->timeline;
    struct tl_row row = {TL_PID_PART + probe->part, TL_TID_REQUEST};
    uint32_t lane = tl_lane(&t->out, &probe->channel->lanes, row, "requests",
                            time[0], time[2]);

    if (lane == TL_LANES) {
        t->left_out++;
        return;
    }
    row.tid += lane;
    tl_open(&t->out, row, time[0], time[2], names[r->kind]);
    tl_number(&t->out, "block", r->block);
    tl_number(&t->out, "bytes", r->size_bytes);
    tl_close(&t->out);
    tl_part(&t->out, row, time[0], time[1], "queue");
    tl_part(&t->out, row, time[1], time[2], "data");
}

void tl_served(struct tl_probe *probe, const struct loom_mem_request *r,
               const loom_cycle at[3])
{
    struct timeline *t = probe->timeline;
    struct tl_access *access = tl_find(t, r, false);
    uint32_t sectors = r->sectors != 0 ? r->sectors : 1;
    loom_time time[3];

    for (uint32_t i = 0; i < 3; i++) {
        time[i] = tl_time(probe, at[i]);
    }
    for (; access != NULL && sectors != 0; sectors &= sectors - 1) {
        struct tl_sector *sector =
            &access->sector[loom_lowest(sectors) % TL_SECTORS];

        sector->queued = time[0];
        sector->column = time[1];
        sector->data = time[2];
    }
    if (time[0] >= t->from && time[2] <= t->to && tl_may_write(&t->out) &&
        (access != NULL || (t->kernel == NULL && t->launch == UINT64_MAX))) {
        put_request(probe, r, time);
    }
}

void tl_banks_finish(struct timeline *t, loom_time at)
{
    for (uint32_t i = 0; i < t->parts; i++) {
        for (uint32_t k = 0; t->channel[i] != NULL && k < TL_BANKS; k++) {
            close_row(t, t->channel[i], k, at);
        }
    }
}
