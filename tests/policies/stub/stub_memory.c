/*
 * The stub in caches, networks and memory.
 */
#include "tests/policies/stub/stub_private.h"

/* ---- cache ---- */

static bool stub_cache_bind(struct loom_policy *self,
                            const struct loom_cache_shape *shape,
                            struct loom_error *err)
{
    struct stub *s = loom_policy_state(self);

    (void)err;
    s->host = shape->host;
    s->sets = shape->sets;
    s->ways = shape->ways;
    if (shape->host->power != NULL) {
        void *cache = shape->host->cache;

        count(self)->wrong +=
            !shape->host->power(cache, 0, 0, LOOM_LINE_GATED, 0) ||
            !shape->host->power(cache, 0, 0, LOOM_LINE_ON, 0);
        shape->host->sleep(cache, true, 0);
        shape->host->sleep(cache, false, 0);
    }
    return true;
}

static enum loom_admit stub_admit(struct loom_policy *self,
                                  const struct loom_mem_request *request,
                                  struct loom_bypass *bypass)
{
    const struct stub_config *config = loom_policy_config(self);

    count(self)->wrong += bypass->size_bytes != request->size_bytes;
    count(self)->admits++;
    return request->kind == LOOM_MEM_LOAD &&
                   one_in(request, config->bypass_one_in)
               ? LOOM_ADMIT_BYPASS
               : LOOM_ADMIT_DEFAULT;
}

static enum loom_allocate stub_allocate(struct loom_policy *self,
                                        const struct loom_mem_request *request,
                                        uint32_t set,
                                        struct loom_bypass *bypass)
{
    const struct stub *s = loom_policy_state(self);

    (void)request;
    count(self)->wrong += set >= s->sets;
    count(self)->wrong += bypass->size_bytes != LOOM_SECTOR_BYTES;
    count(self)->allocates++;
    return LOOM_ALLOCATE_DEFAULT;
}

static enum loom_on_fail stub_fail(struct loom_policy *self,
                                   const struct loom_mem_request *request,
                                   enum loom_fail_reason reason,
                                   struct loom_bypass *bypass)
{
    (void)request;
    (void)bypass;
    count(self)->wrong += reason >= LOOM_FAIL_REASONS;
    count(self)->fails++;
    return LOOM_FAIL_DEFAULT;
}

static void stub_restrict(struct loom_policy *self,
                          const struct loom_mem_request *request, uint32_t set,
                          struct loom_ways *ways)
{
    (void)request;
    (void)set;
    count(self)->wrong += ways->count == 0;
    count(self)->restricts++;
}

static enum loom_no_candidate stub_empty(struct loom_policy *self,
                                         const struct loom_mem_request *request,
                                         uint32_t set,
                                         struct loom_bypass *bypass)
{
    (void)request;
    (void)set;
    (void)bypass;
    count(self)->empties++;
    return LOOM_EMPTY_DEFAULT;
}

static uint32_t stub_victim(struct loom_policy *self,
                            const struct loom_mem_request *request,
                            uint32_t set, const struct loom_ways *ways)
{
    (void)request;
    (void)set;
    count(self)->wrong += ways->count == 0;
    count(self)->victims++;
    return ways->way[ways->count - 1];
}

static void stub_inserted(struct loom_policy *self,
                          const struct loom_mem_request *request, uint32_t set,
                          uint32_t way)
{
    const struct stub *s = loom_policy_state(self);

    (void)request;
    (void)set;
    count(self)->wrong += way >= s->ways;
    count(self)->inserted++;
}

static void stub_hit(struct loom_policy *self,
                     const struct loom_mem_request *request, uint32_t set,
                     uint32_t way)
{
    const struct stub *s = loom_policy_state(self);
    uint32_t in_set, in_way;

    count(self)->wrong +=
        !s->host->find(s->host->cache, request->block, &in_set, &in_way) ||
        in_set != set || in_way != way;
    count(self)->hits++;
}

static void stub_invalidated(struct loom_policy *self, uint32_t set,
                             uint32_t way)
{
    (void)set;
    (void)way;
    count(self)->invalidated++;
}

static uint32_t stub_index(struct loom_policy *self, loom_addr line)
{
    const struct stub *s = loom_policy_state(self);

    count(self)->indexes++;
    return (uint32_t)(line / LOOM_BLOCK_BYTES % s->sets);
}

static enum loom_line_power stub_power(struct loom_policy *self,
                                       enum loom_event_kind event,
                                       const struct loom_mem_request *request,
                                       uint32_t set, uint32_t way)
{
    (void)event;
    (void)request;
    (void)set;
    (void)way;
    count(self)->powers++;
    return LOOM_LINE_ON;
}

const struct loom_admit_ops stub_admit_ops = {.admit = stub_admit};
const struct loom_allocation_ops stub_allocation_ops = {
    .bind = stub_cache_bind,
    .allocate = stub_allocate,
    .fail = stub_fail,
};
const struct loom_candidates_ops stub_candidates_ops = {
    .restrict_ways = stub_restrict,
    .empty = stub_empty,
};
const struct loom_replacement_ops stub_replacement_ops = {
    .bind = stub_cache_bind,
    .victim = stub_victim,
    .inserted = stub_inserted,
    .hit = stub_hit,
    .invalidated = stub_invalidated,
};
const struct loom_set_index_ops stub_set_index_ops = {
    .bind = stub_cache_bind,
    .index = stub_index,
};
const struct loom_power_ops stub_power_ops = {.after = stub_power};

static bool stub_mark_bind(struct loom_policy *self, struct loom_error *err)
{
    struct stub *s = loom_policy_state(self);

    return loom_policy_bits(self, LOOM_BITS_REQUEST, "stub", 1, &s->bit, err);
}

static uint16_t stub_mark(struct loom_policy *self,
                          const struct loom_mem_request *request)
{
    const struct stub *s = loom_policy_state(self);

    (void)request;
    count(self)->marks++;
    return (uint16_t)(1u << s->bit);
}

const struct loom_mark_ops stub_mark_ops = {
    .bind = stub_mark_bind,
    .mark = stub_mark,
};

/* ---- GPU, network, memory ---- */

static uint32_t stub_select(struct loom_policy *self,
                            const struct loom_dispatch_view *view)
{
    count(self)->selects++;
    for (uint32_t i = 0; i < view->sms; i++) {
        if (view->fits[i]) {
            return i;
        }
    }
    return UINT32_MAX;
}

static uint32_t stub_route(struct loom_policy *self, uint32_t router,
                           uint32_t input, uint32_t destination)
{
    (void)router;
    (void)input;
    count(self)->routes++;
    return destination;
}

static bool stub_arbiter_bind(struct loom_policy *self,
                              const struct loom_noc_shape *shape,
                              struct loom_error *err)
{
    struct stub *s = loom_policy_state(self);

    (void)err;
    s->inputs = shape->inputs;
    return true;
}

static uint32_t stub_arbitrate(struct loom_policy *self, uint32_t output,
                               const uint64_t *requests, loom_cycle now)
{
    const struct stub *s = loom_policy_state(self);

    (void)output;
    (void)now;
    count(self)->arbitrations++;
    for (uint32_t word = 0; word < (s->inputs + 63) / 64; word++) {
        if (requests[word] != 0) {
            return word * 64 + loom_lowest(requests[word]);
        }
    }
    count(self)->wrong++;
    return 0;
}

static void stub_granted(struct loom_policy *self, uint32_t output,
                         uint32_t input)
{
    (void)output;
    (void)input;
    count(self)->grants++;
}

static uint32_t stub_schedule(struct loom_policy *self,
                              const struct loom_schedule_view *view)
{
    uint64_t any =
        view->column | view->activate | (view->precharge & ~view->hits);

    count(self)->schedules++;
    count(self)->wrong += (any & ~view->waiting) != 0;
    return any != 0 ? loom_lowest(any) : UINT32_MAX;
}

static void stub_arrived(struct loom_policy *self, uint32_t entry,
                         uint32_t bank, uint32_t row, bool write)
{
    (void)bank;
    (void)row;
    (void)write;
    count(self)->wrong += entry >= 64;
    count(self)->arrivals++;
}

static void stub_served(struct loom_policy *self, uint32_t entry)
{
    (void)entry;
    count(self)->serves++;
}

static loom_cycle stub_close_at(struct loom_policy *self, uint32_t bank,
                                uint32_t row, loom_cycle now)
{
    (void)row;
    count(self)->wrong += bank >= 64;
    count(self)->pages++;
    return bank % 2 == 0 ? now + bank : LOOM_NEVER;
}

static void stub_issued_command(struct loom_policy *self,
                                const struct loom_command_event *event)
{
    count(self)->wrong += event->bank >= 64 || event->command > LOOM_DRAM_REFB;
    count(self)->commands++;
}

const struct loom_page_ops stub_page_ops = {.close_at = stub_close_at};
const struct loom_commands_ops stub_commands_ops = {
    .issued = stub_issued_command,
};
const struct loom_dispatch_ops stub_dispatch_ops = {.select = stub_select};
const struct loom_routing_ops stub_routing_ops = {.route = stub_route};
const struct loom_arbiter_ops stub_arbiter_ops = {
    .bind = stub_arbiter_bind,
    .pick = stub_arbitrate,
    .granted = stub_granted,
};
const struct loom_schedule_ops stub_schedule_ops = {
    .pick = stub_schedule,
    .arrived = stub_arrived,
    .served = stub_served,
};

static bool stub_map_bind(struct loom_policy *self,
                          const struct loom_map_shape *shape,
                          struct loom_error *err)
{
    struct stub *s = loom_policy_state(self);

    (void)err;
    s->channels = shape->channels;
    s->slices = shape->slices_per_channel;
    return true;
}

/* Blocks go round the slices; a row has 16 blocks. */
static void stub_map(struct loom_policy *self, loom_addr address,
                     struct loom_place *place)
{
    const struct stub *s = loom_policy_state(self);
    uint64_t all = (uint64_t)s->channels * s->slices;
    uint64_t block = address / LOOM_BLOCK_BYTES;

    count(self)->maps++;
    place->slice = (uint32_t)(block % all);
    place->channel = place->slice / s->slices;
    block = block / all * s->slices + place->slice % s->slices;
    place->local = block / s->slices * LOOM_BLOCK_BYTES;
    place->column = (uint32_t)(block % 16);
    place->bank = (uint32_t)(block / 16 % 8);
    place->row = (uint32_t)(block / 128);
}

const struct loom_map_ops stub_map_ops = {
    .bind = stub_map_bind,
    .map = stub_map,
};
