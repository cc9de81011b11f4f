/*
 * Probes and the Lua side of a timeline: core.timeline().
 *
 * A probe is a policy of a type that is made for one run; it learns at which
 * part it is when it is bound.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/file.h"

#include "lua/policy_types.h"
#include "lua/timeline/timeline_private.h"

#define TIMELINE "warploom.timeline"

/* ---- probes ---- */

static struct tl_probe *bind(struct loom_policy *self)
{
    struct tl_probe *probe = loom_policy_state(self);

    /* The type is the first member. */
    probe->timeline = (struct timeline *)(uintptr_t)loom_policy_type_of(self);
    probe->host = loom_policy_host(self);
    probe->part = loom_component_id(probe->host);
    return probe;
}

static bool no_memory(struct loom_error *err)
{
    return loom_fail(err, LOOM_ERR_MEMORY, "no memory for a timeline");
}

static struct tl_sm *sm_at(struct timeline *t, uint32_t number)
{
    struct tl_sm *sm = NULL;

    if (number < t->sms) {
        sm = t->sm[number];
        if (sm == NULL) {
            sm = t->sm[number] = calloc(1, sizeof(*sm));
        }
    }
    if (sm != NULL) {
        sm->number = number;
    }
    return sm;
}

/* Rows of an SM, in the viewer from the top down. */
static void name_sm(struct timeline *t, const struct tl_probe *probe)
{
    const struct tl_sm *sm = probe->sm;
    struct tl_row row = {TL_PID_SM + sm->number, 0};

    tl_process(&t->out, row.pid, loom_component_path(probe->host));
    for (uint32_t i = 0; i < TL_CTAS; i++) {
        row.tid = TL_TID_CTA + i;
        tl_name_row(&t->out, row, "CTAs", i);
    }
    for (uint32_t i = 0; i < sm->warps; i++) {
        row.tid = TL_TID_WARP + i;
        tl_name_row(&t->out, row, "warp", i);
    }
}

static bool sm_bind(struct loom_policy *self,
                    const struct loom_observe_shape *shape,
                    struct loom_error *err)
{
    struct tl_probe *probe = bind(self);
    struct tl_sm *sm = sm_at(probe->timeline, shape->sm);

    if (sm == NULL) {
        return no_memory(err);
    }
    probe->sm = sm;
    sm->warps = shape->warps;
    sm->warp = calloc(shape->warps, sizeof(*sm->warp));
    if (probe->timeline->profile != NULL) {
        sm->watch = calloc(shape->warps, sizeof(*sm->watch));
        probe->timeline->profile->period =
            (double)loom_cycle_time(probe->host, 1000000) / 1e6;
    }
    if (sm->warp == NULL ||
        (probe->timeline->profile != NULL && sm->watch == NULL)) {
        return no_memory(err);
    }
    for (uint32_t i = 0; i < sm->warps; i++) {
        sm->warp[i].reason = LOOM_WAIT_REASONS;
    }
    name_sm(probe->timeline, probe);
    return true;
}

static bool ldst_bind(struct loom_policy *self,
                      const struct loom_observe_shape *shape,
                      struct loom_error *err)
{
    struct tl_probe *probe = bind(self);
    struct tl_sm *sm = sm_at(probe->timeline, shape->sm);

    if (sm == NULL) {
        return no_memory(err);
    }
    probe->sm = sm;
    sm->loads = shape->pending;
    sm->load = calloc(shape->pending, sizeof(*sm->load));
    if (sm->load == NULL) {
        return no_memory(err);
    }
    for (uint32_t i = 0; i < sm->loads; i++) {
        sm->load[i].first = TL_NO_ACCESS;
    }
    return true;
}

static bool cache_bind(struct loom_policy *self,
                       const struct loom_observe_shape *shape,
                       struct loom_error *err)
{
    struct tl_probe *probe = bind(self);
    struct timeline *t = probe->timeline;

    probe->level = loom_lowest(shape->level) % TL_LEVELS;
    probe->latency = shape->latency;
    if (shape->sm == UINT32_MAX && probe->part < t->parts) {
        t->lanes[probe->part] = calloc(1, sizeof(**t->lanes));
        if (t->lanes[probe->part] == NULL) {
            return no_memory(err);
        }
        tl_process(&t->out, TL_PID_PART + probe->part,
                   loom_component_path(probe->host));
    }
    return true;
}

static bool dram_bind(struct loom_policy *self,
                      const struct loom_commands_shape *shape,
                      struct loom_error *err)
{
    struct tl_probe *probe = bind(self);
    struct timeline *t = probe->timeline;
    struct tl_row row = {TL_PID_PART + probe->part, TL_TID_ALL_BANKS};

    probe->channel = calloc(1, sizeof(*probe->channel));
    if (probe->channel == NULL || probe->part >= t->parts) {
        free(probe->channel);
        return no_memory(err);
    }
    t->channel[probe->part] = probe->channel;
    tl_process(&t->out, row.pid, loom_component_path(probe->host));
    tl_name_row(&t->out, row, "all banks", UINT32_MAX);
    for (uint32_t i = 0; i < shape->banks && i < TL_BANKS; i++) {
        row.tid = TL_TID_BANK + i;
        tl_name_row(&t->out, row, "bank", i);
    }
    return true;
}

static void units(struct loom_policy *self, const struct loom_event *event)
{
    struct tl_probe *probe = loom_policy_state(self);

    if (probe->sm->watch != NULL) {
        tl_profile_warp(probe->timeline->profile,
                        &probe->sm->watch[event->warp], event);
    }
    if (probe->timeline->out.file != NULL) {
        tl_units(probe, event);
    }
}

static void loads(struct loom_policy *self, const struct loom_event *event)
{
    tl_loads(loom_policy_state(self), event);
}

static void caches(struct loom_policy *self, const struct loom_event *event)
{
    tl_caches(loom_policy_state(self), event);
}

static void command(struct loom_policy *self,
                    const struct loom_command_event *event)
{
    struct tl_probe *probe = loom_policy_state(self);

    if (probe->timeline->out.file != NULL) {
        tl_command(probe, event);
    }
}

static void served(struct loom_policy *self,
                   const struct loom_mem_request *request, loom_cycle arrived,
                   loom_cycle now, loom_cycle ready)
{
    const loom_cycle at[3] = {arrived, now, ready};

    tl_served(loom_policy_state(self), request, at);
}

static const struct loom_observe_ops sm_ops = {
    .events = LOOM_EVENT(KERNEL_START) | LOOM_EVENT(KERNEL_END) |
              LOOM_EVENT(CTA_START) | LOOM_EVENT(CTA_FINISH) |
              LOOM_EVENT(WARP_START) | LOOM_EVENT(WARP_FINISH) |
              LOOM_EVENT(WAIT) | LOOM_EVENT(ISSUE),
    .bind = sm_bind,
    .observe = units,
};
static const struct loom_observe_ops ldst_ops = {
    .events = LOOM_EVENT(MEM_ISSUE) | LOOM_EVENT(MEM_DONE),
    .bind = ldst_bind,
    .observe = loads,
};
static const struct loom_observe_ops cache_ops = {
    .events = LOOM_EVENT(ACCESS) | LOOM_EVENT(HIT) | LOOM_EVENT(PENDING_HIT) |
              LOOM_EVENT(MISS) | LOOM_EVENT(BYPASS) | LOOM_EVENT(FILL) |
              LOOM_EVENT(REPLY) | LOOM_EVENT(RESERVATION_FAIL) |
              LOOM_EVENT(SEND),
    .bind = cache_bind,
    .observe = caches,
};
static const struct loom_commands_ops dram_ops = {
    .bind = dram_bind, .issued = command, .served = served};

static const struct loom_facet facets[] = {
    {&loom_sm_observe_hook, &sm_ops},
    {&loom_ldst_observe_hook, &ldst_ops},
    {&loom_cache_observe_hook, &cache_ops},
    {&loom_commands_hook, &dram_ops},
};

/* ---- Lua ---- */

static void release(struct timeline *t)
{
    for (uint32_t i = 0; t->sm != NULL && i < t->sms; i++) {
        if (t->sm[i] != NULL) {
            free(t->sm[i]->warp);
            free(t->sm[i]->load);
            free(t->sm[i]->watch);
            free(t->sm[i]);
        }
    }
    for (uint32_t i = 0; i < t->parts; i++) {
        free(t->lanes != NULL ? t->lanes[i] : NULL);
        free(t->channel != NULL ? t->channel[i] : NULL);
    }
    free(t->sm);
    free(t->lanes);
    free(t->channel);
    free(t->access);
    free(t->kernel);
    tl_profile_free(t->profile);
    if (t->out.file != NULL) {
        fclose(t->out.file);
    }
}

static bool take_memory(struct timeline *t, bool profile)
{
    if (profile) {
        t->profile = calloc(1, sizeof(*t->profile));
        if (t->profile == NULL || !tl_profile_init(t->profile)) {
            return false;
        }
        t->profile->of = t;
    }
    t->sm = calloc(t->sms + 1, sizeof(*t->sm));
    t->lanes = calloc(t->parts + 1, sizeof(*t->lanes));
    t->channel = calloc(t->parts + 1, sizeof(*t->channel));
    t->access = calloc(TL_ACCESSES, sizeof(*t->access));
    if (t->sm == NULL || t->lanes == NULL || t->channel == NULL ||
        t->access == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < TL_ACCESSES; i++) {
        t->access[i].next =
            (uint16_t)(i + 1 < TL_ACCESSES ? i + 1 : TL_NO_ACCESS);
    }
    return true;
}

static bool open_file(struct timeline *t, const char *path,
                      struct loom_error *err)
{
    struct tl_row row = {TL_PID_KERNELS, 1};

    if (!loom_file_is_sink(path) && !loom_file_replaceable(path, err)) {
        return false;
    }
    t->out.file = fopen(path, "w");
    if (t->out.file == NULL) {
        return loom_fail(err, LOOM_ERR_OUTPUT, "cannot write '%s': %s", path,
                         strerror(errno));
    }
    fprintf(t->out.file, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    tl_process(&t->out, TL_PID_KERNELS, "kernels");
    for (row.tid = 1; row.tid <= TL_KERNELS; row.tid++) {
        tl_name_row(&t->out, row, "launches", row.tid - 1);
    }
    return true;
}

static loom_time time_field(lua_State *L, const char *name, loom_time def)
{
    loom_time time = def;

    if (lua_getfield(L, 1, name) != LUA_TNIL) {
        time = (loom_time)luaL_checkinteger(L, -1);
    }
    lua_pop(L, 1);
    return time;
}

/* core.timeline { path = (nil: no file), profile = true or nil, name =,
 * from =, to = (femtoseconds), kernel =, launch =, limit =, sms =, parts = } ->
 * timeline; its policy type has that name. */
static int timeline_new(lua_State *L)
{
    const char *path = NULL;
    bool profile;
    struct timeline *t = lua_newuserdatauv(L, sizeof(*t), 1);
    int anchor = lua_gettop(L);
    struct loom_error err;

    memset(t, 0, sizeof(*t));
    luaL_setmetatable(L, TIMELINE);
    lua_getfield(L, 1, "name");
    lua_setiuservalue(L, anchor, 1); /* the type has it */
    t->type = (struct loom_policy_type){
        .name = loom_lua_text(L, 1, "name"),
        .doc = "Writes a timeline",
        .state_size = sizeof(struct tl_probe),
        .facets = LOOM_SLICE(facets),
        .in_order = true,
        .apart = true,
        .cost = loom_cost_none,
    };
    t->from = time_field(L, "from", 0);
    t->to = time_field(L, "to", LOOM_NEVER);
    t->launch = time_field(L, "launch", UINT64_MAX);
    t->out.limit = time_field(L, "limit", UINT64_MAX);
    t->sms = (uint32_t)loom_lua_int(L, 1, "sms", 0);
    t->parts = (uint32_t)loom_lua_int(L, 1, "parts", 0);
    if (lua_getfield(L, 1, "kernel") == LUA_TSTRING) {
        t->kernel = strdup(lua_tostring(L, -1));
    }
    lua_getfield(L, 1, "profile");
    profile = lua_toboolean(L, -1);
    if (lua_getfield(L, 1, "path") == LUA_TSTRING) {
        path = lua_tostring(L, -1); /* its table has it */
    }
    lua_pop(L, 3);
    t->out.ended = path == NULL;
    if (!take_memory(t, profile)) {
        return loom_lua_no_memory(L, "a timeline");
    }
    if (path != NULL && !open_file(t, path, &err)) {
        return loom_lua_failed(L, &err);
    }
    loom_lua_add_policy_type(L, &t->type, anchor);
    lua_settop(L, anchor);
    return 1;
}

static void put_totals(struct timeline *t, loom_time now)
{
    fprintf(t->out.file,
            "\n],\"otherData\":{\"program\":\"warploom\",\"complete\":%s,"
            "\"end_ns\":%" PRIu64 ",\"loads\":%" PRIu64
            ",\"loads_written\":%" PRIu64 ",\"load_cycles\":%" PRIu64
            ",\"accesses_not_followed\":%" PRIu64
            ",\"slices_left_out\":%" PRIu64 "}}\n",
            t->out.full ? "false" : "true", (uint64_t)(now / 1000000), t->loads,
            t->written, t->cycles, t->not_followed, t->left_out);
}

/* timeline:finish(now) -> { slices =, bytes =, full =, last =, left_out = } */
static int timeline_finish(lua_State *L)
{
    struct timeline *t = luaL_checkudata(L, 1, TIMELINE);
    loom_time now = (loom_time)luaL_checkinteger(L, 2);
    loom_time at = t->out.full ? t->out.last : now;
    int error;

    luaL_argcheck(L, t->out.file != NULL, 1, "closed");
    tl_units_finish(t, at);
    tl_banks_finish(t, at);
    put_totals(t, now);
    error = t->out.error;
    if (fflush(t->out.file) != 0 && error == 0) {
        error = errno;
    }
    if (fclose(t->out.file) != 0 && error == 0) {
        error = errno;
    }
    t->out.file = NULL;
    t->out.ended = true;
    if (error != 0) {
        lua_pushnil(L);
        lua_pushfstring(L, "%s", strerror(error));
        return 2;
    }
    lua_newtable(L);
    loom_lua_set_int(L, "slices", t->out.slices);
    loom_lua_set_int(L, "bytes", t->out.bytes);
    loom_lua_set_flag(L, "full", t->out.full);
    loom_lua_set_int(L, "last", t->out.last);
    loom_lua_set_int(L, "left_out", t->left_out + t->not_followed);
    return 1;
}

/* timeline:record(recorder): its profile, before the recorder is closed. */
static int timeline_record(lua_State *L)
{
    struct timeline *t = luaL_checkudata(L, 1, TIMELINE);
    struct loom_error err;

    luaL_argcheck(L, t->profile != NULL, 1, "no profile");
    return loom_lua_done(
        L, tl_profile_record(t->profile, loom_lua_recorder(L, 2), &err), &err);
}

static int timeline_gc(lua_State *L)
{
    release(luaL_checkudata(L, 1, TIMELINE));
    return 0;
}

void loom_lua_open_timeline(lua_State *L)
{
    static const luaL_Reg functions[] = {{"timeline", timeline_new},
                                         {NULL, NULL}};
    static const luaL_Reg methods[] = {
        {"finish", timeline_finish}, {"record", timeline_record}, {NULL, NULL}};

    loom_lua_class(L, TIMELINE, methods, timeline_gc);
    luaL_setfuncs(L, functions, 0);
}
