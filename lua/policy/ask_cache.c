/*
 * Questions of a cache, and events of all places, handed to Lua.
 */
#include "lua/policy/kit_private.h"

static lua_State *stack(struct loom_policy *policy)
{
    return kit_state(policy)->type->L;
}

static bool bind(struct loom_policy *policy, const struct loom_hook *hook,
                 const struct loom_cache_shape *shape, struct loom_error *err)
{
    struct kit_state *state = kit_state(policy);
    const struct kit_number numbers[] = {{"sm", shape->sm},
                                         {"sets", shape->sets},
                                         {"ways", shape->ways},
                                         {"line_bytes", shape->line_bytes},
                                         {"sector_bytes", shape->sector_bytes},
                                         {"level", shape->level}};

    state->host = shape->host;
    state->sets = shape->sets;
    state->ways = shape->ways;
    return kit_bind(policy, hook, numbers, LOOM_COUNTOF(numbers), err);
}

#define BIND(name, hook)                                                       \
    static bool name(struct loom_policy *policy,                               \
                     const struct loom_cache_shape *shape,                     \
                     struct loom_error *err)                                   \
    {                                                                          \
        return bind(policy, &(hook), shape, err);                              \
    }
BIND(admit_bind, loom_admit_hook)
BIND(allocation_bind, loom_allocation_hook)
BIND(candidates_bind, loom_candidates_hook)
BIND(replacement_bind, loom_replacement_hook)
BIND(set_index_bind, loom_set_index_hook)
BIND(power_bind, loom_power_hook)
#undef BIND

/* Results -3 .. -1: a choice, the size to fetch and whether it may merge. */
static int bypass_choice(struct loom_policy *policy, enum kit_call call,
                         const char *const *names, struct loom_bypass *bypass)
{
    lua_State *L = stack(policy);
    int choice = kit_choice(policy, call, -3, names, -1);
    uint64_t size = 0;

    if (choice < 0 || bypass == NULL) {
        return choice;
    }
    if (!lua_isnil(L, -2)) {
        if (kit_integer(policy, call, -2, 32, 128, &size) &&
            !loom_is_power_of_2(size)) {
            kit_refuse(policy, call, "a size of %u, expected 32, 64 or 128",
                       (uint32_t)size);
            return choice;
        }
        bypass->size_bytes = size != 0 ? (uint16_t)size : bypass->size_bytes;
    }
    if (!lua_isnil(L, -1)) {
        bypass->may_merge = lua_toboolean(L, -1) != 0;
    }
    return choice;
}

/* ---- admit ---- */

static enum loom_admit admit(struct loom_policy *policy,
                             const struct loom_mem_request *request,
                             struct loom_bypass *bypass)
{
    static const char *const names[] = {"lookup", "bypass", NULL};
    enum loom_admit answer = LOOM_ADMIT_DEFAULT;
    const void *before;
    int choice;

    if (!kit_begin(policy, CALL_ADMIT)) {
        return answer;
    }
    before = kit_show(policy, VIEW_REQUEST, request);
    if (kit_end(policy, CALL_ADMIT, 1, 3)) {
        choice = bypass_choice(policy, CALL_ADMIT, names, bypass);
        if (choice >= 0) {
            answer = choice == 0 ? LOOM_ADMIT_LOOKUP : LOOM_ADMIT_BYPASS;
        }
        kit_done(policy, 3);
    }
    kit_hide(policy, VIEW_REQUEST, before);
    return answer;
}

static const struct loom_admit_ops admit_ops = {.bind = admit_bind,
                                                .admit = admit};

/* ---- allocation ---- */

static enum loom_allocate allocate(struct loom_policy *policy,
                                   const struct loom_mem_request *request,
                                   uint32_t set)
{
    static const char *const names[] = {"allocate", "no_allocate", NULL};
    const void *before;
    int choice = -1;

    if (!kit_begin(policy, CALL_ALLOCATION_ALLOCATE)) {
        return LOOM_ALLOCATE_DEFAULT;
    }
    before = kit_show(policy, VIEW_REQUEST, request);
    lua_pushinteger(stack(policy), set);
    if (kit_end(policy, CALL_ALLOCATION_ALLOCATE, 2, 1)) {
        choice = kit_choice(policy, CALL_ALLOCATION_ALLOCATE, -1, names, -1);
        kit_done(policy, 1);
    }
    kit_hide(policy, VIEW_REQUEST, before);
    return choice < 0 ? LOOM_ALLOCATE_DEFAULT
                      : (choice == 0 ? LOOM_ALLOCATE : LOOM_NO_ALLOCATE);
}

static enum loom_on_fail on_fail(struct loom_policy *policy,
                                 const struct loom_mem_request *request,
                                 enum loom_fail_reason reason,
                                 struct loom_bypass *bypass)
{
    static const char *const names[] = {"retry", "bypass", NULL};
    static const char *const reasons[] = {"line", "mshr", "merge", "miss_queue",
                                          "candidates"};
    const void *before;
    int choice = -1;

    if (!kit_begin(policy, CALL_ALLOCATION_FAIL)) {
        return LOOM_FAIL_DEFAULT;
    }
    before = kit_show(policy, VIEW_REQUEST, request);
    lua_pushstring(stack(policy), reasons[reason]);
    if (kit_end(policy, CALL_ALLOCATION_FAIL, 2, 3)) {
        choice = bypass_choice(policy, CALL_ALLOCATION_FAIL, names, bypass);
        kit_done(policy, 3);
    }
    kit_hide(policy, VIEW_REQUEST, before);
    return choice < 0 ? LOOM_FAIL_DEFAULT
                      : (choice == 0 ? LOOM_FAIL_RETRY : LOOM_FAIL_BYPASS);
}

static uint16_t answer(struct loom_policy *policy,
                       const struct loom_mem_request *request)
{
    uint64_t bits = 0;
    const void *before;

    if (!kit_begin(policy, CALL_ALLOCATION_ANSWER)) {
        return 0;
    }
    before = kit_show(policy, VIEW_REQUEST, request);
    if (kit_end(policy, CALL_ALLOCATION_ANSWER, 1, 1)) {
        if (!lua_isnil(stack(policy), -1)) {
            kit_integer(policy, CALL_ALLOCATION_ANSWER, -1, 0, UINT16_MAX,
                        &bits);
        }
        kit_done(policy, 1);
    }
    kit_hide(policy, VIEW_REQUEST, before);
    return (uint16_t)bits;
}

static const struct loom_allocation_ops allocation_ops = {
    .bind = allocation_bind,
    .allocate = allocate,
    .fail = on_fail,
    .answer = answer,
};

/* ---- candidates ---- */

static void push_ways(lua_State *L, const struct loom_ways *ways)
{
    lua_createtable(L, (int)ways->count, 0);
    for (uint32_t i = 0; i < ways->count; i++) {
        lua_pushinteger(L, ways->way[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

static bool has_way(const struct loom_ways *ways, uint64_t way)
{
    for (uint32_t i = 0; i < ways->count; i++) {
        if (ways->way[i] == way) {
            return true;
        }
    }
    return false;
}

/* Keeps the ways of the list on top, which must be among them. */
static void keep_ways(struct loom_policy *policy, struct loom_ways *ways)
{
    lua_State *L = stack(policy);
    lua_Unsigned count = lua_rawlen(L, -1);
    uint32_t kept = 0;

    for (lua_Unsigned i = 1; i <= count; i++) {
        lua_rawgeti(L, -1, (lua_Integer)i);
        if (!lua_isinteger(L, -1) ||
            !has_way(ways, (uint64_t)lua_tointeger(L, -1))) {
            kit_refuse(policy, CALL_CANDIDATES_RESTRICT,
                       "a list with %s, which is none of the ways it was given",
                       luaL_tolstring(L, -1, NULL));
            lua_pop(L, 2);
            return;
        }
        lua_pop(L, 1);
    }
    for (uint32_t i = 0; i < ways->count; i++) {
        for (lua_Unsigned k = 1; k <= count; k++) {
            lua_rawgeti(L, -1, (lua_Integer)k);
            if (lua_tointeger(L, -1) == ways->way[i]) {
                ways->way[kept++] = ways->way[i];
                k = count;
            }
            lua_pop(L, 1);
        }
    }
    ways->count = kept;
}

/* Nil: all of them. */
static void restrict_ways(struct loom_policy *policy,
                          const struct loom_mem_request *request, uint32_t set,
                          struct loom_ways *ways)
{
    lua_State *L = stack(policy);
    const void *before;

    if (!kit_begin(policy, CALL_CANDIDATES_RESTRICT)) {
        return;
    }
    before = kit_show(policy, VIEW_REQUEST, request);
    lua_pushinteger(L, set);
    push_ways(L, ways);
    if (kit_end(policy, CALL_CANDIDATES_RESTRICT, 3, 1)) {
        if (lua_istable(L, -1)) {
            keep_ways(policy, ways);
        } else if (!lua_isnil(L, -1)) {
            kit_refuse(policy, CALL_CANDIDATES_RESTRICT,
                       "%s, expected nil or a list of ways",
                       luaL_tolstring(L, -1, NULL));
            lua_pop(L, 1);
        }
        kit_done(policy, 1);
    }
    kit_hide(policy, VIEW_REQUEST, before);
}

static enum loom_no_candidate empty(struct loom_policy *policy,
                                    const struct loom_mem_request *request,
                                    uint32_t set, struct loom_bypass *bypass)
{
    static const char *const names[] = {"bypass", "stall", "any", NULL};
    static const enum loom_no_candidate answers[] = {
        LOOM_EMPTY_BYPASS, LOOM_EMPTY_STALL, LOOM_EMPTY_ANY};
    const void *before;
    int choice = -1;

    if (!kit_begin(policy, CALL_CANDIDATES_EMPTY)) {
        return LOOM_EMPTY_DEFAULT;
    }
    before = kit_show(policy, VIEW_REQUEST, request);
    lua_pushinteger(stack(policy), set);
    if (kit_end(policy, CALL_CANDIDATES_EMPTY, 2, 3)) {
        choice = bypass_choice(policy, CALL_CANDIDATES_EMPTY, names, bypass);
        kit_done(policy, 3);
    }
    kit_hide(policy, VIEW_REQUEST, before);
    return choice < 0 ? LOOM_EMPTY_DEFAULT : answers[choice];
}

static const struct loom_candidates_ops candidates_ops = {
    .bind = candidates_bind, .restrict_ways = restrict_ways, .empty = empty};

/* ---- replacement ---- */

static uint32_t victim(struct loom_policy *policy,
                       const struct loom_mem_request *request, uint32_t set,
                       const struct loom_ways *ways)
{
    lua_State *L = stack(policy);
    uint64_t way = ways->way[0];
    const void *before;

    if (!kit_begin(policy, CALL_REPLACEMENT_VICTIM)) {
        return (uint32_t)way;
    }
    before = kit_show(policy, VIEW_REQUEST, request);
    lua_pushinteger(L, set);
    push_ways(L, ways);
    if (kit_end(policy, CALL_REPLACEMENT_VICTIM, 3, 1)) {
        if (kit_integer(policy, CALL_REPLACEMENT_VICTIM, -1, 0, UINT16_MAX,
                        &way) &&
            !has_way(ways, way)) {
            kit_refuse(policy, CALL_REPLACEMENT_VICTIM,
                       "%u, which is none of the ways it was given",
                       (uint32_t)way);
            way = ways->way[0];
        }
        kit_done(policy, 1);
    }
    kit_hide(policy, VIEW_REQUEST, before);
    return (uint32_t)way;
}

static void line_event(struct loom_policy *policy, enum kit_call call,
                       const struct loom_mem_request *request, uint32_t set,
                       uint32_t way)
{
    const void *before;

    if (kit_begin(policy, call)) {
        before = kit_show(policy, VIEW_REQUEST, request);
        lua_pushinteger(stack(policy), set);
        lua_pushinteger(stack(policy), way);
        kit_end(policy, call, 3, 0);
        kit_hide(policy, VIEW_REQUEST, before);
    }
}

static void inserted(struct loom_policy *policy,
                     const struct loom_mem_request *request, uint32_t set,
                     uint32_t way)
{
    line_event(policy, CALL_REPLACEMENT_INSERTED, request, set, way);
}

static void hit(struct loom_policy *policy,
                const struct loom_mem_request *request, uint32_t set,
                uint32_t way)
{
    line_event(policy, CALL_REPLACEMENT_HIT, request, set, way);
}

static void invalidated(struct loom_policy *policy, uint32_t set, uint32_t way)
{
    if (kit_begin(policy, CALL_REPLACEMENT_INVALIDATED)) {
        lua_pushinteger(stack(policy), set);
        lua_pushinteger(stack(policy), way);
        kit_end(policy, CALL_REPLACEMENT_INVALIDATED, 2, 0);
    }
}

static const struct loom_replacement_ops replacement_ops = {
    .bind = replacement_bind,
    .victim = victim,
    .inserted = inserted,
    .hit = hit,
    .invalidated = invalidated,
};

/* ---- set index ---- */

static uint32_t set_index(struct loom_policy *policy, loom_addr line)
{
    uint64_t set = 0;

    if (kit_begin(policy, CALL_SET_INDEX)) {
        lua_pushinteger(stack(policy), (lua_Integer)line);
        if (kit_end(policy, CALL_SET_INDEX, 1, 1)) {
            kit_integer(policy, CALL_SET_INDEX, -1, 0,
                        kit_state(policy)->sets - 1, &set);
            kit_done(policy, 1);
        }
    }
    return (uint32_t)set;
}

static const struct loom_set_index_ops set_index_ops = {.bind = set_index_bind,
                                                        .index = set_index};

/* ---- power ---- */

static enum loom_line_power after(struct loom_policy *policy,
                                  enum loom_event_kind event,
                                  const struct loom_mem_request *request,
                                  uint32_t set, uint32_t way)
{
    static const char *const names[] = {"on", "drowsy", "gated", NULL};
    const void *before;
    int choice = 0;

    if (!kit_begin(policy, CALL_POWER)) {
        return LOOM_LINE_ON;
    }
    lua_pushstring(stack(policy), kit_events[event]);
    if (request != NULL) {
        before = kit_show(policy, VIEW_REQUEST, request);
    } else {
        before = NULL;
        lua_pushnil(stack(policy));
    }
    lua_pushinteger(stack(policy), set);
    lua_pushinteger(stack(policy), way);
    if (kit_end(policy, CALL_POWER, 4, 1)) {
        choice = kit_choice(policy, CALL_POWER, -1, names, 0);
        kit_done(policy, 1);
    }
    kit_hide(policy, VIEW_REQUEST, before);
    return (enum loom_line_power)choice;
}

static const struct loom_power_ops power_ops = {.bind = power_bind,
                                                .after = after};

const struct kit_facet kit_cache_facets[] = {
    {&loom_admit_hook, &admit_ops},
    {&loom_allocation_hook, &allocation_ops},
    {&loom_candidates_hook, &candidates_ops},
    {&loom_replacement_hook, &replacement_ops},
    {&loom_set_index_hook, &set_index_ops},
    {&loom_power_hook, &power_ops},
    {NULL, NULL},
};
