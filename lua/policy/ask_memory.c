/*
 * Questions of networks and of the memory system, handed to Lua.
 */
#include "lua/policy/kit_private.h"
#include "policies/dram_hook.h"
#include "policies/noc_hook.h"

static lua_State *stack(struct loom_policy *policy)
{
    return kit_state(policy)->type->L;
}

/* ---- networks ---- */

static bool noc_bind(struct loom_policy *policy, const struct loom_hook *hook,
                     const struct loom_noc_shape *shape, struct loom_error *err)
{
    const struct kit_number numbers[] = {
        {"inputs", shape->inputs},   {"outputs", shape->outputs},
        {"nodes", shape->nodes},     {"columns", shape->columns},
        {"rows", shape->rows},       {"topology", shape->topology},
        {"routers", shape->routers}, {"concentration", shape->concentration},
        {"radix", shape->radix},     {"stages", shape->stages},
        {"vcs", shape->vcs}};

    kit_state(policy)->outputs = shape->outputs;
    kit_state(policy)->inputs = shape->inputs;
    kit_state(policy)->vcs = shape->vcs;
    return kit_bind(policy, hook, numbers, LOOM_COUNTOF(numbers), err);
}

static bool routing_bind(struct loom_policy *policy,
                         const struct loom_noc_shape *shape,
                         struct loom_error *err)
{
    return noc_bind(policy, &loom_routing_hook, shape, err);
}

static uint32_t route(struct loom_policy *policy, uint32_t router,
                      uint32_t input, uint32_t destination)
{
    lua_State *L = stack(policy);
    uint64_t output = 0;

    if (kit_begin(policy, CALL_ROUTING_ROUTE)) {
        lua_pushinteger(L, router);
        lua_pushinteger(L, input);
        lua_pushinteger(L, destination);
        if (kit_end(policy, CALL_ROUTING_ROUTE, 3, 1)) {
            kit_integer(policy, CALL_ROUTING_ROUTE, -1, 0,
                        kit_state(policy)->outputs - 1, &output);
            kit_done(policy, 1);
        }
    }
    return (uint32_t)output;
}

/* Nil: all of them. */
static uint64_t vcs(struct loom_policy *policy, const struct loom_hop *hop)
{
    uint32_t count = kit_state(policy)->vcs;
    uint64_t all = count >= 64 ? UINT64_MAX : loom_bit(count) - 1, mask = all;
    const void *before;

    if (!kit_begin(policy, CALL_ROUTING_VCS)) {
        return all;
    }
    before = kit_show(policy, VIEW_HOP, hop);
    if (kit_end(policy, CALL_ROUTING_VCS, 1, 1)) {
        if (!lua_isnil(stack(policy), -1)) {
            kit_integer(policy, CALL_ROUTING_VCS, -1, 1, all, &mask);
        }
        kit_done(policy, 1);
    }
    kit_hide(policy, VIEW_HOP, before);
    return mask;
}

static bool all_vcs(struct loom_policy *policy)
{
    return !kit_has(policy, CALL_ROUTING_VCS);
}

static const struct loom_routing_ops routing_ops = {
    .bind = routing_bind, .route = route, .vcs = vcs, .all_vcs = all_vcs};

static bool arbiter_bind(struct loom_policy *policy,
                         const struct loom_noc_shape *shape,
                         struct loom_error *err)
{
    return noc_bind(policy, &loom_arbiter_hook, shape, err);
}

static uint32_t arbiter_pick(struct loom_policy *policy, uint32_t output,
                             const uint64_t *requests, loom_cycle now)
{
    lua_State *L = stack(policy);
    uint32_t inputs = kit_state(policy)->inputs, first = 0;
    lua_Integer row = 0;
    uint64_t input;

    while ((requests[first / 64] >> (first % 64) & 1) == 0) {
        first++;
    }
    input = first;
    if (!kit_begin(policy, CALL_ARBITER_PICK)) {
        return first;
    }
    lua_pushinteger(L, output);
    lua_newtable(L);
    for (uint32_t i = 0; i < inputs; i++) {
        if ((requests[i / 64] >> (i % 64) & 1) != 0) {
            lua_pushinteger(L, i);
            lua_rawseti(L, -2, ++row);
        }
    }
    lua_pushinteger(L, (lua_Integer)now);
    if (kit_end(policy, CALL_ARBITER_PICK, 3, 1)) {
        if (kit_integer(policy, CALL_ARBITER_PICK, -1, 0, inputs - 1, &input) &&
            (requests[input / 64] >> (input % 64) & 1) == 0) {
            kit_refuse(policy, CALL_ARBITER_PICK,
                       "%u, which does not want the output", (uint32_t)input);
            input = first;
        }
        kit_done(policy, 1);
    }
    return (uint32_t)input;
}

static void arbiter_granted(struct loom_policy *policy, uint32_t output,
                            uint32_t input)
{
    if (kit_begin(policy, CALL_ARBITER_GRANTED)) {
        lua_pushinteger(stack(policy), output);
        lua_pushinteger(stack(policy), input);
        kit_end(policy, CALL_ARBITER_GRANTED, 2, 0);
    }
}

static const struct loom_arbiter_ops arbiter_ops = {
    .bind = arbiter_bind, .pick = arbiter_pick, .granted = arbiter_granted};

/* ---- DRAM ---- */

static bool schedule_bind(struct loom_policy *policy,
                          const struct loom_schedule_shape *shape,
                          struct loom_error *err)
{
    const struct kit_number numbers[] = {{"banks", shape->banks},
                                         {"groups", shape->groups},
                                         {"entries", shape->entries}};

    return kit_bind(policy, &loom_schedule_hook, numbers, LOOM_COUNTOF(numbers),
                    err);
}

/* What is legal and oldest, where Lua does not answer any more. */
static uint32_t fallback(struct loom_policy *policy,
                         const struct loom_schedule_view *view)
{
    uint64_t legal = view->column | view->activate | view->precharge;

    return kit_state(policy)->failed && legal != 0
               ? loom_schedule_oldest(view, legal)
               : UINT32_MAX;
}

/* Nil: none. */
static uint32_t schedule_pick(struct loom_policy *policy,
                              const struct loom_schedule_view *view)
{
    uint64_t legal = view->column | view->activate | view->precharge;
    uint64_t entry = UINT32_MAX;
    const void *before;

    if (!kit_begin(policy, CALL_SCHEDULE_PICK)) {
        return fallback(policy, view);
    }
    before = kit_show(policy, VIEW_SCHEDULE, view);
    if (kit_end(policy, CALL_SCHEDULE_PICK, 1, 1)) {
        if (!lua_isnil(stack(policy), -1) &&
            kit_integer(policy, CALL_SCHEDULE_PICK, -1, 0, 63, &entry) &&
            (legal >> entry & 1) == 0) {
            kit_refuse(policy, CALL_SCHEDULE_PICK,
                       "%u, which is no bit of column, activate or precharge",
                       (uint32_t)entry);
            entry = UINT32_MAX;
        }
        kit_done(policy, 1);
    }
    kit_hide(policy, VIEW_SCHEDULE, before);
    return (uint32_t)entry;
}

static void schedule_arrived(struct loom_policy *policy, uint32_t entry,
                             uint32_t bank, uint32_t row, bool write)
{
    lua_State *L = stack(policy);

    if (kit_begin(policy, CALL_SCHEDULE_ARRIVED)) {
        lua_pushinteger(L, entry);
        lua_pushinteger(L, bank);
        lua_pushinteger(L, row);
        lua_pushboolean(L, write);
        kit_end(policy, CALL_SCHEDULE_ARRIVED, 4, 0);
    }
}

static void schedule_served(struct loom_policy *policy, uint32_t entry)
{
    if (kit_begin(policy, CALL_SCHEDULE_SERVED)) {
        lua_pushinteger(stack(policy), entry);
        kit_end(policy, CALL_SCHEDULE_SERVED, 1, 0);
    }
}

static const struct loom_schedule_ops schedule_ops = {
    .bind = schedule_bind,
    .pick = schedule_pick,
    .arrived = schedule_arrived,
    .served = schedule_served,
};

/* Nil: never. */
static loom_cycle close_at(struct loom_policy *policy, uint32_t bank,
                           uint32_t row, loom_cycle now)
{
    lua_State *L = stack(policy);
    uint64_t at = LOOM_NEVER;

    if (kit_begin(policy, CALL_PAGE)) {
        lua_pushinteger(L, bank);
        lua_pushinteger(L, row);
        lua_pushinteger(L, (lua_Integer)now);
        if (kit_end(policy, CALL_PAGE, 3, 1)) {
            if (!lua_isnil(L, -1)) {
                kit_integer(policy, CALL_PAGE, -1, now, INT64_MAX, &at);
            }
            kit_done(policy, 1);
        }
    }
    return at;
}

static const struct loom_page_ops page_ops = {.close_at = close_at};

static bool commands_bind(struct loom_policy *policy,
                          const struct loom_commands_shape *shape,
                          struct loom_error *err)
{
    const struct kit_number numbers[] = {{"channel", shape->channel},
                                         {"banks", shape->banks},
                                         {"groups", shape->groups}};

    return kit_bind(policy, &loom_commands_hook, numbers, LOOM_COUNTOF(numbers),
                    err);
}

static void issued(struct loom_policy *policy,
                   const struct loom_command_event *event)
{
    const void *before;

    if (kit_begin(policy, CALL_COMMANDS)) {
        before = kit_show(policy, VIEW_COMMAND, event);
        kit_end(policy, CALL_COMMANDS, 1, 0);
        kit_hide(policy, VIEW_COMMAND, before);
    }
}

static const struct loom_commands_ops commands_ops = {.bind = commands_bind,
                                                      .issued = issued};

/* ---- map ---- */

static bool map_bind(struct loom_policy *policy,
                     const struct loom_map_shape *shape, struct loom_error *err)
{
    const struct kit_number numbers[] = {
        {"channels", shape->channels},
        {"slices_per_channel", shape->slices_per_channel}};

    kit_state(policy)->channels = shape->channels;
    kit_state(policy)->slices = shape->channels * shape->slices_per_channel;
    return kit_bind(policy, &loom_map_hook, numbers, LOOM_COUNTOF(numbers),
                    err);
}

/* The field of the table on top. */
static uint64_t place_field(struct loom_policy *policy, const char *name,
                            uint64_t high)
{
    uint64_t value = 0;

    lua_getfield(stack(policy), -1, name);
    if (!kit_state(policy)->failed) {
        kit_integer(policy, CALL_MAP, -1, 0, high, &value);
    }
    lua_pop(stack(policy), 1);
    return value;
}

static void map(struct loom_policy *policy, loom_addr address,
                struct loom_place *place)
{
    const struct kit_state *state = kit_state(policy);
    lua_State *L = stack(policy);

    *place = (struct loom_place){.local = address};
    if (!kit_begin(policy, CALL_MAP)) {
        return;
    }
    lua_pushinteger(L, (lua_Integer)address);
    if (kit_end(policy, CALL_MAP, 1, 1)) {
        if (lua_istable(L, -1)) {
            place->local = place_field(policy, "local", INT64_MAX);
            place->channel =
                (uint32_t)place_field(policy, "channel", state->channels - 1);
            place->slice =
                (uint32_t)place_field(policy, "slice", state->slices - 1);
            place->bank = (uint32_t)place_field(policy, "bank", UINT32_MAX);
            place->row = (uint32_t)place_field(policy, "row", UINT32_MAX);
            place->column = (uint32_t)place_field(policy, "column", UINT32_MAX);
        } else {
            kit_refuse(policy, CALL_MAP,
                       "no table { local, channel, slice, bank, row, column }");
        }
        kit_done(policy, 1);
    }
}

static const struct loom_map_ops map_ops = {.bind = map_bind, .map = map};

const struct kit_facet kit_memory_facets[] = {
    {&loom_routing_hook, &routing_ops},
    {&loom_arbiter_hook, &arbiter_ops},
    {&loom_schedule_hook, &schedule_ops},
    {&loom_page_hook, &page_ops},
    {&loom_commands_hook, &commands_ops},
    {&loom_map_hook, &map_ops},
    {NULL, NULL},
};
