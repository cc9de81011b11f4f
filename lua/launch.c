/*
 * What a launch of a kernel is made from, out of a table of the library.
 *
 * Transforms are what is attached to the host's slot; the machine's facts
 * come from the description, and how many CTAs of this kernel fit on an SM is
 * what the dispatcher will find, too.
 */
#include <stdio.h>

#include "components/cta_protocol.h"
#include "lua/core.h"
#include "lua/interrupt.h"

static struct loom_dim3 dim3_of(lua_State *L, int at, const char *name)
{
    uint32_t value[3];

    lua_getfield(L, at, name);
    for (int i = 0; i < 3; i++) {
        lua_rawgeti(L, -1, i + 1);
        value[i] = (uint32_t)luaL_optinteger(L, -1, 1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return (struct loom_dim3){value[0], value[1], value[2]};
}

/* machine = and host = (its path), or neither. */
static struct loom_binding transforms_of(lua_State *L, int at)
{
    struct loom_binding none = {NULL, 0}, found = none;

    lua_getfield(L, at, "machine");
    if (!lua_isnil(L, -1)) {
        struct loom_machine *machine = loom_lua_machine(L, -1);
        struct loom_component *host =
            loom_machine_find(machine, loom_lua_text(L, at, "host"));

        found = host != NULL ? loom_slot(host, "transform") : none;
    }
    lua_pop(L, 1);
    return found;
}

static uint32_t field(lua_State *L, const char *name)
{
    return (uint32_t)loom_lua_int(L, -1, name, 0);
}

/* facts = { sms =, warps =, registers =, ctas =, shared = }, or nil. */
static struct loom_machine_facts facts_of(lua_State *L, int at,
                                          const struct loom_launch_spec *spec,
                                          const struct loom_kernel_info *info)
{
    struct loom_machine_facts facts = {0};
    struct loom_sm_limits limits;
    struct loom_kernel kernel = {.block = spec->block};
    const char *limit;

    lua_getfield(L, at, "facts");
    if (lua_istable(L, -1)) {
        facts.sms = field(L, "sms");
        facts.warps_per_sm = field(L, "warps");
        facts.registers_per_sm = field(L, "registers");
        facts.ctas_per_sm = field(L, "ctas");
        facts.shared_bytes_per_sm = field(L, "shared");
        facts.grain = (struct loom_cta_grain){
            .register_grain = field(L, "register_grain"),
            .register_files = field(L, "register_files"),
            .shared_grain = field(L, "shared_grain"),
            .shared_kept = field(L, "shared_kept"),
        };
    }
    lua_pop(L, 1);
    if (facts.sms != 0 && info != NULL && loom_kernel_warps(&kernel) != 0) {
        limits = loom_cta_limits(&facts);
        kernel.registers =
            spec->registers != 0 ? spec->registers : info->registers;
        kernel.shared_bytes = info->shared_bytes + spec->dynamic_shared_bytes;
        facts.resident_ctas = loom_cta_occupancy(&kernel, &limits, &limit);
    }
    return facts;
}

/* What kernels print goes where the program's own output goes. */
static void print_text(void *context, const char *text, size_t bytes)
{
    (void)context;
    fwrite(text, 1, bytes, stdout);
}

uint32_t loom_lua_resident(lua_State *L, int at,
                           const struct loom_workload_type *type,
                           const struct loom_program *program)
{
    return loom_lua_launch_spec(L, at, type, program).facts.resident_ctas;
}

struct loom_launch_spec
loom_lua_launch_spec(lua_State *L, int at,
                     const struct loom_workload_type *type,
                     const struct loom_program *program)
{
    struct loom_launch_spec spec = {.kernel = loom_lua_text(L, at, "kernel")};
    size_t bytes;

    spec.grid = dim3_of(L, at, "grid");
    spec.block = dim3_of(L, at, "block");
    if (lua_getfield(L, at, "cluster") != LUA_TNIL) {
        spec.cluster = dim3_of(L, at, "cluster");
    }
    lua_pop(L, 1);
    spec.dynamic_shared_bytes = (uint32_t)loom_lua_int(L, at, "shared", 0);
    spec.registers = (uint32_t)loom_lua_int(L, at, "registers", 0);
    spec.number = (uint32_t)loom_lua_int(L, at, "number", 0);
    spec.cooperative = loom_lua_int(L, at, "cooperative", 0) != 0;
    spec.timed = loom_lua_int(L, at, "timed", 0) != 0;
    spec.complete = loom_lua_int(L, at, "complete", 0) != 0;
    spec.interleave = (uint32_t)loom_lua_int(L, at, "interleave", 0);
    spec.turn = (uint32_t)loom_lua_int(L, at, "turn", 0);
    spec.budget = (uint64_t)loom_lua_int(L, at, "budget", 0);
    spec.watch = (uint32_t)loom_lua_int(L, at, "watch", 0);
    spec.pool_bytes = (uint64_t)loom_lua_int(L, at, "pool", 0);
    spec.heap_bytes = (uint64_t)loom_lua_int(L, at, "heap", 0);
    spec.print = print_text;
    spec.interrupt = loom_interrupt_stop();
    lua_getfield(L, at, "folder");
    spec.pool_folder = lua_tostring(L, -1);
    lua_pop(L, 1);
    spec.transforms = transforms_of(L, at);
    /* As a compiler has counted them: not those of what transforms make. */
    if (spec.registers == 0 && spec.transforms.count == 0) {
        spec.registers = (uint32_t)loom_lua_int(L, at, "compiled", 0);
    }
    spec.facts =
        facts_of(L, at, &spec, loom_program_kernel(type, program, spec.kernel));
    lua_getfield(L, at, "params");
    spec.params = luaL_checklstring(L, -1, &bytes);
    spec.param_bytes = (uint32_t)bytes;
    return spec; /* its texts are held by the table */
}
