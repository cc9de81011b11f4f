/*
 * The request queue of a DRAM channel.
 *
 * A request occupies its entry until its last column command; from then on it
 * waits in the return queue until its data has passed and the reply has left.
 * Reads and writes share the entries unless `write_entries` sets some aside
 * for writes; then a request that finds no room holds up those behind it.
 *
 * Invariant: every accepted request is in exactly one of the two queues, and
 * has a record.
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
    dram->watched = loom_chain(&dram->watchers) != 0;
    for (uint32_t i = 0; i < loom_chain(&dram->watchers); i++) {
        const struct loom_commands_ops *ops = dram->watchers.item[i].ops;

        if (ops->bind != NULL &&
            !ops->bind(dram->watchers.item[i].policy, &shape, err)) {
            return false;
        }
    }
    return true;
}

static struct loom_schedule_shape shape_of(const struct dram_config *config)
{
    return (struct loom_schedule_shape){
        .banks = config->banks,
        .groups = config->bank_groups,
        .entries = config->queue_entries + config->write_entries,
        .write_entries = config->write_entries,
        .dual = config->dual_bus,
        .low_groups = config->group_bits[0] == 'l',
        .ras = config->tras,
        .rcd = config->trcd > config->trcdwr ? config->trcd : config->trcdwr,
    };
}

uint32_t dram_ways_of_queue(struct loom_component *self)
{
    const struct dram_config *config = loom_config(self);
    struct loom_binding slot = loom_slot(self, "schedule");
    const struct loom_schedule_ops *ops = slot.item[0].ops;
    struct loom_policy *policy = slot.item[0].policy;
    const struct loom_schedule_shape shape = shape_of(config);
    struct dram *dram = loom_state(self);

    dram->takes = ops->take != NULL;
    dram->assigns = !dram->takes && ops->assign != NULL;
    dram->leaves = !dram->takes && ops->leaves != NULL && ops->leaves(policy);
    dram->deep = !dram->takes && (dram->assigns || dram->leaves ||
                                  shape.entries > DRAM_ENTRIES);
    if (dram->takes) {
        return DRAM_ENTRIES;
    }
    return (dram->assigns ? ops->assigned(policy, &shape) : 0) +
           (dram->leaves ? config->banks : 0);
}

bool dram_bind(struct loom_component *self, struct loom_error *err)
{
    const struct dram_config *config = loom_config(self);
    struct dram *dram = loom_state(self);
    struct loom_binding map = loom_slot(self, "map");
    struct loom_binding schedule = loom_slot(self, "schedule");
    const struct loom_map_shape map_shape = {
        config->channels, config->slices_per_channel, config->banks};
    struct loom_binding page = loom_slot(self, "page");
    const struct loom_schedule_shape shape = shape_of(config);

    dram->map = map.item[0].policy;
    dram->map_ops = map.item[0].ops;
    dram->schedule = schedule.item[0].policy;
    dram->schedule_ops = schedule.item[0].ops;
    if (page.count != 0) {
        dram->page = page.item[0].policy;
        dram->page_ops = page.item[0].ops;
    }
    dram->ports = (uint8_t)loom_port_count(self, "up");
    for (uint32_t i = 0; i < dram->ports; i++) {
        dram->port[i].in = loom_port_in(self, "up", i);
        loom_watch(dram->port[i].in, &dram->arriving, loom_bit(i));
        dram->port[i].out = loom_port_out(self, "up", i);
    }
    dram->view.entry = dram->entry;
    dram->view.before = dram->before;
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
    dram->columns_first = !dram->dual &&
                          dram->schedule_ops->columns_first != NULL &&
                          dram->schedule_ops->columns_first(dram->schedule);
    dram->first_ready = dram->schedule_ops->first_ready != NULL &&
                        dram->schedule_ops->first_ready(dram->schedule);
    dram->wants_events = dram->schedule_ops->wants_events == NULL ||
                         dram->schedule_ops->wants_events(dram->schedule);
    dram->both = dram->dual || (dram->schedule_ops->both != NULL &&
                                dram->schedule_ops->both(dram->schedule));
    dram->special = dram->both || dram->page_ops != NULL;
    return true;
}

/* ---- requests ---- */

/* Everyone who waits has arrived before entry `number`. */
static inline void line_up(struct dram *dram, uint32_t number)
{
    struct loom_schedule_view *view = &dram->view;
    uint64_t others = ~loom_bit(number);

    for (uint32_t i = 0; i < DRAM_ENTRIES; i++) {
        dram->before[i] &= others; /* of who had this place */
    }
    dram->before[number] = view->waiting & others;
}

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

    dram->free = record->next;

    loom_mem_copy(&record->request, request);
    record->arrived = now;
    return (struct dram_way){
        .record = number,
        .port = (uint8_t)port,
        .silent = !loom_mem_replied((enum loom_mem_kind)request->kind),
    };
}

static inline uint32_t columns_of(const struct dram *dram, uint32_t bytes)
{
    uint32_t atom = dram->atom_bytes;

    return bytes <= atom ? 1 : (bytes + atom - 1) / atom;
}

/* Entry `number` waits for a bank: for which command first?  Without branches:
 * nobody could guess. */
static inline enum dram_kind wait_for(struct dram *dram, uint32_t number,
                                      const struct dram_enter *in)
{
    struct dram_bank *bank = &dram->bank[in->bank];
    bool hit = bank->open & (bank->row == in->row);
    uint64_t of_bank = loom_bit(in->bank), bit = loom_bit(number);
    uint64_t of_hit = dram_bit_if(hit, in->bank);
    uint64_t of_write = of_hit & (0 - (uint64_t)in->write);
    uint64_t of_closed = dram_bit_if(!bank->open, in->bank);

    bank->entries |= bit;
    bank->hits |= dram_bit_if(hit, number);
    dram->view.hits |= dram_bit_if(hit, number);
    dram->closing &= ~of_hit;
    dram->closed_banks |= of_closed;
    dram->miss_banks |= of_bank & ~(of_closed | of_hit);
    dram->write_banks |= of_write;
    dram->read_banks |= of_hit & ~of_write;
    return (enum dram_kind)loom_choose(
        hit, (uint64_t)DRAM_RD + in->write,
        loom_choose(bank->open, DRAM_PRE, DRAM_ACT));
}

static inline void enter(struct dram *dram, const struct dram_enter *in,
                         uint32_t number, loom_cycle from)
{
    struct loom_schedule_view *view = &dram->view;
    struct loom_schedule_entry *entry = &dram->entry[number];
    uint64_t bit = loom_bit(number);
    enum dram_kind first;

    dram->wait[number] = (struct dram_wait){
        .way = in->way,
        .left = (uint16_t)columns_of(dram, in->bytes),
        .column = in->column,
    };
    entry->order = in->order;
    entry->row = in->row;
    entry->bank = (uint8_t)in->bank;
    if (LOOM_UNLIKELY(dram->deep)) {
        dram_deep_line_up(dram, number);
    } else {
        line_up(dram, number);
    }
    view->waiting |= bit;
    view->writes |= in->write ? bit : 0;
    first = wait_for(dram, number, in);
    if (dram->wants_events && dram->schedule_ops->arrived != NULL) {
        dram->schedule_ops->arrived(dram->schedule, number, in->bank, in->row,
                                    in->write);
    }
    dram_expect(dram, first, in->bank, from);
}

void dram_enter(struct dram *dram, const struct dram_enter *in, uint32_t number,
                loom_cycle from)
{
    enter(dram, in, number, from);
}

/* A request is queued, in entry `number` if no policy takes requests. */
static inline void queue(struct dram *dram, struct dram_enter *in,
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
        enter(dram, in, number, now + 1);
    }
}

void dram_queue(struct dram *dram, struct dram_enter *in, loom_cycle now)
{
    uint64_t free = ~dram->view.waiting;

    free &= in->write ? dram->write_usable : dram->usable;
    dram->record[in->way.record].arrived = now;
    queue(dram, in, free != 0 ? loom_lowest(free) : 0, now);
}

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

static inline bool locate(struct dram *dram,
                          const struct loom_mem_request *request,
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
    if (!locate(dram, request, &place)) {
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
        dram_delay(dram, &in, now);
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
