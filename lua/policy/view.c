/*
 * Views: a C struct's fields, read by name where the struct is.
 */
#include <string.h>

#include "lua/policy/kit_private.h"
#include "policies/dram_hook.h"
#include "policies/gpu_hook.h"
#include "policies/noc_hook.h"
#include "policies/sm_hook.h"

#define VIEW "warploom.view"

const char *const kit_spaces[] = {"global", "local",   "shared", "const",
                                  "param",  "texture", "inst",   NULL};
static const char *const cache_ops[] = {"default", "cg", "cs", "cv", "nc"};
static const char *const evict_reasons[] = {"capacity", "write", "flush"};
static const char *const commands[] = {"act", "pre", "rd", "wr", "ref", "refb"};

/* Fields of a C struct, as views read them. */
enum kit_kind {
    KIT_NUMBER, /* of 1, 2, 4 or 8 bytes */
    KIT_BOOL,
    KIT_NAME,   /* uint8_t or uint32_t, one of `names` */
    KIT_SPECIAL /* read by the class's own function */
};
struct kit_field {
    const char *name;
    enum kit_kind kind;
    uint32_t offset, size;
    const char *const *names; /* KIT_NAME: [count] */
    uint32_t count;
};

#define SIZE_OF(T, f) sizeof(((T *)0)->f)
/* clang-format off */
#define KIND_OF(T, f) \
    _Generic(((T *)0)->f, uint8_t: KIT_NUMBER, uint16_t: KIT_NUMBER, \
             uint32_t: KIT_NUMBER, uint64_t: KIT_NUMBER, bool: KIT_BOOL, \
             default: KIT_SPECIAL)
/* clang-format on */
#define FIELD(T, f)                                                            \
    {                                                                          \
#f, KIND_OF(T, f), offsetof(T, f), SIZE_OF(T, f), NULL, 0              \
    }
#define NAMED(T, f, list, n)                                                   \
    {                                                                          \
#f, KIT_NAME, offsetof(T, f), SIZE_OF(T, f), list, n                   \
    }
#define SPECIAL(name)                                                          \
    {                                                                          \
        name, KIT_SPECIAL, 0, 0, NULL, 0                                       \
    }

#define R struct loom_mem_request
static const struct kit_field request_fields[] = {
    FIELD(R, block),
    FIELD(R, born),
    FIELD(R, src),
    FIELD(R, token),
    FIELD(R, cta),
    FIELD(R, kernel),
    FIELD(R, inst),
    FIELD(R, sm),
    FIELD(R, warp),
    FIELD(R, rank),
    FIELD(R, size_bytes),
    FIELD(R, policy_bits),
    FIELD(R, reply_bits),
    FIELD(R, access),
    FIELD(R, accesses),
    FIELD(R, scheduler),
    NAMED(R, kind, loom_mem_kind_names, LOOM_MEM_KINDS),
    NAMED(R, space, kit_spaces, LOOM_SPACES),
    NAMED(R, cache_op, cache_ops, LOOM_COUNTOF(cache_ops)),
    FIELD(R, sectors),
    FIELD(R, bypassed),
    FIELD(R, bypassed_by),
    FIELD(R, flags),
    SPECIAL("uncoalesced"),
};
#undef R

#define E struct loom_event
static const struct kit_field event_fields[] = {
    NAMED(E, kind, loom_event_names, LOOM_EVENTS),
    FIELD(E, now),
    FIELD(E, block),
    FIELD(E, age),
    FIELD(E, duration),
    FIELD(E, cta),
    FIELD(E, inst),
    FIELD(E, mask),
    FIELD(E, count),
    FIELD(E, after),
    FIELD(E, hits),
    FIELD(E, bypasses),
    FIELD(E, set),
    FIELD(E, way),
    FIELD(E, warp),
    FIELD(E, rank),
    FIELD(E, scheduler),
    FIELD(E, dirty),
    SPECIAL("reason"),
    SPECIAL("request"),
    SPECIAL("kernel"),
};
#undef E

#define K struct loom_kernel
static const struct kit_field kernel_fields[] = {
    FIELD(K, number),      FIELD(K, registers),  FIELD(K, shared_bytes),
    FIELD(K, local_bytes), FIELD(K, inst_count), FIELD(K, loop_count),
    SPECIAL("name"),       SPECIAL("inst"),      SPECIAL("ctas"),
    SPECIAL("threads"),
};
#undef K

#define T struct loom_throttle_view
static const struct kit_field throttle_fields[] = {
    FIELD(T, ready), FIELD(T, active), FIELD(T, waiting),   FIELD(T, memory),
    FIELD(T, loads), FIELD(T, now),    FIELD(T, scheduler), SPECIAL("next"),
};
#undef T

#define S struct loom_schedule_view
static const struct kit_field schedule_fields[] = {
    FIELD(S, waiting),   FIELD(S, writes), FIELD(S, hits),   FIELD(S, column),
    FIELD(S, activate),  FIELD(S, kept),   FIELD(S, oldest), FIELD(S, now),
    FIELD(S, precharge), SPECIAL("bank"),  SPECIAL("row"),   SPECIAL("order"),
};
#undef S

#define D struct loom_dispatch_view
static const struct kit_field dispatch_fields[] = {
    FIELD(D, next_cta),  FIELD(D, sms),   SPECIAL("kernel"),
    SPECIAL("resident"), SPECIAL("fits"),
};
#undef D

#define H struct loom_hop
static const struct kit_field hop_fields[] = {
    FIELD(H, router), FIELD(H, input),       FIELD(H, vc),
    FIELD(H, output), FIELD(H, destination),
};
#undef H

#define C struct loom_command_event
static const struct kit_field command_fields[] = {
    FIELD(C, now),    NAMED(C, command, commands, LOOM_COUNTOF(commands)),
    FIELD(C, bank),   FIELD(C, row),
    FIELD(C, column),
};
#undef C

static const struct {
    const char *name;
    const struct kit_field *field;
    size_t count;
} classes[KIT_VIEWS] = {
    [VIEW_REQUEST] = {"an access", request_fields,
                      LOOM_COUNTOF(request_fields)},
    [VIEW_EVENT] = {"an event", event_fields, LOOM_COUNTOF(event_fields)},
    [VIEW_EVENT_REQUEST] = {"a request", request_fields,
                            LOOM_COUNTOF(request_fields)},
    [VIEW_KERNEL] = {"a kernel", kernel_fields, LOOM_COUNTOF(kernel_fields)},
    [VIEW_THROTTLE] = {"a scheduler's view", throttle_fields,
                       LOOM_COUNTOF(throttle_fields)},
    [VIEW_NEXT] = {"the next instructions", NULL, 0},
    [VIEW_SCHEDULE] = {"a channel's queue", schedule_fields,
                       LOOM_COUNTOF(schedule_fields)},
    [VIEW_DISPATCH] = {"the SMs", dispatch_fields,
                       LOOM_COUNTOF(dispatch_fields)},
    [VIEW_HOP] = {"a hop", hop_fields, LOOM_COUNTOF(hop_fields)},
    [VIEW_COMMAND] = {"a command", command_fields,
                      LOOM_COUNTOF(command_fields)},
};

void kit_push_inst(lua_State *L, const struct loom_static_inst *inst)
{
    const struct {
        const char *name;
        uint32_t value;
    } number[] = {
        {"pc", inst->pc},       {"line", inst->line},
        {"bytes", inst->bytes}, {"vector", inst->vector},
        {"param", inst->param}, {"flags", inst->flags},
    };

    lua_newtable(L);
    for (size_t i = 0; i < LOOM_COUNTOF(number); i++) {
        loom_lua_set_int(L, number[i].name, number[i].value);
    }
    loom_lua_set_text(L, "op", loom_op_names[inst->op]);
    loom_lua_set_text(L, "space", kit_spaces[inst->space]);
    if (inst->loop != LOOM_NO_LOOP) {
        loom_lua_set_int(L, "loop", inst->loop);
    }
}

static struct kit_view_data *view_at(lua_State *L, int at)
{
    struct kit_view_data *view = luaL_checkudata(L, at, VIEW);

    if (view->at == NULL) {
        luaL_error(L, "%s is known during the call only; keep its fields",
                   classes[view->view].name);
    }
    return view;
}

/* kernel:inst(i): a static instruction. */
static int kernel_inst(lua_State *L)
{
    const struct kit_view_data *view = view_at(L, 1);
    const struct loom_kernel *kernel = view->at;
    lua_Integer i = luaL_checkinteger(L, 2);

    luaL_argcheck(L, view->view == VIEW_KERNEL, 1, "expected a kernel");
    luaL_argcheck(L, i >= 0 && i < (lua_Integer)kernel->inst_count, 2,
                  "no such instruction");
    kit_push_inst(L, &kernel->inst[i]);
    return 1;
}

/* Shows `at` in another view for as long as the first one is shown. */
static int nested(lua_State *L, const struct kit_view_data *outer,
                  enum kit_view view, const void *at)
{
    if (at == NULL) {
        lua_pushnil(L);
    } else {
        outer->type->view[view]->at = at;
        lua_rawgeti(L, LUA_REGISTRYINDEX, outer->type->view_ref[view]);
    }
    return 1;
}

static int numbers(lua_State *L, const uint32_t *item, uint32_t count)
{
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        lua_pushinteger(L, item[i]);
        lua_rawseti(L, -2, i);
    }
    return 1;
}

static int special_event(lua_State *L, const struct kit_view_data *view,
                         const char *name)
{
    const struct loom_event *event = view->at;
    uint32_t reason = event->reason;

    if (strcmp(name, "request") == 0) {
        return nested(L, view, VIEW_EVENT_REQUEST, event->request);
    } else if (strcmp(name, "kernel") == 0) {
        return nested(L, view, VIEW_KERNEL, event->kernel);
    } else if (event->kind == LOOM_EVENT_EVICT && reason <= LOOM_EVICT_FLUSH) {
        lua_pushstring(L, evict_reasons[reason]);
    } else if (event->kind == LOOM_EVENT_WAIT && reason < LOOM_WAIT_REASONS) {
        lua_pushstring(L, loom_wait_names[reason]);
    } else if (reason < LOOM_FAIL_REASONS) {
        lua_pushstring(L, loom_fail_names[reason]);
    } else {
        lua_pushnil(L);
    }
    return 1;
}

static int special_kernel(lua_State *L, const struct loom_kernel *kernel,
                          const char *name)
{
    if (strcmp(name, "name") == 0) {
        lua_pushstring(L, kernel->name);
    } else if (strcmp(name, "inst") == 0) {
        lua_pushcfunction(L, kernel_inst);
    } else {
        lua_pushinteger(L, (lua_Integer)loom_dim3_count(
                               name[0] == 'c' ? kernel->grid : kernel->block));
    }
    return 1;
}

static int special_schedule(lua_State *L, const struct loom_schedule_view *v,
                            const char *name)
{
    lua_createtable(L, 64, 0);
    for (uint32_t i = 0; i < 64; i++) {
        const struct loom_schedule_entry *entry = &v->entry[i];
        uint64_t value = name[0] == 'b'   ? entry->bank
                         : name[0] == 'r' ? entry->row
                                          : entry->order;

        lua_pushinteger(L, (lua_Integer)value);
        lua_rawseti(L, -2, i);
    }
    return 1;
}

static int special_dispatch(lua_State *L, const struct kit_view_data *view,
                            const char *name)
{
    const struct loom_dispatch_view *v = view->at;

    if (name[0] == 'k') {
        return nested(L, view, VIEW_KERNEL, v->kernel);
    } else if (name[0] == 'r') {
        return numbers(L, v->resident, v->sms);
    }
    lua_createtable(L, (int)v->sms, 0);
    for (uint32_t i = 0; i < v->sms; i++) {
        lua_pushboolean(L, v->fits[i]);
        lua_rawseti(L, -2, i);
    }
    return 1;
}

static int special(lua_State *L, const struct kit_view_data *view,
                   const char *name)
{
    const struct loom_mem_request *request = view->at;

    switch ((enum kit_view)view->view) {
    case VIEW_REQUEST:
    case VIEW_EVENT_REQUEST:
        lua_pushboolean(L, (request->flags & LOOM_MEM_UNCOALESCED) != 0);
        return 1;
    case VIEW_EVENT:
        return special_event(L, view, name);
    case VIEW_KERNEL:
        return special_kernel(L, view->at, name);
    case VIEW_THROTTLE:
        return nested(L, view, VIEW_NEXT,
                      ((const struct loom_throttle_view *)view->at)->next);
    case VIEW_SCHEDULE:
        return special_schedule(L, view->at, name);
    case VIEW_DISPATCH:
        return special_dispatch(L, view, name);
    case VIEW_NEXT:
    case VIEW_HOP:
    case VIEW_COMMAND:
    case KIT_VIEWS:
        break;
    }
    return 0;
}

static uint64_t number_at(const char *at, uint32_t size)
{
    uint64_t value = 0;

    switch (size) {
    case 1:
        return *(const uint8_t *)at;
    case 2:
        return *(const uint16_t *)(const void *)at;
    case 4:
        return *(const uint32_t *)(const void *)at;
    default:
        memcpy(&value, at, sizeof(value));
        return value;
    }
}

/* An unknown field: the library words it, with "did you mean". */
static int unknown(lua_State *L, const struct kit_view_data *view)
{
    const char *name = luaL_tolstring(L, 2, NULL);

    lua_getfield(L, LUA_REGISTRYINDEX, "warploom.policy_hint");
    lua_pushstring(L, name);
    lua_newtable(L);
    if (view->view == VIEW_NEXT) {
        for (int i = 0; i < LOOM_OPS; i++) {
            lua_pushstring(L, loom_op_names[i]);
            lua_rawseti(L, -2, i + 1);
        }
    }
    for (size_t i = 0; i < classes[view->view].count; i++) {
        lua_pushstring(L, classes[view->view].field[i].name);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_call(L, 2, 1);
    return luaL_error(L, "%s has no '%s'%s", classes[view->view].name, name,
                      lua_tostring(L, -1));
}

/* view.name; upvalue 1: for each view a table from name to number. */
static int view_index(lua_State *L)
{
    const struct kit_view_data *view = view_at(L, 1);
    const struct kit_field *field;
    uint64_t value;
    lua_Integer i;

    lua_settop(L, 2);
    lua_rawgeti(L, lua_upvalueindex(1), (lua_Integer)view->view);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, 3) != LUA_TNUMBER) {
        return unknown(L, view);
    }
    i = lua_tointeger(L, -1);
    if (view->view == VIEW_NEXT) {
        lua_pushinteger(L, (lua_Integer)((const uint64_t *)view->at)[i]);
        return 1;
    }
    field = &classes[view->view].field[i];
    if (field->kind == KIT_SPECIAL) {
        return special(L, view, field->name);
    }
    value = number_at((const char *)view->at + field->offset, field->size);
    if (field->kind == KIT_BOOL) {
        lua_pushboolean(L, value != 0);
    } else if (field->kind == KIT_NAME && value < field->count) {
        lua_pushstring(L, field->names[value]);
    } else {
        lua_pushinteger(L, (lua_Integer)value);
    }
    return 1;
}

static int view_newindex(lua_State *L)
{
    return luaL_error(L, "what a policy is told is read only");
}

static void make_class(lua_State *L)
{
    if (luaL_newmetatable(L, VIEW) == 0) {
        return;
    }
    lua_newtable(L);
    for (int v = 0; v < KIT_VIEWS; v++) {
        lua_newtable(L);
        for (size_t i = 0; i < classes[v].count; i++) {
            loom_lua_set_int(L, classes[v].field[i].name, i);
        }
        for (uint32_t i = 0; v == VIEW_NEXT && i < LOOM_OPS; i++) {
            loom_lua_set_int(L, loom_op_names[i], i);
        }
        lua_rawseti(L, -2, v);
    }
    lua_pushcclosure(L, view_index, 1);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, view_newindex);
    lua_setfield(L, -2, "__newindex");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
}

void kit_open_views(lua_State *L, struct kit_type *type)
{
    for (uint32_t i = 0; i < KIT_VIEWS; i++) {
        struct kit_view_data *view = lua_newuserdatauv(L, sizeof(*view), 0);

        *view = (struct kit_view_data){NULL, i, type};
        make_class(L);
        lua_setmetatable(L, -2);
        type->view[i] = view;
        type->view_ref[i] = luaL_ref(L, LUA_REGISTRYINDEX);
    }
}

const void *kit_show(struct kit_type *type, enum kit_view view, const void *at)
{
    const void *before = type->view[view]->at;

    if (at == NULL) {
        lua_pushnil(type->L);
        return before;
    }
    type->view[view]->at = at;
    lua_rawgeti(type->L, LUA_REGISTRYINDEX, type->view_ref[view]);
    return before;
}

void kit_hide(struct kit_type *type, enum kit_view view, const void *before)
{
    type->view[view]->at = before;
    if (view == VIEW_EVENT || view == VIEW_DISPATCH) {
        type->view[VIEW_EVENT_REQUEST]->at = NULL;
        type->view[VIEW_KERNEL]->at = NULL;
    } else if (view == VIEW_THROTTLE) {
        type->view[VIEW_NEXT]->at = NULL;
    }
}
