/*
 * What copies do to device memory: writing, reading, filling and moving.
 */
#include <string.h>

#include "lua/methods.h"

enum {
    TRANSFER_WRITE,
    TRANSFER_READ,
    TRANSFER_FILL,
    TRANSFER_MOVE
};

static const char *const kinds[] = {
    [TRANSFER_WRITE] = "write",
    [TRANSFER_READ] = "read",
    [TRANSFER_FILL] = "fill",
    [TRANSFER_MOVE] = "move",
    NULL,
};

/* `data` and its size, from an array, a string (to be read only) or, of a host
 * program that is none of ours, the number `pointer`. */
static void data_of(lua_State *L, int at, struct loom_lua_transfer *transfer)
{
    lua_Integer pointer = loom_lua_int(L, at, "pointer", 0);
    size_t bytes = 0;

    if (pointer != 0) {
        transfer->data = loom_lua_pointer(pointer);
        return;
    }
    lua_getfield(L, at, "data");
    if (lua_type(L, -1) == LUA_TSTRING && transfer->kind == TRANSFER_WRITE) {
        const char *text = lua_tolstring(L, -1, &bytes);

        transfer->data = (void *)(uintptr_t)text;
    } else {
        struct loom_lua_array *array = loom_lua_array(L, lua_gettop(L));

        transfer->data = array->data;
        bytes = array->bytes;
    }
    luaL_argcheck(L, bytes == transfer->bytes, at, "size of data");
    lua_pop(L, 1);
}

struct loom_lua_transfer
loom_lua_transfer_at(lua_State *L, struct loom_memory *memory, int at)
{
    struct loom_lua_transfer transfer = {.memory = memory};

    lua_getfield(L, at, "kind");
    transfer.kind = (uint32_t)luaL_checkoption(L, -1, NULL, kinds);
    lua_pop(L, 1);
    transfer.address = (loom_addr)loom_lua_int(L, at, "address", 0);
    transfer.from = (loom_addr)loom_lua_int(L, at, "from", 0);
    transfer.bytes = (uint64_t)loom_lua_int(L, at, "bytes", 0);
    transfer.value = (uint32_t)loom_lua_int(L, at, "value", 0);
    transfer.unit = (uint32_t)loom_lua_int(L, at, "unit", 1);
    luaL_argcheck(L, transfer.unit - 1 < sizeof(transfer.value), at, "unit");
    if (transfer.kind == TRANSFER_WRITE || transfer.kind == TRANSFER_READ) {
        data_of(L, at, &transfer);
    }
    return transfer;
}

/* The bytes of an allocation, or an error. */
static void *span(const struct loom_lua_transfer *transfer, loom_addr at,
                  struct loom_error *err)
{
    void *place = loom_memory_at(transfer->memory, at, transfer->bytes);

    if (place == NULL) {
        loom_fail(err, LOOM_ERR_WORKLOAD,
                  "%llu bytes at 0x%llx are not all in one buffer",
                  (unsigned long long)transfer->bytes, (unsigned long long)at);
    }
    return place;
}

static void repeat(const struct loom_lua_transfer *transfer, char *to)
{
    uint64_t unit = transfer->unit;

    if (unit == 1) {
        memset(to, (int)(transfer->value & 255), transfer->bytes);
        return;
    }
    for (uint64_t i = 0; i + unit <= transfer->bytes; i += unit) {
        memcpy(to + i, &transfer->value, unit);
    }
}

/* Filled and moved bytes count as written. */
static bool put(const struct loom_lua_transfer *transfer,
                struct loom_error *err)
{
    void *to = span(transfer, transfer->address, err);
    const void *from = NULL;

    if (to == NULL) {
        return false;
    }
    if (transfer->kind == TRANSFER_FILL) {
        repeat(transfer, to);
    } else {
        from = span(transfer, transfer->from, err);
        if (from == NULL) {
            return false;
        }
        memmove(to, from, transfer->bytes);
    }
    if (loom_memory_watched(transfer->memory)) {
        loom_memory_mark(transfer->memory, transfer->address, transfer->bytes);
    }
    return true;
}

bool loom_lua_transfer(const struct loom_lua_transfer *transfer,
                       struct loom_error *err)
{
    if (transfer->bytes == 0) {
        return true;
    }
    switch (transfer->kind) {
    case TRANSFER_WRITE:
        return loom_memory_write(transfer->memory, transfer->address,
                                 transfer->data, transfer->bytes, err);
    case TRANSFER_READ:
        return loom_memory_read(transfer->memory, transfer->address,
                                transfer->data, transfer->bytes, err);
    default:
        return put(transfer, err);
    }
}

int loom_lua_memory_transfer(lua_State *L)
{
    struct loom_memory *memory = loom_lua_memory(L, 1);
    struct loom_lua_transfer transfer;
    struct loom_error err;

    luaL_checktype(L, 2, LUA_TTABLE);
    transfer = loom_lua_transfer_at(L, memory, 2);
    if (!loom_lua_transfer(&transfer, &err)) {
        return loom_lua_failed(L, &err);
    }
    lua_pushboolean(L, 1);
    return 1;
}
