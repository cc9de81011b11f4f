/*
 * The C side of the Lua layer: what its files share.
 *
 * Each file adds its functions to the one table `core`, which only the
 * library in lua/warploom sees; scripts see the library.  Errors of users
 * come back as nil, text, kind, never as a Lua error: the library collects
 * them.  Objects that own something of the engine are full userdata with a
 * close method and a finalizer that does the same, so that a script that
 * stops anywhere leaks nothing.
 */
#ifndef LUA_CORE_H
#define LUA_CORE_H

#include <lauxlib.h>
#include <lua.h>

#include "engine/machine.h"

#include "stats/energy.h"
#include "workloads/memory.h"
#include "workloads/program.h"

/* These add functions to the table on top of the stack. */
void loom_lua_open_registry(lua_State *L);
void loom_lua_open_machine(lua_State *L);
void loom_lua_open_tasks(lua_State *L);
void loom_lua_open_memory(lua_State *L);
void loom_lua_open_program(lua_State *L);
void loom_lua_open_array(lua_State *L);
void loom_lua_open_vector(lua_State *L); /* after it: more methods */
void loom_lua_open_matrix(lua_State *L);
void loom_lua_open_locality(lua_State *L);
void loom_lua_open_results(lua_State *L);
void loom_lua_open_reading(lua_State *L);
void loom_lua_open_estimate(lua_State *L);
void loom_lua_open_browse(lua_State *L);
void loom_lua_open_window(lua_State *L);
void loom_lua_open_datafile(lua_State *L);
void loom_lua_open_process(lua_State *L);
void loom_lua_open_mpi(lua_State *L);
void loom_lua_open_monitor(lua_State *L);
void loom_lua_open_recording(lua_State *L);
void loom_lua_open_system(lua_State *L);
void loom_lua_open_policy(lua_State *L);
void loom_lua_open_plugin(lua_State *L);
void loom_lua_open_timeline(lua_State *L);

/* For lua_pcall(): calls the library with the core table and the arguments,
 * argc and a light userdata of argv, as its command line (state.c). */
int loom_lua_library(lua_State *L);
/* Pushes what require "warploom" is in a Lua that is not the program. */
int loom_lua_module(lua_State *L);

/* A place in this process, as the library names those of programs that are
 * their own host (host.c). */
static inline void *loom_lua_pointer(lua_Integer number)
{
    return (void *)(uintptr_t)(lua_Unsigned)number;
}

/* What a copy does to memory (transfer.c): made from { kind = "write" ("read",
 * "fill", "move"), address =, bytes =, data = an array or a string, value =,
 * unit =, from = } at `at`; `data` (or `pointer`) must be kept alive by the
 * caller. */
struct loom_lua_transfer {
    struct loom_memory *memory;
    uint32_t kind;
    loom_addr address, from;
    uint64_t bytes;
    void *data;
    uint32_t value, unit; /* fills repeat so many of its bytes: 1, 2, 4 */
};
struct loom_lua_transfer
loom_lua_transfer_at(lua_State *L, struct loom_memory *memory, int at);
bool loom_lua_transfer(const struct loom_lua_transfer *transfer,
                       struct loom_error *err);

/* Pushes nil, the text and the kind of an error; returns 3. */
int loom_lua_failed(lua_State *L, const struct loom_error *err);
/* Throws: the host has no memory for `what`. */
int loom_lua_no_memory(lua_State *L, const char *what);
/* Pushes true if `ok`, else what loom_lua_failed() pushes; returns how many. */
int loom_lua_done(lua_State *L, bool ok, const struct loom_error *err);
const char *loom_lua_error_kind(enum loom_error_kind kind);

/* core.guard(sources): from now on only chunks whose source is a key of the
 * table may use the methods of classes; core.guard(): all may. */
int loom_lua_guard(lua_State *L);

/* A class of userdata: a metatable `name` with `methods` and __gc, which
 * becomes known to luaL_checkudata. */
void loom_lua_class(lua_State *L, const char *name, const luaL_Reg *methods,
                    lua_CFunction gc);

/* A userdata of a class that owns one object of the engine.  It has none
 * until the caller sets it, and none again once it is closed. */
struct loom_lua_owner {
    void *object;
};
/* Pushed, with room for `values` user values. */
struct loom_lua_owner *loom_lua_own(lua_State *L, const char *name, int values);
/* The object of the one at `at`; a Lua error if there is none. */
void *loom_lua_owned(lua_State *L, int at, const char *name);
/* Takes the object of the one at 1 away, to be ended; NULL if there is none. */
void *loom_lua_disown(lua_State *L, const char *name);

/* Sets fields of the table on top. */
void loom_lua_set_int(lua_State *L, const char *name, uint64_t value);
void loom_lua_set_text(lua_State *L, const char *name, const char *value);
void loom_lua_set_flag(lua_State *L, const char *name, bool value);
/* { x, y, z } */
void loom_lua_set_dim3(lua_State *L, const char *name, struct loom_dim3 value);

/* An energy model from the table at `at`: path -> { event -> { value =,
 * source = } }.  It asks the table, which must stay at its place, and is valid
 * while *context is. */
struct loom_lua_energy {
    lua_State *L;
    int at;
};
struct loom_energy_model loom_lua_energy(lua_State *L, int at,
                                         struct loom_lua_energy *context);

struct loom_catalog;
struct loom_catalog *loom_lua_catalog(lua_State *L, int at);

/* core.X(machine, coefficients or nil) -> an object of that class that reads
 * the machine, which it keeps alive; or an error. */
typedef void *loom_lua_create(struct loom_machine *machine,
                              const struct loom_energy_model *model,
                              struct loom_error *err);
int loom_lua_new_reader(lua_State *L, const char *class,
                        loom_lua_create *create);

struct loom_recorder *loom_lua_recorder(lua_State *L, int at);
struct loom_estimate *loom_lua_estimate(lua_State *L, int at);

/* Fields of the table at `at`; a Lua error if they have another type, for
 * these tables are made by the library. */
const char *loom_lua_text(lua_State *L, int at, const char *name);
lua_Integer loom_lua_int(lua_State *L, int at, const char *name,
                         lua_Integer def);

/* The value at `at` for `param`.  A list leaves one userdata on the stack,
 * everything else nothing; strings stay owned by Lua. */
bool loom_lua_value(lua_State *L, int at, const struct loom_param *param,
                    union loom_value *value, struct loom_error *err);
void loom_lua_push_value(lua_State *L, enum loom_type type,
                         union loom_value value);

/* What the userdata at `at` is; a Lua error if it was closed. */
#define LOOM_LUA_MACHINE "warploom.machine"
static inline struct loom_machine *loom_lua_machine(lua_State *L, int at)
{
    return loom_lua_owned(L, at, LOOM_LUA_MACHINE);
}

#define LOOM_LUA_MEMORY "warploom.memory"
static inline struct loom_memory *loom_lua_memory(lua_State *L, int at)
{
    return loom_lua_owned(L, at, LOOM_LUA_MEMORY);
}

/* The front end of a name, or NULL. */
const struct loom_workload_type *loom_lua_front_end(const char *name);
struct loom_kernel *loom_lua_kernel(lua_State *L, int at);

/* A launch from { kernel =, grid = {x, y, z}, block =, cluster = or nil,
 * shared =, registers =,
 * number =, params = bytes, cooperative = 0 or 1, interleave =,
 * turn =, watch =,
 * pool =, folder =, machine =, host = path, facts = {} } at `at` (launch.c).
 * Its texts live as long as the table. */
struct loom_launch_spec
loom_lua_launch_spec(lua_State *L, int at,
                     const struct loom_workload_type *type,
                     const struct loom_program *program);

/* How many CTAs of such a launch an SM holds at a time. */
uint32_t loom_lua_resident(lua_State *L, int at,
                           const struct loom_workload_type *type,
                           const struct loom_program *program);

/* Statistics of one instance as a table: numbers, and arrays of numbers. */
void loom_lua_push_stats(lua_State *L, struct loom_stats stats,
                         const void *from, double seconds);

/* Sets field `stats` of the table on top: how they are declared (expose.c). */
void loom_lua_set_stats(lua_State *L, struct loom_stats stats);

/* Typed arrays (array.c). */
#define LOOM_LUA_ARRAY "warploom.array" /* their metatable */
enum loom_element {
    LOOM_F32,
    LOOM_FLOAT64,
    LOOM_I32,
    LOOM_UINT32,
    LOOM_I64,
    LOOM_U8,
    LOOM_ELEMENTS
};
struct loom_lua_array {
    size_t count;
    size_t bytes;             /* of the data */
    uint32_t element;         /* enum loom_element */
    _Alignas(16) char data[]; /* [bytes] */
};
struct loom_lua_array *loom_lua_array(lua_State *L, int at);
/* Zeroed, pushed; a Lua error if there is no memory. */
struct loom_lua_array *loom_lua_array_new(lua_State *L, uint32_t element,
                                          lua_Integer count);
double loom_lua_array_get(const struct loom_lua_array *array, size_t i);
int64_t loom_lua_array_whole(const struct loom_lua_array *array, size_t i);
/* Rounded to its type; of an array of real elements. */
void loom_lua_array_put_real(struct loom_lua_array *array, size_t i,
                             double value);
/* A Lua error if it does not fit; of an array of whole elements. */
void loom_lua_array_put(lua_State *L, struct loom_lua_array *array, size_t i,
                        int64_t value);
/* The element type that is named at `at`. */
uint32_t loom_lua_element(lua_State *L, int at);

/* One file of the library, compiled into the program (generated). */
struct loom_lua_source {
    const char *name; /* "warploom/init.lua" */
    const unsigned char *text;
    size_t bytes;
    const unsigned char *code; /* as the Lua of the build compiled it */
    size_t code_bytes;         /* 0: it is not of the library */
};
extern const struct loom_lua_source loom_lua_sources[];
extern const size_t loom_lua_source_count;

#endif
