/*
 * The C functions of the ops: made from the rows of ops.h, or written out
 * where a question or its answer is more than numbers, names and views.
 */
#include "lua/policy/ask.h"

#include "policies/dram_hook.h"
#include "policies/gpu_hook.h"
#include "policies/ldst_hook.h"
#include "policies/mark_hook.h"
#include "policies/noc_hook.h"
#include "policies/sm_hook.h"
#include "policies/transform_hook.h"

static lua_State *stack(struct loom_policy *policy)
{
    return kit_state(policy)->type->L;
}

/* ---- what the rows say of answers ---- */

static const char *const admits[] = {
    [LOOM_ADMIT_LOOKUP] = "lookup", [LOOM_ADMIT_BYPASS] = "bypass"};
static const char *const allocates[] = {
    [LOOM_ALLOCATE] = "allocate", [LOOM_NO_ALLOCATE] = "no_allocate"};
static const char *const fails[] = {
    [LOOM_FAIL_RETRY] = "retry", [LOOM_FAIL_BYPASS] = "bypass"};
static const char *const empties[] = {[LOOM_EMPTY_BYPASS] = "bypass",
                                      [LOOM_EMPTY_STALL] = "stall",
                                      [LOOM_EMPTY_ANY] = "any"};
static const char *const powers[] = {[LOOM_LINE_ON] = "on",
                                     [LOOM_LINE_DROWSY] = "drowsy",
                                     [LOOM_LINE_GATED] = "gated"};

/* Waits, or takes any SM where Lua does not answer any more. */
static uint32_t first_fit(struct loom_policy *policy,
                          const struct loom_dispatch_view *view)
{
    for (uint32_t i = 0; i < view->sms && kit_state(policy)->failed; i++) {
        if (view->fits[i]) {
            return i;
        }
    }
    return UINT32_MAX;
}

static uint64_t vcs_of(struct loom_policy *policy)
{
    uint32_t count = kit_state(policy)->vcs;

    return count >= 64 ? UINT64_MAX : loom_bit(count) - 1;
}

static bool routing_all_vcs(struct loom_policy *policy)
{
    return !kit_has(policy, KIT_routing_vcs);
}

static uint64_t legal(const struct loom_schedule_view *view)
{
    return view->column | view->activate | view->precharge;
}

/* None, or what is legal and oldest where Lua does not answer any more. */
static uint32_t first_legal(struct loom_policy *policy,
                            const struct loom_schedule_view *view)
{
    return kit_state(policy)->failed && legal(view) != 0
               ? loom_schedule_oldest(view, legal(view))
               : UINT32_MAX;
}

/* ---- coalesce ---- */

static uint32_t coalesce_coalesce(struct loom_policy *policy,
                                  const struct loom_lanes *lanes,
                                  struct loom_access access[LOOM_ACCESS_MAX])
{
    const struct kit_ask *ask = KIT_ASK_ARGS(policy, KIT_coalesce_coalesce,
                                             KIT_PUSH(kit_push_lanes, lanes));
    uint32_t count = 0;

    if (kit_call(ask, 1)) {
        count = kit_read_accesses(stack(policy), lanes, access);
        if (count == 0) {
            kit_refuse(ask, "no list of accesses { block, size, sectors, "
                            "lanes, bytes_low, bytes_high } that covers all "
                            "lanes; see lanes:segments()");
        }
        kit_done(ask, 1);
    }
    return count > 0 ? count
                     : loom_coalesce_segments(lanes, LOOM_BLOCK_BYTES, access);
}

/* ---- order ---- */

static uint32_t order_next(struct loom_policy *policy,
                           const struct loom_queue_view *queue, uint32_t queues,
                           loom_cycle now)
{
    const struct kit_queues all = {queue, queues};
    const struct kit_ask *ask = KIT_ASK_ARGS(
        policy, KIT_order_next, KIT_PUSH(kit_push_queues, &all), KIT_ARG(now));
    uint32_t first = 0, answer;

    while (queue[first].head == NULL) {
        first++;
    }
    answer = (uint32_t)kit_number(
        ask, &(struct kit_range){0, queues - 1, first, false});
    if (queue[answer].head == NULL) {
        kit_refuse(ask, "%u, an empty queue", answer);
        return first;
    }
    return answer;
}

/* ---- caches ---- */

static enum loom_on_fail allocation_fail(struct loom_policy *policy,
                                         const struct loom_mem_request *request,
                                         enum loom_fail_reason reason,
                                         struct loom_bypass *bypass)
{
    return (enum loom_on_fail)kit_choice(
        KIT_ASK(policy, KIT_allocation_fail, request, loom_fail_names[reason]),
        fails, LOOM_COUNTOF(fails), bypass);
}

/* Nil: all of them. */
static void candidates_restrict_ways(struct loom_policy *policy,
                                     const struct loom_mem_request *request,
                                     uint32_t set, struct loom_ways *ways)
{
    const struct kit_ask *ask =
        KIT_ASK(policy, KIT_candidates_restrict_ways, request, set, ways);
    lua_State *L = stack(policy);

    if (!kit_call(ask, 1)) {
        return;
    }
    if (lua_istable(L, -1)) {
        kit_keep_ways(ask, ways);
    } else if (!lua_isnil(L, -1)) {
        kit_refuse(ask, "%s, expected nil or a list of ways",
                   luaL_tolstring(L, -1, NULL));
        lua_pop(L, 1);
    }
    kit_done(ask, 1);
}

static enum loom_line_power power_after(struct loom_policy *policy,
                                        enum loom_event_kind event,
                                        const struct loom_mem_request *request,
                                        uint32_t set, uint32_t way)
{
    return (enum loom_line_power)kit_choice(KIT_ASK(policy, KIT_power_after,
                                                    loom_event_names[event],
                                                    request, set, way),
                                            powers, LOOM_COUNTOF(powers), NULL);
}

/* ---- networks and memory ---- */

static uint32_t arbiter_pick(struct loom_policy *policy, uint32_t output,
                             const uint64_t *requests, loom_cycle now)
{
    const struct kit_inputs inputs = {requests, kit_state(policy)->inputs};
    const struct kit_ask *ask =
        KIT_ASK_ARGS(policy, KIT_arbiter_pick, KIT_ARG(output),
                     KIT_PUSH(kit_push_inputs, &inputs), KIT_ARG(now));
    uint32_t first = 0, answer;

    while (!kit_wants(requests, first)) {
        first++;
    }
    answer = (uint32_t)kit_number(
        ask, &(struct kit_range){0, inputs.count - 1, first, false});
    if (!kit_wants(requests, answer)) {
        kit_refuse(ask, "%u, which does not want the output", answer);
        return first;
    }
    return answer;
}

/* The field of the table on top. */
static uint64_t place_field(const struct kit_ask *ask, const char *name,
                            uint64_t high)
{
    uint64_t value = 0;

    lua_getfield(stack(ask->policy), -1, name);
    if (!kit_state(ask->policy)->failed) {
        kit_integer(ask, -1, 0, high, &value);
    }
    lua_pop(stack(ask->policy), 1);
    return value;
}

static void map_map(struct loom_policy *policy, loom_addr address,
                    struct loom_place *place)
{
    const struct kit_ask *ask = KIT_ASK(policy, KIT_map_map, address);
    const struct kit_state *state = kit_state(policy);
    uint32_t slices = state->channels * state->slices_per_channel;

    *place = (struct loom_place){.local = address};
    if (!kit_call(ask, 1)) {
        return;
    }
    if (lua_istable(stack(policy), -1)) {
        place->local = place_field(ask, "local", INT64_MAX);
        place->channel =
            (uint32_t)place_field(ask, "channel", state->channels - 1);
        place->slice = (uint32_t)place_field(ask, "slice", slices - 1);
        place->bank = (uint32_t)place_field(ask, "bank", UINT32_MAX);
        place->row = (uint32_t)place_field(ask, "row", UINT32_MAX);
        place->column = (uint32_t)place_field(ask, "column", UINT32_MAX);
    } else {
        kit_refuse(ask,
                   "no table { local, channel, slice, bank, row, column }");
    }
    kit_done(ask, 1);
}

static bool transform_rewrite(struct loom_policy *policy,
                              struct loom_rewrite *work, struct loom_error *err)
{
    return kit_rewrite(policy, work, err);
}

/* ---- bind: self.shape, and what answers are checked with ---- */

#define SHAPE(shape_, keep, ...)                                               \
    static bool bind_##shape_(                                                 \
        struct loom_policy *policy, const struct loom_hook *hook,              \
        const struct loom_##shape_ *shape, struct loom_error *err)             \
    {                                                                          \
        const struct kit_shape numbers[] = {__VA_ARGS__};                      \
        keep return kit_bind(policy, hook, numbers, LOOM_COUNTOF(numbers),     \
                             err);                                             \
    }
#define N KIT_SHAPE
#define NOTHING
#define KEEP(field) kit_state(policy)->field = shape->field;

/* clang-format off */
SHAPE(sm_shape, NOTHING, N(sm), N(schedulers), N(warps), N(locals))
SHAPE(ldst_shape, NOTHING, N(sm), N(line_bytes), N(warps))
SHAPE(cache_shape, KEEP(host) KEEP(sets) KEEP(ways),
      N(sm), N(sets), N(ways), N(line_bytes), N(sector_bytes), N(level))
SHAPE(noc_shape, KEEP(inputs) KEEP(outputs) KEEP(vcs) KEEP(slice_links),
      N(inputs), N(outputs), N(nodes), N(columns), N(rows), N(topology),
      N(routers), N(concentration), N(radix), N(stages), N(vcs), N(slice_links))
SHAPE(schedule_shape, NOTHING, N(banks), N(groups), N(entries))
SHAPE(commands_shape, NOTHING, N(channel), N(banks), N(groups))
SHAPE(map_shape, KEEP(channels) KEEP(slices_per_channel),
      N(channels), N(slices_per_channel))
/* clang-format on */

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

    *queues = param_or(policy, type->queues, "queues", 1);
    *depth = param_or(policy, type->depth, "depth", 8);
    if (*queues < 1 || *queues > 64 || *depth < 1 || *depth > 4096) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "order has %u queues of %u, expected 1..64 of 1..4096",
                         *queues, *depth);
    }
    kit_state(policy)->queues = *queues;
    return bind_ldst_shape(policy, &loom_order_hook, shape, err);
}

static bool ldst_mark_bind(struct loom_policy *policy, struct loom_error *err)
{
    return kit_bind(policy, &loom_ldst_mark_hook, NULL, 0, err);
}

static bool cache_mark_bind(struct loom_policy *policy, struct loom_error *err)
{
    return kit_bind(policy, &loom_cache_mark_hook, NULL, 0, err);
}

static bool dispatch_bind(struct loom_policy *policy, uint32_t sms,
                          struct loom_error *err)
{
    const struct kit_shape number = {"sms", sms};

    return kit_bind(policy, &loom_dispatch_hook, &number, 1, err);
}

/* ---- the rows ---- */

#define REQUEST const struct loom_mem_request *
#define THROTTLE_VIEW const struct loom_throttle_view *

#define PARAMS_1(A) A a
#define PARAMS_2(A, B) PARAMS_1(A), B b
#define PARAMS_3(A, B, C) PARAMS_2(A, B), C c
#define PARAMS_4(A, B, C, D) PARAMS_3(A, B, C), D d
#define NAMES_1(A) a
#define NAMES_2(A, B) a, b
#define NAMES_3(A, B, C) a, b, c
#define NAMES_4(A, B, C, D) a, b, c, d

#define ANSWER(low, high, otherwise, nil)                                      \
    const struct kit_range range = {low, high, otherwise, nil};                \
    uint64_t answer = kit_number(ask, &range);
#define NUMBER(low, high, otherwise) ANSWER(low, high, otherwise, false)
#define NUMBER_OR_NIL(low, high, otherwise) ANSWER(low, high, otherwise, true)
#define MEMBER(is, ...)                                                        \
    if (answer != range.otherwise && !(is)) {                                  \
        kit_refuse(ask, __VA_ARGS__);                                          \
        answer = range.otherwise;                                              \
    }
#define AMONG(high, otherwise, ...)                                            \
    ANSWER(0, high, otherwise, false) MEMBER(__VA_ARGS__)
#define AMONG_OR_NIL(high, otherwise, ...)                                     \
    ANSWER(0, high, otherwise, true) MEMBER(__VA_ARGS__)
#define BYPASS(names, bypass)                                                  \
    uint32_t answer = kit_choice(ask, names, LOOM_COUNTOF(names), bypass);

#define OP(hook, op, name, required, result, read, ...)                        \
    static result hook##_##op(struct loom_policy *policy,                      \
                              KIT_EACH(PARAMS, __VA_ARGS__))                   \
    {                                                                          \
        const struct kit_ask *ask =                                            \
            KIT_ASK(policy, KIT_##hook##_##op, KIT_EACH(NAMES, __VA_ARGS__));  \
        read return (result)answer;                                            \
    }
#define TELL(hook, op, name, required, ...)                                    \
    static void hook##_##op(struct loom_policy *policy,                        \
                            KIT_EACH(PARAMS, __VA_ARGS__))                     \
    {                                                                          \
        kit_tell(                                                              \
            KIT_ASK(policy, KIT_##hook##_##op, KIT_EACH(NAMES, __VA_ARGS__))); \
    }
KIT_HOOKS(KIT_ROWS, OP, TELL, KIT_NONE, KIT_NONE, KIT_NONE)

#define BIND(hook, shape_)                                                     \
    static bool hook##_bind(struct loom_policy *policy,                        \
                            const struct loom_##shape_ *shape,                 \
                            struct loom_error *err)                            \
    {                                                                          \
        return bind_##shape_(policy, &loom_##hook##_hook, shape, err);         \
    }
KIT_HOOKS(KIT_ROWS, KIT_NONE, KIT_NONE, KIT_NONE, BIND, KIT_NONE)

#define OPS(hook, type, ...)                                                   \
    static const struct loom_##type##_ops hook##_ops = {__VA_ARGS__};
#define SET_OP(hook, op, ...) .op = hook##_##op,
#define SET_BIND(hook, shape_) .bind = hook##_bind,
#define SET(hook, member) .member = hook##_##member,
KIT_HOOKS(OPS, SET_OP, SET_OP, SET_OP, SET_BIND, SET)

#define FACET(hook, ...) {&loom_##hook##_hook, &hook##_ops},
const struct loom_facet kit_facet[] = {
    KIT_HOOKS(FACET, KIT_NONE, KIT_NONE, KIT_NONE, KIT_NONE, KIT_NONE)};
const size_t kit_facets = LOOM_COUNTOF(kit_facet);
