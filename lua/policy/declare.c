/*
 * Parameters and statistics that a policy in Lua declares, as the tables that
 * C policies have.  The library has checked them.
 */
#include <string.h>

#include "lua/policy/kit_private.h"

/* Of a type: copied, anchored and freed with it. */
static char *keep_text(lua_State *L, int anchor, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = lua_newuserdatauv(L, size, 0);

    memcpy(copy, text, size);
    lua_rawseti(L, anchor, (lua_Integer)lua_rawlen(L, anchor) + 1);
    return copy;
}

void *kit_keep(lua_State *L, int anchor, size_t count, size_t size)
{
    void *block = lua_newuserdatauv(L, count * size + 1, 0);

    memset(block, 0, count * size + 1);
    lua_rawseti(L, anchor, (lua_Integer)lua_rawlen(L, anchor) + 1);
    return block;
}

/* Text of field `name` of the table on top, kept; NULL if there is none. */
const char *kit_text(lua_State *L, int anchor, const char *name)
{
    const char *text = NULL;

    if (lua_getfield(L, -1, name) == LUA_TSTRING) {
        text = keep_text(L, anchor, lua_tostring(L, -1));
    }
    lua_pop(L, 1);
    return text;
}

static bool flag_field(lua_State *L, const char *name)
{
    bool flag;

    lua_getfield(L, -1, name);
    flag = lua_toboolean(L, -1) != 0;
    lua_pop(L, 1);
    return flag;
}

/* A list of texts, ending with NULL. */
static const char *const *texts_field(lua_State *L, int anchor,
                                      const char *name, uint32_t *count)
{
    const char **list = NULL;

    *count = 0;
    if (lua_getfield(L, -1, name) == LUA_TTABLE) {
        *count = (uint32_t)lua_rawlen(L, -1);
        list = kit_keep(L, anchor, *count + 1, sizeof(*list));
        for (uint32_t i = 0; i < *count; i++) {
            lua_rawgeti(L, -1, (lua_Integer)i + 1);
            list[i] = keep_text(L, anchor, luaL_tolstring(L, -1, NULL));
            lua_pop(L, 2);
        }
    }
    lua_pop(L, 1);
    return list;
}

/* The first of names[count] that field `name` of the table on top is, or
 * `none`. */
static int choice_field(lua_State *L, const char *name,
                        const char *const *names, int count, int none)
{
    int i = count;

    if (lua_getfield(L, -1, name) == LUA_TSTRING) {
        const char *text = lua_tostring(L, -1);

        for (i = 0; i < count; i++) {
            if (names[i] != NULL && strcmp(names[i], text) == 0) {
                break;
            }
        }
    }
    lua_pop(L, 1);
    return i < count ? i : none;
}

static enum loom_unit unit_field(lua_State *L)
{
    const char *names[LOOM_UNIT_END];

    for (int i = 0; i < LOOM_UNIT_END; i++) {
        names[i] = loom_unit_name((enum loom_unit)i);
    }
    return (enum loom_unit)choice_field(L, "unit", names, LOOM_UNIT_END,
                                        LOOM_UNIT_NONE);
}

/* ---- parameters ---- */

static enum loom_type type_field(lua_State *L)
{
    static const char *const names[] = {[LOOM_BOOL] = "boolean",
                                        [LOOM_U64] = "integer",
                                        [LOOM_F64] = "number",
                                        [LOOM_STR] = "string",
                                        [LOOM_LIST] = "list"};

    return (enum loom_type)choice_field(L, "type", names, LOOM_COUNTOF(names),
                                        LOOM_U64);
}

static void value_field(lua_State *L, int anchor, const char *name,
                        enum loom_type type, union loom_value *value)
{
    uint64_t *item;

    lua_getfield(L, -1, name);
    if (lua_isnil(L, -1)) {
        value->u = 0;
    } else if (type == LOOM_BOOL) {
        value->b = lua_toboolean(L, -1) != 0;
    } else if (type == LOOM_F64) {
        value->f = lua_tonumber(L, -1);
    } else if (type == LOOM_STR) {
        value->s = keep_text(L, anchor, lua_tostring(L, -1));
    } else if (lua_istable(L, -1)) {
        value->list.count = (uint32_t)lua_rawlen(L, -1);
        value->list.item = item =
            kit_keep(L, anchor, value->list.count, sizeof(*item));
        for (uint32_t i = 0; i < value->list.count; i++) {
            lua_rawgeti(L, -1, (lua_Integer)i + 1);
            item[i] = (uint64_t)lua_tointeger(L, -1);
            lua_pop(L, 1);
        }
    } else {
        value->u = (uint64_t)lua_tointeger(L, -1);
    }
    lua_pop(L, 1);
}

static size_t size_of(enum loom_type type)
{
    return type == LOOM_LIST ? sizeof(struct loom_list) : sizeof(uint64_t);
}

void kit_read_params(lua_State *L, int anchor, struct kit_type *type)
{
    uint32_t unused;

    lua_getfield(L, 1, "params");
    type->type.params.count = lua_rawlen(L, -1);
    type->param =
        kit_keep(L, anchor, type->type.params.count, sizeof(*type->param));
    for (size_t i = 0; i < type->type.params.count; i++) {
        struct loom_param *param = &type->param[i];

        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        param->name = kit_text(L, anchor, "name");
        param->doc = kit_text(L, anchor, "doc");
        param->source = kit_text(L, anchor, "source");
        param->type = type_field(L);
        param->unit = unit_field(L);
        param->required = flag_field(L, "required");
        param->power_of_2 = flag_field(L, "power_of_2");
        value_field(L, anchor, "default", param->type, &param->def);
        value_field(L, anchor, "min",
                    param->type == LOOM_LIST ? LOOM_U64 : param->type,
                    &param->min);
        value_field(L, anchor, "max",
                    param->type == LOOM_LIST ? LOOM_U64 : param->type,
                    &param->max);
        param->choices = texts_field(L, anchor, "choices", &unused);
        param->offset = type->type.config_size;
        type->type.config_size += size_of(param->type);
        lua_pop(L, 1);
    }
    type->type.params.item = type->param;
    lua_pop(L, 1);
}

/* ---- statistics ---- */

static enum loom_stat_kind kind_field(lua_State *L)
{
    static const char *const names[] = {[LOOM_STAT_COUNTER] = "counter",
                                        [LOOM_STAT_GAUGE] = "gauge",
                                        [LOOM_STAT_VECTOR] = "vector",
                                        [LOOM_STAT_ARRAY] = "array",
                                        [LOOM_STAT_HISTOGRAM] = "histogram",
                                        [LOOM_STAT_RATIO] = "ratio",
                                        [LOOM_STAT_RATE] = "rate"};

    return (enum loom_stat_kind)choice_field(
        L, "kind", names, LOOM_COUNTOF(names), LOOM_STAT_COUNTER);
}

static size_t stat_size(const struct loom_stat *stat)
{
    switch (stat->kind) {
    case LOOM_STAT_VECTOR:
        return stat->count * sizeof(uint64_t);
    case LOOM_STAT_ARRAY:
        return sizeof(struct loom_array);
    case LOOM_STAT_HISTOGRAM:
        return sizeof(struct loom_histogram);
    case LOOM_STAT_COUNTER:
    case LOOM_STAT_GAUGE:
        return sizeof(uint64_t);
    case LOOM_STAT_RATIO:
    case LOOM_STAT_RATE:
    case LOOM_STAT_ENERGY:
    case LOOM_STAT_POWER:
        break;
    }
    return 0;
}

/* Offset of the counter that field `name` of the table on top names. */
static size_t counter_field(lua_State *L, const struct kit_type *type,
                            const char *name)
{
    size_t offset = 0;

    if (lua_getfield(L, -1, name) == LUA_TSTRING) {
        for (size_t i = 0; i < type->type.stats.count; i++) {
            if (type->stat[i].name != NULL &&
                strcmp(type->stat[i].name, lua_tostring(L, -1)) == 0) {
                offset = type->stat[i].offset;
            }
        }
    }
    lua_pop(L, 1);
    return offset;
}

static void read_stat(lua_State *L, int anchor, struct kit_type *type, size_t i)
{
    struct loom_stat *stat = &type->stat[i];
    uint32_t keys;

    stat->name = kit_text(L, anchor, "name");
    stat->doc = kit_text(L, anchor, "doc");
    stat->kind = kind_field(L);
    stat->unit = unit_field(L);
    stat->axis = kit_text(L, anchor, "axis");
    stat->keys = texts_field(L, anchor, "keys", &keys);
    lua_getfield(L, -1, "count");
    if (stat->kind == LOOM_STAT_VECTOR) {
        stat->count = keys;
    } else if (stat->kind == LOOM_STAT_ARRAY) {
        type->array_count[i] = (uint32_t)lua_tointeger(L, -1);
    }
    lua_pop(L, 1);
    stat->offset = type->type.stats_size;
    type->type.stats_size += stat_size(stat);
}

void kit_read_stats(lua_State *L, int anchor, struct kit_type *type)
{
    size_t count;

    lua_getfield(L, 1, "stats");
    count = lua_rawlen(L, -1);
    type->type.stats.count = count + 1;
    type->stat = kit_keep(L, anchor, count + 1, sizeof(*type->stat));
    type->array_count = kit_keep(L, anchor, count + 1, sizeof(uint32_t));
    type->stat[0] = (struct loom_stat)LOOM_COUNTER(
        struct kit_stats, lua_calls, LOOM_UNIT_EVENT,
        "Calls of Lua functions: the policy is a prototype and slow");
    type->type.stats_size = sizeof(struct kit_stats);
    for (size_t i = 1; i <= count; i++) {
        lua_rawgeti(L, -1, (lua_Integer)i);
        read_stat(L, anchor, type, i);
        lua_pop(L, 1);
    }
    for (size_t i = 1; i <= count; i++) { /* now all counters have places */
        struct loom_stat *stat = &type->stat[i];

        lua_rawgeti(L, -1, (lua_Integer)i);
        if (stat->kind == LOOM_STAT_RATIO || stat->kind == LOOM_STAT_RATE) {
            stat->offset = counter_field(L, type, "numerator");
            stat->den_offset = counter_field(L, type, "denominator");
        }
        lua_pop(L, 1);
    }
    type->type.stats.item = type->stat;
    lua_pop(L, 1);
}
