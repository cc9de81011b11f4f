/*
 * Rewriting of kernels, handed to Lua: the question is a table of its own,
 * as it is asked once per kernel and shape, the answer PTX text.
 */
#include <stdlib.h>
#include <string.h>

#include "lua/policy/ask.h"
#include "policies/transform_hook.h"
#include "workloads/ir/build.h"

struct question {
    const struct loom_rewrite *work;
    const char *text;
};

static void push_facts(lua_State *L, const struct loom_machine_facts *facts)
{
    lua_newtable(L);
    loom_lua_set_int(L, "sms", facts->sms);
    loom_lua_set_int(L, "warps_per_sm", facts->warps_per_sm);
    loom_lua_set_int(L, "registers_per_sm", facts->registers_per_sm);
    loom_lua_set_int(L, "ctas_per_sm", facts->ctas_per_sm);
    loom_lua_set_int(L, "shared_bytes_per_sm", facts->shared_bytes_per_sm);
    loom_lua_set_int(L, "resident_ctas", facts->resident_ctas);
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
    loom_lua_set_int(L, "insts", count);
}

static void push_kernel(lua_State *L, const void *at)
{
    const struct question *question = at;
    const struct loom_rewrite *work = question->work;

    lua_newtable(L);
    loom_lua_set_text(L, "name", work->kernel->name);
    loom_lua_set_text(L, "text", question->text);
    loom_lua_set_dim3(L, "grid", work->grid);
    loom_lua_set_dim3(L, "block", work->block);
    loom_lua_set_int(L, "shared", work->dynamic_shared_bytes);
    push_facts(L, work->facts);
    push_insts(L, work);
}

/* PTX text, or nil: nothing is changed. */
static bool take_answer(const struct kit_ask *ask, struct loom_rewrite *work,
                        struct loom_error *err)
{
    lua_State *L = kit_state(ask->policy)->type->L;
    size_t bytes;
    const char *text;

    if (lua_isnil(L, -1)) {
        return true;
    }
    if (lua_type(L, -1) != LUA_TSTRING) {
        kit_refuse(ask, "%s, expected PTX text or nil",
                   luaL_tolstring(L, -1, NULL));
        lua_pop(L, 1);
        return true;
    }
    text = lua_tolstring(L, -1, &bytes);
    if (strlen(text) != bytes) {
        kit_refuse(ask, "text with a zero byte at %zu", strlen(text));
        return true;
    }
    work->text = strdup(text);
    return work->text != NULL ||
           loom_fail(err, LOOM_ERR_MEMORY, "no host memory for PTX text");
}

bool kit_rewrite(struct loom_policy *policy, struct loom_rewrite *work,
                 struct loom_error *err)
{
    char *text = loom_ptx_print(work->module);
    const struct question question = {work, text != NULL ? text : ""};
    const struct kit_ask *ask = KIT_ASK_ARGS(policy, KIT_transform_rewrite,
                                             KIT_PUSH(push_kernel, &question));
    bool ok = true;

    if (kit_call(ask, 1)) {
        ok = take_answer(ask, work, err);
        kit_done(ask, 1);
    }
    free(text);
    return ok && kit_outcome(policy, err);
}
