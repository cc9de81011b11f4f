/*
 * Results: the recorder of stats/ as Lua userdata, and printing a file.
 *
 * A recorder refers to its machine, which it keeps alive as a user value.
 * Text that the recorder wants during a call only is borrowed from Lua.
 */
#include <stdio.h>
#include <stdlib.h>

#include "commit.h" /* generated at each build */
#include "lua/core.h"
#include "stats/print.h"
#include "stats/recorder.h"
#include "stats/state.h"
#include "stats/walk.h"

#define RECORDER "warploom.recorder"

enum {
    LIST_MAX = 256 /* patterns of a series, arguments of a command line */
};

/* Field `name` of the table at `at`, NULL if it is absent. */
static const char *optional(lua_State *L, int at, const char *name)
{
    const char *text = NULL;

    if (lua_getfield(L, at, name) == LUA_TSTRING) {
        text = lua_tostring(L, -1);
    }
    lua_pop(L, 1);
    return text;
}

/* The strings of a list; they stay owned by Lua. */
static size_t texts(lua_State *L, int at, const char *name,
                    const char *text[LIST_MAX])
{
    size_t count = 0;

    if (lua_getfield(L, at, name) == LUA_TTABLE) {
        for (; count < LIST_MAX; count++) {
            int type = lua_rawgeti(L, -1, (lua_Integer)count + 1);

            text[count] = lua_tostring(L, -1);
            lua_pop(L, 1);
            if (type != LUA_TSTRING) {
                break;
            }
        }
    }
    lua_pop(L, 1);
    return count;
}

/* What the recorder asks while it lays out a file: table 3, field `origins`,
 * is on the stack at `at`: path -> { origin =, site =, params = { .. },
 * storage = bits }. */
struct origins {
    lua_State *L;
    int at;
};

static struct loom_origin origin_of(void *context, const char *path,
                                    const char *param)
{
    struct origins *origins = context;
    lua_State *L = origins->L;
    struct loom_origin origin = {"default", "", LOOM_STORAGE_UNKNOWN};
    int top = lua_gettop(L);

    if (lua_getfield(L, origins->at, path) == LUA_TTABLE &&
        (param == NULL || (lua_getfield(L, -1, "params") == LUA_TTABLE &&
                           lua_getfield(L, -1, param) == LUA_TTABLE))) {
        const char *text = optional(L, lua_gettop(L), "origin");
        const char *site = optional(L, lua_gettop(L), "text");

        origin.origin = text == NULL ? "default" : text;
        origin.lua_site = site == NULL ? "" : site;
        if (lua_getfield(L, lua_gettop(L), "storage") == LUA_TNUMBER) {
            origin.storage_bits = (uint64_t)lua_tointeger(L, -1);
        }
    }
    lua_settop(L, top);
    return origin;
}

/* core.recorder(machine, path, { title =, experiment =,
 * workload =, machine_name =, timed = text or nil, clock = path, seed =, argv =
 * {}, config_json =, config_lua =, flush_ms =, origins = {}, energy =
 * coefficients or nil, energy_model = text or nil, select = patterns }) */
static int recorder_new(lua_State *L)
{
    struct loom_machine *machine = loom_lua_machine(L, 1);
    const char *path = luaL_checkstring(L, 2);
    const char *argv[LIST_MAX], *pattern[LIST_MAX];
    struct loom_provenance provenance = {0};
    struct loom_recorder_options options = {0};
    struct origins origins = {L, 5};
    struct loom_lua_energy context;
    struct loom_energy_model energy = loom_lua_energy(L, 6, &context);
    struct loom_component *clock;
    struct loom_lua_owner *owner;
    struct loom_error err;

    luaL_checktype(L, 3, LUA_TTABLE);
    lua_settop(L, 3);
    provenance.argc = (int)texts(L, 3, "argv", argv);
    provenance.argv = argv;
    provenance.version = optional(L, 3, "version");
    provenance.git_commit = LOOM_COMMIT;
    provenance.git_dirty = LOOM_DIRTY != 0;
    provenance.build_flags = optional(L, 3, "build_flags");
    provenance.seed = (uint64_t)loom_lua_int(L, 3, "seed", 1);
    provenance.run = (uint64_t)loom_lua_int(L, 3, "run", 0);
    provenance.config_json = optional(L, 3, "config_json");
    provenance.config_lua = optional(L, 3, "config_lua");
    clock = loom_machine_find(machine, loom_lua_text(L, 3, "clock"));
    options.title = optional(L, 3, "title");
    options.experiment = optional(L, 3, "experiment");
    options.workload = optional(L, 3, "workload");
    options.machine = optional(L, 3, "machine_name");
    options.timed = optional(L, 3, "timed");
    options.clock = clock == NULL ? 0 : loom_component_clock(clock);
    options.flush_ms = (uint32_t)loom_lua_int(L, 3, "flush_ms", 0);
    options.provenance = &provenance;
    options.patterns = texts(L, 3, "select", pattern);
    options.pattern = pattern;
    options.origin = origin_of;
    options.origin_context = &origins;
    owner = loom_lua_own(L, RECORDER, 1);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
    lua_getfield(L, 3, "origins");
    if (lua_getfield(L, 3, "energy") == LUA_TTABLE) {
        options.energy = &energy;
        options.energy_model = optional(L, 3, "energy_model");
    }
    if (lua_getfield(L, 3, "estimate") != LUA_TNIL) {
        options.estimate = loom_lua_estimate(L, lua_gettop(L));
    }
    owner->object = loom_recorder_create(machine, path, &options, &err);
    lua_settop(L, 4);
    return owner->object == NULL ? loom_lua_failed(L, &err) : 1;
}

/* recorder:series(name, period, patterns) -> number */
static int recorder_series(lua_State *L)
{
    struct loom_recorder *recorder = loom_lua_owned(L, 1, RECORDER);
    const char *pattern[LIST_MAX];
    struct loom_series_spec spec;
    struct loom_error err;
    uint32_t number;

    spec.name = luaL_checkstring(L, 2);
    spec.period = (loom_time)luaL_checkinteger(L, 3);
    lua_newtable(L);
    lua_pushvalue(L, 4);
    lua_setfield(L, -2, "patterns");
    spec.patterns = texts(L, lua_gettop(L), "patterns", pattern);
    spec.pattern = pattern;
    if (!loom_recorder_add_series(recorder, &spec, &number, &err)) {
        return loom_lua_failed(L, &err);
    }
    lua_pushinteger(L, number);
    return 1;
}

/* recorder:epoch(series, time) */
static int recorder_epoch(lua_State *L)
{
    struct loom_error err;

    return loom_lua_done(L,
                         loom_recorder_epoch(loom_lua_owned(L, 1, RECORDER),
                                             (uint32_t)luaL_checkinteger(L, 2),
                                             (loom_time)luaL_checkinteger(L, 3),
                                             &err),
                         &err);
}

/* recorder:snapshot(label, reason, kernel, stream) */
static int recorder_snapshot(lua_State *L)
{
    static const char *const names[] = {"kernel_end", "user", "final", NULL};
    static const enum loom_reason reasons[] = {
        LOOM_REASON_KERNEL_END, LOOM_REASON_USER, LOOM_REASON_FINAL};
    struct loom_recorder *recorder = loom_lua_owned(L, 1, RECORDER);
    struct loom_snapshot snapshot;
    struct loom_error err;

    snapshot.label = luaL_checkstring(L, 2);
    snapshot.reason = reasons[luaL_checkoption(L, 3, NULL, names)];
    snapshot.kernel = luaL_optinteger(L, 4, -1);
    snapshot.stream = luaL_optinteger(L, 5, -1);
    return loom_lua_done(L, loom_recorder_snapshot(recorder, &snapshot, &err),
                         &err);
}

static int recorder_samples(lua_State *L)
{
    lua_pushinteger(
        L, (lua_Integer)loom_recorder_samples(loom_lua_owned(L, 1, RECORDER)));
    return 1;
}

static void extents(lua_State *L, int at, const char *name, uint32_t out[3])
{
    lua_getfield(L, at, name);
    for (int i = 0; i < 3; i++) {
        lua_rawgeti(L, -1, i + 1);
        out[i] = (uint32_t)luaL_optinteger(L, -1, 1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/* recorder:kernel{ id =, stream =, name =, grid =, block =, registers =,
 * registers_from =, shared =, interleave =, resident =, passed =,
 * tensor_form =, tensor_parts =, launch =, start =, end_ =, sample_begin =,
 * sample_end = } */
static int recorder_kernel(lua_State *L)
{
    struct loom_recorder *recorder = loom_lua_owned(L, 1, RECORDER);
    struct loom_kernel_record record;
    struct loom_error err;

    luaL_checktype(L, 2, LUA_TTABLE);
    record.id = (uint64_t)loom_lua_int(L, 2, "id", 0);
    record.stream = (uint64_t)loom_lua_int(L, 2, "stream", 0);
    record.name = loom_lua_text(L, 2, "name");
    extents(L, 2, "grid", record.grid);
    extents(L, 2, "block", record.block);
    record.registers = (uint32_t)loom_lua_int(L, 2, "registers", 0);
    record.registers_from = loom_lua_text(L, 2, "registers_from");
    record.shared_bytes = (uint64_t)loom_lua_int(L, 2, "shared", 0);
    record.interleave = (uint64_t)loom_lua_int(L, 2, "interleave", 0);
    record.resident = (uint64_t)loom_lua_int(L, 2, "resident", 0);
    record.passed = loom_lua_int(L, 2, "passed", 0) != 0;
    record.tensor_form = loom_lua_text(L, 2, "tensor_form");
    lua_getfield(L, 2, "tensor_parts");
    record.tensor_parts = lua_tonumber(L, -1);
    lua_pop(L, 1);
    record.launch = (loom_time)loom_lua_int(L, 2, "launch", 0);
    record.start = (loom_time)loom_lua_int(L, 2, "start", 0);
    record.end = (loom_time)loom_lua_int(L, 2, "end_", 0);
    record.sample_begin = loom_lua_int(L, 2, "sample_begin", -1);
    record.sample_end = loom_lua_int(L, 2, "sample_end", -1);
    return loom_lua_done(L, loom_recorder_kernel(recorder, &record, &err),
                         &err);
}

/* recorder:loads(group, { { kernel =, kernel_number =, pc =, line =, text =,
 * op = } or false, .. }) */
static int recorder_loads(lua_State *L)
{
    struct loom_recorder *recorder = loom_lua_owned(L, 1, RECORDER);
    const char *group = luaL_checkstring(L, 2);
    size_t rows = lua_rawlen(L, 3);
    struct loom_load *row = lua_newuserdatauv(L, (rows + 1) * sizeof(*row), 0);
    struct loom_error err;

    for (size_t i = 0; i < rows; i++) {
        row[i] = (struct loom_load){NULL, NULL, NULL, 0, 0, 0};
        if (lua_rawgeti(L, 3, (lua_Integer)i + 1) == LUA_TTABLE) {
            int at = lua_gettop(L);

            row[i].kernel = loom_lua_text(L, at, "kernel");
            row[i].text = loom_lua_text(L, at, "text");
            row[i].op = loom_lua_text(L, at, "op");
            row[i].kernel_number =
                (uint64_t)loom_lua_int(L, at, "kernel_number", 0);
            row[i].pc = (uint64_t)loom_lua_int(L, at, "pc", 0);
            row[i].line = (uint64_t)loom_lua_int(L, at, "line", 0);
        }
        lua_pop(L, 1);
    }
    return loom_lua_done(
        L, loom_recorder_loads(recorder, group, row, rows, &err), &err);
}

/* recorder:source(path, text) */
static int recorder_source(lua_State *L)
{
    struct loom_error err;

    return loom_lua_done(L,
                         loom_recorder_source(loom_lua_owned(L, 1, RECORDER),
                                              luaL_checkstring(L, 2),
                                              luaL_checkstring(L, 3), &err),
                         &err);
}

/* recorder:input(path, sha256, bytes) */
static int recorder_input(lua_State *L)
{
    struct loom_error err;

    return loom_lua_done(
        L,
        loom_recorder_input(loom_lua_owned(L, 1, RECORDER),
                            luaL_checkstring(L, 2), luaL_optstring(L, 3, NULL),
                            (uint64_t)luaL_optinteger(L, 4, 0), &err),
        &err);
}

struct loom_recorder *loom_lua_recorder(lua_State *L, int at)
{
    return loom_lua_owned(L, at, RECORDER);
}

static int recorder_poll(lua_State *L)
{
    struct loom_error err;

    return loom_lua_done(
        L, loom_recorder_poll(loom_lua_owned(L, 1, RECORDER), &err), &err);
}

/* recorder:close{ status =, reason =, digest =, wall =, kips =, launches =,
 * launches_timed = } */
static int recorder_close(lua_State *L)
{
    static const char *const names[] = {"complete", "deadlock", "error",
                                        "interrupted", NULL};
    struct loom_ending ending;
    struct loom_error err;

    loom_lua_owned(L, 1, RECORDER);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    lua_getfield(L, 2, "status");
    ending.status = (enum loom_run_status)luaL_checkoption(L, 3, NULL, names);
    ending.exit_reason = loom_lua_text(L, 2, "reason");
    ending.state_digest = loom_lua_text(L, 2, "digest");
    lua_getfield(L, 2, "wall");
    ending.wall_s = luaL_checknumber(L, 4);
    lua_getfield(L, 2, "kips");
    ending.kips = luaL_checknumber(L, 5);
    ending.launches = (uint64_t)loom_lua_int(L, 2, "launches", 0);
    ending.launches_timed = (uint64_t)loom_lua_int(L, 2, "launches_timed", 0);
    return loom_lua_done(
        L, loom_recorder_close(loom_lua_disown(L, RECORDER), &ending, &err),
        &err);
}

static int recorder_abandon(lua_State *L)
{
    loom_recorder_abandon(loom_lua_disown(L, RECORDER));
    return 0;
}

/* core.state_digest(machine, memory or nil): counters, then memory. */
static int state_digest(lua_State *L)
{
    struct loom_digest digest;
    char text[LOOM_DIGEST_TEXT];

    loom_digest_init(&digest);
    loom_state_digest(loom_lua_machine(L, 1), &digest);
    if (!lua_isnoneornil(L, 2)) {
        loom_memory_digest(loom_lua_memory(L, 2), &digest);
    }
    loom_digest_text(&digest, text);
    lua_pushstring(L, text);
    return 1;
}

/* core.results_digest(file): of the numbers in a results file. */
static int results_digest(lua_State *L)
{
    char text[LOOM_DIGEST_TEXT];
    struct loom_error err;

    if (!loom_results_digest(luaL_checkstring(L, 1), text, &err)) {
        return loom_lua_failed(L, &err);
    }
    lua_pushstring(L, text);
    return 1;
}

static void add_problem(void *context, const char *dataset, const char *problem)
{
    lua_State *L = context;

    lua_pushfstring(L, "%s: %s", dataset, problem);
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
}

/* core.walk(file) -> number of datasets, list of those without units,
 * description or scales */
static int walk(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    struct loom_walk result;
    struct loom_error err;

    lua_newtable(L);
    if (!loom_walk_file(path, add_problem, L, &result, &err)) {
        return loom_lua_failed(L, &err);
    }
    lua_pushinteger(L, (lua_Integer)result.datasets);
    lua_insert(L, -2);
    return 2;
}

/* core.print_stats(file, { pattern =, sample =, series =, all =, csv =,
 * json = }) */
static int print_stats(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    struct loom_print_options options = {0};
    struct loom_error err;

    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    options.pattern = optional(L, 2, "pattern");
    options.sample = optional(L, 2, "sample");
    options.series = optional(L, 2, "series");
    lua_getfield(L, 2, "all");
    options.all = lua_toboolean(L, -1) != 0;
    lua_getfield(L, 2, "csv");
    lua_getfield(L, 2, "json");
    options.form = lua_toboolean(L, -1)   ? LOOM_GRID_JSON
                   : lua_toboolean(L, -2) ? LOOM_GRID_CSV
                                          : LOOM_GRID_TABLE;
    return loom_lua_done(L, loom_print_stats(stdout, path, &options, &err),
                         &err);
}

void loom_lua_open_results(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"series", recorder_series},     {"epoch", recorder_epoch},
        {"snapshot", recorder_snapshot}, {"samples", recorder_samples},
        {"kernel", recorder_kernel},     {"loads", recorder_loads},
        {"source", recorder_source},     {"input", recorder_input},
        {"poll", recorder_poll},         {"close", recorder_close},
        {"abandon", recorder_abandon},   {NULL, NULL}};
    static const luaL_Reg functions[] = {
        {"recorder", recorder_new},         {"state_digest", state_digest},
        {"results_digest", results_digest}, {"walk", walk},
        {"print_stats", print_stats},       {NULL, NULL}};

    loom_lua_class(L, RECORDER, methods, recorder_abandon);
    luaL_setfuncs(L, functions, 0);
    loom_lua_set_text(L, "commit", LOOM_COMMIT);
}
