/*
 * Programs and streams as rows of text and numbers, for people who look into
 * them; and keys and digests of what they depend on.
 */
#include <stdio.h>

#include "components/mem_protocol.h"
#include "lua/core.h"
#include "lua/recording.h"
#include "stats/provenance.h"
#include "workloads/recording/recording.h"

static const char *const space_names[LOOM_SPACES] = {
    [LOOM_SPACE_GLOBAL] = "global", [LOOM_SPACE_LOCAL] = "local",
    [LOOM_SPACE_SHARED] = "shared", [LOOM_SPACE_CONST] = "const",
    [LOOM_SPACE_PARAM] = "param",   [LOOM_SPACE_TEXTURE] = "texture",
    [LOOM_SPACE_INST] = "inst",
};

/* Registers of a mask as "r0,r4-r7,p1". */
static void push_registers(lua_State *L, const uint64_t mask[LOOM_REG_WORDS])
{
    luaL_Buffer text;
    bool any = false;

    luaL_buffinit(L, &text);
    for (uint32_t r = 0; r < 64 * LOOM_REG_WORDS; r++) {
        uint32_t last = r;
        char one[40];
        char kind = r < LOOM_REG_PREDICATE ? 'r' : 'p';
        uint32_t zero = r < LOOM_REG_PREDICATE ? 0 : LOOM_REG_PREDICATE;

        if ((mask[r / 64] >> r % 64 & 1) == 0) {
            continue;
        }
        while (last + 1 < 64 * LOOM_REG_WORDS &&
               last + 1 != LOOM_REG_PREDICATE &&
               (mask[(last + 1) / 64] >> (last + 1) % 64 & 1) != 0) {
            last++;
        }
        snprintf(one, sizeof(one), last > r ? "%s%c%u-%c%u" : "%s%c%u",
                 any ? "," : "", kind, r - zero, kind, last - zero);
        luaL_addstring(&text, one);
        any = true;
        r = last;
    }
    luaL_pushresult(&text);
}

static void push_inst(lua_State *L, const struct loom_kernel_info *info,
                      uint32_t index)
{
    const struct loom_static_inst *inst = &info->inst[index];

    lua_newtable(L);
    loom_lua_set_int(L, "index", index);
    if (info->times != NULL) {
        loom_lua_set_int(L, "times", info->times[index]);
    }
    loom_lua_set_int(L, "pc", inst->pc);
    loom_lua_set_int(L, "line", inst->line);
    loom_lua_set_text(L, "op", loom_op_names[inst->op]);
    loom_lua_set_text(L, "text", info->text + inst->text);
    if (inst->loop != LOOM_NO_LOOP) {
        loom_lua_set_int(L, "loop", inst->loop);
        loom_lua_set_int(L, "depth", info->loop[inst->loop].depth);
    }
    loom_lua_set_int(L, "flags", inst->flags);
    if (inst->op == LOOM_OP_LOAD || inst->op == LOOM_OP_STORE ||
        inst->op == LOOM_OP_ATOMIC) {
        loom_lua_set_text(L, "space", space_names[inst->space]);
        loom_lua_set_int(L, "bytes", inst->bytes);
        loom_lua_set_int(L, "vector", inst->vector);
        if (inst->param != LOOM_NO_PARAM) {
            loom_lua_set_int(L, "param", inst->param);
        }
    } else if (inst->op == LOOM_OP_BARRIER) {
        loom_lua_set_int(L, "barrier", inst->barrier);
    }
    push_registers(L, inst->use);
    lua_setfield(L, -2, "use");
    push_registers(L, inst->def);
    lua_setfield(L, -2, "def");
}

/* A kernel with its static table as { name =, rows = { .. } }. */
void loom_lua_push_listing(lua_State *L, const struct loom_kernel_info *info)
{
    lua_newtable(L);
    loom_lua_set_text(L, "name", info->name);
    loom_lua_set_int(L, "registers", info->registers);
    loom_lua_set_int(L, "shared_bytes", info->shared_bytes);
    loom_lua_set_int(L, "local_bytes", info->local_bytes);
    loom_lua_set_int(L, "loops", info->loop_count);
    lua_newtable(L);
    for (uint32_t p = 0; p < info->param_count; p++) {
        lua_pushstring(L, info->param[p].name);
        lua_rawseti(L, -2, (lua_Integer)p);
    }
    lua_setfield(L, -2, "params");
    lua_createtable(L, (int)info->inst_count, 0);
    for (uint32_t i = 0; i < info->inst_count; i++) {
        push_inst(L, info, info->order != NULL ? info->order[i] : i);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "rows");
}

/* core.listing(front end, name, text, scheduled) -> the same of a program;
 * `refused`: why a kernel cannot be executed */
static int listing(lua_State *L)
{
    const char *kind = luaL_checkstring(L, 1);
    const struct loom_workload_type *type = loom_lua_front_end(kind);
    struct loom_program_text text = {.name = luaL_checkstring(L, 2),
                                     .scheduled = lua_toboolean(L, 4)};
    struct loom_memory *memory;
    struct loom_program *program;
    struct loom_error err;

    text.text = luaL_checklstring(L, 3, &text.bytes);

    luaL_argcheck(L, type != NULL, 1, "no such front end");
    luaL_checkstack(L, 16, "listing");
    memory = loom_memory_create(UINT64_C(1) << 40);
    if (memory == NULL) {
        return loom_lua_no_memory(L, "a listing");
    }
    if (!type->open(memory, &text, &program, &err)) {
        loom_memory_destroy(memory);
        return loom_lua_failed(L, &err);
    }
    lua_newtable(L);
    for (uint32_t i = 0; i < type->kernel_count(program); i++) {
        loom_lua_push_listing(L, type->kernel(program, i));
        if (type->ready != NULL && !type->ready(program, i, &err)) {
            loom_lua_set_text(L, "refused", err.text);
        }
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    type->close(program);
    loom_memory_destroy(memory);
    return 1;
}

/* A memory instruction's addresses: what is regular in a few words. */
static void push_addresses(lua_State *L, const struct loom_warp_inst *inst)
{
    static const char *const names[] = {"", "stride", "delta", "list"};
    loom_addr address[LOOM_WARP_LANES];
    loom_addr low = UINT64_MAX, high = 0;

    if (inst->mode == LOOM_ADDR_NONE) {
        return;
    }
    loom_stream_addresses(inst, address);
    for (uint32_t left = inst->mask; left != 0; left &= left - 1) {
        loom_addr at = address[loom_lowest(left)];

        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    loom_lua_set_text(L, "mode", names[inst->mode & 3]);
    loom_lua_set_int(L, "first", address[loom_lowest(inst->mask)]);
    loom_lua_set_int(L, "low", low);
    loom_lua_set_int(L, "high", high);
    if (inst->mode == LOOM_ADDR_STRIDE) {
        lua_pushinteger(L, (int32_t)inst->address[2]);
        lua_setfield(L, -2, "stride");
    }
}

int loom_lua_push_warp(lua_State *L, const struct loom_cta_stream *stream,
                       uint32_t warp, lua_Integer limit)
{
    struct loom_cursor cursor = loom_cursor_of(&stream->warp[warp]);
    struct loom_warp_inst inst;
    lua_Integer row = 0;

    lua_newtable(L);
    while (row < limit && loom_stream_next(&cursor, &inst)) {
        lua_newtable(L);
        loom_lua_set_int(L, "index", inst.index);
        loom_lua_set_int(L, "mask", inst.mask);
        push_addresses(L, &inst);
        lua_rawseti(L, -2, ++row);
    }
    lua_pushinteger(L, (lua_Integer)stream->warp[warp].insts);
    return 2;
}

/* ---- Keys ---- */

/* core.stream_key{ { name, value }, .. } -> 64 hexadecimal digits */
static int stream_key(lua_State *L)
{
    struct loom_stream_key key;
    char text[LOOM_DIGEST_TEXT];

    luaL_checktype(L, 1, LUA_TTABLE);
    loom_stream_key_init(&key);
    for (lua_Integer i = 1; i <= (lua_Integer)lua_rawlen(L, 1); i++) {
        size_t bytes;
        const char *value;

        lua_rawgeti(L, 1, i);
        luaL_checktype(L, -1, LUA_TTABLE);
        lua_rawgeti(L, -1, 1);
        lua_rawgeti(L, -2, 2);
        value = luaL_checklstring(L, -1, &bytes);
        loom_stream_key_add(&key, luaL_checkstring(L, -2), value, bytes);
        lua_pop(L, 3);
    }
    loom_stream_key_text(&key, text);
    lua_pushstring(L, text);
    return 1;
}

/* core.file_digest(path) -> SHA-256, bytes; or nil and why */
static int file_digest(lua_State *L)
{
    char text[LOOM_DIGEST_TEXT];
    struct loom_error err;
    uint64_t bytes;

    if (!loom_file_digest(luaL_checkstring(L, 1), text, &bytes, &err)) {
        return loom_lua_failed(L, &err);
    }
    lua_pushstring(L, text);
    lua_pushinteger(L, (lua_Integer)bytes);
    return 2;
}

void loom_lua_open_listing(lua_State *L)
{
    static const luaL_Reg functions[] = {{"listing", listing},
                                         {"stream_key", stream_key},
                                         {"file_digest", file_digest},
                                         {NULL, NULL}};

    luaL_setfuncs(L, functions, 0);
}
