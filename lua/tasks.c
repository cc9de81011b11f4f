/*
 * Tasks of the host component as Lua userdata: launches, copies, events and
 * waits.
 *
 * The machine points at a task until it is complete, and for ever if the run
 * is cut short; so the machine's userdata keeps each alive that is not yet
 * known to be complete, and a launch its kernel.
 *
 * What the host program has done to memory between two launches is kept with
 * the first of them and done when all its CTAs have been executed: memory
 * sees everything in the order in which the host program said it.
 */
#include <stdlib.h>
#include <string.h>

#include "components/host_protocol.h"
#include "lua/methods.h"

#define TASK "warploom.task"

struct effect {
    struct effect *next;
    struct loom_lua_transfer transfer;
};

struct holder {
    union {
        struct loom_task task;
        struct loom_launch launch;
        struct loom_copy copy;
        struct loom_wait wait;
    } of; /* first */
    struct effect *first, **last;
};

static bool run_effects(struct loom_launch *launch, struct loom_error *err)
{
    struct holder *holder = (struct holder *)launch;

    while (holder->first != NULL) {
        struct effect *effect = holder->first;
        bool ok = loom_lua_transfer(&effect->transfer, err);

        holder->first = effect->next;
        free(effect);
        if (!ok) {
            return false;
        }
    }
    holder->last = &holder->first;
    return true;
}

static struct holder *task_new(lua_State *L, enum loom_task_kind kind,
                               lua_Integer stream)
{
    struct loom_machine *machine = loom_lua_machine(L, 1);
    struct holder *holder = lua_newuserdatauv(L, sizeof(*holder), 1);
    loom_time now = loom_machine_now(machine);

    *holder = (struct holder){.first = NULL};
    holder->last = &holder->first;
    holder->of.task = (struct loom_task){.kind = kind,
                                         .stream = (uint32_t)stream,
                                         .queued = now,
                                         .start = now,
                                         .end = now};
    luaL_setmetatable(L, TASK);
    lua_newtable(L); /* what it needs */
    lua_setiuservalue(L, -2, 1);
    return holder;
}

/* Keeps the value at `at` alive as long as the task on top. */
static void keep(lua_State *L, int at)
{
    lua_getiuservalue(L, -1, 1);
    lua_pushvalue(L, at);
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
    lua_pop(L, 1);
}

/* Gives the task on top to the host whose path is at 2. */
static int give(lua_State *L, struct holder *holder)
{
    struct loom_component *host =
        loom_machine_find(loom_lua_machine(L, 1), luaL_checkstring(L, 2));
    struct loom_host_command command = {&holder->of.task};
    struct loom_error err;

    luaL_argcheck(L, host != NULL, 2, "no such component");
    if (!loom_machine_command(host, &command, &err)) {
        return loom_lua_failed(L, &err);
    }
    if (!holder->of.task.complete) {
        lua_getiuservalue(L, 1, 1);
        lua_pushvalue(L, -2);
        lua_pushboolean(L, 1);
        lua_rawset(L, -3);
        lua_pop(L, 1);
    }
    return 1;
}

/* core.given(machine, number of the launch, kernel, number of the kernel): what
 * policies are told before a launch. */
int loom_lua_given(lua_State *L)
{
    struct loom_machine *machine = loom_lua_machine(L, 1);
    lua_Integer number = luaL_checkinteger(L, 2);
    struct loom_error err;

    return loom_lua_done(
        L,
        loom_machine_given(machine, (uint32_t)number, loom_lua_kernel(L, 3),
                           (uint32_t)luaL_checkinteger(L, 4), &err),
        &err);
}

/* A launch of a kernel that may launch others counts what each CTA has. */
static void count_launches(lua_State *L, struct loom_launch *launch)
{
    size_t bytes =
        sizeof(*launch->launched) * loom_dim3_count(launch->kernel->grid);

    launch->launched = lua_newuserdatauv(L, bytes, 0);
    memset(launch->launched, 0, bytes);
    lua_insert(L, -2);
    keep(L, lua_gettop(L) - 1);
    lua_remove(L, -2);
}

/* The launch at 7 is that of the kernel that launches it, by a CTA that has
 * launched so many others before. */
static void set_parent(lua_State *L, struct loom_launch *launch)
{
    const struct holder *parent = luaL_checkudata(L, 7, TASK);

    luaL_argcheck(L, parent->of.launch.launched != NULL, 7,
                  "it launches nothing");
    launch->parent = &parent->of.launch;
    launch->parent_cta = (uint32_t)luaL_checkinteger(L, 8);
    launch->parent_before = (uint32_t)luaL_checkinteger(L, 9);
    luaL_argcheck(
        L, launch->parent_cta < loom_dim3_count(launch->parent->kernel->grid),
        8, "there is no such CTA");
    keep(L, 7);
}

/* machine:launch(host path, stream, kernel, warm or nil, when it begins:
 * "late", "soon" or "early", parent, CTA, launches of it) -> task; it runs when
 * the machine runs, or with `warm`, at once and without time, and the last so
 * many CTAs make their accesses.  The same goes for those below. */
int loom_lua_launch(lua_State *L)
{
    static const char *const begins[] = {[LOOM_BEGIN_LATE] = "late",
                                         [LOOM_BEGIN_SOON] = "soon",
                                         [LOOM_BEGIN_EARLY] = "early",
                                         [LOOM_BEGINS] = NULL};
    lua_Integer stream = luaL_checkinteger(L, 3);
    struct loom_kernel *kernel = loom_lua_kernel(L, 4);
    struct holder *holder;

    lua_settop(L, 9);
    holder = task_new(L, LOOM_TASK_LAUNCH, stream);

    holder->of.launch.kernel = kernel;
    holder->of.launch.begins = (uint8_t)luaL_checkoption(L, 6, "late", begins);
    holder->of.launch.passed = !lua_isnoneornil(L, 5);
    holder->of.launch.warm = (uint64_t)luaL_optinteger(L, 5, 0);
    keep(L, 4);
    if (kernel->children != NULL) {
        count_launches(L, &holder->of.launch);
    }
    if (!lua_isnoneornil(L, 7)) {
        set_parent(L, &holder->of.launch);
    }
    return give(L, holder);
}

/* machine:copy(host path, stream, "to_device" ("to_host", "within",
 * "on_host"), bytes) */
int loom_lua_copy(lua_State *L)
{
    static const char *const ways[] = {[LOOM_COPY_TO_DEVICE] = "to_device",
                                       [LOOM_COPY_TO_HOST] = "to_host",
                                       [LOOM_COPY_WITHIN] = "within",
                                       [LOOM_COPY_ON_HOST] = "on_host",
                                       [LOOM_COPY_WAYS] = NULL};
    lua_Integer stream = luaL_checkinteger(L, 3);
    int way = luaL_checkoption(L, 4, NULL, ways);
    lua_Integer bytes = luaL_checkinteger(L, 5);
    struct holder *holder = task_new(L, LOOM_TASK_COPY, stream);

    holder->of.copy.way = (enum loom_copy_way)way;
    holder->of.copy.bytes = (uint64_t)bytes;
    return give(L, holder);
}

/* machine:mark(host path, stream) */
int loom_lua_mark(lua_State *L)
{
    lua_Integer stream = luaL_checkinteger(L, 3);

    return give(L, task_new(L, LOOM_TASK_MARK, stream));
}

/* machine:wait(host path, stream, task); nil: one that is complete, from before
 * the machine was loaded */
int loom_lua_wait(lua_State *L)
{
    static const struct loom_task past = {.complete = true};
    lua_Integer stream = luaL_checkinteger(L, 3);
    const struct holder *until =
        lua_isnoneornil(L, 4) ? NULL : luaL_checkudata(L, 4, TASK);
    struct holder *holder = task_new(L, LOOM_TASK_WAIT, stream);

    holder->of.wait.until = until != NULL ? &until->of.task : &past;
    if (until != NULL) {
        keep(L, 4);
    }
    return give(L, holder);
}

/* task:complete(machine) -> whether it is; the machine lets go of it then. */
static int task_complete(lua_State *L)
{
    const struct holder *holder = luaL_checkudata(L, 1, TASK);

    loom_lua_machine(L, 2);
    if (holder->of.task.complete) {
        lua_getiuservalue(L, 2, 1);
        lua_pushvalue(L, 1);
        lua_pushnil(L);
        lua_rawset(L, -3);
    }
    lua_pushboolean(L, holder->of.task.complete);
    return 1;
}

/* task:times() -> queued, start, end in femtoseconds. */
static int task_times(lua_State *L)
{
    const struct holder *holder = luaL_checkudata(L, 1, TASK);

    lua_pushinteger(L, (lua_Integer)holder->of.task.queued);
    lua_pushinteger(L, (lua_Integer)holder->of.task.start);
    lua_pushinteger(L, (lua_Integer)holder->of.task.end);
    return 3;
}

static struct holder *launch_at(lua_State *L)
{
    struct holder *holder = luaL_checkudata(L, 1, TASK);

    luaL_argcheck(L, holder->of.task.kind == LOOM_TASK_LAUNCH, 1,
                  "not a launch");
    return holder;
}

/* launch:produced() -> have all CTAs been executed functionally? */
static int task_produced(lua_State *L)
{
    lua_pushboolean(L, launch_at(L)->of.launch.produced);
    return 1;
}

/* launch:insts() -> warp instructions of the CTAs sent so far. */
static int task_insts(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)launch_at(L)->of.launch.insts);
    return 1;
}

/* launch:resident() -> CTAs of it that the machine holds at a time */
static int task_resident(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)launch_at(L)->of.launch.resident);
    return 1;
}

/* launch:after(memory, transfer): to be done once it is produced. */
static int task_after(lua_State *L)
{
    struct holder *holder = launch_at(L);
    struct loom_memory *memory = loom_lua_memory(L, 2);
    struct loom_lua_transfer transfer;
    struct effect *effect;

    luaL_checktype(L, 3, LUA_TTABLE);
    luaL_argcheck(L, !holder->of.launch.produced, 1, "it is too late");
    transfer = loom_lua_transfer_at(L, memory, 3);
    lua_settop(L, 3);
    lua_pushvalue(L, 1);
    keep(L, 2);
    keep(L, 3);
    effect = malloc(sizeof(*effect));
    if (effect == NULL) {
        return loom_lua_no_memory(L, "a copy");
    }
    *effect = (struct effect){NULL, transfer};
    *holder->last = effect;
    holder->last = &effect->next;
    holder->of.launch.executed = run_effects;
    return 0;
}

/* launch:watch(): the machine stops when it is produced. */
static int task_watch(lua_State *L)
{
    launch_at(L)->of.launch.executed = run_effects;
    return 0;
}

static int task_free(lua_State *L)
{
    struct holder *holder = luaL_checkudata(L, 1, TASK);

    while (holder->first != NULL) {
        struct effect *effect = holder->first;

        holder->first = effect->next;
        free(effect);
    }
    holder->last = &holder->first;
    return 0;
}

void loom_lua_open_tasks(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"complete", task_complete}, {"times", task_times},
        {"produced", task_produced}, {"insts", task_insts},
        {"resident", task_resident}, {"after", task_after},
        {"watch", task_watch},       {NULL, NULL}};

    loom_lua_class(L, TASK, methods, task_free);
}
