/*
 * Questions of the GPU, the SM and its load/store unit, handed to Lua.
 */
#include <string.h>

#include "lua/policy/kit_private.h"
#include "policies/gpu_hook.h"
#include "policies/ldst_hook.h"
#include "policies/mark_hook.h"
#include "policies/sm_hook.h"

static lua_State *stack(struct loom_policy *policy)
{
    return kit_state(policy)->type->L;
}

/* Calls with numbers only, no answer. */
static void tell(struct loom_policy *policy, enum kit_call call,
                 const uint64_t *number, int count)
{
    if (kit_begin(policy, call)) {
        for (int i = 0; i < count; i++) {
            lua_pushinteger(stack(policy), (lua_Integer)number[i]);
        }
        kit_end(policy, call, count, 0);
    }
}

/* ---- scheduler ---- */

static bool scheduler_bind(struct loom_policy *policy,
                           const struct loom_sm_shape *shape,
                           struct loom_error *err)
{
    const struct kit_number numbers[] = {{"sm", shape->sm},
                                         {"schedulers", shape->schedulers},
                                         {"warps", shape->warps},
                                         {"locals", shape->locals}};

    return kit_bind(policy, &loom_scheduler_hook, numbers,
                    LOOM_COUNTOF(numbers), err);
}

static uint32_t scheduler_pick(struct loom_policy *policy, uint32_t scheduler,
                               uint64_t ready, loom_cycle now)
{
    lua_State *L = stack(policy);
    uint64_t local = loom_lowest(ready);

    if (!kit_begin(policy, CALL_SCHEDULER_PICK)) {
        return (uint32_t)local;
    }
    lua_pushinteger(L, scheduler);
    lua_pushinteger(L, (lua_Integer)ready);
    lua_pushinteger(L, (lua_Integer)now);
    if (kit_end(policy, CALL_SCHEDULER_PICK, 3, 1)) {
        if (kit_integer(policy, CALL_SCHEDULER_PICK, -1, 0, 63, &local) &&
            (ready >> local & 1) == 0) {
            kit_refuse(policy, CALL_SCHEDULER_PICK,
                       "%u, which is not a set bit of 'ready' (0x%llx)",
                       (uint32_t)local, (unsigned long long)ready);
            local = loom_lowest(ready);
        }
        kit_done(policy, 1);
    }
    return (uint32_t)local;
}

static uint32_t scheduler_rank(struct loom_policy *policy, uint32_t scheduler,
                               uint32_t local)
{
    uint64_t rank = 0;

    if (kit_begin(policy, CALL_SCHEDULER_RANK)) {
        lua_pushinteger(stack(policy), scheduler);
        lua_pushinteger(stack(policy), local);
        if (kit_end(policy, CALL_SCHEDULER_RANK, 2, 1)) {
            kit_integer(policy, CALL_SCHEDULER_RANK, -1, 0, UINT16_MAX, &rank);
            kit_done(policy, 1);
        }
    }
    return (uint32_t)rank;
}

static void scheduler_issued(struct loom_policy *policy, uint32_t scheduler,
                             uint32_t local, loom_cycle now)
{
    tell(policy, CALL_SCHEDULER_ISSUED,
         (const uint64_t[]){scheduler, local, now}, 3);
}

static void scheduler_stalled(struct loom_policy *policy, uint32_t scheduler,
                              uint64_t cycles)
{
    tell(policy, CALL_SCHEDULER_STALLED, (const uint64_t[]){scheduler, cycles},
         2);
}

static void scheduler_started(struct loom_policy *policy, uint32_t scheduler,
                              uint32_t local, uint64_t age)
{
    tell(policy, CALL_SCHEDULER_STARTED,
         (const uint64_t[]){scheduler, local, age}, 3);
}

static void scheduler_finished(struct loom_policy *policy, uint32_t scheduler,
                               uint32_t local)
{
    tell(policy, CALL_SCHEDULER_FINISHED, (const uint64_t[]){scheduler, local},
         2);
}

static const struct loom_scheduler_ops scheduler_ops = {
    .bind = scheduler_bind,
    .pick = scheduler_pick,
    .rank = scheduler_rank,
    .issued = scheduler_issued,
    .stalled = scheduler_stalled,
    .started = scheduler_started,
    .finished = scheduler_finished,
};

/* ---- throttle ---- */

static bool throttle_bind(struct loom_policy *policy,
                          const struct loom_sm_shape *shape,
                          struct loom_error *err)
{
    const struct kit_number numbers[] = {{"sm", shape->sm},
                                         {"schedulers", shape->schedulers},
                                         {"warps", shape->warps},
                                         {"locals", shape->locals}};

    return kit_bind(policy, &loom_throttle_hook, numbers, LOOM_COUNTOF(numbers),
                    err);
}

/* Nil, and no function, is `mask`. */
static uint64_t ask_mask(struct loom_policy *policy, enum kit_call call,
                         const struct loom_throttle_view *view, uint64_t mask)
{
    lua_State *L = stack(policy);
    const void *before;

    if (!kit_begin(policy, call)) {
        return mask;
    }
    before = kit_show(policy, VIEW_THROTTLE, view);
    if (kit_end(policy, call, 1, 1)) {
        if (!lua_isnil(L, -1)) {
            kit_integer(policy, call, -1, 0, UINT64_MAX, &mask);
        }
        kit_done(policy, 1);
    }
    kit_hide(policy, VIEW_THROTTLE, before);
    return mask;
}

static uint64_t throttle_allow(struct loom_policy *policy,
                               const struct loom_throttle_view *view)
{
    return ask_mask(policy, CALL_THROTTLE, view, view->ready);
}

static uint64_t throttle_prefer(struct loom_policy *policy,
                                const struct loom_throttle_view *view)
{
    return ask_mask(policy, CALL_THROTTLE_PREFER, view, 0);
}

static const struct loom_throttle_ops throttle_ops = {
    .bind = throttle_bind,
    .allow = throttle_allow,
    .prefer = throttle_prefer,
};

/* ---- coalesce ---- */

static bool coalesce_bind(struct loom_policy *policy,
                          const struct loom_ldst_shape *shape,
                          struct loom_error *err)
{
    const struct kit_number numbers[] = {{"sm", shape->sm},
                                         {"line_bytes", shape->line_bytes},
                                         {"warps", shape->warps}};

    return kit_bind(policy, &loom_coalesce_hook, numbers, LOOM_COUNTOF(numbers),
                    err);
}

static void push_accesses(lua_State *L, const struct loom_access *access,
                          uint32_t count)
{
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        const struct {
            const char *name;
            uint64_t value;
        } number[] = {
            {"block", access[i].block},     {"bytes_low", access[i].bytes[0]},
            {"lanes", access[i].lanes},     {"bytes_high", access[i].bytes[1]},
            {"sectors", access[i].sectors}, {"size", access[i].size_bytes},
        };

        lua_createtable(L, 0, LOOM_COUNTOF(number));
        for (size_t k = 0; k < LOOM_COUNTOF(number); k++) {
            lua_pushinteger(L, (lua_Integer)number[k].value);
            lua_setfield(L, -2, number[k].name);
        }
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

/* lanes:segments(bytes): the lanes grouped by aligned segments, as a list that
 * may be changed and answered. */
static int lanes_segments(lua_State *L)
{
    const struct loom_lanes *lanes = lua_touserdata(L, lua_upvalueindex(1));
    lua_Integer bytes = luaL_optinteger(L, 2, 128);
    struct loom_access access[LOOM_ACCESS_MAX];

    luaL_argcheck(L, bytes == 32 || bytes == 64 || bytes == 128, 2,
                  "expected 32, 64 or 128");
    push_accesses(L, access,
                  loom_coalesce_segments(lanes, (uint32_t)bytes, access));
    return 1;
}

static void push_lanes(lua_State *L, const struct loom_lanes *lanes)
{
    lua_newtable(L);
    lua_pushinteger(L, lanes->mask);
    lua_setfield(L, -2, "mask");
    kit_push_inst(L, lanes->inst);
    lua_setfield(L, -2, "inst");
    lua_createtable(L, LOOM_WARP_LANES, 1);
    for (uint32_t i = 0; i < LOOM_WARP_LANES; i++) {
        if ((lanes->mask >> i & 1) != 0) {
            lua_pushinteger(L, (lua_Integer)lanes->address[i]);
            lua_rawseti(L, -2, i);
        }
    }
    lua_setfield(L, -2, "address");
    lua_pushlightuserdata(L, (void *)(uintptr_t)lanes);
    lua_pushcclosure(L, lanes_segments, 1);
    lua_setfield(L, -2, "segments");
}

static uint64_t number_of(lua_State *L, const char *name)
{
    uint64_t value;

    lua_getfield(L, -1, name);
    value = (uint64_t)lua_tointeger(L, -1);
    lua_pop(L, 1);
    return value;
}

/* Is the access one that a cache can serve? */
static bool sane(const struct loom_access *a, uint32_t mask)
{
    return a->block % LOOM_BLOCK_BYTES == 0 &&
           (a->size_bytes == 32 || a->size_bytes == 64 ||
            a->size_bytes == 128) &&
           (a->bytes[0] | a->bytes[1]) != 0 && a->sectors != 0 &&
           a->sectors < 16 && a->lanes != 0 && (a->lanes & ~mask) == 0;
}

static uint32_t read_accesses(struct loom_policy *policy,
                              const struct loom_lanes *lanes,
                              struct loom_access access[LOOM_ACCESS_MAX])
{
    lua_State *L = stack(policy);
    lua_Unsigned count = lua_istable(L, -1) ? lua_rawlen(L, -1) : 0;
    uint32_t covered = 0;

    for (lua_Unsigned i = 0; i < count && count <= LOOM_ACCESS_MAX; i++) {
        struct loom_access *a = &access[i];

        if (lua_rawgeti(L, -1, (lua_Integer)i + 1) != LUA_TTABLE) {
            lua_pop(L, 1);
            return 0;
        }
        *a = (struct loom_access){
            .block = number_of(L, "block"),
            .bytes = {number_of(L, "bytes_low"), number_of(L, "bytes_high")},
            .lanes = (uint32_t)number_of(L, "lanes"),
            .size_bytes = (uint16_t)number_of(L, "size"),
            .sectors = (uint8_t)number_of(L, "sectors")};
        lua_pop(L, 1);
        if (!sane(a, lanes->mask)) {
            return 0;
        }
        covered |= a->lanes;
    }
    return count <= LOOM_ACCESS_MAX && covered == lanes->mask ? (uint32_t)count
                                                              : 0;
}

static uint32_t coalesce(struct loom_policy *policy,
                         const struct loom_lanes *lanes,
                         struct loom_access access[LOOM_ACCESS_MAX])
{
    uint32_t count = 0;

    if (kit_begin(policy, CALL_COALESCE)) {
        push_lanes(stack(policy), lanes);
        if (kit_end(policy, CALL_COALESCE, 1, 1)) {
            count = read_accesses(policy, lanes, access);
            if (count == 0) {
                kit_refuse(policy, CALL_COALESCE,
                           "no list of accesses { block, size, sectors, "
                           "lanes, bytes_low, bytes_high } that covers all "
                           "lanes; see lanes:segments()");
            }
            kit_done(policy, 1);
        }
    }
    return count > 0 ? count
                     : loom_coalesce_segments(lanes, LOOM_BLOCK_BYTES, access);
}

static const struct loom_coalesce_ops coalesce_ops = {.bind = coalesce_bind,
                                                      .coalesce = coalesce};

/* ---- order ---- */

static uint32_t param_or(struct loom_policy *policy, uint32_t fixed,
                         const char *name, uint32_t def)
{
    const struct loom_param *param =
        loom_params_find(kit_state(policy)->type->type.params, name);

    if (fixed != 0 || param == NULL) {
        return fixed != 0 ? fixed : def;
    }
    return (uint32_t)loom_param_get(param, loom_policy_config(policy)).u;
}

static bool order_bind(struct loom_policy *policy,
                       const struct loom_ldst_shape *shape, uint32_t *queues,
                       uint32_t *depth, struct loom_error *err)
{
    const struct kit_type *type = kit_state(policy)->type;
    const struct kit_number numbers[] = {{"sm", shape->sm},
                                         {"line_bytes", shape->line_bytes},
                                         {"warps", shape->warps}};

    *queues = param_or(policy, type->queues, "queues", 1);
    *depth = param_or(policy, type->depth, "depth", 8);
    if (*queues < 1 || *queues > 64 || *depth < 1 || *depth > 4096) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "order has %u queues of %u, expected 1..64 of 1..4096",
                         *queues, *depth);
    }
    kit_state(policy)->queues = *queues;
    return kit_bind(policy, &loom_order_hook, numbers, LOOM_COUNTOF(numbers),
                    err);
}

static uint32_t order_queue_of(struct loom_policy *policy,
                               const struct loom_mem_request *request)
{
    uint64_t queue = 0;
    const void *before;

    if (kit_begin(policy, CALL_ORDER_QUEUE_OF)) {
        before = kit_show(policy, VIEW_REQUEST, request);
        if (kit_end(policy, CALL_ORDER_QUEUE_OF, 1, 1)) {
            kit_integer(policy, CALL_ORDER_QUEUE_OF, -1, 0,
                        kit_state(policy)->queues - 1, &queue);
            kit_done(policy, 1);
        }
        kit_hide(policy, VIEW_REQUEST, before);
    }
    return (uint32_t)queue;
}

/* Queues as a table from 0: { length =, block =, warp =, inst =, kind = }. */
static void push_queues(lua_State *L, const struct loom_queue_view *queue,
                        uint32_t queues)
{
    lua_createtable(L, (int)queues, 1);
    for (uint32_t i = 0; i < queues; i++) {
        const struct loom_mem_request *head = queue[i].head;

        lua_createtable(L, 0, 6);
        lua_pushinteger(L, queue[i].length);
        lua_setfield(L, -2, "length");
        if (head != NULL) {
            lua_pushinteger(L, (lua_Integer)head->block);
            lua_setfield(L, -2, "block");
            lua_pushinteger(L, head->warp);
            lua_setfield(L, -2, "warp");
            lua_pushinteger(L, head->inst);
            lua_setfield(L, -2, "inst");
            lua_pushinteger(L, head->rank);
            lua_setfield(L, -2, "rank");
            lua_pushstring(L, loom_mem_kind_names[head->kind]);
            lua_setfield(L, -2, "kind");
        }
        lua_rawseti(L, -2, i);
    }
}

static uint32_t order_next(struct loom_policy *policy,
                           const struct loom_queue_view *queue, uint32_t queues,
                           loom_cycle now)
{
    uint32_t first = 0;
    uint64_t answer;

    while (queue[first].head == NULL) {
        first++;
    }
    answer = first;
    if (kit_begin(policy, CALL_ORDER_NEXT)) {
        push_queues(stack(policy), queue, queues);
        lua_pushinteger(stack(policy), (lua_Integer)now);
        if (kit_end(policy, CALL_ORDER_NEXT, 2, 1)) {
            if (kit_integer(policy, CALL_ORDER_NEXT, -1, 0, queues - 1,
                            &answer) &&
                queue[answer].head == NULL) {
                kit_refuse(policy, CALL_ORDER_NEXT, "%u, an empty queue",
                           (uint32_t)answer);
                answer = first;
            }
            kit_done(policy, 1);
        }
    }
    return (uint32_t)answer;
}

static void order_sent(struct loom_policy *policy, uint32_t queue,
                       const struct loom_mem_request *request)
{
    const void *before;

    if (kit_begin(policy, CALL_ORDER_SENT)) {
        lua_pushinteger(stack(policy), queue);
        before = kit_show(policy, VIEW_REQUEST, request);
        kit_end(policy, CALL_ORDER_SENT, 2, 0);
        kit_hide(policy, VIEW_REQUEST, before);
    }
}

static const struct loom_order_ops order_ops = {.bind = order_bind,
                                                .queue_of = order_queue_of,
                                                .next = order_next,
                                                .sent = order_sent};

/* ---- marks ---- */

static uint16_t mark(struct loom_policy *policy, enum kit_call call,
                     const struct loom_mem_request *request)
{
    uint64_t bits = 0;
    const void *before;

    if (kit_begin(policy, call)) {
        before = kit_show(policy, VIEW_REQUEST, request);
        if (kit_end(policy, call, 1, 1)) {
            if (!lua_isnil(stack(policy), -1)) {
                kit_integer(policy, call, -1, 0, UINT16_MAX, &bits);
            }
            kit_done(policy, 1);
        }
        kit_hide(policy, VIEW_REQUEST, before);
    }
    return (uint16_t)bits;
}

static bool ldst_mark_bind(struct loom_policy *policy, struct loom_error *err)
{
    return kit_bind(policy, &loom_ldst_mark_hook, NULL, 0, err);
}

static bool cache_mark_bind(struct loom_policy *policy, struct loom_error *err)
{
    return kit_bind(policy, &loom_cache_mark_hook, NULL, 0, err);
}

static uint16_t ldst_mark(struct loom_policy *policy,
                          const struct loom_mem_request *request)
{
    return mark(policy, CALL_LDST_MARK, request);
}

static uint16_t cache_mark(struct loom_policy *policy,
                           const struct loom_mem_request *request)
{
    return mark(policy, CALL_CACHE_MARK, request);
}

static const struct loom_mark_ops ldst_mark_ops = {.bind = ldst_mark_bind,
                                                   .mark = ldst_mark};
static const struct loom_mark_ops cache_mark_ops = {.bind = cache_mark_bind,
                                                    .mark = cache_mark};

/* ---- dispatch ---- */

static bool dispatch_bind(struct loom_policy *policy, uint32_t sms,
                          struct loom_error *err)
{
    const struct kit_number numbers[] = {{"sms", sms}};

    return kit_bind(policy, &loom_dispatch_hook, numbers, 1, err);
}

/* Nil: wait. */
static uint32_t dispatch_select(struct loom_policy *policy,
                                const struct loom_dispatch_view *view)
{
    uint64_t sm = UINT32_MAX;
    const void *before;

    for (uint32_t i = view->sms; i-- > 0 && kit_state(policy)->failed;) {
        sm = view->fits[i] ? i : sm;
    }
    if (!kit_begin(policy, CALL_DISPATCH)) {
        return (uint32_t)sm;
    }
    before = kit_show(policy, VIEW_DISPATCH, view);
    if (kit_end(policy, CALL_DISPATCH, 1, 1)) {
        if (!lua_isnil(stack(policy), -1) &&
            kit_integer(policy, CALL_DISPATCH, -1, 0, view->sms - 1, &sm) &&
            !view->fits[sm]) {
            kit_refuse(policy, CALL_DISPATCH, "%u, where no CTA fits",
                       (uint32_t)sm);
            sm = UINT32_MAX;
        }
        kit_done(policy, 1);
    }
    kit_hide(policy, VIEW_DISPATCH, before);
    return (uint32_t)sm;
}

static const struct loom_dispatch_ops dispatch_ops = {
    .bind = dispatch_bind, .select = dispatch_select};

const struct kit_facet kit_sm_facets[] = {
    {&loom_scheduler_hook, &scheduler_ops},
    {&loom_throttle_hook, &throttle_ops},
    {&loom_coalesce_hook, &coalesce_ops},
    {&loom_order_hook, &order_ops},
    {&loom_ldst_mark_hook, &ldst_mark_ops},
    {&loom_cache_mark_hook, &cache_mark_ops},
    {&loom_dispatch_hook, &dispatch_ops},
    {NULL, NULL},
};
