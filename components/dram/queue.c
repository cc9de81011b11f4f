/*
 * The request queue of a DRAM channel.
 *
 * A request occupies its entry until its last column command; from then on it
 * waits in the return queue until its data has passed and the reply has left.
 * Reads and writes share the entries unless `write_entries` sets some aside
 * for writes; then a request that finds no room holds up those behind it.
 *
 * Invariant: every accepted request is in exactly one of the two queues.
 */
#include "components/dram/legal.h"

static bool bind_watchers(struct loom_component *self, struct dram *dram,
                          struct loom_error *err)
{
    const struct dram_config *config = dram->config;
    const struct loom_commands_shape shape = {
        .channel = loom_component_index(self),
        .banks = config->banks,
        .groups = config->bank_groups,
        .low_groups = config->group_bits[0] == 'l',
    };

    dram->watchers = loom_slot(self, "commands");
    for (uint32_t i = 0; i < loom_chain(&dram->watchers); i++) {
        const struct loom_commands_ops *ops = dram->watchers.item[i].ops;

        if (ops->bind != NULL &&
            !ops->bind(dram->watchers.item[i].policy, &shape, err)) {
            return false;
        }
    }
    return true;
}

bool dram_bind(struct loom_component *self, struct loom_error *err)
{
    const struct dram_config *config = loom_config(self);
    struct dram *dram = loom_state(self);
    struct loom_binding map = loom_slot(self, "map");
    struct loom_binding schedule = loom_slot(self, "schedule");
    const struct loom_map_shape map_shape = {config->channels,
                                             config->slices_per_channel};
    struct loom_binding page = loom_slot(self, "page");
    const struct loom_schedule_shape shape = {
        config->banks, config->bank_groups,
        config->queue_entries + config->write_entries};

    dram->map = map.item[0].policy;
    dram->map_ops = map.item[0].ops;
    dram->schedule = schedule.item[0].policy;
    dram->schedule_ops = schedule.item[0].ops;
    if (page.count != 0) {
        dram->page = page.item[0].policy;
        dram->page_ops = page.item[0].ops;
    }
    dram->ports = loom_port_count(self, "up");
    for (uint32_t i = 0; i < dram->ports; i++) {
        dram->in[i] = loom_port_in(self, "up", i);
        loom_watch(dram->in[i], &dram->arriving, loom_bit(i));
        dram->out[i] = loom_port_out(self, "up", i);
    }
    dram->view.order = dram->order;
    dram->view.newer = dram->newer;
    dram->view.bank = dram->bank_of;
    dram->view.row = dram->row_of;
    if (dram->map_ops->bind != NULL &&
        !dram->map_ops->bind(dram->map, &map_shape, err)) {
        return false;
    }
    if (dram->schedule_ops->bind != NULL &&
        !dram->schedule_ops->bind(dram->schedule, &shape, err)) {
        return false;
    }
    if (!bind_watchers(self, dram, err)) {
        return false;
    }
    dram->spares_rows = dram->schedule_ops->spares_rows != NULL &&
                        dram->schedule_ops->spares_rows(dram->schedule);
    return true;
}

void dram_count_occupancy(struct dram *dram, loom_cycle now)
{
    dram->stats->queue_cycles +=
        loom_popcount(dram->waiting) * (now - dram->counted);
    dram->counted = now;
}

/* ---- requests ---- */

/* Waiting entries form a list in order of arrival. */

void dram_leave_line(struct dram *dram, uint32_t number)
{
    struct loom_schedule_view *view = &dram->view;
    uint32_t newer = dram->newer[number], older = dram->older[number];

    if (number == view->oldest) {
        view->oldest = newer;
    } else if (number == dram->newest) {
        dram->newest = older;
    } else {
        dram->newer[older] = (uint8_t)newer;
        dram->older[newer] = (uint8_t)older;
    }
}

static void line_up(struct dram *dram, uint32_t number)
{
    struct loom_schedule_view *view = &dram->view;

    if (dram->waiting == 0) {
        view->oldest = number;
    } else {
        dram->newer[dram->newest] = (uint8_t)number;
        dram->older[number] = (uint8_t)dram->newest;
    }
    dram->newest = number;
}

static bool writes(const struct loom_mem_request *request)
{
    return request->kind == LOOM_MEM_STORE ||
           request->kind == LOOM_MEM_WRITEBACK;
}

/* Free entries for a request. */
static uint64_t free_for(const struct dram *dram,
                         const struct loom_mem_request *request)
{
    uint64_t usable = writes(request) ? dram->write_usable : dram->usable;

    return usable & ~dram->waiting;
}

static void enter(struct dram *dram, const struct loom_mem_request *request,
                  uint32_t number, const struct loom_place *place,
                  uint32_t port)
{
    struct dram_entry *entry = &dram->entry[number];
    struct dram_bank *bank = &dram->bank[place->bank];
    bool write = writes(request);
    uint32_t atom = dram->t.atom_bytes;
    uint64_t bit = loom_bit(number);

    entry->request = *request;
    entry->port = port;
    entry->left = (request->size_bytes + atom - 1) / atom;
    entry->left = entry->left == 0 ? 1 : entry->left;
    entry->column = place->column;
    dram->order[number] = dram->sequence++;
    line_up(dram, number);
    dram->bank_of[number] = place->bank;
    dram->row_of[number] = place->row;
    dram->waiting |= bit;
    dram->writes |= write ? bit : 0;
    bank->entries |= bit;
    if (bank->open && bank->row == place->row) {
        bank->hits |= bit;
        dram->hits |= bit;
        bank->close_at = LOOM_NEVER;
        dram->closing &= ~loom_bit(place->bank);
    }
    dram_classify(dram, place->bank);
    dram->stats->read_requests += write ? 0 : 1;
    dram->stats->write_requests += write ? 1 : 0;
    if (dram->schedule_ops->arrived != NULL) {
        dram->schedule_ops->arrived(dram->schedule, number, place->bank,
                                    place->row, write);
    }
}

static bool locate(struct loom_component *self, struct dram *dram,
                   const struct loom_mem_request *request,
                   struct loom_place *place)
{
    loom_addr address = request->block;
    struct loom_error err;

    if (request->sectors != 0) {
        address += LOOM_SECTOR_BYTES * loom_lowest(request->sectors);
    }
    dram->map_ops->map(dram->map, address, place);
    if (place->bank < dram->config->banks) {
        return true;
    }
    loom_fail(&err, LOOM_ERR_CONFIG,
              "the map put address 0x%llx in bank %u, but parameter 'banks' "
              "is %u",
              (unsigned long long)address, place->bank, dram->config->banks);
    loom_fail_at(&err, loom_component_path(self));
    loom_raise(self, &err);
    return false;
}

/* A policy may ask another further down; here nobody answers. */
static bool answer_query(struct dram *dram,
                         const struct loom_mem_request *request, uint32_t port,
                         loom_cycle now)
{
    const struct dram_entry entry = {
        .request = *request, .arrived = now, .port = port};

    if (dram->back_count == dram->config->return_entries) {
        return false;
    }
    dram->stats->queries++;
    dram_send_back(dram, &entry,
                   now + 1 + dram->config->latency - dram->config->reply_lead);
    dram->planned = false; /* perhaps that was the last place */
    loom_pop(dram->in[port], now);
    return true;
}

/* Takes one request from `port` if there is room for it. */
static bool take(struct loom_component *self, uint32_t port, loom_cycle now)
{
    struct dram *dram = loom_state(self);
    struct loom_channel *in = dram->in[port];
    const struct loom_mem_request *request = loom_peek(in, now);
    struct loom_place place;
    uint64_t free;
    uint32_t number;

    if (request == NULL) {
        return false;
    }
    if (request->kind == LOOM_MEM_QUERY) {
        return answer_query(dram, request, port, now);
    }
    LOOM_CHECK(request->kind < LOOM_MEM_FLUSH);
    free = free_for(dram, request) & dram->was_free;
    if (free == 0 || !locate(self, dram, request, &place)) {
        return false;
    }
    dram_count_occupancy(dram, now);
    if (dram->waiting == 0 && dram->closing == 0) {
        dram_refresh_idle(dram, now);
        dram->command_at = LOOM_NEVER;
    }
    number = loom_lowest(free);
    enter(dram, request, number, &place, port);
    dram->entry[number].arrived = now;
    loom_pop(in, now);
    dram_plan_entry(dram, number, now + 1);
    return true;
}

void dram_accept(struct loom_component *self, loom_cycle now)
{
    struct dram *dram = loom_state(self);
    uint64_t below = loom_bit(dram->turn) - 1;
    uint64_t rest = dram->arriving & ~below;

    for (int half = 0; half < 2; half++, rest = dram->arriving & below) {
        for (; rest != 0; rest &= rest - 1) {
            uint32_t port = loom_lowest(rest);

            if (take(self, port, now)) {
                if (loom_occupancy(dram->in[port]) == 0) {
                    dram->arriving &= ~loom_bit(port);
                }
                dram->turn = port + 1 < dram->ports ? port + 1 : 0;
                return;
            }
        }
    }
}

bool dram_pending(const struct dram *dram, loom_cycle now, bool *room)
{
    bool any = false;

    *room = false;
    for (uint64_t rest = dram->arriving; rest != 0; rest &= rest - 1) {
        struct loom_channel *in = dram->in[loom_lowest(rest)];
        const struct loom_mem_request *request = loom_peek(in, now);

        if (request != NULL) {
            any = true;
            *room = *room || free_for(dram, request) != 0;
        }
    }
    return any;
}
