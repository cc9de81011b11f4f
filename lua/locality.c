/*
 * The functional L1 model (workloads/locality/locality.h) for the library, and
 * machines without time (components/locality), whose caches it feeds.
 */
#include "workloads/locality/locality.h"

#include <stdlib.h>

#include "components/locality_protocol.h"
#include "lua/core.h"
#include "policies/cache_hook.h"
#include "workloads/locality/future.h"

#define MODEL "warploom.locality"

/* Of a machine without time: `lists` lists of one cache per SM, which are links
 * of the root in this order. */
struct feed {
    const struct loom_machine *machine;
    struct loom_component *root;
    bool *later;                 /* [lists] served when all is known */
    struct loom_future **future; /* [sms]; NULL: no list is served later */
    struct loom_mem_future *ask; /* [sms], who is asked in a list that is */
    uint32_t lists, sms;
};

struct holder {
    struct loom_locality_model *model; /* NULL once closed */
    struct feed feed;                  /* no lists: there is no machine */
};

/* ---- caches of a machine ---- */

static bool give(const struct feed *feed, bool later,
                 const struct loom_mem_request *request, struct loom_error *err)
{
    struct loom_locality_command command = {.request = request};

    for (uint32_t i = 0; i < feed->lists; i++) {
        command.cache = i * feed->sms + request->sm;
        if (feed->later[i] == later &&
            (!loom_machine_command(feed->root, &command, err) ||
             !loom_machine_sound(feed->machine, err))) {
            return false;
        }
    }
    return true;
}

static bool feed_access(void *context, const struct loom_mem_request *request,
                        struct loom_error *err)
{
    const struct feed *feed = context;

    return give(feed, false, request, err) &&
           (feed->future == NULL ||
            loom_future_add(feed->future[request->sm], request, err));
}

static bool feed_later(void *context, const struct loom_mem_request *request,
                       uint64_t next_use, struct loom_error *err)
{
    (void)next_use; /* it is asked for */
    return give(context, true, request, err);
}

static bool feed_finish(struct feed *feed, struct loom_error *err)
{
    bool ok = true;

    for (uint32_t sm = 0; ok && feed->future != NULL && sm < feed->sms; sm++) {
        ok = loom_future_replay(feed->future[sm], feed_later, feed, err);
    }
    return ok;
}

static void feed_close(struct feed *feed)
{
    for (uint32_t sm = 0; feed->future != NULL && sm < feed->sms; sm++) {
        loom_future_destroy(feed->future[sm]);
    }
    free(feed->future);
    free(feed->later);
    free(feed->ask);
    *feed = (struct feed){0};
}

/* Does its replacement policy need the future? */
static bool needs_future(const struct loom_machine *machine,
                         const struct loom_component *cache)
{
    bool needs = false;

    for (uint32_t i = 0; i < loom_machine_policy_count(machine); i++) {
        const struct loom_policy *policy = loom_machine_policy(machine, i);
        const struct loom_replacement_ops *ops = loom_policy_type_ops(
            loom_policy_type_of(policy), &loom_replacement_hook);

        needs = needs || (loom_policy_host(policy) == cache && ops != NULL &&
                          ops->needs_future);
    }
    return needs;
}

static bool make_futures(struct feed *feed, struct loom_error *err)
{
    if (feed->future != NULL) {
        return true;
    }
    feed->future = calloc(feed->sms, sizeof(*feed->future));
    feed->ask = calloc(feed->sms, sizeof(*feed->ask));
    if (feed->future == NULL || feed->ask == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for %u SMs",
                         feed->sms);
    }
    for (uint32_t sm = 0; sm < feed->sms; sm++) {
        feed->future[sm] = loom_future_create(err);
        if (feed->future[sm] == NULL) {
            return false;
        }
        feed->ask[sm] =
            (struct loom_mem_future){loom_future_next, feed->future[sm]};
    }
    return true;
}

/* A cache, of list `list` and of SM `sm`. */
static bool feed_cache(struct feed *feed, struct loom_machine *machine,
                       const char *path, uint32_t list, uint32_t sm,
                       struct loom_error *err)
{
    struct loom_component *cache = loom_machine_find(machine, path);
    struct loom_mem_command command = {.address = 0};

    feed->later[list] = needs_future(machine, cache);
    if (!feed->later[list]) {
        return true;
    }
    if (!make_futures(feed, err)) {
        return false;
    }
    command.future = &feed->ask[sm];
    return loom_machine_command(cache, &command, err);
}

/* The table at `at` has root = path and feeds = { { path of SM 0, .. } .. };
 * the paths exist. */
static bool feed_open(lua_State *L, struct feed *feed,
                      struct loom_machine *machine, int at,
                      struct loom_error *err)
{
    int top = lua_gettop(L);
    bool ok = true;

    feed->machine = machine;
    feed->root = loom_machine_find(machine, loom_lua_text(L, at, "root"));
    lua_getfield(L, at, "feeds");
    feed->lists = (uint32_t)lua_rawlen(L, -1);
    feed->later = calloc((size_t)feed->lists + 1, sizeof(*feed->later));
    if (feed->later == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for %u caches",
                         feed->lists);
    }
    for (uint32_t i = 0; ok && i < feed->lists; i++) {
        lua_rawgeti(L, top + 1, (lua_Integer)i + 1);
        for (uint32_t sm = 0; ok && sm < feed->sms; sm++) {
            lua_rawgeti(L, top + 2, (lua_Integer)sm + 1);
            ok = feed_cache(feed, machine, lua_tostring(L, -1), i, sm, err);
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
    lua_settop(L, top);
    return ok;
}

/* ---- the model ---- */

/* { sms =, ctas =, threads =, index =, flush =, caches = { { sets =, ways = }
 * .. } or nil } */
static struct loom_locality_spec spec_of(lua_State *L, int at)
{
    /* In the order of enum loom_locality_index. */
    static const char *const indices[] = {"polynomial", "folded", "modulo",
                                          "random", NULL};
    struct loom_locality_spec spec = {
        .sms = (uint32_t)loom_lua_int(L, at, "sms", 1),
        .ctas = (uint32_t)loom_lua_int(L, at, "ctas", 1),
        .threads = (uint32_t)loom_lua_int(L, at, "threads", 1),
    };

    lua_getfield(L, at, "index");
    spec.index = (enum loom_locality_index)luaL_checkoption(L, -1, "polynomial",
                                                            indices);
    lua_getfield(L, at, "flush");
    spec.flush = lua_toboolean(L, -1) != 0;
    lua_pop(L, 2);
    lua_getfield(L, at, "caches");
    for (int i = 0; i < LOOM_LOCALITY_CACHES && !lua_isnil(L, -1); i++) {
        lua_rawgeti(L, -1, i + 1);
        spec.cache[i].sets = (uint32_t)loom_lua_int(L, -1, "sets", 2);
        spec.cache[i].ways = (uint32_t)loom_lua_int(L, -1, "ways", 1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return spec;
}

/* core.locality(spec, machine or nil) -> model */
static int locality_new(lua_State *L)
{
    struct loom_locality_spec spec = spec_of(L, 1);
    struct loom_machine *machine =
        lua_isnoneornil(L, 2) ? NULL : loom_lua_machine(L, 2);
    struct holder *holder = lua_newuserdatauv(L, sizeof(*holder), 1);
    struct loom_error err;

    *holder = (struct holder){.feed = {.sms = spec.sms}};
    luaL_setmetatable(L, MODEL);
    if (machine != NULL) {
        lua_pushvalue(L, 2); /* lives as long as the model */
        lua_setiuservalue(L, -2, 1);
        spec.access = feed_access;
        spec.context = &holder->feed;
        if (!feed_open(L, &holder->feed, machine, 1, &err)) {
            return loom_lua_failed(L, &err);
        }
    }
    holder->model = loom_locality_create(&spec, &err);
    return holder->model != NULL ? 1 : loom_lua_failed(L, &err);
}

static int locality_close(lua_State *L)
{
    struct holder *holder = luaL_checkudata(L, 1, MODEL);

    loom_locality_destroy(holder->model);
    holder->model = NULL;
    feed_close(&holder->feed);
    return 0;
}

static void push_load(lua_State *L, const struct loom_static_inst *fact,
                      const struct loom_locality_load *load)
{
    lua_newtable(L);
    loom_lua_set_int(L, "pc", fact->pc);
    loom_lua_set_int(L, "param", fact->param);
    loom_lua_set_int(L, "loads", load->loads);
    loom_lua_set_int(L, "lines", load->lines);
    loom_lua_set_int(L, "same_warp", load->same_warp);
    loom_lua_set_int(L, "other_warp", load->other_warp);
    loom_lua_set_flag(L, "is_local", fact->space == LOOM_SPACE_LOCAL);
    lua_newtable(L);
    for (int i = 0; i < LOOM_LOCALITY_CACHES; i++) {
        lua_pushinteger(L, (lua_Integer)load->hits[i]);
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "hits");
}

/* Tells the machine what a launch executed. */
static bool feed_launch(const struct feed *feed,
                        const struct loom_kernel *kernel,
                        const struct loom_locality *result,
                        struct loom_error *err)
{
    struct loom_locality_command command = {
        .launch = {.insts = result->insts,
                   .thread_insts = result->thread_insts},
    };

    for (uint32_t i = 0; i < kernel->inst_count; i++) {
        command.launch.loads += result->load[i].loads;
        command.launch.lines += result->load[i].lines;
    }
    return feed->root == NULL ||
           loom_machine_command(feed->root, &command, err);
}

/* model:measure(kernel) -> warp instructions, thread instructions, list of
 * the loads that were executed. */
static int locality_measure(lua_State *L)
{
    struct holder *holder = luaL_checkudata(L, 1, MODEL);
    struct loom_kernel *kernel = loom_lua_kernel(L, 2);
    struct loom_locality result;
    struct loom_error err;
    lua_Integer count = 0;

    luaL_argcheck(L, holder->model != NULL, 1, "model is closed");
    if (!loom_locality_measure(holder->model, kernel, &result, &err)) {
        return loom_lua_failed(L, &err);
    }
    if (!feed_launch(&holder->feed, kernel, &result, &err)) {
        loom_locality_free(&result);
        return loom_lua_failed(L, &err);
    }
    lua_pushinteger(L, (lua_Integer)result.insts);
    lua_pushinteger(L, (lua_Integer)result.thread_insts);
    lua_newtable(L);
    for (uint32_t i = 0; i < kernel->inst_count; i++) {
        if (result.load[i].loads != 0) {
            push_load(L, &kernel->inst[i], &result.load[i]);
            lua_rawseti(L, -2, ++count);
        }
    }
    loom_locality_free(&result);
    return 3;
}

/* model:finish(): serves the caches that had to know everything first. */
static int locality_finish(lua_State *L)
{
    struct holder *holder = luaL_checkudata(L, 1, MODEL);
    struct loom_error err;

    if (!feed_finish(&holder->feed, &err)) {
        return loom_lua_failed(L, &err);
    }
    lua_pushboolean(L, true);
    return 1;
}

void loom_lua_open_locality(lua_State *L)
{
    static const luaL_Reg methods[] = {{"measure", locality_measure},
                                       {"finish", locality_finish},
                                       {"close", locality_close},
                                       {NULL, NULL}};
    static const luaL_Reg functions[] = {{"locality", locality_new},
                                         {NULL, NULL}};

    loom_lua_class(L, MODEL, methods, locality_close);
    luaL_setfuncs(L, functions, 0);
}
