/*
 * Calls of a policy's Lua functions, and what is done when one fails.
 *
 * The first error ends the run (loom_raise): results so far are written.
 * Until the window ends the policy answers with defaults and is not called.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/machine.h"

#include "lua/policy/kit_private.h"
#include "policies/dram_hook.h"
#include "policies/gpu_hook.h"
#include "policies/ldst_hook.h"
#include "policies/mark_hook.h"
#include "policies/noc_hook.h"
#include "policies/sm_hook.h"
#include "policies/transform_hook.h"

const struct kit_call_name kit_calls[] = {
    [CALL_INIT] = {"init", NULL, false},
    [CALL_BIND] = {"bind", NULL, false},
    [CALL_TIMER] = {"timer", NULL, false},
    [CALL_SETTLE] = {"settle", NULL, false},
    [CALL_CHECK] = {"check", NULL, false},
    [CALL_SCHEDULER_PICK] = {"scheduler.pick", &loom_scheduler_hook, true},
    [CALL_SCHEDULER_RANK] = {"scheduler.rank", &loom_scheduler_hook, true},
    [CALL_SCHEDULER_ISSUED] = {"scheduler.issued", &loom_scheduler_hook, false},
    [CALL_SCHEDULER_STALLED] = {"scheduler.stalled", &loom_scheduler_hook,
                                false},
    [CALL_SCHEDULER_STARTED] = {"scheduler.started", &loom_scheduler_hook,
                                false},
    [CALL_SCHEDULER_FINISHED] = {"scheduler.finished", &loom_scheduler_hook,
                                 false},
    [CALL_THROTTLE] = {"throttle.allow", &loom_throttle_hook, true},
    [CALL_THROTTLE_PREFER] = {"throttle.prefer", &loom_throttle_hook, false},
    [CALL_COALESCE] = {"coalesce.coalesce", &loom_coalesce_hook, true},
    [CALL_ORDER_QUEUE_OF] = {"order.queue_of", &loom_order_hook, true},
    [CALL_ORDER_NEXT] = {"order.next", &loom_order_hook, true},
    [CALL_ORDER_SENT] = {"order.sent", &loom_order_hook, false},
    [CALL_ADMIT] = {"admit.admit", &loom_admit_hook, true},
    [CALL_ALLOCATION_ALLOCATE] = {"allocation.allocate", &loom_allocation_hook,
                                  false},
    [CALL_ALLOCATION_FAIL] = {"allocation.fail", &loom_allocation_hook, false},
    [CALL_ALLOCATION_ANSWER] = {"allocation.answer", &loom_allocation_hook,
                                false},
    [CALL_CANDIDATES_RESTRICT] = {"candidates.restrict", &loom_candidates_hook,
                                  true},
    [CALL_CANDIDATES_EMPTY] = {"candidates.empty", &loom_candidates_hook,
                               false},
    [CALL_REPLACEMENT_VICTIM] = {"replacement.victim", &loom_replacement_hook,
                                 true},
    [CALL_REPLACEMENT_INSERTED] = {"replacement.inserted",
                                   &loom_replacement_hook, false},
    [CALL_REPLACEMENT_HIT] = {"replacement.hit", &loom_replacement_hook, false},
    [CALL_REPLACEMENT_INVALIDATED] = {"replacement.invalidated",
                                      &loom_replacement_hook, false},
    [CALL_SET_INDEX] = {"set_index.index", &loom_set_index_hook, true},
    [CALL_POWER] = {"power.after", &loom_power_hook, true},
    [CALL_LDST_MARK] = {"ldst_mark.mark", &loom_ldst_mark_hook, true},
    [CALL_CACHE_MARK] = {"cache_mark.mark", &loom_cache_mark_hook, true},
    [CALL_DISPATCH] = {"dispatch.select", &loom_dispatch_hook, true},
    [CALL_ROUTING_ROUTE] = {"routing.route", &loom_routing_hook, true},
    [CALL_ROUTING_VCS] = {"routing.vcs", &loom_routing_hook, false},
    [CALL_ARBITER_PICK] = {"arbiter.pick", &loom_arbiter_hook, true},
    [CALL_ARBITER_GRANTED] = {"arbiter.granted", &loom_arbiter_hook, false},
    [CALL_SCHEDULE_PICK] = {"schedule.pick", &loom_schedule_hook, true},
    [CALL_SCHEDULE_ARRIVED] = {"schedule.arrived", &loom_schedule_hook, false},
    [CALL_SCHEDULE_SERVED] = {"schedule.served", &loom_schedule_hook, false},
    [CALL_PAGE] = {"page.close_at", &loom_page_hook, true},
    [CALL_COMMANDS] = {"commands.issued", &loom_commands_hook, true},
    [CALL_MAP] = {"map.map", &loom_map_hook, true},
    [CALL_TRANSFORM] = {"transform.rewrite", &loom_transform_hook, true},
};

const char *const kit_events[LOOM_EVENTS] = {
    [LOOM_EVENT_KERNEL_START] = "kernel_start",
    [LOOM_EVENT_KERNEL_END] = "kernel_end",
    [LOOM_EVENT_CTA_START] = "cta_start",
    [LOOM_EVENT_CTA_FINISH] = "cta_finish",
    [LOOM_EVENT_WARP_START] = "warp_start",
    [LOOM_EVENT_WARP_FINISH] = "warp_finish",
    [LOOM_EVENT_ISSUE] = "issue",
    [LOOM_EVENT_LOOP_EXIT] = "loop_exit",
    [LOOM_EVENT_IBUFFER] = "ibuffer",
    [LOOM_EVENT_MEM_ISSUE] = "mem_issue",
    [LOOM_EVENT_MEM_COMPLETE] = "mem_complete",
    [LOOM_EVENT_ACCESS] = "access",
    [LOOM_EVENT_HIT] = "hit",
    [LOOM_EVENT_PENDING_HIT] = "pending_hit",
    [LOOM_EVENT_MISS] = "miss",
    [LOOM_EVENT_BYPASS] = "bypass",
    [LOOM_EVENT_ALLOCATE] = "allocate",
    [LOOM_EVENT_FILL] = "fill",
    [LOOM_EVENT_EVICT] = "evict",
    [LOOM_EVENT_REPLY] = "reply",
    [LOOM_EVENT_RESERVATION_FAIL] = "reservation_fail",
    [LOOM_EVENT_QUERY] = "query",
    [LOOM_EVENT_ANSWER] = "answer",
};

const struct loom_hook *kit_event_hook(uint32_t event)
{
    if (event <= LOOM_EVENT_IBUFFER) {
        return &loom_sm_observe_hook;
    }
    return event <= LOOM_EVENT_MEM_COMPLETE ? &loom_ldst_observe_hook
                                            : &loom_cache_observe_hook;
}

struct kit_state *kit_state(struct loom_policy *policy)
{
    return loom_policy_state(policy);
}

bool kit_has(struct loom_policy *policy, enum kit_call call)
{
    return kit_state(policy)->type->ref[call] != LUA_NOREF;
}

static const char *name_of(enum kit_call call)
{
    return call < CALL_EVENT ? kit_calls[call].name
                             : kit_events[call - CALL_EVENT];
}

static void raise(struct loom_policy *policy, const char *text)
{
    struct kit_state *state = kit_state(policy);
    struct loom_error err;

    if (state->failed) {
        return;
    }
    state->failed = true;
    loom_fail(&err, LOOM_ERR_POLICY, "%s", text);
    loom_raise(loom_policy_host(policy), &err);
    /* For init and bind, where nothing runs yet. */
    lua_pushstring(state->type->L, text);
    lua_setfield(state->type->L, LUA_REGISTRYINDEX, "warploom.policy_error");
}

bool kit_outcome(struct loom_policy *policy, struct loom_error *err)
{
    struct kit_state *state = kit_state(policy);
    lua_State *L = state->type->L;
    const char *text;

    if (!state->failed) {
        return true;
    }
    lua_getfield(L, LUA_REGISTRYINDEX, "warploom.policy_error");
    text = lua_tostring(L, -1);
    loom_fail(err, LOOM_ERR_POLICY, "%s", text != NULL ? text : "failed");
    lua_pop(L, 1);
    return false;
}

bool kit_begin(struct loom_policy *policy, enum kit_call call)
{
    struct kit_state *state = kit_state(policy);
    struct kit_type *type = state->type;
    struct kit_stats *stats;

    if (type->ref[call] == LUA_NOREF || state->failed) {
        return false;
    }
    if (!lua_checkstack(type->L, 64)) {
        raise(policy, "no memory for a call");
        return false;
    }
    stats = loom_policy_stats(policy);
    stats->lua_calls++;
    if (type->running++ == 0) {
        type->steps = 0;
    }
    lua_rawgeti(type->L, LUA_REGISTRYINDEX, type->ref[call]);
    return true;
}

/* Adds which function of which policy it was. */
static void explain(struct loom_policy *policy, enum kit_call call,
                    const char *text)
{
    char full[480];
    size_t used;

    snprintf(full, sizeof(full), "%s", text);
    used = strcspn(full, "\n");
    snprintf(full + used, sizeof(full) - used, " (in '%s' of %s)",
             name_of(call), loom_policy_path(policy));
    raise(policy, full);
}

bool kit_end(struct loom_policy *policy, enum kit_call call, int arguments,
             int results)
{
    struct kit_state *state = kit_state(policy);
    lua_State *L = state->type->L;
    bool ok;

    lua_rawgeti(L, LUA_REGISTRYINDEX, state->self);
    ok = lua_pcall(L, arguments + 1, results, 0) == LUA_OK;
    state->type->running--;
    if (!ok) {
        explain(policy, call, luaL_tolstring(L, -1, NULL));
        lua_pop(L, 2);
    }
    return ok;
}

void kit_done(struct loom_policy *policy, int results)
{
    lua_pop(kit_state(policy)->type->L, results);
}

void kit_refuse(struct loom_policy *policy, enum kit_call call, const char *fmt,
                ...)
{
    struct kit_type *type = kit_state(policy)->type;
    lua_State *L = type->L;
    lua_Debug where;
    char text[300], full[400];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    lua_rawgeti(L, LUA_REGISTRYINDEX, type->ref[call]);
    lua_getinfo(L, ">S", &where);
    snprintf(full, sizeof(full), "%s:%d: answered %s", where.short_src,
             where.linedefined, text);
    explain(policy, call, full);
}

bool kit_integer(struct loom_policy *policy, enum kit_call call, int at,
                 uint64_t low, uint64_t high, uint64_t *value)
{
    lua_State *L = kit_state(policy)->type->L;
    int is_integer;
    uint64_t given = (uint64_t)lua_tointegerx(L, at, &is_integer);

    if (is_integer == 0 || given < low || given > high) {
        kit_refuse(policy, call, "%s, expected a whole number %llu..%llu",
                   luaL_tolstring(L, at, NULL), (unsigned long long)low,
                   (unsigned long long)high);
        lua_pop(L, 1);
        return false;
    }
    *value = given;
    return true;
}

int kit_choice(struct loom_policy *policy, enum kit_call call, int at,
               const char *const *names, int none)
{
    lua_State *L = kit_state(policy)->type->L;
    char list[160] = "nil";

    if (!lua_toboolean(L, at)) {
        return none;
    }
    for (int i = 0; names[i] != NULL; i++) {
        if (lua_type(L, at) == LUA_TSTRING &&
            strcmp(lua_tostring(L, at), names[i]) == 0) {
            return i;
        }
        snprintf(list + strlen(list), sizeof(list) - strlen(list), ", \"%s\"",
                 names[i]);
    }
    kit_refuse(policy, call, "%s, expected one of %s",
               luaL_tolstring(L, at, NULL), list);
    lua_pop(L, 1);
    return none;
}
