/*
 * Rewriting of kernels, handed to Lua: the question is a table of its own,
 * as it is asked once per kernel and shape, the answer PTX text.
 */
#include <stdlib.h>
#include <string.h>

#include "lua/policy/kit_private.h"
#include "policies/transform_hook.h"
#include "workloads/ptx_build.h"

static void push_dim3(lua_State *L, const char *name, struct loom_dim3 d)
{
    const uint32_t side[] = {d.x, d.y, d.z};

    lua_createtable(L, 3, 0);
    for (lua_Integer i = 0; i < 3; i++) {
        lua_pushinteger(L, side[i]);
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, name);
}

static void push_facts(lua_State *L, const struct loom_machine_facts *facts)
{
    const struct {
        const char *name;
        uint32_t value;
    } number[] = {{"sms", facts->sms},
                  {"warps_per_sm", facts->warps_per_sm},
                  {"registers_per_sm", facts->registers_per_sm},
                  {"ctas_per_sm", facts->ctas_per_sm},
                  {"shared_bytes_per_sm", facts->shared_bytes_per_sm},
                  {"resident_ctas", facts->resident_ctas}};

    lua_newtable(L);
    for (size_t i = 0; i < LOOM_COUNTOF(number); i++) {
        lua_pushinteger(L, number[i].value);
        lua_setfield(L, -2, number[i].name);
    }
    lua_setfield(L, -2, "facts");
}

/* The kernel's instructions, from 0, without those of what it calls. */
static void push_insts(lua_State *L, const struct loom_rewrite *work)
{
    uint32_t count = work->kernel->inst_count;

    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        kit_push_inst(L, &work->info->inst[i]);
        lua_rawseti(L, -2, i);
    }
    lua_setfield(L, -2, "inst");
    lua_pushinteger(L, count);
    lua_setfield(L, -2, "insts");
}

static void push_kernel(lua_State *L, const struct loom_rewrite *work,
                        const char *text)
{
    lua_newtable(L);
    lua_pushstring(L, work->kernel->name);
    lua_setfield(L, -2, "name");
    lua_pushstring(L, text);
    lua_setfield(L, -2, "text");
    push_dim3(L, "grid", work->grid);
    push_dim3(L, "block", work->block);
    lua_pushinteger(L, work->dynamic_shared_bytes);
    lua_setfield(L, -2, "shared");
    push_facts(L, work->facts);
    push_insts(L, work);
}

/* PTX text, or nil: nothing is changed. */
static bool take_answer(struct loom_policy *policy, struct loom_rewrite *work,
                        struct loom_error *err)
{
    lua_State *L = kit_state(policy)->type->L;
    size_t bytes;
    const char *text;

    if (lua_isnil(L, -1)) {
        return true;
    }
    if (lua_type(L, -1) != LUA_TSTRING) {
        kit_refuse(policy, CALL_TRANSFORM, "%s, expected PTX text or nil",
                   luaL_tolstring(L, -1, NULL));
        lua_pop(L, 1);
        return true;
    }
    text = lua_tolstring(L, -1, &bytes);
    if (strlen(text) != bytes) {
        kit_refuse(policy, CALL_TRANSFORM, "text with a zero byte at %zu",
                   strlen(text));
        return true;
    }
    work->text = strdup(text);
    return work->text != NULL ||
           loom_fail(err, LOOM_ERR_MEMORY, "no host memory for PTX text");
}

static bool rewrite(struct loom_policy *policy, struct loom_rewrite *work,
                    struct loom_error *err)
{
    char *text;
    bool ok = true;

    if (!kit_begin(policy, CALL_TRANSFORM)) {
        return kit_outcome(policy, err);
    }
    text = loom_ptx_print(work->module);
    push_kernel(kit_state(policy)->type->L, work, text != NULL ? text : "");
    free(text);
    if (kit_end(policy, CALL_TRANSFORM, 1, 1)) {
        ok = take_answer(policy, work, err);
        kit_done(policy, 1);
    }
    return ok && kit_outcome(policy, err);
}

static const struct loom_transform_ops transform_ops = {.rewrite = rewrite};

const struct kit_facet kit_transform_facets[] = {
    {&loom_transform_hook, &transform_ops}, {NULL, NULL}};
